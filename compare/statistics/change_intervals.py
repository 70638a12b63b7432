"""The change between two groups in percent, as the test sees it: estimate and interval.

Both are made on the logarithms of the values, where a change is a shift, and turned back by exp. If a value is not
positive, they are made on the values and divided by the baseline's arithmetic mean.
"""

from __future__ import annotations

import math

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import Interval, change_interval
from compare_kernels.statistics.paired import paired_interval, pseudomedian
from compare_kernels.statistics.permutation import permutation_interval
from compare_kernels.statistics.ranks import hodges_lehmann, rank_interval

TESTS = ("welch", "mann-whitney", "permutation", "paired")
"""The tests that have an interval."""


def change_interval_by(  # noqa: PLR0917 (the arguments of change_interval, the test before and the seed behind)
    test: str, base: np.ndarray, other: np.ndarray, alpha: float, better: str, seed: int
) -> Interval:
    """The interval of the change in percent at level ``1 - alpha``, by inverting a test.

    Args:
        test: one of `TESTS`.
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel; paired by place for ``paired``.
        alpha: the probability to miss the change, above 0 and below 1.
        better: ``lower`` if lower values are better; positive is better in what is returned.
        seed: for ``permutation``.

    Returns:
        Lower and upper end. NaN where the test has no interval, or if a value is not positive and the baseline's mean
        isn't, either.
    """
    if test == "welch":
        return change_interval(base, other, alpha, better)
    base, other, unit = _scaled(base, other)
    if test == "mann-whitney":
        ends = rank_interval(base, other, alpha)
    elif test == "permutation":
        ends = permutation_interval(base, other, alpha, seed)
    elif test == "paired":
        ends = paired_interval(base, other, alpha)
    else:
        raise ValueError(f"{test} is none of {', '.join(TESTS)}")
    low, high = (_percent(end, unit) for end in ends)
    return (0.0 - high, 0.0 - low) if better == "lower" else (low, high)


def estimated_change(test: str, base: np.ndarray, other: np.ndarray, better: str) -> float:
    """The estimate of the change in percent that `change_interval_by` surrounds; positive is better.

    For ``welch`` and ``permutation`` it is the difference of means (of logarithms: the ratio of geometric means), for
    ``mann-whitney`` the Hodges-Lehmann estimate, for ``paired`` the pseudomedian.

    Args:
        test: one of `TESTS`.
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel; paired by place for ``paired``.
        better: ``lower`` if lower values are better.

    Returns:
        NaN if a side has no values, or if a value is not positive and the baseline's mean isn't, either.
    """
    base, other, unit = _scaled(base, other)
    if test in {"welch", "permutation"}:
        shift = descriptive.amean(other) - descriptive.amean(base)
    elif test == "mann-whitney":
        shift = hodges_lehmann(base, other)
    elif test == "paired":
        shift = pseudomedian(base, other)
    else:
        raise ValueError(f"{test} is none of {', '.join(TESTS)}")
    change = _percent(shift, unit)
    return 0.0 - change if better == "lower" else change


def _scaled(base: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, float | None]:
    """The values on the scale where the shift is taken, and the unit of the shift: None for logarithms."""
    if min(base.min(initial=math.inf), other.min(initial=math.inf)) > 0:
        return np.log(base), np.log(other), None
    return base, other, descriptive.amean(base)


def _percent(shift: float, unit: float | None) -> float:
    """The shift in percent, on the scale of `_scaled`."""
    if unit is None:
        with np.errstate(over="ignore"):
            return 100.0 * float(np.expm1(shift))
    return 100.0 * shift / unit if unit > 0 else math.nan
