"""What a gate goes by: rules, claims and waivers, read from TOML and matched with rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args

from compare_kernels.choices import Test
from compare_kernels.delivery.gate import toml
from compare_kernels.errors import UsageError
from compare_kernels.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from compare_kernels.model import Benchmark

STATISTICS = ("mean", "median", "min", "max", "BAmean-50", "BAmean-95", "BAmean-99", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a comparison, as patterns see it."""

    benchmark: Benchmark
    metric: str
    operation: str
    kernel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Which rows are meant: patterns with ``*``, ``?`` and ``[...]``.

    Attributes:
        benchmark: as for ``-b``.
        metric: a metric, or parser and metric (``schbench/rps``).
        operation: an operation.
        kernel: a kernel besides the baseline.
    """

    benchmark: str = "*"
    metric: str = "*"
    operation: str = "*"
    kernel: str = "*"

    def match(self, place: Place) -> bool:
        """Whether a row is meant."""
        return (
            Selection((self.benchmark,)).wants_benchmark(place.benchmark)
            and any(
                fnmatchcase(name, self.metric) for name in (place.metric, f"{place.benchmark.parser}/{place.metric}")
            )
            and fnmatchcase(place.operation, self.operation)
            and fnmatchcase(place.kernel, self.kernel)
        )

    @property
    def described(self) -> str:
        """The patterns that say something, in words."""
        said = [f"{item.name} {getattr(self, item.name)}" for item in fields(Patterns)]
        return ", ".join(text for text in said if not text.endswith(" *")) or "all rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Patterns):
    """What holds for the rows that it is the first to match; None is what the comparison goes by.

    Attributes:
        gate: whether such rows are gated.
        margin: percent; the limit where there is no ``max_regression``.
        max_regression: percent; a regression up to it passes.
        alpha: level of the test.
        test: the test.
        statistic: what the limit and the budget are measured on, one of `STATISTICS`.
        min_runs: with fewer runs on a side a row is undecided.
        absolute: a value in the metric's unit that the statistic must not pass.
    """

    gate: bool = True
    margin: float | None = None
    max_regression: float | None = None
    alpha: float | None = None
    test: Test | None = None
    statistic: str = "mean"
    min_runs: int = 2
    absolute: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Patterns):
    """A promise: each matching row improves by ``improvement`` percent or more."""

    improvement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver(Patterns):
    """A known regression that passes up to ``limit`` percent, through the day ``expires``."""

    limit: float
    reason: str
    owner: str
    expires: date


@dataclass(frozen=True, slots=True)
class Policy:
    """All that a gate goes by; ``undecided`` and ``missing`` are ``warn`` or ``fail``."""

    rules: tuple[Rule, ...] = ()
    claims: tuple[Claim, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    undecided: str = "warn"
    missing: str = "fail"

    def rule_of(self, place: Place) -> Rule:
        """The first rule that matches a row, or one that asks for nothing special."""
        return next((rule for rule in self.rules if rule.match(place)), Rule())

    def check(self, places: Iterable[Place]) -> None:
        """Complain about patterns that match no row.

        Raises:
            UsageError: names the patterns.
        """
        rows = list(places)
        for kind, items in (("rule", self.rules), ("claim", self.claims), ("waiver", self.waivers)):
            for number, item in enumerate(items, start=1):
                if not any(item.match(place) for place in rows):
                    raise UsageError(f"gate: {kind} {number} matches no row: {item.described}")


_PATTERNS = {"benchmark": toml.text, "metric": toml.text, "operation": toml.text}
_RULE: Mapping[str, Any] = {
    **_PATTERNS,
    "kernel": toml.text,
    "gate": toml.truth,
    "margin": toml.percentage,
    "max-regression": toml.percentage,
    "alpha": toml.level,
    "test": toml.one_of(*get_args(Test)),
    "statistic": toml.one_of(*STATISTICS),
    "min-runs": toml.count,
    "absolute": toml.number,
}
_CLAIM: Mapping[str, Any] = {**_PATTERNS, "kernel": toml.text, "improvement": toml.percentage}
_WAIVER: Mapping[str, Any] = {
    **_PATTERNS,
    "limit": toml.percentage,
    "reason": toml.text,
    "owner": toml.text,
    "expires": toml.day,
}


def read_policy(path: Path) -> Policy:
    """Read a policy, and the waivers of the file that it names.

    Raises:
        UsageError: if a file can't be read, isn't TOML, or has a key or value that means nothing.
    """
    table = toml.read_toml(path)
    rules = [Rule(**toml.checked(where, own, _RULE)) for where, own in _tables(path, table, "rule")]
    claims = [Claim(**_whole(where, own, _CLAIM, ("improvement",))) for where, own in _tables(path, table, "claim")]
    waivers = []
    if "waivers" in table:
        (name,) = toml.checked(str(path), {"waivers": table.pop("waivers")}, {"waivers": toml.text}).values()
        waivers += read_waivers(path.parent / name)
    waivers += _waivers(path, table)
    choice = toml.one_of("warn", "fail")
    known: dict[str, Any] = {
        "undecided": choice,
        "missing": choice,
        "rule": list,
        "claim": list,
        "waiver": list,
    }
    given = toml.checked(str(path), table, known)
    chosen = {name: given[name] for name in ("undecided", "missing") if name in given}
    return Policy(tuple(rules), tuple(claims), tuple(waivers), **chosen)


def read_waivers(path: Path) -> list[Waiver]:
    """Read a file that holds nothing but waivers.

    Raises:
        UsageError: as `read_policy`.
    """
    table = toml.read_toml(path)
    toml.checked(str(path), table, {"waiver": list})
    return _waivers(path, table)


def _waivers(path: Path, table: Mapping[str, Any]) -> list[Waiver]:
    needed = ("limit", "reason", "owner", "expires")
    return [Waiver(**_whole(where, own, _WAIVER, needed)) for where, own in _tables(path, table, "waiver")]


def _tables(path: Path, table: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    tables = table.get(name, [])
    if not isinstance(tables, list):
        raise UsageError(f"{path}: {name} has to be tables such as [[{name}]]")
    return [(f"{path}: {name} {number}", own) for number, own in enumerate(tables, start=1)]


def _whole(where: str, table: object, checks: Mapping[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    values = toml.checked(where, table, checks)
    for name in needed:
        if name not in values:
            raise UsageError(f"{where}: {name} is missing")
    return values


def today() -> date:
    """The day in UTC, that of SOURCE_DATE_EPOCH if it is set.

    Raises:
        UsageError: if SOURCE_DATE_EPOCH is no number of seconds.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).date()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH is no number of seconds: {epoch!r}") from error
