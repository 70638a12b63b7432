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

    from compare_kernels.model import SourceFile
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


def framed(first: RawLog, second: RawLog, name: str) -> RawLog | None:
    """Put two snapshots of /proc/vmstat together, or return None if one of them isn't one.

    The last line of a file that has no line end is left out, for its number may be cut off.

    Args:
        first: the file from before the run.
        second: the file from after it.
        name: what the log is called.
    """
    # A snapshot is shorter than a head, and other files of such names may be very long.
    if not all(is_snapshot(log.head.split("\n")) for log in (first, second)):
        return None
    before, after = (log.lines if log.ended else log.lines[:-1] for log in (first, second))
    text = "\n".join(("file start :: /proc/vmstat", *before, "file end :: /proc/vmstat", *after, ""))
    return RawLog(text.encode(), name, first.folders)


def told_of_the_pair(parsed: Parsed) -> Parsed:
    """Return a parser's findings without the lines of the frame, which no file has."""
    return replace(
        parsed,
        runs=tuple(replace(run, line=0) for run in parsed.runs),
        diagnostics=tuple(replace(diagnostic, line=0) for diagnostic in parsed.diagnostics),
    )
