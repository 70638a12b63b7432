"""Whether a row got better or worse: five words instead of a star."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Word = Literal["regressed", "improved", "unchanged", "undecided", "missing"]
VERDICTS: tuple[Word, ...] = get_args(Word)
Reason = Literal[
    "significant-beyond-margin",
    "significant-within-margin",
    "interval-inside-margin",
    "not-significant",
    "not-testable",
    "no-percentage",
    "no-direction",
    "no-value",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the data says about a change.

    Attributes:
        word: ``regressed`` or ``improved``: there is a change, and it's larger than the margin. ``unchanged``: if
            there is a change, it's smaller than the margin. ``undecided``: the data can't tell. ``missing``: a side
            has no valid value.
        reason: why, for programs. ``significant-beyond-margin`` goes with regressed and improved,
            ``interval-inside-margin`` with unchanged, ``no-value`` with missing. An undecided row is
            ``significant-within-margin`` (a change is there, but whether it's smaller than the margin is open),
            ``not-significant``, ``not-testable`` (no p-value), ``no-percentage`` (the change has none, as from a
            baseline of 0) or ``no-direction`` (of a metric of which neither more nor less is better).
    """

    word: Word
    reason: Reason


def decide(
    change: float,
    p: float,
    equivalence: tuple[float, float],
    margin: float,
    alpha: float,
    *,
    missing: bool = False,
) -> Verdict:
    """Decide about one row.

    A claim of a change needs a test against no change; a claim of no change needs two one-sided tests against a
    change of the margin, which is the same as an interval at level ``1 - 2 * alpha`` inside the margin: D. J.
    Schuirmann, "A comparison of the two one-sided tests procedure and the power approach", J. Pharmacokinetics and
    Biopharmaceutics 15, 1987. That p isn't small is no reason for ``unchanged``.

    Args:
        change: the estimated change in percent, oriented so that positive is better; NaN if it has no percentage.
        p: the p-value of the test against no change, adjusted for the number of tests; NaN if the row can't be
            tested. Sides that are equal and without spread come as 1 with an interval of (0, 0).
        equivalence: the interval of the change at level ``1 - 2 * alpha``, in percent, oriented likewise.
        margin: the largest change that doesn't matter, in percent, >= 0.
        alpha: the level of the test.
        missing: whether a side has no valid value.

    Returns:
        The verdict; a change of exactly the margin counts as inside.
    """
    if missing:
        return Verdict("missing", "no-value")
    if math.isnan(p) or math.isnan(change):
        return Verdict("undecided", "not-testable" if math.isnan(p) else "no-percentage")
    if p < alpha and abs(change) > margin:
        return Verdict("regressed" if change < 0 else "improved", "significant-beyond-margin")
    low, high = equivalence
    if -margin <= low and high <= margin:
        return Verdict("unchanged", "interval-inside-margin")
    return Verdict("undecided", "significant-within-margin" if p < alpha else "not-significant")
