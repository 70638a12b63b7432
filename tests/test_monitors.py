"""What watched a benchmark stands below its tables, as values, and takes no part in verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare_kernels import compare, load, load_mmtests, render
from compare_kernels.reporting.render import builtin_styles

from .test_cli import run
from .test_reading import hackbench, write

ORACLE = Path(__file__).parent / "oracle"
TIMES = "test begin :: {0} 1\ntest end :: {0} 9 0\ntime :: {0} 1.50 user 2.50 system {1} elapsed\n"
BEFORE = "nr_free_pages 5\npgfault 10\npgmajfault 1\npgalloc_normal 7\npgpgin 4\npgpgout 4\npswpin 0\npswpout 0\n"


def mmtests_tree(root: Path, *names: str, elapsed: str = "4.00") -> Path:
    files = {"iter-0/tests-timestamp": "".join(TIMES.format(name, elapsed) for name in names)}
    files |= {f"iter-0/{name}/logs/hackbench-4-1": hackbench(1.25) for name in names}
    return write(root, files)


def test_a_monitor_follows_its_benchmark_and_is_chosen_with_it(tmp_path: Path) -> None:
    names = ("hackbench-process-pipes", "hackbench-thread-pipes")
    samples = load(mmtests_tree(tmp_path / "a", *names), mmtests_tree(tmp_path / "b", *names, elapsed="5.00"))
    assert list(samples.metrics) == [(name, metric) for name in names for metric in ("time", "duration")]
    text = run(tmp_path / "a", tmp_path / "b", "-b", names[1]).stdout
    assert names[0] not in text
    lines = [line.split() for line in text.splitlines()]
    assert ["Duration", "Elapsed", "4.00", "5.00"] in lines
    assert text.index(f"{names[1]} Duration") > text.index("Amean")


def test_counts_of_verdicts_know_no_monitors(tmp_path: Path) -> None:
    comparison = compare(load(mmtests_tree(tmp_path / "a", "hackbench"), mmtests_tree(tmp_path / "b", "hackbench")))
    assert render(comparison, "summary").startswith("b against a, 1 row:\n")


def test_monitors_alone_make_a_report_without_summary() -> None:
    tree = ORACLE / "duration-4kernels" / "tree"
    text = render(compare(load_mmtests(tree, "thp-base1", "thp-lru1")))
    assert "against" not in text
    lines = text.splitlines()
    start = lines.index("thpscale Duration")
    theirs = (ORACLE / "duration-4kernels" / "expected-2020.txt").read_text().splitlines()
    assert lines[start + 3] == theirs[2][:28] + theirs[2][40:52]


def test_snapshots_of_several_loads_are_not_pooled(tmp_path: Path) -> None:
    files = {f"mm/vmstat-{when}-{load}.txt": BEFORE for when in ("before", "after") for load in (2, 4)}
    files["mm/hackbench.txt"] = hackbench(1.0)
    samples = load(write(tmp_path / "base", files))
    assert list(samples.benchmarks) == ["mm hackbench-process", "mm-2", "mm-4"]
    files = {f"mm/vmstat-{when}.txt": BEFORE for when in ("before", "after")} | {"mm/hackbench.txt": hackbench(1.0)}
    samples = load(write(tmp_path / "other", files))
    assert list(samples.metrics) == [("mm hackbench-process", name) for name in ("time", "vmstat", "vmstat-counters")]


@pytest.mark.parametrize("style", [name for name, style in builtin_styles().items() if not style.rules])
def test_every_style_shows_monitors(style: str, tmp_path: Path) -> None:
    samples = load(
        mmtests_tree(tmp_path / "a", "hackbench"), mmtests_tree(tmp_path / "b", "hackbench", elapsed="5.25")
    )
    text = render(compare(samples), style)
    assert ("Elapsed" in text and "5.25" in text) or style in {"summary", "environment"}
