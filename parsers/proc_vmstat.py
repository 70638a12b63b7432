"""The text of /proc/vmstat: a name and a number in each line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_COUNTER = re.compile(r"([a-z][a-z0-9_]{1,60})[ \t]+([0-9]{1,20})[ \t]*")
# Faults and paging are counted by cgroups in the same form, NUMA hits by the nodes.
_OF_THE_WHOLE_MACHINE = {"nr_free_pages", "pgalloc_normal", "pgfree"}


def counter(line: str) -> tuple[str, int] | None:
    """Return name and value of a counter, or None if the line isn't one. The value may be cut off at its end."""
    found = _COUNTER.fullmatch(line)
    return (found[1], int(found[2])) if found else None


def is_snapshot(lines: Sequence[str]) -> bool:
    """Whether this is the text of /proc/vmstat or a part of it: at least nine lines of ten are counters."""
    filled = [line for line in lines if line.strip()]
    counters = [found for found in map(counter, filled) if found]
    return 10 * len(counters) >= 9 * len(filled) and any(name in _OF_THE_WHOLE_MACHINE for name, _ in counters)
