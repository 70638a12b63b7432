"""Which plots there are, their names, and which are worth seeing."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import get_args

import numpy as np
import pytest

from compare_kernels import compare
from compare_kernels.model import Metric, Operation
from compare_kernels.plotting.catalogue import Kind, percentile_of, plots_of, worth_seeing
from compare_kernels.plotting.names import distinct, number, rounded, shortened, slug
from compare_kernels.plotting.scales import parameter_scale, value_scale
from compare_kernels.samples import Row
from tests.building import samples_of

from .material import ROOT, built, percentile_plots, plots, sampled, small


def kinds(runs: dict[str, dict[str, list[float]]]) -> list[str]:
    return [plot.kind for plot in plots(runs)]


def test_listing_loads_no_matplotlib() -> None:
    code = (
        "import sys\nfrom compare_kernels.plotting import catalogue, draw, files\n"
        "print(sorted({'matplotlib', 'scipy.stats'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_curve_needs_three_parameters() -> None:
    assert "curve" in [plot.kind for plot in small()]
    assert "curve" not in kinds({"a": {"1": [1.0], "2": [2.0]}, "b": {"1": [1.0], "2": [2.0]}})


def test_each_row_has_its_distribution_and_from_three_runs_on_its_order() -> None:
    assert kinds({"a": {"1": [1.0, 2.0]}, "b": {"1": [1.0]}}) == ["forest", "distribution"]
    assert kinds({"a": {"1": [1.0, 2.0, 3.0]}, "b": {"1": [1.0]}}) == ["forest", "distribution", "order"]
    assert [plot.kind for plot in sampled()] == ["forest", "ecdf", "order"]


def test_monitors_have_no_forest() -> None:
    monitor = Metric("faults", "", "", "none", monitor=True)
    found = plots({"a": {"1": [1.0, 2.0]}, "b": {"1": [3.0, 4.0]}}, monitor)
    assert [plot.kind for plot in found] == ["distribution"]


def test_long_forests_go_on_in_parts_and_many_kernels_get_their_own() -> None:
    rows = {f"op{index}": [1.0, 2.0] for index in range(95)}
    forests = [plot for plot in plots({"a": rows, "b": rows}, benchmark="hackbench") if plot.kind == "forest"]
    assert [plot.slug.rpartition("--")[2] for plot in forests] == ["hackbench", "part2", "part3"]
    assert sum(len(plot.rows) for plot in forests) == 95
    few = {"1": [1.0, 2.0]}
    many = [plot for plot in plots(dict.fromkeys("abcdef", few)) if plot.kind == "forest"]
    assert [plot.kernels for plot in many] == [(1,), (2,), (3,), (4,), (5,)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("50.0th", ("", 50.0)),
        ("99.9th", ("", 99.9)),
        ("READ p95", ("READ", 95.0)),
        ("p99.999", ("", 99.999)),
        ("cpu0 99%", ("cpu0", 99.0)),
        ("100th", None),
        ("READ avg", None),
        ("up95", None),
        ("4", None),
        ("p", None),
    ],
)
def test_percentiles_are_known_by_their_names(name: str, expected: tuple[str, float] | None) -> None:
    row = Row("b", Metric("m", "", "us", "lower"), Operation(f"{name}-1", name, 1.0), {})
    assert percentile_of(row) == expected


def test_percentiles_need_three() -> None:
    assert [plot.kind for plot in percentile_plots()].count("percentiles") == 1
    assert "percentiles" not in kinds({"a": {"50th": [1.0], "99th": [1.0]}, "b": {"50th": [1.0], "99th": [1.0]}})


def test_slugs_are_safe_stable_and_distinct() -> None:
    assert slug("order", "hackbench-process-pipes", "time", "4") == "order--hackbench-process-pipes--time--4"
    hostile = [
        "../../etc",
        "a/b",
        "a b",
        "a-b",
        "",
        ".",
        "..",
        "-",
        "x" * 500,
        "x" * 501,
        "\ud800",
        "a--b",
        "CON",
        "\u00e4",
    ]
    made = [slug("order", text, "m") for text in hostile if text]
    assert len(set(made)) == len(made)
    for text in made:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,129}", text)
        assert not text.endswith(".")
    assert slug("order", "a b", "m") == slug("order", "a b", "m")
    assert slug("order", "a", "b c") != slug("order", "a b", "c")


def test_slugs_do_not_depend_on_other_rows() -> None:
    one = {plot.slug for plot in plots({"a": {"x y": [1.0, 2.0]}, "b": {"x y": [1.0, 3.0]}})}
    rows = {"x y": [1.0, 2.0], "x-y": [1.0, 2.0], "z": [4.0, 5.0]}
    found = [plot.slug for plot in plots({"a": rows, "b": rows})]
    assert one <= set(found)
    assert len(set(found)) == len(found)


def test_worth_seeing_are_the_rows_that_show_something() -> None:
    quiet = [10.0, 10.01, 9.99, 10.0, 10.02, 9.98]
    runs = {
        "base": {"quiet": quiet, "slower": quiet, "noisy": quiet, "drift": quiet * 2},
        "other": {
            "quiet": quiet[::-1],
            "slower": [value * 2 for value in quiet],
            "noisy": [10.0, 5.0, 15.0, 8.0, 13.0, 9.0],
            "drift": [10 + run / 1000 for run in range(12)],
        },
    }
    worth = {(plot.kind, plot.row.operation.name) for plot in worth_seeing(plots(runs)) if plot.kind != "forest"}
    assert {("distribution", "slower"), ("distribution", "noisy"), ("order", "drift")} <= worth
    assert not {kind for kind, name in worth if name == "quiet"}
    assert ("order", "slower") not in worth


def test_worth_seeing_keeps_the_largest_changes_in_their_order() -> None:
    base = {f"row{index}": [10.0, 10.01, 10.02] for index in range(30)}
    other = {name: [value * (2 + index) for value in side] for index, (name, side) in enumerate(base.items())}
    found = plots({"a": base, "b": other})
    worth = worth_seeing(found, most=10)
    assert len(worth) == 10
    names = [plot.row.operation.name for plot in worth if plot.kind == "distribution"]
    assert names == [f"row{index}" for index in range(30 - len(names), 30)]
    assert list(worth) == [plot for plot in found if plot in worth]


def test_names_are_shortened_in_the_middle() -> None:
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert shortened("abcdefghijk", 10) == "abcde\u2026hijk"
    assert len(shortened("x" * 99, 7)) == 7
    texts = distinct(["a" * 50 + "1" + "b" * 50, "a" * 50 + "2" + "b" * 50, "a"], 12)
    assert len(set(texts)) == 3
    assert max(map(len, texts)) == 12


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1500.0, "1500"),
        (0.1 + 0.2, "0.3"),
        (1e7, "1e7"),
        (2.5e-7, "2.5e-7"),
        (float("nan"), "n/a"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_numbers_of_sentences_have_four_digits() -> None:
    assert rounded(1234.567) == "1235"
    assert rounded(0.00123456) == "0.001235"


def test_scales_hold_their_values_and_have_round_ticks() -> None:
    random = np.random.default_rng(3)
    for _ in range(300):
        values = random.normal(random.normal() * 100, 10 ** random.uniform(-6, 6), 5)
        scale = value_scale(values)
        assert ((scale.place(values) >= 0) & (scale.place(values) <= 1)).all()
        assert 2 <= len(scale.ticks) <= 14
        assert all(scale.low <= tick <= scale.high for tick, _ in scale.ticks)
        positive = np.abs(values) + 1e-9
        log = value_scale(positive, log=True)
        assert ((log.place(positive) >= 0) & (log.place(positive) <= 1)).all()
        assert log.ticks
    assert value_scale(np.array([2.0, 10.0])).low == 0
    assert value_scale(np.array([9.0, 10.0])).low > 8
    assert [text for _, text in parameter_scale(np.array([1.0, 2, 4, 64])).ticks] == ["1", "2", "4", "64"]


def test_the_page_names_all_kinds_and_its_example_runs() -> None:
    page = (ROOT / "docs" / "plots.md").read_text()
    assert set(re.findall(r"(?m)^\| `([a-z]+)--", page)) == set(get_args(Kind))
    (code,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    names = {"comparison": compare(samples_of({"a": {"1": [1.0, 1.1, 1.2]}, "b": {"1": [2.0, 2.1, 2.2]}}))}
    exec(compile(code, "plots.md", "exec"), names)
    assert names["drawing"].svg.startswith("<svg")  # type: ignore[attr-defined]


def test_a_row_that_one_kernel_lacks_is_drawn_for_the_others() -> None:
    base = [(Operation("1", "", 1.0), [np.array([1.0, 2.0])])]
    more = [*base, (Operation("2", "", 2.0), [np.array([3.0]), np.array([4.0])])]
    (plot,) = [
        p for p in plots_of(compare(built([base, more]))) if p.kind == "distribution" and p.row.operation.name == "2"
    ]
    assert plot.kernels == (1,)
