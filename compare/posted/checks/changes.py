"""The change between two printed values: all that the digits allow, in each way in which people compute it."""

from __future__ import annotations

import math
from typing import Literal

from compare_kernels.posted.numbers import Interval

Formula = Literal["rise", "fall", "rise of new", "fall of new", "difference"]
"""How a change is computed from baseline b and value x.

``rise``: 100 (x - b) / b, positive for more. ``fall``: 100 (b - x) / b, positive for less. ``of new``: the same
divided by x. ``difference``: x - b.
"""

FORMULAS: tuple[Formula, ...] = ("rise", "fall", "rise of new", "fall of new")
OPPOSITE: dict[Formula, Formula] = {
    "rise": "fall",
    "fall": "rise",
    "rise of new": "fall of new",
    "fall of new": "rise of new",
}
_EVERYTHING = Interval(-math.inf, math.inf)


def change(base: Interval, new: Interval, formula: Formula) -> Interval:
    """Return the changes in percent (``difference``: in the values' unit) that two intervals allow.

    Everything is allowed where the divisor may be zero and its sign isn't known.
    """
    if formula == "difference":
        return Interval(new.low - base.high, new.high - base.low)
    divisor, other = (new, base) if "new" in formula else (base, new)
    ratio = _ratio(other, divisor)
    if formula in ("rise", "fall of new"):
        return Interval(100 * (ratio.low - 1), 100 * (ratio.high - 1))
    return Interval(100 * (1 - ratio.high), 100 * (1 - ratio.low))


def _ratio(above: Interval, below: Interval) -> Interval:
    if below.low < 0 < below.high or below.low == below.high == 0 or not all(map(math.isfinite, (*above, *below))):
        return _EVERYTHING
    if below.low == 0 or below.high == 0:
        if above.low < 0:
            return _EVERYTHING
        edge = below.high or below.low
        ends = sorted((above.low / edge, math.copysign(math.inf, edge)))
        return Interval(*ends)
    corners = [a / b for a in above for b in below]
    return Interval(min(corners), max(corners))
