"""Check the arithmetic of posted tables: what contradicts the numbers beside it.

A number is right if some values exist that print as all the numbers do: the digits that weren't printed are unknown,
so each relation is checked between intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.posted.checks.ministat import check_differences
from compare_kernels.posted.checks.percentages import check_percentages
from compare_kernels.posted.checks.result import Contradiction, Findings
from compare_kernels.posted.checks.shape import check_baseline_column, check_shape
from compare_kernels.posted.checks.statistics import check_composite, check_gmean, check_statistics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.posted.model import PostedTable


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked, and what can't be right.

    Attributes:
        tables: how many tables there are.
        percentages: how many percentages were recomputed.
        relations: how many other relations were looked at.
        contradictions: what can't be right, by tables and lines.
    """

    tables: int
    percentages: int
    relations: int
    contradictions: tuple[Contradiction, ...]


def check_table(table: PostedTable) -> Findings:
    """Return what contradicts itself in one table."""
    findings = Findings(table)
    check_shape(findings)
    check_percentages(findings)
    if table.style in ("baseline", "normalized"):
        check_baseline_column(findings)
    if table.style in ("mmtests", "ministat", "describe"):
        check_statistics(findings)
    if table.style in ("mmtests", "percent"):
        check_composite(findings)
    if table.style == "mmtests-ratio":
        check_gmean(findings)
    check_differences(findings)
    findings.contradictions.sort(key=lambda found: found.line)
    return findings


def check_tables(tables: Iterable[PostedTable]) -> Checked:
    """Return what contradicts itself in any of the tables."""
    found = [check_table(table) for table in tables]
    return Checked(
        len(found),
        sum(findings.percentages for findings in found),
        sum(findings.relations for findings in found),
        tuple(contradiction for findings in found for contradiction in findings.contradictions),
    )
