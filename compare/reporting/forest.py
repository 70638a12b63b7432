"""Where the parts of a drawn interval lie: a line from end to end, a dot for the estimate, zero in the middle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 120
"""Units of the drawing; zero lies at half of it."""

_EDGE = 6
_LEAST = 1.0
_WIDEST = 4
"""How many times wider than the middle one of all intervals the scale may become before long ones are cut."""

Interval = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """What all drawings of a table reach to.

    Attributes:
        limit: percent at either edge; 0 if nothing is drawn.
        text: the same in words; empty if nothing is drawn.
    """

    limit: float
    text: str


@dataclass(frozen=True, slots=True)
class Forest:
    """A drawn interval in units of the drawing.

    Attributes:
        low: where the line begins.
        high: where it ends.
        at: where the dot lies.
        cut_low: whether the interval goes on below what is drawn.
        cut_high: whether it goes on above.
    """

    low: str
    high: str
    at: str
    cut_low: bool
    cut_high: bool


def scale_of(intervals: Iterable[Interval]) -> Scale:
    """Choose a scale that shows the usual intervals of a table well, and says so.

    Args:
        intervals: lower end, estimate and upper end in percent; those with NaN are left out.
    """
    reaches = sorted(max(map(abs, interval)) for interval in intervals if all(map(math.isfinite, interval)))
    if not reaches:
        return Scale(0.0, "")
    middle = reaches[len(reaches) // 2]
    limit = _round_up(max(_LEAST, min(reaches[-1], _WIDEST * middle)))
    cut = "; an arrow says that the interval goes on" if reaches[-1] > limit else ""
    return Scale(limit, f"Intervals are drawn from \u2212{limit:g} % to +{limit:g} %, + is better{cut}")


def forest(interval: Interval, scale: Scale) -> Forest | None:
    """Place an interval on a scale; None if it has no ends."""
    if not scale.limit or not all(map(math.isfinite, interval)):
        return None
    low, at, high = (min(max(value, -scale.limit), scale.limit) for value in interval)
    line = _place(low, scale.limit), _place(high, scale.limit)
    return Forest(*line, _place(at, scale.limit), interval[0] < low, interval[2] > high)


def _place(value: float, limit: float) -> str:
    return f"{WIDTH / 2 + value / limit * (WIDTH / 2 - _EDGE):.1f}"


def _round_up(value: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10, 20) if step * power >= value)
