"""What is known of each gated row: change, interval and p by the test of its rule."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.delivery.gate.policy import Place, Policy, Rule
from compare_kernels.judgement import judge, make_pair
from compare_kernels.samples import Group
from compare_kernels.statistics import descriptive
from compare_kernels.statistics.change import percent_change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from compare_kernels.config import Rules
    from compare_kernels.model import Benchmark, Metric
    from compare_kernels.samples import Row


@dataclass(frozen=True, slots=True)
class Measured:
    """A row under the baseline and one other kernel, before anything is decided.

    Attributes:
        place: the row.
        rule: the rule that holds for it.
        unit: the metric's.
        better: the metric's direction, ``lower`` or ``higher``.
        limit: a regression up to it, in percent, passes.
        alpha: level of the test.
        base: the statistic under the baseline; NaN if there is no value.
        value: the statistic under the kernel; NaN likewise.
        runs: the number of runs of the side that has fewer.
        change: in percent, positive is better; NaN if there is none.
        low: lower end of the interval of the change at level 1 - 2 alpha; NaN if there is none.
        p: of the two-sided test against no change; NaN if nothing could be tested.
    """

    place: Place
    rule: Rule
    unit: str
    better: str
    limit: float
    alpha: float
    base: float
    value: float
    runs: int
    change: float
    low: float
    p: float


def measure(
    rows: Iterable[Row], kernels: tuple[str, ...], benchmarks: Mapping[str, Benchmark], rules: Rules, policy: Policy
) -> Iterator[Measured]:
    """Measure the rows that are gated or claimed; monitors and metrics without direction are neither."""
    with np.errstate(all="ignore"):
        for row in rows:
            if row.metric.monitor or row.metric.better == "none":
                continue
            for kernel, name in enumerate(kernels[1:], start=1):
                place = Place(benchmarks[row.benchmark], row.metric.name, row.operation.name, name)
                yield _measured(row, kernel, place, rules, policy.rule_of(place))


def _measured(row: Row, kernel: int, place: Place, rules: Rules, rule: Rule) -> Measured:
    margin = rules.margin_of(place.benchmark.parser, place.metric) if rule.margin is None else rule.margin
    own = replace(rules, alpha=rule.alpha or rules.alpha, test=rule.test or rules.test, correction="none")
    sides = [row.groups.get(index) for index in (0, kernel)]
    before, after = (_statistic(side.values, rule.statistic, row.metric) if side else math.nan for side in sides)
    runs = min(len(np.unique(side.runs)) if side else 0 for side in sides)
    base, other = (_of_runs(side, rule.statistic, row.metric) if side else None for side in sides)
    (judgement,) = judge([make_pair(base, other, row.metric, own, margin)], own)
    change = judgement.change
    if rule.statistic != "mean" or math.isnan(change):
        change = percent_change(before, after, row.metric.better)
    return Measured(
        place,
        rule,
        row.metric.unit,
        row.metric.better,
        margin if rule.max_regression is None else rule.max_regression,
        own.alpha,
        before,
        after,
        runs,
        change,
        judgement.equivalence[0],
        judgement.result.p,
    )


def _of_runs(group: Group, statistic: str, metric: Metric) -> Group:
    """The statistic of each run, where runs have several samples."""
    runs, starts = np.unique(group.runs, return_index=True)
    if statistic == "mean" or len(runs) == len(group.values):
        return group
    ends = [*starts[1:].tolist(), len(group.values)]
    values = [_statistic(group.values[a:b], statistic, metric) for a, b in zip(starts.tolist(), ends, strict=True)]
    return Group(group.kernel, np.array(values), runs)


def _statistic(values: np.ndarray, name: str, metric: Metric) -> float:
    """A statistic of samples; percentiles and best means are counted from the best value on."""
    best = descriptive.sorted_best_first(values, metric.better)
    if name.startswith("BAmean-"):
        return descriptive.best_mean(best, float(name.removeprefix("BAmean-")), metric.mean)
    if name.startswith("p"):
        return descriptive.percentile(best, float(name[1:]))
    if name == "mean":
        return descriptive.mean(values, metric.mean)
    return {"median": descriptive.median(values), "min": float(values.min()), "max": float(values.max())}[name]
