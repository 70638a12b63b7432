"""What perf stat prints in several locales, with and without repeated runs."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import perfstat
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder
from compare_kernels.reading.recognise import recognise

from .reading import LOGS

HEADER = "\n Performance counter stats for './run -g 2':\n\n"
ELAPSED = "\n       0.200131126 seconds time elapsed\n\n"


def read(text: str) -> Parsed:
    builder = SampleBuilder("stat.txt")
    perfstat.parse(RawLog(text.encode(), "stat.txt"), builder)
    return builder.finish()


def log(name: str) -> Parsed:
    return read((LOGS / "perfstat" / name).read_text())


def values(parsed: Parsed, metric: str = "elapsed") -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("single-de.txt", [0.200131126]),
        ("output-file.txt", [1.204417823]),
        ("repeated.txt", [0.51891]),
        ("repeated-old.txt", [1.32365011199999999]),
        ("table.txt", [0.48965, 0.50122, 0.48483]),
        ("null.txt", [0.0013383]),
    ],
)
def test_elapsed(name: str, expected: list[float]) -> None:
    assert values(log(name)) == {"elapsed": expected}


@pytest.mark.parametrize("name", ["single-de.txt", "output-file.txt"])
def test_counters_of_both_locales(name: str) -> None:
    assert values(log(name), "counter") == {
        "task-clock (msec)": [379.5],
        "context-switches": [23810.0],
        "cpu-migrations": [134.0],
        "page-faults": [1002247.0],
    }


def test_a_mean_says_that_it_is_one() -> None:
    parsed = log("repeated.txt")
    assert parsed.runs[0].conditions == (("repeats", 5.0),)
    assert [(item.slug, "mean of 5 runs" in item.message) for item in parsed.diagnostics] == [("mean-of-runs", True)]


def test_each_run_of_a_table_is_a_run() -> None:
    assert [run.conditions for run in log("table.txt").runs] == [(("repeats", 1.0),)] * 3


def test_what_was_not_counted_is_no_zero() -> None:
    text = HEADER + "   <not counted>      cycles\n   <not supported>      branches\n" + ELAPSED
    assert values(read(text), "counter") == {}


@pytest.mark.parametrize("name", ["killed.txt", "not-found.txt", "cut.txt"])
def test_failed(name: str) -> None:
    parsed = log(name)
    assert not parsed.blocks
    assert parsed.status == "failed-run"


def test_a_benchmark_before_it_keeps_its_log() -> None:
    text = "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\nTime: 0.351\n"
    found = recognise(RawLog((text + HEADER + ELAPSED).encode(), "perfstat.txt"))
    assert found
    assert found[0][0] == "hackbench"


def test_recognise() -> None:
    assert perfstat.recognise(RawLog((HEADER + ELAPSED).encode())) == Match.CERTAIN
    assert perfstat.recognise(RawLog(("a line\n" + HEADER + ELAPSED).encode())) == Match.LIKELY
    assert perfstat.recognise(RawLog(ELAPSED.encode())) == Match.NO
