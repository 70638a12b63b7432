"""Report to text: finds the style's template and fills it. A style is a template; nothing else has to know of it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.reporting import formats
from compare_kernels.text import without_escapes

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from jinja2 import Environment, Template

    from compare_kernels.comparison import Comparison
    from compare_kernels.reporting.view import Cell, Layout, Report

ENTRY_POINT_GROUP = "compare_kernels.styles"
DEFAULT_STYLE = "mmtests"

_NAME = re.compile(r"([a-z0-9-]+)\.(txt|md|html)\.j2")
_ABOUT = re.compile(r"\{#-? (title|rules|blanks): (.*?) -?#\}")


@dataclass(frozen=True, slots=True)
class Style:
    """A template and what its head says about it in comments such as ``{# title: ... #}``.

    Attributes:
        name: what ``--style`` takes: the file's name without endings.
        title: one line for ``compare-kernels list styles``.
        source: the template.
        rules: the rule set that makes its tables (``mmtests-2020``); empty for the usual one.
        html: whether values are escaped for HTML.
        keeps_blanks: whether blanks at the ends of lines stay where they are (``{# blanks: kept #}``).
        write: makes the text of a comparison, if code does that and no template.
        ending: of a file in this style, such as ``txt`` or ``json``.
    """

    name: str
    title: str
    source: str
    rules: str
    html: bool
    keeps_blanks: bool = False
    write: Callable[[Comparison], str] | None = None
    ending: str = "txt"

    @property
    def summarises(self) -> bool:
        """Whether it shows the summary, which costs time to make."""
        return "_summary.txt.j2" in self.source or "report.summaries" in self.source

    def shows(self, what: str) -> bool:
        """Whether it has a place for ``title`` or ``names`` of a report."""
        return f"report.{what}" in self.source or "_head.txt.j2" in self.source

    @property
    def shows_rows(self) -> bool:
        """Whether it shows anything of what was measured."""
        return self.summarises or self.write is not None or "report.tables" in self.source

    @property
    def shows_runs(self) -> bool:
        """Whether it shows the data sets of rows, which cost time to make."""
        return "row.datasets" in self.source

    @property
    def is_page(self) -> bool:
        """Whether it shows what `compare_kernels.reporting.page.Page` adds to a report."""
        return "report.views" in self.source

    @property
    def has_ratios(self) -> bool:
        """Whether it has tables of ratios."""
        return "_mmtests.txt.j2" in self.source or "report.ratios" in self.source

    def check(self, layout: Layout) -> None:
        """Complain about a choice that the style can't follow.

        Raises:
            UsageError: names the style and the options.
        """
        if self.rules and (layout.only_changed or layout.sort):
            raise UsageError(f"style {self.name} has its own rows: --only-changed and --sort don't go with it")
        if layout.ratio and not self.has_ratios:
            known = ", ".join(style.name for style in builtin_styles().values() if style.has_ratios)
            raise UsageError(f"style {self.name} has no table for --ratio, as these have: {known}")
        for what, given, option in (("title", layout.title, "--title"), ("names", layout.names, "--legend")):
            if given and not self.shows(what):
                able = ", ".join(style.name for style in builtin_styles().values() if style.shows(what))
                raise UsageError(f"style {self.name} has no place for {option}, as these have: {able}")


@cache
def builtin_styles() -> dict[str, Style]:
    """The styles in ``compare_kernels.templates`` by name, then those that code writes."""
    written = {
        "csv": Style("csv", "a row for each number, in full precision", "", "", html=False, write=_csv, ending="csv"),
        "json": Style(
            "json", "everything, to be read by programs and compared again", "", "", html=False, write=_json
        ),
    }
    return {**_styles_in(resources.files("compare_kernels.templates")), **written}


def _csv(comparison: Comparison) -> str:
    from compare_kernels.reporting.data import csv_text

    return csv_text(comparison)


def _json(comparison: Comparison) -> str:
    from compare_kernels.reporting.data import json_text

    return json_text(comparison)


@cache
def plugged_styles() -> tuple[dict[str, Style], tuple[Diagnostic, ...]]:
    """Styles that other distributions offer, by name, and what was wrong with some.

    An entry point of the group names a package that holds templates; each template in it is a style.
    """
    from importlib.metadata import entry_points

    styles: dict[str, Style] = {}
    diagnostics = []
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (point.name, point.value)):
        problem = ""
        try:
            offered = _styles_in(resources.files(point.value))
        except Exception as error:  # whatever a stranger's package raises
            offered, problem = {}, f"{type(error).__name__}: {error}"
        taken = sorted(set(offered) & (set(styles) | set(builtin_styles())))
        problem = problem or (f"names are taken: {', '.join(taken)}" if taken else "")
        if problem:
            diagnostics.append(
                Diagnostic(Severity.WARNING, "plug-in", f"style {point.name} ({point.value}): {problem}")
            )
        styles |= {name: style for name, style in offered.items() if name not in taken}
    return styles, tuple(diagnostics)


def find_style(name: str) -> Style:
    """Return a style by name; entry points are asked only for a name that isn't built in.

    Raises:
        UsageError: if there is none.
    """
    if name in builtin_styles():
        return builtin_styles()[name]
    plugged = plugged_styles()[0]
    if name in plugged:
        return plugged[name]
    import difflib

    known = [*builtin_styles(), *plugged]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise UsageError(f"no style {name!r}; {hint}")


def _styles_in(folder: Traversable) -> dict[str, Style]:
    styles = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if found := _NAME.fullmatch(PurePath(entry.name).name):
            source = entry.read_text(encoding="utf-8")
            about = dict(_ABOUT.findall(source))
            styles[found[1]] = Style(
                found[1],
                about.get("title", ""),
                source,
                about.get("rules", ""),
                html=found[2] == "html",
                keeps_blanks=about.get("blanks") == "kept",
                ending=found[2],
            )
    return styles


def render_report(report: Report, style: Style, *, color: bool = False) -> str:
    """Fill the style's template.

    Args:
        report: the view model.
        style: the style, see `find_style`.
        color: whether significant changes are coloured by terminal escapes.

    Returns:
        Lines without trailing blanks unless the style keeps them, ending with a newline.

    Raises:
        UsageError: if the template of a plug-in is wrong.
    """
    from jinja2 import TemplateError

    try:
        text = _template(style, color=color).render(report=report)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        raise UsageError(f"style {style.name}{f', line {line}' if line else ''}: {error}") from error
    return (text if style.keeps_blanks else _stripped(text)).rstrip("\n") + "\n"


@cache
def _template(style: Style, *, color: bool) -> Template:
    """The style's template, translated once: a page renders each of its tables by itself."""
    from jinja2 import ChoiceLoader, DictLoader, PackageLoader

    environment = _environment(html=style.html, color=color)
    shared = PackageLoader("compare_kernels.templates", ".")
    environment.loader = ChoiceLoader([DictLoader({style.name: style.source}), shared])
    return environment.get_template(style.name)


def _stripped(text: str) -> str:
    """The text without blanks at the ends of lines."""
    return "\n".join(line.rstrip(" \t") for line in text.split("\n"))


def _environment(*, html: bool, color: bool) -> Environment:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined,
        autoescape=html,  # noqa: S701 (plain text isn't HTML)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "ljust": lambda text, width: str(text).ljust(width),
        "rjust": lambda text, width: str(text).rjust(width),
        "centre": _centre,
        "fixed": _fixed,
        "columns": _columns,
        "stripped": _stripped,
        "tint": _tint if color else _plain,
        "lkp_mean": formats.lkp_mean,
        "lkp_deviation": formats.lkp_deviation,
        "lkp_change": formats.lkp_change,
        "general": formats.general,
        "wrap": formats.wrap,
        "markdown": formats.markdown,
        "signed": lambda value, width, decimals: _fixed(value, width, decimals, sign="+"),
    }
    environment.globals["tab"] = "\t"
    return environment


def _centre(text: str, width: int) -> str:
    """Centre a text, with the odd blank behind it."""
    before = max(0, width - len(text)) // 2
    return (" " * before + text).ljust(width)


def _fixed(value: float, width: int, decimals: int, sign: str = "") -> str:
    """A number with fixed decimals, right-aligned; ``n/a`` in its place if there is none."""
    from compare_kernels.reporting.view import number_text

    text = number_text(value, decimals)
    return (sign + text if text[0].isdigit() else text).rjust(width)


def _columns(text: str, gap: int, left: int = 0) -> str:
    """Align what tabs separate: every column as wide as its longest text, with ``gap`` blanks between.

    The first ``left`` columns are aligned to the left, the others to the right. A line without a tab stands as it
    is, unless no line has one.
    """
    lines = [line.split("\t") for line in text.split("\n")]
    count = max(map(len, lines))
    table = [line for line in lines if len(line) > 1] or lines
    widths = [
        max((len(without_escapes(line[i])) for line in table if i < len(line)), default=0) for i in range(count)
    ]

    def padded(cell: str, column: int) -> str:
        blanks = " " * (widths[column] - len(without_escapes(cell)))
        return cell + blanks if column < left else blanks + cell

    return "\n".join(
        (" " * gap).join(padded(cell, column) for column, cell in enumerate(line)) if len(line) > 1 else line[0]
        for line in lines
    )


def _tint(text: str, cell: Cell) -> str:
    """Colour the text of a significant change: green is better, red is worse."""
    if not cell.significant or not math.isfinite(cell.delta):
        return text
    return f"\x1b[{32 if cell.delta > 0 else 31}m{text}\x1b[0m"


def _plain(text: str, _: Cell) -> str:
    return text
