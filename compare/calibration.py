"""A/A calibration: how often are halves of one kernel's runs called different?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.judgement import Pair, judge
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from compare_kernels.choices import Test
    from compare_kernels.config import Rules
    from compare_kernels.samples import Samples

LEAST_RUNS = 4
"""A half has to have two runs to be tested."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What came of comparing halves of the same runs.

    Attributes:
        splits: how many times the runs were split at random.
        rows: rows with runs enough to be split.
        skipped: rows with too few.
        stars: share of rows whose unadjusted p was below alpha.
        changed: share of rows called regressed or improved.
        reports: share of splits in which at least one row was.
        unchanged: share of rows called unchanged.
    """

    splits: int
    rows: int
    skipped: int
    stars: float
    changed: float
    reports: float
    unchanged: float


def calibrate(samples: Samples, rules: Rules, splits: int) -> Calibration:
    """Split the runs of the first kernel at random, compare the halves, and count the verdicts.

    Nothing differs between the halves, so that each regressed or improved row is a false alarm.

    Args:
        samples: the rows that count.
        rules: as for a comparison; the seed also draws the splits.
        splits: how many times.
    """
    rows = []
    skipped = 0
    for row in samples.rows():
        if row.metric.monitor:
            continue
        group = row.groups.get(0)
        values = run_values(group, row.metric) if group else np.empty(0)
        if len(values) < LEAST_RUNS:
            skipped += 1
            continue
        margin = rules.margin_of(samples.benchmarks[row.benchmark].parser, row.metric.name)
        rows.append((values, row.metric.better, margin, rules.test_of(row.metric)))
    words: Counter[str] = Counter()
    stars = reports = 0
    rng = np.random.Generator(np.random.PCG64(rules.seed))
    with np.errstate(all="ignore"):
        for _ in range(splits if rows else 0):
            judgements = judge([_split(*row, rng) for row in rows], rules)
            own = Counter(judgement.verdict.word for judgement in judgements)
            words += own
            stars += sum(judgement.result.p < rules.alpha for judgement in judgements)
            reports += bool(own["regressed"] or own["improved"])
    total = max(1, len(rows) * splits)
    changed = words["regressed"] + words["improved"]
    return Calibration(
        splits,
        len(rows),
        skipped,
        stars / total,
        changed / total,
        reports / max(1, splits),
        words["unchanged"] / total,
    )


def _split(values: np.ndarray, better: str, margin: float, test: Test, rng: np.random.Generator) -> Pair:
    shuffled = rng.permutation(values)
    half = len(values) // 2
    return Pair(shuffled[:half], shuffled[half : 2 * half], better, margin, test, "run")
