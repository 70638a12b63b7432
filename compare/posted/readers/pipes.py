"""What grids and Markdown tables share: cells between bars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
from compare_kernels.posted.numbers import NUMBER, number
from compare_kernels.posted.readers.change_columns import attach, is_change_heading
from compare_kernels.posted.readers.rows import LONGEST, title_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.posted.model import Line, PostedText

_CELL = re.compile(
    rf"(?i)(?P<flag>\([RI]\)\s*)?(?:\**(?P<value>{NUMBER}|n/a)(?!\s?%|[\w.])\s*(?P<unit>[a-z]{{1,6}}(?:/s)?)?\**)?"
    rf"(?:\s*(?:\+/?-|\u00b1)\s*(?P<deviation>{NUMBER})\s?%)?"
    rf"(?:\s*\**[(\[]?\s*(?P<percent>{NUMBER}|n/a)\s?%\s*[)\]]?\**)?"
)


def bar_cells(text: str) -> list[str] | None:
    """The texts between the bars of a line, or None if it isn't such a line."""
    text = text.strip()
    if len(text) > LONGEST or len(text) < 3 or text[0] != "|" or text[-1] != "|":
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def bar_table(
    text: PostedText,
    style: str,
    *,
    top: int,
    heading: Sequence[str],
    body: Sequence[tuple[Line, Sequence[str]]],
    floor: int,
) -> PostedTable | None:
    """Make a table out of its cells' texts; None if it holds no percentage, for then it's no comparison.

    Args:
        text: the text.
        style: ``grid`` or ``markdown``.
        top: index of the table's first line.
        heading: the texts of the heading.
        body: the other lines with the texts of their cells.
        floor: index of the first line that a title may have.
    """
    labels = _label_columns(heading, body)
    if labels == len(heading) or labels == 0:
        return None
    rows: list[PostedRow] = []
    above = [""] * labels
    for line, texts in body:
        own = [name or kept for name, kept in zip(texts[:labels], above, strict=False)]
        above = own
        cells = [_cell(cell) for cell in texts[labels:]]
        if any(cell.value or cell.percent for cell in cells):
            rows.append(PostedRow(" ".join(name for name in own if name), "", tuple(cells), line.number))
    changes = [is_change_heading(name) for name in heading[labels:]]
    kernels = tuple(name.strip("* ") for name in heading[labels:])
    kernels, rows = attach(kernels, rows, changes)
    percents = sum(cell.percent is not None for row in rows for cell in row.cells)
    if not rows or not percents or len(kernels) < 1:
        return None
    title = next((found for index in (top - 1, top - 2) if (found := title_at(text.lines, index, floor))), "")
    return PostedTable(
        style=style,
        origin=text.origin,
        line=text.lines[top].number,
        kernels=kernels,
        rows=tuple(rows),
        title=title.lstrip("# "),
        label=" ".join(heading[:labels]),
        last=body[-1][0].number,
    )


def _label_columns(heading: Sequence[str], body: Sequence[tuple[Line, Sequence[str]]]) -> int:
    """How many columns from the left hold words; the first always does, whatever stands in it."""
    count = 1
    while count < len(heading) and body:
        texts = [texts[count] for _, texts in body if len(texts) > count]
        numeric = sum(_is_number(text) for text in texts if text)
        if numeric * 2 >= max(1, sum(bool(text) for text in texts)):
            break
        count += 1
    return count


def _is_number(text: str) -> bool:
    found = _CELL.fullmatch(text)
    return bool(text and found and (found["value"] or found["percent"]))


def _cell(text: str) -> PostedCell:
    found = _CELL.fullmatch(text) if len(text) < 100 else None
    if not found:
        return PostedCell()
    return PostedCell(
        value=number(found["value"]) if found["value"] else None,
        percent=number(found["percent"]) if found["percent"] else None,
        deviation=number(found["deviation"]) if found["deviation"] else None,
        marked=bool(found["flag"]),
    )
