"""The tables of two revisions of mmtests, byte for byte.

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
from compare_kernels.reporting.view import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

ORACLE = Path(__file__).parent / "oracle"
CASES = {path.parent.name: json.loads(path.read_text()) for path in sorted(ORACLE.glob("*/case.json"))}
STYLES = {"2020": "mmtests-2020", "head": "mmtests-2026"}
ALL = [(name, era) for name, case in CASES.items() for era in case["era"]]
PLAIN = [(name, era) for name, era in ALL if "quirk" not in CASES[name]]
QUIRKS = [(name, era) for name, era in ALL if "quirk" in CASES[name]]
ALTERNATIVES = {"counts": "percentage-huge", "tput": "running-throughput", "opslatency": "operation-latency"}


MONITORS = {"duration": "duration", "mmtests-vmstat": "vmstat"}


def table(name: str, era: str) -> str:
    case: dict[str, Any] = CASES[name]
    samples = load_mmtests(ORACLE / name / "tree", *case["kernels"])
    metrics = (ALTERNATIVES[case["alt"]],) if case["alt"] else ()
    metrics = (MONITORS[case["monitor"]],) if case["monitor"] else metrics
    selection = Selection((case["benchmark"],), metrics, case["sub_heading"] or "")
    comparison = compare_for(find_style(STYLES[era]), samples, selection, Rules())
    return render(comparison, STYLES[era], layout=Layout(ratio=case["ratio"]))


def expected(name: str, era: str) -> str:
    return (ORACLE / name / f"expected-{era}.txt").read_text()


def test_all_cases_are_here() -> None:
    assert len(PLAIN) == 32
    assert len(QUIRKS) == 16


@pytest.mark.parametrize(("name", "era"), PLAIN)
def test_same_bytes_as_mmtests(name: str, era: str) -> None:
    assert table(name, era) == expected(name, era)


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
    # One sample tells nothing about spread: no marker, and no change of the spread.
    "hackbench-baseline-onesample-head": r"^(Amean|Stddev|CoeffVar) ",
    # What was received is what was received.
    "netperf-udp-head": r" udpstream-recv-\d",
    # Of requests per second more is better, as with the sub-heading RPS: other means and deviations, too.
    "schbench-rps-500th-head": r" RPS-50\.0th-\d",
    # Of throughput more is better.
    "tbench-all-head": r" tput-\d",
    # A name without a dash stands whole on the second header line.
    "duration-plainnames": r"^( |$)",
    # The mean of the iterations, not the largest or smallest of each row.
    "vmstat-iters": r"^Ops ",
    # There is no ratio to zero, and no mean over it.
    "specjvm-ratio-zero-2020": r"^(Ratio (compress|derby)|Gmean) ",
}


@pytest.mark.parametrize(("name", "era"), QUIRKS)
def test_quirk_is_mended(name: str, era: str, golden: Callable[[str, str], None]) -> None:
    several = f"-{era}" if len(CASES[name]["era"]) > 1 else ""
    golden(f"oracle/{name}{several}.txt", table(name, era))


@pytest.mark.parametrize(("name", "era"), QUIRKS)
def test_quirk_changes_only_its_cells(name: str, era: str) -> None:
    def others(text: str) -> list[str]:
        return [line for line in text.splitlines() if not re.search(REASONS[name], line)]

    actual = table(name, era)
    assert actual != expected(name, era)
    assert others(actual) == others(expected(name, era))
