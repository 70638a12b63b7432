"""The samples of a comparison: a tidy frame with a row for each measurement, and what its categories mean."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from compare_kernels.model import Benchmark, Diagnostic, FileReport, Metric, Operation
    from compare_kernels.parsers.base import Block
    from compare_kernels.parsers.described import DescribedParser
    from compare_kernels.reading.runs import Gathered, KernelRun

COLUMNS = {
    "kernel": "category",
    "iteration": "int32",
    "benchmark": "category",
    "metric": "category",
    "operation": "category",
    "param": "float64",
    "sample": "int32",
    "value": "float64",
    "source": "int32",
}
"""Columns of the frame and their dtypes; text is kept in categories, since a million rows of text take 275 MB."""


@dataclass(frozen=True, slots=True)
class Group:
    """All samples of one operation under one kernel, in the order of execution.

    Attributes:
        kernel: index of the kernel.
        values: float64, in the metric's unit.
        runs: int32, the iteration of each value; not decreasing.
    """

    kernel: int
    values: np.ndarray
    runs: np.ndarray


@dataclass(frozen=True, slots=True)
class Row:
    """One operation of one metric of one benchmark, with its samples under each kernel that has it.

    Attributes:
        benchmark: label of the benchmark.
        metric: what is measured.
        operation: the operation.
        groups: index of a kernel to its samples.
    """

    benchmark: str
    metric: Metric
    operation: Operation
    groups: Mapping[int, Group]

    @property
    def key(self) -> tuple[str, str, str]:
        """Benchmark's label, metric's name, operation's name."""
        return self.benchmark, self.metric.name, self.operation.name


@dataclass(frozen=True)
class Samples:
    """Everything that was measured.

    Attributes:
        whole: everything that was loaded; ``frame`` is the part of it that ``operations`` name.
        kernels: names of the kernels, the baseline first.
        benchmarks: label to benchmark, in the order of a report.
        metrics: benchmark's label and metric's name to metric, in the order of a report.
        operations: benchmark's label, metric's name and operation's name to operation, in the order of a table.
        appeared: keys as in ``operations``, in the order in which the logs first have them: those of the baseline
            first, then what only later kernels have.
        files: what became of each file that was found.
        runs: the runs that the samples are of, each with its benchmark; their values are parts of ``whole``.
        declared: name of each parser that gave runs to the names of its metrics, in the order of a report.
        found: what had to be said before any file was read.
        environments: what is known of the machine under each kernel: the value of each fact.
        diagnostics: all that has to be said about the inputs.
        described: the parsers that descriptions made, whether they read a file or not.
    """

    whole: pd.DataFrame
    kernels: tuple[str, ...]
    benchmarks: Mapping[str, Benchmark]
    metrics: Mapping[tuple[str, str], Metric]
    operations: Mapping[tuple[str, str, str], Operation]
    appeared: tuple[tuple[str, str, str], ...]
    files: tuple[FileReport, ...]
    runs: tuple[tuple[Benchmark, KernelRun], ...]
    declared: Mapping[str, tuple[str, ...]]
    found: tuple[Diagnostic, ...]
    environments: tuple[Mapping[str, str], ...]
    diagnostics: tuple[Diagnostic, ...]
    described: tuple[DescribedParser, ...] = ()

    def select(self, choose: Callable[[Benchmark, Metric, Operation], bool]) -> Samples:
        """Return the samples of those operations for which ``choose`` is true."""
        kept = {
            key: operation
            for key, operation in self.operations.items()
            if choose(self.benchmarks[key[0]], self.metrics[key[:2]], operation)
        }
        named = {key[:2] for key in kept}
        metrics = {key: metric for key, metric in self.metrics.items() if key in named}
        labels = {label for label, _ in metrics}
        benchmarks = {label: benchmark for label, benchmark in self.benchmarks.items() if label in labels}
        return replace(self, benchmarks=benchmarks, metrics=metrics, operations=kept)

    def with_baseline(self, kernel: int) -> Samples:
        """Return the same samples with another kernel first; the others follow in the order that they had.

        Args:
            kernel: index of the new baseline.

        Returns:
            Samples in which every index of a kernel is the new one. ``appeared`` and the diagnostics stay.
        """
        order = [kernel, *(index for index in range(len(self.kernels)) if index != kernel)]
        place = np.argsort(order)
        kernels = tuple(self.kernels[index] for index in order)
        return replace(
            self,
            whole=_reordered(self.whole, kernels, place),
            kernels=kernels,
            environments=tuple(self.environments[index] for index in order),
            files=tuple(
                replace(file, source=replace(file.source, kernel=int(place[file.source.kernel])))
                for file in self.files
            ),
            runs=tuple((benchmark, replace(run, kernel=int(place[run.kernel]))) for benchmark, run in self.runs),
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The samples, see `COLUMNS`.

        ``kernel`` is ordered as given, the first is the baseline; ``operation`` is ordered as shown. ``iteration`` is
        the number of the run as the names of files and folders tell it, or counts from 0; ``sample`` counts the
        values inside a run from 0. ``value`` is in the metric's unit. ``source`` is an index into ``files``. Rows are
        sorted by benchmark, metric, operation, kernel, iteration and sample.
        """
        pieces = list(self._pieces())
        if all(key in self.operations for key, *_ in pieces):
            return self.whole
        kept = [np.arange(start, end) for key, _, start, end in pieces if key in self.operations]
        return self.whole.iloc[np.concatenate(kept) if kept else []]

    def rows(self) -> Iterator[Row]:
        """Yield the operations in the order of a report, each with the samples of all kernels."""
        values = self.whole["value"].to_numpy()
        runs = self.whole["iteration"].to_numpy()
        for key, pieces in groupby(self._pieces(), key=itemgetter(0)):
            if key in self.operations:
                groups = {
                    kernel: Group(kernel, values[start:end], runs[start:end]) for _, kernel, start, end in pieces
                }
                yield Row(key[0], self.metrics[key[:2]], self.operations[key], groups)

    def _pieces(self) -> Iterator[tuple[tuple[str, str, str], int, int, int]]:
        """For each operation and kernel its key, the kernel's index, and the first row and the end in ``whole``."""
        columns = [self.whole[name].cat for name in ("benchmark", "metric", "operation", "kernel")]
        codes = [column.codes.to_numpy() for column in columns]
        names = [column.categories for column in columns[:3]]
        length = len(self.whole)
        if not length:
            return
        changes = np.ones(length, dtype=bool)
        changes[1:] = np.logical_or.reduce([code[1:] != code[:-1] for code in codes])
        starts = np.flatnonzero(changes).tolist()
        for start, end in zip(starts, [*starts[1:], length], strict=True):
            benchmark, metric, operation = (str(name[code[start]]) for name, code in zip(names, codes, strict=False))
            yield (benchmark, metric, operation), int(codes[3][start]), start, end


def _reordered(frame: pd.DataFrame, kernels: tuple[str, ...], place: np.ndarray) -> pd.DataFrame:
    """The frame with its kernels in another order; ``place`` is the new index of each old one."""
    codes = place[frame["kernel"].cat.codes.to_numpy()]
    keys = [frame[name].cat.codes.to_numpy() for name in ("benchmark", "metric", "operation")]
    changes = np.zeros(len(frame), dtype=np.int64)
    changes[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    order = np.lexsort((codes, np.cumsum(changes)))
    moved = frame.iloc[order].reset_index(drop=True)
    names = pd.Index(kernels, dtype="str")
    moved["kernel"] = pd.Categorical.from_codes(codes[order], categories=names, ordered=True)
    return moved


@dataclass(frozen=True, slots=True)
class _Piece:
    """The values of one run for one operation, with the place that they take in the frame."""

    kernel: int
    iteration: int
    key: tuple[str, str, str]
    source: int
    block: Block


def build_samples(gathered: Gathered, kernels: tuple[str, ...], diagnostics: tuple[Diagnostic, ...]) -> Samples:
    """Build the frame from the runs of all kernels.

    Args:
        gathered: the runs in the order of a report.
        kernels: names of the kernels, the baseline first.
        diagnostics: what had to be said before any file was read.
    """
    benchmarks = {benchmark.label: benchmark for benchmark, _ in gathered.runs}
    metrics: dict[tuple[str, str], Metric] = {}
    operations: dict[tuple[str, str, str], Operation] = {}
    pieces: list[_Piece] = []
    numbers: dict[tuple[str, str, str], list[tuple[int, int | None]]] = defaultdict(list)
    for benchmark, run in gathered.runs:
        for source, block in run.blocks:
            key = (benchmark.label, block.metric.name, block.operation.name)
            metrics.setdefault(key[:2], block.metric)
            operations.setdefault(key, block.operation)
            numbers[key].append((run.kernel, run.number))
            pieces.append(_Piece(run.kernel, 0, key, source, block))
    iterations = {key: iter(_iterations(of_key)) for key, of_key in numbers.items()}
    pieces = [replace(piece, iteration=next(iterations[piece.key])) for piece in pieces]
    metrics = _sorted_metrics(metrics, gathered)
    appeared = tuple(operations)
    operations = _sorted_operations(operations, metrics)
    place = {key: index for index, key in enumerate(operations)}
    pieces.sort(key=lambda piece: (place[piece.key], piece.kernel, piece.iteration))
    frame = _frame(pieces, kernels, benchmarks, metrics, operations)
    said = [diagnostic for report in gathered.files for diagnostic in report.diagnostics]
    return Samples(
        frame,
        kernels,
        benchmarks,
        metrics,
        operations,
        appeared,
        gathered.files,
        _with_parts(gathered.runs, pieces, frame["value"].to_numpy()),
        gathered.metrics,
        diagnostics,
        tuple(gathered.environments.get(kernel, {}) for kernel in range(len(kernels))),
        tuple(dict.fromkeys((*diagnostics, *said, *gathered.diagnostics))),
    )


def _with_parts(
    runs: tuple[tuple[Benchmark, KernelRun], ...], pieces: list[_Piece], values: np.ndarray
) -> tuple[tuple[Benchmark, KernelRun], ...]:
    """The runs with their values taken from the frame, so that those are held once."""
    ends = np.cumsum([len(piece.block.values) for piece in pieces]).tolist()
    parts = {id(piece.block): values[start:end] for piece, start, end in zip(pieces, [0, *ends], ends, strict=False)}
    return tuple(
        (
            benchmark,
            replace(
                run,
                blocks=tuple((source, replace(block, values=parts[id(block)])) for source, block in run.blocks),
            ),
        )
        for benchmark, run in runs
    )


def _iterations(runs: list[tuple[int, int | None]]) -> list[int]:
    """The iteration of each run of an operation: its number as names tell it, where they tell all runs apart.

    Otherwise runs are counted from 0, kernel by kernel, in the order in which they come.
    """
    if all(number is not None for _, number in runs) and len(set(runs)) == len(runs):
        return [number for _, number in runs if number is not None]
    counts: dict[int, int] = defaultdict(int)
    iterations = []
    for kernel, _ in runs:
        iterations.append(counts[kernel])
        counts[kernel] += 1
    return iterations


def _sorted_metrics(metrics: dict[tuple[str, str], Metric], gathered: Gathered) -> dict[tuple[str, str], Metric]:
    """Order by benchmark, then as the parsers declare them, that of the benchmark first."""
    rank = {
        label: index for index, label in enumerate(dict.fromkeys(benchmark.label for benchmark, _ in gathered.runs))
    }
    place: dict[tuple[str, str], tuple[int, ...]] = {}
    for benchmark, run in gathered.runs:
        declared = gathered.metrics[run.parser]
        for _, block in run.blocks:
            name = block.metric.name
            position = declared.index(name) if name in declared else len(declared)
            place.setdefault((benchmark.label, name), (rank[benchmark.label], block.metric.monitor, position))
    return {item: metrics[item] for item in sorted(metrics, key=lambda item: (place[item], item[1]))}


def _sorted_operations(
    operations: dict[tuple[str, str, str], Operation], metrics: dict[tuple[str, str], Metric]
) -> dict[tuple[str, str, str], Operation]:
    rank = {key: index for index, key in enumerate(metrics)}
    ordered = sorted(operations, key=lambda key: (rank[key[:2]], operations[key].sort_key))
    return {key: operations[key] for key in ordered}


def _frame(
    pieces: list[_Piece],
    kernels: tuple[str, ...],
    benchmarks: Mapping[str, Benchmark],
    metrics: Mapping[tuple[str, str], Metric],
    operations: Mapping[tuple[str, str, str], Operation],
) -> pd.DataFrame:
    """Fill the columns one by one, each by repeating what is constant in a piece."""
    lengths = np.array([len(piece.block.values) for piece in pieces], dtype=np.int64)
    labels = list(benchmarks)
    names = list(dict.fromkeys(name for _, name in metrics))
    rows = list(dict.fromkeys(name for _, _, name in operations))

    def categories(values: list[int], texts: list[str], *, ordered: bool = False) -> pd.Categorical:
        narrow = np.min_scalar_type(-max(len(texts), 1))
        codes = np.repeat(np.array(values, dtype=narrow), lengths)
        return pd.Categorical.from_codes(codes, categories=pd.Index(texts, dtype="str"), ordered=ordered)

    def numbers(values: list[float], dtype: str) -> np.ndarray:
        return np.repeat(np.array(values, dtype=dtype), lengths)

    place = [{text: index for index, text in enumerate(texts)} for texts in (labels, names, rows)]
    counted = [np.arange(length, dtype=np.int32) for length in lengths]
    measured = [np.asarray(piece.block.values, dtype=np.float64) for piece in pieces]
    return pd.DataFrame(
        {
            "kernel": categories([piece.kernel for piece in pieces], list(kernels), ordered=True),
            "iteration": numbers([piece.iteration for piece in pieces], "int32"),
            "benchmark": categories([place[0][piece.key[0]] for piece in pieces], labels, ordered=True),
            "metric": categories([place[1][piece.key[1]] for piece in pieces], names),
            "operation": categories([place[2][piece.key[2]] for piece in pieces], rows, ordered=True),
            "param": numbers([piece.block.operation.param for piece in pieces], "float64"),
            "sample": np.concatenate(counted) if counted else np.empty(0, dtype=np.int32),
            "value": np.concatenate(measured) if measured else np.empty(0, dtype=np.float64),
            "source": numbers([piece.source for piece in pieces], "int32"),
        },
        copy=False,
    )
