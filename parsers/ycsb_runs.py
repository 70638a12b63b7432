"""Which measurements of YCSB make a run, and what its command line says that it was asked to do."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.parsers.ycsb_lines import Command, Measurement, Sign, events

if TYPE_CHECKING:
    from compare_kernels.parsers.base import RawLog

OVERALL = "OVERALL"

_KEPT = {
    "recordcount",
    "operationcount",
    "maxexecutiontime",
    "fieldcount",
    "fieldlength",
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
    "requestdistribution",
    "maxscanlength",
}
"""Properties that change the work; others may hold addresses and paths, which differ without meaning."""


@dataclass
class Start:
    """A command line, or what several lines told about one start; `ran` if something was under way behind it."""

    line: int
    phase: str = ""
    options: dict[str, str] = field(default_factory=dict)
    ran: bool = False


@dataclass
class Run:
    """The measurements of one run by section and name, and how it was started, if that is known."""

    line: int
    sections: dict[str, dict[str, Measurement]] = field(default_factory=dict)
    start: Start | None = None

    @property
    def phase(self) -> str:
        """``load`` or ``run`` by the command line or by what was done; empty if neither tells."""
        if self.start and self.start.phase:
            return self.start.phase
        done = {
            name for name in self.sections if name.isupper() and not name.startswith(("TOTAL", OVERALL, "CLEANUP"))
        }
        inserts = {name for name in done if name.startswith("INSERT")}
        return "run" if done - inserts else "load" if inserts else ""


@dataclass
class Found:
    """What a log holds: runs with measurements, starts that led to none, and where tests were under way."""

    runs: list[Run] = field(default_factory=list)
    unfinished: list[Start] = field(default_factory=list)
    sign: int = 0


def read_runs(log: RawLog) -> Found:
    """Put the measurements of a log together; a measurement that is told again is that of the next run.

    The command line and the status go to the standard error, which may stand before, between or behind the results:
    as many command lines as results belong together in their order.
    """
    found = Found()
    starts: list[Start] = []
    run: Run | None = None
    for event in events(log):
        if isinstance(event, Sign):
            found.sign = found.sign or event.line
            if starts:
                starts[-1].ran = True
        elif isinstance(event, Command):
            _begin(starts, event)
            run = None
        else:
            if run is None or event.name in run.sections.get(event.section, {}):
                run = Run(event.line)
                found.runs.append(run)
                if starts:
                    starts[-1].ran = True
            run.sections.setdefault(event.section, {})[event.name] = event
    found.unfinished = _pair(starts, found.runs)
    return found


def _begin(starts: list[Start], command: Command) -> None:
    """Note a start; the script, the virtual machine and the program may each tell the same one."""
    start = _read(command)
    before = starts[-1] if starts and not starts[-1].ran else None
    if before and (not before.phase or not start.phase or before.phase == start.phase):
        before.phase = before.phase or start.phase
        before.options |= start.options
    else:
        starts.append(start)


def _pair(starts: list[Start], runs: list[Run]) -> list[Start]:
    """Give each run its start, and return the starts that led to none."""
    if len(starts) == len(runs):
        for start, run in zip(starts, runs, strict=True):
            run.start = start
        return []
    left = []
    ends = [*(start.line for start in starts[1:]), math.inf]
    waiting = iter(sorted(runs, key=lambda run: run.line))
    following = next(waiting, None)
    for start, end in zip(starts, ends, strict=False):
        while following and following.line < start.line:
            following = next(waiting, None)
        if following and following.line < end:
            following.start = start
        else:
            left.append(start)
    return left


def _read(command: Command) -> Start:
    words = command.arguments.split()[:400]
    start = Start(command.line)
    if words[:1] in (["load"], ["run"]):
        start.phase = words[0]
    properties = {}
    for word, value in zip(words, [*words[1:], ""], strict=False):
        if word in {"-load", "-t"}:
            start.phase = "load" if word == "-load" else "run"
        elif word in {"-threads", "-target"}:
            start.options[word[1:]] = _count(value)
        elif word == "-P":
            start.options["workload"] = value.replace("\\", "/").rpartition("/")[2][:60]
        elif word == "-p":
            key, _, setting = value.partition("=")
            properties[key] = setting[:60]
    if "threadcount" in properties:
        start.options["threads"] = _count(properties["threadcount"])
    start.options["properties"] = " ".join(f"{key}={properties[key]}" for key in sorted(_KEPT & properties.keys()))
    start.options = {key: value for key, value in start.options.items() if value}
    return start


def _count(text: str) -> str:
    return text if re.fullmatch(r"\d{1,9}", text) else ""
