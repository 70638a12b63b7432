"""By value: what the posted tables say, in each style and in its older forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compare_kernels.posted.check import check_tables

from .reading import posted, tables_in

if TYPE_CHECKING:
    from compare_kernels.posted.model import PostedCell, PostedRow, PostedTable


def row(table: PostedTable, operation: str, statistic: str = "") -> PostedRow:
    found = [one for one in table.rows if one.operation == operation and one.statistic == statistic]
    assert len(found) == 1, (operation, statistic)
    return found[0]


def printed(cell: PostedCell) -> tuple[str | None, str | None, str | None]:
    """Value, percentage and deviation as they stand there."""
    return tuple(one.text if one else None for one in (cell.value, cell.percent, cell.deviation))  # type: ignore[return-value]


def only(text: str) -> PostedTable:
    tables = tables_in(text)
    assert len(tables) == 1
    assert not check_tables(tables).contradictions
    return tables[0]


def test_mmtests_mail() -> None:
    netperf, specjbb = posted("mmtests.eml")
    assert netperf.kernels == specjbb.kernels == ("5.15.0-rc3-vanilla", "5.15.0-rc3-sched-wakeeflips-v1r1")
    assert (netperf.title, specjbb.title) == ("multi subtest netperf-tcp-rr", "specjbb")
    hmean = row(netperf, "1", "Hmean")
    assert [printed(cell) for cell in hmean.cells] == [("62894.82", "0.00", None), ("68963.51", "9.65", None)]
    assert [cell.marked for cell in hmean.cells] == [False, True]
    assert hmean.line == 16
    stddev = row(netperf, "1", "Stddev")
    assert [printed(cell) for cell in stddev.cells] == [("7600.56", "0.00", None), ("8804.82", "-15.84", None)]
    assert not stddev.cells[1].marked
    assert printed(row(specjbb, "tput-14", "Hmean").cells[1]) == ("647876.05", "7.78", None)
    assert (len(netperf.rows), len(specjbb.rows), netperf.mean) == (4, 14, "Hmean")
    assert (netperf.origin.message_id, netperf.origin.subject) == (
        "<s05@example.org>",
        "Re: Re: the requested figures",
    )


def test_normalized_mail() -> None:
    (table,) = posted("normalized.eml")
    assert (table.title, table.mean, table.better) == ("hackbench", "AMean", "lower")
    assert (table.kernels, table.label) == (("tip", "place-initial-fix"), "Case:")
    cells = row(table, "1-groups").cells
    assert [printed(cell) for cell in cells] == [("1.00", "-0.00", "2.11"), ("1.01", "-1.08", "2.60")]
    assert printed(row(table, "8-groups").cells[1]) == ("0.99", "1.15", "0.85")


def test_lkp_mail() -> None:
    (table,) = posted("lkp.eml")
    assert table.kernels == ("e49510bf00", "3104138517")
    assert table.details[1] == "mm: make vma cache SLAB_TYPESAFE_BY_RCU"
    assert table.origin.place(row(table, "meminfo.AnonPages").line) == "lkp.eml:29"

    def cells(metric: str) -> list[tuple[str | None, ...]]:
        return [printed(cell) for cell in row(table, metric).cells]

    assert cells("stress-ng.mlockmany.ops_per_sec") == [("30922", None, None), ("27519", "-11.0", None)]
    assert cells("meminfo.AnonPages") == [("1041613", None, None), ("1151161", "+10.5", None)]
    assert cells("mpstat.cpu.all.soft%") == [("0.37", None, "6"), ("2.25", "+1.9", "5")]
    assert row(table, "mpstat.cpu.all.soft%").cells[1].absolute
    assert cells("stress-ng.time.minor_page_faults") == [("4.511e+08", None, None), ("4.172e+08", "-7.5", None)]
    assert cells("sched_debug.cpu.nr_uninterruptible.min") == [("-68.07", None, None), ("-117.40", "+72.5", None)]
    faults = row(table, "stress-ng.time.minor_page_faults").cells[0].value
    assert faults is not None
    assert (faults.value, faults.step) == (451100000.0, 100000.0)


def test_baseline_mail() -> None:
    netperf, tbench, schbench = posted("baseline.eml")
    assert [table.title for table in (netperf, tbench, schbench)] == ["netperf", "tbench", "schbench"]
    assert netperf.kernels == ("baseline", "compare")
    cells = row(netperf, "TCP_RR 168 threads").cells
    assert [printed(cell) for cell in cells] == [("1.00", None, "0.17"), (None, "+112.84", "40.35")]
    assert printed(row(tbench, "loopback 112 threads").cells[1]) == (None, "-0.13", "0.08")
    assert printed(row(schbench, "normal 4 mthreads").cells[1]) == (None, "+17.02", "0.00")


def test_ministat_mail() -> None:
    (table,) = posted("ministat.eml")
    assert table.kernels == ("time_before.txt", "time_after.txt")
    said = {one.statistic: tuple(cell.value.text for cell in one.cells if cell.value) for one in table.rows}
    assert said["N"] == ("10", "10")
    assert said["Avg"] == ("2.9021609", "2.8318313")
    assert said["Stddev"] == ("0.057199974", "0.047785726")
    (difference,) = table.differences
    numbers = (difference.change, difference.error, difference.percent, difference.percent_error, difference.pooled)
    texts = ["-0.0703296", "0.04952", "-2.42335", "1.70631", "0.0527035"]
    assert [one.text for one in numbers if one] == texts
    assert difference.confidence.value == 95


def test_before_after_mail() -> None:
    first, second = posted("before-after.eml")
    assert first.kernels == ("6.0.0 base", "6.0.0+vcpu_is_preempted")
    assert second.kernels == ("6.0.0 base", "6.0.0+pvcy")
    execl = row(first, "Execl Throughput").cells
    assert [printed(cell) for cell in execl] == [("689.3", None, None), ("10426", "1412.548963", None)]
    creation = row(first, "Process Creation").cells[1]
    assert creation.percent is not None
    assert creation.percent.text.startswith("-2.557")
    score = row(second, "System Benchmarks Index Score")
    assert [printed(cell) for cell in score.cells] == [("3053", None, None), ("4605", "50.83524402", None)]
    assert score.new_group


def test_threads() -> None:
    thp = posted("thpscale-4-kernels.txt")
    assert [table.style for table in thp] == ["mmtests", "mmtests", "mmtests-monitor", "mmtests-monitor"]
    assert thp[0].kernels == ("thp-base1", "thp-base2", "thp-lru1", "thp-lru2")
    assert printed(row(thp[0], "fault-huge-4", "Amean").cells[3]) == ("1888.94", "19.69", None)
    assert printed(row(thp[3], "NUMA hint local faults %", "Ops").cells[2]) == ("1401.00", None, None)
    (jvm,) = posted("specjvm2008-3-kernels.txt")
    assert printed(row(jvm, "scimark.large").cells[2]) == ("47.83", "2.09", None)
    sched = posted("sched-shared-runqueue.normalized.txt")
    assert len(sched) == 20
    assert sched[1].section == "Zen4, 2 Sockets, 128 cores per socket, SMT2"
    assert printed(row(sched[-2], "critJOPS").cells[1]) == ("0.97", "-3.43", None)


def test_mmtests_without_title_in_one_header_line() -> None:
    table = only(
        "Numbers below.\n\n            vanilla              fixed\n"
        "Amean  1  10.00 (   0.00%)   9.00 (  10.00%)\n\nAmean  2  20.00 (   0.00%)  22.00 ( -10.00%)*\n"
    )
    assert (table.kernels, table.title, len(table.rows)) == (("vanilla", "fixed"), "", 2)
    assert table.rows[1].new_group
    assert not table.rows[1].cells[1].marked


def test_mmtests_names_without_dash_and_release_candidates() -> None:
    def line(label: str, *texts: str) -> str:
        return f"{label:9}" + "".join(f"{text:>23}" for text in texts) + "\n"

    table = only(
        line("", "baselin", "5.9.0-rc6", "5.9-rc1")
        + line("", "baseline", "", "-x")
        + line("Hmean  1", "10.00 (   0.00%)", "11.00 (  10.00%)", "9.00 ( -10.00%)")
    )
    assert table.kernels == ("baseline", "5.9.0-rc6", "5.9-rc1-x")


def test_mmtests_of_2010_and_2012() -> None:
    table = only(
        "KERNBENCH\n              vanilla           patched\n"
        "User min      274.83 ( 0.00%)   275.16 (-0.12%)\nUser mean     276.06 ( 0.00%)   276.30 (-0.09%)\n"
        "User stddev     1.18 ( 0.00%)     1.00 (15.25%)\nUser max      277.01 ( 0.00%)   278.05 (-0.38%)\n"
    )
    assert [one.statistic for one in table.rows] == ["min", "mean", "stddev", "max"]
    assert {one.operation for one in table.rows} == {"User"}


def test_mmtests_ratio() -> None:
    table = only(
        "                                           6.9                          6.9\n"
        "                                       vanilla                        sched\n"
        "Ratio loadfile-1             1.0000 (0.00%) (+0.00s)            1.2636 (-26.36%) (+0.45s)\n"
        "Ratio loadfile-4             1.0000 (0.00%) (NaNs)            1.2546 (-25.46%) (NaNs)\n"
        "Gmean Lower                  1.0000                             1.2591                 \n"
    )
    assert (table.style, table.better) == ("mmtests-ratio", "lower")
    assert printed(table.rows[-1].cells[1]) == ("1.2591", None, None)
    effect = table.rows[0].cells[1].effect
    assert effect is not None
    assert effect.value == 0.45


def test_mmtests_names_and_numbers_that_ran_together() -> None:
    table = only(
        "                                           v1                     v1\n"
        "                                            a                      b\n"
        "Min       fault-huge-1350929879594.00 (   0.00%)12870207158139.00 (-3567.46%)\n"
        "Min       fault-huge-2641922574012.00 (   0.00%)11444735623102.00 (-1682.88%)\n"
        "CoeffVar  fault-huge-1       83.40 (   0.00%)       84.17 (  -0.92%)\n"
        "CoeffVar  fault-huge-2       95.99 (   0.00%)      125.44 ( -30.68%)\n"
    )
    assert printed(row(table, "fault-huge-1", "Min").cells[0]) == ("350929879594.00", "0.00", None)
    assert printed(row(table, "fault-huge-2", "Min").cells[1]) == ("11444735623102.00", "-1682.88", None)


def test_normalized_older_form_cuts_off() -> None:
    table = only(
        "Test:\t\t\ttip\t\t\tSIS_Util\n 1-groups:\t   4.28 (0.00 pct)\t   4.24 (0.93 pct)\n"
        " 2-groups:\t   4.32 (0.00 pct)\t   4.10 (5.09 pct)\n"
        " 4-groups:\t   4.86 (0.00 pct)\t   5.00 (-2.88 pct)\n"
    )
    assert (table.style, table.kernels) == ("normalized-pct", ("tip", "SIS_Util"))
    # 2.8807 would round to 2.88 and 5.0926 to 5.09; 1.8518 can only be cut off.
    only(
        "Test:  tip  new\n 1-groups:  5.40 (0.00 pct)  5.30 (1.85 pct)\n"
        " 2-groups:  3.00 (0.00 pct)  1.00 (66.66 pct)\n"
    )


def test_normalized_block_of_differences() -> None:
    table = only(
        "==================================================================\n"
        "Test          : Various longer running benchmarks\nUnits         : %diff in throughput reported\n"
        "Interpretation: Higher is better\nStatistic     : Median\n"
        "==================================================================\n"
        "Benchmarks:                  %diff\nycsb-cassandra              -1.21%\n\n"
        "deathstar-1x               -7.40%\n"
    )
    assert (table.style, table.mean, len(table.rows)) == ("normalized-diff", "Median", 2)
    assert printed(table.rows[1].cells[0]) == (None, "-7.40", None)


def test_lkp_oddities() -> None:
    table = only(
        "         %stddev     %change         %stddev\n             \\          |                \\\n"
        "      0.00       +2.1e+05%       8.41 \u00b1160%  perf-sched.total\n"
        "    100.00 +- 12%     +50.0%     150.00\n"
        "    -68.07           -117.40        sched_debug.min\n"
    )
    assert printed(table.rows[0].cells[1]) == ("8.41", "+2.1e+05", "160")
    assert (table.rows[1].operation, printed(table.rows[1].cells[0])) == ("", ("100.00", None, "12"))
    assert printed(table.rows[2].cells[1]) == ("-117.40", None, None)


def test_baseline_with_blanks_and_without_deviations() -> None:
    table = only(
        "case                    load            baseline        compare%\n"
        "TCP_RR                  28 threads      1.00            +0.19\n"
        "UDP_RR                  56 mthreads     1.00            -1.24\n"
    )
    assert row(table, "TCP_RR 28 threads").cells[1].percent is not None
    assert printed(row(table, "UDP_RR 56 mthreads").cells[1]) == (None, "-1.24", None)


def test_values_with_deviations() -> None:
    text = (
        "           tip/sched/core        w/ this patchset    improvement\n"
        "schedpipe      53125 +/-0.18%        53443 +/-0.52%   (+0.60%)\n\n"
        "hackbench -l (2560/#grp) -g #grp\n"
        " 1 groups      1.579 +/-29.16%       1.410 +/-13.46% (+10.70%)\n"
        " 4 groups      1,269 +/-9.69%        1,205 +/-3.27%   (+5,04%)\n"
    )
    pipe, hackbench = tables_in(text)
    assert not check_tables([pipe, hackbench]).contradictions
    assert pipe.kernels == hackbench.kernels == ("tip/sched/core", "w/ this patchset")
    assert hackbench.title.startswith("hackbench")
    assert printed(hackbench.rows[0].cells[1]) == ("1.410", "+10.70", "13.46")
    comma = hackbench.rows[1].cells[0].value
    assert comma is not None
    assert (comma.value, comma.decimals) == (1.269, 3)


def test_six_numbers_for_each_kernel() -> None:
    table = only(
        "kernel        N        Min        Max     Median        Avg     Stddev\n"
        "6.1-base     10     1.0200     1.9000     1.5000     1.4800     0.2100\n"
        "6.1-new      10     1.0000     1.8000     1.4000     1.3900     0.2000\n"
    )
    assert (table.style, table.kernels) == ("describe", ("6.1-base", "6.1-new"))


def test_grid() -> None:
    table = only(
        "+--------------+----------------------+----------+-------------+\n"
        "| Benchmark    | Result Class         | 6.18-rc1 | patched     |\n"
        "+==============+======================+==========+=============+\n"
        "| micromm/fork | fork: p:1 (seconds)  |     0.01 | (R) -7.15%  |\n"
        "|              | fork: p:2 (seconds)  |     0.02 | (I) 4.20%   |\n"
        "+--------------+----------------------+----------+-------------+\n"
        "| micromm/mmap | mmap (seconds)       |     1.52 | -0.15%      |\n"
        "+--------------+----------------------+----------+-------------+\n"
    )
    assert table.kernels == ("6.18-rc1", "patched")
    assert [one.operation for one in table.rows][1] == "micromm/fork fork: p:2 (seconds)"
    assert printed(table.rows[0].cells[1]) == (None, "-7.15", None)
    assert [one.cells[1].marked for one in table.rows] == [True, True, False]


def test_markdown_with_a_true_minus() -> None:
    table = only(
        "## hackbench\n\n| groups | base | patched | change |\n| ---: | ---: | ---: | :---: |\n"
        "| 1 | 1.50 | 1.20 | \u221220.0% |\n| 2 | 2.00 | 2.10 | **+5.0%** |\n"
    )
    assert (table.kernels, table.title) == (("base", "patched"), "hackbench")
    assert [one.cells[1].percent.value for one in table.rows if one.cells[1].percent] == [-20.0, 5.0]
    assert not tables_in("| name | meaning |\n| --- | --- |\n| a | 1 |\n")


@pytest.mark.parametrize(
    "line",
    ["Amean 1 10.00 ( 0.00%) 9.00 (10.00%)", "1.00 [ 0.00]( 1.00) 1.01 [ 1.00]( 1.00)", "x  10  1  2  3  4  5"],
)
def test_a_lonely_line_in_prose(line: str) -> None:
    assert len(tables_in(f"I saw the following:\nwe have {line} and that is all.\n")) == 0
