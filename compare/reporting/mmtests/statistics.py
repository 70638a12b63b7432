"""The statistics of mmtests: sums from the best value to the worst, its tests and its percentages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.statistics.descriptive import best_count, percentile, sorted_best_first, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compare_kernels.model import Better

    Deviation = Callable[[np.ndarray, str], tuple[float, float]]
    """From values with the best first and the kind of mean to the deviation and the mean that it is about."""

ALPHA = 0.10
"""The level of significance of mmtests in 2020, whatever the reader asks for."""

SPREADS = {"stddev", "cv", "sub_ci"}
"""Statistics of which less is better, whatever the direction of the values."""

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Described:
    """The statistics of one side as mmtests computes them.

    Attributes:
        n: number of samples.
        statistics: the values by key, such as ``best_95``.
        deviation: the deviation of the samples; NaN if it isn't defined.
    """

    n: int
    statistics: dict[str, float] = field(default_factory=dict)
    deviation: float = math.nan


def single(values: np.ndarray) -> Described:
    """One value for several: their mean, where mmtests takes the best."""
    return Described(1, {"mean": amean(values)})


def describe(values: np.ndarray, better: Better, mean: str, keys: Iterable[str], deviation: Deviation) -> Described:
    """Compute statistics of the samples of one side.

    Args:
        values: the samples in any order.
        better: the direction.
        mean: ``harmonic`` or ``arithmetic``.
        keys: which statistics; ``best_N`` is the mean of the best N percent, ``pctile_N`` their last value.
        deviation: computes the deviation.
    """
    if not len(values):
        return Described(0, dict.fromkeys(keys, 0.0))
    best = sorted_best_first(values, better)
    average = _MEANS[mean]
    n = len(best)
    spread, middle = deviation(best, mean)
    known = {
        "min": float(best.min()),
        "mean": average(best),
        "stddev": spread if n > 1 else 0.0,
        "cv": (spread * 100 / middle if middle else 0.0) if n > 1 else 0.0,
        "max": float(best.max()),
    }

    def statistic(key: str) -> float:
        kind, _, percent = key.partition("_")
        if kind == "best":
            return average(best[: best_count(n, float(percent))])
        return percentile(best, float(percent)) if kind == "pctile" else known[key]

    return Described(n, {key: statistic(key) for key in keys if not key.startswith("sub_")}, spread)


def sum_of(values: np.ndarray) -> float:
    """Add from the first to the last like Perl, which adds integers exactly."""
    if np.all(values == np.trunc(values)):
        return total(values)
    return float(np.cumsum(values)[-1])


def amean(values: np.ndarray) -> float:
    """The arithmetic mean."""
    return sum_of(values) / len(values)


def hmean(values: np.ndarray) -> float:
    """The harmonic mean; NaN if a value isn't positive."""
    return math.nan if values.min() <= 0 else len(values) / float(np.cumsum(1 / values)[-1])


_MEANS = {"arithmetic": amean, "harmonic": hmean}


def arithmetic_deviation(best: np.ndarray, _mean: str = "") -> tuple[float, float]:
    """The sample deviation, in 2020 beside a harmonic mean too, and the arithmetic mean."""
    middle = amean(best)
    n = len(best)
    return (math.sqrt(sum_of((best - middle) ** 2) / (n - 1)) if n > 1 else math.nan), middle


def fitting_deviation(best: np.ndarray, mean: str) -> tuple[float, float]:
    """The deviation that fits the kind of mean, and the mean: for harmonic ones ``HStddev``, which divides by n."""
    if mean == "arithmetic":
        return arithmetic_deviation(best)
    middle = hmean(best)
    n = len(best)
    if n < 2 or not middle > 0:
        return math.nan, middle
    # An array's power overflows to infinity, where that of a float raises an exception.
    return float(np.sqrt(np.square(middle) ** 2 * sum_of((1 / best - 1 / middle) ** 2) / n)), middle


def change(base: float, value: float, better: Better) -> float:
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


def percent_text(delta: float) -> str:
    """A percentage with two decimals, rounded by way of a text with 15 digits as Perl does it; ``n/a`` beyond all."""
    return f"{float(f'{delta:.15g}'):.2f}" if math.isfinite(delta) else "n/a"


def differs_by_t_test(base: Described, other: Described) -> bool:
    """The t test of mmtests in 2020: unpooled error, but n1 + n2 - 2 degrees of freedom, at the level of 0.10."""
    difference = abs(base.statistics["mean"] - other.statistics["mean"])
    if base.n == 1 and other.n == 1:
        return False
    if base.n == 0 or other.n == 0:
        return True
    error = math.hypot(*(side.statistics["stddev"] / math.sqrt(side.n) for side in (base, other)))
    if error == 0:
        return difference != 0
    from scipy.special import stdtr

    return bool(2 * stdtr(base.n + other.n - 2, -difference / error) < ALPHA)


def deviations_between(base: Described, other: Described) -> float:
    """The distance of the means in deviations, in 2020; the plain difference if nothing deviates."""
    difference = other.statistics["mean"] - base.statistics["mean"]
    spreads = [side.deviation if side.n > 1 else 0.0 for side in (base, other)]
    pooled = math.hypot(*spreads) / math.sqrt(2)
    return difference / pooled if pooled else difference


def intervals_between(base: Described, other: Described) -> float:
    """The distance of the means in the sum of their half intervals, in 2026; NaN if a side has one sample only.

    An interval holds 95% of the samples if they are normal; it doesn't shrink with their number.
    """
    difference = other.statistics["mean"] - base.statistics["mean"]
    reach = sum(float(f"{_NORMAL_95 * float(f'{side.deviation:.15g}'):.7g}") for side in (base, other))
    return difference / reach if reach else difference


def differs_by_intervals(base: Described, other: Described) -> bool:
    """Whether the intervals of both sides lie apart; without deviation, whether the means differ by more than 1."""
    return abs(intervals_between(base, other)) > 1
