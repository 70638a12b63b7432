"""The signed-rank test against published values, enumeration and scipy; its interval against the test."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import pairwise
from compare_kernels.statistics.paired import paired_interval, pseudomedian, signed_rank, smallest_paired_p

from .material import (
    JSON_NEW,
    JSON_OLD,
    alphas,
    array,
    close,
    distinct,
    floats,
    is_none,
    signed_rank_of,
    smallest_accepted,
)

# Hollander and Wolfe's depression scale factors, as in the help page of R's wilcox.test: V = 40, one-sided .01953.
VISIT_1 = array(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
VISIT_2 = array(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)

units = st.sampled_from([1.0, 0.1, 1e-7, 3e9])


def pairs(least: int, most: int, top: int = 6) -> st.SearchStrategy[list[tuple[int, int]]]:
    value = st.integers(0, top)
    return st.lists(st.tuples(value, value), min_size=least, max_size=most)


def sides(drawn: list[tuple[int, int]], unit: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return floats([b for b, _ in drawn], unit), floats([o for _, o in drawn], unit)


def test_published_values() -> None:
    result = signed_rank(VISIT_2, VISIT_1)
    assert result.statistic == 40
    assert math.isnan(result.df)
    assert result.p == close(0.0390625, 1e-14)
    assert signed_rank(VISIT_1, VISIT_2).p == result.p
    assert signed_rank(VISIT_1, VISIT_2).statistic == 5
    assert pseudomedian(VISIT_2, VISIT_1) == pytest.approx(0.46, abs=1e-12)


def test_all_pairs_differ_in_one_direction() -> None:
    result = signed_rank(JSON_OLD, JSON_NEW)
    assert result.statistic == 0
    assert result.p == 2 / 1024 == smallest_paired_p(10)


@given(pairs(1, 9), st.sampled_from([1.0, 0.1, 1e-7, 3e9]))
def test_agrees_with_enumeration(drawn: list[tuple[int, int]], unit: float) -> None:
    statistic, p = signed_rank_of([o - b for b, o in drawn])
    result = signed_rank(*sides(drawn, unit))
    assert result.statistic == statistic
    assert result.p == close(p, 1e-13)


@given(distinct(1, 50), st.data())
def test_agrees_with_scipy_without_ties(sizes: list[int], data: st.DataObject) -> None:
    from scipy import stats

    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes)))
    differences = floats([(size + 1) * sign for size, sign in zip(sizes, signs, strict=True)])
    expected = stats.wilcoxon(differences, method="exact")
    result = signed_rank(np.zeros(len(sizes)), differences)
    assert min(result.statistic, len(sizes) * (len(sizes) + 1) / 2 - result.statistic) == expected.statistic
    assert result.p == close(expected.pvalue, 1e-12)


@given(pairs(70, 90, 20))
def test_agrees_with_scipy_beyond_the_limit(drawn: list[tuple[int, int]]) -> None:
    from scipy import stats

    base, other = sides(drawn)
    if np.count_nonzero(base != other) <= 50:
        return
    expected = stats.wilcoxon(other, base, method="asymptotic", correction=True, zero_method="wilcox")
    assert signed_rank(base, other).p == close(expected.pvalue, 1e-12)


@given(pairs(20, 50, 12))
def test_agrees_with_counting_in_whole_numbers(drawn: list[tuple[int, int]]) -> None:
    differences = [o - b for b, o in drawn if o != b]
    sizes = Counter(map(abs, differences))
    ranks = [
        2 * sum(count for other, count in sizes.items() if other < abs(d)) + sizes[abs(d)] + 1 for d in differences
    ]
    ways = Counter({0: 1})
    for rank in ranks:
        ways = ways + Counter({total + rank: count for total, count in ways.items()})
    observed = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    tails = (
        sum(count for total, count in ways.items() if total <= observed),
        sum(count for total, count in ways.items() if total >= observed),
    )
    result = signed_rank(*sides(drawn))
    assert result.statistic == observed / 2
    assert result.p == close(min(1.0, 2 * min(tails) / 2 ** len(ranks)), 1e-13)


def test_rounding_noise_is_zero_or_tied() -> None:
    base, other = array(10.1, 10.3, 0.3, 7.0), array(10.3, 10.5, 0.1 + 0.2, 6.5)
    assert len({float(abs(d)) for d in other - base if d}) == 4
    assert signed_rank(base, other) == signed_rank(array(101, 103, 3, 70), array(103, 105, 3, 65))


def test_noise_of_one_pair_does_not_swallow_another() -> None:
    base, other = array(1e9, 1e-4, 1e-4), array(1e9 + 1, 2e-4, 4e-4)
    assert signed_rank(base, other).statistic == 6
    assert signed_rank(base[1:], other[1:]).statistic == 3


@given(pairs(1, 60), units, alphas)
def test_symmetry_and_scale(drawn: list[tuple[int, int]], unit: float, alpha: float) -> None:
    base, other = sides(drawn)
    scaled = sides(drawn, unit)
    result, back = signed_rank(base, other), signed_rank(other, base)
    n = int(np.count_nonzero(base != other))
    assert result.p == back.p == signed_rank(*scaled).p
    assert result.statistic + back.statistic == n * (n + 1) / 2
    assert pseudomedian(base, other) == -pseudomedian(other, base)
    low, high = paired_interval(base, other, alpha)
    assert paired_interval(other, base, alpha) == pytest.approx((-high, -low), nan_ok=True)
    assert paired_interval(*scaled, alpha) == pytest.approx((low * unit, high * unit), nan_ok=True, abs=1e-9 * unit)
    if not math.isnan(low):
        assert low <= pseudomedian(base, other) <= high


@given(distinct(5, 12), alphas, st.lists(st.integers(-1, 20_001), max_size=10))
def test_with_distinct_differences_the_interval_is_what_the_test_accepts(
    values: list[int], alpha: float, shifts: list[int]
) -> None:
    """Shifts between the Walsh averages, which are halves of integers: inside if and only if p >= alpha."""
    other = floats(values) - 5000
    base = np.zeros(len(values))
    low, high = paired_interval(base, other, alpha)
    if smallest_paired_p(len(values)) >= alpha:
        assert is_none((low, high))
        return
    near = (low - 0.25, low + 0.25, high - 0.25, high + 0.25)
    for shift in (*near, *(shift / 2 - 5000.25 for shift in shifts)):
        assert (low < shift < high) == (signed_rank(base, other - shift).p >= alpha)


def tie_free_place(n: int, alpha: float) -> int:
    counts = Counter(sum(itertools.compress(range(1, n + 1), s)) for s in itertools.product([0, 1], repeat=n))
    tails = list(itertools.accumulate(counts[total] / 2**n for total in range(n * (n + 1) // 2 + 1)))
    return smallest_accepted(tails, alpha)


@given(pairs(4, 9, 4), alphas)
def test_with_ties_the_interval_is_what_the_distribution_without_ties_accepts(
    drawn: list[tuple[int, int]], alpha: float
) -> None:
    n, (base, other) = len(drawn), sides(drawn)
    place, most = tie_free_place(n, alpha), n * (n + 1) / 2
    low, high = paired_interval(base, other, alpha)
    if not place:
        assert is_none((low, high))
        return
    for quarters in range(-19, 20):
        shift = quarters / 4
        if shift in set((other - base).tolist()):
            continue
        positive = signed_rank(base, other - shift).statistic
        if low < shift < high:
            assert place <= positive <= most - place
        elif shift < low or shift > high:
            assert not place <= positive <= most - place


@given(pairs(51, 60, 20), alphas)
def test_beyond_the_limit_the_interval_is_what_the_test_accepts(drawn: list[tuple[int, int]], alpha: float) -> None:
    base, other = sides(drawn)
    low, high = paired_interval(base, other, alpha)
    for shift in (-20.25, low - 0.25, low + 0.25, 0.25, high - 0.25, high + 0.25, 20.25):
        assert (low < shift < high) == (signed_rank(base, other - shift).p >= alpha)


@pytest.mark.parametrize(("equal", "n", "alpha"), [(48, 70, 0.01), (48, 63, 0.01), (48, 70, 0.05), (43, 57, 0.1)])
def test_beyond_the_limit_equal_differences_are_corrected_for(equal: int, n: int, alpha: float) -> None:
    differences = np.concatenate([np.zeros(equal), np.arange(1.0, n - equal + 1)])
    low, high = paired_interval(np.zeros(n), differences, alpha)
    for shift in np.arange(-30.25, 30.5, 0.5):
        assert (low < shift < high) == (signed_rank(np.zeros(n), differences - shift).p >= alpha)


def test_the_limit() -> None:
    from scipy import stats

    differences = np.arange(1.0, 52) * np.tile([1, -1, 1], 17)
    for n, method in ((50, "exact"), (51, "asymptotic")):
        expected = stats.wilcoxon(differences[:n], method=method, correction=True).pvalue
        assert signed_rank(np.zeros(n), differences[:n]).p == close(expected)


def test_many_pairs_need_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    base, other = np.round(generator.normal(size=(2, 90)), 1)
    expected = pseudomedian(base, other), paired_interval(base, other, 0.05)
    monkeypatch.setattr(pairwise, "MATRIX", 50)
    assert (pseudomedian(base, other), paired_interval(base, other, 0.05)) == expected


def test_an_interval_that_excludes_nothing_is_none() -> None:
    base, other = np.zeros(6), array(1, 2, 3, 4, 5, 6)
    assert is_none(paired_interval(base[:5], other[:5], 0.05))
    assert is_none(paired_interval(base, other, smallest_paired_p(6)))
    assert paired_interval(base, other, 0.05) == (1, 6)
    assert [smallest_paired_p(n) for n in (1, 2, 5, 6)] == [1.0, 0.5, 0.0625, 0.03125]


@pytest.mark.parametrize("n", [1, 2, 10, 60])
def test_no_spread(n: int) -> None:
    same = np.full(n, 2.0)
    assert signed_rank(same, same).p == 1.0
    assert signed_rank(same, same).statistic == 0
    assert pseudomedian(same, same + 1) == 1.0
    if n >= 10:
        assert paired_interval(same, same + 1, 0.05) == (1, 1)
        assert paired_interval(same, same, 0.05) == (0, 0)


def test_no_pairs() -> None:
    nothing = array()
    assert math.isnan(signed_rank(nothing, nothing).p)
    assert math.isnan(signed_rank(nothing, nothing).statistic)
    assert math.isnan(pseudomedian(nothing, nothing))
    assert is_none(paired_interval(nothing, nothing, 0.05))
    assert math.isnan(smallest_paired_p(0))


def test_values_that_are_not_paired_are_refused() -> None:
    for call in (signed_rank, pseudomedian):
        with pytest.raises(ValueError, match="3 values can't be paired with 1"):
            call(array(1, 2, 3), array(1))
    with pytest.raises(ValueError, match="3 values can't be paired with 1"):
        paired_interval(array(1, 2, 3), array(1), 0.05)
