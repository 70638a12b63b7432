"""The change between two numbers in percent, in the sign that readers of kernel benchmarks know."""

from __future__ import annotations

import math


def percent_change(base: float, value: float, better: str) -> float:
    """Return the change in percent; positive is better.

    ``100 * (base - value) / base`` if lower is better, else ``100 * (value - base) / base``. Equal values give 0,
    also when both are 0. Otherwise a base that is zero, negative or missing has no percentage: NaN, never a made-up
    100.
    """
    if not (math.isfinite(base) and math.isfinite(value)):
        return math.nan
    if base == value:
        return 0.0
    if base <= 0:
        return math.nan
    change = 100.0 * (value - base) / base
    if not math.isfinite(change):
        # The difference or the hundredfold overflowed, or the base is denormal.
        change = 100.0 * (value / base - 1.0)
    if not math.isfinite(change):
        return math.nan
    return -change if better == "lower" else change
