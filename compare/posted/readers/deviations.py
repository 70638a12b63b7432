"""Values with their deviation: ``1 groups   1.579 +/-29.16%   1.410 +/-13.46% (+10.70%)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import RawRow, fields, most_common, numbered, take_row, title_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_DIGITS = r"\d+(?:[.,]\d+)?"
_CELL = re.compile(
    rf"\s*(?<![\w.,+-])(?P<value>-?{_DIGITS})\s*(?:\(\s*)?(?:\+/?-|\u00b1)\s*(?P<deviation>{_DIGITS})\s?%(?:\s*\))?"
    rf"(?:\s*\(?\s*(?P<percent>[-+]{_DIGITS}|(?<=\()\s*{_DIGITS})\s?%\s*\)?(?!\s*(?:\+/?-|\u00b1)))?"
)
_LABEL = re.compile(r"\s*[\w#(-][^|:=%]{0,60}\s*:?\s*")


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the rows from a line on as one table; a group with a heading of its own is a table of its own."""
    lines = text.lines
    if _row(lines, at) is None:
        return None
    names, title, top = _heading(lines, at, floor)
    tables: list[PostedTable] = []
    index = at
    while raw := _row(lines, index):
        start, rows = index, []
        while raw:
            rows.append(_posted(raw))
            index = raw.next
            raw = _row(lines, index)
        count = most_common(len(row.cells) for row in rows)
        table = PostedTable(
            style="deviations",
            origin=text.origin,
            line=lines[top if not tables else start].number,
            kernels=names if len(names) == count else numbered(count),
            rows=tuple(rows),
            title=title,
            last=lines[index - 1].number,
        )
        tables.append(table)
        skipped, title = _next_group(lines, index)
        if not title or _row(lines, skipped) is None:
            break
        index = skipped
    return tables, index


def _row(lines: Sequence[Line], at: int) -> RawRow | None:
    if at >= len(lines):
        return None
    raw = take_row(lines, at, _CELL, lambda label: bool(label.strip()) and bool(_LABEL.fullmatch(label)))
    return raw if raw and len(raw.cells) > 1 else None


def _posted(raw: RawRow) -> PostedRow:
    cells = tuple(
        PostedCell(
            value=number(cell["value"], decimal_comma=True),
            percent=number(cell["percent"], decimal_comma=True) if cell["percent"] else None,
            deviation=number(cell["deviation"], decimal_comma=True),
        )
        for cell in raw.cells
    )
    return PostedRow(raw.label.strip(" \t:"), "", cells, raw.line, remark=raw.remark)


def _heading(lines: Sequence[Line], at: int, floor: int) -> tuple[tuple[str, ...], str, int]:
    """Names of the kernels from an indented line above, the group's heading, and the index of the first of both."""
    title, top = "", at
    for index in range(at - 1, max(floor, at - 4) - 1, -1):
        text = lines[index].text
        if text[:4].isspace() and len(text) < 200:
            names = [name for name in fields(text) if not re.search(r"(?i)improve|change|diff|gain|%", name)]
            return tuple(names), title, index
        if text and not title and (found := title_at(lines, index, floor)):
            title, top = found, index
        elif text:
            break
    return (), title, top


def _next_group(lines: Sequence[Line], at: int) -> tuple[int, str]:
    """Index of the row below the next group's heading, and the heading."""
    blank = at < len(lines) and not lines[at].text
    heading = at + blank
    title = title_at(lines, heading, at)
    return heading + 1, title
