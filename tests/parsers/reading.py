"""What the tests of the parsers share: read a log by its parser, describe the result as text."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from compare_kernels.parsers import BUILTIN
from compare_kernels.parsers.base import Match, Parsed, Parser, RawLog, SampleBuilder, path_name

if TYPE_CHECKING:
    from collections.abc import Iterator

LOGS = Path(__file__).parent.parent / "logs"
PARSERS = {entry.name: entry.module_name for entry in BUILTIN}


def all_logs() -> Iterator[tuple[str, Path]]:
    for name in PARSERS:
        for path in sorted((LOGS / name).rglob("*")):
            if path.is_file():
                yield name, path


def raw_log(path: Path, data: bytes | None = None) -> RawLog:
    folders = path.relative_to(LOGS).parts[:-1]
    return RawLog(path.read_bytes() if data is None else data, path_name(str(path)), folders)


def load(name: str) -> Parser:
    return cast("Parser", importlib.import_module(PARSERS[name]))


def parse(name: str, log: RawLog) -> Parsed:
    builder = SampleBuilder(log.name)
    load(name).parse(log, builder)
    return builder.finish()


def describe(log: RawLog, match: Match, parsed: Parsed) -> str:
    """The whole result as text, a line for each value list, in the parser's order."""
    lines = [f"match: {match.name}", f"status: {parsed.status}"]
    for index, run in enumerate(parsed.runs):
        parts = [f"run {index}: line {run.line}"]
        parts += [f"{key}={value}" for key, value in run.configuration.variant]
        parts += [f"({key}={value})" for key, value in run.configuration.settings]
        parts += [f"[{key} {value:g}]" for key, value in run.conditions]
        parts += [f"number {run.number}"] if run.number is not None else []
        parts += [f"identity {run.identity}/{run.authority}"] if run.identity else []
        lines.append(" ".join(parts))
        for block in parsed.blocks:
            if block.run == index:
                op = block.operation
                values = " ".join(repr(float(value)) for value in block.values)
                lines.append(
                    f"  {block.metric.name} [{block.metric.unit} {block.metric.better}]"
                    f" {op.name!r} series={op.series!r} param={op.param:g}: {values}"
                )
    lines += [
        f"{item.severity.name.lower()} {item.slug} line {item.line}: {item.message}" for item in parsed.diagnostics
    ]
    return "\n".join(lines) + "\n"
