"""``compare-kernels check``: recompute what somebody posted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from compare_kernels.cli.diagnostics import diagnostic_line
from compare_kernels.cli.exits import DONE, WRONG
from compare_kernels.cli.files import write
from compare_kernels.cli.terminal import say
from compare_kernels.errors import NothingToCompareError

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Check posted tables."""
    files = options.files
    from compare_kernels import api
    from compare_kernels.loading import read_posted

    piped = sys.stdin.buffer.read() if "-" in files and sys.stdin is not None else b""
    tables, diagnostics = read_posted(*files, standard_input=piped)
    say(*(diagnostic_line(diagnostic) for diagnostic in diagnostics))
    if not tables:
        raise NothingToCompareError("no table was found")
    checked = api.check_posted(tables)
    counts = (
        f"{_counted(checked.tables, 'table')}, {_counted(checked.percentages, 'percentage')} and "
        f"{_counted(checked.relations, 'other relation')} checked: "
        f"{_counted(len(checked.contradictions), 'contradiction')}"
    )
    write("".join(f"{line}\n" for line in (*(found.text for found in checked.contradictions), counts)), None)
    return WRONG if checked.contradictions else DONE


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"
