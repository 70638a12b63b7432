"""Our own tables are read back with the numbers that they print."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compare_kernels.api import compare
from compare_kernels.posted.check import check_tables
from tests.building import LATENCY, RATE, rendered, samples_of

from .reading import essence, mail, tables_in

GOLDEN = Path(__file__).parent.parent / "golden" / "styles"
VALUES = st.lists(st.floats(0.5, 9e5).map(lambda value: round(value, 2)), min_size=1, max_size=4)
RUNS = st.fixed_dictionaries(
    {
        kernel: st.fixed_dictionaries(dict.fromkeys(("1", "8", "16"), VALUES))
        for kernel in ("6.1-base", "patched", "v2")
    }
)


HEADS = {
    "normalized": r"(?m)^Test  ",
    "percent": r"(?m)^testcase ",
    "lkp": r"(?m)^commit:$",
    "baseline": r"(?m)^case  ",
    "ministat": r"(?m)^x \S*[a-z]",
}


@pytest.mark.parametrize("name", ["lkp", "baseline", "ministat", "normalized", "percent"])
def test_each_table_of_the_golden_files_is_one(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    found = tables_in(text)
    assert {table.style for table in found} - {"mmtests-monitor"} == {name}
    assert len([table for table in found if table.style == name]) == len(re.findall(HEADS[name], text)) > 20
    assert [table.line for table in found if table.unreadable] == []


@pytest.mark.parametrize("name", ["mmtests", "mmtests-2020", "mmtests-2026", "normalized", "percent"])
def test_golden_files_are_read_whole(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    found = tables_in(text)
    lines = text.split("\n")
    assert len(found) > 9
    taken = {row.line for table in found for row in table.rows}
    values = {"mmtests": "%)", "mmtests-2020": "%)", "mmtests-2026": "%)", "normalized": "](", "percent": ")%"}[name]
    missed = [line for number, line in enumerate(lines, start=1) if values in line and number not in taken]
    assert [line for line in missed if "imp](CV)" not in line] == []
    for table in found:
        assert table.kernels == ("base", "patched")
        for row in table.rows:
            for cell in row.cells:
                assert cell.value is not None
                assert cell.value.text in lines[row.line - 1]


@settings(max_examples=300 if os.environ.get("CAMPAIGN") else 20)
@given(RUNS, st.sampled_from([LATENCY, RATE]), st.sampled_from(["mmtests", "percent"]))
def test_numbers_come_back(runs: dict[str, dict[str, list[float]]], metric: object, style: str) -> None:
    metric = LATENCY if metric is LATENCY else RATE
    text = rendered(runs, style, metric)
    tables = tables_in(text)
    assert len(tables) == 1
    assert tables[0].kernels == tuple(runs)
    assert [found.text for found in check_tables(tables).contradictions] == []
    label = {"mmtests": "Hmean" if metric is RATE else "Amean", "percent": ""}[style]
    frame = compare(samples_of(runs, metric)).frame
    for row in tables[0].rows:
        if row.statistic != label:
            continue
        for cell, values in zip(row.cells, (runs[kernel][row.operation] for kernel in runs), strict=True):
            mean = len(values) / sum(1 / value for value in values) if metric is RATE else sum(values) / len(values)
            assert cell.value is not None
            assert cell.value.value is not None
            assert math.isclose(cell.value.value, mean, abs_tol=0.0051)
    assert len(frame)
    if style == "mmtests":
        assert essence(tables_in(mail(text, "quoted-printable"))) == essence(tables)


@settings(max_examples=300 if os.environ.get("CAMPAIGN") else 20)
@given(RUNS)
def test_normalized_comes_back(runs: dict[str, dict[str, list[float]]]) -> None:
    (table,) = tables_in(rendered(runs, "normalized"))
    assert table.kernels == tuple(runs)
    assert [found.text for found in check_tables([table]).contradictions] == []
    for row in table.rows:
        first = next(iter(runs.values()))[row.operation]
        for cell, kernel in zip(row.cells, runs, strict=True):
            values = runs[kernel][row.operation]
            assert cell.value is not None
            assert cell.value.value is not None
            ratio = (sum(values) / len(values)) / (sum(first) / len(first))
            assert math.isclose(cell.value.value, ratio, abs_tol=0.0051)
