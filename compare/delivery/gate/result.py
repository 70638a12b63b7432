"""The whole gate: rows, claims, failed runs and waivers, and the exit code that they give."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.delivery.gate.decision import Decided, decide
from compare_kernels.delivery.gate.policy import Place, Policy, today
from compare_kernels.delivery.gate.rows import measure
from compare_kernels.errors import NothingToCompareError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.comparison import Comparison

PASSED, FAILED, REFUSED, UNDECIDED = 0, 1, 2, 4
GOOD, BAD, SKIP = 0, 1, 125
_FAILED_RUNS = ("failed-run", "truncated", "no-result")


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate decided.

    Attributes:
        items: rows, claims and failed runs.
        waivers: what has to be said about waivers.
        refused: why nothing can be decided at all; empty if something can.
    """

    items: tuple[Decided, ...]
    waivers: tuple[str, ...] = ()
    refused: str = ""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 a failure, 2 refused, 4 undecided where the policy says that this fails."""
        if self.refused:
            return REFUSED
        failed = {item.outcome for item in self.items if item.status == "fail"}
        return FAILED if failed - {"undecided"} else UNDECIDED if failed else PASSED

    @property
    def bisect_code(self) -> int:
        """For ``git bisect run``: 0 good, 1 bad, 125 if something can't be told."""
        outcomes = {item.outcome for item in self.items}
        if self.refused:
            return SKIP
        if outcomes & {"regressed", "over-budget", "not-confirmed"}:
            return BAD
        return SKIP if outcomes & {"undecided", "missing", "failed-run"} else GOOD

    @property
    def headline(self) -> str:
        """The result in one line."""
        if self.refused:
            return f"refused: {self.refused}"
        counts = Counter(item.outcome for item in self.items)
        word = {PASSED: "passed", FAILED: "failed", UNDECIDED: "undecided"}[self.exit_code]
        return f"{word}: {', '.join(f'{count} {outcome}' for outcome, count in counts.items())}"


def run_gate(comparison: Comparison, policy: Policy, *, different_machine: bool = False) -> GateResult:
    """Apply a policy to a comparison.

    Args:
        comparison: the rows that are gated.
        policy: what they are gated by.
        different_machine: whether a comparison that is confounded by its environment is taken nevertheless.

    Raises:
        UsageError: if a pattern of the policy matches nothing.
        NothingToCompareError: if no row is gated.
    """
    everything = comparison.everything
    policy.check(
        Place(everything.benchmarks[label], metric, operation, kernel)
        for label, metric, operation in everything.operations
        for kernel in everything.kernels[1:]
    )
    # Whoever finds out that the machines differ says so by this slug.
    confounded = next((item.message for item in comparison.diagnostics if item.slug == "confounded"), "")
    if confounded and not different_machine:
        return GateResult((), refused=confounded)
    samples = comparison.samples
    measured = list(measure(samples.rows(), samples.kernels, samples.benchmarks, comparison.rules, policy))
    items, waivers = decide(measured, policy, today())
    if not items:
        raise NothingToCompareError("nothing to gate: no row has a direction and a rule that gates it")
    gated = {row.place.benchmark.parser for row in measured if row.rule.gate}
    return GateResult((*items, *_failed_runs(comparison, policy, gated)), tuple(waivers))


def _failed_runs(comparison: Comparison, policy: Policy, gated: set[str]) -> Iterator[Decided]:
    """Runs that failed under a kernel besides the baseline, of programs with gated rows or of ones unknown."""
    samples = comparison.everything
    for report in samples.files:
        parsers = set(report.parser.split(", ")) - {""}
        if report.source.kernel == 0 or (parsers and not parsers & gated):
            continue
        for item in report.diagnostics:
            if item.slug in _FAILED_RUNS:
                name = (report.parser, item.slug, item.place, samples.kernels[report.source.kernel])
                status = "fail" if policy.missing == "fail" else "warn"
                yield Decided(name, "failed-run", status, item.message)  # type: ignore[arg-type]
