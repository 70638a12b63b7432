"""The bootstrap interval of a change between two groups."""

from __future__ import annotations

import math

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import NONE, Interval

FEWEST = 10
"""With fewer values on a side there is no interval: the resamples know too little of the spread."""

_CHUNK = 2_000_000


def bca_interval(base: np.ndarray, other: np.ndarray, alpha: float, seed: int, resamples: int = 10_000) -> Interval:
    """The bias-corrected and accelerated bootstrap interval of ``mean(other) / mean(base) - 1`` in percent.

    The sides are resampled independently. Source: B. Efron, "Better bootstrap confidence intervals", Journal of the
    American Statistical Association 82, 1987; the acceleration of two samples is that of its section on more than one
    sample, as in `scipy.stats.bootstrap`: each value's influence, by the jackknife, weighted with its side's size.

    Args:
        base: float64, shape (n,), the values of the baseline.
        other: float64, shape (m,), the values of the other kernel.
        alpha: the interval has the level ``1 - alpha``.
        seed: what is drawn depends on it alone: ``integers(0, n, (resamples, n))`` of the generator for the baseline,
            then likewise for the other side.
        resamples: how many are drawn.

    Returns:
        Lower and upper end in percent with the raw sign: positive if ``other`` is larger. NaN if a side has fewer
        than `FEWEST` values, or if the mean of the baseline, of one of its resamples or of all its values but one
        is not positive. Without any spread both ends are the change.
    """
    if min(len(base), len(other)) < FEWEST:
        return NONE
    generator = np.random.Generator(np.random.PCG64(seed))
    base_means = _resampled_means(base, generator, resamples)
    other_means = _resampled_means(other, generator, resamples)
    base_mean, other_mean = descriptive.amean(base), descriptive.amean(other)
    base_without, other_without = _means_without_one(base), _means_without_one(other)
    if min(base_mean, float(base_means.min()), float(base_without.min())) <= 0.0:
        return NONE
    ratio, ratios = other_mean / base_mean, other_means / base_means
    noise = descriptive.NOISE * max(abs(ratio), float(np.abs(ratios).max()))
    # Resamples that are equal to the observed ratio count one half on each side.
    share = float((ratios < ratio - noise).mean() + (ratios <= ratio + noise).mean()) / 2
    levels = _levels(share, _acceleration(other_mean / base_without, other_without / base_mean), alpha)
    if not all(map(math.isfinite, levels)):
        return NONE
    low, high = np.quantile(ratios, levels)
    return 100.0 * (float(low) - 1.0), 100.0 * (float(high) - 1.0)


def _resampled_means(values: np.ndarray, generator: np.random.Generator, resamples: int) -> np.ndarray:
    """The means of resamples, float64, shape (resamples,); drawn in chunks, which have no effect on what is drawn."""
    n = len(values)
    length = max(1, _CHUNK // n)
    counts = [min(length, resamples - done) for done in range(0, resamples, length)]
    return np.concatenate([values.take(generator.integers(0, n, (count, n))).mean(axis=1) for count in counts])


def _acceleration(*sides: np.ndarray) -> float:
    """The acceleration constant: a sixth of the skewness of the values' influences on a statistic.

    Args:
        sides: for each side the statistic without each of its values in turn.
    """
    cubes = squares = 0.0
    for without in sides:
        n = len(without)
        influences = (n - 1) * (without.mean() - without)
        cubes += float((influences**3).sum()) / n**3
        squares += float((influences**2).sum()) / n**2
    scale = squares**1.5
    return cubes / (6.0 * scale) if scale else 0.0


def _means_without_one(values: np.ndarray) -> np.ndarray:
    """The means of all values but one, for each one."""
    result: np.ndarray = (descriptive.total(values) - values) / (len(values) - 1)
    return result


def _levels(share: float, acceleration: float, alpha: float) -> tuple[float, float]:
    """Which quantiles of the resamples are the ends; NaN if all resamples lie on one side of the observed value."""
    from scipy.special import ndtr, ndtri

    bias = float(ndtri(share))
    if not math.isfinite(bias):
        return NONE

    def level(tail: float) -> float:
        quantile = bias + float(ndtri(tail))
        room = 1.0 - acceleration * quantile
        return float(ndtr(bias + quantile / room)) if room > 0.0 else float(quantile > 0.0)

    return level(alpha / 2), level(1 - alpha / 2)
