"""Tables of mmtests, of all years: ``Amean  fault-huge-1  1549.55 (   0.00%)  1667.13 *  -7.59%*``.

Also its ratio tables, the tables of its monitors without percentages, and the like of other makers: any rows of
values that each have a percentage in round brackets, below one or two header lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import (
    RawRow,
    gap_end,
    legend_at,
    most_common,
    numbered,
    pieces,
    take_row,
    title_at,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.model import Better
    from compare_kernels.posted.model import Line, PostedText

_VALUE = r"-?\d+(?:\.\d+)?|n/a|-?nan|-?inf"
_PERCENT = r"[-+]?\d+(?:\.\d+)?|-?nan|-?inf"
_CELL = re.compile(
    rf"(?i)\s*(?<![\w.+-])(?P<value>{_VALUE})"
    rf"(?:\s?\(\s*(?:(?P<plain>{_PERCENT})\s?%|(?P<none>n/a))\s*\)(?:\s?\*+(?!\s*[-\d.]+%))?"
    rf"|\s?\*\s*(?P<star>{_PERCENT})%\*)"
    r"(?P<effect>\s?\((?:[-+]?\d+(?:\.\d+)?|nan|[-+]?inf)s\))?"
)
_PLAIN_CELL = re.compile(r"(?i)\s+(?<![\w.+-])(?P<value>-?\d+\.\d+|n/a|-?nan)(?=\s|$)")
_GLUED = re.compile(rf"(?i)^(.*?\S)(\d+(?:\.\d+)?)(\s\(\s*(?:{_PERCENT})%\)|\s\*\s*(?:{_PERCENT})%\*)$")
_LABEL = re.compile(r"\s{0,12}[A-Za-z0-9#][\w./%#:+,@=-]*(?: +[^\s|]+){0,8}\s*")
_MONITOR = re.compile(r"(?:Duration|Ops) +\S.*")
_SUMMARY = re.compile(r"(?:[DG]mean|Dmin|Dmax) +(?:Lower|Higher)\s*")
_STATISTICS = re.compile(
    r"(?i)(?:min|max|[ahg]?mean|median|h?std-?dev|h?coeffvar|range|[1-3](?:st|nd|rd)-qrtle|max-\d+|submeanci"
    r"|(?:b|sub)[ahg]?mean(?:[-.]\d+)?|pctile[-.]\d+|ratio|[dg]mean|dmin|dmax)"
)
_HEADER_LINES = 6
_LONGEST_LABEL = 120


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose first row stands at a line.

    Args:
        text: the text.
        at: index of the line.
        floor: index of the first line that doesn't belong to an earlier table; headings stand there or below.

    Returns:
        The table and the index of the line behind it, or None if there is none.
    """
    lines = text.lines
    form = _MONITORS if _MONITOR.match(lines[at].text) and not _row(lines, at, _TABLES) else _TABLES
    first = _row(lines, at, form)
    if first is None or not _may_begin(lines, first, form):
        return None
    body = _body(lines, at, form)
    count = most_common(len(raw.cells) + bool(_GLUED.match(raw.label)) for raw in body.rows)
    header = _header(lines, at, floor, _ends(body.rows, count), count)
    if header is None and (form is _MONITORS or (len(body.rows) < 2 and count < 2)):
        return None
    header = header or _Header(numbered(count), at)
    title, line = _title(lines, header.line, floor)
    return [_table(text, form, body, replace(header, line=line), title)], body.next


@dataclass(frozen=True, slots=True)
class _Form:
    style: str
    cell: re.Pattern[str]


_TABLES = _Form("mmtests", _CELL)
_MONITORS = _Form("mmtests-monitor", _PLAIN_CELL)


@dataclass(slots=True)
class _Body:
    """The rows of a table as they are found."""

    rows: list[RawRow] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    """Numbers of the lines that a blank line precedes."""
    unreadable: list[int] = field(default_factory=list)
    next: int = 0
    unit: str = ""
    better: Better | None = None


@dataclass(frozen=True, slots=True)
class _Header:
    kernels: tuple[str, ...]
    line: int
    """Index of its first line."""


def _row(lines: Sequence[Line], at: int, form: _Form) -> RawRow | None:
    if at >= len(lines):
        return None
    if form is _MONITORS:
        return take_row(lines, at, form.cell, lambda label: bool(_MONITOR.fullmatch(label)))
    return take_row(lines, at, form.cell, _is_label)


def _is_label(label: str) -> bool:
    """Whether words can stand before cells; digits and cell glued to them are told apart later."""
    if len(label) > _LONGEST_LABEL:
        return False
    glued = _GLUED.match(label)
    return bool(_LABEL.fullmatch(glued[1] if glued else label))


def _may_begin(lines: Sequence[Line], first: RawRow, form: _Form) -> bool:
    """Whether the first cell is a baseline's, here or in the row below (for one of them may be wrong)."""
    if form is _MONITORS:
        return True
    following = _row(lines, first.next, form)
    return any(_is_baseline(raw.cells[0]) or _GLUED.match(raw.label) for raw in (first, following) if raw)


def _is_baseline(cell: re.Match[str]) -> bool:
    percent = cell["plain"] or cell["star"]
    return percent is None or number(percent).value in (0, None)


def _body(lines: Sequence[Line], at: int, form: _Form) -> _Body:
    """All rows from a line on, across blank lines that split groups and a line that can't be read."""
    body = _Body()
    while raw := _row(lines, at, form) or _summary(lines, at, body):
        body.rows.append(raw)
        at = raw.next
        if _row(lines, at, form) or _summary(lines, at, body):
            continue
        following, damaged = gap_end(lines, at, lambda index: _row(lines, index, form) is not None)
        if following < 0:
            break
        body.unreadable += damaged
        if not damaged:
            body.breaks.add(lines[following].number)
        at = following
    body.next = at
    if legend := legend_at(lines, at):
        body.unit, body.better = legend
        body.next = at + 1
    return body


def _summary(lines: Sequence[Line], at: int, body: _Body) -> RawRow | None:
    """A line of a ratio table's end, which has values only."""
    if not body.rows or at >= len(lines) or not _SUMMARY.match(lines[at].text):
        return None
    return take_row(lines, at, _PLAIN_CELL, lambda label: bool(_SUMMARY.fullmatch(label)))


def _ends(rows: list[RawRow], count: int) -> list[int]:
    """Columns where the cells of an unwrapped row end."""
    for raw in rows:
        if not raw.wrapped and len(raw.cells) == count and not _GLUED.match(raw.label):
            return [cell.end() for cell in raw.cells]
    return []


def _header(lines: Sequence[Line], at: int, floor: int, ends: list[int], count: int) -> _Header | None:
    """The kernels' names from one or two indented lines above the first row, which a mailer may have wrapped."""
    parts: list[list[tuple[str, int]]] = []
    top = at
    pending: list[tuple[str, int]] = []
    for index in range(at - 1, max(floor, at - _HEADER_LINES) - 1, -1):
        text = lines[index].text
        if not text or sum(map(len, parts)) + len(pending) >= 2 * count or re.search(r"[()=|]", text):
            break
        words = pieces(text)
        if not text[0].isspace():
            # Either the rest of a wrapped header line, or the title.
            if (
                len(words) + len(pending) >= count + (not pending)
                or index - 1 < floor
                or not lines[index - 1].text[:1].isspace()
            ):
                break
            pending = words + pending
            continue
        whole = words + pending
        pending = []
        if len(text) - len(text.lstrip()) < 3 or len(whole) > count:
            break
        parts.insert(0, whole)
        top = index
        if len(parts) == 2:
            break
    if not parts:
        return None
    kernels = _names(parts, ends, count)
    return _Header(kernels, top) if kernels else None


def _names(parts: list[list[tuple[str, int]]], ends: list[int], count: int) -> tuple[str, ...] | None:
    """Put the two lines of each name together."""
    lower = _by_column(parts[-1], ends, count)
    upper = _by_column(parts[0], ends, count) if len(parts) == 2 else [""] * count
    if lower is None or upper is None:
        return _cut_names(parts, count)
    return tuple(_joined_name(above, below) for above, below in zip(upper, lower, strict=True))


def _joined_name(above: str, below: str) -> str:
    """A name that was split at its first dash; one without is printed whole and without its last letter."""
    if not above or not below:
        return above or below
    if below.startswith("-") or above == below[:-1]:
        return below if above == below[:-1] else above + below
    return f"{above}-{below}"


def _by_column(words: list[tuple[str, int]], ends: list[int], count: int) -> list[str] | None:
    """One word for each column, by the column's end where words are missing; None if that doesn't work out."""
    if len(words) == count:
        return [word for word, _ in words]
    if len(words) > count or not ends:
        return None
    result = [""] * count
    for word, end in words:
        nearest = min(range(count), key=lambda index: abs(ends[index] - end))
        if result[nearest]:
            return None
        result[nearest] = word
    return result


def _cut_names(parts: list[list[tuple[str, int]]], count: int) -> tuple[str, ...] | None:
    """Names that ran together are cut into equal lengths if their lengths allow; otherwise columns have numbers."""
    words = [word for word, _ in parts[-1]]
    whole = "".join(words)
    if words and len(whole) % count == 0 and len(words) == 1:
        length = len(whole) // count
        return tuple(whole[index * length : (index + 1) * length] for index in range(count))
    return numbered(count)


def _title(lines: Sequence[Line], top: int, floor: int) -> tuple[str, int]:
    """The line above the header, or, where the first header line is blank, the one above that."""
    for index in (top - 1, top - 2):
        if title := title_at(lines, index, floor):
            return title, index
        if index >= floor and lines[index].text:
            break
    return "", top


def _table(text: PostedText, form: _Form, body: _Body, header: _Header, title: str) -> PostedTable:
    rows = _unglued([_posted_row(raw, body) for raw in body.rows], body.rows)
    labels = [row.statistic for row in rows]
    ratio = any(row.statistic == "Ratio" for row in rows)
    stated = next((row.operation for row in rows if row.statistic == "Gmean" and ratio), "")
    directions: dict[str, Better] = {"Lower": "lower", "Higher": "higher"}
    return PostedTable(
        style="mmtests-ratio" if ratio else form.style,
        origin=text.origin,
        line=text.lines[header.line].number,
        kernels=header.kernels,
        rows=tuple(rows),
        title=title,
        unit=body.unit,
        better=body.better or directions.get(stated),
        mean=next((label for label in labels if re.fullmatch(r"(?i)[ahg]?mean", label)), ""),
        unreadable=tuple(body.unreadable),
        last=text.lines[body.next - 1].number,
    )


def _posted_row(raw: RawRow, body: _Body) -> PostedRow:
    statistic, operation = _label_parts(raw.label)
    cells = tuple(_posted_cell(cell) for cell in raw.cells)
    return PostedRow(operation, statistic, cells, raw.line, raw.line in body.breaks, raw.remark)


def _posted_cell(cell: re.Match[str]) -> PostedCell:
    groups = cell.groupdict()
    percent = groups.get("plain") or groups.get("star") or groups.get("none")
    effect = (groups.get("effect") or "").strip(" ()").removesuffix("s")
    return PostedCell(
        value=number(groups["value"]),
        percent=number(percent) if percent else None,
        marked=bool(groups.get("star")),
        effect=number(effect) if effect else None,
    )


def _label_parts(label: str) -> tuple[str, str]:
    """Statistic and operation. In 2010 the operation came first; a table of one statistic has another first word."""
    words = label.split()
    if len(words) == 1:
        return ("", words[0])
    if not _STATISTICS.fullmatch(words[0]) and _STATISTICS.fullmatch(words[-1]):
        return words[-1], " ".join(words[:-1])
    return words[0], " ".join(words[1:])


def _unglued(rows: list[PostedRow], raws: list[RawRow]) -> list[PostedRow]:
    """Tell names and numbers apart that ran together, by the names of the table's other rows.

    A name that touches its number fills its column, so it is one of the longest: of names that fit, the longest.
    """
    known = {row.operation for row, raw in zip(rows, raws, strict=True) if not _GLUED.match(raw.label)}
    result = []
    for row, raw in zip(rows, raws, strict=True):
        glued = _GLUED.match(raw.label)
        if not glued:
            result.append(row)
            continue
        statistic, rest = _label_parts(glued[1] + glued[2])
        names = [
            name for name in known if rest.startswith(name) and re.fullmatch(r"\d+(?:\.\d+)?", rest[len(name) :])
        ]
        name = max(names, key=len, default=glued[1].split(None, 1)[-1])
        value = rest[len(name) :] if names else glued[2]
        cell = _CELL.fullmatch(value + glued[3])
        cells = (_posted_cell(cell), *row.cells) if cell else row.cells
        result.append(replace(row, operation=name, statistic=statistic, cells=cells))
    return result
