"""What has to be said about runs as they stand side by side: kept apart, unequal, pooled under strange names."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

from compare_kernels.model import Benchmark, Diagnostic, Pairs, Severity
from compare_kernels.parsers.base import path_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compare_kernels.reading.runs import KernelRun

_RUN_NUMBER = re.compile(
    r"(?i)(^|[-_. ])((run|iter|iteration|rep|repeat|sample|try|trial)[-_.]?\d+(?![a-z0-9])|[-_.]?\d+$)"
)

Labelled = list[tuple[Benchmark, "KernelRun"]]


def remarks(labelled: Labelled, paths: Sequence[str]) -> Iterable[Diagnostic]:
    """Yield all of it; ``paths`` are those of the files by index."""
    yield from _kept_apart(labelled)
    yield from _unequal_conditions(labelled, paths)
    yield from _pooled_names(labelled, paths)


def _kept_apart(labelled: Labelled) -> Iterable[Diagnostic]:
    """Say which runs of one folder and variant were not pooled, and why."""
    groups: dict[tuple[str, str, Pairs], dict[str, None]] = defaultdict(dict)
    for benchmark, _ in labelled:
        groups[benchmark.parser, benchmark.instance, benchmark.configuration.variant][benchmark.label] = None
    for labels in groups.values():
        if len(labels) > 1:
            message = f"runs of different configuration are kept apart: {'; '.join(labels)}"
            yield Diagnostic(Severity.WARNING, "kept-apart", message)


def _unequal_conditions(labelled: Labelled, paths: Sequence[str]) -> Iterable[Diagnostic]:
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
                yield Diagnostic(Severity.WARNING, "unequal-conditions", message, paths[run.source], run.run.line)


def _pooled_names(labelled: Labelled, paths: Sequence[str]) -> Iterable[Diagnostic]:
    """Say it when files with different names were taken for repetitions: the name may have meant something."""
    groups: dict[tuple[str, int, tuple[str, ...]], dict[str, str]] = defaultdict(dict)
    for benchmark, run in labelled:
        if not run.mmtests:
            operations = tuple(sorted({block.operation.name for _, block in run.blocks if block.metric.main}))
            path = paths[run.source]
            stem = _RUN_NUMBER.sub("", re.sub(r"\.[a-z]+$", "", path_name(path)))
            groups[benchmark.label, run.kernel, operations].setdefault(stem, path)
    for (label, _, _), stems in groups.items():
        if len(stems) > 1:
            names = ", ".join(PurePath(path).name for path in list(stems.values())[:4])
            message = f"{label}: files with different names are taken for repetitions: {names}"
            yield Diagnostic(Severity.WARNING, "pooled-names", message, next(iter(stems.values())))
