"""The types that travel through the pipeline: frozen dataclasses.

    discover → parse → samples → summarise → compare → report → render

Only the standard library is imported here, so that every stage and every parser can import this module at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

Better = Literal["higher", "lower", "none"]
Mean = Literal["arithmetic", "harmonic", "geometric"]


class Severity(IntEnum):
    """How much a diagnostic matters: a note explains, a warning may change what a reader concludes.

    An error means that something which was asked for could not be read at all. ``--strict`` lets a run with
    warnings or errors fail.
    """

    NOTE = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing a reader has to know about the data: what is wrong, and where.

    Attributes:
        severity: how much it matters.
        slug: the kind of fault in a few words joined by dashes, such as ``failed-run``; stable, for programs.
        message: a sentence for people.
        path: the file as it was found, or an empty string when no single file is meant.
        line: the line in that file, counted from 1, or 0 when the whole file is meant.

    """

    severity: Severity
    slug: str
    message: str
    path: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """The place as ``path:line``, ``path`` or an empty string."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Metric:
    """What a benchmark measures, and how it wants to be read.

    Attributes:
        name: the name that ``--metric`` takes, such as ``fault-latency``.
        title: what stands in a heading behind the benchmark's name, such as ``Fault Latencies``; may be empty.
        unit: the base unit of the values, such as ``us`` or ``MB/s``.
        better: the direction in which a change is an improvement.
        mean: which mean describes the values; rates want the harmonic one.
        decimals: digits behind the point in tables.
        main: whether it is shown without being asked for by name. Of a benchmark that gave no main metric at all,
            the others are shown.
        interim: whether its values are reports inside a run, which are no results: shown only by name.
        parameter: what the parameter of its operations counts, such as ``groups``; empty if there is none.
        quantity: what is measured, in the words of a sentence, such as ``time in seconds``.
        headline: the series (see `Operation`) that stands for the metric where a style shows only one; empty
            if all of them are wanted.
        monitor: whether it tells what the machine did while a benchmark ran (faults, seconds of the system). Such
            rows are shown as values; they are not tested and get no verdict.
        label: what stands before each row of a monitor's table, such as ``Duration``.
        extreme: whether each value is the largest of its run or thread. Such values are compared by their ranks,
            never by a test of means, whatever test is asked for.

    """

    name: str
    title: str
    unit: str
    better: Better
    mean: Mean = "arithmetic"
    decimals: int = 2
    main: bool = True
    interim: bool = False
    parameter: str = ""
    quantity: str = ""
    headline: str = ""
    monitor: bool = False
    label: str = "Ops"
    extreme: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of a table before statistics multiply it, such as ``fault-huge-4``.

    Attributes:
        name: the text of the row.
        series: the name without the parameter, such as ``fault-huge``; empty if the parameter is all there is.
        param: the number of clients, groups, threads, bytes and so on; NaN if there is none.
        order: rows are sorted by this, then by parameter, then by name; a parser whose rows want another order
            (all percentiles of a client count together) puts the parameter first here.

    """

    name: str
    series: str = ""
    param: float = float("nan")
    order: tuple[float, ...] = ()

    @property
    def sort_key(self) -> tuple[tuple[float, ...], float, str]:
        """The key that puts operations into the order of a table; operations without parameter come last."""
        return (self.order, self.param if self.param == self.param else float("inf"), self.name)


Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run was asked to do, as far as its log and its file name tell.

    Only runs with equal variant and settings are pooled or compared.

    Attributes:
        variant: key and value of what names a variant of the benchmark in headings (``test``: ``TCP_STREAM``).
        settings: further key and value that keep runs apart, shown in headings only where they differ
            (``messages``: ``4000``).

    """

    variant: Pairs = ()
    settings: Pairs = ()


FileStatus = Literal[
    "read",
    "copy",
    "companion",
    "environment",
    "empty",
    "failed-run",
    "truncated",
    "unreadable",
    "unrecognised",
    "no-result",
]
"""What became of a file.

``read``: it gave samples. ``copy``: its run was read from another file. ``companion``: it lies beside a benchmark's
logs and holds no measurement. ``environment``: it describes the machine. ``truncated``: it stops too early; what it
holds is used where a value is complete. ``failed-run``: the program reported a failure and the file gave nothing.
``no-result``: the benchmark was recognised, but there is no value in the file. The others say what they mean.
"""

PLAIN_STATUSES = ("copy", "companion", "environment")
"""Statuses that say all there is: their diagnostics add nothing where the status is shown."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was found below an input.

    Attributes:
        kernel: index of its kernel; 0 is the baseline.
        path: the path to open, as the user would type it.
        folders: names of the folders between the input and the file; the input's own name too, if all inputs share
            it, for then it names what was run and not a kernel.
        instance: the folder that names an instance of a benchmark, joined by ``/``; empty if there is none.
        repetition: the numbers of the folders that stand for repetitions (``iter-2/run-1`` is ``(2, 1)``).
        mmtests: whether it was found in mmtests' layout, where ``instance`` is the benchmark's own name.

    """

    kernel: int
    path: str
    folders: tuple[str, ...] = ()
    instance: str = ""
    repetition: tuple[int, ...] = ()
    mmtests: bool = False


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file that was found.

    Attributes:
        source: the file.
        status: see `FileStatus`.
        parser: name of the parser that read it, or that it describes; empty if there is none.
        detail: a few words more, such as the path of the file that it is a copy of.
        digest: SHA-256 of the decompressed content in hexadecimal; empty if nothing was read.
        diagnostics: what has to be said about the file.

    """

    source: SourceFile
    status: FileStatus
    parser: str = ""
    detail: str = ""
    digest: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark in one configuration: what a table is about.

    Attributes:
        label: the heading's first part, unique in a report, such as ``hackbench-process-pipes``.
        parser: name of the parser, such as ``hackbench``.
        instance: the folder that named it, see `SourceFile`.
        configuration: what its runs have in common.

    """

    label: str
    parser: str
    instance: str = ""
    configuration: Configuration = field(default_factory=Configuration)
