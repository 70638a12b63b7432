"""Plain columns before and after, with the change in a column of its own: ``Execl  689.3  10426  1412.548963``.

The heading has to name a change, or say which column is before and which after: other columns of numbers are no
comparison.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import NUMBER, number
from compare_kernels.posted.readers.change_columns import attach, is_change_heading
from compare_kernels.posted.readers.rows import LONGEST, fields, title_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_VALUE = re.compile(rf"(?P<value>{NUMBER})(?P<sign>\s?%)?")
_PAIR = re.compile(r"(?i)\b(?:before|base|baseline|vanilla|without|old|stock|unpatched)\b")
_OTHER = re.compile(r"(?i)\b(?:after|patch|patched|with|new)\b")
_FEWEST = 3
"""Columns: the operation and two values at least."""


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose heading stands at a line; see the registry for the arguments."""
    lines = text.lines
    found = _heading(lines, at)
    if not found:
        return None
    heading, index = found
    changes = [is_change_heading(name) for name in heading[1:]]
    rows: list[PostedRow] = []
    unreadable: list[int] = []
    new_group = False
    while index < len(lines):
        row = _row(lines, index, len(heading) - 1)
        if row:
            rows.append(_posted(row[0], row[1], lines[index].number, changes, new_group=new_group and bool(rows)))
            index, new_group = row[2], False
        elif not lines[index].text and not new_group:
            index, new_group = index + 1, True
        elif (
            not new_group
            and index + 1 < len(lines)
            and _row(lines, index + 1, len(heading) - 1)
            and _damaged(lines[index])
        ):
            unreadable.append(lines[index].number)
            index += 1
        else:
            break
    index -= new_group
    if not rows:
        return None
    kernels, rows = attach(tuple(heading[1:]), rows, changes)
    title = title_at(lines, at - 1, floor)
    table = PostedTable(
        style="columns",
        origin=text.origin,
        line=lines[at].number,
        kernels=kernels,
        rows=tuple(rows),
        title=title,
        label=heading[0],
        unreadable=tuple(unreadable),
        last=lines[index - 1].number,
    )
    return [table], index


def _heading(lines: Sequence[Line], at: int) -> tuple[list[str], int] | None:
    """The headings of all columns and the index of the first row; a mailer may have wrapped the heading."""
    text = lines[at].text
    if not text or len(text) > LONGEST or re.search(r"[=;{}|]|\(.*\(", text) or _is_numeric(fields(text)[1:]):
        return None
    readings = [fields(text)]
    indent = len(text) - len(text.lstrip())
    for first in (at + 1, at + 2, at + 3):
        if first >= len(lines):
            return None
        below = lines[first].text
        shifted = indent > len(below) - len(below.lstrip()) + 2
        for names in sorted(readings, key=len, reverse=True):
            if found := _fitting(lines, first, names, shifted=shifted):
                return found, first
        more = below.strip()
        if not more or len(more) > LONGEST:
            return None
        # The cut may have been inside a column's heading or between two.
        rest = fields(more)
        readings = [
            kind for names in readings for kind in ([*names[:-1], f"{names[-1]} {rest[0]}", *rest[1:]], names + rest)
        ]
    return None


def _fitting(lines: Sequence[Line], first: int, names: list[str], *, shifted: bool) -> list[str] | None:
    """The headings if the row below has a number for each; a heading further right has none for the operations."""
    if len(names) < _FEWEST or _is_numeric(names[1:]):
        return None
    heading = ["", *names] if shifted else names
    if not (_has_changes(names) if shifted else _names_a_change(names)):
        return None
    row = _row(lines, first, len(heading) - 1)
    return heading if row and len(row[1]) == len(heading) - 1 else None


def _has_changes(columns: Sequence[str]) -> bool:
    return 0 < sum(map(is_change_heading, columns)) < len(columns)


def _names_a_change(names: Sequence[str]) -> bool:
    columns = names[1:]
    if any(map(is_change_heading, columns)):
        return _has_changes(columns)
    return any(_PAIR.search(name) for name in columns) and any(_OTHER.search(name) for name in columns)


def _is_numeric(words: Sequence[str]) -> bool:
    return bool(words) and all(_VALUE.fullmatch(word) for word in words)


def _row(lines: Sequence[Line], at: int, count: int) -> tuple[str, list[re.Match[str]], int] | None:
    """Label, numbers and index of the next line; missing numbers may stand on the next line."""
    text = lines[at].text
    for after in (at + 1, at + 2):
        parts = fields(text) if len(text) <= LONGEST else []
        values = [found for part in parts[1:] if (found := _VALUE.fullmatch(part))]
        if len(values) == len(parts) - 1 and len(values) == count and not _VALUE.fullmatch(parts[0] + " "):
            return parts[0], values, after
        if len(values) >= count or len(values) != len(parts) - 1 or not values or after >= len(lines):
            break
        more = lines[after].text.strip()
        if not more or not _is_numeric(fields(more)):
            break
        text = f"{text}  {more}"
    # One number too many or too few is still a row, which is told as such.
    parts = fields(lines[at].text) if len(lines[at].text) <= LONGEST else []
    near = abs(len(parts) - 1 - count) == 1 and len(parts) > _FEWEST - 1
    if near and _is_numeric(parts[1:]):
        return parts[0], [found for part in parts[1:] if (found := _VALUE.fullmatch(part))], at + 1
    return None


def _damaged(line: Line) -> bool:
    parts = fields(line.text)
    return len(parts) >= _FEWEST and any(_VALUE.fullmatch(part) for part in parts[1:])


def _posted(
    label: str, values: Sequence[re.Match[str]], line: int, changes: Sequence[bool], *, new_group: bool
) -> PostedRow:
    cells = []
    for index, found in enumerate(values):
        said = number(found["value"])
        is_change = found["sign"] or (index < len(changes) and changes[index])
        cells.append(PostedCell(percent=said) if is_change else PostedCell(value=said))
    return PostedRow(label, "", tuple(cells), line, new_group)
