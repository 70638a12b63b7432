"""A posted column beside own results: the tables that both have, with changes against what was posted."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compare_kernels.model import Diagnostic, Severity
from compare_kernels.reporting.posted import posted_table
from compare_kernels.reporting.view import (
    MISSING,
    Cell,
    Side,
    Table,
    TableRow,
    kernel_columns,
    number_text,
    statistic_label,
    with_lengths,
)
from compare_kernels.statistics.change import percent_change
from compare_kernels.summarise import STATISTICS, summarise
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from compare_kernels.model import Metric
    from compare_kernels.posted.model import PostedTable
    from compare_kernels.samples import Row, Samples

SPREADS = ("stddev", "cv")


@dataclass(frozen=True, slots=True)
class Joined:
    """What a post and own results have in common.

    Attributes:
        tables: posted columns first, then the kernels of the own results; percentages are against the first column.
        diagnostics: what of the post has no counterpart.
    """

    tables: tuple[Table, ...]
    diagnostics: tuple[Diagnostic, ...]


def joined(posted: Sequence[PostedTable], samples: Samples) -> Joined:
    """Put posted tables and own results side by side where benchmark and operation match.

    A test needs the values of runs, which a post doesn't have: nothing here is marked or judged.

    Args:
        posted: tables with absolute values.
        samples: own results of one kernel or more.
    """
    measured: dict[tuple[str, str], dict[str, Row]] = {}
    for row in samples.rows():
        measured.setdefault((row.benchmark, row.metric.name), {})[row.operation.name] = row
    described = {
        (record["benchmark"], record["metric"], record["operation"], record["kernel"]): record
        for record in summarise(samples).to_dict("records")
    }
    tables: list[Table] = []
    said: list[Diagnostic] = []
    for item in posted:
        place = item.origin.place(item.line)
        name = item.title or "the table"
        if item.style.startswith(("normalized", "baseline")):
            said.append(_note("posted-ratios", f"{name} has ratios and no values, which can't be compared", place))
            continue
        key = _counterpart(item, measured, samples)
        if key is None:
            said.append(_note("posted-alone", f"{name} has no counterpart among the results", place))
            continue
        left_out = [operation for operation in _operations(item) if operation not in measured[key]]
        if left_out:
            said.append(_note("posted-alone", f"{name}: not among the results: {', '.join(left_out)}", place))
        tables.append(_table(posted_table(item), key, measured[key], described, samples))
    return Joined(tuple(tables), tuple(said))


def _note(slug: str, message: str, place: str) -> Diagnostic:
    return Diagnostic(Severity.WARNING, slug, message, place)


def _operations(item: PostedTable) -> list[str]:
    return list(dict.fromkeys(row.operation for row in item.rows))


def _words(text: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", text.lower())) - {""}


def _counterpart(
    item: PostedTable, measured: Mapping[tuple[str, str], Mapping[str, Row]], samples: Samples
) -> tuple[str, str] | None:
    """The benchmark and metric that share most operations with a posted table, and then most words of its title."""
    own = set(_operations(item))
    title = _words(item.title)

    def likeness(key: tuple[str, str]) -> tuple[int, int]:
        label, name = key
        words = _words(f"{label} {samples.metrics[key].title} {samples.benchmarks[label].parser} {name}")
        return len(title & words), len(own & measured[key].keys())

    ranked = sorted(measured, key=likeness, reverse=True)
    if not ranked:
        return None
    words, operations = likeness(ranked[0])
    if not operations or (title and not words):
        return None
    # Without a title only operations tell; they have to tell which.
    alike = [key for key in ranked if likeness(key) == (words, operations)]
    return ranked[0] if title or len(alike) == 1 else None


def _table(
    table: Table,
    key: tuple[str, str],
    rows: Mapping[str, Row],
    described: Mapping[tuple[Any, ...], Mapping[Hashable, Any]],
    samples: Samples,
) -> Table:
    metric = samples.metrics[key]
    shown = []
    for row in table.rows:
        if row.operation.name not in rows:
            continue
        base = row.sides[0]
        more = [
            _side(base, described.get((*key, row.operation.name, kernel)), metric, table.statistics)
            for kernel in samples.kernels
        ]
        shown.append(_with_sides(row, more))
    names = [*(column.name for column in table.columns), *samples.kernels]
    columns = kernel_columns(names)
    statistics = tuple(
        (statistic, statistic_label(statistic, metric) if statistic in STATISTICS else label)
        for statistic, label in table.statistics
    )
    return replace(
        table,
        heading=table.heading or printable(key[0]),
        metric=replace(metric, monitor=table.metric.monitor),
        columns=tuple(with_lengths(column, index, shown) for index, column in enumerate(columns)),
        rows=tuple(shown),
        statistics=statistics,
    )


def _with_sides(row: TableRow, more: Iterable[Side]) -> TableRow:
    return replace(row, sides=(*row.sides, *more), datasets=())


def _side(
    base: Side,
    summary: Mapping[Hashable, Any] | None,
    metric: Metric,
    statistics: Iterable[tuple[str, str]],
) -> Side:
    cells = {}
    for key in dict.fromkeys((*(key for key, _ in statistics), "mean", "cv")):
        value = summary[key] if summary is not None and key in STATISTICS else math.nan
        before = base.cells[key].value if key in base.cells else math.nan
        delta = percent_change(before, value, "lower" if key in SPREADS else metric.better)
        texts = number_text(value, metric.decimals), number_text(delta, 2)
        cells[key] = Cell(value, texts[0], delta, texts[1]) if summary is not None else _ABSENT
    mean, before = cells["mean"].value, base.cells["mean"].value
    return Side(
        cells,
        ratio=mean / before if before > 0 else math.nan,
        raw=100 * (mean - before) / before if before else math.nan,
        difference=mean - before,
        cv=summary["cv"] if summary is not None else math.nan,
        n=int(summary["n"]) if summary is not None else 0,
        runs=int(summary["runs"]) if summary is not None else 0,
    )


_ABSENT = Cell(math.nan, MISSING, math.nan, MISSING)
