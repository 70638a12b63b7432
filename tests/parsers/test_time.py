"""What time(1) prints in its many forms, and logs that it must leave to others."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import timed
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder
from compare_kernels.parsers.timed_lines import seconds
from compare_kernels.reading.recognise import recognise

from .reading import LOGS, parse, raw_log

BASH = "\nreal\t0m1.250s\nuser\t0m0.750s\nsys\t0m0.125s\n"
HACKBENCH = "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\nTime: 0.351\n"


def read(text: str, name: str = "time.txt") -> Parsed:
    builder = SampleBuilder(name)
    timed.parse(RawLog(text.encode(), name), builder)
    return builder.finish()


def values(parsed: Parsed) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        found.setdefault(block.metric.name, []).extend(block.values)
    return found


@pytest.mark.parametrize(
    ("name", "elapsed", "user", "system"),
    [
        ("bash.txt", 62.384, 471.02, 39.114),
        ("bash-comma.txt", 1.021, 0.744, 0.713),
        ("ksh-hours.txt", 3723.4, 7260.5, 7.2),
        ("posix.txt", 12.34, 7.1, 3.05),
        ("busybox.txt", 1.23, 0.81, 0.14),
        ("tcsh.txt", 13.69, 12.1, 1.3),
        ("bsd.txt", 1.27, 0.83, 0.11),
        ("gnu.txt", 13.69, 12.1, 1.36),
        ("gnu-hours.txt", 11261.0, 15.4, 61.27),
        ("gnu-verbose.txt", 62.35, 0.17, 0.58),
    ],
)
def test_each_form(name: str, elapsed: float, user: float, system: float) -> None:
    found = values(read((LOGS / "time" / name).read_text()))
    assert (found["elapsed"], found["user"], found["system"]) == ([elapsed], [user], [system])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("163m5.120s", 9785.12), ("1h2m3.4s", 3723.4), ("2:15:23", 8123.0), ("0m 1.23s", 1.23), ("0m1,021s", 1.021)],
)
def test_seconds(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected, rel=1e-12)


def test_a_failed_command_has_no_time() -> None:
    gnu = "0.00user 0.01system 0:00.42elapsed 85%CPU (0avgtext+0avgdata 1428maxresident)k\n"
    parsed = read("Command terminated by signal 9\n" + gnu + gnu.replace("42", "47"))
    assert values(parsed)["elapsed"] == [0.47]
    assert [item.slug for item in parsed.diagnostics] == ["failed-run"]


def test_no_time_at_all_is_a_failure() -> None:
    assert read("real 0.00\nuser 0.00\nsys 0.00\n").status == "failed-run"


def test_a_number_that_may_be_cut_is_not_taken() -> None:
    parsed = read("real 12.34\nuser 7.10\nsys 3.0")
    assert values(parsed) == {"elapsed": [12.34], "user": [7.1]}
    assert parsed.status == "truncated"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (BASH, "x.txt", Match.LIKELY),
        ("widgets: 3\n" + BASH, "x.txt", Match.NAME),
        (BASH + "widgets: 3\n" * 5, "x.txt", Match.NO),
        (BASH + "widgets: 3\n" * 5, "time-1.txt", Match.NAME),
        (BASH, "threads-4.time", Match.NO),
        ("real estate\n", "time.txt", Match.NO),
    ],
)
def test_recognise(text: str, name: str, expected: Match) -> None:
    assert timed.recognise(RawLog(text.encode(), name)) == expected


@pytest.mark.parametrize("name", ["x.txt", "time-run1.txt"])
def test_a_timed_benchmark_stays_what_it_is(name: str) -> None:
    found = recognise(RawLog((HACKBENCH + BASH).encode(), name))
    assert found
    assert found[0][0] == "hackbench"


def test_logs_of_time_are_its_own() -> None:
    found = recognise(raw_log(LOGS / "time" / "gnu.txt"))
    assert found
    assert found[0][0] == "time"


def test_the_posted_times_of_a_day() -> None:
    """As posted: two hours and a quarter, of which almost nothing was spent in the command itself."""
    text = (
        "17.20user 65.16system 2:15:23elapsed 1%CPU (0avgtext+0avgdata 8476maxresident)k\n"
        "448inputs+40outputs (1major+36052minor)pagefaults 0swaps\n"
    )
    parsed = parse("time", RawLog(text.encode(), "gnu-time.txt"))
    values = {block.metric.name: list(block.values) for block in parsed.blocks}
    assert values["elapsed"] == [2 * 3600 + 15 * 60 + 23]
    assert (values["user"], values["system"], values["max-resident"]) == ([17.20], [65.16], [8476])
