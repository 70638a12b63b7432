"""Tables that have their percentages in columns of their own: which change belongs to which kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import PostedRow

_CHANGE = re.compile(
    r"(?i)%|\b(?:change|improve|improvement|diff|difference|delta|gain|loss|speed-?up|regression|pct|percent)\b"
)


def is_change_heading(text: str) -> bool:
    """Whether a column of this heading holds changes and no values."""
    return bool(_CHANGE.search(text))


def attach(
    kernels: tuple[str, ...], rows: Sequence[PostedRow], changes: Sequence[bool]
) -> tuple[tuple[str, ...], list[PostedRow]]:
    """Put the changes that stand in columns of their own into the cells of the kernels that they are about.

    With one change fewer than values they follow the values' order; otherwise a change belongs to the value left of
    it. A row with more or fewer cells than the heading keeps as many more or fewer, for it to be reported.

    Args:
        kernels: headings of all columns of numbers.
        rows: the rows with a cell for each of these columns.
        changes: whether a column holds changes.

    Returns:
        The headings that remain, and the rows.
    """
    values = [index for index, is_change in enumerate(changes) if not is_change]
    others = [index for index, is_change in enumerate(changes) if is_change]
    if not others or not values:
        return kernels, list(rows)
    if len(others) == len(values) - 1:
        target = dict(zip(others, values[1:], strict=True))
    else:
        target = {other: max((value for value in values if value < other), default=-1) for other in others}
    result = []
    for row in rows:
        if len(row.cells) != len(changes):
            wanted = max(0, len(values) + len(row.cells) - len(changes))
            result.append(replace(row, cells=row.cells[:wanted]))
            continue
        cells = {index: row.cells[index] for index in values}
        for other, value in target.items():
            change = row.cells[other]
            if value >= 0 and cells[value].percent is None:
                said = change.percent or change.value
                cells[value] = replace(cells[value], percent=said, marked=cells[value].marked or change.marked)
        result.append(replace(row, cells=tuple(cells.values())))
    return tuple(kernels[index] for index in values), result
