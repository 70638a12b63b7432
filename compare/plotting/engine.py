"""The one place that loads matplotlib: without its windows, its user's settings, and traces in the home directory."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import shutil
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FONT = "DejaVu Sans"
"""Comes with matplotlib, so that texts have the same size on every machine."""


@contextlib.contextmanager
def engine(salt: str) -> Iterator[None]:
    """Let matplotlib draw by its own defaults and ours; afterwards the user's settings hold again.

    Args:
        salt: what the identifiers in an SVG are made from.
    """
    _load()
    import matplotlib as mpl

    settings = {key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith("backend")}
    settings |= {
        "font.family": [FONT],
        "text.parse_math": False,
        "text.usetex": False,
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "path.simplify": False,
    }
    # A name in a script that the font lacks is drawn by the font of whoever looks at it.
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.simplefilter("ignore")
        dict.update(mpl.rcParams, settings)
        yield


def _load() -> None:
    """Import matplotlib; its cache of fonts, which takes seconds to make, goes to a private temporary directory."""
    if "matplotlib.font_manager" in sys.modules:
        return
    # It says after five seconds that it looks at the fonts of the system, none of which is used.
    logger = logging.getLogger("matplotlib.font_manager")
    level, given = logger.level, os.environ.get("MPLCONFIGDIR")
    logger.setLevel(logging.ERROR)
    if given is None:
        os.environ["MPLCONFIGDIR"] = str(_private_folder())
    try:
        import matplotlib.font_manager as _  # noqa: F401
    finally:
        logger.setLevel(level)
        if given is None:
            del os.environ["MPLCONFIGDIR"]


def _private_folder() -> Path:
    """A directory that is kept for the next call, if it is ours alone; else one that is removed at exit."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    path = Path(tempfile.gettempdir()) / f"compare-kernels-fonts-{user}"
    with contextlib.suppress(OSError):
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077:
            return path
    own = Path(tempfile.mkdtemp(prefix="compare-kernels-fonts-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own
