"""The parsers: what they are called, where they live, which names their files have. Data only.

The order is the order of the tables in a report. A parser's module is imported when a comparison starts to read.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A built-in parser.

    Attributes:
        name: the name of the benchmark; ``-b`` takes it.
        title: one line for ``compare-kernels list parsers``.
        run_folders: pattern of folders in which the benchmark itself puts a run's files; their number is a
            repetition. Empty if there are none.
        companions: pattern of names of files that lie beside the logs and hold no measurement of this benchmark.
        aliases: pattern of other names that the benchmark goes by; a folder called so needs no further name in a
            heading.
        watches: whether the program runs beside a benchmark and may print into its log, which both parsers then read.
        module: where the parser lives, if not in ``compare_kernels.parsers.NAME``.

    """

    name: str
    title: str
    run_folders: str = ""
    companions: str = ""
    aliases: str = ""
    watches: bool = False
    module: str = ""

    @property
    def module_name(self) -> str:
        """The name to import."""
        return self.module or f"compare_kernels.parsers.{self.name}"


BUILTIN: tuple[Entry, ...] = (
    Entry(
        "thpscale",
        "thpscale and thpchallenge: latency of page faults, percentage of huge pages",
        companions=r"threads-\d+\.time",
        aliases="thpchallenge|thpfioscale",
    ),
    Entry(
        "hackbench", "hackbench (rt-tests, classic) and perf bench sched messaging: time", aliases="perf|messaging"
    ),
    Entry("tbench", "tbench and dbench 3.x, 4.x: throughput, latency"),
    Entry(
        "netperf",
        "netperf 2.x, classic and omni: throughput, transaction rate, latency",
        companions=r"protocols|server-host|units-\w+",
    ),
    Entry("schbench", "schbench since 2016: wakeup and request latency, requests per second"),
    Entry(
        "specjvm",
        "SPECjvm2008: scores of benchmarks and groups, composite",
        run_folders=r"SPECjvm2008\.(\d+)",
    ),
    Entry("stream", "STREAM in C, Fortran and with MPI, BabelStream: memory rates"),
    Entry(
        "specjbb",
        "SPECjbb2015: max-jOPS, critical-jOPS, jOPS under limits of the response time",
        run_folders=r"(?:specjbb2015-[A-Z]+-\d{8}|report)-(\d{5})",
        companions=r"specjbb2015-[A-Z]+-\d{8}-\d{5}(-\w+)?\.data",
        aliases="specjbb2015",
    ),
    Entry("ycsb", "YCSB: throughput and latencies, load and run phase"),
    Entry(
        "time",
        "time(1) of GNU, shells and BSD: elapsed, user and system time",
        module="compare_kernels.parsers.timed",
    ),
    Entry("perfstat", "perf stat: elapsed time, counters", aliases="perf-stat|perf_stat"),
    Entry("cyclictest", "cyclictest (rt-tests): largest and mean latency, percentiles"),
    Entry("idlestat", "idlestat: time and hits of idle states and frequencies, wake-ups", watches=True),
    Entry("idlememstat", "idlememstat: idle memory of each test case"),
    Entry(
        "duration",
        "how long benchmarks took, by mmtests' tests-timestamp: seconds of user, system and elapsed time",
        companions="tests-activity",
    ),
    Entry(
        "vmstat",
        "/proc/vmstat before and after a benchmark, by mmtests' tests-sysstate or in two files: paging, reclaim, "
        "huge pages, compaction, NUMA",
        companions=r"(?i)(?:.*[-_.])?(?:stat|meminfo|zoneinfo|buddyinfo|pagetypeinfo|slabinfo|diskstats|schedstat|"
        r"interrupts|softirqs|loadavg)[-_.](?:before|after|start|end|pre|post)(?![a-z]).*",
    ),
)
