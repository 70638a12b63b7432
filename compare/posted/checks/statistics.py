"""What holds between the statistics of one operation: order of extremes and means, CoeffVar, composites."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from compare_kernels.posted.checks.result import span
from compare_kernels.posted.numbers import Interval

if TYPE_CHECKING:
    from compare_kernels.posted.checks.result import Findings
    from compare_kernels.posted.model import PostedRow
    from compare_kernels.posted.numbers import Number

Rows = dict[str, "PostedRow"]

_BEST = re.compile(r"b[ah]?mean[-.](\d+)")
_MEANS = ("amean", "hmean", "gmean", "mean", "avg")
_MEAN_OF_RUNS = 0.002
"""A composite may be the mean of the runs' composites, which differs from the composite of the means by less."""


def check_statistics(findings: Findings) -> None:
    """Report statistics of one operation that contradict each other."""
    operations: dict[str, Rows] = {}
    for row in findings.table.rows:
        if len(row.cells) == len(findings.table.kernels):
            operations.setdefault(row.operation, {}).setdefault(row.statistic.lower(), row)
    for rows in operations.values():
        for kernel in range(len(findings.table.kernels)):
            _check_order(findings, rows, kernel)
            _check_best(findings, rows, kernel)
            _check_variation(findings, rows, kernel)


def _value(rows: Rows, name: str, kernel: int) -> Number | None:
    """A printed number; None where there is none or a zero, which mmtests prints for what doesn't exist."""
    row = rows.get(name)
    value = row.cells[kernel].value if row else None
    return value if value and value.value else None


def _check_order(findings: Findings, rows: Rows, kernel: int) -> None:
    """Min <= means and median <= Max."""
    for name in (*_MEANS, "median"):
        middle = _value(rows, name, kernel)
        if middle is None:
            continue
        for bound, word in (("min", "less"), ("max", "more")):
            row = rows.get(bound)
            end = row.cells[kernel].value if row else None
            if end is None or end.value is None or (end.is_zero and bound == "max"):
                continue
            findings.relations += 1
            low, high = (end, middle) if bound == "min" else (middle, end)
            if low.interval().low > high.interval().high:
                expected = f"but {rows[bound].statistic} is {end.text}"
                findings.report(f"{middle.text} is printed, {word} than possible", expected, rows[name], kernel)


def _check_best(findings: Findings, rows: Rows, kernel: int) -> None:
    """Means of the best half, 95 % and so on get worse, the more of the samples they hold, the whole mean last."""
    best = sorted((int(found[1]), name) for name in rows if (found := _BEST.fullmatch(name)))
    main = next((name for name in _MEANS if name in rows), None)
    if not best or main is None:
        return
    names = [name for _, name in best] + [main]
    values = [(name, value) for name in names if (value := _value(rows, name, kernel))]
    if len(values) < 2 or values[-1][0] != main:
        return
    lower = _lower_is_better(findings, rows, main, best[0][1])
    for (name, better), (worse_name, worse) in pairwise(values):
        findings.relations += 1
        low, high = (better, worse) if lower else (worse, better)
        if low.interval().low > high.interval().high:
            word = "more" if lower else "less"
            expected = f"{word} than {rows[worse_name].statistic}, which is {worse.text}"
            findings.report(
                f"{better.text} is printed", f"but the best of the samples can't have {expected}", rows[name], kernel
            )


def _lower_is_better(findings: Findings, rows: Rows, main: str, best: str) -> bool:
    """The direction as posted; or that in which most of the kernels have the best part on the better side."""
    if findings.table.better in ("lower", "higher"):
        return findings.table.better == "lower"
    votes = 0
    for kernel in range(len(findings.table.kernels)):
        part, whole = _value(rows, best, kernel), _value(rows, main, kernel)
        if part and whole and part.value is not None and whole.value is not None:
            votes += (part.value < whole.value) - (part.value > whole.value)
    return votes > 0 or (votes == 0 and main != "hmean")


def _check_variation(findings: Findings, rows: Rows, kernel: int) -> None:
    """CoeffVar = 100 Stddev / mean, of which beside an Hmean only bounds are known: it's the arithmetic one."""
    for prefix in ("", "h"):
        printed, deviation = _value(rows, f"{prefix}coeffvar", kernel), _value(rows, f"{prefix}stddev", kernel)
        name = next((one for one in ("hmean",) if one in rows), None) if prefix else None
        name = name or next((one for one in _MEANS if one in rows), None)
        mean = _value(rows, name, kernel) if name else None
        if printed is None or deviation is None or mean is None or (mean.value or 0) <= 0:
            continue
        findings.relations += 1
        low_mean, high_mean = mean.interval()
        exact = prefix == "h" or name != "hmean"
        if not exact:
            largest = _value(rows, "max", kernel)
            high_mean = largest.interval().high if largest else math.inf
        spread = deviation.interval()
        allowed = Interval(
            100 * max(0, spread.low) / high_mean, 100 * spread.high / low_mean if low_mean > 0 else math.inf
        )
        if not printed.interval().meets(allowed):
            row = rows[f"{prefix}coeffvar"]
            expected = f"but {deviation.text} of {mean.text} is {span(allowed, printed.decimals)}%"
            findings.report(f"{printed.text} is printed", expected, row, kernel)


def check_composite(findings: Findings) -> None:
    """SPECjvm's composite is the geometric mean of the groups above it, within the printed digits and a trifle more.

    The trifle is what the mean of several runs' composites may differ from the composite of their means.
    """
    table = findings.table
    groups: dict[str, list[PostedRow]] = {}
    for row in table.rows:
        if len(row.cells) != len(table.kernels):
            continue
        above = groups.setdefault(row.statistic, [])
        if row.operation.lower() != "composite":
            above.append(row)
        elif len(above) > 1 and row.statistic.lower() in ("", *_MEANS):
            for kernel in range(len(table.kernels)):
                _check_composite(findings, row, above, kernel)


def _check_composite(findings: Findings, row: PostedRow, above: list[PostedRow], kernel: int) -> None:
    values = [one.cells[kernel].value for one in above]
    printed = row.cells[kernel].value
    if printed is None or printed.value is None:
        return
    intervals = [value.interval() for value in values if value and value.value is not None and value.value > 0]
    if len(intervals) != len(above) or any(interval.low <= 0 for interval in intervals):
        return
    findings.relations += 1
    low, high = (math.exp(sum(math.log(end) for end in ends) / len(ends)) for ends in zip(*intervals, strict=True))
    if not printed.interval().meets(Interval(low * (1 - _MEAN_OF_RUNS), high * (1 + _MEAN_OF_RUNS))):
        expected = (
            f"but the geometric mean of the {len(above)} rows above is {span(Interval(low, high), printed.decimals)}"
        )
        findings.report(f"{printed.text} is printed", expected, row, kernel)


def check_gmean(findings: Findings) -> None:
    """The Gmean of a ratio table is the geometric mean of its ratios, of which a zero counts as 0.00001."""
    table = findings.table
    ratios = [row for row in table.rows if row.statistic == "Ratio" and len(row.cells) == len(table.kernels)]
    for row in table.rows:
        if row.statistic != "Gmean" or len(row.cells) != len(table.kernels) or not ratios:
            continue
        for kernel in range(len(table.kernels)):
            values = [one.cells[kernel].value for one in ratios]
            printed = row.cells[kernel].value
            if printed is None or any(value is None or value.value is None for value in values):
                continue
            findings.relations += 1
            intervals = [value.interval() for value in values if value]
            low, high = (
                math.exp(sum(math.log(max(end, 1e-5)) for end in ends) / len(ends))
                for ends in zip(*intervals, strict=True)
            )
            if not printed.interval().meets(Interval(low, high)):
                expected = f"but the geometric mean of the ratios is {span(Interval(low, high), printed.decimals)}"
                findings.report(f"{printed.text} is printed", expected, row, kernel)
