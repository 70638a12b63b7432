"""Which lines of STREAM make a run: it begins with a banner, and ends with the word on whether its sums are right."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compare_kernels.parsers.stream_table import KERNELS, Header, Row, read_header, split_row

if TYPE_CHECKING:
    from compare_kernels.parsers.base import RawLog

BANNER = re.compile(
    r"^\s*(STREAM version \$Revision|BabelStream\s*$|(?:Double|Single) precision appears to have \d+ digits)"
)
VALID = re.compile(r"^\s*Solution Validates")
_INVALID = re.compile(r"(?i)\bfailed validation on\b|\bvalidation failed\b")
_TROUBLE = re.compile(r"(?i)^(?:\S+: line \d+: +\d+ )?(?:Killed|Terminated|Aborted|Segmentation fault|Bus error)\b")
_RANK = re.compile(r"(?i)^\W*(?:MPI )?(?:rank|process|task)\W{0,3}(\d{1,6})\b(?!\s*=)")
_TICKS = re.compile(r"\(= (-?\d{1,9}) clock ticks\)")
_COARSE = 20
"""Clock ticks that a test has to take at least, as the program itself says."""
_FACTS = (
    ("array", re.compile(r"^\s*(?:Total Aggregate )?Array size\s*[=:]\s*(\d{1,15})(?![\d.])")),
    ("array", re.compile(r"^\s*Array size\s*[=:]\s*(\d{1,12}(?:\.\d{1,6})? [KMGT]?i?B)\b")),
    ("element", re.compile(r"^\s*This system uses (\d{1,3}) bytes per (?:array element|DOUBLE PRECISION)")),
    ("precision", re.compile(r"^\s*Precision: (\w{1,20})\s*$")),
    ("ranks", re.compile(r"^\s*Data is distributed across (\d{1,7}) MPI ranks")),
    ("counted", re.compile(r"^\s*Number of Threads counted (?:for rank \d+ )?=\s*(\d{1,6})\s*$")),
    ("requested", re.compile(r"^\s*Number of Threads (?:requested )?(?:for each MPI rank )?=\s*(\d{1,6})\s*$")),
)
_ENVIRONMENT = re.compile(r"\bOMP_NUM_THREADS=(\d{1,6})\b")


@dataclass
class Table:
    """The rows below one header.

    Attributes:
        header: the columns.
        line: where the header stands.
        rank: the MPI rank that printed it, empty if it stands for all.
        rows: one for each kernel.
        end: the last line that belongs to it.

    """

    header: Header
    line: int
    rank: str
    rows: list[Row] = field(default_factory=list)
    end: int = 0

    def __post_init__(self) -> None:
        self.end = self.line


@dataclass
class Run:
    """What the text tells of one run.

    Attributes:
        line: where it begins.
        banner: the first words of the program; empty if they are not there.
        announced: whether the program told about this run before its table.
        facts: what the program said of its configuration.
        tables: one, or with MPI also one for each rank.
        validated: whether the program found its sums right.
        trouble: line and text of what went wrong.
        unitless: the first line of numbers that no header gives a unit.
        malformed: the first row that has not as many numbers as its table has columns.
        ticks: line and number of the clock ticks that a test takes, if they are too few.

    """

    line: int
    banner: str = ""
    announced: bool = False
    facts: dict[str, str] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    validated: bool = False
    trouble: tuple[int, str] | None = None
    unitless: int = 0
    malformed: int = 0
    ticks: tuple[int, int] | None = None

    @property
    def begun(self) -> bool:
        """Whether there is anything that would be missed."""
        return bool(self.announced or self.tables or self.unitless)

    @property
    def lacks_rows(self) -> bool:
        """Whether a table stops inside: all programs that have Copy print Triad later."""
        kernels = [{row.kernel for row in table.rows} for table in self.tables]
        return any(not names or ("Copy" in names and "Triad" not in names) for names in kernels)


def read_runs(log: RawLog) -> list[Run]:
    """All runs of a log, also those that have no result."""
    reader = _Reader(log)
    for number, line in enumerate(log.lines, start=1):
        reader.line(number, line)
    reader.close()
    return reader.runs


class _Reader:
    """Walks through the lines and gathers what belongs to the run that is under way."""

    def __init__(self, log: RawLog) -> None:
        self.runs: list[Run] = []
        self._run = Run(0)
        self._rank = ""
        self._wanted = ""
        # The first run below the last banner of which it isn't known yet whether its sums are right.
        self._first = 0
        self._doubtful = 0 if log.ended else len(log.lines)

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        if found := BANNER.match(line):
            self.close()
            self._first = len(self.runs)
            self._run.line, self._run.banner, self._run.announced = number, found[1], True
        elif header := read_header(line):
            self._header(number, header)
        elif not self._row(number, line):
            self._word(number, line)

    def close(self) -> None:
        """End of the run that is under way."""
        if self._run.begun:
            self.runs.append(self._run)
        self._run, self._rank = Run(0, facts={"wanted": self._wanted}), ""

    def _continue(self) -> None:
        """A run that follows without a banner of its own: what was built into the program stays."""
        banner, facts, rank = self._run.banner, self._run.facts, self._rank
        self.close()
        self._rank = rank
        self._run.banner = banner
        self._run.facts.update(
            {key: facts[key] for key in ("array", "element", "precision", "ranks") if key in facts}
        )

    def _header(self, number: int, header: Header) -> None:
        run = self._run
        if run.validated or any(table.rank in {"", self._rank} for table in run.tables):
            self._continue()
        self._run.line = self._run.line or number
        self._run.tables.append(Table(header, number, self._rank))
        self._rank = ""

    def _row(self, number: int, line: str) -> bool:
        """Take a row, if it is one; kernels that nobody knows stand only right below what belongs to a table."""
        name, _ = split_row(line)
        known = name in KERNELS
        tables = self._run.tables
        if not name or not (known or (tables and number == tables[-1].end + 1)):
            return False
        if not tables or self._run.validated:
            self._stray(number)
            return True
        table = tables[-1]
        row = table.header.row(number, line, ended=number != self._doubtful)
        if row and all(row.kernel != other.kernel for other in table.rows):
            table.rows.append(row)
            table.end = number
        elif known:
            self._run.malformed = self._run.malformed or number
        return bool(row) or known

    def _stray(self, number: int) -> None:
        """Take note of a row that has no header."""
        if self._run.validated:
            self._continue()
        self._run.line = self._run.line or number
        self._run.unitless = self._run.unitless or number

    def _word(self, number: int, line: str) -> None:
        run = self._run
        if VALID.match(line):
            for other in (*self.runs[self._first :], run):
                other.validated = True
            self._first = len(self.runs)
        elif _INVALID.search(line) or _TROUBLE.match(line):
            if not run.validated:
                run.trouble = run.trouble or (number, line.strip()[:200])
        elif found := _RANK.match(line):
            self._rank = found[1]
        elif (found := _TICKS.search(line)) and int(found[1]) < _COARSE:
            run.ticks = number, int(found[1])
        elif found := _ENVIRONMENT.search(line):
            self._wanted = found[1]
            if not run.begun:
                run.facts["wanted"] = found[1]
        elif number != self._doubtful:
            self._fact(number, line)

    def _fact(self, number: int, line: str) -> None:
        for key, pattern in _FACTS:
            if found := pattern.match(line):
                if self._run.tables:
                    self._continue()
                self._run.line = self._run.line or number
                self._run.facts[key] = found[1]
                self._run.announced = True
                return
