"""tbench and dbench of all ages: one program that loads a network server (tbench) or a file system (dbench).

A run's result is its line ``Throughput X MB/sec``; 4.00 adds the longest latency of the run and, above it, a table of
latencies by operation. The lines that come every second are interim reports: they show the mean since the start.
mmtests keeps, beside the whole log, what it cuts out of it (``benchlog-tput-4`` beside ``dbench-4.log``); only there
the last interim report stands for the result. Nothing in the text tells tbench from dbench, so names have to.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number

THROUGHPUT = Metric("throughput", "", "MB/s", "higher", "harmonic", parameter="clients", quantity="throughput")
MAX_LATENCY = Metric(
    "max-latency",
    "Maximum Latency",
    "ms",
    "lower",
    decimals=3,
    parameter="clients",
    quantity="maximum latency in ms",
)
OPERATION_LATENCY = Metric(
    "operation-latency",
    "Operation Latency",
    "ms",
    "lower",
    decimals=3,
    main=False,
    parameter="clients",
    quantity="average latency in ms",
)
OPERATION_MAX_LATENCY = Metric(
    "operation-max-latency",
    "Maximum Operation Latency",
    "ms",
    "lower",
    decimals=3,
    main=False,
    parameter="clients",
    quantity="maximum latency in ms",
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
INTERVAL_THROUGHPUT = Metric(
    "interval-throughput",
    "Throughput during the run",
    "MB/s",
    "higher",
    "harmonic",
    main=False,
    parameter="clients",
    quantity="throughput",
)
METRICS = (
    THROUGHPUT,
    MAX_LATENCY,
    OPERATION_LATENCY,
    OPERATION_MAX_LATENCY,
    LOADFILE_TIME,
    INTERVAL_THROUGHPUT,
)

_VERSION = re.compile(r"\s*dbench version \S+ - Copyright ")
_RUNNING = re.compile(r"\s*Running for (\d{1,9}) seconds with load '([^']*)'")
_LAUNCH = re.compile(r"\s*(-?\d+) of \d+ processes prepared for launch")
_STARTED = re.compile(r"\s*(\d{1,9}) clients started\b")
_RELEASING = re.compile(r"\s*(?:[Rr]eleasing clients|Waiting for child processes to finish setup)")
_HEADERS = (_VERSION, _RUNNING, _LAUNCH, _STARTED, _RELEASING)
# Each number is one that something follows, or that has a fixed number of decimals: a number cut short doesn't match.
_PROGRESS = re.compile(r"\s*(\d{1,9})\s+\d+\s+(\d+\.\d\d) MB/sec\s+(warmup|execute|cleanup)\s+\d+ sec\b")
_MACHINE_PROGRESS = re.compile(r"\s*@([WRC])@(\d{1,9})@\d+@(\d+\.\d\d)@\d+@\d+\.\d{3}@")
_OLD_PROGRESS = re.compile(r"\s*\d+\s+\d+\s+\d+\.\d\d MB/sec\s*$")
_CLEANUP = re.compile(r"\s*\d+\s+cleanup\s+\d+ sec\b")
_COMPLETED = re.compile(r"\s*\d+ completed in (\d{1,20}) ms(?: at time (\d{1,20}) ms)?\b")
_TABLE = re.compile(r"\s*Operation\s+Count\s.*AvgLat\b")
_COLUMNS = ["Operation", "Count", "AvgLat", "MaxLat"]
_MACHINE_ROW = re.compile(r"\s*:(\w+):(\d+):(\d+\.\d{3}):(\d+\.\d{3}):")
_COUNT = re.compile(r"\d+")
_MILLISECONDS = re.compile(r"\d+\.\d{3}")
# 1.x prints what would have been NetBench's figures in parentheses, and may put the line behind its rows of dots.
_RESULT = re.compile(
    r"[\s.+*#]*Throughput (?P<value>\S+) MB/sec"
    r"(?: \(sync (?:open|dirs)\))*"
    r"(?P<netbench> \(NB=[^()]*\))?"
    r"(?:\s+(?P<clients>\d{1,9}) clients)?(?:\s+(?P<procs>\d{1,9}) procs)?"
    r"(?:\s+max_latency=(?P<latency>\d+\.\d{3}) ms)?\s*"
)
_MACHINE_RESULT = re.compile(
    r"\s*;(?P<value>[^;\s]+);(?P<clients>\d{1,9});(?P<procs>\d{1,9});(?P<latency>\d+\.\d{3});"
)
_WRAPPED = re.compile(r"\s*(?:\(sync (?:open|dirs)\)|(?:\d+ )?clients\s+\d+ procs|(?:\d+ )?procs\b|max_latency=)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# "failed to create barrier semaphore" isn't among these: it does no harm.
_TROUBLE = re.compile(
    r"Child failed with status|Child \d+ failed setup|client \d+ failed to start|FAILED TO START -?\d+ CLIENTS"
    r"|failed (?:for|on) handle|ERROR: (?:handle|child) |handle \d+ was not found|lost sync \("
    r"|^\s*error (?:reading header|(?:reading|writing) \d+ bytes)|failed to connect to \S+ - |^\s*unknown host: "
    r"|^\s*(?:connect|recv|send|read|write): [A-Z][a-z/]+ [a-z]|Failed to setup shared memory"
    r"|[td]bench: (?:error opening|command not found|not found|No such file)|Failed to initialize dbench"
    r"|failed to (?:initialize the|use the|release) barrier"
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

_FULL_NAME = re.compile(r"dbench-(?P<clients>\d{1,9})\.log")
_CUT_NAME = re.compile(r"benchlog-(tput|op|loadfile)-(?P<clients>\d{1,9})")
# Each kind needs its own: files of one rank count as runs of their own.
_AUTHORITY = {"": 3, "tput": 2, "op": 1, "loadfile": 0}
_CLIENTS_IN_NAME = (
    re.compile(r"(?<![a-z])(?:c|clients?|procs?)[-_=]?(\d{1,9})(?!\.?\d)"),
    re.compile(r"(?<![\d.])(\d{1,9})[-_]?(?:clients?|procs?)(?![a-z])"),
    re.compile(r"(?:[td]bench\d?|benchlog-(?:tput|op|loadfile))[-_.](\d{1,9})(?!\.?\d)"),
)
# A wrong clock makes the fork of mmtests print the difference of two times as a number without sign.
_LONGEST = 2**31

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
    cut = bool(_CUT_NAME.fullmatch(log.stem))
    named = cut or log.name_has("tbench", "dbench")
    if _LIKELY.search(head):
        return Match.LIKELY if named else Match.NAME
    if named and _IF_NAMED.search(head):
        return Match.LIKELY
    lines = head.split("\n")
    if re.search(r"(?i)(?<![a-z])[td]bench", log.stem) and any(_TROUBLE.search(line) for line in lines):
        return Match.LIKELY
    return Match.NAME if cut and any(_row(line, _COLUMNS) for line in lines) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; one without result gives nothing, however far its interim reports go."""
    reader = _Reader(log, into)
    for index, line in enumerate(log.lines):
        if line.strip():
            reader.line(index + 1, _joined(log.lines, index))
    reader.close()


@dataclass(frozen=True)
class _Row:
    """A row of the table of operations, in milliseconds."""

    name: str
    average: float
    longest: float


@dataclass
class _Run:
    """What the text has told about the run whose result is still to come."""

    line: int = 0
    header: bool = False
    seconds: str = ""
    load: str = ""
    started: bool = False
    clients: int = 0
    progress: list[float] = field(default_factory=list)
    progress_line: int = 0
    completed: list[tuple[int, int]] = field(default_factory=list)
    implausible: int = 0
    rows: list[_Row] = field(default_factory=list)
    trouble: tuple[int, str] | None = None
    no_client: tuple[int, str] | None = None


class _Reader:
    """Walks through the lines and remembers the run that is under way and what went wrong in it."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._run = _Run()
        cut = _CUT_NAME.fullmatch(log.stem)
        named = cut or _FULL_NAME.fullmatch(log.name)
        self._cut = cut[1] if cut else ""
        self._identity = f"clients-{named['clients']}" if named else ""
        self._columns = _COLUMNS if self._cut == "op" else None
        self._program = _program(log)
        self._told = False

    def line(self, number: int, line: str) -> None:
        """Take the next line that isn't blank."""
        if self._take_completed(number, line) or self._take_row(number, line):
            return
        if self._take_progress(number, line) or self._take_header(number, line):
            return
        if found := _RESULT.match(line) or _MACHINE_RESULT.match(line):
            self._take_result(number, line, found)
        elif _TROUBLE.search(line):
            self._touch(number)
            self._run.trouble = self._run.trouble or (number, line.strip())

    def close(self) -> None:
        """End of the log: a run whose result has not come did not finish, unless only a cut of its log is here."""
        run = self._run
        if self._cut and run.line and not run.header and not run.trouble:
            self._take_cut()
        self._close_run()

    def _touch(self, number: int) -> None:
        self._run.line = self._run.line or number

    def _new_run(self, number: int) -> None:
        self._close_run()
        self._run.line = number

    def _take_completed(self, number: int, line: str) -> bool:
        if " completed in " not in line or not (found := _COMPLETED.match(line)):
            return False
        self._touch(number)
        if int(found[1]) < _LONGEST:
            self._run.completed.append((int(found[2] or 0), int(found[1])))
        else:
            self._run.implausible = self._run.implausible or number
        return True

    def _take_row(self, number: int, line: str) -> bool:
        if _TABLE.match(line):
            self._touch(number)
            # The first table is the sum; those of single clients may follow.
            self._columns = None if self._run.rows else line.split()
            return True
        if self._columns and (row := _row(line, self._columns)):
            self._touch(number)
            self._run.rows.append(row)
            return True
        return False

    def _take_progress(self, number: int, line: str) -> bool:
        if found := _PROGRESS.match(line):
            clients, value, phase = found[1], found[2], found[3]
        elif found := _MACHINE_PROGRESS.match(line):
            clients, value = found[2], found[3]
            phase = {"W": "warmup", "R": "execute", "C": "cleanup"}[found[1]]
        else:
            if _OLD_PROGRESS.match(line) or _CLEANUP.match(line):
                self._touch(number)
                return True
            return False
        if phase == "warmup" and self._run.progress:
            self._new_run(number)
        self._touch(number)
        # Clients that have nothing to do yet, or no more, aren't counted in every line.
        self._run.clients = max(self._run.clients, int(clients))
        if phase == "execute":
            self._run.progress.append(float(value))
            self._run.progress_line = number
        return True

    def _take_header(self, number: int, line: str) -> bool:
        found = next((found for header in _HEADERS if (found := header.match(line))), None)
        if not found:
            return False
        run, header = self._run, found.re
        if (
            header is _VERSION
            or run.progress
            or (header is _RUNNING and run.seconds)
            or (header is _STARTED and run.started)
        ):
            self._close_run()
        self._touch(number)
        run = self._run
        run.header = True
        if header is _RUNNING:
            run.seconds, run.load = found[1], PurePosixPath(found[2]).name
        elif header is _STARTED:
            run.started, run.clients = True, int(found[1])
        elif header is _LAUNCH and found[1] == "-1":
            run.no_client = run.no_client or (number, line.strip())
        return True

    def _take_result(self, number: int, line: str, found: re.Match[str]) -> None:
        groups = found.groupdict(default="")
        self._touch(number)
        run, printed = self._run, groups["value"]
        if not self._whole(number, line[found.end() :], groups):
            self._run, self._columns = _Run(), None
            return
        value = float(printed) if _NUMBER.fullmatch(printed) else 0.0
        # In its machine-readable mode the program forgets to note the throughput.
        forgotten = printed == "0" and found.re is _MACHINE_RESULT and bool(run.progress)
        if forgotten:
            value = run.progress[-1]
        if run.trouble:
            self._fail(f"the run failed, its throughput {printed} is refused: {run.trouble[1]}", run.trouble[0])
        elif not (math.isfinite(value) and value > 0):
            self._fail(f"nothing was measured: the throughput is {printed}", number)
        else:
            clients = groups["clients"] or groups["procs"] or self._clients()
            self._begin(clients, number, sync=_sync(line), procs=_fewer_procs(groups))
            self._add_throughput(clients, value, forgotten)
            if groups["latency"]:
                self._into.add(MAX_LATENCY, _operation(MAX_LATENCY, clients), float(groups["latency"]))
            self._add_details(clients)
        self._run, self._columns = _Run(), None

    def _whole(self, number: int, rest: str, groups: dict[str, str]) -> bool:
        """Whether the throughput is complete; reports a line that is cut off anywhere."""
        last = number == len(self._log.lines) and not self._log.ended
        whole = bool(groups["procs"] or groups.get("netbench")) or not (rest or last)
        if not whole or (last and rest and not groups["latency"]):
            self._into.truncated("the line with the result is cut off", number)
        return whole

    def _take_cut(self) -> None:
        """Take what mmtests cut out of a log; no more of the run is here."""
        clients = self._clients()
        self._begin(clients, self._run.line)
        if self._cut == "tput" and self._run.progress:
            self._take_last_report(clients)
        self._add_details(clients)
        self._run = _Run()

    def _take_last_report(self, clients: str) -> None:
        value = self._run.progress[-1]
        number = max(number for number, line in enumerate(self._log.lines, start=1) if line.strip())
        last = self._log.lines[number - 1].rstrip()
        if not last.endswith((" sec", " ms")) or not self._log.complete:
            self._into.truncated("the last interim report, which stands for the result, is cut off", number)
        elif value > 0:
            self._add_throughput(clients, value, from_progress=True)
        else:
            self._into.failed("nothing was measured: the throughput is 0", number)

    def _add_throughput(self, clients: str, value: float, from_progress: bool) -> None:
        if from_progress:
            self._into.note(
                "from-progress", "the throughput is that of the last interim report", self._run.progress_line
            )
        self._into.add(THROUGHPUT, _operation(THROUGHPUT, clients), value)

    def _begin(self, clients: str, number: int, *, sync: str = "", procs: str = "") -> None:
        run = self._run
        if not self._program and not self._told:
            self._told = True
            self._into.note(
                "tbench-or-dbench",
                "neither folder nor file is named after tbench or dbench: taken for tbench",
                number,
            )
        # How long a run lasts may depend on its clients: only equal ones are to be compared.
        condition = f"seconds at clients {clients}" if clients else "seconds"
        self._into.run(
            variant={"program": "dbench" if self._program == "dbench" else ""},
            settings={"sync": sync, "procs": procs, "load": "" if run.load == "client.txt" else run.load},
            conditions={condition: float(run.seconds)} if run.seconds else None,
            number=_number(self._log, clients),
            identity=self._identity,
            authority=_AUTHORITY[self._cut] if self._identity else 0,
            line=run.line or number,
        )

    def _add_details(self, clients: str) -> None:
        """Add what is secondary: latencies by operation, times of the load file, interim reports."""
        run = self._run
        for order, row in zip(_places([row.name for row in run.rows]), run.rows, strict=True):
            name = f"{row.name}-{clients}" if clients else row.name
            operation = Operation(name, row.name, _param(clients), (float(order),))
            self._into.add(OPERATION_LATENCY, operation, row.average)
            self._into.add(OPERATION_MAX_LATENCY, operation, row.longest)
        # The whole log has them client by client, mmtests' cut has them in the order of time.
        times = [float(time) for _, time in sorted(run.completed, key=lambda item: item[0])]
        self._into.add_many(LOADFILE_TIME, _operation(LOADFILE_TIME, clients), times)
        self._into.add_many(INTERVAL_THROUGHPUT, _operation(INTERVAL_THROUGHPUT, clients), run.progress)
        if run.implausible:
            self._into.warn("implausible", "execution times of more than 2^31 ms are left out", run.implausible)

    def _close_run(self) -> None:
        run = self._run
        if run.trouble:
            self._fail(run.trouble[1], run.trouble[0])
        elif run.rows and (run.progress or not run.header):
            self._into.truncated("the line with the throughput is missing", run.line)
            self._begin(self._clients(), run.line)
            self._add_details(self._clients())
        elif run.no_client:
            self._fail(f"no client could start: {run.no_client[1]}", run.no_client[0])
        elif run.line and self._log.complete:
            self._fail("the run did not finish: it has no throughput", run.line)
        elif run.line:
            self._into.truncated("the log stops before the throughput", run.line)
        self._run, self._columns = _Run(), None

    def _fail(self, message: str, number: int) -> None:
        # The run is announced where cuts of its log may lie beside it, which look as if it had succeeded.
        if self._identity:
            self._into.run(identity=self._identity, authority=_AUTHORITY[self._cut], line=number)
        self._into.failed(message, number)

    def _clients(self) -> str:
        """The number of clients as interim reports or the file's name tell it; empty if nothing does."""
        if self._run.clients:
            return str(self._run.clients)
        name = self._log.stem.lower()
        return next((found[1] for pattern in _CLIENTS_IN_NAME if (found := pattern.search(name))), "")


def _joined(lines: list[str], index: int) -> str:
    """The line, and the rest of it if a mailer broke the one with the result in two."""
    line = lines[index]
    if "Throughput " not in line or "max_latency" in line:
        return line
    following = next((text for text in lines[index + 1 : index + 3] if text.strip()), "")
    return f"{line.rstrip()} {following.strip()}" if _WRAPPED.match(following) else line


def _row(line: str, columns: list[str]) -> _Row | None:
    if found := _MACHINE_ROW.match(line):
        return _Row(found[1], float(found[3]), float(found[4]))
    fields = dict(zip(columns, line.split(), strict=False))
    values = [fields.get(name, "") for name in ("AvgLat", "MaxLat")]
    complete = len(line.split()) == len(columns) and _COUNT.fullmatch(fields["Count"])
    if complete and all(_MILLISECONDS.fullmatch(value) for value in values):
        return _Row(fields["Operation"], float(values[0]), float(values[1]))
    return None


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


def _sync(text: str) -> str:
    return "+".join(re.findall(r"\(sync (\w+)\)", text))


def _fewer_procs(groups: dict[str, str]) -> str:
    """The number of processes where several clients share one."""
    clients, procs = groups["clients"], groups["procs"]
    return procs if clients and procs and clients != procs else ""


def _number(log: RawLog, clients: str) -> int | None:
    """The number of the repetition; besides the usual names, the second number of ``tbench-4-1``."""
    number = run_number(log)
    found = re.search(r"(?i)[td]bench\d?[-_](\d+)[-_.](\d{1,6})$", log.stem)
    return int(found[2]) if number is None and found and found[1] == clients else number


def _program(log: RawLog) -> str:
    """The program that names tell, the innermost folder first: mmtests keeps tbench's logs as ``dbench-4.log``."""
    for place in (*reversed(log.folders), log.stem):
        found = {word for word in ("tbench", "dbench") if re.search(rf"(?i)(?<![a-z]){word}(?![a-z])", place)}
        if len(found) == 1:
            return found.pop()
    return ""
