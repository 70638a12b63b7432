"""SPECjvm's table: ``compiler       537.40 ( 0.00)%   532.26 (-0.96)%`` below ``testcase``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import RawRow, gap_end, most_common, names_for, take_row, title_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_CELL = re.compile(
    r"(?i)\s*(?<![\w.+-])(?P<value>-?\d+(?:\.\d+)?|n/a)\s*\(\s*(?:(?P<percent>[-+]?\d+\.\d+)\s*\)\s?%|(?P<none>n/a)\s*\))"
)
_HEADER = re.compile(r"\s*(testcase|benchmark|workload|test|operation)\s+\S.*")
_HEADER_LINES = 5


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose first row stands at a line; see the registry for the arguments."""
    lines = text.lines
    if _row(lines, at) is None:
        return None
    top, heading = _heading(lines, at, floor)
    rows: list[PostedRow] = []
    unreadable: list[int] = []
    new_group = False
    while raw := _row(lines, at):
        rows.append(_posted(raw, new_group=new_group and bool(rows)))
        at = raw.next
        new_group = False
        if _row(lines, at) is None:
            following, damaged = gap_end(lines, at, lambda index: _row(lines, index) is not None)
            if following < 0:
                break
            unreadable += damaged
            new_group, at = not damaged, following
    count = most_common(len(row.cells) for row in rows)
    if not heading and (count < 2 or len(rows) < 2):
        return None
    label, _, names = heading.strip().partition(" ")
    title, line = _title(lines, top, floor)
    table = PostedTable(
        style="percent",
        origin=text.origin,
        line=lines[line].number,
        kernels=names_for(names, count),
        rows=tuple(rows),
        title=title,
        label=label,
        unreadable=tuple(unreadable),
        last=lines[at - 1].number,
    )
    return [table], at


def _row(lines: Sequence[Line], at: int) -> RawRow | None:
    if at >= len(lines):
        return None
    raw = take_row(lines, at, _CELL, lambda label: bool(re.fullmatch(r"\s{0,8}[^\s(]+(?: [^\s(]+){0,5}\s*", label)))
    # Without any percentage it's a row of another style.
    return raw if raw and any(cell["percent"] for cell in raw.cells) else None


def _posted(raw: RawRow, *, new_group: bool) -> PostedRow:
    cells = tuple(PostedCell(number(cell["value"]), number(cell["percent"] or cell["none"])) for cell in raw.cells)
    return PostedRow(raw.label.strip(), "", cells, raw.line, new_group, raw.remark)


def _heading(lines: Sequence[Line], at: int, floor: int) -> tuple[int, str]:
    """Index and text of the header, which a mailer may have wrapped; the text is empty if there is none."""
    rest = ""
    for index in range(at - 1, max(floor, at - _HEADER_LINES) - 1, -1):
        text = lines[index].text
        if _HEADER.fullmatch(text):
            return index, f"{text}  {rest}".rstrip()
        if text:
            rest = f"{text.strip()} {rest}".rstrip()
    return at, ""


def _title(lines: Sequence[Line], top: int, floor: int) -> tuple[str, int]:
    for index in (top - 1, top - 2):
        if title := title_at(lines, index, floor):
            return title, index
        if index >= floor and lines[index].text:
            break
    return "", top
