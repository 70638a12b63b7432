"""Reports for narrow places and for mails: blocks of kernels that fit, plain ASCII, lines that no tool misreads."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.reporting.view import Report, Table

_MISREAD = re.compile(r"---|diff -|From |#|>")
"""How a line must not begin in a mail: git cuts a message at some of these, mail programs quote or escape others."""


def fitted(report: Report, width: int, render: Callable[[Report], str]) -> Report:
    """Split each table into blocks of the baseline and as many other kernels as fit into a width.

    Args:
        report: the report.
        width: characters that a line may have. A block of two kernels stays as it is, however wide.
        render: makes a text of a report.
    """
    empty = replace(report, summaries=(), account="", hidden="", show_legend=False)

    def widest(table: Table) -> int:
        return max(map(len, render(replace(empty, tables=(table,))).splitlines()))

    tables = [block for table in report.tables for block in _blocks(table, width, widest)]
    return replace(report, tables=tuple(tables), width=width)


def _blocks(table: Table, width: int, widest: Callable[[Table], int]) -> list[Table]:
    others = len(table.columns) - 1
    if others < 2 or widest(table) <= width:
        return [table]
    for count in range(others - 1, 0, -1):
        starts = range(1, others + 1, count)
        blocks = [_with_kernels(table, [0, *range(start, min(start + count, others + 1))]) for start in starts]
        if count == 1 or max(map(widest, blocks)) <= width:
            return blocks
    raise AssertionError("the loop ends with a count of 1")


def _with_kernels(table: Table, kernels: list[int]) -> Table:
    rows = tuple(
        replace(
            row,
            sides=tuple(row.sides[kernel] for kernel in kernels),
            datasets=tuple(
                replace(data, kernel=kernels.index(data.kernel)) for data in row.datasets if data.kernel in kernels
            ),
        )
        for row in table.rows
    )
    return replace(table, columns=tuple(table.columns[kernel] for kernel in kernels), rows=rows)


def plain(text: str) -> str:
    """The text in ASCII, each character by one: a letter without its accent, or a question mark."""
    return text if text.isascii() else "".join(_plain_character(character) for character in text)


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    first = unicodedata.normalize("NFKD", character)[0]
    return first if first.isascii() and first.isalnum() else "?"


def unmistakable(text: str) -> str:
    """The text with each paragraph moved by one blank in which a line begins in a way that mail tools misread."""
    paragraphs = re.split(r"(\n{2,})", text)
    return "".join(
        re.sub(r"(?m)^(?=.)", " ", paragraph) if any(map(_MISREAD.match, paragraph.split("\n"))) else paragraph
        for paragraph in paragraphs
    )
