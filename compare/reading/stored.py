"""Results in a file: all runs of a comparison with what is known of their files, to be compared again later.

The file is JSON; docs/report.schema.json says what stands in it. What is read back gives the same bytes in every
style as the directories did.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from compare_kernels.errors import UsageError
from compare_kernels.model import (
    Better,
    Configuration,
    Diagnostic,
    FileReport,
    FileStatus,
    Mean,
    Metric,
    Operation,
    Severity,
    SourceFile,
)
from compare_kernels.parsers.base import Block, Run
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.ingest import FileResult
from compare_kernels.reading.runs import KernelRun
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compare_kernels.model import Benchmark

FORMAT = "compare-kernels"
VERSION = 1

Json = dict[str, Any]

_MOST_DECIMALS = 20


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file holds.

    Attributes:
        kernels: names, the baseline first.
        results: the files that were read once, without their content.
        runs: the runs; ``source`` and the sources of blocks are indices into ``results``.
        metrics: name of each parser to the names of its metrics, in the order of a report.
        environments: what is known of the machine under each kernel.
        diagnostics: what had to be said before any file was read.
    """

    kernels: tuple[str, ...]
    results: tuple[FileResult, ...]
    runs: tuple[KernelRun, ...]
    metrics: Mapping[str, tuple[str, ...]]
    environments: tuple[Mapping[str, str], ...]
    diagnostics: tuple[Diagnostic, ...]


def is_stored(path: str) -> bool:
    """Whether a file holds stored results, as its beginning tells."""
    content = read_content(path)
    return content.readable and content.data[:200].lstrip().startswith(b'{\n"format": "compare-kernels"')


def dump(
    kernels: Sequence[str],
    files: Sequence[FileReport],
    runs: Sequence[tuple[Benchmark, KernelRun]],
    *,
    declared: Mapping[str, tuple[str, ...]],
    environments: Sequence[Mapping[str, str]],
    found: Sequence[Diagnostic],
) -> Json:
    """What has to be kept so that `load` gives all back."""
    metrics = {(run.parser, block.metric.name): block.metric for _, run in runs for _, block in run.blocks}
    return {
        "kernels": list(kernels),
        "environments": [dict(environment) for environment in environments],
        "found": [_of_diagnostic(item) for item in found],
        "files": [_of_file(report) for report in files],
        "parsers": {parser: list(names) for parser, names in sorted(declared.items())},
        "metrics": [{"parser": parser, **_of_metric(metric)} for (parser, _), metric in metrics.items()],
        "runs": [_of_run(benchmark, run) for benchmark, run in runs],
    }


def _of_diagnostic(item: Diagnostic) -> Json:
    return {
        "severity": item.severity.name.lower(),
        "slug": item.slug,
        "message": item.message,
        "path": item.path,
        "line": item.line,
    }


def _of_file(report: FileReport) -> Json:
    source = report.source
    return {
        "kernel": source.kernel,
        "path": source.path,
        "folders": list(source.folders),
        "instance": source.instance,
        "repetition": list(source.repetition),
        "mmtests": source.mmtests,
        "status": report.status,
        "parser": report.parser,
        "detail": report.detail,
        "sha256": report.digest,
        "diagnostics": [_of_diagnostic(item) for item in report.diagnostics],
    }


_METRIC_FIELDS = (
    "name", "title", "unit", "better", "mean", "decimals", "main", "interim", "parameter", "quantity", "headline",
    "monitor", "label", "extreme",
)  # fmt: skip


def _of_metric(metric: Metric) -> Json:
    return {name: getattr(metric, name) for name in _METRIC_FIELDS}


def _of_run(benchmark: Benchmark, run: KernelRun) -> Json:
    return {
        "kernel": run.kernel,
        "benchmark": benchmark.label,
        "parser": run.parser,
        "instance": run.instance,
        "mmtests": run.mmtests,
        "number": run.number,
        "order": run.order,
        "source": run.source,
        "line": run.run.line,
        "variant": dict(run.run.configuration.variant),
        "settings": dict(run.run.configuration.settings),
        "conditions": dict(run.run.conditions),
        "values": [
            {
                "metric": block.metric.name,
                "operation": block.operation.name,
                "series": block.operation.series,
                "param": _of_number(block.operation.param),
                "order": [_of_number(number) for number in block.operation.order],
                "source": source,
                "values": [float(value) for value in block.values],
            }
            for source, block in run.blocks
        ],
    }


def _of_number(number: float) -> float | str:
    """A number as JSON can say it: ``nan``, ``inf`` and ``-inf`` are texts."""
    return float(number) if math.isfinite(number) else str(number)


def load(path: str) -> Stored:
    """Read a file of stored results.

    Raises:
        UsageError: if it can't be read, is of another version, or isn't what it says.
    """
    content = read_content(path)
    if not content.readable or content.problem:
        raise UsageError(f"{path}: {content.problem}")
    try:
        document = json.loads(content.data)
        version = document["version"]
        if version != VERSION:
            raise UsageError(f"{path}: results of format version {version!r}; this program reads version {VERSION}")
        return _stored(document)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{path}: damaged results: {printable(what)}") from error


def _stored(document: Json) -> Stored:
    kernels = tuple(printable(_text(name)) for name in document["kernels"])
    if not kernels or len(set(kernels)) != len(kernels):
        raise ValueError("kernels without names of their own")
    files = [_file(item, len(kernels)) for item in document["files"]]
    metrics = {(_text(item["parser"]), _text(item["name"])): _metric(item) for item in document["metrics"]}
    return Stored(
        kernels,
        tuple(FileResult(report, (), report.diagnostics, report.digest, 0) for report in files),
        tuple(_run(item, len(kernels), len(files), metrics) for item in document["runs"]),
        {_text(parser): tuple(map(_text, names)) for parser, names in document["parsers"].items()},
        tuple(_environment(document["environments"][kernel]) for kernel in range(len(kernels))),
        tuple(map(_diagnostic, document["found"])),
    )


def _environment(item: Json) -> dict[str, str]:
    return {printable(_text(key)): printable(_text(value)) for key, value in item.items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: object, below: int = 2**53) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise ValueError(f"{value!r} is no whole number from 0 to {below - 1}")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no finite number")
    return float(value)


def _any_number(value: object) -> float:
    return float(value) if isinstance(value, str) and value in {"nan", "inf", "-inf"} else _number(value)


def _one_of(value: object, choices: Sequence[str]) -> Any:
    if value not in choices:
        raise ValueError(f"{value!r} is none of {', '.join(choices)}")
    return value


def _diagnostic(item: Json) -> Diagnostic:
    severity = Severity[_one_of(item["severity"], [known.name.lower() for known in Severity]).upper()]
    slug, message, path = (_text(item[name]) for name in ("slug", "message", "path"))
    return Diagnostic(severity, slug, message, path, _whole(item["line"]))


def _file(item: Json, kernels: int) -> FileReport:
    source = SourceFile(
        _whole(item["kernel"], kernels),
        _text(item["path"]),
        tuple(map(_text, item["folders"])),
        _text(item["instance"]),
        tuple(map(_whole, item["repetition"])),
        _truth(item["mmtests"]),
    )
    status: FileStatus = _one_of(item["status"], get_args(FileStatus))
    parser, detail, digest = (_text(item[name]) for name in ("parser", "detail", "sha256"))
    return FileReport(source, status, parser, detail, digest, tuple(map(_diagnostic, item["diagnostics"])))


def _metric(item: Json) -> Metric:
    checks: dict[str, Callable[[object], Any]] = {
        "better": lambda value: _one_of(value, get_args(Better)),
        "mean": lambda value: _one_of(value, get_args(Mean)),
        "decimals": lambda value: _whole(value, _MOST_DECIMALS + 1),
        **dict.fromkeys(("main", "interim", "monitor", "extreme"), _truth),
    }
    return Metric(**{name: checks.get(name, _text)(item[name]) for name in _METRIC_FIELDS})


def _run(item: Json, kernels: int, files: int, metrics: Mapping[tuple[str, str], Metric]) -> KernelRun:
    parser = _text(item["parser"])
    configuration = Configuration(
        *(tuple((_text(key), _text(value)) for key, value in item[name].items()) for name in ("variant", "settings"))
    )
    conditions = tuple((_text(key), _number(value)) for key, value in item["conditions"].items())
    blocks = []
    for values in item["values"]:
        operation = Operation(
            _text(values["operation"]),
            _text(values["series"]),
            _any_number(values["param"]),
            tuple(map(_any_number, values["order"])),
        )
        metric = metrics[parser, _text(values["metric"])]
        numbers = [_number(value) for value in values["values"]]
        blocks.append((_whole(values["source"], files), Block(0, metric, operation, numbers)))
    return KernelRun(
        _whole(item["kernel"], kernels),
        parser,
        _text(item["instance"]),
        _truth(item["mmtests"]),
        Run(configuration, conditions=conditions, line=_whole(item["line"])),
        _whole(item["source"], files),
        None if item["number"] is None else _whole(item["number"]),
        _place(item["order"]),
        tuple(blocks),
    )


def _place(value: Any) -> Any:
    """What sorts runs in time, with tuples where JSON has lists."""
    if isinstance(value, list):
        return tuple(map(_place, value))
    return value if isinstance(value, str) else _whole(value)


def shifted(stored: Stored, kernels: Mapping[int, int], first_file: int) -> tuple[list[FileResult], list[KernelRun]]:
    """Files and runs of some kernels, with the indices that they have in another comparison.

    Args:
        stored: what was read.
        kernels: index of a kernel to the one that it gets; those that aren't named are left out.
        first_file: the index that the first of the files gets.
    """
    kept = [index for index, result in enumerate(stored.results) if result.report.source.kernel in kernels]
    places = {old: first_file + new for new, old in enumerate(kept)}
    results = []
    for index in kept:
        report = stored.results[index].report
        source = replace(report.source, kernel=kernels[report.source.kernel])
        results.append(replace(stored.results[index], report=replace(report, source=source)))
    runs = [
        replace(
            run,
            kernel=kernels[run.kernel],
            source=places[run.source],
            blocks=tuple((places[source], block) for source, block in run.blocks),
        )
        for run in stored.runs
        if run.kernel in kernels
    ]
    return results, runs
