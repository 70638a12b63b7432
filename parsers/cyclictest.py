"""cyclictest of rt-tests: latencies of wakeups, from its table of threads, its histogram and its JSON.

A run gives one maximum, the largest of its threads: a maximum of a block, which grows with the length of the run, so
that the cycles are a condition. Percentiles come from the histogram of all threads together, and only those that the
number of cycles allows and that don't lie beyond the last bucket. `cyclictest_text` and `cyclictest_json` read.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.cyclictest_json import read_objects
from compare_kernels.parsers.cyclictest_text import THREAD_LINE, read_runs

if TYPE_CHECKING:
    from compare_kernels.parsers.cyclictest_run import Histogram, Run

_latency = partial(Metric, unit="us", better="lower", parameter="threads")

MAXIMUM = _latency("max-latency", "Maximum Latency", quantity="maximum latency in us", extreme=True)
AVERAGE = _latency("avg-latency", "Average Latency", quantity="average latency in us")
PERCENTILE = _latency("percentile-latency", "Latency Percentiles", quantity="latency in us", headline="p99")
MORE = _latency("more-percentiles", "More Latency Percentiles", main=False, quantity="latency in us")
MINIMUM = _latency("min-latency", "Minimum Latency", main=False, quantity="minimum latency in us")
THREAD = _latency(
    "thread-max-latency", "Maximum Latency of Threads", main=False, quantity="maximum latency in us", extreme=True
)
METRICS = (MAXIMUM, AVERAGE, PERCENTILE, MORE, MINIMUM, THREAD)

DERIVED = ("max-latency", "avg-latency", "min-latency", "thread-max-latency")
"""A log that was cut between two updates of the screen or two threads looks like one of a shorter run or fewer."""

_PERCENTILES = (("p50", 0.5, MORE), ("p99", 0.99, PERCENTILE), ("p99.9", 0.999, PERCENTILE),
    ("p99.99", 0.9999, MORE), ("p99.999", 0.99999, MORE))  # fmt: skip
# With fewer cycles beyond it a percentile is little else than the maximum.
_BEYOND = 10

_OWN = re.compile(
    r"(?m)^# Histogram[ \t]*\n[0-9]{6,} [0-9]{6,}(?:\s|$)|^# Histogram Overflow at cycle number:"
    r'|^\s*"cmdline:?": ?"[^"\n]{0,200}cyclictest|^cyclictest V [0-9]'
)
_LIKELY = re.compile(
    r"(?m)^# /dev/cpu_dma_latency set to |^# Break value: [0-9]|^Unable to change scheduling policy!"
)


def recognise(log: RawLog) -> Match:
    """Tell cyclictest by its lines of threads, its histogram and the command in its JSON."""
    if _OWN.search(log.head) or any(map(THREAD_LINE.match, log.head.split("\n"))):
        return Match.CERTAIN
    return Match.LIKELY if _LIKELY.search(log.head) or log.head.startswith("# Histogram") else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read the runs of a log from its text and its JSON; where one run has both, the JSON decides."""
    runs = read_runs(log) + read_objects(log.lines)
    for run in runs:
        _write(log, run, into, alone=len(runs) == 1)


def _write(log: RawLog, run: Run, into: SampleBuilder, alone: bool) -> None:
    if run.trouble:
        into.failed(run.trouble, run.line)
        return
    threads = [thread for thread in run.threads if thread.cycles > 0]
    if run.cut:
        into.truncated(run.cut, run.line)
    if not threads:
        if not run.cut:
            into.failed("no thread finished a cycle", run.line)
        return
    count = float(len(run.threads))
    divisor = 1000.0 if run.nanoseconds else 1.0
    into.run(
        settings={"interval": run.interval, "priority": run.priority},
        conditions={"cycles": float(max(thread.cycles for thread in threads))},
        number=run_number(log),
        # The text and the JSON of one run have the same name in front of the suffix.
        identity=log.stem if alone else "",
        authority=2 if run.json else 1,
        line=run.line,
    )
    whole = partial(Operation, f"{count:.0f}", param=count, order=(count, 0.0))
    average = sum(thread.average * thread.cycles for thread in threads) / sum(thread.cycles for thread in threads)
    if run.histogram is not None and run.histogram.overflows == 0 and not run.json:
        # The text cuts off the fraction of its averages.
        average = run.histogram.mean
    into.add(MAXIMUM, whole(), max(thread.maximum for thread in threads) / divisor)
    into.add(AVERAGE, whole(), average / divisor)
    into.add(MINIMUM, whole(), min(thread.minimum for thread in threads) / divisor)
    for thread in threads:
        into.add(THREAD, _row(f"thread-{thread.number}", count, thread.number), thread.maximum / divisor)
    if run.histogram is not None:
        _write_percentiles(run.histogram, run, into)
    _remark(run, into)


def _write_percentiles(histogram: Histogram, run: Run, into: SampleBuilder) -> None:
    beyond = []
    for place, (name, fraction, metric) in enumerate(_PERCENTILES):
        if histogram.cycles * (1 - fraction) < _BEYOND:
            continue
        value = histogram.percentile(fraction)
        if value is None:
            beyond.append(name)
        else:
            divisor = 1000.0 if run.nanoseconds else 1.0
            into.add(metric, _row(name, float(len(run.threads)), place), value / divisor)
    if beyond:
        message = (
            f"{histogram.overflows:.0f} cycles lie beyond the histogram, so that it doesn't tell {', '.join(beyond)}"
        )
        into.note("overflow", message, run.line)


def _remark(run: Run, into: SampleBuilder) -> None:
    idle = [str(thread.number) for thread in run.threads if thread.cycles == 0]
    if idle:
        into.warn("idle-thread", f"threads without a cycle are left out: {', '.join(idle[:8])}", run.line)
    if run.broken:
        message = f"the run was stopped by its first latency of {run.broken} (-b): it is shorter than others"
        into.warn("break", message, run.line)


def _row(series: str, threads: float, place: float) -> Operation:
    return Operation(f"{series}-{threads:.0f}", series, threads, (threads, float(place)))
