"""From what the user named to samples: directories, single logs and stored results, in the order of the columns."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.parsers.base import RawLog
from compare_kernels.reading import stored
from compare_kernels.reading.decompress import read_content, unpack
from compare_kernels.reading.descriptions import find_descriptions
from compare_kernels.reading.discover import Input, discover
from compare_kernels.reading.folders import is_maildir, mail_files
from compare_kernels.reading.ingest import read_files
from compare_kernels.reading.recognise import plug_in_faults, recognise
from compare_kernels.reading.runs import gather
from compare_kernels.samples import Samples, build_samples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.posted.model import PostedTable
    from compare_kernels.reading.runs import KernelRun

LONGEST_POST = 4 << 20
"""Bytes of a file that is looked through for posted tables; of a mailbox, cut out the thread that matters."""


def load_inputs(
    inputs: list[Input],
    descriptions: Iterable[str | os.PathLike[str]] = (),
    settings: str | os.PathLike[str] | None = None,
) -> Samples:
    """Read all inputs.

    Args:
        inputs: directories, files of logs, and files that the style ``json`` wrote.
        descriptions: files that describe benchmarks, besides those that lie among the results.
        settings: the file that the rules come from; if it lies among the results, it's none of them.

    Raises:
        UsageError: if two kernels have one name, a named description is wrong, or stored results are damaged.
    """
    kept = {index: stored.load(item.path) for index, item in enumerate(inputs) if holds_results(item)}
    found = discover([item for index, item in enumerate(inputs) if index not in kept])
    kernels: list[str] = []
    plain: list[int] = []
    chosen: dict[int, dict[int, int]] = {}
    for index, item in enumerate(inputs):
        if index not in kept:
            plain.append(len(kernels))
            kernels.append(item.label)
            continue
        names = _kernels_of(item, kept[index].kernels)
        chosen[index] = {old: len(kernels) + new for new, old in enumerate(names)}
        kernels += names.values()
    for name in kernels:
        if kernels.count(name) > 1:
            raise UsageError(f"two kernels are called {name!r}: give each its own label (NAME=PATH)")
    files = [replace(source, kernel=plain[source.kernel]) for source in found.files]
    named = [os.fspath(path) for path in descriptions]
    described = find_descriptions(files, named, None if settings is None else os.fspath(settings))
    results = read_files(files, described.parsers, described.results)
    runs: list[KernelRun] = []
    metrics: dict[str, tuple[str, ...]] = {}
    diagnostics = list(found.diagnostics)
    for index, held in kept.items():
        more_files, more_runs = stored.shifted(held, chosen[index], len(results))
        results += more_files
        runs += more_runs
        metrics |= held.metrics
        diagnostics += held.diagnostics
    samples = build_samples(gather(results, runs, metrics), tuple(kernels), (*diagnostics, *plug_in_faults()))
    environments = list(samples.environments)
    for index, places in chosen.items():
        for old, new in places.items():
            environments[new] = kept[index].environments[old]
    return replace(samples, described=described.parsers, environments=tuple(environments))


def holds_results(item: Input) -> bool:
    """Whether an input is a file that the style ``json`` wrote."""
    return Path(item.path).is_file() and stored.is_stored(item.path)


def _kernels_of(item: Input, names: tuple[str, ...]) -> dict[int, str]:
    """Index and name of the kernels wanted of a file: all, the one that is named, or the only one with a new name."""
    if not item.named:
        return dict(enumerate(names))
    if item.label in names:
        return {names.index(item.label): item.label}
    if len(names) == 1:
        return {0: item.label}
    raise UsageError(f"{item.path}: no kernel {item.label!r} there; it holds {', '.join(names)}")


def posted_in(item: Input) -> list[PostedTable]:
    """The posted tables of an input: of a mail, mbox, maildir or text that is no benchmark's log.

    A label chooses the column of that name.

    Raises:
        UsageError: if no table has a column of that name.
    """
    path = Path(item.path)
    if path.is_dir():
        if not is_maildir(path):
            return []
    else:
        content = read_content(item.path)
        if not content.data or recognise(RawLog(content.data, path.name)):
            return []
    tables, _ = read_posted(item.path)
    if not item.named or not tables:
        return tables
    chosen = [narrowed for table in tables if (narrowed := _column(table, item.label))]
    if not chosen:
        names = ", ".join(dict.fromkeys(name for table in tables for name in table.kernels))
        raise UsageError(f"{item.path}: no column {item.label!r} there; the tables have {names}")
    return chosen


def _column(table: PostedTable, name: str) -> PostedTable | None:
    """The table with one column only, which has no change to be told."""
    if name not in table.kernels:
        return None
    index = table.kernels.index(name)
    rows = tuple(replace(row, cells=(replace(row.cells[index], percent=None),)) for row in table.rows)
    return replace(table, kernels=(name,), rows=rows, differences=())


def read_posted(
    *paths: str | os.PathLike[str], standard_input: bytes | None = None
) -> tuple[list[PostedTable], list[Diagnostic]]:
    """Read the tables that people posted in mails and texts.

    Args:
        *paths: mails, mbox files, maildir folders or texts; ``-`` is the standard input.
        standard_input: what stands there.

    Returns:
        All tables in the order of files and lines, and what could not be read.

    Raises:
        UsageError: if a path doesn't exist.
    """
    from compare_kernels.posted.mail import texts_in
    from compare_kernels.posted.readers import read_tables

    tables: list[PostedTable] = []
    diagnostics: list[Diagnostic] = []
    for given in paths:
        path = os.fspath(given)
        if path == "-" and standard_input is not None:
            contents = [("standard input", unpack(standard_input))]
        elif not Path(path).exists():
            raise UsageError(f"{path} does not exist")
        else:
            contents = [(name, read_content(name)) for name in mail_files(path)]
        for name, content in contents:
            if content.problem:
                diagnostics.append(Diagnostic(Severity.WARNING, "unreadable", content.problem, name))
            if len(content.data) > LONGEST_POST:
                message = f"longer than {LONGEST_POST >> 20} MiB, therefore not looked through for tables"
                diagnostics.append(Diagnostic(Severity.WARNING, "too-long", message, name))
                continue
            for text in texts_in(content.data, name):
                tables += read_tables(text)
    return tables, diagnostics
