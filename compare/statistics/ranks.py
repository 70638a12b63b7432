"""The rank-sum test of two independent samples, and the estimate and interval of the shift that belong to it.

Sources: H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than
the other", Annals of Mathematical Statistics 18, 1947; J. L. Hodges, E. L. Lehmann, "Estimates of location based on
rank tests", Annals of Mathematical Statistics 34, 1963; M. Hollander, D. A. Wolfe, "Nonparametric Statistical
Methods", sections 4.1 to 4.3.

Ranks are counted in halves, so that midranks are integers and all sums exact.
"""

from __future__ import annotations

import math

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import NONE, Interval
from compare_kernels.statistics.pairwise import middle_sum, smallest_sums
from compare_kernels.statistics.tests import TestResult

EXACT = 50 * 50
"""The distribution is exact up to so many pairs of values, approximated by the normal one beyond."""

FEWEST = 4
"""With fewer values on a side there is no interval: at 95 % it could exclude nothing."""


def mann_whitney(base: np.ndarray, other: np.ndarray) -> TestResult:
    """The rank-sum test, two-sided, with midranks.

    Up to `EXACT` pairs p is exact: twice the smaller tail, at most 1, of the rank sum's distribution over all ways to
    deal the values out to the sides, given their ties. Beyond, p is the normal approximation with corrections for
    ties and for continuity. Values that differ by no more than the rounding noise of `descriptive.NOISE` are tied.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.

    Returns:
        The statistic is Mann and Whitney's U of the baseline: the number of pairs whose value is larger in ``base``,
        a tie counting one half. NaN throughout if a side has no values; p is 1 if all values are equal.
    """
    n, m = len(base), len(other)
    if not n or not m:
        return TestResult(math.nan, math.nan, math.nan)
    ranks, ties = doubled_midranks(levelled(np.concatenate([base, other])))
    statistic = (int(ranks[:n].sum()) - n * (n + 1)) / 2
    if n * m <= EXACT:
        return TestResult(statistic, math.nan, _exact_p(ranks, n))
    return TestResult(statistic, math.nan, normal_p(abs(statistic - n * m / 2), _deviation(n, m, ties)))


def smallest_p(n: int, m: int) -> float:
    """The smallest p that the exact rank-sum test of n and m values can reach; NaN without values on a side."""
    if not n or not m:
        return math.nan
    if min(n, m) > 1000:
        return 0.0  # The quotient is below the smallest float.
    return min(1.0, 2 / math.comb(n + m, n))


def hodges_lehmann(base: np.ndarray, other: np.ndarray) -> float:
    """Hodges and Lehmann's estimate of the shift: the median of all differences ``other[j] - base[i]``.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.

    Returns:
        The shift in the unit of the values; NaN if a side has no values.
    """
    return middle_sum(other, np.sort(-base))


def rank_interval(base: np.ndarray, other: np.ndarray, alpha: float) -> Interval:
    """The interval of the shift ``other - base`` at level ``1 - alpha``, by inverting the rank-sum test.

    Its ends are differences ``other[j] - base[i]``: those at place k from both ends of the ascending order, k being
    the smallest U whose two-sided p is alpha or more. With U of the test of ``base`` against ``other - shift``, all
    shifts inside have k <= U <= n*m - k, and none outside has. Up to `EXACT` pairs k is that of the exact
    distribution without ties, as in Hollander and Wolfe's book: without equal values a shift lies inside if and
    only if that test has ``p >= alpha``; with equal values, whose distribution isn't the same for all shifts and a
    little narrower, `mann_whitney` may have a p slightly below alpha for a shift just inside. Beyond, k is that of
    the normal approximation, corrected for equal values inside the sides, which is the one that `mann_whitney`
    uses.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.
        alpha: the probability to miss the shift, above 0 and below 1.

    Returns:
        Lower and upper end in the unit of the values; NaN if a side has fewer than `FEWEST` values, or if no shift
        can be excluded at this level.
    """
    n, m = len(base), len(other)
    if min(n, m) < FEWEST:
        return NONE
    if n * m <= EXACT:
        place = _exact_place(n, m, alpha)
    else:
        ties = np.concatenate([doubled_midranks(levelled(side))[1] for side in (base, other)])
        place = normal_place(n * m, _deviation(n, m, ties), alpha)
    if place < 1:
        return NONE
    low, high = smallest_sums(other, np.sort(-base), [place - 1, n * m - place])
    return low, high


def levelled(values: np.ndarray, noise: np.ndarray | None = None) -> np.ndarray:
    """Give values that differ by rounding noise alone the same value, the smallest of them.

    Args:
        values: float64, shape (n,), in any order, which is kept.
        noise: float64, shape (n,), how much of each value is noise; `descriptive.NOISE` of the value by default.
    """
    noise = descriptive.NOISE * np.abs(values) if noise is None else noise
    order = np.argsort(values, kind="stable")
    ordered, noise = values[order], noise[order]
    with np.errstate(over="ignore"):
        begins = np.concatenate([[True], np.diff(ordered) > np.maximum(noise[1:], noise[:-1])])
    level = np.empty(len(values))
    level[order] = ordered[begins][np.cumsum(begins) - 1]
    return level


def doubled_midranks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank values from 1, equal ones by the mean of their ranks.

    Args:
        values: float64, shape (n,), n >= 1.

    Returns:
        Twice the rank of each value, int64, shape (n,); and how often each distinct value occurs, int64.
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(counts) - counts + 1)[place], counts


def tie_term(ties: np.ndarray) -> float:
    """The sum of ``t^3 - t`` over the sizes t of groups of equal values."""
    sizes = ties.astype(np.float64)
    return float((sizes**3 - sizes).sum())


def normal_p(distance: float, deviation: float) -> float:
    """The two-sided p of a rank statistic by the normal approximation with continuity correction.

    Args:
        distance: how far the statistic is from its mean.
        deviation: its standard deviation, corrected for ties; 0 if all values are equal.
    """
    from scipy.special import ndtr

    if deviation == 0.0:
        return 1.0
    return min(1.0, 2.0 * float(ndtr((0.5 - distance) / deviation)))


def normal_place(count: int, deviation: float, alpha: float) -> int:
    """The smallest value of a rank statistic between 0 and ``count`` whose `normal_p` is alpha or more."""
    from scipy.special import ndtri

    if not math.isfinite(quantile := float(ndtri(alpha / 2))):
        return 0
    return max(0, math.ceil(count / 2 - 0.5 + quantile * deviation))


def place_of(tails: np.ndarray, alpha: float) -> int:
    """The smallest value of a rank statistic whose two-sided p is alpha or more.

    Args:
        tails: the probabilities that the statistic is at most 0, 1, 2..., up to its middle.
        alpha: above 0 and below 1.
    """
    return min(int(np.searchsorted(2.0 * tails, alpha)), len(tails) - 1)


def _exact_place(n: int, m: int, alpha: float) -> int:
    """The smallest U whose two-sided p is alpha or more if no values are tied."""
    size = min(n, m)
    smallest = size * (size - 1) // 2
    ways = _count_sums(np.arange(n + m), size, smallest + n * m // 2)[smallest:]
    return place_of(np.cumsum(ways) / math.comb(n + m, size), alpha)


def _deviation(n: int, m: int, ties: np.ndarray) -> float:
    """The standard deviation of U, given the sizes of groups of equal values."""
    total = n + m
    return math.sqrt(max(0.0, n * m / 12 * (total + 1 - tie_term(ties) / (total * (total - 1)))))


def _exact_p(ranks: np.ndarray, n: int) -> float:
    """Twice the smaller tail of the sum of the first n doubled midranks, at most 1."""
    total = len(ranks)
    size = min(n, total - n)
    scores = np.sort(ranks)
    observed = int((ranks[:n] if size == n else ranks[n:]).sum())
    if observed > size * (total + 1):
        # Count from the other end, where the tail is shorter.
        scores, observed = 2 * (total + 1) - scores[::-1], 2 * (total + 1) * size - observed
    observed -= size * int(scores[0])
    scores = scores - scores[0]
    step = max(1, int(np.gcd.reduce(scores)))
    observed //= step
    ways = _count_sums(scores // step, size, observed)
    everything = float(math.comb(total, size))
    lower = float(ways.sum())
    upper = everything - (lower - float(ways[observed]))
    return min(1.0, 2.0 * min(lower, upper) / everything)


def _count_sums(scores: np.ndarray, size: int, limit: int) -> np.ndarray:
    """Count the ways to choose some scores by their sum, by dynamic programming.

    Counts are float64: exact up to 2**53, then with a relative error far below 1e-12, as only sums of positive
    numbers occur.

    Args:
        scores: integers from 0 up, ascending.
        size: how many are chosen.
        limit: the largest sum that is asked for.

    Returns:
        float64, shape (limit + 1,): in how many ways ``size`` of the scores have the sum 0, 1, 2...
    """
    # ways[j, s]: in how many ways j of the scores so far have the sum s.
    ways = np.zeros((size + 1, limit + 1))
    ways[0, 0] = 1.0
    for done, score in enumerate(scores.tolist()):
        if score > limit:
            break
        # Fewer than `few` can't become `size` any more; the sum of those chosen so far is bounded by the latest.
        few, many = max(0, size - (len(scores) - done)), min(done, size - 1)
        reach = min(limit - score, many * score)
        ways[few + 1 : many + 2, score : score + reach + 1] += ways[few : many + 1, : reach + 1]
    result: np.ndarray = ways[size]
    return result
