"""Tables that are right have no contradictions; each corruption is found at its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compare_kernels.posted.check import Checked, check_tables
from compare_kernels.posted.checks.changes import change
from compare_kernels.posted.numbers import Interval, number

from .reading import FILES, MATERIAL, tables_in

ROOT = Path(__file__).parent.parent
STYLES = sorted((ROOT / "golden" / "styles").glob("*.txt"))
WITHOUT_TABLES = ("csv", "json", "summary", "environment", "html")
"""Styles that hold no table for the eye, or one without changes."""
ORACLE = sorted((ROOT / "oracle").glob("*/expected-*.txt"))


def check(text: str) -> Checked:
    return check_tables(tables_in(text))


def lines_of(text: str) -> set[int]:
    return {found.line for found in check(text).contradictions}


def changed(path: Path, line: int, old: str, new: str) -> str:
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[line - 1].count(old) >= 1, lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "\n".join(lines)


@pytest.mark.parametrize("path", [*FILES, *STYLES, *ORACLE], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_wrong(path: Path) -> None:
    checked = check(path.read_text(encoding="utf-8"))
    assert [found.text for found in checked.contradictions] == []
    assert bool(checked.tables) == (path.stem not in WITHOUT_TABLES)


def flips() -> list[tuple[str, int, str, str]]:
    """Each printed percentage with the other sign, where the values say the sign: not beside ``1.00``."""
    result = []
    for path in FILES:
        tables = [table for table in tables_in(path.read_bytes()) if table.style not in ("baseline", "ministat")]
        for table in tables:
            least = 1.1 if table.style == "normalized" else 0.1
            for row in table.rows[:: max(1, len(table.rows) // 3)]:
                for cell in row.cells:
                    if cell.percent and abs(cell.percent.value or 0) > least:
                        text = cell.percent.text
                        plain = text.lstrip("+-")
                        sign = "" if text.startswith("-") and "lkp" not in path.name else "-+"[text.startswith("-")]
                        result.append((path.name, row.line, text, sign + plain))
    return result


@pytest.mark.parametrize("name", sorted({name for name, *_ in flips()}))
def test_a_turned_sign(name: str) -> None:
    cases = [case for case in flips() if case[0] == name]
    for _, line, old, new in cases:
        if (MATERIAL / name).read_text(encoding="utf-8").split("\n")[line - 1].count(old) > 1:
            continue
        assert lines_of(changed(MATERIAL / name, line, old, new)) == {line}, (line, old)
    assert cases


@pytest.mark.parametrize(
    ("name", "line", "old", "new"),
    [
        # one digit
        ("mmtests.eml", 16, "9.65", "9.75"),
        ("mmtests.eml", 38, "647876.05", "641876.05"),
        ("normalized.eml", 19, "1.01 [", "1.04 ["),
        ("normalized.eml", 20, "1.00 [", "1.10 ["),
        ("lkp.eml", 28, "151695", "161695"),
        ("lkp.eml", 27, "+1.9", "+1.7"),
        ("baseline.eml", 17, "1.00", "1.10"),
        ("before-after.eml", 14, "1.871", "1.872"),
        ("ministat.eml", 22, "0.04952", "0.04962"),
        ("ministat.eml", 22, "-0.0703296", "-0.0703396"),
        ("ministat.eml", 23, "1.70631", "1.71631"),
        ("ministat.eml", 23, "-2.42335", "-2.42435"),
        ("ministat.eml", 24, "0.0527035", "0.0527039"),
        ("specjvm2008-3-kernels.txt", 15, "211.50", "221.50"),
        ("specjvm2008-3-kernels.txt", 4, "-1.44", "-1.45"),
        ("sched-shared-runqueue.normalized.txt", 9, "0.89 [", "0.87 ["),
        ("thpscale-4-kernels.txt", 16, "-7.59", "-7.58"),
        # CoeffVar no longer 100 * Stddev / mean, the percentage still right
        (
            "thpscale-4-kernels.txt",
            34,
            "129.81 (   0.00%)      225.88 ( -74.00%)",
            "119.81 (   0.00%)      225.88 ( -88.53%)",
        ),
        # a column shifted: the baseline's cell gone to the end, or one cell lost
        (
            "mmtests.eml",
            16,
            "62894.82 (   0.00%)    68963.51 *   9.65%*",
            "68963.51 *   9.65%*    62894.82 (   0.00%)",
        ),
        ("mmtests.eml", 26, "106050.31 (   0.00%) ", ""),
        ("normalized.eml", 23, "1.00 [ -0.00]( 2.45)  ", ""),
        ("lkp.eml", 29, "1041613           +10.5%    1151161", "1151161           +10.5%    1041613"),
        ("baseline.eml", 24 + 1, "1.00 (  0.12)\t +0.57 (  0.12)", "+0.57 (  0.12)\t 1.00 (  0.12)"),
        ("before-after.eml", 16, "689.3       10426  ", "10426       689.3  "),
        ("before-after.eml", 18, "400.7       2084.7  ", "400.7               "),
        ("specjvm2008-3-kernels.txt", 6, "411.05 ( 0.00)%   413.44 ( 0.58)%", "413.44 ( 0.58)%   411.05 ( 0.00)%"),
        ("sched-shared-runqueue.normalized.txt", 32, "0.99 [ -1.33]( 0.94)  ", ""),
        ("thpscale-4-kernels.txt", 16, "1549.55 (   0.00%)  ", ""),
        ("thpscale-4-kernels.txt", 86, "93.79       93.26 ", "93.79 "),
        # a line that can't be read any more
        ("thpscale-4-kernels.txt", 17, "2582.29 (   0.00%)", "2582.29 (   0.00%"),
    ],
)
def test_corruption(name: str, line: int, old: str, new: str) -> None:
    found = lines_of(changed(MATERIAL / name, line, old, new))
    assert line in found
    # The composite below a changed value may be wrong too, and what follows from a mean.
    assert found <= {line, 15} or name == "specjvm2008-3-kernels.txt"


def test_quoted_mail_is_reported_at_the_line_of_the_file() -> None:
    path = MATERIAL / "thpscale-4-kernels.quoted.eml"
    assert lines_of(changed(path, 29, "-7.59", "7.59")) == {29}


MIXED = ROOT / "golden" / "styles" / "mmtests-2026.txt"


def test_a_turned_sign_in_a_table_of_rates_and_times() -> None:
    lines = MIXED.read_text(encoding="utf-8").split("\n")
    found = [
        number
        for number, line in enumerate(lines, start=1)
        if re.match(r"(?:Min|[AH]mean|BAmean)\S* +(?:tput|op-ReadX)-", line) and not line.endswith("0.00%)")
    ]
    assert len(found) > 20
    for line in found[:: len(found) // 20]:
        percent = re.search(r"([-\d.]+)%.?$", lines[line - 1])
        assert percent
        turned = percent[1][1:] if percent[1].startswith("-") else f"-{percent[1]}"
        assert lines_of(changed(MIXED, line, f"{percent[1]}%", f"{turned}%")) == {line}, lines[line - 1]


def test_a_metric_without_direction_has_no_percentages() -> None:
    rows = "Amean  1  4.00 (     n/a)  5.00 (     n/a)\nAmean  2  1.00 (     n/a)  2.00 (     n/a)\n"
    assert lines_of(TABLE.format("made-up", rows)) == set()
    assert lines_of(TABLE.format("made-up", rows.replace("2.00 (     n/a)", "2.00 ( 100.00%)"))) == {3, 4}


def test_words_of_a_contradiction() -> None:
    path = MATERIAL / "mmtests.eml"
    (found,) = check(changed(path, 16, "9.65", "-9.65")).contradictions
    assert found.text == (
        "post:16: Hmean 1, 5.15.0-rc3-sched-wakeeflips-v1r1: -9.65% is printed, but from 62894.82 to 68963.51 "
        "the change (higher is better, as the other rows have it) is 9.65%; the sign is turned"
    )


def test_newer_ministat_propagates_both_deviations() -> None:
    path = MATERIAL / "ministat.eml"
    # 100 / a1 * t * sqrt(((n2-1) s2^2 + (n1-1) s1^2 (a2/a1)^2) * (n1+n2) / (n1 n2 (n1+n2-2)))
    assert lines_of(changed(path, 23, "1.70631", "1.68208")) == set()
    assert lines_of(changed(path, 23, "1.70631", "1.6906")) == {23}


def test_no_difference_that_is_one() -> None:
    text = (MATERIAL / "ministat.eml").read_text(encoding="utf-8")
    claim = text[text.index("Difference at") :]
    assert lines_of(text.replace(claim, "No difference proven at 95.0% confidence\n")) == {21}


TABLE = "{}\n           base               new\n{}"


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("Min    1  5.00 (   0.00%)  5.00 (   0.00%)\nAmean  1  4.00 (   0.00%)  5.00 ( -25.00%)\n", {4}),
        ("Amean  1  4.00 (   0.00%)  5.00 ( -25.00%)\nMax    1  4.00 (   0.00%)  4.00 (   0.00%)\n", {3}),
        (
            "Amean     1  4.00 (   0.00%)  5.00 ( -25.00%)\nBAmean-50 1  3.00 (   0.00%)  4.80 ( -60.00%)\n"
            "BAmean-95 1  2.50 (   0.00%)  4.90 ( -96.00%)\n",
            {4},
        ),
        ("Amean  1  n/a (     n/a)  5.00 (  25.00%)\nAmean  2  1.00 (   0.00%)  2.00 (-100.00%)\n", {3}),
        ("Amean  1  4.00 (   0.00%)  5.00 (     n/a)\nAmean  2  1.00 (   0.00%)  2.00 (-100.00%)\n", {3}),
        ("Amean  1  0.00 (   0.00%)  5.00 (     n/a)\nAmean  2  1.00 (   0.00%)  2.00 (-100.00%)\n", set()),
        ("Amean  1  0.00 (   0.00%)  5.00 ( -99.00%)\nAmean  2  1.00 (   0.00%)  0.00 ( 100.00%)\n", set()),
        ("Hmean  1  0.00 (   0.00%)  5.00 ( 100.00%)\nHmean  2  1.00 (   0.00%)  0.00 (   0.00%)\n", set()),
        ("Hmean  1  0.00 (   0.00%)  5.00 (  50.00%)\nHmean  2  1.00 (   0.00%)  2.00 ( 100.00%)\n", {3}),
        ("Amean  1  4.00 (   3.00%)  5.00 ( -25.00%)\nAmean  2  1.00 (   0.00%)  2.00 (-100.00%)\n", {3}),
    ],
)
def test_statistics_and_conventions(rows: str, wrong: set[int]) -> None:
    assert lines_of(TABLE.format("made-up", rows)) == wrong


def test_composite_alone() -> None:
    rows = ["alpha          10.00 ( 0.00)%    10.00 ( 0.00)%", "beta           40.00 ( 0.00)%    40.00 ( 0.00)%"]
    text = "\n".join(
        ["testcase        base            new", "", *rows, "", "composite      {0} ( 0.00)%    {0} ( 0.00)%", ""]
    )
    assert lines_of(text.format("20.00")) == set()
    assert lines_of(text.format("21.00")) == {6}


def test_more_or_fewer_names_than_columns() -> None:
    text = (MATERIAL / "sched-shared-runqueue.normalized.txt").read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[7] = lines[7].replace("  noshard[pct imp](CV)", "", 1)
    (found,) = check("\n".join(lines)).contradictions
    assert "names 4 columns" in found.text


def test_a_table_whose_percentages_mean_something_else_is_not_accused() -> None:
    text = "test       before   after   change %\na  10  20  3\nb  30  10  7\nc  5  6  1\n"
    spread = re.sub(r" {2,}", "   ", text)
    checked = check(spread)
    assert (checked.tables, checked.percentages, checked.contradictions) == (1, 0, ())


@pytest.mark.parametrize(
    ("text", "cut", "low", "high"),
    [
        ("1.25", False, 1.245, 1.255),
        ("-3.4", True, -3.5, -3.35),
        ("3.4", True, 3.35, 3.5),
        ("2e+03", False, 1500, 2500),
    ],
)
def test_what_may_stand_behind_digits(text: str, cut: bool, low: float, high: float) -> None:
    interval = number(text).interval(cut=cut)
    assert interval.low == pytest.approx(low)
    assert interval.high == pytest.approx(high)


def test_change_against_what_may_be_zero() -> None:
    assert change(Interval(-1, 1), Interval(2, 3), "rise") == Interval(float("-inf"), float("inf"))
    assert change(Interval(0, 1), Interval(2, 3), "rise").low == 100
    assert change(Interval(2, 2), Interval(3, 3), "fall") == Interval(-50, -50)
