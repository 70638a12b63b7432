"""Lines of a mail as they were before it was quoted, flowed and escaped."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from compare_kernels.posted.model import Line
from compare_kernels.text import without_escapes

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUOTED = re.compile(r"(?:> ?)+")
_FLOWED_QUOTE = re.compile(r">*")
_BLANKS = str.maketrans({"\xa0": " ", "\u2007": " ", "\u202f": " "})
_FULL = 66
"""A flowed line is broken where the next word doesn't fit; mailers break at 66 columns or more."""
_BAR_RUN = 3


def plain_lines(
    lines: Sequence[str], first: int = 1, *, flowed: bool = False, delsp: bool = False
) -> tuple[Line, ...]:
    """Return the lines without quote marks, escape sequences and trailing blanks.

    Args:
        lines: the text by lines, without line ends.
        first: the number of the first line.
        flowed: whether the mail says that its lines are flowed (RFC 3676): such lines are joined again.
        delsp: whether the blank before a flowed line's end is none of the text.
    """
    numbered = [
        Line(without_escapes(line.rstrip("\r")).translate(_BLANKS), number)
        for number, line in enumerate(lines, first)
    ]
    if flowed:
        numbered = _joined(numbered, delsp=delsp)
    unquoted = [_unquoted(line) for line in numbered]
    return tuple(_without_bars(unquoted))


def _unquoted(line: Line) -> Line:
    text = line.text
    if text.startswith(">"):
        mark = _QUOTED.match(text)
        assert mark
        text = text[mark.end() :]
    return Line(text.rstrip(), line.number)


def _without_bars(lines: list[Line]) -> list[Line]:
    """Take away bars that quote, and leave those of tables and plots, where lines end with a bar too."""
    result: list[Line] = []
    run: list[Line] = []
    for line in (*lines, Line("", 0)):
        if line.text.startswith("| ") or line.text == "|":
            run.append(line)
            continue
        quotes = len(run) >= _BAR_RUN and any(len(one.text) > 1 and not one.text.endswith("|") for one in run)
        result += [Line(one.text[2:], one.number) if quotes else one for one in run]
        run = []
        result.append(line)
    return result[:-1]


def _joined(lines: list[Line], *, delsp: bool) -> list[Line]:
    """Join flowed lines of one depth of quoting, and take away the blank that flowing puts before a line.

    Posted tables have lines that end in blanks without being flowed. So a line that had room for what follows is left
    alone.
    """
    split = [_depth_and_text(line.text) for line in lines]
    result: list[Line] = []
    parts: list[str] = []
    start = 0
    for index, ((depth, text), (next_depth, following)) in enumerate(pairwise([*split, (-1, "")])):
        parts.append(text)
        word = following.split(" ", 1)[0]
        soft = text.endswith(" ") and text != "-- " and depth == next_depth and following.strip()
        if soft and len(text) + len(word) > _FULL:
            if delsp:
                parts[-1] = text[:-1]
            continue
        result.append(Line(">" * depth + (" " if depth else "") + "".join(parts), lines[start].number))
        parts = []
        start = index + 1
    return result


def _depth_and_text(line: str) -> tuple[int, str]:
    mark = _FLOWED_QUOTE.match(line)
    assert mark
    text = line[mark.end() :]
    return mark.end(), text.removeprefix(" ")
