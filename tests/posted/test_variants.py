"""Whatever mailers did to a table, the same table comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .reading import FILES, VARIANTS, body_of, essence, tables_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_same_tables(path: Path, variant: str) -> None:
    expected = essence(tables_in(path.read_bytes()))
    assert expected
    assert essence(tables_in(VARIANTS[variant](body_of(path)))) == expected
