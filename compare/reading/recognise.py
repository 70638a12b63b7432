"""Which parser reads a log.

The described ones are asked first, then the built-in ones, those of entry points only when none of them knows it.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, cast

from compare_kernels.model import Diagnostic, Severity
from compare_kernels.parsers import BUILTIN
from compare_kernels.parsers.base import Match, Parser, RawLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from compare_kernels.model import Metric
    from compare_kernels.parsers.described import DescribedParser

ENTRY_POINT_GROUP = "compare_kernels.parsers"


@cache
def builtin_parser(name: str) -> Parser:
    """A built-in parser; imported at the first call."""
    (entry,) = (entry for entry in BUILTIN if entry.name == name)
    return cast("Parser", importlib.import_module(entry.module_name))


@cache
def plugged_parsers() -> tuple[dict[str, Parser], tuple[Diagnostic, ...]]:
    """Parsers that other distributions offer, by name, and what was wrong with some.

    An entry point whose name is taken, or that can't be imported or lacks an attribute of
    `compare_kernels.parsers.base.Parser`, is left out with a diagnostic.
    """
    from importlib.metadata import entry_points

    parsers: dict[str, Parser] = {}
    diagnostics = []
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (point.name, point.value)):
        problem = ""
        if point.name in parsers or any(entry.name == point.name for entry in BUILTIN):
            problem = "its name is taken"
        else:
            try:
                parser = point.load()
            except Exception as error:  # whatever a stranger's import raises
                problem = f"{type(error).__name__}: {error}"
            else:
                lacking = [name for name in ("METRICS", "recognise", "parse") if not hasattr(parser, name)]
                problem = f"it lacks {', '.join(lacking)}" if lacking else ""
        if problem:
            diagnostics.append(
                Diagnostic(Severity.WARNING, "plug-in", f"parser {point.name} ({point.value}) left out: {problem}")
            )
        else:
            parsers[point.name] = parser
    return parsers, tuple(diagnostics)


def plug_in_faults() -> tuple[Diagnostic, ...]:
    """What was wrong with plug-ins, if any file made it necessary to look at them."""
    return plugged_parsers()[1] if plugged_parsers.cache_info().currsize else ()


def recognise(log: RawLog, described: Sequence[DescribedParser] = ()) -> list[tuple[str, Parser]]:
    """Return the name and the parser that is surest that the log is its own, and those that go with it.

    Of equally sure ones the first that is asked wins: the described ones, those that the file's names speak of, then
    the others, each in the order of the table. A parser that is certain spares the import of the others. Behind it
    come the parsers of programs that print into the logs of other benchmarks, if they are certain.

    Returns:
        An empty list if no parser knows the log.
    """
    names = sorted((entry.name for entry in BUILTIN), key=lambda name: name not in log.hints)
    known = chain(
        ((parser.name, cast("Parser", parser)) for parser in described),
        ((name, builtin_parser(name)) for name in names),
    )
    surest = _surest(log, known) or _surest(log, plugged_parsers()[0].items())
    if surest is None:
        return []
    watching = (entry.name for entry in BUILTIN if entry.watches and entry.name != surest[0])
    return [surest, *_certain(log, watching)]


def _certain(log: RawLog, names: Iterable[str]) -> Iterator[tuple[str, Parser]]:
    for name in names:
        parser = builtin_parser(name)
        if parser.recognise(log) == Match.CERTAIN:
            yield name, parser


def _surest(log: RawLog, parsers: Iterable[tuple[str, Parser]]) -> tuple[str, Parser] | None:
    best: tuple[str, Parser] | None = None
    level = Match.NO
    for name, parser in parsers:
        match = parser.recognise(log)
        if match > level:
            best, level = (name, parser), match
        if level == Match.CERTAIN:
            break
    return best


def is_companion(name: str) -> bool:
    """Whether a file of this name is known to lie beside a benchmark's logs without holding a measurement."""
    return any(re.fullmatch(entry.companions, name) for entry in BUILTIN if entry.companions)


def parser_order(names: Iterable[str]) -> dict[str, int]:
    """The place of each parser in a report: built-in ones as in the table, then the others by name."""
    builtin = [entry.name for entry in BUILTIN]
    others = sorted(set(names) - set(builtin))
    return {name: index for index, name in enumerate(builtin + others)}


def all_metrics(described: Iterable[DescribedParser] = ()) -> Iterator[tuple[str, Metric]]:
    """The name of each parser with each of the metrics that it may give; imports all of them."""
    for described_parser in described:
        for metric in described_parser.METRICS:
            yield described_parser.name, metric
    for entry in BUILTIN:
        for metric in builtin_parser(entry.name).METRICS:
            yield entry.name, metric
    for name, parser in plugged_parsers()[0].items():
        for metric in parser.METRICS:
            yield name, metric
