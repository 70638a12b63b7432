"""The second frame: descriptive statistics of each operation under each kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from compare_kernels.statistics import descriptive
from compare_kernels.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from compare_kernels.model import Metric
    from compare_kernels.samples import Group, Samples

BEST = (50, 95, 99)
"""The percentages of the ``BAmean-N`` rows."""

KEYS = ("benchmark", "metric", "operation", "kernel")
STATISTICS = ("min", "mean", "stddev", "cv", "max", *(f"best_{percent}" for percent in BEST))


def summarise(samples: Samples, alpha: float = 0.05) -> pd.DataFrame:
    """Describe the samples of each operation under each kernel.

    Args:
        samples: all samples.
        alpha: the intervals of the means are at level ``1 - alpha``.

    Returns:
        A row for each benchmark, metric, operation and kernel that has samples, in the order of the samples,
        with the keys as in the samples' frame; ``n`` and ``runs`` (int32, samples and runs); then float64 in the
        metric's unit: ``min``, ``mean`` (of the metric's kind, over all samples), ``stddev``, ``cv`` (percent),
        ``max``, ``best_50``, ``best_95``, ``best_99``, and the interval of the mean over runs, ``ci_low`` and
        ``ci_high``. NaN is what isn't defined.
    """
    records = [
        (*row.key, samples.kernels[group.kernel], *_describe(group, row.metric, alpha))
        for row in samples.rows()
        for group in row.groups.values()
    ]
    frame = pd.DataFrame(records, columns=[*KEYS, "n", "runs", *STATISTICS, "ci_low", "ci_high"])
    for key in KEYS:
        frame[key] = frame[key].astype(samples.whole[key].dtype)
    floats = dict.fromkeys((*STATISTICS, "ci_low", "ci_high"), "float64")
    return frame.astype({"n": "int32", "runs": "int32", **floats})


def run_values(group: Group, metric: Metric) -> np.ndarray:
    """One value for each run: its mean over the samples inside it, of the metric's kind; float64."""
    starts = np.flatnonzero(np.diff(group.runs, prepend=-1))
    if len(starts) == len(group.values):
        return group.values
    ends = [*starts[1:].tolist(), len(group.values)]
    return np.array(
        [
            descriptive.mean(group.values[start:end], metric.mean)
            for start, end in zip(starts.tolist(), ends, strict=True)
        ]
    )


def _describe(group: Group, metric: Metric, alpha: float) -> tuple[float, ...]:
    best = descriptive.sorted_best_first(group.values, metric.better)
    runs = run_values(group, metric)
    return (
        len(best),
        len(runs),
        float(min(best[0], best[-1])),
        descriptive.mean(best, metric.mean),
        descriptive.stddev(best),
        descriptive.coeffvar(best),
        float(max(best[0], best[-1])),
        *(descriptive.best_mean(best, percent, metric.mean) for percent in BEST),
        *mean_interval(runs, alpha),
    )
