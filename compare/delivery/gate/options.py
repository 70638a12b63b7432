"""Options of the gate, and what each ``-o`` asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Sequence

NO_FILE = ""
_ENDINGS = {
    ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html", ".xml": "junit", ".sarif": "sarif",
    ".prom": "openmetrics", ".openmetrics": "openmetrics",
}  # fmt: skip
_GATE_FORMATS = ("junit", "sarif", "github", "openmetrics", "verdicts", "gate-summary")


@dataclass(frozen=True, slots=True)
class Output:
    """One ``-o``: a style or a format of the gate, and the file; ``-`` is the standard output."""

    format: str
    file: str

    @property
    def of_gate(self) -> bool:
        """Whether it is the gate's result and no report."""
        return self.format in _GATE_FORMATS


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the gate."""
    add = parser.add_argument
    add(
        "--gate",
        nargs="?",
        const=NO_FILE,
        metavar="FILE.toml",
        help="exit with 1 if a kernel regressed, by the rules of a file if one is named",
    )
    add("--bisect", action="store_true", help="with --gate: exit codes for git bisect run")
    add("--update-baseline", metavar="FILE", help="with --gate: if it passes, write the last kernel as JSON")
    add("--allow-different-machine", action="store_true", help="with --gate: don't refuse kernels of two machines")


def without_inputs(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--gate`` kept from taking an input for its file, which ends in ``.toml``."""
    if not arguments:
        return []
    following = [*arguments[1:], ""]
    return [
        "--gate=" if argument == "--gate" and not after.endswith(".toml") else argument
        for argument, after in zip(arguments, following, strict=True)
    ]


def outputs_of(specified: Sequence[str], style: str | None, default: str, known: Collection[str]) -> list[Output]:
    """What to write and where.

    ``FORMAT:FILE`` says both. Otherwise the ending tells the format if it names one, and any other file gets the
    style. A single file that no format of the gate belongs to gets the style that was asked for by name.

    Args:
        specified: the arguments of ``-o``.
        style: the style asked for by name, if any.
        default: the style otherwise.
        known: names of all styles.

    Raises:
        UsageError: if a file has no name.
    """
    found = []
    for text in specified:
        name, colon, file = text.partition(":")
        if colon and (name in known or name in _GATE_FORMATS):
            chosen = name
        else:
            file = text
            chosen = _ENDINGS.get(Path(file).suffix, "")
            by_style = style and len(specified) == 1 and chosen not in _GATE_FORMATS
            if not chosen or by_style or (chosen not in known and chosen not in _GATE_FORMATS):
                chosen = style or default
        if not file:
            raise UsageError(f"-o {text!r} is no name of a file")
        found.append(Output(chosen, file))
    return found
