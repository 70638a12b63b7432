"""Does a gate fire? The baseline against itself has to pass, against a worsened copy it has to fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.delivery.gate.decision import decide
from compare_kernels.delivery.gate.policy import today
from compare_kernels.delivery.gate.rows import measure
from compare_kernels.samples import Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.comparison import Comparison
    from compare_kernels.delivery.gate.policy import Policy
    from compare_kernels.samples import Row

BEYOND = 20.0
"""So many percent beyond its limit a row is made worse."""


def prove(comparison: Comparison, policy: Policy) -> tuple[bool, list[str]]:
    """Apply a policy to the baseline against itself and against a copy worsened by each row's limit and `BEYOND`.

    Claims and waivers are left out: the one says nothing of regressions, the other lets known ones pass.

    Returns:
        Whether the second fails and the first doesn't, and what is to be said: the rows that stay silent or that
        raise a false alarm.
    """
    samples, day = comparison.samples, today()
    bare = replace(policy, claims=(), waivers=(), undecided="warn")
    rows = [row for row in samples.rows() if 0 in row.groups]
    found = []
    for worse in (False, True):
        # The limits are those of the first kernel that is compared.
        limits = measure(rows, samples.kernels[:2], samples.benchmarks, comparison.rules, bare)
        limit = {(row.place.benchmark.label, row.place.metric, row.place.operation): row.limit for row in limits}
        copies = _copies(rows, limit, worse=worse)
        found.append(decide(list(measure(copies, samples.kernels[:2], samples.benchmarks, comparison.rules, bare)),
                            bare, day)[0])  # fmt: skip
    same, worsened = found
    alarms = [item for item in same if item.status == "fail"]
    silent = [item for item in worsened if item.outcome not in {"regressed", "over-budget"}]
    fires = len(silent) < len(worsened)
    lines = [f"worsened by the limit and {BEYOND:g} %: {len(worsened) - len(silent)} of {len(worsened)} rows fail"]
    lines += [f"  silent: {' '.join(item.name[:3])}: {item.reason}" for item in silent]
    lines += [f"against itself: {len(alarms)} rows fail"]
    lines += [f"  false alarm: {' '.join(item.name[:3])}: {item.reason}" for item in alarms]
    return fires and not alarms, lines


def _copies(rows: list[Row], limit: dict[tuple[str, str, str], float], *, worse: bool) -> Iterator[Row]:
    for row in rows:
        if row.key in limit:
            base = row.groups[0]
            percent = limit[row.key] + BEYOND if worse else 0.0
            # Of a rate that has to fall by more than all of it, almost nothing is left.
            factor = 1 + percent / 100 if row.metric.better == "lower" else max(1e-3, 1 - percent / 100)
            yield replace(row, groups={0: base, 1: Group(1, base.values * factor, base.runs)})
