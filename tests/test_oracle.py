"""The tables of mmtests' revision of September 2020, byte for byte.

`tests/oracle/` holds result trees with the text that mmtests prints for them. Where a case is about a fault of
mmtests (`quirk` in its case.json), the text in `tests/golden/oracle/` says what is printed instead, and
`test_quirk_changes_only_its_cells` says why and that nothing else differs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compare_kernels import Rules, Selection, load_mmtests, render
from compare_kernels.api import compare_for
from compare_kernels.reporting.render import find_style

if TYPE_CHECKING:
    from collections.abc import Callable

ORACLE = Path(__file__).parent / "oracle"
CASES = {path.parent.name: json.loads(path.read_text()) for path in sorted(ORACLE.glob("*/case.json"))}
PLAIN = [name for name, case in CASES.items() if "quirk" not in case]
QUIRKS = [name for name, case in CASES.items() if "quirk" in case]
ALTERNATIVES = {"counts": "percentage-huge"}


def table(name: str) -> str:
    case: dict[str, Any] = CASES[name]
    samples = load_mmtests(ORACLE / name / "tree", *case["kernels"])
    metrics = (ALTERNATIVES[case["alt"]],) if case["alt"] else ()
    selection = Selection((case["benchmark"],), metrics, case["sub_heading"] or "")
    comparison = compare_for(find_style("mmtests-2020"), samples, selection, Rules())
    return render(comparison, "mmtests-2020")


def test_all_cases_are_here() -> None:
    assert len(PLAIN) == 10
    assert len(QUIRKS) == 7


@pytest.mark.parametrize("name", PLAIN)
def test_same_bytes_as_mmtests(name: str) -> None:
    assert table(name) == (ORACLE / name / "expected-2020.txt").read_text()


def test_sub_headings_are_the_printed_names() -> None:
    samples = load_mmtests(ORACLE / "schbench-2020" / "tree", *CASES["schbench-2020"]["kernels"])
    selection = Selection(sub_heading="99.00th-qrtle-8")
    text = render(compare_for(find_style("mmtests-2020"), samples, selection, Rules()), "mmtests-2020")
    assert [line.split()[:3] for line in text.splitlines()[2:]] == [["Lat", "99.00th-qrtle-8", "180.00"]]


# For each case with a fault: which lines and cells may differ from mmtests, and what a reader gets instead.
REASONS: dict[str, str] = {
    # A kernel without an operation is n/a and unmarked; an operation that only a later kernel has gets its row.
    "hackbench-missing-op-2020": r"^\w+-?\d* +(8|64) ",
    # One sample tells nothing about spread: no marker.
    "hackbench-onesample": r"^Amean ",
    # A name without a dash stands whole on the second header line.
    "hackbench-plainnames-2020": r"^( |$)",
    # -rc10 keeps its digits and its dash.
    "hackbench-rc-names": r"^ ",
    # There is no harmonic mean over a zero: n/a, unmarked.
    "tbench4-zero": r"^B?Hmean(-\d+)? +2 ",
    # The mean of two iterations, not the better one.
    "thpscale-counts": r"^Percentage ",
    # Lines without a number are left out (with a warning), and don't become zeros.
    "thpscale-garbage": r"fault-(huge|both)-\d ",
}


@pytest.mark.parametrize("name", QUIRKS)
def test_quirk_is_mended(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"oracle/{name}.txt", table(name))


@pytest.mark.parametrize("name", QUIRKS)
def test_quirk_changes_only_its_cells(name: str) -> None:
    def others(text: str) -> list[str]:
        return [line for line in text.splitlines() if not re.search(REASONS[name], line)]

    expected = (ORACLE / name / "expected-2020.txt").read_text()
    actual = table(name)
    assert actual != expected
    assert others(actual) == others(expected)
