"""The byte-compatible styles where there is no reference: other reports, ratios, chance, strange numbers."""

from __future__ import annotations

import gzip
import lzma
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compare_kernels import Rules, Selection, load, render
from compare_kernels.api import compare_for
from compare_kernels.errors import UsageError
from compare_kernels.parsers.hackbench import TIME
from compare_kernels.reporting.mmtests.choice import ERAS
from compare_kernels.reporting.mmtests.statistics import describe, fitting_deviation, intervals_between
from compare_kernels.reporting.mmtests.subselection import subselected
from compare_kernels.reporting.render import builtin_styles, find_style
from compare_kernels.reporting.view import Layout
from compare_kernels.samples import Group, Samples

from .building import samples_of
from .test_oracle import ORACLE

LOGS = Path(__file__).parent / "logs"
STYLES = ["mmtests-2020", "mmtests-2026"]
values = st.one_of(st.floats(0, 1e12), st.sampled_from([0.0, 5e-324, 1e-300, 1e300, 1.7e308]))


def printed(samples: Samples, style: str, *metrics: str, sub_heading: str = "", ratio: bool = False) -> str:
    comparison = compare_for(find_style(style), samples, Selection((), metrics, sub_heading), Rules())
    return render(comparison, style, layout=Layout(ratio=ratio))


def rows(text: str) -> dict[str, list[str]]:
    """The label and the operation of each line to what stands behind them."""
    return {" ".join(line.split()[:2]): line.split()[2:] for line in text.splitlines()[2:]}


def dbench(name: str) -> Samples:
    tree = ORACLE / name / "tree"
    return load(*(tree / kernel for kernel in ("5.8-vanilla", "5.8-bfq")))


def test_dbench_latencies_of_each_second() -> None:
    found = rows(printed(dbench("dbench4-opslatency-2020"), "mmtests-2020", "interval-latency"))
    assert found["Min latency-1"][3] == "2.85"
    assert found["Max latency-1"][3] == "16.61"
    assert "BAmean-99 latency-32" in found


def test_dbench_parts_drawn_by_the_seed() -> None:
    text = printed(dbench("dbench4-tput-2020"), "mmtests-2020")
    assert text == printed(dbench("dbench4-tput-2020"), "mmtests-2020")
    found = rows(text)
    assert list(dict.fromkeys(row.split()[0] for row in found)) == [
        *("Min", "Amean", "Stddev", "CoeffVar", "Max", "SubAmean", "SubmeanCI")
    ]
    for clients in ("1", "4", "16"):
        middle, part, half = (float(found[f"{row} {clients}"][0]) for row in ("Amean", "SubAmean", "SubmeanCI"))
        assert abs(part - middle) < half


def test_parts_vary_between_runs_and_with_the_seed() -> None:
    values = np.arange(1.0, 101.0)
    runs = np.repeat([0, 1], 50).astype(np.int32)
    apart = subselected(Group(0, values, runs), "arithmetic", 0)
    alike = subselected(Group(0, values, np.zeros(100, np.int32)), "arithmetic", 0)
    assert apart["sub_ci"] > 2 * alike["sub_ci"]
    assert abs(alike["sub_mean"] - 50.5) < 1
    assert alike != subselected(Group(0, values, np.zeros(100, np.int32)), "arithmetic", 1)
    assert subselected(Group(0, np.array([7.0]), np.zeros(1, np.int32)), "arithmetic", 0) == {
        "sub_mean": 7.0,
        "sub_ci": 0.0,
    }


def thpscale() -> Samples:
    log = LOGS / "thpscale" / "thpchallenge" / "threads-3.log"
    return load(f"a={log}", f"b={log}")


@pytest.mark.parametrize(("style", "row"), [("mmtests-2020", "Percentage"), ("mmtests-2026", "Amean")])
def test_local_and_remote_faults(style: str, row: str) -> None:
    found = rows(printed(thpscale(), style, "percentage-local"))
    kinds = ("local-base", "local-huge", "remote-base", "remote-huge", "uncertain")
    assert [name for name in found if name.startswith(row)] == [f"{row} {kind}-3" for kind in kinds]
    assert float(found[f"{row} local-huge-3"][0]) + float(found[f"{row} remote-huge-3"][0]) == 100


def test_more_remote_faults_are_worse(tmp_path: Path) -> None:
    for kernel, places in (("base", "1 1 1 0"), ("other", "1 0 0 0")):
        lines = [f"fault 0 huge          100 1600990000.100000 {place}" for place in places.split()]
        (tmp_path / kernel / "thpscale").mkdir(parents=True)
        text = "\n".join(["Running with 1 threads", "anoninit 0      8051621", *lines, ""])
        (tmp_path / kernel / "thpscale" / "threads-1.log").write_text(text)
    found = rows(printed(load(tmp_path / "base", tmp_path / "other"), "mmtests-2020", "percentage-local"))
    assert found["Percentage local-huge-1"] == ["75.00", "(", "0.00%)", "25.00", "(", "-66.67%)"]
    assert found["Percentage remote-huge-1"] == ["25.00", "(", "0.00%)", "75.00", "(-200.00%)"]


def test_sub_headings_of_2026_ask_for_their_table() -> None:
    tree = ORACLE / "tbench-all-head" / "tree"
    samples = load(tree / "6.9-vanilla", tree / "6.9-sched")
    assert all(row.startswith("Ops op-") for row in rows(printed(samples, "mmtests-2026", sub_heading="op")))
    assert "Pctile.99 op-Close-1" in rows(printed(samples, "mmtests-2026", sub_heading="op-Close"))


def test_throughput_has_its_own_means_where_it_stands_alone() -> None:
    tree = ORACLE / "tbench-all-head" / "tree"
    samples = load(tree / "6.9-vanilla", tree / "6.9-sched")
    alone = rows(printed(samples, "mmtests-2026", sub_heading="tput"))
    mixed = rows(printed(samples, "mmtests-2026"))
    assert alone["Hmean tput-1"][-1] == "-19.79%*"
    assert mixed["Amean tput-1"][-1] == "-19.81%*"
    assert "HStddev tput-1" in alone


def test_ratios_are_refused_where_there_are_none() -> None:
    samples = samples_of({"a": {"1": [1.0, 2.0]}, "b": {"1": [2.0, 3.0]}}, TIME)
    for name, style in builtin_styles().items():
        comparison = compare_for(style, samples, Selection(), Rules())
        if name in STYLES:
            assert "Gmean Lower" in render(comparison, name, layout=Layout(ratio=True))
        else:
            with pytest.raises(UsageError, match=rf"style {name} has no table for --ratio.*mmtests-2026"):
                render(comparison, name, layout=Layout(ratio=True))


@pytest.mark.parametrize("style", STYLES)
def test_ratio_to_zero_or_nothing_is_left_out_of_the_means(style: str) -> None:
    runs = {
        "a": {"1": [1.0, 2.0], "2": [0.0, 0.0], "4": [1.0, 2.0]},
        "b": {"1": [2.0, 4.0], "2": [1.0, 1.0]},
    }
    lines = printed(samples_of(runs, TIME), style, ratio=True).splitlines()
    assert [line.endswith("n/a (n/a) (n/a)") for line in lines] == [False] * 3 + [True] * 2 + [False] * 4
    assert lines[-1].split() == ["Gmean", "Lower", "1.0000", "2.0000"]
    assert lines[-1].endswith(" " * 17)


def test_times_of_zero_have_no_ratio_but_rates_do() -> None:
    runs = {"a": {"1": [1.0, 2.0]}, "b": {"1": [0.0, 0.0]}}
    assert "n/a (n/a) (n/a)" in printed(samples_of(runs, TIME), "mmtests-2020", ratio=True)
    # A rate of zero: see the case specjvm-ratio-zero-2020.


def test_means_over_rows_of_both_directions() -> None:
    tree = ORACLE / "schbench-wakeup-head" / "tree"
    samples = load(tree / "6.9-vanilla", tree / "6.9-eevdf")
    lines = printed(samples, "mmtests-2026", ratio=True).splitlines()
    found = {line.split()[1]: float(line.split(")")[2].split()[0]) for line in lines if line.startswith("Ratio ")}
    assert any(name.startswith("RPS") for name in found)
    better = [1 / value if name.startswith("RPS") else value for name, value in found.items()]
    assert math.isclose(float(lines[-1].split()[-1]), math.prod(better) ** (1 / len(better)), abs_tol=0.01)
    distances = {line.split()[1]: float(line.split("(")[-1][:-2]) for line in lines if line.startswith("Ratio ")}
    lower = [-value if name.startswith("RPS") else value for name, value in distances.items()]
    assert math.isclose(float(lines[-4].split()[-1]), sum(lower) / len(lower), abs_tol=0.01)


@pytest.mark.parametrize("style", STYLES)
def test_a_kernel_alone(style: str) -> None:
    text = printed(samples_of({"5.8-x": {"1": [1.0, 2.0]}}, TIME), style)
    assert re.search(r"(?m)^Amean +(time-)?1 +1\.5000 \(   0\.00%\)$", text)


@pytest.mark.parametrize(
    ("name", "style"), [("tbench-loadfile-head", "mmtests-2026"), ("thpscale-4kernels", "mmtests-2020")]
)
@pytest.mark.parametrize("ending", ["", ".xz"])
def test_compression_makes_no_difference(name: str, style: str, ending: str, tmp_path: Path) -> None:
    tree = ORACLE / name / "tree"
    kernels = sorted(path.name for path in tree.iterdir())
    for path in tree.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            content = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(content)
            plain = path.with_suffix("") if path.suffix in {".gz", ".xz"} else path
            target = tmp_path / f"{plain.relative_to(tree)}{ending}"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(lzma.compress(content) if ending else content)
    again = printed(load(*(tmp_path / kernel for kernel in kernels)), style)
    assert again == printed(load(*(tree / kernel for kernel in kernels)), style)


def test_harmonic_deviation_by_hand() -> None:
    # 1/u is 1, 1/2 and 1/4: their mean is 7/12, the mean square of the differences 7/72.
    deviation, middle = fitting_deviation(np.array([4.0, 2.0, 1.0]), "harmonic")
    assert math.isclose(middle, 12 / 7)
    assert math.isclose(deviation, (12 / 7) ** 2 * math.sqrt(7 / 72))


@given(numbers=st.lists(values, min_size=1, max_size=4))
@pytest.mark.parametrize("era", STYLES)
def test_any_rates_are_described(era: str, numbers: list[float]) -> None:
    revision = ERAS[era]
    with np.errstate(all="ignore"):
        sides = [
            describe(np.array(of), "higher", "harmonic", revision.kinds["many"], revision.deviation)
            for of in (numbers, [1.0, 2.0])
        ]
        revision.differs(*sides)
        revision.distance(*sides)
    assert set(sides[0].statistics) == set(revision.kinds["many"])


def test_intervals_do_not_shrink_with_the_number_of_samples() -> None:
    keys = ERAS["mmtests-2026"].kinds["many"]
    sides = [
        describe(np.tile([m - 1, m, m + 1], 100), "lower", "arithmetic", keys, fitting_deviation) for m in (10, 11)
    ]
    assert 0.3 < intervals_between(*sides) < 0.32


@settings(max_examples=15 if settings().max_examples < 100 else 300)
@given(data=st.data())
@pytest.mark.parametrize("style", STYLES)
def test_any_numbers_give_a_table(style: str, data: st.DataObject) -> None:
    runs = {
        kernel: {name: data.draw(st.lists(values, min_size=1, max_size=3)) for name in ("1", "2")}
        for kernel in ("a", "b", "c")
    }
    for ratio in (False, True):
        text = printed(samples_of(runs, TIME), style, ratio=ratio)
        assert "nan" not in text
        assert "inf" not in text


def test_operations_appear_as_in_the_logs() -> None:
    samples = thpscale()
    names = [name for _, metric, name in samples.appeared if metric == "fault-latency"]
    assert names == ["fault-huge-3", "fault-both-3", "fault-base-3"]
