"""Scheduler developers' tables: ``1.00 [  0.00]( 4.39)     0.89 [ 11.39]( 6.86)`` below ``tip[pct imp](CV)``.

An older form has ``4.28 (0.00 pct)``, and blocks without values have ``%diff`` alone. One block (between rules of
``=``) says test, units, direction and statistic for all tables below it, one for each machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import RawRow, gap_end, most_common, names_for, numbered, take_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.model import Better
    from compare_kernels.posted.model import Line, PostedText

_VALUE = r"-?\d+(?:\.\d+)?|n/a"
_BRACKETS = re.compile(
    rf"\s*(?<![\w.+-])(?P<value>{_VALUE})\s*\[\s*(?P<percent>[-+]?\d+(?:\.\d+)?|n/a)\s*\]"
    r"(?:\s*\(\s*(?P<cv>\d+(?:\.\d+)?|n/a|nan)\s*\))?"
)
_PCT = re.compile(
    rf"\s*(?<![\w.+-])(?P<value>{_VALUE})\s*\(\s*(?P<percent>[-+]?\d+(?:\.\d+)?|n/a)\s*pct\s*\)(?P<cv>(?!))?"
)
_DIFF = re.compile(r"\s*(?<![\w.+-])(?P<value>(?!))?(?P<percent>[-+]?\d+(?:\.\d+)?|n/a)\s?%(?P<cv>(?!))?")
_STYLES = ((_BRACKETS, "normalized"), (_PCT, "normalized-pct"), (_DIFF, "normalized-diff"))

_FACT = re.compile(r"(Test|Units?|Interpretation|Statistics?)\s*: ?\s*(\S.*)")
_NAMES = re.compile(r"(\S+?)\s*\[\s*pct\s+imp\s*\](?:\s*\(\s*CV\s*\))?")
_HEADING = re.compile(r"\s*(\S[^:\[\]]{0,40}?\s*:)\s+(\S.*)")
_LABEL = re.compile(r"\s*[^\s\[\]()]+(?: [^\s\[\]()]+){0,5}\s*")
_BETWEEN = 8
"""More lines than these don't stand between a block's heading and its table, or between its tables."""
_HEADING_PIECES = 8


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read a block with all its tables, or a table without a block; see the registry for the arguments."""
    lines = text.lines
    first = lines[at].text
    facts: dict[str, str] = {}
    start = at
    if first.startswith("Test") and _FACT.fullmatch(first):
        while at < min(len(lines), start + _BETWEEN) and (fact := _FACT.fullmatch(lines[at].text)):
            facts[fact[1].rstrip("s")] = fact[2]
            at += 1
        if len(facts) < 2:
            facts, at = {}, start
    tables: list[PostedTable] = []
    above = start - 1 if facts and start > floor and lines[start - 1].text.startswith("====") else start
    while found := _next_table(text, at, once=not facts):
        table, at = found
        if not tables:
            table = replace(table, line=lines[above].number)
        tables.append(_with_facts(table, facts))
        if not facts:
            break
    return (tables, at) if tables else None


def _with_facts(table: PostedTable, facts: dict[str, str]) -> PostedTable:
    better: Better | None = None
    if found := re.match(r"(?i)\s*(lower|higher|no direction)\b", facts.get("Interpretation", "")):
        better = {"lower": "lower", "higher": "higher"}.get(found[1].lower(), "none")  # type: ignore[assignment]
    return replace(
        table,
        title=facts.get("Test", ""),
        unit=facts.get("Unit", ""),
        better=better,
        mean=facts.get("Statistic", ""),
    )


def _next_table(text: PostedText, at: int, *, once: bool) -> tuple[PostedTable, int] | None:
    """The next table from a line on: that of this line only, or, in a block, that behind a machine's name."""
    lines = text.lines
    section, section_line = "", 0
    for index in range(at, min(len(lines), at + (1 if once else _BETWEEN))):
        line = lines[index].text
        if not once and _FACT.fullmatch(line) and line.startswith("Test") and not _is_heading(lines, index):
            return None
        if set(line) == {"~"} and index > at:
            section, section_line = lines[index - 1].text.strip().rstrip(":"), lines[index - 1].number
        if heading := _heading(lines, index, in_block=not once):
            table, after = _table(text, heading)
            if table:
                return replace(table, section=section, line=section_line or lines[index].number), after
    return None


@dataclass(frozen=True, slots=True)
class _Heading:
    label: str
    names: tuple[str, ...]
    rest: str
    first_row: int
    form: re.Pattern[str]
    style: str


def _is_heading(lines: Sequence[Line], at: int) -> bool:
    return _heading(lines, at, in_block=True) is not None


def _heading(lines: Sequence[Line], at: int, *, in_block: bool) -> _Heading | None:
    """The heading at a line, which a mailer may have wrapped, if rows follow it."""
    found = _HEADING.fullmatch(lines[at].text) if len(lines[at].text) < 1000 else None
    if not found:
        return None
    rest = found[2]
    brackets = "[pct" in lines[at].text
    for index in range(at + 1, min(len(lines), at + _HEADING_PIECES)):
        for form, style in _STYLES:
            if form is _DIFF and not ("%diff" in rest and (in_block or rest.split() == ["%diff"])):
                continue
            if form is _BRACKETS and not brackets:
                continue
            if _row(lines, index, form):
                names = tuple(_NAMES.findall(rest)) if brackets else ()
                return _Heading(found[1].strip(), names, rest, index, form, style)
        if lines[index].text and (brackets or index == at + 1):
            rest = f"{rest} {lines[index].text.strip()}"
        elif lines[index].text:
            return None
    return None


def _row(lines: Sequence[Line], at: int, form: re.Pattern[str]) -> RawRow | None:
    if at >= len(lines):
        return None
    return take_row(lines, at, form, lambda label: bool(_LABEL.fullmatch(label)))


def _table(text: PostedText, heading: _Heading) -> tuple[PostedTable | None, int]:
    lines, at = text.lines, heading.first_row
    rows: list[PostedRow] = []
    unreadable: list[int] = []
    new_group = False
    while raw := _row(lines, at, heading.form):
        cells = tuple(_cell(cell) for cell in raw.cells)
        rows.append(PostedRow(raw.label.strip(), "", cells, raw.line, new_group, raw.remark))
        at = raw.next
        new_group = False
        if _row(lines, at, heading.form) is None:
            following, damaged = gap_end(lines, at, lambda index: _row(lines, index, heading.form) is not None)
            if following < 0:
                break
            unreadable += damaged
            new_group, at = not damaged, following
    count = most_common(len(row.cells) for row in rows)
    names = heading.names
    if not names:
        names = names_for(heading.rest, count) if heading.form is _PCT else tuple(heading.rest.split())
        names = tuple(name.replace("%diff", "").strip("[]()") for name in names)
        if heading.form is _DIFF and len(names) != count:
            names = numbered(count)
    table = PostedTable(
        style=heading.style,
        origin=text.origin,
        line=0,
        kernels=names,
        rows=tuple(rows),
        label=heading.label,
        unreadable=tuple(unreadable),
        last=lines[at - 1].number,
    )
    return table, at


def _cell(cell: re.Match[str]) -> PostedCell:
    value, cv = cell["value"], cell["cv"]
    return PostedCell(
        value=number(value) if value else None,
        percent=number(cell["percent"]),
        deviation=number(cv) if cv else None,
    )
