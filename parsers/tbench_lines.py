"""What single lines of tbench and dbench say: headers, interim reports, rows of the table, the result, trouble.

Each number is one that something follows, or that has a fixed number of decimals: a number cut short isn't taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_HEADERS = {
    "version": re.compile(r"\s*dbench version \S+ - Copyright "),
    "running": re.compile(r"\s*Running for (?P<seconds>\d{1,9}) seconds with load '(?P<load>[^']*)'"),
    "launch": re.compile(r"\s*(?P<prepared>-?\d+) of \d+ processes prepared for launch"),
    "started": re.compile(r"\s*(?P<clients>\d{1,9}) clients started\b"),
    "releasing": re.compile(r"\s*(?:[Rr]eleasing clients|Waiting for child processes to finish setup)"),
}
_PROGRESS = re.compile(
    r"\s*(\d{1,9})\s+\d+\s+(\d+\.\d\d) MB/sec\s+(warmup|execute|cleanup)\s+\d+ sec\b"
    r"(?:\s+latency\s+(\d+\.\d{3}) ms)?"
)
_MACHINE_PROGRESS = re.compile(r"\s*@([WRC])@(\d{1,9})@\d+@(\d+\.\d\d)@\d+@(\d+\.\d{3})@")
_PHASES = {"W": "warmup", "R": "execute", "C": "cleanup"}
_OTHER_PROGRESS = re.compile(r"\s*\d+\s+(?:\d+\s+\d+\.\d\d MB/sec\s*$|cleanup\s+\d+ sec\b)")
_COMPLETED = re.compile(r"\s*\d+ completed in (\d{1,20}) ms(?: at time (\d{1,20}) ms)?\b")
_TABLE = re.compile(r"\s*Operation\s+Count\s.*AvgLat\b")
_MACHINE_ROW = re.compile(r"\s*:(\w+):(\d{1,20}):(\d+\.\d{3}):(\d+\.\d{3}):")
_COUNT = re.compile(r"\d{1,20}")
_MILLISECONDS = re.compile(r"\d+\.\d{3}")
# 1.x prints what would have been NetBench's figures in parentheses, and may put the line behind its rows of dots.
_RESULT = re.compile(
    r"[\s.+*#]*Throughput (?P<printed>\S+) MB/sec"
    r"(?: \(sync (?:open|dirs)\))*"
    r"(?P<netbench> \(NB=[^()]*\))?"
    r"(?:\s+(?P<clients>\d{1,9}) clients)?(?:\s+(?P<procs>\d{1,9}) procs)?"
    r"(?:\s+max_latency=(?P<latency>\d+\.\d{3}) ms)?\s*"
)
_MACHINE_RESULT = re.compile(
    r"\s*;(?P<printed>[^;\s]+);(?P<clients>\d{1,9});(?P<procs>\d{1,9});(?P<latency>\d+\.\d{3});"
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

COLUMNS = ["Operation", "Count", "AvgLat", "MaxLat"]
"""The table of operations as most versions print it."""


@dataclass(frozen=True)
class Header:
    """A line that comes before a run's first interim report.

    Attributes:
        kind: ``version``, ``running``, ``launch``, ``started`` or ``releasing``.
        seconds: how long the run is to last.
        load: the name of the file with the load.
        clients: how many clients started, 0 if this isn't told.
        no_client: whether not even one client could start.

    """

    kind: str
    seconds: str = ""
    load: str = ""
    clients: int = 0
    no_client: bool = False


@dataclass(frozen=True)
class Progress:
    """An interim report; that of an old version tells nothing that is of use.

    Attributes:
        clients: how many have something to do.
        throughput: the mean since the start in MB/s.
        phase: ``warmup``, ``execute`` or ``cleanup``, empty if the line doesn't tell.
        latency: the longest latency since the report before in ms, None if the line doesn't tell.

    """

    clients: int = 0
    throughput: float = 0.0
    phase: str = ""
    latency: float | None = None


@dataclass(frozen=True)
class Completed:
    """The time that one execution of the load file took, and when it ended, in ms since the start."""

    took: int
    at: int


@dataclass(frozen=True)
class Row:
    """A row of the table of operations: how many there were, and their latencies in milliseconds."""

    name: str
    count: int
    average: float
    longest: float


@dataclass(frozen=True)
class Result:
    """The line with the throughput.

    Attributes:
        line: where it stands.
        printed: the throughput as it is printed.
        throughput: the same in MB/s, 0 if it isn't a number.
        clients: their number, empty if it isn't told.
        procs: the number of processes, empty if it isn't told.
        latency: the longest latency in ms, empty if it isn't told.
        sync: what was synchronous, such as ``open``.
        netbench: whether NetBench's figures follow the throughput.
        machine: whether this is the form for machines.
        rest: what stands behind all this.

    """

    line: int
    printed: str
    throughput: float
    clients: str
    procs: str
    latency: str
    sync: str
    netbench: bool
    machine: bool
    rest: str


def read_header(line: str) -> Header | None:
    """Read one of the lines that come before the interim reports."""
    for kind, pattern in _HEADERS.items():
        if found := pattern.match(line):
            told = found.groupdict(default="")
            return Header(
                kind,
                seconds=told.get("seconds", ""),
                load=PurePosixPath(told.get("load", "")).name,
                clients=int(told.get("clients", 0)),
                no_client=told.get("prepared") == "-1",
            )
    return None


def read_progress(line: str) -> Progress | None:
    """Read an interim report of any version."""
    if found := _PROGRESS.match(line):
        return Progress(int(found[1]), float(found[2]), found[3], float(found[4]) if found[4] else None)
    if found := _MACHINE_PROGRESS.match(line):
        return Progress(int(found[2]), float(found[3]), _PHASES[found[1]], float(found[4]))
    return Progress() if _OTHER_PROGRESS.match(line) else None


def read_completed(line: str) -> Completed | None:
    """Read how long the load file took one client."""
    found = _COMPLETED.match(line)
    return Completed(int(found[1]), int(found[2] or 0)) if found else None


def read_columns(line: str) -> list[str]:
    """Read the heading of a table of operations; empty if this is none."""
    return line.split() if _TABLE.match(line) else []


def read_row(line: str, columns: list[str]) -> Row | None:
    """Read a row of a table that has such columns, or of one for machines."""
    if found := _MACHINE_ROW.match(line):
        return Row(found[1], int(found[2]), float(found[3]), float(found[4]))
    cells = line.split()
    if len(cells) != len(columns):
        return None
    fields = dict(zip(columns, cells, strict=True))
    average, longest = fields.get("AvgLat", ""), fields.get("MaxLat", "")
    whole = (
        _COUNT.fullmatch(fields["Count"]) and _MILLISECONDS.fullmatch(average) and _MILLISECONDS.fullmatch(longest)
    )
    return Row(fields["Operation"], int(fields["Count"]), float(average), float(longest)) if whole else None


def read_result(number: int, line: str) -> Result | None:
    """Read the line with the throughput, which may be cut off anywhere."""
    found = _RESULT.match(line) or _MACHINE_RESULT.match(line)
    if not found:
        return None
    told = found.groupdict(default="")
    return Result(
        line=number,
        printed=told["printed"],
        throughput=float(told["printed"]) if _NUMBER.fullmatch(told["printed"]) else 0.0,
        clients=told["clients"],
        procs=told["procs"],
        latency=told["latency"],
        sync="+".join(re.findall(r"\(sync (\w+)\)", line)),
        netbench=bool(told.get("netbench")),
        machine=found.re is _MACHINE_RESULT,
        rest=line[found.end() :],
    )


def tells_trouble(line: str) -> bool:
    """Whether the program, or whoever started it, complains of something that spoils the run."""
    return bool(_TROUBLE.search(line))


def with_broken_rest(lines: list[str], index: int) -> str:
    """Return a line, and the rest of it if a mailer broke the one with the result in two."""
    line = lines[index]
    if "Throughput " not in line or "max_latency" in line:
        return line
    following = next((text for text in lines[index + 1 : index + 3] if text.strip()), "")
    return f"{line.rstrip()} {following.strip()}" if _WRAPPED.match(following) else line
