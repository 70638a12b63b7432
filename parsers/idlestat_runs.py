"""Which tables of idlestat belong to one run, and how long its trace was.

The tables go to the standard output, the length of the trace to the standard error: it stands before the tables,
behind them or in another file. Where that isn't clear no length is taken: a share of a wrong length is worse than
none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.parsers.idlestat_tables import Delta, Kind, Length, Row, Table, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.parsers.base import SampleBuilder
    from compare_kernels.parsers.idlestat_tables import Item


@dataclass
class Run:
    """The tables of one run.

    Attributes:
        line: where the first of them begins, counted from 1.
        rows: of all tables, in the order of the log.
        compared: whether idlestat was given a baseline, whose trace has a length of its own.
        tables: kinds of the tables, and kinds and owners of the lists.
        seconds: the length of the trace, or None if it isn't known.

    """

    line: int
    rows: list[Row] = field(default_factory=list)
    compared: bool = False
    tables: set[tuple[Kind, str]] = field(default_factory=set)
    seconds: float | None = None

    def is_over(self, table: Table) -> bool:
        """Whether a table can't be of this run: it has one of the kind, or one that idlestat prints later."""
        if table.owner:
            return (table.kind, table.owner.name) in self.tables
        return any(kind >= table.kind for kind, _ in self.tables)


Event = Run | Length | Trouble


def read_runs(items: Iterable[Item], into: SampleBuilder) -> list[Run]:
    """Put items together to runs; report failed runs and rows that can't be read."""
    events = _events(items, into)
    runs = [event for event in events if isinstance(event, Run)]
    marks = [event for event in events if not isinstance(event, Trouble)]
    lengths = [mark for mark in marks if isinstance(mark, Length)]
    if not lengths or marks[0] is lengths[0] or lengths[0].detached:
        _lengths_before(events, into)
    elif marks[-1] is lengths[-1]:
        _lengths_behind(events, into)
    else:
        message = "whether this is the length of the trace before or behind isn't clear"
        into.warn("unclear-length", message, lengths[0].line)
    return runs


def _events(items: Iterable[Item], into: SampleBuilder) -> list[Event]:
    """Runs, lengths and failures in the order of the log."""
    events: list[Event] = []
    run: Run | None = None
    ended = True
    for item in items:
        if isinstance(item, Length) or (isinstance(item, Trouble) and item.what == "failed"):
            ended = True
            # A program that can't start prints several messages.
            if isinstance(item, Length) or not (events and isinstance(events[-1], Trouble)):
                events.append(item)
        elif isinstance(item, Trouble):
            if item.what == "row":
                into.warn("incomplete-row", f"a row that is no whole one is left out: {item.text[:120]}", item.line)
        elif isinstance(item, Table):
            if run is None or ended or run.is_over(item):
                run, ended = Run(item.line), False
                events.append(run)
            run.tables.add((item.kind, item.owner.name if item.owner else ""))
        elif run and isinstance(item, Delta):
            run.compared = True
        elif run and isinstance(item, Row):
            run.rows.append(item)
    return events


def _lengths_before(events: list[Event], into: SampleBuilder) -> None:
    """Give each run the length that stands before it; a length without tables is that of a failed run."""
    waiting: list[Length] = []
    for event in events:
        if isinstance(event, Length):
            waiting.append(event)
            continue
        if isinstance(event, Run):
            _give(event, waiting, into)
        else:
            into.failed(event.text[:200], event.line)
        waiting = []
    for length in waiting:
        into.failed("the trace was read but no table follows", length.line)


def _lengths_behind(events: list[Event], into: SampleBuilder) -> None:
    """Give each run the length that stands behind it."""
    run: Run | None = None
    waiting: list[Length] = []
    for event in [*events, None]:
        if isinstance(event, Length):
            waiting.append(event)
            continue
        if run:
            _give(run, waiting, into)
        run, waiting = event if isinstance(event, Run) else None, []
        if isinstance(event, Trouble):
            into.failed(event.text[:200], event.line)


def _give(run: Run, lengths: list[Length], into: SampleBuilder) -> None:
    """Take the length of the run's own trace: the first of two if there is a baseline, the only one otherwise."""
    if len(lengths) == 1 + run.compared:
        run.seconds = lengths[0].seconds
    elif lengths:
        into.warn("unclear-length", f"which of {len(lengths)} lengths is the run's isn't clear", lengths[0].line)
