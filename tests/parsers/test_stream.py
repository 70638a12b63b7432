"""What STREAM and its relatives print, and which of their rates are none."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import stream
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

BANNER = "STREAM version $Revision: 5.10 $\n"
HEADER = "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
ROWS = """\
Copy:           16207.3     0.010168     0.009872     0.010958
Scale:          15118.9     0.010900     0.010583     0.011747
Add:            17870.4     0.013833     0.013430     0.014907
Triad:          17912.6     0.013800     0.013398     0.014872
"""
VALID = "Solution Validates: avg error less than 1.000000e-13 on all three arrays\n"
WHOLE = BANNER + HEADER + ROWS + VALID


def read(text: str, name: str = "out.txt", folders: tuple[str, ...] = ()) -> Parsed:
    builder = SampleBuilder(name)
    stream.parse(RawLog(text.encode(), name, folders), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("stream", raw_log(LOGS / "stream" / path))


def values(parsed: Parsed, metric: str = "best-rate", run: int | None = None) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric and run in {None, block.run}:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("path", "metric", "operation", "value"),
    [
        ("stream-5.10-run2.txt", "best-rate", "Triad-8", 33912.6),
        ("stream-5.10-run2.txt", "average-time", "Copy-8", 0.003999),
        ("stream-5.10-run2.txt", "minimum-time", "Copy-8", 0.003883),
        ("stream-5.10-run2.txt", "maximum-time", "Copy-8", 0.00431),
        ("variants/stream-5.9.txt", "best-rate", "Copy-4", 9120.1104),
        ("variants/pasted-table.txt", "best-rate", "Copy", 9120.1104),
        ("variants/fortran.txt", "best-rate", "Add-4", 23418.6604),
        ("variants/gigabytes.txt", "best-rate", "Copy-4", 23200.0),
        ("variants/babelstream.txt", "best-rate", "Dot", 31002.955),
        ("variants/babelstream.txt", "minimum-time", "Mul", 0.02139),
        ("variants/babelstream.txt", "average-time", "Mul", 0.02188),
        ("variants/babelstream-gigabytes.txt", "best-rate", "Nstream", 1410750.0),
        ("variants/mpi.txt", "best-rate", "Triad-2", 33912.6),
        ("variants/mpi-ranks.txt", "rank-rate", "Triad-1", 17312.6),
        ("variants/triad-only.txt", "best-rate", "Triad", 33912.6),
        ("mmtests/stream/logs/benchlog-8-_-2", "best-rate", "Copy-8", 41209.3),
        ("mmtests/stream/logs/benchlog-_-_-1", "best-rate", "Copy", 41217.3),
    ],
)
def test_values(path: str, metric: str, operation: str, value: float) -> None:
    assert values(log(path), metric)[operation] == [value]


def test_rows_are_named_by_kernel_and_threads() -> None:
    operations = {block.operation.name: block.operation for block in log("stream-5.10-run2.txt").blocks}
    assert (operations["Copy-8"].series, operations["Copy-8"].param) == ("Copy", 8.0)
    assert stream.BEST_RATE.parameter == "threads"
    parsed = log("threads/scaling-loop.txt")
    rows = sorted({block.operation for block in parsed.blocks}, key=lambda operation: operation.sort_key)
    kernels = ("Copy", "Scale", "Add", "Triad")
    assert [row.name for row in rows] == [f"{kernel}-{threads}" for threads in (1, 2, 4) for kernel in kernels]
    assert len(parsed.runs) == 3


@pytest.mark.parametrize(
    ("text", "name", "operation"),
    [
        (WHOLE, "stream-threads4-run1.txt", "Copy-4"),
        (WHOLE, "stream-4threads.txt", "Copy-4"),
        (WHOLE, "stream_t16.txt", "Copy-16"),
        (WHOLE, "benchlog-08-_-1", "Copy-8"),
        (WHOLE, "stream-single-run1.txt", "Copy"),
        (WHOLE, "stream-3.log", "Copy"),
        ("OMP_NUM_THREADS=2 ./stream\n" + WHOLE, "stream_t16.txt", "Copy-2"),
        (BANNER + "Number of Threads requested = 6\n" + HEADER + ROWS + VALID, "stream_t16.txt", "Copy-6"),
        (
            BANNER + "Number of Threads requested = 6\nNumber of Threads counted = 5\n" + HEADER + ROWS + VALID,
            "out.txt",
            "Copy-5",
        ),
    ],
)
def test_threads(text: str, name: str, operation: str) -> None:
    assert values(read(text, name)).get(operation) == [16207.3]


@pytest.mark.parametrize(
    ("name", "number"),
    [("benchlog-8-_-3", 3), ("benchlog-_-_-10", 10), ("stream-4.log", 4), ("x-run7.txt", 7), ("out.txt", None)],
)
def test_repetition(name: str, number: int | None) -> None:
    assert read(WHOLE, name).runs[0].number == number


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("Best Rate MB/s", 1.0),
        ("Rate (MB/s)", 1.0),
        ("MBytes/sec", 1.0),
        ("Best Rate GB/s", 1000.0),
        ("Rate (GB/s)", 1000.0),
        ("GBytes/sec", 1000.0),
        ("MiBytes/sec", 1.048576),
        ("GiB/s", 1073.741824),
        ("KB/s", 0.001),
    ],
)
def test_units(unit: str, factor: float) -> None:
    parsed = read(f"Function  {unit}  Avg time  Min time  Max time\nTriad:  100.5  0.1  0.1  0.2\n")
    assert values(parsed)["Triad"] == pytest.approx([100.5 * factor], rel=1e-14)


def test_a_header_without_unit_is_refused() -> None:
    parsed = read("Function    Best Rate  Avg time     Min time     Max time\n" + ROWS)
    assert (parsed.status, slugs(parsed)) == ("failed-run", ["failed-run"])
    parsed = read(ROWS, "stream.txt")
    assert (parsed.status, parsed.diagnostics[0].line) == ("failed-run", 1)
    assert "unit" in parsed.diagnostics[0].message


def test_the_size_of_the_arrays_keeps_runs_apart() -> None:
    small, large = (read(WHOLE.replace("\n", f"\nArray size = {size} (elements)\n", 1)) for size in (1000, 2000))
    assert dict(small.runs[0].configuration.settings) == {"array": "1000"}
    assert small.runs[0].configuration != large.runs[0].configuration
    assert dict(log("variants/mpi.txt").runs[0].configuration.settings)["ranks"] == "2"


def test_sections_below_one_banner_are_runs_of_one_size() -> None:
    parsed = log("threads/one-banner-two-tables.txt")
    assert [next(iter(values(parsed, run=run))) for run in (0, 1)] == ["Copy-1", "Copy-2"]
    assert len({run.configuration for run in parsed.runs}) == 1


def test_a_sum_of_ranks_is_not_mixed_with_those_of_single_ranks() -> None:
    parsed = log("variants/mpi-ranks.txt")
    assert values(parsed) == values(log("variants/mpi.txt"))
    assert len(parsed.runs) == 1
    assert not stream.RANK_RATE.main


@pytest.mark.parametrize("path", sorted(path.name for path in (LOGS / "stream/broken").iterdir()))
def test_a_broken_run_has_no_result(path: str) -> None:
    parsed = log(f"broken/{path}")
    assert "failed-run" in slugs(parsed) or parsed.status == "truncated"
    if path not in {"pasted-half.txt", "loop-with-a-killed-run.txt"}:
        assert not parsed.blocks


def test_failed_validation_refuses_only_its_own_run() -> None:
    bad = BANNER + HEADER + ROWS + "Failed Validation on array b[], AvgRelAbsErr > epsilon (1.000000e-13)\n"
    parsed = read(bad + WHOLE.replace("16207.3", "16000.0"))
    assert values(parsed)["Copy"] == [16000.0]
    assert slugs(parsed) == ["failed-run"]
    assert values(read(WHOLE + bad))["Copy"] == [16207.3]


@pytest.mark.parametrize("rate", ["inf", "Inf", "nan", "-nan", "**********", "0.0", "-5.0", "1677721600.0"])
def test_what_is_no_rate(rate: str) -> None:
    parsed = read(WHOLE.replace("16207.3", rate))
    assert sorted(values(parsed)) == ["Add", "Scale", "Triad"]
    assert slugs(parsed) == ["no-rate"]
    assert rate in parsed.diagnostics[0].message
    assert "Copy" not in values(parsed, "minimum-time")


def test_arrays_too_small_for_the_clock() -> None:
    assert "coarse-clock" in slugs(log("variants/too-small.txt"))
    assert not slugs(log("stream-5.10-run2.txt"))


def test_a_run_that_was_killed_is_no_sample() -> None:
    parsed = log("broken/loop-with-a-killed-run.txt")
    assert len(values(parsed)["Copy-2"]) == 1
    assert slugs(parsed) == ["failed-run"]
    assert slugs(read(WHOLE + "Killed\n")) == [], "what follows the result is about another program"


def test_a_pasted_table_is_taken_with_a_note() -> None:
    parsed = read(HEADER + ROWS)
    assert len(values(parsed)) == 4
    assert slugs(parsed) == ["not-validated"]
    assert len(read((HEADER + ROWS) * 3).runs) == 3


def test_numbers_that_may_be_cut_off() -> None:
    parsed = read(HEADER + ROWS[:-1])
    assert (parsed.status, values(parsed, "maximum-time")["Triad"]) == ("read", [0.014872])
    parsed = read(HEADER + ROWS[:-2])
    assert values(parsed)["Triad"] == [17912.6], "numbers follow it, so it is whole"
    assert "Triad" not in values(parsed, "maximum-time")
    parsed = read(HEADER + ROWS.partition("17912.6")[0] + "179")
    assert (parsed.status, sorted(values(parsed))) == ("truncated", ["Add", "Copy", "Scale"])


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        (WHOLE, "a", Match.CERTAIN),
        (HEADER, "a", Match.CERTAIN),
        ("BabelStream\nVersion: 4.0\n", "a", Match.CERTAIN),
        (ROWS, "a", Match.LIKELY),
        ("Copy:  1.5 0.1\n", "a", Match.NO),
        ("Copy:  1.5 0.1\n", "stream-1.txt", Match.LIKELY),
        ("MIGRATED TCP STREAM TEST from 0.0.0.0\n", "netperf-TCP_STREAM", Match.NO),
    ],
)
def test_recognise(text: str, name: str, match: Match) -> None:
    assert stream.recognise(RawLog(text.encode(), name)) == match
