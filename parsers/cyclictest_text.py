"""The text of cyclictest: a line for each thread, again and again unless ``-q`` is given, and the histogram.

The last line of a thread counts. A thread whose cycles go back began anew: that is another run. Nanoseconds (``-N``)
show in nothing but the width of the column ``Act``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.parsers.cyclictest_run import Histogram, Run, Thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from compare_kernels.parsers.base import RawLog

_N = r"[0-9]{1,15}"
THREAD_LINE = re.compile(
    rf"T: {{0,3}}(?P<number>[0-9]{{1,6}}) \( *[0-9]+\) P: {{0,3}}(?P<priority>[0-9]{{1,3}}) I:(?P<interval>{_N}) C: *"
    rf"(?P<cycles>{_N}) Min: *(?P<minimum>{_N}) Act:(?P<act> *{_N}) Avg: *(?P<average>{_N}) Max: *(?P<maximum>{_N})"
    r"(?: SMI: *[0-9]+)?\s*$"
)
_SUMMARY = re.compile(rf"# (Total|Min Latencies|Avg Latencies|Max Latencies|Histogram Overflows):((?:\s+{_N})+)\s*")
_ROW = re.compile(r"[0-9]{6,12}(?:[ \t]+[0-9]{6,15})+[ \t]*")
_BEGIN = re.compile(r"# Histogram\s*")
_OVERFLOW = "# Histogram Overflow at cycle number:"
_START = "# /dev/cpu_dma_latency set to "
_BREAK = re.compile(rf"# Break value: ({_N})\s*")
_TROUBLE = re.compile(
    r"cyclictest V [0-9.]+\s*|Unable to change scheduling policy.*|FATAL: .*|\S*cyclictest: .*|ERROR: .*"
)
# Rows are joined to texts of this many, so that a large histogram is never held as objects.
_CHUNK = 4096


def read_runs(log: RawLog) -> list[Run]:
    """The runs that the text of a log tells."""
    reader = _Reader()
    lines = log.lines
    # A number that ends an unfinished line may have been cut off.
    last = len(lines) if log.ended or not lines else len(lines) - 1
    number = 0
    while number < last:
        line = lines[number]
        number += 1
        if _BEGIN.fullmatch(line):
            end = number
            while end < last and _ROW.fullmatch(lines[end]):
                end += 1
            reader.histogram(number, lines[number:end])
            number = end
        else:
            reader.line(number, line)
    if last < len(lines):
        reader.unfinished(len(lines), lines[-1])
    return reader.close()


class _Reader:
    """Collects the threads, the histogram and the summary of the run that is under way."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._start = 0
        self._clear()

    def _clear(self) -> None:
        self._run: Run | None = None
        self._threads: dict[int, Thread] = {}
        self._rows: NDArray[np.float64] | None = None
        self._summary: dict[str, list[float]] = {}
        self._ended = False

    def line(self, number: int, line: str) -> None:
        """Take a line that is no row of a histogram."""
        if line.startswith(_START):
            self._finish()
            self._start = number
        elif line.startswith("T:") and (found := THREAD_LINE.match(line)):
            self._take_thread(number, found)
        elif found := _SUMMARY.fullmatch(line):
            self._begin(number)
            self._summary[found[1]] = [float(text) for text in found[2].split()]
        elif line.startswith(_OVERFLOW):
            self._ended = True
        elif found := _BREAK.fullmatch(line):
            self._begin(number).broken = found[1]
        elif _TROUBLE.fullmatch(line):
            run = self._begin(number)
            run.trouble = run.trouble or line.strip()

    def histogram(self, number: int, rows: Sequence[str]) -> None:
        """Take a histogram; its heading is line ``number``."""
        if self._rows is not None:
            self._finish()
        self._begin(number)
        self._rows = _table(rows)

    def unfinished(self, number: int, line: str) -> None:
        """Take the beginning of a line with which the log stops."""
        if self._rows is None and line.startswith(("T:", "# ")) and not line.startswith(_START):
            self._begin(number).cut = "the log stops inside a line: its number is not taken"

    def close(self) -> list[Run]:
        """End of the log: all runs."""
        self._finish()
        return self._runs

    def _begin(self, number: int) -> Run:
        if self._run is None:
            self._run = Run(self._start or number)
            self._start = 0
        return self._run

    def _take_thread(self, number: int, found: re.Match[str]) -> None:
        thread = int(found["number"])
        cycles = float(found["cycles"])
        old = self._threads.get(thread)
        if self._rows is not None or (old and cycles < old.cycles):
            self._finish()
        run = self._begin(number)
        if not run.interval:
            run.interval, run.priority = found["interval"], found["priority"]
        run.nanoseconds = len(found["act"]) >= 8
        values = (float(found[name]) for name in ("minimum", "average", "maximum"))
        self._threads[thread] = Thread(thread, cycles, *values)

    def _finish(self) -> None:
        run = self._run
        if run is None:
            if self._start:
                self._runs.append(Run(self._start, trouble="the run did not finish: it has no result"))
        else:
            run.threads = [thread for _, thread in sorted(self._threads.items())]
            if self._rows is not None or self._summary:
                self._take_histogram(run)
            self._runs.append(run)
        self._start = 0
        self._clear()

    def _take_histogram(self, run: Run) -> None:
        """Complete the run by its summary; a histogram whose summary is missing counts nothing that is sure."""
        lowest, average, highest, over = (
            self._summary.get(name, [])
            for name in ("Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows")
        )
        count = len(lowest)
        rows = self._rows
        if not (self._ended and count and len(average) == count <= min(len(highest), len(over))):
            run.cut = run.cut or "the histogram has no end: nothing of it is taken"
            run.threads = []
            return
        if rows is None or rows.shape[1] not in {count + 1, count + 2}:
            run.cut = run.cut or "the rows of the histogram are damaged: it is not used"
            return
        # With -H a last column holds the sum of all threads.
        counts = rows[:, 1 : count + 1]
        totals = counts.sum(axis=0)
        if "Total" in self._summary and self._summary["Total"][:count] != totals.tolist():
            run.cut = run.cut or "rows of the histogram are missing: their sum is not the total"
            return
        run.threads = [
            Thread(index, float(totals[index]) + over[index], lowest[index], average[index], highest[index])
            for index in range(count)
        ]
        order = np.argsort(rows[:, 0], kind="stable")
        run.histogram = Histogram(rows[order, 0], counts.sum(axis=1)[order], sum(over[:count]))


def _table(rows: Sequence[str]) -> NDArray[np.float64]:
    """The rows as an array, without any column that counts if they differ in length."""
    columns = len(rows[0].split()) if rows else 0
    parts = []
    for begin in range(0, len(rows), _CHUNK):
        part = rows[begin : begin + _CHUNK]
        if any(len(row.split()) != columns for row in part):
            return np.empty((0, 1))
        numbers = np.fromstring("\n".join(part), dtype=np.float64, sep=" ")
        parts.append(numbers.reshape(len(part), columns))
    return np.concatenate(parts) if parts else np.empty((0, 1))
