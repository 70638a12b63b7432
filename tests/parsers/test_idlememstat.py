"""What idlememstat prints, and which minutes make a sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare_kernels.parsers import idlememstat
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

POSTED = Path(__file__).parent.parent / "posted-logs" / "idlememstat.txt"
HEADER = "time    total     idle idle%  testcase\n"
FIRST = "  1 m  1000 MB   100 MB   10%  compress\n"
SECOND = "  2 m  3000 MB   900 MB   30%  compress\n"


def read(text: str, name: str = "idlememstat.txt") -> Parsed:
    builder = SampleBuilder(name)
    idlememstat.parse(RawLog(text.encode(), name), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("idlememstat", raw_log(LOGS / "idlememstat" / path))


def values(parsed: Parsed, metric: str = "idle-memory") -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("case", "idle", "share", "total"),
    [
        ("compress", (514 + 465 + 433 + 339) / 4, 100 * 1751 / 7053, 7053 / 4),
        ("compiler.compiler", (202 + 252 + 225 + 126) / 4, 100 * 805 / 7007, 7007 / 4),
        (
            "scimark.fft.large",
            (1271 + 1643 + 1138 + 1103 + 799) / 5,
            100 * 5954 / (2550 + 3835 + 3067 + 2072 + 2183),
            13707 / 5,
        ),
        ("xml.validation", (529 + 883 + 1013 + 853) / 4, 100 * 3278 / 11611, 11611 / 4),
    ],
)
def test_means_of_the_posted_log(case: str, idle: float, share: float, total: float) -> None:
    parsed = read(POSTED.read_text())
    assert values(parsed)[case] == [pytest.approx(idle, rel=1e-12)]
    assert values(parsed, "idle-share")[case] == [pytest.approx(share, rel=1e-12)]
    assert values(parsed, "total-memory")[case] == [pytest.approx(total, rel=1e-12)]


def test_the_posted_log_as_a_whole() -> None:
    parsed = read(POSTED.read_text())
    assert parsed.status == "read"
    assert len(values(parsed)) == len(values(parsed, "warmup-idle-memory")) == 21
    assert list(values(parsed))[:3] == ["compiler.compiler", "compiler.sunflow", "compress"]
    assert [item.message for item in parsed.diagnostics] == [
        "5 of 135 minutes are outside of test cases and left out"
    ]
    assert parsed.runs[0].conditions == (("minutes", 135.0),)


def test_warm_up_is_no_part_of_a_test_case() -> None:
    parsed = read(POSTED.read_text())
    assert values(parsed, "warmup-idle-memory")["compress"] == [(370 + 515) / 2]
    assert values(parsed, "warmup-idle-share")["compress"] == [100 * 885 / 3548]
    assert values(parsed, "warmup-total-memory")["compress"] == [3548 / 2]
    assert [metric.name for metric in idlememstat.METRICS if metric.main] == ["idle-memory", "idle-share"]


def test_the_share_is_of_all_memory_not_the_mean_of_percentages() -> None:
    assert values(read(HEADER + FIRST + SECOND), "idle-share") == {"compress": [25.0]}
    assert values(log("no-memory.txt"), "idle-share") == {}


def test_no_direction_is_better() -> None:
    assert {metric.better for metric in idlememstat.METRICS} == {"none"}


def test_each_run_gives_one_value() -> None:
    for path in ("two-runs.txt", "loop-without-headers.txt"):
        parsed = log(path)
        assert values(parsed)["compress"] == [374.0, 391.0]
        assert len(parsed.runs) == 2
    assert values(read(HEADER + FIRST + SECOND))["compress"] == [500.0]


def test_units() -> None:
    assert values(log("gigabytes.txt")) == {"serial": [(512 + 1024) / 2]}


def test_a_line_without_its_end_is_not_taken() -> None:
    """Nor is the test case that it may belong to, for it may lack a minute."""
    for path in ("cut-in-a-row.txt", "cut-before-the-last-line-end.txt"):
        parsed = log(path)
        assert parsed.status == "truncated"
        assert list(values(parsed)) == ["compress", "derby"]
        assert list(values(parsed, "warmup-idle-memory")) == ["compress", "derby", "scimark.lu.large"]
    parsed = log("cut-in-the-next-test-case.txt")
    assert values(parsed) == {"compress": [374.0]}, "the next test case had begun"
    assert list(values(parsed, "warmup-idle-memory")) == ["compress"]
    assert values(read(HEADER + FIRST + "13")) == {}, "the cut line may have been a row"
    assert values(read(HEADER + FIRST + "done")) == {"compress": [100.0]}


@pytest.mark.parametrize(
    "path", ["failed-no-rows.txt", "failed-no-tracking.txt", "failed-not-installed.txt", "no-test-case.txt"]
)
def test_failed_runs(path: str) -> None:
    parsed = log(path)
    assert parsed.status == "failed-run"
    assert slugs(parsed).count("failed-run") == 1
    assert not parsed.blocks


def test_minutes_outside_of_test_cases_are_no_result() -> None:
    messages = [item.message for item in log("no-test-case.txt").diagnostics]
    assert messages == ["2 of 2 minutes are outside of test cases and left out", "no row names a test case"]


def test_a_garbled_row_is_told() -> None:
    parsed = log("row-garbled.txt")
    assert "incomplete-row" in slugs(parsed)
    assert values(parsed)["compress"] == [(333 + 388) / 2]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (HEADER, Match.CERTAIN),
        ("starting\n" + HEADER + FIRST, Match.CERTAIN),
        (FIRST, Match.LIKELY),
        ("idlememstat: command not found\n", Match.LIKELY),
        ("time    total\n", Match.NO),
        ("1 m 2 s\n", Match.NO),
    ],
)
def test_recognise(text: str, match: Match) -> None:
    assert idlememstat.recognise(RawLog(text.encode())) == match
