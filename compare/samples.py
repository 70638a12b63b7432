"""The samples of a comparison: a tidy frame with a row for each measurement, and what its categories mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from compare_kernels.model import Benchmark, Diagnostic, FileReport, Metric, Operation
    from compare_kernels.parsers.base import Block
    from compare_kernels.reading.runs import Gathered

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
        frame: the samples, see `COLUMNS`. ``kernel`` is ordered as given, the first is the baseline; ``operation`` is
            ordered as shown. ``iteration`` counts the runs of an operation from 0, ``sample`` the values inside a
            run from 0. ``value`` is in the metric's unit. ``source`` is an index into ``files``. Rows are sorted by
            benchmark, metric, operation, kernel, iteration and sample.
        kernels: names of the kernels, the baseline first.
        benchmarks: label to benchmark, in the order of a report.
        metrics: benchmark's label and metric's name to metric, in the order of a report.
        operations: benchmark's label, metric's name and operation's name to operation, in the order of a table.
        files: what became of each file that was found.
        diagnostics: all that has to be said about the inputs.
    """

    frame: pd.DataFrame
    kernels: tuple[str, ...]
    benchmarks: Mapping[str, Benchmark]
    metrics: Mapping[tuple[str, str], Metric]
    operations: Mapping[tuple[str, str, str], Operation]
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]

    def select(self, choose: Callable[[Benchmark, Metric, Operation], bool]) -> Samples:
        """Return the samples of those operations for which ``choose`` is true."""
        kept = {
            key: operation
            for key, operation in self.operations.items()
            if choose(self.benchmarks[key[0]], self.metrics[key[:2]], operation)
        }
        metrics = {key: metric for key, metric in self.metrics.items() if any(other[:2] == key for other in kept)}
        benchmarks = {
            label: benchmark
            for label, benchmark in self.benchmarks.items()
            if any(key[0] == label for key in metrics)
        }
        frame = self.frame
        if len(kept) < len(self.operations):
            index = pd.MultiIndex.from_frame(frame[["benchmark", "metric", "operation"]])
            frame = frame[index.isin(list(kept))]
        return replace(self, frame=frame, benchmarks=benchmarks, metrics=metrics, operations=kept)

    def rows(self) -> Iterator[Row]:
        """Yield the operations in the order of a report, each with the samples of all kernels."""
        codes = [self.frame[name].cat.codes.to_numpy() for name in ("benchmark", "metric", "operation", "kernel")]
        names = [self.frame[name].cat.categories for name in ("benchmark", "metric", "operation")]
        values = self.frame["value"].to_numpy()
        runs = self.frame["iteration"].to_numpy()
        if not len(values):
            return
        changes = np.zeros(len(values) - 1, dtype=bool)
        for code in codes:
            changes |= code[1:] != code[:-1]
        starts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(values)]
        key: tuple[str, str, str] | None = None
        groups: dict[int, Group] = {}
        for start, end in pairwise(starts):
            own = tuple(str(name[code[start]]) for name, code in zip(names, codes, strict=False))
            assert len(own) == 3
            if key is not None and own != key:
                yield Row(key[0], self.metrics[key[0], key[1]], self.operations[key], groups)
                groups = {}
            key = own
            kernel = int(codes[3][start])
            groups[kernel] = Group(kernel, values[start:end], runs[start:end])
        assert key is not None
        yield Row(key[0], self.metrics[key[0], key[1]], self.operations[key], groups)


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
        diagnostics: of earlier stages, to be passed on.
    """
    benchmarks = {benchmark.label: benchmark for benchmark, _ in gathered.runs}
    metrics: dict[tuple[str, str], Metric] = {}
    operations: dict[tuple[str, str, str], Operation] = {}
    pieces: list[_Piece] = []
    counts: dict[tuple[int, str, str, str], int] = {}
    for benchmark, run in gathered.runs:
        for source, block in run.blocks:
            key = (benchmark.label, block.metric.name, block.operation.name)
            metrics.setdefault(key[:2], block.metric)
            operations.setdefault(key, block.operation)
            iteration = counts.get((run.kernel, *key), 0)
            counts[run.kernel, *key] = iteration + 1
            pieces.append(_Piece(run.kernel, iteration, key, source, block))
    metrics = _sorted_metrics(metrics, gathered)
    operations = _sorted_operations(operations, metrics)
    place = {key: index for index, key in enumerate(operations)}
    pieces.sort(key=lambda piece: (place[piece.key], piece.kernel, piece.iteration))
    frame = _frame(pieces, kernels, benchmarks, metrics, operations)
    return Samples(
        frame, kernels, benchmarks, metrics, operations, gathered.files, (*diagnostics, *gathered.diagnostics)
    )


def _sorted_metrics(metrics: dict[tuple[str, str], Metric], gathered: Gathered) -> dict[tuple[str, str], Metric]:
    """Order by benchmark, then as the parser declares them."""
    from compare_kernels.reading.recognise import declared_metrics

    labels = {benchmark.label: benchmark.parser for benchmark, _ in gathered.runs}
    rank = {label: index for index, label in enumerate(labels)}
    declared = {parser: declared_metrics(parser) for parser in set(labels.values())}

    def key(item: tuple[str, str]) -> tuple[int, int, str]:
        label, name = item
        names = declared[labels[label]]
        return rank[label], names.index(name) if name in names else len(names), name

    return {item: metrics[item] for item in sorted(metrics, key=key)}


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
