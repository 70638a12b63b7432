"""Which plots there are of a comparison, and which of them show something."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from compare_kernels.plotting.names import KernelNames, kernel_names, slug
from compare_kernels.statistics import descriptive, patterns
from compare_kernels.summarise import run_values
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from compare_kernels.comparison import Comparison
    from compare_kernels.samples import Row

Kind = Literal["forest", "curve", "percentiles", "distribution", "ecdf", "order"]

MANY_SAMPLES = 20
"""Samples in a run from which on their distribution is drawn, and not the runs."""

_OVERVIEWS = frozenset({"forest", "curve", "percentiles"})
_PANELS = 6
_LINES = 40
_FEWEST_PARAMETERS = 3
_FEWEST_RUNS = 3
_PERCENTILE = re.compile(r"(?i)(?:^|[\s_-])(?:p(\d{1,2}(?:\.\d{1,9})?)|(\d{1,2}(?:\.\d{1,9})?)(?:th|%))$")


@dataclass(frozen=True, slots=True)
class Change:
    """What the comparison says of one row under one kernel.

    Attributes:
        verdict: one of the five words; empty for a monitor.
        change: in percent, positive is better; NaN if there is none.
        interval: of the change.
        significant: whether the mean differs significantly.
    """

    verdict: str
    change: float
    interval: tuple[float, float]
    significant: bool


@dataclass(frozen=True, slots=True)
class Description:
    """Mean of one row under one kernel, in the metric's unit, with its interval; NaN is what doesn't exist."""

    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Facts:
    """What all plots of a comparison share.

    Attributes:
        names: the kernels.
        changes: by the row's key and the index of the kernel.
        means: likewise.
        margins: by benchmark and metric, in percent.
        noisy: the coefficient of variation above which runs are noisy, likewise, in percent.
        confidence: level of the intervals in percent, as text.
    """

    names: KernelNames
    changes: Mapping[tuple[tuple[str, str, str], int], Change]
    means: Mapping[tuple[tuple[str, str, str], int], Description]
    margins: Mapping[tuple[str, str], float]
    noisy: Mapping[tuple[str, str], float]
    confidence: str


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot that can be drawn.

    Attributes:
        slug: names it in files and links; the same for the same rows, whatever else a comparison holds.
        kind: ``forest`` (changes with their intervals), ``curve`` (means against the parameter), ``percentiles``,
            ``distribution`` (runs as dots), ``ecdf`` (samples) or ``order`` (runs in their order).
        title: says what it shows; safe to print.
        benchmark: label of the benchmark.
        metric: name of the metric; empty for a forest, which shows all of them.
        panels: the rows, grouped into panels; most plots have one panel.
        kernels: indices of the kernels that it shows.
        facts: what all plots of the comparison share.
    """

    slug: str
    kind: Kind
    title: str
    benchmark: str
    metric: str
    panels: tuple[tuple[Row, ...], ...]
    kernels: tuple[int, ...]
    facts: Facts = field(repr=False, compare=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows that it shows."""
        return tuple(row for panel in self.panels for row in panel)

    @property
    def row(self) -> Row:
        """The first row, which is the only one of a distribution or an order."""
        return self.panels[0][0]


def plots_of(comparison: Comparison) -> tuple[Plot, ...]:
    """List all plots of a comparison in the order of a report; nothing is drawn and no matplotlib loaded."""
    facts = _facts(comparison)
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in comparison.samples.rows():
        rows[row.benchmark, row.metric.name].append(row)
    plots: list[Plot] = []
    for label in comparison.samples.benchmarks:
        metrics = {key: own for key, own in rows.items() if key[0] == label}
        plots += _forests(label, [row for own in metrics.values() for row in own], facts)
        for own in metrics.values():
            plots += _curves(own, facts)
            plots += _percentiles(own, facts)
            plots += (plot for row in own for plot in _of_row(row, facts))
    return tuple(plots)


def worth_seeing(plots: Iterable[Plot], most: int = 40) -> tuple[Plot, ...]:
    """Choose the plots that show something, at most ``most``, in the order in which they were given.

    Of rows that regressed, improved or differ significantly: forest, means against the parameter, percentiles and
    distribution. Of rows that are noisy, have outliers or two levels: the distribution. Of those that drift or begin
    with a slow run: the order of runs. If there are too many, those of rows that changed stay, largest change first;
    plots of many rows take half of the room.
    """
    given = list(plots)
    with np.errstate(all="ignore"):
        ranks = [_rank(plot) for plot in given]
    showing = [index for _, index in sorted((rank, index) for index, rank in enumerate(ranks) if rank is not None)]
    many = [index for index in showing if given[index].kind in _OVERVIEWS]
    single = [index for index in showing if given[index].kind not in _OVERVIEWS]
    first = many[: most - min(len(single), most // 2)]
    return tuple(given[index] for index in sorted([*first, *single[: most - len(first)]]))


def _rank(plot: Plot) -> tuple[int, float] | None:
    """What comes first if there is too much: a smaller one. None for a plot that shows nothing."""
    changes = [
        change
        for row in plot.rows
        for kernel in plot.kernels
        if (change := plot.facts.changes.get((row.key, kernel))) is not None
    ]
    decided = any(change.verdict in {"regressed", "improved"} for change in changes)
    largest = max((abs(change.change) for change in changes if math.isfinite(change.change)), default=0.0)
    if plot.kind != "order" and (decided or any(change.significant for change in changes)):
        return (0 if decided else 1), -largest
    if plot.kind in {"distribution", "order"} and _has_pattern(plot):
        return 2, -largest
    return None


def _has_pattern(plot: Plot) -> bool:
    row = plot.row
    if row.metric.monitor:
        return False
    values = [run_values(row.groups[kernel], row.metric) for kernel in plot.kernels]
    if plot.kind == "order":
        return any(
            patterns.drift(side) is not None or patterns.first_run_slow(side, row.metric.better) is not None
            for side in values
        )
    noisy = plot.facts.noisy[row.benchmark, row.metric.name]
    return any(
        patterns.noisy(descriptive.coeffvar(side), noisy) is not None
        or (len(side) >= _FEW_FOR_OUTLIERS and patterns.outliers(side) is not None)
        or patterns.two_levels(side) is not None
        for side in values
    )


_FEW_FOR_OUTLIERS = 5


def _facts(comparison: Comparison) -> Facts:
    samples, rules = comparison.samples, comparison.rules
    place = {kernel: index for index, kernel in enumerate(samples.kernels)}
    frame = comparison.frame[comparison.frame["statistic"] == "mean"]
    names = ["benchmark", "metric", "operation", "kernel"]
    changes, means = {}, {}
    columns = [*names, "verdict", "change_pct", "ci_low", "ci_high", "significant"]
    for *key, kernel, verdict, change, low, high, significant in frame[columns].itertuples(index=False):
        word = verdict if isinstance(verdict, str) else ""
        judged = Change(word, float(change), (float(low), float(high)), bool(significant))
        changes[(key[0], key[1], key[2]), place[kernel]] = judged
    for *key, kernel, mean, low, high in comparison.summary[[*names, "mean", "ci_low", "ci_high"]].itertuples(
        index=False
    ):
        means[(key[0], key[1], key[2]), place[kernel]] = Description(float(mean), (float(low), float(high)))
    parsers = {key: samples.benchmarks[key[0]].parser for key in samples.metrics}
    return Facts(
        kernel_names(samples.kernels),
        changes,
        means,
        {key: rules.margin_of(parser, key[1]) for key, parser in parsers.items()},
        {key: rules.noisy_of(parser, key[1]) for key, parser in parsers.items()},
        f"{100 * (1 - rules.alpha):.4g}",
    )


def _forests(label: str, rows: list[Row], facts: Facts) -> Iterator[Plot]:
    """The changes of a benchmark: of up to three kernels together, of more one by one, forty lines to a plot."""
    judged = [row for row in rows if not row.metric.monitor]
    others = range(1, len(facts.names.full))
    together = len(others) <= 3
    for kernels in [tuple(others)] if together else [(kernel,) for kernel in others]:
        against = "" if together else facts.names.full[kernels[0]]
        title = f"{printable(label)}: change of each row" + (f", {facts.names.short[kernels[0]]}" if against else "")
        for part, page in _pages(judged, max(1, _LINES // max(1, len(kernels)))):
            yield Plot(slug("forest", label, against, part), "forest", title, label, "", (page,), kernels, facts)


def _pages(items: list[Row], length: int) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Pieces of a list, each with its number as text; the first has none."""
    for start in range(0, len(items), length):
        yield (f"part{start // length + 1}" if start else ""), tuple(items[start : start + length])


def _curves(rows: list[Row], facts: Facts) -> Iterator[Plot]:
    """Means against the parameter, a panel for each series that has three parameters or more."""
    series: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if math.isfinite(row.operation.param):
            series[row.operation.series].append(row)
    panels = [
        tuple(own) for own in series.values() if len({row.operation.param for row in own}) >= _FEWEST_PARAMETERS
    ]
    yield from _paneled("curve", "mean by " + (rows[0].metric.parameter or "parameter"), panels, facts)


def _percentiles(rows: list[Row], facts: Facts) -> Iterator[Plot]:
    """Percentiles against values, a panel for each case that has three percentiles or more."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if (found := percentile_of(row)) is not None:
            groups[found[0], f"{row.operation.param:g}"].append(row)
    panels = [tuple(sorted(own, key=_percent)) for own in groups.values() if len(set(map(_percent, own))) >= 3]
    yield from _paneled("percentiles", "percentiles", panels, facts)


def percentile_of(row: Row) -> tuple[str, float] | None:
    """What precedes the percentile in a row's name, and the percentile from 0 to below 100; None if there is none."""
    text = row.operation.series or row.operation.name
    found = _PERCENTILE.search(text[-40:])
    if not found:
        return None
    return text[: len(text) - len(found[0])], float(found[1] or found[2])


def _percent(row: Row) -> float:
    found = percentile_of(row)
    return found[1] if found else math.nan


def _paneled(kind: Kind, what: str, panels: list[tuple[Row, ...]], facts: Facts) -> Iterator[Plot]:
    """Plots of up to six panels each."""
    for start in range(0, len(panels), _PANELS):
        own = tuple(panels[start : start + _PANELS])
        first = own[0][0]
        kernels = tuple(sorted({kernel for panel in own for row in panel for kernel in row.groups}))
        part = f"part{start // _PANELS + 1}" if start else ""
        name = slug(kind, first.benchmark, first.metric.name, part)
        yield Plot(name, kind, f"{heading(first)}: {what}", first.benchmark, first.metric.name, own, kernels, facts)


def _of_row(row: Row, facts: Facts) -> Iterator[Plot]:
    """The distribution of one row, and its runs in their order if there are three."""
    kernels = tuple(sorted(row.groups))
    counts = [(len(group.values), len(np.unique(group.runs))) for group in row.groups.values()]
    many = all(samples >= MANY_SAMPLES * runs for samples, runs in counts)
    operation = printable(row.operation.name)
    of_row: list[tuple[Kind, str]] = [("ecdf", "distribution of samples") if many else ("distribution", "runs")]
    if max(runs for _, runs in counts) >= _FEWEST_RUNS:
        of_row.append(("order", "order of runs"))
    for kind, what in of_row:
        title = f"{heading(row)} {operation}: {what}"
        yield Plot(slug(kind, *row.key), kind, title, row.benchmark, row.metric.name, ((row,),), kernels, facts)


def heading(row: Row) -> str:
    """Benchmark and metric of a row, safe to print."""
    return printable(f"{row.benchmark} {row.metric.title or row.metric.name}")
