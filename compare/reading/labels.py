"""The names of benchmarks in a report: what their runs have in common, and what keeps them apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from compare_kernels.model import Benchmark, Configuration, Pairs
from compare_kernels.parsers import BUILTIN
from compare_kernels.reading.discover import natural_key
from compare_kernels.reading.recognise import parser_order
from compare_kernels.text import printable

if TYPE_CHECKING:
    from compare_kernels.reading.runs import KernelRun


def with_benchmarks(runs: list[KernelRun]) -> list[tuple[Benchmark, KernelRun]]:
    """Give each run its benchmark, and order all by benchmark, kernel and time.

    What a monitor saw belongs to the benchmark that it watched, if that is one benchmark and no more.
    """
    order = parser_order(run.parser for run in runs)
    watched = [run for run in runs if _is_monitor(run)]
    own = [run for run in runs if not _is_monitor(run)]
    labels = _labels(own)
    labelled = [(Benchmark(labels[_key(run)], *_key(run)), run) for run in own]
    place: dict[Benchmark, _Place] = {
        benchmark: (order[benchmark.parser], natural_key(benchmark.label), 0) for benchmark, _ in labelled
    }
    labelled += _with_hosts(watched, order, place)
    labelled.sort(key=lambda pair: (place[pair[0]], pair[1].kernel, pair[1].order))
    return labelled


_Place = tuple[int, tuple[tuple[int, int, str], ...], int]
"""What sorts benchmarks: the parser's rank, the label, and whether it is a monitor's own."""


def _is_monitor(run: KernelRun) -> bool:
    return bool(run.blocks) and all(block.metric.monitor for _, block in run.blocks)


def _with_hosts(
    runs: list[KernelRun], order: dict[str, int], place: dict[Benchmark, _Place]
) -> list[tuple[Benchmark, KernelRun]]:
    """Give each monitor's run the benchmark that it watched, or one of its own behind those that it may have watched.

    Args:
        runs: those of monitors.
        order: rank of each parser.
        place: what sorts the benchmarks; those that are made here are added.
    """
    hosts: dict[str, list[Benchmark]] = defaultdict(list)
    for benchmark in place:
        hosts[benchmark.instance].append(benchmark)
    taken = {benchmark.label for benchmark in place}
    kinds: dict[str, set[Pairs]] = defaultdict(set)
    for run in runs:
        kinds[_watched(run)].add(_rest(run))
    given: dict[tuple[str, Pairs], Benchmark] = {}
    for run in runs:
        name, rest = _watched(run), _rest(run)
        if (name, rest) in given:
            continue
        if len(kinds[name]) == 1 == len(hosts[name]):
            given[name, rest] = hosts[name][0]
            continue
        several = [value for _, value in rest] if len(kinds[name]) > 1 else []
        label = printable("-".join([name, *several]))
        label = label if label not in taken else f"{label} {run.parser}"
        last = max((place[host][:2] for host in hosts[name]), default=(order[run.parser], natural_key(label)))
        given[name, rest] = Benchmark(label, run.parser, name, Configuration(rest))
        place[given[name, rest]] = (*last, 1)
        taken.add(label)
    return [(given[_watched(run), _rest(run)], run) for run in runs]


def _watched(run: KernelRun) -> str:
    """The name of the benchmark that a monitor watched, as its log or its folder tells."""
    return dict(run.run.configuration.variant).get("benchmark") or run.instance or run.parser


def _rest(run: KernelRun) -> Pairs:
    """What else keeps a monitor's run apart from others, such as the load that it watched."""
    configuration = run.run.configuration
    return tuple(pair for pair in (*configuration.variant, *configuration.settings) if pair[0] != "benchmark")


_Key = tuple[str, str, Configuration]


def _key(run: KernelRun) -> _Key:
    program = dict(run.run.configuration.variant).get("program")
    return run.parser, run.instance or program or run.parser, run.run.configuration


def _labels(runs: list[KernelRun]) -> dict[_Key, str]:
    """The heading of each benchmark: its folder, then its variant, then what else keeps it apart from others."""
    groups: dict[tuple[str, str], dict[Configuration, bool]] = defaultdict(dict)
    for run in runs:
        parser, instance, configuration = _key(run)
        groups[parser, instance][configuration] = run.mmtests
    labels: dict[_Key, str] = {}
    for (parser, instance), configurations in groups.items():
        several = len({configuration.variant for configuration in configurations}) > 1
        for configuration, mmtests in configurations.items():
            base = printable(instance) if mmtests else _named(printable(instance), configuration, parser)
            if several or not mmtests:
                base = _extended(base, configuration.variant)
            alike = [other for other in configurations if other.variant == configuration.variant]
            labels[parser, instance, configuration] = _with_differences(base, configuration, alike)
    return _unique(labels)


def _named(instance: str, configuration: Configuration, parser: str) -> str:
    """The folder's name, with the program's if nothing in it tells what was run."""
    program = dict(configuration.variant).get("program") or parser
    aliases = [entry.aliases for entry in BUILTIN if entry.name == parser and entry.aliases]
    known = any(re.search(name, instance.lower()) for name in (re.escape(program), *aliases))
    return instance if known else f"{instance} {program}"


def _extended(base: str, variant: Pairs) -> str:
    words = set(re.split(r"[^a-z0-9]+", base.lower()))
    for _, value in variant:
        if not set(re.split(r"[^a-z0-9]+", value.lower())) <= words:
            base += f"-{value}"
    return base


def _with_differences(base: str, configuration: Configuration, alike: list[Configuration]) -> str:
    own = dict(configuration.settings)
    keys = sorted({key for other in alike for key, _ in other.settings})
    differing = [key for key in keys if len({dict(other.settings).get(key) for other in alike}) > 1]
    parts = [f"{key}={own[key]}" for key in differing if key in own]
    return f"{base} ({', '.join(parts)})" if parts else base


def _unique(labels: dict[_Key, str]) -> dict[_Key, str]:
    """Tell equal labels apart by all that is known of the configuration, by the parser, and at last by a number."""
    for more in (_whole_configuration, lambda key: key[0]):
        taken = Counter(labels.values())
        labels = {
            key: f"{label} ({printable(more(key))})" if taken[label] > 1 else label for key, label in labels.items()
        }
    seen: Counter[str] = Counter()
    unique = {}
    for key, label in labels.items():
        seen[label] += 1
        unique[key] = f"{label} #{seen[label]}" if seen[label] > 1 else label
    return unique


def _whole_configuration(key: _Key) -> str:
    return ", ".join(f"{name}={value}" for name, value in (*key[2].variant, *key[2].settings)) or "unknown"
