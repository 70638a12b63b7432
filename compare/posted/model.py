"""A posted table as plain data: its numbers as they were printed, and the lines where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compare_kernels.model import Better
    from compare_kernels.posted.numbers import Number


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text comes from.

    Attributes:
        path: the file as the user named it; of a folder of mails, the file in it.
        message: the number of the mail in an mbox, counted from 1; 0 if the file is no collection.
        subject: the mail's subject, decoded; empty if it is no mail.
        message_id: the mail's Message-ID with its angle brackets; empty if there is none.
        part: empty if line numbers are those of the file. Otherwise says which decoded part of the mail they count,
            for an encoding (quoted-printable, base64) leaves no line where it was.
    """

    path: str
    message: int = 0
    subject: str = ""
    message_id: str = ""
    part: str = ""

    def place(self, line: int) -> str:
        """Return the place of a line as ``path:line``, with the mail and its part where they are needed."""
        if not self.part:
            return f"{self.path}:{line}"
        mail = f" message {self.message}," if self.message else ""
        return f"{self.path}:{mail} {self.part}:{line}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without quote marks, and its number in the file (or decoded part), counted from 1."""

    text: str
    number: int


@dataclass(frozen=True, slots=True)
class PostedText:
    """A text in which tables may stand."""

    origin: Origin
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class PostedCell:
    """What a row says of one kernel. Whatever isn't printed is None.

    Attributes:
        value: the value, in the unit of the table.
        percent: the change against the first kernel as printed, in percent.
        deviation: the deviation beside the value, in percent of it (CoeffVar, std%, %stddev).
        marked: whether the cell has the style's own marker of significance (or ``(R)`` and ``(I)`` of grids).
        absolute: whether ``percent`` is a difference of the values and no ratio (lkp, metrics in percent).
        effect: the difference in deviations, of mmtests' ratio tables.
        line: the line of the cell where it isn't that of the row; 0 otherwise.
    """

    value: Number | None = None
    percent: Number | None = None
    deviation: Number | None = None
    marked: bool = False
    absolute: bool = False
    effect: Number | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class PostedRow:
    """One row.

    Attributes:
        operation: what was measured, such as ``fault-huge-4``.
        statistic: the row's label as printed (``Amean``, ``Stddev``, ``Duration``, ``Avg``); empty where a table
            shows only one statistic.
        cells: one for each kernel, in the order of the columns.
        line: where it begins.
        new_group: whether a blank line stands before it inside the table.
        remark: what a person wrote behind it.
    """

    operation: str
    statistic: str
    cells: tuple[PostedCell, ...]
    line: int
    new_group: bool = False
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What ministat says of a set against the first one.

    Attributes:
        kernel: index of the set.
        confidence: the level in percent.
        line: where it begins.
        proven: whether a difference is claimed at all; if not, the rest is None.
        change: the difference of the averages, and ``error`` half the length of its interval.
        percent: the same in percent of the first average, and ``percent_error`` likewise.
        pooled: the pooled standard deviation.
        lines: the lines of the change, of the change in percent and of the pooled deviation.
    """

    kernel: int
    confidence: Number
    line: int
    proven: bool = False
    change: Number | None = None
    error: Number | None = None
    percent: Number | None = None
    percent_error: Number | None = None
    pooled: Number | None = None
    lines: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class PostedTable:
    """A table as it was posted.

    Attributes:
        style: how it is laid out; the reader's name, or one of its forms: ``mmtests``, ``mmtests-ratio``,
            ``mmtests-monitor``, ``normalized``, ``normalized-pct``, ``normalized-diff``, ``percent``, ``lkp``,
            ``baseline``, ``ministat``, ``describe``, ``deviations``, ``grid``, ``markdown``, ``columns``.
        origin: the text that it stands in.
        line: the first line that belongs to it: its title or heading.
        kernels: the columns' names, the baseline first. Where no name is posted they are ``1``, ``2``, ….
        rows: the rows in their order.
        title: the benchmark, as posted.
        unit: unit or quantity as posted (``us``, ``Normalized time in seconds``).
        better: the direction as posted; None if the table doesn't say.
        mean: the name of the mean as posted (``AMean``, ``Hmean``, ``Median``); empty if unsaid.
        section: the machine or group that the table is about (lines underlined with ``~`` or a group's heading).
        label: the heading of the column of operations (``Case:``, ``testcase``, ``#workers:``).
        axes: names and values of what lkp says about the test.
        details: further words, such as the subjects of lkp's commits, in the order of ``kernels``.
        differences: what ministat concludes.
        unreadable: lines between its rows that couldn't be read as rows.
        last: the last line that belongs to it.
    """

    style: str
    origin: Origin
    line: int
    kernels: tuple[str, ...]
    rows: tuple[PostedRow, ...]
    title: str = ""
    unit: str = ""
    better: Better | None = None
    mean: str = ""
    section: str = ""
    label: str = ""
    axes: tuple[tuple[str, str], ...] = ()
    details: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    unreadable: tuple[int, ...] = ()
    last: int = 0
