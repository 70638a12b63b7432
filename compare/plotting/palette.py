"""How a kernel looks: the same colour, marker and line in every plot of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Dash = Literal["-"] | tuple[int, tuple[float, ...]]

INK = "#222222"
GREY = "#767676"
GRID = "#dddddd"

# Okabe and Ito's colours, which colour-blind readers tell apart, without the yellow: it is hardly seen on white.
COLOURS = ("#000000", "#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Dash, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))


@dataclass(frozen=True, slots=True)
class Look:
    """Colour (hexadecimal), marker and line style of matplotlib."""

    colour: str
    marker: str
    dash: Dash


def look_of(kernel: int) -> Look:
    """The look of the kernel with this index: of 49 kernels no two have both colour and marker in common."""
    turn = kernel // len(COLOURS)
    marker = MARKERS[(kernel + turn) % len(MARKERS)]
    return Look(COLOURS[kernel % len(COLOURS)], marker, LINES[turn % len(LINES)])


VERDICT_LOOKS = {
    "regressed": Look("#d55e00", "v", "-"),
    "improved": Look("#009e73", "^", "-"),
    "unchanged": Look("#0072b2", "s", "-"),
    "undecided": Look(GREY, "o", "-"),
    "missing": Look(GREY, "x", "-"),
}
"""Shape tells a verdict as well as colour does."""
