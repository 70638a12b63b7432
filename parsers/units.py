"""Units of time and of data, and what turns one into another."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

_NANOSECONDS = {
    "ns": 1,
    "us": 1000,
    "ms": 1000**2,
    "s": 1000**3,
    "min": 60 * 1000**3,
    "h": 3600 * 1000**3,
}
_BYTES = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
_OTHER_SPELLINGS = {
    "nsec": "ns",
    "usec": "us",
    "\N{MICRO SIGN}s": "us",
    "\N{GREEK SMALL LETTER MU}s": "us",
    "msec": "ms",
    "sec": "s",
    "kB": "KB",
}


@cache
def factor(given: str, wanted: str) -> Fraction | None:
    """The number with which a value in one unit is multiplied to be one in the other; None if there is none.

    Times from ``ns`` to ``h`` and amounts of data from ``B`` to ``GiB`` are known, each also per second (``/s`` or
    ``/sec``). Any other unit is only equal to itself.
    """
    if given == wanted:
        return Fraction(1)
    (amount, per_second), (other, other_per_second) = _parts(given), _parts(wanted)
    if per_second == other_per_second:
        for scale in (_NANOSECONDS, _BYTES):
            if amount in scale and other in scale:
                return Fraction(scale[amount], scale[other])
    return None


def _parts(unit: str) -> tuple[str, bool]:
    """The unit in its usual spelling, without the second by which it is divided; and whether it is."""
    amount = re.sub(r"/s(ec)?$", "", unit)
    return _OTHER_SPELLINGS.get(amount, amount), amount != unit


def convert(value: float, by: Fraction) -> float:
    """The value times a factor, rounded as little as floating point can; infinite if it's too large."""
    return value * by.numerator / by.denominator
