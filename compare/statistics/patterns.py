"""Patterns in runs that a reader should know of: each function returns what a message needs, or None.

Nothing is ever dropped because of a pattern. Values are one number per run, in the order of the runs; values that are
not finite are passed over, but count as positions. Thresholds are fixed where they come from the literature. Values
that differ by less than `descriptive.NOISE` of the largest are equal: binary fractions differ by that without cause.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass

import numpy as np

from compare_kernels.statistics import descriptive

SIGNIFICANT = 0.01
"""The level of the tests here: lower than that of comparisons, for nobody asked for them."""

MODIFIED_Z = 3.5
"""A modified z above this makes an outlier."""

_EXACT = 50


@dataclass(frozen=True, slots=True)
class Outliers:
    """Values far away from the others.

    Attributes:
        positions: where they are, counted from 0.
        values: the values, in the same order.
        scores: their modified z, unsigned; infinite if at least half of all values are equal (MAD = 0).
        median: the median of all values.
    """

    positions: tuple[int, ...]
    values: tuple[float, ...]
    scores: tuple[float, ...]
    median: float


def outliers(values: np.ndarray) -> Outliers | None:
    """Find the values whose modified z, ``0.6745 * |v - median| / MAD``, is above 3.5.

    If the MAD is 0, since at least half of the values are equal, each different value is an outlier. Source: B.
    Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers", ASQC 1993. In few runs the rule is quick to
    speak: among 3 normal values it finds one in 30 % of all cases, among 5 in 20 %, among 10 in 13 %.
    """
    positions = np.flatnonzero(np.isfinite(values))
    if not len(positions):
        return None
    scaled, exponent = _scaled(values[positions])
    middle = float(np.median(scaled))
    scores = _modified_z(scaled, scaled)
    far = scores > MODIFIED_Z
    if not far.any():
        return None
    found = positions[far]
    return Outliers(
        tuple(found.tolist()),
        tuple(values[found].tolist()),
        tuple(scores[far].tolist()),
        math.ldexp(middle, exponent),
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """Values that rise or fall from run to run.

    Attributes:
        tau: Kendall's tau-b of the values against the order of runs, from -1 (each falls) to 1 (each rises).
        p: the two-sided probability of so large a tau in runs without an order.
    """

    tau: float
    p: float


def drift(values: np.ndarray) -> Drift | None:
    """Tell whether values rise or fall with the order of runs: p < 0.01, from 8 runs on."""
    usable = values[np.isfinite(values)]
    if len(usable) < 8:
        return None
    tau, p = kendall(usable)
    return Drift(tau, p) if p < SIGNIFICANT else None


def kendall(values: np.ndarray) -> tuple[float, float]:
    """Kendall's tau-b of values against their order, and its two-sided p-value.

    Without ties and up to 50 values, p is exact: the number of permutations with as few inversions. Otherwise it
    comes from the normal approximation, whose variance is corrected for ties. Source: M. G. Kendall, "Rank
    Correlation Methods", 4th edition, 1970; `scipy.stats.kendalltau` gives the same.

    Returns:
        tau and p; NaN for fewer than two values or if all are equal.
    """
    count = len(values)
    pairs = count * (count - 1) // 2
    before: list[float] = []
    concordant = discordant = 0
    for value in values.tolist():
        concordant += bisect_left(before, value)
        discordant += len(before) - bisect_right(before, value)
        insort(before, value)
    if not concordant + discordant:
        return math.nan, math.nan
    score = concordant - discordant
    tau = score / math.sqrt(pairs) / math.sqrt(concordant + discordant)
    if count <= _EXACT and concordant + discordant == pairs:
        few = min(concordant, discordant)
        return tau, min(1.0, 2.0 * math.fsum(_inversions(count)[: few + 1]))
    ties = np.unique(values, return_counts=True)[1].tolist()
    variance = (2 * pairs * (2 * count + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    return tau, math.erfc(abs(score) / math.sqrt(2.0 * variance))


@functools.lru_cache(maxsize=64)
def _inversions(count: int) -> tuple[float, ...]:
    """How probable 0, 1, 2... inversions are in a random permutation of ``count`` values."""
    chances = np.ones(1)
    for size in range(2, count + 1):
        # The value number `size` adds 0 to size - 1 inversions, all equally likely.
        chances = np.convolve(chances, np.full(size, 1.0 / size))
    return tuple(chances.tolist())


@dataclass(frozen=True, slots=True)
class FirstRunSlow:
    """A first run that is worse than all others.

    Attributes:
        value: the first run's value.
        median: the median of the other runs.
        percent: how much worse the first is than that median, in percent of it, > 0; NaN if the median is 0.
        score: its modified z against the other runs; infinite if at least half of these are equal.
        p: the probability that the first of so many normal values is so far from the others on the bad side; 0 if
            these have no spread.
    """

    value: float
    median: float
    percent: float
    score: float
    p: float


def first_run_slow(values: np.ndarray, better: str, least: float = 1.0) -> FirstRunSlow | None:
    """Tell whether the first run is the worst, and not by chance, as with cold caches; from 5 runs on.

    All of this has to hold:

    - The first is worse than each other run. In runs without an order that happens once in n times.
    - It is an outlier against the others: their median and MAD give it a modified z above 3.5.
    - It lies outside of the range in which a further value is expected after the others: one-sided p < 0.01 of
      ``(first - mean) / (Stddev * sqrt(1 + 1 / (n - 1)))``, Student's t with n - 2 degrees of freedom. The modified z
      alone would speak of every 20th group of 5 normal values, for the MAD of 4 values is easily small.
    - It is worse than their median by more than ``least`` percent: less isn't worth a word, and may be one tick of a
      coarse clock.

    Args:
        values: float64, one for each run, in the order of the runs.
        better: ``lower`` or ``higher``; with anything else no value is worse than another, so there is no finding.
        least: percent of the others' median.
    """
    if better not in {"lower", "higher"} or not len(values) or not math.isfinite(values[0]):
        return None
    usable = values[np.isfinite(values)]
    if len(usable) < 5:
        return None
    scaled, exponent = _scaled(usable)
    first, others = scaled[:1], scaled[1:]
    lags = (first - others) if better == "lower" else (others - first)
    middle = float(np.median(others))
    behind = float(np.median(lags))
    score = float(_modified_z(first, others)[0])
    if lags.min() <= descriptive.NOISE or score <= MODIFIED_Z or behind <= least / 100 * abs(middle):
        return None
    p = _beyond(float(np.mean(lags)), descriptive.stddev(others), len(others))
    if p >= SIGNIFICANT:
        return None
    # A quotient of numbers up to 2, which overflows only if the median is next to nothing.
    percent = 100 * behind / abs(middle) if abs(middle) > descriptive.NOISE else math.nan
    return FirstRunSlow(float(values[0]), math.ldexp(middle, exponent), percent, score, p)


def _beyond(lag: float, deviation: float, count: int) -> float:
    """The one-sided probability that a value lags so much behind the mean of ``count`` others."""
    if deviation <= descriptive.NOISE:
        return 0.0
    from scipy.special import stdtr

    return float(stdtr(count - 1, -lag / (deviation * math.sqrt(1 + 1 / count))))


@dataclass(frozen=True, slots=True)
class TwoLevels:
    """Values that lie in two clusters.

    Attributes:
        low: the median of the lower cluster.
        high: the median of the upper cluster.
        low_count: how many values the lower cluster has.
        high_count: how many values the upper cluster has.
    """

    low: float
    high: float
    low_count: int
    high_count: int


def two_levels(values: np.ndarray) -> TwoLevels | None:
    """Tell whether the values lie on two levels, from 8 runs on.

    They do if they split into two clusters of at least 3 values each, between which there is a gap wider than 3
    times the range (largest minus smallest value) of the wider one. There is never more than one such split. Values
    of which only two different ones occur have two levels as well, even if they are neighbours on a coarse scale:
    then `coarse` finds something too.
    """
    usable = values[np.isfinite(values)]
    if len(usable) < 8:
        return None
    scaled, exponent = _scaled(np.sort(usable))
    split = np.arange(3, len(scaled) - 2)
    gaps = scaled[split] - scaled[split - 1]
    ranges = np.maximum(scaled[split - 1] - scaled[0], scaled[-1] - scaled[split])
    apart = np.flatnonzero(gaps > np.maximum(3 * ranges, descriptive.NOISE))
    if not len(apart):
        return None
    at = int(split[apart[0]])
    return TwoLevels(
        math.ldexp(float(np.median(scaled[:at])), exponent),
        math.ldexp(float(np.median(scaled[at:])), exponent),
        at,
        len(scaled) - at,
    )


@dataclass(frozen=True, slots=True)
class Coarse:
    """Few different values, as of a timer with a low resolution.

    Attributes:
        distinct: how many different values there are.
        count: how many values there are.
        step: the smallest difference between different values; NaN if all are equal.
    """

    distinct: int
    count: int
    step: float


def coarse(values: np.ndarray) -> Coarse | None:
    """Tell whether fewer than 60 % of the values are distinct, from 5 runs on."""
    usable = values[np.isfinite(values)]
    if len(usable) < 5:
        return None
    scaled, exponent = _scaled(np.sort(usable))
    steps = np.diff(scaled)
    steps = steps[steps > descriptive.NOISE]
    distinct = len(steps) + 1
    # In whole numbers: 3 of 5 are 60 %, not fewer.
    if 10 * distinct >= 6 * len(usable):
        return None
    return Coarse(distinct, len(usable), _unscaled(float(steps.min()), exponent) if len(steps) else math.nan)


@dataclass(frozen=True, slots=True)
class SpreadChanged:
    """Two groups of which one scatters more than the other.

    Attributes:
        base: the standard deviation of the baseline's runs, in their unit.
        other: that of the other kernel's runs.
        p: the probability of so large a difference in spread without any cause.
    """

    base: float
    other: float
    p: float


def spread_changed(base: np.ndarray, other: np.ndarray) -> SpreadChanged | None:
    """Tell whether the spread of the values changed: Brown and Forsythe's test, p < 0.01, from 5 runs per side on.

    The spread is meant in the values' unit, not in percent: values that double, noise and all, changed their spread.
    Give logarithms to compare relative spreads. With 4 runs the test speaks of 2 % of all normal pairs and of 11 % of
    coarse ones.
    """
    sides = [side[np.isfinite(side)] for side in (base, other)]
    if min(len(side) for side in sides) < 5:
        return None
    p = brown_forsythe(*sides)[1]
    if not p < SIGNIFICANT:
        return None
    return SpreadChanged(_stddev(sides[0]), _stddev(sides[1]), p)


def brown_forsythe(base: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Brown and Forsythe's test of equal variances: Levene's test on distances from the medians.

    Source: M. B. Brown and A. B. Forsythe, "Robust tests for the equality of variances", JASA 69, 1974; the same as
    `scipy.stats.levene` with ``center="median"``.

    Returns:
        The statistic, which has an F distribution with 1 and n - 2 degrees of freedom, and p. Infinite and 0 if all
        distances within each side are equal, but differ between the sides; NaN if they don't, or if a side has fewer
        than two values.
    """
    if min(len(base), len(other)) < 2:
        return math.nan, math.nan
    from scipy.special import fdtrc

    scaled, _ = _scaled(np.concatenate([base, other]))
    sides = scaled[: len(base)], scaled[len(base) :]
    distances = [np.abs(side - np.median(side)) for side in sides]
    means = [float(np.mean(distance)) for distance in distances]
    within = sum(float(np.sum((distance - mean) ** 2)) for distance, mean in zip(distances, means, strict=True))
    # Two groups' squared distances from their common mean come down to this.
    between = (means[0] - means[1]) ** 2 * (len(base) / len(scaled) * len(other))
    if within <= descriptive.NOISE**2:
        return (math.inf, 0.0) if between > descriptive.NOISE**2 else (math.nan, math.nan)
    df = len(scaled) - 2
    statistic = df * between / within
    return statistic, float(fdtrc(1, df, statistic))


def noisy(cv: float, threshold: float = 10.0) -> float | None:
    """Return a coefficient of variation, in percent and unsigned, if it is above the threshold; NaN never is."""
    return abs(cv) if abs(cv) > threshold else None


def _modified_z(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The modified z of scaled values by the median and the MAD of ``among``, unsigned."""
    middle = np.median(among)
    distances = np.abs(values - middle)
    scale = np.median(np.abs(among - middle))
    if scale <= descriptive.NOISE:
        return np.where(distances > descriptive.NOISE, np.inf, 0.0)
    scores: np.ndarray = 0.6745 * distances / scale
    return scores


def _stddev(values: np.ndarray) -> float:
    scaled, exponent = _scaled(values)
    return _unscaled(descriptive.stddev(scaled), exponent)


def _scaled(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Values times a power of two so that the largest is about 1, and the exponent that undoes it.

    The scaling is exact; nothing that's computed from the result can overflow.
    """
    exponent = int(np.frexp(np.abs(values).max())[1])
    return np.ldexp(values, -exponent), exponent


def _unscaled(value: float, exponent: int) -> float:
    """A value times ``2 ** exponent``; infinite if it's too large for a float."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.inf
