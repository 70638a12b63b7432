"""What YCSB writes, in text and JSON, and what in it is no result."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import ycsb
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder
from compare_kernels.parsers.ycsb_lines import number

from .reading import LOGS, parse, raw_log

OVERALL = "[OVERALL], RunTime(ms), 12044\n[OVERALL], Throughput(ops/sec), 8302.5\n"
READ = "[READ], Operations, 1000\n[READ], AverageLatency(us), 71.38\n[READ], 99thPercentileLatency(us), 411\n"
INSERT = READ.replace("READ", "INSERT")
COMMAND = "Command line: -db site.ycsb.BasicDB -P workloads/workloadb -threads 8 "


def read(text: str, name: str = "out.txt", folders: tuple[str, ...] = ()) -> Parsed:
    builder = SampleBuilder(name)
    ycsb.parse(RawLog(text.encode(), name, folders), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("ycsb", raw_log(LOGS / "ycsb" / path))


def values(parsed: Parsed, metric: str = "latency", run: int | None = None) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric and run in {None, block.run}:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


def phases(parsed: Parsed) -> list[str]:
    return [dict(run.configuration.variant).get("phase", "") for run in parsed.runs]


@pytest.mark.parametrize(
    ("path", "metric", "operation", "value"),
    [
        ("run-0.17-run2.txt", "throughput", "throughput", 8302.889405513119),
        ("run-0.17-run2.txt", "runtime", "runtime", 12044.0),
        ("run-0.17-run2.txt", "latency", "READ avg", 71.38),
        ("run-0.17-run2.txt", "latency", "UPDATE p99", 622.0),
        ("run-0.17-run2.txt", "maximum-latency", "READ", 30111.0),
        ("run-0.17-run2.txt", "minimum-latency", "UPDATE", 25.0),
        ("variants/old-milliseconds.txt", "latency", "READ p99", 3000.0),
        ("variants/old-milliseconds.txt", "latency", "READ avg", 71.38),
        ("variants/raw.txt", "latency", "READ p99.99", 9999.0),
        ("variants/more-percentiles.txt", "latency", "READ p99.9", 1811.0),
        ("variants/more-percentiles.txt", "latency", "Intended-READ p50", 62.0),
        ("variants/scientific.txt", "latency", "READ avg", 50135039.0),
        ("variants/scientific.txt", "throughput", "throughput", 12345678.0),
        ("variants/scientific.txt", "runtime", "runtime", 78833.0),
        ("variants/failed-operations.txt", "failed-latency", "READ-FAILED p99", 4411.0),
        ("variants/failed-operations.txt", "failed-latency", "READ-FAILED max", 50111.0),
        ("json/array.json", "latency", "READ p95", 118.0),
        ("json/pretty-objects.json", "throughput", "throughput", 8302.889405513119),
    ],
)
def test_values(path: str, metric: str, operation: str, value: float) -> None:
    assert values(log(path), metric)[operation] == [value]


@pytest.mark.parametrize(
    "path",
    [
        "run-0.17-run2.txt",
        "script.txt",
        "variants/without-blanks.txt",
        "variants/decimal-comma.txt",
        "json/array.json",
        "json/pretty-objects.json",
        "broken/killed-load-then-run.txt",
    ],
)
def test_all_ways_to_write_it_give_the_same(path: str) -> None:
    for metric in ycsb.METRICS:
        assert values(log(path), metric.name) == values(log("results-only.txt"), metric.name)


@pytest.mark.parametrize(
    "line",
    [
        "[READ], 17, 4021",
        "[READ], >1000, 3",
        "[READ], 322700, 750.88",
        "READ,1777630000000,512",
        "2017-05-20 18:55:44:512 10 sec: 376385 operations; 37634.74 current ops/sec; [READ: Count=7, Max=9, Avg=2]",
        " 10 sec: 376385 operations; 37634,74 current ops/sec; [READ AverageLatency(us)=71.1]",
        "[TOTAL_GC_TIME_%], Time(%), 0.3",
        "[CLEANUP], AverageLatency(us), 4.5",
        "[CLEANUP], 99thPercentileLatency(us), 31",
    ],
)  # fmt: skip
def test_what_is_no_result(line: str) -> None:
    parsed = read(f"{OVERALL}{READ}{line}\n")
    assert parsed.blocks == read(OVERALL + READ).blocks
    assert not parsed.diagnostics


@pytest.mark.parametrize("line", ["[READ], 17, 4021", "[READ], >1000, 3", "[READ], 322700, 750.88"])
def test_buckets_and_points_may_repeat_within_a_run(line: str) -> None:
    assert read(OVERALL + f"{line}\n" * 2 + READ).blocks == read(OVERALL + READ).blocks


def test_rows_stand_in_the_order_of_operations_and_percentiles() -> None:
    rows = {block.operation for block in log("run-0.17-run2.txt").blocks if block.metric.name == "latency"}
    rows |= {
        block.operation for block in log("variants/more-percentiles.txt").blocks if block.metric.name == "latency"
    }
    names = [row.name for row in sorted(rows, key=lambda row: row.sort_key) if not row.name.startswith("Intended")]
    assert names == [
        *(f"READ {statistic}" for statistic in ("avg", "p50", "p95", "p99", "p99.9", "p99.99")),
        *(f"UPDATE {statistic}" for statistic in ("avg", "p95", "p99")),
    ]
    assert all(row.series == row.name for row in rows)


def test_load_and_run_are_never_pooled() -> None:
    for path in ("load-and-run.txt", "results-before-the-messages.txt", "json/objects.json"):
        parsed = log(path)
        assert phases(parsed) == ["load", "run"]
        assert not parsed.diagnostics
        assert [list(values(parsed, "throughput", run).values()) for run in (0, 1)] == [
            [[4899.559039686428]],
            [[8302.889405513119]],
        ]


@pytest.mark.parametrize(
    ("text", "name", "phase"),
    [
        (OVERALL + READ, "out.txt", "run"),
        (OVERALL + INSERT, "out.txt", "load"),
        (OVERALL + INSERT + READ, "out.txt", "run"),
        (COMMAND + "-t\n" + OVERALL + INSERT, "out.txt", "run"),
        (COMMAND + "-load\n" + OVERALL + INSERT, "out.txt", "load"),
        ("bin/ycsb run basic -P workloads/workloadd\n" + OVERALL + INSERT, "out.txt", "run"),
        (OVERALL, "ycsb-load-run1.txt", "load"),
        (OVERALL, "workloada.txt", ""),
    ],
)
def test_phase(text: str, name: str, phase: str) -> None:
    assert phases(read(text, name)) == [phase]


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        (COMMAND + "-t\n", "out.txt", {"workload": "workloadb", "threads": "8"}),
        (COMMAND + "-t -target 500\n", "out.txt", {"workload": "workloadb", "threads": "8", "target": "500"}),
        (
            "Command line: -p threadcount=4 -p recordcount=10 -p mongodb.url=mongodb://db.example/y -t\n",
            "out.txt",
            {"threads": "4", "properties": "recordcount=10"},
        ),
        ("", "ycsb-workloadc-threads16-run2.txt", {"workload": "workloadc", "threads": "16"}),
        ("", "ycsb-client-2.txt", {"client": "2"}),
        ("", "out.txt", {}),
    ],
)
def test_settings(text: str, name: str, settings: dict[str, str]) -> None:
    parsed = read(text + OVERALL + READ, name)
    assert dict(parsed.runs[0].configuration.settings) == settings


def test_several_runs_in_one_file() -> None:
    parsed = log("loop.txt")
    assert values(parsed, "throughput") == {"throughput": [8302.889405513119, 8411.25]}
    assert len(parsed.runs) == 2


def test_share_of_failed_operations() -> None:
    parsed = log("variants/failed-operations.txt")
    assert slugs(parsed) == ["failed-operations"] * 2
    assert "1000 of 94987 operations READ returned ERROR (1.05 %)" in parsed.diagnostics[1].message
    assert not [name for name in values(parsed) if "FAILED" in name]
    assert not ycsb.FAILED.main
    old = read(OVERALL + READ + "[READ], Return=0, 990\n[READ], Return=-1, 10\n")
    assert "10 of 1000 operations READ returned -1 (1.00 %)" in old.diagnostics[0].message


@pytest.mark.parametrize("text", ["NaN", "9223372036854775807", "9.223372036854776E18", "Infinity", "-1"])
def test_no_latency_is_left_out(text: str) -> None:
    parsed = read(OVERALL + READ.replace("71.38", text))
    assert values(parsed) == {"READ p99": [411.0]}
    assert slugs(parsed) == ["no-latency"]
    assert text in parsed.diagnostics[0].message


def test_a_section_without_operations_has_no_latency() -> None:
    parsed = read(OVERALL + READ + READ.replace("READ", "UPDATE").replace("1000", "0"))
    assert sorted(values(parsed)) == ["READ avg", "READ p99"]
    assert slugs(parsed) == ["no-latency"]


@pytest.mark.parametrize("throughput", ["0.0", "NaN", "Infinity", "-3.5", "0"])
def test_nothing_measured(throughput: str) -> None:
    parsed = read(OVERALL.replace("8302.5", throughput) + READ)
    assert (parsed.status, slugs(parsed), parsed.blocks) == ("failed-run", ["failed-run"], ())


@pytest.mark.parametrize("path", sorted(path.name for path in (LOGS / "ycsb/broken").iterdir()))
def test_a_broken_run_is_told(path: str) -> None:
    parsed = log(f"broken/{path}")
    assert parsed.diagnostics
    if path not in {"cut.txt", "cut.json", "killed-load-then-run.txt"}:
        assert not parsed.blocks


def test_a_start_that_led_to_nothing() -> None:
    parsed = log("broken/killed-load-then-run.txt")
    assert phases(parsed) == ["run"]
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("failed-run", 1)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("37634.74", 37634.74),
        ("37634,74", 37634.74),
        ("48995,590", 48995.59),
        ("0,123", 0.123),
        ("5.0135039E7", 50135039.0),
        ("1,234,567", 1234567.0),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("12.345.678", 12345678.0),
        ("20,410", None),
        ("", None),
        ("12abc", None),
    ],
)
def test_numbers_of_all_locales(text: str, value: float | None) -> None:
    assert number(text) == value


def test_numbers_that_may_be_cut_off() -> None:
    parsed = read((OVERALL + READ)[:-1])
    assert (parsed.status, sorted(values(parsed))) == ("truncated", ["READ avg"])
    parsed = read((OVERALL + READ + "[READ], Return=OK, 1000\n")[:-1])
    assert (parsed.status, sorted(values(parsed))) == ("read", ["READ avg", "READ p99"])
    parsed = read("[OVERALL], RunTime(ms), 12044\n[OVERALL], Throughput(ops/sec), 83")
    assert (parsed.status, parsed.blocks) == ("truncated", ())


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        (OVERALL, "a", Match.CERTAIN),
        (READ, "a", Match.CERTAIN),
        ("YCSB Client 0.17.0\n", "a", Match.CERTAIN),
        ('[{"metric":"OVERALL","measurement":"RunTime(ms)","value":1}]\n', "a", Match.CERTAIN),
        (" 10 sec: 376385 operations; 37634,74 current ops/sec;\n", "a", Match.LIKELY),
        ("[READ], 17, 4021\n", "a", Match.NO),
    ],
)
def test_recognise(text: str, name: str, match: Match) -> None:
    assert ycsb.recognise(RawLog(text.encode(), name)) == match
