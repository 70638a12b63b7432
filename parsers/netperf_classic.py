"""The text of netperf by lines: banners, command lines, headings, and the rows of the classic tables.

Names of files and folders are read here, too: they say what a run without banner was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.parsers.base import run_number

if TYPE_CHECKING:
    from compare_kernels.parsers.base import RawLog

UNIT = r"(?:10\^[0-9]bits|[KMG]?Bytes)"
TRANSACTIONS = "Trans"
_UNIT_OPTIONS = {
    "k": "10^3bits",
    "m": "10^6bits",
    "g": "10^9bits",
    "K": "KBytes",
    "M": "MBytes",
    "G": "GBytes",
    "x": TRANSACTIONS,
}
_SIZE_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}

BANNER = re.compile(
    r"\b(TCP|UDP|SCTP|DCCP|SDP|OMNI) ([A-Za-z0-9/|_ -]{2,40}?) TEST (?:from|to)\b"
    r"|^\s*(STREAM|DG) ([A-Z/ ]{6,25}) TEST\s*$"
)
_KINDS = {
    "CONNECT/REQUEST/RESPONSE": "CRR",
    "CONNECT/CLOSE": "CC",
    "REQUEST/RESPONSE": "RR",
    "UNIDIRECTIONAL SEND": "STREAM",
    "STREAM": "STREAM",
    "MAERTS": "MAERTS",
    "SENDFILE": "SENDFILE",
}
# How a line begins that a mail program broke off a banner.
_BANNER_GOES_ON = re.compile(
    r"\s*(?:port \d|AF_INET|to \S|\S+ \(\S*\) port \d|\(\S*\) port \d|\d+ AF_INET|\+/-|@ |\d+% conf|conf\.|: "
    r"|demo\b|nodelay\b|histogram\b|interval\b|dirty data\b|first burst\b|burst \d|cpu bind\b|on result only)"
)
_MOST_LINES = 4
_CONFIDENCE = re.compile(r"\+/- ?([0-9]+\.[0-9]+) ?%")
_UNIMPORTANT = ("", "demo", "first burst 0", "first burst")

_STREAM_HEADING = re.compile(rf"bytes +bytes +bytes +secs\. +({UNIT})")
_UDP_HEADING = re.compile(rf"bytes +bytes +secs +# +# +({UNIT})")
_RR_HEADING = re.compile(rf"[Bb]ytes +[Bb]ytes +bytes +bytes +secs\. +(per (?:sec|tran)|{UNIT})")
# With columns for the CPU, the unit of a rate in bits or bytes stands one line higher.
_RR_HEADING_UNIT = re.compile(rf"Send +Recv +Size +Size +Time +({UNIT}) +local")
_UNIT_LINES = (("stream", _STREAM_HEADING), ("udp", _UDP_HEADING), ("rr", _RR_HEADING))

_TOKEN = re.compile(r"-?[0-9]{1,15}(?:\.([0-9]{1,9}))?")
# Rows as patterns of what `shape_of_row` writes: i for a whole number, a digit for a number with so many decimals.
_RR_ROW = re.compile(r"iiii22(2233)?")
_STREAM_ROW = re.compile(r"iii22(2233)?")
_SEND_ROW = re.compile(r"ii2ii(?:[12](23)|2)x*")
_RECV_ROW = re.compile(r"i2i(?:[12](23)|2)x*")
# The second table that -v 2 prints: alignments and offsets, then latency, rate, and throughput either way.
RR_DETAILS = "iiii3333"

_COMMAND = re.compile(r"(?:^|[^\w.-])(super_?)?netperf\s+(\S.*)$")
NAMED_TEST = re.compile(
    r"(?i)(?<![a-z])(tcp|udp|sctp|stream|dg)[-_ ]?(stream|maerts|sendfile|crr|rr|cc)(?![a-z])"
    r"(?:[-_](?:m|s|r|size|msg)?[-_]?([0-9]{1,7})([kKmM]?)b?(?![0-9a-z]))?"
)
_NAMED_PROTOCOL = re.compile(r"(?<![a-z])(tcp|udp|sctp)(?![a-z])")
SUPER = re.compile(r"super_?netperf(?:[-_]([0-9]{1,6})(?![0-9]))?")
_NAMED_RUN = re.compile(r"(?i)_(?:stream|maerts|sendfile|c?rr|cc)-[0-9]+\.([0-9]{1,6})$")


@dataclass(frozen=True, slots=True)
class Banner:
    """The line with which a test announces itself.

    Attributes:
        line: its line, counted from 1.
        test: the test's name, such as ``TCP_STREAM``; ``OMNI Send`` where the protocol isn't told.
        width: half the width of the confidence interval that was asked for, in percent; 0 if none was.
        family: ``ipv6``, or empty for IPv4.
        options: what else changes the run, in the words of the banner.

    """

    line: int
    test: str
    width: float = 0
    family: str = ""
    options: str = ""

    def is_like(self, other: Banner) -> bool:
        """Whether both announce the same."""
        mine = (self.test, self.width, self.family, self.options)
        return mine == (other.test, other.width, other.family, other.options)


@dataclass(frozen=True, slots=True)
class Heading:
    """What the heading of a classic table tells of its rows.

    Attributes:
        shape: the rows' shape, see `shape_of_test`.
        unit: unit of the rate without ``/s``.
        cpu: whether there are columns for CPU utilisation and service demand.
        per: what the service demand is counted for: ``KB`` or ``Tr``.

    """

    shape: str
    unit: str
    cpu: bool
    per: str


@dataclass(frozen=True, slots=True)
class Command:
    """What a command line, or the names of file and folders, tell of a run; each may be empty.

    Attributes:
        test: the test's name.
        size: bytes of a message or request.
        response: bytes of a response if they were given.
        unit: the unit of rates that was asked for.
        clients: how many clients super_netperf added up, ``several`` if that isn't told.

    """

    test: str = ""
    size: str = ""
    response: str = ""
    unit: str = ""
    clients: str = ""


@dataclass
class Result:
    """What one run printed: numbers by series, still in the unit of the text.

    Attributes:
        line: its first line, counted from 1.
        shape: what kind of result it is, see `shape_of_test`; empty if the text doesn't show it.
        test: the test's name if the result itself tells it.
        rates: transactions or data per second.
        unit: their unit without ``/s``; empty if it isn't told.
        sent_received: the sender's and the receiver's rate of the same iteration, from which loss follows.
        needs_receiver: whether the receiver's row has still to come.
        mixed: whether it can't be told which receiver's row is its own.
        transactions: transactions per second, told besides a rate in bits or bytes.
        size: bytes of a message or request.
        response: bytes of a response.
        seconds: the time that was measured.
        cpu: utilisation in percent.
        demand: service demand.
        per: see `Heading`.
        latencies: latencies in microseconds.
        confidence: whether the result itself tells that iterations were averaged.
        family: see `Banner`.

    """

    line: int
    shape: str = ""
    test: str = ""
    rates: dict[str, float] = field(default_factory=dict)
    unit: str = ""
    sent_received: tuple[float, float] | None = None
    needs_receiver: bool = False
    mixed: bool = False
    transactions: float | None = None
    size: str = ""
    response: str = ""
    seconds: float | None = None
    cpu: dict[str, float] = field(default_factory=dict)
    demand: dict[str, float] = field(default_factory=dict)
    per: str = ""
    latencies: dict[str, float] = field(default_factory=dict)
    confidence: bool = False
    family: str = ""

    @property
    def measured_cpu(self) -> bool:
        """Whether the use of the CPU was measured, which costs something."""
        return bool(self.cpu or self.demand)

    def add_cpu(self, side: str, utilisation: float, demand: float) -> None:
        """Take the numbers of a side, local or remote; -1 is how netperf says that it didn't measure it."""
        if utilisation >= 0:
            self.cpu[side] = utilisation
        if demand >= 0:
            self.demand[side] = demand


def read_banner(lines: list[str], index: int) -> tuple[Banner | None, int]:
    """Read a banner, which may be wrapped; return it with the number of its lines."""
    found, used = BANNER.search(lines[index]), 1
    test = _test_of_banner(found[1] or found[3], found[2] or found[4]) if found else ""
    if not found or not test:
        return None, 0
    rest = lines[index][found.end() :]
    for line in lines[index + 1 : index + _MOST_LINES]:
        if not _BANNER_GOES_ON.match(line) or BANNER.search(line):
            break
        rest += f" {line.strip()}"
        used += 1
    width = _CONFIDENCE.search(rest)
    words = [" ".join(option.split()) for option in re.split(r"\s:(?:\s|$)", rest)[1:]]
    options = [option for option in words if option not in _UNIMPORTANT and not _CONFIDENCE.match(option)]
    family = "ipv6" if "AF_INET6" in rest else ""
    return Banner(index + 1, test, float(width[1]) if width else 0, family, ", ".join(options)), used


def _test_of_banner(protocol: str, words: str) -> str:
    if protocol == "OMNI":
        return f"OMNI {words.strip()}"
    upper = words.upper()
    kind = next((name for text, name in _KINDS.items() if text in upper), "")
    many = "_MANY" if "1-TO-MANY" in upper else ""
    return f"{protocol}_{kind}{many}" if kind else ""


def shape_of_test(test: str) -> str:
    """The shape of the results that a test gives.

    Returns:
        ``rr`` for transactions, ``udp`` for rows of sender and receiver, ``stream`` for one row, or nothing if the
        test isn't known.

    """
    kind = test.removesuffix("_MANY").rpartition("_")[2]
    if kind in {"RR", "CRR", "CC"} or test in {"OMNI Send|Recv", "OMNI Connection"}:
        return "rr"
    if test in {"UDP_STREAM", "DG_STREAM"}:
        return "udp"
    return "stream" if kind in {"STREAM", "MAERTS", "SENDFILE"} else ""


def read_heading(line: str, above: str) -> Heading | None:
    """Read the line of a heading that has the unit; sometimes that is one line above."""
    for shape, pattern in _UNIT_LINES:
        if found := pattern.search(line):
            unit = found[1]
            if unit == "per sec":
                higher = _RR_HEADING_UNIT.search(above)
                unit = higher[1] if higher else TRANSACTIONS
            return Heading(shape, unit, "us/" in line, "Tr" if "us/Tr" in line else "KB")
    return None


def shape_of_row(tokens: list[str]) -> str:
    """Describe the words of a line by a letter each: i whole number, its decimals for another, x for text."""
    shape = ""
    for token in tokens[:20]:
        found = _TOKEN.fullmatch(token)
        shape += "x" if not found else str(len(found[1])) if found[1] else "i"
    return shape


def read_row(line: int, tokens: list[str], shape: str, *, open_end: bool) -> Result | None:
    """Read a row that begins a result. At a torn end of the log, nothing may follow the last number."""
    if found := _RR_ROW.match(shape):
        result = Result(line, "rr", rates={"": float(tokens[5])}, seconds=float(tokens[4]))
        result.size, result.response = tokens[2], tokens[3]
    elif found := _STREAM_ROW.match(shape):
        result = Result(line, "stream", rates={"": float(tokens[4])}, seconds=float(tokens[3]))
        result.size = "" if tokens[2].startswith("-") else tokens[2]
    elif found := _SEND_ROW.fullmatch(shape):
        result = Result(line, "udp", rates={"send": float(tokens[5])}, seconds=float(tokens[2]))
        result.size, result.needs_receiver = tokens[1], True
        if found[1]:
            result.add_cpu("local", float(tokens[6]), float(tokens[7]))
        return result
    else:
        return None
    if open_end and len(shape) > found.end():
        return None
    if found[1]:
        columns = [float(token) for token in tokens[found.start(1) : found.end(1)]]
        result.add_cpu("local", columns[0], columns[2])
        result.add_cpu("remote", columns[1], columns[3])
    return result


def is_receiver(shape: str) -> bool:
    """Whether a row is the receiver's of a UDP test."""
    return bool(_RECV_ROW.fullmatch(shape))


def add_receiver(result: Result, tokens: list[str], shape: str) -> None:
    """Add the receiver's row to the sender's."""
    result.needs_receiver = False
    result.rates["recv"] = float(tokens[3])
    result.sent_received = (result.rates["send"], result.rates["recv"])
    if "23" in shape:
        result.add_cpu("remote", float(tokens[4]), float(tokens[5]))


def read_command(line: str) -> Command | None:
    """Read a command line such as ``$ netperf -H host -t TCP_RR -- -r 1,1``."""
    found = _COMMAND.search(line)
    if not found:
        return None
    words = [word.strip("\"'") for word in found[2].split()]
    middle = words.index("--") if "--" in words else len(words)
    before, behind = words[:middle], words[middle + 1 :]
    if not any(word[:2] in {"-H", "-t", "-l"} for word in before):
        return None
    test = (_option(before, "-t") or "TCP_STREAM").upper()
    request, _, response = _option(behind, "-r").partition(",")
    message = _option(behind, "-m").partition(",")[0]
    return Command(
        test if shape_of_test(test) else "",
        _size(request or message),
        _size(response),
        _UNIT_OPTIONS.get(_option(before, "-f"), ""),
        (words[0] if words[0].isdigit() else "several") if found[1] else "",
    )


def _option(words: list[str], name: str) -> str:
    for place, word in enumerate(words):
        if word.startswith(name):
            return word[2:] or "".join(words[place + 1 : place + 2])
    return ""


def _size(text: str) -> str:
    found = re.fullmatch(r"([0-9]{1,9})([kKmMgG]?)", text)
    return str(int(found[1]) * _SIZE_SUFFIXES[found[2]]) if found else ""


def read_names(log: RawLog) -> Command:
    """Read what the names of file and folders tell, the nearest first."""
    places = [log.stem, *reversed(log.folders)]
    of_super = SUPER.search(log.hints)
    clients = (of_super[1] or "several") if of_super else ""
    for place in places:
        if found := NAMED_TEST.search(place):
            size = _size(f"{found[3]}{found[4].upper()}") if found[3] else ""
            return Command(f"{found[1]}_{found[2]}".upper(), size, clients=clients)
    for place in places:
        if "netperf" in log.hints and (found := _NAMED_PROTOCOL.search(place.lower())):
            return Command(f"{found[1]}_stream".upper(), clients=clients)
    return Command(clients=clients)


def number_of_run(log: RawLog) -> int | None:
    """The number of the repetition, also as mmtests writes it: ``TCP_STREAM-64.3``."""
    number = run_number(log)
    found = _NAMED_RUN.search(log.stem)
    return int(found[1]) if number is None and found else number
