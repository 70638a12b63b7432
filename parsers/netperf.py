"""netperf 2.x: the classic tables, the bare numbers of ``-v 0`` and super_netperf, and the omni test.

A table says what its numbers are only in its heading, and the heading may be missing (``-P 0``): then the shape of
the row, a command line in the log, and the names of file and folders have to tell. Rates in bits or bytes of any size
become 10^6 bits per second.

The text is read by three modules: `netperf_classic` and `netperf_omni` know lines, `netperf_runs` knows which of
them make a run. Here it is decided what a run was and what its numbers mean.
"""

from __future__ import annotations

import re
from fractions import Fraction

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import Match, RawLog, SampleBuilder
from compare_kernels.parsers.netperf_classic import (
    NAMED_TEST,
    TRANSACTIONS,
    Banner,
    Command,
    Result,
    number_of_run,
    read_names,
    shape_of_test,
)
from compare_kernels.parsers.netperf_omni import LATENCIES, Record, missed_width, result_of
from compare_kernels.parsers.netperf_runs import (
    Group,
    is_certain,
    is_likely,
    is_only_numbers,
    read_groups,
    without_quotes,
)

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
CPU = Metric(
    "cpu",
    "CPU Utilisation",
    "%",
    "lower",
    main=False,
    parameter="message size",
    quantity="CPU utilisation in percent",
)
SERVICE_DEMAND = Metric(
    "service-demand",
    "Service Demand",
    "us/KB",
    "lower",
    decimals=3,
    main=False,
    parameter="message size",
    quantity="CPU time in microseconds per KB",
)
SERVICE_DEMAND_RR = Metric(
    "service-demand-rr",
    "Service Demand",
    "us/Tr",
    "lower",
    decimals=3,
    main=False,
    parameter="request size",
    quantity="CPU time in microseconds per transaction",
)
METRICS = (THROUGHPUT, RATE, LOSS, LATENCY, CPU, SERVICE_DEMAND, SERVICE_DEMAND_RR)

# Bits count in powers of ten, bytes in powers of 1024.
_MBIT = {f"10^{power}bits": Fraction(10**power, 10**6) for power in range(10)} | {
    f"{prefix}Bytes": Fraction(8 * 1024**power, 10**6) for power, prefix in enumerate(("", "K", "M", "G"))
}
_SERIES_ORDER = {name: float(place) for place, name in enumerate(LATENCIES)} | {
    "send": 0.0,
    "recv": 1.0,
    "local": 0.0,
    "remote": 1.0,
}


def recognise(log: RawLog) -> Match:
    """Tell netperf by banners, headings, keys and its own error messages; bare numbers only by a name."""
    lines = without_quotes(log.head.split("\n"))
    if is_certain(lines):
        return Match.CERTAIN
    named = log.name_has("netperf") or bool(NAMED_TEST.search(log.stem))
    if is_likely(lines, named=named):
        return Match.LIKELY
    return Match.NAME if named and is_only_numbers(log) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log. Interim results aren't results: a run without a last one did not finish."""
    writer = _Writer(log, into)
    for group in read_groups(log):
        writer.write(group)


class _Writer:
    """Decides which test and configuration results belong to, and hands them on."""

    def __init__(self, log: RawLog, into: SampleBuilder) -> None:
        self._log = log
        self._into = into
        self._names = read_names(log)
        self._assumed = False

    def write(self, group: Group) -> None:
        """Hand on the results of a group, and report what is wrong with it."""
        self._report(group)
        if group.side_by_side:
            self._write_clients(group)
            return
        left = list(group.banners)
        for place, result in enumerate(group.results):
            fitting = group.banners_of(result.shape if isinstance(result, Result) else "")
            if fitting and not (group.shows_failure or all(item.is_like(fitting[-1]) for item in fitting)):
                self._leave_out(result)
                return
            banner = fitting[-1] if fitting else group.banner
            left = [item for item in left if item is not banner]
            first = banner.line if banner and group.banners and not place else result.line
            self._write(result, banner, group, first)
        if not (group.errors or group.cut):
            self._report_unfinished(left)

    def _report_unfinished(self, banners: list[Banner]) -> None:
        for banner in banners:
            self._into.failed("the run did not finish: it has no result", banner.line)

    def _leave_out(self, result: Result | Record) -> None:
        text = "which of several runs printed this result is unclear: left out"
        self._into.warn("ambiguous-result", text, result.line)

    def _report(self, group: Group) -> None:
        into = self._into
        for line, text in group.notes:
            into.note("message", f"netperf says: {text}", line)
        for line in group.lone_demands:
            text = "with CPU utilisation, -v 0 prints the service demand instead of the throughput"
            into.note("service-demand-only", text, line)
        for line in group.unnamed:
            text = "values without heading: which one is the throughput cannot be told"
            into.warn("no-heading", text, line)
        for line, width in group.unmet:
            self._warn_of_confidence(width, line)
        for line, text in group.errors:
            # Several messages tell of one failure, the same message tells of another one.
            if _without_digits(text) == _without_digits(group.errors[0][1]):
                into.failed(f"a run failed: {text}", line)
        if group.cut:
            into.truncated("a row of the results is incomplete", group.cut)
        if group.interim and not (group.results or group.banners or group.errors or group.cut):
            into.failed("the run did not finish: it has interim results only", group.interim)

    def _warn_of_confidence(self, width: str, line: int) -> None:
        detail = f": the interval of the throughput is {width} % wide" if width else ""
        self._into.warn("confidence-not-reached", f"the confidence asked for was not reached{detail}", line)

    def _write_clients(self, group: Group) -> None:
        """Hand on the results of clients that ran at once, as far as it is clear whose they are."""
        left = list(group.banners)
        count = len(left)
        text = f"{count} clients ran at once and wrote into one file"
        self._into.warn("parallel-clients", text, left[0].line)
        for result in group.results:
            shape = result.shape if isinstance(result, Result) else ""
            fitting = [banner for banner in group.banners_of(shape) if banner in left]
            units = {heading.unit for heading in group.headings_of(shape)}
            clear = all(banner.is_like(fitting[0]) for banner in fitting) and len(units) < 2
            if fitting and clear and len(group.results) <= count:
                left.remove(fitting[0])
                self._write(result, fitting[0], group, fitting[0].line, str(count))
            else:
                self._leave_out(result)
        if len(group.results) < count:
            self._report_unfinished(left)

    def _write(
        self, found: Result | Record, banner: Banner | None, group: Group, line: int, clients: str = ""
    ) -> None:
        command = group.command
        result = found if isinstance(found, Result) else result_of(found, banner, command.test)
        if isinstance(found, Record) and (width := missed_width(found, banner)):
            self._warn_of_confidence(width, found.line)
        test = self._test(result, banner, command)
        result.shape = result.shape or shape_of_test(test)
        if not self._complete(result, test, command, group):
            return
        by_name = "ipv6" if self._log.name_has("ipv6", "inet6") else ""
        self._into.run(
            variant={"test": test},
            settings={
                "cpu": "yes" if result.measured_cpu else "",
                "confidence": "yes" if result.confidence or (banner and banner.width) else "",
                "interim": "yes" if group.interim else "",
                "family": banner.family if banner else result.family or by_name,
                "options": banner.options if banner else "",
                "clients": clients or command.clients,
            },
            conditions={} if result.seconds is None else {"seconds": result.seconds},
            number=number_of_run(self._log),
            line=line,
        )
        self._add(result, test)

    def _test(self, result: Result, banner: Banner | None, command: Command) -> str:
        """The test's name: from the text, else from names as far as they fit to the shape of the result."""
        announced = banner.test if banner else ""
        for test in (announced, result.test, command.test, self._names.test):
            if test and not test.startswith("OMNI") and result.shape in {"", shape_of_test(test)}:
                return test
        # Nothing else has a table with rows for sender and receiver.
        return "UDP_STREAM" if result.shape == "udp" else announced if announced.startswith("OMNI") else ""

    def _complete(self, result: Result, test: str, command: Command, group: Group) -> bool:
        """Fill in what the result's own line doesn't tell; False if nothing may be taken from it."""
        if result.needs_receiver:
            self._into.truncated("the receiver's row is missing", result.line)
            return False
        if not (result.rates or result.demand or result.latencies or result.transactions is not None):
            self._into.truncated("the results of the run are incomplete", result.line)
            return False
        if not (test or result.shape or result.unit):
            self._into.warn("unknown-test", "neither the text nor a name tells the test", result.line)
            return False
        if any(value <= 0 for value in result.rates.values()):
            self._into.failed("nothing was transferred, or nothing arrived", result.line)
            return False
        if not result.size:
            source = command if command.size else self._names
            result.size, result.response = source.size, source.response
        headings = group.headings_of(result.shape)
        fitting = [item for item in headings if item.cpu == result.measured_cpu] or headings
        if fitting:
            result.unit, result.per = result.unit or fitting[-1].unit, result.per or fitting[-1].per
        result.per = result.per or ("Tr" if result.shape == "rr" else "KB")
        if result.shape == "udp" and "" in result.rates:
            # Alone, the rate is the sender's; super_netperf takes the last row, which is the receiver's.
            result.rates["recv" if command.clients else "send"] = result.rates.pop("")
        return not result.rates or self._has_unit(result, command)

    def _has_unit(self, result: Result, command: Command) -> bool:
        result.unit = result.unit or command.unit
        if not result.unit:
            default = (TRANSACTIONS, "transactions") if result.shape == "rr" else ("10^6bits", "10^6 bits")
            result.unit = default[0]
            if not self._assumed:
                text = f"the text names no unit: taken as {default[1]} per second"
                self._into.note("unit-assumed", text, result.line)
            self._assumed = True
        if result.unit not in _MBIT and result.unit != TRANSACTIONS:
            self._into.warn("unknown-unit", f"the unit {result.unit!r} isn't known", result.line)
            return False
        return True

    def _add(self, result: Result, test: str) -> None:
        add = self._into.add
        for series, value in result.rates.items():
            operation = _operation(series, result, test)
            if result.unit == TRANSACTIONS:
                add(RATE, operation, value)
            else:
                factor = _MBIT[result.unit]
                add(THROUGHPUT, operation, value * factor.numerator / factor.denominator)
        if result.transactions is not None:
            add(RATE, _operation("", result, test), result.transactions)
        if result.sent_received:
            sent, received = result.sent_received
            add(LOSS, _operation("", result, test), 100 * (sent - received) / sent)
        demand = SERVICE_DEMAND_RR if result.per == "Tr" else SERVICE_DEMAND
        for metric, values in ((LATENCY, result.latencies), (CPU, result.cpu), (demand, result.demand)):
            for series, value in values.items():
                add(metric, _operation(series, result, test), value)


def _operation(series: str, result: Result, test: str) -> Operation:
    size = result.size
    other = f"/{result.response}" if result.response and result.response != size else ""
    order = (_SERIES_ORDER[series],) if series else ()
    if not size:
        return Operation(series or test or "all", series, order=order)
    name = f"{series}-{size}{other}" if series else f"{size}{other}"
    return Operation(name, f"{series}{other}", float(size), order)


def _without_digits(text: str) -> str:
    return re.sub(r"[0-9]+", "", text)
