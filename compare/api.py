"""The library: read directories, compare kernels, make a report. The command is a thin shell over this.

samples = load("base/", "patched/")
comparison = compare(samples)
print(render(comparison), end="")
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.calibration import calibrate as calibrate_samples
from compare_kernels.comparison import Comparison, compare_samples
from compare_kernels.config import Rules, check
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.posted.check import Checked, check_tables
from compare_kernels.posted.folders import mail_files
from compare_kernels.posted.mail import texts_in
from compare_kernels.posted.readers import read_tables
from compare_kernels.reading.decompress import read_content, unpack
from compare_kernels.reading.discover import Input, discover, mmtests_inputs, parse_inputs
from compare_kernels.reading.ingest import read_file
from compare_kernels.reading.recognise import all_metrics, plug_in_faults
from compare_kernels.reading.runs import gather
from compare_kernels.reporting import view
from compare_kernels.reporting.calibration import calibration_text
from compare_kernels.reporting.explain import explain_rows
from compare_kernels.reporting.mmtests_rules import default_metrics, mmtests_2020_tables
from compare_kernels.reporting.render import DEFAULT_STYLE, Style, find_style, render_report
from compare_kernels.reporting.summary import build_summaries
from compare_kernels.samples import Samples, build_samples
from compare_kernels.selection import Selection

if TYPE_CHECKING:
    import os

    from compare_kernels.posted.model import PostedTable


def load(*inputs: str | os.PathLike[str]) -> Samples:
    """Read the results of two kernels or more.

    Args:
        *inputs: directories (of any depth) or files, each a path or ``label=path``; the first is the baseline.

    Returns:
        All samples as one dataframe (``.frame``) with what its categories mean. Whatever was wrong with a file stands
        in ``.diagnostics``.

    Raises:
        UsageError: if an input doesn't exist or labels clash.
    """
    import os

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
    found = discover(inputs)
    gathered = gather([read_file(source) for source in found.files])
    return build_samples(gathered, found.kernels, (*found.diagnostics, *plug_in_faults()))


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
    return render_report(build_report(comparison, chosen, layout), chosen, color=color)


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
    everything, selection = comparison.everything, comparison.selection
    if style.rules == "mmtests-2020":
        tables = mmtests_2020_tables(everything, selection)
        if not tables:
            raise UsageError(f"style {style.name} has no table for what was measured")
    else:
        tables = view.build_tables(comparison, layout)
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
    )


def read_posted(
    *paths: str | os.PathLike[str], standard_input: bytes | None = None
) -> tuple[list[PostedTable], list[Diagnostic]]:
    """Read the tables that people posted in mails and texts.

    Args:
        *paths: mails, mboxes, maildirs, folders of mails or plain texts, compressed or not.
        standard_input: what to read for the path ``-``; without it, ``-`` is a file's name.

    Returns:
        The tables in their order, and what was wrong with files.

    Raises:
        UsageError: if a path doesn't exist.
    """
    import os

    tables: list[PostedTable] = []
    diagnostics: list[Diagnostic] = []
    for given in paths:
        path = os.fspath(given)
        if path == "-" and standard_input is not None:
            contents = [("standard input", unpack(standard_input))]
        elif not os.path.exists(path):  # noqa: PTH110
            raise UsageError(f"{path} does not exist")
        else:
            contents = [(name, read_content(name)) for name in mail_files(path)]
        for name, content in contents:
            if content.problem:
                diagnostics.append(Diagnostic(Severity.WARNING, "unreadable", content.problem, name))
            for text in texts_in(content.data, name):
                tables += read_tables(text)
    return tables, diagnostics


def check_posted(tables: list[PostedTable]) -> Checked:
    """Check the arithmetic of posted tables: recompute all that can be, within the printed digits."""
    return check_tables(tables)
