"""What a comparison goes by: level, margin, test, correction; told by options or by ``compare-kernels.toml``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args

from compare_kernels.choices import Correction, IntervalMethod, Test, Unit
from compare_kernels.errors import UsageError
from compare_kernels.toml import parse_toml, unknown_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from compare_kernels.model import Metric

FILE_NAME = "compare-kernels.toml"


@dataclass(frozen=True, slots=True)
class MetricRules:
    """What differs for metrics whose names match a pattern.

    Attributes:
        margin: a change up to it, in percent, is no change that matters; None for the general one.
        noisy: a coefficient of variation above it, in percent, is remarked on; None for the general one.
    """

    margin: float | None = None
    noisy: float | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a comparison goes by.

    Attributes:
        alpha: level of tests and intervals, between 0 and 0.5.
        margin: a change up to it, in percent, is no change that matters.
        noisy: a coefficient of variation above it, in percent, is remarked on.
        test: which test.
        correction: how p-values are adjusted for the number of rows.
        unit: what is tested: runs where there are two on each side and else samples, always runs, always samples.
        interval: how the interval of the change is made: by inverting the test, or by the bootstrap (BCa) of the
            ratio of means where both sides have ten values.
        seed: of everything that draws at random.
        metric: pattern of a metric's name (``time``) or of parser and metric (``schbench/rps``) to what differs.
    """

    alpha: float = 0.05
    margin: float = 1.0
    noisy: float = 10.0
    test: Test = "welch"
    correction: Correction = "bh"
    unit: Unit = "auto"
    interval: IntervalMethod = "test"
    seed: int = 0
    metric: Mapping[str, MetricRules] = field(default_factory=dict)

    def margin_of(self, parser: str, metric: str) -> float:
        """The margin of a metric in percent; of several patterns the first that matches counts."""
        return self._of(parser, metric, "margin", self.margin)

    def noisy_of(self, parser: str, metric: str) -> float:
        """The coefficient of variation of a metric, in percent, above which it counts as noisy."""
        return self._of(parser, metric, "noisy", self.noisy)

    def test_of(self, metric: Metric) -> Test:
        """The test of a metric: of extremes always one of ranks, for their means mean nothing."""
        return "mann-whitney" if metric.extreme and self.test != "paired" else self.test

    def _of(self, parser: str, metric: str, name: str, general: float) -> float:
        for pattern, rules in self.metric.items():
            value: float | None = getattr(rules, name)
            if value is not None and _matches(pattern, parser, metric):
                return value
        return general

    def unmatched(self, metrics: Iterable[tuple[str, str]]) -> list[str]:
        """The patterns of ``metric`` that match none of these pairs of a parser's name and a metric's."""
        pairs = set(metrics)
        return [pattern for pattern in self.metric if not any(_matches(pattern, *pair) for pair in pairs)]


def _matches(pattern: str, parser: str, metric: str) -> bool:
    return fnmatchcase(metric, pattern) or fnmatchcase(f"{parser}/{metric}", pattern)


def find_config(start: Path) -> Path | None:
    """Return the nearest ``compare-kernels.toml`` in a directory or above it."""
    for folder in (start, *start.parents):
        path = folder / FILE_NAME
        if path.is_file():
            return path
    return None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file of settings holds.

    Attributes:
        rules: what a comparison goes by.
        benchmarks: the files that describe benchmarks, see `compare_kernels.parsers.description`.
        path: the file itself; None if there is none.
    """

    rules: Rules = field(default_factory=Rules)
    benchmarks: tuple[Path, ...] = ()
    path: Path | None = None


def read_settings(path: Path) -> Settings:
    """Read a TOML file of settings; the files that it names lie where they lie as seen from it.

    Raises:
        UsageError: if the file can't be read, isn't TOML, or has a key or value that means nothing.
    """
    try:
        table = parse_toml(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    benchmarks = table.pop("benchmarks", [])
    if not isinstance(benchmarks, list) or not all(map(_is_path, benchmarks)):
        raise UsageError(f"{path}: benchmarks has to be a list of files such as ['mybench.toml']")
    special = table.pop("metric", {})
    if not isinstance(special, dict) or not all(isinstance(rules, dict) for rules in special.values()):
        raise UsageError(f"{path}: metric has to be tables such as [metric.time]")
    rules = Rules(**_checked(path, "", table, Rules))
    metric = {
        name: MetricRules(**_checked(path, f"metric.{name}.", own, MetricRules)) for name, own in special.items()
    }
    rules = check(replace(rules, metric=metric), str(path))
    return Settings(rules, tuple(path.parent / name for name in benchmarks), path)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def read_rules(path: Path) -> Rules:
    """Read the rules alone of a TOML file.

    Raises:
        UsageError: as `read_settings`.
    """
    return read_settings(path).rules


def check(rules: Rules, where: str) -> Rules:
    """Return the rules if their numbers make sense.

    Raises:
        UsageError: names the number and where it stands.
    """
    if not 0 < rules.alpha < 0.5:
        raise UsageError(f"{where}: alpha has to lie between 0 and 0.5, not {rules.alpha:g}")
    margins = [rules.margin, *(own.margin for own in rules.metric.values() if own.margin is not None)]
    if not all(0 <= margin < float("inf") for margin in margins):
        raise UsageError(f"{where}: a margin has to be a percentage of 0 or more")
    noisy = [rules.noisy, *(own.noisy for own in rules.metric.values() if own.noisy is not None)]
    if not all(0 <= limit < float("inf") for limit in noisy):
        raise UsageError(f"{where}: noisy has to be a percentage of 0 or more")
    if rules.test == "paired" and rules.interval == "bca":
        raise UsageError(f"{where}: the bootstrap resamples runs, not pairs; take the interval of the paired test")
    if rules.seed < 0:
        raise UsageError(f"{where}: the seed has to be 0 or more")
    return rules


_CHOICES: dict[str, tuple[str, ...]] = {
    "test": get_args(Test),
    "correction": get_args(Correction),
    "unit": get_args(Unit),
    "interval": get_args(IntervalMethod),
}


_LARGEST = 2**53


def _checked(path: Path, place: str, table: dict[str, Any], of: type) -> dict[str, Any]:
    """The table, if each of its keys is a field of the dataclass and has a value of its kind."""
    known = [item.name for item in fields(of) if item.name != "metric"]
    for key, value in table.items():
        if key not in known:
            raise UsageError(f"{path}: {unknown_key(place, key, known, () if place else ('metric', 'benchmarks'))}")
        choices = _CHOICES.get(key)
        whole = key == "seed"
        if choices and value not in choices:
            raise UsageError(f"{path}: {place}{key} has to be one of {', '.join(choices)}")
        if not choices and (isinstance(value, bool) or not isinstance(value, int if whole else int | float)):
            raise UsageError(f"{path}: {place}{key} has to be a{' whole' * whole} number")
        if not choices and abs(value) > _LARGEST:
            raise UsageError(f"{path}: {place}{key} is too large")
    return table
