"""``compare-kernels list``: the parsers, the styles and the metrics that there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.cli.diagnostics import diagnostic_line
from compare_kernels.cli.exits import DONE
from compare_kernels.cli.files import write
from compare_kernels.cli.terminal import say
from compare_kernels.config import FILE_NAME, find_config, read_settings

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """List what there is to choose from."""
    if options.what == "metrics":
        from compare_kernels.reading.recognise import all_metrics
        from compare_kernels.reporting.catalogue import metrics_text

        write(metrics_text(all_metrics()), None)
        return DONE
    if options.what == "parsers":
        from compare_kernels.parsers import BUILTIN
        from compare_kernels.reading.recognise import plugged_parsers

        plugged, diagnostics = plugged_parsers()
        rows = [(entry.name, entry.title) for entry in BUILTIN] + [(name, "plug-in") for name in plugged]
        rows += _described_rows()
    else:
        from compare_kernels.reporting.render import builtin_styles, plugged_styles

        styles, diagnostics = plugged_styles()
        rows = [(style.name, style.title) for style in (*builtin_styles().values(), *styles.values())]
    width = max(len(name) for name, _ in rows)
    write("".join(f"{name.ljust(width)}  {title}\n" for name, title in rows), None)
    say(*(diagnostic_line(diagnostic) for diagnostic in diagnostics))
    return DONE


def _described_rows() -> list[tuple[str, str]]:
    """Name and title of each benchmark that is described by a file which the settings name."""
    path = find_config(Path.cwd())
    named = read_settings(path).benchmarks if path else ()
    if not named:
        return []
    from compare_kernels.reading.descriptions import named_descriptions

    return [
        (parser.name, parser.description.title or f"described by {FILE_NAME}")
        for parser in named_descriptions(map(str, named))
    ]
