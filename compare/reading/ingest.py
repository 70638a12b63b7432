"""Read every file that was found: decompress, recognise, parse, and account for it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compare_kernels.model import Diagnostic, FileReport, FileStatus, Severity, SourceFile
from compare_kernels.parsers.base import Parsed, RawLog, SampleBuilder, path_name
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.recognise import is_companion, recognise
from compare_kernels.reading.snapshots import framed, pairs, told_of_the_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.parsers.base import Parser
    from compare_kernels.reading.decompress import Content


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


def read_files(sources: Sequence[SourceFile]) -> list[FileResult]:
    """Read all files, two that are one measurement as one: the first holds its values, the second is a companion.

    Returns:
        A result for each file, in the same order.
    """
    results: dict[int, FileResult] = {}
    for pair in pairs(sources):
        if found := _read_pair(sources[pair.first[0]], sources[pair.second[0]], pair.name):
            for result, indices in zip(found, (pair.first, pair.second), strict=True):
                results[indices[0]] = result
                results |= {index: copy for index in indices[1:] if (copy := _copy(sources[index], result))}
    return [results.get(index) or read_file(source) for index, source in enumerate(sources)]


def _read_pair(first: SourceFile, second: SourceFile, name: str) -> tuple[FileResult, FileResult] | None:
    """Read two snapshots as one log; None if they aren't both snapshots."""
    contents = read_content(first.path), read_content(second.path)
    whole = framed(_log(first, contents[0]), _log(second, contents[1]), name)
    known = recognise(whole) if whole else None
    if whole is None or known is None:
        return None
    parser_name, parser = known
    parsed = told_of_the_pair(_parse(parser_name, parser, whole, first.path))
    for source, content in zip((first, second), contents, strict=True):
        if content.problem:
            parsed = _truncated(parsed, Diagnostic(Severity.WARNING, "truncated", content.problem, source.path))
    note = Diagnostic(Severity.NOTE, "companion", f"read together with {first.path}", second.path)
    companion = FileReport(second, "companion", parser_name, first.path)
    return (
        _result(first, parser_name, parsed, contents[0]),
        FileResult(companion, None, (note,), *_fingerprint(contents[1])),
    )


def _copy(source: SourceFile, original: FileResult) -> FileResult | None:
    """The result of a file that holds the same bytes as one that was read, or None if it doesn't."""
    if _fingerprint(read_content(source.path)) != (original.digest, original.size):
        return None
    path = original.report.source.path
    note = Diagnostic(Severity.NOTE, "copy", f"holds the snapshot that was read from {path}", source.path)
    report = FileReport(source, "copy", original.report.parser, path)
    return FileResult(report, None, (note,), original.digest, original.size)


def read_file(source: SourceFile) -> FileResult:
    """Read one file; whatever is wrong with it becomes a diagnostic."""
    content = read_content(source.path)
    if not content.readable:
        return _unread(source, "unreadable", Diagnostic(Severity.ERROR, "unreadable", content.problem, source.path))
    if not content.data.strip():
        reason = content.problem or "the file is empty: the run was killed or never started"
        return _unread(source, "empty", Diagnostic(Severity.WARNING, "empty", reason, source.path))
    log = _log(source, content)
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
    return _result(source, name, parsed, content)


def _log(source: SourceFile, content: Content) -> RawLog:
    return RawLog(content.data, path_name(source.path), source.folders, not content.problem)


def _result(source: SourceFile, name: str, parsed: Parsed, content: Content) -> FileResult:
    report = FileReport(source, parsed.status, name)
    return FileResult(report, parsed, parsed.diagnostics, *_fingerprint(content))


def _fingerprint(content: Content) -> tuple[str, int]:
    return hashlib.sha256(content.data).hexdigest(), len(content.data)


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
