"""The facts of each kernel put together, and what differs between kernels beside the kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from compare_kernels.environment.facts import WHOLES, number_list
from compare_kernels.environment.weights import Weight, weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compare_kernels.environment.facts import Fact

_ORDER: dict[Weight, int] = {"matters": 0, "other": 1, "expected": 2}
_TOLERANCE = 0.01
# Kernels of different size leave different amounts of the same memory, and some settings are computed from that.
_ABOUT_EQUAL = re.compile(
    r"memory\.total|numa\.memory"
    r"|sysctl (?:fs\.(?:file-max|epoll\.max_user_watches|fanotify\.max_user_marks|inotify\.max_user_watches)"
    r"|kernel\.threads-max|net\.ipv4\.(?:tcp_mem|udp_mem|tcp_max_orphans|tcp_max_tw_buckets)"
    r"|user\.max_\w+|vm\.(?:min_free_kbytes|lowmem_reserve_ratio)|net\.netfilter\.\w+|net\.nf_conntrack_max)"
)


class Place(NamedTuple):
    """A value and where it was read."""

    value: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """A fact that changed between the files of one kernel, so that its runs were made under several conditions.

    Attributes:
        key: the fact.
        of: which one of several alike, such as ``cpu3``; empty if there is just one.
        places: the first place of each value, in the order of the files.

    """

    key: str
    of: str
    places: tuple[Place, ...]

    @property
    def weight(self) -> Weight:
        """How much it says; see `compare_kernels.environment.weights`."""
        return weight(self.key)


@dataclass(frozen=True, slots=True)
class Environment:
    """What is known of the machine under one kernel.

    Attributes:
        values: the value of each fact; where CPUs, nodes or disks differ, ``performance (cpu0-3), powersave (cpu4)``.
        conflicts: facts that changed between the files, those that matter first.

    """

    values: Mapping[str, str]
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact in which kernels differ, or that isn't known for all of them.

    Attributes:
        key: the fact, see `compare_kernels.environment.facts.Fact`.
        values: its value for each kernel, the baseline first; None where nothing is known.
        weight: whether it may explain a change of performance.

    """

    key: str
    values: tuple[str | None, ...]
    weight: Weight


def together(files: Iterable[tuple[str, Sequence[Fact]]]) -> Environment:
    """Put the facts of one kernel's files together.

    Args:
        files: path and facts of each file, in a fixed order.

    Returns:
        The values of all facts, and those that aren't the same in all files. An option that a whole list has in one
        file and not in another counts as changed.
    """
    files = list(files)
    seen: dict[tuple[str, str], dict[str, Place]] = {}
    lists: dict[str, list[tuple[str, set[str]]]] = {}
    for path, facts in files:
        for fact in facts:
            seen.setdefault((fact.key, fact.of), {}).setdefault(fact.value, Place(fact.value, path, fact.line))
        keys = {fact.key for fact in facts}
        for whole in WHOLES:
            if whole in keys:
                lists.setdefault(whole, []).append((path, keys))
    for (key, _), places in seen.items():
        whole = key.partition(" ")[0]
        for path, keys in lists.get(whole, ()) if " " in key else ():
            if key not in keys:
                places.setdefault(WHOLES[whole], Place(WHOLES[whole], path, 0))
    conflicts = [
        Conflict(key, of, tuple(places.values()))
        for (key, of), places in seen.items()
        if key not in WHOLES and not _alike(key, list(places))
    ]
    conflicts.sort(key=lambda conflict: (_ORDER[conflict.weight], conflict.key, conflict.of))
    by_key: dict[str, list[tuple[str, str]]] = {}
    for (key, of), places in seen.items():
        values = list(places)
        by_key.setdefault(key, []).append((of, values[0] if _alike(key, values) else " or ".join(values)))
    return Environment({key: _joined(values) for key, values in sorted(by_key.items())}, tuple(conflicts))


def _joined(values: list[tuple[str, str]]) -> str:
    """One text for the values of several alike."""
    names: dict[str, list[str]] = {}
    for of, value in values:
        names.setdefault(value, []).append(of)
    if len(names) == 1:
        return next(iter(names))
    return ", ".join(
        f"{value} ({_short(of)})" for value, of in sorted(names.items(), key=lambda pair: _first(pair[1]))
    )


def _first(names: list[str]) -> tuple[int, str]:
    numbers = [int(found[0]) for name in names if (found := re.search(r"\d{1,9}$", name))]
    return (min(numbers, default=0), min(names))


def _short(names: list[str]) -> str:
    """``cpu0-3`` for cpu0, cpu1, cpu2 and cpu3."""
    numbers: dict[str, list[str]] = {}
    for name in names:
        found = re.fullmatch(r"(.*?)(\d{1,9})", name)
        numbers.setdefault(found[1] if found else name, []).append(found[2] if found else "")
    return ", ".join(f"{word}{number_list(' '.join(found))}" for word, found in sorted(numbers.items())) or "all"


def _alike(key: str, values: Sequence[str]) -> bool:
    """Whether values of a fact are equal, or differ no more than its amounts do from one boot to the next."""
    if len(set(values)) < 2:
        return True
    if not _ABOUT_EQUAL.fullmatch(key):
        return False
    first = values[0].split()
    return all(_close(first, value.split()) for value in values[1:])


def _close(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(
        a == b or (_is_count(a) and _is_count(b) and abs(int(a) - int(b)) <= _TOLERANCE * max(int(a), int(b)))
        for a, b in zip(one, other, strict=True)
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def differences(per_kernel: Sequence[Mapping[str, str]]) -> tuple[Difference, ...]:
    """Find the facts in which another kernel differs from the baseline.

    Args:
        per_kernel: the ``values`` of each kernel's `Environment`, the baseline first.

    Returns:
        One row for each such fact, those that matter first, then by key; none is left out. A fact that is unknown
        for the baseline or for all others isn't a difference: see `known_in_part`. An option that is missing in a
        whole command line is ``absent`` there, one that is missing in a whole .config is ``n``.
    """
    return tuple(row for row in _rows(per_kernel) if _differs(row))


def known_in_part(per_kernel: Sequence[Mapping[str, str]]) -> tuple[Difference, ...]:
    """Find the facts that aren't known for all kernels and don't differ from the baseline where they are.

    They confound nothing that can be shown; a reader may want to know that they were not compared. Arguments and
    order are those of `differences`.
    """
    return tuple(row for row in _rows(per_kernel) if None in row.values and not _differs(row))


def _differs(row: Difference) -> bool:
    base = row.values[0]
    return base is not None and any(
        value is not None and not _alike(row.key, (base, value)) for value in row.values[1:]
    )


def _rows(per_kernel: Sequence[Mapping[str, str]]) -> list[Difference]:
    keys = {key for values in per_kernel for key in values} - set(WHOLES)
    rows = [Difference(key, tuple(_value(values, key) for values in per_kernel), weight(key)) for key in keys]
    return sorted(rows, key=lambda row: (_ORDER[row.weight], row.key))


def _value(values: Mapping[str, str], key: str) -> str | None:
    if key in values:
        return values[key]
    whole = key.partition(" ")[0]
    return WHOLES[whole] if whole != key and whole in values else None
