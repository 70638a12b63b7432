"""What was found out about the inputs, told on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compare_kernels.cli.terminal import say
from compare_kernels.model import PLAIN_STATUSES, Diagnostic, Severity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from compare_kernels.model import FileReport

_SHOWN = 3


def tell(files: Iterable[FileReport], diagnostics: Sequence[Diagnostic], options: argparse.Namespace) -> None:
    """Diagnostics to stderr: with -v all and a line for each file, else the first warnings of each kind."""
    if options.verbose:
        of_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in diagnostics:
            of_file.setdefault(diagnostic.path, []).append(diagnostic)
        for report in files:
            about = f" {report.parser}" if report.parser else ""
            detail = f" (of {report.detail})" if report.detail else ""
            say(f"{report.source.path}: {report.status}{about}{detail}")
            for diagnostic in of_file.pop(report.source.path, ()):
                if diagnostic.severity > Severity.NOTE or diagnostic.slug not in PLAIN_STATUSES:
                    line = f"line {diagnostic.line}: " if diagnostic.line else ""
                    say(f"  {line}{_what(diagnostic)}")
        say(*(diagnostic_line(diagnostic) for rest in of_file.values() for diagnostic in rest))
    elif options.quiet:
        # What makes the exit code 2 is said in any case.
        say(*(diagnostic_line(diagnostic) for diagnostic in diagnostics if diagnostic.severity == Severity.ERROR))
    else:
        seen: dict[str, int] = {}
        for diagnostic in diagnostics:
            if diagnostic.severity > Severity.NOTE:
                seen[diagnostic.slug] = seen.get(diagnostic.slug, 0) + 1
                if seen[diagnostic.slug] <= _SHOWN:
                    say(diagnostic_line(diagnostic))
        more = [f"{count - _SHOWN} {slug}" for slug, count in seen.items() if count > _SHOWN]
        if more:
            say(f"... and more warnings: {', '.join(more)} (-v lists all)")


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """A diagnostic with its place, as one line."""
    place = f"{diagnostic.place}: " if diagnostic.place else ""
    return f"{place}{_what(diagnostic)}"


def _what(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.severity.name.lower()}: {diagnostic.message} [{diagnostic.slug}]"
