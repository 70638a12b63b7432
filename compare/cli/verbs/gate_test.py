"""``compare-kernels gate-test``: proof that the gate fires."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.cli.exits import DONE, WRONG
from compare_kernels.cli.files import write
from compare_kernels.cli.options import check_inputs, compared, settings_of
from compare_kernels.text import printable

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Tell whether the gate would see a regression, and 1 if it wouldn't."""
    check_inputs(options)
    from compare_kernels.delivery.gate import policy, proof
    from compare_kernels.reporting.render import DEFAULT_STYLE, find_style

    comparison = compared(find_style(DEFAULT_STYLE), settings_of(options), options)
    chosen = policy.read_policy(Path(options.gate)) if options.gate else policy.Policy()
    holds, lines = proof.prove(comparison, chosen)
    write("".join(f"{printable(line)}\n" for line in lines), None)
    return DONE if holds else WRONG
