"""The permutation test of the difference of means, and the interval of the shift that belongs to it.

If the kernel makes no difference, every way to deal the values out to the two sides is equally likely: p is the share
of these relabellings whose difference of means is as large as the observed one, or larger. All of them are tried if
they are at most `RELABELLINGS`, else as many are drawn, and the observed one is counted with them.

Sources: E. J. G. Pitman, "Significance tests which may be applied to samples from any populations", Supplement to the
Journal of the Royal Statistical Society 4, 1937; B. Phipson, G. K. Smyth, "Permutation p-values should never be
zero", Statistical Applications in Genetics and Molecular Biology 9, 2010 (why the observed one is counted).
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import NONE, Interval
from compare_kernels.statistics.tests import TestResult

if TYPE_CHECKING:
    from collections.abc import Iterator

RELABELLINGS = 10_000
"""So many relabellings are tried or drawn."""

_CHUNK = 2_000_000


def permutation_test(base: np.ndarray, other: np.ndarray, seed: int) -> TestResult:
    """The permutation test of the difference of arithmetic means, two-sided by its absolute value.

    Differences of means within the rounding noise of the values (`descriptive.NOISE`) are equal to the observed one.
    Neither the order of values nor which side is the baseline matters to p, except to what is drawn if both sides
    have the same deviations from their means.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.
        seed: what is drawn depends on it alone; without effect if all relabellings are tried.

    Returns:
        The statistic is ``mean(base) - mean(other)``, in the unit of the values. NaN throughout if a side has no
        values.
    """
    if not len(base) or not len(other):
        return TestResult(math.nan, math.nan, math.nan)
    small, large, _ = _ordered(base, other)
    pooled = np.concatenate([small, large])
    noise = descriptive.NOISE * float(np.abs(pooled).max())
    pooled = pooled - descriptive.amean(pooled)
    size, total = len(small), len(pooled)
    # As the sum of all is 0, the sum of a part tells the difference of means.
    scale = 1.0 / size + 1.0 / (total - size)
    least = abs(float(pooled[:size].sum())) - noise / scale
    count = _count(total, size)
    extreme = int(count > RELABELLINGS)  # The observed relabelling itself, where it isn't among those that are tried.
    for sums, _ in _relabelled(pooled, size, seed):
        extreme += int((np.abs(sums) >= least).sum())
    return TestResult(descriptive.amean(base) - descriptive.amean(other), math.nan, extreme / count)


def permutation_interval(base: np.ndarray, other: np.ndarray, alpha: float, seed: int) -> Interval:
    """The interval of the shift ``other - base`` at level ``1 - alpha``, by inverting `permutation_test`.

    A shift belongs to the interval, ends included, if the test of ``base`` against ``other - shift`` with the same
    seed has ``p >= alpha``. The difference of means of each relabelling depends linearly on the shift, so each is
    as large as the observed one for an interval of shifts around the observed difference. The ends are order
    statistics of the ends of these, and exact.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.
        alpha: the probability to miss the shift, above 0 and below 1.
        seed: what is drawn depends on it alone.

    Returns:
        Lower and upper end in the unit of the values; NaN if a side has no values, or if no shift can be excluded at
        this level. Without spread on both sides both ends are the difference of means.
    """
    if not len(base) or not len(other):
        return NONE
    small, large, exchanged = _ordered(base, other)
    size, total = len(small), len(small) + len(large)
    centre = descriptive.amean(small) - descriptive.amean(large)
    rest = np.concatenate([small - descriptive.amean(small), large - descriptive.amean(large)])
    # Let the shift be `centre + x`. Of a relabelling that leaves k values in the small side, the difference of
    # means is a - c * x, with c = k / size - (size - k) / (total - size), |c| <= 1; the observed one is -x. The
    # first is as large as the second for all x between a / (1 + c) and -a / (1 - c), one of which is >= 0 and the
    # other <= 0.
    lows, highs = [], []
    for sums, kept in _relabelled(rest, size, seed):
        difference = sums * (1.0 / size + 1.0 / (total - size)) - rest.sum() / (total - size)
        share = kept / size - (size - kept) / (total - size)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = difference / (1.0 + share), -difference / (1.0 - share)
        same = np.abs(share) == 1.0  # Nothing or everything changed sides.
        lows.append(np.where(same, -np.inf, np.minimum(*ends)))
        highs.append(np.where(same, np.inf, np.maximum(*ends)))
    low, high = np.concatenate(lows), np.concatenate(highs)
    count = _count(total, size)
    needed = _fewest(alpha, count) - (count - len(low))
    if needed < 1:
        return NONE
    ends = (
        centre + float(np.partition(low, needed - 1)[needed - 1]),
        centre + float(np.partition(high, len(high) - needed)[len(high) - needed]),
    )
    if not all(map(math.isfinite, ends)):
        return NONE
    return ends if exchanged else (-ends[1], -ends[0])


def _ordered(base: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Sort the sides, and order them by what depends neither on their roles nor on a shift: their sizes, then shapes.

    Returns:
        The side that comes first, which is not the larger one; the second one; and whether the first is ``other``.
    """
    base, other = np.sort(base), np.sort(other)
    if len(base) == len(other):
        shapes = np.array([side - descriptive.amean(side) for side in (base, other)])
        # Nine digits: what rounding leaves of a shift must not decide.
        shapes = np.round(shapes / (float(np.abs(shapes).max()) or 1.0), 9)
        exchanged = shapes[1].tolist() < shapes[0].tolist()
    else:
        exchanged = len(other) < len(base)
    return (other, base, True) if exchanged else (base, other, False)


def _count(total: int, size: int) -> int:
    """How many relabellings there are; one more than `RELABELLINGS`, the observed one, if that many are drawn."""
    count = 1
    for place in range(1, size + 1):
        count = count * (total - size + place) // place
        if count > RELABELLINGS:
            return RELABELLINGS + 1
    return count


def _fewest(alpha: float, count: int) -> int:
    """The smallest number that is a share of alpha or more of the count."""
    fewest = math.ceil(alpha * count)
    return fewest - 1 if (fewest - 1) / count >= alpha else fewest


def _relabelled(pooled: np.ndarray, size: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For chunks of relabellings: the sums of the small side's values, and how many of them were there before."""
    total = len(pooled)
    if _count(total, size) <= RELABELLINGS:
        chunks = iter([_all_relabellings(total, size)])
    elif RELABELLINGS * total <= _CHUNK:
        chunks = iter([_few_drawn(total, size, seed)])
    else:
        chunks = _drawn(total, size, seed)
    for chosen in chunks:
        yield pooled.take(chosen).sum(axis=1), (chosen < size).sum(axis=1)


@lru_cache(maxsize=8)
def _all_relabellings(total: int, size: int) -> np.ndarray:
    """Which values are in the small side, one row for each relabelling: int64, shape (relabellings, size)."""
    places = itertools.chain.from_iterable(itertools.combinations(range(total), size))
    return _kept(np.fromiter(places, dtype=np.int64).reshape(-1, size))


@lru_cache(maxsize=4)
def _few_drawn(total: int, size: int, seed: int) -> np.ndarray:
    """All relabellings that `_drawn` gives; the rows of a report need the same ones again and again."""
    return _kept(np.concatenate(list(_drawn(total, size, seed))))


def _kept(chosen: np.ndarray) -> np.ndarray:
    chosen.flags.writeable = False
    return chosen


def _drawn(total: int, size: int, seed: int) -> Iterator[np.ndarray]:
    """Draw `RELABELLINGS` relabellings in chunks; their length has no effect on what is drawn."""
    generator = np.random.Generator(np.random.PCG64(seed))
    length = max(1, _CHUNK // total)
    for done in range(0, RELABELLINGS, length):
        places = np.tile(np.arange(total), (min(length, RELABELLINGS - done), 1))
        yield generator.permuted(places, axis=1, out=places)[:, :size].copy()
