"""What ministat concludes, recomputed from the numbers that it printed."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from compare_kernels.posted.numbers import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.posted.checks.result import Findings
    from compare_kernels.posted.model import Difference
    from compare_kernels.posted.numbers import Number

_TABLE_LENGTH = 100
"""Beyond so many degrees of freedom ministat takes the normal distribution's quantile."""
_TABLE_STEP = 0.0005
"""Its table of Student's t has three decimals."""


def check_differences(findings: Findings) -> None:
    """Report differences, errors and pooled deviations that don't follow from the averages and deviations."""
    for difference in findings.table.differences:
        first, other = _moments(findings, 0), _moments(findings, difference.kernel)
        if first is not None and other is not None and difference.kernel > 0:
            _check(findings, difference, first, other)


class _Moments:
    """Count, average and deviation of a set, as the printed digits allow."""

    def __init__(self, n: int, average: Interval, deviation: Interval) -> None:
        self.n, self.average, self.deviation = n, average, Interval(max(0.0, deviation.low), deviation.high)


def _moments(findings: Findings, kernel: int) -> _Moments | None:
    values: dict[str, Number] = {}
    for row in findings.table.rows:
        cell = row.cells[kernel].value if kernel < len(row.cells) else None
        if cell is not None and cell.value is not None:
            values[row.statistic] = cell
    if not {"N", "Avg", "Stddev"} <= values.keys() or not 1 <= (values["N"].value or 0) < 1e9:
        return None
    return _Moments(int(values["N"].value or 0), values["Avg"].interval(), values["Stddev"].interval())


def _check(findings: Findings, difference: Difference, first: _Moments, other: _Moments) -> None:
    freedom = first.n + other.n - 2
    level = difference.confidence.value or 0
    if freedom < 1 or not 0 < level < 100:
        return
    pooled = _over(
        lambda s, t: math.sqrt(((first.n - 1) * s * s + (other.n - 1) * t * t) / freedom),
        first.deviation,
        other.deviation,
    )
    student = _student(level, freedom)
    scale = math.sqrt(1 / first.n + 1 / other.n)
    error = Interval(student.low * pooled.low * scale, student.high * pooled.high * scale)
    change = Interval(other.average.low - first.average.high, other.average.high - first.average.low)
    kernel = difference.kernel
    if not difference.proven:
        findings.relations += 1
        if min(abs(change.low), abs(change.high)) > error.high and change.low * change.high > 0:
            findings.report(
                "no difference is claimed",
                f"but that of the averages is {change.low:.6g}, more than its error of {error.high:.6g}",
                kernel=kernel,
                line=difference.line,
            )
        return
    lines = difference.lines
    _compare(findings, difference.change, (change,), "the difference of the averages", kernel=kernel, line=lines[0])
    _compare(findings, difference.error, (error,), "its error", kernel=kernel, line=lines[0])
    _compare(findings, difference.pooled, (pooled,), "the pooled deviation", kernel=kernel, line=lines[2])
    findings.relations += 1
    if max(abs(change.low), abs(change.high)) < error.low:
        findings.report(
            "a difference is claimed",
            f"but that of the averages is {change.low:.6g}, less than its error of {error.low:.6g}",
            kernel=kernel,
            line=difference.line,
        )
    if first.average.low <= 0 <= first.average.high:
        return
    relative = _over(lambda d, a: 100 * d / a, change, first.average)
    _compare(findings, difference.percent, (relative,), "the difference in percent", kernel=kernel, line=lines[1])
    errors = (_over(lambda e, a: 100 * e / abs(a), error, first.average), _propagated(first, other, student))
    _compare(findings, difference.percent_error, errors, "its error in percent", kernel=kernel, line=lines[1])


def _compare(
    findings: Findings, printed: Number | None, allowed: tuple[Interval, ...], what: str, *, kernel: int, line: int
) -> None:
    if printed is None or printed.value is None:
        return
    if printed.text and what.endswith("percent"):
        findings.percentages += 1
    else:
        findings.relations += 1
    if not any(printed.interval().meets(interval) for interval in allowed):
        middles = " or ".join(dict.fromkeys(f"{(one.low + one.high) / 2:.6g}" for one in allowed))
        findings.report(f"{printed.text} is printed", f"but {what} is {middles}", kernel=kernel, line=line)


def _over(function: Callable[[float, float], float], one: Interval, other: Interval) -> Interval:
    """Bounds of a function that is monotone in each of its arguments."""
    corners = [function(a, b) for a, b in product(one, other)]
    return Interval(min(corners), max(corners))


def _propagated(first: _Moments, other: _Moments, student: Interval) -> Interval:
    """The error in percent of newer versions, to which the first set's deviation adds by the square of the ratio."""
    n, m = first.n, other.n
    bounds = []
    for a, b, s, t, quantile in product(first.average, other.average, first.deviation, other.deviation, student):
        inner = ((m - 1) * t * t + (n - 1) * s * s * (b / a) ** 2) * (n + m) / (n * m * (n + m - 2))
        bounds.append(100 / abs(a) * quantile * math.sqrt(inner))
    return Interval(min(bounds), max(bounds))


def _student(level: float, freedom: int) -> Interval:
    """The quantile as ministat has it in its table, or as it is."""
    from scipy import stats

    probability = 0.5 + level / 200
    exact = float(stats.t.ppf(probability, freedom))
    low, high = exact - _TABLE_STEP, exact + _TABLE_STEP
    if freedom > _TABLE_LENGTH:
        low = min(low, float(stats.norm.ppf(probability)) - _TABLE_STEP)
    return Interval(low, high)
