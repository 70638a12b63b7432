"""Descriptive statistics of one group of samples: the rows of a table.

All functions take a float64 array and return a float; what isn't defined is NaN, never a number that looks like a
result. Where the best values are asked for, the array has to be sorted with the best first (`sorted_best_first`).
"""

from __future__ import annotations

import contextlib
import math

import numpy as np

NOISE = 1e-12
"""A deviation below this fraction of the mean is rounding noise of binary fractions and counts as 0."""

_EXACT = 10_000


def total(values: np.ndarray) -> float:
    """The sum: correctly rounded up to 10,000 values, by numpy's pairwise summation beyond."""
    if len(values) <= _EXACT:
        with contextlib.suppress(OverflowError):
            return math.fsum(values.tolist())
    return float(np.sum(values))


def amean(values: np.ndarray) -> float:
    """The arithmetic mean; NaN without values."""
    return total(values) / len(values) if len(values) else math.nan


def hmean(values: np.ndarray) -> float:
    """The harmonic mean, ``n / sum(1/v)``, for rates; NaN without values or if one is not positive."""
    if not len(values) or values.min() <= 0:
        return math.nan
    # Reciprocals of the ratios to the smallest value can't overflow.
    smallest = float(values.min())
    return smallest * (len(values) / total(smallest / values))


def gmean(values: np.ndarray) -> float:
    """The geometric mean, by logarithms; NaN without values or if one is not positive."""
    if not len(values) or values.min() <= 0:
        return math.nan
    return math.exp(total(np.log(values)) / len(values))


def mean(values: np.ndarray, kind: str) -> float:
    """The mean of the given kind: ``arithmetic``, ``harmonic`` or ``geometric``."""
    return {"arithmetic": amean, "harmonic": hmean, "geometric": gmean}[kind](values)


def stddev(values: np.ndarray) -> float:
    """The sample standard deviation, ``sqrt(sum((v - Amean)^2) / (n-1))``, in two passes; NaN for n < 2.

    A deviation below `NOISE` of the mean is 0: equal decimal fractions differ by their binary rounding alone.
    """
    if len(values) < 2:
        return math.nan
    middle = amean(values)
    deviation = math.sqrt(total((values - middle) ** 2) / (len(values) - 1))
    return 0.0 if deviation < NOISE * abs(middle) else deviation


def coeffvar(values: np.ndarray) -> float:
    """The coefficient of variation, ``100 * Stddev / Amean``, in percent; NaN for n < 2 or a mean of 0."""
    middle = amean(values)
    return 100.0 * stddev(values) / middle if middle else math.nan


def sorted_best_first(values: np.ndarray, better: str) -> np.ndarray:
    """The values sorted: descending if higher is better, else ascending."""
    ordered = np.sort(values)
    return ordered[::-1] if better == "higher" else ordered


def best_count(n: int, percent: float) -> int:
    """How many values the best N percent are: ``max(1, floor(n * N / 100))``."""
    return max(1, math.floor(n * percent / 100))


def best_mean(best_first: np.ndarray, percent: float, kind: str) -> float:
    """BAmean-N or BHmean-N: the mean of the best N percent of values sorted best first; NaN without values."""
    return mean(best_first[: best_count(len(best_first), percent)], kind)


def percentile(best_first: np.ndarray, percent: float) -> float:
    """The value number ``max(1, floor(n * N / 100))``, counted from 1, of values sorted best first, as in mmtests."""
    return float(best_first[best_count(len(best_first), percent) - 1]) if len(best_first) else math.nan


def median(values: np.ndarray) -> float:
    """The median; NaN without values."""
    return float(np.median(values)) if len(values) else math.nan


def mad(values: np.ndarray) -> float:
    """The median of absolute deviations from the median, unscaled; NaN without values."""
    return median(np.abs(values - median(values))) if len(values) else math.nan


def iqr(values: np.ndarray) -> float:
    """The range between the quartiles, by linear interpolation; NaN without values."""
    if not len(values):
        return math.nan
    low, high = np.percentile(values, [25, 75])
    return float(high - low)
