"""The three outputs of netperf's omni test: ``KEY=value`` (-k), comma separated (-o), columns for people (-O).

All of them print a free choice of the same fields, so each becomes a `Record` of netperf's own names and texts, and
then a `compare_kernels.parsers.netperf_classic.Result`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compare_kernels.parsers.netperf_classic import (
    TRANSACTIONS,
    UNIT,
    Banner,
    Command,
    Result,
    read_command,
    shape_of_test,
)

# The name of a field, its heading in words and the decimals it always has (0 for whole numbers, None for text).
_FIELDS: tuple[tuple[str, str, int | None], ...] = (
    ("THROUGHPUT", "Throughput", 2),
    ("THROUGHPUT_UNITS", "Throughput Units", None),
    ("ELAPSED_TIME", "Elapsed Time (sec)", 2),
    ("LOCAL_SEND_SIZE", "Local Send Size", 0),
    ("REMOTE_SEND_SIZE", "Remote Send Size", 0),
    ("REQUEST_SIZE", "Request Size Bytes", 0),
    ("RESPONSE_SIZE", "Response Size Bytes", 0),
    ("LOCAL_SEND_THROUGHPUT", "Local Send Throughput", 2),
    ("REMOTE_RECV_THROUGHPUT", "Remote Recv Throughput", 2),
    ("TRANSACTION_RATE", "Transaction Rate Tran/s", 3),
    ("RT_LATENCY", "Round Trip Latency usec/tran", 3),
    ("MEAN_LATENCY", "Mean Latency Microseconds", 2),
    ("STDDEV_LATENCY", "Stddev Latency Microseconds", 2),
    ("MIN_LATENCY", "Minimum Latency Microseconds", 0),
    ("MAX_LATENCY", "Maximum Latency Microseconds", 0),
    ("P50_LATENCY", "50th Percentile Latency Microseconds", 0),
    ("P90_LATENCY", "90th Percentile Latency Microseconds", 0),
    ("P99_LATENCY", "99th Percentile Latency Microseconds", 0),
    ("LOCAL_CPU_UTIL", "Local CPU Util %", 2),
    ("REMOTE_CPU_UTIL", "Remote CPU Util %", 2),
    ("LOCAL_SD", "Local Service Demand", 3),
    ("REMOTE_SD", "Remote Service Demand", 3),
    ("SD_UNITS", "Service Demand Units", None),
    ("CONFIDENCE_INTERVAL", "Confidence Width Target", 6),
    ("THROUGHPUT_CONFID", "Throughput Confidence Width (%)", 3),
    ("SOURCE_FAMILY", "Source Family", None),
    ("PROTOCOL", "Protocol", None),
    ("DIRECTION", "Direction", None),
    ("COMMAND_LINE", "Command Line", None),
)
_NAMES = {title: name for name, title, _ in _FIELDS}
_DECIMALS = {name: decimals for name, _, decimals in _FIELDS if decimals is not None}
# The upper line of a heading for people holds one word for each column, and only these.
_FIRST_WORDS = re.compile(
    r"50th|90th|99th|Command|Confidence|Destination|Direction|Elapsed|Initial|Local|Maximum|Mean|Minimum|Protocol"
    r"|Remote|Request|Response|Result|Round|Service|Socket|Source|Stddev|Test|Throughput|Transaction|Transport"
)
_HEADING_LINES = 4
LATENCIES = {
    "mean": "MEAN_LATENCY",
    "p50": "P50_LATENCY",
    "p90": "P90_LATENCY",
    "p99": "P99_LATENCY",
    "min": "MIN_LATENCY",
    "max": "MAX_LATENCY",
    "stddev": "STDDEV_LATENCY",
    "round-trip": "RT_LATENCY",
}
# More lines than all fields of netperf need.
_LONGEST = 250

_KEY_VALUE = re.compile(r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)=(.*)")
_KNOWN_KEY = re.compile(
    r"(?:THROUGHPUT|THROUGHPUT_UNITS|(?:RT|MEAN|P[59][09])_LATENCY|L[SR][SR]_SIZE_END|R[SR][SR]_SIZE_END)="
)
# With -P 0 there is no heading; then only netperf's own choice of fields can be told by its look.
_GAP = r"(?:,| +)"
_WHOLE, _HUNDREDTHS = r"-?[0-9]{1,15}", r"[0-9]{1,15}\.[0-9]{2}"
_END = rf"({_HUNDREDTHS}){_GAP}({_HUNDREDTHS}){_GAP}((?:{UNIT}|{TRANSACTIONS})/s)\s*"
_DEFAULT_ROWS = (
    (
        re.compile(rf"(?:{_WHOLE}{_GAP}){{2}}({_WHOLE}){_GAP}{_END}"),
        ("LOCAL_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT", "THROUGHPUT_UNITS"),
    ),
    (
        re.compile(rf"(?:{_WHOLE}{_GAP}){{4}}({_WHOLE}){_GAP}({_WHOLE}){_GAP}{_END}"),
        ("REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT", "THROUGHPUT_UNITS"),
    ),
)
_DEFAULT_BEGIN = ("LSS_SIZE_END", "RSS_SIZE_END", "SOCKET_TYPE")


@dataclass
class Record:
    """The fields that one run printed.

    Attributes:
        line: its first line, counted from 1.
        texts: the values by netperf's names of them, in the order of the output.
        open_end: the name of the value with which the log ends without a line end, so that it may be cut off.
        at_end: whether the log ends with it.

    """

    line: int
    texts: dict[str, str] = field(default_factory=dict)
    open_end: str = ""
    at_end: bool = False

    def number(self, name: str) -> float | None:
        """The number of a field; None if it is absent, cut off or negative, which is how netperf says unmeasured."""
        decimals = _DECIMALS[name]
        pattern = rf"[0-9]{{1,15}}\.[0-9]{{{decimals},9}}" if decimals else r"[0-9]{1,15}"
        text = self.texts.get(name, "")
        if not re.fullmatch(pattern, text) or (name == self.open_end and not decimals):
            return None
        return float(text)

    @property
    def has_results(self) -> bool:
        """Whether there is any field that a result could be taken from; other programs print KEY=value, too."""
        return not self.texts.keys().isdisjoint(_DECIMALS)

    def text(self, name: str) -> str:
        """The text of a field without its quotes, or an empty string if it is absent or may be cut off."""
        return "" if name == self.open_end else self.texts.get(name, "").strip('"')

    @property
    def lost_units(self) -> bool:
        """Whether the log ends where the unit had to follow: in netperf's own choice it stands behind the number."""
        names = list(self.texts)
        return (
            self.at_end and names[-1] == "THROUGHPUT" and names[0] in _DEFAULT_BEGIN and names[-2] == "ELAPSED_TIME"
        )


class OmniReader:
    """Finds records in the lines of a log; the caller asks for each line in turn.

    Attributes:
        records: all that were found; the last of them may still grow.

    """

    def __init__(self, lines: list[str], *, terminated: bool) -> None:
        self.records: list[Record] = []
        self._lines = lines
        self._terminated = terminated
        self._names: list[str] = []
        self._starts: list[int] = []
        self._columns_end = 0

    @property
    def has_heading(self) -> bool:
        """Whether a heading is known, so that numbers which don't fit to it are not to be guessed at."""
        return bool(self._names)

    def forget(self) -> None:
        """Forget the heading: another run with a banner of its own begins."""
        self._names, self._starts = [], []

    def take(self, index: int) -> int:
        """Read what begins at an index of the lines; return how many lines it was, or 0 if it isn't omni's."""
        line = self._lines[index]
        if _KEY_VALUE.fullmatch(line.strip()):
            return self._take_keys(index)
        if names := _comma_names(line):
            self._names, self._starts = names, []
            return 1
        if starts := _column_starts(line):
            names = _column_names(self._lines[index : index + _HEADING_LINES], starts)
            if _known(names) or self._starts:
                self._names, self._starts = names, starts
                return min(_HEADING_LINES, len(self._lines) - index)
        return int((bool(self._names) and self._take_values(index)) or self._take_default(index))

    def _is_open(self, index: int) -> bool:
        return index == len(self._lines) - 1 and not self._terminated

    def _take_keys(self, index: int) -> int:
        record, position = Record(index + 1), index
        while position < len(self._lines):
            found = _KEY_VALUE.fullmatch(self._lines[position].strip())
            if not found or found[1] in record.texts:
                break
            name, text = found.groups()
            # A mail program may have wrapped the command line.
            while text.count('"') == 1 and self._goes_on(position + 1, index):
                position += 1
                text += " " + self._lines[position].strip()
            record.texts[name] = text
            record.open_end = name if self._is_open(position) else ""
            position += 1
        record.at_end = position >= len(self._lines)
        self.records.append(record)
        return position - index

    def _goes_on(self, position: int, index: int) -> bool:
        """Whether a line is the rest of a quoted text; a quote that never ends must not swallow the log."""
        within = position < min(len(self._lines), index + _LONGEST)
        return within and not _KEY_VALUE.fullmatch(self._lines[position].strip())

    def _take_values(self, index: int) -> bool:
        line = self._lines[index]
        values = _cells(line, self._starts) if self._starts else _comma_values(line)
        if len(values) != len(self._names):
            return False
        texts = dict(zip(self._names, values, strict=True))
        numbers = [text for name, text in texts.items() if name in _DECIMALS]
        if not numbers or not all(re.fullmatch(r"-?[0-9.]+", text) for text in numbers):
            return False
        last = self._names[-1] if self._is_open(index) and not line.endswith(" ") else ""
        # Further blocks for people follow behind an empty line and are of the same run.
        previous = self.records[-1] if self.records and self._starts else None
        if previous and self._columns_end == index - _HEADING_LINES - 1 and not previous.texts.keys() & texts:
            previous.texts.update(texts)
            previous.open_end = last
        else:
            self.records.append(Record(index + 1, texts, last))
        self._columns_end = index + 1
        return True

    def _take_default(self, index: int) -> bool:
        texts = read_default_row(self._lines[index])
        if texts:
            self.records.append(Record(index + 1, texts))
        return bool(texts)


def read_default_row(line: str) -> dict[str, str]:
    """Read a row without heading that has the fields which netperf prints if nobody chose any."""
    for pattern, names in _DEFAULT_ROWS:
        if found := pattern.fullmatch(line):
            texts = dict(zip(names, found.groups(), strict=True))
            # Whoever sends, its size stands in the same place.
            return texts | {"REMOTE_SEND_SIZE": texts.get("LOCAL_SEND_SIZE", "")}
    return {}


def is_omni(lines: list[str]) -> bool:
    """Whether the text has a heading of the omni test or one of its keys; what nothing else prints."""
    for index, line in enumerate(lines):
        if _KNOWN_KEY.match(line) or len(_known(_comma_names(line))) > 1:
            return True
        starts = _column_starts(line)
        if starts and _known(_column_names(lines[index : index + _HEADING_LINES], starts)):
            return True
    return False


def _known(names: list[str]) -> list[str]:
    return [name for name in names if name in _NAMES.values()]


def _comma_names(line: str) -> list[str]:
    if "Throughput" not in line and "Latency" not in line:
        return []
    titles = line.strip().split(",")
    names = [_NAMES.get(title, title) for title in titles]
    # A lone word is a heading only if it stands alone and is a known one.
    return names if _known(names) and len(set(names)) == len(names) else []


def _comma_values(line: str) -> list[str]:
    whole = re.sub(r'"[^"]*"', lambda found: found[0].replace(",", "\0"), line.strip())
    return [value.replace("\0", ",").strip() for value in whole.split(",")]


def _column_starts(line: str) -> list[int]:
    words = list(re.finditer(r"\S+", line)) if line[:1].isalnum() else []
    return [word.start() for word in words] if all(_FIRST_WORDS.fullmatch(word[0]) for word in words) else []


def _column_names(lines: list[str], starts: list[int]) -> list[str]:
    rows = [_cells(line, starts) for line in lines]
    titles = [" ".join(cell for cell in cells if cell) for cells in zip(*rows, strict=True)]
    names = [_NAMES.get(title, title) for title in titles]
    return names if len(set(names)) == len(names) else []


def _cells(line: str, starts: list[int]) -> list[str]:
    """Cut a line at the columns of its heading; a line that doesn't keep to them gives nothing."""
    if any(line[start - 1 : start].strip() for start in starts[1:]):
        return [""] * len(starts)
    ends = [*starts[1:], None]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def result_of(record: Record, banner: Banner | None, named_test: str) -> Result:
    """Turn a record into a result; of UDP streams THROUGHPUT is what arrived, unlike the classic first row."""
    command = read_command(record.text("COMMAND_LINE")) or Command()
    result = Result(record.line, test=_test(record, banner) or command.test)
    unit = record.texts.get("THROUGHPUT_UNITS", "")
    result.unit = unit.removesuffix("/s") if re.fullmatch(rf"(?:{UNIT}|{TRANSACTIONS})/s", unit) else unit
    announced = banner.test if banner and not banner.test.startswith("OMNI") else ""
    test = announced or result.test or named_test or (banner.test if banner else "")
    rr = result.unit == TRANSACTIONS or shape_of_test(test) == "rr"
    udp = not rr and test.startswith("UDP_")
    result.shape = "rr" if rr else shape_of_test(test) if udp else ""
    rate = record.number("THROUGHPUT")
    if rate is not None and not record.lost_units:
        result.rates["recv" if udp else ""] = rate
    if rr and result.unit != TRANSACTIONS:
        result.transactions = record.number("TRANSACTION_RATE")
    if udp:
        _add_sender(result, record)
    result.size, result.response = _sizes(record, test, command, rr=rr)
    result.seconds = record.number("ELAPSED_TIME")
    _add_measurements(result, record)
    result.confidence = bool(record.number("CONFIDENCE_INTERVAL")) or bool(record.number("THROUGHPUT_CONFID"))
    result.family = "ipv6" if record.text("SOURCE_FAMILY") in {"10", "inet6", "AF_INET6"} else ""
    return result


def missed_width(record: Record, banner: Banner | None) -> str:
    """The width of the confidence interval in percent if it is wider than was asked for, else nothing."""
    asked = record.number("CONFIDENCE_INTERVAL") or (2 * banner.width if banner else 0)
    reached = record.number("THROUGHPUT_CONFID")
    return record.text("THROUGHPUT_CONFID") if asked and reached is not None and reached > asked else ""


def _test(record: Record, banner: Banner | None) -> str:
    protocol, direction = record.text("PROTOCOL").upper(), record.text("DIRECTION")
    if not direction and banner and banner.test.startswith("OMNI "):
        direction = banner.test.removeprefix("OMNI ")
    kinds = {"send": "STREAM", "receive": "MAERTS", "send|recv": "RR", "connection": "CC"}
    kind = kinds.get(direction.lower(), "")
    return f"{protocol}_{kind}" if protocol in {"TCP", "UDP", "SCTP", "DCCP"} and kind else ""


def _add_sender(result: Result, record: Record) -> None:
    sent, received = record.number("LOCAL_SEND_THROUGHPUT"), record.number("REMOTE_RECV_THROUGHPUT")
    if received is not None:
        result.rates.setdefault("recv", received)
    if sent is not None:
        result.rates = {"send": sent, **result.rates}
    if sent is not None and received is not None:
        # Of several iterations, these two are of the last one; THROUGHPUT is the mean of all.
        result.sent_received = (sent, received)


def _sizes(record: Record, test: str, command: Command, *, rr: bool) -> tuple[str, str]:
    if rr:
        sizes = (record.text("REQUEST_SIZE"), record.text("RESPONSE_SIZE"))
    else:
        sender = "REMOTE_SEND_SIZE" if test.endswith("_MAERTS") else "LOCAL_SEND_SIZE"
        sizes = (record.text(sender), "")
    whole = all(re.fullmatch(r"[0-9]{1,15}", size) for size in sizes if size)
    return sizes if sizes[0] and whole else (command.size, command.response)


def _add_measurements(result: Result, record: Record) -> None:
    for side in ("local", "remote"):
        if (value := record.number(f"{side.upper()}_CPU_UTIL")) is not None:
            result.cpu[side] = value
        if (value := record.number(f"{side.upper()}_SD")) is not None:
            result.demand[side] = value
    result.per = {"usec/Tran": "Tr", "usec/KB": "KB"}.get(record.text("SD_UNITS"), "")
    result.per = result.per or ("Tr" if result.unit == TRANSACTIONS else "")
    for series, name in LATENCIES.items():
        if (value := record.number(name)) is not None:
            result.latencies[series] = value
