"""From files to runs: what was read twice counts once."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from compare_kernels.model import Benchmark, Diagnostic, FileReport, FileStatus, Severity
from compare_kernels.parsers.base import path_name
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.discover import is_run_folder, natural_key, without_results
from compare_kernels.reading.labels import with_benchmarks
from compare_kernels.reading.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compare_kernels.environment.differences import Environment
    from compare_kernels.environment.facts import Fact
    from compare_kernels.parsers.base import Block, Run
    from compare_kernels.reading.ingest import FileResult


@dataclass(frozen=True, slots=True)
class KernelRun:
    """One execution of a benchmark under one kernel, put together from the files that describe it.

    Attributes:
        kernel: index of the kernel.
        parser: name of the parser.
        instance: see `compare_kernels.model.SourceFile`.
        mmtests: whether the instance is the benchmark's own name in mmtests.
        run: configuration, number and conditions, from the file with the highest authority.
        source: index of that file.
        number: the number of the repetition, if a single one is known from the names of file and folders.
        order: sorts the runs of a kernel in time, as far as names tell.
        blocks: the values, each with the index of its file.
    """

    kernel: int
    parser: str
    instance: str
    mmtests: bool
    run: Run
    source: int
    number: int | None
    order: tuple[object, ...]
    blocks: tuple[tuple[int, Block], ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All runs of a comparison, and the final account of the files.

    Attributes:
        runs: each with its benchmark, ordered by benchmark, kernel and order of execution.
        metrics: name of each parser that read a file to the names of its metrics, in the order of a report.
        environments: index of a kernel to what is known of the machine under it.
        files: a report for each file found, in the order of discovery, with what has to be said about it.
        diagnostics: what has to be said about the runs as they stand side by side.
    """

    runs: tuple[tuple[Benchmark, KernelRun], ...]
    metrics: Mapping[str, tuple[str, ...]]
    environments: Mapping[int, Mapping[str, str]]
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]


Fates = dict[int, tuple[FileStatus, str]]
"""Index of a file to what became of it after all, and the path of the file that decided it."""


def gather(
    results: Sequence[FileResult],
    stored: Sequence[KernelRun] = (),
    stored_metrics: Mapping[str, tuple[str, ...]] | None = None,
) -> Gathered:
    """Put the runs of all files together.

    Args:
        results: one for each file, in the order of discovery; a file's index is its ``source``.
        stored: runs of stored comparisons, whose files are among the results without a reading.
        stored_metrics: name of each parser that gave stored runs to the names of its metrics.

    Returns:
        The runs, each counted once however many files describe it, and what has to be said about them.
    """
    paths = [result.report.source.path for result in results]
    copies, differing = _twins(results)
    runs = [run for index, result in enumerate(results) if index not in copies for run in _runs_of(index, result)]
    merged, fates = _merge_identities(runs, paths)
    # What says of itself that it's cut or failed stays so, even if another file gave its run.
    fates = {index: fate for index, fate in fates.items() if results[index].report.status == "read"}
    fates |= {index: ("copy", paths[original]) for index, original in copies.items()}
    said = _said_of_files(results, differing, fates, paths)
    environments = _environments(results)
    for index, diagnostic in _changed(environments, paths):
        said[index].append(diagnostic)
    files = [
        replace(_final(result.report, fates.get(index)), digest=result.digest, diagnostics=tuple(said[index]))
        for index, result in enumerate(results)
    ]
    labelled = with_benchmarks([*merged, *stored])
    read = {reading.parser: reading.metrics for result in results for reading in result.readings}
    metrics = {**(stored_metrics or {}), **read}
    values = {kernel: environment.values for kernel, environment in environments.items()}
    return Gathered(tuple(labelled), metrics, values, tuple(files), tuple(dict.fromkeys(remarks(labelled, paths))))


def _environments(results: Sequence[FileResult]) -> dict[int, Environment]:
    """What the files of each kernel say of the machine."""
    files: dict[int, list[tuple[str, tuple[Fact, ...]]]] = defaultdict(list)
    for result in results:
        if result.facts:
            files[result.report.source.kernel].append((result.report.source.path, result.facts))
    if not files:
        return {}
    from compare_kernels.environment.differences import together

    return {kernel: together(of_kernel) for kernel, of_kernel in files.items()}


def _changed(environments: Mapping[int, Environment], paths: Sequence[str]) -> Iterable[tuple[int, Diagnostic]]:
    """What changed between the files of one kernel, so that its runs were made under several conditions."""
    for environment in environments.values():
        for conflict in environment.conflicts:
            if conflict.weight != "matters":
                continue
            first, *others = conflict.places
            of = f" of {conflict.of}" if conflict.of else ""
            for other in others:
                message = f"{conflict.key}{of} is {other.value} here and {first.value} in {first.path}"
                where = paths.index(other.path)
                yield where, Diagnostic(Severity.WARNING, "environment-changed", message, other.path, other.line)


def _final(report: FileReport, fate: tuple[FileStatus, str] | None) -> FileReport:
    return replace(report, status=fate[0], detail=fate[1]) if fate else report


def _said_of_files(
    results: Sequence[FileResult], differing: Sequence[tuple[int, Diagnostic]], fates: Fates, paths: Sequence[str]
) -> list[list[Diagnostic]]:
    """What has to be said of each file. How a value was taken from a copy explains nothing, for it wasn't used."""
    said: list[list[Diagnostic]] = []
    for index, result in enumerate(results):
        copied = index in fates and fates[index][0] == "copy"
        kept = [item for item in result.diagnostics if not copied or item.severity > Severity.NOTE]
        said.append(list(dict.fromkeys(kept)))
    for index, diagnostic in differing:
        said[index].append(diagnostic)
    for index, (status, decided) in fates.items():
        if status == "copy":
            message = f"holds a run that was read from {decided}"
            said[index].append(Diagnostic(Severity.NOTE, "copy", message, paths[index]))
        else:
            message = f"left out: the run failed, as {decided} tells"
            said[index].append(Diagnostic(Severity.WARNING, status, message, paths[index]))
    return said


def _runs_of(index: int, result: FileResult) -> Iterable[KernelRun]:
    source = result.report.source
    place = tuple(natural_key(part) for part in PurePath(source.path).parts)
    for reading in result.readings:
        of_run: dict[int, list[tuple[int, Block]]] = defaultdict(list)
        for block in reading.parsed.blocks:
            of_run[block.run].append((index, block))
        for number, run in enumerate(reading.parsed.runs):
            blocks = tuple(of_run[number])
            # A failed run without values still tells what its other files are worth.
            if not blocks and not (run.identity and reading.parsed.status == "failed-run"):
                continue
            known = (0, run.number) if run.number is not None else (1, 0)
            order = (source.repetition, known, place, number)
            numbers = [*source.repetition, *([] if run.number is None else [run.number])]
            yield KernelRun(
                source.kernel,
                reading.parser,
                source.instance,
                source.mmtests,
                run,
                index,
                numbers[0] if len(numbers) == 1 else None,
                order,
                blocks,
            )


def _twins(results: Sequence[FileResult]) -> tuple[dict[int, int], list[tuple[int, Diagnostic]]]:
    """Find logs that lie beside their compressed twin: index of the copy to index of the one that is read.

    Equal bytes alone prove nothing, for coarse timers make different runs print the same; equal names and equal
    bytes do, and so does a file that is the beginning of its twin.
    """
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, result in enumerate(results):
        if result.readings:
            path = PurePath(result.report.source.path)
            name = re.sub(r"(~|\.orig|\.bak|\.old)+$", "", path_name(path.name))
            groups[result.report.source.kernel, str(path.parent / path_name(name))].append(index)
    copies: dict[int, int] = {}
    differing = []
    for group in groups.values():
        best = max(group, key=lambda index: (results[index].size, -index))
        for index in (index for index in group if index != best):
            if _begins(results[index], results[best]):
                copies[index] = best
            else:
                message = f"differs from {results[best].report.source.path}, which has the same name: both are used"
                place = results[index].report.source.path
                differing.append((index, Diagnostic(Severity.WARNING, "twins-differ", message, place)))
    return copies, differing


def _begins(short: FileResult, long: FileResult) -> bool:
    if short.size == long.size:
        return short.digest == long.digest
    begin, whole = (read_content(result.report.source.path).data for result in (short, long))
    return whole.startswith(begin)


def _merge_identities(runs: list[KernelRun], paths: Sequence[str]) -> tuple[list[KernelRun], Fates]:
    """Let files that describe one run give one run: each metric from the file with the highest authority."""
    merged: list[KernelRun] = []
    groups: dict[tuple[object, ...], list[KernelRun]] = defaultdict(list)
    for run in runs:
        if run.run.identity:
            groups[run.kernel, run.parser, run.instance, _scope(paths[run.source]), run.run.identity].append(run)
        else:
            merged.append(run)
    fates: Fates = {}
    for group in groups.values():
        ranks: dict[int, list[KernelRun]] = defaultdict(list)
        for run in group:
            ranks[run.run.authority].append(run)
        # Two files of one rank that disagree are two runs: a results folder was used twice.
        for number in range(max(map(len, ranks.values()))):
            files = [rank[number] for _, rank in sorted(ranks.items(), reverse=True) if number < len(rank)]
            if files[0].blocks:
                run, unused = _merge(files)
                merged.append(run)
                fates |= dict.fromkeys(unused, ("copy", paths[run.source]))
            else:
                # A log that says itself that its run failed takes its cuts along.
                fates |= {file.source: ("failed-run", paths[files[0].source]) for file in files[1:]}
    return merged, fates


def _scope(path: str) -> str:
    return "/".join(part for part in without_results(PurePath(path).parent.parts) if not is_run_folder(part))


def _merge(files: list[KernelRun]) -> tuple[KernelRun, set[int]]:
    """Return the run, and which sources added nothing to it; files come with the highest authority first."""
    best = files[0]
    blocks = list(best.blocks)
    held = {block.metric.name for _, block in blocks}
    unused = set()
    for file in files[1:]:
        more = [(source, block) for source, block in file.blocks if block.metric.name not in held]
        blocks += more
        held |= {block.metric.name for _, block in more}
        if not more and file.source != best.source:
            unused.add(file.source)
    return replace(best, blocks=tuple(blocks)), unused
