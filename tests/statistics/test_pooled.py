"""Student's t with a pooled deviation, against what ministat printed in a post."""

from __future__ import annotations

import numpy as np
import pytest

from compare_kernels.statistics.pooled import pooled_difference


def values(n: int, mean: float, deviation: float) -> np.ndarray:
    """So many values with exactly this mean and deviation."""
    raw = np.arange(n, dtype=float)
    return mean + deviation * (raw - raw.mean()) / raw.std(ddof=1)


def test_the_posted_comparison() -> None:
    found = pooled_difference(values(10, 2.9021609, 0.057199974), values(10, 2.8318313, 0.047785726), 0.05)
    assert found is not None
    assert found.proven
    # The program takes t from a table of three decimals.
    assert found.difference == pytest.approx(-0.0703296, abs=5e-8)
    assert found.error == pytest.approx(0.04952, rel=1e-4)
    assert found.percent == pytest.approx(-2.42335, abs=5e-6)
    assert found.deviation == pytest.approx(0.0527035, abs=5e-8)


def test_proven_is_the_verdict_of_the_t_test() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(200):
        base, other = rng.normal(10, 1, 6), rng.normal(11, 1, 8)
        found = pooled_difference(base, other, 0.05)
        assert found is not None
        assert found.proven == (ttest_ind(base, other).pvalue < 0.05)
        seen.add(found.proven)
    assert seen == {True, False}


def test_the_error_of_the_percentage_covers_the_ratio() -> None:
    base, other = values(10, 10.0, 1.0), values(8, 20.0, 1.5)
    found = pooled_difference(base, other, 0.05)
    assert found is not None
    # 100/a1 * t * sqrt(((n2-1)*s2^2 + (n1-1)*s1^2*(a2/a1)^2) * (n1+n2) / (n1*n2*(n1+n2-2))), t = 2.119905 for 16.
    expected = 10 * 2.119905 * ((7 * 2.25 + 9 * 4) * 18 / (80 * 16)) ** 0.5
    assert found.percent_error == pytest.approx(expected, rel=1e-6)


def test_too_few_values_and_a_base_of_zero() -> None:
    assert pooled_difference(np.array([1.0]), np.array([1.0, 2.0]), 0.05) is None
    zero = pooled_difference(np.array([-1.0, 1.0]), np.array([1.0, 2.0]), 0.05)
    assert zero is not None
    assert np.isnan(zero.percent)
    assert np.isnan(zero.percent_error)
