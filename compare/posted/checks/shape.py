"""Counts of cells, rows that can't be read, and columns that can't be where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compare_kernels.posted.checks.result import Findings

_WITHOUT_CELL_COUNT = ("ministat", "describe")


def check_shape(findings: Findings) -> None:
    """Report rows whose cells aren't as many as the kernels, and lines that can't be read."""
    table = findings.table
    for line in table.unreadable:
        findings.report("the line can't be read", "but it stands between two rows of a table", line=line)
    if table.style in _WITHOUT_CELL_COUNT:
        return
    counts = {len(row.cells) for row in table.rows}
    findings.relations += len(table.rows)
    named = len(table.kernels)
    if len(counts) == 1 and len(table.rows) > 1 and named not in counts:
        findings.report(f"the heading names {named} columns", f"but the rows have {counts.pop()} cells")
        return
    for row in table.rows:
        if len(row.cells) != named:
            findings.report(f"the row has {len(row.cells)} cells", f"but the table has {named} columns", row)


def check_baseline_column(findings: Findings) -> None:
    """Report rows of normalised tables whose first column isn't the baseline: a one in this place, and no change."""
    table = findings.table
    for row in table.rows:
        if len(row.cells) != len(table.kernels):
            continue
        findings.relations += 1
        first = row.cells[0].value
        if first is None or first.value != 1:
            printed = first or row.cells[0].percent
            text = printed.text if printed else "nothing"
            findings.report(f"{text} is printed", "but the baseline of a normalised table is 1.00", row, 0)
        for kernel, cell in enumerate(row.cells[1:], start=1):
            if table.style == "baseline" and cell.percent is None:
                text = cell.value.text if cell.value else "nothing"
                findings.report(f"{text} is printed", "but this column holds changes, which have a sign", row, kernel)
