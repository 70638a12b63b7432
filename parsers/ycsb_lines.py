"""What YCSB prints, line by line or object by object: measurements, command lines, status lines.

The text exporter prints ``[READ], AverageLatency(us), 71.38``, the exporters for JSON print an object for each
measurement, in an array or one after the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.parsers.base import RawLog

TEXT = re.compile(r"^\s*\[([A-Za-z][\w%-]{0,60})\]\s*,\s*([^,\[\]\s][^,\[\]]{0,80}),\s*(\S.{0,80})$")
OBJECT = re.compile(
    r'\{\s*"metric"\s*:\s*"([^"\n]{1,60})"\s*,\s*"measurement"\s*:\s*"([^"\n]{1,80})"\s*,'
    r'\s*"value"\s*:\s*"?([^",{}\s]{1,60})"?\s*\}'
)
COMMAND = re.compile(
    r"^\s*Command line: (.*)$|(?:^|\s)(?:site\.ycsb|com\.yahoo\.ycsb)\.Client (.*)$"
    r"|^[+$# ]{0,8}(?:\S{0,200}/)?ycsb(?:\.sh)? ((?:load|run) .*)$"
)
STATUS = re.compile(r"(?:^|\s)(\d{1,9}) sec: (\d{1,15}) operations;")
STARTED = re.compile(r"^\s*Starting test\.")

_NOT_A_MEASUREMENT = re.compile(r">?\d{1,15}")
_PLAIN = re.compile(r"[-+]?\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?")
_COMMA = re.compile(r"[-+]?\d{1,20},\d{1,20}(?:[eE][-+]?\d{1,3})?")
_GROUPED = re.compile(
    r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d{1,20})?|[-+]?\d{1,3}(?:\.\d{3})+,\d{1,20}|\d{1,3}(?:\.\d{3}){2,}"
)
_NOTHING = re.compile(r"(?i)[-+]?(?:nan|inf(?:inity)?)")


class Measurement(NamedTuple):
    """One thing that was measured: section such as ``READ``, its name, its value as printed, and its line."""

    section: str
    name: str
    text: str
    line: int


class Command(NamedTuple):
    """A command line of the program: its arguments, and its line."""

    arguments: str
    line: int


class Sign(NamedTuple):
    """A sign that a test is under way: its line."""

    line: int


Event = Measurement | Command | Sign


def events(log: RawLog) -> Iterator[Event]:
    """Yield what the text tells, in its order; buckets of histograms and points of time series are left out."""
    doubtful = 0 if log.ended else len(log.lines)
    for number, line in enumerate(log.lines, start=1):
        if line.lstrip()[:1] == "[":
            found = TEXT.match(line)
            if found and number != doubtful and not _NOT_A_MEASUREMENT.fullmatch(found[2].strip()):
                yield Measurement(found[1], found[2].strip(), found[3].strip(), number)
        elif command := COMMAND.search(line):
            yield Command(next(text for text in command.groups() if text is not None), number)
        elif STATUS.search(line) or STARTED.match(line):
            yield Sign(number)
    if any('"metric"' in line for line in log.lines):
        yield from _objects("\n".join(log.lines))


def _objects(text: str) -> Iterator[Measurement]:
    line, place = 1, 0
    for found in OBJECT.finditer(text):
        line += text.count("\n", place, found.start())
        place = found.start()
        if not _NOT_A_MEASUREMENT.fullmatch(found[2]):
            yield Measurement(found[1], found[2], found[3], line)


def cut_off(log: RawLog) -> int:
    """The line of a measurement that stops inside, or 0 if the log's end is whole."""
    if not log.lines:
        return 0
    if any('"metric"' in line for line in log.lines):
        text = "\n".join(log.lines)
        end = max((found.end() for found in OBJECT.finditer(text)), default=0)
        begin = text.find('"metric"', end)
        return text.count("\n", 0, begin) + 1 if begin >= 0 else 0
    last = log.lines[-1].lstrip()
    # How many operations there were is not used as a value.
    counted = re.match(r"\[[^\]]{1,60}\]\s*,\s*(?:Return=|Operations,|Total Operations,|Count,|>?\d+,)", last)
    return len(log.lines) if last.startswith("[") and not log.ended and not counted else 0


def number(text: str) -> float | None:
    """A number with point or comma, grouped or not; NaN if it says that there is none, None if it is ambiguous.

    Three digits behind the only separator may be a group or decimals, unless more than three stand before it.
    """
    if _PLAIN.fullmatch(text):
        return float(text)
    if _NOTHING.fullmatch(text):
        return float("nan")
    if _COMMA.fullmatch(text) and not re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", text):
        return float(text.replace(",", "."))
    if _GROUPED.fullmatch(text) and len(re.findall("[.,]", text)) > 1:
        decimal = text[max(text.rfind("."), text.rfind(","))]
        if text.count(decimal) > 1:
            return float(text.replace(decimal, ""))
        group = "," if decimal == "." else "."
        return float(text.replace(group, "").replace(decimal, "."))
    return None
