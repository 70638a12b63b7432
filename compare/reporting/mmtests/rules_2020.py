"""What mmtests' revision of 2020-09-16 reports of each benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.reporting.mmtests.rules import (
    LOCALITY,
    Entries,
    Entry,
    Era,
    Found,
    Rule,
    as_logged,
    fault_latencies,
    localities,
    plain,
    prefixed,
    suffix,
)
from compare_kernels.reporting.mmtests.statistics import (
    arithmetic_deviation,
    deviations_between,
    differs_by_t_test,
)
from compare_kernels.samples import Group

if TYPE_CHECKING:
    from compare_kernels.model import Operation
    from compare_kernels.reporting.mmtests.rules import Groups


def _thpscale(found: Found) -> Entries:
    """All numbers of threads for each kind of fault."""
    latencies = fault_latencies(found)
    return {
        f"fault-{kind}{end}": Entry(groups)
        for wanted in ("base", "huge", "both")
        for (kind, end), groups in latencies.items()
        if kind == wanted
    }


_WARM_UP = 4


def _tbench(found: Found) -> Entries:
    """The running mean of every second, without the first four of each log; of a shorter log nothing is left."""
    entries = {
        row.operation.name: Entry({kernel: _without_warm_up(group) for kernel, group in row.groups.items()})
        for row in found.rows
    }
    left = {
        name: {kernel: group for kernel, group in entry.groups.items() if len(group.values)}
        for name, entry in entries.items()
    }
    return {name: Entry(groups) for name, groups in left.items() if groups}


def _without_warm_up(group: Group) -> Group:
    places = [np.flatnonzero(group.runs == run)[_WARM_UP:] for run in np.unique(group.runs)]
    kept = np.concatenate(places)
    return Group(group.kernel, group.values[kept], group.runs[kept])


def _operations(found: Found) -> Entries:
    """Counts, averages and maxima of dbench's operations, as the log lists them for each number of clients."""
    passes = {"operation-count": "count", "operation-latency": "avg", "operation-max-latency": "max"}
    return {
        f"{name}-{row.operation.name}": Entry(dict(row.groups))
        for metric, name in passes.items()
        for row in found.as_logged()
        if row.metric.name == metric
    }


def _netperf(found: Found) -> Entries:
    """The values by size; of UDP streams what was lost on the way too, once a tenth was lost in any run.

    From the run on in which that happens every run's loss counts, and every size has a row for it: one without any
    value, which mmtests prints as zeros with a marker, if all its runs came before.
    """
    entries = plain(found)
    sizes = [name.removeprefix("send-") for name in entries if name.startswith("send-")]
    lost: dict[str, Groups] = {f"loss-{size}": {} for size in sizes}
    for kernel in range(found.kernels):
        losing = False
        for size in sizes:
            sent, received = (_values(entries, f"{way}-{size}", kernel) for way in ("send", "recv"))
            losses: list[float] = []
            for send, receive in zip(sent, received, strict=False):
                losing = losing or send - receive > send / 10
                losses += [float(send - receive)] if losing else []
            lost[f"loss-{size}"][kernel] = Group(kernel, np.array(losses), np.zeros(len(losses), np.int32))
    if any(len(group.values) for groups in lost.values() for group in groups.values()):
        entries |= {name: Entry(groups) for name, groups in lost.items()}
    return entries


def _values(entries: Entries, name: str, kernel: int) -> np.ndarray:
    groups = entries[name].groups if name in entries else {}
    return groups[kernel].values if kernel in groups else np.empty(0)


def _schbench(found: Found) -> Entries:
    return {
        f"{float(row.operation.series.removesuffix('th')):.2f}th-qrtle{suffix(row.operation)}": Entry(
            dict(row.groups)
        )
        for row in found.rows
    }


def _specjvm(found: Found) -> Entries:
    """The benchmarks in the order in which the baseline's logs have them, without those of the start-up."""
    return {name: entry for name, entry in as_logged(found).items() if "startup" not in name}


def _stream(found: Found) -> Entries:
    """The four kernels, in small letters; with their number of threads where logs tell of several."""
    several = len({suffix(row.operation) for row in found.rows}) > 1

    def name(operation: Operation) -> str:
        series = (operation.series or operation.name).lower()
        return series + suffix(operation) if several else series

    return {name(row.operation): Entry(dict(row.groups)) for row in found.as_logged()}


def _specjbb(found: Found) -> Entries:
    names = {"JOPS-Max": "Max-JOPS", "JOPS-Critical": "Critical-JOPS"}
    return {
        names.get(row.operation.name, row.operation.name): Entry(dict(row.groups))
        for row in found.by_metric("jops", "sla-jops")
    }


_RULES = {
    "thpscale": (
        Rule(("fault-latency",), _thpscale, "lower"),
        Rule(("percentage-huge",), plain, "higher", "single", "Percentage", main=False),
        Rule(LOCALITY, localities, "lower", "single", "Percentage", "Percentage Locality", main=False),
    ),
    "hackbench": (Rule(("time",), plain, "lower", decimals=4),),
    "tbench": (Rule(("running-throughput",), _tbench, "higher", exact=True),),
    "dbench": (
        Rule(("loadfile-time",), plain, "lower", "sub", exact=True),
        Rule(("interval-latency",), prefixed("latency-"), "lower", title="Latency", main=False),
        Rule(
            ("running-throughput",),
            plain,
            "higher",
            title="Throughput (misleading but traditional)",
            exact=True,
            main=False,
        ),
        Rule(
            ("operation-latency", "operation-count", "operation-max-latency"),
            _operations,
            "lower",
            "single",
            "latency",
            "Per-VFS Operation latency Latency",
            main=False,
        ),
    ),
    "netperf": (Rule(("throughput", "rate"), _netperf, "higher"),),
    "schbench": (Rule(("wakeup-latency",), _schbench, "lower", "single", "Lat", exact=True, ratio="99.00th"),),
    "specjvm": (Rule(("benchmark-score",), _specjvm, "higher", "single"),),
    "stream": (Rule(("best-rate",), _stream, "higher", "single", "MB/sec"),),
    "specjbb": (Rule(("jops", "sla-jops"), _specjbb, "higher", "single"),),
}

REVISION_2020 = Era(
    rules=_RULES,
    kinds={
        "many": ("min", "mean", "stddev", "cv", "max", "best_50", "best_95", "best_99"),
        "single": ("mean",),
        "sub": ("min", "mean", "stddev", "cv", "max", "sub_mean", "sub_ci"),
    },
    point="-",
    deviation=arithmetic_deviation,
    fitting=False,
    differs=differs_by_t_test,
    distance=deviations_between,
)
