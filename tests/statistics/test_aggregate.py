"""The geometric mean of all changes, and whether its interval holds what it says."""

from __future__ import annotations

import itertools
import math
import os
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import aggregate
from compare_kernels.statistics.aggregate import GeometricMeanChange, geometric_mean_change

if TYPE_CHECKING:
    from collections.abc import Sequence

CAMPAIGN = bool(os.environ.get("CAMPAIGN"))
NAN = math.nan
NONE = pytest.approx((NAN, NAN), nan_ok=True)


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


# The groups of the three columns of specjvm2008-3-kernels.txt; their composites are 211.5015, 211.1453, 211.6766.
SPECJVM = (
    [537.40, 305.47, 284.32, 411.05, 189.96, 46.85, 412.91, 204.23, 36.76, 115.34, 620.55],
    [532.26, 301.08, 282.21, 413.44, 190.87, 46.41, 415.41, 213.46, 35.49, 115.08, 619.95],
    [538.31, 300.71, 284.87, 412.07, 189.42, 47.83, 421.17, 203.17, 35.64, 117.37, 620.39],
)

positive = st.floats(1e-3, 1e6)
sides = st.lists(positive, min_size=2, max_size=6).map(np.array)
rows = st.lists(st.tuples(sides, sides, st.sampled_from(["higher", "lower"])), min_size=1, max_size=5)
wild_sides = st.lists(
    st.one_of(
        st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 5e-324, 1.7e308, -1.7e308, 1.0, -1.0])
    ),
    max_size=5,
).map(lambda v: np.array(v, dtype=float))


def of(*row: tuple[Sequence[float], Sequence[float], str], **options: float) -> GeometricMeanChange:
    base, other, better = zip(*row, strict=True)
    settings = {"seed": 1, "resamples": 1000} | options
    return geometric_mean_change(
        [array(*side) for side in base], [array(*side) for side in other], better, **settings
    )


@pytest.mark.parametrize(("column", "composite"), [(1, 211.1453), (2, 211.6766)])
def test_published_composites(column: int, composite: float) -> None:
    result = of(*(([b], [x], "higher") for b, x in zip(SPECJVM[0], SPECJVM[column], strict=True)))
    assert result.change == pytest.approx(100 * (composite / 211.5015 - 1), abs=5e-5)
    assert (result.rows, result.fixed, result.left_out) == (11, 11, 0)
    assert result.interval == NONE


def test_by_hand() -> None:
    # Twice as fast, and half the rate: together nothing. A mean of 3 against one of 4.
    assert of(([2, 4], [1, 2], "lower"), ([10], [5], "higher")).change == pytest.approx(0)
    assert of(([2, 4], [3, 5], "lower")).change == pytest.approx(-25)
    assert of(([2, 4], [3, 5], "higher")).change == pytest.approx(100 / 3)
    assert of(([1], [2], "higher"), ([1], [8], "higher")).change == pytest.approx(300)


def test_what_is_left_out_is_counted() -> None:
    result = of(
        ([100, 102], [110, 112], "higher"),
        ([100], [110, 112], "higher"),
        ([], [1, 2], "higher"),
        ([1, 2], [], "lower"),
        ([1, NAN], [1, 2], "lower"),
        ([1, 2], [1, math.inf], "lower"),
        ([0, 0], [1, 2], "lower"),
        ([1, 2], [-3, 1], "lower"),
        ([1, 2], [1.0, 1.7e308, -1.7e308], "higher"),
        ([1, 2], [1, 2], "none"),
    )
    assert (result.rows, result.fixed) == (2, 1)
    assert (result.missing, result.not_positive, result.undirected) == (4, 3, 1)
    assert result.left_out == 8
    assert result.change == pytest.approx(100 * (math.sqrt(111 / 101 * 111 / 100) - 1))


def test_nothing_to_average() -> None:
    for result in (geometric_mean_change([], [], [], seed=1), of(([], [], "lower")), of(([0], [1], "lower"))):
        assert math.isnan(result.change)
        assert result.interval == NONE
        assert result.rows == 0


def test_lists_of_different_lengths_are_wrong_usage() -> None:
    with pytest.raises(ValueError, match="zip"):
        geometric_mean_change([array(1)], [array(1)], [], seed=1)


def drawn_quantiles(base: list[float], other: list[float], probabilities: Sequence[float]) -> list[float]:
    """The bootstrap distribution of one row without chance: each of the possible draws once."""

    def logs(side: list[float]) -> np.ndarray:
        n = len(side)
        draws = np.array([np.mean(draw) for draw in itertools.product(side, repeat=n)])
        return math.sqrt(n / (n - 1)) * np.log(draws / np.mean(side))

    differences = np.subtract.outer(logs(other), logs(base)).ravel()
    differences += math.log(np.mean(other) / np.mean(base))
    return [100 * math.expm1(q) for q in np.quantile(differences, probabilities)]


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_interval_of_one_row_by_all_draws(alpha: float) -> None:
    # Skewed, so that the normal distribution of many runs would give another interval.
    base, other = [100.0, 101.0, 103.0, 100.0], [110.0, 104.0, 109.0, 160.0, 107.0]
    result = of((base, other, "higher"), alpha=alpha, resamples=100_000)
    assert result.interval == pytest.approx(drawn_quantiles(base, other, [alpha / 2, 1 - alpha / 2]), abs=0.1)
    low, high = of((base, other, "lower"), alpha=alpha, resamples=100_000).interval
    back = drawn_quantiles(other, base, [alpha / 2, 1 - alpha / 2])
    assert (low, high) == pytest.approx(back, abs=0.1)


def test_a_row_with_a_single_run_counts_but_has_no_noise() -> None:
    noisy = ([100.0, 104, 97, 103], [110.0, 104, 109, 113], "higher")
    alone, together = of(noisy), of(noisy, ([100], [100], "higher"))
    # The same draws, spread over two rows.
    assert [math.log1p(end / 100) for end in together.interval] == pytest.approx(
        [math.log1p(end / 100) / 2 for end in alone.interval]
    )
    assert (together.rows, together.fixed) == (2, 1)


def test_without_spread_the_interval_is_the_change() -> None:
    result = of(([5, 5, 5], [6, 6, 6], "higher"), ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], "lower"))
    assert result.interval == pytest.approx((result.change, result.change))


@pytest.mark.parametrize("runs", [50, 51, 400])
def test_many_runs_have_the_interval_of_their_standard_error(runs: int) -> None:
    rng = np.random.default_rng(runs)
    base, other = rng.normal(100, 5, runs), rng.normal(103, 8, runs)
    result = geometric_mean_change([base], [other], ["higher"], seed=1, resamples=40_000)
    error = math.sqrt(sum((side.std(ddof=1) / side.mean()) ** 2 / runs for side in (base, other)))
    middle = math.log(other.mean() / base.mean())
    expected = [100 * math.expm1(middle + sign * 1.959964 * error) for sign in (-1, 1)]
    assert result.interval == pytest.approx(expected, abs=0.05 * 100 * error)


def test_resamples_without_a_ratio() -> None:
    # A drawn mean of the first base is 0 once in 27 draws; one of -5, -5, 11 is negative if all draws are -5.
    some = of(([0, 4, 5], [3, 4, 5], "lower"), resamples=5000)
    assert math.isfinite(some.interval[0])
    assert some.interval[0] < some.change < some.interval[1]
    # That's 8 draws of 27, on two sides together more than half.
    assert of(([-5, -5, 11], [3, 4, 5], "lower"), resamples=5000).interval != NONE
    assert of(([-5, -5, 11], [-5, -5, 11], "lower"), resamples=5000).interval == NONE
    assert of(([1, 2], [3, 4], "lower"), resamples=0).interval == NONE


@given(rows)
def test_swapping_the_sides_mirrors_the_change(rows: list[tuple[np.ndarray, np.ndarray, str]]) -> None:
    base, other, better = zip(*rows, strict=True)
    there = geometric_mean_change(base, other, better, seed=1, resamples=200)
    back = geometric_mean_change(other, base, better, seed=1, resamples=200)
    opposite = ["lower" if one == "higher" else "higher" for one in better]
    turned = geometric_mean_change(base, other, opposite, seed=1, resamples=200)
    assert (1 + there.change / 100) * (1 + back.change / 100) == pytest.approx(1, rel=1e-6)
    assert (1 + there.change / 100) * (1 + turned.change / 100) == pytest.approx(1, rel=1e-6)
    assert there.interval[0] <= there.interval[1]


@given(rows, st.sampled_from([1e-300, 1e-6, 1024.0, 1e290]))
def test_the_unit_does_not_matter(rows: list[tuple[np.ndarray, np.ndarray, str]], scale: float) -> None:
    base, other, better = zip(*rows, strict=True)
    plain = geometric_mean_change(base, other, better, seed=1, resamples=200)
    units = [scale] + [1.0] * (len(rows) - 1)
    scaled = geometric_mean_change(
        [side * unit for side, unit in zip(base, units, strict=True)],
        [side * unit for side, unit in zip(other, units, strict=True)],
        better,
        seed=1,
        resamples=200,
    )
    assert scaled.change == pytest.approx(plain.change, rel=1e-6, abs=1e-6)
    assert scaled.interval == pytest.approx(plain.interval, rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(wild_sides, wild_sides, st.sampled_from(["higher", "lower", "none"])), max_size=4))
def test_no_value_raises_or_warns(rows: list[tuple[np.ndarray, np.ndarray, str]]) -> None:
    base, other, better = zip(*rows, strict=True) if rows else ((), (), ())
    result = geometric_mean_change(base, other, better, seed=1, resamples=50)
    assert result.rows + result.left_out == len(rows)


def test_the_seed_alone_decides() -> None:
    row = ([100, 104, 97, 103], [110, 104, 109, 113], "higher")
    np.random.default_rng().random()
    assert of(row, seed=7) == of(row, seed=7)
    assert of(row, seed=7).interval != of(row, seed=8).interval


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_the_interval_holds_the_truth_as_often_as_it_says(runs: int) -> None:
    repeats = 3000 if CAMPAIGN else 400
    rng = np.random.default_rng(runs)
    hits = 0
    for seed in range(repeats):
        base, other = rng.normal(100, 5, (20, runs)), rng.normal(100, 5, (20, runs))
        low, high = geometric_mean_change(base, other, ["lower"] * 20, seed=seed, resamples=300).interval
        hits += low <= 0 <= high
    # Without the stretch it would be 89 % with 3 runs.
    assert hits / repeats == pytest.approx(0.95, abs=0.01 + 3 * math.sqrt(0.95 * 0.05 / repeats))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    base, other = (list(rng.normal(100, 5, (60, 50))) for _ in range(2))
    tracemalloc.start()
    whole = geometric_mean_change(base[:4], other[:4], ["lower"] * 4, seed=1)
    geometric_mean_change(base[:1], other[:1], ["lower"], seed=1, resamples=200_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    monkeypatch.setattr(aggregate, "_CHUNK", 10_000)
    parts = geometric_mean_change(base[:4], other[:4], ["lower"] * 4, seed=1)
    assert parts.interval == pytest.approx(whole.interval, abs=0.1)
