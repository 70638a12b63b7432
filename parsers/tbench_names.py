"""What names of files and folders tell of tbench and dbench: program, clients, repetition, what mmtests cut out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.parsers.base import run_number

if TYPE_CHECKING:
    from compare_kernels.parsers.base import RawLog

_FULL = re.compile(r"dbench-(?P<clients>\d{1,9})\.log")
_CUT = re.compile(r"benchlog-(?P<cut>tput|op|loadfile)-(?P<clients>\d{1,9})")
# Each kind needs its own: files of one rank count as runs of their own.
_AUTHORITY = {"": 3, "tput": 2, "op": 1, "loadfile": 0}
_CLIENTS = (
    re.compile(r"(?<![a-z])(?:c|clients?|procs?)[-_=]?(\d{1,9})(?!\.?\d)"),
    re.compile(r"(?<![\d.])(\d{1,9})[-_]?(?:clients?|procs?)(?![a-z])"),
    re.compile(r"(?:[td]bench\d?|benchlog-(?:tput|op|loadfile))[-_.](\d{1,9})(?!\.?\d)"),
)


@dataclass(frozen=True)
class Names:
    """What the names of one log tell.

    Attributes:
        program: ``tbench`` or ``dbench``, empty if nothing tells.
        clients: the number of clients, empty if nothing tells.
        cut: what mmtests cut out of a whole log: ``tput``, ``op`` or ``loadfile``; empty if this is none of them.
        identity: equal for the files that mmtests keeps of one run, empty if they aren't named so.
        authority: which of them is the best.

    """

    program: str
    clients: str
    cut: str
    identity: str
    authority: int


def read_names(log: RawLog) -> Names:
    """Read the names of a file and its folders."""
    part = _CUT.fullmatch(log.stem)
    cut = part["cut"] if part else ""
    kept = part or _FULL.fullmatch(log.name)
    stem = log.stem.lower()
    return Names(
        program=_program(log),
        clients=next((found[1] for pattern in _CLIENTS if (found := pattern.search(stem))), ""),
        cut=cut,
        identity=f"clients-{kept['clients']}" if kept else "",
        authority=_AUTHORITY[cut] if kept else 0,
    )


def repetition(log: RawLog, clients: str) -> int | None:
    """The number of the repetition; besides the usual names, the second number of ``tbench-4-1``."""
    number = run_number(log)
    found = re.search(r"(?i)[td]bench\d?[-_](\d+)[-_.](\d{1,6})$", log.stem)
    return int(found[2]) if number is None and found and found[1] == clients else number


def _program(log: RawLog) -> str:
    """The program that names tell, the innermost folder first: mmtests keeps tbench's logs as ``dbench-4.log``."""
    for place in (*reversed(log.folders), log.stem):
        found = {word for word in ("tbench", "dbench") if re.search(rf"(?i)(?<![a-z]){word}(?![a-z])", place)}
        if len(found) == 1:
            return found.pop()
    return ""
