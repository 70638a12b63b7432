"""The lines of time(1): which program's they are doesn't matter, each kind is tried."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.parsers.text import command_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_N = r"[0-9]{1,12}(?:[.,][0-9]{1,9})?"
_CLOCK = rf"(?:[0-9]{{1,9}}:){{0,2}}{_N}"
_LETTERS = rf"(?:[0-9]{{1,9}}h ?)?(?:[0-9]{{1,9}}m ?)?{_N}s"

_WHOLE_LINES = (
    # GNU; bash with the format that mmtests sets.
    re.compile(
        rf"\s*(?P<user>{_N})user\s*(?P<system>{_N})system\s*(?P<elapsed>{_CLOCK}|{_LETTERS})elapsed\s*"
        rf"(?:(?:{_N}|\?)%CPU\s*(?:\([0-9]+avgtext\+[0-9]+avgdata\s*(?P<resident>[0-9]{{1,15}})maxresident\)k\s*)?)?"
        r"(?P<rest>[0-9]+inputs.*)?"
    ),
    # zsh
    re.compile(
        rf"(?P<command>.*?)\s*(?<![0-9.,:])(?P<user>{_CLOCK})s user\s+(?P<system>{_CLOCK})s system\s+"
        rf"{_N}% cpu\s+(?P<elapsed>{_CLOCK}) total\s*"
    ),
    # tcsh
    re.compile(
        rf"\s*(?P<user>{_N})u (?P<system>{_N})s (?P<elapsed>{_CLOCK}) {_N}%"
        r"(?:\s+[0-9]+\+[0-9]+k [0-9]+\+[0-9]+io [0-9]+pf\+[0-9]+w)?\s*"
    ),
    # BSD
    re.compile(rf"\s*(?P<elapsed>{_N}) real\s+(?P<user>{_N}) user\s+(?P<system>{_N}) sys\s*"),
)
_FAULTS = re.compile(
    r"\s*[0-9]+inputs\+[0-9]+outputs\s*\(([0-9]{1,15})major\+([0-9]{1,15})minor\)pagefaults\s*[0-9]+swaps\s*"
)
_PART = re.compile(rf"\s*(real|user|sys)\s+({_LETTERS}|{_CLOCK})\s*")
_PARTS = {"real": "elapsed", "user": "user", "sys": "system"}
_VERBOSE = re.compile(r"\s*([A-Z][\w /()]{1,40}?(?: \((?:h:mm:ss or m:ss|kbytes|seconds|bytes)\))?): (.*?)\s*")
_BEGIN, _END = "Command being timed", "Exit status"
_KEYS = {
    "User time (seconds)": "user",
    "System time (seconds)": "system",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "elapsed",
    "Maximum resident set size (kbytes)": "max-resident",
    "Major (requiring I/O) page faults": "major-faults",
    "Minor (reclaiming a frame) page faults": "minor-faults",
    "Voluntary context switches": "voluntary-switches",
    "Involuntary context switches": "involuntary-switches",
}
_TROUBLE = re.compile(
    r"Command (?:exited with non-zero status [0-9]+|(?:terminated|stopped) by signal [0-9]+)\s*"
    r"|\S*time: cannot run .*"
)


@dataclass
class Timing:
    """One output of time.

    Attributes:
        line: where it begins, counted from 1.
        values: by the names of metrics, in seconds, KiB or as counts.
        command: what was timed, if the text tells it.
        trouble: the line that says that the command failed.
        complete: whether the lines that have to be there are there.

    """

    line: int
    values: dict[str, float] = field(default_factory=dict)
    command: str = ""
    trouble: str = ""
    complete: bool = False


def timings(lines: Sequence[str]) -> Iterator[Timing]:
    """Yield each output of time that the lines hold, also those that have no elapsed time or failed."""
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        yield from reader.line(number, line)
    yield from reader.close()


def is_timing(line: str) -> bool:
    """Whether the line tells a time that time(1) measured."""
    return bool(
        _PART.fullmatch(line)
        or ("elapsed" in line.lower() and "Elapsed (wall clock) time" in line)
        or any(pattern.fullmatch(line) for pattern in _WHOLE_LINES if _may_be(line))
    )


def belongs(line: str) -> bool:
    """Whether time(1) may have printed this line."""
    known = (found := _VERBOSE.fullmatch(line)) and line[:1] in "\t " and found[2] is not None
    return bool(is_timing(line) or _FAULTS.fullmatch(line) or _TROUBLE.fullmatch(line) or known)


def seconds(text: str) -> float:
    """The seconds of ``1h2m3.4s``, ``2:15:23``, ``0m 1.23s`` or ``12,34``; a fraction may have either separator."""
    total = 0.0
    for digits, unit in re.findall(r"([0-9.]+) ?([hm:]?)", text.replace(",", ".")):
        value = float(digits)
        total = total + 3600 * value if unit == "h" else total + 60 * value if unit == "m" else total + value
        if unit == ":":
            total *= 60
    return total


class _Reader:
    """Puts lines together to outputs: three lines of a shell, two of GNU time, many of ``-v``."""

    def __init__(self) -> None:
        self._open: Timing | None = None
        self._kind = ""
        self._trouble: tuple[int, str] | None = None

    def line(self, number: int, line: str) -> Iterator[Timing]:
        """Take the next line; yield an output that is over."""
        if _TROUBLE.fullmatch(line):
            yield from self._finish()
            self._trouble = self._trouble or (number, line.strip())
        elif found := _PART.fullmatch(line):
            name = _PARTS[found[1]]
            if self._kind != "parts" or (self._open and name in self._open.values):
                yield from self._finish()
            self._add(number, "parts", {name: seconds(found[2])})
            if self._open and len(self._open.values) == len(_PARTS):
                yield from self._finish()
        elif self._kind == "gnu" and (found := _FAULTS.fullmatch(line)):
            self._add(number, "gnu", {"major-faults": float(found[1]), "minor-faults": float(found[2])})
            yield from self._finish()
        elif found := _whole_line(line):
            yield from self._finish()
            self._whole(number, found)
        elif found := _VERBOSE.fullmatch(line):
            yield from self._verbose(number, found[1], found[2])
        elif line.strip() and self._kind == "parts":
            yield from self._finish()

    def close(self) -> Iterator[Timing]:
        """End of the log: yield what is still open."""
        yield from self._finish()
        if self._trouble:
            yield Timing(self._trouble[0], trouble=self._trouble[1])

    def _whole(self, number: int, found: re.Match[str]) -> None:
        groups = found.groupdict()
        values = {name: seconds(groups[name]) for name in ("elapsed", "user", "system")}
        if resident := groups.get("resident"):
            values["max-resident"] = float(resident)
        rest = groups.get("rest")
        if rest and (faults := _FAULTS.fullmatch(rest)):
            values |= {"major-faults": float(faults[1]), "minor-faults": float(faults[2])}
        self._add(number, "gnu", values)
        if self._open:
            self._open.command = command_name(groups.get("command") or "")

    def _verbose(self, number: int, key: str, text: str) -> Iterator[Timing]:
        if key == _BEGIN:
            yield from self._finish()
            self._add(number, "verbose", {})
            if self._open:
                self._open.command = command_name(text.strip('"'))
        elif self._kind != "verbose" or not self._open:
            return
        elif key in _KEYS and re.fullmatch(_CLOCK, text):
            self._add(number, "verbose", {_KEYS[key]: seconds(text)})
        elif key == _END:
            if text.strip("0") and not self._open.trouble:
                self._open.trouble = f"{key}: {text}"
            self._open.complete = True
            yield from self._finish()

    def _add(self, number: int, kind: str, values: dict[str, float]) -> None:
        if self._open is None:
            line, trouble = self._trouble or (number, "")
            self._open, self._kind, self._trouble = Timing(line, trouble=trouble), kind, None
        self._open.values |= values

    def _finish(self) -> Iterator[Timing]:
        if self._open is not None:
            if self._kind != "verbose":
                self._open.complete = {"elapsed", "user", "system"} <= self._open.values.keys()
            yield self._open
        self._open, self._kind = None, ""


def _whole_line(line: str) -> re.Match[str] | None:
    if not _may_be(line):
        return None
    return next((found for pattern in _WHOLE_LINES if (found := pattern.fullmatch(line))), None)


def _may_be(line: str) -> bool:
    """Whether a line has the words that one of the forms in one line has; spares the patterns long lines."""
    return len(line) < 4096 and any(word in line for word in ("elapsed", "s user", "u ", " real"))
