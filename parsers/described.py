"""The parser of a benchmark that a description tells of, see `compare_kernels.parsers.description`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from math import isfinite, nan
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import HEAD_BYTES, Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.description import GROUPS, LONGEST_TEXT, Description, compile_pattern, found
from compare_kernels.parsers.text import whole_lines
from compare_kernels.parsers.units import convert, factor
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MOST_ON_A_LINE = 100
_LONGEST_NUMBER = 100
_QUOTED = 60


class DescribedParser:
    """What a description says, as a parser like the built-in ones; it can travel between processes.

    Attributes:
        description: what it goes by.
        name: the name of the benchmark.
        METRICS: those that are known beforehand.

    """

    def __init__(self, description: Description) -> None:
        self.description = description
        self.name = description.name
        self.METRICS = description.declared
        self._value = _Pattern(description.pattern)
        self._begin = _Pattern(description.begin)
        self._failed = _Pattern(description.failed)

    def __reduce__(self) -> tuple[type[DescribedParser], tuple[Description]]:
        return DescribedParser, (self.description,)

    def recognise(self, log: RawLog) -> Match:
        """Tell a log by its name and by a line with a value; by the line with which a run begins only at last."""
        files = self.description.files
        if files and not fnmatchcase(log.name, files):
            return Match.NO
        lines = log.head.split("\n")
        if self._with_values(lines, log.data[:HEAD_BYTES]):
            return Match.CERTAIN if files else Match.LIKELY
        if files:
            return Match.LIKELY
        return Match.NAME if any(self._begin.found(_bytes(line)) for line in lines) else Match.NO

    def parse(self, log: RawLog, into: SampleBuilder) -> None:
        """Take the values of each run that didn't fail; of several failures in a run the first is told."""
        reader = _Reader(self.description, log, into)
        if not self.description.begin:
            reader.begin(0)
        last = 0 if log.ended else len(log.lines)
        for number, text in enumerate(self._with_values(log.lines, log.data) or log.lines, start=1):
            line = _bytes(text)
            if self._begin.found(line):
                reader.begin(number)
            if self._failed.found(line):
                reader.failed(text, number)
            elif number != last:
                reader.values(self._value.matches(line), number)
            elif log.complete and text.strip():
                into.truncated("the last line has no end: no value is taken from it", number)
        reader.close()

    def _with_values(self, lines: list[str], data: bytes) -> list[str]:
        """The clean lines of a log, or those with what looks like a recorder's prefix if a value is found only there.

        Empty if no value is found in either.
        """
        if any(self._value.found(_bytes(line)) for line in lines):
            return lines
        whole = whole_lines(data)
        return whole if whole != lines and any(self._value.found(_bytes(line)) for line in whole) else []


def _bytes(line: str) -> bytes:
    return line.encode(errors="replace")


class _Pattern:
    """A pattern of a description; none at all is never found."""

    def __init__(self, pattern: str) -> None:
        self._compiled = compile_pattern(pattern) if pattern else None
        known = self._compiled.groupindex if self._compiled else {}
        self._groups = [known.get(group, -1) for group in GROUPS]

    def found(self, line: bytes) -> bool:
        """Whether it's found in a line."""
        return self._compiled is not None and self._compiled.search(line) is not None

    def matches(self, line: bytes) -> Iterator[list[str]]:
        """Yield what the groups of `GROUPS` matched, wherever it's found in a line; nothing is an empty text."""
        assert self._compiled is not None
        for match in self._compiled.finditer(line):
            spans = [match.span(group) if group >= 0 else (0, 0) for group in self._groups]
            yield [line[start:end].decode("utf-8", "replace") if start >= 0 else "" for start, end in spans]


_Place = tuple[list[float], "Fraction"]
"""Values of a run, and what those of some unit are multiplied with before they join them."""


@dataclass
class _Fault:
    """What is wrong with some values of a log: the first of them, and how many are like it."""

    message: str
    line: int
    count: int = 0


class _Reader:
    """Holds back the values of a run until it's known that the run didn't fail."""

    def __init__(self, description: Description, log: RawLog, into: SampleBuilder) -> None:
        self._general = description.general
        self._metrics = {metric.name: metric for metric in description.declared}
        self._number = run_number(log)
        self._into = into
        self._values: dict[tuple[str, str], tuple[Metric, Operation, list[float]]] = {}
        self._places: dict[tuple[str, str, str], _Place] = {}
        self._begun = self._has_failed = False
        self._faults: dict[str, _Fault] = {}

    def begin(self, number: int) -> None:
        """A run begins."""
        self._close_run()
        self._into.run(number=self._number, line=number)
        self._begun, self._has_failed = True, False

    def failed(self, text: str, number: int) -> None:
        """The run failed: what it gave before and what it still gives is worth nothing."""
        if not self._has_failed:
            self._into.failed(_quoted(text), number)
        self._has_failed = True

    def values(self, matches: Iterator[list[str]], number: int) -> None:
        """Take the values of a line."""
        for groups in islice(matches, _MOST_ON_A_LINE):
            if groups[0]:
                self._value(groups, number)
        if next(matches, None):
            self._fault("long-line", f"of more than {_MOST_ON_A_LINE} values of a line the rest is left out", number)

    def close(self) -> None:
        """The log ends."""
        self._close_run()
        for slug, fault in self._faults.items():
            more = f" (and {fault.count - 1} more)" if fault.count > 1 else ""
            self._into.warn(slug, f"{fault.message}{more}", fault.line)

    def _value(self, groups: list[str], number: int) -> None:
        text, name, parameter, unit = groups
        value = _number(text.strip())
        if not self._begun:
            self._fault("outside-run", "a value before the first line with which a run begins is left out", number)
        elif value is None:
            self._fault("no-number", f"'{_quoted(text)}' is no finite number: left out", number)
        elif place := self._places.get((name, parameter, unit)) or self._place(name, parameter, unit, number):
            values, by = place
            converted = convert(value, by)
            if isfinite(converted):
                values.append(converted)
            else:
                self._fault("no-number", f"'{_quoted(text)}' {_quoted(unit)} is too large: left out", number)

    def _place(self, name: str, parameter: str, unit: str, number: int) -> _Place | None:
        """Where values of this metric, parameter and unit belong in this run; None if they are left out."""
        metric_name, row, given = (" ".join(printable(text).split()) for text in (name, parameter, unit))
        if max(len(metric_name), len(row)) > LONGEST_TEXT:
            self._fault("long-name", f"a name of more than {LONGEST_TEXT} characters: its value is left out", number)
            return None
        metric = self._metric(metric_name)
        by = factor(given or metric.unit, metric.unit)
        if by is None:
            self._fault("unknown-unit", f"'{_quoted(given)}' can't be turned into {metric.unit}: left out", number)
            return None
        operation = _operation(row, metric)
        held = self._values.setdefault((metric.name, operation.name), (metric, operation, []))
        self._places[name, parameter, unit] = held[2], by
        return held[2], by

    def _metric(self, name: str) -> Metric:
        if not name:
            return self._general
        if name not in self._metrics:
            self._metrics[name] = found(self._general, name)
        return self._metrics[name]

    def _close_run(self) -> None:
        if not self._has_failed:
            for metric, operation, values in self._values.values():
                if values:
                    self._into.add_many(metric, operation, values)
        self._values, self._places = {}, {}

    def _fault(self, slug: str, message: str, line: int) -> None:
        self._faults.setdefault(slug, _Fault(message, line)).count += 1


def _number(text: str) -> float | None:
    value = float(text) if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) else nan
    return value if isfinite(value) else None


def _operation(parameter: str, metric: Metric) -> Operation:
    if not parameter:
        return Operation(metric.name)
    value = _number(parameter)
    return Operation(parameter, parameter) if value is None else Operation(parameter, param=value)


def _quoted(text: str) -> str:
    """What a log says, short enough for a message."""
    text = printable(text.strip())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
