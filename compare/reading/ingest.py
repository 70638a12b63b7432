"""Read every file that was found: decompress, recognise, parse, and account for it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compare_kernels.model import Diagnostic, FileReport, FileStatus, Severity, SourceFile
from compare_kernels.parsers.base import Parsed, RawLog, SampleBuilder, path_name
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.recognise import is_companion, recognise

if TYPE_CHECKING:
    from compare_kernels.parsers.base import Parser


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file after reading; plain data that can travel between processes.

    Attributes:
        report: what became of it.
        parsed: what the parser found, or None if no parser read it.
        diagnostics: all that is to be said about it, the parser's diagnostics included.
        digest: of the decompressed content.
        size: bytes of the decompressed content.
    """

    report: FileReport
    parsed: Parsed | None
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    size: int


def read_file(source: SourceFile) -> FileResult:
    """Read one file; whatever is wrong with it becomes a diagnostic."""
    content = read_content(source.path)
    if not content.readable:
        return _unread(source, "unreadable", Diagnostic(Severity.ERROR, "unreadable", content.problem, source.path))
    if not content.data.strip():
        reason = content.problem or "the file is empty: the run was killed or never started"
        return _unread(source, "empty", Diagnostic(Severity.WARNING, "empty", reason, source.path))
    log = RawLog(content.data, path_name(source.path), source.folders, not content.problem)
    known = recognise(log)
    if known is None:
        if is_companion(log.name):
            note = Diagnostic(
                Severity.NOTE, "companion", "lies beside the logs and holds no measurement", source.path
            )
            return _unread(source, "companion", note)
        return _unread(
            source,
            "unrecognised",
            Diagnostic(Severity.WARNING, "unrecognised", "no parser knows this format", source.path),
        )
    name, parser = known
    parsed = _parse(name, parser, log, source.path)
    if content.problem:
        parsed = _truncated(parsed, Diagnostic(Severity.WARNING, "truncated", content.problem, source.path))
    report = FileReport(source, parsed.status, name)
    digest = hashlib.sha256(content.data).hexdigest()
    return FileResult(report, parsed, parsed.diagnostics, digest, len(content.data))


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


def _truncated(parsed: Parsed, diagnostic: Diagnostic) -> Parsed:
    return replace(parsed, status="truncated", diagnostics=(diagnostic, *parsed.diagnostics))


def _unread(source: SourceFile, status: FileStatus, diagnostic: Diagnostic) -> FileResult:
    return FileResult(FileReport(source, status), None, (diagnostic,), "", 0)
