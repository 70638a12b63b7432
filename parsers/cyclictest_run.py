"""What a run of cyclictest measured, whatever it was read from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Thread:
    """The cycles of a measuring thread and its latencies in the unit of the run."""

    number: int
    cycles: float
    minimum: float
    average: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """The cycles of all threads by their latency.

    Attributes:
        latencies: of the buckets, ascending.
        counts: the cycles in each bucket.
        overflows: the cycles beyond the last bucket.

    """

    latencies: NDArray[np.float64]
    counts: NDArray[np.float64]
    overflows: float

    @property
    def cycles(self) -> float:
        """All cycles, those beyond the last bucket too."""
        return float(self.counts.sum()) + self.overflows

    @property
    def mean(self) -> float:
        """The mean latency of the cycles in buckets, of which there must be some."""
        return float(self.latencies @ self.counts / self.counts.sum())

    def percentile(self, fraction: float) -> float | None:
        """The lowest latency that this fraction of the cycles doesn't exceed; None if no bucket has it."""
        running = np.cumsum(self.counts)
        # This undoes the rounding of the product; ranks are whole numbers.
        rank = fraction * self.cycles - 1e-6
        place = int(np.searchsorted(running, rank))
        return float(self.latencies[place]) if place < len(running) else None


@dataclass
class Run:
    """One execution.

    Attributes:
        line: where it begins, counted from 1.
        threads: by number.
        histogram: None if there is none.
        nanoseconds: whether the unit is ns and not us.
        interval: of the first thread in us, empty if unknown.
        priority: of the first thread, empty if unknown.
        broken: the latency that stopped the run, empty if it ran to its end.
        trouble: why it failed.
        cut: what is missing at its end.
        json: whether it was read from JSON.

    """

    line: int
    threads: list[Thread] = field(default_factory=list)
    histogram: Histogram | None = None
    nanoseconds: bool = False
    interval: str = ""
    priority: str = ""
    broken: str = ""
    trouble: str = ""
    cut: str = ""
    json: bool = False
