"""The table of schedule-bench: ``TCP_RR  28 threads   1.00 (  0.50)  +0.19 (  0.53)``, with tabs or blanks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import RawRow, gap_end, legend_below, take_row, title_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_HEADER = re.compile(r"\s*case\s+load\s+(\S+?)\s*(?:\(\s*std%\s*\))?((?:\s+\S+?%(?:\s*\(\s*std%\s*\))?)+)\s*")
_OTHER = re.compile(r"(\S+?)%(?:\s*\(\s*std%\s*\))?(?=\s|$)")
_CELL = re.compile(
    r"(?:\s+|(?<=\)))(?P<value>[-+]?\d+\.\d+|n/a)(?:\s*\(\s*(?P<std>\d+(?:\.\d+)?|n/a)\s*\))?(?P<star>\*?)(?=\s|$|[-+])"
)
_SIGNED = re.compile(r"[-+]")


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose heading ``case load baseline(std%) compare%( std%)`` stands at a line."""
    lines = text.lines
    heading, first = lines[at].text, at + 1
    if "case" not in heading or "load" not in heading:
        return None
    found = _HEADER.fullmatch(heading)
    if first < len(lines) and lines[first].text and not _row(lines, first):
        found = _HEADER.fullmatch(f"{heading} {lines[first].text.strip()}")
        first += 1
    if not found:
        return None
    kernels = (found[1], *_OTHER.findall(found[2]))
    rows: list[PostedRow] = []
    unreadable: list[int] = []
    index = first
    while raw := _row(lines, index):
        rows.append(_posted(raw))
        index = raw.next
        if not _row(lines, index):
            following, damaged = gap_end(lines, index, lambda place: _row(lines, place) is not None)
            if following < 0:
                break
            unreadable += damaged
            index = following
    if not rows:
        return None
    title, top = _title(lines, at, floor)
    unit, better, index = legend_below(lines, index)
    table = PostedTable(
        style="baseline",
        origin=text.origin,
        line=lines[top].number,
        kernels=kernels,
        rows=tuple(rows),
        title=title,
        unit=unit,
        better=better,
        label="case",
        unreadable=tuple(unreadable),
        last=lines[index - 1].number,
    )
    return [table], index


def _row(lines: Sequence[Line], at: int) -> RawRow | None:
    if at >= len(lines):
        return None
    raw = take_row(lines, at, _CELL, _is_label)
    return raw if raw and len(raw.cells) > 1 else None


def _is_label(label: str) -> bool:
    """Case and load, or a case alone: the heading made sure what table it is."""
    return bool(label.strip()) and len(label) < 120


def _posted(raw: RawRow) -> PostedRow:
    """Case and load are told by the tab between them, or else by the first blank."""
    words = [part.strip() for part in raw.label.split("\t") if part.strip()]
    if len(words) < 2:
        words = [part for part in re.split(r" {2,}", raw.label.strip()) if part]
    if len(words) < 2 and "\t" not in raw.label:
        words = raw.label.split(None, 1)
    cells = []
    for index, cell in enumerate(raw.cells):
        value, std = number(cell["value"]), number(cell["std"]) if cell["std"] else None
        # A change is printed with its sign; what has none is a baseline, wherever it stands.
        is_change = index > 0 and (_SIGNED.match(cell["value"]) or value.value is None)
        cells.append(
            PostedCell(
                value=None if is_change else value,
                percent=value if is_change else None,
                deviation=std,
                marked=bool(cell["star"]),
            )
        )
    return PostedRow(" ".join(words), "", tuple(cells), raw.line, remark=raw.remark)


def _title(lines: Sequence[Line], at: int, floor: int) -> tuple[str, int]:
    if (
        at - 2 >= floor
        and re.fullmatch(r"[=-]{2,}", lines[at - 1].text)
        and (title := title_at(lines, at - 2, floor))
    ):
        return title, at - 2
    if title := title_at(lines, at - 1, floor):
        return title, at - 1
    return "", at
