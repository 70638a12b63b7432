"""compare-kernels: what did a patch do to the benchmarks?

The library is small: `load` reads directories into samples, `compare` compares kernels, `render` makes a report. The
three names are imported at first use, since they bring pandas with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compare_kernels.version import __version__

if TYPE_CHECKING:
    from compare_kernels.api import compare, load, load_mmtests, render
    from compare_kernels.config import Rules
    from compare_kernels.selection import Selection

__all__ = ["Rules", "Selection", "__version__", "compare", "load", "load_mmtests", "render"]


def __getattr__(name: str) -> object:
    if name == "Rules":
        from compare_kernels.config import Rules

        return Rules
    if name == "Selection":
        from compare_kernels.selection import Selection

        return Selection
    if name in __all__:
        from compare_kernels import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
