"""Two files that are one measurement: snapshots of the kernel's counters before a run and after it.

Neither tells anything alone. Both go to the parser as one log, in the frame that mmtests gives them in a single file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from compare_kernels.parsers.base import RawLog, path_name
from compare_kernels.parsers.proc_vmstat import is_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compare_kernels.model import Diagnostic, SourceFile
    from compare_kernels.parsers.base import Parsed

_PAIRS = (("before", "after"), ("start", "end"), ("pre", "post"))
_SECOND_OF = dict(_PAIRS)
_FIRST_OF = {second: first for first, second in _PAIRS}
_WORD = re.compile(rf"(?i)(?<![a-z])({'|'.join((*_SECOND_OF, *_FIRST_OF))})(?![a-z])")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files of one folder whose names differ in a word only, such as ``before`` and ``after``.

    Attributes:
        first: indices of the files from before the run; more than one if it lies beside its compressed twin.
        second: indices of those from after it.
        name: what all names share.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    name: str


def pairs(sources: Sequence[SourceFile]) -> Iterator[Pair]:
    """Yield the pairs among files, as their names tell them; what they hold may be anything."""
    halves: dict[tuple[int, str, str, str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, source in enumerate(sources):
        name = path_name(source.path)
        if words := list(_WORD.finditer(name)):
            word = words[-1]
            text = word[1].lower()
            folder = str(PurePath(source.path).parent)
            place = (source.kernel, folder, _FIRST_OF.get(text, text), name[: word.start()], name[word.end() :])
            halves[place][text].append(index)
    for (_, _, first, left, right), found in halves.items():
        if len(found) == 2:
            yield Pair(tuple(found[first]), tuple(found[_SECOND_OF[first]]), _joined(left, right))


def _joined(left: str, right: str) -> str:
    """Put together what stands around a word that is taken out, with one separator."""
    return left.rstrip("-_. ") + right if right[:1] in {"-", "_", ".", " ", ""} else left + right


@dataclass(frozen=True, slots=True)
class Framed:
    """Two snapshots as one log.

    Attributes:
        log: what the parser gets.
        first: path of the file from before the run.
        second: path of the file from after it.
        lines: how many lines the first one has in the log.
    """

    log: RawLog
    first: str
    second: str
    lines: int

    def told_of_files(self, parsed: Parsed) -> Parsed:
        """Return the parser's findings with the lines of the files instead of those of the log."""
        runs = tuple(replace(run, line=self._place(run.line)[1]) for run in parsed.runs)
        return replace(parsed, runs=runs, diagnostics=tuple(map(self._told_of_file, parsed.diagnostics)))

    def _told_of_file(self, diagnostic: Diagnostic) -> Diagnostic:
        path, line = self._place(diagnostic.line)
        return replace(diagnostic, path=path, line=line)

    def _place(self, line: int) -> tuple[str, int]:
        # Each file has a line of the frame above it, which counts as the file's first.
        if line > self.lines + 1:
            return self.second, max(line - self.lines - 2, 1)
        return self.first, max(line - 1, 1) if line else 0


def framed(first: RawLog, second: RawLog, name: str, paths: tuple[str, str]) -> Framed | None:
    """Put two snapshots of /proc/vmstat together, or return None if one of them isn't one.

    The last line of a file that has no line end is left out, for its number may be cut off.

    Args:
        first: the file from before the run.
        second: the file from after it.
        name: what the log is called.
        paths: of both files.
    """
    if not is_snapshot(first.lines) or not is_snapshot(second.lines):
        return None
    before, after = (log.lines if log.ended else log.lines[:-1] for log in (first, second))
    text = "\n".join(("file start :: /proc/vmstat", *before, "file end :: /proc/vmstat", *after, ""))
    return Framed(RawLog(text.encode(), name, first.folders), *paths, len(before))
