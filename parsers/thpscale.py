"""thpscale and thpchallenge: how long page faults take, and how many of them get a huge page.

Both print one line for each fault, hundreds of thousands in a larger run. Where these are just as the program wrote
them, they are read many at a time; where a recorder, a mailer or a fault of the machine left traces, line by line.
Both ways give the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from compare_kernels.model import Metric, Operation
from compare_kernels.parsers.base import HEAD_BYTES, Match, RawLog, SampleBuilder, run_number
from compare_kernels.parsers.text import decode
from compare_kernels.text import without_escapes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FAULT_LATENCY = Metric(
    "fault-latency",
    "Fault Latencies",
    "us",
    "lower",
    parameter="threads",
    quantity="latency of page faults in microseconds",
)
PERCENTAGE_HUGE = Metric(
    "percentage-huge",
    "Percentage Faults Huge",
    "%",
    "higher",
    parameter="threads",
    quantity="percentage of page faults that got a huge page",
)
_local = partial(Metric, unit="%", main=False, parameter="threads")

PERCENTAGE_LOCAL = _local(
    "percentage-local",
    "Percentage Locality",
    better="higher",
    quantity="percentage of page faults that got memory of their own node, of those whose node is known",
)
PERCENTAGE_UNCERTAIN = _local(
    "percentage-uncertain",
    "Percentage Locality Unknown",
    better="lower",
    quantity="percentage of page faults of whose memory the node is unknown",
)
ANONINIT = Metric(
    "anoninit",
    "Anonymous Initialisation",
    "us",
    "lower",
    main=False,
    parameter="threads",
    quantity="time to initialise anonymous memory in microseconds",
)
METRICS = (FAULT_LATENCY, PERCENTAGE_HUGE, PERCENTAGE_LOCAL, PERCENTAGE_UNCERTAIN, ANONINIT)

# The faults before the place where a log was cut have another percentage than all of them. A cut is always seen but
# where it falls between two lines of the last thread.
DERIVED = (PERCENTAGE_HUGE.name, PERCENTAGE_LOCAL.name, PERCENTAGE_UNCERTAIN.name)

_RUNNING = re.compile(r"Running with ([0-9]{1,9}) threads?\s*$")
_ADVICE = re.compile(r"^\s*Using (madv_hugepage 0x|default advice)")
_ANONINIT = re.compile(r"^\s*anoninit\b")
# Times are differences of unsigned numbers: if the clock was set back meanwhile, one has 20 digits.
_ANONINIT_VALUE = re.compile(r"^\s*anoninit\s+[0-9]+\s+([0-9]{1,16})\s*$")
_FAULT = re.compile(r"^\s*fault\b|(?<![A-Za-z])fault\s+[0-9]")
_FAULT_VALUE = re.compile(
    r"^\s*fault\s+([0-9]{1,9})\s+([a-z]+)\s+([0-9]{1,16})\s+[0-9]+\.[0-9]{1,6}(?:\s+(-?[0-9]+))?\s*$"
)
_NOT_STARTED = (
    r"\bthp(?:scale|challenge|compact): "
    r"(?:error while loading|symbol lookup|No such file|command not found|not found|Permission denied|cannot execute)"
)
_TROUBLE = re.compile(
    r"^\s*(?:(?:First|Second|File) mapping|mapping|open|Creating thread): "
    r"|^\s*(?:Usage: thp|Unable to allocate |file size [0-9]+ is insufficient)"
    rf"|{_NOT_STARTED}"
    r"|\b(?:Killed|Terminated|Aborted|Segmentation fault|Bus error)\b"
    r"|^Command (?:terminated by signal|exited with non-zero)"
)
_CERTAIN = re.compile(
    r"(?m)^[ \t]*(?:fault [0-9]+ (?:base|huge) |anoninit [0-9]+ |Using madv_hugepage 0x"
    r"|Usage: thp[a-z]+ \[nr_threads\])"
)
_LIKELY = re.compile(r"(?m)^[ \t]*Running with [0-9]+ threads?[ \t]*$|" + _NOT_STARTED)
_THREADS_IN_NAME = re.compile(r"(?i)(?<![a-z])threads?[-_]?([0-9]{1,6})(?![0-9])")

_WITH_LOCALITY = 6
"""Fields of a fault that tells whether its memory is local."""
_REMOTE, _LOCAL, _UNKNOWN = 0, 1, 2
_LOCALITIES = {"0": _REMOTE, "1": _LOCAL}

# So much of a bad line is shown.
_SHOWN = 120


def recognise(log: RawLog) -> Match:
    """Tell the raw log by its lines for threads and faults; mmtests' table of the same benchmark has none of them."""
    if _CERTAIN.search(log.head):
        return Match.CERTAIN
    return Match.LIKELY if _LIKELY.search(log.head) else Match.NO


def parse(log: RawLog, into: SampleBuilder) -> None:
    """Read all runs of a log; of a run that was cut off, the complete lines are used."""
    runs = _read(log)
    if not log.complete:
        runs[-1].cut = runs[-1].cut or (0, "the compressed file is cut short")
    for run in runs:
        _report(run, log, into)


@dataclass
class _Tally:
    """Lines of one kind, in any order: how many there are, and the first of them."""

    count: int = 0
    line: int = 0
    text: str = ""

    def add(self, line: int, text: str) -> None:
        """Count a line."""
        if not self.count or line < self.line:
            self.line, self.text = line, text.strip()[:_SHOWN]
        self.count += 1


@dataclass(frozen=True)
class _Block:
    """Faults that were read many at a time.

    Attributes:
        latencies: one for each fault, in the order of the log.
        huge: for each whether it got a huge page.
        places: for each whether its memory is on its own node: ``_REMOTE``, ``_LOCAL`` or ``_UNKNOWN``.
        fields: how many fields each of the lines had.
        last_thread: the thread of the last one.

    """

    latencies: NDArray[np.float64]
    huge: NDArray[np.bool_]
    places: NDArray[np.uint8]
    fields: int
    last_thread: int


@dataclass
class _Run:
    """What one run printed.

    Attributes:
        line: the line with the number of threads, or 0.
        threads: that number as text.
        advice: what the kernel was told to do with the memory.
        trouble: line and text of a message that comes with the end of a run.
        anoninit: a time for each thread.
        blocks: faults in the order of the log.
        latencies: of the faults after those, which are being read line by line.
        huge: for each of them whether it got a huge page.
        places: for each of them whether its memory is on its own node.
        fields: how many fields the first line of a fault had.
        last_thread: the thread of the last fault.
        bad: lines without a valid number where one belongs.
        strange: faults that are neither base nor huge.
        cut: line and reason why the run is known to be incomplete.

    """

    line: int = 0
    threads: str = ""
    advice: str = ""
    trouble: tuple[int, str] | None = None
    anoninit: list[float] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    huge: list[bool] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    fields: int = 0
    last_thread: int = -1
    bad: _Tally = field(default_factory=_Tally)
    strange: _Tally = field(default_factory=_Tally)
    cut: tuple[int, str] | None = None

    @property
    def has_faults(self) -> bool:
        """Whether any valid fault was read."""
        return bool(self.latencies or self.blocks)

    @property
    def has_values(self) -> bool:
        """Whether any value was read."""
        return bool(self.anoninit) or self.has_faults

    def add_block(self, block: _Block) -> None:
        """Add faults behind those that are there."""
        self._gather()
        self.blocks.append(block)
        self.fields = self.fields or block.fields
        self.last_thread = block.last_thread

    def faults(self) -> _Block:
        """All faults in the order of the log."""
        import numpy as np

        self._gather()
        return _Block(
            np.concatenate([block.latencies for block in self.blocks]),
            np.concatenate([block.huge for block in self.blocks]),
            np.concatenate([block.places for block in self.blocks]),
            self.fields,
            self.last_thread,
        )

    def _gather(self) -> None:
        """Make a block of the faults that were read line by line."""
        import numpy as np

        if self.latencies:
            latencies, huge = np.array(self.latencies, np.float64), np.array(self.huge, np.bool_)
            places = np.array(self.places, np.uint8)
            self.blocks.append(_Block(latencies, huge, places, self.fields, self.last_thread))
            self.latencies, self.huge, self.places = [], [], []


class _Reader:
    """Walks through lines and blocks of lines, and sorts them into runs."""

    def __init__(self) -> None:
        self.run = _Run()
        self.runs = [self.run]
        # Whether a fault is the last of its run, and so perhaps cut, is only known at the next one.
        self._held: tuple[int, str] | None = None

    def line(self, number: int, text: str) -> None:
        """Take the next line."""
        if found := _RUNNING.search(text):
            self._begin(number, found)
        elif _FAULT.search(text):
            self._take_held()
            self._held = number, text
        elif _TROUBLE.search(text):
            if self._has_results():
                self._new_run()
            self.run.trouble = self.run.trouble or (number, text.strip()[:_SHOWN])
        elif found := _ADVICE.search(text):
            self.run.advice = "default" if found[1].startswith("default") else "madvise"
        elif _ANONINIT.search(text):
            self._take_anoninit(number, text)

    def block(self, block: _Block) -> bool:
        """Take many faults that follow each other; False if their lines have not as many fields as those before."""
        self._take_held()
        if self.run.fields not in {0, block.fields}:
            return False
        self.run.add_block(block)
        return True

    def cut(self, number: int, text: str) -> None:
        """Take the last line, which has no end."""
        if _RUNNING.search(text) or _TROUBLE.search(text):
            self.line(number, text)
        elif text.strip() and self._has_results():
            self.run.cut = number, f"the log stops inside line {number}"

    def close(self) -> list[_Run]:
        """End of the log."""
        self._close_run()
        return self.runs

    def _begin(self, number: int, found: re.Match[str]) -> None:
        if found.string[: found.start()].strip() and self._has_results():
            self.run.cut = number, f"the next run begins inside line {number}"
        if self.run.line or self._has_results():
            self._new_run()
        self.run.line, self.run.threads = number, found[1]

    def _has_results(self) -> bool:
        return bool(self._held) or self.run.has_values

    def _new_run(self) -> None:
        self._close_run()
        self.run = _Run()
        self.runs.append(self.run)

    def _close_run(self) -> None:
        if self._held and len(self._held[1].split()) < self.run.fields and not self.run.cut:
            number = self._held[0]
            self.run.cut = number, f"line {number} stops early"
            self._held = None
        self._take_held()

    def _take_held(self) -> None:
        if not self._held:
            return
        (number, text), self._held = self._held, None
        run = self.run
        run.fields = run.fields or len(text.split())
        found = _FAULT_VALUE.match(text)
        if not found:
            run.bad.add(number, text)
        elif found[2] not in {"base", "huge"}:
            run.strange.add(number, text)
        else:
            run.latencies.append(float(found[3]))
            run.huge.append(found[2] == "huge")
            run.places.append(_LOCALITIES.get(found[4], _UNKNOWN))
            run.last_thread = int(found[1])

    def _take_anoninit(self, number: int, text: str) -> None:
        found = _ANONINIT_VALUE.match(text)
        if found:
            self.run.anoninit.append(float(found[1]))
        else:
            self.run.bad.add(number, text)


# A line of a fault with all its digits as zeros: a million lines have some hundreds of such shapes. Its only "e" ends
# the kind; the latency ends 13 columns behind.
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_SHAPE = re.compile(rb"fault 0{1,9} (?:base|huge) +0+(?<=e.{13}) 0+\.0{1,6}(?: -?0+)?")
_LATENCY_COLUMNS = range(2, 14)
_PRINTABLE = bytes(range(ord(" "), ord("~") + 1)) + b"\n"
# So much stays in a processor's cache.
_BLOCK_BYTES = 1 << 18


def _read(log: RawLog) -> list[_Run]:
    """Read the bytes as they are if there is nothing to clean in them, and the cleaned lines otherwise."""
    start = log.data[:HEAD_BYTES].decode("ascii", errors="replace")
    runs = _read_text(log.data, cleaned=False) if log.head == start.removesuffix("\n") else None
    if runs is None:
        # Behind the last line's end there may be no more than a terminal's reset or half of a wide newline.
        rest = log.data[max(log.data.rfind(b"\n"), log.data.rfind(b"\r")) + 1 :]
        ended = not without_escapes(decode(rest)).strip()
        text = "\n".join(log.lines) + ("\n" if ended else "")
        runs = _read_text(text.encode(errors="replace"), cleaned=True)
    assert runs is not None
    return runs


def _read_text(data: bytes, *, cleaned: bool) -> list[_Run] | None:
    """Read blocks of regular lines at once and all others line by line; None if there is something to clean."""
    reader = _Reader()
    regular: set[bytes] = set()
    number, start, end = 1, 0, data.rfind(b"\n") + 1
    while start < end:
        stop = _end_of_block(data, start, end)
        block = data[start:stop]
        faults = _read_faults(block, regular)
        if faults and reader.block(faults):
            number += len(faults.huge)
        elif not cleaned and block.translate(None, _PRINTABLE):
            return None
        else:
            for text in block.decode().split("\n")[:-1]:
                reader.line(number, text)
                number += 1
        start = stop
    rest = data[end:]
    if not cleaned and rest.translate(None, _PRINTABLE):
        return None
    reader.cut(number, rest.decode())
    return reader.close()


def _end_of_block(data: bytes, start: int, end: int) -> int:
    """Where to end a block of whole lines, so that it either begins with a fault or holds none."""
    stop = end
    if start + _BLOCK_BYTES < end:
        stop = data.rfind(b"\n", start, start + _BLOCK_BYTES) + 1 or data.find(b"\n", start + _BLOCK_BYTES) + 1
    if data.startswith(b"fault ", start):
        return stop
    return data.find(b"\nfault ", start, stop) + 1 or stop


def _read_faults(lines: bytes, regular: set[bytes]) -> _Block | None:
    """Read lines that are all faults with as many fields each; None if there is anything else among them.

    The shapes that are known to be regular are kept in ``regular`` from call to call.
    """
    shapes = set(lines[:-1].translate(_DIGITS_TO_ZERO).split(b"\n"))
    fields = {len(shape.split()) for shape in shapes}
    if len(fields) > 1 or not all(map(_SHAPE.fullmatch, shapes - regular)):
        return None
    regular |= shapes
    import numpy as np

    columns = np.frombuffer(lines, np.uint8)
    kind_ends = np.flatnonzero(columns == ord("e"))
    latencies = np.zeros(len(kind_ends))
    for column in _LATENCY_COLUMNS:
        # The lower half of a digit's byte is its value, that of a blank is zero.
        latencies = latencies * 10 + (columns[kind_ends + column] & 15)
    last_thread = lines[lines.rfind(b"\n", 0, -1) + 1 :].split()[1]
    count = fields.pop()
    places = _read_places(columns) if count == _WITH_LOCALITY else np.full(len(kind_ends), _UNKNOWN, np.uint8)
    return _Block(latencies, columns[kind_ends - 1] == ord("g"), places, count, int(last_thread))


def _read_places(columns: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Read the last field of each line: of a known one there is a single digit."""
    import numpy as np

    ends = np.flatnonzero(columns == ord("\n"))
    last = columns[ends - 1] - np.uint8(ord("0"))
    known = (columns[ends - 2] == ord(" ")) & (last <= _LOCAL)
    return np.where(known, last, np.uint8(_UNKNOWN))


def _report(run: _Run, log: RawLog, into: SampleBuilder) -> None:
    """Hand the values of a run over, and say what is wrong with it."""
    if run.trouble:
        into.failed(run.trouble[1], run.trouble[0])
    elif run.line and not run.has_values:
        into.failed("the run did not finish: it has no fault", run.line)
    if run.has_values:
        cut = run.cut or _missing_thread(run)
        _report_values(run, log, into, complete=not cut)
        if cut:
            into.truncated(
                f"{cut[1]}: its complete lines are used, the percentage of huge faults is left out", cut[0]
            )
    elif run.cut:
        into.truncated(run.cut[1], run.cut[0])
    for what, tally in (
        ("lines without a valid number where one belongs", run.bad),
        ("faults that are neither base nor huge", run.strange),
    ):
        if tally.count:
            into.warn("bad-line", f"{what} are left out: {tally.count}, the first is '{tally.text}'", tally.line)


def _report_values(run: _Run, log: RawLog, into: SampleBuilder, *, complete: bool) -> None:
    threads = _threads(run, log, into)
    into.run(settings={"advice": run.advice}, number=run_number(log), line=run.line)
    into.add(ANONINIT, _operation("anoninit", threads), *run.anoninit)
    if not run.has_faults:
        return
    faults = run.faults()
    kinds = {"base": ~faults.huge, "huge": faults.huge}
    order = {"base": 0, "huge": 1, "both": 2}
    first = "huge" if faults.huge[0] else "base"
    last = "base" if faults.huge[0] else "huge"
    # In the order in which the log first has them.
    for kind in (first, "both", last):
        chosen = kinds.get(kind)
        values = faults.latencies if chosen is None or chosen.all() else faults.latencies[chosen]
        if len(values):
            into.add_many(FAULT_LATENCY, _operation(f"fault-{kind}", threads, order[kind]), values)
    if complete:
        into.add(PERCENTAGE_HUGE, _operation("huge", threads), _percentage(faults.huge))
        if run.fields == _WITH_LOCALITY:
            _report_places(faults, threads, into)


def _report_places(faults: _Block, threads: int | None, into: SampleBuilder) -> None:
    """Add how many faults of each kind got memory of their own node, and of how many that is unknown."""
    known = faults.places != _UNKNOWN
    for order, (kind, chosen) in enumerate((("base", ~faults.huge), ("huge", faults.huge))):
        places = faults.places[known & chosen]
        if len(places):
            into.add(PERCENTAGE_LOCAL, _operation(f"local-{kind}", threads, order), _percentage(places == _LOCAL))
    into.add(PERCENTAGE_UNCERTAIN, _operation("uncertain", threads), _percentage(~known))


def _percentage(which: NDArray[np.bool_]) -> float:
    return 100 * int(which.sum()) / len(which)


def _operation(series: str, threads: int | None, *order: float) -> Operation:
    if threads is None:
        return Operation(series, series, order=order)
    return Operation(f"{series}-{threads}", series, float(threads), order)


def _threads(run: _Run, log: RawLog, into: SampleBuilder) -> int | None:
    """The number of threads as the text tells it, else as the file's name does."""
    found = _THREADS_IN_NAME.search(log.stem)
    named = int(found[1]) if found else None
    if not run.threads:
        return named
    threads = int(run.threads)
    if named not in {None, threads}:
        into.note(
            "threads-differ", f"the log tells of {threads} threads, its name of {named}: the log counts", run.line
        )
    return threads


def _missing_thread(run: _Run) -> tuple[int, str] | None:
    """Why the run has to be cut off: the program prints the faults thread by thread, each has as many."""
    if run.last_thread < 0:
        return run.line, "the log stops before the first fault"
    if run.threads and run.last_thread + 1 < int(run.threads):
        return run.line, f"the log stops at thread {run.last_thread} of 0 to {int(run.threads) - 1}"
    return None
