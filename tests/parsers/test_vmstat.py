"""vmstat: every row by hand, in both forms; mmtests' own tables; pairs of files and what is wrong with some."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compare_kernels import Selection, compare, load, load_mmtests, render
from compare_kernels.parsers.base import RawLog
from compare_kernels.parsers.vmstat import ELAPSED
from compare_kernels.parsers.vmstat_rows import (
    MMTESTS_NAMES,
    Counters,
    mended_rows,
    mmtests_deltas,
    mmtests_rows,
    needed_counters,
)

from .reading import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.samples import Samples

ORACLE = Path(__file__).parent.parent / "oracle"
SNAPSHOTS = Path(__file__).parent.parent / "snapshots"

NEW_KERNEL = {
    "pgfault": 5000,
    "pgmajfault": 40,
    "pswpin": 7,
    "pswpout": 11,
    "allocstall_dma": 1,
    "allocstall_dma32": 2,
    "allocstall_normal": 30,
    "allocstall_movable": 4,
    "allocstall_device": 5,
    "fragment_stall": 6,
    "pgalloc_dma": 8,
    "pgalloc_dma32": 9,
    "pgalloc_normal": 100,
    "pgalloc_movable": 12,
    "pgscan_direct": 400,
    "pgscan_kswapd": 1000,
    "pgscan_direct_throttle": 77,
    "pgsteal_kswapd": 600,
    "pgsteal_direct": 100,
    "pgsteal_anon": 55,
    "nr_vmscan_write": 31,
    "nr_vmscan_immediate_reclaim": 13,
    "pgpgin": 14,
    "pgpgout": 15,
    "pgrescued": 16,
    "slabs_scanned": 17,
    "pginodesteal": 18,
    "kswapd_inodesteal": 19,
    "kswapd_skip_congestion_wait": 21,
    "thp_fault_alloc": 22,
    "thp_fault_fallback": 23,
    "thp_collapse_alloc": 24,
    "thp_collapse_alloc_failed": 25,
    "thp_split_page": 26,
    "thp_split_page_failed": 27,
    "compact_stall": 50,
    "compact_success": 20,
    "compact_fail": 28,
    "pgmigrate_success": 3000,
    "pgmigrate_fail": 29,
    "compact_isolated": 5000,
    "compact_migrate_scanned": 20000,
    "compact_free_scanned": 80000,
    "compact_daemon_wake": 32,
    "compact_daemon_migrate_scanned": 33,
    "compact_daemon_free_scanned": 34,
    "numa_hit": 35,
    "numa_miss": 36,
    "numa_interleave": 37,
    "numa_local": 38,
    "numa_pte_updates": 2000,
    "numa_huge_pte_updates": 3,
    "numa_hint_faults": 200,
    "numa_hint_faults_local": 150,
    "numa_pages_migrated": 90,
}
"""Differences of counters; the run took 8 seconds."""

# Name, mended value, mmtests' value.
TABLE: list[tuple[str, float, float]] = [
    ("Minor Faults", 4960, 4960),
    ("Major Faults", 40, 40),
    ("Swap Ins", 7, 7),
    ("Swap Outs", 11, 11),
    ("Allocation stalls", 42, 4),
    ("Fragmentation stalls", 6, 6),
    ("DMA allocs", 8, 8),
    ("DMA32 allocs", 9, 9),
    ("Normal allocs", 100, 100),
    ("Movable allocs", 12, 12),
    ("Direct pages scanned", 400, 400),
    ("Kswapd pages scanned", 1000, 1000),
    ("Kswapd pages reclaimed", 600, 600),
    ("Direct pages reclaimed", 100, 100),
    ("Kswapd efficiency %", 60, 60),
    ("Kswapd velocity", 125, 125),
    ("Direct efficiency %", 25, 25),
    ("Direct velocity", 50, 50),
    ("Percentage direct scans", 40000 / 1400, 40000 / 1400),
    ("Page writes by reclaim", 31, 31),
    ("Page writes file", 20, 20),
    ("Page writes anon", 11, 11),
    ("Page reclaim immediate", 13, 13),
    ("KiB Reads", 14, 14),
    ("KiB Writes", 15, 15),
    ("Page rescued immediate", 16, 16),
    ("Slabs scanned", 17, 17),
    ("Direct inode steals", 18, 18),
    ("Kswapd inode steals", 19, 19),
    ("Kswapd skipped wait", 21, 21),
    ("THP fault alloc", 22, 22),
    ("THP fault fallback", 23, 23),
    ("THP collapse alloc", 24, 24),
    ("THP collapse fail", 25, 25),
    ("THP split", 26, 26),
    ("THP split failed", 27, 27),
    ("Compaction stalls", 50, 50),
    ("Compaction success", 20, 20),
    ("Compaction failures", 28, 28),
    ("Compaction efficiency", 40, 40),
    ("Page migrate success", 3000, 3000),
    ("Page migrate failure", 29, 29),
    ("Compaction pages isolated", 5000, 5000),
    ("Compaction migrate scanned", 20000, 20000),
    ("Compaction free scanned", 80000, 80000),
    ("Compact scan efficiency", 25, 25),
    # 7*20000 + 19*5000 + 1038*3000 + 14*29 = 3349406, and 7*80000 for the free scanner
    ("Compaction cost", 3.909406, 3.349406),
    ("Kcompactd wake", 32, 32),
    ("Kcompactd migrate scanned", 33, 33),
    ("Kcompactd free scanned", 34, 34),
    ("NUMA alloc hit", 35, 35),
    ("NUMA alloc miss", 36, 36),
    ("NUMA interleave hit", 37, 37),
    ("NUMA alloc local", 38, 38),
    ("NUMA base-page range updates", 2000, 2000),
    ("NUMA PTE updates", 464, 464),
    ("NUMA PMD updates", 3, 3),
    ("NUMA hint faults", 200, 200),
    ("NUMA hint local faults", 150, 150),
    ("NUMA hint local percent", 75, 75),
    ("NUMA pages migrated", 90, 90),
    # 7*2000 + 5000*200 + 19*90 = 1015710, and 1038*90 for the copies
    ("AutoNUMA cost", 1.10913, 1.01571),
]


def snapshots(deltas: dict[str, int]) -> tuple[Counters, Counters]:
    before = {name: 1000 * number for number, name in enumerate(deltas, start=1)}
    return before, {name: before[name] + delta for name, delta in deltas.items()}


@pytest.mark.parametrize(("name", "mended", "mmtests"), TABLE)
def test_every_row_by_hand(name: str, mended: float, mmtests: float) -> None:
    before, after = snapshots(NEW_KERNEL)
    assert mended_rows(before, after, 8)[name] == pytest.approx(mended, rel=1e-12)
    deltas = mmtests_deltas(before, after)
    assert mmtests_rows(deltas, 8)[MMTESTS_NAMES.get(name, name)] == pytest.approx(mmtests, rel=1e-12)


def test_rows_are_complete_and_ordered() -> None:
    before, after = snapshots(NEW_KERNEL)
    names = [name for name, _, _ in TABLE]
    assert len(names) == len(set(names)) == 62
    assert list(mended_rows(before, after, 8)) == names
    assert list(mended_rows({}, {}, None)) == names
    assert list(mmtests_rows({}, None)) == [MMTESTS_NAMES.get(name, name) for name in names]


# Name of the row in mmtests, mended value, mmtests' value, for counters of old kernels.
OLD_KERNELS: list[tuple[dict[str, int], str, float | None, float | None]] = [
    # Until 3.4: pgsteal_* counts all reclaimed pages, kswapd_steal those of kswapd among them.
    ({"kswapd_steal": 750, "pgsteal_dma32": 300, "pgsteal_normal": 700}, "Kswapd pages reclaimed", 750, 750),
    ({"kswapd_steal": 750, "pgsteal_dma32": 300, "pgsteal_normal": 700}, "Direct pages reclaimed", 250, 250),
    # Until 4.7: reclaim is counted for each zone.
    ({"pgsteal_kswapd_dma": 1, "pgsteal_kswapd_normal": 20}, "Kswapd pages reclaimed", 21, 21),
    ({"pgsteal_direct_movable": 4, "pgsteal_direct_high": 50}, "Direct pages reclaimed", 54, 54),
    (
        {"pgscan_direct_dma": 1, "pgscan_direct_dma32": 20, "pgscan_direct_normal": 300},
        "Direct pages scanned",
        321,
        321,
    ),
    ({"pgscan_kswapd_movable": 4, "pgscan_kswapd_high": 50}, "Kswapd pages scanned", 54, 54),
    ({"allocstall": 9}, "Allocation stalls", 9, 9),
    # The kernel calls the zone high: mmtests looks for highmem.
    ({"allocstall_normal": 3, "allocstall_high": 4}, "Allocation stalls", 7, 3),
    ({"allocstall_dma": 3, "allocstall_highmem": 4}, "Allocation stalls", 7, 4),
    ({"thp_split": 5}, "THP split", 5, 5),
    ({"thp_failed": 5}, "THP split failed", 5, 5),
    ({"compact_pages_moved": 6}, "Page migrate success", 6, 6),
    ({"compact_pagemigrate_failed": 6}, "Page migrate failure", 6, 6),
    # 7*16384*2 = 229376; the mended one has 1038*3000 + 14*40 = 3114560 more
    (
        {"compact_blocks_moved": 2, "compact_pages_moved": 3000, "compact_pagemigrate_failed": 40},
        "Compaction cost",
        3.343936,
        0.229376,
    ),
    ({"pgfault": 1}, "Compaction cost", None, -1e-6),
]


@pytest.mark.parametrize(("deltas", "name", "mended", "mmtests"), OLD_KERNELS)
def test_counters_of_old_kernels(deltas: dict[str, int], name: str, mended: float | None, mmtests: float) -> None:
    before, after = snapshots(deltas)
    assert mended_rows(before, after, 8)[name] == mended
    assert mmtests_rows(mmtests_deltas(before, after), 8)[name] == pytest.approx(mmtests)


# What mmtests prints where there is nothing to print.
NOTHING = {
    "Kswapd efficiency %": 100,
    "Direct efficiency %": 100,
    "Percentage direct scans": 0,
    "Compaction efficiency": None,
    "Compact scan efficiency": None,
    "NUMA hint local percent": 100,
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_part_of_nothing_is_no_row(name: str) -> None:
    before, _ = snapshots(NEW_KERNEL)
    assert mended_rows(before, before, 8)[name] is None
    assert mmtests_rows(mmtests_deltas(before, before), 8)[name] == NOTHING[name]


def test_scan_efficiency_without_the_free_scanner() -> None:
    before, after = snapshots({"compact_migrate_scanned": 30, "compact_free_scanned": 0})
    assert mended_rows(before, after, 8)["Compact scan efficiency"] is None
    assert mmtests_rows(mmtests_deltas(before, after), 8)["Compact scan efficiency"] == 1


@pytest.mark.parametrize("elapsed", [None, 0.0])
def test_no_velocity_without_seconds(elapsed: float | None) -> None:
    before, after = snapshots(NEW_KERNEL)
    assert mended_rows(before, after, elapsed)["Kswapd velocity"] is None
    assert mended_rows(before, after, elapsed)["Direct velocity"] is None
    counted = mmtests_rows(mmtests_deltas(before, after), elapsed)["Kswapd velocity"]
    assert counted == (1000 if elapsed is None else None)


def test_a_counter_that_ran_backwards_gives_no_row() -> None:
    before, after = snapshots(NEW_KERNEL)
    after |= {"pgfault": 3, "nr_free_pages": 1}
    before |= {"nr_free_pages": 2}
    rows = mended_rows(before, after, 8)
    assert rows["Minor Faults"] is None
    assert rows["Major Faults"] == 40
    assert "pgfault" in needed_counters(before, after)
    assert "nr_free_pages" not in needed_counters(before, after)
    assert mmtests_rows(mmtests_deltas(before, after), 8)["Minor Faults"] == 3 - 1000 - 40


def test_a_counter_in_one_snapshot_gives_no_row() -> None:
    before, after = snapshots(NEW_KERNEL)
    del after["allocstall_dma32"], before["numa_hit"]
    rows = mended_rows(before, after, 8)
    assert rows["Allocation stalls"] is None
    assert rows["NUMA alloc hit"] is None
    assert rows["NUMA alloc miss"] == 36


def test_rows_that_would_be_negative() -> None:
    before, after = snapshots({"nr_vmscan_write": 3, "pswpout": 5})
    assert mended_rows(before, after, 8)["Page writes file"] is None
    assert mmtests_rows(mmtests_deltas(before, after), 8)["Page writes file"] == -2


def printed(name: str, era: str) -> list[tuple[str, list[str]]]:
    """Rows of mmtests' table, each without its label; a value takes 15 columns."""
    lines = (ORACLE / name / f"expected-{era}.txt").read_text().splitlines()
    kernels = len(lines[0].split())
    return [(line[4 : -15 * kernels].rstrip(), line[-15 * kernels :].split()) for line in lines[2:]]


def computed(samples: Samples, pick: Callable[..., float]) -> list[tuple[str, list[str]]]:
    """The same from the counters of all iterations, as a style can do it."""
    counters: dict[tuple[int, int], dict[str, float]] = {}
    for row in samples.rows():
        if row.benchmark == "thpscale" and row.metric.name == "vmstat-counters":
            for kernel, group in row.groups.items():
                for run, value in zip(group.runs.tolist(), group.values.tolist(), strict=True):
                    counters.setdefault((kernel, run), {})[row.operation.name] = value
    rows = {place: mmtests_rows(deltas, deltas.pop(ELAPSED, None)) for place, deltas in counters.items()}
    names = list(next(iter(rows.values())))

    def cell(kernel: int, name: str) -> str:
        return f"{pick(of[name] or 0 for (other, _), of in rows.items() if other == kernel):.2f}"

    return [(name, [cell(kernel, name) for kernel in range(len(samples.kernels))]) for name in names]


@pytest.mark.parametrize(("era", "pick"), [("2020", max), ("head", min)])
@pytest.mark.parametrize("name", ["vmstat-4kernels", "vmstat-iters"])
def test_same_numbers_as_mmtests(name: str, era: str, pick: Callable[..., float]) -> None:
    samples = load_mmtests(ORACLE / name / "tree")
    assert computed(samples, pick) == printed(name, era)


def test_mended_rows_of_the_posted_table() -> None:
    """Only the rows with mistakes differ from what mmtests prints."""
    samples = load_mmtests(ORACLE / "vmstat-4kernels" / "tree")
    mended = {
        row.operation.name: [f"{group.values[0]:.2f}" for group in row.groups.values()]
        for row in samples.rows()
        if row.benchmark == "thpscale" and row.metric.name == "vmstat"
    }
    theirs = dict(printed("vmstat-4kernels", "2020"))
    honest = {old: new for new, old in MMTESTS_NAMES.items()}
    differing = {name for name, values in theirs.items() if mended.get(honest.get(name, name)) != values}
    absent = {"Fragmentation stalls", "Page rescued immediate", "Kswapd skipped wait"}
    assert differing == {"Allocation stalls", "Compaction cost", "AutoNUMA cost"} | absent
    assert not absent & mended.keys()
    assert mended["Allocation stalls"] == ["108284.00", "84808.00", "65284.00", "71339.00"]
    # 6467.73 and 7*19552890/1e6; 10.32 and 1038*4851/1e6
    assert mended["Compaction cost"][0] == "6604.60"
    assert mended["AutoNUMA cost"][0] == "15.35"


def test_benchmarks_are_told_apart_by_their_whole_name() -> None:
    """mmtests takes netperf-tcp-rr for netperf-tcp too."""
    path = Path(__file__).parent.parent / "logs/vmstat/several/tests-sysstate"
    parsed = parse("vmstat", RawLog(path.read_bytes(), path.name))
    assert [dict(run.configuration.variant)["benchmark"] for run in parsed.runs] == ["netperf-tcp", "netperf-tcp-rr"]
    seconds = [block.values for block in parsed.blocks if block.operation.name == ELAPSED]
    assert seconds == [[12.5], [25.0]]


def counters(text: str) -> dict[str, float]:
    parsed = parse("vmstat", RawLog(text.encode()))
    blocks = [block for block in parsed.blocks if block.metric.name == "vmstat-counters"]
    return {block.operation.name: value for block in blocks for value in block.values}


def test_the_last_of_repeated_counters_is_said() -> None:
    text = "file start :: /proc/vmstat\nallocstall_dma 1\nallocstall_normal 2\n"
    text += "file end :: /proc/vmstat\nallocstall_dma 4\nallocstall_normal 9\nallocstall_dma 5\n"
    parsed = parse("vmstat", RawLog(text.encode()))
    assert [item.slug for item in parsed.diagnostics] == ["repeated-counter"]
    assert [block.values for block in parsed.blocks if block.metric.name == "vmstat"] == [[11]]
    assert counters(text) == {"allocstall": 3}


def test_only_the_snapshots_are_read() -> None:
    """Other files of the kernel, and what follows a benchmark's end, may look alike."""
    other = "version 15\npgfault 777\n"
    text = f"test begin :: a 1\nfile start :: /proc/vmstat\npgfault 1\nfile start :: /proc/schedstat\n{other}"
    text += f"file end :: /proc/vmstat\npgfault 5\nfile end :: /proc/schedstat\n{other}"
    end = "test end :: a 2 0\n"
    assert counters(text + end) == {"pgfault": 4}
    text = text.replace(f"file end :: /proc/schedstat\n{other}", "")
    assert counters(text + end + other) == {"pgfault": 4}


def test_the_seconds_of_another_benchmark_are_not_taken() -> None:
    text = "test begin :: a 1\nfile start :: /proc/vmstat\npgfault 1\nfile end :: /proc/vmstat\npgfault 5\n"
    text += "test end :: a 2 0\ntime :: {} 1.00 user 2.00 system 3.00 elapsed\n"
    assert counters(text.format("a")) == {"pgfault": 4, ELAPSED: 3}
    assert counters(text.format("a-b")) == {"pgfault": 4}


# Pairs of files.

BEFORE = "nr_free_pages 100\npgfault 1000\npgmajfault 10\nallocstall_normal 1\nallocstall_movable 2\n"
AFTER = "nr_free_pages 90\npgfault 1500\npgmajfault 20\nallocstall_normal 4\nallocstall_movable 4\n"


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def faults(samples: Samples) -> dict[str, list[float]]:
    return {
        row.benchmark: group.values.tolist()
        for row in samples.rows()
        if (row.metric.name, row.operation.name) == ("vmstat", "Minor Faults")
        for group in row.groups.values()
    }


def files(samples: Samples) -> dict[str, str]:
    return {Path(report.source.path).name: report.status for report in samples.files}


def warnings(samples: Samples) -> list[tuple[str, str, int]]:
    return [(item.slug, Path(item.path).name, item.line) for item in samples.diagnostics if item.severity]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("vmstat-before.txt", "vmstat-after.txt"),
        ("vmstat.start", "vmstat.end"),
        ("pre-vmstat", "post-vmstat"),
        ("before.txt", "after.txt"),
        ("Vmstat_Before.log", "Vmstat_After.log"),
    ],
)
def test_a_pair_is_one_run(before: str, after: str, tmp_path: Path) -> None:
    samples = load(write(tmp_path / "base", {f"mm/{before}": BEFORE, f"mm/{after}": AFTER}))
    assert faults(samples) == {"mm": [490]}
    assert files(samples) == {before: "read", after: "companion"}
    assert warnings(samples) == []


def test_pairs_of_a_folder_are_told_apart_by_the_rest_of_their_names(tmp_path: Path) -> None:
    more = AFTER.replace("1500", "1600")
    named = {f"iter-{n}/threads-4.vmstat-before": BEFORE for n in (1, 2)}
    named |= {"iter-1/threads-4.vmstat-after": AFTER, "iter-2/threads-4.vmstat-after": more}
    named |= {"iter-1/vmstat-before-2.txt": BEFORE, "iter-1/vmstat-after-2.txt": more}
    named |= {"vmstat-run1-before.txt": BEFORE, "vmstat-run1-after.txt": AFTER}
    named |= {"vmstat-run2-before.txt": BEFORE, "vmstat-run2-after.txt": more}
    samples = load(write(tmp_path / "base", named))
    assert faults(samples) == {"vmstat-2": [590], "vmstat-threads-4": [490, 590], "vmstat": [490, 590]}
    assert warnings(samples) == []


def test_a_half_beside_its_compressed_twin(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {"vmstat-before": BEFORE, "vmstat-after": AFTER}
    texts |= {"vmstat-before.gz": gzip.compress(BEFORE.encode()), "vmstat-after.gz": gzip.compress(AFTER.encode())}
    samples = load(write(tmp_path / "base", texts))
    assert faults(samples) == {"vmstat": [490]}
    assert sorted(files(samples).values()) == ["companion", "copy", "copy", "read"]
    assert warnings(samples) == []


def test_a_twin_that_differs_is_told(tmp_path: Path) -> None:
    other = gzip.compress(BEFORE.replace("1000", "900").encode())
    texts = {"vmstat-before": BEFORE, "vmstat-after": AFTER, "vmstat-before.gz": other}
    samples = load(write(tmp_path / "base", texts))
    assert faults(samples) == {"vmstat": [490]}
    assert files(samples)["vmstat-before.gz"] == "no-result"
    assert [slug for slug, _, _ in warnings(samples)] == ["lone-snapshot", "twins-differ"]


def test_a_directory_against_itself(tmp_path: Path) -> None:
    root = write(tmp_path / "base", {"vmstat-before": BEFORE, "vmstat-after": AFTER})
    samples = load(root, root)
    assert [report.status for report in samples.files] == ["companion", "read"] * 2


@pytest.mark.parametrize("text", ["anon 5\npgfault 7\npgpgin 1\n", "numa_hit 5\nlocal_node 5\n"])
def test_counters_of_cgroups_and_nodes_are_not_the_machines(text: str, tmp_path: Path) -> None:
    samples = load(write(tmp_path / "base", {"counters-before": text, "counters-after": text}))
    assert set(files(samples).values()) == {"unrecognised"}


def test_a_snapshot_without_its_partner_is_told(tmp_path: Path) -> None:
    samples = load(write(tmp_path / "base", {"vmstat-before.txt": BEFORE}))
    assert files(samples) == {"vmstat-before.txt": "no-result"}
    assert warnings(samples) == [("lone-snapshot", "vmstat-before.txt", 0)]


def test_a_partner_that_is_no_snapshot_is_told(tmp_path: Path) -> None:
    texts = {"vmstat-before.txt": BEFORE, "vmstat-after.txt": "cat: /proc/vmstat: Permission denied\n"}
    samples = load(write(tmp_path / "base", texts))
    assert files(samples) == {"vmstat-after.txt": "unrecognised", "vmstat-before.txt": "no-result"}
    assert [slug for slug, _, _ in warnings(samples)] == ["unrecognised", "lone-snapshot"]


def test_other_files_of_such_names_are_read_alone(tmp_path: Path) -> None:
    run = "Running in process mode with 4 groups using 40 file descriptors each (== 160 tasks)\nTime: 1.250\n"
    texts = {"hackbench-before.txt": run, "hackbench-after.txt": run, "stat-before.txt": "cpu 1 2\n"}
    texts |= {"stat-after.txt": "cpu 1 3\n", "vmstat-before": BEFORE, "vmstat-end": AFTER}
    found = files(load(write(tmp_path / "base", texts)))
    assert found["hackbench-before.txt"] == found["hackbench-after.txt"] == "read"
    assert found["stat-before.txt"] == found["stat-after.txt"] == "companion"
    assert found["vmstat-before"] == found["vmstat-end"] == "no-result"


def test_a_cut_half_is_told_of_the_file(tmp_path: Path) -> None:
    """The last number may be cut off; what needs it is left out."""
    samples = load(write(tmp_path / "base", {"vmstat-before.txt": BEFORE, "vmstat-after.txt": AFTER[:-1]}))
    assert faults(samples) == {"vmstat": [490]}
    assert "Allocation stalls" not in {row.operation.name for row in samples.rows()}
    assert files(samples)["vmstat-before.txt"] == "truncated"
    assert warnings(samples) == [("truncated", "vmstat-before.txt", 0)]


def test_a_damaged_archive_is_told_of_the_file(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {"vmstat-before": BEFORE, "vmstat-after.gz": gzip.compress(AFTER.encode())[:-9]}
    samples = load(write(tmp_path / "base", texts))
    assert files(samples)["vmstat-before"] == "truncated"
    assert ("truncated", "vmstat-after.gz", 0) in warnings(samples)


def test_a_table_of_real_snapshots() -> None:
    samples = load(SNAPSHOTS / "base", SNAPSHOTS / "patched")
    assert [item for item in samples.diagnostics if item.severity] == []
    text = render(compare(samples, Selection(metrics=("vmstat",))))
    for name in ("Minor Faults", "Allocation stalls", "Compaction cost", "THP fault alloc"):
        assert name in text
    assert "velocity" not in text
