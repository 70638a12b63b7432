"""Comparisons for other programs: CSV with a row for each number, JSON with everything that the numbers came from."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from compare_kernels.reading import stored
from compare_kernels.summarise import KEYS, STATISTICS
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import pandas as pd

    from compare_kernels.comparison import Comparison

_CHANGES = ("base", "delta_pct")
_JUDGED = (
    "p", "p_adjusted", "change_pct", "ci_low", "ci_high", "detectable_pct", "runs_needed", "significant", "verdict",
    "reason", "tested",
)  # fmt: skip
CSV_COLUMNS = (
    "benchmark", "metric", "unit", "better", "operation", "param", "statistic", "kernel", "value", "n", "runs",
    *_CHANGES, *_JUDGED,
)  # fmt: skip

Record = dict["Hashable", Any]


def csv_text(comparison: Comparison) -> str:
    """A row for each benchmark, metric, operation, statistic and kernel, in full precision, by RFC 4180.

    What isn't defined is empty. Texts that a spreadsheet would take for a formula begin with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    changes = _by_row(comparison.frame)
    samples = comparison.samples
    for summary in comparison.summary.to_dict("records"):
        key = tuple(str(summary[name]) for name in KEYS)
        metric = samples.metrics[key[0], key[1]]
        operation = samples.operations[key[0], key[1], key[2]]
        for statistic in STATISTICS:
            change = changes.get((*key, statistic), {})
            row = (
                key[0], key[1], metric.unit, metric.better, key[2], operation.param, statistic, key[3],
                summary[statistic], summary["n"], summary["runs"],
                *(change.get(name, "") for name in (*_CHANGES, *_JUDGED)),
            )  # fmt: skip
            writer.writerow([_csv_cell(value) for value in row])
    return out.getvalue()


def _by_row(frame: pd.DataFrame) -> dict[tuple[str, ...], Record]:
    return {
        (*(str(record[name]) for name in KEYS), record["statistic"]): record for record in frame.to_dict("records")
    }


def _csv_cell(value: object) -> str:
    if isinstance(value, str):
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t"} else value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return "" if value is None else str(value)


def json_text(comparison: Comparison) -> str:
    """Everything: options, files, runs with all values, comparison, diagnostics; `reading.stored` reads it back."""
    samples = comparison.samples
    everything = comparison.everything
    kept = stored.dump(
        everything.kernels,
        everything.files,
        everything.runs,
        declared=everything.declared,
        environments=everything.environments,
        found=everything.found,
    )
    document = {
        "format": stored.FORMAT,
        "version": stored.VERSION,
        "tool": __version__,
        "options": {
            "selection": asdict(comparison.selection),
            "rules": asdict(comparison.rules),
        },
        "benchmarks": list(samples.benchmarks),
        **kept,
        "comparison": list(_compared(comparison)),
        "diagnostics": [asdict(item) | {"severity": item.severity.name.lower()} for item in comparison.diagnostics],
    }
    return "{\n" + ",\n".join(f"{_json(key)}: {_member(value)}" for key, value in document.items()) + "\n}\n"


def _compared(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One object for each operation and kernel besides the baseline."""
    changes = _by_row(comparison.frame)
    for record in comparison.frame[comparison.frame["statistic"] == "mean"].to_dict("records"):
        key = tuple(str(record[name]) for name in KEYS)
        statistics = {
            statistic: {name: _number(changes[*key, statistic][name]) for name in ("base", "value", "delta_pct")}
            for statistic in STATISTICS
        }
        judged = {name: _number(record[name]) for name in _JUDGED}
        counts = {name: int(record[name]) for name in ("n_base", "n_other", "runs_base", "runs_other")}
        yield {**dict(zip(KEYS, key, strict=True)), **judged, **counts, "statistics": statistics}


def _number(value: Any) -> Any:
    """A value as JSON can say it: what isn't defined is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _member(value: Any) -> str:
    """A list with one item a line, so that two files can be compared by eye; anything else on one line."""
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_json, value)) + "\n]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(", ", ": "))
