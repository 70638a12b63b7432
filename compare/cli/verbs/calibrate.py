"""``compare-kernels calibrate``: the rate of false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compare_kernels.cli.diagnostics import tell
from compare_kernels.cli.exits import DONE
from compare_kernels.cli.files import write
from compare_kernels.cli.options import also_read, selection_of, settings_of
from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Compare halves of one kernel's runs."""
    if options.splits < 1:
        raise UsageError("--splits has to be 1 or more")
    from compare_kernels import api

    settings = settings_of(options)
    samples = api.load(options.input, **also_read(settings))
    tell(samples.files, samples.diagnostics, options)
    write(api.calibrate(samples, selection_of(options), settings.rules, options.splits), None)
    return DONE
