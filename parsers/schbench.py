"""schbench since 2016: percentiles of wakeup and request latencies, requests per second, transfers of the pipe mode.

A run prints one report or several. Reports are cumulative, so that only the final one is a sample, unless the
statistics were zeroed between reports (``-z``): then each interval is a sample of its own. Since 2023 a report has
three sections and the final one is followed by a line that no other has; the older single section, ``Latency``, is
the wakeup latency under another load and is kept apart as dialect 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
METRICS = (WAKEUP, REQUEST, RPS, AVERAGE, TRANSFER, BANDWIDTH, MAXIMUM, DELAY, GOAL, RELATIVE)

DERIVED = ("wakeup-latency", "latency-maximum")
"""A log of dialect 1 that was cut between two cumulative reports looks like one of a shorter run."""

_SECTIONS = {"wakeup": WAKEUP, "request": REQUEST, "rps": RPS}
_KINDS = {
    "Latency": "wakeup",
    "Wakeup Latencies": "wakeup",
    "Request Latencies": "request",
    "RPS": "rps",
    "wakeup_latency": "wakeup",
    "request_latency": "request",
    "rps": "rps",
}
_NAN, _INFINITE = float("nan"), float("inf")
_IMPLAUSIBLE = 1e6
"""Requests per second that dialect 1 cannot reach; a version of 2020/21 printed them a million times too high."""

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
_COMMAND = re.compile(r"(?:^|[\s/])schbench\s+(--?[A-Za-z].*)$")
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
_UNITS = {
    "B": 1 / 1024**2,
    "KB": 1 / 1024,
    "MB": 1.0,
    "GB": 1024.0,
    "TB": 1024.0**2,
    "PB": 1024.0**3,
    "EB": 1024.0**4,
}

_JSON_START = re.compile(r'\{\s*"(?:normal|int)"\s*:\s*\{')
_JSON_VALUE = re.compile(
    r'"(wakeup_latency|request_latency|rps)_(?:pct(\d{1,3}\.\d{1,4})|max)"\s*:\s*(\d{1,12})\s*(?=[,}])'
)
_JSON_RUNTIME = re.compile(r'"runtime"\s*:\s*(\d{1,9})\s*\}')
_JSON_TEXT = re.compile(r'"(version|sched_ext|cmdline)"\s*:\s*"((?:[^"\\]|\\.)*)"')


def recognise(log: RawLog) -> Match:
    """Tell schbench by its headers and the names in its JSON; a log that stops before them by its first words."""
    head = log.head
    if re.search(
        r"(?m)^[ \t]*(?:(?:Latency|(?:Wakeup|Request) Latencies) percentiles \(usec\)|RPS percentiles \(requests\))"
        r"|^schbench usage:|^[ \t]*avg worker transfer: \d",
        head,
    ):
        return Match.CERTAIN
    if re.search(r'"(?:wakeup|request)_latency_(?:pct|m)', head):
        return Match.CERTAIN
    if re.search(r"(?m)^[ \t]*setting worker threads to \d", head):
        return Match.LIKELY
    named = log.name_has("schbench")
    if named and (_JSON_START.search(head) or any(map(_hints_at_schbench, head.split("\n")))):
        return Match.LIKELY
    return Match.NO


def _hints_at_schbench(line: str) -> bool:
    return any(
        pattern.search(line)
        for pattern in (_ROW, _END, _AVERAGE, _GOAL, _DELAY, _OLD_RPS, _WARM, _START_ERROR, _RUN_ERROR, _COMMAND)
    )


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read the text and the JSON of a log; where one run has both, they are two runs with one identity."""
    objects = list(_json_objects(log))
    reader = _Reader(log, into, [found.options for found in objects])
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    reader.close()
    for index, found in enumerate(objects):
        told = reader.taken[index] if index < len(reader.taken) else _Run()
        _take_json(log, into, found, _Setup(log, found.options, told), _identity(log, index))


@dataclass
class _Section:
    """One table of percentiles; `total` and `runtime` are None where the header doesn't tell."""

    line: int = 0
    runtime: float | None = None
    total: int | None = None
    rows: dict[str, float] = field(default_factory=dict)
    maximum: float | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was measured: its zeros are no values then."""
        return not self.total if self.total is not None else not any((*self.rows.values(), self.maximum))


@dataclass
class _Report:
    """What was printed at one time: the sections by kind, and the delays of message and worker threads."""

    line: int
    sections: dict[str, _Section] = field(default_factory=dict)
    delay: tuple[float, float] | None = None
    blank: bool = False

    @property
    def runtime(self) -> float | None:
        """Seconds since the start of the program."""
        return next((section.runtime for section in self.sections.values()), None)

    @property
    def empty(self) -> bool:
        """Whether it was printed but counts no latency at all."""
        latencies = [section for kind, section in self.sections.items() if kind != "rps"]
        return bool(latencies or self.blank) and all(section.empty for section in latencies)

    def count(self, kind: str) -> int | None:
        """How many samples a section counts, None if that is unknown."""
        return self.sections[kind].total if kind in self.sections else None


@dataclass
class _Run:
    """What the text has told about the run that is under way."""

    line: int = 0
    dialect: str = ""
    options: dict[str, str] = field(default_factory=dict)
    workers: str = ""
    reports: list[_Report] = field(default_factory=list)
    open: _Report | None = None
    warm_up: int = 0
    """How many of the reports belong to the warm-up."""
    finished: bool = False
    """Whether a line was seen that only follows the final report."""
    announced: bool = False
    """Whether the line was seen that in 2023 came before the final report."""
    pipe: bool = False
    rate: str = ""
    """``auto`` or ``fixed`` if the text tells that the rate of requests was given."""
    results: list[tuple[Metric, str, float]] = field(default_factory=list)
    """Values that stand outside of the sections: metric, series, value."""

    def push(self) -> None:
        """Close the report that is being read."""
        if self.open:
            self.reports.append(self.open)
            self.open = None


class _Reader:
    """Walks through the lines, gathers the reports of a run and decides at its end which of them are samples."""

    def __init__(self, log: RawLog, into: SampleBuilder, commands: list[dict[str, str]]) -> None:
        self._log = log
        self._into = into
        self._commands = commands
        self._run = _Run()
        self._section: _Section | None = None
        self.taken: list[_Run] = []
        """The runs that gave values."""
        self._failed = False
        # The last line may be cut inside a number unless its end is there.
        self._whole_lines = len(log.lines) - (not log.data.rstrip(b"\0").endswith((b"\n", b"\r")))
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
            (_COMMAND, self._command),
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
        """End of the log."""
        self._close_run()

    def _header(self, number: int, found: re.Match[str]) -> None:
        self._drop_section()
        kind = _KINDS[found[1]]
        section = _Section(number, float(found[2]) if found[2] else None, int(found[3]) if found[3] else None)
        dialect = "1" if found[1] == "Latency" else "2"
        if self._begins_a_run(dialect, section):
            self._close_run()
        run = self._run
        run.dialect, run.line = dialect, run.line or number
        if run.open and kind in run.open.sections:
            run.push()
        run.open = run.open or _Report(number)
        run.open.sections[kind] = section
        self._section = section
        self._failed = False

    def _begins_a_run(self, dialect: str, section: _Section) -> bool:
        run = self._run
        if run.finished or (run.dialect and run.dialect != dialect):
            return True
        if dialect == "2" or not run.reports:
            return False
        # Dialect 1 marks no report as the final one; in a new run the time starts anew.
        before = run.reports[-1].runtime
        again = before is None or section.runtime is None or section.runtime <= before
        if again and run.warm_up == len(run.reports):
            run.warm_up = 0
        return again

    def _row(self, _number: int, found: re.Match[str]) -> None:
        if self._section:
            self._section.rows[_label(found[1])] = float(found[2])

    def _end_of_section(self, number: int, found: re.Match[str]) -> None:
        run, section = self._run, self._section
        self._section = None
        if section:
            section.maximum = float(found[1]) if number <= self._whole_lines else None
            if run.dialect == "1":
                run.push()
        elif run.dialect == "2" and not run.finished and found[1] == "0":
            # A section without samples may have no header.
            run.open = run.open or _Report(number)
            run.open.blank = True

    def _drop_section(self) -> None:
        """Forget a section that has no end; what it holds may be cut off or mixed up."""
        section, run = self._section, self._run
        self._section = None
        if section and run.open:
            kinds = [kind for kind, other in run.open.sections.items() if other is section]
            for kind in kinds:
                del run.open.sections[kind]
            if not run.open.sections:
                run.open = None
            self._into.warn("incomplete-report", "the section has no end, it is left out", section.line)

    def _interim(self, _number: int, _found: re.Match[str]) -> None:
        run = self._run
        if run.open and not run.finished:
            self._forget_killed(run.open, again=True)
            run.push()

    def _forget_killed(self, report: _Report, *, again: bool) -> None:
        """Tell a new run whose predecessor was killed, by its time; `again` if an equal time is enough."""
        run = self._run
        before, now = run.reports[-1].runtime if run.reports else None, report.runtime
        if before is None or now is None or now > before or (now == before and not again):
            return
        self._into.failed(_unfinished(len(run.reports)), run.line)
        run.reports.clear()
        run.warm_up, run.line = 0, report.line

    def _finish(self, number: int) -> _Run:
        """Take note that the final report has been read, and return the run for more results."""
        self._drop_section()
        run = self._run
        if not run.finished:
            if run.dialect != "1":
                run.open = run.open or _Report(number)
                self._forget_killed(run.open, again=False)
            run.push()
            run.finished, run.line = True, run.line or number
        return run

    def _average(self, number: int, found: re.Match[str]) -> None:
        run = self._finish(number)
        if found[1]:
            run.results.append((AVERAGE, "", float(found[1])))

    def _goal(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        if run.finished or (run.announced and run.open):
            self._close_run()
            run = self._run
        run.line = run.line or number
        run.rate = "auto"
        if run.open and not run.announced:
            run = self._finish(number)
        else:
            # In 2023 each message thread told its own goal before the final report.
            run.announced = True
        if number <= self._whole_lines:
            run.results.append((GOAL, "", float(found[1])))

    def _transfer(self, number: int, found: re.Match[str]) -> None:
        run = self._finish(number)
        run.pipe = True
        if found[1]:
            run.results.append((TRANSFER, "", float(found[1])))
        if found[2]:
            run.results.append((BANDWIDTH, "", float(found[2]) * _UNITS[found[3]]))

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
        run.rate = "fixed"
        rate = float(found[1])
        run.results = []
        if rate < _IMPLAUSIBLE:
            run.results.append((AVERAGE, "", rate))
        else:
            self._into.warn("implausible", f"{found[1]} requests per second can't be: left out", number)
        if found[2]:
            run.results += [(RELATIVE, "95.0th", float(found[2])), (RELATIVE, "99.0th", float(found[3]))]

    def _warm(self, number: int, _found: re.Match[str]) -> None:
        if self._run.finished:
            self._close_run()
        self._run.push()
        self._run.warm_up = len(self._run.reports)
        self._run.line = self._run.line or number

    def _setting(self, number: int, found: re.Match[str]) -> None:
        self._start(number)
        self._run.workers = found[1] if number <= self._whole_lines else ""

    def _command(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        if self._section or (run.dialect == "2" and not run.finished) or '"cmdline"' in found.string:
            # A list of processes perhaps, or JSON.
            return
        self._start(number)
        self._run.options = _options(found[1])

    def _start(self, number: int) -> None:
        """The program starts: what was under way has ended."""
        run = self._run
        if run.dialect or run.finished or run.announced or run.workers:
            self._close_run()
        self._run.line = self._run.line or number
        self._failed = False

    def _start_error(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        if run.finished or (run.dialect == "1" and run.reports and not self._section):
            self._close_run()
        self._fail(number, found.string)

    def _run_error(self, number: int, found: re.Match[str]) -> None:
        run = self._run
        single = run.dialect == "1" and not self._section and run.reports and run.reports[-1].runtime is None
        if run.finished or single:
            # The run is over: this is about another program.
            return
        self._fail(number, found.string)

    def _fail(self, number: int, text: str) -> None:
        self._run, self._section = _Run(), None
        if not self._failed:
            self._into.failed(f"the run failed: {text.strip()[:200]}", number)
        self._failed = True

    def _close_run(self) -> None:
        run, section = self._run, self._section
        self._run, self._section = _Run(), None
        if run.announced and run.open and not section:
            run.push()
            run.finished = True
        if run.dialect == "1" and not section and len(run.reports) > run.warm_up:
            run.finished = True
        if run.finished:
            self._add(run)
        elif section:
            self._into.truncated("the log stops inside of a report", section.line)
        elif run.dialect or run.announced or run.warm_up:
            self._into.failed(_unfinished(len(run.reports) + bool(run.open)), run.line)
        elif run.workers:
            message = "the program started but printed no report: it was stopped early, or only asked to calibrate"
            self._into.warn("no-result", message, run.line)

    def _add(self, run: _Run) -> None:
        """Add the samples of a run that came to its end."""
        reports = run.reports[run.warm_up :]
        samples = _samples(reports)
        results = [*_summed(run.results), *_delays(reports)]
        sections = [
            (kind, section) for report in samples for kind, section in report.sections.items() if not section.empty
        ]
        if not sections and not results:
            self._into.warn("no-result", "the report counts no sample", run.line)
            return
        if len(reports) > 1:
            self._explain(run, reports, samples)
        setup = _Setup(self._log, run.options or self._json_command(), run)
        self._into.run(
            settings=setup.settings(run.dialect or ("1" if run.pipe else "2")),
            conditions=setup.conditions(max(map(_seconds, reports), default=0.0)),
            number=run_number(self._log),
            identity=_identity(self._log, len(self.taken)),
            authority=2,
            line=run.line,
        )
        self.taken.append(run)
        for kind, section in sections:
            _add_section(self._into, setup.workers, kind, section)
        for metric, series, value in results:
            self._into.add(metric, _single(setup.workers, series), value)

    def _json_command(self) -> dict[str, str]:
        index = len(self.taken)
        return self._commands[index] if index < len(self._commands) else {}

    def _explain(self, run: _Run, reports: list[_Report], samples: list[_Report]) -> None:
        if samples != reports[-1:]:
            self._into.note(
                "zeroed",
                f"the statistics were zeroed between reports: {len(samples)} of {len(reports)} reports are samples",
                run.line,
            )
        elif run.dialect == "1":
            self._into.note(
                "last-report",
                f"the last of {len(reports)} cumulative reports is taken; nothing tells whether the run ended then",
                reports[-1].line,
            )


def _unfinished(reports: int) -> str:
    return f"the run did not finish: {reports} interim report{'s' * (reports != 1)}, no final one"


def _samples(reports: list[_Report]) -> list[_Report]:
    """Return those reports of a finished run that are samples: the final one, or else each independent interval."""
    interim, final = reports[:-1], reports[-1:]
    if not interim or not _zeroed(reports):
        return final
    steps = [_seconds(after) - _seconds(before) for before, after in pairwise([_Report(0), *reports])]
    # Mostly the final report repeats the last interim one with what came after the zeroing: next to nothing.
    full = final if steps[-1] >= min(steps[:-1]) else []
    return [*_independent(interim), *full]


def _zeroed(reports: list[_Report]) -> bool:
    """Whether the statistics were zeroed on the way: a cumulative count never shrinks."""
    counts = (
        (before.count(kind), after.count(kind))
        for before, after in pairwise(reports)
        for kind in ("wakeup", "request")
    )
    return reports[-1].empty or any(
        before is not None and after is not None and after < before for before, after in counts
    )


def _independent(interim: list[_Report]) -> list[_Report]:
    """Return the interim reports that no later one contains, for a zeroing that is rarer than the reports.

    There is one sample of requests per second each second: where these grow with the time, nothing was zeroed.
    """
    grows = []
    for before, after in pairwise(interim):
        first, second = before.count("rps"), after.count("rps")
        if first is None or second is None:
            return interim
        grows.append(second - first >= (_seconds(after) - _seconds(before)) / 2)
    if all(grows):
        return interim
    return [report for report, contained in zip(interim, [*grows, False], strict=True) if not contained]


def _seconds(report: _Report) -> float:
    return report.runtime or 0.0


def _summed(results: list[tuple[Metric, str, float]]) -> Iterator[tuple[Metric, str, float]]:
    """Merge the goals of the message threads; a rate of 0 comes from a run that did nothing."""
    sums: dict[tuple[str, str], tuple[Metric, float]] = {}
    for metric, series, value in results:
        before = sums[metric.name, series][1] if metric is GOAL and (metric.name, series) in sums else 0.0
        sums[metric.name, series] = metric, before + value
    for (_, series), (metric, value) in sums.items():
        if value > 0 or metric is RELATIVE:
            yield metric, series, value


def _delays(reports: list[_Report]) -> Iterator[tuple[Metric, str, float]]:
    """The kernel's account of the threads' delays.

    It counts from a thread's start and is lost with the thread: the final report mostly comes too late and says 0
    for both, so that the last interim one is the best there is.
    """
    if not reports or reports[-1].delay is None:
        return
    known = [report.delay for report in reports if report.delay and any(report.delay)]
    if known:
        yield DELAY, "message", known[-1][0]
        yield DELAY, "worker", known[-1][1]


def _label(percentile: str) -> str:
    """``99.0000`` and ``99.0`` are both ``99.0th``."""
    whole, _, fraction = percentile.partition(".")
    return f"{int(whole)}.{fraction.rstrip('0') or '0'}th"


def _add_section(into: SampleBuilder, workers: str, kind: str, section: _Section) -> None:
    for label, value in section.rows.items():
        into.add(_SECTIONS[kind], _row_of(workers, label, float(label[:-2])), value)
    if kind != "rps" and section.maximum is not None:
        into.add(MAXIMUM, _row_of(workers, kind, float(kind == "request")), section.maximum)


def _row_of(workers: str, series: str, place: float) -> Operation:
    """All rows of a number of workers stand together, in the order of their percentiles."""
    count = float(workers) if workers else _NAN
    name = f"{series}-{workers}" if workers else series
    return Operation(name, series, count, (count if workers else _INFINITE, place))


def _single(workers: str, series: str) -> Operation:
    if series:
        return _row_of(workers, series, float(series == "worker" or series.startswith("99")))
    return Operation(workers or "all", param=float(workers) if workers else _NAN)


@dataclass(frozen=True)
class _Setup:
    """What a run was asked to do: the command line if there is one, then the text, then names."""

    log: RawLog
    options: dict[str, str]
    run: _Run = field(default_factory=_Run)
    """What the text has told, nothing if there is only JSON."""

    @property
    def workers(self) -> str:
        """The worker threads of each message thread, empty if unknown."""
        return (
            self.options.get("t", "").lstrip("0")
            or self.run.workers
            or self._named(r"(?<![a-z0-9])(?<!message[-_])t(?:hreads)?[-_]?(\d{1,6})(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9])workers?[-_]?(\d{1,6})(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9.])(\d{1,6})[-_]?(?:threads|workers)(?![a-z0-9])")
            or self._named(r"(?<![a-z0-9])schbench[-_](\d{1,6})(?![a-z0-9.])")
        )

    def conditions(self, seconds: float | None) -> dict[str, float]:
        """The time of the run, as measured or else as wanted."""
        seconds = seconds or float(self.options.get("r", 0))
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
_WORK = {"F", "n", "s", "c", "L", "a", "M", "W", "P", "split"}
"""Options that change the work or its place."""


def _options(command: str) -> dict[str, str]:
    """Return the options of a command line by letter; one without argument has an empty text."""
    words = re.split(r"[<>|;&\"]", command, maxsplit=1)[0].split()
    options: dict[str, str] = {}
    name = ""
    for word in words:
        if word.startswith("--"):
            long, _, value = word[2:].partition("=")
            name = _LONG.get(long, long)
            options[name] = value
        elif word.startswith("-") and len(word) > 1:
            name = word[1]
            options[name] = word[2:]
        elif name and name not in {"L", "a"} and not options[name]:
            options[name] = word
    return {
        name: value
        for name, value in options.items()
        if name not in _NUMBERS or (value.isdecimal() and len(value) < 10)
    }


_NUMBERS = {"m", "t", "r", "R", "A", "p", "z"}


def _identity(log: RawLog, index: int) -> str:
    """The text and the JSON of one run have the same name in front of the suffix."""
    return f"{log.stem}#{index + 1}" if index else log.stem


@dataclass
class _Object:
    """One JSON object, however damaged."""

    line: int
    sections: dict[str, _Section]
    options: dict[str, str]
    release: str
    scheduler: str
    complete: bool


def _json_objects(log: RawLog) -> Iterator[_Object]:
    """Find the objects by patterns: a section without samples leaves ``, ,`` behind, which is no JSON."""
    text = "\n".join(log.lines)
    starts = [found.start() for found in _JSON_START.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        part = text[start:end]
        texts = {found[1]: found[2] for found in _JSON_TEXT.finditer(part)}
        runtime = _JSON_RUNTIME.search(part)
        seconds = float(runtime[1]) if runtime else None
        command = _COMMAND.search(texts.get("cmdline", ""))
        yield _Object(
            line=text.count("\n", 0, start) + 1,
            sections=_json_sections(_JSON_VALUE.finditer(part), seconds),
            options=_options(command[1]) if command else {},
            release=texts.get("version", ""),
            scheduler=texts.get("sched_ext", ""),
            complete=runtime is not None,
        )


def _json_sections(values: Iterable[re.Match[str]], seconds: float | None) -> dict[str, _Section]:
    sections: dict[str, _Section] = {}
    for found in values:
        section = sections.setdefault(_KINDS[found[1]], _Section(runtime=seconds))
        if found[2]:
            section.rows[_label(found[2])] = float(found[3])
        else:
            section.maximum = float(found[3])
    return sections


def _take_json(log: RawLog, into: SampleBuilder, found: _Object, setup: _Setup, identity: str) -> None:
    if not found.complete:
        into.truncated("the JSON stops too early, only its complete values are taken", found.line)
    sections = {kind: section for kind, section in found.sections.items() if not section.empty}
    seconds = next((section.runtime for section in sections.values()), None)
    if found.release:
        message = f"the run was on kernel release {found.release}"
        if found.scheduler not in {"", "disabled"}:
            message += f" with the sched_ext scheduler {found.scheduler}"
        into.note("kernel-release", message, found.line)
    zeroed = float(found.options.get("z") or 0)
    if not sections:
        if found.complete:
            into.warn("no-result", "the JSON counts no sample", found.line)
    elif zeroed and zeroed < (seconds or _INFINITE):
        into.warn(
            "no-result", "the JSON holds what came after the last zeroing (-z) only, it is left out", found.line
        )
    else:
        into.run(
            settings=setup.settings("2"),
            conditions=setup.conditions(seconds),
            number=run_number(log),
            identity=identity,
            authority=1,
            line=found.line,
        )
        for kind, section in sections.items():
            _add_section(into, setup.workers, kind, section)
