"""Runs as characters."""

from __future__ import annotations

import numpy as np
import pytest

from compare_kernels.plotting.cells import spark


def strips(*kernels: list[float], width: int = 5, ascii_only: bool = True) -> tuple[str, ...]:
    return spark([np.array(side, dtype=float) for side in kernels], width, ascii_only=ascii_only)


def test_all_kernels_share_a_scale() -> None:
    assert strips([0, 1, 1], [4, 4, 4, 2]) == (".:   ", "  . o")


def test_a_cell_counts_its_runs() -> None:
    assert strips([0] * 2 + [1] * 4 + [2] * 8 + [3] * 9 + [4]) == (":oO@.",)
    assert strips([0] * 2 + [1] * 4 + [2] * 8 + [3] * 9 + [4], ascii_only=False) == (
        "\u2582\u2584\u2588\u2588\u2581",
    )


@pytest.mark.parametrize("width", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "values",
    [[], [1.0], [3.0, 3.0], [1e308, -1e308], [float("nan"), float("inf")], [5e-324, 0.0], [0.1, 0.3, float("nan")]],
)
def test_a_strip_has_its_width_and_all_its_runs(values: list[float], width: int) -> None:
    for ascii_only in (True, False):
        first, second = strips(values, [1.0, 2.0], width=width, ascii_only=ascii_only)
        assert len(first) == len(second) == width
        assert bool(first.strip()) == bool(np.isfinite(values).any())
        assert first.isascii() or not ascii_only


def test_equal_values_stand_in_the_middle() -> None:
    assert strips([7, 7], [7]) == ("  :  ", "  .  ")


def test_a_strip_needs_a_character() -> None:
    with pytest.raises(ValueError, match="one character"):
        strips([1], width=0)
