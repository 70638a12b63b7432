"""The view model of the page: what a report holds, once for each baseline, with links and texts to copy."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from compare_kernels.comparison import compare_samples
from compare_kernels.errors import NothingToCompareError
from compare_kernels.reporting.forest import Forest, Scale, forest, scale_of
from compare_kernels.reporting.render import find_style, render_report
from compare_kernels.reporting.summary import build_summaries, row_name
from compare_kernels.reporting.view import Layout, Report, Side, Table, TableRow, build_tables, number_text
from compare_kernels.statistics.verdicts import VERDICTS
from compare_kernels.summarise import KEYS
from compare_kernels.text import printable
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compare_kernels.comparison import Comparison
    from compare_kernels.reporting.summary import KernelSummary

MOST_BASELINES = 6
"""Kernels up to which each of them can be chosen as the baseline."""

MOST_CELLS = 5000
"""Rows times kernels times kernels up to which the baseline can be chosen: a larger page would take 4 MB and more."""

SIGNS = {"regressed": "\u2212", "improved": "+", "unchanged": "=", "undecided": "?", "missing": "\u00d7"}

_PLAIN_ID = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_LONGEST_ID = 60

Key = tuple[str, str, str]
Plots = Mapping[tuple[str, str], tuple["Plot", ...]]
Judged = dict[tuple[str, str, str, str], dict[Hashable, Any]]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing that belongs to a table.

    Attributes:
        slug: a word for links, unique in its table.
        title: what it shows.
        svg: the drawing as an SVG element, in which all text from outside is escaped already.
        alt: what it shows, in a sentence for those who don't see it.
    """

    slug: str
    title: str
    svg: str
    alt: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows got a verdict.

    Attributes:
        verdict: one of the five words.
        sign: the character that stands for it.
        count: 1 or more.
    """

    verdict: str
    sign: str
    count: int


@dataclass(frozen=True, slots=True)
class PageCell:
    """One operation under one kernel.

    Attributes:
        side: texts and verdict.
        ratio: the mean divided by the baseline's, as text.
        cv: coefficient of variation in percent, as text; empty for a single value.
        sign: stands beside the verdict.
        forest: the drawing of the interval; None if there is no interval.
    """

    side: Side
    ratio: str
    cv: str
    sign: str
    forest: Forest | None


@dataclass(frozen=True, slots=True)
class PageRow:
    """One operation.

    Attributes:
        slug: target of links, the same in each report that has this row.
        row: the operation with its texts.
        cells: one for each kernel, the baseline first.
        verdicts: the verdicts that it got, separated by blanks.
    """

    slug: str
    row: TableRow
    cells: tuple[PageCell, ...]
    verdicts: str


@dataclass(frozen=True, slots=True)
class PageTable:
    """One metric of one benchmark.

    Attributes:
        slug: target of links.
        table: heading, columns, unit.
        rows: the operations.
        scale: what the drawings reach to, in words; empty if there are none.
        text: the table in the style ``mmtests``.
        plots: drawings below the table.
    """

    slug: str
    table: Table
    rows: tuple[PageRow, ...]
    scale: str
    text: str
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True, slots=True)
class PageBenchmark:
    """One benchmark.

    Attributes:
        slug: target of links.
        label: its name.
        counts: verdicts of all its rows under all kernels.
        tables: its metrics.
    """

    slug: str
    label: str
    counts: tuple[Count, ...]
    tables: tuple[PageTable, ...]


@dataclass(frozen=True, slots=True)
class PageSummary:
    """One kernel against the baseline.

    Attributes:
        summary: the same as texts.
        links: name of a row or a benchmark to the target of its link, where the name is not ambiguous.
    """

    summary: KernelSummary
    links: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PageView:
    """The report with one of the kernels as the baseline.

    Attributes:
        kernel: index of the baseline among the kernels of the report.
        name: the baseline's name, safe to print.
        counts: verdicts of all rows under all kernels.
        summaries: one for each other kernel.
        benchmarks: in the order of the report.
    """

    kernel: int
    name: str
    counts: tuple[Count, ...]
    summaries: tuple[PageSummary, ...]
    benchmarks: tuple[PageBenchmark, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A file that was found: path, kernel, status, parser and SHA-256 as texts."""

    path: str
    kernel: str
    status: str
    parser: str
    digest: str


@dataclass(frozen=True, slots=True)
class DiagnosticLine:
    """Something to know about the data: severity, place, message and slug as texts."""

    severity: str
    place: str
    message: str
    slug: str


@dataclass(frozen=True, slots=True)
class Page(Report):
    """A report as a page.

    Attributes:
        views: one for each kernel that may be the baseline, that of the report first.
        verdicts: the five words with their signs.
        said: the diagnostics, the gravest first.
        sources: the files that were found.
        options: name and value of what the comparison went by.
        version: of this program.
        script: the page's script, as its hash says.
        script_hash: SHA-256 of the script in base 64, by which a browser lets it run and no other.
    """

    views: tuple[PageView, ...] = ()
    verdicts: tuple[tuple[str, str], ...] = ()
    said: tuple[DiagnosticLine, ...] = ()
    sources: tuple[SourceLine, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    version: str = ""
    script: str = ""
    script_hash: str = ""


def build_page(
    comparison: Comparison,
    report: Report,
    layout: Layout,
    plots: Plots | None = None,
) -> Page:
    """Make the page of a report.

    Args:
        comparison: what the report is about.
        report: its view model, with tables.
        layout: choice and order of rows, summary and legend.
        plots: drawings of the tables, by benchmark's label and metric's name.
    """
    script = resources.files("compare_kernels.templates").joinpath("_html.js").read_text(encoding="utf-8")
    samples = comparison.samples
    return Page(
        **{field.name: getattr(report, field.name) for field in fields(report)},
        views=tuple(_views(comparison, report, layout, plots or {})),
        verdicts=tuple(SIGNS.items()),
        said=_diagnostics(comparison),
        sources=tuple(
            SourceLine(
                printable(file.source.path),
                printable(samples.kernels[file.source.kernel]),
                file.status,
                printable(file.parser),
                file.digest,
            )
            for file in samples.files
        ),
        options=_options(comparison),
        version=__version__,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
    )


def _views(comparison: Comparison, report: Report, layout: Layout, plots: Plots) -> Iterator[PageView]:
    """The report itself, then the same with each other kernel as the baseline, if there are not too many."""
    kernels = range(len(comparison.samples.kernels))
    yield _view(comparison, 0, report, layout, plots)
    cells = sum(len(table.rows) for table in report.tables) * len(kernels) ** 2
    if len(kernels) > MOST_BASELINES or cells > MOST_CELLS:
        return
    for kernel in kernels[1:]:
        samples = comparison.everything.with_baseline(kernel)
        try:
            other = compare_samples(samples, comparison.selection, comparison.rules)
        except NothingToCompareError:
            continue
        yield _view(other, kernel, replace(report, tables=build_tables(other, layout, {})), layout, {})


def _view(
    comparison: Comparison,
    kernel: int,
    report: Report,
    layout: Layout,
    plots: Plots,
) -> PageView:
    judged = _judged(comparison)
    tables: dict[str, list[PageTable]] = {}
    for key, table in _with_keys(comparison, report.tables):
        own = _table(key, table, comparison, judged, report)
        tables.setdefault(key[0], []).append(replace(own, plots=plots.get(key, ())))
    benchmarks = tuple(
        PageBenchmark(slug(label), printable(label), _counts(own), tuple(own)) for label, own in tables.items()
    )
    summaries = build_summaries(comparison) if layout.summary else ()
    links = _links(comparison, tables)
    return PageView(
        kernel,
        printable(comparison.samples.kernels[0]),
        _counts([table for own in tables.values() for table in own]),
        tuple(PageSummary(summary, links) for summary in summaries),
        benchmarks,
    )


def _judged(comparison: Comparison) -> Judged:
    frame = comparison.frame[comparison.frame["statistic"] == "mean"]
    return {
        (str(one["benchmark"]), str(one["metric"]), str(one["operation"]), str(one["kernel"])): one
        for one in frame.to_dict("records")
    }


def _with_keys(comparison: Comparison, tables: Iterable[Table]) -> Iterator[tuple[tuple[str, str], Table]]:
    """Each table with the benchmark's label and the metric's name as they were before they were made printable."""
    samples = comparison.samples
    named: dict[tuple[str, str], set[str]] = {}
    for label, metric, operation in samples.operations:
        named.setdefault((label, metric), set()).add(printable(operation))
    left = iter(named)
    for table in tables:
        rows = {row.operation.name for row in table.rows}
        for key in left:
            if printable(key[0]) == table.benchmark and samples.metrics[key] is table.metric and rows <= named[key]:
                yield key, table
                break


def _table(key: tuple[str, str], table: Table, comparison: Comparison, judged: Judged, report: Report) -> PageTable:
    kernels = comparison.samples.kernels
    names = _names(comparison, key, table)
    records = [[judged.get((*key, name, kernel), {}) for kernel in kernels] for name in names]
    scale = scale_of([_interval(record) for row in records for record in row])
    rows = tuple(
        _row((*key, name), row, own, scale) for name, row, own in zip(names, table.rows, records, strict=True)
    )
    alone = Report((table,), show_legend=report.show_legend, plus_minus=report.plus_minus)
    text = render_report(alone, find_style("mmtests")).strip("\n")
    return PageTable(slug(*key), table, rows, scale.text, text)


def _names(comparison: Comparison, key: tuple[str, str], table: Table) -> list[str]:
    """The names of a table's operations as they were before they were made printable."""
    raw: dict[str, list[str]] = {}
    for own in comparison.samples.operations:
        if own[:2] == key:
            raw.setdefault(printable(own[2]), []).append(own[2])
    return [raw[row.operation.name].pop(0) for row in table.rows]


def _interval(record: Mapping[Hashable, Any]) -> tuple[float, float, float]:
    """Lower end, estimate and upper end of a change in percent; NaN where there is none."""
    return (
        float(record.get("ci_low", math.nan)),
        float(record.get("change_pct", math.nan)),
        float(record.get("ci_high", math.nan)),
    )


def _row(key: Key, row: TableRow, records: list[dict[Hashable, Any]], scale: Scale) -> PageRow:
    cells = tuple(
        PageCell(
            side,
            number_text(side.ratio, 3),
            number_text(side.cv, 2) if side.n > 1 else "",
            SIGNS.get(side.verdict, ""),
            forest(_interval(record), scale),
        )
        for side, record in zip(row.sides, records, strict=True)
    )
    return PageRow(slug(*key), row, cells, " ".join(dict.fromkeys(side.verdict for side in row.sides[1:])))


def slug(*parts: str) -> str:
    """The target of links to a benchmark, a metric or an operation; no other parts give the same one."""
    texts = ["r"]
    for part in parts:
        if len(part) <= _LONGEST_ID and _PLAIN_ID.fullmatch(part):
            texts.append(part)
            continue
        short = re.sub(r"[^A-Za-z0-9]+", "-", part).strip("-")[: _LONGEST_ID // 2]
        digest = hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        texts.append(f"{short}~{digest}")
    return ".".join(texts)


def _counts(tables: Iterable[PageTable]) -> tuple[Count, ...]:
    counts = Counter(cell.side.verdict for table in tables for row in table.rows for cell in row.cells[1:])
    return tuple(Count(word, SIGNS[word], counts[word]) for word in VERDICTS if counts[word])


def _links(comparison: Comparison, tables: Mapping[str, list[PageTable]]) -> dict[str, str]:
    """Names of rows and benchmarks as a summary says them, to the targets that are on the page."""
    shown = {row.slug for own in tables.values() for table in own for row in table.rows}
    found: dict[str, set[str]] = {}
    for key in comparison.samples.operations:
        name = row_name(comparison, dict(zip(KEYS, key, strict=False)))
        found.setdefault(name, set()).add(slug(*key))
    links = {name: next(iter(slugs)) for name, slugs in found.items() if len(slugs) == 1 and slugs <= shown}
    return links | {printable(label): slug(label) for label in tables}


def _diagnostics(comparison: Comparison) -> tuple[DiagnosticLine, ...]:
    ordered = sorted(comparison.diagnostics, key=lambda item: -item.severity)
    return tuple(
        DiagnosticLine(item.severity.name.lower(), printable(item.place), printable(item.message), item.slug)
        for item in ordered
    )


def _options(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """What was asked for, and the rules of the comparison."""
    given = {**asdict(comparison.selection), **asdict(comparison.rules)}
    return tuple((name.replace("_", " "), printable(_value(value))) for name, value in given.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_value(own)}" for name, own in value.items()) or "none"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(_value, value)) or "all"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or "all"
