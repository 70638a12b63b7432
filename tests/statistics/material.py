"""Published numbers, and the tests of the package written down once more by their definitions, value by value."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compare_kernels.statistics.intervals import Interval


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


# benchstat's manual.
JSON_OLD = array(1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774)
JSON_NEW = array(1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425)
GOB_OLD = array(3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062)
GOB_NEW = array(3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062)

alphas = st.sampled_from([0.01, 0.05, 0.1, 0.2])
directions = st.sampled_from(["higher", "lower", "none"])


def coarse(least: int, most: int, top: int = 6) -> st.SearchStrategy[list[int]]:
    """Few distinct integers, so that many are equal."""
    return st.lists(st.integers(0, top), min_size=least, max_size=most)


def distinct(least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 10_000), min_size=least, max_size=most, unique=True)


def floats(values: Sequence[int], unit: float = 1.0) -> np.ndarray:
    """Integers as decimal numbers, whose differences are rounded if the unit is a decimal fraction."""
    return np.array([value * unit for value in values], dtype=float)


def close(expected: float, rel: float = 1e-12) -> Any:
    """What is equal up to rounding, however small: pytest's own approx takes all below 1e-12 for equal."""
    return pytest.approx(expected, rel=rel, abs=0.0)


def is_none(interval: Interval) -> bool:
    return all(map(math.isnan, interval))


def splits(values: Sequence[int], size: int) -> Iterator[tuple[list[int], list[int]]]:
    """All ways to deal the values out to a side of this size and another one."""
    for chosen in itertools.combinations(range(len(values)), size):
        inside = set(chosen)
        yield [values[i] for i in chosen], [value for i, value in enumerate(values) if i not in inside]


def pairs_won(base: Sequence[float], other: Sequence[float]) -> Fraction:
    """Mann and Whitney's U of the first sample."""
    return Fraction(sum((b > o) * 2 + (b == o) for b in base for o in other), 2)


def doubled_tail(statistics: Sequence[Fraction], observed: Fraction) -> float:
    """Twice the smaller tail, at most 1."""
    tails = sum(s <= observed for s in statistics), sum(s >= observed for s in statistics)
    return float(min(Fraction(1), Fraction(2 * min(tails), len(statistics))))


def rank_sum_p(base: Sequence[int], other: Sequence[int]) -> float:
    everything = [pairs_won(*split) for split in splits([*base, *other], len(base))]
    return doubled_tail(everything, pairs_won(base, other))


def difference(base: Sequence[int], other: Sequence[int]) -> Fraction:
    return Fraction(sum(base), len(base)) - Fraction(sum(other), len(other))


def permutation_p(base: Sequence[int], other: Sequence[int]) -> float:
    observed = abs(difference(base, other))
    extreme = [abs(difference(*split)) >= observed for split in splits([*base, *other], len(base))]
    return float(Fraction(sum(extreme), len(extreme)))


def signed_rank_of(differences: Sequence[int]) -> tuple[Fraction, float]:
    """The sum of positive ranks, and p."""
    sizes = [abs(d) for d in differences if d]
    ranks = [sum(t < s for t in sizes) + Fraction(sizes.count(s) + 1, 2) for s in sizes]
    observed = sum((rank for rank, d in zip(ranks, filter(None, differences), strict=True) if d > 0), Fraction(0))
    everything = [
        sum(itertools.compress(ranks, signs), Fraction(0)) for signs in itertools.product([0, 1], repeat=len(ranks))
    ]
    return observed, doubled_tail(everything, observed)


def smallest_accepted(tails: Sequence[float], alpha: float) -> int:
    """The smallest value of a rank statistic with p >= alpha, from the probabilities to be at most 0, 1, 2..."""
    return next(k for k, tail in enumerate(tails) if min(1.0, 2 * tail) >= alpha)
