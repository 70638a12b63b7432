"""Student's t with a pooled deviation, as ministat reports it: the difference of two means with its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.statistics import descriptive

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class PooledDifference:
    """The difference of two means at a level of confidence.

    Attributes:
        difference: other mean - base mean, in the unit of the values.
        error: half the width of its interval.
        percent: the difference in percent of the base mean; NaN if that is 0.
        percent_error: half the width of the interval of the percentage.
        deviation: the pooled standard deviation.
    """

    difference: float
    error: float
    percent: float
    percent_error: float
    deviation: float

    @property
    def proven(self) -> bool:
        """Whether the interval of the difference leaves 0 out."""
        return abs(self.difference) > self.error


def pooled_difference(base: np.ndarray, other: np.ndarray, alpha: float) -> PooledDifference | None:
    """Compare two means by Student's t test with a pooled deviation.

    The error of the percentage propagates the deviations of both sides, as ministat does since 2010; older versions
    divide the error by the base mean. Source: Student, "The probable error of a mean", Biometrika 6, 1908.

    Args:
        base: float64, shape (n,).
        other: float64, shape (m,).
        alpha: the intervals are at level ``1 - alpha``.

    Returns:
        None if a side has fewer than two values.
    """
    n, m = len(base), len(other)
    if min(n, m) < 2:
        return None
    from scipy.special import stdtrit

    means = descriptive.amean(base), descriptive.amean(other)
    squares = (n - 1) * descriptive.stddev(base) ** 2, (m - 1) * descriptive.stddev(other) ** 2
    df = n + m - 2
    quantile = float(stdtrit(df, 1 - alpha / 2))
    deviation = math.sqrt(sum(squares) / df)
    scale = quantile * math.sqrt((n + m) / (n * m))
    difference = means[1] - means[0]
    if means[0] == 0:
        return PooledDifference(difference, scale * deviation, math.nan, math.nan, deviation)
    ratio = means[1] / means[0]
    spread = math.sqrt((squares[1] + squares[0] * ratio**2) / df)
    percent = 100 / abs(means[0])
    return PooledDifference(difference, scale * deviation, percent * difference, percent * scale * spread, deviation)
