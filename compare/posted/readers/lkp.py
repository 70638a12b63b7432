"""The 0-day robot's table: ``161714 ±  2%     -37.0%     101819 ±  2%  will-it-scale.per_thread_ops``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import number
from compare_kernels.posted.readers.rows import LONGEST, gap_end, legend_below, most_common, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_HEADER = re.compile(r"\s*%stddev(?:\s+%change\s+%stddev)+\s*")
_BACKSLASHES = re.compile(r"[\s\\|]+")
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_MEAN = re.compile(
    rf"\s*(?P<value>{_NUMBER}|n/a)(?![\w.%])(?:\s*(?:\u00b1|\+/?-)\s*(?P<deviation>\d+(?:\.\d+)?)%)?(?=\s|$)"
)
_CHANGE = re.compile(
    r"\s+(?P<change>[-+]\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|n/a(?=\s+(?:[-+\d.]|n/a)))(?P<sign>%?)(?=\s|$)"
)
_METRIC = re.compile(r"\s*([A-Za-z]\S{0,200}|[A-Za-z][\w-]{0,100}\.\S{1,100}(?: [^\s<(]\S{0,40}){1,3})?\s*")
_COMMIT = re.compile(r"\s*([0-9a-f]{7,40}|v\d\S*)(?:\s+\((.*))?")
_ABOVE = 40


def read(text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
    """Read the table whose line of ``%stddev %change %stddev`` stands at a line; see the registry."""
    lines = text.lines
    if "%stddev" not in lines[at].text or not _HEADER.fullmatch(lines[at].text):
        return None
    first = at + 1
    while first < len(lines) and lines[first].text and _BACKSLASHES.fullmatch(lines[first].text):
        first += 1
    rows: list[PostedRow] = []
    unreadable: list[int] = []
    index = first
    while index < len(lines):
        if found := _row(lines, index):
            row, index = found
            rows.append(row)
            continue
        following, damaged = gap_end(lines, index, lambda place: _row(lines, place) is not None)
        if following < 0:
            break
        unreadable += damaged
        index = following
    if not rows:
        return None
    count = most_common(len(row.cells) for row in rows)
    heading = _heading(lines, at, floor, count)
    unit, better, index = legend_below(lines, index)
    table = PostedTable(
        style="lkp",
        origin=text.origin,
        line=lines[heading.top].number,
        kernels=heading.kernels,
        rows=tuple(rows),
        title=dict(heading.axes).get("testcase", ""),
        unit=unit,
        better=better,
        axes=heading.axes,
        details=heading.subjects,
        unreadable=tuple(unreadable),
        last=lines[index - 1].number,
    )
    return [table], index


def _row(lines: Sequence[Line], at: int) -> tuple[PostedRow, int] | None:
    """The row at a line, with the name of its metric on the next line if a mailer put it there."""
    text = lines[at].text
    if len(text) > LONGEST:
        return None
    more = lines[at + 1].text.strip() if at + 1 < len(lines) else ""
    parsed = _parse(text)
    joined = _parse(f"{text} {more}") if more and not _parse(lines[at + 1].text) and len(more) < LONGEST else None
    after = at + 1
    if joined and joined[1] and (parsed is None or not parsed[1]):
        parsed, after = joined, at + 2
    if parsed is None or (not parsed[1] and len(parsed[0]) < 2):
        return None
    cells, metric = parsed
    return PostedRow(metric, "", cells, lines[at].number), after


def _parse(text: str) -> tuple[tuple[PostedCell, ...], str] | None:
    """Means, deviations and changes of a row, and its metric, which may be missing."""
    found = _MEAN.match(text)
    if not found:
        return None
    cells = [_cell(found, None)]
    end = found.end()
    while True:
        change = _CHANGE.match(text, end)
        mean = _MEAN.match(text, change.end()) if change else _MEAN.match(text, end)
        if change and not mean and not change["sign"]:
            # No change is printed: what has a sign is the second mean.
            mean, change = _MEAN.match(text, end), None
        if not mean:
            break
        cells.append(_cell(mean, change))
        end = mean.end()
    metric = _METRIC.fullmatch(text, end)
    return (tuple(cells), metric[1] or "") if metric and len(cells) > 1 else None


def _cell(mean: re.Match[str], change: re.Match[str] | None) -> PostedCell:
    return PostedCell(
        value=number(mean["value"]),
        percent=number(change["change"]) if change else None,
        deviation=number(mean["deviation"]) if mean["deviation"] else None,
        absolute=bool(change and not change["sign"] and change["change"] != "n/a"),
    )


@dataclass(frozen=True, slots=True)
class _Heading:
    kernels: tuple[str, ...]
    subjects: tuple[str, ...]
    axes: tuple[tuple[str, str], ...]
    top: int


def _heading(lines: Sequence[Line], at: int, floor: int, count: int) -> _Heading:
    """Kernels by the list below ``commit:``, or else by the line above the dashes; and the axes above both."""
    top = top_of_names = at
    kernels: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    for index in range(at - 1, max(floor, at - _ABOVE) - 1, -1):
        text = lines[index].text.strip()
        if re.fullmatch(r"-{7,}(?: -{7,})+", text) and index > floor:
            top = top_of_names = index - 1
            names = lines[index - 1].text.split()
            kernels = tuple(names) if len(names) == count else ()
        elif text == "commit:":
            top = index
            commits = _commits(lines[index + 1 : top_of_names])
            if len(commits) >= count:
                kernels = tuple(name for name, _ in commits[:count])
                subjects = tuple(subject for _, subject in commits[:count])
        elif re.fullmatch(r"={20,}", text):
            axes = _axes(" ".join(line.text.strip() for line in lines[index + 1 : top] if line.text))
            return _Heading(kernels or numbered(count), subjects, axes, index)
    return _Heading(kernels or numbered(count), subjects, (), top)


def _commits(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Commits and their subjects, which a mailer may have wrapped."""
    commits: list[tuple[str, str]] = []
    for line in lines:
        found = _COMMIT.fullmatch(line.text)
        if found:
            commits.append((found[1], found[2] or ""))
        elif line.text and commits:
            commits[-1] = (commits[-1][0], f"{commits[-1][1]} {line.text.strip()}")
    return [(name, subject.strip().removesuffix(")").strip('"')) for name, subject in commits]


def _axes(text: str) -> tuple[tuple[str, str], ...]:
    """Names and values of what the test was run with; a value may hold slashes, then none is sure."""
    names, _, values = text.partition(":")
    parts = values.strip().split("/")
    listed = names.strip().split("/")
    return tuple(zip(listed, parts, strict=True)) if len(parts) == len(listed) else ()
