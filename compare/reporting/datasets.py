"""The rows of ministat: each kernel's runs described, and its difference to the baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.pooled import PooledDifference, pooled_difference
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from compare_kernels.comparison import Comparison
    from compare_kernels.samples import Row

SYMBOLS = "x+*%#@O"
"""What marks the data sets, in ministat's order; after the last one it begins again."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """The runs of one operation under one kernel.

    Attributes:
        kernel: index of the kernel.
        symbol: what marks it.
        numbers: n, Min, Max, Median, Avg and Stddev as texts.
        difference: to the baseline; None for the baseline, and if there are too few runs.
    """

    kernel: int
    symbol: str
    numbers: tuple[str, ...]
    difference: PooledDifference | None


def data_sets(comparison: Comparison) -> dict[tuple[str, str, str], tuple[DataSet, ...]]:
    """For each row of the comparison its data sets, the baseline first, without kernels that have no value."""
    return {row.key: tuple(_sets(row, comparison.rules.alpha)) for row in comparison.samples.rows()}


def _sets(row: Row, alpha: float) -> list[DataSet]:
    values = {kernel: run_values(group, row.metric) for kernel, group in sorted(row.groups.items())}
    return [
        DataSet(
            kernel,
            SYMBOLS[kernel % len(SYMBOLS)],
            _numbers(own),
            pooled_difference(values[0], own, alpha) if kernel and 0 in values else None,
        )
        for kernel, own in values.items()
    ]


def _numbers(values: np.ndarray) -> tuple[str, ...]:
    described = (
        float(values.min()),
        float(values.max()),
        float(np.median(values)),
        descriptive.amean(values),
        descriptive.stddev(values),
    )
    return (str(len(values)), *(f"{number:.8g}" if math.isfinite(number) else "n/a" for number in described))
