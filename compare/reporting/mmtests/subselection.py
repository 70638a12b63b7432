"""Means of random parts of the samples, which mmtests prints for the execution times of dbench.

mmtests draws anew at each call, so that its numbers never come again; here they depend on the seed alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.statistics.descriptive import mean, median

if TYPE_CHECKING:
    from compare_kernels.samples import Group

_DRAWS = 100
_PART = 0.8
_NORMAL_95 = 1.96


def subselected(group: Group, kind: str, seed: int) -> dict[str, float]:
    """The typical value of an operation under a kernel, and half of its interval.

    Args:
        group: the samples; of each run parts are drawn 100 times with replacement, each 0.8 of its length.
        kind: ``arithmetic`` or ``harmonic``.
        seed: of the generator (PCG64), which starts anew for each operation and kernel.

    Returns:
        ``sub_mean``, the mean over runs of the median over draws of the means, and ``sub_ci``,
        ``1.96 * sqrt((between + within) / size)`` with the mean square between runs (0 for one run), the mean over
        runs of the median variance of the draws, and the sum of the lengths drawn.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    typical, within, sizes = [], [], []
    for run in np.unique(group.runs):
        values = group.values[group.runs == run]
        size = max(1, int(_PART * len(values)))
        means, variances = [], []
        for _ in range(_DRAWS):
            draw = values[generator.integers(0, len(values), size)]
            means.append(mean(draw, kind))
            variances.append(float(np.var(draw, ddof=1)) if size > 1 else 0.0)
        typical.append(median(np.array(means)))
        within.append(median(np.array(variances)))
        sizes.append(size)
    middle = mean(np.array(typical), kind)
    squares = float(np.sum(np.array(sizes) * np.square(np.array(typical) - middle)))
    between = squares / (len(typical) - 1) if len(typical) > 1 else 0.0
    half = _NORMAL_95 * math.sqrt((between + sum(within) / len(within)) / sum(sizes))
    return {"sub_mean": middle, "sub_ci": half}
