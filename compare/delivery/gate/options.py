"""What each ``-o`` asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
