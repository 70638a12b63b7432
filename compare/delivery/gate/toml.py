"""Tables of a policy: each key known, each value of its kind."""

from __future__ import annotations

import difflib
import math
import tomllib
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        UsageError: if it can't be read or isn't TOML.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def checked(where: str, table: object, checks: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """The values of a table by the names of fields (``max-regression`` is ``max_regression``).

    Raises:
        UsageError: names the key that isn't known, or whose value is of another kind, and where it stands.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{where}: a table is needed, such as [[rule]]")
    values = {}
    for key, value in table.items():
        if key not in checks:
            near = difflib.get_close_matches(key, checks, 1, 0.3)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(checks)}"
            raise UsageError(f"{where}: unknown key {key}; {hint}")
        try:
            values[key.replace("-", "_")] = checks[key](value)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{where}: {key} has to be {error}") from error
    return values


def text(value: object) -> str:
    """A text that isn't empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("a text")
    return value


def truth(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def number(value: object) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a number")
    return float(value)


def percentage(value: object) -> float:
    """A percentage of 0 or more."""
    if number(value) < 0:
        raise ValueError("a percentage of 0 or more")
    return number(value)


def level(value: object) -> float:
    """A level of a test."""
    if not 0 < number(value) < 0.5:
        raise ValueError("a number between 0 and 0.5")
    return number(value)


def count(value: object) -> int:
    """A whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("a whole number of 1 or more")
    return value


def day(value: object) -> date:
    """A date such as 2026-12-31, without quotes."""
    if not isinstance(value, date) or isinstance(value, datetime):
        raise TypeError("a date such as 2026-12-31, without quotes")
    return value


def one_of(*choices: str) -> Callable[[Any], str]:
    """A check for one of some words."""

    def check(value: object) -> str:
        if value not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return str(value)

    return check
