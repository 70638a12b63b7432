"""Every log of tests/logs gives exactly what its golden file says, and is recognised as what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compare_kernels.parsers.base import Match

from .reading import LOGS, PARSERS, all_logs, describe, load, parse, raw_log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = [pytest.param(name, path, id=str(path.relative_to(LOGS))) for name, path in all_logs()]


@pytest.mark.parametrize(("name", "path"), CASES)
def test_log_gives_the_golden_values(name: str, path: Path, golden: Callable[[str, str], None]) -> None:
    log = raw_log(path)
    text = describe(log, load(name).recognise(log), parse(name, log))
    golden(f"logs/{path.relative_to(LOGS)}.txt", text)


@pytest.mark.parametrize(("name", "path"), CASES)
def test_no_other_parser_is_as_sure(name: str, path: Path) -> None:
    log = raw_log(path)
    own = load(name).recognise(log)
    others = {other: load(other).recognise(log) for other in PARSERS if other != name}
    assert own > max(others.values(), default=Match.NO), f"{own.name} against {others}"


@pytest.mark.parametrize(("name", "path"), CASES)
def test_a_failure_is_told_with_its_line(name: str, path: Path) -> None:
    for diagnostic in parse(name, raw_log(path)).diagnostics:
        assert diagnostic.slug != "failed-run" or diagnostic.line > 0


@pytest.mark.parametrize("name", PARSERS)
def test_metrics_are_declared(name: str) -> None:
    declared = {metric.name: metric for metric in load(name).METRICS}
    for parser, path in all_logs():
        if parser == name:
            for block in parse(name, raw_log(path)).blocks:
                assert declared[block.metric.name] == block.metric


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_has_a_log(name: str) -> None:
    assert any(parser == name for parser, _ in all_logs()), f"tests/logs/{name}/ is empty"
