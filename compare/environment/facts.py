"""One thing that is known of a machine, and the lines it is read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.environment.weights import Weight, weight
from compare_kernels.text import printable, without_escapes

if TYPE_CHECKING:
    from collections.abc import Iterable

WHOLES = {"kernel.cmdline": "absent", "config": "n", "cpu.flags": "absent"}
"""Keys that say a list of options is known completely, and what it means that an option isn't in it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of the machine, such as ``thp.enabled`` is ``madvise``.

    Attributes:
        key: what it is. Options of a list have the list's name, a blank and their own: ``config CONFIG_HZ``,
            ``sysctl vm.swappiness``, ``mitigation spectre_v2``, ``kernel.cmdline isolcpus``.
        value: one line of harmless text, never empty; units stand in it where the file has some.
        line: the line of the file, counted from 1, or 0 when the whole file is meant.
        of: which one of several alike it is true for, such as ``cpu3`` or ``node0``; empty if there is just one.

    """

    key: str
    value: str
    line: int = 0
    of: str = ""

    @property
    def weight(self) -> Weight:
        """How much a difference of it says; see `compare_kernels.environment.weights`."""
        return weight(self.key)


def fact(key: str, value: str, line: int = 0, of: str = "") -> Iterable[Fact]:
    """Give the fact, or nothing if its value is empty."""
    value = printable(" ".join(value.split()))
    if value:
        yield Fact(printable(key), value, line, of)


def lines_of(text: str) -> list[str]:
    """Return the lines without line ends and control characters; line 1 is item 0."""
    lines = without_escapes(text).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def whole_lines(text: str) -> list[str]:
    """Return the lines as `lines_of` does, without a last one that has no end: it may have been cut off."""
    lines = lines_of(text)
    return lines if text.endswith(("\n", "\r", "\0")) else lines[:-1]


def ranges(text: str) -> list[tuple[int, int]] | None:
    """Return the sorted ranges of a list of numbers as the kernel writes it (``0-3,8``, ``0 1 2``), or None."""
    found: list[tuple[int, int]] = []
    for part in text.replace(",", " ").split():
        first, _, last = part.partition("-")
        numbers = (first, last or first)
        if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
            return None
        found.append((int(numbers[0]), int(numbers[1])))
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if high < low:
            return None
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def number_list(text: str) -> str:
    """Write a list of numbers in the kernel's shortest form, so that equal lists are equal text; else empty."""
    return ",".join(f"{low}-{high}" if high > low else f"{low}" for low, high in ranges(text) or ())


def number_count(text: str) -> str:
    """How many numbers a list of numbers has; empty if it is no such list."""
    found = ranges(text)
    return str(sum(high - low + 1 for low, high in found)) if found else ""
