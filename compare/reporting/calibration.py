"""The result of an A/A calibration in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compare_kernels.calibration import Calibration
    from compare_kernels.config import Rules


def calibration_text(found: Calibration, rules: Rules) -> str:
    """Say how often halves of the same runs were called different, against what alpha promises."""
    verdict = "holds" if found.changed <= rules.alpha else "does NOT hold"
    lines = [
        f"{found.splits} random splits of the runs of one kernel, {found.rows} rows each"
        + (f" ({found.skipped} left out: fewer than 4 runs)" if found.skipped else ""),
        f"Test {rules.test}, alpha {rules.alpha:g}, correction {rules.correction}, margin {rules.margin:g} %,"
        f" seed {rules.seed}.",
        "",
        f"{100 * found.changed:6.2f} % of rows were called regressed or improved; alpha promises at most"
        f" {100 * rules.alpha:g} %: that {verdict}",
        f"{100 * found.reports:6.2f} % of reports had at least one such row",
        f"{100 * found.stars:6.2f} % of rows had a star (unadjusted p < {rules.alpha:g})",
        f"{100 * found.unchanged:6.2f} % of rows were called unchanged",
    ]
    return "\n".join(lines) + "\n"
