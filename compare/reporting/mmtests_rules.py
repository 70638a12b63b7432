"""What mmtests of September 2020 computes and prints, kept in one place.

The default style and the parsers stay free of these rules. They are reproduced byte for byte, down to the order of
additions, with these exceptions, where a reader would be misled: an operation that a kernel lacks is ``n/a`` and is
never marked, and one that only another kernel has is shown; a mean of one sample is never marked; a harmonic mean
over a value that isn't positive is ``n/a``; single values of several iterations give their mean, not the best; names
of kernels are split as in the default style.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from compare_kernels.model import Metric, Operation
from compare_kernels.reporting.view import MISSING, Cell, Side, Table, TableRow, kernel_columns, statistic_label
from compare_kernels.statistics.descriptive import best_count, total
from compare_kernels.summarise import BEST, STATISTICS
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from compare_kernels.samples import Group, Samples
    from compare_kernels.selection import Selection

Groups = dict[int, np.ndarray]
"""Index of a kernel to all its samples of one operation."""
Rows = dict[str, Groups]
"""Name of an operation as mmtests prints it to its samples, in the order of the table."""

ALPHA = 0.10
"""The level of significance of mmtests, whatever the reader asks for."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How mmtests reports one metric of a benchmark.

    Attributes:
        metrics: names of the parser's metrics that it draws from.
        rows: makes the rows from the samples of one benchmark.
        better: the direction.
        label: the first column of a table with one row for each operation; empty for the table of statistics.
        exact: whether ``--sub-heading`` has to equal an operation's name, not to begin it.
        main: whether it is shown without ``--metric``.
    """

    metrics: tuple[str, ...]
    rows: Callable[[Samples, str, Rule], Rows]
    better: Literal["higher", "lower"]
    label: str = ""
    exact: bool = False
    main: bool = True


def mmtests_2020_tables(samples: Samples, selection: Selection) -> tuple[Table, ...]:
    """Make the tables as mmtests' revision of 2020-09-16 prints them.

    Args:
        samples: all samples, not only those of main metrics.
        selection: without metrics, mmtests' default report of each benchmark; a sub-heading has to equal the names
            of operations for some benchmarks and to begin them for others, as in mmtests.
    """
    with np.errstate(all="ignore"):
        return tuple(_tables(samples, selection))


def _tables(samples: Samples, selection: Selection) -> Iterable[Table]:
    for label, benchmark in samples.benchmarks.items():
        program = dict(benchmark.configuration.variant).get("program") or benchmark.parser
        for rule in RULES.get(program, ()) if selection.wants_benchmark(benchmark) else ():
            wanted = any(map(selection.wants_metric, rule.metrics)) if selection.metrics else rule.main
            if not wanted or not any((label, name) in samples.metrics for name in rule.metrics):
                continue
            rows = {
                name: groups
                for name, groups in rule.rows(samples, label, rule).items()
                if (name == selection.sub_heading if rule.exact else name.startswith(selection.sub_heading))
                or not selection.sub_heading
            }
            if rows:
                yield _table(samples, label, rule, rows)


def _plain_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    return {
        row.operation.name: {kernel: group.values for kernel, group in row.groups.items()}
        for row in samples.rows()
        if row.benchmark == label and row.metric.name in rule.metrics
    }


def _thpscale_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    """All kinds for each number of threads; a log without a kind of fault counts as one fault of 0 us."""
    found = {
        (row.operation.series, row.operation.param): row.groups
        for row in samples.rows()
        if row.benchmark == label and row.metric.name in rule.metrics
    }
    rows: Rows = {}
    kinds = ("fault-base", "fault-huge", "fault-both")
    for kind in kinds:
        for threads in sorted({param for _, param in found}):
            runs = found.get(("fault-both", threads), {})
            rows[kind if math.isnan(threads) else f"{kind}-{threads:g}"] = {
                kernel: _with_zeros(found.get((kind, threads), {}).get(kernel), group)
                for kernel, group in runs.items()
            }
    return rows


def _with_zeros(group: Group | None, both: Group) -> np.ndarray:
    logs = len(np.unique(both.runs))
    present = group.values if group is not None else np.empty(0)
    seen = len(np.unique(group.runs)) if group is not None else 0
    return np.concatenate([present, np.zeros(logs - seen)])


_WARM_UP = 4


def _tbench_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    """The running mean of every second, without the first four of each log; of a shorter log nothing is left."""
    rows: Rows = {}
    for row in samples.rows():
        if row.benchmark == label and row.metric.name in rule.metrics:
            left = {
                kernel: np.concatenate([group.values[group.runs == run][_WARM_UP:] for run in np.unique(group.runs)])
                for kernel, group in row.groups.items()
            }
            rows[row.operation.name] = {kernel: values for kernel, values in left.items() if len(values)}
    return {name: groups for name, groups in rows.items() if groups}


def _netperf_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    """The values by size; of UDP streams what was lost on the way too, once a tenth was lost in any run.

    From the run on in which that happens every run's loss counts, and every size has a row for it: one without any
    value, which mmtests prints as zeros with a marker, if all its runs came before.
    """
    rows = _plain_rows(samples, label, rule)
    sizes = [name.removeprefix("send-") for name in rows if name.startswith("send-")]
    lost: Rows = {f"loss-{size}": {} for size in sizes}
    for kernel in range(len(samples.kernels)):
        losing = False
        for size in sizes:
            sent, received = (rows.get(f"{way}-{size}", {}).get(kernel, np.empty(0)) for way in ("send", "recv"))
            losses: list[float] = []
            for send, receive in zip(sent, received, strict=False):
                losing = losing or send - receive > send / 10
                losses += [float(send - receive)] if losing else []
            lost[f"loss-{size}"][kernel] = np.array(losses)
    return rows | lost if any(len(losses) for groups in lost.values() for losses in groups.values()) else rows


def _schbench_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    rows: Rows = {}
    for row in samples.rows():
        if row.benchmark == label and row.metric.name in rule.metrics:
            percentile = float(row.operation.series.removesuffix("th"))
            workers = "" if math.isnan(row.operation.param) else f"-{row.operation.param:g}"
            name = f"{percentile:.2f}th-qrtle{workers}"
            rows[name] = {kernel: group.values for kernel, group in row.groups.items()}
    return rows


def _specjvm_rows(samples: Samples, label: str, rule: Rule) -> Rows:
    """The benchmarks in the order in which the baseline's logs have them, without those of the start-up."""
    found = {name: groups for name, groups in _plain_rows(samples, label, rule).items() if "startup" not in name}
    first = _first_sources(samples, label)
    return {name: found[name] for name in sorted(found, key=lambda name: first[name])}


def _first_sources(samples: Samples, label: str) -> dict[str, tuple[int, int]]:
    """For each operation the first kernel that has it, and the first of its files there."""
    own = samples.whole.loc[samples.whole["benchmark"] == label, ["operation", "kernel", "source"]].drop_duplicates()
    first: dict[str, tuple[int, int]] = {}
    for operation, kernel, source in zip(own["operation"], own["kernel"].cat.codes, own["source"], strict=True):
        place = (int(kernel), int(source))
        first[str(operation)] = min(place, first.get(str(operation), place))
    return first


RULES: Mapping[str, tuple[Rule, ...]] = {
    "thpscale": (
        Rule(("fault-latency",), _thpscale_rows, "lower"),
        Rule(("percentage-huge",), _plain_rows, "higher", label="Percentage", main=False),
    ),
    "hackbench": (Rule(("time",), _plain_rows, "lower"),),
    "tbench": (Rule(("running-throughput",), _tbench_rows, "higher", exact=True),),
    "netperf": (Rule(("throughput", "rate"), _netperf_rows, "higher"),),
    "schbench": (Rule(("wakeup-latency",), _schbench_rows, "lower", label="Lat", exact=True),),
    "specjvm": (Rule(("benchmark-score",), _specjvm_rows, "higher", label="Ops"),),
}


def default_metrics() -> tuple[str, ...]:
    """Names of the metrics that the default report of any benchmark draws from."""
    return tuple(name for rules in RULES.values() for rule in rules if rule.main for name in rule.metrics)


def _table(samples: Samples, label: str, rule: Rule, rows: Rows) -> Table:
    name = next(name for name in rule.metrics if (label, name) in samples.metrics)
    kind: Literal["harmonic", "arithmetic"] = "harmonic" if rule.better == "higher" else "arithmetic"
    own = samples.metrics[label, name]
    metric = Metric(own.name, own.title, own.unit, rule.better, kind, own.decimals)
    columns = kernel_columns(samples.kernels)
    if rule.label:
        statistics: tuple[tuple[str, str], ...] = (("mean", rule.label),)
    else:
        statistics = tuple((key, statistic_label(key, metric)) for key in STATISTICS)
    printed = []
    for operation, groups in rows.items():
        described = {
            kernel: _single(values) if rule.label else _describe(values, rule.better)
            for kernel, values in groups.items()
        }
        sides = tuple(_side(described, kernel, statistics, metric, rule) for kernel in range(len(columns)))
        printed.append(TableRow(Operation(printable(operation)), printable(operation), new_group=False, sides=sides))
    heading = printable(f"{label} {own.title}".strip())
    return Table(heading, printable(label), metric, columns, statistics, tuple(printed), "", "", "")


@dataclass(frozen=True, slots=True)
class _Described:
    """The statistics of one side as mmtests computes them."""

    n: int
    statistics: dict[str, float] = field(default_factory=dict)


def _single(values: np.ndarray) -> _Described:
    return _Described(1, {"mean": _sum(values) / len(values)})


def _describe(values: np.ndarray, better: str) -> _Described:
    if not len(values):
        return _Described(0, dict.fromkeys(STATISTICS, 0.0))
    best = np.sort(values)
    if better == "higher":
        best = best[::-1]
    mean = _hmean if better == "higher" else _amean
    n = len(best)
    middle = _amean(best)
    deviation = math.sqrt(_sum((best - middle) ** 2) / (n - 1)) if n > 1 else 0.0
    statistics = {
        "min": float(best.min()),
        "mean": mean(best),
        "stddev": deviation,
        "cv": deviation * 100 / middle if middle else 0.0,
        "max": float(best.max()),
    }
    statistics |= {f"best_{percent}": mean(best[: best_count(n, percent)]) for percent in BEST}
    return _Described(n, statistics)


def _sum(values: np.ndarray) -> float:
    """Add from the first to the last like Perl, which adds integers exactly."""
    if np.all(values == np.trunc(values)):
        return total(values)
    return float(np.cumsum(values)[-1])


def _amean(values: np.ndarray) -> float:
    return _sum(values) / len(values)


def _hmean(values: np.ndarray) -> float:
    return math.nan if values.min() <= 0 else len(values) / float(np.cumsum(1 / values)[-1])


def _side(
    described: dict[int, _Described],
    kernel: int,
    statistics: Iterable[tuple[str, str]],
    metric: Metric,
    rule: Rule,
) -> Side:
    own, base = described.get(kernel), described.get(0)
    cells = {}
    for key, _ in statistics:
        value = own.statistics[key] if own else math.nan
        before = base.statistics[key] if base else math.nan
        better = "lower" if key in {"stddev", "cv"} else metric.better
        if math.isnan(value) or math.isnan(before):
            text = MISSING if math.isnan(value) else f"{value:.{metric.decimals}f}"
            cells[key] = Cell(value, text, math.nan, MISSING)
            continue
        delta = _change(before, value, better)
        marked = key == "mean" and kernel > 0 and not rule.label and _significant(base, own)
        cells[key] = Cell(value, f"{value:.{metric.decimals}f}", delta, f"{float(f'{delta:.15g}'):.2f}", marked)
    return Side(cells, n=own.n if own else 0)


def _change(base: float, value: float, better: str) -> float:
    """The percentage of mmtests, with its fixed values for zeros."""
    if value == base:
        return 0.0
    if better == "lower":
        if value == 0:
            return 100.0
        return -99.0 if base == 0 else 100 - (value * 100 / base)
    if value == 0:
        return 0.0
    return 100.0 if base == 0 else value * 100 / base - 100


def _significant(base: _Described | None, other: _Described | None) -> bool:
    """The t test of mmtests in 2020: unpooled error, but n1 + n2 - 2 degrees of freedom, at the level of 0.10."""
    assert base is not None
    assert other is not None
    difference = abs(base.statistics["mean"] - other.statistics["mean"])
    if base.n == 1 and other.n == 1:
        return False
    if base.n == 0 or other.n == 0:
        return True
    error = math.hypot(base.statistics["stddev"] / math.sqrt(base.n), other.statistics["stddev"] / math.sqrt(other.n))
    if error == 0:
        return difference != 0
    from scipy.special import stdtr

    return bool(2 * stdtr(base.n + other.n - 2, -difference / error) < ALPHA)
