"""The tables of mmtests: a row for each statistic and operation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.model import Operation
from compare_kernels.reporting.mmtests.choice import choose
from compare_kernels.reporting.mmtests.monitors import monitor_tables
from compare_kernels.reporting.mmtests.statistics import SPREADS, change, percent_text
from compare_kernels.reporting.view import MISSING, Cell, Side, Table, TableRow, kernel_columns
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.model import Better
    from compare_kernels.reporting.mmtests.choice import Chosen
    from compare_kernels.reporting.mmtests.rules import Era
    from compare_kernels.reporting.mmtests.statistics import Described
    from compare_kernels.samples import Samples
    from compare_kernels.selection import Selection


def mmtests_tables(samples: Samples, selection: Selection, era: Era, seed: int) -> tuple[Table, ...]:
    """Make the tables as a revision of mmtests prints them: those of a benchmark, then those of its monitors.

    Args:
        samples: all samples, not only those of main metrics.
        selection: see `choose`.
        era: the revision.
        seed: of what mmtests draws at random.
    """
    with np.errstate(all="ignore"):
        tables: dict[str, list[Table]] = {label: [] for label in samples.benchmarks}
        for chosen in choose(samples, selection, era):
            tables[chosen.label].append(_table(chosen, samples.kernels, seed))
    for label, monitors in monitor_tables(samples, selection).items():
        tables[label] += monitors
    return tuple(table for own in tables.values() for table in own)


def _table(chosen: Chosen, kernels: Iterable[str], seed: int) -> Table:
    columns = kernel_columns(kernels)
    rows = []
    for name, entry in chosen.entries.items():
        described = chosen.describe(entry, seed)
        better = chosen.better(entry)
        sides = tuple(_side(chosen, described, kernel, better) for kernel in range(len(columns)))
        rows.append(TableRow(Operation(printable(name)), printable(name), new_group=False, sides=sides))
    benchmark = printable(chosen.label)
    return Table(chosen.heading, benchmark, chosen.metric, columns, chosen.statistics, tuple(rows), "", "", "")


def _side(chosen: Chosen, described: dict[int, Described], kernel: int, better: Better) -> Side:
    own, base = described.get(kernel), described.get(0)
    cells = {}
    for key, _ in chosen.statistics:
        value = own.statistics[key] if own else math.nan
        before = base.statistics[key] if base else math.nan
        text = f"{value:.{chosen.metric.decimals}f}" if math.isfinite(value) else MISSING
        if own is None or base is None or not math.isfinite(value + before) or _is_lone(chosen, key, base, own):
            cells[key] = Cell(value, text, math.nan, MISSING)
            continue
        delta = change(before, value, "lower" if key in SPREADS else better)
        marked = key == "mean" and kernel > 0 and chosen.kind != "single" and chosen.era.differs(base, own)
        cells[key] = Cell(value, text, delta, percent_text(delta), marked)
    return Side(cells, n=own.n if own else 0)


def _is_lone(chosen: Chosen, key: str, base: Described, own: Described) -> bool:
    """Whether only one of two deviations is defined, which mmtests prints as a change of -99, 100 or NaN percent."""
    return chosen.era.fitting and key in SPREADS and (base.n == 1) != (own.n == 1)
