"""The text report of SPECjvm2008: a table of group scores, the composite, and every iteration of every benchmark.

What is printed is taken as it is printed. Reports that were reduced to the iterations give scores of single
benchmarks only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.parsers.specjvm_console import COMPOSITE, REPORT_RULE
from compare_kernels.parsers.specjvm_scores import (
    CHECK,
    FULL,
    GROUPS,
    Outcome,
    Printed,
    groups_of,
    rate,
    read_outcomes,
)

if TYPE_CHECKING:
    from compare_kernels.parsers.base import SampleBuilder

_DETAIL = re.compile(r"([\w.]+)[ \t]+(warmup|iteration[ \t]+\d+)[ \t]+(.*)")
_GROUP = re.compile(rf"({'|'.join(map(re.escape, GROUPS))})[ \t]{{2,}}(\S.*)")
_TAIL = re.compile(r"SPECjvm2008 Version:|Copyright \(C\) 2008")


def read_report(lines: list[str], into: SampleBuilder) -> list[Outcome]:
    """Return the runs of a text report, or of several in one file."""
    outcomes = read_outcomes(_Reader(), lines, into)
    for outcome in outcomes:
        if outcome.truncated:
            _leave_out_doubtful(outcome)
        elif not outcome.printed_groups and not outcome.printed_composite and not outcome.invalid:
            into.note(
                "no-groups",
                "the report has no table of group scores: it gives those of single benchmarks",
                outcome.line,
            )
    return outcomes


def _leave_out_doubtful(outcome: Outcome) -> None:
    """Keep of a cut report only groups of which it is known that no benchmark was left out of the run."""
    members = {group: {name for name in FULL if group in groups_of(name)} for group in outcome.groups}
    outcome.groups = {
        group: value
        for group, value in outcome.groups.items()
        if len(members[group]) == 1 or members[group] <= outcome.begun.keys()
    }
    outcome.composite = None


class _Reader:
    """Walks through the lines and remembers the report and the benchmark under way."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.texts: list[str] = []
        self._now: Outcome | None = None
        self._ended = False
        self._benchmark = ""
        self._iterations: list[Printed] = []

    def line(self, number: int, line: str, before: str) -> None:
        """Take the next line."""
        found = _DETAIL.match(line)
        if not found or found[1] != self._benchmark:
            self._close_benchmark()
        if line.startswith("SPECjvm2008 ") and REPORT_RULE.match(before):
            self.close(number - 1)
            self._run(number).workload = line
        elif self._ended or not line.strip():
            return
        elif found:
            self._take_detail(number, found[1], found[2], found[3])
        elif found := _GROUP.match(line):
            self._take_group(number, found[1], found[2].strip())
        elif found := COMPOSITE.match(line):
            self._take_composite(number, found[1])
        elif line.strip() == "FAILED":
            self._run(number).fail(CHECK, number, "the functional check failed")
        elif _TAIL.match(line):
            self._run(number).ask_for_all_known()
            self._ended = True

    def close(self, number: int) -> None:
        """End of a report: one with a table of groups has to have its details and its tail."""
        run = self._now
        if run:
            reduced = run.begun and not (run.printed_groups or run.printed_composite or run.invalid)
            if self._iterations or not (reduced or (self._ended and run.asked)):
                run.truncated = (number, "the report is cut: its end is missing")
            if reduced or run.truncated:
                run.asked = frozenset()
        self._now, self._ended = None, False
        self._benchmark, self._iterations = "", []

    def _run(self, number: int) -> Outcome:
        if self._now is None:
            self._now = Outcome(number)
            self.outcomes.append(self._now)
        return self._now

    def _close_benchmark(self) -> None:
        """Only what follows tells that a benchmark has no further iteration, which might be the best."""
        if self._iterations and self._now:
            self._now.printed[self._benchmark] = self._iterations
        self._benchmark, self._iterations = "", []

    def _take_detail(self, number: int, name: str, kind: str, rest: str) -> None:
        run = self._run(number)
        self._benchmark = name
        run.begun.setdefault(name, number)
        fields = _fields(rest)
        if "[" in rest:
            run.fail(name, number, rest[rest.index("[") :].strip())
        elif len(fields) < 4 or not any(char.isdigit() for char in fields[-1]):
            if kind != "warmup":
                run.fail(name, number, f"an iteration has no score: {rest.strip()!r}")
        else:
            self.texts += fields[-2:]
            if kind != "warmup":
                self._iterations.append(Printed(number, fields[-1]))

    def _take_group(self, number: int, group: str, text: str) -> None:
        run = self._run(number)
        if any(char.isdigit() for char in text):
            self.texts.append(text)
            run.printed_groups.setdefault(group, Printed(number, text))
        elif text != "n/a":
            run.invalid_groups.setdefault(group, number)

    def _take_composite(self, number: int, rest: str) -> None:
        run = self._run(number)
        if run.printed_composite or run.invalid:
            return
        if text := rate(rest):
            self.texts.append(text)
            run.printed_composite = Printed(number, text)
        else:
            run.invalid = number


def _fields(rest: str) -> list[str]:
    """The columns behind the iteration; where they are padded, a blank may group the digits of a number."""
    padded = re.split(r"[ \t]{2,}", rest.strip(" \t"))
    return padded if len(padded) >= 4 else re.split(r"[ \t]+", rest.strip(" \t"))
