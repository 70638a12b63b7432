"""Comparisons out of plain numbers, for the tests of styles."""

from __future__ import annotations

from compare_kernels.api import compare, render
from compare_kernels.model import FileReport, Metric, Operation, SourceFile
from compare_kernels.parsers.base import SampleBuilder
from compare_kernels.reading.ingest import FileResult, Reading
from compare_kernels.reading.runs import gather
from compare_kernels.reporting.view import Layout
from compare_kernels.samples import Samples, build_samples

LATENCY = Metric("latency", "Latency", "us", "lower", parameter="clients", quantity="latency in us")
RATE = Metric("rate", "", "MB/s", "higher", "harmonic", parameter="clients", quantity="throughput")

Runs = "Mapping[str, Mapping[str, Sequence[float]]]"


def samples_of(runs: Runs, metric: Metric = LATENCY, benchmark: str = "made-up") -> Samples:
    """Samples from ``{kernel: {operation: [one value for each run]}}``."""
    results = []
    for kernel, operations in enumerate(runs.values()):
        builder = SampleBuilder(f"log-{kernel}")
        for index, (name, numbers) in enumerate(operations.items()):
            for number in numbers:
                builder.run(number=len(results))
                param = float(name) if name.isdigit() else float(index)
                builder.add(metric, Operation(name, "" if name.isdigit() else name, param), number)
        parsed = builder.finish()
        source = SourceFile(kernel, f"log-{kernel}", instance=benchmark)
        readings = (Reading("hackbench", parsed, (metric.name,)),)
        report = FileReport(source, parsed.status, "hackbench")
        results.append(FileResult(report, readings, parsed.diagnostics, "", kernel))
    return build_samples(gather(results), tuple(runs), ())


def rendered(runs: Runs, style: str, metric: Metric = LATENCY, *, legend: bool = True) -> str:
    return render(compare(samples_of(runs, metric)), style, layout=Layout(legend=legend, summary=False))
