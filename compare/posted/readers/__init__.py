"""Readers of posted tables: a module for each style, and the order in which they are asked.

A reader has ``read(text, at, floor)``: the text, the index of a line, and the index of the first line that no earlier
table took. It returns the tables that begin there (a block may hold several) and the index of the line behind them,
or None. It says None unless it is sure: prose never becomes a table. A new style is a module here and a line below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from compare_kernels.posted.readers import (
    baseline,
    columns,
    deviations,
    grid,
    lkp,
    markdown,
    ministat,
    mmtests,
    normalized,
    percent,
)

if TYPE_CHECKING:
    from compare_kernels.posted.model import PostedTable, PostedText


class Reader(Protocol):
    """What a reader has to offer; a module with this function is one."""

    def read(self, text: PostedText, at: int, floor: int) -> tuple[list[PostedTable], int] | None:
        """Read the tables that begin at a line."""


READERS: tuple[Reader, ...] = (
    lkp,
    normalized,
    baseline,
    ministat,
    percent,
    mmtests,
    deviations,
    grid,
    markdown,
    columns,
)
"""The first that finds a table has it; the loosest stands last."""


def read_tables(text: PostedText) -> list[PostedTable]:
    """Return all tables of a text in their order, whatever stands between them."""
    tables: list[PostedTable] = []
    at = floor = 0
    while at < len(text.lines):
        found = (
            next((found for reader in READERS if (found := reader.read(text, at, floor))), None)
            if text.lines[at].text
            else None
        )
        if found:
            tables += found[0]
            at = floor = max(found[1], at + 1)
        else:
            at += 1
    return tables
