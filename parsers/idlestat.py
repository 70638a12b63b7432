"""idlestat: how long and how often cpus, cores and clusters were in each idle state and frequency; what woke them.

`idlestat_tables` reads the tables in all their layouts, `idlestat_cells` their cells, `idlestat_runs` tells runs
apart. Here rows become samples. Deep sleep is good for power and bad for latency, so that states have no better
direction; wake-ups are better few.

The share of a state is its time in the length of the trace. Where the log doesn't tell that length there is no share:
the idle times of a cpu don't add up to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.idlestat_runs import Run, read_runs
from compare_kernels.parsers.idlestat_tables import Item, Kind, Row, Trouble, hints_at_idlestat, read_items

if TYPE_CHECKING:
    from compare_kernels.parsers.idlestat_cells import Owner

_share = partial(Metric, unit="%", better="none")
_detail = partial(Metric, better="none", main=False)
_time = partial(_detail, unit="us")


@dataclass(frozen=True)
class _Metrics:
    """What is told of the states of one kind."""

    residency: Metric
    total: Metric
    hits: Metric
    average: Metric
    shortest: Metric
    longest: Metric

    @property
    def all(self) -> tuple[Metric, ...]:
        """In the order of a report."""
        return (self.residency, self.total, self.hits, self.average, self.shortest, self.longest)


def _metrics(prefix: str, what: str, state: str) -> _Metrics:
    return _Metrics(
        _share(f"{prefix}residency", f"{what} Residency", quantity=f"percentage of the time spent in {state}"),
        _time(f"{prefix}total", f"{what} Total", decimals=0, quantity=f"time spent in {state} in us"),
        _detail(f"{prefix}hits", f"{what} Hits", "", decimals=0, quantity=f"number of times {state} was entered"),
        _time(f"{prefix}average", f"{what} Average", quantity=f"average stay in {state} in us"),
        _time(
            f"{prefix}min", f"{what} Minimum", decimals=0, quantity=f"shortest stay in {state} in us", extreme=True
        ),
        _time(f"{prefix}max", f"{what} Maximum", decimals=0, quantity=f"longest stay in {state} in us", extreme=True),
    )


_STATES = {
    Kind.C_STATE: _metrics("", "C-State", "an idle state"),
    Kind.P_STATE: _metrics("pstate-", "P-State", "a frequency"),
}
WAKEUPS = Metric(
    "wakeups", "Wakeups", "", "lower", decimals=0, main=False, quantity="number of times an interrupt woke a cpu"
)
METRICS = (*_STATES[Kind.C_STATE].all, *_STATES[Kind.P_STATE].all, WAKEUPS)


def recognise(log: RawLog) -> Match:
    """Tell idlestat by the headers of its tables, its line about the trace, or its messages."""
    return Match.CERTAIN if hints_at_idlestat(log.head) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Take the states and wake-ups of each run; of a comparison only this run's own values."""
    items = list(read_items(log))
    for run in read_runs(items, into):
        _take_run(run, log, into)
    _report_cut(items, into)


def _report_cut(items: list[Item], into: SampleBuilder) -> None:
    for item in items:
        if isinstance(item, Trouble) and item.what == "cut":
            into.truncated(item.text, item.line)


def _take_run(run: Run, log: RawLog, into: SampleBuilder) -> None:
    into.run(
        number=run_number(log),
        conditions={} if run.seconds is None else {"seconds": run.seconds},
        line=run.line,
    )
    if run.compared:
        into.note("comparison", "the differences to idlestat's own baseline are left out", run.line)
    if run.rows and not run.seconds:
        into.note("no-length", "the length of the trace isn't known: there is no residency in percent", run.line)
    names = _Names()
    for row in run.rows:
        operation = names.operation(row)
        if row.kind == Kind.WAKEUP:
            into.add(WAKEUPS, operation, row.numbers["count"])
        else:
            _take_state(row, operation, run.seconds, into)


def _take_state(row: Row, operation: Operation, seconds: float | None, into: SampleBuilder) -> None:
    metrics, numbers = _STATES[row.kind], row.numbers
    if seconds:
        into.add(metrics.residency, operation, numbers["total"] / (seconds * 1e4))
    into.add(metrics.total, operation, numbers["total"])
    into.add(metrics.hits, operation, numbers["hits"])
    # A state that was never entered has no shortest stay, though 0 is printed for it.
    if numbers["hits"]:
        into.add(metrics.average, operation, numbers["avg"])
        into.add(metrics.shortest, operation, numbers["min"])
        into.add(metrics.longest, operation, numbers["max"])


@dataclass
class _Names:
    """Gives rows their operations: sorted by owner, then as the log has them."""

    places: dict[tuple[Kind, Owner], int] = field(default_factory=dict)
    used: dict[tuple[Kind, str], int] = field(default_factory=dict)

    def operation(self, row: Row) -> Operation:
        """The operation of a row; of rows that print alike (2.301 and 2.300 GHz) the later ones get a number."""
        place = self.places[row.kind, row.owner] = self.places.get((row.kind, row.owner), -1) + 1
        name = f"{row.owner.name} {row.name}"
        count = self.used[row.kind, name] = self.used.get((row.kind, name), 0) + 1
        name = name if count == 1 else f"{name} ({count})"
        return Operation(name, name, order=(*row.owner.order, float(place)))
