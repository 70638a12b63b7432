"""Exceptions that the command turns into a message and an exit code.

Everything that is wrong with *data* is a `compare_kernels.model.Diagnostic` and travels with the result.
Exceptions are for wrong usage only, and for programming errors.
"""

from __future__ import annotations


class UsageError(Exception):
    """The caller asked for something that does not exist or does not fit together (exit code 2)."""


class NothingToCompareError(Exception):
    """The inputs were read, but no kernel besides the baseline shares a measurement with it (exit code 3)."""
