"""Patterns in runs: what they find, what they leave alone, and how often they speak without a cause."""

from __future__ import annotations

import itertools
import math
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from compare_kernels.statistics import patterns

if TYPE_CHECKING:
    from collections.abc import Callable

CAMPAIGN = bool(os.environ.get("CAMPAIGN"))
NAN = math.nan


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


coarse_values = st.lists(st.integers(0, 9), min_size=2, max_size=80).map(lambda v: np.array(v, dtype=float))
distinct_values = st.lists(st.integers(0, 10**6), min_size=2, max_size=60, unique=True).map(
    lambda v: np.array(v, dtype=float)
)
wild = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20).map(lambda v: np.array(v, dtype=float))
extreme = st.lists(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, 1e-308, 1.7e308, -1.7e308, NAN, math.inf, -math.inf]), max_size=14
).map(lambda v: np.array(v, dtype=float))


# Outliers


def test_modified_z_of_a_value_far_away() -> None:
    # Median 5, distances 0 1 1 2 2 3 95, so a MAD of 2.
    found = patterns.outliers(array(3, 4, 100, 5, 6, 7, 2))
    assert found == patterns.Outliers((2,), (100.0,), (0.6745 * 95 / 2,), 5.0)


def test_the_bound_of_the_modified_z() -> None:
    # Median 0 and MAD 1: the score is 0.6745 times the value.
    below, above = 3.5 / 0.6745 - 0.001, 3.5 / 0.6745 + 0.001
    assert patterns.outliers(array(-2, -1, 0, 1, below)) is None
    found = patterns.outliers(array(-2, -1, 0, 1, above))
    assert found is not None
    assert found.positions == (4,)
    both = patterns.outliers(array(-above, -1, -0.5, 0, 1, 1, above))
    assert both is not None
    assert both.positions == (0, 6)


def test_among_equal_values_each_different_one_is_an_outlier() -> None:
    found = patterns.outliers(array(5, 5, 5.001, 5, 4, 5, 5))
    assert found is not None
    assert found.positions == (2, 4)
    assert found.values == (5.001, 4)
    assert found.scores == (math.inf, math.inf)
    assert found.median == 5


def test_rounding_noise_is_no_outlier() -> None:
    assert patterns.outliers(array(0.3, 0.3, 0.3, 0.3, 0.1 + 0.2)) is None
    assert patterns.outliers(np.full(9, 0.1)) is None


def test_positions_count_values_that_are_passed_over() -> None:
    found = patterns.outliers(array(NAN, 3, 4, math.inf, 5, 6, 7, 100))
    assert found is not None
    assert found.positions == (7,)


# Drift


@given(distinct_values)
def test_exact_kendall_agrees_with_scipy(values: np.ndarray) -> None:
    from scipy import stats

    method = "exact" if len(values) <= 50 else "asymptotic"
    expected = stats.kendalltau(np.arange(len(values)), values, method=method)
    tau, p = patterns.kendall(values)
    assert tau == pytest.approx(expected.statistic, rel=1e-12, abs=1e-14)
    assert p == pytest.approx(expected.pvalue, rel=1e-10, abs=1e-300)


@given(coarse_values)
def test_kendall_with_ties_agrees_with_scipy(values: np.ndarray) -> None:
    from scipy import stats

    assume(1 < len(set(values.tolist())) < len(values))
    expected = stats.kendalltau(np.arange(len(values)), values, method="asymptotic")
    tau, p = patterns.kendall(values)
    assert tau == pytest.approx(expected.statistic, rel=1e-12, abs=1e-14)
    assert p == pytest.approx(expected.pvalue, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_exact_kendall_by_counting_all_orders(count: int) -> None:
    orders = [np.array(order, dtype=float) for order in itertools.permutations(range(count))]
    taus = [patterns.kendall(order)[0] for order in orders]
    for order, tau in zip(orders, taus, strict=True):
        as_large = sum(abs(other) >= abs(tau) - 1e-12 for other in taus) / len(taus)
        assert patterns.kendall(order)[1] == pytest.approx(as_large, rel=1e-12)


def test_kendall_switches_at_fifty() -> None:
    from scipy import stats

    values = np.random.default_rng(5).normal(0, 1, 51) + np.arange(51) / 30
    for count, method in ((50, "exact"), (51, "asymptotic")):
        expected = stats.kendalltau(np.arange(count), values[:count], method=method).pvalue
        other = stats.kendalltau(
            np.arange(count), values[:count], method="asymptotic" if method == "exact" else "exact"
        ).pvalue
        p = patterns.kendall(values[:count])[1]
        assert p == pytest.approx(expected, rel=1e-10)
        assert p != pytest.approx(other, rel=1e-4)


def test_drift_has_a_direction() -> None:
    rising = array(1, 2, 3, 5, 4, 6, 7, 8)
    found, back = patterns.drift(rising), patterns.drift(rising[::-1])
    assert found is not None
    assert back is not None
    assert found.tau == -back.tau == pytest.approx(26 / 28)
    # As few as one inversion: 1 + 7 of 8! orders at either end.
    assert found.p == pytest.approx(2 * 8 / math.factorial(8), rel=1e-12)


def test_drift_needs_eight_runs_and_an_order() -> None:
    assert patterns.drift(np.arange(7.0)) is None
    assert patterns.drift(np.arange(8.0)) is not None
    assert patterns.drift(array(*range(7), NAN)) is None
    assert patterns.drift(np.full(20, 3.0)) is None
    assert patterns.drift(array(4, 1, 7, 2, 8, 3, 6, 5)) is None


def test_kendall_without_an_answer() -> None:
    for values in (np.empty(0), array(1), array(2, 2), np.full(60, 1.5)):
        assert all(map(math.isnan, patterns.kendall(values)))


# First run slow


def test_a_slow_first_run() -> None:
    from scipy import stats

    found = patterns.first_run_slow(array(130, 100, 101, 99, 102, 98), "lower")
    assert found is not None
    assert found.value == 130
    assert found.median == 100
    assert found.percent == pytest.approx(30)
    assert found.score == pytest.approx(0.6745 * 30 / 1)
    spread = math.sqrt(2.5) * math.sqrt(1 + 1 / 5)
    assert found.p == pytest.approx(stats.t.sf(30 / spread, 4), rel=1e-10)


def test_what_is_worse_depends_on_the_direction() -> None:
    slow, quick = array(130, 100, 101, 99, 102, 98), array(70, 100, 101, 99, 102, 98)
    assert patterns.first_run_slow(slow, "higher") is None
    assert patterns.first_run_slow(quick, "lower") is None
    assert patterns.first_run_slow(slow, "none") is None
    found = patterns.first_run_slow(quick, "higher")
    assert found is not None
    assert found.percent == pytest.approx(30)


@pytest.mark.parametrize(
    "values",
    [
        # Too few.
        (130, 100, 101, 99),
        # Not the first; not the only one; not the worst.
        (100, 130, 101, 99, 102, 98),
        (130, 100, 130, 101, 99, 102, 98),
        (130, 100, 101, 160, 99, 102, 98),
        # Another one is as bad, among so many that they don't hide it.
        (107, 107, *[101, 99, 100] * 15),
        # Not an outlier.
        (104, 100, 101, 99, 102, 98),
        # By Student's t far away and by the modified z not, and the other way round, for four values are few.
        (104, *[101, 99] * 15),
        (104, 100, 100.5, 99.5, 98),
        # One tick of a clock that ticks every half percent.
        (201, 200, 200, 200, 200),
        # All are equal, up to rounding.
        (0.3, 0.3, 0.3, 0.3, 0.3),
        (0.1 + 0.2, 0.3, 0.3, 0.3, 0.3),
        # The first failed.
        (NAN, 130, 100, 101, 99, 102, 98),
    ],
)
def test_a_first_run_like_others(values: tuple[float, ...]) -> None:
    assert patterns.first_run_slow(array(*values), "lower") is None


def test_a_first_run_before_equal_ones() -> None:
    found = patterns.first_run_slow(array(250, 200, 200, 200, 200), "lower")
    assert found == patterns.FirstRunSlow(250.0, 200.0, 25.0, math.inf, 0.0)
    assert patterns.first_run_slow(array(201, 200, 200, 200, 200), "lower", least=0.4) is not None
    zero = patterns.first_run_slow(array(5, 0, 0, 0, 0), "lower")
    assert zero is not None
    assert math.isnan(zero.percent)


# Two levels


def test_two_levels() -> None:
    found = patterns.two_levels(array(10, 20, 10.5, 20.5, 11, 19.5, 20, 10.25))
    assert found == patterns.TwoLevels(10.375, 20.0, 4, 4)


@pytest.mark.parametrize(
    ("values", "low_count"),
    [
        # The wider cluster's range is 2, three times that are 6.
        ((0, 1, 2, 8, 9, 10, 9, 9), None),
        ((0, 1, 2, 8.1, 9.1, 10.1, 9, 9), 3),
        ((0, 0, 0, 0, 0, 6, 7, 8), None),
        ((0, 0, 0, 0, 0, 6.1, 7, 8), 5),
        # Two values are outliers, three are a level.
        ((0, 0.1, 0, 0.1, 0, 0.1, 9, 9), None),
        ((0, 0.1, 0, 0.1, 0, 9, 9, 9), 5),
        ((0, 0, 9, 9.1, 9, 9.1, 9, 9.1), None),
        ((0, 0, 0, 9.1, 9, 9.1, 9, 9.1), 3),
        ((9, 9, 9, 0, 0.1, 0, 0.1), None),
        # A value between the levels, and no levels at all.
        ((0, 0, 0, 0, 5, 9, 9, 9, 9), None),
        ((0, 1, 2, 3, 4, 5, 6, 7), None),
        ((3, 3, 3, 3, 3, 3, 3, 3), None),
        # Two neighbours on a coarse scale, and neighbours by rounding alone.
        ((3, 3, 3, 3, 4, 4, 4, 4), 4),
        ((0.3, 0.3, 0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2), None),
    ],
)
def test_levels(values: tuple[float, ...], low_count: int | None) -> None:
    found = patterns.two_levels(array(*values))
    assert (found and found.low_count) == low_count
    assert patterns.two_levels(array(*values[::-1])) == found


# Coarse


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, 1, 1, 1), None),
        ((1, 1, 1, 2, 4), patterns.Coarse(3, 5, 1.0)),
        ((1, 1, 1.5, 4, 4), patterns.Coarse(3, 5, 0.5)),
        ((1, 1, 1.5, 4, 4, NAN), patterns.Coarse(3, 5, 0.5)),
        ((1, 1, 1, 1, 3), patterns.Coarse(2, 5, 2.0)),
        ((1, 2, 3, 4, 5, 6, 6, 6, 6, 6), None),
        ((1, 2, 3, 4, 5, 5, 5, 5, 5, 5), patterns.Coarse(5, 10, 1.0)),
        ((1, 2, 3, 4, 5), None),
        ((0.1 + 0.2, 0.3, 0.3, 0.4, 0.4), patterns.Coarse(2, 5, 0.4 - (0.1 + 0.2))),
    ],
)
def test_coarse(values: tuple[float, ...], expected: patterns.Coarse | None) -> None:
    # Three of five distinct are 60 %, which isn't fewer.
    expected = None if expected and expected.distinct * 10 >= expected.count * 6 else expected
    assert patterns.coarse(array(*values)) == expected


def test_equal_values_have_no_step() -> None:
    found = patterns.coarse(np.full(5, 7.0))
    assert found is not None
    assert (found.distinct, found.count) == (1, 5)
    assert math.isnan(found.step)


# Spread


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=30),
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=30),
)
def test_brown_forsythe_agrees_with_scipy(left: list[int], right: list[int]) -> None:
    from scipy import stats

    base, other = np.array(left) * 0.1, np.array(right) * 0.1
    statistic, p = patterns.brown_forsythe(base, other)
    assume(math.isfinite(statistic))
    expected = stats.levene(base, other, center="median")
    assert statistic == pytest.approx(expected.statistic, rel=1e-10, abs=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-10, abs=1e-12)
    assert patterns.brown_forsythe(other, base)[1] == pytest.approx(p, rel=1e-10, abs=1e-14)


def test_a_changed_spread() -> None:
    from scipy import stats

    rng = np.random.default_rng(3)
    base, other = rng.normal(100, 1, 12), rng.normal(100, 30, 12)
    found = patterns.spread_changed(base, other)
    assert found is not None
    assert found.base == pytest.approx(base.std(ddof=1))
    assert found.other == pytest.approx(other.std(ddof=1))
    assert found.p == pytest.approx(stats.levene(base, other, center="median").pvalue, rel=1e-10)
    assert patterns.spread_changed(base, base + 50) is None
    wide = np.tile([70.0, 130.0], 6)
    assert stats.levene(base[:4], wide, center="median").pvalue < 0.01
    assert patterns.spread_changed(base[:4], wide) is None
    assert patterns.spread_changed(wide, base[:4]) is None
    assert patterns.spread_changed(base[:5], wide) is not None
    assert patterns.spread_changed(array(1, 1, 1, 1, NAN), array(2, 4, 2, 4, 9)) is None


def test_spreads_without_a_spread() -> None:
    assert all(map(math.isnan, patterns.brown_forsythe(array(1, 1, 1), array(2, 2, 2))))
    assert all(map(math.isnan, patterns.brown_forsythe(array(1), array(2, 3))))
    assert patterns.brown_forsythe(array(1, 1, 1, 1), array(2, 4, 2, 4)) == (math.inf, 0.0)
    # Distances that differ by rounding alone.
    assert all(map(math.isnan, patterns.brown_forsythe(array(0.1, 0.3, 0.1, 0.3), array(1.1, 1.3, 1.1, 1.3))))
    assert patterns.spread_changed(np.full(6, 3.0), np.full(6, 4.0)) is None


# Noisy


def test_noisy() -> None:
    assert patterns.noisy(10.0) is None
    assert patterns.noisy(10.1) == 10.1
    assert patterns.noisy(-10.1) == 10.1
    assert patterns.noisy(3.0, threshold=2.5) == 3.0
    assert patterns.noisy(NAN) is None


# All of them


def every_pattern(values: np.ndarray, other: np.ndarray) -> list[object]:
    return [
        patterns.outliers(values),
        patterns.drift(values),
        patterns.first_run_slow(values, "lower"),
        patterns.first_run_slow(values, "higher"),
        patterns.two_levels(values),
        patterns.coarse(values),
        patterns.spread_changed(values, other),
    ]


@given(st.one_of(wild, extreme), st.one_of(wild, extreme))
def test_no_value_raises_or_warns(values: np.ndarray, other: np.ndarray) -> None:
    before = values.copy()
    with np.errstate(over="warn", invalid="warn", divide="warn"):
        every_pattern(values, other)
    assert np.array_equal(values, before, equal_nan=True)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_values_have_few_patterns(count: int) -> None:
    assert every_pattern(np.full(count, 2.0), np.full(count, 3.0)) == [None] * 7


@given(
    st.lists(st.integers(1, 30), min_size=5, max_size=20).map(lambda v: np.array(v, dtype=float)),
    st.sampled_from([2.0**-60, 2.0**10, 2.0**900]),
)
def test_the_unit_does_not_matter(values: np.ndarray, scale: float) -> None:
    plain, scaled = every_pattern(values, values[::-1] * 3), every_pattern(values * scale, values[::-1] * 3 * scale)
    assert [found is None for found in plain] == [found is None for found in scaled]
    first, again = patterns.outliers(values), patterns.outliers(values * scale)
    if first and again:
        assert first.scores == again.scores
        assert first.median * scale == again.median


def share(found: Callable[[np.ndarray, np.ndarray], object], runs: int, sigma: float = 0.0) -> float:
    """How often something is found in values that have no pattern: normal ones, or log-normal ones with a sigma."""
    repeats = 20_000 if CAMPAIGN else 1500
    rng = np.random.default_rng(runs)
    values = rng.normal(0, 1, (repeats, 2, runs))
    values = np.exp(values * sigma) if sigma else 100 + values
    return sum(found(base, other) is not None for base, other in values) / repeats


NOTHING = [
    (lambda base, _: patterns.drift(base), 8, 0.01),
    (lambda base, _: patterns.drift(base), 20, 0.01),
    (lambda base, _: patterns.first_run_slow(base, "lower", 0.0), 5, 0.01),
    (lambda base, _: patterns.first_run_slow(base, "higher", 0.0), 10, 0.01),
    (lambda base, _: patterns.two_levels(base), 8, 0.002),
    (lambda base, _: patterns.two_levels(base), 30, 0.002),
    (lambda base, _: patterns.coarse(base), 10, 0.0),
    (patterns.spread_changed, 5, 0.01),
    (patterns.spread_changed, 6, 0.01),
    (patterns.spread_changed, 20, 0.01),
]


@pytest.mark.parametrize(("found", "runs", "level"), NOTHING)
def test_values_without_a_pattern_rarely_show_one(
    found: Callable[[np.ndarray, np.ndarray], object], runs: int, level: float
) -> None:
    repeats = 20_000 if CAMPAIGN else 1500
    assert share(found, runs) <= level + 3 * math.sqrt(level * (1 - level) / repeats)


def test_outliers_are_found_as_often_as_the_documentation_says() -> None:
    for runs, expected in ((3, 0.30), (5, 0.20), (10, 0.13)):
        assert share(lambda base, _: patterns.outliers(base), runs) == pytest.approx(expected, abs=0.035)
