"""How small a change a comparison can see, and how many runs it takes to see a given one.

The model is the two-sided t test for two groups of normal values with one deviation, whose statistic has a noncentral
t distribution: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988. Welch's test comes close to
it for equal numbers of runs. An *effect* is a difference of means in units of the standard deviation; in percent of
the mean it is a multiple of the coefficient of variation.

A smaller alpha always asks for more: a report that adjusts for m tests passes ``alpha / m`` (what Holm's first step
does, and the worst case of the others) to see what a row needs on its own. For an effect of 1 and power 0.8, that is
17 runs per side at 0.05, 29 at 0.05 / 10 and 38 at 0.05 / 60.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_RUNS = 1_000_000
"""More runs per side than this are not worth a number: `runs_needed` says None."""

_SHARP = 1000.0
_PRECISION = 1e-10


def power_of(effect: float, n_base: int, n_other: int, alpha: float = 0.05) -> float:
    """Return the probability that the two-sided t test at level alpha sees the effect.

    Exact up to the precision of `scipy.special.nctdtr` (1e-7, in old versions 1e-5).

    Args:
        effect: the difference of the means in units of the standard deviation; the sign doesn't matter.
        n_base: runs of the baseline.
        n_other: runs of the other kernel.
        alpha: the level of the test.

    Returns:
        Between alpha and 1; NaN if a side has fewer than two runs or the effect or alpha is NaN.
    """
    if min(n_base, n_other) < 2 or math.isnan(effect) or math.isnan(alpha):
        return math.nan
    # Divided first: the product of two large counts may overflow.
    return _power(abs(effect) * math.sqrt(n_base / (n_base + n_other) * n_other), n_base + n_other - 2, alpha)


def paired_power_of(effect: float, pairs: int, alpha: float = 0.05) -> float:
    """Return the probability that the two-sided t test of the differences of pairs sees the effect.

    The signed-rank test comes close to it: for normal differences its efficiency is 3/pi, 0.955.

    Args:
        effect: the mean difference in units of the standard deviation of the differences; the sign doesn't matter.
        pairs: number of pairs.
        alpha: the level of the test.

    Returns:
        Between alpha and 1; NaN for fewer than two pairs or if the effect or alpha is NaN.
    """
    if pairs < 2 or math.isnan(effect) or math.isnan(alpha):
        return math.nan
    return _power(abs(effect) * math.sqrt(pairs), pairs - 1, alpha)


def _power(shift: float, df: int, alpha: float) -> float:
    """The probability that a t statistic with a noncentrality lies beyond the critical values of level alpha."""
    if alpha >= 1:
        return 1.0
    if alpha <= 0:
        return 0.0
    from scipy.special import gammainc, nctdtr, stdtrit

    critical = -float(stdtrit(df, alpha / 2))
    # The estimated deviation exceeds 1 + 9/sqrt(df) of the true one with probability exp(-40) at most (it's a
    # Lipschitz function of normal values), and so does a normal value 9.
    if shift >= 9 + critical * (1 + 9 / math.sqrt(df)):
        return 1.0
    if critical > _SHARP:
        # Next to such a bound the normal part of t is a step, and what remains is the distribution of the deviation;
        # the error is of the order 1/critical^2. Old versions of nctdtr take minutes here.
        return max(alpha, float(gammainc(df / 2, df / 2 * (shift / critical) ** 2)))
    upper = 1.0 - float(nctdtr(df, shift, critical))
    lower = float(nctdtr(df, shift, -critical))
    # The far tail is NaN where it's too small for the series, which means far below the precision of the sum.
    total = upper + (0.0 if math.isnan(lower) else lower)
    return min(max(total, alpha), 1.0)


@functools.lru_cache(maxsize=1024)
def detectable_effect(n_base: int, n_other: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest effect that the test sees with the given power, in units of the standard deviation.

    Args:
        n_base: runs of the baseline.
        n_other: runs of the other kernel.
        alpha: the level of the test, two-sided.
        power: the probability of seeing the effect.

    Returns:
        A number >= 0: 0 if power <= alpha, infinite if no effect suffices (power >= 1 or alpha <= 0); NaN if a side
        has fewer than two runs or an argument is NaN.
    """
    if min(n_base, n_other) < 2 or math.isnan(alpha) or math.isnan(power):
        return math.nan
    return _smallest_effect(lambda effect: power_of(effect, n_base, n_other, alpha), alpha, power)


@functools.lru_cache(maxsize=1024)
def detectable_paired_effect(pairs: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest effect that the test of pairs sees, in units of the deviation of the differences.

    Arguments and result are those of `detectable_effect`, with the number of pairs in place of the runs.
    """
    if pairs < 2 or math.isnan(alpha) or math.isnan(power):
        return math.nan
    return _smallest_effect(lambda effect: paired_power_of(effect, pairs, alpha), alpha, power)


def _smallest_effect(power_at: Callable[[float], float], alpha: float, power: float) -> float:
    """The smallest effect whose power suffices, by bisection."""
    if power <= alpha:
        return 0.0
    if power >= 1 or alpha <= 0:
        return math.inf
    low, high = 0.0, 1.0
    while power_at(high) < power:
        low, high = high, 2 * high
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if power_at(middle) < power:
            low = middle
        else:
            high = middle
    return high


def runs_needed(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many runs each side needs so that the test sees an effect with the given power.

    Args:
        effect: the difference of the means in units of the standard deviation; the sign doesn't matter.
        alpha: the level of the test, two-sided.
        power: the probability of seeing the effect.

    Returns:
        2 or more; None if `MOST_RUNS` don't suffice, as for an effect of 0, or if an argument is NaN.
    """
    return _fewest(lambda runs: power_of(effect, runs, runs, alpha) >= power)


def pairs_needed(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many pairs are needed so that their test sees an effect; see `runs_needed`.

    Args:
        effect: the mean difference in units of the standard deviation of the differences; the sign doesn't matter.
        alpha: the level of the test, two-sided.
        power: the probability of seeing the effect.
    """
    return _fewest(lambda pairs: paired_power_of(effect, pairs, alpha) >= power)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of runs, 2 or more, that is enough; None if `MOST_RUNS` aren't."""
    if not enough(MOST_RUNS):
        return None
    low, high = 1, 2
    while not enough(high):
        low, high = high, min(2 * high, MOST_RUNS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def smallest_detectable_change(
    cv_base: float, cv_other: float, n_base: int, n_other: int, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest change that the comparison sees with the given power, in percent of the baseline.

    It is `detectable_effect` times the pooled coefficient of variation. A result above 100 means that not even a
    value of 0 would have been told from the baseline.

    Args:
        cv_base: the coefficient of variation of the baseline's runs, in percent.
        cv_other: that of the other kernel's runs.
        n_base: runs of the baseline.
        n_other: runs of the other kernel.
        alpha: the level of the test, two-sided.
        power: the probability of seeing the change.

    Returns:
        Percent; 0 if there is no spread, NaN if a side has fewer than two runs or an argument is NaN.
    """
    spread = pooled(cv_base, cv_other)
    effect = detectable_effect(n_base, n_other, alpha, power)
    return 0.0 if spread == 0 and not math.isnan(effect) else spread * effect


def runs_for_margin(
    cv_base: float, cv_other: float, margin_percent: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Return how many runs each side needs so that the comparison sees a change as large as the margin.

    Args:
        cv_base: the coefficient of variation of the baseline's runs, in percent.
        cv_other: that of the other kernel's runs.
        margin_percent: the change that matters, in percent; the sign doesn't matter.
        alpha: the level of the test, two-sided.
        power: the probability of seeing the change.

    Returns:
        2 or more, and 2 if there is no spread; None if `MOST_RUNS` don't suffice, as for a margin of 0, or if an
        argument is NaN.
    """
    spread = pooled(cv_base, cv_other)
    if margin_percent == 0 or math.isnan(spread) or math.isnan(margin_percent):
        return None
    return runs_needed(abs(margin_percent) / spread if spread else math.inf, alpha, power)


def pooled(cv_base: float, cv_other: float) -> float:
    """Pool two coefficients of variation, ``sqrt((cv_base^2 + cv_other^2) / 2)``, in their unit."""
    return math.hypot(cv_base, cv_other) / math.sqrt(2)
