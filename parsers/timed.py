"""time(1) in all its forms: GNU, bash, ksh, zsh, tcsh, BSD, busybox, ``-p`` and ``-v``.

An output of it is a run. What it timed need not be known: it stands in the text of ``-v`` and zsh only. Since the
lines may follow any benchmark's output, this parser is never surer than ``LIKELY``. `timed_lines` reads the lines.
"""

from __future__ import annotations

import re
from functools import partial

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers import BUILTIN
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.text import clean_lines
from compare_kernels.parsers.timed_lines import Timing, belongs, is_timing, timings

_count = partial(Metric, unit="", better="lower", decimals=0, main=False)

ELAPSED = Metric("elapsed", "Elapsed Time", "s", "lower", decimals=3, quantity="elapsed time in seconds")
USER = Metric("user", "User Time", "s", "lower", decimals=3, quantity="user time in seconds")
SYSTEM = Metric("system", "System Time", "s", "lower", decimals=3, quantity="system time in seconds")
RESIDENT = Metric(
    "max-resident", "Maximum Resident Set", "KiB", "lower", decimals=0, main=False, quantity="memory in KiB"
)
MAJOR = _count("major-faults", "Major Page Faults", quantity="page faults with I/O")
MINOR = _count("minor-faults", "Minor Page Faults", quantity="page faults without I/O")
VOLUNTARY = _count("voluntary-switches", "Voluntary Context Switches", quantity="voluntary context switches")
INVOLUNTARY = _count("involuntary-switches", "Involuntary Context Switches", quantity="involuntary context switches")
METRICS = (ELAPSED, USER, SYSTEM, RESIDENT, MAJOR, MINOR, VOLUNTARY, INVOLUNTARY)

_TAIL_BYTES = 4096


def recognise(log: RawLog) -> Match:
    """Tell a log that holds nothing else, or ends so if no other parser wants it."""
    if any(re.fullmatch(entry.companions, log.name) for entry in BUILTIN if entry.companions):
        # The time of a whole run lies beside the logs that it is about.
        return Match.NO
    filled = [line for line in log.head.split("\n") if line.strip()]
    found = any(map(is_timing, filled))
    if found and all(map(belongs, filled)):
        return Match.LIKELY
    tail = [line for line in clean_lines(log.data[-_TAIL_BYTES:]) if line.strip()][-3:]
    return Match.NAME if any(map(is_timing, tail)) or (found and log.name_has("time")) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all outputs of a log; the time of a command that failed is refused."""
    lines = log.lines if log.ended or not log.lines else [*log.lines[:-1], _whole(log.lines[-1])]
    for timing in timings(lines):
        _write(log, timing, into)


def _whole(line: str) -> str:
    """The last line of a log that has no end, or nothing if a number at its end may have been cut off."""
    return "" if re.search(r"[\d:.,]\s*$", line) else line


def _write(log: RawLog, timing: Timing, into: SampleBuilder) -> None:
    values = timing.values
    if timing.trouble:
        into.failed(f"the command failed, its time is refused: {timing.trouble}", timing.line)
    elif "elapsed" not in values:
        into.truncated("the output of time has no elapsed time", timing.line)
    elif values["elapsed"] <= 0:
        into.failed("the elapsed time is 0: the command failed at once or is too short to be timed", timing.line)
    else:
        into.run(settings={"command": timing.command}, number=run_number(log), line=timing.line)
        for metric in METRICS:
            if metric.name in values:
                into.add(metric, Operation(metric.name), values[metric.name])
        if not timing.complete:
            into.truncated("the output of time is not complete", timing.line)
