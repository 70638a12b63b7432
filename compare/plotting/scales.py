"""From values to places on an axis, with the ticks; plain arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from compare_kernels.plotting.names import number

LARGEST = 1e250
"""Values beyond it, and infinite ones, can't be drawn: the arithmetic of a picture would overflow."""

_STRETCHED_TICKS = ("0", "25", "50", "75", "90", "95", "99", "99.5", "99.9", "99.99", "99.999", "99.9999")
_LEAST_SPAN = 1e-12


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Attributes:
        low: the value at its beginning, as `place` gives it.
        high: the value at its end, likewise; larger than ``low``.
        ticks: places and texts of the ticks.
        how: ``linear``, ``log``, or ``stretched`` for percentiles.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    how: str = "linear"

    def place(self, values: np.ndarray | float) -> np.ndarray:
        """Where values lie on the axis, as parts of its length from 0 to 1."""
        placed: np.ndarray = _transformed(np.asarray(values, dtype=np.float64), self.how)
        placed = placed - self.low
        placed /= self.high - self.low
        return placed

    @property
    def note(self) -> str:
        """What a label has to say about the scale; empty for a linear one."""
        return {"log": ", log scale"}.get(self.how, "")


def drawable(values: np.ndarray) -> np.ndarray:
    """For each value whether it can be drawn."""
    return np.asarray(np.isfinite(values) & (np.abs(values) <= LARGEST), dtype=np.bool_)


def wants_log(values: np.ndarray, ratio: float) -> bool:
    """Whether values are all positive and the largest is ``ratio`` times the smallest or more."""
    return bool(len(values) and values.min() > 0 and values.max() / ratio >= values.min())


def value_scale(values: np.ndarray, *, log: bool = False, ticks: int = 6) -> Scale:
    """A scale for drawable values with some air around them; a linear one begins at 0 where that costs little.

    Args:
        values: what has to fit; may be empty.
        log: whether the scale is logarithmic; the values are all positive then.
        ticks: about how many ticks there is room for.
    """
    if not len(values):
        return Scale(0.0, 1.0, ())
    low, high = float(values.min()), float(values.max())
    if log:
        return _log_scale(low, high, ticks)
    if 0 <= low <= high / 2:
        low = 0.0
    elif high <= 0 and high >= low / 2:
        high = 0.0
    if high - low <= _LEAST_SPAN * max(abs(low), abs(high)):
        around = abs(low) * 0.01 or 1.0
        low, high = low - around, high + around
    air = (high - low) * 0.06
    low, high = (low - air if low != 0 else low), (high + air if high != 0 else high)
    return Scale(low, high, tuple((tick, number(tick)) for tick in _round_ticks(low, high, ticks)))


def _round_ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two values: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 1e-300 else 0.0
    if not power:
        return [low, high]
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    return [float(f"{k * step:.12g}") for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _log_scale(low: float, high: float, count: int) -> Scale:
    begin, end = math.log10(low), math.log10(high)
    air = max((end - begin) * 0.04, 0.02)
    begin, end = begin - air, end + air
    decades = range(math.ceil(begin), math.floor(end) + 1)
    factors = (1, 2, 5) if len(decades) * 3 <= count + 2 else (1,)
    stride = max(1, -(-len(decades) // count))
    powers = [power for power in range(math.floor(begin), math.ceil(end) + 1) if power % stride == 0]
    places = [(power + math.log10(factor), float(f"{factor}e{power}")) for power in powers for factor in factors]
    kept = [(place, number(value)) for place, value in places if begin <= place <= end]
    return Scale(begin, end, tuple(kept) or ((math.log10(low), number(low)),), "log")


def parameter_scale(params: np.ndarray, ticks: int = 9) -> Scale:
    """A scale for parameters, with ticks at the parameters themselves; logarithmic if they grow by factors."""
    distinct = np.unique(params)
    log = wants_log(distinct, 8.0)
    how = "log" if log else "linear"
    places = _transformed(distinct, how)
    air = float(places[-1] - places[0]) * 0.05 or 1.0
    low, high = float(places[0]) - air, float(places[-1]) + air
    apart = (high - low) / ticks
    kept: list[tuple[float, str]] = []
    for place, param in zip(places.tolist(), distinct.tolist(), strict=True):
        if not kept or place - kept[-1][0] >= apart * 0.8:
            kept.append((place, number(param)))
    return Scale(low, high, tuple(kept), how)


def percentile_scale(percents: np.ndarray) -> Scale:
    """A scale for percentiles below 100, stretched towards 100: each further nine takes the same room."""
    places = _transformed(percents, "stretched")
    air = max(float(places.max() - places.min()) * 0.05, 0.05)
    low, high = float(places.min()) - air, float(places.max()) + air
    ticks: list[tuple[float, str]] = []
    for text in _STRETCHED_TICKS:
        place = float(_transformed(np.array(float(text)), "stretched"))
        if low <= place <= high and (not ticks or place - ticks[-1][0] > (high - low) / 9):
            ticks.append((place, text))
    return Scale(low, high, tuple(ticks), "stretched")


def _transformed(values: np.ndarray, how: str) -> np.ndarray:
    placed = values
    if how == "log":
        placed = np.log10(values)
    elif how == "stretched":
        placed = -np.log10(1 - values / 100)
    return placed
