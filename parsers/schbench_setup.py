"""What a run of schbench was asked to do: by its command line if there is one, then by its text, then by names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compare_kernels.parsers.base import RawLog
    from compare_kernels.parsers.schbench_reports import Run

COMMAND = re.compile(r"(?:^|[\s/])schbench\s+(--?[A-Za-z].*)$")
"""A command line; its group is what `Setup` takes."""

_LONG = {
    "message-threads": "m",
    "threads": "t",
    "runtime": "r",
    "rps": "R",
    "auto-rps": "A",
    "pipe": "p",
    "zerotime": "z",
    "calibrate": "C",
    "auto": "a",
    "no-locking": "L",
    "cache_footprint": "F",
    "operations": "n",
    "sleep_usec": "s",
    "sleeptime": "s",
    "cputime": "c",
    "message_cputime": "C",
    "message-cpus": "M",
    "worker-cpus": "W",
    "pin": "P",
}
_NUMBERS = {"m", "t", "r", "R", "A", "p", "z"}
_FLAGS = {"L", "a"}
# Options that change the work or its place.
_WORK = {"F", "n", "s", "c", "L", "a", "M", "W", "P", "split"}


@dataclass(frozen=True)
class Setup:
    """The configuration of one run.

    Attributes:
        log: the log, for the names of its file and folders.
        command: the arguments of the command line, empty if there is none.
        run: what the text has told, nothing if there is only JSON.

    """

    log: RawLog
    command: str
    run: Run

    @cached_property
    def options(self) -> dict[str, str]:
        """The options of the command line by letter; one without argument has an empty text."""
        options: dict[str, str] = {}
        name = ""
        for word in re.split(r"[<>|;&\"]", self.command, maxsplit=1)[0].split():
            if word.startswith("--"):
                long, _, value = word[2:].partition("=")
                name = _LONG.get(long, long)
                options[name] = value
            elif word.startswith("-") and len(word) > 1:
                name = word[1]
                options[name] = word[2:]
            elif name and name not in _FLAGS and not options[name]:
                options[name] = word
        return {
            name: value
            for name, value in options.items()
            if name not in _NUMBERS or (value.isdecimal() and len(value) < 10)
        }

    @property
    def workers(self) -> str:
        """The worker threads of each message thread, empty if unknown."""
        return (
            self.options.get("t", "").lstrip("0")
            or self.run.workers
            or self._named(r"(?<![a-z0-9])(?<!message[-_])t(?:hreads)?[-_]?(\d{1,6})(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9])workers?[-_]?(\d{1,6})(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9.])(\d{1,6})[-_]?(?:threads|workers)(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9])schbench[-_]\d{1,6}[-_](\d{1,6})$")
            or self._named(r"(?<![a-z0-9])schbench[-_]?(\d{1,6})(?![a-z0-9.])")
        )

    def conditions(self, measured: float) -> dict[str, float]:
        """The seconds of the run, as measured or else as wanted."""
        seconds = measured or float(self.options.get("r", 0))
        return {"seconds": seconds} if seconds else {}

    def settings(self, dialect: str) -> dict[str, str]:
        """What keeps runs apart."""
        options = self.options
        transfer = options.get("p", "") or self._named(r"(?<![a-z])pipe[-_]?(\d{1,9})(?![a-z0-9])")
        mode = ""
        if self.run.pipe or transfer or self.log.name_has("pipe"):
            mode = "pipe"
        elif options.get("C") == "" or "calibrat" in self.log.hints:
            mode = "calibration"
        work = sorted((name, value) for name, value in options.items() if name in _WORK or (name == "C" and value))
        return {
            "dialect": dialect,
            "mode": mode,
            "transfer": transfer,
            "rps": self._rate(),
            "options": " ".join(f"-{name} {value}".rstrip() for name, value in work),
            "message-threads": options.get("m", "")
            or self._named(r"(?<![a-z0-9])m(?:essage[-_]?threads?)?[-_]?(\d{1,6})(?![a-z0-9])"),
        }

    def _rate(self) -> str:
        """The wanted rate, ``auto`` and a percentage if it follows the load; empty if it was left free."""
        named = self._named(r"(?<![a-z])(?:auto[-_]?)?rps[-_]?(\d{1,9})(?![a-z0-9])")
        if "A" in self.options or self.run.rate == "auto" or self._named(r"(?<![a-z])(auto)[-_]?rps"):
            return f"auto{self.options.get('A') or named}"
        return self.options.get("R") or named or self.run.rate

    def _named(self, pattern: str) -> str:
        for part in (self.log.stem, *reversed(self.log.folders)):
            if found := re.search(pattern, part.lower()):
                return found[1].lstrip("0") or found[1]
        return ""
