"""Order statistics of pairwise sums against sorting all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics import pairwise

from .material import array

numbers = st.lists(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=1, max_size=25).map(np.array)
limits = st.sampled_from([1, 7, 4_000_000])


@given(numbers, numbers, limits)
def test_all_places_of_two_samples(rows: np.ndarray, columns: np.ndarray, limit: int) -> None:
    columns = np.sort(columns)
    expected = sorted(row + column for row in rows.tolist() for column in columns.tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "MATRIX", limit)
        assert pairwise.smallest_sums(rows, columns, range(len(expected))) == expected


@given(numbers, limits)
def test_all_places_of_pairs_of_one_sample(values: np.ndarray, limit: int) -> None:
    values = np.sort(values)
    listed = values.tolist()
    expected = sorted(listed[i] + listed[j] for i in range(len(listed)) for j in range(i, len(listed)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "MATRIX", limit)
        assert pairwise.smallest_sums(values, values, range(len(expected)), triangle=True) == expected


def test_many_values_need_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    rows, columns = np.round(generator.normal(size=(2, 1500)), 2)
    columns.sort()
    places = [0, 17, 1_125_000, 2_249_999]
    expected = pairwise.smallest_sums(rows, columns, places)
    monkeypatch.setattr(pairwise, "MATRIX", 10_000)
    monkeypatch.setattr(np, "add", None)
    assert pairwise.smallest_sums(rows, columns, places) == expected


def test_the_middle() -> None:
    assert pairwise.middle_sum(array(1, 2), array(10, 20)) == 16.5
    assert pairwise.middle_sum(array(1, 2, 4), array(1, 2, 4), triangle=True) == 4.5
    assert math.isnan(pairwise.middle_sum(array(), array(1)))
    assert math.isnan(pairwise.middle_sum(array(), array(), triangle=True))
