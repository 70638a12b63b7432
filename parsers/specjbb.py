"""SPECjbb2015: what the controller prints and logs, and the ``.raw`` properties of the reporter.

A run has two results: the highest rate at which it still kept up (max-jOPS), and the rate under limits of the
response time (critical-jOPS), which is built from the rates under five single limits. The controller tells the two,
the properties also the five. The files describe one run, so they share an identity; the properties have the highest
authority.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number

JOPS = Metric("jops", "", "jOPS", "higher", "harmonic", quantity="operations per second", headline="JOPS-Max")
SLA_JOPS = Metric(
    "sla-jops", "Under a Limit of the Response Time", "jOPS", "higher", "harmonic", main=False, parameter="us",
    quantity="operations per second under a limit of the response time",
)  # fmt: skip
METRICS = (JOPS, SLA_JOPS)

# The higher number is the higher authority.
_LOG, _OUTPUT, _PROPERTIES = 0, 1, 2

_RESULT = re.compile(r"\bRUN RESULT:(.*)$")
_IN_RESULT = re.compile(r"\b(max|critical)-jOPS\s*[=:]\s*([^,\s]{1,40})(?=,|\s*$)")
_PROPERTY = re.compile(
    r"^\s*jbb2015\.result\.(?:metric\.)?(max|critical|SLA-(\d{1,9}))-jOPS\s*[=:]\s*(.*?)\s*$", re.IGNORECASE
)
_PROGRESS = re.compile(r"^\s*(\d{1,9})s: +(?:\( *(\d{1,3})%\))?")
_KIND = re.compile(r"^\W*specjbb\.controller\.type\s*[=:]\s*\"?([A-Za-z_]{1,30})")
_WITHOUT_RESULT = ("PRESET", "LOADLEVEL")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_UNFILLED = re.compile(r"<[^>]*>|")

_CERTAIN = re.compile(
    r"(?m)^.{0,80}\bRUN RESULT: hbIR|^[ \t]*jbb2015\.\w|\(rIR:aIR:PR = \d|^\W*specjbb\.(?:controller|group|txi)\.\w"
)
# Agents, whose logs have no result, begin like this, too.
_BANNER = re.compile(r"(?m)^.{0,40}\bSPECjbb2015\b")
_STANDARD_NAME = re.compile(
    r"(?i)specjbb(?:2015)?|controller|composite|multijvm|distributed|specjbb2015-[A-Z]+-\d{8}-\d+"
)
_REPORT_NUMBER = re.compile(r"(?i)specjbb2015-[A-Z]+-\d{8}-(\d{1,6})")


def recognise(log: RawLog) -> Match:
    """Tell SPECjbb2015 by its result, its properties and the controller's progress; its web report isn't read."""
    head = log.head
    if "<html" in head[:2000].lower():
        return Match.NO
    if _CERTAIN.search(head):
        return Match.CERTAIN
    return Match.LIKELY if _STANDARD_NAME.fullmatch(log.stem) and _BANNER.search(head) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a file; what repeats a result that was told before is about the same run."""
    reader = _Reader(log)
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    for place, run in enumerate(reader.close()):
        _write(run, log, into, place)


@dataclass
class _Run:
    """What is known of one run.

    Attributes:
        line: where it begins.
        results: text and line by ``max``, ``critical`` or the limit in microseconds.
        result: the line ``RUN RESULT``, for one that repeats it.
        properties: whether it was told by properties.
        seconds: the controller's clock as it was printed last.
        percent: how far the controller had come, empty if it didn't tell.
        kind: what the controller was asked for, such as ``PRESET``.
        template: line of a result that the reporter should have filled in.
        cut: line of a result that may have been cut off.

    """

    line: int = 0
    results: dict[str, tuple[str, int]] = field(default_factory=dict)
    result: str = ""
    properties: bool = False
    seconds: int = 0
    percent: str = ""
    kind: str = ""
    template: int = 0
    cut: int = 0


class _Reader:
    """Walks through the lines and gathers runs."""

    def __init__(self, log: RawLog) -> None:
        self._runs: list[_Run] = []
        self._run = _Run()
        self._doubtful = 0 if log.ended else len(log.lines)

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        if found := _RESULT.search(line):
            self._result(number, found[1].strip())
        elif found := _PROPERTY.match(line):
            self._run.properties = True
            self._take({(found[2] or found[1].lower()): found[3]}, number)
        elif found := _PROGRESS.match(line):
            self._progress(number, found)
        elif found := _KIND.match(line):
            self._begun(number).kind = found[1].upper()

    def close(self) -> list[_Run]:
        """Return all runs, also those without result."""
        if self._run.line:
            self._runs.append(self._run)
        return self._runs

    def _result(self, number: int, text: str) -> None:
        before = self._runs[-1] if self._runs and not self._run.results else None
        if before and before.result == text and number != self._doubtful:
            # Output and log of one run, one behind the other.
            before.seconds = self._run.seconds
            self._run = self._runs.pop()
            return
        self._take(dict(_IN_RESULT.findall(text)), number)
        self._run.result = text

    def _take(self, results: dict[str, str], number: int) -> None:
        """Take results; one that differs from what was told before is that of the next run."""
        if number == self._doubtful:
            self._begun(number).cut = number
            return
        held = self._run.results
        if any(key in held and held[key][0] != text for key, text in results.items()):
            self.close()
            self._run = _Run(properties=self._run.properties)
        run = self._begun(number)
        for key, text in results.items():
            if _UNFILLED.fullmatch(text):
                run.template = run.template or number
            else:
                run.results.setdefault(key, (text, number))

    def _progress(self, number: int, found: re.Match[str]) -> None:
        seconds = int(found[1])
        if seconds < self._run.seconds:
            self.close()
            self._run = _Run()
        run = self._begun(number)
        run.seconds, run.percent = seconds, found[2] or run.percent

    def _begun(self, number: int) -> _Run:
        self._run.line = self._run.line or number
        return self._run


def _write(run: _Run, log: RawLog, into: SampleBuilder, place: int) -> None:
    """Add the values of a run, or report why there are none."""
    maximum = run.results.get("max")
    if not maximum:
        _explain(run, into)
    elif (value := _value(maximum[0])) is None:
        _begin(run, log, into, place)
        into.failed(f"the run failed: its max-jOPS is {maximum[0][:40]}", maximum[1])
    else:
        _begin(run, log, into, place)
        into.add(JOPS, Operation("JOPS-Max", "JOPS-Max", order=(0.0,)), value)
        _add_others(run, into)
        if run.cut:
            into.truncated("the log stops inside of a result", run.cut)


def _explain(run: _Run, into: SampleBuilder) -> None:
    """Say why a run has no result; nothing is begun, for another file may have it."""
    if run.cut:
        into.truncated("the log stops inside of the result", run.cut)
    elif run.template:
        into.warn("no-result", "the reporter has not filled in the results", run.template)
    elif any(word in run.kind for word in _WITHOUT_RESULT):
        into.warn("no-result", f"a run of type {run.kind} measures no jOPS", run.line)
    else:
        how_far = f": the controller stopped at {run.percent} %" if run.percent else ""
        into.failed(f"the run has no max-jOPS{how_far}", run.line)


def _add_others(run: _Run, into: SampleBuilder) -> None:
    critical = Operation("JOPS-Critical", "JOPS-Critical", order=(1.0,))
    unmet = []
    for key, (text, line) in run.results.items():
        value = _value(text)
        if key == "max":
            continue
        if value is None:
            unmet.append((f"critical-jOPS is {text[:40]}" if key == "critical" else f"{key} us is {text[:40]}", line))
        elif key == "critical":
            into.add(JOPS, critical, value)
        else:
            limit = float(key)
            into.add(SLA_JOPS, Operation(f"SLA-{limit:.0f}us", "SLA", limit, (limit,)), value)
    if unmet:
        message = f"a limit of the response time was never kept, left out: {', '.join(what for what, _ in unmet)}"
        into.warn("limit-not-kept", message, unmet[0][1])


def _value(text: str) -> float | None:
    """The number, or None if there is none; 0 means that no rate kept the limit."""
    number = float(text) if _NUMBER.fullmatch(text) else 0.0
    return number or None


def _begin(run: _Run, log: RawLog, into: SampleBuilder, place: int) -> None:
    stem = log.stem
    identity = "run" if _STANDARD_NAME.fullmatch(stem) else stem
    number = run_number(log)
    report = _REPORT_NUMBER.fullmatch(stem)
    authority = _PROPERTIES if run.properties else _LOG if log.name.lower().endswith(".log") else _OUTPUT
    into.run(
        number=int(report[1]) if report and number is None else number,
        identity=f"{identity}#{place + 1}" if place else identity,
        authority=authority,
        line=run.line,
    )
