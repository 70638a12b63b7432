"""Names of kernels as the two header lines of mmtests' tables show them."""

from __future__ import annotations

import re

_RELEASE = re.compile(r"[^-]*-rc\d+(?=-|$)")


def split_kernel_name(name: str) -> tuple[str, str]:
    """Split a name at its first dash into the texts of the upper and the lower header line.

    A release candidate's ``-rcN`` stays with the release: ``5.9.0-rc6-vanilla`` gives ``5.9.0-rc6`` and
    ``vanilla``. A name without a dash stands whole on the lower line.
    """
    if found := _RELEASE.match(name):
        return found[0], name[found.end() + 1 :]
    above, dash, below = name.partition("-")
    return (above, below) if dash else ("", name)
