"""What files of settings and of descriptions share: TOML to tables, and how an unknown key is complained about."""

from __future__ import annotations

import difflib
import tomllib
from typing import TYPE_CHECKING, Any

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_toml(data: bytes) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        UsageError: what is wrong with the text, and at which line and column.
    """
    try:
        return tomllib.loads(data.decode())
    except RecursionError as error:
        raise UsageError("nested too deeply") from error
    except ValueError as error:
        raise UsageError(str(error)) from error


def unknown_key(place: str, key: str, known: Sequence[str], tables: Sequence[str] = (), what: str = "key") -> str:
    """Say that a key means nothing, and which one may have been meant.

    Args:
        place: the tables in which it stands, such as ``metric.time.``.
        key: the key itself.
        known: the keys that mean something there.
        tables: further ones, which are tables; not listed where nothing is near.
        what: what it is, if it isn't a key.
    """
    near = difflib.get_close_matches(key, [*known, *tables], 1, 0.3)
    hint = f"did you mean {place}{near[0]}?" if near else f"known: {', '.join(known)}"
    return f"unknown {what} {place}{key}; {hint}"
