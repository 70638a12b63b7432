"""From a comparison to what templates place on paper: tables, rows and cells whose texts are all made here."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compare_kernels.model import PLAIN_STATUSES, Diagnostic, FileStatus, Metric, Operation, Severity
from compare_kernels.reporting.names import split_kernel_name
from compare_kernels.summarise import BEST, KEYS, STATISTICS
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from compare_kernels.comparison import Comparison
    from compare_kernels.model import Benchmark, FileReport
    from compare_kernels.reporting.datasets import DataSet
    from compare_kernels.reporting.mmtests.ratios import RatioTable
    from compare_kernels.reporting.summary import KernelSummary

MISSING = "n/a"

_AVERAGES = {"arithmetic": "AMean", "harmonic": "HMean", "geometric": "GMean"}
_MEANS = {"arithmetic": "Amean", "harmonic": "Hmean", "geometric": "Gmean"}
_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": "no direction is better"}
_TESTS = {
    "welch": "Welch's t test",
    "mann-whitney": "exact rank-sum test",
    "permutation": "permutation test",
    "paired": "signed rank test",
}
_LONGEST_NUMBER = 1e21


@dataclass(frozen=True, slots=True)
class Cell:
    """One statistic of one operation under one kernel.

    Attributes:
        value: the number in the metric's unit; NaN if there is none.
        text: the number with the metric's decimals, or ``n/a``.
        delta: the change against the baseline in percent, positive is better; NaN if there is none.
        percent: the change with two decimals, or ``n/a``.
        significant: whether this is a mean that differs significantly.
    """

    value: float
    text: str
    delta: float
    percent: str
    significant: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One operation under one kernel.

    Attributes:
        cells: name of a statistic to its cell.
        ratio: mean divided by the baseline's mean; NaN if there is none.
        raw: the change of the mean in percent, positive is more; NaN if there is none.
        difference: the change of the mean in the metric's unit, positive is more; NaN if a side has no value.
        cv: coefficient of variation in percent; NaN for a single value.
        n: number of samples.
        runs: number of runs.
        verdict: one of the five words; empty for the baseline and for a monitor.
        interval: of the change in percent, positive is better, as ``[-1.20, 3.40]``; empty if there is none.
    """

    cells: Mapping[str, Cell]
    ratio: float = math.nan
    raw: float = math.nan
    difference: float = math.nan
    cv: float = math.nan
    n: int = 0
    runs: int = 0
    verdict: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One operation under all kernels, the baseline first.

    Attributes:
        operation: the operation; its name is safe to print.
        label: the operation in the words of the normalized tables, such as ``4-groups``.
        new_group: whether it begins another kind of rows than the one before.
        sides: one for each kernel.
        case: the operation without its parameter, or the metric where the parameter is all there is.
        load: the parameter with what it counts, such as ``8 clients``; empty if there is none.
        datasets: the runs of each kernel, for styles that show them.
        path: benchmark, metric and operation in one word, as the 0-day robot names its rows.
        absolute: whether a change is told as a difference, for the metric is a percentage already.
    """

    operation: Operation
    label: str
    new_group: bool
    sides: tuple[Side, ...]
    case: str = ""
    load: str = ""
    datasets: tuple[DataSet, ...] = ()
    path: str = ""
    absolute: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One kernel: its name, the name as two header lines, and how long its texts are.

    Attributes:
        name: the whole name, safe to print.
        above: the upper header line.
        below: the lower header line.
        value_length: length of the longest value in the table.
        percent_length: length of the longest percentage in the table.
        mean_length: length of the longest mean.
        mean_percent_length: length of the longest percentage of a mean.
        cv_length: length of the longest coefficient of variation with two decimals.
    """

    name: str
    above: str
    below: str
    value_length: int = 0
    percent_length: int = 0
    mean_length: int = 0
    mean_percent_length: int = 0
    cv_length: int = 0

    @property
    def name_length(self) -> int:
        """Length of the longer header line."""
        return max(len(self.above), len(self.below))

    @property
    def value_width(self) -> int:
        """Width of the value in the layout of mmtests: 12, or what keeps values and names apart."""
        return max(12, self.value_length + 1, self.name_length + 1 - self.percent_width - 4)

    @property
    def percent_width(self) -> int:
        """Width of the bare percentage in the layout of mmtests: 7, or what the longest one needs."""
        return max(7, self.percent_length)

    @property
    def pair_width(self) -> int:
        """Width of value and percentage in the layout of mmtests: 12 + 11, or more."""
        return self.value_width + self.percent_width + 4


@dataclass(frozen=True, slots=True)
class Table:
    """One metric of one benchmark.

    Attributes:
        heading: the benchmark's label and the metric's title.
        benchmark: the benchmark's label.
        metric: what is measured.
        columns: the kernels, the baseline first.
        statistics: key and label of the statistics, in the order of rows (``mean``: ``Amean``).
        rows: the operations.
        about: unit and direction, and what the numbers in the names of rows count.
        counts: number of runs of each kernel, and of samples where a run has several.
        marker: what the star on a row means.
        axes: name and value of what the runs have in common.
        section: of a posted table, the machine or group that it is about.
        rule_length: length of the rule below the section.
        continues: whether it is a further section under the head of the table before.
        column_label: of a posted table, what stands above the names of the rows.
        stretched_label: the same with the blanks that a post has in it, which move the line's rest to the right.
        units: of a posted table, what its values are, in words.
        average: of a posted table, the name of the mean as posted, which may be empty; None for our own tables.
    """

    heading: str
    benchmark: str
    metric: Metric
    columns: tuple[Column, ...]
    statistics: tuple[tuple[str, str], ...]
    rows: tuple[TableRow, ...]
    about: str
    counts: str
    marker: str
    axes: tuple[tuple[str, str], ...] = ()
    section: str = ""
    rule_length: int = 0
    continues: bool = False
    column_label: str = ""
    stretched_label: str = ""
    units: str = ""
    average: str | None = None

    @property
    def label_length(self) -> int:
        """Length of the longest label of a statistic."""
        return max(len(label) for _, label in self.statistics)

    @property
    def name_length(self) -> int:
        """Length of the longest operation's name."""
        return max(len(row.operation.name) for row in self.rows)

    @property
    def headline_rows(self) -> tuple[TableRow, ...]:
        """The rows of the series that stands for the metric in short styles; all rows if there is no such series."""
        own = tuple(row for row in self.rows if row.operation.series == self.metric.headline)
        return own if self.metric.headline and own else self.rows

    @property
    def row_label_length(self) -> int:
        """Length of the longest `TableRow.label` in the headline rows."""
        return max(len(row.label) for row in self.headline_rows)

    @property
    def has_cv(self) -> bool:
        """Whether any headline row has more than one value under some kernel."""
        return any(side.n > 1 for row in self.headline_rows for side in row.sides)

    def plain_width(self, column: Column) -> int:
        """Width of a monitor's values in the layout of mmtests: 12 or 15, or what keeps values and names apart."""
        least = 12 if self.metric.label == "Duration" else 15
        return max(least, column.mean_length + 1, column.name_length + 1)

    @property
    def unit_words(self) -> str:
        """What the normalized tables say of their values; of a posted table what the post says."""
        return f"Normalized {self.quantity}" if self.average is None else self.units

    @property
    def mean_name(self) -> str:
        """The mean in the words of the normalized tables; empty where a post doesn't say."""
        return _AVERAGES[self.metric.mean] if self.average is None else self.average

    @property
    def quantity(self) -> str:
        """What the headline rows measure, in words, such as ``99th percentile wakeup latency in us``."""
        words = self.metric.quantity or f"{self.metric.title or self.metric.name} in {self.metric.unit}"
        percentile = self.metric.headline.removesuffix("th").removesuffix(".0")
        of = f"{percentile}th percentile " if self.metric.headline.endswith("th") else ""
        return of + words


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """One fact about the machine in which another kernel differs from the baseline.

    Attributes:
        key: what it is, such as ``thp.enabled``.
        values: its value under each kernel, the baseline first; ``unknown`` where no file tells.
        matters: whether it may explain a change of performance.
        text: all of it in a line.
    """

    key: str
    values: tuple[str, ...]
    matters: bool
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that a style may show.

    Attributes:
        tables: in the order of a report.
        diagnostics: all of them.
        account: one line that counts files and diagnostics.
        hidden: one line that names metrics which were measured but not asked for; may be empty.
        show_legend: whether tables carry their legend.
        summaries: one for each kernel besides the baseline; none if the summary isn't wanted.
        confidence: level of the intervals in percent, as text.
        width: characters that a line may have; 0 for any number.
        plus_minus: the sign of a deviation.
        title: what the reader calls the report; may be empty.
        names: names of kernels with what they mean, as the reader told it.
        environment: facts about the machine in which kernels differ, those that matter first.
        described: whether files described the machine under two kernels or more.
        columns: the kernels, the baseline first.
        ratios: in the place of tables, if ratios are wanted.
    """

    tables: tuple[Table, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    account: str = ""
    hidden: str = ""
    show_legend: bool = True
    summaries: tuple[KernelSummary, ...] = ()
    confidence: str = ""
    width: int = 0
    plus_minus: str = "\u00b1"
    title: str = ""
    names: tuple[tuple[str, str], ...] = ()
    environment: tuple[EnvironmentRow, ...] = ()
    described: bool = False
    columns: tuple[Column, ...] = ()
    ratios: tuple[RatioTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """What a reader may choose about a report.

    Attributes:
        legend: whether tables say unit, direction, n and marker.
        summary: whether a style that has one begins with the summary.
        only_changed: whether only rows that regressed or improved are shown.
        sort: ``name``, ``change`` (worst first), ``p`` (surest first), or empty for the order of the benchmark.
        width: characters that a line may have, as far as names allow; tables become blocks of the baseline and as
            many kernels as fit. 0 for any number.
        ascii: whether only ASCII may be printed.
        mail: whether no line may begin in a way that mail tools or git take for something else.
        title: what the report is called.
        names: names of kernels with what they mean.
        ratio: whether a style that has them shows tables of ratios.
    """

    legend: bool = True
    summary: bool = True
    only_changed: bool = False
    sort: str = ""
    width: int = 0
    ascii: bool = False
    mail: bool = False
    title: str = ""
    names: tuple[tuple[str, str], ...] = ()
    ratio: bool = False


def build_tables(
    comparison: Comparison, layout: Layout, sets: Mapping[tuple[str, str, str], tuple[DataSet, ...]]
) -> tuple[Table, ...]:
    """Turn each metric of each benchmark into a table; one without rows is left out.

    Args:
        comparison: a comparison of two kernels or more.
        layout: choice and order of the rows.
        sets: the data sets of rows, by benchmark, metric and operation; empty if the style doesn't show them.
    """
    keys = _sort_keys(comparison, layout)
    samples = comparison.samples
    columns = kernel_columns(samples.kernels)
    sides = _sides(comparison)
    tables = []
    for label, name in samples.metrics:
        metric = samples.metrics[label, name]
        operations = [
            samples.operations[key] for key in samples.operations if key[:2] == (label, name) and key in keys
        ]
        operations.sort(key=lambda operation: keys[label, name, operation.name])
        if not operations:
            continue
        rows = []
        before: Operation | None = None
        for operation in operations:
            per_kernel = tuple(
                sides.get((label, name, operation.name, kernel)) or _absent(compared=kernel != samples.kernels[0])
                for kernel in samples.kernels
            )
            rows.append(
                TableRow(
                    _printable(operation),
                    row_label(operation, metric),
                    _new_group(before, operation),
                    per_kernel,
                    *_case_and_load(operation, metric),
                    sets.get((label, name, operation.name), ()),
                    ".".join(filter(None, (printable(label), name, printable(operation.name)))),
                    metric.unit == "%",
                )
            )
            before = operation
        tables.append(
            Table(
                heading=_heading(label, metric),
                benchmark=printable(label),
                metric=metric,
                columns=tuple(with_lengths(column, index, rows) for index, column in enumerate(columns)),
                statistics=_statistics(metric),
                rows=tuple(rows),
                about=_about(metric, rows),
                counts=_counts(columns, rows),
                marker=_marker(comparison, label, name),
                axes=_axes(samples.benchmarks[label]),
            )
        )
    return tuple(tables)


def _sort_keys(comparison: Comparison, layout: Layout) -> dict[tuple[str, ...], tuple[float, str]]:
    """Keys of the rows that are shown, and what sorts them: of several kernels the most extreme one counts."""
    frame = comparison.frame[comparison.frame["statistic"] == "mean"]
    keys: dict[tuple[str, ...], tuple[float, str]] = {}
    shown = set()
    for record in frame.to_dict("records"):
        key = tuple(str(record[part]) for part in KEYS[:3])
        if not layout.only_changed or record["verdict"] in {"regressed", "improved"}:
            shown.add(key)
        number = {"change": record["change_pct"], "p": record["p"]}.get(layout.sort, 0.0)
        number = math.inf if math.isnan(number) else number
        name = key[2] if layout.sort == "name" else ""
        keys[key] = min(keys.get(key, (math.inf, name)), (number, name))
    return {key: place for key, place in keys.items() if key in shown}


def _heading(label: str, metric: Metric) -> str:
    """Benchmark and metric; a word that both have stands once."""
    title = "" if label.lower().endswith(metric.title.lower()) else metric.title
    return printable(f"{label} {title}".strip())


def _statistics(metric: Metric) -> tuple[tuple[str, str], ...]:
    """Keys and labels of a table's statistics: of a monitor the mean alone."""
    if metric.monitor:
        return (("mean", metric.label),)
    return tuple((key, statistic_label(key, metric)) for key in STATISTICS)


def statistic_label(key: str, metric: Metric) -> str:
    """The name of a statistic in the first column, such as ``BHmean-95``."""
    mean = _MEANS[metric.mean]
    names = {"min": "Min", "mean": mean, "stddev": "Stddev", "cv": "CoeffVar", "max": "Max"}
    names |= {f"best_{percent}": f"B{mean}-{percent}" for percent in BEST}
    return names[key]


def number_text(value: float, decimals: int) -> str:
    """A number with fixed decimals; ``n/a`` if there is none."""
    if not math.isfinite(value):
        return MISSING
    return f"{value:.{decimals}f}" if abs(value) < _LONGEST_NUMBER else f"{value:.6e}"


def row_label(operation: Operation, metric: Metric) -> str:
    """The row's name in the normalized tables: ``4-groups`` for hackbench, the bare parameter elsewhere."""
    if math.isnan(operation.param) or (operation.series and not metric.headline):
        return printable(operation.name)
    return f"{operation.param:g}-groups" if metric.parameter == "groups" else f"{operation.param:.12g}"


def _case_and_load(operation: Operation, metric: Metric) -> tuple[str, str]:
    if math.isnan(operation.param):
        return printable(operation.name), ""
    unit = metric.parameter.removesuffix("s") if operation.param == 1 else metric.parameter
    return printable(operation.series) or metric.name, f"{operation.param:.12g} {unit}".strip()


def kernel_columns(kernels: Iterable[str]) -> tuple[Column, ...]:
    """The columns of a report, not measured yet."""
    safe = [printable(kernel) for kernel in kernels]
    return tuple(Column(name, *split_kernel_name(name)) for name in safe)


def with_lengths(column: Column, index: int, rows: list[TableRow]) -> Column:
    """The column with the lengths of its texts in a table's rows."""
    sides = [row.sides[index] for row in rows]
    cells = [cell for side in sides for cell in side.cells.values()]
    means = [side.cells["mean"] for side in sides]
    return replace(
        column,
        value_length=_longest(cell.text for cell in cells),
        percent_length=_longest(cell.percent for cell in cells),
        mean_length=_longest(cell.text for cell in means),
        mean_percent_length=_longest(cell.percent for cell in means),
        cv_length=_longest(number_text(side.cv, 2) for side in sides),
    )


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)


def _printable(operation: Operation) -> Operation:
    name = printable(operation.name)
    if name == operation.name:
        return operation
    return Operation(name, printable(operation.series), operation.param, operation.order)


def _new_group(before: Operation | None, operation: Operation) -> bool:
    return before is not None and before.order[:1] != operation.order[:1]


def _absent(*, compared: bool) -> Side:
    cells = {key: Cell(math.nan, MISSING, math.nan, MISSING) for key in STATISTICS}
    return Side(cells, verdict="missing" if compared else "")


def _sides(comparison: Comparison) -> dict[tuple[str, str, str, str], Side]:
    """One side for each operation and kernel that has samples."""
    changes = {
        (*(change[key] for key in KEYS), change["statistic"]): change
        for change in comparison.frame.to_dict("records")
    }
    baseline = comparison.samples.kernels[0]
    summaries = comparison.summary.to_dict("records")
    means = {
        (summary["benchmark"], summary["metric"], summary["operation"]): summary["mean"]
        for summary in summaries
        if summary["kernel"] == baseline
    }
    sides = {}
    for summary in summaries:
        benchmark, name, operation, kernel = (str(summary[key]) for key in KEYS)
        decimals = comparison.samples.metrics[benchmark, name].decimals
        cells = {}
        for statistic in STATISTICS:
            value = summary[statistic]
            if kernel == baseline:
                delta, significant = (0.0 if math.isfinite(value) else math.nan), False
            else:
                change = changes[benchmark, name, operation, kernel, statistic]
                delta, significant = change["delta_pct"], change["significant"]
            texts = number_text(value, decimals), number_text(delta, 2)
            cells[statistic] = Cell(value, texts[0], delta, texts[1], significant)
        base = means.get((benchmark, name, operation), math.nan)
        ratio = summary["mean"] / base if base > 0 else math.nan
        judged = changes.get((benchmark, name, operation, kernel, "mean"))
        sides[benchmark, name, operation, kernel] = Side(
            cells,
            ratio,
            _raw_change(base, summary["mean"]),
            summary["mean"] - base,
            summary["cv"],
            summary["n"],
            summary["runs"],
            *_judged(judged),
        )
    return sides


def _raw_change(base: float, value: float) -> float:
    """The change in percent of the baseline's size, whatever its sign and whichever direction is better."""
    if value == base:
        return 0.0
    return 100 * (value - base) / base if base else math.nan


def _judged(change: dict[Hashable, Any] | None) -> tuple[str, str]:
    """Verdict and interval, as texts."""
    if change is None or not isinstance(change["verdict"], str):
        return "", ""
    low, high = (number_text(change[end], 2) for end in ("ci_low", "ci_high"))
    return change["verdict"], "" if MISSING in {low, high} else f"[{low}, {high}]"


def _axes(benchmark: Benchmark) -> tuple[tuple[str, str], ...]:
    pairs = (*benchmark.configuration.variant, *benchmark.configuration.settings, ("testcase", benchmark.parser))
    return tuple((printable(name), printable(value)) for name, value in pairs)


def _about(metric: Metric, rows: list[TableRow]) -> str:
    counted = metric.parameter and any(not math.isnan(row.operation.param) for row in rows)
    return f"{metric.unit}, {_DIRECTIONS[metric.better]}" + (f"; rows: {metric.parameter}" if counted else "")


def _marker(comparison: Comparison, label: str, name: str) -> str:
    metric, rules = comparison.samples.metrics[label, name], comparison.rules
    if metric.monitor:
        return "a monitor's values, not tested"
    frame = comparison.frame
    own = (frame["benchmark"] == label) & (frame["metric"] == name) & (frame["statistic"] == "mean")
    units = set(frame.loc[own, "tested"])
    samples = "samples" if rules.unit == "sample" else "samples, for a side has one run"
    of = {"run": "runs", "pair": "runs, pair by pair", "sample": samples}
    tested = " or ".join(text for unit, text in of.items() if unit in units)
    return (
        f"* p < {rules.alpha:g}, {_TESTS[rules.test_of(metric)]} of {tested}"
        if tested
        else "no test of single values"
    )


def _counts(columns: tuple[Column, ...], rows: list[TableRow]) -> str:
    """The number of runs, and of samples where a run has many: ``n = 10 runs`` or for each kernel what it has."""
    texts = []
    for index in range(len(columns)):
        sides = [row.sides[index] for row in rows if row.sides[index].n]
        runs = _range([side.runs for side in sides])
        inside = any(side.n != side.runs for side in sides)
        counted = "1 run" if runs == "1" else f"{runs} runs"
        texts.append(f"{counted} ({_range([side.n for side in sides])} samples)" if inside else counted)
    if len(set(texts)) == 1:
        return f"n = {texts[0]}"
    return "n = " + ", ".join(f"{text} {column.name}" for text, column in zip(texts, columns, strict=True))


def _range(numbers: list[int]) -> str:
    if not numbers:
        return "0"
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}-{high}"


def environment_rows(comparison: Comparison) -> tuple[EnvironmentRow, ...]:
    """The differences between the machines, as texts."""
    kernels = [printable(kernel) for kernel in comparison.samples.kernels]
    rows = []
    for difference in comparison.differences:
        values = tuple("unknown" if value is None else printable(value) for value in difference.values)
        listed = ", ".join(f"{value} ({kernel})" for kernel, value in zip(kernels, values, strict=True))
        key = printable(difference.key)
        rows.append(EnvironmentRow(key, values, difference.weight == "matters", f"{key}: {listed}"))
    return tuple(rows)


_STATUS_WORDS: dict[FileStatus, tuple[str, str]] = {
    "read": ("read", "read"),
    "copy": ("copy", "copies"),
    "companion": ("companion", "companions"),
    "environment": ("about the machine", "about the machine"),
    "empty": ("empty", "empty"),
    "failed-run": ("failed run", "failed runs"),
    "truncated": ("truncated", "truncated"),
    "unreadable": ("unreadable", "unreadable"),
    "unrecognised": ("not recognised", "not recognised"),
    "no-result": ("without result", "without result"),
}


def account(files: Iterable[FileReport], diagnostics: Iterable[Diagnostic]) -> str:
    """One line that says what became of all files, and how much there is to be said about them."""
    statuses = Counter(report.status for report in files)
    counted = ", ".join(
        f"{statuses[status]} {one if statuses[status] == 1 else several}"
        for status, (one, several) in _STATUS_WORDS.items()
        if statuses[status]
    )
    severities = Counter(diagnostic.severity for diagnostic in diagnostics if diagnostic.slug not in PLAIN_STATUSES)
    said = ", ".join(
        f"{severities[severity]} {severity.name.lower()}{'s' * (severities[severity] != 1)}"
        for severity in sorted(Severity, reverse=True)
        if severities[severity]
    )
    total = sum(statuses.values())
    line = f"{total} file{'s' * (total != 1)}: {counted or 'none'}"
    return f"{line}; {said} (-v lists them)" if said else line


def hidden_line(metrics: Iterable[Metric]) -> str:
    """One line that names the metrics which were measured but are not shown; empty if there are none."""
    names = dict.fromkeys(metric.name for metric in metrics)
    return f"Also measured, shown by --metric: {', '.join(names)}" if names else ""
