"""From files to runs: what was read twice counts once, what was configured differently is kept apart."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from compare_kernels.model import Benchmark, Configuration, Diagnostic, FileReport, Pairs, Severity
from compare_kernels.parsers import BUILTIN
from compare_kernels.parsers.base import path_name
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.discover import natural_key
from compare_kernels.reading.recognise import parser_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compare_kernels.parsers.base import Block, Run
    from compare_kernels.reading.ingest import FileResult

_RUN_FOLDERS = [re.compile(entry.run_folders) for entry in BUILTIN if entry.run_folders]


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
        order: sorts the runs of a kernel in time, as far as names tell.
        blocks: the values, each with the index of its file.
    """

    kernel: int
    parser: str
    instance: str
    mmtests: bool
    run: Run
    source: int
    order: tuple[object, ...]
    blocks: tuple[tuple[int, Block], ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All runs of a comparison, and the final account of the files.

    Attributes:
        runs: each with its benchmark, ordered by benchmark, kernel and order of execution.
        files: a report for each file found, in the order of discovery.
        diagnostics: those of the files, and those that came up here.
    """

    runs: tuple[tuple[Benchmark, KernelRun], ...]
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]


def gather(results: Sequence[FileResult]) -> Gathered:
    """Put the runs of all files together.

    Args:
        results: one for each file, in the order of discovery; a file's index is its ``source``.

    Returns:
        The runs, each counted once however many files describe it, and what has to be said about them.
    """
    reports = [result.report for result in results]
    diagnostics: list[Diagnostic] = []
    copies = _twins(results, diagnostics)
    for index, original in copies.items():
        reports[index] = replace(reports[index], status="copy", detail=results[original].report.source.path)
    runs = [run for index, result in enumerate(results) if index not in copies for run in _runs_of(index, result)]
    merged = _merge_identities(runs, reports)
    labelled = _label(merged)
    # How a value was taken from a copy explains nothing, for it wasn't used; what was wrong with it still counts.
    diagnostics[:0] = [
        diagnostic
        for result, report in zip(results, reports, strict=True)
        for diagnostic in result.diagnostics
        if report.status != "copy" or diagnostic.severity > Severity.NOTE
    ]
    diagnostics += _kept_apart(labelled)
    diagnostics += _unequal_conditions(labelled, reports)
    diagnostics += _pooled_names(labelled, reports)
    for report in reports:
        path = report.source.path
        if report.status == "copy":
            message = f"holds a run that was read from {report.detail}"
            diagnostics.append(Diagnostic(Severity.NOTE, "copy", message, path))
        elif report.status == "failed-run" and report.detail:
            message = f"left out: the run failed, as {report.detail} tells"
            diagnostics.append(Diagnostic(Severity.WARNING, "failed-run", message, path))
    return Gathered(tuple(labelled), tuple(reports), tuple(dict.fromkeys(diagnostics)))


def _runs_of(index: int, result: FileResult) -> Iterable[KernelRun]:
    if result.parsed is None:
        return
    source = result.report.source
    place = [natural_key(part) for part in PurePath(source.path).parts]
    for number, run in enumerate(result.parsed.runs):
        blocks = tuple((index, block) for block in result.parsed.blocks if block.run == number)
        # A failed run without values still tells what its other files are worth.
        if blocks or (run.identity and result.report.status == "failed-run"):
            known = (0, run.number) if run.number is not None else (1, 0)
            order = (source.repetition, known, place, number)
            yield KernelRun(
                source.kernel, result.report.benchmark, source.instance, source.mmtests, run, index, order, blocks
            )


def _twins(results: Sequence[FileResult], diagnostics: list[Diagnostic]) -> dict[int, int]:
    """Find logs that lie beside their compressed twin: index of the copy to index of the one that is read.

    Equal bytes alone prove nothing, for coarse timers make different runs print the same; equal names and equal
    bytes do, and so does a file that is the beginning of its twin.
    """
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, result in enumerate(results):
        if result.parsed is not None:
            path = PurePath(result.report.source.path)
            groups[result.report.source.kernel, str(path.parent / path_name(path.name))].append(index)
    copies: dict[int, int] = {}
    for group in groups.values():
        best = max(group, key=lambda index: (results[index].size, -index))
        for index in group:
            if index == best:
                continue
            if _begins(results[index], results[best]):
                copies[index] = best
            else:
                message = f"differs from {results[best].report.source.path}, which has the same name: both are used"
                diagnostics.append(
                    Diagnostic(Severity.WARNING, "twins-differ", message, results[index].report.source.path)
                )
    return copies


def _begins(short: FileResult, long: FileResult) -> bool:
    if short.size == long.size:
        return short.digest == long.digest
    begin, whole = (read_content(result.report.source.path).data for result in (short, long))
    return whole.startswith(begin)


def _merge_identities(runs: list[KernelRun], reports: list[FileReport]) -> list[KernelRun]:
    """Let files that describe one run give one run: each metric from the file with the highest authority."""
    merged: list[KernelRun] = []
    groups: dict[tuple[object, ...], list[KernelRun]] = defaultdict(list)
    for run in runs:
        if run.run.identity:
            scope = _scope(reports[run.source].source.path)
            groups[run.kernel, run.parser, run.instance, scope, run.run.identity].append(run)
        else:
            merged.append(run)
    for group in groups.values():
        ranks: dict[int, list[KernelRun]] = defaultdict(list)
        for run in group:
            ranks[run.run.authority].append(run)
        # Two files of one rank that disagree are two runs: a results folder was used twice.
        for number in range(max(map(len, ranks.values()))):
            files = [rank[number] for _, rank in sorted(ranks.items(), reverse=True) if number < len(rank)]
            if files[0].blocks:
                merged.append(_merge(files, reports))
            else:
                _drop(files, reports)
    return merged


def _drop(files: list[KernelRun], reports: list[FileReport]) -> None:
    """Leave out the cuts of a log that says itself that the run failed."""
    for file in files[1:]:
        detail = reports[files[0].source].source.path
        reports[file.source] = replace(reports[file.source], status="failed-run", detail=detail)


def _scope(path: str) -> str:
    folders = PurePath(path).parent.parts
    return "/".join(part for part in folders if not any(pattern.fullmatch(part) for pattern in _RUN_FOLDERS))


def _merge(files: list[KernelRun], reports: list[FileReport]) -> KernelRun:
    best = files[0]
    blocks = list(best.blocks)
    held = {block.metric.name for _, block in blocks}
    for file in files[1:]:
        more = [(source, block) for source, block in file.blocks if block.metric.name not in held]
        blocks += more
        held |= {block.metric.name for _, block in more}
        if not more and file.source != best.source and reports[file.source].status == "read":
            detail = reports[best.source].source.path
            reports[file.source] = replace(reports[file.source], status="copy", detail=detail)
    return replace(best, blocks=tuple(blocks))


def _label(runs: list[KernelRun]) -> list[tuple[Benchmark, KernelRun]]:
    """Give each run its benchmark, and order all by benchmark, kernel and time."""
    order = parser_order(run.parser for run in runs)
    labels = _labels(runs)
    labelled = [(Benchmark(labels[_key(run)], *_key(run)), run) for run in runs]
    labelled.sort(key=lambda pair: (order[pair[0].parser], natural_key(pair[0].label), pair[1].kernel, pair[1].order))
    return labelled


_Key = tuple[str, str, Configuration]


def _key(run: KernelRun) -> _Key:
    return run.parser, run.instance, run.run.configuration


def _labels(runs: list[KernelRun]) -> dict[_Key, str]:
    """The heading of each benchmark: its folder, then its variant, then what else keeps it apart from others."""
    groups: dict[tuple[str, str], dict[Configuration, bool]] = defaultdict(dict)
    for run in runs:
        groups[run.parser, run.instance][run.run.configuration] = run.mmtests
    labels: dict[_Key, str] = {}
    for (parser, instance), configurations in groups.items():
        several = len({configuration.variant for configuration in configurations}) > 1
        for configuration, mmtests in configurations.items():
            base = instance or dict(configuration.variant).get("program") or parser
            if several or not mmtests:
                base = _extended(base, configuration.variant)
            alike = [other for other in configurations if other.variant == configuration.variant]
            labels[parser, instance, configuration] = _with_differences(base, configuration, alike)
    return _unique(labels)


def _extended(base: str, variant: Pairs) -> str:
    words = set(re.split(r"[^a-z0-9]+", base.lower()))
    for _, value in variant:
        if not set(re.split(r"[^a-z0-9]+", value.lower())) <= words:
            base += f"-{value}"
    return base


def _with_differences(base: str, configuration: Configuration, alike: list[Configuration]) -> str:
    own = dict(configuration.settings)
    keys = sorted({key for other in alike for key, _ in other.settings})
    differing = [key for key in keys if len({dict(other.settings).get(key) for other in alike}) > 1]
    parts = [f"{key}={own[key]}" if key in own else f"{key}=?" for key in differing]
    return f"{base} ({', '.join(parts)})" if parts else base


def _unique(labels: dict[_Key, str]) -> dict[_Key, str]:
    """Append the parser's name where two benchmarks of one folder would have one label."""
    taken = list(labels.values())
    return {key: f"{label} ({key[0]})" if taken.count(label) > 1 else label for key, label in labels.items()}


def _kept_apart(labelled: list[tuple[Benchmark, KernelRun]]) -> Iterable[Diagnostic]:
    """Say which runs of one folder and variant were not pooled, and why."""
    groups: dict[tuple[str, str, Pairs], dict[str, None]] = defaultdict(dict)
    for benchmark, _ in labelled:
        groups[benchmark.parser, benchmark.instance, benchmark.configuration.variant][benchmark.label] = None
    for labels in groups.values():
        if len(labels) > 1:
            message = f"runs of different configuration are kept apart: {'; '.join(labels)}"
            yield Diagnostic(Severity.WARNING, "kept-apart", message)


def _unequal_conditions(
    labelled: list[tuple[Benchmark, KernelRun]], reports: list[FileReport]
) -> Iterable[Diagnostic]:
    """Name runs whose conditions (such as the measured seconds) are far from the median of their like."""
    groups: dict[tuple[str, str], list[tuple[float, KernelRun]]] = defaultdict(list)
    for benchmark, run in labelled:
        for condition, value in run.run.conditions:
            groups[benchmark.label, condition].append((value, run))
    for (label, condition), values in groups.items():
        ordered = sorted(value for value, _ in values)
        median = ordered[len(ordered) // 2]
        for value, run in values:
            if abs(value - median) > 0.1 * abs(median):
                message = f"{label}: {condition} is {value:g} here and {median:g} in the other runs"
                yield Diagnostic(
                    Severity.WARNING, "unequal-conditions", message, reports[run.source].source.path, run.run.line
                )


def _pooled_names(labelled: list[tuple[Benchmark, KernelRun]], reports: list[FileReport]) -> Iterable[Diagnostic]:
    """Say it when files with different names were taken for repetitions: the name may have meant something."""
    groups: dict[tuple[str, int, tuple[str, ...]], dict[str, str]] = defaultdict(dict)
    for benchmark, run in labelled:
        if benchmark.parser and not run.mmtests:
            operations = tuple(sorted({block.operation.name for _, block in run.blocks if block.metric.main}))
            path = reports[run.source].source.path
            stem = re.sub(r"\d+", "", Path(path_name(path)).stem)
            groups[benchmark.label, run.kernel, operations].setdefault(stem, path)
    for (label, _, _), stems in groups.items():
        if len(stems) > 1:
            names = ", ".join(PurePath(path).name for path in list(stems.values())[:4])
            message = f"{label}: files with different names are taken for repetitions: {names}"
            yield Diagnostic(Severity.NOTE, "pooled-names", message, next(iter(stems.values())))
