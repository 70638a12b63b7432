"""hackbench of all ages, and ``perf bench sched messaging``, which is the same program inside perf.

Each prints one number for a run: the seconds until all messages were passed, with three decimals. The groups and the
mode stand in the text of all but the oldest; whether pipes or sockets were used does not, so it is taken from the
names of file and folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number

TIME = Metric("time", "", "s", "lower", decimals=4, parameter="groups", quantity="time in seconds")
METRICS = (TIME,)

# A mailer may have broken the line before the number of tasks, which nothing needs.
_RT_TESTS = re.compile(r"Running in (process|threaded) mode with (\d+) groups using (\d+) file descriptors each \(==")
_CLASSIC = re.compile(r"Running with (\d+)\*40 \(==")
_MESSAGES = re.compile(r"Each sender will pass (\d+) messages of (\d+) bytes")
_BYTES = re.compile(r"Each sender passed \d+ messages of (\d+) bytes in average")
_PERF_SECTION = re.compile(r"# Running '?([\w-]+)/([\w-]+)'? benchmark")
_PERF_SENDERS = re.compile(r"# (\d+) sender and receiver (process|thread)\w* per group")
_PERF_GROUPS = re.compile(r"# (\d+) groups == \d+ (process|thread)\w* run")
# Always three decimals or more: a number with fewer was cut off.
_TIME = re.compile(r"^\s*Time: (\d+\.\d{3,})\s*$")
# The unit behind it tells that the number is whole, however many digits it has.
_PERF_TIME = re.compile(r"(?:^|\s)Total time: +(\d{1,15}(?:\.\d{1,15})?(?:e[-+]?\d{1,2})?) \[sec\]")
_TIME_ANYWHERE = re.compile(r"(?m)^\s*Time: \d+\.\d{3}")
_BARE = re.compile(r"^\s*(\d+\.\d{3})\s*$")
_SIGNAL = re.compile(r"Signal \d+ caught")
_ERROR = re.compile(
    r"\(error: |pthread_\w+ failed|[Cc]reating fdpair|No measurements available|^\S*hackbench: |^Unknown benchmark"
)


def recognise(log: RawLog) -> Match:
    """Tell hackbench by its headers; by ``Time:`` lines alone only if nothing else is there."""
    head = log.head
    if _RT_TESTS.search(head) or _CLASSIC.search(head) or "sched/messaging" in head:
        return Match.CERTAIN
    if re.search(r"# \d+ groups == \d+ \w+ run", head) or re.search(r"(?m)^\S*hackbench(: | V )", head):
        return Match.CERTAIN
    named = log.name_has("hackbench", "messaging")
    filled = [line for line in head.split("\n") if line.strip()]
    if filled and all(_TIME.match(line) for line in filled):
        return Match.LIKELY
    if named and (_TIME_ANYWHERE.search(head) or _ERROR.search(head) or head.startswith("# Running")):
        return Match.LIKELY
    return Match.NAME if _bare_numbers(log) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; a run that was interrupted has a time all the same, which is refused."""
    reader = _Reader(log, into)
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    reader.close()


@dataclass
class _Header:
    """What the text has told about the run whose time is still to come."""

    line: int = 0
    groups: str = ""
    mode: str = ""
    fds: str = ""
    messages: str = ""
    size: str = ""


class _Reader:
    """Walks through the lines and remembers the run that is under way and what went wrong in it."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._header = _Header()
        self._trouble: tuple[int, str] | None = None
        self._section = "messaging"
        self._bare = _bare_numbers(log)

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        if found := _PERF_SECTION.search(line):
            self._close_run()
            self._section = found[2]
            if self._section == "messaging":
                self._header.line = number
        if self._section != "messaging":
            return
        self._take_header(number, line)
        if _SIGNAL.search(line) or _ERROR.search(line):
            self._trouble = self._trouble or (number, line.strip())
        elif found := _TIME.match(line) or _PERF_TIME.search(line) or (_BARE.match(line) if self._bare else None):
            self._take_time(number, float(found[1]))

    def close(self) -> None:
        """End of the log: a run whose time has not come did not finish."""
        self._close_run()

    def _take_header(self, number: int, line: str) -> None:
        header = self._header
        if found := _RT_TESTS.search(line):
            self._begin_run()
            mode = "process" if found[1] == "process" else "thread"
            self._header = _Header(number, found[2], mode, found[3])
        elif found := _CLASSIC.search(line):
            self._begin_run()
            self._header = _Header(number, found[1])
        elif found := _MESSAGES.search(line):
            header.messages, header.size = found[1], found[2]
        elif found := _BYTES.search(line):
            header.size = found[1]
        if found := _PERF_SENDERS.search(line):
            header.mode, header.fds, header.line = found[2], str(2 * int(found[1])), header.line or number
        if found := _PERF_GROUPS.search(line):
            header.groups, header.mode, header.line = found[1], found[2], header.line or number

    def _take_time(self, number: int, seconds: float) -> None:
        if self._trouble:
            line, text = self._trouble
            self._into.failed(f"the run was interrupted or failed, its time {seconds} is refused: {text}", line)
        else:
            header = self._header
            groups = header.groups or _groups_from_name(self._log)
            self._into.run(
                variant={
                    "mode": header.mode or _word(self._log, "process", "thread"),
                    "transport": _transport(self._log),
                },
                settings={"messages": header.messages, "bytes": header.size, "fds": header.fds},
                number=run_number(self._log),
                line=header.line or number,
            )
            param = float(groups) if groups else float("nan")
            self._into.add(TIME, Operation(groups or "time", param=param), seconds)
        self._header, self._trouble = _Header(), None

    def _begin_run(self) -> None:
        # An error may stand before its run's header, for stderr isn't buffered: it stays until the run ends.
        if self._header.line:
            self._close_run()

    def _close_run(self) -> None:
        if self._trouble:
            self._into.failed(self._trouble[1], self._trouble[0])
        elif self._header.line:
            self._into.failed("the run did not finish: it has no time", self._header.line)
        self._header, self._trouble = _Header(), None


def _bare_numbers(log: RawLog) -> bool:
    """Whether this is the output of ``perf bench --format=simple``: numbers without a word, in a file named so."""
    lines = [line for line in log.lines[:50] if line.strip()]
    return bool(lines) and all(_BARE.match(line) for line in lines) and log.name_has("hackbench", "messaging")


def _word(log: RawLog, *words: str) -> str:
    """The first of the words in the file's name, or else in the nearest folder whose name has one."""
    for part in (log.stem, *reversed(log.folders)):
        for word in words:
            if re.search(rf"(?<![a-z]){word}(es|s|ed)?(?![a-z])", part.lower()):
                return word
    return ""


def _transport(log: RawLog) -> str:
    found = _word(log, "pipe", "socket", "inet")
    return f"{found}s" if found in {"pipe", "socket"} else found


def _groups_from_name(log: RawLog) -> str:
    found = re.search(r"(?i)(?<![a-z])g(?:roups?)?[-_]?(\d+)(?![0-9a-z])|(\d+)[-_]?groups?", log.stem) or re.search(
        r"(?i)(?:hackbench|process|processes|threads?|pipes?|sockets?|simple)-(\d+)(?![\d.])", log.stem
    )
    return next(group for group in found.groups() if group) if found else ""
