"""Printed numbers: what was printed, and which values may stand behind it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
"""A number with a point, with commas between thousands or not, with an exponent or not."""
NOTHING = r"n/a|[-+]?nan|[-+]?inf"
"""What stands in the place of a number that doesn't exist; to be matched in any case."""

_PARTS = re.compile(r"([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,3}))?")
_SLACK = 1e-9


class Interval(NamedTuple):
    """The values from ``low`` to ``high``, both included."""

    low: float
    high: float

    def meets(self, other: Interval) -> bool:
        """Whether some value lies in both."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was printed.

    Attributes:
        text: what stands there, without blanks around it.
        value: the number, or None for ``n/a``, ``NaN`` and infinities.
        step: the value of a one in the last printed place: 0.01 for ``3.14``, 1e5 for ``4.511e+08``.
    """

    text: str
    value: float | None
    step: float = 1.0

    @property
    def decimals(self) -> int:
        """How many digits stand behind the decimal point or comma."""
        mantissa = re.split(r"[eE]", self.text)[0]
        parts = re.split(r"[.,]", mantissa)
        return len(parts[-1]) if len(parts) > 1 and self.step < 1 else 0

    @property
    def is_zero(self) -> bool:
        """Whether all printed digits are zero."""
        return self.value == 0

    def interval(self, *, cut: bool = False) -> Interval:
        """Return the values that may stand behind the digits.

        Args:
            cut: whether the digits that weren't printed may have been cut off instead of rounded.

        Returns:
            The bounds; from minus to plus infinity if there is no value.
        """
        if self.value is None:
            return Interval(-math.inf, math.inf)
        slack = _SLACK * (abs(self.value) + self.step)
        half = self.step / 2 + slack
        below = self.step + slack if cut and self.text.lstrip().startswith(("-", "\u2212")) else half
        above = self.step + slack if cut and below == half else half
        if cut and self.value == 0:
            below = above = self.step + slack
        return Interval(self.value - below, self.value + above)


def number(text: str, *, decimal_comma: bool = False) -> Number:
    """Return the number that a text says; one without a value for anything that is none.

    Args:
        text: digits with sign, point, exponent; U+2212 is a minus too.
        decimal_comma: whether a comma stands before decimals and not between thousands.
    """
    text = text.strip()
    plain = text.replace("\u2212", "-").replace(",", "." if decimal_comma else "")
    found = _PARTS.fullmatch(plain)
    if not found or len(plain) > 60:
        return Number(text, None)
    power = int(found[4] or 0) - len(found[3] or "")
    value = float(plain)
    if not math.isfinite(value) or not -300 < power < 300:
        return Number(text, None)
    return Number(text, value, 10.0**power)
