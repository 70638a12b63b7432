"""Which rows pass: from what was measured and a policy to an outcome and a reason for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from compare_kernels.statistics.adjust import adjust

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from compare_kernels.delivery.gate.policy import Policy, Waiver
    from compare_kernels.delivery.gate.rows import Measured

Outcome = Literal[
    "passed", "waived", "regressed", "over-budget", "missing", "undecided", "confirmed", "not-confirmed", "failed-run"
]
Status = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Decided:
    """One row, claim or failed run: what became of it and why.

    ``name`` is benchmark, metric, operation and kernel; empty where it has none.
    """

    name: tuple[str, str, str, str]
    outcome: Outcome
    status: Status
    reason: str
    change: float = math.nan
    limit: float = math.nan
    p: float = math.nan


def decide(measured: Sequence[Measured], policy: Policy, day: date) -> tuple[list[Decided], list[str]]:
    """Decide on all gated rows and all claims.

    A row fails if it is worse with an adjusted p below alpha and by more than its limit; it passes if the interval of
    the change excludes a regression beyond the limit; otherwise it is undecided. p is that of the report, so that
    both agree, but counts only where the row is worse: so no improvement of one row, whose p is small too, helps
    another to fail, and no row that gets worse helps another to pass. For the same reason all gated rows that have
    values count for Holm's correction, also those that can't be tested.

    Returns:
        Rows and claims in the order of the report, and what has to be said about waivers.
    """
    gated = [row for row in measured if row.rule.gate]
    evidence = [
        math.nan if _missing(row) else row.p if row.change < 0 and not math.isnan(row.p) else 1.0 for row in gated
    ]
    adjusted = adjust(np.array(evidence), "holm").tolist()
    said: list[str] = []
    useless: dict[Waiver, bool] = {waiver: True for waiver in policy.waivers if waiver.expires >= day}
    rows = []
    for row, p in zip(gated, adjusted, strict=True):
        plain = _row(row, p, row.limit, policy)
        waiver = next((item for item in useless if item.match(row.place)), None)
        if waiver:
            useless[waiver] &= plain.status == "pass"
        if waiver and plain.outcome == "regressed" and -plain.change <= waiver.limit:
            why = f"{plain.reason}; waived up to {waiver.limit:g} % until {waiver.expires}: {waiver.reason}"
            plain = Decided(plain.name, "waived", "pass", f"{why} ({waiver.owner})", plain.change, waiver.limit, p)
        rows.append(plain)
    said += [f"waiver expired on {item.expires}: {_of(item)}" for item in policy.waivers if item.expires < day]
    said += [f"waiver no longer needed: {_of(item)}" for item, unused in useless.items() if unused]
    return [*rows, *_claims(measured, policy)], said


def _of(waiver: Waiver) -> str:
    return f"{waiver.described} ({waiver.reason}; {waiver.owner})"


def _missing(row: Measured) -> bool:
    return math.isnan(row.base) or math.isnan(row.value)


def _name(row: Measured) -> tuple[str, str, str, str]:
    return row.place.benchmark.label, row.place.metric, row.place.operation, row.place.kernel


def _row(row: Measured, p: float, limit: float, policy: Policy) -> Decided:
    outcome, reason = _judged(row, p, limit)
    chosen = {"passed": "pass", "missing": policy.missing, "undecided": policy.undecided}
    status: Status = chosen.get(outcome, "fail")  # type: ignore[assignment]
    return Decided(_name(row), outcome, status, reason, row.change, limit, p)


def _judged(row: Measured, p: float, limit: float) -> tuple[Outcome, str]:  # noqa: PLR0911 (a rule a line)
    budget, sign = row.rule.absolute, 1 if row.better == "lower" else -1
    if budget is not None and sign * row.value > sign * budget:
        return "over-budget", f"{row.rule.statistic} {row.value:g} {row.unit} passes the budget of {budget:g}"
    if _missing(row):
        return "missing", f"{'the baseline' if math.isnan(row.base) else row.place.kernel} has no value"
    if row.runs < row.rule.min_runs:
        return "undecided", f"{row.runs} run{'s' * (row.runs != 1)} on a side, fewer than {row.rule.min_runs}"
    if math.isnan(row.p) or math.isnan(row.change):
        return "undecided", "nothing to test: too few values, no spread, or no percentage"
    numbers = f"{row.change:+.2f} % ({row.base:g} to {row.value:g} {row.unit}), adjusted p {p:.4f}"
    if row.change < -limit and p < row.alpha:
        return "regressed", f"{numbers}: worse than the limit of {limit:g} %"
    if row.low >= -limit and row.change >= -limit:
        return "passed", f"{numbers}: a regression beyond {limit:g} % is excluded"
    return "undecided", f"{numbers}: a regression beyond {limit:g} % is neither shown nor excluded"


def _claims(measured: Sequence[Measured], policy: Policy) -> list[Decided]:
    """Each row of a claim; all have to be confirmed, so that none needs a correction for their number."""
    found = []
    for claim in policy.claims:
        for row in measured:
            if claim.match(row.place):
                held = row.runs >= row.rule.min_runs and row.p < row.alpha and row.change >= claim.improvement
                reason = f"promised {claim.improvement:+g} %, measured {row.change:+.2f} % with p {row.p:.4f}"
                outcome: Outcome = "confirmed" if held else "not-confirmed"
                found.append(
                    Decided(
                        _name(row), outcome, "pass" if held else "fail", reason, row.change, claim.improvement, row.p
                    )
                )
    return found
