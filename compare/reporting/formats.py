"""Numbers in the forms that single styles are known for: filters of the templates."""

from __future__ import annotations

import math
import re
import textwrap

_MISSING = "n/a"


def lkp_mean(value: float) -> str:
    """A mean in the table of the 0-day robot: two decimals below 1000, no decimals above, four digits from 1e8 on.

    Returns:
        10 characters, or more for a number that needs them.
    """
    if not math.isfinite(value):
        return _MISSING.rjust(10)
    size = abs(value)
    return f"{value:.2f}".rjust(10) if size < 1000 else f"{value:10.4g}" if size >= 1e8 else f"{value:10.0f}"


def lkp_deviation(cv: float, sign: str) -> str:
    """The deviation in percent of the mean, six characters; blanks up to 2 %. The sign is one character or two."""
    return f"{sign:>2}{abs(cv):3.0f}%" if abs(cv) > 2 else " " * 6


def lkp_change(change: float, absolute: bool) -> str:
    """A change with its sign, eleven characters: in percent, or in the unit of a metric that is a percentage."""
    if not math.isfinite(change):
        return f"{_MISSING:>10} "
    # At this length the robot's own tables turn to exponents.
    text = f"{change:+10.1f}" if abs(change) < 100_000 else f"{change:+10.2g}"
    return text + (" " if absolute else "%")


def wrap(text: str, width: int) -> str:
    """A sentence in lines of at most so many characters, as far as its words allow; as it is for a width of 0."""
    if not width or len(text) <= width:
        return text
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def general(value: float) -> str:
    """A number with six significant digits, as C's ``%g`` prints it."""
    return f"{value:g}" if math.isfinite(value) else _MISSING


def markdown(text: str) -> str:
    """Text that a Markdown renderer shows as it is, inside a cell of a table too; it mentions and links nobody."""
    entities = {"@": "&#64;", "#": "&#35;", "&": "&amp;", "<": "&lt;"}
    return re.sub(r"[\\`*_\[\]|~@#&<]", lambda found: entities.get(found[0], f"\\{found[0]}"), text)
