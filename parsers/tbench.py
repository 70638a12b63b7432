"""tbench and dbench of all ages: one program that loads a network server (tbench) or a file system (dbench).

A run's result is its line ``Throughput X MB/sec``; 4.00 adds the longest latency of the run and, above it, a table of
latencies by operation. The lines that come every second are interim reports: they show the mean since the start.
mmtests keeps, beside the whole log, what it cuts out of it (``benchlog-tput-4`` beside ``dbench-4.log``); only there
the last interim report stands for the result. Nothing in the text tells tbench from dbench, so names have to.

`tbench_lines` reads single lines, `tbench_runs` puts them together and `tbench_names` reads names. Here it is decided
what a run is worth.
"""

from __future__ import annotations

import math
import re
from functools import partial

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder
from compare_kernels.parsers.tbench_lines import COLUMNS, Result, read_row, tells_trouble
from compare_kernels.parsers.tbench_names import Names, read_names, repetition
from compare_kernels.parsers.tbench_runs import Run, read_runs

_rate = partial(Metric, unit="MB/s", better="higher", mean="harmonic", parameter="clients", quantity="throughput")
_latency = partial(Metric, unit="ms", better="lower", decimals=3, parameter="clients")

THROUGHPUT = _rate("throughput", "")
MAX_LATENCY = _latency("max-latency", "Maximum Latency", quantity="maximum latency in ms")
OPERATION_LATENCY = _latency("operation-latency", "Operation Latency", main=False, quantity="average latency in ms")
OPERATION_MAX_LATENCY = _latency(
    "operation-max-latency", "Maximum Operation Latency", main=False, quantity="maximum latency in ms"
)
OPERATION_COUNT = Metric(
    "operation-count",
    "Operation Count",
    "operations",
    "higher",
    decimals=0,
    main=False,
    parameter="clients",
    quantity="number of operations",
)
LOADFILE_TIME = Metric(
    "loadfile-time",
    "Loadfile Execution Time",
    "ms",
    "lower",
    main=False,
    parameter="clients",
    quantity="time in ms",
)
RUNNING_THROUGHPUT = _rate("running-throughput", "Running Mean of Throughput", main=False, interim=True)
INTERVAL_LATENCY = _latency(
    "interval-latency",
    "Maximum Latency by Seconds",
    main=False,
    interim=True,
    extreme=True,
    quantity="maximum latency within a second in ms",
)
METRICS = (
    THROUGHPUT,
    MAX_LATENCY,
    OPERATION_LATENCY,
    OPERATION_MAX_LATENCY,
    OPERATION_COUNT,
    LOADFILE_TIME,
    RUNNING_THROUGHPUT,
    INTERVAL_LATENCY,
)

_CERTAIN = re.compile(
    r"(?m)^[ \t.+*#]*(?:dbench version \S+ - Copyright |-?\d+ of \d+ processes prepared for launch"
    r"|FAILED TO START \d+ CLIENTS|\d+[ \t]+\d+[ \t]+\d+\.\d\d MB/sec[ \t]+(?:warmup|execute) "
    r"|@[WRC]@\d+@\d+@\d+\.\d\d@\d+@\d|\d+ completed in \d+ ms at time \d"
    r"|Operation[ \t]+Count[ \t][^\n]*AvgLat|Throughput \S+ MB/sec \((?:sync |NB=)"
    r"|Throughput \S+ MB/sec[^\n]* \d+ procs\b)"
)
_LIKELY = re.compile(
    r"(?m)^[ \t]*(?:\d+[ \t]+\d+[ \t]+\d+\.\d\d MB/sec[ \t]*$|;[^;\s]+;\d+;\d+;\d+\.\d{3};"
    r"|(?:NTCreateX|ReadX|WriteX|READ3|WRITE3)[ \t]+\d+[ \t]+\d+\.\d{3}[ \t]+\d+\.\d{3}[ \t]*$)"
)
_IF_NAMED = re.compile(r"(?m)^[ \t.+*#]*(?:\d+ clients started\b|Throughput \S+ MB/sec)")

# A short run lacks operations, so a row's place in its own table doesn't tell the program's order.
_ORDERS = (
    # 4.00 as distributions have it
    (
        *("NTCreateX", "Close", "Rename", "Unlink", "Deltree", "Rmdir", "Mkdir", "Qpathinfo", "Qfileinfo"),
        *("Qfsinfo", "Sfileinfo", "Find", "WriteX", "ReadX", "LockX", "UnlockX", "Flush"),
    ),
    # later
    (
        *("Deltree", "Flush", "Close", "LockX", "Rmdir", "Mkdir", "Rename", "ReadX", "WriteX", "Unlink"),
        *("UnlockX", "FIND_FIRST", "SET_FILE_INFORMATION", "QUERY_FILE_INFORMATION"),
        *("QUERY_PATH_INFORMATION", "QUERY_FS_INFORMATION", "NTCreateX"),
    ),
)


def recognise(log: RawLog) -> Match:
    """Tell the program by its headers, its interim reports, its table and its result.

    What old versions print besides is nothing special, and a failure may be all that there is: there names help.
    """
    head = log.head
    if _CERTAIN.search(head):
        return Match.CERTAIN
    cut = bool(read_names(log).cut)
    named = cut or log.name_has("tbench", "dbench")
    if _LIKELY.search(head):
        return Match.LIKELY if named else Match.NAME
    if named and _IF_NAMED.search(head):
        return Match.LIKELY
    lines = head.split("\n")
    if re.search(r"(?i)(?<![a-z])[td]bench", log.stem) and any(map(tells_trouble, lines)):
        return Match.LIKELY
    return Match.NAME if cut and any(read_row(line, COLUMNS) for line in lines) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; one without result gives nothing, however far its interim reports go."""
    names = read_names(log)
    writer = _Writer(log, names, into)
    runs = read_runs(log.lines, in_table=names.cut == "op")
    for run in runs:
        writer.write(run, last=run is runs[-1])


class _Writer:
    """Decides what a run is worth: values, a failure, or a log that is cut."""

    def __init__(self, log: RawLog, names: Names, into: SampleBuilder) -> None:
        self._log = log
        self._names = names
        self._into = into
        self._told = False

    def write(self, run: Run, *, last: bool) -> None:
        """Add the values of a run, or report what is wrong with it; `last` if the log ends with it."""
        if run.result:
            self._write_result(run, run.result)
        elif run.trouble:
            self._fail(run.trouble[1], run.trouble[0])
        elif self._names.cut and last and not run.headers:
            self._write_cut(run)
        elif run.rows and (run.progress or not run.headers):
            self._into.truncated("the line with the throughput is missing", run.line)
            self._begin(run, self._clients(run), run.line)
            self._add_details(run, self._clients(run))
        elif run.no_client:
            self._fail(f"no client could start: {run.no_client[1]}", run.no_client[0])
        elif self._log.complete:
            self._fail("the run did not finish: it has no throughput", run.line)
        else:
            self._into.truncated("the log stops before the throughput", run.line)

    def _write_result(self, run: Run, result: Result) -> None:
        if not self._is_whole(result):
            return
        value = result.throughput
        # In its machine-readable mode the program forgets to note the throughput.
        forgotten = result.machine and result.printed == "0" and bool(run.progress)
        if forgotten:
            value = run.progress[-1]
        if run.trouble:
            line, text = run.trouble
            self._fail(f"the run failed, its throughput {result.printed} is refused: {text}", line)
        elif not (math.isfinite(value) and value > 0):
            self._fail(f"nothing was measured: the throughput is {result.printed}", result.line)
        else:
            clients = result.clients or result.procs or self._clients(run)
            # Several clients may share a process.
            procs = result.procs if result.clients and result.clients != result.procs else ""
            self._begin(run, clients, result.line, sync=result.sync, procs=procs)
            if forgotten:
                self._note_progress(run)
            self._into.add(THROUGHPUT, _operation(THROUGHPUT, clients), value)
            if result.latency:
                self._into.add(MAX_LATENCY, _operation(MAX_LATENCY, clients), float(result.latency))
            self._add_details(run, clients)

    def _is_whole(self, result: Result) -> bool:
        """Whether the throughput is complete; reports a line that is cut off anywhere."""
        last = result.line == len(self._log.lines) and not self._log.ended
        whole = bool(result.procs) or result.netbench or not (result.rest or last)
        if not whole or (last and result.rest and not result.latency):
            self._into.truncated("the line with the result is cut off", result.line)
        return whole

    def _write_cut(self, run: Run) -> None:
        """Add what mmtests cut out of a log; no more of the run is here."""
        clients = self._clients(run)
        self._begin(run, clients, run.line)
        if self._names.cut == "tput" and run.progress:
            self._add_last_report(run, clients)
        self._add_details(run, clients)

    def _add_last_report(self, run: Run, clients: str) -> None:
        value, lines = run.progress[-1], self._log.lines
        number = max(number for number, line in enumerate(lines, start=1) if line.strip())
        if not lines[number - 1].rstrip().endswith((" sec", " ms")) or not self._log.complete:
            self._into.truncated("the last interim report, which stands for the result, is cut off", number)
        elif value > 0:
            self._note_progress(run)
            self._into.add(THROUGHPUT, _operation(THROUGHPUT, clients), value)
        else:
            self._into.failed("nothing was measured: the throughput is 0", number)

    def _note_progress(self, run: Run) -> None:
        self._into.note("from-progress", "the throughput is that of the last interim report", run.progress_line)

    def _begin(self, run: Run, clients: str, number: int, *, sync: str = "", procs: str = "") -> None:
        if not self._names.program and not self._told:
            self._told = True
            self._into.note(
                "tbench-or-dbench",
                "neither folder nor file is named after tbench or dbench: taken for tbench",
                number,
            )
        # How long a run lasts may depend on its clients: only equal ones are to be compared.
        condition = f"seconds at clients {clients}" if clients else "seconds"
        self._into.run(
            variant={"program": "dbench" if self._names.program == "dbench" else ""},
            settings={"sync": sync, "procs": procs, "load": "" if run.load == "client.txt" else run.load},
            conditions={condition: float(run.seconds)} if run.seconds else None,
            number=repetition(self._log, clients),
            identity=self._names.identity,
            authority=self._names.authority,
            line=run.line,
        )

    def _add_details(self, run: Run, clients: str) -> None:
        """Add what is secondary: latencies by operation, times of the load file, interim reports."""
        for order, row in zip(_places([row.name for row in run.rows]), run.rows, strict=True):
            name = f"{row.name}-{clients}" if clients else row.name
            operation = Operation(name, row.name, _param(clients), (float(order),))
            self._into.add(OPERATION_LATENCY, operation, row.average)
            self._into.add(OPERATION_MAX_LATENCY, operation, row.longest)
            self._into.add(OPERATION_COUNT, operation, float(row.count))
        # The whole log has them client by client, mmtests' cut has them in the order of time.
        times = [float(item.took) for item in sorted(run.completed, key=lambda item: item.at)]
        self._into.add_many(LOADFILE_TIME, _operation(LOADFILE_TIME, clients), times)
        self._into.add_many(RUNNING_THROUGHPUT, _operation(RUNNING_THROUGHPUT, clients), run.progress)
        self._into.add_many(INTERVAL_LATENCY, _operation(INTERVAL_LATENCY, clients), run.latencies)
        if run.implausible:
            self._into.warn("implausible", "execution times of more than 2^31 ms are left out", run.implausible)

    def _fail(self, message: str, number: int) -> None:
        # The run is announced where cuts of its log may lie beside it, which look as if it had succeeded.
        if self._names.identity:
            self._into.run(identity=self._names.identity, authority=self._names.authority, line=number)
        self._into.failed(message, number)

    def _clients(self, run: Run) -> str:
        """The number of clients as the text or the file's name tells it; empty if nothing does."""
        return str(run.clients) if run.clients else self._names.clients


def _places(names: list[str]) -> list[int]:
    """Where the program lists each operation: by the order of a known version, or as they stand."""
    for known in _ORDERS:
        places = [known.index(name) for name in names if name in known]
        if len(places) == len(names) and places == sorted(places):
            return places
    return list(range(len(names)))


def _param(clients: str) -> float:
    return float(clients) if clients else math.nan


def _operation(metric: Metric, clients: str) -> Operation:
    return Operation(clients or metric.name, param=_param(clients))
