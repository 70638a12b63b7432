"""What the controller and the reporter of SPECjbb2015 tell, and how often they tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compare_kernels import Selection, load_mmtests
from compare_kernels import load as load_results
from compare_kernels.parsers import specjbb
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

if TYPE_CHECKING:
    from pathlib import Path

RESULT = "RUN RESULT: hbIR (max attempted) = 30411, hbIR (settled) = 29002, max-jOPS = 28104, critical-jOPS = 9120\n"
OTHER = RESULT.replace("28104", "28350").replace("9120", "9311")
RAW = "jbb2015.result.metric.max-jOPS = 28104\njbb2015.result.metric.critical-jOPS = 9120\n"
SLA = "jbb2015.result.SLA-10000-jOPS = 4022\n"
START = "     3s: Initializing... (init) OK\n"
HALF = "  6500s: ( 95%) ......................... (rIR:aIR:PR = 28104:28101:28100) (tPR = 31211) [OK]\n"


def read(text: str, name: str = "out.txt") -> Parsed:
    builder = SampleBuilder(name)
    specjbb.parse(RawLog(text.encode(), name), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("specjbb", raw_log(LOGS / "specjbb" / path))


def values(parsed: Parsed, metric: str = "jops") -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


BOTH = {"JOPS-Max": [28104.0], "JOPS-Critical": [9120.0]}


@pytest.mark.parametrize(
    "path",
    [
        "controller-run3.out",
        "two-report-levels.out",
        "output-and-log-of-one-run.txt",
        "properties/specjbb2015-C-20260501-00007.raw",
        "properties/without-blanks.raw",
        "properties/with-colons.raw",
        "mmtests/specjbb2015/logs/default/specjbb2015.log",
    ],
)
def test_one_run(path: str) -> None:
    parsed = log(path)
    assert values(parsed) == BOTH
    assert len(parsed.runs) == 1
    assert not parsed.diagnostics


def test_limits_of_the_response_time() -> None:
    parsed = log("properties/specjbb2015-C-20260501-00007.raw")
    rows = [block.operation for block in parsed.blocks if block.metric == specjbb.SLA_JOPS]
    assert [(row.name, row.series, row.param) for row in sorted(rows, key=lambda row: row.sort_key)] == [
        (f"SLA-{limit}us", "SLA", float(limit)) for limit in (10000, 25000, 50000, 75000, 100000)
    ]
    assert values(parsed, "sla-jops")["SLA-50000us"] == [10230.0]
    assert not specjbb.SLA_JOPS.main
    assert parsed.runs[0].number == 7


def test_max_stands_before_critical() -> None:
    rows = sorted({block.operation for block in read(RESULT).blocks}, key=lambda row: row.sort_key)
    assert [row.name for row in rows] == ["JOPS-Max", "JOPS-Critical"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (RESULT * 3, 1),
        (RESULT + OTHER, 2),
        (RESULT + RAW, 1),
        (START + HALF + RESULT + START + HALF + RESULT, 1),
        (START + HALF + RESULT + START + HALF + OTHER, 2),
        (RAW + SLA + RAW.replace("28104", "28350") + SLA, 2),
    ],
)
def test_how_many_runs(text: str, runs: int) -> None:
    parsed = read(text)
    assert len(parsed.runs) == runs
    assert len(values(parsed)["JOPS-Max"]) == runs
    assert not parsed.diagnostics


@pytest.mark.parametrize("text", ["0", "N/A", "0.0"])
def test_a_limit_that_was_never_kept_is_no_zero(text: str) -> None:
    parsed = read(RESULT.replace("9120", text))
    assert values(parsed) == {"JOPS-Max": [28104.0]}
    assert slugs(parsed) == ["limit-not-kept"]
    assert text in parsed.diagnostics[0].message
    parsed = read(RAW + SLA.replace("4022", text))
    assert not values(parsed, "sla-jops")
    assert "10000 us" in parsed.diagnostics[0].message


@pytest.mark.parametrize("text", ["0", "N/A", "nan", "-1"])
def test_nothing_measured(text: str) -> None:
    parsed = read(RESULT.replace("28104", text))
    assert (parsed.status, slugs(parsed), parsed.blocks) == ("failed-run", ["failed-run"], ())


def test_killed_runs() -> None:
    parsed = log("broken/killed-then-whole.out")
    assert values(parsed)["JOPS-Max"] == [28350.0]
    assert slugs(parsed) == ["failed-run"]
    assert "95 %" in parsed.diagnostics[0].message
    assert log("broken/killed.out").status == "failed-run"


def test_what_the_reporter_has_not_filled_in_says_nothing_about_the_run() -> None:
    parsed = log("broken/template.raw")
    assert (parsed.status, slugs(parsed), parsed.runs) == ("no-result", ["no-result"], ())


def test_a_preset_run_has_no_result() -> None:
    parsed = log("broken/preset.out")
    assert (parsed.status, slugs(parsed)) == ("no-result", ["no-result"])
    assert "PRESET" in parsed.diagnostics[0].message


def test_numbers_that_may_be_cut_off() -> None:
    parsed = read(RESULT[:-1])
    assert (parsed.status, parsed.blocks) == ("truncated", ())
    parsed = read((RAW + SLA)[:-1])
    assert (parsed.status, values(parsed), values(parsed, "sla-jops")) == ("truncated", BOTH, {})


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_files_of_one_run_count_once(tmp_path: Path) -> None:
    for run in (1, 2, 3):
        report = f"run-{run}/result/specjbb2015-C-20260501-{run:05}/report-00001"
        here = {
            f"run-{run}/controller.out": START + HALF + RESULT.replace("28104", str(28104 + run)),
            f"run-{run}/controller.log": START + HALF + RESULT.replace("28104", str(28104 + run)),
            f"{report}/specjbb2015-C-20260501-{run:05}.raw": RAW.replace("28104", str(28104 + run)) + SLA,
        }
        write(tmp_path / "a", here)
    write(tmp_path / "b", {"run-1/controller.out": RESULT, "run-1/specjbb2015-C-20260501-00001.data": "\1\2\3"})
    samples = load_results(tmp_path / "a", tmp_path / "b")
    assert list(samples.benchmarks) == ["specjbb"]
    found = {row.operation.name: [group.values.tolist() for group in row.groups.values()] for row in samples.rows()}
    assert found["JOPS-Max"] == [[28105.0, 28106.0, 28107.0], [28104.0]]
    assert found["SLA-10000us"] == [[4022.0] * 3]
    assert {report.status for report in samples.files} == {"read", "copy", "companion"}


def test_mmtests_folder_below_the_benchmark(tmp_path: Path) -> None:
    for kernel in ("6.9-a", "6.9-b"):
        write(tmp_path / kernel, {"iter-0/specjbb2015/logs/default/specjbb2015.log": RAW + SLA})
    samples = load_mmtests(tmp_path, "6.9-a", "6.9-b")
    (benchmark,) = samples.benchmarks.values()
    assert Selection(("specjbb2015",)).wants_benchmark(benchmark)
    assert not Selection(("specjvm2008",)).wants_benchmark(benchmark)


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        (RESULT, "a", Match.CERTAIN),
        (RAW, "a", Match.CERTAIN),
        (HALF, "a", Match.CERTAIN),
        ("SPECjbb2015 Java Business Benchmark\n", "controller.out", Match.LIKELY),
        ("SPECjbb2015 Java Business Benchmark\n", "Group1.Backend.beJVM.log", Match.NO),
        ("<html><body>SPECjbb2015 RUN RESULT: hbIR</body></html>\n", "specjbb2015.html", Match.NO),
    ],
)
def test_recognise(text: str, name: str, match: Match) -> None:
    assert specjbb.recognise(RawLog(text.encode(), name)) == match
