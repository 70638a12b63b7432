"""The signed-rank test of paired values, and the estimate and interval of the shift that belong to it.

Sources: F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; J. L. Hodges,
E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963; M. Hollander,
D. A. Wolfe, "Nonparametric Statistical Methods", sections 3.1 to 3.3.

In all functions ``base`` and ``other`` are float64 arrays of the same shape (n,), pair by pair; a ValueError says
that the caller has not paired them.
"""

from __future__ import annotations

import math

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import NONE, Interval
from compare_kernels.statistics.pairwise import middle_sum, smallest_sums
from compare_kernels.statistics.ranks import doubled_midranks, levelled, normal_p, normal_place, place_of, tie_term
from compare_kernels.statistics.tests import TestResult

EXACT = 50
"""The distribution is exact up to so many pairs that differ, approximated by the normal one beyond."""


def signed_rank(base: np.ndarray, other: np.ndarray) -> TestResult:
    """Wilcoxon's signed-rank test of ``other - base``, two-sided, with midranks.

    Pairs of equal values are dropped. Up to `EXACT` others p is exact: twice the smaller tail, at most 1, of the
    distribution over all signs, given the ties. Beyond, p is the normal approximation with corrections for ties and
    for continuity. Differences within the rounding noise of their values (`descriptive.NOISE`) are 0, or tied.

    Returns:
        The statistic is the sum of the ranks of positive differences. NaN throughout without pairs; p is 1 if no pair
        differs.
    """
    differences = _differences(base, other)
    if not len(differences):
        return TestResult(math.nan, math.nan, math.nan)
    differences = differences[differences != 0.0]
    n = len(differences)
    if not n:
        return TestResult(0.0, math.nan, 1.0)
    ranks, ties = doubled_midranks(np.abs(differences))
    positive = int(ranks[differences > 0].sum())
    statistic = positive / 2
    if n <= EXACT:
        return TestResult(statistic, math.nan, _exact_p(ranks, positive))
    return TestResult(statistic, math.nan, normal_p(abs(statistic - n * (n + 1) / 4), _deviation(n, ties)))


def smallest_paired_p(n: int) -> float:
    """The smallest p that the exact signed-rank test of n pairs can reach; NaN without pairs."""
    return min(1.0, math.ldexp(2.0, -n)) if n else math.nan


def paired_spread(base: np.ndarray, other: np.ndarray) -> float:
    """The standard deviation of the changes of pairs, in percent.

    It is that of the differences of logarithms, or, if a value is not positive, of the differences divided by the
    baseline's arithmetic mean.

    Returns:
        NaN for fewer than two pairs, or if a value is not positive and the baseline's mean isn't, either.
    """
    if min(base.min(initial=math.inf), other.min(initial=math.inf)) > 0:
        return 100.0 * descriptive.stddev(_differences(np.log(base), np.log(other)))
    mean = descriptive.amean(base)
    return 100.0 * descriptive.stddev(_differences(base, other)) / mean if mean > 0 else math.nan


def pseudomedian(base: np.ndarray, other: np.ndarray) -> float:
    """Hodges and Lehmann's estimate of the shift of pairs: the median of the Walsh averages of ``other - base``.

    Walsh averages are the means of two differences, each with each and with itself.

    Returns:
        The shift in the unit of the values; NaN without pairs.
    """
    differences = np.sort(_differences(base, other))
    return middle_sum(differences, differences, triangle=True) / 2


def paired_interval(base: np.ndarray, other: np.ndarray, alpha: float) -> Interval:
    """The interval of the shift of pairs at level ``1 - alpha``, by inverting the signed-rank test.

    Its ends are Walsh averages: those at place k from both ends of the ascending order, k being the smallest sum of
    positive ranks whose two-sided p is alpha or more. With T the statistic of the test of ``base`` against ``other -
    shift``, all shifts inside that are none of the differences have k <= T <= n*(n+1)/2 - k, and none outside has.
    Up to `EXACT` pairs k is that of the exact distribution without ties: if all differences are distinct, a shift
    that is no Walsh average lies inside if and only if that test has ``p >= alpha``; with equal differences, whose
    distribution isn't the same for all shifts, `signed_rank` may have a p slightly below alpha for a shift just
    inside. Beyond, k is that of the normal approximation, corrected for equal differences. A pair of equal values
    is not dropped here, but counts with the difference 0.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (n,), the values of the other kernel.
        alpha: the probability to miss the shift, above 0 and below 1.

    Returns:
        Lower and upper end in the unit of the values; NaN if no shift can be excluded at this level, at 95 % for
        fewer than 6 pairs.
    """
    differences = np.sort(_differences(base, other))
    n = len(differences)
    if not n:
        return NONE
    count = n * (n + 1) // 2
    if n <= EXACT:
        place = _exact_place(n, alpha)
    else:
        place = normal_place(count, _deviation(n, doubled_midranks(differences)[1]), alpha)
    if place < 1:
        return NONE
    low, high = smallest_sums(differences, differences, [place - 1, count - place], triangle=True)
    return low / 2, high / 2


def _differences(base: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The differences ``other - base``; what is noise beside the two values is levelled out."""
    if len(base) != len(other):
        raise ValueError(f"{len(base)} values can't be paired with {len(other)}")
    differences = other - base
    noise = descriptive.NOISE * np.maximum(np.abs(base), np.abs(other))
    real = np.abs(differences) > noise
    levels = np.zeros(len(differences))
    if real.any():
        levels[real] = np.copysign(levelled(np.abs(differences[real]), noise[real]), differences[real])
    return levels


def _exact_place(n: int, alpha: float) -> int:
    """The smallest sum of positive ranks whose two-sided p is alpha or more if no differences are tied."""
    ways = _count_sums(np.arange(1, n + 1), n * (n + 1) // 4)
    return place_of(np.ldexp(np.cumsum(ways), -n), alpha)


def _deviation(n: int, ties: np.ndarray) -> float:
    """The standard deviation of the sum of positive ranks, given the sizes of groups of equal differences."""
    return math.sqrt((n * (n + 1) * (2 * n + 1) - tie_term(ties) / 2) / 24)


def _exact_p(ranks: np.ndarray, positive: int) -> float:
    """Twice the smaller tail of the sum of positive doubled midranks, at most 1."""
    step = int(np.gcd.reduce(ranks))
    tail = min(positive, int(ranks.sum()) - positive)
    return min(1.0, math.ldexp(2.0 * float(_count_sums(ranks // step, tail // step).sum()), -len(ranks)))


def _count_sums(scores: np.ndarray, limit: int) -> np.ndarray:
    """In how many ways some of the positive integers have the sum 0, 1, 2... up to a limit; exact up to 2**53."""
    ways = np.zeros(limit + 1)
    ways[0] = 1.0
    for score in np.sort(scores).tolist():
        if score > limit:
            break
        ways[score:] += ways[: limit + 1 - score]
    return ways
