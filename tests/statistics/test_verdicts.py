"""Verdicts by their rules, and how often they are wrong."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.statistics.change import percent_change
from compare_kernels.statistics.intervals import change_interval
from compare_kernels.statistics.tests import welch
from compare_kernels.statistics.verdicts import VERDICTS, Verdict, decide

if TYPE_CHECKING:
    from collections.abc import Callable

CAMPAIGN = bool(os.environ.get("CAMPAIGN"))
NAN = math.nan
OPEN = (NAN, NAN)

any_number = st.floats(allow_nan=True, allow_infinity=True)
changes = st.one_of(st.floats(-100, 100), st.sampled_from([-1.0, 0.0, 1.0, NAN]))
p_values = st.one_of(st.floats(0, 1), st.sampled_from([0.05, NAN]))
margins = st.one_of(st.floats(0, 10), st.sampled_from([0.0, 1.0]))
ends = st.tuples(changes, changes)


@pytest.mark.parametrize(
    ("change", "p", "equivalence", "word", "reason"),
    [
        (-5.0, 0.001, (-7.0, -3.0), "regressed", "significant-beyond-margin"),
        (5.0, 0.001, (3.0, 7.0), "improved", "significant-beyond-margin"),
        (-1.01, 0.049, (-2.0, -0.1), "regressed", "significant-beyond-margin"),
        (1.01, 0.049, (0.1, 2.0), "improved", "significant-beyond-margin"),
        # An estimate beyond the margin counts, though the interval of another estimate may lie inside.
        (1.01, 0.049, (0.1, 0.9), "improved", "significant-beyond-margin"),
        # The margin itself is inside, alpha itself isn't significant.
        (1.0, 0.001, (0.5, 1.5), "undecided", "significant-within-margin"),
        (-1.0, 0.001, (-1.5, -0.5), "undecided", "significant-within-margin"),
        (5.0, 0.05, (0.0, 10.0), "undecided", "not-significant"),
        (-5.0, 0.05, (-10.0, 0.0), "undecided", "not-significant"),
        (0.5, 0.001, (0.4, 0.6), "unchanged", "interval-inside-margin"),
        (0.1, 0.8, (-0.5, 0.7), "unchanged", "interval-inside-margin"),
        (0.0, 0.8, (-1.0, 1.0), "unchanged", "interval-inside-margin"),
        (0.1, 0.8, (-1.01, 0.7), "undecided", "not-significant"),
        (0.1, 0.8, (-0.7, 1.01), "undecided", "not-significant"),
        (0.1, 0.8, OPEN, "undecided", "not-significant"),
        (0.1, 0.8, (-math.inf, math.inf), "undecided", "not-significant"),
        # Equal and without spread.
        (0.0, 1.0, (0.0, 0.0), "unchanged", "interval-inside-margin"),
        # Different and without spread, or a single run.
        (10.0, NAN, (10.0, 10.0), "undecided", "not-testable"),
        (0.1, NAN, (0.1, 0.1), "undecided", "not-testable"),
        (NAN, NAN, OPEN, "undecided", "not-testable"),
        # A baseline of 0.
        (NAN, 0.001, OPEN, "undecided", "no-percentage"),
    ],
)
def test_rules(change: float, p: float, equivalence: tuple[float, float], word: str, reason: str) -> None:
    assert decide(change, p, equivalence, 1.0, 0.05) == Verdict(word, reason)  # type: ignore[arg-type]


def test_without_a_margin_only_what_is_equal_is_unchanged() -> None:
    assert decide(0.0, 1.0, (0.0, 0.0), 0.0, 0.05).word == "unchanged"
    assert decide(0.0, 0.9, (-1e-9, 1e-9), 0.0, 0.05).word == "undecided"
    assert decide(1e-9, 0.01, (1e-10, 1e-8), 0.0, 0.05).word == "improved"


@given(changes, p_values, ends, margins)
def test_a_missing_side_is_missing_whatever_the_numbers(
    change: float, p: float, equivalence: tuple[float, float], margin: float
) -> None:
    assert decide(change, p, equivalence, margin, 0.05, missing=True) == Verdict("missing", "no-value")
    assert decide(change, p, equivalence, margin, 0.05).word != "missing"


@given(changes, p_values, ends, margins)
def test_swapping_the_sides_mirrors_the_verdict(
    change: float, p: float, equivalence: tuple[float, float], margin: float
) -> None:
    there = decide(change, p, equivalence, margin, 0.05)
    back = decide(-change, p, (-equivalence[1], -equivalence[0]), margin, 0.05)
    mirror = {"regressed": "improved", "improved": "regressed"}
    assert back.word == mirror.get(there.word, there.word)
    assert back.reason == there.reason


@given(any_number, any_number, st.tuples(any_number, any_number), any_number, any_number)
def test_no_number_is_an_error(
    change: float, p: float, equivalence: tuple[float, float], margin: float, alpha: float
) -> None:
    assert decide(change, p, equivalence, margin, alpha).word in VERDICTS


def test_the_words_come_from_worst_to_least_known() -> None:
    assert VERDICTS == ("regressed", "improved", "unchanged", "undecided", "missing")


def verdict_by_welch(base: np.ndarray, other: np.ndarray, margin: float, alpha: float) -> str:
    change = percent_change(float(base.mean()), float(other.mean()), "lower")
    equivalence = change_interval(base, other, 2 * alpha, "lower")
    return decide(change, welch(base, other).p, equivalence, margin, alpha).word


def shares(
    draw: Callable[[np.random.Generator, int], np.ndarray], runs: int, factor: float, margin: float, repeats: int
) -> dict[str, float]:
    rng = np.random.default_rng(runs)
    words = Counter(verdict_by_welch(draw(rng, runs), factor * draw(rng, runs), margin, 0.05) for _ in range(repeats))
    return {word: words[word] / repeats for word in VERDICTS}


DRAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, runs: rng.normal(100, 3, runs),
    "log-normal": lambda rng, runs: np.exp(rng.normal(3, 0.5, runs)),
    "tied": lambda rng, runs: 10.0 + rng.integers(0, 2, runs),
    "mostly-equal": lambda rng, runs: 10.0 + (rng.random(runs) < 0.2),
}
REPEATS = 20_000 if CAMPAIGN else 1500


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("kind", DRAWS)
def test_without_a_difference_claims_are_as_rare_as_alpha(kind: str, runs: int) -> None:
    found = shares(DRAWS[kind], runs, 1.0, 0.0, REPEATS)
    claims = found["regressed"] + found["improved"]
    assert claims <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / REPEATS)
    if kind == "normal" and runs == 10:
        # A rule that never speaks would pass all this.
        assert claims > 0.025


@pytest.mark.parametrize("runs", [5, 20])
def test_a_change_of_the_margin_is_rarely_called_unchanged(runs: int) -> None:
    found = shares(lambda rng, n: np.exp(rng.normal(0, 0.01, n)), runs, 0.99, 1.0, REPEATS)
    assert found["unchanged"] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / REPEATS)


def test_large_changes_are_found_with_their_sign() -> None:
    draw = DRAWS["normal"]
    assert shares(draw, 5, 1.2, 1.0, 200)["regressed"] > 0.95
    assert shares(draw, 5, 0.8, 1.0, 200)["improved"] > 0.95
    assert shares(draw, 100, 1.0, 2.0, 200)["unchanged"] > 0.9
