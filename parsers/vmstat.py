"""What the machine did while a benchmark ran, by the counters of /proc/vmstat before and after.

mmtests writes both snapshots of each benchmark into tests-sysstate. Of plain directories, the two files of a pair
come as one log in the same frame, without the lines about benchmarks: see `compare_kernels.reading.snapshots`.

The metric ``vmstat`` has the rows of `mended_rows`. The metric ``vmstat-counters``, shown only by name, has what
`mmtests_rows` needs: an operation for each difference of `mmtests_deltas`, and ``elapsed`` in seconds if it is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.mmtests_marks import Begin, End, Failure, File, Times, mark
from compare_kernels.parsers.proc_vmstat import counter, is_snapshot
from compare_kernels.parsers.vmstat_rows import Counters, mended_rows, mmtests_deltas, needed_counters

VMSTAT = Metric("vmstat", "vmstat", "", "none", decimals=2, quantity="events counted by the kernel", monitor=True)
COUNTERS = Metric(
    "vmstat-counters",
    "counters",
    "",
    "none",
    decimals=2,
    main=False,
    quantity="differences of the kernel's counters",
    monitor=True,
)
METRICS = (VMSTAT, COUNTERS)

ELAPSED = "elapsed"
"""The operation of ``vmstat-counters`` that holds the seconds of the run; no counter is called so."""

_PATH = "/proc/vmstat"
# Words that say nothing about what ran.
_EMPTY_WORDS = re.compile(r"(?i)(?<![a-z])(?:proc|vmstat|snapshots?)(?![a-z])")
_RUN = re.compile(r"(?i)(?:^|[^a-z])(?:run|iter|iteration|rep|repeat|sample|try|trial)[-_.]?[0-9]{1,6}$")
# So many counters are named in a message.
_NAMED = 4


def recognise(log: RawLog) -> Match:
    """Tell a frame around /proc/vmstat, or a snapshot that lies there alone."""
    lines = log.head.split("\n")
    marks = [found for found in map(mark, lines) if found]
    if any(isinstance(found, File) and found.path == _PATH for found in marks):
        return Match.CERTAIN
    if marks:
        # Its head may be filled by mmtests' configuration or by other files.
        return Match.LIKELY if "sysstate" in log.name.lower() else Match.NO
    return Match.CERTAIN if is_snapshot(lines[:-1] or lines) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read the snapshots of each benchmark that ended as it should."""
    reader = _Reader(log, into)
    for number, line in enumerate(log.lines, start=1):
        if number < len(log.lines) or log.ended:
            reader.line(number, line)
    reader.close()


@dataclass
class _Section:
    """What is known of one benchmark.

    Attributes:
        benchmark: its name; empty for a pair of files.
        line: where it begins.
        before, after: the snapshots; empty if there are none.
        repeated: names of counters that a snapshot has more than once.
        ended: whether the line was seen that says so.
        failure: line and words of what went wrong.
        elapsed: seconds.
    """

    benchmark: str
    line: int
    before: Counters = field(default_factory=dict)
    after: Counters = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)
    ended: bool = False
    failure: tuple[int, str] | None = None
    elapsed: float | None = None


class _Reader:
    """Walks through the lines; a section lasts until the next one begins, since its times follow its end."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._section: _Section | None = None
        self._held: Counters | None = None
        """The snapshot that the lines belong to."""
        self._framed = False
        """Whether a snapshot has its frame."""
        self._trouble: tuple[int, str] | None = None

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        if found := mark(line):
            self._mark(number, found)
        elif self._held is not None and self._section and (known := counter(line)):
            name, value = known
            if name in self._held:
                # The last one counts, and its place is the last too.
                del self._held[name]
                self._section.repeated.add(name)
            self._held[name] = value

    def close(self) -> None:
        """End of the log."""
        if not self._framed and is_snapshot(self._log.lines):
            message = "one snapshot of /proc/vmstat: it takes two of a run, called before and after"
            self._into.warn("lone-snapshot", message)
        self._finish(at_end=True)

    def _mark(self, number: int, found: Begin | End | Times | File | Failure) -> None:
        section = self._section
        if isinstance(found, File):
            self._file(number, found)
            return
        if not isinstance(found, Failure):
            self._held = None
        if isinstance(found, Begin):
            self._finish(at_end=False)
            self._section = _Section(found.benchmark, number)
        elif isinstance(found, Failure):
            self._trouble = (number, found.text)
        elif section and section.benchmark == found.benchmark:
            if isinstance(found, End):
                section.ended = True
                section.failure = (number, found.failure) if found.failure else None
            else:
                section.elapsed = found.elapsed
                section.failure = section.failure or self._trouble
                self._trouble = None

    def _file(self, number: int, found: File) -> None:
        self._held = None
        if found.path == _PATH:
            self._framed = True
            self._section = self._section or _Section("", number)
            self._held = self._section.before if found.first else self._section.after

    def _finish(self, *, at_end: bool) -> None:
        section, self._section = self._section, None
        if section is None:
            return
        name = section.benchmark
        if section.failure:
            line, reason = section.failure
            self._into.failed(f"{name} failed, its counters are refused: {reason}", line)
        elif name and not section.ended:
            report = self._into.truncated if at_end else self._into.failed
            report(f"{name} has begun, and its end is missing", section.line)
        elif not section.before or not section.after:
            message = f"{name or 'the run'} lacks a snapshot of /proc/vmstat before it or after it"
            self._into.warn("lone-snapshot", message, section.line)
        else:
            self._add(section)

    def _add(self, section: _Section) -> None:
        into, before, after = self._into, section.before, section.after
        variant = {"benchmark": section.benchmark} if section.benchmark else {"part": _part(self._log)}
        into.run(variant=variant, number=run_number(self._log), line=section.line)
        for index, (name, value) in enumerate(mended_rows(before, after, section.elapsed).items()):
            if value is not None:
                into.add(VMSTAT, Operation(name, series=name, order=(float(index),)), value)
        lacking = self._remark(section)
        if not lacking:
            if section.elapsed is not None:
                into.add(COUNTERS, Operation(ELAPSED, series=ELAPSED, order=(0.0,)), section.elapsed)
            for name, difference in mmtests_deltas(before, after).items():
                into.add(COUNTERS, Operation(name, series=name, order=(1.0,)), difference)

    def _remark(self, section: _Section) -> list[str]:
        """Say what is strange about the snapshots; return the counters that rows need and one of them lacks."""
        before, after, line = section.before, section.after, section.line
        needed = needed_counters(before, after)
        lacking = [name for name in (*before, *after) if name in needed and (name not in before or name not in after)]
        message = f"only one of the two snapshots has {_list(lacking)}; rows that need them are left out"
        short, long = sorted((list(before), list(after)), key=len)
        if len(short) < len(long) and long[: len(short)] == short:
            self._into.truncated(f"a snapshot is cut short{f': {message}' if lacking else ''}", line)
        elif lacking:
            self._into.warn("unequal-snapshots", message, line)
        if section.repeated:
            message = f"a snapshot has more than one value of {_list(sorted(section.repeated))}: the last one is used"
            self._into.warn("repeated-counter", message, line)
        if reset := [name for name in before if name in needed and after.get(name, before[name]) < before[name]]:
            message = f"smaller after the run than before: {_list(reset)}; rows that need them are left out"
            self._into.warn("counter-reset", message, line)
        return lacking


def _part(log: RawLog) -> str:
    """What the name of a pair of files says about what ran meanwhile: ``vmstat-threads-4`` was ``threads-4``."""
    words = _EMPTY_WORDS.sub("", _RUN.sub("", log.stem))
    return re.sub(r"[-_. ]{2,}", "-", words).strip("-_. ")


def _list(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
