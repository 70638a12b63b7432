"""Adjusted p-values against published ones, scipy, and the definition of the procedures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics.adjust import METHODS, adjust

# Benjamini and Hochberg 1995.
PUBLISHED = np.array(
    [
        *[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459],
        *[0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1],
    ]
)
BH = [
    *[0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.063857, 0.063857, 0.0645, 0.0765],
    *[0.486, 0.581182, 0.714875, 0.753231, 0.813214, 1],
]
HOLM = [0.0015, 0.0056, 0.0247, 0.114]
BY = [0.004977, 0.009955, 0.031523, 0.118212]

probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.01, 0.5, 1.0]))
several = st.lists(probabilities, min_size=1, max_size=30).map(np.array)
with_gaps = st.lists(st.one_of(probabilities, st.just(math.nan)), max_size=30).map(lambda v: np.array(v, dtype=float))
methods = st.sampled_from(METHODS)


@pytest.mark.parametrize(("method", "expected", "below"), [("bh", BH, 4), ("holm", HOLM, 3), ("by", BY, 3)])
def test_published(method: str, expected: list[float], below: int) -> None:
    adjusted = adjust(PUBLISHED, method)
    assert adjusted[: len(expected)] == pytest.approx(expected, abs=5e-7)
    assert np.count_nonzero(adjusted < 0.05) == below


@given(several, st.sampled_from(["bh", "by"]))
def test_false_discovery_control_agrees_with_scipy(p_values: np.ndarray, method: str) -> None:
    from scipy import stats

    assert adjust(p_values, method) == pytest.approx(
        stats.false_discovery_control(p_values, method=method), rel=1e-12, abs=1e-15
    )


def rejected_by_holm(p_values: np.ndarray, alpha: float) -> set[int]:
    """Holm's own words: step down as long as the smallest p is at most alpha by the number of those left."""
    rejected: set[int] = set()
    for index in np.argsort(p_values, kind="stable").tolist():
        if p_values[index] > alpha / (len(p_values) - len(rejected)):
            break
        rejected.add(index)
    return rejected


@given(several, st.sampled_from([0.01, 0.05, 0.3]))
def test_holm_rejects_what_its_procedure_rejects(p_values: np.ndarray, alpha: float) -> None:
    # A p that lies on the bound by a rounding error may fall on either side of it.
    adjusted = adjust(p_values, "holm")
    rejected = rejected_by_holm(p_values, alpha)
    assert set(np.flatnonzero(adjusted < alpha * (1 - 1e-12)).tolist()) <= rejected
    assert rejected <= set(np.flatnonzero(adjusted <= alpha * (1 + 1e-12)).tolist())


@given(with_gaps, methods)
def test_what_was_not_tested_does_not_count(p_values: np.ndarray, method: str) -> None:
    before = p_values.copy()
    adjusted = adjust(p_values, method)
    tested = ~np.isnan(p_values)
    assert np.array_equal(p_values, before, equal_nan=True)
    assert np.array_equal(np.isnan(adjusted), ~tested)
    assert np.array_equal(adjusted[tested], adjust(p_values[tested], method))


@given(several, methods, st.randoms(use_true_random=False))
def test_neither_order_nor_rank_changes(p_values: np.ndarray, method: str, random) -> None:
    adjusted = adjust(p_values, method)
    assert np.all((adjusted >= p_values) & (adjusted <= 1))
    assert np.all(np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0)
    order = np.array(random.sample(range(len(p_values)), len(p_values)))
    assert np.array_equal(adjust(p_values[order], method), adjusted[order])


@given(several)
def test_the_methods_go_from_lenient_to_strict(p_values: np.ndarray) -> None:
    none, bh, holm, by = (adjust(p_values, method) for method in ("none", "bh", "holm", "by"))
    assert np.array_equal(none, p_values)
    tiny = 1e-15
    assert np.all(none <= bh + tiny)
    assert np.all(bh <= holm + tiny)
    assert np.all(bh <= by + tiny)


@pytest.mark.parametrize("method", METHODS)
def test_few(method: str) -> None:
    assert adjust(np.empty(0), method).shape == (0,)
    assert adjust(np.array([0.03]), method).tolist() == [0.03]
    assert np.isnan(adjust(np.array([math.nan, math.nan]), method)).all()


def test_an_unknown_method_is_wrong_usage() -> None:
    with pytest.raises(ValueError, match="bonferroni"):
        adjust(PUBLISHED, "bonferroni")
