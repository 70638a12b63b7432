"""Gathers the lines of netperf logs that belong to one run, or to several runs that went side by side.

The order of lines is no help: errors come before the banner of their run, loops print banner and heading once for
many rows, and clients that ran at once print their banners first and their results later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from compare_kernels.parsers.netperf_classic import (
    BANNER,
    RR_DETAILS,
    SUPER,
    TRANSACTIONS,
    UNIT,
    Banner,
    Command,
    Heading,
    Result,
    add_receiver,
    is_receiver,
    read_banner,
    read_command,
    read_heading,
    read_names,
    read_row,
    shape_of_row,
    shape_of_test,
)
from compare_kernels.parsers.netperf_omni import OmniReader, Record, is_omni, read_default_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.parsers.base import RawLog

_INTERIM = re.compile(
    r"Interim result: *[0-9.]+ \S+/s over|^NETPERF_(?:INTERIM_RESULT|UNITS|INTERVAL|ENDING)\["
    r"|^[0-9.]+,(?:10\^[0-9]bits|[KMG]?Bytes|Trans)/s,[0-9.]+,[0-9.]+$"
)
_UNMET = re.compile(r"!!! Desired confidence was not achieved")
_WIDTH = re.compile(r"!!! Confidence intervals: Throughput *: *([0-9.]+)%")
_HARMLESS = re.compile(
    r"enable_enobufs failed|timer popped with times_up|cannot shutdown \w+ stream socket"
    r"|based on process information only"
)
_OWN_ERROR = re.compile(
    r"are you sure there is a netserver listening|establish_control could not establish"
    r"|is unknown to this netperf|Netperf could not resolve"
)
_ERROR = re.compile(
    rf"{_OWN_ERROR.pattern}|(?:^|: )net(?:perf|server): |^(?:send|recv)_\w+: |^resolve_host: |remote error \d"
    r"|data (?:send|recv) error|partial response received|no response received"
)
_QUOTED = re.compile(r"^(?:> ?)+")
# The decimal point of a sum is where awk puts it.
_SUM = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?(?:e\+[0-9]{1,2})?)\s*")
_ROW = re.compile(r"iiii22|iii22|ii2ii[12]|i2i[12]|[23](?:x|$)")
# Values of fields that somebody chose, without their names.
_UNNAMED = re.compile(rf"(?:^|,)(?:{UNIT}|{TRANSACTIONS})/s(?:,|$)")
_DETAILS = re.compile(r"^Alignment +Offset|^HIST_TOTAL:")


def without_quotes(lines: list[str]) -> list[str]:
    """The lines without the marks of quotations, which in a mail not all lines need to have."""
    return [_QUOTED.sub("", line) for line in lines]


def is_certain(lines: list[str]) -> bool:
    """Whether there is anything that only netperf prints."""
    if is_omni(lines):
        return True
    return any(_is_own(line, above) for above, line in zip(["", *lines], lines, strict=False))


def is_likely(lines: list[str], *, named: bool) -> bool:
    """Whether there is a message that netperf prints as others do, or a command line with a bare row behind it."""
    if any(_ERROR.search(line) and (named or "netperf: " in line) for line in lines):
        return True
    filled = [line for line in lines if line.strip()]
    for line, following in pairwise(filled):
        command = read_command(line)
        if command and _is_row(following, sums=bool(command.clients)):
            return True
    return False


def _is_own(line: str, above: str) -> bool:
    return bool(
        (BANNER.search(line) and read_banner([line], 0)[0])
        or read_heading(line, above)
        or _INTERIM.search(line)
        or _UNMET.search(line)
        or _OWN_ERROR.search(line)
        or _DETAILS.search(line)
    )


def is_only_numbers(log: RawLog) -> bool:
    """Whether the file holds rows without heading and nothing else but messages."""
    rows = 0
    sums = bool(SUPER.search(log.hints))
    for line in log.lines[:50]:
        if _is_row(line, sums=sums):
            rows += 1
        elif shape_of_row(line.split()) not in {"", "ii"} and not _is_message(line):
            return False
    return rows > 0


def _is_row(line: str, *, sums: bool) -> bool:
    if sums and _SUM.fullmatch(line):
        return True
    return bool(_ROW.match(shape_of_row(line.split())) or read_default_row(line) or _UNNAMED.search(line))


def _is_message(line: str) -> bool:
    return any(pattern.search(line) for pattern in (_INTERIM, _HARMLESS, _ERROR, _UNMET))


@dataclass
class Group:
    """The lines that belong together.

    Attributes:
        command: what a command line told, or else the names of file and folders.
        has_command: whether it was a command line.
        banners: the banners; without any, a loop goes on that printed one before.
        headings: the headings of tables.
        before: banner and headings of the loop that goes on.
        results: what was printed as results.
        errors: line and text of error messages.
        notes: line and text of messages that don't stop a run.
        unmet: line and width for each result whose confidence interval is wider than asked for.
        unnamed: lines of values whose names the log lacks.
        lone_demands: lines of service demands that stand in the place of rates.
        interim: the line of the first interim result, or 0.
        cut: the line of a row that is incomplete, or 0.

    """

    command: Command
    has_command: bool = False
    banners: list[Banner] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    before: tuple[Banner | None, list[Heading]] = (None, [])
    results: list[Result | Record] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    unmet: list[tuple[int, str]] = field(default_factory=list)
    unnamed: list[int] = field(default_factory=list)
    lone_demands: list[int] = field(default_factory=list)
    interim: int = 0
    cut: int = 0

    @property
    def last(self) -> Result | None:
        """The result whose row came last, unless the omni test printed it."""
        result = self.results[-1] if self.results else None
        return result if isinstance(result, Result) else None

    @property
    def banner(self) -> Banner | None:
        """The last banner, or that of the loop which goes on."""
        return self.banners[-1] if self.banners else self.before[0]

    def banners_of(self, shape: str) -> list[Banner]:
        """The banners of tests that give results of a shape."""
        return [banner for banner in self.banners if shape in {"", shape_of_test(banner.test)}]

    @property
    def shows_failure(self) -> bool:
        """Whether it is clear that a run failed before the last banner."""
        return bool(self.errors) or 0 < self.interim < self.banners[-1].line

    def headings_of(self, shape: str) -> list[Heading]:
        """The headings for rows of a shape."""
        headings = self.headings if self.headings or self.banners else self.before[1]
        return [heading for heading in headings if heading.shape == shape]

    @property
    def side_by_side(self) -> bool:
        """Whether several clients ran at once: several banners, then as many headings and several results."""
        count = len(self.banners)
        if count < 2 or len(self.results) < 2:
            return False
        return len(self.headings) >= count if self.headings else not self.errors


def read_groups(log: RawLog) -> Iterator[Group]:
    """Read a log group by group."""
    reader = _Reader(log)
    index = 0
    while index < len(log.lines):
        index += max(1, reader.take(index))
        yield from reader.finished
        reader.finished.clear()
    reader.close()
    yield from reader.finished


class _Reader:
    """Takes line after line; finished groups are left in `finished`."""

    def __init__(self, log: RawLog) -> None:
        self.finished: list[Group] = []
        self._lines = without_quotes(log.lines)
        self._terminated = log.ended
        self._omni = OmniReader(self._lines, terminated=self._terminated)
        self._known = 0
        self._only_numbers = is_only_numbers(log)
        self._group = Group(read_names(log))

    def close(self) -> None:
        """Finish the group; what follows without banner goes on with its banner and headings."""
        group = self._group
        before = (group.banner, group.headings) if group.banners or group.headings else group.before
        self.finished.append(group)
        self._group = Group(group.command, group.has_command, before=before)

    def take(self, index: int) -> int:
        """Take what begins at an index of the lines; return how many lines it was."""
        line = self._lines[index]
        if not line.strip():
            return 1
        if used := self._omni.take(index):
            self._take_record()
            return used
        if used := self._take_banner(index):
            return used
        if self._take_message(index + 1, line):
            return 1
        if heading := read_heading(line, self._lines[index - 1] if index else ""):
            self._group.headings.append(heading)
        else:
            self._take_row(index + 1, line)
        return 1

    def _take_record(self) -> None:
        records = self._omni.records
        self._group.results += [record for record in records[self._known :] if record.has_results]
        self._known = len(records)

    def _take_banner(self, index: int) -> int:
        banner, used = read_banner(self._lines, index)
        if banner:
            errors = self._group.errors
            # These stop a run before its banner; other errors may come before the banner of the same run.
            if self._group.results or (errors and all(_OWN_ERROR.search(text) for _, text in errors)):
                self.close()
            self._group.banners.append(banner)
            self._omni.forget()
        return used

    def _take_message(self, number: int, line: str) -> bool:
        if _INTERIM.search(line):
            if self._group.results and not self._group.interim and len(self._group.banners) < 2:
                self.close()
            self._group.interim = self._group.interim or number
        elif _UNMET.search(line):
            self._group.unmet.append((number, ""))
        elif found := _WIDTH.search(line):
            self._add_width(found[1])
        elif _HARMLESS.search(line):
            self._group.notes.append((number, line.strip()))
        elif _ERROR.search(line):
            if self._group.results:
                self.close()
            self._group.errors.append((number, line.strip()))
        elif command := read_command(line):
            self.close()
            self._group = Group(command, has_command=True)
        else:
            return False
        return True

    def _add_width(self, width: str) -> None:
        unmet = self._group.unmet
        for place, (line, known) in enumerate(unmet):
            if not known:
                unmet[place] = (line, width)
                return

    def _take_row(self, number: int, line: str) -> None:
        tokens = line.split()
        shape = shape_of_row(tokens)
        open_end = number == len(self._lines) and not self._terminated
        last = self._group.last
        if shape == RR_DETAILS and last and last.shape == "rr":
            last.latencies["round-trip"] = float(tokens[4])
        elif result := read_row(number, tokens, shape, open_end=open_end):
            self._add_row(result)
        elif last and last.needs_receiver and not last.mixed and is_receiver(shape):
            add_receiver(last, tokens, shape)
        elif _UNNAMED.search(line) and "," in line:
            self._group.unnamed.append(number)
        elif self._takes_lone_numbers:
            # Only a blank or a line end says that all of a lone number is there.
            if open_end and not line.endswith(" ") and line.lstrip()[:1].isdigit():
                self._group.cut = number
            else:
                self._take_lone_number(number, line, shape)
        elif open_end and shape[:1].isalnum() and shape[:1] != "x":
            self._group.cut = number

    @property
    def _takes_lone_numbers(self) -> bool:
        group = self._group
        source = self._only_numbers or group.has_command or group.banners
        return bool(source) and not group.headings and not self._omni.has_heading

    def _add_row(self, result: Result) -> None:
        """Take a row. Under a heading with columns for the CPU, one without them was cut off."""
        headings = self._group.headings_of(result.shape)
        if headings and not result.measured_cpu and all(heading.cpu for heading in headings):
            self._group.cut = result.line
            return
        previous = self._group.last
        # Two senders in a row: which receiver belongs to whom can't be told.
        result.mixed = bool(result.needs_receiver and previous and previous.needs_receiver)
        self._group.results.append(result)

    def _take_lone_number(self, number: int, line: str, shape: str) -> None:
        """Take the number of ``-v 0`` or of super_netperf."""
        result = Result(number)
        words = line.split()
        if self._group.command.clients and (found := _SUM.fullmatch(line)):
            result.rates[""] = float(found[1])
        elif shape[1:2] not in {"", "x"}:
            return
        elif shape[:1] == "3" or (shape == "2x" and len(words[1]) == 1 and self._announces_udp):
            # With CPU utilisation, -v 0 prints the service demand and the letter of a method.
            result.demand[""] = float(words[0])
            self._group.lone_demands.append(number)
        elif shape[:1] == "2":
            result.rates[""] = float(words[0])
        else:
            return
        self._group.results.append(result)

    @property
    def _announces_udp(self) -> bool:
        banner = self._group.banner
        return shape_of_test(banner.test if banner else self._group.command.test) == "udp"
