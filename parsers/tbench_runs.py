"""Which lines of tbench and dbench make a run: it ends with its result, or when the next one begins."""

from __future__ import annotations

from dataclasses import dataclass, field

from compare_kernels.parsers.tbench_lines import (
    COLUMNS,
    Completed,
    Header,
    Progress,
    Result,
    Row,
    read_columns,
    read_completed,
    read_header,
    read_progress,
    read_result,
    read_row,
    tells_trouble,
    with_broken_rest,
)

# A wrong clock makes the fork of mmtests print the difference of two times as a number without sign.
_LONGEST = 2**31
# These come once in a run; the others may be repeated.
_ONCE = {"running", "started"}


@dataclass
class Run:
    """What the lines of a run tell.

    Attributes:
        line: where it begins.
        headers: the kinds of its headers.
        seconds: how long it was to last.
        load: the name of the file with the load.
        clients: their number as headers and interim reports tell it, or 0.
        progress: the throughput of each interim report from its execution.
        latencies: the longest latency of each second of its execution, in ms.
        progress_line: where the last of them stands.
        completed: executions of the load file.
        implausible: the line of the first of them that can't be, or 0.
        rows: the table of operations.
        trouble: line and text of the first complaint.
        no_client: line and text that say that not even one client could start.
        result: the line with the throughput, None if it did not come.

    """

    line: int = 0
    headers: set[str] = field(default_factory=set)
    seconds: str = ""
    load: str = ""
    clients: int = 0
    progress: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    progress_line: int = 0
    completed: list[Completed] = field(default_factory=list)
    implausible: int = 0
    rows: list[Row] = field(default_factory=list)
    trouble: tuple[int, str] | None = None
    no_client: tuple[int, str] | None = None
    result: Result | None = None


def read_runs(lines: list[str], *, in_table: bool = False) -> list[Run]:
    """Read all runs of a log; `in_table` if it may begin with rows of a table whose heading is missing."""
    reader = _Reader(COLUMNS if in_table else [])
    for index, line in enumerate(lines):
        if line.strip():
            reader.line(index + 1, with_broken_rest(lines, index))
    reader.close()
    return reader.runs


class _Reader:
    """Walks through the lines and remembers the run that is under way."""

    def __init__(self, columns: list[str]) -> None:
        self.runs: list[Run] = []
        self._run = Run()
        self._columns = columns

    def line(self, number: int, line: str) -> None:
        """Take the next line that isn't blank."""
        if completed := read_completed(line):
            self._take_completed(number, completed)
        elif columns := read_columns(line):
            # The first table is the sum; those of single clients may follow.
            self._columns = [] if self._run.rows else columns
        elif self._columns and (row := read_row(line, self._columns)):
            self._run.rows.append(row)
        elif progress := read_progress(line):
            self._take_progress(number, progress)
        elif header := read_header(line):
            self._take_header(number, line, header)
        elif result := read_result(number, line):
            self._run.result = result
        elif tells_trouble(line):
            self._run.trouble = self._run.trouble or (number, line.strip())
        else:
            return
        self._run.line = self._run.line or number
        if self._run.result:
            self.close()

    def close(self) -> None:
        """End of a run, if there is one under way."""
        if self._run.line:
            self.runs.append(self._run)
        self._run, self._columns = Run(), []

    def _take_completed(self, number: int, completed: Completed) -> None:
        if completed.took < _LONGEST:
            self._run.completed.append(completed)
        else:
            self._run.implausible = self._run.implausible or number

    def _take_progress(self, number: int, progress: Progress) -> None:
        if progress.phase == "warmup" and self._run.progress:
            self.close()
        run = self._run
        # Clients that have nothing to do yet, or no more, aren't counted in every line.
        run.clients = max(run.clients, progress.clients)
        if progress.phase == "execute":
            run.progress.append(progress.throughput)
            run.progress_line = number
            if progress.latency is not None:
                run.latencies.append(progress.latency)

    def _take_header(self, number: int, line: str, header: Header) -> None:
        if header.kind == "version" or self._run.progress or header.kind in self._run.headers & _ONCE:
            self.close()
        run = self._run
        run.headers.add(header.kind)
        run.seconds, run.load = header.seconds or run.seconds, header.load or run.load
        run.clients = header.clients or run.clients
        if header.no_client:
            run.no_client = run.no_client or (number, line.strip())
