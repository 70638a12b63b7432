"""What readers share: rows made of cells, rows that a mailer wrapped, headings above rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from compare_kernels.model import Better
    from compare_kernels.posted.model import Line

LONGEST = 2000
"""A longer line is none of a table."""
_PIECES = 6
"""A row is looked for on this many lines at most."""
_REMARK = re.compile(r"\s*(?:\*+|!+|(?:<|#|//|\u2190).*)?\s*")
_CUT = re.compile(r"(?:^|\s)[-+]?[\d.,]+[%)]*$|[(\[*]$|\+/?-$|\u00b1$")
"""How a line ends that was cut before a cell's end."""
_LEGEND = re.compile(r"([^,;]{1,60}), (lower|higher|no direction) is better(?:; .*|)")
DIRECTIONS: dict[str, Better] = {"lower": "lower", "higher": "higher", "no direction": "none"}
"""How our own tables say their direction, before ``is better``."""
_SENTENCE_END = (".", ",", ";", "!", "?", ":", ")")

Cell = re.Match[str]


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row taken apart.

    Attributes:
        label: what stands before the first cell, with its blanks.
        cells: the matches of the cells' pattern.
        remark: what stands behind the last cell.
        line: number of its first line.
        next: index of the line behind it.
        wrapped: whether it was put together from several lines.
    """

    label: str
    cells: tuple[Cell, ...]
    remark: str
    line: int
    next: int
    wrapped: bool = False


def split_row(text: str, cell: re.Pattern[str]) -> tuple[str, tuple[Cell, ...], str] | None:
    """Take a row apart into its label, its cells and a remark; None if it isn't made so."""
    if len(text) > LONGEST:
        return None
    found = cell.search(text)
    if not found:
        return None
    cells = [found]
    while found := cell.match(text, cells[-1].end()):
        cells.append(found)
    rest = text[cells[-1].end() :]
    if not _REMARK.fullmatch(rest):
        return None
    return text[: cells[0].start()], tuple(cells), rest.strip()


def take_row(lines: Sequence[Line], at: int, cell: re.Pattern[str], fits: Callable[[str], bool]) -> RawRow | None:
    """Return the row that begins at a line, with the pieces that a mailer put on lines of their own.

    Args:
        lines: all lines of the text.
        at: index of the line.
        cell: the pattern of a cell; a match begins at the blanks before it.
        fits: tells whether a label can be one.
    """
    text = lines[at].text
    if not text or len(text) > LONGEST:
        return None
    best: RawRow | None = None
    for after in range(at + 1, at + 1 + _PIECES):
        split = split_row(text, cell)
        if split and fits(split[0]) and (best is None or _has_more(split[1], best.cells)):
            best = RawRow(*split, lines[at].number, after, wrapped=after > at + 1)
        elif split or not _CUT.search(text[-40:]):
            break
        more = lines[after].text.strip() if after < len(lines) else ""
        if not more or len(more) > LONGEST:
            break
        text = f"{text} {more}"
    return best


def _has_more(cells: Sequence[Cell], before: Sequence[Cell]) -> bool:
    """Whether there are more cells, or the last one got what was cut off."""
    return len(cells) > len(before) or len(cells[-1][0].strip()) > len(before[-1][0].strip())


def pieces(text: str) -> list[tuple[str, int]]:
    """Words and the columns where they end; words are separated by a single blank at least."""
    return [(found[0], found.end()) for found in re.finditer(r"\S+", text)]


def fields(text: str) -> list[str]:
    """What tabs or two blanks and more separate."""
    return [part for part in re.split(r"\t+| {2,}", text.strip()) if part.strip()]


def title_at(lines: Sequence[Line], index: int, floor: int) -> str:
    """The line as a title, or nothing: a title begins at the left and is no sentence."""
    if not max(floor, 0) <= index < len(lines):
        return ""
    text = lines[index].text
    if not text or text[0].isspace() or len(text) > 100 or text.endswith(_SENTENCE_END):
        return ""
    if re.match(r"[-=~+|*#_]{3}", text) or not re.search(r"[A-Za-z]", text):
        return ""
    return text.strip()


def legend_at(lines: Sequence[Line], at: int) -> tuple[str, Better] | None:
    """Unit and direction, where the legend of one of our own tables stands at a line; None if it doesn't."""
    found = _LEGEND.match(lines[at].text) if at < len(lines) else None
    return (found[1], DIRECTIONS[found[2]]) if found else None


def legend_below(lines: Sequence[Line], at: int) -> tuple[str, Better | None, int]:
    """Unit and direction from a legend that a blank line parts from its table, and the index of the line behind.

    Where there is no legend, unit and direction are unsaid, and the index is the one given.
    """
    if at < len(lines) and not lines[at].text and (found := legend_at(lines, at + 1)):
        return (*found, at + 2)
    return "", None, at


def numbered(count: int) -> tuple[str, ...]:
    """Names for columns that have none."""
    return tuple(str(index) for index in range(1, count + 1))


def names_for(text: str, count: int) -> tuple[str, ...]:
    """Names of columns out of a heading: by wide gaps, or else by blanks; numbers where neither gives as many."""
    for names in (fields(text), text.split()):
        if len(names) == count:
            return tuple(name.strip() for name in names)
    return numbered(count)


def most_common(counts: Iterable[int]) -> int:
    """The count that occurs most often, of several the largest; 0 if there is none."""
    seen: dict[int, int] = {}
    for count in counts:
        seen[count] = seen.get(count, 0) + 1
    return max(seen, key=lambda count: (seen[count], count), default=0)


def gap_end(lines: Sequence[Line], at: int, is_row: Callable[[int], bool]) -> tuple[int, list[int]]:
    """Look over what may stand between two rows of one table: a blank line, or a line that can't be read.

    Returns:
        Index of the next row, or -1 if there is none; and numbers of lines that should be rows but can't be read.
    """
    if at < len(lines) and not lines[at].text:
        return (at + 1, []) if at + 1 < len(lines) and is_row(at + 1) else (-1, [])
    damaged = at + 1 < len(lines) and re.search(r"\d", lines[at].text) and not is_row(at)
    if damaged and is_row(at + 1):
        return at + 1, [lines[at].number]
    return -1, []
