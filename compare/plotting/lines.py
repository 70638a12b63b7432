"""Plots with a line for each kernel: means against the parameter, percentiles, samples, the order of runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.plotting import scales
from compare_kernels.plotting.catalogue import percentile_of
from compare_kernels.plotting.names import axis_text, rounded, shortened
from compare_kernels.plotting.palette import Look, look_of
from compare_kernels.plotting.sheet import EDGE, WIDTH, Sheet
from compare_kernels.summarise import run_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from compare_kernels.plotting.catalogue import Description, Plot
    from compare_kernels.plotting.sheet import Panel
    from compare_kernels.samples import Row

_LOG_RATIO = 20.0
_BANDS = 6
"""More kernels than these get whiskers instead of bands, which would hide each other."""

_MOST_WHISKERS = 240
_MOST_DOTS = 600
_TOLD = 12
"""Of lines with more points only the ends and the extremes are told."""

_POINTS = 1000
_POINTS_OF_ALL = 2400
_LEFT = 62.0


def draw_curves(plot: Plot) -> tuple[Sheet, str]:
    """Draw the means against the parameter, with intervals; return the drawing and what it says in words."""

    def x_scale(rows: Iterable[Row]) -> scales.Scale:
        return scales.parameter_scale(np.array([row.operation.param for row in rows]))

    parameter = shortened(plot.row.metric.parameter or "parameter", 40)
    return _means(plot, x_scale, lambda row: row.operation.param, lambda row: row.operation.series, parameter)


def draw_percentiles(plot: Plot) -> tuple[Sheet, str]:
    """Draw the means of percentiles, the axis stretched towards 100; return drawing and words."""

    def percent(row: Row) -> float:
        found = percentile_of(row)
        return found[1] if found else math.nan

    def x_scale(rows: Iterable[Row]) -> scales.Scale:
        return scales.percentile_scale(np.array([percent(row) for row in rows]))

    def case(row: Row) -> str:
        found = percentile_of(row)
        param = row.operation.param
        counted = row.metric.parameter.removesuffix("s") if param == 1 else row.metric.parameter
        load = "" if math.isnan(param) else f"{param:.12g} {counted}"
        return f"{found[0] if found else ''} {load}".strip()

    return _means(plot, x_scale, percent, case, "percentile, stretched towards 100")


def _means(
    plot: Plot,
    x_scale: Callable[[Iterable[Row]], scales.Scale],
    x_of: Callable[[Row], float],
    case: Callable[[Row], str],
    x_text: str,
) -> tuple[Sheet, str]:
    """A panel for each case, two beside each other, all with the same scales."""
    described = [
        found for row in plot.rows for kernel in plot.kernels if (found := plot.facts.means.get((row.key, kernel)))
    ]
    y_scale, log_note = _scale_of_means(described)
    both = x_scale(plot.rows), y_scale
    columns = 1 if len(plot.panels) == 1 else 2
    height = 210.0 if columns == 1 else 140.0
    lines = -(-len(plot.panels) // columns)
    each = height + (56 if columns == 1 else 72)
    sheet = Sheet(plot.title, _legend(plot), lines * each)
    width = (WIDTH - 2 * EDGE) / columns
    told = []
    for index, rows in enumerate(plot.panels):
        column, line = index % columns, index // columns
        panel = sheet.panel(
            EDGE + _LEFT + column * width, (24 if columns == 1 else 40) + line * each, width - _LEFT - 6, height, both
        )
        name = shortened(case(rows[0]), 44)
        label = axis_text(rows[0].metric) + log_note
        # Narrow panels have no room for it in one line.
        panel.frame(x_text + both[0].note, label if columns == 1 else "\n(".join(label.rsplit(" (", 1)), name)
        told += list(_mean_lines(plot, panel, rows, x_of, name))
    level = f"mean with its {plot.facts.confidence} % interval over runs"
    if len(plot.kernels) > _BANDS and len(plot.rows) * len(plot.kernels) > _MOST_WHISKERS:
        level = "mean (there are too many points for intervals)"
    return sheet, f"{axis_text(plot.row.metric)}, {level}, against {x_text}. {' '.join(told)}"


def _scale_of_means(described: list[Description]) -> tuple[scales.Scale, str]:
    means = np.array([item.mean for item in described])
    ends = np.array([end for item in described for end in item.interval])
    means, ends = means[scales.drawable(means)], ends[scales.drawable(ends)]
    if scales.wants_log(means, _LOG_RATIO):
        # The interval of a mean may reach below 0, where a logarithm has no place.
        inside = ends[ends > means.min() / 10]
        return scales.value_scale(np.concatenate([means, inside]), log=True), ", log scale"
    return scales.value_scale(np.concatenate([means, ends])), ""


def _mean_lines(
    plot: Plot, panel: Panel, rows: tuple[Row, ...], x_of: Callable[[Row], float], case: str
) -> Iterator[str]:
    """Draw the line of each kernel; yield its numbers as a sentence."""
    bands = len(plot.kernels) <= _BANDS
    size = len(plot.rows) * len(plot.kernels)
    lowest = 10**panel.y.low if panel.y.how == "log" else -math.inf
    for kernel in plot.kernels:
        found = [(x_of(row), plot.facts.means.get((row.key, kernel))) for row in rows]
        known = sorted(
            (x, item.mean, *item.interval)
            for x, item in found
            if item and scales.drawable(np.array(item.mean)) and (item.mean > 0 or panel.y.how != "log")
        )
        if not known:
            continue
        x, mean, low, high = np.array(known).T
        low, high = np.maximum(low, lowest), np.where(np.abs(high) <= scales.LARGEST, high, np.nan)
        look, name = look_of(kernel), f"kernel-{kernel}"
        usable = np.isfinite(low) & np.isfinite(high)
        if bands and usable.sum() > 1:
            around = np.concatenate([x[usable], x[usable][::-1]]), np.concatenate([low[usable], high[usable][::-1]])
            panel.sheet.area(*panel.at(*around), look.colour, alpha=0.15, name=f"{name} band")
        elif usable.any() and size <= _MOST_WHISKERS:
            gap = np.full(usable.sum(), np.nan)
            whiskers = np.array([low[usable], high[usable], gap]).T.ravel()
            panel.sheet.line(*panel.at(np.repeat(x[usable], 3), whiskers), look, f"{name} interval", 0.7)
        places = panel.at(x, mean)
        panel.sheet.line(*places, look, f"{name} line")
        if size <= _MOST_DOTS:
            panel.sheet.dots(*places, look, f"{name} dots")
        kept = np.arange(len(x))
        if len(x) > _TOLD:
            kept = np.unique([0, int(np.argmin(mean)), int(np.argmax(mean)), len(x) - 1])
        numbers = ", ".join(f"{rounded(at)}: {rounded(value)}" for at, value in zip(x[kept], mean[kept], strict=True))
        yield f"{f'{case}, ' if case else ''}{plot.facts.names.short[kernel]}: {numbers}."


def draw_order(plot: Plot) -> tuple[Sheet, str]:
    """Draw the value of each run against its number; return drawing and words."""
    row = plot.row
    runs = {kernel: np.unique(row.groups[kernel].runs) for kernel in plot.kernels}
    values = {kernel: run_values(row.groups[kernel], row.metric) for kernel in plot.kernels}
    usable = {kernel: scales.drawable(side) for kernel, side in values.items()}
    fits = np.concatenate([values[kernel][usable[kernel]] for kernel in plot.kernels])
    numbers = np.concatenate(list(runs.values())).astype(float)
    log = scales.wants_log(fits, _LOG_RATIO)
    both = _run_scale(numbers), scales.value_scale(fits, log=log)
    sheet = Sheet(plot.title, _legend(plot), 240)
    panel = sheet.panel(EDGE + _LEFT, 20, WIDTH - 2 * EDGE - _LEFT - 6, 190, both)
    panel.frame("run", axis_text(row.metric) + both[1].note)
    told = []
    for kernel in plot.kernels:
        keep = usable[kernel]
        places = panel.at(runs[kernel][keep], values[kernel][keep])
        sheet.line(*places, look_of(kernel), f"kernel-{kernel} line", 0.9)
        sheet.dots(*places, look_of(kernel), f"kernel-{kernel} dots")
        own = values[kernel]
        first, last = rounded(own[0]), rounded(own[-1])
        left = f", {(~keep).sum()} not drawn" if not keep.all() else ""
        told.append(f"{plot.facts.names.short[kernel]}: {len(own)} runs, first {first}, last {last}{left}.")
    return sheet, f"{axis_text(row.metric)} of each run, in the order of runs. {' '.join(told)}"


def _run_scale(numbers: np.ndarray) -> scales.Scale:
    """Whole numbers only, in both ticks and texts."""
    low, high = float(numbers.min()), float(numbers.max())
    step = max(1, math.ceil((high - low) / 10))
    air = max((high - low) * 0.03, 0.3)
    ticks = tuple((tick, f"{tick:.0f}") for tick in np.arange(low, high + 0.5, step).tolist())
    return scales.Scale(low - air, high + air, ticks)


def draw_ecdf(plot: Plot) -> tuple[Sheet, str]:
    """Draw the part of samples up to each value; return drawing and words."""
    row = plot.row
    ordered = {}
    for kernel in plot.kernels:
        values = row.groups[kernel].values
        ordered[kernel] = np.sort(values[scales.drawable(values)])
    ends = np.array([end for side in ordered.values() if len(side) for end in (side[0], side[-1])])
    log = scales.wants_log(ends, 10.0)
    percent = scales.Scale(0.0, 100.0, tuple((float(tick), str(tick)) for tick in (0, 25, 50, 75, 100)))
    both = scales.value_scale(ends, log=log, ticks=9), percent
    sheet = Sheet(plot.title, _legend(plot), 240)
    panel = sheet.panel(EDGE + 32, 20, WIDTH - 2 * EDGE - 40, 185, both)
    panel.frame(axis_text(row.metric) + both[0].note, "percent of samples up to a value")
    points = min(_POINTS, max(30, _POINTS_OF_ALL // len(plot.kernels)))
    told = []
    for kernel, side in ordered.items():
        if not len(side):
            continue
        x, y = ecdf(side, points // 2)
        steps = np.repeat(x, 2), np.concatenate([[0.0], np.repeat(100 * y, 2)[:-1]])
        sheet.line(*panel.at(*steps), look_of(kernel), f"kernel-{kernel} ecdf", 1.2)
        marks = [rounded(float(np.quantile(side, part))) for part in (0.5, 0.95, 0.99)]
        left = len(row.groups[kernel].values) - len(side)
        unseen = f", {left} not drawn" if left else ""
        numbers = f"{len(side)} samples, median {marks[0]}, 95 % up to {marks[1]}, 99 % up to {marks[2]}"
        told.append(f"{plot.facts.names.short[kernel]}: {numbers}, largest {rounded(side[-1])}{unseen}.")
    return sheet, f"{axis_text(row.metric)}, all samples. {' '.join(told)}"


def ecdf(ordered: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the empirical distribution function: values, and the part of all values up to each.

    Every point is exact; of more than ``points`` different values some are left out: as many as can stay at equal
    steps of the rank, a part of them closer and closer to the largest, which stays in any case.

    Args:
        ordered: at least one value, sorted.
        points: how many points there may be, 10 or more.
    """
    count = len(ordered)
    last = np.flatnonzero(np.append(np.diff(ordered) > 0, True))
    if len(last) > points:
        tail = points // 5
        even = np.linspace(0, count - 1, points - tail)
        near = count - np.geomspace(1, max(2, count // 20), tail)
        wanted = np.concatenate([even, near]).astype(np.int64)
        last = last[np.unique(np.searchsorted(last, wanted))]
    return ordered[last], (last + 1) / count


def _legend(plot: Plot) -> list[tuple[str, Look]]:
    return [(plot.facts.names.short[kernel], look_of(kernel)) for kernel in plot.kernels]
