"""The library: read directories, compare kernels, make a report. The command is a thin shell over this.

samples = load("base/", "patched/")
comparison = compare(samples)
print(render(comparison), end="")
"""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.calibration import calibrate as calibrate_samples
from compare_kernels.comparison import Comparison, compare_samples
from compare_kernels.config import Rules, check
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.loading import holds_results, load_inputs, posted_in
from compare_kernels.reading.discover import mmtests_inputs, parse_inputs
from compare_kernels.reading.recognise import all_metrics
from compare_kernels.reporting import view
from compare_kernels.reporting.calibration import calibration_text
from compare_kernels.reporting.datasets import data_sets
from compare_kernels.reporting.explain import explain_rows
from compare_kernels.reporting.fit import fitted, plain, unmistakable
from compare_kernels.reporting.mmtests.choice import ERAS, default_metrics
from compare_kernels.reporting.mmtests.ratios import mmtests_ratios
from compare_kernels.reporting.mmtests.tables import mmtests_tables
from compare_kernels.reporting.page import Plot, Plots, build_page
from compare_kernels.reporting.render import DEFAULT_STYLE, Style, find_style, render_report
from compare_kernels.reporting.summary import build_summaries
from compare_kernels.selection import Selection
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compare_kernels.model import Diagnostic
    from compare_kernels.plotting.draw import Format
    from compare_kernels.posted.check import Checked
    from compare_kernels.posted.model import PostedTable
    from compare_kernels.reporting.mmtests.ratios import RatioTable
    from compare_kernels.reporting.mmtests.rules import Era
    from compare_kernels.samples import Samples

    AnyPath = str | os.PathLike[str]


def load(*inputs: AnyPath, descriptions: Iterable[AnyPath] = (), settings: AnyPath | None = None) -> Samples:
    """Read the results of two kernels or more.

    Args:
        *inputs: directories (of any depth) or files, each a path or ``label=path``; the first is the baseline. A file
            that the style ``json`` wrote stands for its kernels, or for the one that the label names.
        descriptions: files that describe benchmarks (TOML), besides those that lie among the results.
        settings: the file that the rules come from; if it lies among the results, it's none of them.

    Returns:
        All samples as one dataframe (``.frame``) with what its categories mean. Whatever was wrong with a file stands
        in ``.diagnostics``.

    Raises:
        UsageError: if an input doesn't exist, labels clash, or one of ``descriptions`` is wrong.
    """
    return load_inputs(parse_inputs([os.fspath(item) for item in inputs]), descriptions, settings)


def load_mmtests(
    directory: AnyPath,
    baseline: str | None = None,
    *others: str,
    descriptions: Iterable[AnyPath] = (),
    settings: AnyPath | None = None,
) -> Samples:
    """Read kernels from mmtests' log directory (``work/log``).

    Args:
        directory: where the kernels' directories lie.
        baseline: name of the first kernel; without it all kernels are read in natural order of their names.
        *others: names of the others; without them all others follow the baseline.
        descriptions: as for `load`.
        settings: as for `load`.

    Raises:
        UsageError: if the directory or a kernel doesn't exist, or one of ``descriptions`` is wrong.
    """
    return load_inputs(mmtests_inputs(str(directory), baseline, list(others)), descriptions, settings)


def is_stored(argument: str) -> bool:
    """Whether an input, a path or ``label=path``, is a file that the style ``json`` wrote.

    Raises:
        UsageError: if it doesn't exist.
    """
    return holds_results(parse_inputs([argument])[0])


def compare(samples: Samples, selection: Selection | None = None, rules: Rules | None = None) -> Comparison:
    """Compare each kernel with the first.

    Args:
        samples: from `load`.
        selection: which benchmarks and metrics; by default the main metrics of all.
        rules: level, margin, test, correction; by default those of `compare_kernels.config.Rules`.

    Returns:
        The comparison with three dataframes: ``.frame`` (changes, tests, intervals), ``.summary`` (descriptive
        statistics) and ``.samples.frame``.

    Raises:
        UsageError: if the selection or the rules name something that doesn't exist.
        NothingToCompareError: if no kernel shares an operation with the baseline.
    """
    selection = selection or Selection()
    if len(samples.kernels) < 2:
        raise UsageError("a comparison needs two kernels or more")
    if samples.benchmarks:
        selection.check(samples.benchmarks, samples.metrics.values(), samples.operations.values())
    return compare_samples(samples, selection, _checked(rules or Rules(), samples))


def _checked(rules: Rules, samples: Samples) -> Rules:
    """The rules, if each metric that they name was measured, or could be by one of the parsers."""
    check(rules, "rules")
    measured = [(samples.benchmarks[label].parser, name) for label, name in samples.metrics]
    if rules.unmatched(measured):
        known = [(parser, metric.name) for parser, metric in all_metrics(samples.described)]
        for pattern in rules.unmatched([*measured, *known]):
            names = {name for _, name in known} | {f"{parser}/{name}" for parser, name in known}
            near = difflib.get_close_matches(pattern, sorted(names), 1, 0.3)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"no metric matches [metric.{pattern}]{hint}")
    return rules


def render(
    comparison: Comparison,
    style: str = DEFAULT_STYLE,
    *,
    layout: view.Layout | None = None,
    color: bool = False,
) -> str:
    """Render a comparison in one of the styles of ``compare-kernels list styles``.

    Args:
        comparison: from `compare`.
        style: name of the style.
        layout: legend, summary, choice and order of rows, ratios.
        color: whether significant changes are coloured by terminal escapes.

    Raises:
        UsageError: if there is no such style, it can't follow the layout, or it has no table for what was selected.
    """
    chosen = find_style(style)
    layout = layout or view.Layout()
    chosen.check(layout)
    if chosen.write:
        return chosen.write(comparison)
    return render_as(build_report(comparison, chosen, layout), chosen, layout, color=color)


def render_as(report: view.Report, style: Style, layout: view.Layout, *, color: bool = False) -> str:
    """Render the view model of `build_report` with the layout's width and characters.

    Raises:
        UsageError: if the template of a plug-in is wrong.
    """
    if layout.ascii:
        report = replace(report, plus_minus="+-")
    if layout.width and not style.html:
        report = fitted(report, layout.width, lambda part: render_report(part, style))
    text = render_report(report, style, color=color)
    if layout.ascii:
        text = text.encode("ascii", "xmlcharrefreplace").decode("ascii") if style.html else plain(text)
    return unmistakable(text) if layout.mail else text


def export(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write the frame of the samples that are compared to a file: ``.csv`` or ``.parquet``.

    Raises:
        UsageError: for any other ending, if the file can't be written, or if the package for Parquet is missing.
    """
    target = Path(path)
    frame = comparison.samples.frame
    try:
        if target.suffix == ".csv":
            frame.to_csv(target, index=False, lineterminator="\n")
        elif target.suffix == ".parquet":
            frame.to_parquet(target, index=False)
        else:
            raise UsageError(f"{target}: samples are exported to .csv or .parquet")
    except ImportError as error:
        raise UsageError("Parquet needs a package more: pip install 'compare-kernels[parquet]'") from error
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror or error}") from error


def write_plots(comparison: Comparison, directory: str | os.PathLike[str], kind: Format = "svg") -> int:
    """Write all plots of a comparison to a directory and return their number.

    Args:
        comparison: from `compare`.
        directory: made if it is missing; files of the same names are replaced.
        kind: ``svg``, ``png`` or ``pdf``.

    Raises:
        UsageError: if the directory can't be made or a file not be written.
    """
    from compare_kernels.plotting.catalogue import plots_of
    from compare_kernels.plotting.files import write_plots as write_files

    return write_files(plots_of(comparison), directory, kind)


def calibrate(
    samples: Samples, selection: Selection | None = None, rules: Rules | None = None, splits: int = 200
) -> str:
    """Compare halves of the first kernel's runs many times, and tell in words how often they are called different.

    Args:
        samples: from `load`.
        selection: which benchmarks and metrics.
        rules: as for `compare`.
        splits: how many times the runs are split at random.

    Raises:
        NothingToCompareError: if no row has four runs or more.
    """
    selection = selection or Selection()
    rules = _checked(rules or Rules(), samples)
    if rules.unit == "sample":
        raise UsageError("a calibration splits runs: samples of one run can't be told apart from those of another")
    if samples.benchmarks:
        selection.check(samples.benchmarks, samples.metrics.values(), samples.operations.values())
    found = calibrate_samples(samples.select(selection.chooser(samples)), rules, splits)
    if not found.rows:
        raise NothingToCompareError("nothing to calibrate: no row has four runs or more")
    return calibration_text(found, rules)


def explain(comparison: Comparison, operation: str) -> str:
    """Tell all about the rows whose operation has this name or matches this pattern, in words.

    Raises:
        UsageError: if there is no such row.
    """
    return explain_rows(comparison, operation)


def compare_for(style: Style, samples: Samples, selection: Selection, rules: Rules) -> Comparison:
    """Compare what a style reports.

    The byte-compatible styles report other metrics than the rest, and call operations by other names. They show a
    kernel alone, too.

    Raises:
        UsageError, NothingToCompareError: as `compare`.
    """
    era = _era(style)
    if era is None:
        if style.shows_rows or samples.benchmarks or len(samples.kernels) < 2:
            return compare(samples, selection, rules)
        return compare_samples(samples, selection, check(rules, "rules"), machines_will_do=True)
    measured = {name for _, name in samples.metrics}
    metrics = selection.metrics or tuple(name for name in default_metrics(era) if name in measured)
    wider = replace(selection, metrics=metrics, sub_heading="")
    if samples.benchmarks:
        wider.check(samples.benchmarks, samples.metrics.values(), samples.operations.values())
    comparison = compare_samples(samples, wider, check(rules, "rules"))
    return replace(comparison, selection=selection)


def _era(style: Style) -> Era | None:
    """The revision of mmtests that a style follows; None for one of our own."""
    if style.rules and style.rules not in ERAS:
        raise UsageError(f"style {style.name} names unknown rules {style.rules!r}; known: {', '.join(ERAS)}")
    return ERAS.get(style.rules)


def build_report(comparison: Comparison, style: Style, layout: view.Layout | None = None) -> view.Report:
    """Make the view model that a style's template gets; the arguments are those of `render`."""
    layout = layout or view.Layout()
    style.check(layout)
    era = _era(style)
    everything, selection = comparison.everything, comparison.selection
    tables: tuple[view.Table, ...] = ()
    ratios: tuple[RatioTable, ...] = ()
    if era is None:
        tables = view.build_tables(comparison, layout, data_sets(comparison) if style.shows_runs else {})
    elif layout.ratio:
        ratios = mmtests_ratios(everything, selection, era, comparison.rules.seed)
    else:
        tables = mmtests_tables(everything, selection, era, comparison.rules.seed)
    if era and not (tables or ratios):
        begins = f", or no operation that it calls {selection.sub_heading!r}" if selection.sub_heading else ""
        raise UsageError(f"style {style.name} has no table for what was measured{begins}")
    shown = {table.metric.name for table in tables} | {name for _, name in comparison.samples.metrics}
    hidden = [
        metric
        for (label, _), metric in everything.metrics.items()
        if metric.name not in shown and selection.wants_benchmark(everything.benchmarks[label])
    ]
    report = view.Report(
        tables,
        comparison.diagnostics,
        view.account(everything.files, comparison.diagnostics),
        view.hidden_line(hidden),
        layout.legend,
        build_summaries(comparison) if layout.summary and style.summarises else (),
        f"{100 * (1 - comparison.rules.alpha):.1f}",
        title=printable(layout.title),
        names=_meanings(comparison.samples.kernels, layout.names),
        environment=view.environment_rows(comparison),
        described=sum(map(bool, comparison.samples.environments)) > 1,
        columns=view.kernel_columns(comparison.samples.kernels),
        ratios=ratios,
    )
    return build_page(comparison, report, layout, _drawings(comparison)) if style.is_page else report


_MOST_PLOTS = 30
"""Plots in a page, which shall stay small; ``--plots`` writes all of them."""


def _drawings(comparison: Comparison) -> Plots:
    """The plots that are worth seeing, drawn, by benchmark and metric; those of a whole benchmark go to its first."""
    from compare_kernels.plotting.catalogue import plots_of, worth_seeing
    from compare_kernels.plotting.draw import draw

    first: dict[str, str] = {}
    for label, name in comparison.samples.metrics:
        first.setdefault(label, name)
    drawn: dict[tuple[str, str], tuple[Plot, ...]] = {}
    for plot in worth_seeing(plots_of(comparison), _MOST_PLOTS):
        drawing = draw(plot)
        key = plot.benchmark, plot.metric or first[plot.benchmark]
        drawn[key] = (*drawn.get(key, ()), Plot(plot.slug, plot.title, drawing.svg, drawing.alt))
    return drawn


def _meanings(kernels: tuple[str, ...], names: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for name, _ in names:
        if name not in kernels:
            raise UsageError(f"--legend: no kernel is called {printable(name)!r}; there are {', '.join(kernels)}")
    return tuple((printable(name), printable(meaning)) for name, meaning in names)


def check_posted(tables: list[PostedTable]) -> Checked:
    """Check the arithmetic of posted tables: recompute all that can be, within the printed digits."""
    from compare_kernels.posted.check import check_tables

    return check_tables(tables)


def render_posted(
    inputs: Sequence[AnyPath], style: str = DEFAULT_STYLE, *, layout: view.Layout | None = None
) -> tuple[str, tuple[Diagnostic, ...]] | None:
    """Render tables that people posted anew, or beside own results where benchmark and operation match.

    Args:
        inputs: as for `load`; a mail, mbox, maildir or text stands for its tables.
        style: name of the style; one of those that need samples is a usage error.
        layout: width and characters.

    Returns:
        The text and what has to be said; None if no input holds posted tables.

    Raises:
        UsageError: if the style can't show posted tables, or a label names no column.
        NothingToCompareError: if the post and the own results have nothing in common.
    """
    parsed = parse_inputs([os.fspath(item) for item in inputs])
    tables = {index: found for index, item in enumerate(parsed) if (found := posted_in(item))}
    if not tables:
        return None
    chosen = find_style(style)
    layout = layout or view.Layout()
    chosen.check(layout)
    if chosen.write or chosen.name in {"summary", "environment"}:
        raise UsageError(f"style {style} needs the values of runs, which a post doesn't have")
    from compare_kernels.reporting.joined import joined
    from compare_kernels.reporting.posted import posted_report

    posted = [table for of_input in tables.values() for table in of_input]
    counted = f"{len(posted)} posted table{'s' * (len(posted) != 1)}"
    own = [item for index, item in enumerate(parsed) if index not in tables]
    if not own:
        return render_as(posted_report(posted, counted), chosen, layout), ()
    samples = load_inputs(own)
    side_by_side = joined(posted, samples)
    if not side_by_side.tables:
        reasons = "; ".join(diagnostic.message for diagnostic in side_by_side.diagnostics)
        raise NothingToCompareError(f"nothing to compare: {reasons}")
    account = f"{counted}; {view.account(samples.files, samples.diagnostics)}"
    report = view.Report(side_by_side.tables, account=account, show_legend=False)
    return render_as(report, chosen, layout), (*samples.diagnostics, *side_by_side.diagnostics)
