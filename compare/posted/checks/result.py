"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.text import printable

if TYPE_CHECKING:
    from compare_kernels.posted.model import Origin, PostedCell, PostedRow, PostedTable
    from compare_kernels.posted.numbers import Interval


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something printed that can't be right.

    Attributes:
        origin: the text in which it stands.
        line: its line there.
        subject: row and kernel, in words; empty if the whole table is meant.
        printed: what is printed.
        expected: what the other printed numbers allow, in words.
    """

    origin: Origin
    line: int
    subject: str
    printed: str
    expected: str

    @property
    def text(self) -> str:
        """One line for people, with the place first."""
        subject = f"{self.subject}: " if self.subject else ""
        return printable(f"{self.origin.place(self.line)}: {subject}{self.printed}, {self.expected}")


@dataclass(slots=True)
class Findings:
    """Collects what the checks of a table find, and counts what they looked at.

    Attributes:
        table: the table.
        percentages: how many percentages were recomputed.
        relations: how many other relations (of statistics, counts of cells, differences) were looked at.
    """

    table: PostedTable
    contradictions: list[Contradiction] = field(default_factory=list)
    percentages: int = 0
    relations: int = 0

    def report(
        self, printed: str, expected: str, row: PostedRow | None = None, kernel: int = -1, line: int = 0
    ) -> None:
        """Add a contradiction about the table, one of its rows, or the cell of a kernel in a row."""
        subject = ""
        if row is not None:
            subject = " ".join(word for word in (row.statistic, row.operation) if word)
            cell: PostedCell | None = row.cells[kernel] if 0 <= kernel < len(row.cells) else None
            line = line or (cell.line if cell else 0) or row.line
        if 0 <= kernel < len(self.table.kernels):
            subject = f"{subject}, {self.table.kernels[kernel]}" if subject else self.table.kernels[kernel]
        found = Contradiction(self.table.origin, line or self.table.line, subject, printed, expected)
        self.contradictions.append(found)


def span(interval: Interval, decimals: int) -> str:
    """The bounds of an interval as one number, if they print alike, or as two."""
    low, high = (f"{bound + 0.0:.{decimals}f}" for bound in interval)
    if low == high:
        return low
    if interval.high == float("inf"):
        return f"{low} or more"
    return f"{high} or less" if interval.low == -float("inf") else f"{low} to {high}"
