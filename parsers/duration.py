"""How long benchmarks took: the seconds that mmtests writes to tests-timestamp, and ``duration N seconds``.

In tests-timestamp a benchmark's times follow the line that says how it ended. One that failed has times all the same,
which are refused: a benchmark that gives up soon isn't a fast one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.mmtests_marks import Begin, End, Failure, File, Times, mark

DURATION = Metric(
    "duration", "Duration", "s", "lower", quantity="seconds that the benchmark took", monitor=True, label="Duration"
)
METRICS = (DURATION,)

_USER, _SYSTEM, _ELAPSED = (
    Operation(name, series=name, order=(float(index),)) for index, name in enumerate(("User", "System", "Elapsed"))
)
_PLAIN = re.compile(r"duration ([0-9]{1,12}(?:\.[0-9]{1,9})?) seconds\s*")


def recognise(log: RawLog) -> Match:
    """Tell tests-timestamp by its lines. tests-sysstate, which repeats them, belongs to the parser of vmstat."""
    if "sysstate" in log.name.lower():
        return Match.NO
    lines = [line for line in log.head.split("\n") if line.strip()]
    marks = [found for found in map(mark, lines) if found]
    if any(isinstance(found, File) for found in marks):
        return Match.NO
    if any(isinstance(found, (Begin, End, Times)) for found in marks):
        return Match.CERTAIN
    return Match.LIKELY if lines and all(_PLAIN.fullmatch(line) for line in lines) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Take the times of each benchmark that ended as it should."""
    reader = _Reader(log, into)
    for number, line in enumerate(log.lines, start=1):
        if number < len(log.lines) or log.ended:
            reader.line(number, line)
    reader.close()


@dataclass
class _Reader:
    """Walks through the lines and remembers which benchmarks have begun and how they ended.

    Attributes:
        begun: benchmark to the line of its begin, as long as its times haven't come.
        failures: benchmark to line and words of what went wrong.
        failure: what GNU time said of the benchmark whose times come next.
    """

    log: RawLog
    into: SampleBuilder
    begun: dict[str, int] = field(default_factory=dict)
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)
    failure: tuple[int, str] | None = None

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        found = mark(line)
        if isinstance(found, Begin):
            self._unfinished(found.benchmark)
            self.begun[found.benchmark] = number
        elif isinstance(found, End) and found.failure:
            self.begun.setdefault(found.benchmark, number)
            self.failures[found.benchmark] = (number, found.failure)
        elif isinstance(found, Failure):
            self.failure = (number, found.text)
        elif isinstance(found, Times):
            self._times(number, found)
        elif plain := _PLAIN.fullmatch(line):
            self.into.run(number=run_number(self.log), line=number)
            self.into.add(DURATION, _ELAPSED, float(plain[1]))

    def close(self) -> None:
        """End of the log: of the benchmarks that still run, all but the last have lost their times."""
        *others, last = self.begun or [""]
        for benchmark in others:
            self._unfinished(benchmark)
        if last in self.failures:
            self._unfinished(last)
        elif last:
            self.into.truncated(f"{last} has begun, and its times are missing", self.begun[last])

    def _times(self, number: int, times: Times) -> None:
        self.begun.pop(times.benchmark, None)
        trouble = self.failures.pop(times.benchmark, None) or self.failure
        self.failure = None
        if trouble:
            self.into.failed(f"{times.benchmark} failed, its times are refused: {trouble[1]}", trouble[0])
            return
        self.into.run(variant={"benchmark": times.benchmark}, number=run_number(self.log), line=number)
        for operation, seconds in ((_USER, times.user), (_SYSTEM, times.system), (_ELAPSED, times.elapsed)):
            self.into.add(DURATION, operation, seconds)

    def _unfinished(self, benchmark: str) -> None:
        """Say of a benchmark that began that it has no times."""
        if benchmark in self.begun:
            line, reason = self.failures.pop(benchmark, (self.begun[benchmark], "it has no times"))
            self.into.failed(f"{benchmark} did not finish: {reason}", line)
            del self.begun[benchmark]
