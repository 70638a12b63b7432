"""Comparisons to draw."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from compare_kernels import compare
from compare_kernels.model import FileReport, Metric, Operation, SourceFile
from compare_kernels.parsers.base import SampleBuilder
from compare_kernels.plotting.catalogue import Kind, Plot, plots_of
from compare_kernels.reading.ingest import FileResult, Reading
from compare_kernels.reading.runs import gather
from compare_kernels.samples import Samples, build_samples
from tests.building import LATENCY, samples_of

ROOT = Path(__file__).parent.parent.parent


def plots(runs: dict, metric: Metric = LATENCY, benchmark: str = "made-up") -> tuple[Plot, ...]:
    return plots_of(compare(samples_of(runs, metric, benchmark)))


def only(found: tuple[Plot, ...], kind: Kind, operation: str = "") -> Plot:
    return next(
        plot for plot in found if plot.kind == kind and (not operation or plot.row.operation.name == operation)
    )


def built(operations: list[list[tuple[Operation, list[np.ndarray]]]], metric: Metric = LATENCY) -> Samples:
    """Samples of kernels ``k0``, ``k1`` and so on: for each operation an array of samples for each run."""
    results = []
    for kernel, rows in enumerate(operations):
        builder = SampleBuilder(f"log-{kernel}")
        for operation, runs in rows:
            for number, values in enumerate(runs):
                builder.run(number=number)
                for value in values.tolist():
                    builder.add(metric, operation, value)
        parsed = builder.finish()
        report = FileReport(SourceFile(kernel, f"log-{kernel}", instance="made-up"), parsed.status, "hackbench")
        readings = (Reading("hackbench", parsed, (metric.name,)),)
        results.append(FileResult(report, readings, parsed.diagnostics, "", kernel))
    return build_samples(gather(results), tuple(f"k{index}" for index in range(len(operations))), ())


@cache
def small() -> tuple[Plot, ...]:
    """Three parameters and ten runs under two kernels: with curve, distribution, order and forest."""
    shift = {"base": 0.0, "patched": 3.0}
    return plots(
        {
            kernel: {str(n): [10.0 * n + more + (7 * run) % 10 / 4 for run in range(10)] for n in (1, 2, 4)}
            for kernel, more in shift.items()
        }
    )


@cache
def percentile_plots() -> tuple[Plot, ...]:
    """Percentiles of one number of workers."""
    kernels = [
        [
            (
                Operation(f"{name}th-4", f"{name}th", 4.0, (4.0, float(name))),
                [np.array([factor * 10 ** (index + run / 50)]) for run in range(5)],
            )
            for index, name in enumerate(("50.0", "99.0", "99.9"))
        ]
        for factor in (1.0, 1.2)
    ]
    return plots_of(compare(built(kernels)))


@cache
def sampled() -> tuple[Plot, ...]:
    """Many samples in each run."""
    random = np.random.default_rng(7)
    kernels = [
        [(Operation("fault-1", "fault", 1.0), [random.lognormal(middle, 0.8, 400).round(3) for _ in range(4)])]
        for middle in (5.0, 5.5)
    ]
    return plots_of(compare(built(kernels)))
