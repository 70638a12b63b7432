"""The tables of idlestat line by line, in all its layouts.

Boxed and boxless tables, CSV and the lists of the first versions hold the same columns in another order and with
other units. A header names the columns, so that one way of reading serves all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from compare_kernels.parsers.idlestat_cells import boxed, joined, owner_of, row_name, time_in_us

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.parsers.base import RawLog
    from compare_kernels.parsers.idlestat_cells import Owner

Layout = Literal["boxed", "boxless", "csv", "listed"]


class Kind(IntEnum):
    """What the rows of a table are, in the order in which idlestat prints its tables."""

    C_STATE = 0
    P_STATE = 1
    WAKEUP = 2


@dataclass(frozen=True, slots=True)
class Table:
    """The header of a table.

    Attributes:
        line: its line, counted from 1.
        kind: what the rows are; a list of the first versions has P-states below the C-states.
        layout: how the rows are written.
        columns: names of the columns in lower case without units.
        owner: the cpu that a list is of, or None where sections name it.

    """

    line: int
    kind: Kind
    layout: Layout
    columns: tuple[str, ...]
    owner: Owner | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A state of a cpu, a core or a cluster, or an interrupt that woke a cpu.

    Attributes:
        line: its line, counted from 1.
        kind: of what it is.
        owner: whose state it is.
        name: the state, the frequency or the interrupt.
        numbers: ``min``, ``max``, ``avg`` and ``total`` in us and ``hits``, or ``count``.

    """

    line: int
    kind: Kind
    owner: Owner
    name: str
    numbers: dict[str, float]


@dataclass(frozen=True, slots=True)
class Length:
    """The line that tells how many seconds the trace lasted.

    Attributes:
        line: its line, counted from 1.
        seconds: the length of the trace.
        detached: whether other text stands between it and the tables before, so that it can't be theirs.

    """

    line: int
    seconds: float
    detached: bool


@dataclass(frozen=True, slots=True)
class Delta:
    """A row of differences to a baseline that idlestat itself was given."""

    line: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line that tells of a failure (``failed``), is no whole row (``row``) or where the log stops (``cut``)."""

    line: int
    what: Literal["failed", "row", "cut"]
    text: str


Item = Table | Row | Length | Delta | Trouble

_LENGTH = re.compile(r"Log is (\d{1,9}\.\d{1,9}) secs long with ")
_FAILED = re.compile(
    r"(?:^|[\s/:])idlestat: (?:Unknown option|option |command not found|not found|No such file|Permission denied"
    r"|error while loading|cannot execute)|^idlestat requires kernel |^must be root to run traces"
    r"|^select a mode: --trace|^expected -[ft] <|^Error: Comparison report requires"
    r"|^The terminal must be at least 80 columns"
)
_LIST = re.compile(r"^\s*(\S{1,16})@state\s+hits\s+total\(us\)\s+avg\(us\)\s+min\(us\)\s+max\(us\)\s*$")
_LIST_OF_WAKEUPS = re.compile(r"^\s*(\S{1,16})\s+wakeups\s+name\s+count\s*$")
_RULE = re.compile(r"^\s*-{2,}=?\s*$")
_QUOTE = re.compile(r"^(?:> ?){1,9}")
_WHOLE = re.compile(r"^\d{1,12}$")
_BEGINS_HEADER = re.compile(r"^\s*\|\s*(?:[CP]-state|IRQ|Wakeup)\s*\|")
_KINDS = {"c-state": Kind.C_STATE, "p-state": Kind.P_STATE, "irq": Kind.WAKEUP, "wakeup": Kind.WAKEUP}
_LISTED = ("state", "hits", "total", "avg", "min", "max")
_TIMES = ("min", "max", "avg", "total")
# Below this a bare number is the index of a C-state; above it's a frequency in MHz.
_STATES = 32


def hints_at_idlestat(text: str) -> bool:
    """Whether a text has a line that only idlestat prints."""
    return bool(_LENGTH.search(text)) or any(
        _FAILED.search(line) or _header(_QUOTE.sub("", line), 0) for line in text.split("\n")
    )


def read_items(log: RawLog) -> Iterator[Item]:
    """Yield tables, rows and all else that idlestat printed, in the order of the log."""
    reader = _Reader(log)
    while reader.more:
        yield from reader.step()
    yield from reader.close()


class _Reader:
    """Walks through the lines and remembers the table and the section that are open."""

    def __init__(self, log: RawLog) -> None:
        self._lines = [_QUOTE.sub("", line) for line in log.lines]
        self._doubtful = 0 if log.ended else len(self._lines)
        self._at = 0
        self._table: Table | None = None
        self._cluster = ""
        self._owner: Owner | None = None
        self._last: Literal["row", "section", "rule", "length", "other", "cut"] = "other"
        self._hollow = False
        """Whether the section that is open has no row yet."""

    @property
    def more(self) -> bool:
        """Whether a line is left."""
        return self._at < len(self._lines)

    @property
    def _following(self) -> list[str]:
        """The lines that a mailer may have broken off the one that was taken last."""
        return self._lines[self._at : self._at + 2]

    def step(self) -> Iterator[Item]:
        """Take the next line, or a row that a mailer broke into several."""
        line, number = self._lines[self._at], self._at + 1
        self._at += 1
        if not line.strip():
            return
        if found := _LENGTH.search(line):
            detached, self._last = self._last == "other", "length"
            yield Length(number, float(found[1]), detached)
        elif _FAILED.search(line):
            self._last = "other"
            yield Trouble(number, "failed", line.strip())
        elif _RULE.match(line):
            self._last = "rule"
        elif table := self._take_header(line, number):
            yield table
        elif self._table and not self._section(line):
            yield from self._take_row(self._table, line, number)

    def close(self) -> Iterator[Item]:
        """Tell if the log stops inside a table."""
        table = self._table
        if not table:
            return
        unclosed = table.layout == "boxed" and self._last in {"row", "section"}
        hollow = self._hollow and table.layout != "listed" and self._last in {"section", "rule"}
        if unclosed or hollow or self._last == "cut":
            yield Trouble(len(self._lines), "cut", "the log stops inside a table")

    def _take_header(self, line: str, number: int) -> Table | None:
        table = None
        if _BEGINS_HEADER.match(line):
            text, used = joined(line, self._following, words=True)
            table = _header(text, number)
            self._at += used if table else 0
        table = table or _header(line, number, self._cluster)
        if table:
            self._table, self._owner, self._last, self._hollow = table, table.owner, "row", False
            if table.layout != "listed":
                self._cluster = ""
            elif table.owner and table.owner.name.startswith("cluster"):
                self._cluster = table.owner.name
        return table

    def _section(self, line: str) -> bool:
        """Take the name of a cluster, core or cpu that heads the rows which follow."""
        assert self._table
        layout, used = self._table.layout, 0
        if layout == "listed":
            return False
        if layout == "boxed" and line.count("|") == 1:
            line, used = joined(line, self._following, bars=2)
        cells = boxed(line) or [] if layout == "boxed" else line.split("," if layout == "csv" else "\n")
        names = [cell.strip() for cell in cells if cell.strip()]
        found = owner_of(names[0], self._cluster) if len(names) == 1 else None
        if found is None:
            return False
        self._at += used
        if found.name.startswith("cluster"):
            self._cluster = found.name
        self._owner, self._last, self._hollow = found, "section", True
        return True

    def _take_row(self, table: Table, line: str, number: int) -> Iterator[Item]:
        inside = self._last != "other"
        cells, used = self._cells(table, line)
        row = _row(table, self._owner, cells, number) if cells else None
        if table.layout == "boxed" and cells and not cells[0]:
            self._at += used
            self._last = "row"
            yield Delta(number)
        elif row and (number != self._doubtful or table.layout == "boxed" or self._has_end(row, table)):
            self._at += used
            self._last, self._hollow = "row", False
            yield row
        elif inside and number == self._doubtful and _may_begin_row(table, line):
            self._last = "cut"
        elif _pretends(table, line, cells):
            self._last, self._hollow = "row", False
            yield Trouble(number, "row", line.strip())
        else:
            self._last = "other"

    def _has_end(self, row: Row, table: Table) -> bool:
        """Whether fixed decimals tell that the last line has its end."""
        return table.layout == "listed" and row.kind != Kind.WAKEUP

    def _cells(self, table: Table, line: str) -> tuple[list[str] | None, int]:
        """The cells of a row, and how many lines after the first it takes."""
        if table.layout == "boxed":
            if not line.lstrip().startswith("|"):
                return None, 0
            cells = boxed(line)
            if cells and len(cells) >= len(table.columns):
                return cells, 0
            text, used = joined(line, self._following, bars=len(table.columns) + 1)
            cells = boxed(text)
            return (cells, used) if cells and len(cells) == len(table.columns) else (None, 0)
        if table.layout == "csv":
            parts = [cell.strip() for cell in line.split(",")]
            return (parts[3:], 0) if len(parts) > 3 and not any(parts[:3]) else (None, 0)
        return line.split(), 0


def _pretends(table: Table, line: str, cells: list[str] | None) -> bool:
    """Whether a line that is no row looks like one, so that leaving it out has to be told."""
    if table.layout == "boxed":
        return line.lstrip().startswith("|")
    if table.layout == "csv":
        return line.startswith(",,,")
    return cells is not None and len(cells) == len(table.columns) and all(cell[:1].isdigit() for cell in cells[1:])


def _may_begin_row(table: Table, line: str) -> bool:
    """Whether the last line of a log can be what was written of a row."""
    first = line.strip()[:1]
    return first == {"boxed": "|", "csv": ","}.get(table.layout, first) and (first in "|," or first.isalnum())


def _header(line: str, number: int, cluster: str = "") -> Table | None:
    """The table that a line heads, or None; ``cluster`` is the one that lists are in."""
    if found := _LIST.match(line):
        return _list(Table(number, Kind.C_STATE, "listed", _LISTED, owner_of(found[1], cluster)))
    if found := _LIST_OF_WAKEUPS.match(line):
        return _list(Table(number, Kind.WAKEUP, "listed", ("irq", "name", "count"), owner_of(found[1], "")))
    layout: Layout
    if cells := boxed(line):
        layout = "boxed"
    elif line.count(",") >= 7:
        layout, cells = "csv", line.split(",")[3:]
    else:
        layout, cells = "boxless", line.split()
    columns = tuple(re.sub(r" \((?:us|khz)\)$", "", cell.strip().lower()) for cell in cells[:12])
    kind = _KINDS.get(columns[0]) if columns else None
    needed = {"name", "count"} if kind == Kind.WAKEUP else {*_TIMES, "hits"}
    if kind is None or not needed <= {*columns}:
        return None
    return Table(number, kind, layout, columns)


def _list(table: Table) -> Table | None:
    return table if table.owner else None


def _row(table: Table, owner: Owner | None, cells: list[str], number: int) -> Row | None:
    """The row that cells make, or None if a number in them isn't whole."""
    columns = table.columns
    if not owner or len(cells) < len(columns):
        return None
    extra = len(cells) - len(columns)
    if extra and table.kind == Kind.WAKEUP:
        # The name of an interrupt may hold what separates the cells.
        at = columns.index("name")
        cells = [*cells[:at], " ".join(cells[at : at + extra + 1]), *cells[at + extra + 1 :]]
    elif extra and table.layout != "boxed":
        return None
    named = dict(zip(columns, cells, strict=False))
    kind = table.kind
    listed = table.layout == "listed" and kind == Kind.C_STATE
    if listed and _WHOLE.match(cells[0]) and int(cells[0]) >= _STATES:
        kind = Kind.P_STATE
    numbers = _numbers(table, kind, named)
    name = row_name(table.layout, kind == Kind.P_STATE, kind == Kind.WAKEUP, named)
    return Row(number, kind, owner, name, numbers) if numbers and name else None


def _numbers(table: Table, kind: Kind, named: dict[str, str]) -> dict[str, float] | None:
    whole = "count" if kind == Kind.WAKEUP else "hits"
    if not _WHOLE.match(named[whole]):
        return None
    numbers = {whole: float(named[whole])}
    if kind == Kind.WAKEUP:
        return numbers
    for column in _TIMES:
        time = time_in_us(named[column], bare={"csv": 6, "listed": 2}.get(table.layout, 0))
        if time is None:
            return None
        numbers[column] = time
    return numbers
