"""What a report by the rules of mmtests is about: benchmarks, rules and their operations."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from compare_kernels.model import Metric
from compare_kernels.reporting.mmtests.monitors import MONITORS
from compare_kernels.reporting.mmtests.rules import Entries, Found, Kind, Rule
from compare_kernels.reporting.mmtests.rules_2020 import REVISION_2020
from compare_kernels.reporting.mmtests.rules_2026 import REVISION_2026
from compare_kernels.reporting.mmtests.statistics import Described, describe, single
from compare_kernels.reporting.mmtests.subselection import subselected
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compare_kernels.model import Better
    from compare_kernels.reporting.mmtests.rules import Entry, Era
    from compare_kernels.samples import Row, Samples
    from compare_kernels.selection import Selection

ERAS = {"mmtests-2020": REVISION_2020, "mmtests-2026": REVISION_2026}
"""The revisions by the name that a template's head gives to its rules."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One table to be made.

    Attributes:
        era: the revision.
        label: the benchmark's label.
        kind: what is printed of each operation.
        metric: what is measured, with the direction, the mean and the decimals of the table.
        rule: the rule.
        entries: the operations.
    """

    era: Era
    label: str
    kind: Kind
    metric: Metric
    rule: Rule
    entries: Entries

    @property
    def heading(self) -> str:
        """The benchmark's label and what was measured, safe to print."""
        return printable(f"{self.label} {self.metric.title}".strip())

    @property
    def statistics(self) -> tuple[tuple[str, str], ...]:
        """Key and label of the statistics, in the order of rows."""
        if self.kind == "single":
            return (("mean", self.rule.label),)
        return tuple((key, self.era.statistic_label(key, self.metric.mean)) for key in self.era.kinds[self.kind])

    def better(self, entry: Entry) -> Better:
        """The direction of an operation."""
        return entry.better or self.metric.better

    def describe(self, entry: Entry, seed: int) -> dict[int, Described]:
        """The statistics of an operation under each kernel that has it.

        Args:
            entry: the operation.
            seed: of what is drawn at random.
        """
        described = {}
        for kernel, group in entry.groups.items():
            if self.kind == "single":
                described[kernel] = single(group.values)
                continue
            keys = self.era.kinds[self.kind]
            mean = self.metric.mean
            described[kernel] = describe(group.values, self.better(entry), mean, keys, self.era.deviation)
            if self.kind == "sub":
                described[kernel].statistics.update(subselected(group, mean, seed))
        return described


def default_metrics(era: Era) -> tuple[str, ...]:
    """Names of the metrics that the default report of any benchmark draws from."""
    drawn = (name for rules in era.rules.values() for rule in rules if rule.main for name in rule.metrics)
    return tuple(dict.fromkeys((*drawn, *MONITORS)))


def choose(samples: Samples, selection: Selection, era: Era) -> Iterable[Chosen]:
    """Yield the tables of a report.

    Args:
        samples: all samples, not only those of main metrics.
        selection: without metrics, mmtests' default report of each benchmark; a sub-heading has to equal the names
            of operations for some benchmarks and to begin them for others, as in mmtests.
        era: the revision.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in samples.rows():
        rows[row.benchmark].append(row)
    place = {key: index for index, key in enumerate(samples.appeared)}
    for label, benchmark in samples.benchmarks.items():
        variant = dict(benchmark.configuration.variant)
        rules = era.rules.get(variant.get("program") or benchmark.parser, ())
        for rule in rules if selection.wants_benchmark(benchmark) else ():
            wanted = any(map(selection.wants_metric, rule.metrics)) if selection.metrics else rule.main
            own = tuple(row for row in rows[label] if row.metric.name in rule.metrics)
            if wanted and own:
                places = {row.key[1:]: place[row.key] for row in own}
                entries = rule.entries(Found(own, places, len(samples.kernels), variant))
                entries = _under(selection.sub_heading, entries, rule)
                if entries:
                    kind, title = rule.blocks.get(selection.sub_heading, (rule.kind, rule.title))
                    yield Chosen(era, label, kind, _metric(own, rule, entries, title), rule, entries)


def _under(sub_heading: str, entries: Entries, rule: Rule) -> Entries:
    return {
        name: entry
        for name, entry in entries.items()
        if not sub_heading or (name == sub_heading if rule.exact else name.startswith(sub_heading))
    }


def _metric(rows: tuple[Row, ...], rule: Rule, entries: Entries, title: str) -> Metric:
    """The first metric that was measured, with the direction that all rows have, or else that of the rule."""
    own = min((row.metric for row in rows), key=lambda metric: rule.metrics.index(metric.name))
    directions = {entry.better or rule.better for entry in entries.values()}
    better = directions.pop() if len(directions) == 1 else rule.better
    mean: Literal["harmonic", "arithmetic"] = "harmonic" if better == "higher" else "arithmetic"
    return Metric(own.name, title or own.title, own.unit, better, mean, rule.decimals)
