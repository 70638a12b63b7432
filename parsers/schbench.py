"""schbench since 2016: percentiles of wakeup and request latencies, requests per second, transfers of the pipe mode.

A run prints one report or several. Reports are cumulative, so that only the final one is a sample, unless the
statistics were zeroed between reports (``-z``): then each interval is a sample of its own. Since 2023 a report has
three sections and the final one is followed by a line that no other has; the older single section, ``Latency``, is
the wakeup latency under another load and is kept apart as dialect 1.

`schbench_text` reads the lines, `schbench_json` the JSON, `schbench_reports` decides which reports are samples and
`schbench_setup` finds the configuration. Here runs become samples.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.schbench_json import BEGIN, Object, read_objects
from compare_kernels.parsers.schbench_reports import Report, Run, Section, delays, samples
from compare_kernels.parsers.schbench_setup import Setup
from compare_kernels.parsers.schbench_text import hints_at_schbench, read_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

_latency = partial(Metric, unit="us", better="lower", parameter="workers")
_rate = partial(Metric, better="higher", mean="harmonic", parameter="workers")

WAKEUP = _latency("wakeup-latency", "Wakeup Latency", quantity="wakeup latency in us", headline="99.0th")
REQUEST = _latency("request-latency", "Request Latency", quantity="request latency in us", headline="99.0th")
RPS = _rate("rps", "Requests per Second", "req/s", quantity="requests per second", headline="50.0th")
AVERAGE = _rate("average-rps", "Average Requests per Second", "req/s", quantity="average requests per second")
TRANSFER = _rate("transfer", "Worker Transfer", "ops/s", quantity="transfers per second")
BANDWIDTH = _rate("transfer-bandwidth", "Worker Transfer Bandwidth", "MB/s", main=False, quantity="bandwidth in MB/s")
MAXIMUM = _latency("latency-maximum", "Maximum Latency", main=False, quantity="maximum latency in us")
DELAY = _latency("sched-delay", "Scheduling Delay", main=False, quantity="mean delay on the run queue in us")
GOAL = _rate("rps-goal", "Final RPS Goal", "req/s", main=False, quantity="requests per second at the wanted load")
RELATIVE = Metric(
    "relative-latency", "Latency Relative to Think Time", "%", "lower", main=False, parameter="workers",
    quantity="latency in percent of the think time", headline="99.0th",
)  # fmt: skip
_SECTIONS = {"wakeup": WAKEUP, "request": REQUEST, "rps": RPS}
_INTERIM = {
    kind: replace(metric, name=f"interim-{metric.name}", title=f"Interim {metric.title}", main=False, interim=True)
    for kind, metric in _SECTIONS.items()
}
METRICS = (WAKEUP, REQUEST, RPS, AVERAGE, TRANSFER, BANDWIDTH, MAXIMUM, DELAY, GOAL, RELATIVE, *_INTERIM.values())

DERIVED = ("wakeup-latency", "latency-maximum")
"""A log of dialect 1 that was cut between two cumulative reports looks like one of a shorter run."""

_RATES = {"average": AVERAGE, "goal": GOAL, "transfer": TRANSFER, "bandwidth": BANDWIDTH}

_OWN = re.compile(
    r"(?m)^[ \t]*(?:(?:Latency|(?:Wakeup|Request) Latencies) percentiles \(usec\)|RPS percentiles \(requests\))"
    r'|^schbench usage:|^[ \t]*avg worker transfer: \d|"(?:wakeup|request)_latency_(?:pct|m)'
)
_WORKERS = re.compile(r"(?m)^[ \t]*setting worker threads to \d")


def recognise(log: RawLog) -> Match:
    """Tell schbench by its headers and the names in its JSON; a log that stops before them by its first words."""
    head = log.head
    if _OWN.search(head):
        return Match.CERTAIN
    if _WORKERS.search(head):
        return Match.LIKELY
    named = log.name_has("schbench")
    if named and (BEGIN.search(head) or any(map(hints_at_schbench, head.split("\n")))):
        return Match.LIKELY
    return Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read the text and the JSON of a log; where one run has both, they are two runs with one identity."""
    writer = _Writer(log, into, read_objects(log.lines))
    read_runs(log, into, writer.write_run)
    writer.write_objects()


class _Writer:
    """Adds the values of runs; the first run of the text and the first JSON object are about the same run."""

    def __init__(self, log: RawLog, into: SampleBuilder, objects: list[Object]) -> None:
        self._log = log
        self._into = into
        self._objects = objects
        self._runs: list[Run] = []

    def write_run(self, run: Run) -> None:
        """Add the samples of a run whose text came to its end."""
        reports = run.measured
        chosen = samples(reports)
        sections = [section for report in chosen for section in report.sections.values() if not section.empty]
        singles = list(_singles(run))
        if not sections and not singles:
            self._into.warn("no-result", "the report counts no sample", run.line)
            return
        if len(reports) > 1:
            self._explain(run, chosen)
        place = len(self._runs)
        json_command = self._objects[place].command if place < len(self._objects) else ""
        setup = Setup(self._log, run.command or json_command, run)
        dialect = run.dialect or ("1" if run.pipe else "2")
        seconds = max((report.seconds for report in reports), default=0.0)
        self._begin(setup, place, dialect=dialect, seconds=seconds, authority=2, line=run.line)
        self._runs.append(run)
        workers = setup.workers
        self._add_sections(workers, sections)
        self._add_interim(workers, run.reports)
        for metric, series, value in singles:
            self._into.add(metric, _operation(workers, series), value)

    def write_objects(self) -> None:
        """Add the samples of the JSON; call this when all runs of the text have been written."""
        for place, found in enumerate(self._objects):
            self._write_object(place, found)

    def _write_object(self, place: int, found: Object) -> None:
        into, complete = self._into, found.runtime is not None
        if not complete:
            into.truncated("the JSON stops too early, only its complete values are taken", found.line)
        if found.release:
            message = f"the run was on kernel release {found.release}"
            if found.scheduler not in {"", "disabled"}:
                message += f" with the sched_ext scheduler {found.scheduler}"
            into.note("kernel-release", message, found.line)
        setup = Setup(self._log, found.command, self._runs[place] if place < len(self._runs) else Run())
        seconds = found.runtime or 0.0
        zeroed = float(setup.options.get("z") or 0)
        if not found.sections:
            if complete:
                into.warn("no-result", "the JSON counts no sample", found.line)
        elif zeroed and (zeroed < seconds or not seconds):
            message = "the JSON holds what came after the last zeroing (-z) only, it is left out"
            into.warn("no-result", message, found.line)
        else:
            self._begin(setup, place, dialect="2", seconds=seconds, authority=1, line=found.line)
            self._add_sections(setup.workers, found.sections)

    def _begin(self, setup: Setup, place: int, *, dialect: str, seconds: float, authority: int, line: int) -> None:
        stem = self._log.stem
        self._into.run(
            settings=setup.settings(dialect),
            conditions=setup.conditions(seconds),
            number=run_number(self._log),
            # The text and the JSON of one run have the same name in front of the suffix.
            identity=f"{stem}#{place + 1}" if place else stem,
            authority=authority,
            line=line,
        )

    def _add_sections(self, workers: str, sections: list[Section]) -> None:
        for section in sections:
            for label, value in section.rows.items():
                self._into.add(_SECTIONS[section.kind], _row(workers, label, _place(label)), value)
            if section.kind != "rps" and section.maximum is not None:
                place = float(section.kind == "request")
                self._into.add(MAXIMUM, _row(workers, section.kind, place), section.maximum)

    def _add_interim(self, workers: str, reports: list[Report]) -> None:
        """Add what interim reports told, those of the warm-up too."""
        for report in reports:
            for section in report.sections.values() if report.interim else ():
                for label, value in section.rows.items() if not section.empty else ():
                    self._into.add(_INTERIM[section.kind], _row(workers, label, _place(label)), value)

    def _explain(self, run: Run, chosen: list[Report]) -> None:
        reports = run.measured
        if chosen != reports[-1:]:
            self._into.note(
                "zeroed",
                f"the statistics were zeroed between reports: {len(chosen)} of {len(reports)} reports are samples",
                run.line,
            )
        elif run.dialect == "1":
            self._into.note(
                "last-report",
                f"the last of {len(reports)} cumulative reports is taken; nothing tells whether the run ended then",
                reports[-1].line,
            )


def _singles(run: Run) -> Iterator[tuple[Metric, str, float]]:
    """Yield what stands outside of the sections: metric, series, value."""
    for name, value in run.rates.items():
        # A rate of 0 comes from a run that did nothing.
        if value > 0:
            yield _RATES[name], "", value
    for series, value in run.relative.items():
        yield RELATIVE, series, value
    if found := delays(run.measured):
        yield from zip((DELAY, DELAY), ("message", "worker"), found, strict=True)


def _operation(workers: str, series: str) -> Operation:
    if series:
        return _row(workers, series)
    return Operation(workers or "all", param=float(workers) if workers else float("nan"))


def _place(label: str) -> float:
    return float(label.removesuffix("th"))


def _row(workers: str, series: str, place: float = 0.0) -> Operation:
    """All rows of a number of workers stand together, in the order of their percentiles."""
    if not workers:
        return Operation(series, series, order=(float("inf"), place))
    count = float(workers)
    return Operation(f"{series}-{workers}", series, count, (count, place))
