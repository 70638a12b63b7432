"""The words that settings and options choose from."""

from typing import Literal

Test = Literal["welch", "mann-whitney", "permutation", "paired"]
Correction = Literal["bh", "holm", "by", "none"]
Unit = Literal["auto", "run", "sample"]
IntervalMethod = Literal["test", "bca"]
