"""Plots as files in a directory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.plotting.draw import Format, file_content

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.plotting.catalogue import Plot


def write_plots(plots: Iterable[Plot], directory: str | os.PathLike[str], kind: Format = "svg") -> int:
    """Write each plot to ``directory/SLUG.kind``; a file of that name is replaced once the new one is whole.

    Args:
        plots: which.
        directory: made if it is missing.
        kind: ``svg``, ``png`` or ``pdf``.

    Returns:
        How many files were written.

    Raises:
        UsageError: if the directory can't be made or a file not be written.
    """
    if not os.fspath(directory):
        raise UsageError("'' is no name of a directory")
    folder = Path(directory)
    count = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for plot in plots:
            _replace(folder / f"{plot.slug}.{kind}", file_content(plot, kind))
            count += 1
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}") from error
    return count


def _replace(target: Path, content: bytes) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
