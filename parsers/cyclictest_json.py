"""The JSON that cyclictest writes since rt-tests 1.10."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np

from compare_kernels.parsers.cyclictest_run import Histogram, Run, Thread

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 1e15


def read_objects(lines: Sequence[str]) -> list[Run]:
    """The runs of all objects that begin with a brace on a line of its own; one that is cut short has no thread."""
    runs: list[Run] = []
    begins = [index for index, line in enumerate(lines) if line.rstrip() == "{"]
    for index, end in zip(begins, [*begins[1:], len(lines)], strict=False):
        text = "\n".join(lines[index:end])
        if '"thread"' not in text and "cyclictest" not in text:
            continue
        run = Run(index + 1, json=True)
        runs.append(run)
        try:
            found, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            run.cut = "the JSON stops too early or is damaged: nothing of it is taken"
            continue
        _fill(run, found)
    return runs


def _fill(run: Run, found: dict[str, object]) -> None:
    code = found.get("return_code")
    if code is not None and code != 0:
        run.trouble = f"cyclictest ended with status {str(code)[:20]}"
        return
    run.nanoseconds = found.get("resolution_in_ns") == 1
    command = found.get("cmdline:", found.get("cmdline"))
    if isinstance(command, str):
        run.interval = _option(command, "i", "interval")
        run.priority = _option(command, "p", "priority")
    threads = found.get("thread")
    counts: dict[float, float] = {}
    for name, values in threads.items() if isinstance(threads, dict) else ():
        if re.fullmatch(r"[0-9]{1,6}", name) and isinstance(values, dict) and (thread := _thread(int(name), values)):
            run.threads.append(thread)
            _add_buckets(counts, values.get("histogram"))
    run.threads.sort(key=lambda thread: thread.number)
    if counts:
        latencies = np.array(sorted(counts))
        numbers = np.array([counts[latency] for latency in sorted(counts)])
        cycles = sum(thread.cycles for thread in run.threads)
        run.histogram = Histogram(latencies, numbers, max(0.0, cycles - float(numbers.sum())))


def _thread(number: int, values: dict[str, object]) -> Thread | None:
    numbers = [_number(values.get(key)) for key in ("cycles", "min", "avg", "max")]
    known = [value for value in numbers if value is not None]
    return Thread(number, *known) if len(known) == len(numbers) else None


def _add_buckets(counts: dict[float, float], buckets: object) -> None:
    for latency, count in buckets.items() if isinstance(buckets, dict) else ():
        value = _number(count)
        if value is not None and re.fullmatch(r"[0-9]{1,15}", latency):
            counts[float(latency)] = counts.get(float(latency), 0.0) + value


def _number(value: object) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _MOST:
        return float(value)
    return None


def _option(command: str, short: str, long: str) -> str:
    found = re.search(rf"\s(?:-{short} ?|--{long}[= ])([0-9]{{1,9}})(?!\S)", command)
    return found[1] if found else ""
