"""Parsers and styles of other distributions."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from compare_kernels import compare, load, render
from compare_kernels.errors import UsageError
from compare_kernels.reading import recognise
from compare_kernels.reporting import render as rendering

from .test_reading import hackbench, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARSER = """
import re
from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match

LATENCY = Metric("round-trip", "Round Trip", "us", "lower")
METRICS = (LATENCY,)

def recognise(log):
    return Match.CERTAIN if "pingpong" in log.head else Match.NO

def parse(log, into):
    for number, line in enumerate(log.lines, start=1):
        if line == "crash":
            raise RuntimeError("boom")
        if found := re.fullmatch(r"pingpong (\\d+)", line):
            into.run(line=number)
            into.add(LATENCY, Operation("all"), float(found[1]))
"""


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A distribution that offers a parser and a style, and some that are broken."""
    site = tmp_path / "site"
    points = (
        "[compare_kernels.parsers]\npingpong = strange_plugin.parser\nhackbench = strange_plugin.parser\n"
        "lost = strange_plugin.nothing\nhollow = strange_plugin\n"
        "[compare_kernels.styles]\nmine = strange_plugin\ngone = strange_nothing\n"
    )
    write(
        site,
        {
            "strange_plugin/__init__.py": "",
            "strange_plugin/parser.py": PARSER,
            "strange_plugin/mine.txt.j2": "{# title: very short #}\n{{ report.tables[0].heading }}\n",
            "strange_plugin/mmtests.txt.j2": "taken\n",
            "strange_plugin-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: strange-plugin\nVersion: 1\n",
            "strange_plugin-1.dist-info/entry_points.txt": points,
        },
    )
    monkeypatch.syspath_prepend(str(site))
    for cached in (recognise.plugged_parsers, rendering.plugged_styles):
        cached.cache_clear()
    assert metadata.version("strange-plugin") == "1"
    yield tmp_path
    for cached in (recognise.plugged_parsers, rendering.plugged_styles):
        cached.cache_clear()


def test_plugged_parser_reads_what_no_built_in_one_knows(plugged: Path) -> None:
    for kernel in "ab":
        write(plugged / kernel, {"1": "pingpong 5\n", "2": "pingpong 7\n", "3": hackbench(1)})
    samples = load(plugged / "a", plugged / "b")
    assert list(samples.benchmarks) == ["hackbench-process", "pingpong"]
    assert "pingpong Round Trip" in render(compare(samples))


def test_broken_plug_ins_are_diagnostics(plugged: Path) -> None:
    _, diagnostics = recognise.plugged_parsers()
    said = " ".join(diagnostic.message for diagnostic in diagnostics)
    assert "hackbench (strange_plugin.parser) left out: its name is taken" in said
    assert "lost (strange_plugin.nothing) left out: ModuleNotFoundError" in said
    assert "hollow (strange_plugin) left out: it lacks METRICS" in said
    write(plugged / "a", {"1": hackbench(1), "2": "what\n"})
    samples = load(plugged / "a", plugged / "a")
    assert sum(diagnostic.slug == "plug-in" for diagnostic in samples.diagnostics) == 3


def test_a_parser_that_raises_costs_only_its_file(plugged: Path) -> None:
    write(plugged / "a", {"1": "pingpong 5\n", "2": "pingpong 7\ncrash\n"})
    samples = load(plugged / "a", plugged / "a")
    (fault,) = {diagnostic for diagnostic in samples.diagnostics if diagnostic.slug == "parser-fault"}
    assert fault.path.endswith("a/2")
    assert "RuntimeError: boom" in fault.message
    assert samples.frame["value"].tolist() == [5, 5]


def test_plugged_style(plugged: Path) -> None:
    write(plugged / "a", {"1": hackbench(1)})
    comparison = compare(load(plugged / "a", plugged / "a"))
    assert render(comparison, "mine") == "hackbench-process\n"
    assert "taken" not in render(comparison, "mmtests")
    said = " ".join(diagnostic.message for diagnostic in rendering.plugged_styles()[1])
    assert "names are taken: mmtests" in said
    assert "strange_nothing" in said
    with pytest.raises(UsageError, match="did you mean 'mine'"):
        render(comparison, "mind")
