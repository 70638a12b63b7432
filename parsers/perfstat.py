"""perf stat: the elapsed time of a command, of one run or as the mean of ``-r`` runs, and its counters.

Of repeated runs only the mean is printed, so that it is one value; with ``--table`` each run is told and becomes a
run of its own. Numbers follow the locale: the elapsed time, which always has a fraction, tells what groups digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.text import command_name

ELAPSED = Metric("elapsed", "Elapsed Time", "s", "lower", decimals=6, quantity="elapsed time in seconds")
USER = Metric("user", "User Time", "s", "lower", decimals=6, main=False, quantity="user time in seconds")
SYSTEM = Metric("system", "System Time", "s", "lower", decimals=6, main=False, quantity="system time in seconds")
COUNTER = Metric("counter", "Counters", "", "none", main=False, quantity="counts")
METRICS = (ELAPSED, USER, SYSTEM, COUNTER)

_FRACTION = r"[0-9]{1,12}[.,][0-9]{1,12}"
_HEADER = re.compile(r"\s*Performance counter stats for (?:[\w()]+ ){0,2}'(.*)'(?: \(([0-9]{1,9}) runs\))?:\s*")
_ELAPSED = re.compile(
    rf"\s*({_FRACTION})(?: \+- {_FRACTION})?\s+seconds time elapsed(?:\s+\( ?\+-\s*([0-9.,]{{1,12}})% ?\))?\s*"
)
_USER = re.compile(rf"\s*({_FRACTION}) seconds (user|sys)\s*")
_TABLE = re.compile(r"\s*# Table of individual measurements:\s*")
_ROW = re.compile(rf"\s*({_FRACTION}) \([+-]{_FRACTION}\)\s*#*\s*")
# Groups of thousands, a whole number, or a fraction where a unit follows.
_COUNTER = re.compile(
    r"\s*([0-9]{1,3}(?:[.,'\u202f\xa0 ][0-9]{3}){1,6}|[0-9]{1,20}|[0-9.,]{1,24}(?= (?:[mun]sec|Joules|[KMG]?i?B) ))"
    r"\s+(?:([mun]sec|ns|Joules|[KMG]?i?B)\s+)?([A-Za-z_][\w:./=,@-]{0,80})(?:\s.*)?"
)
_FAILED = re.compile(r"\s*Workload failed: .*|\s*failed to read counters.*")
_KILLED = re.compile(r"[^:]{1,80}: (?:Killed|Terminated|Aborted|Interrupt|Hangup|Bus error|Segmentation fault)\b.*")


def recognise(log: RawLog) -> Match:
    """Tell perf stat by its header; what stands before that may be the log of a benchmark."""
    filled = [line for line in log.head.split("\n") if line.strip() and not line.startswith("# started on")]
    if filled and _HEADER.fullmatch(filled[0]):
        return Match.CERTAIN
    return Match.LIKELY if any(_HEADER.fullmatch(line) or _FAILED.fullmatch(line) for line in filled) else Match.NO


@dataclass
class _Report:
    """What the lines have told about the command of one header."""

    line: int
    command: str
    repeats: int
    trouble: str = ""
    elapsed: str = ""
    error: str = ""
    rows: list[float] = field(default_factory=list)
    times: dict[str, float] = field(default_factory=dict)
    counters: dict[tuple[str, str], str] = field(default_factory=dict)


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all reports of a log; one without an elapsed time counts as one that failed."""
    report: _Report | None = None
    before = ""
    for number, line in enumerate(log.lines, start=1):
        if found := _HEADER.fullmatch(line):
            _write(log, report, into)
            report = _Report(number, command_name(found[1]), int(found[2] or 1))
            report.trouble = before if _KILLED.fullmatch(before) else ""
        elif _FAILED.fullmatch(line):
            _write(log, report, into)
            into.failed(line.strip(), number)
            report = None
        elif report:
            _take(report, line)
        before = line.strip() or before
    _write(log, report, into)


def _take(report: _Report, line: str) -> None:
    """Take a line below a header."""
    if "elapsed" in line and (found := _ELAPSED.fullmatch(line)):
        report.elapsed, report.error = report.elapsed or found[1], found[2] or ""
    elif found := _USER.fullmatch(line):
        report.times.setdefault(found[2], _fraction(found[1]))
    elif found := _ROW.fullmatch(line):
        report.rows.append(_fraction(found[1]))
    elif not report.elapsed and (found := _COUNTER.fullmatch(line)):
        report.counters.setdefault((found[3], found[2] or ""), found[1])


def _write(log: RawLog, report: _Report | None, into: SampleBuilder) -> None:
    if report is None:
        return
    if report.trouble:
        into.failed(f"the command was killed, its time is refused: {report.trouble}", report.line)
    elif not report.elapsed:
        into.failed("perf stat did not finish: it tells no elapsed time", report.line)
    elif report.rows and len(report.rows) == report.repeats:
        for value in report.rows:
            _begin(log, report, into, 1)
            into.add(ELAPSED, Operation(ELAPSED.name), value)
    else:
        _write_mean(log, report, into)


def _write_mean(log: RawLog, report: _Report, into: SampleBuilder) -> None:
    _begin(log, report, into, report.repeats)
    into.add(ELAPSED, Operation(ELAPSED.name), _fraction(report.elapsed))
    for name, metric in (("user", USER), ("sys", SYSTEM)):
        if name in report.times:
            into.add(metric, Operation(metric.name), report.times[name])
    group = "." if "," in report.elapsed else ","
    for (event, unit), text in report.counters.items():
        value = _count(text, group)
        if value is not None:
            into.add(COUNTER, Operation(f"{event} ({unit})" if unit else event), value)
    if report.repeats > 1:
        error = f", its standard error is {report.error}%" if report.error else ""
        message = f"the elapsed time is the mean of {report.repeats} runs{error}: one value, use --table for all"
        into.note("mean-of-runs", message, report.line)


def _begin(log: RawLog, report: _Report, into: SampleBuilder, repeats: int) -> None:
    into.run(
        settings={"command": report.command},
        conditions={"repeats": float(repeats)},
        number=run_number(log),
        line=report.line,
    )


def _fraction(text: str) -> float:
    return float(text.replace(",", "."))


def _count(text: str, group: str) -> float | None:
    """The number of a counter, in which ``group`` separates thousands; None if it is none."""
    plain = re.sub(r"['\u202f\xa0 ]", "", text).replace(group, "").replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None
