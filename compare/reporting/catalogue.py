"""What can be measured: the metrics of each parser, for the command and for the pages of docs/benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.model import Metric

COLUMNS = ("metric", "unit", "better", "mean", "rows", "shown")


def metrics_text(metrics: Iterable[tuple[str, Metric]]) -> str:
    """A line for each metric: parser and name, unit, direction, mean, what its rows count, when it is shown.

    Args:
        metrics: name of a parser with one of its metrics, in the order of the lines.
    """
    rows = [COLUMNS, *((f"{parser}/{metric.name}", *_facts(metric)) for parser, metric in metrics)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def metrics_table(metrics: Iterable[Metric]) -> str:
    """The same of one parser as a table in Markdown."""
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *((f"`{metric.name}`", *_facts(metric)) for metric in metrics)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _facts(metric: Metric) -> tuple[str, ...]:
    mean = "not tested" if metric.monitor else "by ranks" if metric.extreme else metric.mean
    shown = "always" if metric.main else "by --metric"
    return metric.unit or "1", metric.better, mean, metric.parameter or metric.label * metric.monitor or "-", shown
