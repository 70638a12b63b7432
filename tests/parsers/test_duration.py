"""duration: what mmtests prints of the same trees, and runs that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare_kernels import load_mmtests
from compare_kernels.parsers.base import Match, RawLog

from .reading import load, parse

ORACLE = Path(__file__).parent.parent / "oracle"
BEGIN = "test begin :: a 100\n"
TIMES = "time :: a 1.25 user 2.50 system 3.75 elapsed\n"


@pytest.mark.parametrize("era", ["2020", "head"])
def test_same_numbers_as_mmtests(era: str) -> None:
    lines = (ORACLE / "duration-4kernels" / f"expected-{era}.txt").read_text().splitlines()[2:]
    samples = load_mmtests(ORACLE / "duration-4kernels" / "tree")
    rows = [row for row in samples.rows() if row.benchmark == "thpscale"]
    shown = [
        ["Duration", row.operation.name, *(f"{group.values[0]:.2f}" for group in row.groups.values())] for row in rows
    ]
    assert shown == [line.split() for line in lines]


def found(text: str) -> tuple[list[float], list[tuple[str, int]]]:
    parsed = parse("duration", RawLog(text.encode(), "tests-timestamp"))
    values = [float(value) for block in parsed.blocks for value in block.values]
    return values, [(item.slug, item.line) for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("text", "values", "told"),
    [
        (BEGIN + "test end :: a 104\n" + TIMES, [1.25, 2.5, 3.75], []),
        (BEGIN + "test end :: a 104 0\n" + TIMES, [1.25, 2.5, 3.75], []),
        (TIMES, [1.25, 2.5, 3.75], []),
        (BEGIN + "test end :: a 104 1\n" + TIMES, [], [("failed-run", 2)]),
        (BEGIN + "Command exited with non-zero status 2\n" + TIMES, [], [("failed-run", 2)]),
        # Another benchmark's failure is its own.
        ("test end :: aa 104 1\n" + TIMES, [1.25, 2.5, 3.75], [("failed-run", 1)]),
        (BEGIN + BEGIN + TIMES, [1.25, 2.5, 3.75], [("failed-run", 1)]),
        (BEGIN + "test end :: a 104 9\n" + BEGIN + TIMES, [1.25, 2.5, 3.75], [("failed-run", 2)]),
        ("test end :: a 104 9\n" + BEGIN + TIMES, [1.25, 2.5, 3.75], [("failed-run", 1)]),
        (BEGIN + "test begin :: b 110\n" + TIMES, [1.25, 2.5, 3.75], [("truncated", 2)]),
        (BEGIN, [], [("truncated", 1)]),
        (BEGIN + TIMES[:-9], [], [("truncated", 1)]),
        (BEGIN + TIMES[:-1], [], [("truncated", 1)]),
        ("duration 4.41 seconds\n", [4.41], []),
    ],
)
def test_what_is_taken(text: str, values: list[float], told: list[tuple[str, int]]) -> None:
    assert found(text) == (values, told)


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        (BEGIN, "tests-timestamp", Match.CERTAIN),
        (TIMES, "x", Match.CERTAIN),
        (TIMES, "tests-sysstate", Match.NO),
        (BEGIN + "file start :: /proc/meminfo\n" + TIMES, "x", Match.NO),
        ("duration 4.41 seconds\n", "duration.txt", Match.LIKELY),
        ("a run\nduration 4.41 seconds\n", "duration.txt", Match.NO),
    ],
)
def test_tests_sysstate_is_not_read_twice(text: str, name: str, match: Match) -> None:
    assert load("duration").recognise(RawLog(text.encode(), name)) == match
