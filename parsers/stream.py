"""STREAM in C, Fortran and with MPI, and what descends from it (BabelStream): rates of copying arrays in memory.

A run prints a table with the best rate of each kernel, then whether the sums in the arrays are right. Rates of wrong
sums are refused, and so are those of a run that stopped before it said so. A table that was pasted without anything
around it is taken as it is. The number of threads is a row's parameter, the size of the arrays keeps runs apart.

`stream_table` reads tables, `stream_runs` puts lines together. Here it is decided what a run is worth.
"""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.stream_runs import BANNER, VALID, Run, Table, read_runs
from compare_kernels.parsers.stream_table import KERNELS, Row, read_header

if TYPE_CHECKING:
    from collections.abc import Iterator

_time = partial(Metric, unit="s", better="lower", decimals=6, main=False, parameter="threads")

BEST_RATE = Metric(
    "best-rate", "", "MB/s", "higher", "harmonic", parameter="threads", quantity="rate in MB/s", headline="Triad"
)
RANK_RATE = Metric(
    "rank-rate", "Rate of MPI Ranks", "MB/s", "higher", "harmonic", main=False, parameter="rank",
    quantity="rate of one MPI rank in MB/s", headline="Triad",
)  # fmt: skip
AVERAGE_TIME = _time("average-time", "Average Time", quantity="average time in seconds", headline="Triad")
MINIMUM_TIME = _time("minimum-time", "Minimum Time", quantity="shortest time in seconds", headline="Triad")
MAXIMUM_TIME = _time(
    "maximum-time", "Maximum Time", quantity="longest time in seconds", headline="Triad", extreme=True
)
METRICS = (BEST_RATE, RANK_RATE, AVERAGE_TIME, MINIMUM_TIME, MAXIMUM_TIME)

_TIMES = {"avg": AVERAGE_TIME, "min": MINIMUM_TIME, "max": MAXIMUM_TIME}
_BARE_ROW = re.compile(r"(?m)^[ \t]*(?:Copy|Scale|Add|Triad):[ \t]+\d+\.\d")
_MMTESTS = re.compile(r"benchlog-(?:(\d{1,6})|_)-_-(\d{1,6})")
_MMTESTS_2020 = re.compile(r"stream-(\d{1,6})")
_THREADS = (
    re.compile(r"(?i)(?<![a-z])(?:threads?|t|omp)[-_=]?(\d{1,6})(?![\d.]*[a-z\d])"),
    re.compile(r"(?i)(?<![\d.])(\d{1,6})[-_]?threads?(?![a-z])"),
)


def recognise(log: RawLog) -> Match:
    """Tell STREAM by its banner or the header of its table; rows alone may be anybody's."""
    lines = log.head.split("\n")
    if any(line.lstrip().startswith(("STREAM version $", "BabelStream")) and BANNER.match(line) for line in lines):
        return Match.CERTAIN
    if any(read_header(line) for line in lines):
        return Match.CERTAIN
    rows = len(_BARE_ROW.findall(log.head))
    if rows > 1 or any(BANNER.match(line) or VALID.match(line) for line in lines):
        return Match.LIKELY
    return Match.LIKELY if rows and log.name_has("stream") else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; each table is one, except that the ranks of MPI share theirs."""
    writer = _Writer(log, into)
    runs = read_runs(log)
    for run in runs:
        writer.write(run, last=run is runs[-1])


class _Writer:
    """Decides what a run is worth: values, a failure, or a log that is cut."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        found = _MMTESTS.fullmatch(log.stem)
        self._threads = found[1] or "" if found else _from_name(log)
        found = found or _MMTESTS_2020.fullmatch(log.stem)
        number = run_number(log)
        self._number = int(found[found.re.groups]) if found and number is None else number

    def write(self, run: Run, *, last: bool) -> None:
        """Add the values of a run, or report what is wrong with it; `last` if the log ends with it."""
        into = self._into
        if run.trouble:
            into.failed(f"the run failed, its rates are refused: {run.trouble[1]}", run.trouble[0])
        elif run.unitless:
            into.failed("the rates have no header with a unit: refused", run.unitless)
        elif unitless := [table for table in run.tables if not table.header.factor]:
            into.failed("the header of the table names no unit of the rates: refused", unitless[0].line)
        elif run.validated and not run.tables:
            into.failed("the run has no table with rates", run.line)
        elif not run.tables or (run.banner and not run.banner.startswith("Babel") and not run.validated):
            self._unfinished(run, last=last)
        else:
            self._add(run, last=last)

    def _unfinished(self, run: Run, *, last: bool) -> None:
        rows = any(table.rows for table in run.tables)
        message = (
            "the run stopped before it said whether its sums are right: its rates are refused"
            if rows
            else "the run did not finish: it has no rates"
        )
        report = self._into.truncated if rows and last else self._into.failed
        report(message, run.tables[-1].line if rows else run.line)

    def _add(self, run: Run, *, last: bool) -> None:
        into = self._into
        good = [(table, row) for table in run.tables for row in table.rows if math.isfinite(row.rate)]
        bad = [row for table in run.tables for row in table.rows if not math.isfinite(row.rate)]
        if bad and not good:
            into.failed(f"no rate was measured: {_listed(bad)}", bad[0].line)
            return
        if good:
            self._begin(run)
            for table, row in good:
                self._add_row(run, table, row)
        if bad:
            into.warn("no-rate", f"left out, for this is no rate: {_listed(bad)}", bad[0].line)
        if run.malformed or run.lacks_rows:
            report = into.truncated if last else into.failed
            report("the table is not complete: only whole rows are taken", run.malformed or run.tables[-1].line)
        if run.ticks:
            message = f"a test takes {run.ticks[1]} ticks of the clock: the arrays are too small for exact rates"
            into.warn("coarse-clock", message, run.ticks[0])
        if not run.validated and not run.banner:
            into.note("not-validated", "nothing tells whether the sums are right", run.tables[0].line)

    def _begin(self, run: Run) -> None:
        facts = run.facts
        self._into.run(
            settings={
                "array": facts.get("array", ""),
                "element": "" if facts.get("element") == "8" else facts.get("element", ""),
                "precision": "" if facts.get("precision") == "double" else facts.get("precision", ""),
                "ranks": facts.get("ranks", ""),
            },
            number=self._number,
            line=run.line,
        )

    def _add_row(self, run: Run, table: Table, row: Row) -> None:
        if table.rank:
            self._into.add(RANK_RATE, _operation(row.kernel, table.rank), row.rate)
            return
        facts = run.facts
        threads = facts.get("counted") or facts.get("requested") or facts.get("wanted") or self._threads
        operation = _operation(row.kernel, threads)
        for metric, value in _measured(row):
            self._into.add(metric, operation, value)


def _measured(row: Row) -> Iterator[tuple[Metric, float]]:
    yield BEST_RATE, row.rate
    for column, seconds in row.times.items():
        yield _TIMES[column], seconds


def _operation(kernel: str, count: str) -> Operation:
    """All rows of a number of threads stand together, in the order in which the program prints the kernels."""
    place = float(KERNELS.index(kernel) if kernel in KERNELS else len(KERNELS))
    if not count:
        return Operation(kernel, kernel, order=(math.inf, place))
    number = float(count)
    return Operation(f"{kernel}-{number:.0f}", kernel, number, (number, place))


def _listed(rows: list[Row]) -> str:
    return ", ".join(f"{row.kernel} {row.printed[:30]}" for row in rows[:8])


def _from_name(log: RawLog) -> str:
    for part in (log.stem, *reversed(log.folders)):
        for pattern in _THREADS:
            if found := pattern.search(part):
                return found[1]
    return ""
