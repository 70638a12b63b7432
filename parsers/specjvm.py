"""SPECjvm2008: console log, text report, raw XML, submission properties and summary.

A run leaves its files in a folder ``SPECjvm2008.NNN``, beside what the console showed. They describe one run, so they
share an identity; the text report has the highest authority, since it alone prints everything.
"""

from __future__ import annotations

import re

from compare_kernels.parsers.base import Match, RawLog, SampleBuilder
from compare_kernels.parsers.specjvm_console import COMPOSITE, HEADER, read_console
from compare_kernels.parsers.specjvm_raw import read_raw
from compare_kernels.parsers.specjvm_report import read_report
from compare_kernels.parsers.specjvm_scores import (
    BENCHMARK_SCORE,
    SCORE,
    Numbers,
    Outcome,
    Printed,
    hand_on,
    rate,
)

METRICS = (SCORE, BENCHMARK_SCORE)

# The forms; the number is the authority.
_REPORT, _CONSOLE, _RAW, _PROPERTIES, _SUMMARY = 5, 4, 3, 2, 1

_IS_RAW = re.compile(r"<specjvm-result\b")
_IS_PROPERTIES = re.compile(r"(?m)^[ \t]*spec\.jvm2008\.report\.result\.")
_IS_SUMMARY = re.compile(r"(?m)^Report: +SPECjvm2008|^Result: +(?:Noncompliant c|C)omposite result:")
_IS_REPORT = re.compile(
    r"(?m)^={20,}[ \t]*\nSPECjvm2008|^Benchmark +Iteration +Expected"
    r"|^[\w.]+[ \t]+iteration[ \t]+\d+[ \t]+(?:\d+|null)[ \t]+\d+[ \t]"
)
_IS_CONSOLE = re.compile(
    r"(?m)^Score on [\w.]+: .*(?:ops/m|NOT VALID)|^ *Run mode: +(?:static|timed) run"
    r"|^(?:Warmup|Iteration \d+) \(\d+(?:s| operations?)\) (?:begins|ends|result):"
)
# Of a console log that was cut, this may be all; but a text report has it, too.
_IS_CONSOLE_END = re.compile(rf"(?m)^{HEADER.pattern}|^{COMPOSITE.pattern}")
_IMAGES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8")

_PROPERTY = re.compile(r"\s*(spec\.jvm2008\.report\.result\.[\w.]+)\s*[=:](.*)")
_SUMMARY_LINE = re.compile(r"(Report|Result):\s+(.*)")
_KEYS = {
    "Report": "workload",
    "Result": "composite",
    "spec.jvm2008.report.result.workload.name": "workload",
    "spec.jvm2008.report.result.score": "composite",
}


def recognise(log: RawLog) -> Match:
    """Tell SPECjvm2008 by its own words; its web report and the images in it aren't read."""
    return Match.CERTAIN if _form(log) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a file, whichever of the five forms it has."""
    form = _form(log)
    if form == _RAW:
        outcomes = read_raw(log.lines, into)
    elif form == _REPORT:
        outcomes = read_report(_whole_lines(log), into)
    elif form == _CONSOLE:
        outcomes = read_console(_whole_lines(log), into)
    else:
        outcomes = _read_composites(_whole_lines(log), into)
    hand_on(outcomes, form, log, into)


def _form(log: RawLog) -> int:
    """Which form the file has, or 0; a console log with a text report behind it is a console log."""
    if log.data.startswith(_IMAGES):
        return 0
    head = log.head
    if "<html" in head[:2000].lower():
        return 0
    for form, pattern in ((_RAW, _IS_RAW), (_PROPERTIES, _IS_PROPERTIES), (_SUMMARY, _IS_SUMMARY)):
        if pattern.search(head):
            return form
    report, console = _IS_REPORT.search(head), _IS_CONSOLE.search(head)
    if report and (not console or report.start() < console.start()):
        return _REPORT
    return _CONSOLE if console or _IS_CONSOLE_END.search(head) else 0


def _whole_lines(log: RawLog) -> list[str]:
    """The lines without a last one that may have been cut: one that has neither an end nor a unit."""
    lines = log.lines
    ended = log.data.rstrip(b"\0")[-1:] in {b"\n", b"\r"}
    if ended or not lines or lines[-1].endswith(("ops/m", "not valid", "**NOT VALID**")):
        return lines
    return lines[:-1]


def _read_composites(lines: list[str], into: SampleBuilder) -> list[Outcome]:
    """Read summaries or properties, which tell a run's composite and no more."""
    outcomes: list[Outcome] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        found = _SUMMARY_LINE.match(line) or _PROPERTY.match(line)
        key = _KEYS.get(found[1], "") if found else ""
        if not found or not key:
            continue
        if not outcomes or key in seen:
            outcomes.append(Outcome(number))
            seen.clear()
        seen.add(key)
        if key == "workload":
            outcomes[-1].workload = found[2]
        else:
            _take_composite(outcomes[-1], number, found[2].strip())
    numbers = Numbers([run.printed_composite.text for run in outcomes if run.printed_composite], into)
    for outcome in outcomes:
        outcome.take_printed(numbers)
    return outcomes


def _take_composite(run: Outcome, number: int, text: str) -> None:
    """Take the composite as the summary prints it, with a unit, or as the properties do, without one."""
    if found := COMPOSITE.match(text):
        text = rate(found[1])
    if any(char.isdigit() for char in text):
        run.printed_composite = Printed(number, text)
    else:
        run.invalid = number
