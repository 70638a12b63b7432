"""The lines that mmtests writes around each benchmark, into tests-timestamp and tests-sysstate alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGIN = re.compile(r"test begin :: (\S{1,200})(?: [0-9]+)?\s*")
_END = re.compile(r"test end :: (\S{1,200})(?: [0-9]+)?(?: (-?[0-9]{1,9}))?\s*")
_NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,9})?)"
_TIMES = re.compile(rf"time :: (\S{{1,200}}) {_NUMBER} user {_NUMBER} system {_NUMBER} elapsed\s*")
_FILE = re.compile(r"file (?:start|end) :: (\S{1,200})\s*")
# GNU time says so before the times.
_FAILED = re.compile(r"Command (?:exited with non-zero status|terminated by signal) [0-9]+\s*")


@dataclass(frozen=True, slots=True)
class Begin:
    """A benchmark begins."""

    benchmark: str


@dataclass(frozen=True, slots=True)
class End:
    """A benchmark has ended; ``failure`` says in words how, and is empty if nothing went wrong."""

    benchmark: str
    failure: str


@dataclass(frozen=True, slots=True)
class Times:
    """The seconds that a benchmark took."""

    benchmark: str
    user: float
    system: float
    elapsed: float


@dataclass(frozen=True, slots=True)
class File:
    """The content of a file of the kernel follows, as it was before a benchmark (``first``) or after it."""

    path: str
    first: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """The benchmark whose times follow failed."""

    text: str


Mark = Begin | End | Times | File | Failure


def mark(line: str) -> Mark | None:
    """Return what a line says about the benchmarks that mmtests ran, or None if it's no such line."""
    if " :: " not in line:
        return Failure(line.strip()) if _FAILED.fullmatch(line) else None
    if found := _BEGIN.fullmatch(line):
        return Begin(found[1])
    if found := _END.fullmatch(line):
        code = int(found[2] or 0)
        return End(found[1], f"it ended with exit status {code}" if code else "")
    if found := _TIMES.fullmatch(line):
        return Times(found[1], *(float(number) for number in found.groups()[1:]))
    if found := _FILE.fullmatch(line):
        return File(found[1], line.startswith("file start"))
    return None
