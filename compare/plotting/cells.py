"""Runs as a strip of characters, for tables of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCKS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_ASCII = ".:oO@"
_ASCII_FROM = (1, 2, 3, 5, 9)
"""Runs in a cell from which on it shows the character of the same position."""


def spark(kernels: Sequence[np.ndarray], width: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    """Show where the runs of each kernel lie, on one scale from the smallest to the largest value of all.

    Args:
        kernels: the values of the runs of each kernel; those that are not finite are passed over.
        width: characters of a strip, 1 or more.
        ascii_only: whether only ASCII may be used.

    Returns:
        A text of exactly ``width`` characters for each kernel. A blank is no run; the height of a block is the number
        of runs, up to eight. In ASCII ``.`` is one run, ``:`` two, ``o`` three or four, ``O`` five to eight, ``@``
        more. If all values are equal they stand in the middle.

    Raises:
        ValueError: if ``width`` is below 1.
    """
    if width < 1:
        raise ValueError("a strip has one character or more")
    usable = [np.asarray(side, dtype=np.float64)[np.isfinite(side)] for side in kernels]
    filled = [side for side in usable if len(side)]
    if not filled:
        return tuple(" " * width for _ in usable)
    # Halves, for the distance between two numbers may be larger than any number.
    low = min(float(side.min()) for side in filled) / 2
    span = max(float(side.max()) for side in filled) / 2 - low
    return tuple(_strip(side, low, span, width, ascii_only=ascii_only) for side in usable)


def _strip(values: np.ndarray, low: float, span: float, width: int, *, ascii_only: bool) -> str:
    places = (values / 2 - low) / span * (width - 1) if span > 0 else np.full(len(values), (width - 1) // 2)
    counts = np.bincount(np.floor(places + 0.5).astype(np.int64), minlength=width)
    return "".join(_cell(int(count), ascii_only=ascii_only) for count in counts)


def _cell(count: int, *, ascii_only: bool) -> str:
    if not count:
        return " "
    if ascii_only:
        return _ASCII[sum(count >= least for least in _ASCII_FROM) - 1]
    return _BLOCKS[min(count, len(_BLOCKS)) - 1]
