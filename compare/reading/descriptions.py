"""Descriptions of benchmarks among the files that were found, and those that settings name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity, SourceFile
from compare_kernels.parsers import BUILTIN
from compare_kernels.parsers.base import path_name
from compare_kernels.parsers.described import DescribedParser
from compare_kernels.parsers.description import Description, read_description
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.ingest import FileResult, unread
from compare_kernels.reading.recognise import plugged_parsers

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 50
"""Each is asked about each log."""


@dataclass(frozen=True)
class Described:
    """The benchmarks that are described.

    Attributes:
        parsers: one for each, those that settings name first, then in the order in which they were found.
        results: what became of the files that are descriptions or settings, and therefore no logs.
    """

    parsers: tuple[DescribedParser, ...]
    results: dict[SourceFile, FileResult] = field(default_factory=dict)


def named_descriptions(paths: Iterable[str]) -> list[DescribedParser]:
    """Read the files in which benchmarks are described.

    Raises:
        UsageError: if one can't be read, holds no description or a wrong one, or a name is taken.
    """
    parsers: dict[str, DescribedParser] = {}
    for path in paths:
        content = read_content(path)
        if not content.readable or content.problem:
            raise UsageError(f"{path}: {content.problem}")
        try:
            description = read_description(content.data)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from error
        if description is None:
            raise UsageError(f"{path}: no description of a benchmark: it has no table [benchmark]")
        problem = _taken(description, parsers)
        if problem:
            raise UsageError(f"{path}: {problem}")
        parsers[description.name] = DescribedParser(description)
    return list(parsers.values())


def find_descriptions(
    files: Iterable[SourceFile], named: Iterable[str] = (), settings: str | None = None
) -> Described:
    """Tell descriptions from logs.

    Args:
        files: all that were found; those called ``*.toml`` are looked into.
        named: paths of descriptions besides those.
        settings: the file that the comparison's settings come from, if it's known: it is no log either.

    Returns:
        The descriptions. What is wrong with one of ``files`` is in its result, and costs no other file.

    Raises:
        UsageError: as `named_descriptions`, for those that are ``named``.
    """
    parsers = {parser.name: parser for parser in named_descriptions(named)}
    results: dict[SourceFile, FileResult] = {}
    for source in files:
        if not path_name(source.path).lower().endswith(".toml"):
            continue
        if settings and _same(source.path, settings):
            note = Diagnostic(Severity.NOTE, "companion", "holds the settings of this comparison", source.path)
            results[source] = unread(source, "companion", note)
            continue
        content = read_content(source.path)
        if content.problem:
            continue
        try:
            description = read_description(content.data)
        except UsageError as error:
            fault = Diagnostic(Severity.ERROR, "description", str(error), source.path)
            results[source] = unread(source, "unreadable", fault)
            continue
        if description is None:
            continue
        problem = _taken(description, parsers)
        if problem:
            fault = Diagnostic(Severity.WARNING, "description", f"{problem}; this one is left out", source.path)
            results[source] = unread(source, "companion", fault)
        else:
            parsers.setdefault(description.name, DescribedParser(description))
            note = Diagnostic(Severity.NOTE, "companion", f"describes {description.name}", source.path)
            results[source] = unread(source, "companion", note, description.name)
    return Described(tuple(parsers.values()), results)


def _taken(description: Description, parsers: dict[str, DescribedParser]) -> str:
    """Why a description can't be used beside those that are there; empty if it can, or is one of them."""
    name = description.name
    if name in parsers:
        return "" if parsers[name].description == description else f"another description is called {name}, too"
    if any(entry.name == name for entry in BUILTIN):
        return f"{name} is a parser that compare-kernels brings along"
    if name in plugged_parsers()[0]:
        return f"{name} is a parser that another distribution brings along"
    if len(parsers) == _MOST:
        return f"there are {_MOST} other descriptions"
    return ""


def _same(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except OSError:
        return False
