"""Pipe tables of forges: ``| groups | base | patched | change |``, then a line of dashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.readers.pipes import bar_cells, bar_table

if TYPE_CHECKING:
    from compare_kernels.posted.model import PostedTable, PostedText

_DASHES = re.compile(r":?-+:?")


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose heading stands at a line and whose dashes stand below it; see the registry."""
    lines = text.lines
    heading = bar_cells(lines[at].text)
    dashes = bar_cells(lines[at + 1].text) if heading and at + 1 < len(lines) else None
    if not heading or not dashes or len(dashes) != len(heading):
        return None
    if not all(_DASHES.fullmatch(cell) for cell in dashes):
        return None
    body = []
    index = at + 2
    while index < len(lines) and (cells := bar_cells(lines[index].text)):
        body.append((lines[index], cells))
        index += 1
    table = bar_table(text, "markdown", top=at, heading=heading, body=body, floor=floor)
    return ([table], index) if table else None
