"""Order statistics of pairwise sums, which the estimates and intervals of rank tests are.

A rank test of a shift changes its mind only where the shift passes one of the pairwise differences of two samples, or
one of the pairwise means of one sample.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

MATRIX = 4_000_000
"""Up to so many pairwise sums are held at once; of more, the wanted ones are selected without a matrix."""


def smallest_sums(
    rows: np.ndarray, columns: np.ndarray, positions: Sequence[int], *, triangle: bool = False
) -> list[float]:
    """Return order statistics of all sums ``rows[i] + columns[j]``.

    Up to `MATRIX` sums they are computed and partitioned. Beyond, windows into the sorted columns are narrowed, one
    for each row, around the wanted position, with the weighted median of the windows' medians as pivot, which drops
    a quarter of the sums or more at each step; what fits into `MATRIX` is partitioned again. Both ways are exact.

    Source: D. B. Johnson, T. Mizoguchi, "Selecting the Kth element in X + Y and X1 + X2 + ... + Xm", SIAM Journal on
    Computing 7, 1978.

    Args:
        rows: float64, shape (m,), in any order; ascending for a triangle.
        columns: float64, shape (n,), ascending.
        positions: places in the ascending order of the sums, counted from 0.
        triangle: take only sums with ``j >= i``, which are the pairs of one sample given as rows and as columns.
    """
    first = np.arange(len(rows)) if triangle else np.zeros(len(rows), dtype=np.int64)
    with np.errstate(over="ignore"):
        if len(rows) * len(columns) <= MATRIX:
            sums = np.add.outer(rows, columns)
            sums = sums[first[:, np.newaxis] <= np.arange(len(columns))] if triangle else sums.ravel()
            return [float(value) for value in np.partition(sums, sorted(set(positions)))[list(positions)]]
        return [_select(rows, columns, first, position) for position in positions]


def middle_sum(rows: np.ndarray, columns: np.ndarray, *, triangle: bool = False) -> float:
    """The median of all sums that `smallest_sums` orders; NaN without any."""
    count = len(rows) * (len(rows) + 1) // 2 if triangle else len(rows) * len(columns)
    if not count:
        return math.nan
    low, high = smallest_sums(rows, columns, [(count - 1) // 2, count // 2], triangle=triangle)
    return low + (high - low) / 2


def _select(rows: np.ndarray, columns: np.ndarray, low: np.ndarray, position: int) -> float:
    """The sum at the position among ``rows[i] + columns[j]`` with ``low[i] <= j``."""
    high = np.full(len(rows), len(columns))
    while int((high - low).sum()) > MATRIX:
        alive = high > low
        rows, low, high = rows[alive], low[alive], high[alive]
        medians = rows + columns[(low + high) // 2]
        order = np.argsort(medians, kind="stable")
        weights = np.cumsum((high - low)[order])
        pivot = medians[order[np.searchsorted(weights, weights[-1] / 2)]]
        below = _bisect(rows, columns, low, high, pivot, include=False)
        upto = _bisect(rows, columns, below, high, pivot, include=True)
        before, through = int((below - low).sum()), int((upto - low).sum())
        if position < before:
            high = below
        elif position < through:
            return float(pivot)
        else:
            position -= through
            low = upto
    counts = high - low
    starts = np.repeat(low - (np.cumsum(counts) - counts), counts)
    sums = np.repeat(rows, counts) + columns[starts + np.arange(len(starts))]
    return float(np.partition(sums, position)[position])


def _bisect(
    rows: np.ndarray, columns: np.ndarray, low: np.ndarray, high: np.ndarray, pivot: float, *, include: bool
) -> np.ndarray:
    """For each row the end of its window's sums below the pivot, those equal to it included or not."""
    low, high = low.copy(), high.copy()
    while (searching := low < high).any():
        middle = (low + high) // 2
        sums = rows + columns[np.minimum(middle, len(columns) - 1)]
        below = (sums <= pivot) if include else (sums < pivot)
        low = np.where(searching & below, middle + 1, low)
        high = np.where(searching & ~below, middle, high)
    return low
