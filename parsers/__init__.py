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
        module: where the parser lives, if not in ``compare_kernels.parsers.NAME``.

    """

    name: str
    title: str
    run_folders: str = ""
    companions: str = ""
    aliases: str = ""
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
    Entry(
        "time",
        "time(1) of GNU, shells and BSD: elapsed, user and system time",
        module="compare_kernels.parsers.timed",
    ),
    Entry("perfstat", "perf stat: elapsed time, counters", aliases="perf-stat|perf_stat"),
    Entry("cyclictest", "cyclictest (rt-tests): largest and mean latency, percentiles"),
)
