"""Every parser has its page in docs/benchmarks, with the metrics that it really has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare_kernels.parsers import BUILTIN
from compare_kernels.reading.recognise import all_metrics, builtin_parser
from compare_kernels.reporting.catalogue import metrics_table

from .test_cli import run

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"
HEADING = "## Metrics\n"


@pytest.mark.parametrize("name", [entry.name for entry in BUILTIN])
def test_every_parser_has_a_page_with_its_metrics(
    name: str, golden: Callable[[str, str], None], request: pytest.FixtureRequest
) -> None:
    path = PAGES / f"{name}.md"
    assert path.exists(), (
        f"write docs/benchmarks/{name}.md: what is read, what is a run, what fails; then '## Metrics'"
    )
    prose, heading, table = path.read_text().partition(HEADING)
    table = table.lstrip("\n")
    assert heading, f"docs/benchmarks/{name}.md has no section '## Metrics'"
    assert len(prose.split()) > 50, "say more: what is read, what is a run, what fails"
    expected = metrics_table(builtin_parser(name).METRICS)
    if request.config.getoption("--update-golden"):
        path.write_text(f"{prose}{HEADING}\n{expected}")
        return
    assert table == expected, "run 'make golden'"


def test_no_page_is_about_nothing() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {entry.name for entry in BUILTIN}


def test_list_metrics_names_all() -> None:
    done = run("list", "metrics")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines[1:]] == [f"{parser}/{metric.name}" for parser, metric in all_metrics()]
    assert ["hackbench/time", "s", "lower", "arithmetic", "groups", "always"] in lines
