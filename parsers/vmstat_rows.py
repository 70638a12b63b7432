"""The 62 rows of a vmstat table: what two snapshots of the counters of /proc/vmstat say about the time between them.

There are two forms of them. `mended_rows` says what the rows' names promise, and nothing where the counters don't
tell. `mmtests_rows` gives the numbers that mmtests prints, mistakes included, for the byte-compatible styles. Both
fill the same table of formulas; a form decides what an absent counter is worth and what a division by nothing gives.

Costs are a model in millions of memory accesses of eight bytes. To touch a ``struct page`` costs 7 (56 bytes), to
isolate a page 19 (12 more for lists and locks), to migrate one 1038 (its descriptor and its 4096 bytes are read and
written), to fail at that 14, a NUMA hinting fault 5000.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Counters = dict[str, int]
"""Name to value, in the order of the file."""

_ZONES = ("dma", "dma32", "normal", "movable", "high")
_TOUCH = 7
_ISOLATE = 19
_MIGRATE = 1038
_FAIL = 14
_HINT_FAULT = 5000
# A block of memory as old kernels counted what compaction had looked at, by mmtests' measure.
_BLOCK_PAGES = 16384
# Base pages in a huge one, as x86-64 has them.
_HUGE_PAGES = 512

MMTESTS_NAMES = {
    "KiB Reads": "Sector Reads",
    "KiB Writes": "Sector Writes",
    "NUMA hint local faults": "NUMA hint local faults %",
}
"""Rows whose name in mmtests isn't true, with that name: the kernel counts KiB, and the faults are no percentage."""

_MMTESTS_RENAMED = {
    "allocstall_dma": "allocstall",
    "allocstall_dma32": "allocstall",
    "allocstall_normal": "allocstall",
    "allocstall_movable": "allocstall",
    "allocstall_highmem": "allocstall",
    "thp_split": "thp_split_page",
    "thp_failed": "thp_split_page_failed",
    "compact_pages_moved": "pgmigrate_success",
    "compact_pagemigrate_failed": "pgmigrate_fail",
}

Rows = dict[str, float | None]
"""Name of a row to its value, in the order of the table; None where there is none."""


def mended_rows(before: Counters, after: Counters, elapsed: float | None) -> Rows:
    """Return the rows with the values that their names promise.

    A row is None if the kernel has none of its counters, if one of them stands in one snapshot only or ran backwards
    (the machine was restarted), and if it is a part of nothing: the efficiency of a reclaim that scanned no page.

    What differs from mmtests: allocation stalls are summed over all zones. The compaction cost contains the free
    scanner, at the same 7 for each page as the migration scanner. The AutoNUMA cost contains the copies of migrated
    pages, at the same 1038 for each page as the compaction cost, so that a migration costs the same in both rows;
    that remote memory is slower is left out, since the counters don't tell how much slower. Old kernels' compaction
    costs contain the pages moved.

    Args:
        before: the counters when the run began.
        after: the counters when it had ended.
        elapsed: seconds between the snapshots; without them there are no velocities.
    """
    rows = dict(_rows(_Mended(before, after, elapsed)))
    # A difference of two counters may be negative too, where the kernel doesn't count as the row assumes.
    return {name: value if value >= 0 else None for name, value in rows.items()}


def mmtests_rows(deltas: Mapping[str, float], elapsed: float | None) -> Rows:
    """Return the rows of one iteration as mmtests prints them, under its names.

    None stands where mmtests has no value, which it prints as 0. Of several iterations it shows for each row the
    largest value (2020) or the smallest (2026).

    Args:
        deltas: from `mmtests_deltas`.
        elapsed: seconds of the run; mmtests takes 1 if it doesn't know.
    """
    rows = _rows(_Mmtests(deltas, elapsed))
    return {MMTESTS_NAMES.get(name, name): value if math.isfinite(value) else None for name, value in rows}


def mmtests_deltas(before: Counters, after: Counters) -> dict[str, float]:
    """Return the differences of those counters that `mmtests_rows` needs, as mmtests forms them.

    A counter that a snapshot lacks is 0 there. The allocation stalls of all zones get one name, and so the last zone
    of the file wins; so do counters of old kernels the names of their successors.
    """
    first, second = _renamed(before), _renamed(after)
    wanted = _mmtests_counters()
    names = [name for name in dict.fromkeys((*first, *second)) if name in wanted]
    return {name: float(second.get(name, 0) - first.get(name, 0)) for name in names}


def needed_counters(before: Counters, after: Counters) -> set[str]:
    """Return the names of the counters that `mended_rows` asks for, whether the kernel has them or not."""
    form = _Mended(before, after, None)
    for _ in _rows(form):
        pass
    return form.asked


class _Form(Protocol):
    """What the two forms of the table differ in. What doesn't exist is NaN, which all arithmetic passes on."""

    def d(self, *names: str) -> float:
        """The sum of the differences of these counters."""

    def has(self, name: str) -> bool:
        """Whether the kernel has this counter."""

    def percent(self, part: float, whole: float, otherwise: float) -> float:
        """A percentage; if the whole is 0, mmtests says ``otherwise``."""

    def per_second(self, count: float) -> float:
        """A rate."""

    def allocation_stalls(self) -> float:
        """How often an allocation had to wait for reclaim."""

    def scan_efficiency(self) -> float:
        """Pages that compaction's migration scanner looked at, in percent of those of its free scanner."""

    def compaction_cost(self) -> float:
        """The cost of compaction and migration by the model."""

    def autonuma_cost(self) -> float:
        """The cost of NUMA balancing by the model."""


class _Mended:
    """What is true."""

    def __init__(self, before: Counters, after: Counters, elapsed: float | None) -> None:
        self._before = before
        self._after = after
        self._elapsed = elapsed
        self.asked: set[str] = set()

    def d(self, *names: str) -> float:
        self.asked.update(names)
        held = [name for name in names if name in self._before or name in self._after]
        if not held:
            return math.nan
        total = 0
        for name in held:
            if name not in self._before or self._after.get(name, -1) < self._before[name]:
                return math.nan
            total += self._after[name] - self._before[name]
        return float(total)

    def has(self, name: str) -> bool:
        return name in self._before or name in self._after

    def percent(self, part: float, whole: float, otherwise: float) -> float:  # noqa: ARG002
        return part * 100 / whole if whole else math.nan

    def per_second(self, count: float) -> float:
        return count / self._elapsed if self._elapsed else math.nan

    def allocation_stalls(self) -> float:
        zones = {name for name in (*self._before, *self._after) if name.startswith("allocstall_")}
        return self.d("allocstall", *sorted(zones))

    def scan_efficiency(self) -> float:
        return self.percent(self.d("compact_migrate_scanned"), self.d("compact_free_scanned"), 0)

    def compaction_cost(self) -> float:
        if self.has("compact_blocks_moved"):
            looked_at = _TOUCH * _BLOCK_PAGES * self.d("compact_blocks_moved")
        else:
            scanned = self.d("compact_migrate_scanned") + self.d("compact_free_scanned")
            looked_at = _TOUCH * scanned + _ISOLATE * self.d("compact_isolated")
        moved = self.d("pgmigrate_success", "compact_pages_moved")
        failed = self.d("pgmigrate_fail", "compact_pagemigrate_failed")
        return (looked_at + _MIGRATE * moved + _FAIL * failed) / 1e6

    def autonuma_cost(self) -> float:
        migrated = (_ISOLATE + _MIGRATE) * self.d("numa_pages_migrated")
        return (_TOUCH * self.d("numa_pte_updates") + _HINT_FAULT * self.d("numa_hint_faults") + migrated) / 1e6


class _Mmtests:
    """What mmtests makes of it."""

    def __init__(self, deltas: Mapping[str, float], elapsed: float | None) -> None:
        self._deltas = deltas
        self._elapsed = 1.0 if elapsed is None else elapsed
        self.asked: set[str] = set()

    def d(self, *names: str) -> float:
        self.asked.update(names)
        return sum((self._deltas.get(name, 0.0) for name in names), 0.0)

    def has(self, name: str) -> bool:
        self.asked.add(name)
        return name in self._deltas

    def percent(self, part: float, whole: float, otherwise: float) -> float:
        return part * 100 / whole if whole else otherwise

    def per_second(self, count: float) -> float:
        return count / self._elapsed if self._elapsed else math.nan

    def allocation_stalls(self) -> float:
        return self.d("allocstall")

    def scan_efficiency(self) -> float:
        migrate, free = self.d("compact_migrate_scanned"), self.d("compact_free_scanned")
        return self.percent(migrate, free, 1) if migrate else math.nan

    def compaction_cost(self) -> float:
        if self.has("compact_blocks_moved"):
            return _TOUCH * _BLOCK_PAGES * self.d("compact_blocks_moved") / 1e6
        if not self.has("compact_migrate_scanned"):
            return -1e-6
        looked_at = _TOUCH * self.d("compact_migrate_scanned") + _ISOLATE * self.d("compact_isolated")
        return (looked_at + _MIGRATE * self.d("pgmigrate_success") + _FAIL * self.d("pgmigrate_fail")) / 1e6

    def autonuma_cost(self) -> float:
        found = _HINT_FAULT * self.d("numa_hint_faults") + _ISOLATE * self.d("numa_pages_migrated")
        return (_TOUCH * self.d("numa_pte_updates") + found) / 1e6


def _rows(form: _Form) -> Iterator[tuple[str, float]]:
    yield from _faults(form)
    yield from _reclaim(form)
    yield from _input_and_output(form)
    yield from _huge_pages(form)
    yield from _compaction(form)
    yield from _numa(form)


def _faults(form: _Form) -> Iterator[tuple[str, float]]:
    d = form.d
    yield "Minor Faults", d("pgfault") - d("pgmajfault")
    yield "Major Faults", d("pgmajfault")
    yield "Swap Ins", d("pswpin")
    yield "Swap Outs", d("pswpout")
    yield "Allocation stalls", form.allocation_stalls()
    yield "Fragmentation stalls", d("fragment_stall")
    yield "DMA allocs", d("pgalloc_dma")
    yield "DMA32 allocs", d("pgalloc_dma32")
    yield "Normal allocs", d("pgalloc_normal")
    yield "Movable allocs", d("pgalloc_movable")


def _reclaim(form: _Form) -> Iterator[tuple[str, float]]:
    direct = form.d("pgscan_direct", *_of_zones("pgscan_direct"))
    kswapd = form.d("pgscan_kswapd", *_of_zones("pgscan_kswapd"))
    kswapd_steal = form.d("kswapd_steal", "pgsteal_kswapd", *_of_zones("pgsteal_kswapd"))
    steal = form.d("pgsteal_direct", *_of_zones("pgsteal_direct"), *_of_zones("pgsteal"))
    # Old kernels count what kswapd reclaimed among the pages of the zones too.
    direct_steal = steal - kswapd_steal if form.has("kswapd_steal") else steal
    yield "Direct pages scanned", direct
    yield "Kswapd pages scanned", kswapd
    yield "Kswapd pages reclaimed", kswapd_steal
    yield "Direct pages reclaimed", direct_steal
    yield "Kswapd efficiency %", form.percent(kswapd_steal, kswapd, 100)
    yield "Kswapd velocity", form.per_second(kswapd)
    yield "Direct efficiency %", form.percent(direct_steal, direct, 100)
    yield "Direct velocity", form.per_second(direct)
    yield "Percentage direct scans", form.percent(direct, direct + kswapd, 0)


def _input_and_output(form: _Form) -> Iterator[tuple[str, float]]:
    d = form.d
    yield "Page writes by reclaim", d("nr_vmscan_write")
    yield "Page writes file", d("nr_vmscan_write") - d("pswpout")
    yield "Page writes anon", d("pswpout")
    yield "Page reclaim immediate", d("nr_vmscan_immediate_reclaim")
    yield "KiB Reads", d("pgpgin")
    yield "KiB Writes", d("pgpgout")
    yield "Page rescued immediate", d("pgrescued")
    yield "Slabs scanned", d("slabs_scanned")
    yield "Direct inode steals", d("pginodesteal")
    yield "Kswapd inode steals", d("kswapd_inodesteal")
    yield "Kswapd skipped wait", d("kswapd_skip_congestion_wait")


def _huge_pages(form: _Form) -> Iterator[tuple[str, float]]:
    d = form.d
    yield "THP fault alloc", d("thp_fault_alloc")
    yield "THP fault fallback", d("thp_fault_fallback")
    yield "THP collapse alloc", d("thp_collapse_alloc")
    yield "THP collapse fail", d("thp_collapse_alloc_failed")
    yield "THP split", d("thp_split_page", "thp_split")
    yield "THP split failed", d("thp_split_page_failed", "thp_failed")


def _compaction(form: _Form) -> Iterator[tuple[str, float]]:
    d = form.d
    yield "Compaction stalls", d("compact_stall")
    yield "Compaction success", d("compact_success")
    yield "Compaction failures", d("compact_fail")
    yield "Compaction efficiency", form.percent(d("compact_success"), d("compact_stall"), math.nan)
    yield "Page migrate success", d("pgmigrate_success", "compact_pages_moved")
    yield "Page migrate failure", d("pgmigrate_fail", "compact_pagemigrate_failed")
    yield "Compaction pages isolated", d("compact_isolated")
    yield "Compaction migrate scanned", d("compact_migrate_scanned")
    yield "Compaction free scanned", d("compact_free_scanned")
    yield "Compact scan efficiency", form.scan_efficiency()
    yield "Compaction cost", form.compaction_cost()
    yield "Kcompactd wake", d("compact_daemon_wake")
    yield "Kcompactd migrate scanned", d("compact_daemon_migrate_scanned")
    yield "Kcompactd free scanned", d("compact_daemon_free_scanned")


def _numa(form: _Form) -> Iterator[tuple[str, float]]:
    d = form.d
    yield "NUMA alloc hit", d("numa_hit")
    yield "NUMA alloc miss", d("numa_miss")
    yield "NUMA interleave hit", d("numa_interleave")
    yield "NUMA alloc local", d("numa_local")
    yield "NUMA base-page range updates", d("numa_pte_updates")
    yield "NUMA PTE updates", d("numa_pte_updates") - _HUGE_PAGES * d("numa_huge_pte_updates")
    yield "NUMA PMD updates", d("numa_huge_pte_updates")
    yield "NUMA hint faults", d("numa_hint_faults")
    yield "NUMA hint local faults", d("numa_hint_faults_local")
    yield "NUMA hint local percent", form.percent(d("numa_hint_faults_local"), d("numa_hint_faults"), 100)
    yield "NUMA pages migrated", d("numa_pages_migrated")
    yield "AutoNUMA cost", form.autonuma_cost()


def _of_zones(counter: str) -> list[str]:
    return [f"{counter}_{zone}" for zone in _ZONES]


def _renamed(counters: Counters) -> Counters:
    return {_MMTESTS_RENAMED.get(name, name): value for name, value in counters.items()}


@cache
def _mmtests_counters() -> frozenset[str]:
    """All counters that some row asks for, of new kernels and old."""
    form = _Mmtests({"compact_migrate_scanned": 0.0}, None)
    for _ in _rows(form):
        pass
    return frozenset(form.asked)
