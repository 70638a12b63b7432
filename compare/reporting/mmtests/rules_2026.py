"""What mmtests' revision of 2026-06-24 reports of each benchmark.

There a table without ``--sub-heading`` takes all its rows for such where lower is better. Here each row has the
direction of what it measures, and a table of which all rows agree has the means of that direction.
"""

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
    values_by_run,
)
from compare_kernels.reporting.mmtests.statistics import (
    differs_by_intervals,
    fitting_deviation,
    intervals_between,
)
from compare_kernels.samples import Group

if TYPE_CHECKING:
    from compare_kernels.model import Operation
    from compare_kernels.samples import Row


def _thpscale(found: Found) -> Entries:
    """All kinds for each number of threads, in the order in which the baseline's log has them.

    A kind that it lacks comes last, since mmtests notices that at the end.
    """
    latencies = fault_latencies(found)
    seen = {
        (row.operation.series.removeprefix("fault-"), suffix(row.operation)): place
        for place, row in enumerate(found.as_logged())
    }
    ends = list(dict.fromkeys(end for _, end in latencies))
    return {
        f"fault-{kind}{end}": Entry(latencies[kind, end])
        for end in ends
        for kind in sorted(("base", "huge", "both"), key=lambda kind: seen.get((kind, end), len(seen)))
    }


def _tbench(found: Found) -> Entries:
    """Times of the load file, averages of operations and running means of the throughput, sorted by their names."""
    names = {"loadfile-time": "loadfile", "operation-latency": "op", "running-throughput": "tput"}

    def series(row: Row) -> str:
        operation = row.operation
        return f"op-{operation.series}" if row.metric.name == "operation-latency" else names[row.metric.name]

    rows = sorted(found.rows, key=lambda row: (series(row), row.operation.sort_key[1]))
    return {
        f"{series(row)}{suffix(row.operation)}": Entry(
            dict(row.groups), "higher" if row.metric.name == "running-throughput" else "lower"
        )
        for row in rows
    }


def _netperf(found: Found) -> Entries:
    """By size, and what was sent before what was received."""
    protocol = found.variant.get("test", "").lower().replace("_", "")

    def name(operation: Operation) -> str:
        way = operation.series.split("/")[0]
        size = operation.name.removeprefix(f"{way}-")
        return "-".join(part for part in (protocol, way or "send", size) if part)

    rows = sorted(found.rows, key=lambda row: (row.operation.sort_key[1], row.operation.order))
    return {name(row.operation): Entry(dict(row.groups)) for row in rows}


_PERCENTILES = ("20.0th", "50.0th", "90.0th", "99.0th", "99.9th")


def _schbench(found: Found) -> Entries:
    """The usual percentiles of each interval; all of a number of workers stand together."""
    kinds = {"interim-wakeup-latency": "Wakeup", "interim-request-latency": "Request", "interim-rps": "RPS"}
    order = tuple(kinds)
    rows = [row for row in found.rows if row.operation.series in _PERCENTILES]
    rows.sort(key=lambda row: (row.operation.sort_key[1], order.index(row.metric.name)))
    return {
        f"{kinds[row.metric.name]}-{row.operation.series}{suffix(row.operation)}": Entry(
            dict(row.groups), "higher" if row.metric.name == "interim-rps" else "lower"
        )
        for row in rows
    }


def _specjbb(found: Found) -> Entries:
    """The rates, then those under a limit of the response time in percent of the highest."""
    entries = {row.operation.name: Entry(dict(row.groups)) for row in found.by_metric("jops")}
    limits = {row.operation.name.removeprefix("SLA-"): dict(row.groups) for row in found.by_metric("sla-jops")}
    entries |= {f"JOPS-{limit}": Entry(groups) for limit, groups in limits.items()}
    highest = entries["JOPS-Max"].groups if "JOPS-Max" in entries else {}
    for limit, groups in limits.items():
        shares = {
            kernel: _percentages(group, highest[kernel]) for kernel, group in groups.items() if kernel in highest
        }
        entries[f"pctMax-{limit}"] = Entry({kernel: group for kernel, group in shares.items() if len(group.values)})
    return {name: entry for name, entry in entries.items() if entry.groups}


def _percentages(part: Group, whole: Group) -> Group:
    """Run by run, with the six digits that mmtests passes on."""
    wholes = values_by_run(whole)
    pairs = [
        (run, float(f"{value / total * 100:.6g}"))
        for run, values in values_by_run(part).items()
        for value, total in zip(values, wholes.get(run, ()), strict=False)
    ]
    return Group(
        part.kernel, np.array([value for _, value in pairs]), np.array([run for run, _ in pairs], dtype=np.int32)
    )


_DEFAULT = "Default report"
_TBENCH = (
    Rule(
        ("loadfile-time", "operation-latency", "running-throughput"),
        _tbench,
        "lower",
        "skewed",
        title=_DEFAULT,
        decimals=4,
        blocks={
            "loadfile": ("skewed", "Loadfile Execution Time"),
            "tput": ("skewed", "Throughput (misleading but traditional)"),
            "op": ("single", "Per-VFS Operation latency Latency"),
        },
        ratio="loadfile",
    ),
)
_RULES = {
    "thpscale": (
        Rule(("fault-latency",), _thpscale, "lower"),
        # mmtests takes more huge pages for a regression here.
        Rule(("percentage-huge",), plain, "lower", main=False),
        Rule(LOCALITY, localities, "lower", title="Percentage Locality", main=False),
    ),
    "hackbench": (Rule(("time",), prefixed("time-"), "lower", decimals=4),),
    "tbench": _TBENCH,
    "dbench": _TBENCH,
    "netperf": (Rule(("throughput", "rate"), _netperf, "higher", title=_DEFAULT),),
    "schbench": (
        Rule(
            ("interim-wakeup-latency", "interim-request-latency", "interim-rps"),
            _schbench,
            "lower",
            "normal",
            title=_DEFAULT,
        ),
    ),
    "stream": (Rule(("best-rate",), as_logged, "higher"),),
    "specjbb": (Rule(("jops", "sla-jops"), _specjbb, "higher", "single", ratio="JOPS-Critical"),),
}

_QUARTERS = tuple(f"{kind}_{percent}" for percent in (50, 75, 90, 99) for kind in ("best", "pctile"))

REVISION_2026 = Era(
    rules=_RULES,
    kinds={
        "many": ("min", "mean", "stddev", "cv", "max", "best_95"),
        "single": ("mean",),
        "normal": ("min", "mean", "best_95", "pctile_95", "stddev", "cv", "max"),
        "skewed": ("min", "mean", *_QUARTERS, "stddev", "cv", "max"),
    },
    point=".",
    deviation=fitting_deviation,
    fitting=True,
    differs=differs_by_intervals,
    distance=intervals_between,
)
