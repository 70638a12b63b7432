"""The cells of idlestat's tables: times with their units, names of cpus, states and interrupts, broken rows."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TIME = re.compile(r"^(?:(\d{1,15})us|(\d{1,12})\.(\d\d)(ms|s))$")
_BARE = re.compile(r"^(\d{1,16})\.(\d{2,6})$")
_OWNER = re.compile(r"^(?:(cluster)([A-Za-z0-9]{1,4})|(core|cpu)(\d{1,6}))$")
_FREQUENCY = re.compile(r"^\d{1,9}(?:\.\d\d)?[GM]?Hz$")
_NUMBER = re.compile(r"^(?:irq)?(\d{1,9})$")
_LONGEST_NAME = 60
_CONTINUED = re.compile(r"^[\s\d.msu|+=-]*$")
_CONTINUED_WORDS = re.compile(r"^[\sA-Za-z|=]*$")


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose states rows tell.

    Attributes:
        name: such as ``cpu0``; a core of another cluster than the first bears the cluster's name too, for cores are
            counted anew in each.
        order: sorts clusters before cores before cpus, each by number.

    """

    name: str
    order: tuple[float, ...]


def owner_of(text: str, cluster: str) -> Owner | None:
    """The cluster, core or cpu that a text names, or None; ``cluster`` is the name of the cluster it is in."""
    found = _OWNER.match(text)
    if not found:
        return None
    if found[1]:
        return Owner(text, (0.0, _rank(found[2]), 0.0))
    if found[3] == "cpu":
        return Owner(text, (2.0, float(found[4]), 0.0))
    place = _rank(cluster.removeprefix("cluster"))
    return Owner(f"{cluster}-{text}" if place else text, (1.0, place, float(found[4])))


def _rank(letters: str) -> float:
    """0 for the first cluster, which is called A, and for none; otherwise in the order of the alphabet."""
    rank = 0
    for letter in letters:
        rank = rank * 128 + ord(letter)
    return float(max(0, rank - ord("A"))) if letters else 0.0


def time_in_us(text: str, *, bare: int = 0) -> float | None:
    """A time in us, or None if the text is no whole one; ``bare`` is the number of decimals of times without unit."""
    if found := _TIME.match(text):
        if found[1]:
            return float(found[1])
        return float(int(found[2] + found[3]) * (10 if found[4] == "ms" else 10_000))
    if bare and (found := _BARE.match(text)) and len(found[2]) == bare:
        return float(text)
    return None


def row_name(layout: str, frequency: bool, interrupt: bool, named: dict[str, str]) -> str:
    """The name of a row from its cells by column; empty if there is none that can be."""
    first = next(iter(named.values()))
    if interrupt:
        return _interrupt(named)
    if frequency and layout in {"csv", "listed"}:
        if not first.isascii() or not first.isdigit() or len(first) > 12:
            return ""
        return f"{int(first) / (1000 if layout == 'csv' else 1):.10g}MHz"
    if frequency:
        return first if _FREQUENCY.match(first) else ""
    return f"state{first}" if first.isdigit() else first[:_LONGEST_NAME]


def _interrupt(named: dict[str, str]) -> str:
    """``irq9 acpi`` or ``IPI Rescheduling``, whether the number has a column of its own or not."""
    kind = named.get("irq") or named.get("wakeup", "")
    number = named.get("#", kind)
    name = named["name"].removeprefix("--- ")[:_LONGEST_NAME]
    if kind.upper() == "IPI":
        return f"IPI {name}"
    found = _NUMBER.match(number)
    return f"irq{int(found[1])} {name}".rstrip() if found else ""


def boxed(line: str) -> list[str] | None:
    """The cells between the bars of a line, or None if it doesn't begin and end with one."""
    text = line.strip()
    if len(text) < 2 or not (text.startswith("|") and text.endswith("|")):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def joined(line: str, following: list[str], *, bars: int = 0, words: bool = False) -> tuple[str, int]:
    """Put a row together that a mailer broke: the text, and how many of the following lines it took.

    Bars separate the numbers, so that parts are joined without a blank: a number may have been broken. Lines are
    added until there are as many ``bars``, or, of a header (``words``), as long as they can belong to it.
    """
    text, used = _part(line), 0
    continued = _CONTINUED_WORDS if words else _CONTINUED
    for part in following:
        if (bars and text.count("|") >= bars) or not part.strip() or not continued.match(part):
            break
        text, used = text + _part(part), used + 1
        if words and text.endswith("|"):
            break
    return (text, used) if not bars or text.count("|") == bars else (line, 0)


def _part(line: str) -> str:
    return line.rstrip().removesuffix("=")
