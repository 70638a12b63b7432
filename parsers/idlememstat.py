"""idlememstat: how much memory stayed untouched, minute by minute, while the test cases of a benchmark ran.

The minutes of a test case follow from one another, so that together they are one sample of a run: the mean of the
idle memory, and the share of idle memory in all memory of these minutes. That is not the mean of the printed
percentages, which are rounded down. Warm-up is no part of a test case and has metrics of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number

# Idle memory is memory that could be reclaimed, or memory that is wasted: no direction is the better one.
_memory = partial(Metric, unit="MB", better="none")
_share = partial(Metric, unit="%", better="none")

IDLE = _memory("idle-memory", "Idle Memory", quantity="idle memory in MB")
SHARE = _share("idle-share", "Idle Share", quantity="percentage of memory that is idle")
TOTAL = _memory("total-memory", "Total Memory", main=False, quantity="memory in MB")
WARM_IDLE = _memory("warmup-idle-memory", "Idle Memory in Warm-up", main=False, quantity="idle memory in MB")
WARM_SHARE = _share("warmup-idle-share", "Idle Share in Warm-up", main=False, quantity="percentage of idle memory")
WARM_TOTAL = _memory("warmup-total-memory", "Total Memory in Warm-up", main=False, quantity="memory in MB")
METRICS = (IDLE, SHARE, TOTAL, WARM_IDLE, WARM_SHARE, WARM_TOTAL)

# A mean over the minutes before the place where a log was cut is another than that over all minutes; nothing in a log
# tells how many there should be.
DERIVED = tuple(metric.name for metric in METRICS)

_HEADER = re.compile(r"(?m)^[ \t]*time[ \t]+total[ \t]+idle[ \t]+idle%[ \t]+testcase[ \t\r]*$")
_ROW = re.compile(r"^\s*(\d{1,9}) ?([smh])\s+(\d{1,12}) ([kKMGT]?B)\s+(\d{1,12}) ([kKMGT]?B)\s+\d{1,3}%(?=\s|$)")
_BEGINS_ROW = re.compile(r"^\s*\d{1,9} ?[smh]\s+\d")
_MAY_BEGIN_ROW = re.compile(r"^\s*\d{1,9}(?: ?[smh]\s|\s*[smh]?$)")
_SOME_ROW = re.compile(r"(?m)^[ \t]*\d{1,9} m[ \t]+\d{1,12} MB[ \t]+\d{1,12} MB[ \t]+\d{1,3}%")
_TROUBLE = re.compile(r"(?:^|[\s/:])idlememstat(?:\.py)?: |/sys/kernel/mm/page_idle|/proc/kpage")
_SOME_TROUBLE = re.compile(r"(?m)(?:^|[ \t/:])idlememstat(?:\.py)?: ")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_MEGABYTES = {"B": 2.0**-20, "kB": 2.0**-10, "KB": 2.0**-10, "MB": 1.0, "GB": 2.0**10, "TB": 2.0**20}
_WARM_UP = " warmup"


def recognise(log: RawLog) -> Match:
    """Tell idlememstat by its header; rows or messages alone may be another program's."""
    head = log.head
    if _HEADER.search(head):
        return Match.CERTAIN
    return Match.LIKELY if _SOME_ROW.search(head) or _SOME_TROUBLE.search(head) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Take the test cases of each run, but not the one that may lack minutes because the log stops inside a line."""
    reader = _Reader(log, into)
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    reader.close()


@dataclass
class _Phase:
    """The minutes of a test case, or of its warm-up: idle memory and all memory, each in MB."""

    idle: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)


@dataclass
class _Run:
    """One run of the benchmark that was watched.

    Attributes:
        line: where it begins, counted from 1.
        phases: by the text in the column of test cases; a blank one is of minutes outside of test cases.
        seconds: the time of the last row.
        last: the text of the last row.
        minutes: number of rows.

    """

    line: int
    phases: dict[str, _Phase] = field(default_factory=dict)
    seconds: float = -1.0
    last: str = ""
    minutes: int = 0


class _Reader:
    """Walks through the lines and gathers the minutes of the run that is under way."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._doubtful = 0 if log.ended else len(log.lines)
        self._run: _Run | None = None
        self._failed = False

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        if _HEADER.match(line):
            self.close()
            self._run, self._failed = _Run(number), False
        elif number == self._doubtful and _MAY_BEGIN_ROW.match(line):
            self._cut(number, line)
        elif found := _ROW.match(line):
            self._take(number, found)
        elif _BEGINS_ROW.match(line):
            self._into.warn("incomplete-row", f"a row that is no whole one is left out: {line.strip()[:120]}", number)
        elif _TROUBLE.search(line) and not (self._run and self._run.minutes):
            if not self._failed:
                self._into.failed(line.strip()[:200], number)
            self._run, self._failed = None, True

    def close(self) -> None:
        """End of the run that is under way: what was gathered becomes its samples."""
        run, self._run = self._run, None
        if not run:
            return
        conditions = {"minutes": float(run.minutes)} if run.minutes else None
        self._into.run(number=run_number(self._log), conditions=conditions, line=run.line)
        for place, (name, phase) in enumerate((name, phase) for name, phase in run.phases.items() if name):
            self._add(name, phase, place)
        if unnamed := run.phases.get(""):
            message = f"{len(unnamed.idle)} of {run.minutes} minutes are outside of test cases and left out"
            self._into.note("unnamed", message, run.line)
        if run.minutes and not any(run.phases):
            self._into.failed("no row names a test case", run.line)

    def _take(self, number: int, found: re.Match[str]) -> None:
        seconds = float(found[1]) * _SECONDS[found[2]]
        if self._run and seconds <= self._run.seconds:
            # The time starts anew: the next run of a loop whose headers were left out.
            self.close()
        run = self._run = self._run or _Run(number)
        run.seconds, run.minutes = seconds, run.minutes + 1
        run.last = " ".join(found.string[found.end() :].split())[:100]
        phase = run.phases.setdefault(run.last, _Phase())
        phase.total.append(float(found[3]) * _MEGABYTES[found[4]])
        phase.idle.append(float(found[5]) * _MEGABYTES[found[6]])

    def _cut(self, number: int, line: str) -> None:
        """The last line may lack its end: it isn't taken, nor is the test case that it may belong to."""
        run = self._run
        if not run:
            return
        found = _ROW.match(line)
        name = " ".join(line[found.end() :].split()) if found else ""
        if run.last.startswith(name):
            run.phases.pop(run.last, None)
        self.close()
        self._into.truncated("the log stops inside a line, the test case it may belong to is left out", number)

    def _add(self, name: str, phase: _Phase, place: int) -> None:
        warm = name.endswith(_WARM_UP)
        case = name.removesuffix(_WARM_UP)
        operation = Operation(case, case, order=(float(place),))
        idle, share, total = (WARM_IDLE, WARM_SHARE, WARM_TOTAL) if warm else (IDLE, SHARE, TOTAL)
        everything, minutes = sum(phase.total), len(phase.total)
        self._into.add(idle, operation, sum(phase.idle) / minutes)
        self._into.add(total, operation, everything / minutes)
        if everything:
            self._into.add(share, operation, 100 * sum(phase.idle) / everything)
