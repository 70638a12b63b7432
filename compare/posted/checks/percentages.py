"""Each printed percentage, recomputed from the printed values in its style's own rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.posted.checks.changes import FORMULAS, OPPOSITE, Formula, change
from compare_kernels.posted.checks.result import Findings, span
from compare_kernels.posted.numbers import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable
    from compare_kernels.posted.numbers import Number

_SIGNED_BY_DIRECTION = ("mmtests", "mmtests-ratio", "normalized", "normalized-pct", "percent")
"""Styles in which a positive percentage is better and the baseline's is zero."""
_LOOSE = ("deviations", "columns", "markdown", "grid")
"""Styles whose makers compute changes in different ways."""
_SPREAD = re.compile(r"(?i)h?std-?dev|h?coeffvar|submeanci|range")
_FIXED: dict[str, dict[Formula, float]] = {
    "difference": {"difference": 0},
    "raw": {"rise": 0},
    "spread": {"fall": 3, "rise": 0},
}
_FEW = 0.15
"""At most this part of a loose table's rows can be errors of sign; if more have the other sign, they mean it."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """A printed percentage with the values that it is about."""

    row: PostedRow
    kernel: int
    cell: PostedCell
    percent: Number
    base: Interval
    new: Interval
    special: tuple[float, ...]
    """What a style prints by convention where there is nothing to divide."""

    def fits(self, formula: Formula, *, cut: bool) -> bool:
        if self.percent.value in self.special:
            return True
        return self.percent.interval(cut=cut).meets(change(self.base, self.new, formula))


def check_percentages(findings: Findings) -> None:
    """Recompute the percentages of a table; report those outside of what the printed digits allow."""
    table = findings.table
    cut = table.style == "normalized-pct"
    groups: dict[str, list[_Claim]] = {}
    for claim in _claims(findings):
        groups.setdefault(_group(table, claim), []).append(claim)
    if table.style == "mmtests" and table.better is None and "main" in groups:
        groups |= _by_direction(groups.pop("main"))
    for name, claims in groups.items():
        formulas = _formulas(table, name.partition("\n")[0])
        formula = max(formulas, key=lambda one: sum(claim.fits(one, cut=cut) for claim in claims) + formulas[one])
        wrong = [claim for claim in claims if not claim.fits(formula, cut=cut)]
        if table.style in _LOOSE and _means_it(wrong, claims, formula):
            continue
        findings.percentages += len(claims)
        for claim in wrong:
            _report(findings, claim, formula, cut=cut)


def _by_direction(claims: list[_Claim]) -> dict[str, list[_Claim]]:
    """Part the rows of operations that agree on a direction of their own from those of which only the table tells.

    One table of mmtests may hold rates and times. One sign that is wrong doesn't outvote the operation's other rows.
    """
    votes: dict[str, dict[Formula, int]] = {}
    for claim in claims:
        of_operation = votes.setdefault(claim.row.operation, {"rise": 0, "fall": 0})
        rise, fall = (claim.fits(formula, cut=False) for formula in ("rise", "fall"))
        if rise != fall:
            of_operation["rise" if rise else "fall"] += 1
    parts: dict[str, list[_Claim]] = {}
    for claim in claims:
        few, many = sorted(votes[claim.row.operation].values())
        own: Formula = "rise" if votes[claim.row.operation]["rise"] == many else "fall"
        parts.setdefault(f"main\n{own}" if many >= max(2, 3 * few) else "main", []).append(claim)
    return parts


def _claims(findings: Findings) -> Iterator[_Claim]:
    """All percentages that can be recomputed; reports those that contradict the absence of a value."""
    table = findings.table
    without = not any(cell.percent and cell.percent.value is not None for row in table.rows for cell in row.cells[1:])
    for row in table.rows:
        if len(row.cells) != len(table.kernels) or row.statistic in ("Gmean", "Dmean", "Dmin", "Dmax"):
            continue
        base = row.cells[0].value
        for kernel, cell in enumerate(row.cells):
            if cell.percent is None or base is None or cell.value is None:
                continue
            if without and cell.percent.value is None:
                # A metric without direction has no percentages at all.
                continue
            if not _is_sensible(findings, row, kernel, base):
                continue
            if kernel == 0 and table.style in _SIGNED_BY_DIRECTION:
                findings.percentages += 1
                if not cell.percent.is_zero:
                    findings.report(f"{cell.percent.text}% is printed", "but it is the baseline", row, kernel)
            elif kernel:
                yield _claim(table, row, kernel, base)


def _is_sensible(findings: Findings, row: PostedRow, kernel: int, base: Number) -> bool:
    """Whether both values and the percentage are numbers; a number beside ``n/a`` is reported."""
    cell = row.cells[kernel]
    assert cell.percent is not None
    assert cell.value is not None
    if cell.percent.value is not None and base.value is not None and cell.value.value is not None:
        return True
    missing = next((one.text for one in (cell.value, base) if one.text.lower() == "n/a"), "")
    if cell.percent.value is not None and missing:
        findings.percentages += 1
        findings.report(f"{cell.percent.text}% is printed", "but a value is n/a", row, kernel)
    elif cell.percent.text.lower() == "n/a" and (base.value or 0) > 0 and (cell.value.value or 0) > 0:
        findings.percentages += 1
        findings.report(
            "no percentage is printed", f"but there are values, {base.text} and {cell.value.text}", row, kernel
        )
    return False


def _claim(table: PostedTable, row: PostedRow, kernel: int, base: Number) -> _Claim:
    cell = row.cells[kernel]
    assert cell.percent is not None
    assert cell.value is not None
    cut = table.style == "lkp"
    before, after = _values(base, cut=cut), _values(cell.value, cut=cut)
    if table.style == "mmtests-ratio" or (table.style == "normalized" and base.value == 1):
        # The baseline's ratio is no measurement: it's one.
        before = Interval(1.0, 1.0)
    special: tuple[float, ...] = ()
    if table.style in _SIGNED_BY_DIRECTION:
        # mmtests: 0 where a value is missing, 100 or -99 against zero.
        special = (0.0,) if cell.value.is_zero else ()
        special += (100.0, -99.0) if base.is_zero else (100.0,) if cell.value.is_zero else ()
        special += (0.0,) if table.style == "mmtests-ratio" and cell.value.value == 1 else ()
    return _Claim(row, kernel, cell, cell.percent, before, after, special)


def _values(printed: Number, *, cut: bool) -> Interval:
    """What may stand behind a value; a zero without a minus is no small negative number."""
    interval = printed.interval(cut=cut)
    if printed.value == 0 and not printed.text.startswith(("-", "\u2212")):
        return Interval(0.0, interval.high)
    return interval


def _group(table: PostedTable, claim: _Claim) -> str:
    """Rows whose percentages have one sign: those of spread are better if lower, whatever the others are."""
    if table.style == "lkp":
        return "difference" if claim.cell.absolute else "raw"
    if table.style == "mmtests" and _SPREAD.fullmatch(claim.row.statistic):
        return "spread"
    return "main"


def _formulas(table: PostedTable, group: str) -> dict[Formula, float]:
    """The ways in which a group may be computed, each with what speaks for it before a row is looked at."""
    if group in _FIXED:
        return _FIXED[group]
    if table.style in _LOOSE:
        return {formula: 0.5 / rank for rank, formula in enumerate(FORMULAS, start=1)}
    if table.better in ("higher", "lower"):
        return {"rise" if table.better == "higher" else "fall": 0}
    if table.mean.lower() in ("hmean", "amean"):
        return {"rise": 2.5, "fall": 0} if table.mean.lower() == "hmean" else {"fall": 1.5, "rise": 0}
    return {"rise": 0.5, "fall": 0}


def _means_it(wrong: list[_Claim], claims: list[_Claim], formula: Formula) -> bool:
    """Whether so much is wrong that the maker meant something else: another formula, or a direction for each row."""
    if len(wrong) * 2 >= len(claims):
        return True
    turned = [claim for claim in wrong if claim.fits(OPPOSITE[formula], cut=False)]
    return len(turned) > max(1, _FEW * len(claims))


def _report(findings: Findings, claim: _Claim, formula: Formula, *, cut: bool) -> None:
    table = findings.table
    assert claim.cell.value is not None
    base = claim.row.cells[0].value
    assert base is not None
    sign = "" if claim.cell.absolute else "%"
    allowed = change(claim.base, claim.new, formula)
    way = "the difference" if formula == "difference" else "the change"
    if table.style in _SIGNED_BY_DIRECTION:
        said = "" if table.better else ", as the other rows have it"
        way += f" ({'higher' if formula == 'rise' else 'lower'} is better{said})"
    opposite = OPPOSITE.get(formula)
    turned = opposite is not None and claim.fits(opposite, cut=cut)
    decimals = max(claim.percent.decimals, 0)
    findings.report(
        f"{claim.percent.text}{sign} is printed",
        f"but from {base.text} to {claim.cell.value.text} {way} is {span(allowed, decimals)}{sign}"
        + ("; the sign is turned" if turned else ""),
        claim.row,
        claim.kernel,
    )
