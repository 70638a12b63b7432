"""The arithmetic against published values, against scipy, and against what must hold for any numbers."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.intervals import change_interval, mean_interval
from compare_kernels.statistics.tests import welch

JSON_OLD = np.array([1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774], dtype=float)
JSON_NEW = np.array([1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425], dtype=float)
GOB_OLD = np.array([3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062], dtype=float)
GOB_NEW = np.array([3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062], dtype=float)

numbers = st.floats(1e-3, 1e9).map(lambda value: float(f"{value:.6g}"))
groups = st.lists(numbers, min_size=2, max_size=30).map(np.array)
directions = st.sampled_from(["higher", "lower", "none"])


def test_welch_on_the_published_gob_numbers() -> None:
    result = welch(GOB_OLD, GOB_NEW)
    assert result.statistic == pytest.approx(-0.4185247059584141, rel=1e-12)
    assert result.df == pytest.approx(17.86468520388532, rel=1e-12)
    assert result.p == pytest.approx(0.6805519068287972, rel=1e-12)


def test_published_medians_and_change() -> None:
    assert descriptive.median(JSON_OLD) == 1718
    assert descriptive.median(JSON_NEW) == 1422.5
    assert descriptive.median(GOB_OLD) == 3065.5
    assert descriptive.median(GOB_NEW) == 3070
    assert percent_change(1718, 1422.5, "none") == pytest.approx(-17.20, abs=0.005)
    assert percent_change(1718, 1422.5, "lower") == pytest.approx(17.20, abs=0.005)


def from_moments(n: int, mean: float, deviation: float) -> np.ndarray:
    """n = 5 values with the given mean and deviation."""
    assert n == 5
    shape = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    return mean + shape * deviation / statistics.stdev(shape.tolist())


def test_welch_on_the_published_ministat_numbers() -> None:
    base, other = from_moments(5, 36105.6, 31.165686), from_moments(5, 36142.6, 49.952978)
    assert welch(base, other).p == pytest.approx(0.2045692734, abs=5e-9)


def test_composite_is_the_geometric_mean_of_the_published_groups() -> None:
    columns = {
        211.5015: [537.40, 305.47, 284.32, 411.05, 189.96, 46.85, 412.91, 204.23, 36.76, 115.34, 620.55],
        211.1453: [532.26, 301.08, 282.21, 413.44, 190.87, 46.41, 415.41, 213.46, 35.49, 115.08, 619.95],
        211.6766: [538.31, 300.71, 284.87, 412.07, 189.42, 47.83, 421.17, 203.17, 35.64, 117.37, 620.39],
    }
    for expected, scores in columns.items():
        assert descriptive.gmean(np.array(scores)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("n", "percent", "count"), [(5, 50, 2), (5, 95, 4), (5, 99, 4), (1, 50, 1), (20, 95, 19)])
def test_best_count(n: int, percent: int, count: int) -> None:
    assert descriptive.best_count(n, percent) == count


def test_best_means_take_the_best_end() -> None:
    values = np.array([4.0, 1.0, 3.0, 2.0])
    assert descriptive.best_mean(descriptive.sorted_best_first(values, "lower"), 50, "arithmetic") == 1.5
    assert descriptive.best_mean(descriptive.sorted_best_first(values, "higher"), 50, "arithmetic") == 3.5


def test_what_is_not_defined_is_nan() -> None:
    one = np.array([3.0])
    assert math.isnan(descriptive.stddev(one))
    assert math.isnan(descriptive.coeffvar(one))
    assert math.isnan(descriptive.hmean(np.array([1.0, 0.0])))
    assert math.isnan(descriptive.gmean(np.array([1.0, -1.0])))
    assert math.isnan(descriptive.amean(np.empty(0)))
    assert math.isnan(welch(one, np.array([1.0, 2.0])).p)
    assert all(math.isnan(end) for end in change_interval(one, one, 0.05, "lower"))


def test_equal_decimal_fractions_have_no_deviation() -> None:
    assert descriptive.stddev(np.array([0.199] * 24)) == 0.0


def test_no_spread_at_all() -> None:
    same, other = np.array([2.0, 2.0]), np.array([3.0, 3.0])
    assert welch(same, same).p == 1.0
    assert welch(same, other).no_variance
    assert math.isnan(welch(same, other).p)


@pytest.mark.parametrize(
    ("base", "value", "better", "expected"),
    [
        (100.0, 90.0, "lower", 10.0),
        (100.0, 90.0, "higher", -10.0),
        (100.0, 90.0, "none", -10.0),
        (0.0, 0.0, "lower", 0.0),
        (0.0, 5.0, "lower", math.nan),
        (0.0, 5.0, "higher", math.nan),
        (-1.0, 5.0, "higher", math.nan),
        (math.nan, 5.0, "higher", math.nan),
        (5.0, math.nan, "higher", math.nan),
        (5.0, math.inf, "higher", math.nan),
        (100.0, 0.0, "higher", -100.0),
        (100.0, 0.0, "lower", 100.0),
        (5e-324, 1e308, "higher", math.nan),
    ],
)
def test_percent_change(base: float, value: float, better: str, expected: float) -> None:
    assert percent_change(base, value, better) == pytest.approx(expected, nan_ok=True)


@pytest.mark.filterwarnings("ignore:Precision loss")
@given(groups, groups)
def test_welch_agrees_with_scipy(base: np.ndarray, other: np.ndarray) -> None:
    from scipy import stats

    assume(descriptive.stddev(base) > 1e-9 * abs(base.mean()) or descriptive.stddev(other) > 1e-9 * abs(other.mean()))
    expected = stats.ttest_ind(base, other, equal_var=False)
    result = welch(base, other)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-8, abs=1e-12)


@given(groups)
def test_descriptive_agrees_with_the_standard_library(values: np.ndarray) -> None:
    listed = values.tolist()
    assert descriptive.amean(values) == pytest.approx(statistics.fmean(listed), rel=1e-12)
    assert descriptive.hmean(values) == pytest.approx(statistics.harmonic_mean(listed), rel=1e-12)
    assert descriptive.gmean(values) == pytest.approx(statistics.geometric_mean(listed), rel=1e-12)
    expected = statistics.stdev(listed)
    assert descriptive.stddev(values) == pytest.approx(expected, rel=1e-9, abs=2e-12 * abs(values.mean()))


@given(numbers, numbers, directions)
def test_swapping_the_sides_flips_the_sign(base: float, value: float, better: str) -> None:
    there, back = percent_change(base, value, better), percent_change(value, base, better)
    assert (there > 0) == (back < 0)
    assert (there == 0) == (back == 0)


@given(groups, groups, directions)
def test_swapping_the_sides_mirrors_the_interval(base: np.ndarray, other: np.ndarray, better: str) -> None:
    low, high = change_interval(base, other, 0.05, better)
    back = change_interval(other, base, 0.05, better)
    assert low <= high
    assert welch(base, other).p == pytest.approx(welch(other, base).p, nan_ok=True)
    # On the log scale the interval of the way back is the same one with its ends exchanged.
    sign = -1 if better == "lower" else 1
    assume(max(map(abs, (low, high, *back))) < 1e6)
    forward = sorted(math.log1p(sign * end / 100) for end in (low, high) if sign * end > -100)
    backward = sorted(-math.log1p(sign * end / 100) for end in back if sign * end > -100)
    assert forward == pytest.approx(backward, rel=1e-6, abs=1e-9)


@given(groups, groups, directions, st.sampled_from([1e-3, 60.0, 1024.0, 1e6]))
def test_the_unit_does_not_matter(base: np.ndarray, other: np.ndarray, better: str, scale: float) -> None:
    assert welch(base * scale, other * scale).p == pytest.approx(
        welch(base, other).p, rel=1e-6, abs=1e-9, nan_ok=True
    )
    plain, scaled = (
        change_interval(base, other, 0.05, better),
        change_interval(base * scale, other * scale, 0.05, better),
    )
    assert scaled == pytest.approx(plain, rel=1e-6, abs=1e-6)


@given(groups)
def test_the_order_of_values_does_not_matter(values: np.ndarray) -> None:
    back = values[::-1].copy()
    assert descriptive.amean(values) == descriptive.amean(back)
    assert descriptive.stddev(values) == descriptive.stddev(back)
    assert mean_interval(values, 0.05) == mean_interval(back, 0.05)


def test_long_sums_are_stable() -> None:
    values = np.full(100_001, 1e9)
    values[::2] += 1.0
    assert descriptive.stddev(values) == pytest.approx(0.5, rel=1e-4)
