"""The bootstrap interval against scipy, which draws the same resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import bootstrap
from compare_kernels.statistics.bootstrap import bca_interval

from .material import GOB_NEW, GOB_OLD, JSON_NEW, JSON_OLD, alphas, array, is_none


def skewed(n: int, seed: int, scale: float = 1.0) -> np.ndarray:
    result: np.ndarray = scale * (10 + np.random.Generator(np.random.PCG64(seed)).lognormal(size=n))
    return result


@given(st.integers(10, 40), st.integers(10, 40), st.integers(0, 2**32), alphas)
def test_agrees_with_scipy(n: int, m: int, seed: int, alpha: float) -> None:
    from scipy import stats

    def change(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
        result: np.ndarray = 100 * (second.mean(axis=axis) / first.mean(axis=axis) - 1)
        return result

    base, other = skewed(n, seed), skewed(m, seed + 1, 1.1)
    expected = stats.bootstrap(
        (base, other),
        change,
        n_resamples=500,
        vectorized=True,
        confidence_level=1 - alpha,
        method="BCa",
        rng=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    assert bca_interval(base, other, alpha, seed, 500) == pytest.approx(tuple(expected), rel=1e-12, abs=1e-12)


def test_json_and_gob() -> None:
    for seed in range(3):
        low, high = bca_interval(JSON_OLD, JSON_NEW, 0.05, seed)
        assert low < -17.46 < high  # Of means: 1421.9 v 1722.7.
        assert (low, high) == pytest.approx((-18.3, -16.9), abs=0.1)
        low, high = bca_interval(GOB_OLD, GOB_NEW, 0.05, seed)
        assert low < 0.264 < high
        assert (low, high) == pytest.approx((-1.04, 1.33), abs=0.1)


def test_it_covers_what_it_should() -> None:
    """Of 200 intervals at 90 % of normal data, about nine in ten hold the true change."""
    generator = np.random.Generator(np.random.PCG64(123))
    held = 0
    for seed in range(200):
        base, other = generator.normal(10, 1, 20), generator.normal(10.5, 1, 20)
        low, high = bca_interval(base, other, 0.1, seed, 1000)
        held += low < 5 < high
    assert 165 <= held <= 192


def test_it_depends_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bca_interval(GOB_OLD, GOB_NEW, 0.05, 4)
    assert bca_interval(GOB_OLD, GOB_NEW, 0.05, 5) != expected
    for chunk in (1, 77, 5000):
        np.random.seed(chunk)  # noqa: NPY002 (the global state must not matter)
        monkeypatch.setattr(bootstrap, "_CHUNK", chunk)
        assert bca_interval(GOB_OLD, GOB_NEW, 0.05, 4) == expected


@given(st.integers(0, 1000), st.sampled_from([1e-7, 0.1, 1024.0, 1e12]))
def test_the_unit_does_not_matter(seed: int, unit: float) -> None:
    base, other = skewed(12, seed), skewed(15, seed + 1)
    expected = bca_interval(base, other, 0.05, seed, 500)
    assert bca_interval(base * unit, other * unit, 0.05, seed, 500) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert bca_interval(base, other * 2, 0.05, seed, 500) == pytest.approx([2 * end + 100 for end in expected])


def test_resamples_equal_to_the_observed_count_half() -> None:
    """Decimal fractions, whose means are equal up to rounding, give what whole numbers give."""
    base, other = np.tile([3.0, 7.0], 6), np.tile([1.0, 4.0], 5)
    expected = bca_interval(base, other, 0.05, 3, 2000)
    assert bca_interval(base * 0.1, other * 0.1, 0.05, 3, 2000) == pytest.approx(expected, rel=1e-9)


def test_where_there_is_none() -> None:
    ten = np.arange(1.0, 11.0)
    assert is_none(bca_interval(ten[:9], ten, 0.05, 0))
    assert is_none(bca_interval(ten, ten[:9], 0.05, 0))
    assert is_none(bca_interval(array(), array(), 0.05, 0))
    assert is_none(bca_interval(-ten, ten, 0.05, 0))
    assert is_none(bca_interval(ten * 0, ten, 0.05, 0))
    # Positive on the whole, but without one value, or in some resamples, not.
    assert is_none(bca_interval(array(*[-1] * 9, 10), ten, 0.05, 0))
    assert is_none(bca_interval(array(*[-1] * 8, 5, 5), ten, 0.05, 0))
    assert is_none(bca_interval(array(*[-1] * 3, *[1] * 7), ten, 0.05, 0))
    assert not is_none(bca_interval(ten, -ten, 0.05, 0))


def test_a_baseline_without_one_value_has_to_have_a_positive_mean() -> None:
    base, ten = array(*[-1] * 9, 10), np.arange(1.0, 11.0)
    for seed in range(20):
        # Two resamples, whose means are both positive for some seeds.
        assert is_none(bca_interval(base, ten, 0.05, seed, 2))


def test_resamples_on_one_side_tell_nothing() -> None:
    """Two resamples: they lie on one side, and there is no interval, or on both."""
    seen = set()
    for values in (skewed(10, 1), -skewed(10, 1), np.arange(10.0)):
        for seed in range(20):
            low, high = bca_interval(skewed(10, 2), values, 0.05, seed, 2)
            seen.add(math.isnan(low))
            assert math.isnan(low) or low < high
    assert seen == {True, False}


def test_no_spread() -> None:
    same = np.full(10, 0.1)
    assert bca_interval(same, same, 0.05, 0) == pytest.approx((0, 0), abs=1e-12)
    assert bca_interval(same, same * 3, 0.05, 0) == pytest.approx((200, 200))
    assert bca_interval(same, same * 0, 0.05, 0) == (-100, -100)
    low, high = bca_interval(same, same + np.arange(10), 0.05, 0)
    assert low < 4500 < high


def test_extreme_levels_stay_among_the_resamples() -> None:
    base, other = np.full(10, 1.0), array(*[0] * 9, 1e6)
    for level in (1e-9, 1e-14):
        for values in (other, 1e6 - other):
            low, high = bca_interval(base, values, level, 0)
            assert -100 <= low < high <= 1e8


def test_influences_too_small_for_a_float() -> None:
    assert bca_interval(np.full(10, 1e150), np.arange(10.0), 0.05, 0) == pytest.approx((-100, -100))
