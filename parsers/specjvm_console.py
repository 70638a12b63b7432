"""What SPECjvm2008 shows on the console while it runs: a block for each benchmark, at the end the composite.

Scores of groups aren't shown, so they are computed, but only of a run that came to its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.parsers.specjvm_scores import FULL, RUN_NAME, Outcome, Printed, rate, read_outcomes, shortened

if TYPE_CHECKING:
    from compare_kernels.parsers.base import SampleBuilder

HEADER = re.compile(r"SPECjvm2008 (?:Base|Peak|Lagom)\b[\w ]*$")
COMPOSITE = re.compile(r"(?:Noncompliant c|C)omposite result:(.*)")
REPORT_RULE = re.compile(r"={20,}[ \t]*$")

_BLOCK_RULE = "--- --- --- ---"
_ANNOUNCED = re.compile(r"\s+Benchmarks:(.*)")
_BLOCK = re.compile(r"\s*Benchmark:\s+([\w.]+)\s*$")
_RESULT = re.compile(r"(?:Warmup|Iteration \d+) \([^)]*\) result:(.*)")
_SCORE = re.compile(r"Score on ([\w.]+):(.*)")
_EXCEPTION = re.compile(r"#### ([\w.]+) exited with exception: (.*)")
_ERRORS = re.compile(r"Errors in benchmark: ([\w.]+)")
_REASON = re.compile(r"\s+(\[.*)")
_PLACE = re.compile(r"(?:Results are stored|Generating reports) in:(.*)")


def read_console(lines: list[str], into: SampleBuilder) -> list[Outcome]:
    """Return the runs that a console log shows."""
    outcomes = read_outcomes(_Reader(), lines, into)
    for outcome in outcomes:
        if outcome.truncated:
            outcome.asked = frozenset(outcome.announced)
            continue
        outcome.compute()
        if outcome.contradicted:
            outcome.groups = {}
            into.warn(
                "lost-scores",
                "the composite result doesn't fit the scores of the benchmarks, some of which must be lost:"
                " no scores of groups are computed",
                outcome.line,
            )
    return outcomes


class _Reader:
    """Walks through the lines; a file may hold several runs, and text reports behind them."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.texts: list[str] = []
        self._now: Outcome | None = None
        self._block = ""
        self._place_follows = False
        self._in_report = False

    def line(self, number: int, line: str, before: str) -> None:
        """Take the next line."""
        if self._belongs_to_report(line, before) or not line.strip():
            return
        if HEADER.match(line):
            self._begin(number).workload = line
        elif self._place_follows or _PLACE.match(line):
            self._take_place(number, line)
        elif found := _ANNOUNCED.match(line):
            self._run(number).announced.update(FULL.intersection(found[1].split()))
        elif found := _BLOCK.match(line):
            self._run(number, found[1]).begun[found[1]] = number
            self._block = found[1]
        elif found := _RESULT.match(line):
            self._remember(rate(found[1]))
        elif found := _SCORE.match(line):
            self._take_score(number, found[1], found[2])
        elif found := COMPOSITE.match(line):
            self._take_composite(number, found[1])
        else:
            self._take_trouble(number, line)

    def close(self, number: int) -> None:
        """End of the log, or of a run: without a composite result it was aborted."""
        if self._now:
            last = f"; it stops in {self._block}" if self._block else ""
            message = f"there is no composite result: the run was aborted or the log is cut{last}"
            self._now.truncated = (number, message)
        self._now = None

    def _belongs_to_report(self, line: str, before: str) -> bool:
        """Whether the line is of a text report behind the console log, which tells the same again."""
        if REPORT_RULE.match(line):
            self._in_report = True
        elif line.startswith(_BLOCK_RULE) or (HEADER.match(line) and not REPORT_RULE.match(before)):
            self._in_report = False
        return self._in_report

    def _begin(self, number: int) -> Outcome:
        self.close(number - 1)
        self._now = Outcome(number)
        self.outcomes.append(self._now)
        self._block = ""
        return self._now

    def _run(self, number: int, benchmark: str = "") -> Outcome:
        """The run under way; a benchmark that comes again belongs to the next one."""
        if self._now is None or benchmark in self._now.begun:
            return self._begin(number)
        return self._now

    def _remember(self, text: str) -> None:
        if text:
            self.texts.append(text)

    def _take_place(self, number: int, line: str) -> None:
        found = _PLACE.match(line)
        self._place_follows = bool(found and not found[1].strip())
        if line.startswith("Results") and found:
            self._run(number)
        named = RUN_NAME.findall(line)
        if self._now and named and not self._now.folder:
            self._now.folder = f"SPECjvm2008.{named[-1]}"

    def _take_score(self, number: int, name: str, rest: str) -> None:
        run = self._run(number, "" if name == self._block else name)
        run.begun.setdefault(name, number)
        self._block = ""
        if text := rate(rest):
            self._remember(text)
            run.printed[name] = [Printed(number, text)]
        else:
            run.fail(name, number, "")

    def _take_composite(self, number: int, rest: str) -> None:
        run = self._run(number)
        if text := rate(rest):
            self._remember(text)
            run.printed_composite = Printed(number, text)
        else:
            run.invalid = number
        self._now = None

    def _take_trouble(self, number: int, line: str) -> None:
        if found := _ERRORS.match(line):
            self._run(number).fail(found[1], number, "")
        elif found := _EXCEPTION.match(line):
            self._run(number).fail(found[1], number, found[2].rstrip("# "))
        elif self._now and self._block in self._now.failures and (found := _REASON.match(line)):
            at, reason = self._now.failures[self._block]
            told = f"{reason}; {found[1]}" if reason else found[1]
            self._now.failures[self._block] = (at, shortened(told))
