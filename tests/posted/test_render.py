"""Posted tables rendered anew: in their own style byte for byte, in others with the same numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare_kernels import Rules, Selection, compare, load, render
from compare_kernels.api import compare_for, render_posted
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.loading import read_posted
from compare_kernels.posted.mail import texts_in
from compare_kernels.posted.readers import read_tables
from compare_kernels.reporting.posted import posted_report
from compare_kernels.reporting.render import find_style, render_report
from compare_kernels.reporting.view import Layout
from compare_kernels.summarise import run_values
from tests.test_cli import run
from tests.test_reading import hackbench, write

if TYPE_CHECKING:
    from compare_kernels.posted.model import PostedTable

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
STYLES = ("mmtests", "mmtests-2020", "mmtests-2026", "normalized", "percent", "lkp", "baseline", "ministat")
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


def tables_of(style: str, *, legend: bool) -> list[PostedTable]:
    samples = load(f"base={ROOT}/sample-results/base", f"patched={ROOT}/sample-results/patched")
    chosen = Selection(benchmarks=("hackbench*", "netperf-TCP*", "specjvm"))
    text = render(
        compare_for(find_style(style), samples, chosen, Rules()), style, layout=Layout(summary=False, legend=legend)
    )
    (read,) = texts_in(text.encode(), "report.txt")
    return read_tables(read)


@pytest.fixture(scope="module")
def own_tables() -> dict[str, list[PostedTable]]:
    return {style: tables_of(style, legend=True) for style in STYLES}


MEANS = {"amean", "hmean", "mean", "avg", ""}
WITHOUT_VALUES = {
    "normalized": "it prints values divided by the baseline's",
    "baseline": "it prints changes only: the baseline is 1.00, the other value isn't there",
}
WITHOUT_CHANGES = {"ministat": "its differences are those that a test proved, for which a post lacks the runs"}
"""What a style doesn't say of an operation, and why."""
LOWER = 6
"""So many of the chosen operations, the first ones, are times; of the others more is better."""


@dataclass(frozen=True)
class Numbers:
    """What a table says of an operation under a kernel: value, change, and the worth of their last digits."""

    operation: str
    base: float | None
    value: float | None
    value_step: float
    change: float | None
    change_step: float


def numbers(tables: list[PostedTable]) -> list[Numbers]:
    """The numbers of the rows that stand for each operation: those of means, or all if none is called so."""
    result = []
    for table in tables:
        rows = [row for row in table.rows if row.statistic.lower() in MEANS] or list(table.rows)
        for row in rows:
            result += [
                Numbers(
                    row.operation,
                    row.cells[0].value.value if row.cells[0].value else None,
                    cell.value.value if cell.value else None,
                    cell.value.step if cell.value else 0.0,
                    cell.percent.value if cell.percent else None,
                    cell.percent.step if cell.percent else 0.0,
                )
                for cell in row.cells[1:]
            ]
    return result


def change_of(base: float, value: float, index: int) -> float:
    return 100 * (value - base) / base * (-1 if index < LOWER else 1)


@pytest.mark.parametrize("style", STYLES)
def test_a_report_is_read_back_with_its_numbers(style: str, own_tables: dict[str, list[PostedTable]]) -> None:
    """Each mean and each change of the comparison is what the reader makes of the printed report."""
    own = ("hackbench*", "netperf-TCP*", "specjvm")
    # mmtests itself has other rows of the last one.
    chosen = own[:2] if style.startswith("mmtests-") else own
    samples = load(f"base={ROOT}/sample-results/base", f"patched={ROOT}/sample-results/patched")
    frame = compare(samples, Selection(benchmarks=chosen)).frame
    wanted = frame[(frame["kernel"] == "patched") & (frame["statistic"] == "mean")].to_dict("records")
    found = numbers(own_tables[style])[: len(wanted)]
    assert len(found) == len(wanted) > 0
    # ministat's average is the arithmetic mean whatever is measured.
    averages = {row.key: run_values(row.groups[1], row.metric).mean() for row in samples.rows()}
    for index, (row, read) in enumerate(zip(wanted, found, strict=True)):
        value = row["value"] / row["base"] if style == "normalized" else row["value"]
        if style == "ministat":
            value = averages[row["benchmark"], row["metric"], row["operation"]]
        assert style == "baseline" or read.value == pytest.approx(value, abs=read.value_step * 0.501)
        turned = -1 if style == "lkp" and index < LOWER else 1
        if style not in WITHOUT_CHANGES:
            assert read.change == pytest.approx(turned * row["delta_pct"], abs=read.change_step * 0.501)


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
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if second in WITHOUT_CHANGES:
            assert new.change is None
        else:
            check_change(old, new, index, turned=(first == "lkp") != (second == "lkp"))
        check_value(old, new, index, (first, second))


def check_change(old: Numbers, new: Numbers, index: int, *, turned: bool) -> None:
    """The posted change, with the other sign between better and more; or that of the values where none is posted."""
    expected, step = old.change, old.change_step + new.change_step
    if expected is None:
        assert old.base
        assert old.value
        expected, step = change_of(old.base, old.value, index), new.change_step
    assert new.change == pytest.approx(expected * (-1 if turned and index < LOWER else 1), abs=step * 0.501)


def check_value(old: Numbers, new: Numbers, index: int, styles: tuple[str, str]) -> None:
    """The posted value, or in a table of ratios that divided by the baseline's."""
    first, second = styles
    expected, step = old.value, old.value_step + new.value_step
    if second == "baseline" or (first == "baseline" and second != "normalized"):
        expected = None
    elif second == "normalized" and first == "baseline":
        assert old.change is not None
        expected, step = 1 + old.change / 100 * (-1 if index < LOWER else 1), new.value_step + 0.01
    elif second == "normalized" and first != "normalized":
        assert old.base
        assert old.value
        expected, step = old.value / old.base, new.value_step + old.value_step / old.base
    assert new.value == (expected if expected is None else pytest.approx(expected, abs=step * 0.501))


def test_a_posted_column_beside_own_results(tmp_path: Path) -> None:
    post = find("specjvm2008-3-kernels.txt")
    results = HERE.parent / "specjvm-3-kernels" / "patched"
    found = render_posted([f"base={post}", results], "percent")
    assert found is not None
    text, said = found
    assert [line.split() for line in text.splitlines() if line.startswith("derby")] == [
        ["derby", "411.05", "(", "0.00)%", "413.44", "(", "0.58)%"]
    ]
    assert [diagnostic.slug for diagnostic in said] == ["copy"]
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


def test_an_own_report_as_a_post_gives_the_same_percentages(tmp_path: Path) -> None:
    """Posted numbers of one kernel beside measured ones of the other: the last digits differ, no more."""
    base, patched = ROOT / "sample-results/base", ROOT / "sample-results/patched"
    options = ("-b", "hackbench*", "--no-summary", "--no-legend", "-q")
    post = tmp_path / "post.txt"
    post.write_text(run(base, patched, *options).stdout)
    direct = run(base, patched, *options).stdout
    beside = run(f"base={post}", patched, "-b", "hackbench*").stdout
    percents = [
        [float(number) for number in re.findall(r"[(*] *(-?\d+\.\d+)%[)*]", text)] for text in (direct, beside)
    ]
    assert len(percents[0]) == len(percents[1]) > 90
    assert percents[1] == pytest.approx(percents[0], abs=0.2)
    assert run(f"base={post}", patched).stderr == ""


def test_a_long_file_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compare_kernels.loading.LONGEST_POST", 100)
    tables, said = read_posted(find("specjvm2008-3-kernels.txt"))
    assert tables == []
    assert [item.slug for item in said] == ["too-long"]
