"""YCSB: throughput and latencies of a database, as its text and JSON exporters write them.

A file may hold the load phase and the run phase, which are told apart and never compared with each other. Status
lines, histograms, time series and raw operations are no results. The throughput counts operations that failed, too,
so their share is reported.

`ycsb_lines` reads lines, `ycsb_runs` puts them together. Here it is decided what a run is worth.
"""

from __future__ import annotations

import math
import re
from functools import partial

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.ycsb_lines import COMMAND, STATUS, Measurement, cut_off, number
from compare_kernels.parsers.ycsb_runs import OVERALL, Found, Run, read_runs

_latency = partial(Metric, unit="us", better="lower", main=False)

THROUGHPUT = Metric("throughput", "", "ops/s", "higher", "harmonic", quantity="operations per second")
LATENCY = _latency("latency", "Latency", main=True, quantity="latency in us", headline="READ p99")
RUNTIME = Metric("runtime", "Run Time", "ms", "lower", main=False, quantity="run time in ms")
MAXIMUM = _latency("maximum-latency", "Maximum Latency", quantity="longest latency in us", extreme=True)
MINIMUM = _latency("minimum-latency", "Minimum Latency", quantity="shortest latency in us")
FAILED = _latency("failed-latency", "Latency of Failed Operations", quantity="latency of failed operations in us")
METRICS = (THROUGHPUT, LATENCY, RUNTIME, MAXIMUM, MINIMUM, FAILED)

_ORDER = ("READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "DELETE")
_STATISTIC = re.compile(
    r"(?:(Average|Min|Max)Latency|(\d{1,3}(?:\.\d{1,6})?)(?:st|nd|rd|th)?PercentileLatency)\((ns|us|ms|s)\)"
)
_RAW_STATISTIC = re.compile(r"(Average|Min|Max)|p(\d{1,3}(?:\.\d{1,6})?)")
_LABELS = {"Average": "avg", "Min": "min", "Max": "max"}
_TO_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_LONGEST = 9.2e18
"""What stands for a latency where there was none is the largest number of 64 bits."""
_GOOD = {"OK", "0", "BATCHED_OK"}

_CERTAIN = re.compile(
    r"(?m)^[ \t]*\[OVERALL\][ \t]*,[ \t]*(?:RunTime|Throughput)|^[ \t]*YCSB Client \d"
    r'|"metric"\s{0,9}:\s{0,9}"OVERALL"|"measurement"\s{0,9}:\s{0,9}"(?:\w{1,20}Latency\(|Throughput\(ops/sec\))'
    r"|^[ \t]*\[[A-Z-]{1,40}\][ \t]*,[ \t]*(?:AverageLatency|\d{1,3}(?:\.\d{1,6})?(?:th)?PercentileLatency)\("
)


def recognise(log: RawLog) -> Match:
    """Tell YCSB by its sections and what it calls itself; status lines alone are likely its own."""
    head = log.head
    if _CERTAIN.search(head):
        return Match.CERTAIN
    lines = head.split("\n")
    return Match.LIKELY if any(STATUS.search(line) or COMMAND.search(line) for line in lines) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; what has no section OVERALL did not finish."""
    found = read_runs(log)
    cut = cut_off(log)
    for run in found.runs:
        last = run is found.runs[-1]
        _write(run, log, into, cut if last else 0)
    _report_unfinished(found, into)
    if cut:
        into.truncated("the log stops inside of a result", cut)


def _report_unfinished(found: Found, into: SampleBuilder) -> None:
    for start in found.unfinished:
        into.failed("the run did not finish: it has no section OVERALL", start.line)
    if found.sign and not found.runs and not found.unfinished:
        into.failed("the run did not finish: it has no section OVERALL", found.sign)


def _write(run: Run, log: RawLog, into: SampleBuilder, cut: int) -> None:
    """Add the values of a run, or report why it has none; ``cut`` is the line where it is cut off, or 0."""
    overall = run.sections.get(OVERALL, {})
    measured = overall.get("Throughput(ops/sec)")
    throughput = number(measured.text) if measured else None
    if not measured:
        if not cut:
            into.failed("the run did not finish: it has no throughput in a section OVERALL", run.line)
        return
    if throughput is None:
        into.failed(f"the throughput {measured.text[:40]} cannot be read without a doubt", measured.line)
        return
    if not 0 < throughput < _LONGEST:
        into.failed(f"nothing was measured: the throughput is {measured.text[:40]}", measured.line)
        return
    _begin(run, log, into)
    into.add(THROUGHPUT, Operation("throughput", "throughput"), throughput)
    runtime = overall.get("RunTime(ms)")
    if runtime and (value := number(runtime.text)) is not None and value > 0:
        into.add(RUNTIME, Operation("runtime", "runtime"), value)
    nothing: list[Measurement] = []
    for section, measurements in run.sections.items():
        if section not in {OVERALL, "CLEANUP", "Intended-CLEANUP"} and not section.startswith("TOTAL_"):
            nothing += _add_section(section, measurements, into)
            _report_returns(section, measurements, into)
    if nothing:
        names = ", ".join(f"{item.section} {item.name} {item.text[:30]}" for item in nothing[:6])
        more = f" and {len(nothing) - 6} more" if len(nothing) > 6 else ""
        into.warn("no-latency", f"left out, for this is no latency: {names}{more}", nothing[0].line)


def _begin(run: Run, log: RawLog, into: SampleBuilder) -> None:
    options = run.start.options if run.start else {}
    hints = log.hints
    named = re.search(r"(?<![a-z])(workload)[-_]?([a-f])(?![a-z])", hints)
    threads = re.search(r"(?<![a-z])(?:threads?|t)[-_=]?(\d{1,6})(?!\d)", log.stem.lower())
    # Clients that run side by side are no repetitions of each other.
    client = re.search(r"(?<![a-z])client[-_.]?(\d{1,4})(?!\d)", hints)
    into.run(
        variant={"phase": run.phase or ("load" if log.name_has("load") else "")},
        settings={
            "workload": options.get("workload") or (f"workload{named[2]}" if named else ""),
            "threads": options.get("threads") or (threads[1] if threads else ""),
            "target": options.get("target", ""),
            "client": client[1] if client else "",
            "properties": options.get("properties", ""),
        },
        number=run_number(log),
        line=run.line,
    )


def _add_section(section: str, measurements: dict[str, Measurement], into: SampleBuilder) -> list[Measurement]:
    """Add the latencies of a section, and return what is none."""
    operations = measurements.get("Operations") or measurements.get("Total Operations")
    if operations and number(operations.text) == 0:
        return [operations]
    nothing = []
    for measurement in measurements.values():
        found = _STATISTIC.fullmatch(measurement.name) or _RAW_STATISTIC.fullmatch(measurement.name)
        if not found:
            continue
        unit = found[3] if found.re is _STATISTIC else "us"
        value = number(measurement.text)
        if value is None or not 0 <= value < _LONGEST:
            nothing.append(measurement)
            continue
        metric, operation = _row(section, found[1], found[2])
        into.add(metric, operation, value * _TO_MICROSECONDS[unit])
    return nothing


def _row(section: str, statistic: str | None, percentile: str | None) -> tuple[Metric, Operation]:
    """The metric and the row of a statistic of a section."""
    base = section.removeprefix("Intended-").removesuffix("-FAILED")
    place = float(_ORDER.index(base) if base in _ORDER else len(_ORDER)) + 0.5 * section.startswith("Intended-")
    label = f"p{percentile}" if percentile else _LABELS[statistic or "Average"]
    metric = FAILED if section.endswith("-FAILED") else {"min": MINIMUM, "max": MAXIMUM}.get(label, LATENCY)
    name = section if metric in {MINIMUM, MAXIMUM} else f"{section} {label}"
    return metric, Operation(name, name, math.nan, (place, float(percentile) if percentile else -1.0))


def _report_returns(section: str, measurements: dict[str, Measurement], into: SampleBuilder) -> None:
    """Say how many operations did not return what they should; both kinds of latency count the same ones."""
    if section.startswith("Intended-"):
        return
    counts = {}
    for name, measurement in measurements.items():
        if name.startswith("Return=") and (count := number(measurement.text)):
            counts[name.removeprefix("Return=")] = (count, measurement.line)
    total = sum(count for count, _ in counts.values())
    for status, (count, line) in counts.items():
        if status not in _GOOD and count > 0:
            message = (
                f"{count:.0f} of {total:.0f} operations {section} returned {status[:40]}"
                f" ({100 * count / total:.2f} %): the throughput counts them"
            )
            into.warn("failed-operations", message, line)
