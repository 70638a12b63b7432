"""The kernel's log: what went wrong while a benchmark ran."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.environment.facts import Fact, fact, lines_of
from compare_kernels.environment.kernel import version_line
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that went wrong in the kernel: one finding for an oops with all its lines.

    Attributes:
        kind: what it is: one of `KINDS`.
        text: the first line that says so, without its time stamp; safe to print.
        line: the line in the file, counted from 1.
        count: how often the like was met in the file: the same text but for its numbers.
        path: the file, as it was given to `findings`.

    """

    kind: str
    text: str
    line: int
    count: int = 1
    path: str = ""


# Each kind and what its first line has. The first that fits decides, so the special ones stand first.
_FIRST: tuple[tuple[str, str], ...] = (
    ("soft-lockup", r"BUG: (?:soft|workqueue) lockup"),
    ("hard-lockup", r"hard LOCKUP|Watchdog detected hard"),
    ("rcu-stall", r"rcu\w{0,20}:? .{0,60}detected (?:expedited )?stall|rcu\w{0,20} kthread starved"),
    ("hung-task", r"INFO: task .{1,80} blocked for more than \d+ seconds"),
    ("out-of-memory", r"invoked oom-killer|[Oo]ut of memory: Kill|Out of memory \(oom_kill"),
    ("allocation-failure", r"page allocation (?:failure|stalls)"),
    ("panic", r"Kernel panic - not syncing"),
    (
        "oops",
        r"^BUG: |^kernel BUG at |Oops(?:: | - )|Internal error: |general protection fault"
        r"|[Uu]nable to handle kernel |invalid opcode: |divide error: |stack segment: ",
    ),
    ("warning", r"^WARNING: "),
    ("machine-check", r"\[Hardware Error\]|Machine check events logged|EDAC .{0,60}\b[CU]E\b"),
    ("throttled", r"temperature above threshold|clock throttled|thermal throttling|Power limit notification"),
    (
        "io-error",
        r"I/O error|critical (?:medium|target) error|EXT[34]-fs error|BTRFS(?: \w+ \(.{1,60}\))?: .{0,60}error"
        r"|XFS .{0,60}(?:error|Corruption)|I/O (?:tag )?\d.{0,60}timeout|ata\d\S{0,9}: (?:failed command|exception)"
        r"|[Rr]emount\w* .{0,40}read-only",
    ),
    ("clock", r"Marking clocksource .{1,40} as unstable|TSC .{0,60}unstable"),
    ("rt-throttled", r"RT throttling activated"),
    ("crashed-program", r": segfault at |traps: .{1,60} trap |: unhandled signal "),
)
KINDS = (*(kind for kind, _ in _FIRST), "call-trace")
"""All kinds of findings."""

_STARTS = tuple((kind, re.compile(pattern)) for kind, pattern in _FIRST)
_ANY_START = re.compile("|".join(f"(?:{pattern})" for _, pattern in _FIRST))
_TRACE = re.compile(r"Call [Tt]race:|stack backtrace:|Backtrace:")
_END = re.compile(r"---\[ end (?:trace|Kernel panic)")
_CUT = re.compile(r"-+\[ cut here \]-+")

# What an oops and a killed task print after their first line; everything else is a thing of its own.
_LATER = {
    "oops": re.compile(
        r"Oops(?:: | - )|Internal error: |general protection fault|invalid opcode: |divide error: |Kernel panic"
    ),
    "out-of-memory": re.compile(r"[Oo]ut of memory: Kill|Out of memory \(oom_kill"),
}
_REACH = 400
"""A trace or a second line that stands further behind the first belongs to something else."""

_STAMP = re.compile(
    r"(?:<\d{1,3}>)?(?:\[ *\d{1,9}\.\d{1,9}\](?:\[ *[TC]\d+\])?|\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]"
    r"|\w{3} [ \d]\d [\d:]{8} \S{1,80} kernel:(?: ?\[ *\d+\.\d+\])?"
    r"|\d{4}-\d\d-\d\dT[\d:.,+-]{8,30}Z?(?: \S{1,80} kernel:)?(?: ?\[ *\d+\.\d+\])?)(?: |$)"
)


def is_dmesg(lines: list[str], *, named: bool) -> bool:
    """Whether the text is a kernel's log. Without the name, it has to begin where the kernel begins."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return False
    if not named and not any("Linux version " in line for line in filled[:5]):
        return False
    # A value of several lines has its time stamp in front of the first only.
    stamped = sum(_STAMP.match(line) is not None for line in filled)
    return stamped >= 0.8 * len(filled)


def _message(line: str) -> str:
    return _STAMP.sub("", line, count=1)


def read_facts(text: str) -> Iterator[Fact]:
    """Release, version and the way of preempting that the kernel tells when it boots."""
    lines = lines_of(text)
    for number, line in _of_last_kernel(lines):
        ended = number < len(lines) or text.endswith("\n")
        if "Linux version " in line:
            yield from version_line(_message(line), number, ended=ended)
        elif ended and (found := re.match(r"Dynamic Preempt: (\w+)$", _message(line))):
            yield from fact("preempt", found[1], number)


def findings(text: str, path: str = "") -> tuple[Finding, ...]:
    """Find what went wrong: oopses, warnings, lockups, stalls, killed tasks, hardware and I/O errors, throttling.

    Args:
        text: a kernel's log, with or without time stamps. Of a log that goes back to when another kernel ran,
            only what the last one said is looked at.
        path: the file's name, which is put into each finding.

    Returns:
        One finding for each thing that happened, in the order of the log: the lines of an oops are one, and the like
        that repeats is one with its count.
    """
    found: dict[tuple[str, str], Finding] = {}
    for kind, number, line in _events(_of_last_kernel(lines_of(text))):
        message = printable(_message(line).strip())
        key = kind, re.sub(r"0x[0-9a-f]+|\d+", "#", message)
        before = found.get(key)
        count = before.count + 1 if before else 1
        first = before or Finding(kind, message, number, path=path)
        found[key] = Finding(kind, first.text, first.line, count, path)
    return tuple(sorted(found.values(), key=lambda finding: finding.line))


def _of_last_kernel(lines: list[str]) -> Iterable[tuple[int, str]]:
    """Number and text of the lines since another kernel ran; a machine that crashed boots the same one again."""
    starts = [index for index, line in enumerate(lines) if "Linux version " in line]
    boots = [(index, said) for index in starts if (said := _message(lines[index])).startswith("Linux version ")]
    first = 0
    for (_, before), (index, said) in itertools.pairwise(boots):
        if said != before:
            first = index
    return enumerate(lines[first:], start=first + 1)


def _events(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[str, int, str]]:
    """Kind, line number and line of each thing that begins."""
    open_kind, last = "", 0
    for number, line in lines:
        if number - last > _REACH:
            open_kind = ""
        if _END.search(line) or _CUT.search(line):
            open_kind = ""
        elif _TRACE.search(line):
            if not open_kind:
                yield "call-trace", number, line
                open_kind, last = "call-trace", number
        elif kind := _kind(line):
            if open_kind not in _LATER or not _LATER[open_kind].search(line):
                yield kind, number, line
                open_kind = kind
            last = number


def _kind(line: str) -> str:
    message = _message(line)
    if not _ANY_START.search(message):
        return ""
    return next((kind for kind, pattern in _STARTS if pattern.search(message)), "")


def telling_lines(text: str) -> str:
    """Return the lines of a kernel's log that `read_facts` and `findings` look at, with their line ends."""
    kept = []
    for line in lines_of(text):
        said = _message(line)
        if said.startswith(("Linux version ", "Dynamic Preempt: ")) or _kind(line) or _bound(line):
            kept.append(f"{line}\n")
    return "".join(kept)


def _bound(line: str) -> bool:
    return any(pattern.search(line) for pattern in (_TRACE, _END, _CUT))
