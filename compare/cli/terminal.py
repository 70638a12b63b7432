"""The standard streams: their encoding, whether they want colour, and what is said on stderr."""

from __future__ import annotations

import contextlib
import os
import sys

from compare_kernels.text import printable


def make_streams_predictable() -> None:
    """Write UTF-8 whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def forget_output() -> None:
    """Let nothing be flushed at exit to an output that is gone or full."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def wants_color(choice: str) -> bool:
    """Whether the standard output gets colour under ``--color`` with this word."""
    if choice == "auto":
        terminal = sys.stdout is not None and sys.stdout.isatty()
        return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def say(*lines: str) -> None:
    """Print lines to stderr, made harmless."""
    for line in lines:
        for part in line.split("\n"):
            print(printable(part), file=sys.stderr)
