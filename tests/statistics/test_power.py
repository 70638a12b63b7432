"""Power against published tables, a formula of its own, and simulated comparisons."""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special

from compare_kernels.statistics.power import (
    MOST_RUNS,
    detectable_effect,
    pooled,
    power_of,
    runs_for_margin,
    runs_needed,
    smallest_detectable_change,
)

CAMPAIGN = bool(os.environ.get("CAMPAIGN"))

# To two decimals; n = 10 is 1.3249.
DETECTABLE = {2: 5.65, 3: 3.07, 4: 2.38, 5: 2.02, 6: 1.80, 8: 1.51, 10: 1.32, 15: 1.06, 20: 0.91, 30: 0.74}
RUNS = {0.2: 394, 0.3: 176, 0.5: 64, 0.8: 26, 1: 17, 1.5: 9, 2: 6, 3: 4}

counts = st.integers(2, 300)
effects = st.floats(0.05, 20)
alphas = st.sampled_from([0.2, 0.05, 0.01, 0.05 / 60])
powers = st.sampled_from([0.5, 0.8, 0.9, 0.99])


def integrated_power(effect: float, n_base: int, n_other: int, alpha: float) -> float:
    """The probability that |z + shift| > critical * s, over the density of s, the estimate of a deviation of 1."""
    df = n_base + n_other - 2
    critical = special.stdtrit(df, 1 - alpha / 2)
    shift = effect / math.sqrt(1 / n_base + 1 / n_other)

    def seen(s: float) -> float:
        log_density = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
        log_density += (df - 1) * math.log(s) - df * s * s / 2
        both = special.ndtr(shift - critical * s) + special.ndtr(-shift - critical * s)
        return math.exp(log_density) * both

    width = 9 / math.sqrt(df)
    edges = {max(1e-12, 1 - width), 1.0, 1 + width}
    inside = {shift / critical + step / critical for step in (-6, 0, 6)}
    points = sorted(edges | {point for point in inside if min(edges) < point < max(edges)})
    return sum(integrate.quad(seen, *part, epsabs=1e-11, limit=200)[0] for part in itertools.pairwise(points))


@pytest.mark.parametrize(("runs", "effect"), DETECTABLE.items())
def test_published_effects(runs: int, effect: float) -> None:
    assert round(detectable_effect(runs, runs), 2) == effect


@pytest.mark.parametrize(("effect", "runs"), RUNS.items())
def test_published_runs(effect: float, runs: int) -> None:
    assert runs_needed(effect) == runs
    assert runs_needed(-effect) == runs


@given(effects, counts, counts, alphas)
def test_power_by_another_formula(effect: float, n_base: int, n_other: int, alpha: float) -> None:
    assert power_of(effect, n_base, n_other, alpha) == pytest.approx(
        integrated_power(effect, n_base, n_other, alpha), abs=2e-5
    )


@given(counts, counts, alphas, powers)
def test_the_detectable_effect_has_the_power(n_base: int, n_other: int, alpha: float, power: float) -> None:
    effect = detectable_effect(n_base, n_other, alpha, power)
    assert integrated_power(effect, n_base, n_other, alpha) == pytest.approx(power, abs=2e-5)
    assert effect == pytest.approx(detectable_effect(n_other, n_base, alpha, power), rel=1e-6)


@given(effects, alphas, powers)
def test_the_runs_needed_reach_the_power_and_one_less_does_not(effect: float, alpha: float, power: float) -> None:
    runs = runs_needed(effect, alpha, power)
    assert runs is not None
    assert integrated_power(effect, runs, runs, alpha) >= power - 2e-5
    assert runs == 2 or integrated_power(effect, runs - 1, runs - 1, alpha) < power + 2e-5


def welch_p(base: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Welch's p for each row of two matrices."""
    terms = [side.var(axis=1, ddof=1) / side.shape[1] for side in (base, other)]
    parts = [term**2 / (side.shape[1] - 1) for term, side in zip(terms, (base, other), strict=True)]
    df = (terms[0] + terms[1]) ** 2 / (parts[0] + parts[1])
    t = (base.mean(axis=1) - other.mean(axis=1)) / np.sqrt(terms[0] + terms[1])
    return 2 * special.stdtr(df, -abs(t))


@pytest.mark.parametrize("effect", [0.3, 0.5, 1, 1.5, 2, 3])
def test_simulated_comparisons_reach_the_power(effect: float) -> None:
    runs = runs_needed(effect)
    assert runs is not None
    repeats = 200_000 // max(10, runs) * (10 if CAMPAIGN else 1)
    rng = np.random.default_rng(1)
    base, other = rng.normal(0, 1, (repeats, runs)), rng.normal(effect, 1, (repeats, runs))
    share = float(np.mean(welch_p(base, other) < 0.05))
    # A whole number of runs has more power than was asked for; how much more is known.
    assert share == pytest.approx(max(0.8, power_of(effect, runs, runs)), abs=0.05)
    assert share > 0.75


def test_unequal_deviations_are_pooled_well() -> None:
    rng = np.random.default_rng(2)
    change = smallest_detectable_change(2, 6, 12, 12)
    base, other = rng.normal(100, 2, (10_000, 12)), rng.normal(100 + change, 6, (10_000, 12))
    assert float(np.mean(welch_p(base, other) < 0.05)) == pytest.approx(0.8, abs=0.05)


def test_a_smaller_alpha_asks_for_more() -> None:
    assert [runs_needed(1, 0.05 / tests) for tests in (1, 10, 60)] == [17, 29, 38]
    assert detectable_effect(10, 10, 0.05 / 60) > 1.5 * detectable_effect(10, 10)


@given(counts, effects, alphas)
def test_more_runs_and_larger_effects_are_seen_better(runs: int, effect: float, alpha: float) -> None:
    assert power_of(effect, runs + 1, runs, alpha) >= power_of(effect, runs, runs, alpha) - 1e-6
    assert power_of(effect * 1.1, runs, runs, alpha) >= power_of(effect, runs, runs, alpha) - 1e-6
    assert detectable_effect(runs + 1, runs, alpha) < detectable_effect(runs, runs, alpha) + 1e-6


def test_in_percent() -> None:
    assert pooled(3, 4) == pytest.approx(math.sqrt(12.5))
    assert smallest_detectable_change(2, 2, 10, 10) == pytest.approx(2 * 1.3249474)
    assert smallest_detectable_change(3, 4, 5, 8, alpha=0.01, power=0.9) == pytest.approx(
        math.sqrt(12.5) * detectable_effect(5, 8, 0.01, 0.9)
    )
    assert runs_for_margin(2, 2, 1) == runs_needed(0.5) == 64
    assert runs_for_margin(2, 2, -1) == 64
    assert runs_for_margin(2, 2, 1, alpha=0.05 / 60) == runs_needed(0.5, 0.05 / 60)
    assert runs_for_margin(2, 2, 1, power=0.9) == runs_needed(0.5, 0.05, 0.9) == 86


def test_without_spread_any_change_is_seen() -> None:
    assert smallest_detectable_change(0, 0, 5, 5) == 0
    assert runs_for_margin(0, 0, 1) == 2


@pytest.mark.parametrize("effect", [5e-324, 1e-9, 0.0, 0.002, math.nan])
def test_effects_that_are_too_small(effect: float) -> None:
    assert runs_needed(effect) is None
    assert runs_for_margin(1, 1, effect) is None


def test_the_limit() -> None:
    smallest = detectable_effect(MOST_RUNS, MOST_RUNS)
    assert runs_needed(smallest * 1.0001) == pytest.approx(MOST_RUNS, rel=1e-3)
    assert runs_needed(smallest * 0.9999) is None


@pytest.mark.parametrize("effect", [6.0, 1e3, 1e6, 1e300, math.inf])
def test_effects_that_two_runs_show(effect: float) -> None:
    assert runs_needed(effect) == 2
    assert power_of(effect, 2, 2) > 0.8


@pytest.mark.parametrize("alpha", [1e-6, 1e-9, 1e-30, 1e-300])
def test_very_small_alphas(alpha: float) -> None:
    effect = detectable_effect(2, 2, alpha)
    # With t = (d + z) / s and a huge bound, only s matters, whose square is exponential for df = 2.
    critical = -special.stdtrit(2, alpha / 2)
    assert effect == pytest.approx(critical * math.sqrt(-math.log(0.2)), rel=1e-4)


def test_what_is_not_defined() -> None:
    assert math.isnan(detectable_effect(1, 10))
    assert math.isnan(detectable_effect(10, 0))
    assert math.isnan(detectable_effect(10, 10, math.nan))
    assert math.isnan(power_of(math.nan, 3, 3))
    assert math.isnan(smallest_detectable_change(math.nan, 1, 5, 5))
    assert math.isnan(smallest_detectable_change(0, 0, 1, 5))
    assert runs_for_margin(math.nan, 1, 1) is None
    assert detectable_effect(5, 5, 0.05, 0.05) == 0
    assert detectable_effect(5, 5, 0.05, 1) == math.inf
    assert detectable_effect(5, 5, 0, 0.8) == math.inf
    assert detectable_effect(5, 5, 1, 0.8) == 0
    assert power_of(0, 5, 5) == pytest.approx(0.05)
