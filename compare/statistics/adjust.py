"""P-values of many tests, adjusted so that a report doesn't call chance a result."""

from __future__ import annotations

import numpy as np

METHODS = ("bh", "holm", "by", "none")


def adjust(p_values: np.ndarray, method: str = "bh") -> np.ndarray:
    """Adjust the p-values of all tests of one report for their number.

    An adjusted value is at most alpha exactly if the method rejects its hypothesis at level alpha.

    - ``bh``: the expected share of false claims among all claims is at most alpha, for independent or positively
      dependent tests. Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57,
      1995.
    - ``by``: the same under any dependence. Y. Benjamini and D. Yekutieli, Annals of Statistics 29, 2001.
    - ``holm``: the probability of even one false claim is at most alpha, under any dependence. S. Holm, "A simple
      sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979.
    - ``none``: the values as they are.

    Args:
        p_values: float64, one for each test, in any order. NaN means not tested: it stays NaN and doesn't count.
        method: one of `METHODS`.

    Returns:
        A new array, float64, in the order of the input; between 0 and 1, and never below the unadjusted value.

    Raises:
        ValueError: the method isn't known, which is wrong usage.
    """
    if method not in METHODS:
        raise ValueError(f"no such adjustment: {method!r}; known are {', '.join(METHODS)}")
    adjusted = np.array(p_values, dtype=float)
    tested = np.flatnonzero(~np.isnan(adjusted))
    count = len(tested)
    if method == "none" or not count:
        return adjusted
    order = tested[np.argsort(adjusted[tested], kind="stable")]
    ordered = adjusted[order]
    rank = np.arange(1, count + 1)
    if method == "holm":
        steps = np.maximum.accumulate(ordered * (count + 1 - rank))
    else:
        factor = np.sum(1.0 / rank) if method == "by" else 1.0
        steps = np.minimum.accumulate((ordered * (count / rank * factor))[::-1])[::-1]
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
