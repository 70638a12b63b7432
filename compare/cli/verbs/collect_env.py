"""``compare-kernels collect-env``: the machine in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.cli.exits import DONE
from compare_kernels.cli.terminal import say

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Describe this machine in files."""
    directory = Path(options.directory)
    from compare_kernels.environment.collect import collect

    written, missing = collect(directory)
    say(*(f"left out: {what}" for what in missing))
    say(f"{directory}: {len(written)} files written")
    return DONE
