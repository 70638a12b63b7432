"""Intervals cover the true change as often as they promise, within Monte Carlo error."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from compare_kernels.statistics.intervals import change_interval, mean_interval

REPETITIONS = 20_000 if os.environ.get("CAMPAIGN") else 2_000


def within_error(hits: int, promised: float) -> bool:
    """Whether a share of hits is as promised, up to four standard errors."""
    error = math.sqrt(promised * (1 - promised) / REPETITIONS)
    return abs(hits / REPETITIONS - promised) < 4 * error


@pytest.mark.parametrize(("n", "spreads"), [(5, (0.05, 0.05)), (10, (0.02, 0.1)), (30, (0.3, 0.1))])
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_welch_interval_of_the_change(n: int, spreads: tuple[float, float], alpha: float) -> None:
    """Log-normal runs with a true change of the median of 10 %."""
    rng = np.random.Generator(np.random.PCG64(11))
    hits = 0
    for _ in range(REPETITIONS):
        base, other = (
            np.exp(middle + spread * rng.standard_normal(n))
            for middle, spread in zip((4.0, 4.0 + math.log(1.1)), spreads, strict=True)
        )
        low, high = change_interval(base, other, alpha, "higher")
        hits += low <= 10.0 <= high
    assert within_error(hits, 1 - alpha)


def test_interval_of_a_mean() -> None:
    rng = np.random.Generator(np.random.PCG64(12))
    hits = 0
    for _ in range(REPETITIONS):
        low, high = mean_interval(100 + 5 * rng.standard_normal(6), 0.05)
        hits += low <= 100 <= high
    assert within_error(hits, 0.95)
