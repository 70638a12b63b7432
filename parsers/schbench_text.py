"""The text of schbench by lines, and which of its reports belong to one run.

Logs hold the output of loops, of runs that were killed, and of other programs. That a run ended is told by lines that
follow its final report only; in dialect 1 there are none, so that the next run is told by its time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.parsers.schbench_reports import Report, Run, Section, label
from compare_kernels.parsers.schbench_setup import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.parsers.base import RawLog, SampleBuilder

_KINDS = {"Latency": "wakeup", "Wakeup Latencies": "wakeup", "Request Latencies": "request", "RPS": "rps"}
_IMPLAUSIBLE = 1e6
"""Requests per second that dialect 1 cannot reach; a version of 2020/21 printed them a million times too high."""
_MEGABYTES = {unit: 1024.0 ** (place - 2) for place, unit in enumerate(("B", "KB", "MB", "GB", "TB", "PB", "EB"))}

_HEADER = re.compile(
    # JSON on the standard output has no line end.
    r"(?:^\s*|\}\})(Latency|Wakeup Latencies|Request Latencies|RPS) percentiles \((?:usec|requests)\)"
    r"(?: runtime (\d{1,9}) \(s\) \((\d{1,15}) total samples\))?\s*$"
)
_ROW = re.compile(r"^\s*(?:\*\s*)?(\d{1,3}\.\d{1,6})th:\s+(\d{1,12})(?:\s+\(\d+ samples\))?\s*$")
_END = re.compile(r"^\s*(?:Over=\d+, )?min=\d+, max=(\d{1,12})\s*$")
_INTERIM = re.compile(r"^\s*current rps: ")
_AVERAGE = re.compile(r"^\s*average rps:(?: (\d{1,15}\.\d\d)\s*$)?")
_GOAL = re.compile(r"^\s*final rps goal was (\d{1,12})\s*$")
_TRANSFER = re.compile(
    r"^\s*avg worker transfer:(?: (\d{1,15}\.\d\d) ops/sec(?: (\d{1,15}\.\d\d) ?([KMGTPE]?B)/s)?)?"
)
_DELAY = re.compile(r"^\s*sched delay: message (\d{1,15}) \(usec\) worker (\d{1,15}) \(usec\)\s*$")
_OLD_RPS = re.compile(
    r"^\s*rps: (\d{1,15}\.\d\d) p95 \(usec\) \d+ p99 \(usec\) \d+"
    r"(?: p95/cputime (\d{1,15}\.\d\d)% p99/cputime (\d{1,15}\.\d\d)%)?"
)
_WARM = re.compile(r"^\s*warmup done, zeroing stats")
_WORKERS = re.compile(r"^\s*setting worker threads to (\d{1,6})\s*$")
_START_ERROR = re.compile(
    r"error \d+ from pthread_create|unrecognized option|invalid option|requires an argument|Extra arguments"
    r"|[Uu]nable to allocate|Unknown pin mode|failed to parse cpuset|[Ff]ailed to detect|^schbench usage:"
)
_RUN_ERROR = re.compile(
    r"^(?:FUTEX_WAKE|futex-FUTEX_WAIT|malloc|sched_getcpu failed|unable to open json file)\b"
    r"|tvsub shows test time ran backwards"
    r"|^(?:\S+: line \d+: +\d+ )?(?:Killed|Terminated|Aborted|Segmentation fault)"
    r"(?: \(core dumped\))?(?:\s.*schbench.*)?$"
)
_HINTS = (_ROW, _END, _AVERAGE, _GOAL, _DELAY, _OLD_RPS, _WARM, _START_ERROR, _RUN_ERROR, COMMAND)


def hints_at_schbench(line: str) -> bool:
    """Whether schbench prints such a line, though other programs may print it, too."""
    return any(pattern.search(line) for pattern in _HINTS)


def read_runs(log: RawLog, into: SampleBuilder, hand_on: Callable[[Run], None]) -> None:
    """Read the text and hand on every run that came to its end; report those that did not."""
    reader = _Reader(log, into, hand_on)
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    reader.close()


class _Reader:
    """Walks through the lines and gathers the reports of the run that is under way."""

    def __init__(self, log: RawLog, into: SampleBuilder, hand_on: Callable[[Run], None]) -> None:
        self._into = into
        self._hand_on = hand_on
        self._run = Run()
        # One failure prints several messages.
        self._failed = False
        # The last line may be cut inside a number unless its end is there.
        self._doubtful = 0 if log.ended else len(log.lines)
        self._events: tuple[tuple[re.Pattern[str], Callable[[int, re.Match[str]], None]], ...] = (
            (_ROW, self._row),
            (_END, self._end_of_section),
            (_HEADER, self._header),
            (_INTERIM, self._interim),
            (_AVERAGE, self._average),
            (_GOAL, self._goal),
            (_TRANSFER, self._transfer),
            (_DELAY, self._delay),
            (_OLD_RPS, self._old_rps),
            (_WARM, self._warm),
            (_WORKERS, self._setting),
            (COMMAND, self._command),
            (_START_ERROR, self._start_error),
            (_RUN_ERROR, self._run_error),
        )

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        for pattern, take in self._events:
            if found := pattern.search(line):
                take(number, found)
                return

    def close(self) -> None:
        """End of the log, or of the run that is under way."""
        run, self._run = self._run, Run()
        if run.section:
            self._into.truncated("the log stops inside of a report", run.section.line)
        elif run.finished or (run.announced and run.open) or (run.dialect == "1" and run.measured):
            run.push()
            self._hand_on(run)
        elif run.dialect or run.announced:
            self._into.failed(_unfinished(len(run.reports) + bool(run.open)), run.line)
        elif run.workers:
            message = "the program started but printed no report: it was stopped early, or only asked to calibrate"
            self._into.warn("no-result", message, run.line)

    def _header(self, number: int, found: re.Match[str]) -> None:
        self._drop_section()
        runtime, total = float(found[2]) if found[2] else None, int(found[3]) if found[3] else None
        section = Section(_KINDS[found[1]], number, runtime, total)
        dialect = "1" if found[1] == "Latency" else "2"
        self._close_before(dialect, section)
        run = self._run
        run.dialect, run.line = dialect, run.line or number
        if run.open and section.kind in run.open.sections:
            run.push()
        run.section = section
        self._failed = False

    def _close_before(self, dialect: str, section: Section) -> None:
        """Close the run that is under way if a section belongs to the next one."""
        run = self._run
        if run.finished or run.dialect not in {"", dialect}:
            self.close()
        elif dialect == "1" and run.reports:
            # Dialect 1 marks no report as the final one; in a new run the time starts anew.
            before = run.reports[-1].runtime
            if before is None or section.runtime is None or section.runtime <= before:
                if not run.measured:
                    # The warm-up that ended was that of the new run.
                    run.warm_up = 0
                self.close()

    def _row(self, _number: int, found: re.Match[str]) -> None:
        if self._run.section:
            self._run.section.rows[label(found[1])] = float(found[2])

    def _end_of_section(self, number: int, found: re.Match[str]) -> None:
        run, section = self._run, self._run.section
        if section:
            section.maximum = float(found[1]) if number != self._doubtful else None
            run.open = run.open or Report(section.line)
            run.open.sections[section.kind] = section
            run.section = None
            if run.dialect == "1":
                run.push()
        elif run.dialect == "2" and not run.finished and found[1] == "0":
            # A section without samples may have no header.
            run.open = run.open or Report(number)
            run.open.blank = True

    def _drop_section(self) -> None:
        """Forget a section that has no end; what it holds may be cut off or mixed up."""
        if section := self._run.section:
            self._run.section = None
            self._into.warn("incomplete-report", "the section has no end, it is left out", section.line)

    def _interim(self, _number: int, _found: re.Match[str]) -> None:
        self._drop_section()
        run = self._run
        if run.open and not run.finished:
            self._forget_killed(run.open, again=True)
            run.open.interim = True
            run.push()

    def _forget_killed(self, report: Report, *, again: bool) -> None:
        """Tell a new run whose predecessor was killed, by its time; `again` if an equal time is enough."""
        run = self._run
        before, now = run.reports[-1].runtime if run.reports else None, report.runtime
        if before is None or now is None or now > before or (now == before and not again):
            return
        self._into.failed(_unfinished(len(run.reports)), run.line)
        run.reports.clear()
        run.warm_up, run.line = 0, report.line

    def _finish(self, number: int) -> Run:
        """Take note that the final report has been read, and return the run for more results."""
        self._drop_section()
        run = self._run
        if not run.finished:
            if run.dialect != "1":
                run.open = run.open or Report(number)
                self._forget_killed(run.open, again=False)
                run.push()
            run.finished, run.line = True, run.line or number
        return run

    def _average(self, number: int, found: re.Match[str]) -> None:
        run = self._finish(number)
        if found[1]:
            run.rates["average"] = float(found[1])

    def _goal(self, number: int, found: re.Match[str]) -> None:
        if self._run.finished or (self._run.announced and self._run.reporting):
            self.close()
        run = self._run
        run.line = run.line or number
        run.rate = "auto"
        if run.reporting and not run.announced:
            self._finish(number)
        else:
            # In 2023 each message thread told its own goal before the final report.
            run.announced = True
        if number != self._doubtful:
            run.rates["goal"] = run.rates.get("goal", 0.0) + float(found[1])

    def _transfer(self, number: int, found: re.Match[str]) -> None:
        run = self._finish(number)
        run.pipe = True
        if found[1]:
            run.rates["transfer"] = float(found[1])
        if found[2]:
            run.rates["bandwidth"] = float(found[2]) * _MEGABYTES[found[3]]

    def _delay(self, _number: int, found: re.Match[str]) -> None:
        run = self._run
        report = run.reports[-1] if run.finished and run.reports else run.open
        if report:
            report.delay = float(found[1]), float(found[2])

    def _old_rps(self, number: int, found: re.Match[str]) -> None:
        if not self._run.reports:
            # While looking for the highest rate, it prints a line for each one that it tries.
            return
        run = self._finish(number)
        run.rate, run.rates = "fixed", {}
        run.relative = {"95.0th": float(found[2]), "99.0th": float(found[3])} if found[2] else {}
        rate = float(found[1])
        if rate < _IMPLAUSIBLE:
            run.rates["average"] = rate
        else:
            self._into.warn("implausible", f"{found[1]} requests per second can't be: left out", number)

    def _warm(self, number: int, _found: re.Match[str]) -> None:
        self._drop_section()
        if self._run.finished:
            self.close()
        run = self._run
        run.push()
        run.warm_up, run.line = len(run.reports), run.line or number

    def _setting(self, number: int, found: re.Match[str]) -> None:
        self._start(number)
        self._run.workers = found[1] if number != self._doubtful else ""

    def _command(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        if run.section or (run.dialect == "2" and not run.finished) or '"cmdline"' in found.string:
            # A list of processes perhaps, or JSON.
            return
        self._start(number)
        self._run.command = found[1]

    def _start(self, number: int) -> None:
        """The program starts: what was under way has ended."""
        run = self._run
        if run.dialect or run.finished or run.announced or run.workers:
            self.close()
        self._run.line = self._run.line or number
        self._failed = False

    def _start_error(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        if run.finished or (run.dialect == "1" and run.reports and not run.section):
            self.close()
        self._fail(number, found.string)

    def _run_error(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        single = run.dialect == "1" and not run.section and run.reports and run.reports[-1].runtime is None
        if run.finished or single:
            # The run is over: this is about another program.
            return
        self._fail(number, found.string)

    def _fail(self, number: int, text: str) -> None:
        self._run = Run()
        if not self._failed:
            self._into.failed(f"the run failed: {text.strip()[:200]}", number)
        self._failed = True


def _unfinished(reports: int) -> str:
    return f"the run did not finish: {reports} interim report{'s' * (reports != 1)}, no final one"
