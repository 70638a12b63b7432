"""netperf 2.x: the classic tables, the bare numbers of ``-v 0`` and super_netperf, and the omni test.

A table says what its numbers are only in its heading, and the heading may be missing (``-P 0``): then the shape of
the row, a command line in the log, and the names of file and folder have to tell. Rates in bits or bytes of any size
become 10^6 bits per second.

Lines that belong to one run are gathered first, because the order is no help: errors come before the banner of their
run, and clients that ran side by side print their banners first and their results later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.netperf_omni import OmniReader, Record, is_omni

THROUGHPUT = Metric(
    "throughput",
    "Throughput",
    "Mbit/s",
    "higher",
    "harmonic",
    parameter="message size",
    quantity="throughput in 10^6 bits per second",
)
RATE = Metric(
    "rate",
    "Transaction Rate",
    "trans/s",
    "higher",
    "harmonic",
    parameter="request size",
    quantity="transactions per second",
)
LOSS = Metric("loss", "Loss", "%", "lower", parameter="message size", quantity="lost data in percent")
LATENCY = Metric(
    "latency",
    "Latency",
    "us",
    "lower",
    main=False,
    parameter="request size",
    quantity="latency in microseconds",
)
CPU = Metric("cpu", "CPU Utilisation", "%", "lower", main=False, parameter="message size")
SERVICE_DEMAND = Metric(
    "service-demand",
    "Service Demand",
    "us/KB",
    "lower",
    main=False,
    parameter="message size",
    quantity="CPU time in microseconds per KB",
)
SERVICE_DEMAND_RR = Metric(
    "service-demand-rr",
    "Service Demand",
    "us/Tr",
    "lower",
    main=False,
    parameter="request size",
    quantity="CPU time in microseconds per transaction",
)
METRICS = (THROUGHPUT, RATE, LOSS, LATENCY, CPU, SERVICE_DEMAND, SERVICE_DEMAND_RR)

_ORDER = ("", "send", "recv", "local", "remote")
_LATENCIES = {
    "mean": "MEAN_LATENCY",
    "p50": "P50_LATENCY",
    "p90": "P90_LATENCY",
    "p99": "P99_LATENCY",
    "min": "MIN_LATENCY",
    "max": "MAX_LATENCY",
    "stddev": "STDDEV_LATENCY",
    "round-trip": "RT_LATENCY",
}
_SERIES_ORDER = {name: float(place) for names in (_ORDER, _LATENCIES) for place, name in enumerate(names)}

# Bits count in powers of ten, bytes in powers of 1024.
_PREFIXES = {"": 0, "K": 1, "M": 2, "G": 3}
_MBIT = {f"10^{power}bits": Fraction(10**power, 10**6) for power in range(10)} | {
    f"{prefix}Bytes": Fraction(8 * 1024**power, 10**6) for prefix, power in _PREFIXES.items()
}
_TRANSACTIONS = "Trans"
_UNIT_OPTIONS = {
    "k": "10^3bits",
    "m": "10^6bits",
    "g": "10^9bits",
    "K": "KBytes",
    "M": "MBytes",
    "G": "GBytes",
    "x": "Trans",
}
_SIZE_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}

_UNIT = r"(10\^[0-9]bits|[KMG]?Bytes)"
_BANNER = re.compile(
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
_BANNER_GOES_ON = re.compile(
    r"^\s*(?:port \d|AF_INET|to \S|\S+ \(\S*\) port \d|\(\S*\) port \d|\+/-|@ |conf\.|\d+% conf|\d+ AF_INET|: )"
)
_CONFIDENCE = re.compile(r"\+/- ?([0-9]+\.[0-9]+) ?%")
_STREAM_HEADING = re.compile(rf"bytes +bytes +bytes +secs\. +{_UNIT}")
_UDP_HEADING = re.compile(rf"bytes +bytes +secs +# +# +{_UNIT}")
_RR_HEADING = re.compile(rf"[Bb]ytes +[Bb]ytes +bytes +bytes +secs\. +(?:per (sec|tran)|{_UNIT})")
_RR_CPU_UNIT = re.compile(rf"Send +Recv +Size +Size +Time +{_UNIT} +local")
_INTERIM = re.compile(
    r"Interim result: *[0-9.]+ \S+/s over|^NETPERF_(?:INTERIM_RESULT|UNITS|INTERVAL|ENDING)\["
    r"|^[0-9.]+,(?:10\^[0-9]bits|[KMG]?Bytes|Trans)/s,[0-9.]+,[0-9.]+$"
)
_UNMET = re.compile(r"!!! Desired confidence was not achieved")
_WIDTH = re.compile(r"!!! Confidence intervals: Throughput *: *([0-9.]+)%")
_OWN_ERROR = re.compile(
    r"are you sure there is a netserver listening|establish_control could not establish"
    r"|is unknown to this netperf|Netperf could not resolve"
)
_ERROR = re.compile(
    rf"{_OWN_ERROR.pattern}|(?:^|\s)net(?:perf|server): |^(?:send|recv)_\w+: |^resolve_host: |remote error \d"
    r"|data (?:send|recv) error|partial response received|no response received"
)
_HARMLESS = re.compile(r"enable_enobufs failed|timer popped with times_up|numbers based on process information")
_COMMAND = re.compile(r"(?:^|[^\w.-])(super_?)?netperf\s+(\S.*)$")

_TOKEN = re.compile(r"-?[0-9]{1,15}(?:\.([0-9]{1,9}))?")
# Rows as patterns of what `_shape` writes for them: i a whole number, a digit a number with so many decimals.
_RR_ROW = re.compile(r"iiii22(2233)?")
_STREAM_ROW = re.compile(r"iii22(2233)?")
_SEND_ROW = re.compile(r"ii2ii(?:[12](23)|2())x*")
_RECV_ROW = re.compile(r"i2i(?:[12](23)|2())x*")
_RR_DETAILS = "iiii3333"
_ANY_ROW = re.compile(r"iiii22|iii22|ii2ii[12]|i2i[12]|ii$|[23]")
_SUM = re.compile(r"^\s*([0-9]{1,15}(?:\.[0-9]{1,9})?(?:e\+[0-9]{1,2})?)\s*$")

_NAMED_TEST = re.compile(
    r"(?i)(?<![a-z])(tcp|udp|sctp|stream|dg)[-_ ]?(stream|maerts|sendfile|crr|rr|cc)(?![a-z])"
    r"(?:[-_](?:m|s|r|size|msg)?[-_]?([0-9]{1,7})([kKmM]?)b?(?![0-9a-z]))?"
)
_NAMED_PROTOCOL = re.compile(r"(?<![a-z])(tcp|udp|sctp)(?![a-z])")
_SUPER = re.compile(r"super_?netperf(?:[-_]([0-9]{1,6})(?![0-9]))?")


def recognise(log: RawLog) -> Match:
    """Tell netperf by banners, headings, keys and its own error messages; bare numbers only by a name."""
    head = log.head
    if _is_netperf(head):
        return Match.CERTAIN
    if _ERROR.search(head) and re.search(rf"(?m){_ERROR.pattern}", head):
        return Match.LIKELY
    if any(_command(line) for line in head.split("\n")) and re.search(r"(?m)^\s*[0-9.]+\s*$", head):
        return Match.LIKELY
    return Match.NAME if _only_numbers(log) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log. Interim results aren't results: a run without a last one did not finish."""
    _Reader(log, into).read()


@dataclass(frozen=True, slots=True)
class _Banner:
    line: int
    test: str
    confidence: float = 0
    family: str = ""
    options: str = ""

    @property
    def configuration(self) -> tuple[str, bool, str, str]:
        return (self.test, self.confidence > 0, self.family, self.options)


@dataclass(frozen=True, slots=True)
class _Heading:
    shape: str
    unit: str
    cpu: bool
    per: str


@dataclass(frozen=True, slots=True)
class _Command:
    """What a command line, or else the names of file and folders, tell of a run."""

    test: str = ""
    size: str = ""
    response: str = ""
    unit: str = ""
    clients: str = ""


@dataclass
class _Result:
    """What one run printed: numbers by series, in the unit of the text."""

    line: int
    shape: str = ""
    test: str = ""
    rates: dict[str, float] = field(default_factory=dict)
    unit: str = ""
    size: str = ""
    response: str = ""
    seconds: float | None = None
    measured_cpu: bool = False
    cpu: dict[str, float] = field(default_factory=dict)
    demand: dict[str, float] = field(default_factory=dict)
    per: str = ""
    latencies: dict[str, float] = field(default_factory=dict)
    transactions: float | None = None
    confidence: bool = False
    family: str = ""
    loss: tuple[float, float] | None = None
    needs_receiver: bool = False


@dataclass
class _Group:
    """The lines that belong together: those of one run, or of several that ran side by side."""

    command: _Command | None = None
    banners: list[_Banner] = field(default_factory=list)
    headings: list[_Heading] = field(default_factory=list)
    results: list[_Result | Record] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    unmet: list[tuple[int, str]] = field(default_factory=list)
    interim: bool = False
    cut: int = 0


class _Reader:
    """Gathers the lines of runs, then writes their values."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._lines = log.lines
        self._terminated = log.complete and log.data.rstrip(b"\0").endswith((b"\n", b"\r"))
        self._omni = OmniReader(self._lines, terminated=self._terminated)
        self._bare = _only_numbers(log)
        self._names = _names(log)
        self._group = _Group()
        self._before = _Group()
        self._rr_unit = ""
        self._assumed = False

    def read(self) -> None:
        index = 0
        while index < len(self._lines):
            index += max(1, self._take(index))
        self._close()

    def _take(self, index: int) -> int:
        line = self._lines[index]
        if not line.strip():
            return 1
        if used := self._omni.take(index):
            new = self._omni.records[-1:]
            if new and new[0].has_results and not any(new[0] is known for known in self._group.results):
                self._group.results.append(new[0])
            return used
        if used := self._take_banner(index):
            return used
        if not self._take_message(index + 1, line):
            self._take_heading(line)
            self._take_row(index + 1, line)
        return 1

    def _take_banner(self, index: int) -> int:
        if not _BANNER.search(self._lines[index]):
            return 0
        text, used = self._lines[index], 1
        while index + used < len(self._lines) and used < 4 and _goes_on(self._lines[index + used]):
            text += " " + self._lines[index + used].strip()
            used += 1
        banner = _banner(index + 1, text)
        if not banner:
            return 0
        if self._group.results:
            self._close()
        self._group.banners.append(banner)
        self._omni.forget()
        return used

    def _take_message(self, number: int, line: str) -> bool:
        group = self._group
        if _INTERIM.search(line):
            group.interim = True
        elif _UNMET.search(line):
            group.unmet.append((number, ""))
        elif found := _WIDTH.search(line):
            for place, (where, width) in enumerate(group.unmet):
                if not width:
                    group.unmet[place] = (where, found[1])
                    break
        elif _HARMLESS.search(line):
            self._into.note("message", f"netperf says: {line.strip()}", number)
        elif _ERROR.search(line):
            if group.results:
                self._close()
            self._group.errors.append((number, line.strip()))
        elif command := _command(line):
            self._close()
            self._group.command = command
        else:
            return False
        return True

    def _take_heading(self, line: str) -> None:
        per = "Tr" if "us/Tr" in line else "KB"
        cpu = "us/" in line
        if found := _STREAM_HEADING.search(line):
            self._group.headings.append(_Heading("stream", found[1], cpu, per))
        elif found := _UDP_HEADING.search(line):
            self._group.headings.append(_Heading("udp", found[1], cpu, per))
        elif found := _RR_HEADING.search(line):
            unit = {"sec": self._rr_unit or _TRANSACTIONS, "tran": "latency"}.get(found[1], found[2])
            self._group.headings.append(_Heading("rr", unit, cpu, per))
            self._rr_unit = ""
        elif found := _RR_CPU_UNIT.search(line):
            self._rr_unit = found[1]

    def _take_row(self, number: int, line: str) -> None:
        tokens = line.split()
        shape = _shape(tokens)
        last = self._is_last(number)
        if shape == _RR_DETAILS:
            self._add_details(tokens)
        elif found := _RR_ROW.match(shape):
            self._add_row(_rr_result(number, tokens, found), last and len(shape) > found.end())
        elif found := _STREAM_ROW.match(shape):
            self._add_row(_stream_result(number, tokens, found), last and len(shape) > found.end())
        elif found := _SEND_ROW.fullmatch(shape):
            self._add_row(_send_result(number, tokens, cpu=bool(found[1])), cut=False)
        elif found := _RECV_ROW.fullmatch(shape):
            self._add_receiver(tokens, cpu=bool(found[1]))
        elif not self._group.headings and (self._bare or self._group.command or self._group.banners):
            self._take_bare(number, line, shape)
        elif last and shape[:1] == "i":
            self._group.cut = number

    def _is_last(self, number: int) -> bool:
        return number == len(self._lines) and not self._terminated

    def _add_row(self, result: _Result, cut: bool) -> None:
        """Take a complete row. Under a heading with columns for the CPU, one without them was cut off."""
        headings = [heading for heading in self._headings() if heading.shape == result.shape]
        if cut or (headings and not result.measured_cpu and all(heading.cpu for heading in headings)):
            self._group.cut = result.line
            return
        previous = self._group.results[-1] if self._group.results else None
        if result.needs_receiver and isinstance(previous, _Result) and previous.needs_receiver:
            # Two senders in a row: which receiver belongs to whom can't be told.
            result.needs_receiver = previous.needs_receiver = False
            self._group.cut = self._group.cut or previous.line
        self._group.results.append(result)

    def _add_receiver(self, tokens: list[str], *, cpu: bool) -> None:
        result = self._group.results[-1] if self._group.results else None
        if not isinstance(result, _Result) or not result.needs_receiver or cpu != result.measured_cpu:
            return
        result.needs_receiver = False
        result.rates["recv"] = float(tokens[3])
        result.loss = (result.rates["send"], result.rates["recv"])
        if cpu:
            result.cpu["remote"], result.demand["remote"] = float(tokens[4]), float(tokens[5])

    def _add_details(self, tokens: list[str]) -> None:
        result = self._group.results[-1] if self._group.results else None
        if isinstance(result, _Result) and result.shape == "rr":
            result.latencies["round-trip"] = float(tokens[4])

    def _take_bare(self, number: int, line: str, shape: str) -> None:
        """Take the lone number of ``-v 0`` or of super_netperf."""
        command = self._group.command or self._names
        # Only a blank or a line end says that all of the number is there.
        open_end = self._is_last(number) and not line.endswith(" ")
        result = _Result(number)
        if command.clients and (found := _SUM.match(line)):
            result.rates[""] = float(found[1])
        elif shape[:1] == "3" or (shape == "2x" and self._is_udp(command) and len(line.split()[1]) == 1):
            # With CPU utilisation -v 0 leaves the throughput out.
            result.demand[""] = float(line.split(maxsplit=1)[0])
            result.measured_cpu = True
        elif shape[:1] == "2":
            result.rates[""] = float(line.split(maxsplit=1)[0])
        elif not (open_end and shape):
            return
        if open_end:
            self._group.cut = number
        else:
            self._group.results.append(result)

    def _is_udp(self, command: _Command) -> bool:
        banners = self._group.banners or self._before.banners
        return _shape_of(banners[-1].test if banners else command.test) == "udp"

    def _headings(self) -> list[_Heading]:
        return self._group.headings or self._before.headings

    def _close(self) -> None:
        """Write the runs of the lines that were gathered, and begin anew."""
        group = self._group
        self._report(group)
        if _side_by_side(group):
            self._write_clients(group)
        elif group.results:
            banners = group.banners[-1:] or self._before.banners[-1:]
            for place, result in enumerate(group.results):
                line = group.banners[-1].line if group.banners and not place else 0
                self._write(result, banners[0] if banners else None, group, line=line)
        if group.banners or group.headings:
            self._before = group
        self._group = _Group()

    def _report(self, group: _Group) -> None:
        for line, width in group.unmet:
            self._warn_of_confidence(width, line)
        for line, text in group.errors:
            if _without_digits(text) == _without_digits(group.errors[0][1]):
                self._into.failed(f"a run failed: {text}", line)
        if group.cut:
            self._into.truncated("a row of the results is incomplete", group.cut)
        for result in group.results:
            if isinstance(result, _Result) and result.needs_receiver:
                self._into.truncated("the receiver's row is missing", result.line)
        if not (group.errors or group.cut or _side_by_side(group)):
            for banner in group.banners[:-1] if group.results else group.banners:
                self._into.failed("the run did not finish: it has no result", banner.line)

    def _warn_of_confidence(self, width: str, line: int) -> None:
        detail = f": the interval of the throughput is {width} % wide" if width else ""
        self._into.warn("confidence-not-reached", f"the confidence asked for was not reached{detail}", line)

    def _write_clients(self, group: _Group) -> None:
        """Write the results of clients that ran at once: those that can belong to one banner only, or to equals."""
        line = group.banners[0].line
        count = len(group.banners)
        self._into.warn("parallel-clients", f"{count} clients ran at once and wrote into one file", line)
        left = list(group.banners)
        for result in group.results:
            shape = result.shape if isinstance(result, _Result) else ""
            fitting = [banner for banner in left if shape in {"", _shape_of(banner.test)}]
            units = {heading.unit for heading in group.headings if heading.shape == shape}
            alike = {banner.configuration for banner in fitting}
            if len(alike) != 1 or len(units) > 1 or len(group.results) > count:
                where = result.line
                self._into.failed("which of the clients printed this result cannot be told: left out", where)
                continue
            left.remove(fitting[0])
            self._write(result, fitting[0], group, line=fitting[0].line, clients=str(count))

    def _write(
        self, found: _Result | Record, banner: _Banner | None, group: _Group, *, line: int, clients: str = ""
    ) -> None:
        command = group.command or self._names
        result = self._from_record(found, banner) if isinstance(found, Record) else found
        test = self._test(result, banner, command)
        result.shape = result.shape or _shape_of(test)
        if not self._complete(result, test, command, group):
            return
        self._into.run(
            variant={"test": test},
            settings={
                "cpu": "yes" if result.measured_cpu else "",
                "confidence": "yes" if result.confidence or (banner and banner.confidence) else "",
                "interim": "yes" if group.interim else "",
                "family": banner.family if banner else result.family or self._family_from_name(),
                "options": banner.options if banner else "",
                "clients": clients or command.clients,
            },
            conditions={} if result.seconds is None else {"seconds": result.seconds},
            number=_number(self._log),
            line=line or result.line,
        )
        self._add_values(result, test)

    def _family_from_name(self) -> str:
        return "ipv6" if self._log.name_has("ipv6", "inet6") else ""

    def _test(self, result: _Result, banner: _Banner | None, command: _Command) -> str:
        """The test's name: from the text, else from names as far as they fit to the shape of the result."""
        of_banner = banner.test if banner else ""
        candidates = (of_banner, result.test, command.test, self._names.test)
        for test in candidates:
            if test and not test.startswith("OMNI") and result.shape in {"", _shape_of(test)}:
                return test
        # Nothing else has a table with rows for sender and receiver.
        return "UDP_STREAM" if result.shape == "udp" else of_banner

    def _complete(self, result: _Result, test: str, command: _Command, group: _Group) -> bool:
        """Fill in what the result's own line doesn't tell; False if nothing may be taken from it."""
        if not (result.rates or result.demand or result.latencies or result.transactions is not None):
            self._into.truncated("the results of the run are incomplete", result.line)
            return False
        if any(value <= 0 for value in result.rates.values()):
            self._into.failed("nothing was transferred, or nothing arrived", result.line)
            return False
        if not result.size:
            source = command if command.size else self._names
            result.size, result.response = source.size, source.response
        headings = [item for item in (group.headings or self._before.headings) if item.shape == result.shape]
        for heading in [item for item in headings if item.cpu == result.measured_cpu] or headings[-1:]:
            result.unit, result.per = result.unit or heading.unit, result.per or heading.per
        result.per = result.per or ("Tr" if result.shape == "rr" else "KB")
        if result.shape == "udp" and "" in result.rates:
            # Alone, the rate is the sender's; super_netperf takes the last row, which is the receiver's.
            result.rates["recv" if command.clients else "send"] = result.rates.pop("")
        return not result.rates or self._has_unit(result, test, command)

    def _has_unit(self, result: _Result, test: str, command: _Command) -> bool:
        result.unit = result.unit or command.unit
        if not result.unit and not (test or result.shape):
            self._into.warn("unknown-test", "neither the text nor a name tells the test", result.line)
            return False
        if not result.unit:
            result.unit = _TRANSACTIONS if result.shape == "rr" else "10^6bits"
            if not self._assumed:
                default = "transactions" if result.shape == "rr" else "10^6 bits"
                self._into.note("unit-assumed", f"no unit is named: {default} per second", result.line)
            self._assumed = True
        if result.unit not in _MBIT and result.unit != _TRANSACTIONS:
            self._into.truncated(f"the unit {result.unit!r} is incomplete or unknown", result.line)
            return False
        return True

    def _add_values(self, result: _Result, test: str) -> None:
        add = self._into.add
        for series, value in result.rates.items():
            operation = _operation(series, result, test)
            if result.unit == _TRANSACTIONS:
                add(RATE, operation, value)
            else:
                factor = _MBIT[result.unit]
                add(THROUGHPUT, operation, value * factor.numerator / factor.denominator)
        if result.transactions is not None:
            add(RATE, _operation("", result, test), result.transactions)
        if result.loss and result.loss[0] > 0:
            sent, received = result.loss
            add(LOSS, _operation("", result, test), 100 * (sent - received) / sent)
        demand = SERVICE_DEMAND_RR if result.per == "Tr" else SERVICE_DEMAND
        for metric, values in ((LATENCY, result.latencies), (CPU, result.cpu), (demand, result.demand)):
            for series, value in values.items():
                # -1 is how netperf says that it didn't measure this side.
                if value >= 0:
                    add(metric, _operation(series, result, test), value)

    def _from_record(self, record: Record, banner: _Banner | None) -> _Result:
        result = _Result(record.line)
        command = _command(" " + record.text("COMMAND_LINE")) or _Command()
        result.test = _test_of_keys(record, banner) or command.test
        unit = record.texts.get("THROUGHPUT_UNITS", "")
        found = re.fullmatch(rf"({_UNIT}|{_TRANSACTIONS})/s", unit)
        result.unit = found[1] if found else unit
        test = self._test(result, banner, _Command())
        udp = test.startswith("UDP_") and _shape_of(test) != "rr"
        rr = result.unit == _TRANSACTIONS or _shape_of(test) == "rr"
        result.shape = "rr" if rr else "udp" if udp else ""
        if (rate := record.number("THROUGHPUT")) is not None and not record.lost_units:
            result.rates["recv" if udp else ""] = rate
        if rr and result.unit != _TRANSACTIONS:
            result.transactions = record.number("TRANSACTION_RATE")
        if udp:
            _add_sender(result, record)
        result.size, result.response = _sizes(record, test, command, rr=rr)
        result.seconds = record.number("ELAPSED_TIME")
        _add_measurements(result, record)
        self._check_confidence(result, record, banner)
        result.family = "ipv6" if record.text("SOURCE_FAMILY") in {"10", "inet6", "AF_INET6"} else ""
        return result

    def _check_confidence(self, result: _Result, record: Record, banner: _Banner | None) -> None:
        asked = record.number("CONFIDENCE_INTERVAL") or (2 * banner.confidence if banner else 0)
        reached = record.number("THROUGHPUT_CONFID")
        result.confidence = bool(asked) or reached is not None
        if asked and reached is not None and reached > asked:
            self._warn_of_confidence(record.text("THROUGHPUT_CONFID"), record.line)


def _rr_result(line: int, tokens: list[str], found: re.Match[str]) -> _Result:
    result = _Result(line, "rr", rates={"": float(tokens[5])}, seconds=float(tokens[4]))
    result.size, result.response = tokens[2], tokens[3]
    return _with_cpu(result, tokens[6:] if found[1] else [])


def _stream_result(line: int, tokens: list[str], found: re.Match[str]) -> _Result:
    result = _Result(line, "stream", rates={"": float(tokens[4])}, seconds=float(tokens[3]))
    result.size = tokens[2] if not tokens[2].startswith("-") else ""
    return _with_cpu(result, tokens[5:] if found[1] else [])


def _with_cpu(result: _Result, columns: list[str]) -> _Result:
    if columns:
        result.measured_cpu = True
        result.cpu = {"local": float(columns[0]), "remote": float(columns[1])}
        result.demand = {"local": float(columns[2]), "remote": float(columns[3])}
    return result


def _send_result(line: int, tokens: list[str], *, cpu: bool) -> _Result:
    result = _Result(line, "udp", rates={"send": float(tokens[5])}, seconds=float(tokens[2]))
    result.size, result.needs_receiver = tokens[1], True
    if cpu:
        result.measured_cpu = True
        result.cpu, result.demand = {"local": float(tokens[6])}, {"local": float(tokens[7])}
    return result


def _add_sender(result: _Result, record: Record) -> None:
    sent, received = record.number("LOCAL_SEND_THROUGHPUT"), record.number("REMOTE_RECV_THROUGHPUT")
    if sent is None:
        return
    result.rates = {"send": sent, **result.rates}
    if received is not None:
        result.rates.setdefault("recv", received)
    if "recv" in result.rates:
        # Of several iterations, the two of a side are of the last one, THROUGHPUT is the mean of all.
        result.loss = (sent, result.rates["recv"] if received is None else received)


def _add_measurements(result: _Result, record: Record) -> None:
    for side, name in (("local", "LOCAL"), ("remote", "REMOTE")):
        if (value := record.number(f"{name}_CPU_UTIL")) is not None:
            result.cpu[side] = value
        if (value := record.number(f"{name}_SD")) is not None:
            result.demand[side] = value
    result.measured_cpu = bool(result.cpu or result.demand)
    # A unit that stands at a torn end says nothing.
    units = record.text("SD_UNITS")
    result.per = {"usec/Tran": "Tr", "usec/KB": "KB"}.get(units, "Tr" if result.unit == _TRANSACTIONS else "")
    for series, name in _LATENCIES.items():
        if (value := record.number(name)) is not None:
            result.latencies[series] = value


def _sizes(record: Record, test: str, command: _Command, *, rr: bool) -> tuple[str, str]:
    if rr:
        sizes = (record.text("REQUEST_SIZE"), record.text("RESPONSE_SIZE"))
    else:
        sender = "REMOTE_SEND_SIZE" if test.endswith("_MAERTS") else "LOCAL_SEND_SIZE"
        sizes = (record.text(sender), "")
    if sizes[0].isascii() and sizes[0].isdigit() and len(sizes[0]) <= 15:
        return sizes
    return command.size, command.response


def _test_of_keys(record: Record, banner: _Banner | None) -> str:
    protocol, direction = record.text("PROTOCOL").upper(), record.text("DIRECTION")
    if not direction and banner and banner.test.startswith("OMNI "):
        direction = banner.test.removeprefix("OMNI ")
    kinds = {"send": "STREAM", "receive": "MAERTS", "send|recv": "RR", "connection": "CC"}
    kind = kinds.get(direction.lower(), "")
    return f"{protocol}_{kind}" if protocol in {"TCP", "UDP", "SCTP", "DCCP"} and kind else ""


def _banner(line: int, text: str) -> _Banner | None:
    found = _BANNER.search(text)
    test = _test_of_banner(found[1] or found[3], found[2] or found[4]) if found else ""
    if not found or not test:
        return None
    rest = text[found.end() :]
    confidence = _CONFIDENCE.search(rest)
    unimportant = ("demo", "first burst 0", "")
    options = [" ".join(option.split()) for option in re.split(r"\s:(?:\s|$)", rest)[1:]]
    options = [option for option in options if option not in unimportant and not _CONFIDENCE.match(option)]
    return _Banner(
        line,
        test,
        float(confidence[1]) if confidence else 0,
        "ipv6" if "AF_INET6" in rest else "",
        ", ".join(options),
    )


def _test_of_banner(protocol: str, words: str) -> str:
    if protocol == "OMNI":
        return f"OMNI {words.strip()}"
    upper = words.upper()
    kind = next((name for text, name in _KINDS.items() if text in upper), "")
    many = "_MANY" if "1-TO-MANY" in upper else ""
    return f"{protocol}_{kind}{many}" if kind else ""


def _goes_on(line: str) -> bool:
    return bool(_BANNER_GOES_ON.match(line)) and not _BANNER.search(line)


def _shape_of(test: str) -> str:
    """The shape of the results that a test gives: rr, udp (sender and receiver) or stream; empty if unknown."""
    kind = test.removesuffix("_MANY").rpartition("_")[2]
    if kind in {"RR", "CRR", "CC"} or test in {"OMNI Send|Recv", "OMNI Connection"}:
        return "rr"
    if test in {"UDP_STREAM", "DG_STREAM"}:
        return "udp"
    return "stream" if kind in {"STREAM", "MAERTS", "SENDFILE"} else ""


def _side_by_side(group: _Group) -> bool:
    """Whether several clients ran at once: several banners came before several results with a heading each."""
    count = len(group.banners)
    return count > 1 and len(group.results) > 1 and (not group.headings or len(group.headings) >= count)


def _shape(tokens: list[str]) -> str:
    """Describe the words of a line by a letter each: i whole number, its decimals for another, x for text."""
    shape = ""
    for token in tokens[:20]:
        found = _TOKEN.fullmatch(token)
        shape += "x" if not found else str(len(found[1])) if found[1] else "i"
    return shape


def _operation(series: str, result: _Result, test: str) -> Operation:
    size = result.size
    other = f"/{result.response}" if result.response and result.response != size else ""
    order = (_SERIES_ORDER[series],) if series else ()
    if not size:
        return Operation(series or test or "all", series, order=order)
    name = f"{series}-{size}{other}" if series else f"{size}{other}"
    return Operation(name, f"{series}{other}", float(size), order)


def _command(line: str) -> _Command | None:
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
    size, _, response = (_option(behind, "-r") or _option(behind, "-m").split(",")[0]).partition(",")
    clients = (words[0] if words[0].isdigit() else "several") if found[1] else ""
    return _Command(
        test if _shape_of(test) else "",
        _size(size),
        _size(response or size) if _option(behind, "-r") else "",
        _UNIT_OPTIONS.get(_option(before, "-f"), ""),
        clients,
    )


def _option(words: list[str], name: str) -> str:
    for place, word in enumerate(words):
        if word.startswith(name):
            return word[2:] or "".join(words[place + 1 : place + 2])
    return ""


def _size(text: str) -> str:
    found = re.fullmatch(r"([0-9]{1,9})([kKmMgG]?)", text)
    return str(int(found[1]) * _SIZE_PREFIXES[found[2]]) if found else ""


def _names(log: RawLog) -> _Command:
    """What the names of file and folders tell, the nearest first."""
    places = [log.stem, *reversed(log.folders)]
    of_super = _SUPER.search(log.hints)
    clients = (of_super[1] or "several") if of_super else ""
    for place in places:
        if found := _NAMED_TEST.search(place):
            test = f"{found[1]}_{found[2]}".upper()
            return _Command(test, _size(f"{found[3]}{found[4].upper()}") if found[3] else "", clients=clients)
    for place in places:
        if "netperf" in log.hints and (found := _NAMED_PROTOCOL.search(place.lower())):
            return _Command(f"{found[1]}_stream".upper(), clients=clients)
    return _Command(clients=clients)


def _number(log: RawLog) -> int | None:
    """The number of the repetition, also as mmtests writes it: ``TCP_STREAM-64.3``."""
    number = run_number(log)
    found = re.search(r"(?i)_(?:stream|maerts|sendfile|c?rr|cc)-[0-9]+\.([0-9]{1,6})$", log.stem)
    return int(found[1]) if number is None and found else number


def _is_netperf(head: str) -> bool:
    for line in head.split("\n"):
        if (found := _BANNER.search(line)) and _banner(0, found[0]):
            return True
        if _STREAM_HEADING.search(line) or _UDP_HEADING.search(line) or _RR_HEADING.search(line):
            return True
        if _INTERIM.search(line) or _UNMET.search(line) or _OWN_ERROR.search(line):
            return True
    return is_omni(head)


def _only_numbers(log: RawLog) -> bool:
    """Whether there is nothing but rows without heading in a file whose name says netperf."""
    if not (log.name_has("netperf") or _NAMED_TEST.search(log.stem)):
        return False
    lines = [line for line in log.lines[:50] if line.strip()]
    several = bool(_SUPER.search(log.hints))
    return bool(lines) and all(
        _ANY_ROW.match(_shape(line.split()))
        or (several and _SUM.match(line))
        or _INTERIM.search(line)
        or _HARMLESS.search(line)
        or _ERROR.search(line)
        for line in lines
    )


def _without_digits(text: str) -> str:
    return re.sub(r"[0-9]+", "", text)
