"""Latencies of threads, histograms and JSON, and what a histogram can't tell."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import cyclictest
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS

FIRST = "T: 0 ( 2100) P:80 I:1000 C:  10000 Min:      3 Act:    5 Avg:    5 Max:      27\n"
SECOND = "T: 1 ( 2101) P:80 I:1500 C:   6660 Min:      2 Act:    4 Avg:    6 Max:      41\n"


def read(text: str, name: str = "cyclictest.txt") -> Parsed:
    builder = SampleBuilder(name)
    cyclictest.parse(RawLog(text.encode(), name), builder)
    return builder.finish()


def log(name: str) -> Parsed:
    return read((LOGS / "cyclictest" / name).read_bytes().decode(), name)


def values(parsed: Parsed, metric: str = "max-latency") -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("name", "threads", "maximum", "average", "minimum"),
    [
        ("quiet.txt", "2", 41.0, (5 * 10000 + 6 * 6660) / 16660, 2.0),
        ("screen.txt", "2", 30.0, (5 * 10000 + 6 * 6666) / 16666, 3.0),
        ("nanoseconds.txt", "1", 27.858, 5.139, 3.276),
        ("histogram.txt", "2", 12.0, 66_586 / 16660, 2.0),
        ("json.json", "2", 75.0, (3.25 * 2000 + 4.36 * 1000) / 3000, 3.0),
    ],
)
def test_latencies(name: str, threads: str, maximum: float, average: float, minimum: float) -> None:
    parsed = log(name)
    assert values(parsed) == {threads: [maximum]}
    assert values(parsed, "avg-latency")[threads] == [pytest.approx(average, rel=1e-9)]
    assert values(parsed, "min-latency") == {threads: [minimum]}


def test_the_column_of_the_sum_is_no_thread() -> None:
    for metric in ("max-latency", "avg-latency", "thread-max-latency", "percentile-latency"):
        assert values(log("histogram-of-all.txt"), metric) == values(log("histogram.txt"), metric)


def test_percentiles_that_lie_beyond_the_histogram_are_left_out() -> None:
    assert values(log("histogram.txt"), "percentile-latency") == {"p99-2": [5.0], "p99.9-2": [8.0]}
    parsed = log("histogram-overflows.txt")
    assert values(parsed, "percentile-latency") == {"p99-2": [6.0]}
    assert slugs(parsed) == ["overflow"]


def test_percentiles_need_cycles_beyond_them() -> None:
    assert "p99.99-2" not in values(log("histogram.txt"), "more-percentiles")


def test_a_broken_run_is_remarked_on() -> None:
    parsed = log("break.txt")
    assert values(parsed) == {"2": [101.0]}
    assert slugs(parsed) == ["break"]


def test_cycles_that_go_back_begin_a_run() -> None:
    assert values(read(FIRST + FIRST.replace("10000", " 9999").replace("27", "31"))) == {"1": [27.0, 31.0]}


def test_a_maximum_that_may_be_cut_is_not_taken() -> None:
    parsed = read(FIRST + SECOND[:-1])
    assert values(parsed) == {"1": [27.0]}
    assert parsed.status == "truncated"


@pytest.mark.parametrize("name", ["histogram-cut.txt", "histogram-row-missing.txt", "json-cut.json"])
def test_damaged(name: str) -> None:
    parsed = log(name)
    assert not parsed.blocks
    assert parsed.status == "truncated"


@pytest.mark.parametrize("name", ["usage.txt", "no-privileges.txt", "nothing.txt", "json-failed.json"])
def test_failed(name: str) -> None:
    parsed = log(name)
    assert not parsed.blocks
    assert parsed.status == "failed-run"


@pytest.mark.parametrize("code", ['"1"', "[]", "{}", "1e999", "true"])
def test_strange_json_does_no_harm(code: str) -> None:
    text = (LOGS / "cyclictest" / "json.json").read_text()
    read(text.replace('"return_code": 0', f'"return_code": {code}'))
    read(text.replace('"resolution_in_ns": 0', f'"resolution_in_ns": {code}'))
    read(text.replace('"cycles": 2000', f'"cycles": {code}'))


def test_recognise() -> None:
    assert cyclictest.recognise(RawLog(FIRST.encode())) == Match.CERTAIN
    assert cyclictest.recognise(RawLog(FIRST.replace(" I:1000", "").encode())) == Match.NO
