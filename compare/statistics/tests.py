"""Tests of the difference between two groups of independent values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.statistics import descriptive

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class TestResult:
    """What a test says.

    Attributes:
        statistic: the test's statistic; NaN if the data is not testable.
        df: degrees of freedom; NaN if the test has none.
        p: the two-sided probability of so large a difference without any effect; NaN if not testable.
        no_variance: whether neither group has any spread and their means differ, which no t test can judge.
    """

    statistic: float
    df: float
    p: float
    no_variance: bool = False


def welch(base: np.ndarray, other: np.ndarray) -> TestResult:
    """Welch's t test, two-sided, with the degrees of freedom of Welch and Satterthwaite.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34, 1947. The sign of the statistic is that of ``mean(base) - mean(other)``.

    Args:
        base: float64, the values of the baseline.
        other: float64, the values of the other kernel.

    Returns:
        NaN throughout if a side has fewer than two values. Without spread on both sides, p is 1 if the means are
        equal, and NaN with ``no_variance`` if they differ.
    """
    if len(base) < 2 or len(other) < 2:
        return TestResult(math.nan, math.nan, math.nan)
    difference = descriptive.amean(base) - descriptive.amean(other)
    terms = [variance_of_mean(side) for side in (base, other)]
    error = sum(terms)
    if not math.isfinite(error):
        return TestResult(math.nan, math.nan, math.nan)
    if error == 0.0:
        scale = max(abs(descriptive.amean(base)), abs(descriptive.amean(other)))
        if abs(difference) <= descriptive.NOISE * scale:
            return TestResult(0.0, math.nan, 1.0)
        return TestResult(math.nan, math.nan, math.nan, no_variance=True)
    df = satterthwaite(terms, [len(base), len(other)])
    statistic = difference / math.sqrt(error)
    from scipy.special import stdtr

    return TestResult(statistic, df, float(2.0 * stdtr(df, -abs(statistic))))


def variance_of_mean(values: np.ndarray) -> float:
    """The variance of the mean, ``Stddev^2 / n``."""
    deviation = descriptive.stddev(values)
    return deviation * deviation / len(values)


def satterthwaite(terms: list[float], counts: list[int]) -> float:
    """The degrees of freedom for variances of means ``terms`` of groups with ``counts`` values."""
    scale = max(terms)
    shares = [term / scale for term in terms]
    return sum(shares) ** 2 / sum(share * share / (count - 1) for share, count in zip(shares, counts, strict=True))
