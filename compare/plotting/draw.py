"""One plot as SVG for a page, or as the content of a file."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from compare_kernels.plotting.engine import engine
from compare_kernels.plotting.lines import draw_curves, draw_ecdf, draw_order, draw_percentiles
from compare_kernels.plotting.names import in_full, shortened
from compare_kernels.plotting.strips import draw_distribution, draw_forest
from compare_kernels.plotting.svg import minimised

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.plotting.catalogue import Kind, Plot
    from compare_kernels.plotting.sheet import Sheet

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)

_PAINTERS: dict[Kind, Callable[[Plot], tuple[Sheet, str]]] = {
    "forest": draw_forest,
    "curve": draw_curves,
    "percentiles": draw_percentiles,
    "distribution": draw_distribution,
    "ecdf": draw_ecdf,
    "order": draw_order,
}
_PNG_DPI = 144


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot that was drawn.

    Attributes:
        svg: the picture as an ``svg`` element that may stand in an HTML page as it is: no script, no style sheet,
            no reference to anything outside. Its texts are texts in DejaVu Sans, whose sizes the layout goes by;
            where that font is missing another one takes its place.
        alt: what it shows, with its numbers, as plain text that still has to be escaped.
        width: in CSS pixels.
        height: in CSS pixels.
    """

    svg: str
    alt: str
    width: float
    height: float


def draw(plot: Plot) -> Drawing:
    """Draw one plot; the same plot gives the same bytes with the same version of matplotlib."""
    with engine(plot.slug):
        sheet, alt = _painted(plot)
        source = _written(sheet, "svg", {"Date": None, "Creator": None, "Format": None, "Type": None}, 72)
    text = minimised(source.decode("utf-8"), plot.slug, shortened(plot.title, 200), alt)
    return Drawing(text, alt, float(sheet.figure.get_figwidth() * 72), round(sheet.height, 2))


def file_content(plot: Plot, kind: Format = "svg") -> bytes:
    """The plot as the content of a file: an SVG in UTF-8, a PNG with 144 dots an inch, or a PDF of one page."""
    if kind == "svg":
        return draw(plot).svg.encode("utf-8")
    nothing: dict[str, Any] = {"Software": None}
    if kind == "pdf":
        nothing = {"CreationDate": None, "Creator": None, "Producer": None}
    with engine(plot.slug):
        sheet, _ = _painted(plot)
        return _written(sheet, kind, nothing, _PNG_DPI if kind == "png" else 72)


def _painted(plot: Plot) -> tuple[Sheet, str]:
    with np.errstate(all="ignore"):
        sheet, said = _PAINTERS[plot.kind](plot)
    names = plot.facts.names
    kernels = names.told(plot.kernels)
    title = in_full({shortened(plot.title, 200): plot.title})
    return sheet, f"{shortened(plot.title, 200)}. {said}{kernels}{title}"


def _written(sheet: Sheet, kind: Format, metadata: dict[str, Any], dpi: int) -> bytes:
    content = io.BytesIO()
    sheet.figure.savefig(content, format=kind, metadata=metadata, dpi=dpi)
    return content.getvalue()
