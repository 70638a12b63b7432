"""The rank-sum test against published values, enumeration and scipy; its interval against the test."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import pairwise, ranks
from compare_kernels.statistics.ranks import hodges_lehmann, mann_whitney, rank_interval, smallest_p

from .material import (
    GOB_NEW,
    GOB_OLD,
    JSON_NEW,
    JSON_OLD,
    alphas,
    array,
    close,
    coarse,
    distinct,
    floats,
    is_none,
    pairs_won,
    rank_sum_p,
    smallest_accepted,
)

units = st.sampled_from([1.0, 0.1, 1e-7, 3e9])


@pytest.mark.parametrize(
    ("base", "other", "p"),
    [
        (array(-1, -1, -1), array(1, 1, 1), 0.1),
        (array(1, 2, 3, 4), array(5, 6, 7, 8), 0.02857142857142857),
        (array(1, -1, -1, -1), array(-1, 1, 1, 1), 0.4857142857142857),
        (array(9, 8), array(10, 7), 1.0),
        (array(90, 86), array(89, 72), 0.6666666666666666),
        (array(80, 77), array(75, 66.6, 1), 0.2),
        (array(1, 2, 3, 4), array(0.9, 1.1, 0.7), 0.11428571428571428),
        (array(1, 2), array(2.5), 2 / 3),
        (JSON_OLD, JSON_NEW, 1.082508822446903e-05),
        (GOB_OLD, GOB_NEW, 0.4461018857303687),
    ],
)
def test_published_values(base: np.ndarray, other: np.ndarray, p: float) -> None:
    assert mann_whitney(base, other).p == close(p, 1e-14)
    assert mann_whitney(other, base).p == close(p, 1e-14)


def test_published_statistic() -> None:
    result = mann_whitney(array(1, 2, 3, 4), array(0.9, 1.1, 0.7))
    assert result.statistic == 11
    assert math.isnan(result.df)
    # Hollander and Wolfe's permeability constants, as in the help page of R's wilcox.test: W = 35, one-sided .1272.
    first = array(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
    result = mann_whitney(first, array(1.15, 0.88, 0.90, 0.74, 1.21))
    assert result.statistic == 35
    assert result.p / 2 == pytest.approx(0.1272, abs=5e-5)


def test_published_shifts() -> None:
    assert hodges_lehmann(JSON_OLD, JSON_NEW) == -296.5
    assert rank_interval(JSON_OLD, JSON_NEW, 0.05) == (-312, -284)
    assert hodges_lehmann(GOB_OLD, GOB_NEW) == 3
    assert rank_interval(GOB_OLD, GOB_NEW, 0.05) == (-5, 23)


@pytest.mark.parametrize(("n", "p"), [(3, 0.1), (4, 0.0286), (5, 0.0079), (6, 0.0022), (8, 1.6e-4)])
def test_smallest_p(n: int, p: float) -> None:
    assert smallest_p(n, n) == pytest.approx(p, rel=0.03)
    separated = mann_whitney(np.arange(n, dtype=float), np.arange(n, dtype=float) + n)
    assert separated.p == close(smallest_p(n, n), 1e-14)


def test_smallest_p_at_the_edges() -> None:
    assert smallest_p(1, 1) == 1.0
    assert smallest_p(2, 1) == pytest.approx(2 / 3)
    assert math.isnan(smallest_p(0, 5))
    assert smallest_p(100_000, 100_000) == 0.0


@given(coarse(1, 6, 4), coarse(1, 6, 4), units)
def test_agrees_with_enumeration(base: list[int], other: list[int], unit: float) -> None:
    result = mann_whitney(floats(base, unit), floats(other, unit))
    assert result.statistic == pairs_won(base, other)
    assert result.p == close(rank_sum_p(base, other), 1e-13)
    assert result.p >= smallest_p(len(base), len(other)) * (1 - 1e-12)


@given(distinct(2, 60), st.data())
def test_agrees_with_scipy_without_ties(values: list[int], data: st.DataObject) -> None:
    from scipy import stats

    n = data.draw(st.integers(1, len(values) - 1))
    base, other = floats(values[:n]), floats(values[n:])
    expected = stats.mannwhitneyu(base, other, method="exact")
    result = mann_whitney(base, other)
    assert result.statistic == expected.statistic
    assert result.p == close(expected.pvalue, 1e-12)


def test_agrees_with_scipy_at_the_limit() -> None:
    from scipy import stats

    generator = np.random.Generator(np.random.PCG64(5))
    for shift in (0.0, 0.3, 1.0, 3.0, 9.0):
        base, other = generator.normal(size=50), generator.normal(size=50) + shift
        expected = stats.mannwhitneyu(base, other, method="exact").pvalue
        assert mann_whitney(base, other).p == close(expected, 1e-12)
        assert mann_whitney(other, base).p == close(expected, 1e-12)


@given(coarse(51, 70, 20), coarse(51, 70, 20))
def test_agrees_with_scipy_beyond_the_limit(base: list[int], other: list[int]) -> None:
    from scipy import stats

    expected = stats.mannwhitneyu(base, other, method="asymptotic", use_continuity=True)
    result = mann_whitney(floats(base), floats(other))
    assert result.statistic == expected.statistic
    assert result.p == close(expected.pvalue, 1e-12)


@given(coarse(7, 14, 9), coarse(7, 14, 9))
def test_agrees_with_counting_by_groups_of_ties(base: list[int], other: list[int]) -> None:
    """Klotz's recursion: deal out one group of equal values after the other, in whole numbers."""
    n, seen = len(base), 0
    # For each number of values dealt to the baseline and twice its U: the ways.
    ways = Counter({(0, 0): 1})
    for _, size in sorted(Counter(base + other).items()):
        after: Counter[tuple[int, int]] = Counter()
        for (dealt, won), count in ways.items():
            for more in range(min(size, n - dealt) + 1):
                gain = 2 * more * (seen - dealt) + more * (size - more)
                after[dealt + more, won + gain] += count * math.comb(size, more)
        ways, seen = after, seen + size
    observed = int(2 * pairs_won(base, other))
    final = {won: count for (dealt, won), count in ways.items() if dealt == n}
    tails = (
        sum(count for won, count in final.items() if won <= observed),
        sum(count for won, count in final.items() if won >= observed),
    )
    expected = min(1.0, 2 * min(tails) / math.comb(seen, n))
    assert mann_whitney(floats(base), floats(other)).p == close(expected, 1e-13)


def test_a_skewed_distribution_has_its_smaller_tail_doubled() -> None:
    # The ranks of [1] v [1, 1, 1, 2]: 2.5 four times of five, 5 once.
    assert mann_whitney(array(2), array(1, 1, 1, 1)).p == close(2 / 5)
    assert mann_whitney(array(1), array(1, 1, 1, 2)).p == 1.0
    # The smaller tail may lie on the other side than the mean: U is 5 of 10, which 13 of 21 ways reach from below and
    # 9 from above.
    for base, other in ((array(0, 9), array(1, 1, 2, 2, 2)), (array(0, -9), array(-1, -1, -2, -2, -2))):
        assert mann_whitney(base, other).statistic == 5
        assert mann_whitney(base, other).p == close(2 * 9 / 21)
        assert mann_whitney(other, base).p == close(2 * 9 / 21)


def test_rounding_noise_is_tied() -> None:
    base, other = array(0.1 + 0.2, 0.7, 0.9), array(0.3, 0.1 + 0.7, 0.5)
    assert base[0] != other[0]
    assert mann_whitney(base, other) == mann_whitney(array(3, 7, 9), array(3, 8, 5))


@given(coarse(1, 70), coarse(1, 70), units, alphas)
def test_symmetry_and_scale(base: list[int], other: list[int], unit: float, alpha: float) -> None:
    plain, back = (floats(base), floats(other)), (floats(other), floats(base))
    scaled = floats(base, unit), floats(other, unit)
    assert mann_whitney(*plain).p == close(mann_whitney(*back).p, 1e-12)
    assert mann_whitney(*plain).p == mann_whitney(*scaled).p
    assert mann_whitney(*plain).statistic + mann_whitney(*back).statistic == len(base) * len(other)
    mirrored = mann_whitney(-back[0], -back[1])
    assert mirrored.statistic == mann_whitney(*plain).statistic
    assert mirrored.p == close(mann_whitney(*plain).p, 1e-12)
    assert hodges_lehmann(*plain) == -hodges_lehmann(*back)
    low, high = rank_interval(*plain, alpha)
    assert rank_interval(*back, alpha) == pytest.approx((-high, -low), nan_ok=True)
    assert rank_interval(*scaled, alpha) == pytest.approx((low * unit, high * unit), nan_ok=True, abs=1e-9 * unit)
    if not math.isnan(low):
        assert low <= hodges_lehmann(*plain) <= high


def tie_free_place(n: int, m: int, alpha: float) -> int:
    everything = [sum(chosen) - n * (n - 1) // 2 for chosen in itertools.combinations(range(n + m), n)]
    counts = Counter(everything)
    tails = list(itertools.accumulate(counts[u] / len(everything) for u in range(n * m + 1)))
    return smallest_accepted(tails, alpha)


@given(distinct(4, 9), distinct(4, 9), alphas, st.lists(st.integers(-10_000, 10_000), max_size=10))
def test_without_ties_the_interval_is_what_the_test_accepts(
    base: list[int], other: list[int], alpha: float, shifts: list[int]
) -> None:
    """Shifts between the differences, which are integers: inside if and only if p >= alpha."""
    low, high = rank_interval(floats(base), floats(other), alpha)
    if smallest_p(len(base), len(other)) >= alpha:
        assert is_none((low, high))
        return
    for shift in (low - 0.5, low + 0.5, high - 0.5, high + 0.5, *(shift + 0.5 for shift in shifts)):
        # An end that occurs more than once is passed in one step; all else is between neighbours.
        p = mann_whitney(floats(base), floats(other) - shift).p
        assert (low < shift < high) == (p >= alpha)


@given(coarse(4, 6, 9), coarse(4, 6, 9), alphas)
def test_with_ties_the_interval_is_what_the_distribution_without_ties_accepts(
    base: list[int], other: list[int], alpha: float
) -> None:
    n, m = len(base), len(other)
    place = tie_free_place(n, m, alpha)
    low, high = rank_interval(floats(base), floats(other), alpha)
    if not place:
        assert is_none((low, high))
        return
    for doubled in range(-20, 21):
        shift = doubled / 2
        u = mann_whitney(floats(base), floats(other) - shift).statistic
        if low < shift < high:
            assert place <= u <= n * m - place
        elif shift < low or shift > high:
            assert not place <= u <= n * m - place


@given(coarse(51, 60, 30), coarse(51, 60, 30), alphas)
def test_beyond_the_limit_the_interval_is_what_the_test_accepts(
    base: list[int], other: list[int], alpha: float
) -> None:
    low, high = rank_interval(floats(base), floats(other), alpha)
    for shift in (-30.5, low - 0.5, low + 0.5, 0.5, high - 0.5, high + 0.5, 30.5):
        p = mann_whitney(floats(base), floats(other) - shift).p
        assert (low < shift < high) == (p >= alpha)


@pytest.mark.parametrize("n", [51, 57, 63, 70])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_beyond_the_limit_ties_inside_a_side_are_corrected_for(n: int, alpha: float) -> None:
    same, spread = np.zeros(n), np.arange(60.0)
    for base, other in ((same, spread), (spread, same)):
        low, high = rank_interval(base, other, alpha)
        for shift in np.arange(-60.5, 61):
            assert (low < shift < high) == (mann_whitney(base, other - shift).p >= alpha)


def test_many_values_need_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    base, other = np.round(generator.normal(size=90), 1), np.round(generator.normal(size=80), 1)
    expected = hodges_lehmann(base, other), rank_interval(base, other, 0.05)
    monkeypatch.setattr(pairwise, "MATRIX", 50)
    assert (hodges_lehmann(base, other), rank_interval(base, other, 0.05)) == expected


def test_an_interval_that_excludes_nothing_is_none() -> None:
    base, other = array(1, 2, 3, 4), array(11, 22, 33, 44)
    assert is_none(rank_interval(base[:3], other, 0.2))
    assert is_none(rank_interval(base, other, 0.01))
    # At alpha = smallest_p even separated sides have p >= alpha.
    assert is_none(rank_interval(base, other, smallest_p(4, 4)))
    assert rank_interval(base, other, 0.05) == (7, 43)
    assert is_none(rank_interval(np.arange(60.0), np.arange(60.0), 1e-300))


@pytest.mark.parametrize("n", [1, 3, 10, 51])
def test_no_spread(n: int) -> None:
    same = np.full(n, 2.0)
    assert mann_whitney(same, same).p == 1.0
    assert hodges_lehmann(same, same) == 0.0
    if n <= 50:
        assert mann_whitney(same, same + 1).p == close(smallest_p(n, n))
    if n >= 4:
        assert rank_interval(same, same + 1, 0.05) == (1, 1)


def test_no_values() -> None:
    for base, other in ((array(), array(1)), (array(1), array()), (array(), array())):
        assert math.isnan(mann_whitney(base, other).p)
        assert math.isnan(mann_whitney(base, other).statistic)
        assert math.isnan(hodges_lehmann(base, other))
        assert is_none(rank_interval(base, other, 0.05))


def test_a_side_of_one_value_is_exact_far_out() -> None:
    assert mann_whitney(array(-1), np.arange(2500.0)).p == close(2 / 2501)
    assert ranks.EXACT == 2500


def test_extreme_values_are_ranked_like_others() -> None:
    huge = array(-1.7e308, 1.7e308, 5e-324, 0.0)
    assert mann_whitney(huge, huge[:3]) == mann_whitney(array(1, 4, 3, 2), array(1, 4, 3))
