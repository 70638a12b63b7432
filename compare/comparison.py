"""The third frame: what changed between the baseline and each other kernel, and whether it is real."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from compare_kernels.errors import NothingToCompareError
from compare_kernels.findings import Findings, Sides
from compare_kernels.judgement import Judgement, Pair, judge, make_pair
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.verdicts import VERDICTS
from compare_kernels.summarise import KEYS, STATISTICS, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.config import Rules
    from compare_kernels.environment.differences import Difference
    from compare_kernels.samples import Samples
    from compare_kernels.selection import Selection

SPREADS = ("stddev", "cv")
"""Statistics that measure spread: lower is better whatever the metric's direction."""

_JUDGED = ("p", "p_adjusted", "change_pct", "ci_low", "ci_high", "detectable_pct", "runs_needed")
_COUNTS = ("n_base", "n_other", "runs_base", "runs_other", "tested_base", "tested_other")
_COLUMNS = [*KEYS, "statistic", "base", "value", "delta_pct", *_JUDGED]
_COLUMNS += ["significant", "verdict", "reason", "tested", *_COUNTS]


@dataclass(frozen=True)
class Comparison:
    """A comparison of kernels, with the frames that it was made from.

    Attributes:
        frame: a row for each benchmark, metric, operation, statistic and kernel besides the baseline: the keys,
            ``statistic`` (text, see `compare_kernels.summarise.STATISTICS`), ``base`` and ``value`` (float64, the
            statistic under the baseline and the kernel; NaN if not defined), ``delta_pct`` (float64, percent,
            positive is better), ``n_base``, ``n_other`` (int32, samples), ``runs_base``, ``runs_other`` (int32).
            Only rows of the mean are judged, and none of monitors; in the others what follows is NaN, false, 0 or
            empty: ``tested_base``, ``tested_other`` (int32, values that were tested), ``p`` and
            ``p_adjusted`` (float64), ``change_pct``, ``ci_low`` and ``ci_high`` (float64, estimate and interval of
            the change in percent, positive is better), ``detectable_pct`` (float64, the smallest change that would
            have been found), ``runs_needed`` (float64, for a change as large as the margin), ``significant`` (bool,
            p < alpha), ``verdict`` (category of five words), ``reason`` (text, a code) and ``tested`` (text, see
            `compare_kernels.judgement.Tested`).
        summary: see `compare_kernels.summarise.summarise`.
        samples: the samples that were compared.
        everything: all that was loaded, of which the byte-compatible styles make their own choice.
        selection: what was asked for.
        rules: what the comparison went by.
        differences: facts about the machine in which another kernel differs from the baseline; those that matter
            come first.
        diagnostics: all that has to be said, that of the samples included.
    """

    frame: pd.DataFrame
    summary: pd.DataFrame
    samples: Samples
    everything: Samples
    selection: Selection
    rules: Rules
    differences: tuple[Difference, ...]
    diagnostics: tuple[Diagnostic, ...]


def compare_samples(
    samples: Samples, selection: Selection, rules: Rules, *, machines_will_do: bool = False
) -> Comparison:
    """Compare each kernel with the first; of a kernel alone there is nothing to compare, it is only described.

    Args:
        samples: all samples of all kernels.
        selection: which of them to compare.
        rules: level, margin, test and correction.
        machines_will_do: whether it's enough that files describe the machines.

    Raises:
        NothingToCompareError: if no kernel shares an operation with the baseline.
    """
    chosen = samples.select(selection.chooser(samples))
    needed = min(2, len(samples.kernels))
    described = machines_will_do and sum(map(bool, samples.environments)) > 1
    if not described and not any(0 in row.groups and len(row.groups) >= needed for row in chosen.rows()):
        raise NothingToCompareError(_why_nothing(chosen))
    # Numbers at the ends of the floating point range give infinities, which are shown as n/a.
    with np.errstate(all="ignore"):
        frame, summary, findings = _compare(chosen, rules)
    differing, unknown = _environments(samples)
    diagnostics = (*samples.diagnostics, *_confounded(samples, differing, unknown), *findings)
    return Comparison(frame, summary, chosen, samples, selection, rules, differing, diagnostics)


def _environments(samples: Samples) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Facts in which kernels differ, and facts that aren't known for all of them."""
    if not any(samples.environments):
        return (), ()
    from compare_kernels.environment.differences import differences, known_in_part

    return differences(samples.environments), known_in_part(samples.environments)


def _confounded(
    samples: Samples, differing: Iterable[Difference], unknown: Iterable[Difference]
) -> Iterable[Diagnostic]:
    """What differs besides the kernel and may change performance, and what can't be compared."""
    for row in differing:
        if row.weight == "matters":
            values = (
                f"{value} under {name}" for name, value in zip(samples.kernels, row.values, strict=True) if value
            )
            yield Diagnostic(Severity.WARNING, "confounded", f"{row.key} differs: {', '.join(values)}")
    keys = [row.key for row in unknown if row.weight == "matters"]
    if keys:
        message = f"not compared, for not all kernels tell it: {', '.join(keys)}"
        yield Diagnostic(Severity.NOTE, "environment-in-part", message)


def _why_nothing(chosen: Samples) -> str:
    measured = {chosen.kernels[kernel] for row in chosen.rows() for kernel in row.groups}
    if not measured:
        return "nothing to compare: no results were found"
    without = [kernel for kernel in chosen.kernels if kernel not in measured]
    if without:
        return f"nothing to compare: no results were found for {', '.join(without)}"
    return "nothing to compare: the kernels have no operation in common"


def _compare(samples: Samples, rules: Rules) -> tuple[pd.DataFrame, pd.DataFrame, Iterable[Diagnostic]]:
    summary = summarise(samples, rules.alpha)
    described: dict[tuple[str, str, str, str], dict[str, float]] = {
        tuple(record[key] for key in KEYS): record  # type: ignore[misc]
        for record in summary.to_dict("records")
    }
    findings = Findings(rules)
    pairs = []
    for row in samples.rows():
        parser = samples.benchmarks[row.benchmark].parser
        margin = rules.margin_of(parser, row.metric.name)
        base = described.get((*row.key, samples.kernels[0]), {})
        findings.look(row, 0, samples.kernels[0], base, parser)
        for kernel, name in enumerate(samples.kernels[1:], start=1):
            other = described.get((*row.key, name), {})
            findings.look(row, kernel, name, other, parser)
            pair = make_pair(row.groups.get(0), row.groups.get(kernel), row.metric, rules, margin)
            pairs.append(Sides(row, name, pair, base, other))
    judgements = iter(judge([sides.pair for sides in pairs if not sides.row.metric.monitor], rules))
    records: list[dict[str, object]] = []
    for sides in pairs:
        if sides.row.metric.monitor:
            records += _records(sides, _NOT_JUDGED)
            continue
        judgement = next(judgements)
        findings.judged(sides, judgement)
        records += _records(sides, _judged(sides.pair, judgement, rules.alpha))
    return _frame(records, samples), summary, findings.diagnostics()


def _records(sides: Sides, judged: dict[str, object]) -> Iterable[dict[str, object]]:
    """One record for each statistic; what the tests say goes with the mean."""
    row, base, other = sides.row, sides.base, sides.other
    keys = dict(zip(KEYS, (*row.key, sides.name), strict=True))
    described = (("base", base), ("other", other))
    counts = {f"{count}_{side}": int(of.get(count, 0)) for count in ("n", "runs") for side, of in described}
    for statistic in STATISTICS:
        before, after = base.get(statistic, math.nan), other.get(statistic, math.nan)
        better = "lower" if statistic in SPREADS else row.metric.better
        delta = percent_change(before, after, better)
        said = judged if statistic == "mean" else _NOT_JUDGED
        yield {**keys, "statistic": statistic, "base": before, "value": after, "delta_pct": delta, **said, **counts}


_NOT_JUDGED: dict[str, object] = {
    **dict.fromkeys(_JUDGED, math.nan),
    "significant": False,
    "verdict": None,
    "reason": "",
    "tested": "",
    "tested_base": 0,
    "tested_other": 0,
}


def _judged(pair: Pair, judgement: Judgement, alpha: float) -> dict[str, object]:
    return {
        "tested_base": len(pair.base),
        "tested_other": len(pair.other),
        "p": judgement.result.p,
        "p_adjusted": judgement.p_adjusted,
        "change_pct": judgement.change,
        "ci_low": judgement.interval[0],
        "ci_high": judgement.interval[1],
        "detectable_pct": judgement.detectable,
        "runs_needed": math.nan if judgement.runs_needed is None else float(judgement.runs_needed),
        "significant": judgement.result.p < alpha,
        "verdict": judgement.verdict.word,
        "reason": judgement.verdict.reason,
        "tested": judgement.tested,
    }


def _frame(records: list[dict[str, object]], samples: Samples) -> pd.DataFrame:
    frame = pd.DataFrame(records, columns=_COLUMNS)
    for key in KEYS:
        frame[key] = frame[key].astype(samples.whole[key].dtype)
    return frame.astype(
        {
            **dict.fromkeys(("base", "value", "delta_pct", *_JUDGED), "float64"),
            "significant": "bool",
            "verdict": pd.CategoricalDtype(list(VERDICTS)),
            **dict.fromkeys(_COUNTS, "int32"),
        }
    )
