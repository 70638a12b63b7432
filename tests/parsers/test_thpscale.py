"""thpscale and thpchallenge: what the format pages demand, and that both ways of reading give the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compare_kernels.parsers import thpscale
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, describe, parse, raw_log

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = LOGS / "thpscale"
HEADER = "Running with 1 thread \nUsing default advice\n\nanoninit 0       150221\n"
FAULTS = "fault 0 huge          512 1735990001.4410 1\nfault 0 base         1133 1735990001.90112 0\n"


def parse_file(name: str) -> Parsed:
    return parse("thpscale", raw_log(FOLDER / name))


def parse_text(text: str | bytes, name: str = "threads-1.log", *, complete: bool = True) -> Parsed:
    data = text.encode() if isinstance(text, str) else text
    return parse("thpscale", RawLog(data, name, complete=complete))


def values(parsed: Parsed) -> dict[str, list[float]]:
    return {block.operation.name: [float(value) for value in block.values] for block in parsed.blocks}


def problems(parsed: Parsed) -> list[tuple[str, int]]:
    return [(item.slug, item.line) for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("name", "operation", "count", "mean"),
    [
        ("threads-2.txt", "fault-huge-2", 3, 439.0),
        ("threads-2.txt", "fault-base-2", 2, 889.0),
        ("threads-2.txt", "fault-both-2", 5, 619.0),
        ("threads-2.txt", "huge-2", 1, 60.0),
        ("threads-2.txt", "anoninit-2", 2, 1500492.5),
        ("thpscale/threads-1.log", "fault-huge-1", 256, 4515.859375),
        ("thpscale-never/threads-2.log", "fault-base-2", 256, 1066.359375),
        ("thpscale-never/threads-2.log", "huge-2", 1, 0.0),
        ("thpchallenge/threads-3.log", "fault-base-3", 65, 322.32307692307694),
        ("older-without-locality-threads-2.log", "fault-base-2", 3, 1019.3333333333334),
        ("older-without-locality-threads-2.log", "huge-2", 1, 25.0),
        ("thpscale/big-latencies-threads-2.log", "fault-huge-2", 60, 11444761089023.867),
        ("garbage/threads-1.log", "fault-huge-1", 60, 1892.45),
    ],
)
def test_values(name: str, operation: str, count: int, mean: float) -> None:
    found = values(parse_file(name))[operation]
    assert (len(found), sum(found) / len(found)) == (count, pytest.approx(mean, rel=1e-12))


def test_rows_are_base_then_huge_then_both() -> None:
    blocks = [block for block in parse_file("threads-2.txt").blocks if block.metric.name == "fault-latency"]
    rows = sorted((block.operation for block in blocks), key=lambda operation: operation.sort_key)
    assert [row.name for row in rows] == ["fault-base-2", "fault-huge-2", "fault-both-2"]
    assert [row.series for row in rows] == ["fault-base", "fault-huge", "fault-both"]


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("thpscale-never/threads-2.log", "fault-base-2", "fault-huge-2"),
        ("thpscale/threads-1.log", "fault-huge-1", "fault-base-1"),
    ],
)
def test_a_kind_without_faults_has_no_row(name: str, present: str, absent: str) -> None:
    blocks = {block.operation.name: block.values for block in parse_file(name).blocks}
    assert absent not in blocks
    both = blocks[present.replace("base", "both").replace("huge", "both")]
    assert both is blocks[present], "the array is not kept twice"


def test_latencies_are_arrays() -> None:
    for block in parse_file("threads-2.txt").blocks:
        if block.metric.name == "fault-latency":
            assert isinstance(block.values, np.ndarray)
            assert block.values.dtype == np.float64


@pytest.mark.parametrize(
    ("name", "line", "count"),
    [("garbage/threads-1.log", 65, 2), ("garbage/clock-set-back-threads-1.log", 4, 4)],
)
def test_bad_lines_are_left_out_and_reported(name: str, line: int, count: int) -> None:
    (found,) = (item for item in parse_file(name).diagnostics if "number" in item.message)
    assert (found.slug, found.line) == ("bad-line", line)
    assert f"left out: {count}, the first is" in found.message


@pytest.mark.parametrize(
    "line",
    [
        "fault 0 huge          263",
        "fault 0 huge          263 17960721",
        "fault 0 huge          263 17960721 1",
        "fault 0 huge          263 1796072173.6202951 1",
        "fault 0 huge          263 1796072173.620295 1 1",
        "fault 0 huge          263 1796072173.620295 x",
        "fault 0 huge          2a3 1796072173.620295 1",
        "fault 0               263 1796072173.620295 1",
        "fault 0 huge          26fault 0 huge          263 1796072173.620295 1",
        "42 fault 0 huge          263 1796072173.620295 1",
        "anoninit 1",
        "anoninit 1       150 221",
        "anoninit 1          -221",
    ],
)
def test_a_damaged_line_between_others_is_a_bad_line(line: str) -> None:
    parsed = parse_text(HEADER + FAULTS + line + "\n" + FAULTS)
    assert problems(parsed) == [("bad-line", 7)]
    assert values(parsed) == values(parse_text(HEADER + FAULTS * 2))


def test_other_kinds_of_faults_are_left_out_and_reported() -> None:
    parsed = parse_file("garbage/clock-set-back-threads-1.log")
    assert ("bad-line", 7) in problems(parsed)
    assert values(parsed)["fault-both-1"] == [512.0, 1033.0, 498.0]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("broken/threads-1-mapping-failed.log", 1),
        ("broken/threads-1-no-workfile.log", 1),
        ("broken/usage.log", 1),
        ("broken/killed-threads-4.log", 1),
        ("broken/no-library-threads-2.log", 1),
    ],
)
def test_a_failed_run_has_no_value(name: str, line: int) -> None:
    parsed = parse_file(name)
    assert parsed.blocks == ()
    assert parsed.status == "failed-run"
    assert problems(parsed) == [("failed-run", line)]


def test_only_the_first_message_of_a_failed_run_is_reported() -> None:
    parsed = parse_text("open: Too many files\nFirst mapping: No memory\nRunning with 2 threads\n" + HEADER + FAULTS)
    assert problems(parsed) == [("failed-run", 1)]
    assert "fault-both-1" in values(parsed)


@pytest.mark.parametrize(
    ("text", "complete", "line", "count"),
    [
        (HEADER + FAULTS[:-1], True, 6, 1),
        (HEADER + FAULTS[:60], True, 6, 1),
        (HEADER + FAULTS + "fa", True, 7, 2),
        (HEADER + FAULTS + "fault 0 huge\n", True, 7, 2),
        (HEADER + FAULTS + "fault 0 huge          530 1735990002.20114\n", True, 7, 2),
        (HEADER + FAULTS, False, 0, 2),
        (HEADER.replace("1 thread ", "2 threads") + FAULTS, True, 1, 2),
        (HEADER + FAULTS + "fault 0 huge    5Running with 1 thread \n" + HEADER + FAULTS, True, 7, 2),
    ],
    ids=[
        "no-line-end",
        "inside-a-line",
        "a-word",
        "fewer-fields",
        "no-locality",
        "compressed",
        "a-thread-is-missing",
        "next-run",
    ],
)
def test_a_cut_run_keeps_its_lines_but_has_no_percentage(text: str, complete: bool, line: int, count: int) -> None:
    parsed = parse_text(text, complete=complete)
    assert parsed.status == "truncated"
    assert ("truncated", line) in problems(parsed)
    assert "bad-line" not in [slug for slug, _ in problems(parsed)]
    first = [block for block in parsed.blocks if block.run == 0]
    assert [len(block.values) for block in first if block.operation.series == "fault-both"] == [count]
    assert "percentage-huge" not in [block.metric.name for block in first]


def test_a_compressed_file_that_was_cut_before_the_faults_says_so() -> None:
    parsed = parse_text("Running with 2 threads\n", complete=False)
    assert (parsed.status, parsed.blocks) == ("truncated", ())


@pytest.mark.parametrize("text", ["", "\n", "Using default advice\n"])
def test_a_log_without_a_run_says_so(text: str) -> None:
    parsed = parse_text(text)
    assert (parsed.status, problems(parsed)) == ("no-result", [("no-result", 0)])


def test_several_runs_in_a_file_are_several_runs() -> None:
    parsed = parse_file("loop-with-failed-runs.log")
    assert [run.line for run in parsed.runs] == [1, 9, 22]
    both = [(block.run, block.operation.name) for block in parsed.blocks if "both" in block.operation.name]
    assert both == [(0, "fault-both-1"), (1, "fault-both-2"), (2, "fault-both-1")]
    assert problems(parsed) == [("failed-run", 7), ("truncated", 18), ("failed-run", 21)]


@pytest.mark.parametrize(
    ("text", "name", "operation", "slugs"),
    [
        (HEADER + FAULTS, "threads-1.log", "fault-both-1", []),
        (HEADER + FAULTS, "threads-8.log", "fault-both-1", ["threads-differ"]),
        (HEADER + FAULTS, "anything", "fault-both-1", []),
        (FAULTS, "threads-12.log", "fault-both-12", []),
        (FAULTS, "anything", "fault-both", []),
    ],
)
def test_the_text_knows_the_threads_better_than_the_name(
    text: str, name: str, operation: str, slugs: list[str]
) -> None:
    parsed = parse_text(text, name)
    assert operation in values(parsed)
    assert [item.slug for item in parsed.diagnostics] == slugs


def test_advice_keeps_runs_apart() -> None:
    madvise = parse_text(HEADER.replace("default advice", "madv_hugepage 0x1402 8 gb") + FAULTS)
    default = parse_text(HEADER + FAULTS)
    assert madvise.runs[0].configuration.settings == (("advice", "madvise"),)
    assert default.runs[0].configuration.settings == (("advice", "default"),)


def test_a_report_is_no_log() -> None:
    report = (
        "thpscale Fault Latencies\n"
        "                                        5.9                    5.9\n"
        "                                    vanilla                patched\n"
        "Min       fault-base-1      301.00 (   0.00%)      299.00 (   0.66%)\n"
        "Amean     fault-base-1      612.11 (   0.00%)      601.20 *   1.78%*\n"
        "Amean     fault-huge-1        0.00 (   0.00%)      171.03 * -99.00%*\n"
    )
    assert thpscale.recognise(RawLog(report.encode(), "threads-1.log", ("thpscale",))) == Match.NO
    assert parse_text(report).blocks == ()


def test_a_text_about_the_benchmark_is_no_log() -> None:
    text = "- thpscale: runs of 1, 2 and 4 threads\n- `Running with N threads` begins each log\n"
    assert thpscale.recognise(RawLog(text.encode(), "README.md", ("thpscale",))) == Match.NO


@pytest.mark.parametrize(
    "recorded",
    [
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r\r\n").encode(),
        lambda text: (text + "\x1b[0m").encode(),
        lambda text: text.replace("fault", "\x1b[1mfault\x1b[0m").encode(),
        lambda text: text.replace(" ", "\t").encode(),
        lambda text: text.replace("anoninit", "höh\nanoninit").encode("latin-1"),
        lambda text: "".join(f"> {line}" for line in text.splitlines(keepends=True)).encode(),
    ],
)
def test_recorders_change_nothing(recorded: Callable[[str], bytes]) -> None:
    parsed = parse_text(recorded(HEADER + FAULTS * 400))
    assert values(parsed) == values(parse_text(HEADER + FAULTS * 400))
    assert parsed.status == "read"


@pytest.mark.parametrize(
    "late", [FAULTS.replace("fault", "\x1b[1mfault\x1b[0m").encode(), b"h\xf6h\n" + FAULTS.encode()]
)
def test_recorders_change_nothing_far_behind_the_beginning(late: bytes) -> None:
    parsed = parse_text((HEADER + FAULTS * 4000).encode() + late + FAULTS.encode())
    assert values(parsed) == values(parse_text(HEADER + FAULTS * 4002))


def test_regular_lines_are_not_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speed of a large log without a clock: only the header, and the lines around a fault of the log."""
    taken: list[int] = []
    line = thpscale._Reader.line
    monkeypatch.setattr(
        thpscale._Reader, "line", lambda self, number, text: (taken.append(number), line(self, number, text))
    )
    parsed = parse_text(HEADER + FAULTS * 20000)
    assert len(values(parsed)["fault-both-1"]) == 40000
    assert taken == [1, 2, 3, 4]
    parsed = parse_text(HEADER + FAULTS * 20000 + "fault 0 huge - 1.2 1\n" + FAULTS * 20000)
    assert len(values(parsed)["fault-both-1"]) == 80000
    assert ("bad-line", 40005) in problems(parsed)
    assert len(taken) < 15000


@pytest.mark.parametrize(
    "latency",
    [
        "           5",
        "999999999999",
        "  9999999999",
        " 000000000042",
        "            5",
        "             5",
        "1234567890123",
        "5",
        "  5",
        "    12 3456",
        "          5 ",
        "           -5",
        "         5.5",
    ],
)
@pytest.mark.parametrize("stamp", ["1735990001.4410", "1.2", "160000.123", "0.0", "123456789012345.000001"])
@pytest.mark.parametrize("locality", [" 1", " -1", "", " 12"])
def test_columns_are_read_at_once_only_where_they_stand(latency: str, stamp: str, locality: str) -> None:
    """A line that looks almost like the program's gives the same by both ways, whatever its blanks."""
    text = HEADER + f"fault 0 huge {latency} {stamp}{locality}\n" * 3
    assert by_blocks(text.encode()) == by_lines(text.encode())


def by_blocks(data: bytes, block: int = 1 << 18) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thpscale, "_BLOCK_BYTES", block)
        return described(data)


def by_lines(data: bytes) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thpscale, "_read_faults", lambda lines, regular: None)
        return described(data)


def described(data: bytes) -> str:
    log = RawLog(data, "threads-1.log")
    builder = SampleBuilder(log.name)
    thpscale.parse(log, builder)
    return describe(log, Match.NO, builder.finish())


SOME = ["fault 0 base          901 1735990001.7 1", "fault 0 huge          420 1735990001.42 -1"]
REGULAR = st.builds(
    "fault {} {} {:12d} {}.{}{}".format,
    st.integers(0, 300),
    st.sampled_from(["base", "huge"]),
    st.one_of(st.integers(0, 5000), st.integers(0, 10**12 - 1)),
    st.sampled_from([7, 1735990001, 12345678901]),
    st.integers(0, 999999),
    st.sampled_from([" 1", " 0", " -1"]),
)
ODD = st.one_of(
    st.sampled_from(
        [
            "Running with 2 threads",
            "Running with 300 threads",
            "Using default advice",
            "anoninit 0       150221",
            "open: No such file or directory",
            "fault 0 huge          498 1735990011.88",
            "fault 0 huge        498 1735990011.88 1",
            "fault 1 hugeRunning with 4 threads",
            "fault 0 huge",
            "fault 0 page          610 1735990000.5022 1",
            "fault 0 huge 18446744073708551922 1735990000.4412 1",
            "Killed",
            "",
            "é",
        ]
    ),
    st.text(alphabet="fault huge 019.-\t", max_size=50),
)


@given(
    lines=st.lists(st.one_of(REGULAR, REGULAR, REGULAR, ODD), max_size=30),
    block=st.sampled_from([1, 50, 150, 400]),
    cut=st.integers(0, 60),
)
@example(lines=[*SOME, "fault 1 hugeRunning with 4 threads"], block=1, cut=0)
@example(lines=[*SOME, "fault 0 huge          498 1735990011.88"], block=1, cut=0)
@example(lines=[*SOME, "fault 0 huge", *SOME], block=1, cut=0)
@example(lines=[*SOME, "fault 0 huge 9 1735990011.88 1", *SOME], block=1, cut=0)
def test_both_ways_of_reading_agree(lines: list[str], block: int, cut: int) -> None:
    data = "".join(f"{line}\n" for line in ["Running with 1 thread ", *lines]).encode()
    data = data[: len(data) - cut] if cut < 50 else data
    assert by_blocks(data, block) == by_lines(data)


@given(lines=st.lists(REGULAR, min_size=1, max_size=60), block=st.sampled_from([50, 200, 1000]))
def test_regular_lines_give_their_fourth_field(lines: list[str], block: int) -> None:
    data = "".join(f"{line}\n" for line in ["Running with 1 thread ", *lines]).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thpscale, "_BLOCK_BYTES", block)
        found = values(parse_text(data))
    fields = [line.split() for line in lines]
    huge = [float(words[3]) for words in fields if words[2] == "huge"]
    assert found["fault-both-1"] == [float(words[3]) for words in fields]
    assert found.get("fault-huge-1", []) == huge
    assert found["huge-1"] == [100 * len(huge) / len(lines)]
