"""Which benchmarks, metrics and operations a report is about."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from compare_kernels.model import Benchmark, Metric, Operation
    from compare_kernels.samples import Samples


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; everything empty means all main metrics of all benchmarks.

    Attributes:
        benchmarks: patterns (``*``, ``?``, ``[...]``) for the label, the folder, the outermost folder above it, the
            program or the parser's name.
        metrics: patterns for the metric's name; ``all`` is every metric.
        sub_heading: the beginning of the operations' names.
    """

    benchmarks: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    sub_heading: str = ""

    def wants_benchmark(self, benchmark: Benchmark) -> bool:
        """Whether a benchmark was asked for."""
        return not self.benchmarks or _matches(self.benchmarks, _names(benchmark))

    def wants_metric(self, name: str) -> bool:
        """Whether a metric was asked for by name."""
        return "all" in self.metrics or _matches(self.metrics, (name,))

    def chooser(self, samples: Samples) -> Callable[[Benchmark, Metric, Operation], bool]:
        """A function that says of each operation whether it belongs to the report."""
        with_main = {label for (label, _), metric in samples.metrics.items() if metric.main}

        def wants(benchmark: Benchmark, metric: Metric, operation: Operation) -> bool:
            if self.metrics:
                wanted = self.wants_metric(metric.name)
            else:
                wanted = not metric.interim and (metric.main or benchmark.label not in with_main)
            return wanted and self.wants_benchmark(benchmark) and operation.name.startswith(self.sub_heading)

        return wants

    def check(
        self, benchmarks: Mapping[str, Benchmark], metrics: Iterable[Metric], operations: Iterable[Operation]
    ) -> None:
        """Complain about a pattern that matches nothing.

        Raises:
            UsageError: names the pattern and what there is.
        """
        for pattern in self.benchmarks:
            if not any(_matches((pattern,), _names(benchmark)) for benchmark in benchmarks.values()):
                raise UsageError(f"no benchmark matches {pattern!r}; there are: {', '.join(benchmarks)}")
        names = list(dict.fromkeys(metric.name for metric in metrics))
        for pattern in self.metrics:
            if pattern != "all" and not any(fnmatchcase(name, pattern) for name in names):
                raise UsageError(f"no metric matches {pattern!r}; there are: {', '.join(names)}")
        begins = self.sub_heading
        if begins and not any(operation.name.startswith(begins) for operation in operations):
            raise UsageError(f"no operation begins with {begins!r}")


def _names(benchmark: Benchmark) -> tuple[str, ...]:
    program = dict(benchmark.configuration.variant).get("program")
    # In mmtests' layout what is below the benchmark's folder is a setting of it, such as ``specjbb2015/default``.
    above = benchmark.instance.partition("/")[0]
    return benchmark.label, benchmark.instance, above, program or benchmark.parser


def _matches(patterns: Iterable[str], names: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
