"""Posted tables as a report again: each number as it was printed, in the places where other styles want it.

Nothing is computed that a post doesn't determine: what it doesn't say is ``n/a`` in a style that asks for it.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.model import Better, Mean, Metric, Operation
from compare_kernels.reporting.datasets import SYMBOLS, DataSet
from compare_kernels.reporting.view import (
    MISSING,
    Cell,
    Report,
    Side,
    Table,
    TableRow,
    kernel_columns,
    number_text,
    with_lengths,
)
from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.pooled import PooledDifference
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable

_RAW_SIGN = frozenset({"lkp", "ministat", "columns", "markdown", "deviations"})
"""Styles in which a positive change is more, whatever is better."""
_RATIOS = frozenset({"normalized", "normalized-pct", "normalized-diff", "baseline"})
"""Styles whose values are divided by the baseline's."""
_LABELS: tuple[tuple[str, str], ...] = (
    (r"[ahg]mean|mean|avg|average", "mean"),
    (r"h?stddev", "stddev"),
    (r"h?coeffvar", "cv"),
    (r"b[ahg]mean[-.](\d+)", "best_"),
    (r"min|max|median|n", ""),
)
_SPREADS = frozenset({"stddev", "cv"})
_NAMELESS = "result"
"""What an operation is called that a post doesn't name."""
_CASE_AND_LOAD = re.compile(r"(.*\S)\s+(\d+ \S+)")


def posted_report(tables: Sequence[PostedTable], account: str) -> Report:
    """Make the view model of posted tables.

    Args:
        tables: what was read.
        account: a line that says where they come from.
    """
    shown: list[Table] = []
    longest = max((len(posted.section) + 1 for posted in tables), default=0)
    unsaid = False
    for posted in tables:
        table = posted_table(posted)
        unsaid = unsaid or (posted.style in _RAW_SIGN and table.metric.better == "none")
        before = shown[-1] if shown else None
        if before and _is_continued(posted, before, table):
            shown[-1] = _with_rows(before, table.rows)
            continue
        table = replace(table, rule_length=longest)
        # Machines of one test share its head.
        if table.section and before and (before.heading, before.about) == (table.heading, table.about):
            table = replace(table, continues=True)
        shown.append(table)
    if unsaid:
        account += "; + is more where no direction is posted"
    return Report(tuple(shown), account=printable(account), show_legend=False)


def _is_continued(posted: PostedTable, before: Table, table: Table) -> bool:
    """Whether a block of ministat is a further operation of the table before: our style has a block for each."""
    own = {row.operation.name for row in before.rows}
    return (
        posted.style == "ministat"
        and bool(table.heading)
        and (before.heading, before.units, before.metric.better) == (table.heading, table.units, table.metric.better)
        and before.statistics == table.statistics
        and [column.name for column in before.columns] == [column.name for column in table.columns]
        and not any(row.operation.name in own for row in table.rows)
    )


def _with_rows(table: Table, more: tuple[TableRow, ...]) -> Table:
    rows = (*table.rows, *more)
    columns = tuple(with_lengths(column, index, list(rows)) for index, column in enumerate(table.columns))
    return replace(table, rows=rows, columns=columns)


def posted_table(posted: PostedTable) -> Table:
    """Make the view model of one table."""
    rows = _by_operation(posted)
    labels = dict.fromkeys(row.statistic for row in posted.rows)
    keys = {label: _key(label) for label in labels}
    if "mean" not in keys.values():
        # A table with one number for each operation, or with none that is a mean: the first stands for it.
        keys[next(iter(labels))] = "mean"
    better = _direction(posted, [row for row in posted.rows if keys[row.statistic] == "mean"])
    texts = [cell.value.text for row in posted.rows for cell in row.cells if cell.value]
    decimals = max((len(text.rpartition(".")[2]) if "." in text else 0 for text in texts), default=2)
    kind: Mean = "harmonic" if any(label.lower().startswith("h") for label in labels) else "arithmetic"
    monitor = posted.style == "mmtests-monitor"
    metric = Metric("posted", "", posted.unit, better, kind, min(decimals, 10), monitor=monitor)
    metric = replace(metric, label=printable(next(iter(labels))) if monitor else "Ops")
    printed = tuple(_row(posted, name, of_name, keys, better) for name, of_name in rows.items())
    # How many values there were is no measurement that could change.
    statistics = [(key, printable(label) or posted.mean or "Mean") for label, key in keys.items() if key != "n"]
    if len(statistics) == 1 and any(cell.deviation for row in posted.rows for cell in row.cells):
        statistics.append(("cv", "CoeffVar"))
    columns = kernel_columns(posted.kernels)
    # Other styles' headings of this column don't end in a colon, as those of the normalized tables do.
    label = printable(posted.label) if posted.label.endswith(":") else ""
    return Table(
        printable(posted.title),
        printable(posted.title),
        metric,
        tuple(with_lengths(column, index, list(printed)) for index, column in enumerate(columns)),
        tuple(statistics),
        printed,
        printable(posted.unit),
        "",
        "",
        axes=tuple((printable(name), printable(value)) for name, value in posted.axes),
        section=printable(posted.section),
        column_label=re.sub(r"\s+:", ":", label),
        stretched_label=label,
        units=printable(posted.unit) or "as posted",
        average=printable(posted.mean),
    )


def _by_operation(posted: PostedTable) -> dict[str, dict[str, PostedRow]]:
    """Name of an operation to its rows by their label; an operation that occurs twice is numbered."""
    rows: dict[str, dict[str, PostedRow]] = {}
    for row in posted.rows:
        name, number = row.operation, 2
        while row.statistic in rows.get(name, {}):
            name, number = f"{row.operation} ({number})", number + 1
        rows.setdefault(name, {})[row.statistic] = row
    return rows


def _key(label: str) -> str:
    """The key of a statistic, see `compare_kernels.summarise.STATISTICS`; of an unknown one its label."""
    for pattern, key in _LABELS:
        if found := re.fullmatch(pattern, label.lower()):
            return key + found[1] if key == "best_" else key or label.lower()
    return label


def _direction(posted: PostedTable, rows: Sequence[PostedRow]) -> Better:
    """The direction as posted, or as the signs of the percentages give it away."""
    if posted.better:
        return posted.better
    if posted.style in _RAW_SIGN or posted.style in _RATIOS:
        return "none"
    votes = {"higher": 0, "lower": 0}
    for row in rows:
        base = row.cells[0].value
        for cell in row.cells[1:]:
            if base and base.value and cell.value and cell.value.value and cell.percent and cell.percent.value:
                rises = cell.value.value > base.value
                votes["higher" if rises == (cell.percent.value > 0) else "lower"] += 1
    if votes["higher"] == votes["lower"]:
        return "none"
    return "higher" if votes["higher"] > votes["lower"] else "lower"


def _row(
    posted: PostedTable, name: str, of_name: Mapping[str, PostedRow], keys: Mapping[str, str], better: Better
) -> TableRow:
    rows = {keys[label]: row for label, row in of_name.items()}
    sides = tuple(_side(posted, rows, kernel, better, keys) for kernel in range(len(posted.kernels)))
    text = printable(name) or _NAMELESS
    found = _CASE_AND_LOAD.fullmatch(text)
    return TableRow(
        Operation(text),
        text,
        new_group=next(iter(of_name.values())).new_group,
        sides=sides,
        case=found[1] if found else text,
        load=found[2] if found else "",
        datasets=_data_sets(posted, rows),
        path=".".join(text.split()) if posted.style == "lkp" else ".".join(f"{posted.title} {text}".split()),
        absolute=any(cell.absolute for cell in of_name[next(iter(of_name))].cells),
    )


def _side(
    posted: PostedTable, rows: Mapping[str, PostedRow], kernel: int, better: Better, keys: Mapping[str, str]
) -> Side:
    nothing = Cell(math.nan, MISSING, math.nan, MISSING)
    cells = {
        key: _cell(posted, rows[key], kernel, "lower" if key in _SPREADS else better) if key in rows else nothing
        for key in keys.values()
    }
    mean = cells.setdefault("mean", nothing)
    base = _value(rows["mean"].cells[0]) if "mean" in rows else math.nan
    cv = _deviation(rows, cells, kernel)
    cells.setdefault("cv", Cell(cv, number_text(cv, 2), math.nan, MISSING))
    of_values = mean.value / base if base > 0 else math.nan
    ratio = _ratio(mean, kernel, better) if posted.style in _RATIOS else of_values
    if math.isfinite(mean.delta) and (better != "none" or posted.style in _RAW_SIGN):
        # What is posted was computed from more digits than the values have.
        raw = (-mean.delta if better == "lower" else mean.delta) + 0.0
    else:
        raw = 100 * (ratio - 1)
    own = rows["mean"].cells[kernel] if "mean" in rows else None
    if own and own.absolute and own.percent and own.percent.value is not None:
        difference = own.percent.value
    else:
        difference = mean.value - base
    # A deviation takes two values; how many there were isn't posted.
    n = 2 if math.isfinite(cv) else int(math.isfinite(mean.value))
    return Side(cells, ratio, raw, difference, cv, n=n)


def _cell(posted: PostedTable, row: PostedRow, kernel: int, better: Better) -> Cell:
    cell = row.cells[kernel]
    value = _value(cell)
    text = printable(cell.value.text) if cell.value else MISSING
    if cell.percent is not None and not cell.absolute:
        known = math.nan if cell.percent.value is None else cell.percent.value
        change = printable(cell.percent.text).lstrip("+")
        if posted.style in _RAW_SIGN and better == "lower" and known:
            known, change = -known, change[1:] if change.startswith("-") else f"-{change}"
        return Cell(value, text, known, change if math.isfinite(known) else MISSING, cell.marked)
    if posted.style == "mmtests-monitor":
        return Cell(value, text, math.nan, MISSING)
    if kernel == 0:
        delta = 0.0 if math.isfinite(value) else math.nan
    else:
        delta = percent_change(_value(row.cells[0]), value, better)
    return Cell(value, text, delta, number_text(delta, 2), cell.marked)


def _value(cell: PostedCell) -> float:
    return math.nan if cell.value is None or cell.value.value is None else cell.value.value


def _deviation(rows: Mapping[str, PostedRow], cells: Mapping[str, Cell], kernel: int) -> float:
    """The coefficient of variation: as posted, or as mean and deviation give it."""
    printed = rows["mean"].cells[kernel].deviation if "mean" in rows else None
    if printed and printed.value is not None:
        return printed.value
    if "cv" in cells:
        return cells["cv"].value
    if "stddev" in cells and cells["mean"].value:
        return 100 * cells["stddev"].value / cells["mean"].value
    return math.nan


def _ratio(mean: Cell, kernel: int, better: Better) -> float:
    """The value divided by the baseline's: as posted, or as the change gives it."""
    if math.isfinite(mean.value):
        return mean.value
    if kernel == 0:
        return 1.0
    return 1 + mean.delta / 100 * {"higher": 1, "lower": -1, "none": math.nan}[better]


def _data_sets(posted: PostedTable, rows: Mapping[str, PostedRow]) -> tuple[DataSet, ...]:
    """The sets of ministat with their differences; of other tables what is known."""
    if posted.style == "mmtests-monitor":
        return ()
    found = {item.kernel: item for item in posted.differences}
    sets = []
    for kernel in range(len(posted.kernels)):
        numbers = []
        for key in ("n", "min", "max", "median", "mean", "stddev"):
            value = rows[key].cells[kernel].value if key in rows else None
            numbers.append(printable(value.text) if value else MISSING)
        item = found.get(kernel)
        difference = None
        if item and item.proven:
            parts = (item.change, item.error, item.percent, item.percent_error, item.pooled)
            difference = PooledDifference(
                *(math.nan if part is None or part.value is None else part.value for part in parts)
            )
        elif item:
            difference = PooledDifference(0.0, math.inf, math.nan, math.nan, math.nan)
        own = posted.details if posted.style == "ministat" else ()
        symbol = own[kernel] if kernel < len(own) else SYMBOLS[kernel % len(SYMBOLS)]
        sets.append(DataSet(kernel, printable(symbol)[:1] or "x", tuple(numbers), difference))
    return tuple(sets)
