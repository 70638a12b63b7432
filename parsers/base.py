"""What a parser gets, what it gives, and what it has to be.

A parser is a module (or any object) with the attributes of `Parser`. It gets a `RawLog` and fills a `SampleBuilder`.
It knows nothing of kernels, statistics or output, and it never invents a value: a run that failed gives a
diagnostic and no sample.

Nothing here imports numpy or pandas, so that a worker process which parses line by line starts at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from compare_kernels.model import Configuration, Diagnostic, FileStatus, Metric, Operation, Pairs, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd

    Values = list[float] | np.ndarray


class Match(IntEnum):
    """How sure a parser is that a log is one of its own; the surest parser gets the file."""

    NO = 0
    NAME = 1
    """The text fits, but only the file's or folder's name says whose it is (a bare number)."""
    LIKELY = 2
    """The text is of this kind, but other programs print the like."""
    CERTAIN = 3
    """Nothing else prints this."""


@dataclass(frozen=True)
class RawLog:
    """The decompressed content of one file, with the names that may supply what the text lacks.

    Attributes:
        data: the bytes, decompressed.
        name: the file's name without compression suffixes.
        folders: names of the folders above it, outermost first, below the input that the user named.
        complete: False if the file's compression says that bytes are missing at its end.
        lines: the text by lines, without line ends, escape sequences and the prefixes that consoles, CI systems
            and mails put before every line. ``lines[0]`` is line 1 of the file.

    """

    data: bytes
    name: str = ""
    folders: tuple[str, ...] = ()
    complete: bool = True

    @cached_property
    def lines(self) -> list[str]:
        """The cleaned lines; made at the first use, since a parser of large logs may do with the bytes."""
        from compare_kernels.parsers.text import clean_lines

        return clean_lines(self.data)

    @cached_property
    def head(self) -> str:
        """The first 64 KiB as clean text, for recognising the format."""
        if len(self.data) <= HEAD_BYTES:
            return "\n".join(self.lines)
        from compare_kernels.parsers.text import clean_lines

        return "\n".join(clean_lines(self.data[:HEAD_BYTES]))

    @property
    def ended(self) -> bool:
        """Whether the last line has its line end, so that no number in it can have been cut off."""
        return self.complete and self.data.rstrip(b"\0").endswith((b"\n", b"\r"))

    @property
    def stem(self) -> str:
        """The name without the endings that mean nothing: ``tbench-4.log`` is ``tbench-4``."""
        return re.sub(r"(?i)\.(log|txt|out|json|raw|text|stdout|stderr)$", "", self.name)

    @property
    def hints(self) -> str:
        """Folders and name joined by ``/``, in lower case: where words such as ``pipes`` are looked for."""
        return "/".join((*self.folders, self.stem)).lower()

    def name_has(self, *words: str) -> bool:
        """Whether one of the words stands in the file's or a folder's name, bounded by non-letters."""
        return any(re.search(rf"(?<![a-z]){word}(?![a-z])", self.hints) for word in words)


HEAD_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Block:
    """The values that one run gave for one operation of one metric, in the order of the log."""

    run: int
    metric: Metric
    operation: Operation
    values: Values


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a benchmark.

    Attributes:
        configuration: what it was asked to do; see `compare_kernels.model.Configuration`.
        number: the number of the repetition as the file's name tells it, or None; orders runs.
        identity: equal for the same run described by several files of one folder (text, XML, console); empty if
            there is one file only.
        authority: of several files with one identity, the highest gives each metric.
        conditions: name and value of what should be alike in all runs but does not forbid pooling, such as the
            measured seconds; a run that differs is reported.
        line: where it begins, counted from 1.

    """

    configuration: Configuration = field(default_factory=Configuration)
    number: int | None = None
    identity: str = ""
    authority: int = 0
    conditions: tuple[tuple[str, float], ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser found in one file; plain data that can travel between processes."""

    runs: tuple[Run, ...]
    blocks: tuple[Block, ...]
    diagnostics: tuple[Diagnostic, ...]
    status: FileStatus

    def frame(self) -> pd.DataFrame:
        """The samples as a dataframe.

        Returns:
            A row for each sample with columns ``run`` (int32, from 0), ``metric`` and ``operation`` (text),
            ``param`` (float64), ``sample`` (int32, from 0 within run and operation) and ``value`` (float64, in the
            metric's unit), in the order in which the parser added them.

        """
        import pandas as pd

        rows = [
            (block.run, block.metric.name, block.operation.name, block.operation.param, index, value)
            for block in self.blocks
            for index, value in enumerate(block.values)
        ]
        columns = ["run", "metric", "operation", "param", "sample", "value"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"run": "int32", "param": "float64", "sample": "int32", "value": "float64"})


class SampleBuilder:
    """Collects what a parser finds in one log.

    Call `run` when an execution of the benchmark begins, then `add` for each of its values. Report what is wrong by
    `note`, `warn`, `failed` and `truncated`.
    """

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._runs: list[Run] = []
        self._blocks: dict[tuple[int, str, str], Block] = {}
        self._diagnostics: list[Diagnostic] = []
        self._failed = False
        self._truncated = False
        self._open_run = False
        """Whether a run has begun of which neither a value nor a failure was told yet."""

    def run(
        self,
        *,
        variant: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        conditions: Mapping[str, float] | None = None,
        number: int | None = None,
        identity: str = "",
        authority: int = 0,
        line: int = 0,
    ) -> None:
        """Begin a run; all values that follow belong to it. The arguments are those of `Run`.

        Of ``variant`` and ``settings``, pairs with an empty value are left out: what a log doesn't tell isn't a
        configuration. A run that gets no value until the next begins or the log ends counts as failed.
        """
        self._close_run()
        self._open_run = True
        self._runs.append(
            Run(
                Configuration(_pairs(variant), _pairs(settings)),
                number,
                identity,
                authority,
                tuple(sorted((conditions or {}).items())),
                line,
            )
        )

    def add(self, metric: Metric, operation: Operation, *values: float) -> None:
        """Add values of the current run in the metric's unit; a value that isn't finite becomes a warning."""
        self.add_many(metric, operation, values)

    def add_many(
        self, metric: Metric, operation: Operation, values: list[float] | tuple[float, ...] | np.ndarray
    ) -> None:
        """Like `add`, for a sequence or a numpy array. An array is taken as it is and has to be finite."""
        if not self._runs:
            self.run()
        if not metric.interim:
            # Reports inside a run don't say that it came to its end.
            self._open_run = False
        run = len(self._runs) - 1
        key = (run, metric.name, operation.name)
        if not isinstance(values, (list, tuple)):
            self._blocks[key] = Block(run, metric, operation, values)
            return
        finite: list[float] = []
        for value in values:
            if value - value == 0:
                finite.append(value)
            else:
                self.warn("not-finite", f"{metric.name} of {operation.name or 'the run'} is {value}: left out")
        if not finite:
            return
        if key not in self._blocks:
            self._blocks[key] = Block(run, metric, operation, [])
        held = self._blocks[key].values
        assert isinstance(held, list)
        held.extend(finite)

    @property
    def empty(self) -> bool:
        """Whether no value has been added yet."""
        return not self._blocks

    def note(self, slug: str, message: str, line: int = 0) -> None:
        """Report something that explains the data but doesn't harm it."""
        self._report(Severity.NOTE, slug, message, line)

    def warn(self, slug: str, message: str, line: int = 0) -> None:
        """Report something that may change what a reader concludes."""
        self._report(Severity.WARNING, slug, message, line)

    def failed(self, message: str, line: int = 0) -> None:
        """Report a run that failed: it gives no value, and is never a zero."""
        self._failed = True
        self._open_run = False
        self._report(Severity.WARNING, "failed-run", message, line)

    def truncated(self, message: str, line: int = 0) -> None:
        """Report a log that stops too early. Add only those of its values that are complete."""
        self._truncated = True
        self._open_run = False
        self._report(Severity.WARNING, "truncated", message, line)

    def _close_run(self) -> None:
        if self._open_run:
            self.failed("the run did not finish: it has no result", self._runs[-1].line)

    def _report(self, severity: Severity, slug: str, message: str, line: int) -> None:
        self._diagnostics.append(Diagnostic(severity, slug, message, self._path, line))

    def finish(self) -> Parsed:
        """Return what was collected, as plain data."""
        self._close_run()
        status: FileStatus
        if self._truncated:
            status = "truncated"
        elif self._blocks:
            status = "read"
        else:
            status = "failed-run" if self._failed else "no-result"
        if status == "no-result" and not any(d.severity > Severity.NOTE for d in self._diagnostics):
            self._report(Severity.WARNING, "no-result", "the log holds no result: the run did not finish", 0)
        return Parsed(tuple(self._runs), tuple(self._blocks.values()), tuple(self._diagnostics), status)


class Parser(Protocol):
    """What a parser has to offer; a module with these names is one.

    Attributes:
        METRICS: all metrics that it may give, in the order of the tables.

    """

    METRICS: Sequence[Metric]

    def recognise(self, log: RawLog) -> Match:
        """Say how sure it is that the log is its own; look at ``log.head`` first, at names last."""

    def parse(self, log: RawLog, into: SampleBuilder) -> None:
        """Read the log into the builder. Bad input gives diagnostics, never an exception."""


def _pairs(mapping: Mapping[str, str] | None) -> Pairs:
    return tuple((key, value) for key, value in (mapping or {}).items() if value)


def run_number(log: RawLog) -> int | None:
    """The number of the repetition that a file's name ends with, such as ``…-run07``, ``…_iter3`` or ``….rep2``.

    None if there is no such word. Bare numbers, as in mmtests' ``…-64.3``, are left to the parsers, which know what
    the numbers before them mean.
    """
    found = re.search(r"(?i)(?:^|[^a-z])(?:run|iter|iteration|rep|repeat|sample|try|trial)[-_.]?(\d{1,6})$", log.stem)
    return int(found[1]) if found else None


def path_name(path: str) -> str:
    """The last part of a path, without the suffixes of compression: ``logs/t-1.log.gz`` is ``t-1.log``."""
    return re.sub(r"(?i)(\.(gz|bz2|xz|zst|zstd|lzma))+$", "", PurePath(path).name)
