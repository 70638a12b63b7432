"""The common variants of each format give exactly the values that are known to be in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare_kernels import load

if TYPE_CHECKING:
    import numpy as np

    from compare_kernels.model import Metric

FOLDER = Path(__file__).parent / "format-samples"

# file, metric, operation, unit, direction, values
CASES: list[tuple[str, str, str, str, str, list[float]]] = [
    ("hackbench/rt-tests.txt", "time", "10", "s", "lower", [7.431, 7.389, 7.502]),
    ("hackbench/classic.txt", "time", "20", "s", "lower", [2.618]),
    ("hackbench/perf-bench-messaging.txt", "time", "16", "s", "lower", [1.274]),
    ("tbench/tbench-4.00.txt", "throughput", "2", "MB/s", "higher", [617.902]),
    ("tbench/tbench-4.00.txt", "max-latency", "2", "ms", "lower", [0.606]),
    ("tbench/tbench-4.00.txt", "operation-latency", "ReadX-2", "ms", "lower", [0.024]),
    ("tbench/tbench-4.00.txt", "operation-max-latency", "ReadX-2", "ms", "lower", [0.602]),
    ("netperf/tcp_stream.txt", "throughput", "16384", "Mbit/s", "higher", [18744.31]),
    ("netperf/tcp_stream_cpu.txt", "throughput", "16384", "Mbit/s", "higher", [18690.02]),
    ("netperf/tcp_stream_cpu.txt", "cpu", "local-16384", "%", "lower", [6.41]),
    ("netperf/tcp_stream_cpu.txt", "cpu", "remote-16384", "%", "lower", [8.02]),
    ("netperf/tcp_stream_cpu.txt", "service-demand", "local-16384", "us/KB", "lower", [0.901]),
    ("netperf/tcp_stream_cpu.txt", "service-demand", "remote-16384", "us/KB", "lower", [1.127]),
    ("netperf/udp_stream.txt", "throughput", "recv-1472", "Mbit/s", "higher", [3929.35]),
    ("netperf/udp_stream.txt", "throughput", "send-1472", "Mbit/s", "higher", [4005.73]),
    ("netperf/udp_stream.txt", "loss", "1472", "%", "lower", [100 * (4005.73 - 3929.35) / 4005.73]),
    ("netperf/tcp_rr.txt", "rate", "1", "trans/s", "higher", [36512.88]),
    ("netperf/omni_keyval.txt", "rate", "UDP_RR", "trans/s", "higher", [28840.19]),
    ("netperf/omni_keyval.txt", "latency", "p50", "us", "lower", [33]),
    ("netperf/omni_keyval.txt", "latency", "p99", "us", "lower", [52]),
    ("netperf/omni_keyval.txt", "latency", "mean", "us", "lower", [34.41]),
    *(
        ("schbench/v1-2020.txt", "wakeup-latency", percentile, "us", "lower", [value])
        for percentile, value in {
            "50.0th": 61, "75.0th": 77, "90.0th": 92, "95.0th": 104, "99.0th": 207, "99.5th": 350, "99.9th": 1410,
        }.items()
    ),
    *(
        ("schbench/v2-2025.txt", metric, f"{percentile}-16", unit, better, [value])
        for metric, unit, better, numbers in [
            ("wakeup-latency", "us", "lower", {"50.0th": 6, "90.0th": 15, "99.0th": 118, "99.9th": 1806}),
            ("request-latency", "us", "lower", {"50.0th": 3036, "90.0th": 3244, "99.0th": 4520, "99.9th": 6904}),
            ("rps", "req/s", "higher", {"20.0th": 5048, "50.0th": 5064, "90.0th": 5080}),
        ]
        for percentile, value in numbers.items()
    ),
    ("schbench/v2-2025.txt", "average-rps", "16", "req/s", "higher", [5070.03]),
    ("thpscale/threads-2.txt", "percentage-huge", "huge-2", "%", "higher", [60.00]),
    ("specjvm2008/console.txt", "benchmark-score", "compress", "ops/m", "higher", [305.22]),
    ("specjvm2008/console.txt", "benchmark-score", "derby", "ops/m", "higher", [418.30]),
    ("specjvm2008/console.txt", "score", "composite", "ops/m", "higher", [357.31]),
    ("specjbb2015/controller.txt", "jops", "JOPS-Max", "jOPS", "higher", [38110]),
    ("specjbb2015/controller.txt", "jops", "JOPS-Critical", "jOPS", "higher", [17204]),
    ("stream/stream-5.10.txt", "best-rate", "Copy-12", "MB/s", "higher", [70112.8]),
    ("stream/stream-5.10.txt", "best-rate", "Scale-12", "MB/s", "higher", [51044.3]),
    ("stream/stream-5.10.txt", "best-rate", "Add-12", "MB/s", "higher", [57219.0]),
    ("stream/stream-5.10.txt", "best-rate", "Triad-12", "MB/s", "higher", [57401.6]),
    ("ycsb/run-0.17.txt", "throughput", "throughput", "ops/s", "higher", [48995.59039686428]),
    ("ycsb/run-0.17.txt", "runtime", "runtime", "ms", "lower", [20410]),
    *(
        ("ycsb/run-0.17.txt", "latency", f"{operation} {statistic}", "us", "lower", [value])
        for operation, numbers in [("READ", (71.38, 118, 190)), ("UPDATE", (80.02, 131, 222))]
        for statistic, value in zip(("avg", "p95", "p99"), numbers, strict=True)
    ),
    *(
        ("idlestat/default.txt", metric, operation, unit, "none", [value])
        for operation, numbers in {
            "cpu0 C1": [("total", "us", 20420), ("hits", "", 215), ("average", "us", 95)],
            "cpu0 C6": [("total", "us", 9110000), ("hits", "", 969), ("average", "us", 9400)],
            "clusterA C6": [("total", "us", 8020000), ("hits", "", 989)],
        }.items()
        for metric, unit, value in numbers
    ),
]  # fmt: skip

MEANS = {"fault-huge-2": (439.00, 3), "fault-base-2": (889.00, 2), "fault-both-2": (619.00, 5)}


def measured(file: str) -> dict[tuple[str, str], tuple[Metric, np.ndarray]]:
    samples = load(FOLDER / file, FOLDER / file)
    return {(row.metric.name, row.operation.name): (row.metric, row.groups[0].values) for row in samples.rows()}


@pytest.mark.parametrize(("file", "metric", "operation", "unit", "better", "values"), CASES)
def test_value(file: str, metric: str, operation: str, unit: str, better: str, values: list[float]) -> None:
    described, found = measured(file)[metric, operation]
    assert (described.unit, described.better) == (unit, better)
    assert found.tolist() == values


@pytest.mark.parametrize("operation", MEANS)
def test_mean_of_faults(operation: str) -> None:
    mean, n = MEANS[operation]
    _, found = measured("thpscale/threads-2.txt")["fault-latency", operation]
    assert (float(found.mean()), len(found)) == (mean, n)


def test_every_sample_is_in_the_table() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.txt")}
    assert files == {case[0] for case in CASES}
