"""What a maintainer reads first: counts of verdicts, geometric means, what changed, what is open and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compare_kernels.overall import geometric_means
from compare_kernels.statistics.verdicts import VERDICTS
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.comparison import Comparison

WIDTH = 78
_CORRECTIONS = {
    "bh": "adjusted by Benjamini-Hochberg",
    "by": "adjusted by Benjamini-Yekutieli",
    "holm": "adjusted by Holm",
    "none": "not adjusted",
}

Record = dict[Hashable, Any]
Fields = Callable[[Record], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class BenchmarkLine:
    """One benchmark under one kernel.

    Attributes:
        name: heading of the benchmark.
        counts: number of rows of each verdict, as text, in the order of `VERDICTS`; empty for none.
        mean: geometric mean of the ratios of all rows, above 1 for better, with its interval and the number of rows.
    """

    name: str
    counts: tuple[str, ...]
    mean: str


@dataclass(frozen=True, slots=True)
class RowLine:
    """One row of the report in one line.

    Attributes:
        verdict: one of the five words.
        numbers: change, interval, adjusted p and n, or what an undecided row would need.
        name: heading of the table and name of the operation.
        fits: whether numbers and name fit on one line.
    """

    verdict: str
    numbers: str
    name: str

    @property
    def fits(self) -> bool:
        """Whether numbers and name fit on one line of a mail."""
        return len(self.numbers) + len(self.name) + 4 <= WIDTH


@dataclass(frozen=True, slots=True)
class KernelSummary:
    """One kernel against the baseline.

    Attributes:
        title: both names and the number of rows.
        counts: how many rows got each verdict.
        basis: what the verdicts go by, in a sentence or two.
        benchmarks: one line each, with counts and geometric mean.
        name_length: length of the longest name of a benchmark.
        changed: rows that regressed, worst first, then those that improved, best first.
        undecided: rows that the data can't decide, those that need fewest runs first.
        missing: rows that one side lacks.
    """

    title: str
    counts: str
    basis: tuple[str, ...]
    benchmarks: tuple[BenchmarkLine, ...]
    name_length: int
    changed: tuple[RowLine, ...]
    undecided: tuple[RowLine, ...]
    missing: tuple[str, ...]

    @property
    def extremes(self) -> tuple[RowLine, ...]:
        """The worst regression and the best improvement, as far as there are any."""
        first = {row.verdict: row for row in reversed(self.changed)}
        return tuple(first[word] for word in ("regressed", "improved") if word in first)


def build_summaries(comparison: Comparison) -> tuple[KernelSummary, ...]:
    """Summarise each kernel besides the baseline; there is nothing to summarise where monitors are all there is."""
    frame = comparison.frame[comparison.frame["verdict"].notna()]
    if frame.empty:
        return ()
    records = frame.to_dict("records")
    return tuple(
        _summary(comparison, index, kernel, [record for record in records if record["kernel"] == kernel])
        for index, kernel in enumerate(comparison.samples.kernels)
        if index
    )


def _summary(comparison: Comparison, index: int, kernel: str, records: list[Record]) -> KernelSummary:
    benchmarks = _benchmark_lines(comparison, index, records)
    changed = [record for record in records if record["verdict"] in {"regressed", "improved"}]
    # The worst regression first, then the best improvement first.
    changed.sort(key=lambda record: (record["verdict"] == "improved", -abs(_number(record, "change_pct"))))
    undecided = [record for record in records if record["verdict"] == "undecided"]
    undecided.sort(key=lambda record: _or_infinite(_number(record, "runs_needed")))
    return KernelSummary(
        *_title(comparison.samples.kernels[0], kernel, records),
        _basis(comparison),
        benchmarks,
        max((len(line.name) for line in benchmarks), default=0),
        _lines(comparison, changed, _changed_fields),
        _lines(comparison, undecided, _undecided_fields),
        tuple(row_name(comparison, record) for record in records if record["verdict"] == "missing"),
    )


def _title(base: str, kernel: str, records: list[Record]) -> tuple[str, str]:
    counts = Counter(str(record["verdict"]) for record in records)
    counted = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    rows = f"{len(records)} row{'s' * (len(records) != 1)}"
    return f"{printable(kernel)} against {printable(base)}, {rows}:", counted


def _basis(comparison: Comparison) -> tuple[str, ...]:
    rules = comparison.rules
    tested = int(comparison.frame["p"].notna().sum())
    margins = f"{rules.margin:g} %" + (", set per metric" if rules.metric else "")
    tested_line = (
        f"{tested} row{'s' * (tested != 1)} tested; by chance alone {tested * rules.alpha:.1f} would have a star."
        if tested
        else "No row could be tested."
    )
    return (
        f"Verdicts: p < {rules.alpha:g} ({rules.test}), {_CORRECTIONS[rules.correction]}; margin {margins}.",
        tested_line,
    )


def _benchmark_lines(comparison: Comparison, index: int, records: list[Record]) -> tuple[BenchmarkLine, ...]:
    means = geometric_means(comparison.samples, index, comparison.rules)
    lines = []
    for label in comparison.samples.benchmarks:
        own = [record for record in records if record["benchmark"] == label]
        if not own:
            continue
        counts = Counter(str(record["verdict"]) for record in own)
        mean = means[label]
        if math.isnan(mean.change):
            text = "n/a"
        else:
            low, high = mean.interval
            interval = "" if math.isnan(low) else f" [{1 + low / 100:.3f}, {1 + high / 100:.3f}]"
            left_out = mean.missing + mean.not_positive + mean.undirected
            text = (
                f"{1 + mean.change / 100:.3f}{interval} ({mean.rows}{f', {left_out} left out' if left_out else ''})"
            )
        lines.append(
            BenchmarkLine(
                printable(label), tuple(str(counts[word]) if counts[word] else "" for word in VERDICTS), text
            )
        )
    return tuple(lines)


def _changed_fields(record: Record) -> tuple[str, ...]:
    return (
        f"{_number(record, 'change_pct'):+.2f}%",
        f"[{_number(record, 'ci_low'):+.1f}, {_number(record, 'ci_high'):+.1f}]",
        f"p {probability(_number(record, 'p_adjusted'))}",
        counts_text(record),
    )


def _undecided_fields(record: Record) -> tuple[str, ...]:
    if record["tested"] == "none":
        few = min(record["runs_base"], record["runs_other"]) < 2
        return "", "", "needs a second run" if few else "can't be tested", counts_text(record)
    if record["reason"] == "no-percentage":
        return "", "", "has no percentage", counts_text(record)
    if record["reason"] == "no-direction":
        return f"{_number(record, 'change_pct'):+.2f}%", "", "differs, for better or worse", counts_text(record)
    needed, detectable = _number(record, "runs_needed"), _number(record, "detectable_pct")
    values = f"{record['tested']}s"
    return (
        f"{_number(record, 'change_pct'):+.2f}%",
        "" if math.isnan(detectable) else f"sees {detectable:.3g}%",
        "" if math.isnan(needed) else f"needs {needed:.0f} {values}",
        counts_text(record),
    )


def _lines(comparison: Comparison, records: list[Record], fields: Fields) -> tuple[RowLine, ...]:
    """The rows with their numbers aligned below each other."""
    texts = [fields(record) for record in records]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    numbers = [" ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in texts]
    return tuple(
        RowLine(str(record["verdict"]), number, row_name(comparison, record))
        for record, number in zip(records, numbers, strict=True)
    )


def row_name(comparison: Comparison, record: Record) -> str:
    """Benchmark, metric's title and operation of a row."""
    label, metric = str(record["benchmark"]), str(record["metric"])
    title = comparison.samples.metrics[label, metric].title
    return printable(" ".join(part for part in (label, title, str(record["operation"])) if part))


def probability(p: float) -> str:
    """A p-value with as many digits as mean something."""
    if math.isnan(p):
        return "n/a"
    return "<.0001" if p < 0.0001 else f"{p:.4f}".removeprefix("0")


def counts_text(record: Record) -> str:
    """What was tested on each side: ``n 5/5``, ``n 5 pairs`` or ``n 1280/1310 samples``."""
    if record["tested"] == "pair":
        return f"n {record['tested_base']} pairs"
    if record["tested"] == "sample":
        return f"n {record['n_base']}/{record['n_other']} samples"
    return f"n {record['runs_base']}/{record['runs_other']}"


def _number(record: Record, key: str) -> float:
    return float(record[key])


def _or_infinite(value: float) -> float:
    return math.inf if math.isnan(value) else value


def changed_rows(comparison: Comparison) -> set[tuple[str, str, str]]:
    """Keys of the rows that regressed or improved under any kernel."""
    frame = comparison.frame[comparison.frame["verdict"].isin(["regressed", "improved"])]
    keys: Iterable[tuple[str, str, str]] = zip(
        frame["benchmark"].astype(str), frame["metric"].astype(str), frame["operation"].astype(str), strict=True
    )
    return set(keys)
