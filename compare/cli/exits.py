"""Exit codes of the command."""

DONE, WRONG, USAGE, NOTHING = 0, 1, 2, 3
INTERRUPTED = 130
UNTESTABLE, NO_BISECTION = 125, 128
"""For ``git bisect run``: skip this commit, and stop bisecting."""
