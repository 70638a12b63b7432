"""Posted tables rendered anew: in their own style byte for byte, in others with the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare_kernels import Selection, compare, load, render
from compare_kernels.api import render_posted
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.loading import read_posted
from compare_kernels.posted.mail import texts_in
from compare_kernels.posted.readers import read_tables
from compare_kernels.reporting.posted import posted_report
from compare_kernels.reporting.render import find_style, render_report
from compare_kernels.reporting.view import Layout
from tests.test_cli import run
from tests.test_reading import hackbench, write

if TYPE_CHECKING:
    from compare_kernels.posted.model import PostedTable

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
STYLES = ("mmtests", "mmtests-2020", "normalized", "percent", "lkp", "baseline", "ministat")
POSTED = {
    "sched-shared-runqueue.normalized.txt": "normalized",
    "specjvm2008-3-kernels.txt": "percent",
    "thpscale-4-kernels.txt": "mmtests",
}


def find(name: str) -> Path:
    (path,) = HERE.rglob(name)
    return path


def again(tables: list[PostedTable], style: str) -> str:
    return render_report(posted_report(tables, ""), find_style(style))


@pytest.mark.parametrize(("name", "style"), POSTED.items())
def test_its_own_style_gives_the_same_bytes(name: str, style: str) -> None:
    posted = find(name).read_text()
    text = again(read_posted(find(name))[0], style)
    assert text.splitlines() == [line.rstrip() for line in posted.rstrip("\n").splitlines()]


def test_a_quoted_mail_gives_the_table_that_it_quotes() -> None:
    plain, quoted = (
        again(read_posted(find(f"thpscale-4-kernels.{ending}"))[0], "mmtests") for ending in ("txt", "quoted.eml")
    )
    assert quoted == plain


@pytest.fixture(scope="module")
def own_tables() -> dict[str, list[PostedTable]]:
    samples = load(f"base={ROOT}/sample-results/base", f"patched={ROOT}/sample-results/patched")
    chosen = Selection(benchmarks=("hackbench*", "netperf-TCP*", "specjvm"))
    tables = {}
    for style in STYLES:
        text = render(compare(samples, chosen), style, layout=Layout(summary=False, legend=False))
        (read,) = texts_in(text.encode(), "report.txt")
        tables[style] = read_tables(read)
    return tables


MEANS = {"amean", "hmean", "mean", "avg", ""}


def numbers(tables: list[PostedTable]) -> list[tuple[float | None, float | None, float]]:
    """For each row of a mean and each kernel the value, the size of the change, and the precision of that."""
    return [
        (
            cell.value and cell.value.value,
            None if cell.percent is None or cell.percent.value is None else abs(cell.percent.value),
            cell.percent.step if cell.percent else 0.0,
        )
        for table in tables
        for row in table.rows
        if row.statistic.lower() in MEANS
        for cell in row.cells[1:]
    ]


@pytest.mark.parametrize("second", STYLES)
@pytest.mark.parametrize("first", STYLES)
def test_numbers_survive_from_style_to_style(
    first: str, second: str, own_tables: dict[str, list[PostedTable]]
) -> None:
    """What a style prints of a post is what the post says, as far as both styles say it."""
    tables = own_tables[first]
    (read,) = texts_in(again(tables, second).encode(), "again.txt")
    before, after = numbers(tables), numbers(read_tables(read))
    assert len(before) == len(after) > 0
    compared = 0
    # The change of the robot's and of ministat's tables is relative to the values as they were printed.
    slack = 0.5 if {first, second} & {"lkp", "ministat"} else 0.0
    for old, new in zip(before, after, strict=True):
        if old[1] is not None and new[1] is not None:
            assert new[1] == pytest.approx(old[1], abs=old[2] + new[2] + slack)
            compared += 1
        if old[0] is not None and new[0] is not None and {first, second} <= {"mmtests", "mmtests-2020", "percent"}:
            assert new[0] == old[0]
            compared += 1
    assert compared or "ministat" in {first, second}


def test_a_posted_column_beside_own_results(tmp_path: Path) -> None:
    post = find("specjvm2008-3-kernels.txt")
    results = HERE.parent / "specjvm-3-kernels" / "patched"
    found = render_posted([f"base={post}", results], "percent")
    assert found is not None
    text, said = found
    assert [line.split() for line in text.splitlines() if line.startswith("derby")] == [
        ["derby", "411.05", "(", "0.00)%", "413.44", "(", "0.58)%"]
    ]
    assert said == ()
    done = run(f"base={post}", results, "--style", "percent")
    assert (done.returncode, done.stdout) == (0, text)


def test_what_has_no_counterpart_is_said(tmp_path: Path) -> None:
    results = write(tmp_path / "own", {"1.txt": hackbench(1.234)})
    post = find("specjvm2008-3-kernels.txt")
    with pytest.raises(NothingToCompareError, match="no counterpart"):
        render_posted([post, results])
    assert run(post, results).returncode == 3
    with pytest.raises(NothingToCompareError, match="has ratios and no values"):
        render_posted([find("sched-shared-runqueue.normalized.txt"), results])
    with pytest.raises(UsageError, match="no column 'other' there; the tables have base, patched"):
        render_posted([f"other={post}"])
    for style in ("json", "csv", "summary"):
        assert "needs the values of runs" in run(post, "--style", style).stderr


def test_options_that_need_runs_are_refused() -> None:
    done = run(find("specjvm2008-3-kernels.txt"), "--explain", "derby")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--explain needs the values of runs" in done.stderr
