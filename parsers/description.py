"""The description of a benchmark in a TOML text: what `compare_kernels.parsers.described` makes a parser of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from compare_kernels.errors import UsageError
from compare_kernels.model import Better, Mean, Metric
from compare_kernels.text import printable
from compare_kernels.toml import parse_toml, unknown_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TABLE = "benchmark"
GROUPS = ("value", "metric", "parameter", "unit")
LONGEST_TEXT = 200
"""Characters of a title, a unit, or the name of a metric or an operation."""
_LONGEST_PATTERN = 2000
_MOST_DECIMALS = 9
_MOST_BYTES = 1 << 15
_LONGEST_LINE = 3000
"""Of bytes: reading a key takes time that grows with the square of its parts."""
_PATTERN_MEMORY = 1 << 20
_LARGEST_PROGRAM = 2000
"""Steps of a compiled pattern. The time for a log is at worst its length times this number."""


@dataclass(frozen=True, slots=True)
class Description:
    """A benchmark as a description tells it; plain data that can travel between processes.

    Attributes:
        name: the name of the benchmark, as a parser's.
        title: what is measured; a part of headings.
        pattern: what a line with a value looks like, in RE2's syntax, with groups named as in `GROUPS`.
        general: the metric of values whose metric isn't declared. If the pattern has a group ``metric``, its name and
            title are still to be filled in.
        declared: the metrics that are known beforehand, in the order of a report.
        files: glob of the names of its logs; empty if they may have any name.
        begin: what a line looks like with which a run begins; empty if a log is one run.
        failed: what a line looks like that says that the run failed; empty if there is none.

    """

    name: str
    title: str
    pattern: str
    general: Metric
    declared: tuple[Metric, ...]
    files: str = ""
    begin: str = ""
    failed: str = ""


def read_description(data: bytes) -> Description | None:
    """Read a description.

    Args:
        data: a TOML text.

    Returns:
        None if the text has no table ``[benchmark]``, so that it's something else.

    Raises:
        UsageError: the key that is wrong and why, or what is wrong with the TOML; without the path.
    """
    meant = re.search(rb"(?m)^[ \t]*\[[ \t]*benchmark\b", data)
    if len(data) > _MOST_BYTES or max(map(len, data.split(b"\n"))) > _LONGEST_LINE:
        if meant:
            raise UsageError(f"a description has at most {_MOST_BYTES} bytes, and {_LONGEST_LINE} in a line")
        return None
    try:
        tables = parse_toml(data)
    except UsageError:
        if meant:
            raise
        return None
    table = tables.get(TABLE)
    if not isinstance(table, dict):
        return None
    for key in tables:
        if key != TABLE:
            raise UsageError(unknown_key("", key, (TABLE,)))
    return _description(table)


def found(general: Metric, metric: Metric | str) -> Metric:
    """A metric without a title of its own, whose name the log tells.

    Args:
        general: what the description says of metrics in general.
        metric: the name, if nothing else is known of it.
    """
    metric = replace(general, name=metric) if isinstance(metric, str) else metric
    title = f"{general.title} {metric.name}".strip()
    return replace(metric, title=title, quantity=_quantity(title, metric.unit))


_PLACE = f"{TABLE}."
_OF_METRICS = ("title", "unit", "direction", "mean", "decimals")
_KEYS = ("name", "files", "pattern", *_OF_METRICS, "parameter", "begin", "failed")


def _description(table: dict[str, Any]) -> Description:
    metrics = table.get("metrics", {})
    if not isinstance(metrics, dict) or not all(isinstance(own, dict) for own in metrics.values()):
        raise UsageError(f"{_PLACE}metrics has to be tables such as [{_PLACE}metrics.latency]")
    for key in table:
        if key not in _KEYS and key != "metrics":
            raise UsageError(unknown_key(_PLACE, key, _KEYS, ("metrics",)))
    for key in ("name", "pattern", "direction"):
        if key not in table:
            raise UsageError(f"{_PLACE}{key} is missing")
    name = _name(table["name"])
    groups = _checked_pattern(table)
    general = _metric(name, table, {}, _PLACE)
    declared = [_declared(metric, table, own) for metric, own in metrics.items()]
    if "metric" in groups:
        declared = [metric if "title" in metrics[metric.name] else found(general, metric) for metric in declared]
    elif len(declared) > 1:
        raise UsageError(f"{_PLACE}metrics has {len(declared)} tables, but {_PLACE}pattern has no group metric")
    else:
        declared = declared or [general]
        general = declared[0]
    return Description(
        name,
        _text(table, "title", _PLACE),
        table["pattern"],
        general,
        tuple(declared),
        _files(table),
        table.get("begin", ""),
        table.get("failed", ""),
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,63}", value, re.ASCII):
        raise UsageError(
            f"{_PLACE}name has to be letters, digits and . _ + - only, at most 64, beginning with a letter or digit"
        )
    return value


def _files(table: Mapping[str, Any]) -> str:
    glob = _text(table, "files", _PLACE)
    if "/" in glob:
        raise UsageError(f"{_PLACE}files is a pattern of names of files, without folders")
    return glob


def _declared(name: str, table: Mapping[str, Any], own: Mapping[str, Any]) -> Metric:
    place = f"{_PLACE}metrics.{name}"
    if not name or not _is_line(name) or name != " ".join(name.split()):
        raise UsageError(f"{place}: the name of a metric has to be {_LINE}")
    for key in own:
        if key not in (*_OF_METRICS, "main"):
            raise UsageError(unknown_key(f"{place}.", key, (*_OF_METRICS, "main")))
    return _metric(name, table, own, f"{place}.")


def _metric(name: str, general: Mapping[str, Any], own: Mapping[str, Any], place: str) -> Metric:
    """A metric whose own table overrules the general settings."""
    _check_choices(own or general, place)
    settings = {**general, **own}
    better: Better = settings["direction"]
    # A direction of its own asks for its own mean, too, unless one is told.
    mean: Mean = settings.get("mean", "harmonic" if better == "higher" else "arithmetic")
    title, unit = (_text(own if key in own else general, key, place) for key in ("title", "unit"))
    return Metric(
        name,
        title,
        unit,
        better,
        mean,
        settings.get("decimals", 2),
        main=settings.get("main", True),
        parameter=_text(general, "parameter", _PLACE),
        quantity=_quantity(title or name, unit),
    )


def _quantity(what: str, unit: str) -> str:
    return f"{what} in {unit}" if unit else what


def _check_choices(table: Mapping[str, Any], place: str) -> None:
    for key, choices in (("direction", ("lower", "higher", "none")), ("mean", get_args(Mean))):
        if key in table and table[key] not in choices:
            raise UsageError(f"{place}{key} has to be one of {', '.join(choices)}")
    decimals = table.get("decimals", 2)
    if type(decimals) is not int or not 0 <= decimals <= _MOST_DECIMALS:
        raise UsageError(f"{place}decimals has to be a whole number from 0 to {_MOST_DECIMALS}")
    if not isinstance(table.get("main", True), bool):
        raise UsageError(f"{place}main has to be true or false")


_LINE = f"one line of text, at most {LONGEST_TEXT} characters"


def _text(table: Mapping[str, Any], key: str, place: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or not _is_line(value):
        raise UsageError(f"{place}{key} has to be {_LINE}")
    return value


def _is_line(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and printable(text) == text


def _checked_pattern(table: Mapping[str, Any]) -> Sequence[str]:
    """Check all patterns, and return the names of the groups of that of a value."""
    for key in ("begin", "failed", "pattern"):
        pattern = table.get(key)
        if key not in table:
            continue
        if not isinstance(pattern, str) or not pattern:
            raise UsageError(f"{_PLACE}{key} has to be a regular expression")
        if len(pattern) > _LONGEST_PATTERN:
            raise UsageError(f"{_PLACE}{key} is longer than {_LONGEST_PATTERN} characters")
        try:
            compile_pattern(pattern)
        except UsageError as error:
            raise UsageError(f"{_PLACE}{key}: {error}") from error
    groups = sorted(compile_pattern(table["pattern"]).groupindex)
    for group in groups:
        if group not in GROUPS:
            raise UsageError(f"{_PLACE}pattern: {unknown_key('', group, GROUPS, what='group')}")
    if "value" not in groups:
        raise UsageError(f"{_PLACE}pattern has no group (?P<value>...)")
    if "unit" in groups and not table.get("unit"):
        raise UsageError(f"{_PLACE}unit is missing: what the group unit matches is converted to it")
    return groups


INSTALL = "pip install 'compare-kernels[described]'"
"""How to get the engine for the patterns."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:
    """Compile a pattern with RE2, which takes time linear in the text whatever the pattern.

    Raises:
        UsageError: what RE2 can't take, or that it isn't installed.
    """
    try:
        import re2
    except ImportError as error:
        raise UsageError(f"needs a package more: {INSTALL}") from error
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        (reason,) = error.args
        problem = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise UsageError(f"not a regular expression that RE2 takes: {problem}") from error
    if compiled.programsize > _LARGEST_PROGRAM:
        raise UsageError("the regular expression is too large")
    return compiled
