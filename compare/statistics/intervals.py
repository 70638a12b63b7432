"""Intervals: of a mean, and of the change between two groups in percent."""

from __future__ import annotations

import math

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.tests import satterthwaite, variance_of_mean

Interval = tuple[float, float]
NONE: Interval = (math.nan, math.nan)


def mean_interval(values: np.ndarray, alpha: float) -> Interval:
    """Student's interval of the arithmetic mean at level ``1 - alpha``; NaN for n < 2."""
    if len(values) < 2:
        return NONE
    from scipy.special import stdtrit

    middle = descriptive.amean(values)
    half = float(stdtrit(len(values) - 1, 1 - alpha / 2)) * descriptive.stddev(values) / math.sqrt(len(values))
    return middle - half, middle + half


def change_interval(base: np.ndarray, other: np.ndarray, alpha: float, better: str) -> Interval:
    """Welch's interval of the change in percent at level ``1 - alpha``, oriented so that positive is better.

    On the log ratio, ``mean(log other) - mean(log base)``, turned back by exp; if a value is not positive, on the
    plain difference, divided by the baseline's mean.

    Returns:
        Lower and upper end; NaN if a side has fewer than two values or the baseline's mean is not positive.
    """
    if len(base) < 2 or len(other) < 2:
        return NONE
    if min(base.min(), other.min()) > 0:
        low, high = (100.0 * float(np.expm1(end)) for end in _difference(np.log(base), np.log(other), alpha))
    else:
        middle = descriptive.amean(base)
        if middle <= 0:
            return NONE
        low, high = (100.0 * end / middle for end in _difference(base, other, alpha))
    return (-high, -low) if better == "lower" else (low, high)


def _difference(base: np.ndarray, other: np.ndarray, alpha: float) -> Interval:
    from scipy.special import stdtrit

    middle = descriptive.amean(other) - descriptive.amean(base)
    terms = [variance_of_mean(side) for side in (base, other)]
    if not math.isfinite(sum(terms)):
        return NONE
    if sum(terms) == 0.0:
        return middle, middle
    df = satterthwaite(terms, [len(base), len(other)])
    half = float(stdtrit(df, 1 - alpha / 2)) * math.sqrt(sum(terms))
    return middle - half, middle + half
