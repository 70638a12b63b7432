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
    from collections.abc import Mapping, Sequence

    from compare_kernels.environment.facts import Fact
    from compare_kernels.parsers.base import Parser
    from compare_kernels.parsers.described import DescribedParser
    from compare_kernels.reading.decompress import Content


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
        facts: what it says of the machine.
    """

    report: FileReport
    readings: tuple[Reading, ...]
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    size: int
    facts: tuple[Fact, ...] = ()


def read_files(
    sources: Sequence[SourceFile],
    described: Sequence[DescribedParser] = (),
    known: Mapping[SourceFile, FileResult] | None = None,
) -> list[FileResult]:
    """Read all files, two that are one measurement as one: the first holds its values, the second is a companion.

    Args:
        sources: the files.
        described: parsers beside those that are built in or plugged in.
        known: what became of files that aren't logs.

    Returns:
        A result for each file, in the same order.
    """
    results = {index: known[source] for index, source in enumerate(sources) if known and source in known}
    for pair in pairs(sources):
        if found := _read_pair(sources[pair.first[0]], sources[pair.second[0]], pair.name):
            for result, indices in zip(found, (pair.first, pair.second), strict=True):
                results[indices[0]] = result
                results |= {index: copy for index in indices[1:] if (copy := _copy(sources[index], result))}
    return [results.get(index) or read_file(source, described) for index, source in enumerate(sources)]


def _read_pair(first: SourceFile, second: SourceFile, name: str) -> tuple[FileResult, FileResult] | None:
    """Read two snapshots as one log; None if they aren't both snapshots."""
    contents = read_content(first.path), read_content(second.path)
    whole = framed(_log(first, contents[0]), _log(second, contents[1]), name)
    known = recognise(whole) if whole else []
    if whole is None or not known:
        return None
    readings = tuple(
        replace(reading, parsed=told_of_the_pair(reading.parsed)) for reading in _read(known, whole, first.path)
    )
    problems = [
        Diagnostic(Severity.WARNING, "truncated", content.problem, source.path)
        for source, content in zip((first, second), contents, strict=True)
        if content.problem
    ]
    note = Diagnostic(Severity.NOTE, "companion", f"read together with {first.path}", second.path)
    companion = FileReport(second, "companion", readings[0].parser, first.path)
    return (
        _result(first, readings, problems, contents[0]),
        FileResult(companion, (), (note,), *_fingerprint(contents[1])),
    )


def _copy(source: SourceFile, original: FileResult) -> FileResult | None:
    """The result of a file that holds the same bytes as one that was read, or None if it doesn't."""
    if _fingerprint(read_content(source.path)) != (original.digest, original.size):
        return None
    path = original.report.source.path
    note = Diagnostic(Severity.NOTE, "copy", f"holds the snapshot that was read from {path}", source.path)
    report = FileReport(source, "copy", original.report.parser, path)
    return FileResult(report, (), (note,), original.digest, original.size)


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
    log = _log(source, content)
    known = recognise(log, described)
    if not known:
        if is_companion(log.name):
            note = Diagnostic(
                Severity.NOTE, "companion", "lies beside the logs and holds no measurement", source.path
            )
            return unread(source, "companion", note)
        return _read_environment(source, log, content) or unread(
            source,
            "unrecognised",
            Diagnostic(Severity.WARNING, "unrecognised", _strange(content.data), source.path),
        )
    problems = [Diagnostic(Severity.WARNING, "truncated", content.problem, source.path)] if content.problem else []
    return _result(source, _read(known, log, source.path), problems, content)


def _strange(data: bytes) -> str:
    """Why nobody reads a file."""
    if data[257:262] == b"ustar" or data[:4] == b"PK\x03\x04" or data[:6] == b"7z\xbc\xaf\x27\x1c":
        return "an archive: unpack it, and give the directory"
    return "no parser knows this format"


def _read_environment(source: SourceFile, log: RawLog, content: Content) -> FileResult | None:
    """Read a file that describes the machine; None if it doesn't."""
    from compare_kernels.environment import dmesg, kinds

    # Time stamps of the kernel's log have to stay, which the cleaned lines don't have.
    text = content.data.decode(errors="replace")
    kind = kinds.recognise(log.name, log.folders, text)
    if kind is None:
        return None
    said = [
        Diagnostic(
            Severity.WARNING, item.kind, f"the kernel's log: {item.text}{_times(item.count)}", item.path, item.line
        )
        for item in (dmesg.findings(text, source.path) if kind == "dmesg" else ())
    ]
    facts = kinds.facts(kind, log.name, log.folders, text)
    report = FileReport(source, "environment", kind)
    return FileResult(report, (), tuple(said), *_fingerprint(content), facts)


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def _log(source: SourceFile, content: Content) -> RawLog:
    return RawLog(content.data, path_name(source.path), source.folders, not content.problem)


def _result(
    source: SourceFile, readings: tuple[Reading, ...], problems: list[Diagnostic], content: Content
) -> FileResult:
    status = "truncated" if problems else readings[0].parsed.status
    report = FileReport(source, status, ", ".join(reading.parser for reading in readings))
    said = [diagnostic for reading in readings for diagnostic in reading.parsed.diagnostics]
    return FileResult(report, readings, (*problems, *said), *_fingerprint(content))


def _fingerprint(content: Content) -> tuple[str, int]:
    return hashlib.sha256(content.data).hexdigest(), len(content.data)


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
