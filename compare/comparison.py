"""The third frame: what changed between the baseline and each other kernel, and whether it is real."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from compare_kernels.errors import NothingToCompareError
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.intervals import NONE, Interval, change_interval
from compare_kernels.statistics.tests import TestResult, welch
from compare_kernels.summarise import KEYS, STATISTICS, run_values, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compare_kernels.model import Metric
    from compare_kernels.samples import Group, Row, Samples
    from compare_kernels.selection import Selection

Unit = Literal["run", "sample", "none"]
"""What a test compares: means of runs, samples inside one run, or nothing, for there is one number."""

VERDICTS = pd.CategoricalDtype(["regressed", "improved", "unchanged", "undecided", "missing"])
SPREADS = ("stddev", "cv")
"""Statistics that measure spread: lower is better whatever the metric's direction."""

FEW_RUNS = 5

_TESTED = ("p", "p_adjusted", "ci_low", "ci_high")
_NO_TEST = TestResult(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Comparison:
    """A comparison of kernels, with the frames that it was made from.

    Attributes:
        frame: a row for each benchmark, metric, operation, statistic and kernel besides the baseline: the keys,
            ``statistic`` (text, see `compare_kernels.summarise.STATISTICS`), ``base`` and ``value`` (float64, the
            statistic under the baseline and the kernel; NaN if not defined), ``delta_pct`` (float64, percent,
            positive is better). Only rows of the mean are tested; in the others what follows is NaN, false or empty:
            ``p`` (float64), ``p_adjusted`` (float64, not computed yet), ``ci_low`` and ``ci_high`` (float64, interval
            of the change in percent, positive is better), ``significant`` (boolean), ``verdict`` (category, so far
            only ``missing``). In all rows ``unit`` (text, see `Unit`), ``n_base`` and ``n_other`` (int32, samples),
            ``runs_base`` and ``runs_other`` (int32, runs).
        summary: see `compare_kernels.summarise.summarise`.
        samples: the samples that were compared.
        everything: all that was loaded, of which the byte-compatible styles make their own choice.
        selection: what was asked for.
        alpha: the level of the tests and intervals.
        diagnostics: all that has to be said, that of the samples included.
    """

    frame: pd.DataFrame
    summary: pd.DataFrame
    samples: Samples
    everything: Samples
    selection: Selection
    alpha: float
    diagnostics: tuple[Diagnostic, ...]


def compare_samples(samples: Samples, selection: Selection, alpha: float) -> Comparison:
    """Compare each kernel with the first.

    Args:
        samples: all samples of all kernels.
        selection: which of them to compare.
        alpha: a mean with p below it is marked as significant.

    Raises:
        NothingToCompareError: if no kernel shares an operation with the baseline.
    """
    chosen = samples.select(selection.chooser(samples))
    if not any(0 in row.groups and len(row.groups) > 1 for row in chosen.rows()):
        raise NothingToCompareError(_why_nothing(chosen))
    # Numbers at the ends of the floating point range give infinities, which are shown as n/a.
    with np.errstate(all="ignore"):
        frame, summary, findings = _compare(chosen, alpha)
    diagnostics = (*samples.diagnostics, *findings.diagnostics())
    return Comparison(frame, summary, chosen, samples, selection, alpha, diagnostics)


def _why_nothing(chosen: Samples) -> str:
    measured = {chosen.kernels[kernel] for row in chosen.rows() for kernel in row.groups}
    if not measured:
        return "nothing to compare: no results were found"
    without = [kernel for kernel in chosen.kernels if kernel not in measured]
    if without:
        return f"nothing to compare: no results were found for {', '.join(without)}"
    return "nothing to compare: the kernels have no operation in common"


def _compare(samples: Samples, alpha: float) -> tuple[pd.DataFrame, pd.DataFrame, _Findings]:
    summary = summarise(samples, alpha)
    described: dict[tuple[str, str, str, str], dict[str, float]] = {
        tuple(record[key] for key in KEYS): record  # type: ignore[misc]
        for record in summary.to_dict("records")
    }
    records: list[dict[str, object]] = []
    findings = _Findings()
    for row in samples.rows():
        base = described.get((*row.key, samples.kernels[0]), {})
        findings.look(row, samples.kernels[0], base)
        for kernel, name in enumerate(samples.kernels[1:], start=1):
            pair = _Pair(row, kernel, name, base, described.get((*row.key, name), {}))
            findings.look(row, name, pair.other)
            records += _compare_row(pair, alpha, findings)
    frame = pd.DataFrame(records, columns=_COLUMNS)
    for key in KEYS:
        frame[key] = frame[key].astype(samples.whole[key].dtype)
    frame = frame.astype(
        {
            **dict.fromkeys(("base", "value", "delta_pct", *_TESTED), "float64"),
            "significant": "bool",
            "verdict": VERDICTS,
            **dict.fromkeys(_COUNTS, "int32"),
        }
    )
    return frame, summary, findings


_COLUMNS = [*KEYS, "statistic", "base", "value", "delta_pct", *_TESTED, "significant", "verdict", "unit"]
_COUNTS = ["n_base", "n_other", "runs_base", "runs_other"]
_COLUMNS += _COUNTS


@dataclass(frozen=True, slots=True)
class _Pair:
    """One row under the baseline and under one other kernel, described by `summarise`; empty where it's missing."""

    row: Row
    kernel: int
    name: str
    base: Mapping[str, float]
    other: Mapping[str, float]


def _compare_row(pair: _Pair, alpha: float, findings: _Findings) -> Iterable[dict[str, object]]:
    """One record for each statistic; only the mean is tested."""
    row, base, other = pair.row, pair.base, pair.other
    unit, result, interval = _judge(row.groups.get(0), row.groups.get(pair.kernel), row.metric, alpha)
    findings.judged(pair, unit, result)
    keys = dict(zip(KEYS, (*row.key, pair.name), strict=True))
    sides = (("base", base), ("other", other))
    for statistic in STATISTICS:
        before, after = base.get(statistic, math.nan), other.get(statistic, math.nan)
        better = "lower" if statistic in SPREADS else row.metric.better
        tested = statistic == "mean"
        yield {
            **keys,
            "statistic": statistic,
            "base": before,
            "value": after,
            "delta_pct": percent_change(before, after, better),
            "p": result.p if tested else math.nan,
            "p_adjusted": math.nan,
            "ci_low": interval[0] if tested else math.nan,
            "ci_high": interval[1] if tested else math.nan,
            "significant": tested and result.p < alpha,
            "verdict": "missing" if tested and not (base and other) else None,
            "unit": unit,
            **{f"{count}_{side}": int(of.get(count, 0)) for count in ("n", "runs") for side, of in sides},
        }


def _judge(
    base: Group | None, other: Group | None, metric: Metric, alpha: float
) -> tuple[Unit, TestResult, Interval]:
    """Test the means of runs where both sides have two or more, else the samples inside the runs.

    Samples inside a run share that run's luck, so a test over them speaks of that one boot only.
    """
    if base is None or other is None:
        return "none", _NO_TEST, NONE
    unit: Unit = "run"
    sides = [run_values(side, metric) for side in (base, other)]
    if min(map(len, sides)) < 2:
        unit = "sample"
        sides = [base.values, other.values]
    if min(map(len, sides)) < 2:
        return "none", _NO_TEST, NONE
    return unit, welch(*sides), change_interval(sides[0], sides[1], alpha, metric.better)


class _Findings:
    """Collects what has to be said about rows, so that sixty rows with one fault give one diagnostic."""

    def __init__(self) -> None:
        self._found: dict[tuple[Severity, str, str, str], dict[str, list[str]]] = {}

    def look(self, row: Row, name: str, described: Mapping[str, float]) -> None:
        """Look at one row under one kernel."""
        if not described:
            self._add(Severity.WARNING, "missing", row, name, "no value")
        elif described["runs"] < FEW_RUNS:
            runs = int(described["runs"])
            text = f"{runs} run{'s' * (runs > 1)}, fewer than {FEW_RUNS}"
            self._add(Severity.NOTE, "few-runs", row, name, text)
        if described and math.isnan(described["mean"]):
            text = f"a value <= 0, which has no {row.metric.mean} mean"
            self._add(Severity.WARNING, "no-mean", row, name, text)

    def judged(self, pair: _Pair, unit: Unit, result: TestResult) -> None:
        """Look at the comparison of one kernel with the baseline."""
        row, name, base, other = pair.row, pair.name, pair.base, pair.other
        if unit == "sample":
            text = "it or the baseline has one run, so samples are tested, which share that run's luck"
            self._add(Severity.WARNING, "within-run-only", row, name, text)
        if result.no_variance:
            text = "neither it nor the baseline has any spread, so their difference can't be tested"
            self._add(Severity.NOTE, "no-variance", row, name, text)
        if base and other and base["mean"] == 0 != other["mean"]:
            difference = f"{other['mean']:+g} {row.metric.unit}"
            text = f"the baseline is 0, so there is no percentage; the difference is {difference}"
            self._add(Severity.WARNING, "zero-baseline", row, name, text)

    def _add(self, severity: Severity, slug: str, row: Row, name: str, text: str) -> None:
        key = severity, slug, f"{row.benchmark} {row.metric.name}", text
        self._found.setdefault(key, {}).setdefault(name, []).append(row.operation.name)

    def diagnostics(self) -> Iterable[Diagnostic]:
        """All findings, in the order in which they came up; kernels with the same operations share one."""
        for (severity, slug, place, text), kernels in self._found.items():
            alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
            for name, operations in kernels.items():
                alike[tuple(operations)].append(name)
            for operations_of, names in alike.items():
                message = f"{place} {', '.join(operations_of)}: {', '.join(names)}: {text}"
                yield Diagnostic(severity, slug, message)
