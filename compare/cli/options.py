"""What the options come to: settings, selection, layout, samples."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compare_kernels.cli.diagnostics import tell
from compare_kernels.cli.terminal import say
from compare_kernels.config import Settings, check, find_config, read_settings
from compare_kernels.delivery.options import WIDTH
from compare_kernels.errors import NothingToCompareError, UsageError

if TYPE_CHECKING:
    import argparse

    from compare_kernels.comparison import Comparison
    from compare_kernels.reporting.render import Style
    from compare_kernels.reporting.view import Layout
    from compare_kernels.samples import Samples
    from compare_kernels.selection import Selection

_TOO_FEW = "two inputs are needed: the baseline and a kernel to compare with it. Try --help."
_NARROWEST = 40


def check_inputs(options: argparse.Namespace) -> None:
    """Refuse options for inputs that don't fit together."""
    if options.gate is None and (options.bisect or options.update_baseline or options.allow_different_machine):
        raise UsageError("--bisect, --update-baseline and --allow-different-machine go with --gate")
    if options.directory is None and (options.baseline or options.compare):
        raise UsageError("--baseline and --compare name kernels in the directory given by -C")
    if options.directory is not None and options.inputs:
        raise UsageError("give either directories or -C")
    if options.directory is None and not options.inputs:
        raise UsageError(_TOO_FEW)


def layout_of(options: argparse.Namespace) -> Layout:
    """How tables are laid out."""
    from compare_kernels.reporting import view

    return view.Layout(
        legend=not options.no_legend,
        summary=not options.no_summary,
        only_changed=options.only_changed,
        sort=options.sort or "",
        width=width_of(options),
        ascii=options.ascii or options.mail,
        mail=options.mail,
        title=options.title,
        names=tuple(_name_and_text(text) for text in options.legend),
        ratio=options.ratio,
    )


def load(options: argparse.Namespace, settings: Settings) -> Samples:
    """Read all inputs."""
    from compare_kernels import api

    if options.directory is not None:
        return api.load_mmtests(options.directory, options.baseline, *options.compare, **also_read(settings))
    if len(options.inputs) == 1 and not api.is_stored(options.inputs[0]):
        raise UsageError(_TOO_FEW)
    return api.load(*options.inputs, **also_read(settings))


def _name_and_text(argument: str) -> tuple[str, str]:
    name, equals, text = argument.partition("=")
    if not equals or not name:
        raise UsageError(f"--legend takes NAME=TEXT, not {argument!r}")
    return name, text


def width_of(options: argparse.Namespace) -> int:
    """Characters that a line may have; 0 for any number."""
    if options.width in {None, "auto"}:
        if options.mail:
            return WIDTH
        terminal = not options.output and sys.stdout is not None and sys.stdout.isatty()
        return max(_NARROWEST, shutil.get_terminal_size().columns) if terminal else 0
    if not options.width.isascii() or not options.width.isdigit() or int(options.width[:9]) < _NARROWEST:
        raise UsageError(f"--width takes a number of {_NARROWEST} or more, or auto")
    return int(options.width[:9])


def selection_of(options: argparse.Namespace) -> Selection:
    """Which benchmarks, metrics and operations."""
    from compare_kernels.selection import Selection

    return Selection(tuple(options.benchmark), tuple(options.metric), options.sub_heading)


def also_read(settings: Settings) -> dict[str, Any]:
    """What the settings add to the arguments of `compare_kernels.api.load`."""
    return {"descriptions": settings.benchmarks, "settings": settings.path}


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of the file, overruled by options."""
    path = Path(options.config) if options.config else find_config(Path.cwd())
    settings = read_settings(path) if path else Settings()
    if path and not options.quiet:
        say(f"settings from {path}")
    names = ("alpha", "margin", "test", "unit", "correction", "interval", "seed")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return replace(settings, rules=check(replace(settings.rules, **given), "options"))


def compared(style: Style, settings: Settings, options: argparse.Namespace) -> Comparison:
    """Read and compare; if nothing can be compared, what was wrong with the files is said before."""
    from compare_kernels import api

    samples = load(options, settings)
    try:
        return api.compare_for(style, samples, selection_of(options), settings.rules)
    except (UsageError, NothingToCompareError):
        tell(samples.files, samples.diagnostics, options)
        raise
