"""What idlestat prints in each of its layouts, and what belongs to which run."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare_kernels.parsers import hackbench, idlestat
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder
from compare_kernels.parsers.idlestat_cells import owner_of, time_in_us

from .reading import LOGS, parse, raw_log

POSTED = Path(__file__).parent.parent / "posted-logs"
MIXED = """\
/usr/bin/hackbench -l 2000 -s 512

Running in process mode with 4 groups using 40 file descriptors each (==
160 tasks)
Each sender will pass 2000 messages of 512 bytes

Time: 6.281

Total trace buffer: 922112 kB
clusterA@state hits total(us) avg(us) min(us) max(us)
POLL 0 0.00 0.00 0.00 0.00
C7-IVB 12 7200.00 600.00 5.00 1800.00
cpu0@state hits total(us) avg(us) min(us) max(us)
POLL 3 33.00 11.00 2.00 20.00
C7-IVB 41 120335.00 2935.00 4.00 30021.00
1701 7 9100.00 1300.00 6.00 4400.00
782 0 0.00 0.00 0.00 0.00
cpu0 wakeups name count
irq009 acpi 8
"""
HEADER = "| C-state  |   min    |   max    |   avg    |   total  | hits  |  over | under |\n"
RULE = "-" * 80 + "\n"
CPU0 = RULE + "|             cpu0" + " " * 61 + "|\n" + RULE
ROW = "|       C6 |     55us |  16.02ms |   9.40ms |    9.11s |   969 |    12 |     0 |\n"
TABLE = RULE + HEADER + CPU0 + ROW + RULE + "\n"
LENGTH = "Log is 10.000000 secs long with 2210 events\n"
Values = dict[str, list[float]]


def read(text: str, name: str = "idlestat.txt") -> Parsed:
    builder = SampleBuilder(name)
    idlestat.parse(RawLog(text.encode(), name), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("idlestat", raw_log(LOGS / "idlestat" / path))


def values(parsed: Parsed, metric: str = "total") -> Values:
    found: Values = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("path", "metric", "operation", "value"),
    [
        ("boxed.txt", "total", "cpu0 C1", 30910),
        ("boxed.txt", "hits", "cpu1 C6", 130),
        ("boxed.txt", "average", "core0 C6", 8870),
        ("boxed.txt", "min", "clusterA C6", 0),
        ("boxed.txt", "max", "cpu1 C6", 1040000),
        ("boxed.txt", "pstate-total", "cpu0 2.30GHz", 622140),
        ("boxed.txt", "pstate-hits", "cpu0 800.00MHz", 1),
        ("boxed.txt", "wakeups", "cpu0 irq41 30be0000.ethern", 12),
        ("boxed.txt", "wakeups", "cpu1 IPI Function call i", 6),
        ("boxless.txt", "total", "cpu0 C1", 30910),
        ("boxless.txt", "pstate-average", "cpu1 2.30GHz", 512),
        ("boxless.txt", "wakeups", "cpu0 IPI Rescheduling in", 41),
        ("report.csv", "average", "cpu0 C1", 101.25),
        ("report.csv", "min", "core0 C6", 3.000007),
        ("report.csv", "pstate-hits", "cpu0 2301MHz", 1551),
        ("report.csv", "pstate-hits", "cpu0 2300MHz", 117),
        ("report.csv", "wakeups", "cpu0 irq16 ehci_hcd:usb1 uhci", 5),
        ("narrow-72-dashes.txt", "total", "cpu0 WFI", 9940000),
        ("without-over-and-under.txt", "hits", "cpu0 C6", 954),
        ("listed-2013.txt", "average", "clusterA C7-IVB", 14935.26),
        ("listed-2013.txt", "pstate-total", "cpu0 1701MHz", 4410),
        ("listed-2013.txt", "wakeups", "cpu0 IPI Rescheduling in", 4),
        ("listed-by-number.txt", "hits", "cpu0 state1", 25),
        ("listed-by-number.txt", "pstate-hits", "cpu0 782MHz", 300),
        ("wakeups-2014.txt", "wakeups", "cpu0 irq19 ahci", 66),
        ("wakeups-2014.txt", "wakeups", "cpu0 IPI Rescheduling in", 17),
        ("two-clusters.txt", "total", "core0 C6", 1240000),
        ("two-clusters.txt", "total", "clusterB-core0 C6", 840000),
        ("mail-80-columns.txt", "hits", "cpu0 cluster-sleep", 1),
        ("mail-80-columns.txt", "total", "cpu0 cpu-sleep", 369400),
        ("mail-soft-wrapped.txt", "total", "cpu0 WFI", 9600000),
        ("mail-quoted-printable.txt", "max", "clusterA WFI", 50010),
    ],
)
def test_values(path: str, metric: str, operation: str, value: float) -> None:
    assert values(log(path), metric)[operation] == [value]


def test_the_residency_is_the_share_of_the_trace() -> None:
    assert values(read(LENGTH + TABLE), "residency") == {"cpu0 C6": [91.1]}
    assert values(read(TABLE + LENGTH), "residency") == {"cpu0 C6": [91.1]}, "stderr may come last"
    assert [metric.name for metric in idlestat.METRICS if metric.main] == ["residency", "pstate-residency"]


def test_without_a_length_there_is_no_residency() -> None:
    parsed = read(TABLE)
    assert values(parsed, "residency") == {}
    assert values(parsed) == {"cpu0 C6": [9110000]}
    assert slugs(parsed) == ["no-length"]
    assert values(read("Log is 0.000000 secs long with 1 events\n" + TABLE), "residency") == {}


def test_a_length_that_may_be_of_another_run_is_not_taken() -> None:
    parsed = read(TABLE + LENGTH + TABLE)
    assert values(parsed, "residency") == {}
    assert values(parsed) == {"cpu0 C6": [9110000, 9110000]}
    assert "unclear-length" in slugs(parsed)
    assert "unclear-length" in slugs(read(LENGTH + LENGTH + TABLE)), "two lengths, but no baseline"


def test_a_length_after_other_text_is_not_that_of_the_tables_before() -> None:
    parsed = read(TABLE + "With the patch:\n\n" + LENGTH + TABLE.replace("9.11s", "9.01s"))
    assert values(parsed, "residency") == {"cpu0 C6": [pytest.approx(90.1)]}
    parsed = read(TABLE + "With the patch:\n\n" + LENGTH)
    assert values(parsed, "residency") == {}
    assert "failed-run" in slugs(parsed)


def test_a_loop_gives_a_run_for_each_table() -> None:
    parsed = log("three-runs.txt")
    assert values(parsed, "residency") == {"cpu0 C6": pytest.approx([86.1, 80.0, 8000 / 98])}
    assert [run.line for run in parsed.runs] == [3, 12, 21]
    assert [run.conditions for run in parsed.runs] == [(("seconds", s),) for s in (10.0, 10.5, 9.8)]
    behind = read(TABLE + LENGTH + TABLE.replace("9.11s", "9.01s") + LENGTH.replace("10.0", "20.0"))
    assert values(behind, "residency") == {"cpu0 C6": pytest.approx([91.1, 45.05])}
    assert values(log("listed-two-runs.txt"))["clusterA C7-IVB"] == [6123456, 5555555]


def test_cores_are_counted_anew_in_each_cluster() -> None:
    head = "@state hits total(us) avg(us) min(us) max(us)\n"
    owners = ("clusterA", "core0", "cpu0", "clusterB", "core0", "cpu1")
    parsed = read("".join(f"{owner}{head}C1 1 {n}.00 1.00 1.00 1.00\n" for n, owner in enumerate(owners)))
    assert len(parsed.runs) == 1
    assert values(parsed)["core0 C1"] == [1]
    assert values(parsed)["clusterB-core0 C1"] == [4]


def test_a_frequency_below_the_interrupts_is_none() -> None:
    assert values(read("cpu0 wakeups name count\n782 300 51000.00 170.00 2.00 411.00\n"), "pstate-hits") == {}


def test_a_length_inside_a_table_costs_no_row() -> None:
    parsed = read(RULE + HEADER + CPU0 + ROW + LENGTH + ROW.replace("      C6", "      C7") + RULE)
    assert values(parsed) == {"cpu0 C6": [9110000], "cpu0 C7": [9110000]}


@pytest.mark.parametrize(
    ("tail", "status"),
    [
        ("$ ", "read"),
        ("real 0m10.1s", "read"),
        ("|  C7 |   5", "truncated"),
        ("-----", "read"),
        ("", "read"),
        (CPU0, "truncated"),
    ],
)
def test_only_what_may_be_of_a_table_makes_a_log_a_cut_one(tail: str, status: str) -> None:
    assert read(LENGTH + TABLE + tail).status == status


def test_tables_of_one_report_are_one_run() -> None:
    assert len(log("boxed.txt").runs) == len(log("report.csv").runs) == len(log("boxless.txt").runs) == 1


def test_a_comparison_gives_the_values_of_this_run() -> None:
    parsed = log("comparison.txt")
    assert values(parsed) == {"clusterA C6": [7410000], "cpu0 POLL": [0], "cpu0 C1": [30910], "cpu0 C6": [8610000]}
    assert values(parsed, "residency")["clusterA C6"] == [7410000 / (10.000731 * 1e4)], "the length of its own trace"
    assert slugs(parsed) == ["comparison"]


def test_a_state_that_was_never_entered_has_no_stay() -> None:
    parsed = log("comparison.txt")
    assert values(parsed, "hits")["cpu0 POLL"] == [0]
    for metric in ("average", "min", "max"):
        assert "cpu0 POLL" not in values(parsed, metric)


def test_rows_that_print_alike_stay_apart() -> None:
    assert values(log("twice-2.30GHz.txt"), "pstate-hits") == {"cpu0 2.30GHz": [1551], "cpu0 2.30GHz (2)": [110]}


def test_rows_are_sorted_by_owner_then_as_printed() -> None:
    text = "".join(
        f"{name}@state hits total(us) avg(us) min(us) max(us)\nPOLL 1 5.00 5.00 5.00 5.00\nC1 1 4.00 4.00 4.00 4.00\n"
        for name in ("clusterA", "core0", "cpu0", "cpu10", "core1", "cpu2")
    )
    found = {block.operation for block in read(text).blocks if block.metric.name == "total"}
    names = [operation.name for operation in sorted(found, key=lambda operation: operation.sort_key)]
    owners = ["clusterA", "core0", "core1", "cpu0", "cpu2", "cpu10"]
    assert names == [f"{owner} {state}" for owner in owners for state in ("POLL", "C1")]


@pytest.mark.parametrize(
    ("path", "status", "slug"),
    [
        ("failed-not-root.txt", "failed-run", "failed-run"),
        ("failed-no-ftrace.txt", "failed-run", "failed-run"),
        ("failed-not-installed.txt", "failed-run", "failed-run"),
        ("failed-no-table.txt", "failed-run", "failed-run"),
        ("failed-usage-then-run.txt", "read", "failed-run"),
        ("cut-before-the-second-run.txt", "read", "failed-run"),
        ("cut-in-a-row.txt", "truncated", "truncated"),
        ("cut-between-rows.txt", "truncated", "truncated"),
        ("cut-after-a-section.txt", "truncated", "truncated"),
        ("cut.csv", "truncated", "truncated"),
        ("boxless-cut-in-wakeups.txt", "truncated", "truncated"),
        ("listed-cut.txt", "truncated", "truncated"),
    ],
)
def test_failed_and_cut_logs(path: str, status: str, slug: str) -> None:
    parsed = log(path)
    assert parsed.status == status
    assert slugs(parsed).count(slug) == 1


def test_a_number_that_may_be_cut_off_is_not_taken() -> None:
    assert values(log("cut-in-a-row.txt")).keys() >= {"cpu1 C1"}
    assert "cpu1 C6" not in values(log("cut-in-a-row.txt"))
    assert "cpu1 C6" not in values(log("cut.csv"))
    assert "cpu1 irq3 arch_timer" not in values(log("boxless-cut-in-wakeups.txt"), "wakeups")
    assert values(log("listed-cut.txt"), "wakeups") == {"cpu0 irq9 acpi": [3]}
    assert values(read(MIXED[:-1]), "wakeups") == {}
    assert values(read(MIXED[: MIXED.index("\n1701")]))["cpu0 C7-IVB"] == [120335], "two decimals are the end"


def test_a_row_that_is_not_whole_is_told() -> None:
    parsed = read(LENGTH + TABLE.replace("9.40ms", "9.4?ms"))
    assert values(parsed) == {}
    assert slugs(parsed) == ["incomplete-row", "failed-run"]


@pytest.mark.parametrize("text", [MIXED, MIXED.replace("\n", "\r\n"), "x\n" * 20000 + TABLE, HEADER, LENGTH])
def test_is_certain_of_tables_wherever_they_stand(text: str) -> None:
    assert idlestat.recognise(RawLog(text.encode())) == Match.CERTAIN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Running with 4*40 (== 160) tasks\nTime: 1.234\n",
        "idlestat: the reports of both kernels follow\n",
        "| Function | Time |\n| main | 2us |\n",
        "cluster,core,cpu,watt\n",
        "| IRQ |   min    |   max    |   avg    |   total  | hits  |\n",
        "   C-state   Name   Count\n",
    ],
)
def test_knows_what_is_not_its_own(text: str) -> None:
    assert idlestat.recognise(RawLog(text.encode())) == Match.NO


def test_a_log_with_the_result_of_a_benchmark() -> None:
    """The benchmark's parser knows such a log too, so that being certain is all that helps."""
    whole = MIXED.replace("==\n160", "== 160")
    assert hackbench.recognise(RawLog(whole.encode())) == idlestat.recognise(RawLog(whole.encode())) == Match.CERTAIN
    parsed = read(MIXED)
    assert values(parsed) == {
        "clusterA POLL": [0],
        "clusterA C7-IVB": [7200],
        "cpu0 POLL": [33],
        "cpu0 C7-IVB": [120335],
    }
    assert values(parsed, "hits")["cpu0 C7-IVB"] == [41]
    assert values(parsed, "pstate-total") == {"cpu0 1701MHz": [9100], "cpu0 782MHz": [0]}
    assert values(parsed, "pstate-max") == {"cpu0 1701MHz": [4400]}
    assert values(parsed, "wakeups") == {"cpu0 irq9 acpi": [8]}
    assert slugs(parsed) == ["no-length"]


@pytest.mark.parametrize(
    ("side", "cluster", "cpu2", "wakeups"),
    [
        (
            "base",
            {"core0 C7-IVB": 87932131, "cpu0 C7-IVB": 87938177, "cpu1 C7-IVB": 87941356, "cpu2 C1-IVB": 288157},
            {"cpu2 1500MHz": 34, "cpu2 782MHz": 18800, "cpu2 1701MHz": 0},
            {"cpu0 irq9 acpi": [1], "cpu1 irq9 acpi": [3], "cpu2 irq19 ahci": [50], "cpu2 irq9 acpi": [17]},
        ),
        (
            "patched",
            {"core0 C7-IVB": 89157590, "cpu0 C7-IVB": 89162006, "cpu1 C7-IVB": 89164805, "cpu2 C1-IVB": 2169047},
            {},
            {"cpu0 irq9 acpi": [2], "cpu1 irq9 acpi": [6]},
        ),
    ],
)
def test_posted_logs(side: str, cluster: Values, cpu2: dict[str, float], wakeups: Values) -> None:
    raw = RawLog((POSTED / f"hackbench-idlestat-{side}.txt").read_bytes())
    assert idlestat.recognise(raw) == Match.CERTAIN
    parsed = read(raw.data.decode())
    assert parsed.status == "read"
    assert len(parsed.runs) == 1
    for metric, expected in (("total", cluster), ("pstate-total", cpu2)):
        found = values(parsed, metric)
        assert {name: found[name] for name in expected} == {name: [value] for name, value in expected.items()}
    assert wakeups.items() <= values(parsed, "wakeups").items()
    assert len(values(parsed)) == 6 * 7, "six states of a cluster, two cores and four cpus"
    assert len(values(parsed, "pstate-total")) == 12 * 4


@pytest.mark.parametrize(
    ("text", "bare", "value"),
    [
        ("14us", 0, 14.0),
        ("3.99ms", 0, 3990.0),
        ("9.93s", 0, 9930000.0),
        ("1234.56s", 0, 1234560000.0),
        ("9.9s", 0, None),
        ("+14us", 0, None),
        ("14", 0, None),
        ("14.00", 2, 14.0),
        ("14.0", 2, None),
        ("14.000001", 6, 14.000001),
        ("", 6, None),
    ],
)
def test_times(text: str, bare: int, value: float | None) -> None:
    assert time_in_us(text, bare=bare) == value


def test_owners() -> None:
    assert owner_of("cpux", "") is None
    core, other = owner_of("core1", "clusterA"), owner_of("core1", "clusterC")
    assert core is not None
    assert other is not None
    assert (core.name, other.name) == ("core1", "clusterC-core1")
    assert core.order < other.order
