"""Grids: cells between bars, groups between lines of ``+----+``; the first group is the heading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.readers.pipes import bar_cells, bar_table

if TYPE_CHECKING:
    from compare_kernels.posted.model import Line, PostedTable, PostedText

_RULE = re.compile(r"\s*\+(?:[-=:]+\+)+")


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the grid whose upper rule stands at a line; see the registry."""
    lines = text.lines
    if not _RULE.fullmatch(lines[at].text[:2000]):
        return None
    groups: list[list[tuple[Line, list[str]]]] = [[]]
    index = at + 1
    while index < len(lines):
        if cells := bar_cells(lines[index].text):
            groups[-1].append((lines[index], cells))
        elif _RULE.fullmatch(lines[index].text[:2000]):
            groups.append([])
        else:
            break
        index += 1
    filled = [group for group in groups if group]
    if len(filled) < 2:
        return None
    # A heading of several lines is read from above to below in each column.
    width = len(filled[0][0][1])
    heading = [
        " ".join(cells[place] for _, cells in filled[0] if len(cells) == width and cells[place])
        for place in range(width)
    ]
    body = [entry for group in filled[1:] for entry in group]
    table = bar_table(text, "grid", top=at, heading=heading, body=body, floor=floor)
    return ([table], index) if table else None
