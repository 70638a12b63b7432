"""Estimates and intervals of the change in percent, for each of the tests."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics.change_intervals import TESTS, change_interval_by, estimated_change
from compare_kernels.statistics.intervals import change_interval
from compare_kernels.statistics.paired import paired_interval, pseudomedian
from compare_kernels.statistics.permutation import permutation_interval
from compare_kernels.statistics.ranks import hodges_lehmann, rank_interval

from .material import JSON_NEW, JSON_OLD, alphas, array, directions, is_none

tests = st.sampled_from(TESTS)
values = st.integers(1, 100_000).map(lambda value: value / 100)
pairs = st.lists(st.tuples(values, values), min_size=8, max_size=12)
signed = st.lists(st.tuples(st.integers(-50, 200), st.integers(-50, 200)), min_size=8, max_size=12)


def sides(drawn: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return array(*(b for b, _ in drawn)), array(*(o for _, o in drawn))


def oriented(ends: tuple[float, float], better: str) -> tuple[float, float]:
    return (-ends[1], -ends[0]) if better == "lower" else ends


@given(pairs, alphas, directions)
def test_positive_values_are_compared_by_their_logarithms(
    drawn: list[tuple[float, float]], alpha: float, better: str
) -> None:
    base, other = sides(drawn)
    logs = np.log(base), np.log(other)
    shifts = {
        "mann-whitney": (hodges_lehmann(*logs), rank_interval(*logs, alpha)),
        "permutation": (float(np.mean(logs[1]) - np.mean(logs[0])), permutation_interval(*logs, alpha, 3)),
        "paired": (pseudomedian(*logs), paired_interval(*logs, alpha)),
    }
    for test, (shift, interval) in shifts.items():
        low, high = (100 * (math.exp(end) - 1) for end in interval)
        expected = oriented((low, high), better)
        assert change_interval_by(test, base, other, alpha, better, 3) == pytest.approx(
            expected, rel=1e-9, abs=1e-9, nan_ok=True
        )
        change = 100 * (math.exp(shift) - 1)
        sign = -1 if better == "lower" else 1
        assert estimated_change(test, base, other, better) == pytest.approx(sign * change, rel=1e-9, abs=1e-9)


@given(signed, alphas, directions)
def test_other_values_are_compared_by_their_difference(
    drawn: list[tuple[float, float]], alpha: float, better: str
) -> None:
    base, other = sides([*drawn, (0.0, 1.0)])
    middle = base.mean()
    shifts = {
        "mann-whitney": (hodges_lehmann(base, other), rank_interval(base, other, alpha)),
        "permutation": (float(other.mean() - middle), permutation_interval(base, other, alpha, 3)),
        "paired": (pseudomedian(base, other), paired_interval(base, other, alpha)),
    }
    for test, (shift, interval) in shifts.items():
        ends, change = (
            change_interval_by(test, base, other, alpha, better, 3),
            estimated_change(test, base, other, better),
        )
        if base.sum() <= 0:
            assert is_none(ends)
            assert math.isnan(change)
            continue
        low, high = (100 * end / middle for end in interval)
        assert ends == pytest.approx(oriented((low, high), better), rel=1e-9, abs=1e-9, nan_ok=True)
        sign = -1 if better == "lower" else 1
        assert change == pytest.approx(sign * 100 * shift / middle, rel=1e-9, abs=1e-9)


@given(pairs | signed, alphas, directions)
def test_welch_is_the_interval_that_there_is(drawn: list[tuple[float, float]], alpha: float, better: str) -> None:
    base, other = sides(drawn)
    ends = change_interval_by("welch", base, other, alpha, better, 0)
    assert ends == pytest.approx(change_interval(base, other, alpha, better), nan_ok=True)
    # On the scale where it is made, the estimate is its middle.
    change = estimated_change("welch", base, other, better)
    if is_none(ends):
        return
    if min(base.min(), other.min()) > 0:
        sign = -1 if better == "lower" else 1
        if max(map(abs, ends)) < 1e6 and min(sign * end for end in ends) > -99.9:
            middle = sum(math.log1p(sign * end / 100) for end in ends) / 2
            assert math.log1p(sign * change / 100) == pytest.approx(middle, rel=1e-6, abs=1e-9)
    else:
        assert change == pytest.approx(sum(ends) / 2, rel=1e-9, abs=1e-6)


@given(tests, pairs | signed, alphas, directions)
def test_the_interval_surrounds_the_estimate(
    test: str, drawn: list[tuple[float, float]], alpha: float, better: str
) -> None:
    base, other = sides(drawn)
    low, high = change_interval_by(test, base, other, alpha, better, 1)
    change = estimated_change(test, base, other, better)
    assert math.isnan(low) == math.isnan(high)
    if not math.isnan(low):
        slack = 1e-9 * (1 + abs(change))
        assert low - slack <= change <= high + slack


@given(tests, pairs, directions, st.sampled_from([1e-3, 60.0, 1024.0]))
def test_sides_and_unit(test: str, drawn: list[tuple[float, float]], better: str, unit: float) -> None:
    base, other = sides(drawn)
    sign = -1 if better == "lower" else 1
    change = estimated_change(test, base, other, better)
    assert estimated_change(test, base * unit, other * unit, better) == pytest.approx(change, rel=1e-6, abs=1e-9)
    back = estimated_change(test, other, base, better)
    assert math.log1p(sign * change / 100) == pytest.approx(-math.log1p(sign * back / 100), rel=1e-6, abs=1e-9)
    ends = change_interval_by(test, base, other, 0.05, better, 1)
    scaled = change_interval_by(test, base * unit, other * unit, 0.05, better, 1)
    assert scaled == pytest.approx(ends, rel=1e-6, abs=1e-6, nan_ok=True)


def test_json() -> None:
    """About -17.2 % in size; better if lower is better."""
    for test in TESTS:
        low, high = change_interval_by(test, JSON_OLD, JSON_NEW, 0.05, "lower", 1)
        change = estimated_change(test, JSON_OLD, JSON_NEW, "lower")
        assert 16 < low < change < high < 19
        assert change_interval_by(test, JSON_OLD, JSON_NEW, 0.05, "higher", 1) == (-high, -low)
        assert estimated_change(test, JSON_OLD, JSON_NEW, "higher") == -change


def test_the_seed_reaches_the_permutations() -> None:
    ends = {change_interval_by("permutation", JSON_OLD, JSON_NEW, 0.05, "lower", seed) for seed in range(4)}
    assert len(ends) > 1


@pytest.mark.parametrize("test", TESTS)
def test_degenerate_sides(test: str) -> None:
    one, nothing = array(3), array()
    assert is_none(change_interval_by(test, nothing, nothing, 0.05, "lower", 0))
    assert math.isnan(estimated_change(test, nothing, nothing, "lower"))
    assert is_none(change_interval_by(test, one, one, 0.05, "lower", 0))
    assert estimated_change(test, one, one * 2, "higher") == pytest.approx(100)
    same = np.full(10, 3.0)
    for better in ("lower", "higher"):
        change = estimated_change(test, same, same, better)
        assert math.copysign(1, change) == 1, "no -0 for a reader"
        assert change == 0
    assert change_interval_by(test, same, same, 0.05, "higher", 0) == pytest.approx((0, 0))
    assert change_interval_by(test, same, same * 2, 0.05, "higher", 0) == pytest.approx((100, 100))


@pytest.mark.parametrize("test", TESTS)
def test_a_baseline_whose_mean_is_not_positive_has_no_percentage(test: str) -> None:
    for base in (np.tile([-1.0, 1.0], 5), np.full(10, -3.0), np.zeros(10)):
        assert is_none(change_interval_by(test, base, np.arange(10.0), 0.05, "lower", 0))
        assert math.isnan(estimated_change(test, base, np.arange(10.0), "lower"))


def test_a_ratio_beyond_all_floats_is_infinite() -> None:
    base, other = np.full(10, 1e-300), np.full(10, 1e300)
    assert estimated_change("mann-whitney", base, other, "higher") == math.inf
    assert change_interval_by("mann-whitney", base, other, 0.05, "lower", 0) == (-math.inf, -math.inf)


def test_an_unknown_test_is_refused() -> None:
    with pytest.raises(ValueError, match="student is none of welch, mann-whitney, permutation, paired"):
        change_interval_by("student", JSON_OLD, JSON_NEW, 0.05, "lower", 0)
    with pytest.raises(ValueError, match="student is none of"):
        estimated_change("student", JSON_OLD, JSON_NEW, "lower")


def test_values_that_are_not_paired_are_refused() -> None:
    with pytest.raises(ValueError, match="can't be paired"):
        change_interval_by("paired", JSON_OLD, JSON_NEW[:9], 0.05, "lower", 0)
    with pytest.raises(ValueError, match="can't be paired"):
        estimated_change("paired", JSON_OLD, JSON_NEW[:9], "lower")


def test_nothing_loads_scipy_stats() -> None:
    """It takes longer to load than everything else together."""
    script = """
import sys
import numpy as np
from compare_kernels.statistics import bootstrap, change_intervals, paired, permutation, ranks
few, many = (np.arange(1.0, n) for n in (13, 99))
for values in (few, many):
    for test in change_intervals.TESTS:
        change_intervals.change_interval_by(test, values, values + 1, 0.05, "lower", 0)
        change_intervals.estimated_change(test, values, values + 1, "lower")
    ranks.mann_whitney(values, values + 1)
    paired.signed_rank(values, values + np.arange(len(values)) - 3)
    permutation.permutation_test(values, values + 1, 0)
    bootstrap.bca_interval(values, values + 1, 0.05, 0)
sys.exit("scipy.stats" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
