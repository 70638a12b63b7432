"""What the styles print: golden files on the sample results, and what must hold for any names and numbers."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compare_kernels import compare, load, render
from compare_kernels.reporting.names import split_kernel_name
from compare_kernels.reporting.render import builtin_styles
from compare_kernels.reporting.view import Layout

from .building import LATENCY, RATE, rendered, samples_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.comparison import Comparison

ROOT = Path(__file__).parent.parent
TEXT_STYLES = [
    name for name, style in builtin_styles().items() if not style.html and not style.rules and not style.write
]

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=40).filter(str.strip)
values = st.one_of(st.floats(0, 1e12), st.sampled_from([0.0, 1.0, 1e-9, 1e15, 123456.789]))


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(load(f"base={ROOT}/sample-results/base", f"patched={ROOT}/sample-results/patched"))


@pytest.mark.parametrize(
    "style", [name for name, style in builtin_styles().items() if not (style.write or style.is_page)]
)
def test_sample_results(style: str, comparison: Comparison, golden: Callable[[str, str], None]) -> None:
    golden(f"styles/{style}.txt", render(comparison, style))


@pytest.mark.parametrize("style", [name for name, style in builtin_styles().items() if style.write])
def test_a_small_comparison_as_data(style: str, golden: Callable[[str, str], None]) -> None:
    runs = {"base": {"1": [1.0, 1.5, 1.25], "2": [2.0]}, "new": {"1": [1.125, 1.0, 1.25], "4": [3.0]}}
    golden(f"styles/{style}.txt", render(compare(samples_of(runs)), style))


def test_percent_is_the_posted_table() -> None:
    folder = Path(__file__).parent / "specjvm-3-kernels"
    samples = load(*(folder / kernel for kernel in ("base", "patched", "patched-active")))
    assert render(compare(samples), "percent") == (folder / "posted.txt").read_text()


def test_normalized_has_the_widths_of_the_posted_table() -> None:
    """The posted lines and ours differ in their digits only: each number becomes a 0, then they have to be equal."""
    posted = """\
==================================================================
Test          : tbench
Units         : Normalized throughput
Interpretation: Higher is better
Statistic     : HMean
==================================================================
Clients:      tip[pct imp](CV)  swqueue_v1[pct imp](CV)  noshard[pct imp](CV)  shard_wakeup[pct imp](CV)
       1  1.00 [  0.00]( 0.46)     0.99 [ -1.33]( 0.94)  0.98 [ -1.65]( 0.37)       1.00 [ -0.23]( 0.15)
      16  1.00 [  0.00]( 2.50)     1.00 [  0.34]( 1.34)  0.97 [ -2.96]( 1.17)       0.97 [ -2.88]( 1.85)
    1024  1.00 [  0.00]( 0.44)     0.99 [ -0.98]( 0.43)  0.77 [-23.18]( 5.24)       0.82 [-17.83]( 0.70)
"""
    shifts = {"tip": 1.0, "swqueue_v1": 0.99, "noshard": 0.77, "shard_wakeup": 1.06}
    runs = {
        name: {clients: [100 * shift, 101 * shift, 99.5 * shift] for clients in ("1", "16", "1024")}
        for name, shift in shifts.items()
    }
    ours = rendered(runs, "normalized", RATE, legend=False)

    def shape(text: str) -> list[str]:
        return [re.sub(r"\[ *-?\d+", "[ N", re.sub(r"\( *\d+", "( N", line)) for line in text.splitlines()]

    def widths(text: str) -> list[list[int]]:
        return [[match.end() for match in re.finditer(r"\]|\)", line)] for line in text.splitlines()]

    actual = ours.split("\n\n")[0] + "\n"
    assert widths(actual)[6:] == widths(posted)[6:]
    assert shape(actual)[0:1] + shape(actual)[2:7] == shape(posted)[0:1] + shape(posted)[2:7]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("thp-base1", ("thp", "base1")),
        ("5.9.0-rc6-vanilla", ("5.9.0-rc6", "vanilla")),
        ("5.9-rc10-x", ("5.9-rc10", "x")),
        ("5.9.0-rc6", ("5.9.0-rc6", "")),
        ("5.8-a-b", ("5.8", "a-b")),
        ("base", ("", "base")),
        ("-rest", ("", "rest")),
        ("5.9-rcu-fix", ("5.9", "rcu-fix")),
        ("5.9-rc6x-y", ("5.9", "rc6x-y")),
    ],
)
def test_kernel_names_on_two_lines(name: str, lines: tuple[str, str]) -> None:
    assert split_kernel_name(name) == lines


def test_missing_zero_and_single_values_are_na() -> None:
    runs = {"base": {"1": [0.0, 0.0], "2": [5.0], "4": [3.0, 4.0]}, "new": {"1": [1.0, 2.0], "2": [4.0]}}
    text = rendered(runs, "mmtests")
    lines = {line[:11].strip(): line for line in text.splitlines()}
    assert lines["Amean     1"].endswith("0.00 (   0.00%)        1.50 (     n/a)")
    assert lines["Amean     4"].endswith("3.50 (   0.00%)         n/a (     n/a)")
    assert lines["Stddev    2"].endswith("n/a (     n/a)         n/a (     n/a)")
    assert "* " not in lines["Amean     2"]
    normalized = rendered(runs, "normalized")
    assert " n/a [   n/a]" in normalized
    assert "nan" not in (text + normalized).lower()


def test_equal_kernels_change_nothing() -> None:
    text = rendered({"a": {"1": [1.0, 2.0]}, "b": {"1": [1.0, 2.0]}}, "mmtests")
    assert text.count("(   0.00%)") == 16


@settings(max_examples=400 if os.environ.get("CAMPAIGN") else 15)
@given(kernels=st.lists(names, min_size=2, max_size=4, unique=True), data=st.data())
def test_nothing_collides_whatever_the_names_and_values(kernels: list[str], data: st.DataObject) -> None:
    metric = data.draw(st.sampled_from([LATENCY, RATE]))
    operations = data.draw(st.lists(names, min_size=1, max_size=3, unique=True))
    runs = {
        kernel: {
            name: data.draw(st.lists(values, min_size=1, max_size=3))
            for name in operations
            if kernel == kernels[0] or data.draw(st.booleans()) or name == operations[0]
        }
        for kernel in kernels
    }
    for style in TEXT_STYLES:
        text = rendered(runs, style, metric)
        assert text.endswith("\n")
        assert "nan" not in re.sub(r"[^\s]*nan[^\s]*", _known(kernels, operations), text.lower())
        for line in text.splitlines():
            assert line == line.rstrip(" \t")
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f\x1b\u202e]", line)
    _check_columns(rendered(runs, "mmtests", metric), len(kernels))


def _known(kernels: list[str], operations: list[str]) -> Callable[[re.Match[str]], str]:
    given_names = "".join([*kernels, *operations]).lower()
    return lambda match: "" if match[0] in given_names or "nan" in given_names else match[0]


def _check_columns(text: str, kernels: int) -> None:
    """Every row ends at the same place, and has a value and a percentage for each kernel."""
    rows = [line for line in text.splitlines() if re.match(r"(Min|[AHB]+mean(-\d+)?|Stddev|CoeffVar|Max) ", line)]
    assert len({len(row) for row in rows}) == 1
    pair = re.compile(r" (n/a|-?\d+(\.\d+)?(e[+-]\d+)?) (\(|\*) *(n/a|-?\d+\.\d+%|-?\d\.\d+e[+-]\d+%)(\)|\*)")
    for row in rows:
        assert len(pair.findall(row)) >= kernels


@given(st.data())
def test_swapping_base_and_patched_flips_every_sign(data: st.DataObject) -> None:
    metric = data.draw(st.sampled_from([LATENCY, RATE]))
    numbers = st.lists(st.integers(0, 1000).map(float), min_size=1, max_size=4)
    runs = {
        kernel: {name: data.draw(numbers) for name in ("1", "2", "3") if name == "1" or data.draw(st.booleans())}
        for kernel in ("a", "b")
    }
    from .building import samples_of

    there = compare(samples_of(runs, metric)).frame
    back = compare(samples_of(dict(reversed(runs.items())), metric)).frame
    keys = ["benchmark", "metric", "operation", "statistic"]
    pairs = there.merge(back, on=keys, suffixes=("", "_back"))
    assert len(pairs) == len(there) == len(back)
    for pair in pairs.itertuples():
        if pair.delta_pct == pair.delta_pct and pair.delta_pct_back == pair.delta_pct_back:
            assert (pair.delta_pct > 0) == (pair.delta_pct_back < 0)
            assert (pair.delta_pct == 0) == (pair.delta_pct_back == 0)
        assert pair.significant == pair.significant_back


KERNELS = {name: {"1": [100.0, 101.0, 99.5], "16": [90.0, 91.0, 92.0]} for name in ("base", "v1", "v2", "v3", "v4")}
# The robot's rule of 89 characters and the tabs of the other are what these styles are made of.
NARROW = [style for style in TEXT_STYLES if style not in {"lkp", "baseline", "markdown", "summary", "environment"}]


@pytest.mark.parametrize("style", NARROW)
def test_blocks_of_kernels_fit_into_the_width(style: str) -> None:
    samples = samples_of(KERNELS)
    wide = render(compare(samples), style, layout=Layout(summary=False))
    narrow = render(compare(samples), style, layout=Layout(summary=False, width=78))
    assert max(map(len, narrow.splitlines())) <= 78
    for kernel in KERNELS:
        assert len(re.findall(rf"\b{kernel}\b", narrow)) >= len(re.findall(rf"\b{kernel}\b", wide)) > 0
    if style in {"mmtests", "percent", "normalized"}:
        assert narrow != wide
        assert len(re.findall(r"\bbase\b", narrow)) > len(re.findall(r"\bv4\b", narrow))


def test_as_many_kernels_as_fit_stand_in_a_block() -> None:
    text = render(compare(samples_of(KERNELS)), "normalized", layout=Layout(width=78))
    heads = [line for line in text.splitlines() if line.startswith("Clients:")]
    assert [head.count("[pct imp]") for head in heads] == [3, 3]


@pytest.mark.parametrize("style", TEXT_STYLES)
@settings(max_examples=400 if os.environ.get("CAMPAIGN") else 20)
@given(kernels=st.lists(names, min_size=2, max_size=4, unique=True), operation=names, benchmark=names)
def test_rules_for_mails_hold_whatever_the_names(
    style: str, kernels: list[str], operation: str, benchmark: str
) -> None:
    runs = {kernel: {operation: [1.0, 2.0, 1.5], "2": [9.0, 9.5]} for kernel in kernels}
    comparison = compare(samples_of(runs, benchmark=benchmark))
    text = render(comparison, style, layout=Layout(width=78, ascii=True, mail=True))
    assert text.isascii()
    assert "\r" not in text
    if style != "markdown":
        for line in text.split("\n"):
            assert not re.match(r"---|diff -|From |#|>", line), line
    assert not re.search(r"[ \t]\n", text)
    assert style in {"baseline", "ministat"} or "\t" not in text
