"""What is drawn is what was measured; the same bytes everywhere; nothing but a picture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from compare_kernels.model import Metric
from compare_kernels.plotting.draw import draw, file_content
from compare_kernels.plotting.lines import ecdf
from compare_kernels.plotting.palette import COLOURS, look_of
from compare_kernels.summarise import run_values

from .material import ROOT, only, percentile_plots, plots, sampled, small
from .svg_reading import Picture, described

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compare_kernels.plotting.catalogue import Plot

EACH = {
    "forest": lambda: only(small(), "forest"),
    "curve": lambda: only(small(), "curve"),
    "distribution": lambda: only(small(), "distribution", "4"),
    "order": lambda: only(small(), "order", "4"),
    "percentiles": lambda: only(percentile_plots(), "percentiles"),
    "ecdf": lambda: only(sampled(), "ecdf"),
}
kinds = pytest.mark.parametrize("kind", EACH)


def picture(plot: Plot) -> Picture:
    return Picture(draw(plot).svg)


def runs_of(plot: Plot, kernel: int) -> np.ndarray:
    return run_values(plot.row.groups[kernel], plot.row.metric)


@kinds
def test_structure(kind: str, golden: Callable[[str, str], None]) -> None:
    drawing = draw(EACH[kind]())
    golden(f"plots/{kind}.txt", f"{drawing.alt}\n{described(drawing.svg)}")


@kinds
def test_title_and_axes_say_what_they_show(kind: str) -> None:
    plot = EACH[kind]()
    drawn = picture(plot)
    assert drawn.texts("title") == [plot.title]
    axes = drawn.texts("x-label") + drawn.texts("y-label")
    if kind == "forest":
        assert any("percent" in text and "positive is better" in text for text in axes)
    else:
        assert any("Latency in us" in text and "lower is better" in text for text in axes)


@kinds
def test_nothing_but_a_picture(kind: str) -> None:
    svg = draw(EACH[kind]()).svg
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" ')
    assert re.findall(r"https?:[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(?:style|script|metadata|image|foreignObject|!)", svg)
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', svg))
    identifiers = re.findall(r' id="([^"]*)"', svg)
    assert len(set(identifiers)) == len(identifiers)
    assert {link[1:] for link in re.findall(r'href="([^"]*)"', svg)} <= set(identifiers)
    assert not re.search(r"\d\.\d{3,}", re.sub(r"<(?:desc|text)[^>]*>[^<]*", "", svg))
    assert len(svg) < 60_000


def test_identifiers_differ_between_drawings() -> None:
    found = [set(re.findall(r' id="([^"]*)"', draw(make()).svg)) for make in EACH.values()]
    assert len(set.union(*found)) == sum(map(len, found))


@pytest.mark.parametrize("operation", ["1", "4"])
def test_dots_are_the_runs(operation: str) -> None:
    for kind, axis in (("distribution", "x"), ("order", "y")):
        plot = only(small(), kind, operation)
        drawn = picture(plot)
        for kernel in (0, 1):
            dots = drawn.dots(f"kernel-{kernel} dots")[:, "xy".index(axis)]
            assert drawn.along(axis, dots) == pytest.approx(runs_of(plot, kernel), abs=0.02)


def test_the_order_is_that_of_the_iterations() -> None:
    plot = only(small(), "order", "2")
    drawn = picture(plot)
    numbers = drawn.along("x", drawn.dots("kernel-1 dots")[:, 0])
    assert numbers == pytest.approx(plot.row.groups[1].runs, abs=0.02)


def test_the_box_ends_at_the_quartiles() -> None:
    plot = only(small(), "distribution", "4")
    drawn = picture(plot)
    ends = drawn.along("x", drawn.path("kernel-1 box")[:2, 0])
    assert ends == pytest.approx(np.quantile(runs_of(plot, 1), [0.25, 0.75]), abs=0.02)
    middle = drawn.along("x", drawn.path("kernel-1 median")[:, 0])
    assert middle == pytest.approx([np.median(runs_of(plot, 1))] * 2, abs=0.02)


def test_boxes_and_outlines_need_runs() -> None:
    few = plots({"a": {"1": [1.0, 2, 3]}, "b": {"1": [2.0] * 3 + list(range(2, 9))}})
    drawn = picture(only(few, "distribution"))
    assert not drawn.of_class("kernel-0 box")
    assert not drawn.of_class("kernel-0 violin")
    assert drawn.of_class("kernel-1 box")
    assert drawn.of_class("kernel-1 violin")


def test_the_curve_goes_through_the_means_and_the_band_along_the_intervals() -> None:
    plot = only(small(), "curve")
    drawn = picture(plot)
    for kernel in (0, 1):
        means = [plot.facts.means[row.key, kernel] for row in plot.rows]
        dots = drawn.dots(f"kernel-{kernel} dots")
        assert drawn.along("y", dots[:, 1]) == pytest.approx([item.mean for item in means], abs=0.05)
        assert drawn.along("x", dots[:, 0]) == pytest.approx([1, 2, 4], abs=0.02)
        band = drawn.along("y", drawn.path(f"kernel-{kernel} band")[:3, 1])
        assert band == pytest.approx([item.interval[0] for item in means], abs=0.05)


def test_percentiles_stand_where_a_nine_more_is_a_step() -> None:
    drawn = picture(only(percentile_plots(), "percentiles"))
    x, y = drawn.dots("kernel-0 dots").T
    assert (x[2] - x[1]) / (x[1] - x[0]) == pytest.approx(1 / np.log10(50), abs=0.01)
    assert drawn.along("y", y, log=True) == pytest.approx(
        [np.mean([10 ** (index + run / 50) for run in range(5)]) for index in range(3)], rel=0.02
    )
    assert any("log scale" in text for text in drawn.texts("y-label"))


def test_ecdf_equals_the_count_of_smaller_values() -> None:
    plot = only(sampled(), "ecdf")
    drawn = picture(plot)
    for kernel in (0, 1):
        values = np.sort(plot.row.groups[kernel].values)
        corners = drawn.path(f"kernel-{kernel} ecdf")
        x, y = drawn.along("x", corners[:, 0], log=True), drawn.along("y", corners[:, 1])
        assert len(corners) <= 1000
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) >= -1e-9).all()
        upper = slice(1, None, 2)
        low, high = (
            100 * np.searchsorted(values, x[upper] * factor, "right") / len(values) for factor in (0.995, 1.005)
        )
        assert (y[upper] >= low - 0.1).all()
        assert (y[upper] <= high + 0.1).all()
        assert y[-1] == pytest.approx(100, abs=0.02)


@pytest.mark.parametrize("count", [1, 2, 9, 50, 51, 1000, 1_000_000])
def test_points_of_an_ecdf_are_exact_and_few(count: int) -> None:
    random = np.random.default_rng(count)
    for values in (random.lognormal(3, 2, count), random.integers(0, 7, count).astype(float)):
        ordered = np.sort(values)
        x, y = ecdf(ordered, 50)
        assert len(x) <= 50
        assert (np.diff(x) > 0).all()
        assert y.tolist() == (np.searchsorted(ordered, x, "right") / count).tolist()
        assert x[-1] == ordered[-1]


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_forest_shows_each_change(better: Literal["lower", "higher"]) -> None:
    runs = {"base": {"1": [10.0, 10.3, 10.6, 9.9]}, "patched": {"1": [13.0, 13.9, 13.4, 12.8]}}
    plot = only(plots(runs, Metric("m", "", "us", better)), "forest")
    drawn = picture(plot)
    for index, row in enumerate(plot.rows):
        change = plot.facts.changes[row.key, 1]
        (point,) = drawn.dots(f"line-{index} point {change.verdict}")
        assert drawn.along("x", point[:1]) == pytest.approx([change.change], abs=0.2)
        ends = drawn.along("x", drawn.path(f"line-{index} interval")[:, 0])
        assert ends == pytest.approx(change.interval, abs=0.2)
    margin = drawn.along("x", drawn.path("margin")[:2, 0])
    assert sorted(margin) == pytest.approx([-1, 1], abs=0.2)
    assert drawn.texts("legend") == ["regressed" if better == "lower" else "improved"]


def test_verdicts_differ_in_shape() -> None:
    runs = {
        "base": {"1": [10.0, 10.1, 10.2], "2": [10.0, 10.1, 10.2], "3": [10.0, 14.0, 8.0], "4": [1.0, 2.0]},
        "other": {"1": [20.0, 20.1, 20.2], "2": [5.0, 5.1, 5.2], "3": [12.0, 7.0, 9.0]},
    }
    drawn = picture(only(plots(runs), "forest"))
    shapes = []
    for word in ("regressed", "improved", "undecided"):
        (group,) = [found for found in drawn.of_class("point") if word in found.get("class", "").split()]
        shapes.append(next(drawn.paths(group)))
    assert len(set(shapes)) == 3
    assert drawn.texts("none") == ["missing"]
    assert "4: missing." in draw(only(plots(runs), "forest")).alt


def test_a_kernel_looks_the_same_everywhere_and_twenty_differ() -> None:
    looks = [look_of(kernel) for kernel in range(20)]
    assert len({(look.colour, look.marker) for look in looks}) == 20
    assert len({(look.colour, look.dash) for look in looks}) == 20
    for kind in ("curve", "order", "distribution"):
        (group,) = picture(EACH[kind]()).of_class("kernel-1 dots")
        assert {element.get("fill") for element in group.iter()} >= {COLOURS[1]}


def test_twenty_kernels_have_a_legend_that_fits() -> None:
    runs = {
        f"kernel-{k}-of-the-twenty": {str(n): [n + k + run / 9 for run in range(30)] for n in (1, 2, 4)}
        for k in range(20)
    }
    found = plots(runs)
    for kind in ("curve", "order", "distribution"):
        drawing = draw(only(found, kind))
        drawn = Picture(drawing.svg)
        assert len(set(drawn.texts("legend" if kind != "distribution" else "kernel"))) == 20
        assert len(drawing.svg) < 75_000
        for element in drawn.root.iter():
            if element.tag.endswith(("text", "use")):
                assert 0 <= float(element.get("x", "0")) <= drawing.width
                assert 0 <= float(element.get("y", "0")) <= drawing.height


def test_no_log_scale_for_zero_and_below() -> None:
    for least in (0.0, -1.0):
        found = plots({"a": {"1": [least, 1000.0, 5.0]}, "b": {"1": [1.0, 1000.0, 5.0]}})
        for kind in ("distribution", "order"):
            drawn = picture(only(found, kind))
            assert not any("log scale" in text for text in drawn.all_texts())
    wide = plots({"a": {"1": [1.0, 1000.0]}, "b": {"1": [1.0, 1000.0]}})
    assert any("log scale" in text for text in picture(only(wide, "distribution")).all_texts())


@pytest.mark.parametrize(
    "values",
    [
        [0.0],
        [1.0],
        [0.0, 0.0, 0.0],
        [-1.0, -2.0, 3.0],
        [1e308, -1e308, 1e-320],
        [1e-320, 2e-320],
        [1.0] * 12,
        [5.0] * 10 + [5.0 + 1e-15],
        [1e-300, 1e200] * 8,
        [1e15 + run for run in range(11)],
        [5e-324] * 3 + [-5e-324] * 3,
        [1e249, -1e249, 1.0, 2.0],
    ],
    ids=str,
)
def test_any_numbers_can_be_drawn(values: list[float]) -> None:
    rows = {"1": values, "2": values, "4": values}
    for plot in plots({"a": rows, "b": {**rows, "8": [1.0]}}):
        drawing = draw(plot)
        assert "nan" not in re.sub(r"<(?:desc|title)>[^<]*", "", drawing.svg)
        assert "inf" not in re.sub(r"<(?:desc|title)>[^<]*", "", drawing.svg)


def test_what_cannot_be_drawn_is_said() -> None:
    found = plots({"a": {"1": [1e300, 1.0, 2.0]}, "b": {"1": [1.0, 2.0, 3.0]}})
    assert "a: 3 runs, median 1.5, from 1 to 2, 1 not drawn." in draw(only(found, "distribution")).alt
    assert "1 not drawn" in draw(only(found, "order")).alt


HOSTILE = [
    "<script>alert(1)</script>",
    "]]>",
    "$x^2$",
    "_hidden",
    "\\frac{$",
    "\u202e\x00\x1b[31m",
    '&amp; "q" \'',
    "\u4e2d\u6587",
]


def test_hostile_names_are_texts() -> None:
    runs = {name: {other: [1.0, 2.0 + index, 3.0] for index, other in enumerate(HOSTILE)} for name in HOSTILE}
    metric = Metric("m$", "<b>$\\", "u$]]>", "none", parameter="$c$")
    for plot in plots(runs, metric, "<i>$"):
        drawing = draw(plot)
        assert "<script" not in drawing.svg
        assert "]]>" not in drawing.svg
        texts = Picture(drawing.svg).all_texts()
        if plot.kind == "distribution":
            assert {"_hidden", "$x^2$", "]]>", "<script>alert(1)</script>", "\\frac{$"} <= set(texts)
        assert not any(ord(char) < 32 or char == "\u202e" for text in texts for char in text)


@pytest.mark.parametrize("name", ["n" * 10_000, "\u4e2d" * 10_000])
def test_long_names_lose_their_middle_but_not_in_the_words(name: str) -> None:
    runs = {"base": {name: [1.0, 2.0, 3.0]}, name + "x": {name: [2.0, 3.0, 5.0]}, name + "y": {name: [1.0, 2.0, 4.0]}}
    for plot in plots(runs, benchmark="b"):
        drawing = draw(plot)
        assert max(map(len, Picture(drawing.svg).all_texts())) < 100
        assert name + "y" in drawing.alt
        assert len(plot.slug) <= 130
        assert len(drawing.alt) < 70_000


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {root!r})
import compare_kernels
from compare_kernels.plotting.catalogue import plots_of
from compare_kernels.plotting.draw import draw, file_content
root = {root!r} + "/sample-results/"
samples = compare_kernels.load(root + "base/thpscale-frag", root + "patched/thpscale-frag")
seen = set()
for plot in plots_of(compare_kernels.compare(samples)):
    if plot.kind not in seen:
        seen.add(plot.kind)
        contents = [file_content(plot, kind) for kind in ("svg", "png", "pdf")]
        print(plot.slug, *(hashlib.sha256(content).hexdigest() for content in contents))
"""


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key != "MPLCONFIGDIR"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**kept, **environment},
    )


def test_same_bytes_in_every_process_and_nothing_in_the_home_directory(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    temporary = tmp_path / "tmp"
    (other / ".config" / "matplotlib").mkdir(parents=True)
    (other / ".config" / "matplotlib" / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\n")
    for folder in (home, temporary):
        folder.mkdir()
    code = SCRIPT.format(root=str(ROOT))
    environment = {"TMPDIR": str(temporary), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
    first = in_a_process(code, PYTHONHASHSEED="1", HOME=str(home), **environment)
    home.chmod(0o500)
    second = in_a_process(code, PYTHONHASHSEED="2", HOME=str(other), TZ="Asia/Tokyo", LC_ALL="C", **environment)
    assert first.stdout == second.stdout
    assert len(first.stdout.splitlines()) == 5
    assert first.stderr == second.stderr == ""
    assert list(home.iterdir()) == []
    assert [path.name for path in other.rglob("*") if path.is_file()] == ["matplotlibrc"]


def test_settings_of_the_caller_change_nothing_and_stay() -> None:
    import matplotlib as mpl

    plot = EACH["curve"]()
    plain = draw(plot).svg
    with mpl.rc_context({"lines.linewidth": 7, "font.size": 30, "svg.fonttype": "path", "text.usetex": False}):
        assert draw(plot).svg == plain
        assert mpl.rcParams["lines.linewidth"] == 7
        assert mpl.rcParams["svg.fonttype"] == "path"


@pytest.mark.parametrize(("kind", "begin"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg")])
def test_formats_are_what_they_say_and_hold_no_date(kind: str, begin: bytes) -> None:
    content = file_content(EACH["forest"](), kind)  # type: ignore[arg-type]
    assert content.startswith(begin)
    assert b"CreationDate" not in content
    assert b"atplotlib" not in content


def test_the_font_is_the_one_that_comes_with_matplotlib() -> None:
    from pathlib import Path

    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont

    from compare_kernels.plotting.engine import FONT

    assert Path(findfont(FontProperties(family=FONT))).is_relative_to(mpl.get_data_path())
