"""Is a change real, and does it matter? Tests, intervals and verdicts for pairs of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from compare_kernels.statistics import descriptive, power
from compare_kernels.statistics.adjust import adjust
from compare_kernels.statistics.bootstrap import FEWEST, bca_interval
from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.change_intervals import change_interval_by, estimated_change
from compare_kernels.statistics.intervals import NONE, Interval
from compare_kernels.statistics.paired import paired_spread, smallest_paired_p
from compare_kernels.statistics.tests import TestResult, welch
from compare_kernels.statistics.verdicts import Verdict, decide
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.choices import Test
    from compare_kernels.config import Rules
    from compare_kernels.model import Metric
    from compare_kernels.samples import Group

Tested = Literal["run", "pair", "sample", "none"]
"""What a test compares: runs, runs pair by pair, samples inside runs, or nothing, for there is too little."""

_NO_TEST = TestResult(math.nan, math.nan, math.nan)
_EMPTY = np.empty(0)


@dataclass(frozen=True, slots=True)
class Pair:
    """One row under the baseline and one other kernel, ready to be tested.

    Attributes:
        base: float64, what is compared: a value for each run, or samples.
        other: likewise.
        better: the metric's direction.
        margin: a change up to it, in percent, doesn't matter.
        test: which test compares them.
        tested: what the values are.
        missing: whether a side has no value at all.
    """

    base: np.ndarray
    other: np.ndarray
    better: str
    margin: float
    test: Test
    tested: Tested
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the tests say of one row.

    Attributes:
        tested: see `Tested`.
        result: the test's statistic, degrees of freedom and p; NaN if there was nothing to test.
        p_adjusted: p adjusted for all rows of the report.
        change: the estimate of the change in percent that belongs to the interval; positive is better.
        interval: of the change in percent at level 1 - alpha.
        equivalence: of the change in percent at level 1 - 2 alpha, for two one-sided tests against the margin.
        verdict: one of the five words, and why.
        detectable: the smallest change, in percent, that would have been found in four of five such comparisons.
        runs_needed: values on each side that would find a change as large as the margin; None if unknown or beyond
            any use.
    """

    tested: Tested
    result: TestResult
    p_adjusted: float
    change: float
    interval: Interval
    equivalence: Interval
    verdict: Verdict
    detectable: float
    runs_needed: int | None


def make_pair(base: Group | None, other: Group | None, metric: Metric, rules: Rules, margin: float) -> Pair:
    """Choose what to test: values of runs where both sides have two or more, else the samples inside them.

    Samples inside a run share that run's luck, so a test over them speaks of that one boot only.
    """
    test = rules.test_of(metric)
    if base is None or other is None:
        return Pair(_EMPTY, _EMPTY, metric.better, margin, test, "none", missing=True)
    if test == "paired":
        sides = _paired(base, other, metric)
    else:
        sides = run_values(base, metric), run_values(other, metric)
    tested: Tested = "pair" if test == "paired" else "run"
    if rules.unit == "sample" or (rules.unit == "auto" and min(map(len, sides)) < 2 and test != "paired"):
        tested = "sample"
        sides = base.values, other.values
    if min(map(len, sides)) < 2 or not all(np.isfinite(side).all() for side in sides):
        tested = "none"
    return Pair(*sides, metric.better, margin, test, tested)


def _paired(base: Group, other: Group, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """The values of those runs that both sides have, by their number."""
    values = [
        dict(zip(np.unique(side.runs).tolist(), run_values(side, metric), strict=True)) for side in (base, other)
    ]
    common = sorted(values[0].keys() & values[1].keys())
    return np.array([values[0][run] for run in common]), np.array([values[1][run] for run in common])


def judge(pairs: Sequence[Pair], rules: Rules) -> list[Judgement]:
    """Test all rows of a report, adjust p for their number, and give each its verdict."""
    results = [_test(pair, rules) if pair.tested != "none" else _NO_TEST for pair in pairs]
    adjusted = adjust(np.array([result.p for result in results]), rules.correction)
    return [_judge(pair, result, float(p), rules) for pair, result, p in zip(pairs, results, adjusted, strict=True)]


def _test(pair: Pair, rules: Rules) -> TestResult:
    if pair.test == "mann-whitney":
        from compare_kernels.statistics.ranks import mann_whitney

        return mann_whitney(pair.base, pair.other)
    if pair.test == "permutation":
        from compare_kernels.statistics.permutation import permutation_test

        return permutation_test(pair.base, pair.other, rules.seed)
    if pair.test == "paired":
        from compare_kernels.statistics.paired import signed_rank

        return signed_rank(pair.base, pair.other)
    result = welch(pair.base, pair.other)
    if result.no_variance and min(len(pair.base), len(pair.other)) >= _RANKABLE:
        # A t test needs spread; ranks don't.
        from compare_kernels.statistics.ranks import mann_whitney

        return replace(mann_whitney(pair.base, pair.other), no_variance=True)
    return result


def _sensitivity(pair: Pair, result: TestResult, rules: Rules) -> tuple[float, int | None]:
    """The smallest change in percent that such runs show, and the runs for one as large as the margin.

    They are those of the t test, for this row alone. A rank or permutation test of so few runs that nothing could
    fall below alpha shows no change at all; of runs without any spread nothing is known.
    """
    if result.no_variance:
        return math.nan, None
    alpha = rules.alpha
    hopeless = least_p(pair) >= alpha
    if pair.test == "paired":
        spread = paired_spread(pair.base, pair.other)
        if math.isnan(spread):
            return math.nan, None
        effect = math.inf if spread == 0 else pair.margin / spread
        needed = power.pairs_needed(effect, alpha) if pair.margin else None
        seen = spread * power.detectable_paired_effect(len(pair.base), alpha)
        return math.nan if hopeless else seen, needed
    cv_base, cv_other = (abs(descriptive.coeffvar(side)) for side in (pair.base, pair.other))
    needed = power.runs_for_margin(cv_base, cv_other, pair.margin, alpha=alpha)
    counts = len(pair.base), len(pair.other)
    seen = power.smallest_detectable_change(cv_base, cv_other, *counts, alpha=alpha)
    return math.nan if hopeless else seen, needed


def least_p(pair: Pair) -> float:
    """The smallest p that the test can give for so many values: of ranks and relabellings there are only so many."""
    if pair.test == "welch":
        return 0.0
    if pair.test == "paired":
        return smallest_paired_p(len(pair.base))
    from compare_kernels.statistics.ranks import smallest_p

    return smallest_p(len(pair.base), len(pair.other))


def bootstrapped(pair: Pair, rules: Rules) -> bool:
    """Whether the interval of the change is that of the bootstrap: if asked for, and where it means something."""
    return rules.interval == "bca" and min(len(pair.base), len(pair.other)) >= FEWEST


def _change(pair: Pair, rules: Rules) -> tuple[float, Interval, Interval]:
    """The estimated change in percent with its intervals at levels 1 - alpha and 1 - 2 alpha."""
    base, other = pair.base, pair.other
    if np.ptp(np.concatenate([base, other])) == 0:
        # All values are equal, which is no change even where there is no percentage, as from 0 to 0.
        return 0.0, (0.0, 0.0), (0.0, 0.0)
    if bootstrapped(pair, rules):
        change = percent_change(descriptive.amean(base), descriptive.amean(other), pair.better)
        interval, equivalence = (
            _directed(bca_interval(base, other, level, rules.seed), pair.better)
            for level in (rules.alpha, 2 * rules.alpha)
        )
        return change, interval, equivalence
    how = (pair.test, base, other)
    interval = change_interval_by(*how, rules.alpha, pair.better, rules.seed)
    equivalence = change_interval_by(*how, 2 * rules.alpha, pair.better, rules.seed)
    return estimated_change(*how, pair.better), interval, equivalence


def _directed(interval: Interval, better: str) -> Interval:
    """The interval with the sign that is positive for better."""
    low, high = interval
    return (0.0 - high, 0.0 - low) if better == "lower" else interval


_RANKABLE = 4
"""Values on each side from which on a rank test can fall below the usual alpha."""


def _judge(pair: Pair, result: TestResult, p_adjusted: float, rules: Rules) -> Judgement:
    if pair.tested == "none":
        verdict = decide(math.nan, math.nan, NONE, pair.margin, rules.alpha, missing=pair.missing)
        return Judgement("none", result, math.nan, math.nan, NONE, NONE, verdict, math.nan, None)
    change, interval, equivalence = _change(pair, rules)
    verdict = decide(change, p_adjusted, equivalence, pair.margin, rules.alpha)
    if pair.better == "none" and verdict.word in {"regressed", "improved"}:
        verdict = Verdict("undecided", "no-direction")
    detectable, needed = _sensitivity(pair, result, rules)
    return Judgement(pair.tested, result, p_adjusted, change, interval, equivalence, verdict, detectable, needed)
