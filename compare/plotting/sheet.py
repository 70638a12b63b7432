"""The paper of a plot: title, legend and panels, in points (1/72 inch) from the lower left corner.

Axes of matplotlib are not used: what they cost for each plot would be most of the time of a page of plots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from compare_kernels.plotting.names import shortened
from compare_kernels.plotting.palette import GREY, GRID, INK, Look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.transforms import Affine2D

    from compare_kernels.plotting.scales import Scale

WIDTH = 560.0
EDGE = 12.0
_SMALL, _NORMAL, _TITLE = 8.0, 9.0, 11.0
_LINE = 13.0
_CHARACTER = 0.62
"""Width of an ordinary character, as part of the size of the font."""

CLASS = "class:"
"""Begins the identifiers of matplotlib that become classes in the SVG."""


def text_width(text: str, size: float = _SMALL) -> float:
    """About how wide a text is, in points."""
    return len(text) * _CHARACTER * size


class Sheet:
    """A drawing of one plot.

    Args:
        title: stands above everything.
        legend: names and looks of what is drawn; may be empty.
        height: of what is below the legend, in points.
        lines: whether the legend shows lines besides markers.
    """

    def __init__(self, title: str, legend: Sequence[tuple[str, Look]], height: float, *, lines: bool = True) -> None:
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D

        cell = max((text_width(name) for name, _ in legend), default=1.0) + 38
        columns = max(1, int((WIDTH - 2 * EDGE) // cell))
        rows = -(-len(legend) // columns)
        self._below = height
        self.height = height + 2 * EDGE + _LINE + 6 + rows * _LINE
        self.figure = Figure(figsize=(WIDTH / 72, self.height / 72), dpi=72, facecolor="white")
        self._transform: Affine2D = Affine2D().scale(1 / 72) + self.figure.dpi_scale_trans  # type: ignore[assignment]
        self.text(EDGE, self.height - EDGE - 8, shortened(title, 88), size=_TITLE, name="title")
        for index, (name, look) in enumerate(legend):
            x = EDGE + (index % columns) * cell
            y = self.height - EDGE - _LINE - 8 - (index // columns) * _LINE
            ends = np.array([x, x + 11, x + 22])
            middle = np.full(3, y + 2.8)
            if lines:
                self.line(ends, middle, look)
            self.dots(ends[1:2], middle[1:2], look)
            self.text(x + 28, y, name, name="legend")

    def panel(self, left: float, top: float, width: float, height: float, scales: tuple[Scale, Scale]) -> Panel:
        """A rectangle to draw in, placed by its upper left corner below title and legend."""
        return Panel(self, left, EDGE + self._below - top - height, width, height, *scales)

    def add(self, artist: Artist, name: str = "") -> None:
        """Add an artist of matplotlib; in the SVG it belongs to the classes that ``name`` lists."""
        artist.set_transform(self._transform)
        artist.set_clip_on(False)
        # What comes later lies above what came before.
        artist.set_zorder(len(self.figure.get_children()))
        if name:
            artist.set_gid(CLASS + name)
        self.figure.add_artist(artist)

    def text(
        self, x: float, y: float, text: str, *, size: float = _SMALL, name: str = "", colour: str = INK, **how: Any
    ) -> None:
        """Place a text; ``how`` goes to matplotlib (``ha``, ``va``, ``rotation``)."""
        placed = self.figure.text(x, y, text, fontsize=size, color=colour, transform=self._transform, **how)
        placed.set_zorder(len(self.figure.get_children()))
        if name:
            placed.set_gid(CLASS + name)

    def line(self, x: np.ndarray, y: np.ndarray, look: Look, name: str = "", width: float = 1.3) -> None:
        """Draw a line through points; NaN leaves a gap."""
        from matplotlib.lines import Line2D

        drawn = Line2D(x, y, color=look.colour, linestyle="-", linewidth=width, dash_capstyle="butt")
        drawn.set_linestyle(look.dash)
        drawn.set_solid_joinstyle("round")
        self.add(drawn, name)

    def dots(self, x: np.ndarray, y: np.ndarray, look: Look, name: str = "", size: float = 4.5) -> None:
        """Draw a marker at each point."""
        from matplotlib.lines import Line2D

        hollow = look.colour == GREY or look.marker == "x"
        face = "white" if hollow else look.colour
        self.add(
            Line2D(
                x,
                y,
                linestyle="",
                marker=look.marker,
                markersize=size,
                markerfacecolor=face,
                markeredgecolor=look.colour if hollow else "white",
                markeredgewidth=1.0 if hollow else 0.4,
            ),
            name,
        )

    def area(
        self, x: np.ndarray, y: np.ndarray, colour: str, *, alpha: float, name: str = "", edge: float = 0
    ) -> None:
        """Fill the polygon through the points."""
        from matplotlib.patches import Polygon

        shape = Polygon(np.column_stack([x, y]), closed=True, facecolor=colour, alpha=alpha)
        shape.set_edgecolor(colour if edge else "none")
        shape.set_linewidth(edge)
        self.add(shape, name)


@dataclass
class Panel:
    """A rectangle of a sheet with two scales.

    Attributes:
        sheet: the sheet.
        left: left end in points.
        bottom: lower end in points.
        width: in points.
        height: in points.
        x: the horizontal scale.
        y: the vertical scale.
    """

    sheet: Sheet
    left: float
    bottom: float
    width: float
    height: float
    x: Scale
    y: Scale

    def at(self, x: np.ndarray | float, y: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Points on the sheet for values on the two scales."""
        return self.left + self.width * self.x.place(x), self.bottom + self.height * self.y.place(y)

    def frame(self, x_text: str, y_text: str, heading: str = "") -> None:
        """Draw grid, ticks with their numbers, the texts of the axes and a heading."""
        self._ticks_below(x_text)
        self._ticks_beside(y_text)
        right, top = self.left + self.width, self.bottom + self.height
        corner = np.array([self.left, self.left, right]), np.array([top, self.bottom, self.bottom])
        self.sheet.line(*corner, Look(GREY, "", "-"), width=0.8)
        if heading:
            above = 5 + 11 * len(y_text.splitlines())
            self.sheet.text(self.left, top + above, heading, size=_NORMAL, name="heading")

    def _ticks_below(self, label: str) -> None:
        places = [
            self.left + self.width * (place - self.x.low) / (self.x.high - self.x.low) for place, _ in self.x.ticks
        ]
        for x, (_, text) in zip(places, self.x.ticks, strict=True):
            self.sheet.text(x, self.bottom - 11, text, ha="center", name="x-tick")
        self._grid([(x, x) for x in places], [(self.bottom, self.bottom + self.height)] * len(places))
        middle = self.left + self.width / 2
        self.sheet.text(middle, self.bottom - 24, label, ha="center", size=_NORMAL, name="x-label")

    def _ticks_beside(self, label: str) -> None:
        span = self.y.high - self.y.low
        places = [self.bottom + self.height * (place - self.y.low) / span for place, _ in self.y.ticks]
        for y, (_, text) in zip(places, self.y.ticks, strict=True):
            self.sheet.text(self.left - 5, y - 2.9, text, ha="right", name="y-tick")
        self._grid([(self.left, self.left + self.width)] * len(places), [(y, y) for y in places])
        for line, text in enumerate(reversed(label.splitlines())):
            self.sheet.text(self.left, self.bottom + self.height + 5 + 11 * line, text, name="y-label")

    def _grid(self, x: list[tuple[float, float]], y: list[tuple[float, float]]) -> None:
        """All lines of a grid as one path."""
        if x:
            across, up = (np.array([(*ends, np.nan) for ends in lines]).ravel() for lines in (x, y))
            self.sheet.line(across, up, Look(GRID, "", "-"), width=0.6)
