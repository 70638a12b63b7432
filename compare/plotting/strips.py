"""Plots with a strip for each kernel or row: runs as dots beside boxes, and changes with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.plotting import scales
from compare_kernels.plotting.names import axis_text, distinct, in_full, rounded
from compare_kernels.plotting.palette import GREY, VERDICT_LOOKS, Look, look_of
from compare_kernels.plotting.sheet import EDGE, WIDTH, Panel, Sheet, text_width
from compare_kernels.statistics import descriptive
from compare_kernels.summarise import run_values
from compare_kernels.text import printable

if TYPE_CHECKING:
    from compare_kernels.plotting.catalogue import Change, Plot
    from compare_kernels.samples import Row

_BOX_RUNS = 4
_VIOLIN_RUNS = 10
_LOG_RATIO = 20.0
_MOST_DOTS = 300
_LEVELS = 5


def draw_distribution(plot: Plot) -> tuple[Sheet, str]:
    """Draw each run as a dot, and a box beside the dots; return the drawing and what it says in words."""
    row, names = plot.row, plot.facts.names
    values = {kernel: run_values(row.groups[kernel], row.metric) for kernel in plot.kernels}
    sides = {kernel: side[scales.drawable(side)] for kernel, side in values.items()}
    everything = np.concatenate(list(sides.values()))
    log = scales.wants_log(everything, _LOG_RATIO)
    lines = len(plot.kernels)
    left = max(60.0, min(170.0, max(text_width(names.short[kernel]) for kernel in plot.kernels) + 12))
    strip = 44.0 if lines <= 8 else 30.0
    both = scales.value_scale(everything, log=log, ticks=7), scales.Scale(0.0, float(lines), ())
    sheet = Sheet(plot.title, [], lines * strip + 44)
    panel = sheet.panel(EDGE + left, 8, WIDTH - 2 * EDGE - left - 10, lines * strip, both)
    panel.frame(axis_text(row.metric) + both[0].note, "")
    told = []
    for position, (kernel, side) in enumerate(sides.items()):
        base = lines - 1.0 - position
        x, y = panel.at(both[0].low if not log else 10 ** both[0].low, base + 0.5)
        sheet.text(float(x) - 6, float(y) - 3, names.short[kernel], ha="right", name="kernel")
        if len(side):
            _strip(panel, kernel, side, base)
        told.append(_told(names.short[kernel], values[kernel], side))
    return sheet, f"{axis_text(row.metric)}; each dot is a run. {' '.join(told)}"


def _told(name: str, values: np.ndarray, drawn: np.ndarray) -> str:
    runs = f"{len(values)} run{'s' * (len(values) != 1)}"
    left = len(values) - len(drawn)
    unseen = f", {left} not drawn" if left else ""
    if not len(drawn):
        return f"{name}: {runs}{unseen}."
    middle, low, high = (rounded(float(value)) for value in (np.median(drawn), drawn.min(), drawn.max()))
    return f"{name}: {runs}, median {middle}, from {low} to {high}{unseen}."


def _strip(panel: Panel, kernel: int, values: np.ndarray, base: float) -> None:
    """Dots in the upper part of a strip, a box in the lower; behind the dots the outline of their density."""
    look, name = look_of(kernel), f"kernel-{kernel}"
    if len(values) >= _VIOLIN_RUNS and values.min() < values.max():
        at, density = _density(values, panel.x.how)
        panel.sheet.area(*panel.at(at, base + 0.42 + 0.5 * density), look.colour, alpha=0.18, name=f"{name} violin")
    # A million runs look like a thousand.
    ordered = np.arange(len(values))
    if len(values) > _MOST_DOTS:
        ordered = np.unique(
            np.argsort(values, kind="stable")[np.linspace(0, len(values) - 1, _MOST_DOTS).astype(int)]
        )
    levels = base + 0.50 + 0.32 * (ordered * 2 % _LEVELS) / (_LEVELS - 1)
    panel.sheet.dots(*panel.at(values[ordered], levels), look, f"{name} dots", 4.0)
    if len(values) < _BOX_RUNS:
        return
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    corners = np.array([low, high, high, low]), base + np.array([0.14, 0.14, 0.34, 0.34])
    whiskers = np.array([values.min(), low, math.nan, high, values.max()])
    panel.sheet.line(
        *panel.at(whiskers, np.full(5, base + 0.24)), Look(look.colour, "", "-"), f"{name} whiskers", 0.9
    )
    panel.sheet.area(*panel.at(*corners), look.colour, alpha=0.45, name=f"{name} box", edge=0.8)
    median = panel.at(np.full(2, middle), base + np.array([0.10, 0.38]))
    panel.sheet.line(*median, Look(look.colour, "", "-"), f"{name} median", 2.0)


def _density(values: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian kernel's estimate with Silverman's width, between the extremes; values and density from 0 to 1."""
    placed = np.log10(values) if how == "log" else values
    # On a scale of their own the squares of very large and very small values exist.
    unit = (placed - placed.min()) / (placed.max() - placed.min())
    low, high = np.quantile(unit, [0.25, 0.75])
    spread = min(descriptive.stddev(unit), (high - low) / 1.34) or descriptive.stddev(unit)
    width = 0.9 * spread * len(unit) ** -0.2
    at = np.linspace(0, 1, 40)
    thinned = unit if len(unit) <= 2000 else np.quantile(unit, np.linspace(0, 1, 2000))
    density = np.exp(-0.5 * ((at[:, None] - thinned[None, :]) / width) ** 2).sum(axis=1)
    density /= density.max()
    places = placed.min() + at * (placed.max() - placed.min())
    places = np.clip(10**places if how == "log" else places, values.min(), values.max())
    return np.concatenate([places[:1], places, places[-1:]]), np.concatenate([[0.0], density, [0.0]])


_ROW = 13.0
_ZERO = Look(GREY, "", "-")


def draw_forest(plot: Plot) -> tuple[Sheet, str]:
    """Draw each change with its interval, the margin as a band; return the drawing and what it says in words."""
    lines = [(row, kernel) for row in plot.rows for kernel in plot.kernels]
    changes = [plot.facts.changes.get((row.key, kernel)) for row, kernel in lines]
    texts = _line_texts(plot, lines)
    verdicts = {change.verdict: None for change in changes if change and change.verdict}
    legend = [(word, look) for word, look in VERDICT_LOOKS.items() if word in verdicts]
    left = min(250.0, max(map(text_width, texts)) + 12)
    half = _half_width(plot, changes)
    scale = scales.value_scale(np.array([-half, half]))
    scale = scales.Scale(-half, half, tuple(tick for tick in scale.ticks if abs(tick[0]) <= half))
    height = len(lines) * _ROW
    sheet = Sheet(plot.title, legend, height + 46, lines=False)
    box = EDGE + left, 10, WIDTH - 2 * EDGE - left - 10, height
    panel = sheet.panel(*box, (scale, scales.Scale(0.0, float(len(lines)), ())))
    _margins(plot, panel, lines)
    neither = "; more, where neither is" if any(row.metric.better == "none" for row in plot.rows) else ""
    panel.frame(f"change in percent (positive is better{neither}; shaded: within the margin)", "")
    zero = panel.at(np.zeros(2), np.array([0.0, len(lines)]))
    sheet.line(*zero, _ZERO, "zero", 1.0)
    for index, (text, change) in enumerate(zip(texts, changes, strict=True)):
        y = len(lines) - 0.5 - index
        at = panel.at(-half, y)
        sheet.text(float(at[0]) - 6, float(at[1]) - 2.8, text, ha="right", name="row")
        _mark(panel, change, y, half, index)
    margins = sorted({plot.facts.margins[row.benchmark, row.metric.name] for row in plot.rows})
    band = " and ".join(f"{margin:g}" for margin in margins)
    told = " ".join(_change_told(text, change) for text, change in zip(texts, changes, strict=True))
    head = f"Change in percent with its {plot.facts.confidence} % interval, positive is better; margin {band} %."
    return sheet, f"{head} {told}{_rows_in_full(lines, texts)}"


def _line_texts(plot: Plot, lines: list[tuple[Row, int]]) -> tuple[str, ...]:
    """What stands before each line: metric where there are several, row, kernel where there are several."""
    metrics = len({row.metric.name for row in plot.rows}) > 1
    several = len(plot.kernels) > 1
    texts = []
    for row, kernel in lines:
        parts = [row.metric.name] * metrics + [row.operation.name] + [plot.facts.names.short[kernel]] * several
        texts.append(" \u00b7 ".join(parts) if len(parts) > 1 else parts[0])
    return distinct(texts, 46)


def _rows_in_full(lines: list[tuple[Row, int]], texts: tuple[str, ...]) -> str:
    """The whole names of rows that were too long."""
    first: dict[str, str] = {}
    for (row, _), text in zip(lines, texts, strict=True):
        if printable(row.operation.name) not in text:
            first.setdefault(row.operation.name, text)
    return in_full({text: name for name, text in first.items()})


def _half_width(plot: Plot, changes: list[Change | None]) -> float:
    """Half of the axis: all changes fit, and intervals up to three times the largest change or margin."""
    points = [abs(change.change) for change in changes if change and abs(change.change) <= scales.LARGEST]
    ends = [abs(end) for change in changes if change for end in change.interval if abs(end) <= scales.LARGEST]
    margins = [plot.facts.margins[row.benchmark, row.metric.name] for row in plot.rows]
    core = max([*points, *(margin * 1.5 for margin in margins), 1e-6])
    return 1.06 * max(core, min(max(ends, default=0.0), 3 * core))


def _margins(plot: Plot, panel: Panel, lines: list[tuple[Row, int]]) -> None:
    """Shade what doesn't matter; lines with one margin share a band."""
    margins = [plot.facts.margins[row.benchmark, row.metric.name] for row, _ in lines]
    start = 0
    for index in range(1, len(lines) + 1):
        if index < len(lines) and margins[index] == margins[start]:
            continue
        margin, top, bottom = margins[start], len(lines) - start, len(lines) - index
        if margin > 0:
            corners = np.array([-margin, margin, margin, -margin]), np.array([bottom, bottom, top, top])
            panel.sheet.area(*panel.at(*corners), GREY, alpha=0.18, name="margin")
        start = index


def _mark(panel: Panel, change: Change | None, y: float, half: float, index: int) -> None:
    """One change; where the interval goes on beyond the axis, an arrow stands at its end."""
    if change is None or not math.isfinite(change.change):
        at = panel.at(0.0, y)
        text = change.verdict if change and change.verdict == "missing" else "no percentage"
        panel.sheet.text(float(at[0]) + 6, float(at[1]) - 2.8, text, colour=GREY, name=f"line-{index} none")
        return
    look = VERDICT_LOOKS.get(change.verdict, VERDICT_LOOKS["undecided"])
    low, high = change.interval
    if not (math.isnan(low) or math.isnan(high)):
        ends = panel.at(np.clip([low, high], -half, half), np.full(2, y))
        panel.sheet.line(*ends, Look(look.colour, "", "-"), f"line-{index} interval", 1.2)
        for end, beyond, arrow in ((0, low < -half, "<"), (1, high > half, ">")):
            if beyond:
                panel.sheet.dots(ends[0][end : end + 1], ends[1][end : end + 1], Look(look.colour, arrow, "-"))
    point = np.clip([change.change], -half, half)
    panel.sheet.dots(*panel.at(point, np.array([y])), look, f"line-{index} point {change.verdict}", 6.0)


def _change_told(text: str, change: Change | None) -> str:
    if change is None:
        return f"{text}: no value."
    if not math.isfinite(change.change):
        return f"{text}: {change.verdict}."
    low, high = (signed(end) for end in change.interval)
    interval = f" [{low}, {high}]" if math.isfinite(sum(change.interval)) else ""
    return f"{text}: {signed(change.change)} %{interval}, {change.verdict}."


def signed(value: float) -> str:
    """A change with its sign and as many digits as mean something."""
    return rounded(value) if value <= 0 or math.isnan(value) else f"+{rounded(value)}"
