"""The tables of ratios of mmtests: one line for each operation, then means over all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.reporting.mmtests.choice import choose
from compare_kernels.reporting.mmtests.statistics import percent_text, sum_of
from compare_kernels.reporting.view import MISSING, Column, kernel_columns, number_text
from compare_kernels.statistics.descriptive import gmean
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compare_kernels.model import Better
    from compare_kernels.reporting.mmtests.choice import Chosen
    from compare_kernels.reporting.mmtests.rules import Era
    from compare_kernels.reporting.mmtests.statistics import Described
    from compare_kernels.samples import Samples
    from compare_kernels.selection import Selection

_LABEL = "Ratio "
_NO_NOTE = " " * 17


@dataclass(frozen=True, slots=True)
class RatioCell:
    """A number under one kernel, and the text that follows it.

    Attributes:
        text: the ratio, or a mean, with the decimals of the table; ``n/a`` if there is none.
        note: change in percent and distance, or blanks, which belong to the layout.
    """

    text: str
    note: str


@dataclass(frozen=True, slots=True)
class RatioTable:
    """Ratios of one benchmark's operations to the baseline's.

    Attributes:
        heading: the benchmark's label and what was measured.
        columns: the kernels, the baseline first.
        label_length: length of the longest label of an operation; those of the means may be longer.
        rows: label and cells of each line, one cell for each kernel.
    """

    heading: str
    columns: tuple[Column, ...]
    label_length: int
    rows: tuple[tuple[str, tuple[RatioCell, ...]], ...]


def mmtests_ratios(samples: Samples, selection: Selection, era: Era, seed: int) -> tuple[RatioTable, ...]:
    """Make the tables of ratios as a revision of mmtests prints them.

    There is no ratio to zero, nor one of zero where less is better (nothing was measured then), nor one of an
    operation that a side lacks; the means are over the others. Over a rate of zero there is no geometric mean. Rows
    of another direction than the table's enter its means the other way round.

    Args:
        samples: all samples, not only those of main metrics.
        selection: see `compare_kernels.reporting.mmtests.choice.choose`.
        era: the revision.
        seed: of what mmtests draws at random.
    """
    with np.errstate(all="ignore"):
        return tuple(_table(chosen, samples.kernels, seed) for chosen in choose(samples, selection, era))


@dataclass(frozen=True, slots=True)
class _Ratio:
    """The ratio of one operation under one kernel, and the distance; NaN is what isn't defined."""

    ratio: float = math.nan
    distance: float = math.nan

    @property
    def inverse(self) -> _Ratio:
        """The same with the sides exchanged."""
        return _Ratio(1 / self.ratio if self.ratio else math.nan, -self.distance)


def _table(chosen: Chosen, kernels: Iterable[str], seed: int) -> RatioTable:
    columns = kernel_columns(kernels)
    named = {name: entry for name, entry in chosen.entries.items() if name.startswith(chosen.rule.ratio)}
    rows = []
    ratios: list[list[_Ratio]] = []
    for name, entry in (named or chosen.entries).items():
        described = chosen.describe(entry, seed)
        better = chosen.better(entry)
        own = [_ratio(chosen, better, described.get(0), described.get(kernel)) for kernel in range(len(columns))]
        cells = tuple(
            RatioCell(_text(chosen, ratio.ratio), f" ({_percent(ratio, better)}) ({_distance(chosen, ratio)})")
            for ratio in own
        )
        rows.append((_LABEL + printable(name), cells))
        ratios.append(own if better == chosen.metric.better else [ratio.inverse for ratio in own])
    length = max(len(label) for label, _ in rows)
    rows += _means(chosen, list(zip(*ratios, strict=True)))
    return RatioTable(chosen.heading, columns, length, tuple(rows))


def _ratio(chosen: Chosen, better: Better, base: Described | None, own: Described | None) -> _Ratio:
    if base is None or own is None:
        return _Ratio()
    key = "sub_mean" if chosen.kind == "sub" else "mean"
    before, value = base.statistics[key], own.statistics[key]
    if before == 0 or (value == 0 and better == "lower") or not math.isfinite(value / before):
        return _Ratio()
    return _Ratio(value / before, math.nan if chosen.kind == "single" else chosen.era.distance(base, own))


def _text(chosen: Chosen, value: float) -> str:
    return number_text(value, chosen.metric.decimals)


def _percent(of: _Ratio, better: Better) -> str:
    if math.isnan(of.ratio):
        return MISSING
    delta = 100 - of.ratio * 100 if better == "lower" else of.ratio * 100 - 100
    text = percent_text(delta or 0.0)
    return text if text == MISSING else f"{text}%"


def _distance(chosen: Chosen, of: _Ratio) -> str:
    """The distance with a sign; mmtests has none for single values but prints it all the same."""
    if not math.isfinite(of.distance):
        return "NaNs" if chosen.kind == "single" and not math.isnan(of.ratio) else MISSING
    return f"{of.distance:+.2f}s"


def _means(chosen: Chosen, ratios: list[tuple[_Ratio, ...]]) -> list[tuple[str, tuple[RatioCell, ...]]]:
    """Lines for mean, smallest and largest distance, where there are distances, and the mean ratio."""
    direction = chosen.metric.better.capitalize()
    distances = [_defined(ratio.distance for ratio in of_kernel) for of_kernel in ratios]
    means = [_defined(ratio.ratio for ratio in of_kernel) for of_kernel in ratios]
    kinds: dict[str, tuple[list[np.ndarray], Callable[[np.ndarray], float]]] = {}
    if chosen.kind != "single":
        kinds["Dmean"] = distances, lambda values: sum_of(values) / len(values)
        kinds["Dmin "] = distances, lambda values: float(values.min())
        kinds["Dmax "] = distances, lambda values: float(values.max())
    kinds["Gmean"] = means, gmean
    return [
        (
            f"{name} {direction}",
            tuple(
                RatioCell(_text(chosen, of(values) if len(values) else math.nan), _NO_NOTE) for values in per_kernel
            ),
        )
        for name, (per_kernel, of) in kinds.items()
    ]


def _defined(values: Iterable[float]) -> np.ndarray:
    return np.array([value for value in values if math.isfinite(value)])
