"""One row in full, in words: values, statistics, test, verdict and the reason for it."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from compare_kernels.errors import UsageError
from compare_kernels.reporting.summary import counts_text, probability, row_name
from compare_kernels.reporting.view import MISSING, number_text, statistic_label
from compare_kernels.statistics.bootstrap import FEWEST
from compare_kernels.summarise import KEYS, STATISTICS, run_values
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from compare_kernels.comparison import Comparison
    from compare_kernels.config import Rules
    from compare_kernels.samples import Row

Record = dict["Hashable", Any]

_MOST_VALUES = 50


def explain_rows(comparison: Comparison, pattern: str) -> str:
    """Tell all about the rows whose operation has this name or matches this pattern.

    Raises:
        UsageError: if there is no such row.
    """
    rows = [row for row in comparison.samples.rows() if fnmatchcase(row.operation.name, pattern)]
    if not rows:
        names = ", ".join(dict.fromkeys(operation.name for operation in comparison.samples.operations.values()))
        raise UsageError(f"no operation {pattern!r}; there are: {names}")
    frame = comparison.frame
    records: dict[tuple[str, ...], Record] = {
        (*(str(record[key]) for key in KEYS), str(record["statistic"])): record for record in frame.to_dict("records")
    }
    texts = ["\n".join(_explain(comparison, row, records)) for row in rows]
    return "\n\n".join(texts) + "\n"


def _explain(comparison: Comparison, row: Row, records: dict[tuple[str, ...], Record]) -> Iterator[str]:
    kernels = comparison.samples.kernels
    metric = row.metric
    first = records[*row.key, kernels[1], "mean"]
    yield f"{row_name(comparison, first)}: {metric.unit}, {metric.better} is better"
    for kernel, name in enumerate(kernels):
        yield f"  {printable(name)}: {_values(row, kernel)}"
    for name in kernels[1:]:
        yield ""
        yield f"  {printable(name)} against {printable(kernels[0])}"
        for statistic in STATISTICS:
            record = records[*row.key, name, statistic]
            texts = [number_text(record[side], metric.decimals) for side in ("base", "value")]
            change = number_text(record["delta_pct"], 2)
            sign = "" if change == MISSING else "%"
            yield f"    {statistic_label(statistic, metric):<10} {texts[0]:>14} {texts[1]:>14}  {change:>8}{sign}"
        if metric.monitor:
            yield "    a monitor's values are not tested"
            continue
        yield from (f"    {line}" for line in _verdict(comparison, records[*row.key, name, "mean"]))


def _values(row: Row, kernel: int) -> str:
    if kernel not in row.groups:
        return "no value"
    group = row.groups[kernel]
    values = run_values(group, row.metric)
    listed = " ".join(f"{value:g}" for value in values[:_MOST_VALUES].tolist())
    more = f" and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    of = "" if len(values) == len(group.values) else f" (means of runs; {len(group.values)} samples in all)"
    return f"{listed}{more}{of}"


def _verdict(comparison: Comparison, record: Record) -> Iterator[str]:
    rules = comparison.rules
    parser = comparison.samples.benchmarks[str(record["benchmark"])].parser
    margin = rules.margin_of(parser, str(record["metric"]))
    test = rules.test_of(comparison.samples.metrics[str(record["benchmark"]), str(record["metric"])])
    if record["tested"] != "none":
        rows = int(comparison.frame["p"].notna().sum())
        yield f"test       {test} on {record['tested']}s, {counts_text(record)}, seed {rules.seed}"
        yield (
            f"p          {probability(record['p'])}, adjusted for the {rows} tested rows of this report"
            f" ({rules.correction}) {probability(record['p_adjusted'])}"
        )
        level = 100 * (1 - rules.alpha)
        yield (
            f"change     {number_text(record['change_pct'], 2)}% with a {level:g} % interval of"
            f" [{number_text(record['ci_low'], 2)}, {number_text(record['ci_high'], 2)}]"
            f"{' (BCa bootstrap)' if _bootstrapped(record, rules) else ''}"
        )
        if not math.isnan(record["detectable_pct"]):
            yield f"could see  {record['detectable_pct']:.2f}% in four of five such comparisons, for this row alone"
        if not math.isnan(record["runs_needed"]):
            sides = "" if record["tested"] == "pair" else " on each side"
            yield f"needs      {record['runs_needed']:.0f} {record['tested']}s{sides} to see a change of {margin:g} %"
    yield f"verdict    {record['verdict']}: {reason(record, margin, rules.alpha)}"


def _bootstrapped(record: Record, rules: Rules) -> bool:
    return rules.interval == "bca" and min(record["tested_base"], record["tested_other"]) >= FEWEST


def reason(record: Record, margin: float, alpha: float) -> str:
    """Why a row got its verdict, in words."""
    p = probability(record["p_adjusted"])
    return {
        "significant-beyond-margin": (
            f"adjusted p {p} is below {alpha:g}, and the estimated change is larger than the margin of {margin:g} %"
        ),
        "significant-within-margin": (
            f"adjusted p {p} is below {alpha:g}, so there is a change, but whether it is larger than the margin of"
            f" {margin:g} % is open"
        ),
        "interval-inside-margin": (
            f"the {100 * (1 - 2 * alpha):g} % interval lies inside the margin of {margin:g} %: if there is a change,"
            " it doesn't matter"
        ),
        "not-significant": (
            f"adjusted p {p} is not below {alpha:g}, and the interval reaches beyond the margin of {margin:g} %:"
            " the data can't tell"
        ),
        "not-testable": "there are too few values, no spread, or values without a mean: nothing to test",
        "no-direction": "there is a change, but neither more nor less is better",
        "no-percentage": "the baseline has no percentage, for it is zero or negative",
        "no-value": "a side has no valid value",
    }[str(record["reason"])]
