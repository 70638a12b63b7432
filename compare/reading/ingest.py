"""Read every file that was found: decompress, recognise, parse, and account for it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.model import Diagnostic, FileReport, FileStatus, Severity, SourceFile
from compare_kernels.parsers.base import Parsed, RawLog, SampleBuilder, path_name
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.recognise import is_companion, recognise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.parsers.base import Parser
    from compare_kernels.parsers.described import DescribedParser


@dataclass(frozen=True, slots=True)
class Reading:
    """What one parser found in a file.

    Attributes:
        parser: its name.
        parsed: the runs with their values.
        metrics: names of the metrics that it may give, in the order of a report.
    """

    parser: str
    parsed: Parsed
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file after reading; plain data that can travel between processes.

    Attributes:
        report: what became of it.
        readings: what parsers found: none if no parser knows the file, several if a program that watched the
            benchmark printed into its log.
        diagnostics: all that is to be said about it, those of the parsers included.
        digest: of the decompressed content.
        size: bytes of the decompressed content.
    """

    report: FileReport
    readings: tuple[Reading, ...]
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    size: int


def read_file(source: SourceFile, described: Sequence[DescribedParser] = ()) -> FileResult:
    """Read one file; whatever is wrong with it becomes a diagnostic.

    Args:
        source: the file.
        described: parsers beside those that are built in or plugged in.
    """
    content = read_content(source.path)
    if not content.readable:
        return unread(source, "unreadable", Diagnostic(Severity.ERROR, "unreadable", content.problem, source.path))
    if not content.data.strip():
        reason = content.problem or "the file is empty: the run was killed or never started"
        return unread(source, "empty", Diagnostic(Severity.WARNING, "empty", reason, source.path))
    log = RawLog(content.data, path_name(source.path), source.folders, not content.problem)
    known = recognise(log, described)
    if not known:
        if is_companion(log.name):
            note = Diagnostic(
                Severity.NOTE, "companion", "lies beside the logs and holds no measurement", source.path
            )
            return unread(source, "companion", note)
        return unread(
            source,
            "unrecognised",
            Diagnostic(Severity.WARNING, "unrecognised", "no parser knows this format", source.path),
        )
    problem = Diagnostic(Severity.WARNING, "truncated", content.problem, source.path) if content.problem else None
    readings = _read(known, log, source.path)
    status = "truncated" if problem else readings[0].parsed.status
    report = FileReport(source, status, ", ".join(reading.parser for reading in readings))
    diagnostics = [diagnostic for reading in readings for diagnostic in reading.parsed.diagnostics]
    digest = hashlib.sha256(content.data).hexdigest()
    return FileResult(
        report, readings, tuple([problem, *diagnostics] if problem else diagnostics), digest, len(content.data)
    )


def _read(known: Sequence[tuple[str, Parser]], log: RawLog, path: str) -> tuple[Reading, ...]:
    """Let each parser read; what watched a run that failed is worth nothing."""
    readings: list[Reading] = []
    for name, parser in known:
        parsed = _parse(name, parser, log, path)
        readings.append(Reading(name, parsed, tuple(metric.name for metric in parser.METRICS)))
        if parsed.status == "failed-run":
            break
    return tuple(readings)


def _parse(name: str, parser: Parser, log: RawLog, path: str) -> Parsed:
    builder = SampleBuilder(path)
    try:
        parser.parse(log, builder)
    except Exception as error:  # a parser's fault must not cost the other files
        fault = Diagnostic(
            Severity.ERROR,
            "parser-fault",
            f"parser {name} failed, please report it: {type(error).__name__}: {error}",
            path,
        )
        return Parsed((), (), (fault,), "unreadable")
    return builder.finish()


def unread(source: SourceFile, status: FileStatus, diagnostic: Diagnostic, parser: str = "") -> FileResult:
    """The result for a file that no parser reads; ``parser`` is the name of one that it describes."""
    return FileResult(FileReport(source, status, parser), (), (diagnostic,), "", 0)
