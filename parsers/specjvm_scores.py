"""What the five output forms of SPECjvm2008 have in common: benchmarks, groups, numbers, and how a run is handed on.

A benchmark's score is its best iteration. A group's score is the geometric mean of its benchmarks, the composite the
geometric mean of the groups. One failed benchmark makes its group and the composite not valid, the others stay.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import RawLog, SampleBuilder, run_number

if TYPE_CHECKING:
    from collections.abc import Iterable

SCORE = Metric("score", "", "ops/m", "higher", mean="harmonic", quantity="score in ops/m")
BENCHMARK_SCORE = Metric(
    "benchmark-score",
    "Benchmark Scores",
    "ops/m",
    "higher",
    mean="harmonic",
    main=False,
    quantity="score in ops/m",
)

GROUPS = (
    "compiler",
    "compress",
    "crypto",
    "derby",
    "mpegaudio",
    "scimark.large",
    "scimark.small",
    "serial",
    "startup",
    "sunflow",
    "xml",
)

_STARTED = """
    helloworld compiler.compiler compiler.sunflow compress crypto.aes crypto.rsa crypto.signverify mpegaudio
    scimark.fft scimark.lu scimark.monte_carlo scimark.sor scimark.sparse serial sunflow xml.transform xml.validation
"""
_STEADY = """
    compiler.compiler compiler.sunflow compress crypto.aes crypto.rsa crypto.signverify derby mpegaudio
    scimark.fft.large scimark.lu.large scimark.sor.large scimark.sparse.large
    scimark.fft.small scimark.lu.small scimark.sor.small scimark.sparse.small scimark.monte_carlo
    serial sunflow xml.transform xml.validation
"""
FULL = frozenset(_STEADY.split()) | {f"startup.{name}" for name in _STARTED.split()}
CHECK = "check"
"""The functional test before the benchmarks; it has no score."""

RUN_NAME = re.compile(r"SPECjvm2008\.(\d{1,9})(?!\d)")
_WORKLOAD = re.compile(r"SPECjvm2008 (Base|Peak|Lagom)\b")
# No machine comes near; larger numbers are damage.
MOST = 1e12
# Printed scores are rounded: a composite computed from them differs from the printed one by far less than this.
_ROUNDING = 0.002
_SHORT = 50


@dataclass
class Outcome:
    """What one file tells about one run.

    Attributes:
        line: where the run begins.
        workload: the text that names it, such as ``SPECjvm2008 Base``.
        folder: the run's own folder, such as ``SPECjvm2008.001``, if the text names it.
        announced: the benchmarks that the file says will run.
        begun: each benchmark of which there is anything at all, with the line where it begins.
        scores: the best iteration of each valid benchmark.
        failures: each benchmark that failed, with the line and the reason.
        refused: benchmarks whose number couldn't be taken, about which something has been reported.
        groups: scores of groups, printed or computed.
        composite: the composite, printed or computed.
        invalid: the line on which the composite is called not valid, or 0.
        invalid_groups: each group that is called not valid, with the line.
        asked: the benchmarks that ran or should have, failed ones too; empty if the file doesn't tell.
        truncated: the line and the text of what is missing, if the file stops too early.
        printed: numbers of each benchmark's iterations, before the whole file tells how to read them.
        printed_groups: the same of groups.
        printed_composite: the same of the composite.

    """

    line: int
    workload: str = ""
    folder: str = ""
    announced: set[str] = field(default_factory=set)
    begun: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    groups: dict[str, float] = field(default_factory=dict)
    composite: float | None = None
    invalid: int = 0
    invalid_groups: dict[str, int] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    truncated: tuple[int, str] | None = None
    printed: dict[str, list[Printed]] = field(default_factory=dict)
    printed_groups: dict[str, Printed] = field(default_factory=dict)
    printed_composite: Printed | None = None

    def fail(self, benchmark: str, line: int, reason: str) -> None:
        """Note that a benchmark failed; the first reason stays."""
        self.begun.setdefault(benchmark, line)
        self.failures.setdefault(benchmark, (line, shortened(reason)))

    def take_printed(self, numbers: Numbers) -> None:
        """Read the numbers; a benchmark of which one iteration can't be read has no best one."""
        for name, iterations in self.printed.items():
            if name in self.failures:
                continue
            values = [numbers.read(printed, name) for printed in iterations]
            if all(value is not None for value in values):
                self.scores[name] = max(value for value in values if value is not None)
            else:
                self.refused.add(name)
        for group, printed in self.printed_groups.items():
            if (value := numbers.read(printed, f"group {group}")) is not None:
                self.groups[group] = value
        if self.printed_composite:
            self.composite = numbers.read(self.printed_composite, "the run")

    def ask_for_all_known(self) -> None:
        """Take it that the benchmarks which are announced or begun are those of the run."""
        self.asked = frozenset(self.announced | set(self.begun)) - {CHECK}

    def valid_groups(self) -> dict[str, float]:
        """Compute the scores of the groups whose benchmarks all have one."""
        members = {group: [name for name in sorted(self.asked) if group in groups_of(name)] for group in GROUPS}
        return {
            group: geometric_mean([self.scores[name] for name in names])
            for group, names in members.items()
            if names and all(name in self.scores for name in names)
        }

    def compute(self) -> None:
        """Compute the scores of groups and, where none is printed and nothing is missing, the composite."""
        self.ask_for_all_known()
        groups = self.valid_groups()
        whole = bool(groups) and self.asked <= self.scores.keys() and not self.failures
        mean = geometric_mean(list(groups.values())) if whole else None
        if not self.printed_composite and not self.invalid:
            self.composite = mean
        self.groups = groups

    @property
    def contradicted(self) -> bool:
        """Whether what the file says of the composite doesn't fit its benchmarks: some of them must be lost."""
        if self.invalid:
            return not self.failures
        if self.composite is None or not self.groups or self.failures or not self.asked <= self.scores.keys():
            return False
        mean = geometric_mean(list(self.groups.values()))
        return abs(mean - self.composite) > _ROUNDING * max(mean, self.composite) + 0.005


class Printed(NamedTuple):
    """A number as it is printed, and where."""

    line: int
    text: str


def rate(text: str) -> str:
    """The number before the unit ops/m; empty if the unit is missing or there is no number (``NaN``).

    The unit of a compliant composite has the workload's name in it.
    """
    text = text.strip()
    if not text.endswith("ops/m"):
        return ""
    number = text.removesuffix("ops/m").partition("SPECjvm2008")[0].strip()
    return number if any(char.isdigit() for char in number) else ""


def shortened(text: str, most: int = 200) -> str:
    """The text, or its beginning if it is too long for a message."""
    return text if len(text) <= most else f"{text[:most]}..."


class Numbers:
    """Reads numbers that follow the locale of the JVM: ``87,01``, ``1,234.56``, ``1.234,56``, ``534.6``, ``534``.

    One number alone may be ambiguous (``1,234``); the other numbers of the file then tell the decimal sign.
    """

    def __init__(self, texts: Iterable[str], into: SampleBuilder) -> None:
        self._into = into
        signs = {sign for text in texts if (sign := _decimal_sign(text))}
        self._sign = signs.pop() if len(signs) == 1 else ""

    def read(self, printed: Printed, what: str) -> float | None:
        """Return the number, or report why there is none."""
        text = _joined(printed.text)
        if not _NUMBER.fullmatch(text):
            self._into.warn(
                "unreadable-number", f"the score of {what} is {shortened(printed.text)!r}: left out", printed.line
            )
            return None
        sign = _decimal_sign(printed.text) or self._sign
        value = _value(text, sign)
        if value is None:
            self._into.warn(
                "ambiguous-number",
                f"the score of {what}, {shortened(printed.text)!r}, can't be read for certain: left out",
                printed.line,
            )
        return value


# Blanks and apostrophes group digits in some locales.
_GROUPING = re.compile("(?<=[0-9])[ \u00a0\u202f'\u2019](?=[0-9]{3}(?![0-9]))")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{2,3})*[.,][0-9]{3}")


def _joined(text: str) -> str:
    return _GROUPING.sub("", text)


def _decimal_sign(text: str) -> str:
    """The decimal sign that a number shows by itself, or nothing."""
    joined = _joined(text)
    signs = [char for char in joined if char in ".,"]
    if not signs or not _NUMBER.fullmatch(joined):
        return ""
    if len(set(signs)) == 2:
        return signs[-1] if signs.count(signs[-1]) == 1 else ""
    if len(signs) > 1:
        return "." if signs[0] == "," else ","
    whole, _, fraction = joined.partition(signs[0])
    grouping = len(fraction) == 3 and len(whole) <= 3 and whole[0] != "0" and joined == text
    return "" if grouping else signs[0]


def _value(text: str, sign: str) -> float | None:
    whole, _, fraction = text.rpartition(sign) if sign and sign in text else (text, "", "0")
    if "," in whole or "." in whole:
        if not sign or sign in whole or not _THOUSANDS.fullmatch(whole):
            return None
        whole = re.sub("[.,]", "", whole)
    if not whole.isdigit() or not fraction.isdigit():
        return None
    value = float(f"{whole}.{fraction}")
    return value if value < MOST else None


def geometric_mean(values: list[float]) -> float:
    """The geometric mean; of one value it is that value, to the last bit."""
    return float(math.prod(values) ** (1 / len(values)))


def groups_of(benchmark: str) -> tuple[str, ...]:
    """The groups in which a benchmark counts; monte_carlo has no size and counts in both of scimark."""
    if benchmark == "scimark.monte_carlo":
        return ("scimark.large", "scimark.small")
    parts = benchmark.split(".")
    group = f"scimark.{parts[-1]}" if parts[0] == "scimark" else parts[0]
    return (group,) if group in GROUPS else ()


def hand_on(outcomes: list[Outcome], authority: int, log: RawLog, into: SampleBuilder) -> None:
    """Give runs, values and diagnostics to the builder.

    A file that stops too early has a lower authority than any whole file of the same run.
    """
    for outcome in outcomes:
        folder = outcome.folder or (_folder_of(log) if len(outcomes) == 1 else "")
        found = RUN_NAME.fullmatch(folder)
        number = run_number(log) if len(outcomes) == 1 else None
        if outcome.scores or outcome.groups or outcome.composite is not None:
            into.run(
                settings={
                    "workload": workload(outcome.workload),
                    "benchmarks": _set_name(outcome.asked) if outcome.asked else "",
                },
                number=int(found[1]) if found and number is None else number,
                identity=folder,
                authority=authority - 5 if outcome.truncated else authority,
                line=outcome.line,
            )
            _add_values(outcome, into)
        _report(outcome, into)


def workload(text: str) -> str:
    """The workload in one word: ``base``, ``peak``, ``lagom``, or nothing."""
    found = _WORKLOAD.search(text)
    return found[1].lower() if found else ""


def _folder_of(log: RawLog) -> str:
    for name in (log.name, *reversed(log.folders)):
        if found := RUN_NAME.search(name):
            return found[0]
    return ""


def _add_values(outcome: Outcome, into: SampleBuilder) -> None:
    for group in GROUPS:
        if group in outcome.groups:
            into.add(SCORE, Operation(group, group, order=(0.0,)), outcome.groups[group])
    if outcome.composite is not None:
        into.add(SCORE, Operation("composite", "composite", order=(1.0,)), outcome.composite)
    for name, value in outcome.scores.items():
        into.add(BENCHMARK_SCORE, Operation(name, name), value)


def _report(outcome: Outcome, into: SampleBuilder) -> None:
    for name, (line, reason) in outcome.failures.items():
        into.failed(f"{name} is not valid: {reason}" if reason else f"{name} is not valid", line)
    failed_groups = {group for name in outcome.failures for group in groups_of(name)}
    for group, line in outcome.invalid_groups.items():
        if group not in failed_groups:
            into.failed(f"group {group} is not valid", line)
    if outcome.invalid and not outcome.failures and not outcome.invalid_groups:
        into.failed("the run is not valid", outcome.invalid)
    if outcome.truncated:
        into.truncated(outcome.truncated[1], outcome.truncated[0])
        return
    known = outcome.scores.keys() | outcome.failures.keys() | outcome.refused
    for name in sorted(outcome.asked - known):
        line = outcome.begun.get(name, outcome.line)
        into.warn("no-score", f"{name} has no score: that of its group is left out", line)
    if outcome.asked and (missing := FULL - outcome.asked):
        ran = outcome.asked
        told = (
            f"only {len(ran)} of the {len(FULL)} benchmarks ran: {', '.join(_folded(ran))}"
            if len(ran) < len(missing)
            else f"{len(missing)} of the {len(FULL)} benchmarks did not run: {', '.join(_folded(missing))}"
        )
        into.note("subset", f"{told}; a composite compares only with one of the same set", outcome.line)


def _set_name(asked: frozenset[str]) -> str:
    """A short stable name for a set of benchmarks; the full set has none."""
    if asked == FULL:
        return ""
    ran, missing = ",".join(_folded(asked)), ",".join(_folded(FULL - asked))
    if len(ran) <= _SHORT:
        return ran
    if missing and len(missing) <= _SHORT and asked < FULL:
        return f"all but {missing}"
    return f"{len(asked)} ({hashlib.sha256(','.join(sorted(asked)).encode()).hexdigest()[:6]})"


def _folded(names: Iterable[str]) -> list[str]:
    """The names in order; where all benchmarks of a family are there, its name stands for them."""
    rest = set(names)
    folded = []
    for family in sorted({name.partition(".")[0] for name in FULL}):
        members = {name for name in FULL if name.partition(".")[0] == family}
        if members <= rest:
            folded.append(family)
            rest -= members
    return sorted([*folded, *rest])


class LineReader(Protocol):
    """What walks through the lines of a console log or a report.

    Attributes:
        texts: the numbers that tell the locale.
        outcomes: the runs.
    """

    texts: list[str]
    outcomes: list[Outcome]

    def line(self, number: int, line: str, before: str) -> None:
        """Take the next line; ``before`` is the one above it."""

    def close(self, number: int) -> None:
        """Take notice of the end behind line ``number``."""


def read_outcomes(reader: LineReader, lines: list[str], into: SampleBuilder) -> list[Outcome]:
    """Return the runs in the lines, with the scores that are printed."""
    before = ""
    for number, line in enumerate(lines, start=1):
        reader.line(number, line, before)
        before = line
    reader.close(len(lines))
    numbers = Numbers(reader.texts, into)
    for outcome in reader.outcomes:
        outcome.take_printed(numbers)
    return reader.outcomes
