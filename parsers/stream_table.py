"""The tables of STREAM and its relatives: which columns a header announces, and what a row has in them.

The versions differ in the order of the columns, in the unit of the rates and in the decimals, so the header decides.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

KERNELS = ("Copy", "Mul", "Scale", "Add", "Triad", "Dot", "Nstream")
"""The names of kernels as they are spelt here, in the order in which the programs print them."""

_SPELLING = {name.lower(): name for name in KERNELS}
_DECIMAL = {"": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3, "T": 1e6}
_BINARY = {"Ki": 1024 / 1e6, "Mi": 1024**2 / 1e6, "Gi": 1024**3 / 1e6, "Ti": 1024**4 / 1e6}
_TO_MEGABYTES = _DECIMAL | _BINARY
_MOST = 1e8
"""MB/s that no machine reaches; a rate above it comes from a time that the clock could not tell from 0."""

_HEADER = re.compile(r"^\s*Function\s+(?=\S)(.*)$")
_COLUMN = re.compile(
    r"(?P<rate>(?:best )?rate\s*\(?\s*(?:([kmgt]?i?)b(?:ytes)?/s(?:ec)?\b\)?)?|([kmgt]?i?)b(?:ytes)?/s(?:ec)?\b)"
    r"|(?P<time>avg|average|min|max|rms)\b(?: time)?(?:\s*\((?:s|sec)\))?",
    re.IGNORECASE,
)
_ROW = re.compile(r"^\s*([A-Za-z]\w{0,30})(?::\s*|\s+)((?:[-+]?[\d.]|\*\*|[-+]?inf|[-+]?nan).*)$", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:[eE][-+]?\d{1,3})?")


@dataclass(frozen=True)
class Row:
    """What one kernel reached.

    Attributes:
        kernel: its name, such as ``Copy``.
        line: where it stands.
        rate: the best rate in MB/s, NaN if what is printed is none.
        printed: the rate as it stands there.
        times: seconds by ``avg``, ``min`` and ``max``.

    """

    kernel: str
    line: int
    rate: float
    printed: str
    times: dict[str, float]


@dataclass(frozen=True)
class Header:
    """The columns that a table has.

    Attributes:
        columns: ``rate``, ``avg``, ``min``, ``max`` or ``rms``, from left to right.
        factor: MB/s for one unit of the rate; 0 if the header names no unit.

    """

    columns: tuple[str, ...]
    factor: float

    def row(self, number: int, line: str, *, ended: bool) -> Row | None:
        """Read a row, or return None if this is none or has too few columns.

        In a line without its end, the last number counts only if it has as many decimals as the time before it.
        """
        name, fields = split_row(line)
        if ended and len(fields) != len(self.columns):
            return None
        if not ended:
            if len(fields) < 2:
                return None
            if len(fields) < 3 or not _alike(fields[-2], fields[-1]):
                fields.pop()
        values = dict(zip(self.columns, fields, strict=False))
        if "rate" not in values:
            return None
        times = {
            column: float(text)
            for column, text in values.items()
            if column in {"avg", "min", "max"} and _NUMBER.fullmatch(text)
        }
        return Row(name, number, self._rate(values["rate"]), values["rate"], times)

    def _rate(self, text: str) -> float:
        if not _NUMBER.fullmatch(text):
            return math.nan
        rate = float(text) * self.factor
        return rate if 0 < rate < _MOST else math.nan


def read_header(line: str) -> Header | None:
    """Read the line above a table, or return None if it is none."""
    found = _HEADER.match(line)
    if not found:
        return None
    columns = []
    factor = 0.0
    for column in _COLUMN.finditer(found[1][:200]):
        if column["rate"] is None:
            columns.append({"average": "avg"}.get(column["time"].lower(), column["time"].lower()))
            continue
        columns.append("rate")
        unit = column[2] if column[2] is not None else column[3]
        if unit is not None:
            factor = _TO_MEGABYTES[unit.capitalize()] if unit.lower() != "i" else 0.0
    return Header(tuple(columns), factor) if "rate" in columns else None


def split_row(line: str) -> tuple[str, list[str]]:
    """The kernel and the fields of a row; nothing if the line isn't like one."""
    found = _ROW.match(line)
    if not found:
        return "", []
    return _SPELLING.get(found[1].lower(), found[1]), found[2].split()


def _alike(before: str, last: str) -> bool:
    """Whether two numbers have as many decimals; one of the two may have been cut off."""
    return len(before.partition(".")[2]) == len(last.partition(".")[2]) > 0
