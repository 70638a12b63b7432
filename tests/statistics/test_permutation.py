"""The permutation test against enumeration and scipy; its interval against the test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import permutation
from compare_kernels.statistics.permutation import permutation_interval, permutation_test

from .material import (
    GOB_NEW,
    GOB_OLD,
    JSON_NEW,
    JSON_OLD,
    alphas,
    array,
    close,
    coarse,
    difference,
    distinct,
    floats,
    is_none,
    permutation_p,
)

units = st.sampled_from([1.0, 0.1, 1e-7, 3e9])


def test_worked_by_hand() -> None:
    # The differences of means of all twenty relabellings are at most 3 in size, which two of them reach.
    result = permutation_test(array(1, 2, 3), array(4, 5, 6), 0)
    assert result.statistic == -3
    assert math.isnan(result.df)
    assert result.p == 0.1
    assert permutation_test(array(1, 2), array(9), 0).p == close(1 / 3)


@given(coarse(1, 6), coarse(1, 6), units)
def test_agrees_with_enumeration(base: list[int], other: list[int], unit: float) -> None:
    result = permutation_test(floats(base, unit), floats(other, unit), 0)
    assert result.statistic == pytest.approx(float(difference(base, other)) * unit, rel=1e-12, abs=1e-12 * unit)
    assert result.p == close(permutation_p(base, other), 1e-14)


@given(coarse(1, 6), coarse(1, 6), st.sampled_from([1e6, -1e6, 1e9]))
def test_a_common_offset_does_not_matter(base: list[int], other: list[int], offset: float) -> None:
    result = permutation_test(floats(base, 0.1) + offset, floats(other, 0.1) + offset, 0)
    assert result.p == close(permutation_p(base, other), 1e-14)


@given(distinct(2, 7), distinct(2, 7))
def test_agrees_with_scipy(base: list[int], other: list[int]) -> None:
    from scipy import stats

    def size(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
        result: np.ndarray = np.abs(first.mean(axis=axis) - second.mean(axis=axis))
        return result

    sides = floats(base), floats(other)
    # scipy's own two-sided p is twice the smaller tail; that of the absolute difference is ours.
    expected = stats.permutation_test(sides, size, vectorized=True, n_resamples=np.inf, alternative="greater")
    assert permutation_test(*sides, 0).p == close(expected.pvalue, 1e-12)


def test_relabellings_are_all_tried_or_drawn() -> None:
    # 6435 relabellings of 7 and 8 values, 12870 of 8 and 8.
    below, above = np.arange(8.0), np.arange(8.0) + 8
    assert permutation_test(below[:7], above, 0).p == close(1 / 6435)
    # The observed one and its opposite are counted when they are drawn, and once at least.
    count = permutation_test(below, above, 0).p * 10_001
    assert count == pytest.approx(round(count), abs=1e-9)
    assert 1 <= count <= 8
    # As many as may be: one value against 9,999, of which one is as far from the mean.
    assert permutation_test(array(-1), np.arange(9999.0), 0).p == close(2 / 10_000)


def test_drawn_relabellings_are_fair() -> None:
    """Each value changes sides as often as it should, and p is near that of all relabellings."""
    chosen = permutation._few_drawn(20, 8, 3)
    assert chosen.shape == (10_000, 8)
    assert all(len(set(row)) == 8 for row in chosen[:100].tolist())
    shares = np.bincount(chosen.ravel(), minlength=20) / 10_000
    assert shares == pytest.approx(np.full(20, 0.4), abs=0.025)
    together = np.mean((chosen == 3).any(axis=1) & (chosen == 17).any(axis=1))
    assert together == pytest.approx(8 / 20 * 7 / 19, abs=0.02)


def test_drawn_p_is_near_the_exact_one() -> None:
    generator = np.random.Generator(np.random.PCG64(11))
    base, other = generator.normal(size=8), generator.normal(size=8) + 1
    pooled = np.concatenate([base, other])
    every = pooled[permutation._all_relabellings(16, 8)].sum(axis=1) - pooled.sum() / 2
    exact = np.mean(np.abs(every) >= abs(base.sum() - pooled.sum() / 2) - 1e-12)
    assert 0.01 < exact < 0.5
    for seed in range(5):
        deviation = math.sqrt(exact * (1 - exact) / 10_000)
        assert permutation_test(base, other, seed).p == pytest.approx(exact, abs=5 * deviation)


def test_p_depends_on_the_seed_alone() -> None:
    results = {permutation_test(GOB_OLD, GOB_NEW, seed).p for seed in range(4)}
    assert len(results) > 1
    np.random.seed(1)  # noqa: NPY002 (the global state must not matter)
    first = permutation_test(GOB_OLD, GOB_NEW, 7), permutation_interval(GOB_OLD, GOB_NEW, 0.05, 7)
    permutation._few_drawn.cache_clear()
    np.random.seed(2)  # noqa: NPY002
    assert (permutation_test(GOB_OLD, GOB_NEW, 7), permutation_interval(GOB_OLD, GOB_NEW, 0.05, 7)) == first
    assert permutation_test(GOB_OLD[::-1], np.sort(GOB_NEW), 7) == first[0]


@pytest.mark.parametrize("chunk", [1, 64, 100_000])
def test_chunks_have_no_effect(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    expected = (
        permutation_test(GOB_OLD, GOB_NEW, 3),
        permutation_interval(GOB_OLD, GOB_NEW, 0.05, 3),
    )
    monkeypatch.setattr(permutation, "_CHUNK", chunk)
    assert permutation_test(GOB_OLD, GOB_NEW, 3) == expected[0]
    assert permutation_interval(GOB_OLD, GOB_NEW, 0.05, 3) == expected[1]


def test_rounding_does_not_decide_what_is_drawn() -> None:
    """Sides whose smallest values deviate equally from their means, as whole numbers and as decimal fractions."""
    base, other = array(-5, -2, -1, 0, 0, 1, 3, 4), array(-5, -3, 0, 0, 0, 1, 3, 4)
    for shift in range(-20, 20):
        expected = permutation_test(base, other + shift, 1).p
        assert permutation_test(base * 0.1 + 0.7, (other + shift) * 0.1 + 0.7, 1).p == expected
        assert permutation_test((other + shift) * 0.1, base * 0.1, 1).p == expected


@given(coarse(1, 12, 40), coarse(1, 12, 40), units, alphas)
def test_symmetry_and_scale(base: list[int], other: list[int], unit: float, alpha: float) -> None:
    plain, back = (floats(base), floats(other)), (floats(other), floats(base))
    scaled = floats(base, unit), floats(other, unit)
    result = permutation_test(*plain, 5)
    assert permutation_test(*scaled, 5).p == result.p
    low, high = permutation_interval(*plain, alpha, 5)
    ends = permutation_interval(*scaled, alpha, 5)
    assert ends == pytest.approx((low * unit, high * unit), nan_ok=True, rel=1e-9, abs=1e-9 * unit)
    if sorted(floats(base) - np.mean(base)) != sorted(floats(other) - np.mean(other)) or len(base) < 8:
        assert permutation_test(*back, 5).p == result.p
        assert permutation_interval(*back, alpha, 5) == pytest.approx((-high, -low), nan_ok=True, abs=1e-9)
    if not math.isnan(low):
        assert low - 1e-9 <= -result.statistic <= high + 1e-9


@given(distinct(2, 11), distinct(2, 11), alphas, st.lists(st.integers(-10_000, 10_000), max_size=8))
def test_the_interval_is_what_the_test_accepts(
    base: list[int], other: list[int], alpha: float, shifts: list[int]
) -> None:
    """A shift is inside if and only if p >= alpha, also of drawn relabellings; the ends belong to it."""
    before, after = floats(base), floats(other)
    low, high = permutation_interval(before, after, alpha, 9)
    if math.isnan(low):
        assert math.isnan(high)
        assert permutation_test(before, after - 1e6, 9).p >= alpha
        assert permutation_test(before, after + 1e6, 9).p >= alpha
        return
    near = 1e-5
    for shift in (low - near, low + near, high - near, high + near, *(shift + 0.123 for shift in shifts)):
        if low + near / 2 > high - near / 2 or min(abs(shift - low), abs(shift - high)) < near / 2:
            continue
        assert (low < shift < high) == (permutation_test(before, after - shift, 9).p >= alpha)
    assert permutation_test(before, after - low, 9).p >= alpha
    assert permutation_test(before, after - high, 9).p >= alpha


def test_json_and_gob() -> None:
    assert permutation_test(JSON_OLD, JSON_NEW, 1).p < 0.001
    low, high = permutation_interval(JSON_OLD, JSON_NEW, 0.05, 1)
    assert -320 < low < -300.8 < high < -280
    assert permutation_test(GOB_OLD, GOB_NEW, 1).p == pytest.approx(0.68, abs=0.03)
    low, high = permutation_interval(GOB_OLD, GOB_NEW, 0.05, 1)
    assert -40 < low < 0 < high < 60


def test_an_interval_that_excludes_nothing_is_none() -> None:
    # Three and three: 20 relabellings, of which the observed one and its opposite are as large for any shift.
    base, other = array(1, 2, 3), array(4, 6, 5)
    assert is_none(permutation_interval(base, other, 0.05, 0))
    assert is_none(permutation_interval(base, other, 0.1, 0))
    low, high = permutation_interval(base, other, 0.101, 0)
    assert low < 3 < high
    # Of 10,001, the observed one alone is a share of 1e-4 / 1.1; as no other is needed, nothing is excluded.
    for seed in range(5):
        assert is_none(permutation_interval(GOB_OLD, GOB_NEW, 1e-4 / 1.1, seed))


def test_how_many_are_needed_is_not_a_matter_of_rounding() -> None:
    for count in range(1, 300):
        for fewest in range(1, count + 1):
            assert permutation._fewest(fewest / count, count) == fewest
            assert permutation._fewest((fewest - 0.5) / count, count) == fewest


@pytest.mark.parametrize("n", [1, 3, 10])
def test_no_spread(n: int) -> None:
    same = np.full(n, 0.2)
    assert permutation_test(same, same, 0).p == 1.0
    if n >= 3:
        assert permutation_test(same, same + 1, 0).p < 0.2
        assert permutation_interval(same, same + 1, 0.2, 0) == pytest.approx((1, 1))


def test_no_values() -> None:
    for base, other in ((array(), array(1)), (array(1), array()), (array(), array())):
        assert math.isnan(permutation_test(base, other, 0).p)
        assert math.isnan(permutation_test(base, other, 0).statistic)
        assert is_none(permutation_interval(base, other, 0.05, 0))
