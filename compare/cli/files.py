"""Writing a text to the standard output or, whole or not at all, to a file."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from compare_kernels.errors import UsageError


def write(text: str, output: str | None) -> None:
    """Write a text to a file, or to the standard output for None and ``-``.

    Raises:
        UsageError: if that can't be done.
    """
    if output in {None, "-"}:
        if sys.stdout is None:
            raise UsageError("the standard output is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    target = Path(str(output))
    if not target.name:
        raise UsageError(f"{output!r} is no name of a file")
    # The old report stays until the new one is whole; a link or a device stays what it is.
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            target.write_text(text, encoding="utf-8", newline="")
            return
        unfinished.write_text(text, encoding="utf-8", newline="")
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o7777)
        unfinished.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise UsageError(f"{output}: {error.strerror}") from error
