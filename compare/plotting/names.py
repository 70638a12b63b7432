"""Texts of plots: names short enough to be drawn, numbers, axes, and slugs for files."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compare_kernels.model import Metric

_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": "no direction is better"}
_LONGEST_SLUG = 120
_PLAIN = 1e7


def shortened(name: str, length: int) -> str:
    """The name as one line of at most ``length`` characters (3 or more); what is too much goes from its middle."""
    safe = printable(name)
    if len(safe) <= length:
        return safe
    behind = (length - 1) // 2
    return f"{safe[: length - 1 - behind]}\u2026{safe[-behind:]}"


def distinct(names: Iterable[str], length: int) -> tuple[str, ...]:
    """The names, shortened; those that then look alike get a number."""
    used: set[str] = set()
    texts = []
    for name in names:
        text, number = shortened(name, length), 1
        while text in used:
            number += 1
            mark = f" ({number})"
            text = shortened(name, max(3, length - len(mark))) + mark
        used.add(text)
        texts.append(text)
    return tuple(texts)


def in_full(names: Mapping[str, str]) -> str:
    """A sentence that tells the whole of each name that was shortened; empty if none was.

    Args:
        names: what was drawn to the name itself.
    """
    told = [f"{short} is {printable(name)}" for short, name in names.items() if short != printable(name)]
    return f" Names in full: {'; '.join(told)}." if told else ""


@dataclass(frozen=True, slots=True)
class KernelNames:
    """The kernels of a plot, the baseline first.

    Attributes:
        full: their names.
        short: the same, distinct and short enough for a legend.
    """

    full: tuple[str, ...]
    short: tuple[str, ...]

    def told(self, used: Iterable[int]) -> str:
        """See `in_full`, for the kernels of these indices."""
        return in_full({self.short[kernel]: self.full[kernel] for kernel in used})


def kernel_names(kernels: Sequence[str]) -> KernelNames:
    """The names of kernels for legends and texts."""
    return KernelNames(tuple(kernels), distinct(kernels, 26))


def axis_text(metric: Metric) -> str:
    """What an axis of values says: the quantity, its unit, and which direction is better."""
    unit = f" in {shortened(metric.unit, 20)}" if metric.unit else ""
    what = shortened(metric.title or metric.name, 40)
    return f"{what}{unit} ({_DIRECTIONS[metric.better]})"


def number(value: float) -> str:
    """A number for an axis or a sentence: as many digits as it has, up to ten, without trailing zeros."""
    if not math.isfinite(value):
        return "n/a"
    if value != 0 and not 1e-4 <= abs(value) < _PLAIN:
        mantissa, _, exponent = f"{value:.3g}".partition("e")
        return f"{mantissa}e{int(exponent)}" if exponent else mantissa
    return f"{value + 0.0:.10g}"


def rounded(value: float) -> str:
    """A number for a sentence, with four digits that mean something."""
    return number(float(f"{value:.4g}")) if math.isfinite(value) else "n/a"


def slug(*parts: str) -> str:
    """A name for a file and for a link, always the same for the same parts and safe on every file system.

    Parts are joined by ``--``. Where characters had to be replaced, or the whole was too long, a piece of the parts'
    digest tells them apart from others that look alike.
    """
    kept = [part for part in parts if part]
    clean = [re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._+-]", "-", part)).strip("-.") for part in kept]
    text = "--".join(part for part in clean if part)
    if clean == kept and len(text) <= _LONGEST_SLUG:
        return text
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text[: _LONGEST_SLUG - 10].rstrip('-.')}--{digest}"
