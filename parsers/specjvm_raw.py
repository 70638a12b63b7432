"""The raw XML of SPECjvm2008, from which the kit makes its reports; it holds times and operations but no score.

Read as a stream by expat, which tells the line of each element and keeps nothing: the file may be large, and that of
an aborted run isn't closed. A document type is refused, for only there could entities be declared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

from compare_kernels.parsers.specjvm_scores import CHECK, MOST, Outcome

if TYPE_CHECKING:
    from compare_kernels.parsers.base import SampleBuilder

_START = re.compile(r"<\?xml\b|<specjvm-result\b")
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_WEEK = 7 * 24 * 3600 * 1000


class _RefusedError(Exception):
    """The document declares a document type."""


def read_raw(lines: list[str], into: SampleBuilder) -> list[Outcome]:
    """Return the run that the XML describes; of an unclosed one only benchmarks that are complete."""
    first = next((index for index, line in enumerate(lines) if _START.search(line)), 0)
    text = "\n".join(lines[first:])
    found = _START.search(text)
    text = text[found.start() :] if found else text
    reader = _Reader(first, into)
    parser = reader.parser
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except _RefusedError:
        line = first + parser.CurrentLineNumber
        into.warn("unsafe-xml", "the XML declares a document type, which no raw file has: not read", line)
        return []
    except expat.ExpatError as error:
        _report_end(reader.outcome, first + error.lineno, reader.closed, into)
    if reader.closed:
        reader.outcome.compute()
    return [reader.outcome]


def _report_end(outcome: Outcome, line: int, closed: bool, into: SampleBuilder) -> None:
    if closed:
        into.note("text-behind-xml", "what follows the XML document is not read", line)
    else:
        outcome.truncated = (line, "the XML breaks off: the run was aborted or the file is cut or damaged")


class _Reader:
    """Follows the elements; a benchmark counts when its element is closed."""

    def __init__(self, first: int, into: SampleBuilder) -> None:
        self.outcome = Outcome(first + 1)
        self.closed = False
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse
        self._first = first
        self._into = into
        self._benchmark = ""
        self._in_warmup = False
        self._incomplete = 0
        self._absurd = 0
        self._duration = 0
        self._rates: list[float] = []
        self._text = ""

    @property
    def _line(self) -> int:
        return self._first + self.parser.CurrentLineNumber

    def _refuse(self, *_: object) -> None:
        raise _RefusedError

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._text = ""
        if tag == "benchmark-result":
            self._benchmark = attributes.get("name", "").strip()
            self._rates, self._in_warmup = [], False
            if self._benchmark:
                self.outcome.begun[self._benchmark] = self._line
        elif tag == "warmup-result":
            self._in_warmup = True
        elif tag == "iteration-result" and self._benchmark not in {"", CHECK} and not self._in_warmup:
            self._take_iteration(attributes)

    def _end(self, tag: str) -> None:
        if tag == "workload":
            self.outcome.workload = self._text
        elif tag == "error" and self._benchmark:
            self.outcome.fail(self._benchmark, self._line, " ".join(self._text.split()))
        elif tag == "warmup-result":
            self._in_warmup = False
        elif tag == "iteration-result":
            self._close_iteration()
        elif tag == "benchmark-result":
            self._close_benchmark()
        elif tag == "specjvm-result":
            self.closed = True

    def _characters(self, text: str) -> None:
        # Only short texts matter; the rest of a long one would be copied again and again.
        if len(self._text) < 1000:
            self._text += text[:1000]

    def _take_iteration(self, attributes: dict[str, str]) -> None:
        start, end, operations = (attributes.get(key, "") for key in ("startTime", "endTime", "operations"))
        if not (_WHOLE.fullmatch(start) and _WHOLE.fullmatch(end) and _DECIMAL.fullmatch(operations)):
            self._incomplete = self._line
            return
        duration = int(end) - int(start)
        expected = attributes.get("expectedDuration", "")
        # The harness never ends an iteration early: less than the half means that the clock was set.
        shortest = int(expected) // 2 if _WHOLE.fullmatch(expected) else 0
        if duration <= max(0, shortest) or duration > _WEEK:
            self._absurd, self._duration = self._line, duration
            return
        rate = float(operations) * 60000 / duration
        if rate < MOST:
            self._rates.append(rate)

    def _close_iteration(self) -> None:
        """Report what is wrong with an iteration, unless it tells of an error, which explains the rest."""
        name = self._benchmark
        if self._incomplete:
            self.outcome.fail(name, self._incomplete, "an iteration has no times or no operations")
        elif self._absurd and name not in self.outcome.failures:
            self._into.warn(
                "absurd-duration",
                f"an iteration of {name} lasts {self._duration} ms, as if the clock had been set: left out",
                self._absurd,
            )
            self.outcome.refused.add(name)
        self._incomplete = self._absurd = 0

    def _close_benchmark(self) -> None:
        name = self._benchmark
        if self._rates and name not in self.outcome.failures:
            self.outcome.scores[name] = max(self._rates)
        self._benchmark = ""
