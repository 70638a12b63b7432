"""ministat's output, and tables that show the same six numbers of each kernel in a row.

Below ``N  Min  Max  Median  Avg  Stddev`` a row begins with the mark of its set (``x``, ``+``, …), whose name
stands in the legend, or with the kernel's name itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.posted.model import Difference, PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import Number, number
from compare_kernels.posted.readers.rows import DIRECTIONS, LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.model import Better
    from compare_kernels.posted.model import Line, PostedText

_MARKS = "x+*%#@O"
_WORDS = {
    "n": "N", "min": "Min", "max": "Max", "median": "Median", "avg": "Avg", "mean": "Avg", "average": "Avg",
    "stddev": "Stddev", "std": "Stddev", "std-dev": "Stddev",
}  # fmt: skip
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_LEGEND = re.compile(rf"([{re.escape(_MARKS)}]) (\S.*)")
_OWN_NAME = re.compile(r"(\S.{0,200}?) \((?:([^(),]{1,60}), )?(lower|higher|no direction) is better\)")
_DIFFERENCE = re.compile(r"Difference at (\d+(?:\.\d+)?)% confidence")
_NO_DIFFERENCE = re.compile(r"No difference proven at (\d+(?:\.\d+)?)% confidence")
_CHANGE = re.compile(rf"\s*({_NUMBER}|-?nan|-?inf)(%?) \+/- ({_NUMBER}|-?nan|-?inf)(%?)")
_POOLED = re.compile(rf"\s*\(Student's t, pooled s = ({_NUMBER}|-?nan)\)")
_PLOT = re.compile(r"[-+|AM_ \tx*%#@O]+")
_NOTHING: tuple[Number | None, Number | None] = (None, None)
_ABOVE = 60
_DIFFERENCE_LINES = 3


@dataclass(slots=True)
class _Set:
    """One row of numbers."""

    name: str
    values: dict[str, Number]
    line: int


@dataclass(slots=True)
class _Found:
    sets: list[_Set] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    next: int = 0


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose heading ``N Min Max Median Avg Stddev`` stands at a line; see the registry."""
    lines = text.lines
    first = at + 1
    columns = _columns(lines[at].text)
    if not columns and first < len(lines) and len(lines[at].text) <= LONGEST:
        # A mailer may have wrapped the heading.
        columns, first = _columns(f"{lines[at].text} {lines[first].text[:20]}"), at + 2
    if not columns:
        return None
    found = _sets(lines, first, columns)
    if not found.sets:
        return None
    marked = all(one.name in _MARKS for one in found.sets)
    names, top = _legend(lines, at, floor) if marked else ({}, at)
    title, operation, unit, better, top = _name(lines, top, floor)
    kernels = tuple(names.get(one.name, one.name) for one in found.sets)
    rows = tuple(
        PostedRow(
            operation,
            word,
            tuple(PostedCell(one.values[word], line=one.line) for one in found.sets),
            found.sets[0].line,
        )
        for word in columns
    )
    table = PostedTable(
        style="ministat" if marked else "describe",
        origin=text.origin,
        line=lines[top].number,
        kernels=kernels,
        rows=rows,
        title=title,
        unit=unit,
        better=better,
        mean="Avg",
        details=tuple(one.name for one in found.sets) if marked else (),
        differences=tuple(found.differences),
        unreadable=tuple(found.unreadable),
        last=lines[found.next - 1].number,
    )
    return [table], found.next


def _columns(text: str) -> tuple[str, ...]:
    """The six columns in their order; nothing if the line isn't such a heading."""
    words = text.split()
    if not 6 <= len(words) <= 7 or len(text) > LONGEST:
        return ()
    columns = tuple(_WORDS.get(word.lower(), "") for word in words[-6:])
    if len(set(columns)) != 6 or "" in columns or (len(words) == 7 and words[0].lower() in _WORDS):
        return ()
    return columns


def _sets(lines: Sequence[Line], at: int, columns: tuple[str, ...]) -> _Found:
    """Rows, each with what follows it of its difference from the first."""
    found = _Found(next=at)
    while at < len(lines):
        if one := _set(lines, at, columns):
            found.sets.append(one[0])
            at = found.next = one[1]
            continue
        if difference := _difference(lines, at, len(found.sets) - 1):
            found.differences.append(difference[0])
            at = found.next = difference[1]
            continue
        damaged = found.sets and lines[at].text and at + 1 < len(lines) and _set(lines, at + 1, columns)
        if not damaged:
            break
        found.unreadable.append(lines[at].number)
        at += 1
    return found


def _set(lines: Sequence[Line], at: int, columns: tuple[str, ...]) -> tuple[_Set, int] | None:
    """The row at a line: a name and six numbers, the last of which a mailer may have put on the next line."""
    text = lines[at].text
    for after in (at + 1, at + 2):
        words = text.split() if len(text) <= LONGEST else []
        if len(words) > 6 and all(re.fullmatch(rf"{_NUMBER}|n/a", word) for word in words[-6:]):
            name = " ".join(words[:-6])
            values = dict(zip(columns, map(number, words[-6:]), strict=True))
            whole = re.fullmatch(r"\d+|n/a", values["N"].text) and (
                name in _MARKS or any(one.value is not None for one in values.values())
            )
            return (_Set(name.rstrip(":"), values, lines[at].number), after) if whole and len(name) < 100 else None
        if after >= len(lines):
            break
        text = f"{text} {lines[after].text.strip()}"
    return None


def _difference(lines: Sequence[Line], at: int, kernel: int) -> tuple[Difference, int] | None:
    text = lines[at].text
    if found := _NO_DIFFERENCE.fullmatch(text):
        return Difference(kernel, number(found[1]), lines[at].number), at + 1
    if kernel < 1 or not (found := _DIFFERENCE.fullmatch(text)):
        return None
    changes: dict[str, tuple[Number | None, Number | None]] = {}
    pooled: Number | None = None
    places = {"": lines[at].number, "%": lines[at].number, "s": lines[at].number}
    index = at + 1
    while index < min(len(lines), at + 1 + _DIFFERENCE_LINES):
        line = lines[index].text
        if change := _CHANGE.fullmatch(line):
            changes[change[2]] = (number(change[1]), number(change[3]))
            places[change[2]] = lines[index].number
        elif said := _POOLED.fullmatch(line):
            pooled = number(said[1])
            places["s"] = lines[index].number
        else:
            break
        index += 1
    absolute, relative = changes.get("", _NOTHING), changes.get("%", _NOTHING)
    where = (places[""], places["%"], places["s"])
    return Difference(kernel, number(found[1]), lines[at].number, True, *absolute, *relative, pooled, where), index


def _name(lines: Sequence[Line], top: int, floor: int) -> tuple[str, str, str, Better | None, int]:
    """Title, operation, unit and direction from our own line above the legend, and the index of the first line.

    The operation is the last word: of the names that our tables give to operations few have a blank.
    """
    found = _OWN_NAME.fullmatch(lines[top - 1].text) if top > floor and lines[top].text.startswith("x ") else None
    if not found:
        return "", "", "", None, top
    title, _, operation = found[1].rpartition(" ")
    return title.strip(), operation, found[2] or "", DIRECTIONS[found[3]], top - 1


def _legend(lines: Sequence[Line], at: int, floor: int) -> tuple[dict[str, str], int]:
    """Names by their marks, and the index of the legend's first line; a plot may stand between."""
    names: dict[str, str] = {}
    top = at
    for index in range(at - 1, max(floor, at - _ABOVE) - 1, -1):
        text = lines[index].text
        if not _PLOT.fullmatch(text[:200]) and (found := _LEGEND.fullmatch(text)):
            names.setdefault(found[1], found[2])
            top = index
            if found[1] == "x":
                break
        elif not _PLOT.fullmatch(text[:200]):
            break
    return names, top
