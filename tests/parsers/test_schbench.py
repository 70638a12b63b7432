"""schbench: the values of the samples, and everything about its reports that is easily misread."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from compare_kernels.parsers import schbench
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

if TYPE_CHECKING:
    from pathlib import Path

HERE = LOGS / "schbench"

Rows = dict[str, list[float]]


def read(name: str, data: bytes | None = None) -> Parsed:
    return parse("schbench", raw_log(HERE / name, data))


def read_text(text: str, name: str = "schbench-m1-t2.txt", *folders: str) -> Parsed:
    builder = SampleBuilder(name)
    schbench.parse(RawLog(text.encode(), name, folders), builder)
    return builder.finish()


def rows(parsed: Parsed, metric: str, run: int = 0) -> Rows:
    return {
        block.operation.name: [float(value) for value in block.values]
        for block in parsed.blocks
        if block.metric.name == metric and block.run == run
    }


def settings(parsed: Parsed, run: int = 0) -> dict[str, str]:
    return dict(parsed.runs[run].configuration.settings)


def slugs(parsed: Parsed) -> list[tuple[str, int]]:
    return [(item.slug, item.line) for item in parsed.diagnostics]


def text_of(name: str) -> str:
    return (HERE / name).read_text()


@pytest.mark.parametrize(
    ("name", "metric", "expected"),
    [
        (
            "v1-2020.txt",
            "wakeup-latency",
            {
                "50.0th": [61],
                "75.0th": [77],
                "90.0th": [92],
                "95.0th": [104],
                "99.0th": [207],
                "99.5th": [350],
                "99.9th": [1410],
            },
        ),
        ("v1-2020.txt", "request-latency", {}),
        (
            "v2-2025.txt",
            "wakeup-latency",
            {"50.0th-16": [6], "90.0th-16": [15], "99.0th-16": [118], "99.9th-16": [1806]},
        ),
        (
            "v2-2025.txt",
            "request-latency",
            {"50.0th-16": [3036], "90.0th-16": [3244], "99.0th-16": [4520], "99.9th-16": [6904]},
        ),
        ("v2-2025.txt", "rps", {"20.0th-16": [5048], "50.0th-16": [5064], "90.0th-16": [5080]}),
        ("v2-2025.txt", "average-rps", {"16": [5070.03]}),
    ],
)
def test_samples_give_their_values(name: str, metric: str, expected: Rows) -> None:
    assert rows(read(name), metric) == expected


@pytest.mark.parametrize(
    ("name", "dialect", "p99"),
    [
        ("variants/schbench-2016a-m1-t2-run1.txt", "1", 125),
        ("variants/schbench-2016b-m1-t2-run1.txt", "1", 945),
        ("schbench-v1/schbench-m1-t4-run2.txt", "1", 7448),
        ("variants/schbench-2020-10-m2-t16.txt", "1", 627),
        ("variants/schbench-2021-m1-t2-run1.txt", "1", 4760),
        ("schbench/schbench-m1-t4-run2.txt", "2", 4856),
        ("json/flat.json", "2", 433),
    ],
)
def test_every_age_has_the_starred_percentile(name: str, dialect: str, p99: float) -> None:
    parsed = read(name)
    found = [
        block.values
        for block in parsed.blocks
        if block.metric == schbench.WAKEUP and block.operation.series == "99.0th"
    ]
    assert found == [[p99]]
    assert settings(parsed)["dialect"] == dialect


def test_rows_of_a_number_of_workers_stand_together_in_the_order_of_percentiles() -> None:
    operations = [
        block.operation
        for name in (
            "mmtests/schbench-4.log",
            "json/schbench-json-m1-t2-run1.json",
            "v2-2025.txt",
            "broken/very-short.txt",
        )
        for block in read(name).blocks
        if block.metric.name == "wakeup-latency"
    ]
    names = [operation.name for operation in sorted(operations, key=lambda operation: operation.sort_key)]
    assert names[:5] == ["20.0th-2", "50.0th-2", "90.0th-2", "99.0th-2", "99.9th-2"]
    assert names[5:9] == ["50.0th-4", "90.0th-4", "99.0th-4", "99.9th-4"]
    assert names[9] == "50.0th-16"
    assert names[13:] == ["50.0th", "90.0th", "99.0th", "99.9th"]


def test_interim_reports_are_no_samples() -> None:
    parsed = read("variants/schbench-interval3-m1-t2.txt")
    assert rows(parsed, "wakeup-latency")["50.0th-2"] == [6]
    assert rows(parsed, "rps") == {"20.0th-2": [93], "50.0th-2": [127], "90.0th-2": [371]}
    assert dict(parsed.runs[0].conditions) == {"seconds": 8}


def test_what_was_counted_before_the_end_of_the_warm_up_is_no_sample() -> None:
    parsed = read("variants/schbench-2021-interval2-m1-t2.txt")
    assert rows(parsed, "wakeup-latency")["50.0th-2"] == [1322]
    assert slugs(parsed) == [("last-report", 29)]
    killed = read("broken/killed-in-warm-up.txt")
    assert not killed.blocks
    assert slugs(killed) == [("failed-run", 1)]


def test_each_interval_is_a_sample_if_the_statistics_were_zeroed() -> None:
    parsed = read("zeroing/schbench-interval2-zero2-m2-t2.txt")
    assert rows(parsed, "wakeup-latency")["50.0th-2"] == [59, 110, 105, 16]
    # The final report counts four requests since the last zeroing.
    assert rows(parsed, "request-latency")["50.0th-2"] == [20192, 24032, 22176, 23904]
    assert rows(parsed, "average-rps") == {"2": [150.62]}
    assert len(parsed.runs) == 1


def test_zeroing_that_is_rarer_than_the_reports_leaves_the_longest_ones() -> None:
    parsed = read("zeroing/schbench-interval5-zero10-m1-t2.txt")
    assert rows(parsed, "wakeup-latency")["99.0th-2"] == [150, 170]


def test_the_last_report_of_dialect_1_counts_if_it_covers_a_whole_interval() -> None:
    name = "zeroing/schbench-2020-10-zero10-m1-t8.txt"
    assert rows(read(name), "wakeup-latency")["50.0th-8"] == [171, 172, 173]
    shorter = read_text(text_of(name).replace("runtime 30", "runtime 25"))
    assert rows(shorter, "wakeup-latency")["50.0th-2"] == [171, 172]


def test_mmtests_intervals_are_samples() -> None:
    parsed = read("mmtests-head/schbench-8.log")
    assert rows(parsed, "rps")["50.0th-8"] == [1648, 1608, 1648, 1617, 1628]


def test_zeros_without_samples_are_no_values() -> None:
    parsed = read("zeroing/schbench-only-zeros-m1-t2.txt")
    assert not parsed.blocks
    assert (parsed.status, slugs(parsed)) == ("no-result", [("no-result", 1)])
    old = read_text("Latency percentiles (usec)\n\t50.0th: 0\n\t*99.0th: 0\n\tmin=0, max=0\n")
    assert not old.blocks


def test_zeros_of_a_short_run_are_real() -> None:
    parsed = read("broken/very-short.txt")
    assert rows(parsed, "rps") == {"20.0th": [0], "50.0th": [0], "90.0th": [391]}


def test_a_report_without_headers_counts_nothing() -> None:
    parsed = read("zeroing/schbench-headless-m1-t2.txt")
    assert rows(parsed, "request-latency")["50.0th-2"] == [5905]


@pytest.mark.parametrize(
    ("name", "status", "diagnostics"),
    [
        ("broken/killed-after-intervals.txt", "failed-run", [("failed-run", 1)]),
        ("broken/thread-create-failed.txt", "failed-run", [("failed-run", 1)]),
        ("broken/usage-error.txt", "failed-run", [("failed-run", 1)]),
        ("broken/stops-inside-of-a-report.txt", "truncated", [("truncated", 25)]),
        ("variants/schbench-calibrate.txt", "no-result", [("no-result", 1)]),
    ],
)
def test_a_run_without_an_end_gives_nothing(name: str, status: str, diagnostics: list[tuple[str, int]]) -> None:
    parsed = read(name)
    assert not parsed.blocks
    assert (parsed.status, slugs(parsed)) == (status, diagnostics)


def test_a_section_counts_only_with_its_end() -> None:
    parsed = read("broken/section-without-end.txt")
    assert not rows(parsed, "wakeup-latency")
    assert rows(parsed, "request-latency")["99.0th"] == [6101]
    assert slugs(parsed) == [("incomplete-report", 1)]


def test_runs_appended_to_one_log_are_runs() -> None:
    parsed = read("loops/schbench-v1-loop.txt")
    assert [rows(parsed, "wakeup-latency", run) for run in range(3)] == [
        {
            f"{percentile}th-{workers}": [value]
            for percentile, value in zip(
                (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9), range(first, 80, 10), strict=False
            )
        }
        for workers, first in ((4, 11), (8, 12), (4, 13))
    ]
    assert slugs(parsed) == [("failed-run", 23)]
    assert len({run.identity for run in parsed.runs}) == 3


def test_a_new_run_is_told_by_its_time() -> None:
    parsed = read("loops/schbench-2020-10-loop-m1-t2.txt")
    assert [rows(parsed, "wakeup-latency", run)["50.0th-2"] for run in range(2)] == [[417], [418]]


def test_killed_runs_between_others_cost_only_themselves() -> None:
    parsed = read("loops/schbench-2025-killed-in-between-m1-t2.txt")
    assert [rows(parsed, "wakeup-latency", run)["50.0th-2"] for run in range(3)] == [[1], [4], [7]]
    assert slugs(parsed) == [("failed-run", 77), ("failed-run", 116)]


def test_a_rate_that_cannot_be_is_left_out() -> None:
    parsed = read("variants/rps-bug-2020.txt")
    assert not rows(parsed, "average-rps")
    assert ("implausible", 11) in slugs(parsed)
    assert rows(parsed, "relative-latency") == {"95.0th-3": [0.07], "99.0th-3": [0.08]}


def test_the_old_rate_is_kept_apart() -> None:
    parsed = read("variants/schbench-v1-rps100-m1-t2.txt")
    assert rows(parsed, "average-rps") == {"2": [64.09]}
    assert settings(parsed)["rps"] == "100"


@pytest.mark.parametrize(
    ("name", "rate", "goal"),
    [
        ("variants/schbench-autorps60-m1-t2.txt", "auto60", {"2": [4.0]}),
        # Two message threads told their goals before the final report, which nothing follows.
        ("variants/schbench-2023-autorps-m2-t8.txt", "auto", {"8": [38.0]}),
    ],
)
def test_the_goal_ends_a_run_with_a_rate_that_follows_the_load(name: str, rate: str, goal: Rows) -> None:
    parsed = read(name)
    assert settings(parsed)["rps"] == rate
    assert rows(parsed, "rps-goal") == goal
    assert not rows(parsed, "average-rps")
    assert len(rows(parsed, "request-latency")) == 4


@pytest.mark.parametrize(
    ("name", "transfer", "bandwidth", "size"),
    [
        ("variants/schbench-pipe4096-m1-t2.txt", {"2": [99416.46]}, 388.35, "4096"),
        ("variants/schbench-v1-pipe4096-m1-t2.txt", {"2": [100169.91]}, 391.29, "4096"),
        ("variants/pipe-65536-threads-4.txt", {"4": [21924.11]}, 1.34 * 1024, "65536"),
    ],
)
def test_pipe_mode(name: str, transfer: Rows, bandwidth: float, size: str) -> None:
    parsed = read(name)
    assert rows(parsed, "transfer") == transfer
    assert list(rows(parsed, "transfer-bandwidth").values()) == [[pytest.approx(bandwidth)]]
    assert settings(parsed)["mode"] == "pipe"
    assert settings(parsed)["transfer"] == size


@pytest.mark.parametrize(("unit", "factor"), [("B", 2**-20), ("KB", 2**-10), ("MB", 1), ("GB", 2**10)])
def test_bandwidth_is_scaled_to_one_unit(unit: str, factor: float) -> None:
    text = text_of("variants/schbench-pipe4096-m1-t2.txt").replace("388.35MB", f"388.35{unit}")
    assert rows(read_text(text), "transfer-bandwidth") == {"2": [pytest.approx(388.35 * factor)]}


def test_delays_of_threads_that_are_gone_come_from_the_last_report_before() -> None:
    assert rows(read("v2-2025.txt"), "sched-delay") == {"message-16": [4], "worker-16": [37]}
    assert rows(read("variants/schbench-interval3-m1-t2.txt"), "sched-delay") == {
        "message-2": [322],
        "worker-2": [1046],
    }
    assert not rows(read("variants/schbench-rps100-m1-t2.txt"), "sched-delay")


def test_text_and_json_of_one_run_have_one_identity() -> None:
    text, other = (read(f"json/schbench-json-m1-t2-run1.{suffix}") for suffix in ("txt", "json"))
    assert text.runs[0].identity == other.runs[0].identity == "schbench-json-m1-t2-run1"
    assert text.runs[0].authority > other.runs[0].authority
    assert text.runs[0].configuration == other.runs[0].configuration
    assert text.runs[0].conditions == other.runs[0].conditions
    for metric in ("wakeup-latency", "request-latency", "rps"):
        assert rows(text, metric).items() <= rows(other, metric).items()


def test_json_on_the_standard_output_swallows_no_header() -> None:
    parsed = read("json/on-stdout.txt")
    assert [(run.identity, run.authority) for run in parsed.runs] == [("on-stdout", 2), ("on-stdout", 1)]
    assert rows(parsed, "wakeup-latency", 0)["99.0th-8"] == [433]
    assert rows(parsed, "wakeup-latency", 1)["20.0th-8"] == [4]


def test_json_with_an_empty_section_is_read_all_the_same() -> None:
    parsed = read("json/empty-section.json")
    assert rows(parsed, "wakeup-latency")["99.0th-8"] == [433]
    assert not rows(parsed, "request-latency")
    assert rows(parsed, "rps")["50.0th-8"] == [822]
    assert settings(parsed)["rps"] == "500"


def test_cut_json_gives_only_complete_values() -> None:
    parsed = read("json/killed.json")
    assert parsed.status == "truncated"
    assert rows(parsed, "request-latency")["99.9th-8"] == [15025]
    assert not rows(parsed, "rps")
    cut = read("json/killed.json", (HERE / "json/killed.json").read_bytes().split(b"5025")[0])
    assert "99.9th-8" not in rows(cut, "request-latency")


@pytest.mark.parametrize("name", ["json/flat.json", "json/pretty.json"])
def test_json_of_all_shapes(name: str) -> None:
    parsed = read(name)
    assert rows(parsed, "request-latency") == {
        "20.0th-8": [8011],
        "50.0th-8": [9022],
        "90.0th-8": [9513],
        "99.0th-8": [11024],
        "99.9th-8": [15025],
    }
    assert rows(parsed, "latency-maximum") == {"wakeup-8": [3901], "request-8": [17012]}
    assert dict(parsed.runs[0].conditions) == {"seconds": 30}
    assert any(item.slug == "kernel-release" and "6.1" in item.message for item in parsed.diagnostics)


def test_json_of_a_zeroed_run_is_left_out() -> None:
    parsed = read("json/zeroed.json")
    assert not parsed.blocks
    assert ("no-result", 1) in slugs(parsed)


@pytest.mark.parametrize(
    ("text", "name", "folders", "workers"),
    [
        ("", "schbench-m3-t4-run2.txt", (), "4"),
        ("", "schbench-12.log", (), "12"),
        ("", "message-threads-2-threads-8.txt", (), "8"),
        ("", "run1.txt", ("schbench-m1-t16",), "16"),
        ("setting worker threads to 52\n", "schbench-t4.txt", (), "52"),
        ("$ ./schbench -m 2 -t 24 -r 30\n", "schbench-t4.txt", (), "24"),
        ("$ schbench --threads=24\n", "schbench-t4.txt", (), "24"),
        ("$ schbench -m2 -t24 > log 2>&1\n", "schbench-t4.txt", (), "24"),
        ("", "schbench-2016a.txt", (), ""),
    ],
)
def test_workers_come_from_the_text_before_names(
    text: str, name: str, folders: tuple[str, ...], workers: str
) -> None:
    parsed = read_text(text + text_of("v1-2020.txt"), name, *folders)
    assert rows(parsed, "wakeup-latency")[f"99.0th-{workers}" if workers else "99.0th"] == [207]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("", "schbench-m3-t4.txt", {"message-threads": "3"}),
        (
            "$ ./schbench -m 2 -t 24 -F 512 -n 10 -L -r 30\n",
            "t.txt",
            {"message-threads": "2", "options": "-F 512 -L -n 10"},
        ),
        ("$ ./schbench -t 24 -R 400\n", "t.txt", {"rps": "400"}),
        ("$ ./schbench -t 24 -A 70\n", "t.txt", {"rps": "auto70"}),
        ("$ ./schbench -p 8192 -t 24\n", "t.txt", {"mode": "pipe", "transfer": "8192"}),
        ("$ ./schbench -C -t 24\n", "t.txt", {"mode": "calibration"}),
        ("$ ./schbench -t 24 -i 5 -z 5 -w 3 -r 30 -j FILE -J NAME\n", "t.txt", {}),
    ],
)
def test_what_changes_the_work_keeps_runs_apart(text: str, name: str, expected: dict[str, str]) -> None:
    assert settings(read_text(text + text_of("v1-2020.txt"), name)) == {"dialect": "1", **expected}


def test_other_text_between_the_lines_does_no_harm() -> None:
    noise = "random: crng init done\nusr/bin/schbench -t 99\n 0.5th: x\n\n"
    lines = text_of("zeroing/schbench-interval2-zero2-m2-t2.txt").splitlines(keepends=True)
    disturbed = read_text(noise.join(lines[:-1]) + lines[-1] + noise)
    assert disturbed.blocks == read_text("".join(lines)).blocks
    assert disturbed.runs[0].configuration == read_text("".join(lines)).runs[0].configuration


@pytest.mark.parametrize("path", sorted(HERE.rglob("*")), ids=lambda path: str(path.relative_to(HERE)))
def test_no_cut_log_gives_another_latency(path: Path) -> None:
    """What test_robust leaves to us, since dialect 1 doesn't mark its final report."""
    if not path.is_file() or "last-report" in {slug for slug, _ in slugs(read(str(path.relative_to(HERE))))}:
        return
    if "killed-in-warm-up" in path.name:
        return
    data = path.read_bytes()
    whole = {value for block in parse("schbench", raw_log(path)).blocks for value in block.values}
    for cut in range(0, len(data), max(1, len(data) // 400)):
        for block in parse("schbench", raw_log(path, data[:cut])).blocks:
            assert set(block.values) <= whole, f"cut at byte {cut}: {block.metric.name}"


def test_recognised_by_content() -> None:
    def sure(text: str, name: str = "log.txt") -> Match:
        return schbench.recognise(RawLog(text.encode(), name))

    assert sure("noise\n" + text_of("v1-2020.txt")) == Match.CERTAIN
    assert sure(text_of("json/flat.json")) == Match.CERTAIN
    assert sure("setting worker threads to 4\n") == Match.LIKELY
    assert sure("error 11 from pthread_create\n") == Match.NO
    assert sure("error 11 from pthread_create\n", "schbench-4.log") == Match.LIKELY
    assert sure("     clat percentiles (usec):\n      |  1.00th=[   93]\n", "schbench-4.log") == Match.NO


@pytest.mark.parametrize(
    "text", [" " * 200_000, "\n" * 200_000, "{ " * 100_000, "Killed schbench " * 20_000, "*" * 200_000]
)
def test_odd_input_costs_no_time(text: str) -> None:
    begun = time.process_time()
    log = RawLog(text.encode(), "schbench-4.log")
    schbench.recognise(log)
    read_text(text)
    assert time.process_time() - begun < 5
