"""One line for a benchmark: the geometric mean of the changes of all its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.statistics.aggregate import GeometricMeanChange, geometric_mean_change
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from compare_kernels.config import Rules
    from compare_kernels.samples import Samples

RESAMPLES = 2_000
"""Enough for the first decimal of an interval."""

_NONE = np.empty(0)


def geometric_means(samples: Samples, kernel: int, rules: Rules) -> dict[str, GeometricMeanChange]:
    """Return the geometric mean of the changes of each benchmark, by its label.

    Args:
        samples: all rows that count.
        kernel: index of the kernel that is compared with the baseline.
        rules: level of the interval and seed.
    """
    rows: dict[str, list[tuple[np.ndarray, np.ndarray, str]]] = {label: [] for label in samples.benchmarks}
    for row in samples.rows():
        if row.metric.monitor:
            continue
        sides = [row.groups.get(side) for side in (0, kernel)]
        base, other = (run_values(side, row.metric) if side else _NONE for side in sides)
        rows[row.benchmark].append((base, other, row.metric.better))
    return {
        label: geometric_mean_change(
            [base for base, _, _ in own],
            [other for _, other, _ in own],
            [better for _, _, better in own],
            seed=rules.seed,
            alpha=rules.alpha,
            resamples=RESAMPLES,
        )
        for label, own in rows.items()
    }
