"""The reports that schbench prints in the course of a run, and which of them are samples.

Reports are cumulative, so that only the final one is a sample, unless the statistics were zeroed between reports.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class Section:
    """One table of percentiles; `total` and `runtime` are None where nothing tells them.

    Attributes:
        kind: ``wakeup``, ``request`` or ``rps``.
        line: that of its header.
        runtime: seconds since the start of the program.
        total: how many samples it counts.
        rows: the values by label, ``99.0th``.

    """

    kind: str
    line: int = 0
    runtime: float | None = None
    total: int | None = None
    rows: dict[str, float] = field(default_factory=dict)
    maximum: float | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was measured: its zeros are no values then."""
        return not self.total if self.total is not None else not any((*self.rows.values(), self.maximum))


@dataclass
class Report:
    """What was printed at one time.

    Attributes:
        line: where it begins.
        sections: its sections by kind, whole ones only.
        delay: the delays of message and worker threads.
        blank: whether it has the end of a section without header, which counts nothing.
        interim: whether the line that ends an interim report follows it.

    """

    line: int
    sections: dict[str, Section] = field(default_factory=dict)
    delay: tuple[float, float] | None = None
    blank: bool = False
    interim: bool = False

    @property
    def runtime(self) -> float | None:
        """Seconds since the start of the program."""
        return next((section.runtime for section in self.sections.values()), None)

    @property
    def seconds(self) -> float:
        """The same, 0 if it is unknown."""
        return self.runtime or 0.0

    @property
    def empty(self) -> bool:
        """Whether it was printed but counts no latency at all."""
        latencies = [section for kind, section in self.sections.items() if kind != "rps"]
        return bool(latencies or self.blank) and all(section.empty for section in latencies)

    def count(self, kind: str) -> int | None:
        """How many samples a section counts, None if that is unknown."""
        return self.sections[kind].total if kind in self.sections else None


@dataclass
class Run:
    """What the text tells about a run.

    Attributes:
        line: where it begins.
        dialect: ``1`` or ``2``, empty as long as no header tells.
        command: the arguments of its command line.
        workers: the number of worker threads that it chose itself.
        pipe: whether it measured transfers.
        rate: ``auto`` or ``fixed`` if the rate of requests was given.
        reports: the reports that have been read.
        warm_up: how many of them belong to the warm-up.
        open: the report that is being read.
        section: the section that is being read; it belongs to no report before its end.
        finished: whether a line was seen that only follows the final report.
        announced: whether the line was seen that in 2023 came before the final report.
        rates: what stands outside of the sections, by name: ``average``, ``goal``, ``transfer``, ``bandwidth``.
        relative: latencies in percent of the think time by label.

    """

    line: int = 0
    dialect: str = ""
    command: str = ""
    workers: str = ""
    pipe: bool = False
    rate: str = ""
    reports: list[Report] = field(default_factory=list)
    warm_up: int = 0
    open: Report | None = None
    section: Section | None = None
    finished: bool = False
    announced: bool = False
    rates: dict[str, float] = field(default_factory=dict)
    relative: dict[str, float] = field(default_factory=dict)

    @property
    def measured(self) -> list[Report]:
        """The reports after the warm-up."""
        return self.reports[self.warm_up :]

    @property
    def reporting(self) -> bool:
        """Whether a report is being read."""
        return bool(self.open or self.section)

    def push(self) -> None:
        """Close the report that is being read."""
        if self.open:
            self.reports.append(self.open)
            self.open = None


def label(percentile: str) -> str:
    """Return the name of a row: ``99.0000`` and ``99.0`` are both ``99.0th``."""
    whole, _, fraction = percentile.partition(".")
    return f"{int(whole)}.{fraction.rstrip('0') or '0'}th"


def samples(reports: list[Report]) -> list[Report]:
    """Return those reports of a finished run that are samples: the final one, or else each independent interval."""
    interim, final = reports[:-1], reports[-1:]
    if not interim or not _zeroed(reports):
        return final
    steps = [after.seconds - before.seconds for before, after in pairwise([Report(0), *reports])]
    # Mostly the final report repeats the last interim one with what came after the zeroing: next to nothing.
    full = final if steps[-1] >= min(steps[:-1]) else []
    return [*_independent(interim), *full]


def delays(reports: list[Report]) -> tuple[float, float] | None:
    """Return the kernel's account of the delays of message and worker threads.

    It counts from a thread's start and is lost with the thread: the final report mostly comes too late and says 0
    for both, so that the last interim one is the best there is.
    """
    if not reports or reports[-1].delay is None:
        return None
    return next((report.delay for report in reversed(reports) if report.delay and any(report.delay)), None)


def _zeroed(reports: list[Report]) -> bool:
    """Whether the statistics were zeroed on the way: a cumulative count never shrinks."""
    counts = (
        (before.count(kind), after.count(kind))
        for before, after in pairwise(reports)
        for kind in ("wakeup", "request")
    )
    return reports[-1].empty or any(
        before is not None and after is not None and after < before for before, after in counts
    )


def _independent(interim: list[Report]) -> list[Report]:
    """Return the interim reports that no later one contains, for a zeroing that is rarer than the reports.

    There is one sample of requests per second each second: where these grow with the time, nothing was zeroed.
    """
    grows = []
    for before, after in pairwise(interim):
        first, second = before.count("rps"), after.count("rps")
        if first is None or second is None:
            return interim
        grows.append(second - first >= (after.seconds - before.seconds) / 2)
    if all(grows):
        return interim
    return [report for report, contained in zip(interim, [*grows, False], strict=True) if not contained]
