"""The tables of monitors as mmtests prints them: seconds, and the counters of vmstat with mmtests' own formulas.

Of several iterations the mean is shown, where mmtests takes the largest (2020) or smallest (2026) of each row.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.vmstat import ELAPSED
from compare_kernels.parsers.vmstat_rows import mmtests_rows
from compare_kernels.reporting.view import MISSING, Cell, Side, Table, TableRow, kernel_columns
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compare_kernels.samples import Row, Samples
    from compare_kernels.selection import Selection

DURATION, VMSTAT, COUNTERS = "duration", "vmstat", "vmstat-counters"
MONITORS = (DURATION, VMSTAT, COUNTERS)
"""Names of the metrics that the tables of monitors draw from."""

_Values = dict[str, dict[int, float]]
"""Name of a row to the value under each kernel, by the kernel's index."""


def monitor_tables(samples: Samples, selection: Selection) -> Mapping[str, list[Table]]:
    """Make the tables of monitors.

    Args:
        samples: all samples.
        selection: without metrics all monitors are wanted.

    Returns:
        Label of a benchmark to its tables.
    """
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in samples.rows():
        if row.metric.name in {DURATION, COUNTERS} and selection.wants_benchmark(samples.benchmarks[row.benchmark]):
            rows[row.benchmark, row.metric.name].append(row)
    tables: dict[str, list[Table]] = defaultdict(list)
    for (label, name), own in sorted(rows.items(), key=lambda item: item[0][1]):
        names = (DURATION,) if name == DURATION else (VMSTAT, COUNTERS)
        if not selection.metrics or any(map(selection.wants_metric, names)):
            values = _durations(own) if name == DURATION else _vmstat(own)
            title = "Duration" if name == DURATION else "Ops"
            metric = Metric(names[0], "", "", "none", monitor=True, label=title)
            tables[label].append(_table(label, metric, values, samples.kernels))
    return tables


def _durations(rows: Iterable[Row]) -> _Values:
    return {
        row.operation.name: {
            kernel: math.fsum(group.values) / len(group.values) for kernel, group in row.groups.items()
        }
        for row in rows
    }


def _vmstat(rows: Iterable[Row]) -> _Values:
    """The mean of each row over the iterations, each row being computed from the counters of one iteration."""
    counters: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for row in rows:
        for kernel, group in row.groups.items():
            for run, value in zip(group.runs.tolist(), group.values.tolist(), strict=True):
                counters[kernel, run][row.operation.name] = value
    values: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (kernel, _), deltas in sorted(counters.items()):
        for name, value in mmtests_rows(deltas, deltas.pop(ELAPSED, None)).items():
            values[name][kernel].append(value or 0.0)
    return {
        name: {kernel: math.fsum(numbers) / len(numbers) for kernel, numbers in of_name.items()}
        for name, of_name in values.items()
    }


def _table(label: str, metric: Metric, values: _Values, kernels: Iterable[str]) -> Table:
    columns = kernel_columns(kernels)
    rows = tuple(
        TableRow(
            Operation(printable(name)),
            printable(name),
            new_group=False,
            sides=tuple(_side(of_name.get(kernel, math.nan)) for kernel in range(len(columns))),
        )
        for name, of_name in values.items()
    )
    statistics = (("mean", metric.label),)
    return Table(printable(label), printable(label), metric, columns, statistics, rows, "", "", "")


def _side(value: float) -> Side:
    text = f"{value:.2f}" if math.isfinite(value) else MISSING
    return Side({"mean": Cell(value, text, math.nan, MISSING)})
