"""What has to be said about the rows of a comparison: too few runs, noise, drift, levels, zeros, missing values."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.judgement import bootstrapped, least_p
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.statistics import patterns
from compare_kernels.statistics.bootstrap import FEWEST
from compare_kernels.statistics.descriptive import coeffvar
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from compare_kernels.config import Rules
    from compare_kernels.judgement import Judgement, Pair
    from compare_kernels.model import Metric
    from compare_kernels.samples import Row

FEW_RUNS = 5
_DETECTABLE_MARGINS = 5


@dataclass(frozen=True, slots=True)
class Sides:
    """One row under the baseline and one other kernel.

    Attributes:
        row: the row.
        name: the other kernel.
        pair: what is tested.
        base: the baseline's description by `compare_kernels.summarise.summarise`; empty if it has no value.
        other: that of the other kernel.
    """

    row: Row
    name: str
    pair: Pair
    base: Mapping[str, float]
    other: Mapping[str, float]


class Findings:
    """Collects findings, so that sixty rows with one fault give one diagnostic."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._found: dict[tuple[Severity, str, str, str], dict[str, list[str]]] = {}

    def look(self, row: Row, kernel: int, name: str, described: Mapping[str, float], parser: str) -> None:
        """Look at one row under one kernel, described as by `compare_kernels.summarise.summarise`."""
        if not described:
            severity = Severity.NOTE if row.metric.monitor else Severity.WARNING
            self._add(severity, "missing", row, name, "no value")
            return
        if row.metric.monitor:
            return
        if described["runs"] < FEW_RUNS:
            runs = int(described["runs"])
            text = f"{runs} run{'s' * (runs > 1)}, fewer than {FEW_RUNS}"
            self._add(Severity.NOTE, "few-runs", row, name, text)
        if math.isnan(described["mean"]):
            text = f"a value <= 0, which has no {row.metric.mean} mean"
            self._add(Severity.WARNING, "no-mean", row, name, text)
        values = run_values(row.groups[kernel], row.metric)
        threshold = self._rules.noisy_of(parser, row.metric.name)
        runs_of = np.unique(row.groups[kernel].runs).tolist()
        for slug, text in _of_side(values, runs_of, row.metric, threshold):
            self._add(Severity.NOTE, slug, row, name, text)

    def judged(self, sides: Sides, judgement: Judgement) -> None:
        """Look at the comparison of one kernel with the baseline."""
        row, name, base, other = sides.row, sides.name, sides.base, sides.other
        if judgement.tested == "sample" and min(base["runs"], other["runs"]) < 2:
            text = "it or the baseline has one run, so samples are tested, which share that run's luck"
            self._add(Severity.WARNING, "within-run-only", row, name, text)
        if base and other and base["runs"] != other["runs"]:
            text = f"{other['runs']:g} runs against {base['runs']:g}"
            self._add(Severity.NOTE, "unequal-runs", row, name, text)
        if judgement.result.no_variance:
            text = "neither it nor the baseline has any spread, so no t test can judge their difference"
            self._add(Severity.NOTE, "no-variance", row, name, text)
        if base and other and base["mean"] == 0 != other["mean"]:
            difference = f"{other['mean']:+g} {row.metric.unit}"
            text = f"the baseline is 0, so there is no percentage; the difference is {difference}"
            self._add(Severity.WARNING, "zero-baseline", row, name, text)
        if judgement.tested == "none":
            return
        for slug, text in self._of_pair(sides.pair, judgement):
            self._add(Severity.NOTE, slug, row, name, text)

    def _of_pair(self, pair: Pair, judgement: Judgement) -> Iterator[tuple[str, str]]:
        if judgement.detectable > _DETECTABLE_MARGINS * pair.margin > 0 and judgement.verdict.word == "undecided":
            yield "insensitive", f"changes below {_DETECTABLE_MARGINS} margins would not be found"
        if judgement.tested in {"run", "pair"} and (found := patterns.spread_changed(pair.base, pair.other)):
            text = f"the deviation of runs went from {found.base:.3g} to {found.other:.3g} (p = {found.p:.2g})"
            yield "spread-changed", text
        if self._rules.interval == "bca" and not bootstrapped(pair, self._rules):
            yield "no-bootstrap", f"fewer than {FEWEST} values on a side: the interval is that of the test"
        least = least_p(pair)
        if least >= self._rules.alpha:
            yield "hopeless", f"with so few runs the {pair.test} test can't go below p = {least:.2g}"

    def _add(self, severity: Severity, slug: str, row: Row, name: str, text: str) -> None:
        key = severity, slug, f"{row.benchmark} {row.metric.name}", text
        self._found.setdefault(key, {}).setdefault(name, []).append(row.operation.name)

    def diagnostics(self) -> Iterable[Diagnostic]:
        """All findings, in the order in which they came up; kernels with the same operations share one."""
        for (severity, slug, place, text), kernels in self._found.items():
            alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
            for name, operations in kernels.items():
                alike[tuple(operations)].append(name)
            for operations_of, names in alike.items():
                message = f"{place} {', '.join(operations_of)}: {', '.join(names)}: {text}"
                yield Diagnostic(severity, slug, message)


def _of_side(values: np.ndarray, runs: list[int], metric: Metric, threshold: float) -> Iterator[tuple[str, str]]:
    """What the values of the runs of one kernel show, in the order of the runs, whose numbers are ``runs``."""
    if patterns.noisy(coeffvar(values), threshold) is not None:
        yield "noisy", f"CoeffVar of runs above {threshold:g} %"
    # Of three normal values the rule calls one an outlier in a third of all cases.
    if len(values) >= FEW_RUNS and (outliers := patterns.outliers(values)):
        listed = ", ".join(
            f"{value:g} (run {runs[position]})"
            for position, value in zip(outliers.positions, outliers.values, strict=True)
        )
        yield "outlier", f"far from the median {outliers.median:g}: {listed}"
    if drift := patterns.drift(values):
        yield "drift", f"the values drift with the order of runs (tau = {drift.tau:.2f}, p = {drift.p:.2g})"
    if first := patterns.first_run_slow(values, metric.better):
        yield "first-run-slow", f"the first run, {first.value:g}, is worse than all others (median {first.median:g})"
    if levels := patterns.two_levels(values):
        counts = f"{levels.low_count} runs around {levels.low:g}, {levels.high_count} around {levels.high:g}"
        yield "two-levels", counts
    if (coarse := patterns.coarse(values)) and coarse.distinct > 1:
        yield "coarse", f"{coarse.distinct} different values in {coarse.count} runs: the timer is coarse"
