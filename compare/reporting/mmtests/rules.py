"""What a rule of mmtests is, and the rows that both revisions share."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from compare_kernels.samples import Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from compare_kernels.model import Better, Operation
    from compare_kernels.reporting.mmtests.statistics import Described, Deviation
    from compare_kernels.samples import Row

Kind = Literal["many", "single", "sub", "normal", "skewed"]
"""What is printed of an operation; the names in mmtests are Multiops, Singleops, Subselection, Normalisedops and
NormalisedLeftSkewops."""

Groups = dict[int, Group]
"""Index of a kernel to all its samples of one operation."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation of a table.

    Attributes:
        groups: its samples.
        better: the direction, where it isn't that of the rule.
    """

    groups: Groups
    better: Better | None = None


Entries = dict[str, Entry]
"""Name of an operation as mmtests prints it to what belongs to it, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was measured of one benchmark, as far as a rule draws from it.

    Attributes:
        rows: the operations of the rule's metrics, in the order of the default tables.
        place: metric and operation to its place in the order in which the logs first have them.
        kernels: the number of kernels.
        variant: what names the variant of the benchmark.
    """

    rows: tuple[Row, ...]
    place: Mapping[tuple[str, str], int]
    kernels: int
    variant: Mapping[str, str]

    def by_metric(self, *names: str) -> Iterable[Row]:
        """The rows of some metrics, metric by metric."""
        return (row for name in names for row in self.rows if row.metric.name == name)

    def as_logged(self) -> list[Row]:
        """The rows in the order in which the logs first have them."""
        return sorted(self.rows, key=lambda row: self.place[row.key[1:]])


@dataclass(frozen=True, slots=True)
class Rule:
    """How mmtests reports some metrics of a benchmark.

    Attributes:
        metrics: names of the parser's metrics that it draws from.
        entries: makes the rows from what was found.
        better: the direction.
        kind: what is printed of each operation.
        label: the first column of a table with one row for each operation.
        title: the heading behind the benchmark's name; empty for that of the metric.
        exact: whether ``--sub-heading`` has to equal an operation's name, not to begin it.
        main: whether it is shown without ``--metric``.
        decimals: digits behind the point.
        blocks: a sub-heading to the kind of table that it asks for, and its title.
        ratio: how the operations begin that ratios are about; if none begins so, all are.
    """

    metrics: tuple[str, ...]
    entries: Callable[[Found], Entries]
    better: Literal["higher", "lower"]
    kind: Kind = "many"
    label: str = "Ops"
    title: str = ""
    exact: bool = False
    main: bool = True
    decimals: int = 2
    blocks: Mapping[str, tuple[Kind, str]] = field(default_factory=dict)
    ratio: str = ""


@dataclass(frozen=True, slots=True)
class Era:
    """A revision of mmtests.

    Attributes:
        rules: the program's name to its rules.
        kinds: what is printed of an operation to the keys of the statistics, in the order of rows.
        point: what stands before the percentage in ``BAmean-95``.
        deviation: computes the deviation of samples.
        fitting: whether the deviation fits the kind of mean, and says so in its name.
        differs: whether two sides are marked as different.
        distance: the distance of two sides in the tables of ratios.
    """

    rules: Mapping[str, tuple[Rule, ...]]
    kinds: Mapping[Kind, tuple[str, ...]]
    point: str
    deviation: Deviation
    fitting: bool
    differs: Callable[[Described, Described], bool]
    distance: Callable[[Described, Described], float]

    def statistic_label(self, key: str, mean: str) -> str:
        """The name of a statistic in the first column, such as ``BHmean.95``."""
        average = "Hmean" if mean == "harmonic" else "Amean"
        spread = "H" if mean == "harmonic" and self.fitting else ""
        names = {"min": "Min", "mean": average, "stddev": f"{spread}Stddev", "cv": f"{spread}CoeffVar", "max": "Max"}
        names |= {"sub_mean": f"Sub{average}", "sub_ci": "SubmeanCI"}
        kind, _, percent = key.partition("_")
        return names.get(key) or {"best": f"B{average}", "pctile": "Pctile"}[kind] + self.point + percent


def plain(found: Found) -> Entries:
    """Names and order of the default tables."""
    return {row.operation.name: Entry(dict(row.groups)) for row in found.rows}


def as_logged(found: Found) -> Entries:
    """Names of the default tables, in the order in which the logs have them."""
    return {row.operation.name: Entry(dict(row.groups)) for row in found.as_logged()}


def prefixed(prefix: str) -> Callable[[Found], Entries]:
    """Names of the default tables behind a prefix."""
    return lambda found: {f"{prefix}{name}": entry for name, entry in plain(found).items()}


def suffix(operation: Operation) -> str:
    """The parameter as the end of a name; empty if there is none."""
    return "" if math.isnan(operation.param) else f"-{operation.param:g}"


def fault_latencies(found: Found) -> dict[tuple[str, str], Groups]:
    """Kind (``base``, ``huge``, ``both``) and end of the name to samples, by number of threads.

    A log without a kind of fault counts as one fault of 0 us, as in mmtests.
    """
    measured: dict[tuple[str, str], Mapping[int, Group]] = {
        (row.operation.series.removeprefix("fault-"), suffix(row.operation)): row.groups for row in found.rows
    }
    threads = {suffix(row.operation): row.operation.sort_key[1] for row in found.rows}
    return {
        (kind, end): {
            kernel: _with_zeros(measured.get((kind, end), {}).get(kernel), both)
            for kernel, both in measured["both", end].items()
        }
        for end in sorted(threads, key=lambda end: threads[end])
        for kind in ("base", "huge", "both")
    }


def _with_zeros(group: Group | None, both: Group) -> Group:
    if group is None:
        runs = np.unique(both.runs)
        return Group(both.kernel, np.zeros(len(runs)), runs)
    missing = np.setdiff1d(both.runs, group.runs)
    return Group(
        group.kernel,
        np.concatenate([group.values, np.zeros(len(missing))]),
        np.concatenate([group.runs, missing]),
    )


def localities(found: Found) -> Entries:
    """Percentages of faults with memory of their own node and of another one, and of those of which it's unknown."""
    entries: Entries = {}
    for row in found.by_metric("percentage-local"):
        groups = dict(row.groups)
        entries[row.operation.name] = Entry(groups, "higher")
        remote = {kernel: replace(group, values=100 - group.values) for kernel, group in groups.items()}
        entries["remote" + row.operation.name.removeprefix("local")] = Entry(remote, "lower")
    # All local ones first, then all remote ones.
    entries = {name: entries[name] for name in sorted(entries, key=lambda name: name.startswith("remote"))}
    for row in found.by_metric("percentage-uncertain"):
        entries[row.operation.name] = Entry(dict(row.groups), "lower")
    return entries


LOCALITY = ("percentage-local", "percentage-uncertain")
"""The metrics that `localities` draws from."""


def values_by_run(group: Group) -> dict[int, list[float]]:
    """The samples of each run."""
    runs: dict[int, list[float]] = defaultdict(list)
    for run, value in zip(group.runs.tolist(), group.values.tolist(), strict=True):
        runs[run].append(value)
    return runs
