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
from compare_kernels.plotting.catalogue import plots_of
from compare_kernels.plotting.files import write_plots as write_files
from compare_kernels.reading import stored
from compare_kernels.reading.discover import Input, discover, mmtests_inputs, parse_inputs
from compare_kernels.reading.ingest import read_files
from compare_kernels.reading.recognise import all_metrics, plug_in_faults
from compare_kernels.reading.runs import gather
from compare_kernels.reporting import view
from compare_kernels.reporting.calibration import calibration_text
from compare_kernels.reporting.datasets import data_sets
from compare_kernels.reporting.explain import explain_rows
from compare_kernels.reporting.fit import fitted, plain, unmistakable
from compare_kernels.reporting.mmtests_rules import default_metrics, mmtests_2020_tables
from compare_kernels.reporting.render import DEFAULT_STYLE, Style, builtin_styles, find_style, render_report
from compare_kernels.reporting.summary import build_summaries
from compare_kernels.samples import Samples, build_samples
from compare_kernels.selection import Selection
from compare_kernels.text import printable

if TYPE_CHECKING:
    from compare_kernels.plotting.draw import Format
    from compare_kernels.reading.runs import KernelRun


def load(*inputs: str | os.PathLike[str]) -> Samples:
    """Read the results of two kernels or more.

    Args:
        *inputs: directories (of any depth) or files, each a path or ``label=path``; the first is the baseline. A file
            that the style ``json`` wrote stands for its kernels, or for the one that the label names.

    Returns:
        All samples as one dataframe (``.frame``) with what its categories mean. Whatever was wrong with a file stands
        in ``.diagnostics``.

    Raises:
        UsageError: if an input doesn't exist or labels clash.
    """
    return _load(parse_inputs([os.fspath(item) for item in inputs]))


def load_mmtests(directory: str | os.PathLike[str], baseline: str | None = None, *others: str) -> Samples:
    """Read kernels from mmtests' log directory (``work/log``).

    Args:
        directory: where the kernels' directories lie.
        baseline: name of the first kernel; without it all kernels are read in natural order of their names.
        *others: names of the others; without them all others follow the baseline.

    Raises:
        UsageError: if the directory or a kernel doesn't exist.
    """
    return _load(mmtests_inputs(str(directory), baseline, list(others)))


def _load(inputs: list[Input]) -> Samples:
    """Read directories, files of logs and files of stored results, in the order of the inputs."""
    kept = {index: stored.load(item.path) for index, item in enumerate(inputs) if _holds_results(item)}
    found = discover([item for index, item in enumerate(inputs) if index not in kept])
    kernels: list[str] = []
    plain: dict[int, int] = {}
    chosen: dict[int, dict[int, int]] = {}
    for index, item in enumerate(inputs):
        if index not in kept:
            plain[len(plain)] = len(kernels)
            kernels.append(item.label)
            continue
        names = _kernels_of(item, kept[index].kernels)
        chosen[index] = {old: len(kernels) + new for new, old in enumerate(names)}
        kernels += names.values()
    for name in kernels:
        if kernels.count(name) > 1:
            raise UsageError(f"two kernels are called {name!r}: give each its own label (NAME=PATH)")
    results = read_files([replace(source, kernel=plain[source.kernel]) for source in found.files])
    runs: list[KernelRun] = []
    metrics: dict[str, tuple[str, ...]] = {}
    diagnostics = list(found.diagnostics)
    for index, held in kept.items():
        files, more = stored.shifted(held, chosen[index], len(results))
        results += files
        runs += more
        metrics |= held.metrics
        diagnostics += held.diagnostics
    gathered = gather(results, runs, metrics)
    return build_samples(gathered, tuple(kernels), (*diagnostics, *plug_in_faults()))


def is_stored(argument: str) -> bool:
    """Whether an input, a path or ``label=path``, is a file that the style ``json`` wrote.

    Raises:
        UsageError: if it doesn't exist.
    """
    return _holds_results(parse_inputs([argument])[0])


def _holds_results(item: Input) -> bool:
    return Path(item.path).is_file() and stored.is_stored(item.path)


def _kernels_of(item: Input, names: tuple[str, ...]) -> dict[int, str]:
    """Index and name of the kernels wanted of a file: all, the one that is named, or the only one with a new name."""
    if not item.named:
        return dict(enumerate(names))
    if item.label in names:
        return {names.index(item.label): item.label}
    if len(names) == 1:
        return {0: item.label}
    raise UsageError(f"{item.path}: no kernel {item.label!r} there; it holds {', '.join(names)}")


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
        known = [(parser, metric.name) for parser, metric in all_metrics()]
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
        layout: legend, summary, choice and order of rows.
        color: whether significant changes are coloured by terminal escapes.

    Raises:
        UsageError: if there is no such style, or it has no table for what was selected.
    """
    chosen = find_style(style)
    if chosen.write:
        return chosen.write(comparison)
    layout = layout or view.Layout()
    return render_as(build_report(comparison, chosen, layout), chosen, layout, color=color)


def render_as(report: view.Report, style: Style, layout: view.Layout, *, color: bool = False) -> str:
    """Render the view model of `build_report` with the layout's width and characters.

    Raises:
        UsageError: if the template of a plug-in is wrong.
    """
    if layout.ascii:
        report = replace(report, plus_minus="+-")
    if layout.width:
        report = fitted(report, layout.width, lambda part: render_report(part, style))
    text = render_report(report, style, color=color)
    if layout.ascii:
        text = plain(text)
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

    The byte-compatible styles report other metrics than the rest, and call operations by other names.

    Raises:
        UsageError, NothingToCompareError: as `compare`.
    """
    if not style.rules:
        return compare(samples, selection, rules)
    measured = {name for _, name in samples.metrics}
    metrics = selection.metrics or tuple(name for name in default_metrics() if name in measured)
    comparison = compare(samples, replace(selection, metrics=metrics, sub_heading=""), rules)
    return replace(comparison, selection=replace(selection, metrics=metrics))


def build_report(comparison: Comparison, style: Style, layout: view.Layout | None = None) -> view.Report:
    """Make the view model that a style's template gets; the arguments are those of `render`."""
    layout = layout or view.Layout()
    for what, given in (("title", layout.title), ("names", layout.names)):
        if given and not style.shows(what):
            able = ", ".join(other.name for other in builtin_styles().values() if other.shows(what))
            option = "--title" if what == "title" else "--legend"
            raise UsageError(f"style {style.name} has no place for {option}; these have one: {able}")
    everything, selection = comparison.everything, comparison.selection
    if style.rules == "mmtests-2020":
        tables = mmtests_2020_tables(everything, selection)
        if not tables:
            raise UsageError(f"style {style.name} has no table for what was measured")
    else:
        tables = view.build_tables(comparison, layout, data_sets(comparison) if style.shows_runs else {})
    shown = {table.metric.name for table in tables} | {name for _, name in comparison.samples.metrics}
    hidden = [
        metric
        for (label, _), metric in everything.metrics.items()
        if metric.name not in shown and selection.wants_benchmark(everything.benchmarks[label])
    ]
    return view.Report(
        tables,
        comparison.diagnostics,
        view.account(everything.files, comparison.diagnostics),
        view.hidden_line(hidden),
        layout.legend,
        build_summaries(comparison) if layout.summary and style.summarises else (),
        f"{100 * (1 - comparison.rules.alpha):.1f}",
        title=printable(layout.title),
        names=_meanings(comparison.samples.kernels, layout.names),
    )


def _meanings(kernels: tuple[str, ...], names: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for name, _ in names:
        if name not in kernels:
            raise UsageError(f"--legend: no kernel is called {printable(name)!r}; there are {', '.join(kernels)}")
    return tuple((printable(name), printable(meaning)) for name, meaning in names)
