"""The newest kernel alone, as the baseline of the next comparison."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.reading import stored
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from compare_kernels.comparison import Comparison


def baseline_text(comparison: Comparison) -> str:
    """Files and runs of the last kernel in the form of the style ``json``."""
    everything = comparison.everything
    last = len(everything.kernels) - 1
    kept = [index for index, report in enumerate(everything.files) if report.source.kernel == last]
    place = {old: new for new, old in enumerate(kept)}
    files = [
        replace(everything.files[index], source=replace(everything.files[index].source, kernel=0)) for index in kept
    ]
    runs = [
        (
            benchmark,
            replace(
                run,
                kernel=0,
                source=place[run.source],
                blocks=tuple((place[source], block) for source, block in run.blocks),
            ),
        )
        for benchmark, run in everything.runs
        if run.kernel == last
    ]
    document = {
        "format": stored.FORMAT,
        "version": stored.VERSION,
        "tool": __version__,
        "options": {"selection": {}, "rules": {}},
        "benchmarks": list(dict.fromkeys(benchmark.label for benchmark, _ in runs)),
        **stored.dump(
            everything.kernels[last:],
            files,
            runs,
            declared=everything.declared,
            environments=everything.environments[last:],
            found=(),
        ),
        "comparison": [],
        "diagnostics": [],
    }
    return "{\n" + json.dumps(document, allow_nan=False)[1:] + "\n"
