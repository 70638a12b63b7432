"""The page: its structure without a browser, and how it works in a real one."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import fields, replace
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from compare_kernels.api import build_report, compare, load, render, render_as
from compare_kernels.cli import main
from compare_kernels.model import Diagnostic, Severity
from compare_kernels.reporting import page
from compare_kernels.reporting.forest import forest, scale_of
from compare_kernels.reporting.page import MOST_BASELINES, Plot, build_page, slug
from compare_kernels.reporting.render import find_style
from compare_kernels.reporting.view import Layout, Report
from tests.building import samples_of

ROOT = Path(__file__).parent.parent
SHOTS = ROOT / "actual" / "screenshots"
RUNS = {
    "base": {"1": [10.0, 10.1, 10.2, 10.1], "2": [20.0, 20.2, 20.1, 20.3], "16": [5.0, 9.0, 1.0, 7.0]},
    "slow": {"1": [12.0, 12.1, 12.2, 12.1], "2": [20.1, 20.2, 20.1, 20.2], "16": [6.0, 8.0, 2.0, 7.0]},
    "fast": {"1": [8.0, 8.1, 8.2, 8.1], "2": [15.0, 15.2, 15.1, 15.3], "16": [5.0, 9.0, 1.0, 8.0]},
}
LONG = "x" * 10_000
HOSTILE = (
    "<script>document.title='owned'</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]>-->",
    "\u202egnirts",
    LONG,
)


class Outline(HTMLParser):
    """Elements of a page: their names and attributes, and whether all are closed."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in {"meta", "input", "br", "link"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("html") / "small.html"
    path.write_text(render(compare(samples_of(RUNS)), "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def samples():
    return load(ROOT / "sample-results/base", ROOT / "sample-results/patched")


@pytest.fixture(scope="module")
def large(samples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("html") / "report.html"
    path.write_text(render(compare(samples), "html"), encoding="utf-8")
    return path


# Structure, without a browser.


def test_a_page_is_one_sound_document_that_loads_nothing(small: Path) -> None:
    text = small.read_text(encoding="utf-8")
    outline = Outline(text)
    assert (outline.wrong, outline.open) == ([], [])
    names = {name for name, _ in outline.elements}
    assert not names & {"link", "iframe", "object", "embed", "base", "img"}
    assert [own for name, own in outline.elements if name == "script"] == [{}]
    addresses = [own[key] for _, own in outline.elements for key in ("src", "href", "action") if key in own]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "url(" not in text
    assert "@import" not in text


def test_links_lead_somewhere_and_targets_are_unique(large: Path) -> None:
    text = large.read_text(encoding="utf-8")
    shown, *alternatives = re.split(r"<template ", text)
    outline = Outline(shown)
    targets = [own["id"] for _, own in outline.elements if "id" in own]
    assert len(targets) == len(set(targets))
    links = {own["href"][1:] for name, own in outline.elements if name == "a"}
    assert links
    assert links <= set(targets)
    assert len(alternatives) == 1
    labelled = {own["aria-labelledby"] for _, own in outline.elements if "aria-labelledby" in own}
    assert labelled <= set(targets)


def test_each_table_has_a_caption_and_each_head_a_scope(large: Path) -> None:
    outline = Outline(large.read_text(encoding="utf-8"))
    names = [name for name, _ in outline.elements]
    assert names.count("table") == names.count("caption") > 50
    assert all(own.get("scope") in {"row", "col", "colgroup"} for name, own in outline.elements if name == "th")


def test_the_page_of_the_samples_is_small(large: Path) -> None:
    assert large.stat().st_size < 2_000_000


def test_the_same_input_gives_the_same_page() -> None:
    pages = {render(compare(samples_of(RUNS)), "html") for _ in range(2)}
    assert len(pages) == 1


def test_ids_are_plain_stable_and_never_shared() -> None:
    assert slug("hackbench-pipes", "time", "4") == "r.hackbench-pipes.time.4"
    odd = [
        ("a.b", "c"),
        ("a", "b.c"),
        ("a b", "c"),
        ("a-b", "c"),
        ("a~b", "c"),
        ("\u4e2d", "c"),
        (LONG, "c"),
        ("", "c"),
    ]
    made = [slug(*parts) for parts in odd]
    assert len(set(made)) == len(odd)
    assert all(re.fullmatch(r"[A-Za-z0-9._~-]{1,120}", one) for one in made)


def test_a_new_baseline_is_what_loading_in_that_order_gives(tmp_path: Path) -> None:
    inputs = [ROOT / f"sample-results/{name}" / part for name in ("base", "patched") for part in ("hackbench",)]
    loaded = load(f"x={inputs[1]}", f"y={inputs[0]}")
    turned = load(f"y={inputs[0]}", f"x={inputs[1]}").with_baseline(1)
    assert turned.kernels == loaded.kernels
    assert turned.whole.drop(columns="source").equals(loaded.whole.drop(columns="source"))
    assert [file.source.kernel for file in turned.files] == [1 - file.source.kernel for file in loaded.files]
    ours, theirs = (compare(one).frame for one in (turned, loaded))
    assert ours.equals(theirs)


def test_a_third_baseline_keeps_the_order_of_the_others() -> None:
    turned = samples_of(RUNS).with_baseline(2)
    assert turned.kernels == ("fast", "base", "slow")
    values = turned.frame.groupby(["operation", "kernel"], observed=True)["value"].first().unstack()
    assert values.loc["1"].tolist() == [8.0, 10.0, 12.0]
    assert list(values.columns) == ["fast", "base", "slow"]


def test_baselines_are_precomputed_up_to_six_kernels() -> None:
    def views(count: int) -> int:
        comparison = compare(samples_of({f"k{index}": RUNS["base"] for index in range(count)}))
        return len(build_report(comparison, find_style("html")).views)

    assert views(MOST_BASELINES) == MOST_BASELINES
    assert views(MOST_BASELINES + 1) == 1


def test_a_page_that_would_be_too_large_has_one_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = compare(samples_of(RUNS))
    monkeypatch.setattr(page, "MOST_CELLS", 3 * 3 * 3)
    assert len(build_report(comparison, find_style("html")).views) == 3
    monkeypatch.setattr(page, "MOST_CELLS", 3 * 3 * 3 - 1)
    assert len(build_report(comparison, find_style("html")).views) == 1


def test_a_forest_has_zero_in_the_middle_and_says_what_is_cut() -> None:
    scale = scale_of([(-1.0, 0.5, 2.0), (-2.0, -1.0, 1.0), (-900.0, -400.0, 100.0)])
    assert scale.limit == 10
    assert "arrow" in scale.text
    assert forest((0.0, 0.0, 0.0), scale).at == "60.0"
    cut = forest((-900.0, -400.0, 10.0), scale)
    assert (cut.low, cut.high, cut.at, cut.cut_low, cut.cut_high) == ("6.0", "114.0", "6.0", True, False)
    assert forest((float("nan"), 1.0, 2.0), scale) is None
    assert scale_of([]).text == ""
    assert scale_of([(0.0, 0.0, 0.0)]).limit == 1


@pytest.mark.parametrize("number", [1e-300, 1.0, 5.0, 5.1, 999.0, 1e300, 1.7e308])
def test_a_scale_reaches_whatever_it_has_to(number: float) -> None:
    scale = scale_of([(-number, 0.0, number)])
    assert number <= scale.limit or scale.limit >= 1e308
    drawn = forest((-number, 0.0, number), scale)
    assert float(drawn.low) >= 0
    assert float(drawn.high) <= 120


def test_a_plot_stands_in_its_table_as_it_is() -> None:
    comparison = compare(samples_of(RUNS))
    style = find_style("html")
    plot = Plot("runs", "Runs <1>", '<svg id="p"><title>a &lt; b</title></svg>', 'all "runs"')
    report = build_report(comparison, style)
    built = build_page(comparison, report_of(report), Layout(), {next(iter(comparison.samples.metrics)): (plot,)})
    text = render_as(built, style, Layout())
    assert text.count(plot.svg) == 1
    assert "<figcaption>Runs &lt;1&gt;</figcaption>" in text
    assert 'aria-label="all &#34;runs&#34;"' in text


def report_of(built):
    """The report that a page was made of."""
    return Report(**{field.name: getattr(built, field.name) for field in fields(Report)})


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.html"
    inputs = [str(ROOT / "sample-results" / name / "hackbench") for name in ("base", "patched")]
    arguments = [*inputs, "--style", "html", "-o", str(target), "--title", "A & B", "--ascii", "--width", "80"]
    assert main(arguments) == 0
    text = target.read_text(encoding="ascii")
    assert "<h1>A &amp; B</h1>" in text
    assert "&#8722;" in text


def test_only_changed_without_any_row_is_said() -> None:
    same = {"a": RUNS["base"], "b": RUNS["base"]}
    text = render(compare(samples_of(same)), "html", layout=Layout(only_changed=True))
    assert "No row regressed or improved." in text


# In a browser.


def _browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    # Whatever wants to leave the machine meets a closed port.
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "proxy-server=127.0.0.1:9",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


@pytest.fixture(scope="module")
def chromium():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        reason = "needs chromium and chromedriver (Debian: chromium, chromium-driver)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    driver = _browser()
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium):
    """A browser in its usual state, whatever the test before did; afterwards nothing must have been complained of."""
    size(chromium, 1280)
    scheme(chromium, "light")
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    chromium.get_log("browser")
    chromium.get_log("performance")
    yield chromium
    assert chromium.get_log("browser") == []


def size(driver, width: int, height: int = 1000) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def scheme(driver, name: str) -> None:
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]}
    )


def visit(driver, path: Path, target: str = "") -> None:
    driver.get("about:blank")
    driver.get(path.as_uri() + (f"#{target}" if target else ""))


def choose(driver, name: str, value: str) -> None:
    Select(driver.find_element(By.ID, name)).select_by_value(value)


def shown_rows(driver) -> list[list[str]]:
    """Texts of the visible rows of results."""
    return driver.execute_script(
        "return [...document.querySelectorAll('.data tbody tr')].filter(row => row.getClientRects().length)"
        ".map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )


def names(driver) -> list[str]:
    return [row[0] for row in shown_rows(driver)]


def test_it_opens_from_disk_and_asks_nobody(browser, large: Path) -> None:
    visit(browser, large)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert {address for address in asked if address != "about:blank"} == {large.as_uri()}


def test_the_numbers_are_those_of_the_report(browser, samples, large: Path) -> None:
    visit(browser, large)
    comparison = compare(samples)
    report = build_report(comparison, find_style("mmtests"))
    expected = []
    for table in report.tables:
        for row in table.rows:
            texts = [row.operation.name]
            for index, side in enumerate(row.sides):
                mean = side.cells["mean"]
                texts += [mean.text, f"{side.cv:.2f}" if side.n > 1 else ""]
                if index and not table.metric.monitor:
                    texts += [f"{mean.percent}{'%' * (mean.percent != 'n/a')}", side.verdict, side.interval]
            expected.append(texts)
    found = [[re.sub(r"^[\u2212+=?\u00d7] ", "", text) for text in row] for row in shown_rows(browser)]
    assert found == expected


def test_the_texts_are_those_of_the_style_mmtests(browser, samples, large: Path) -> None:
    visit(browser, large)
    whole = render(compare(samples), "mmtests")
    texts = browser.execute_script("return [...document.querySelectorAll('pre')].map(one => one.textContent)")
    assert len(texts) == len(build_report(compare(samples), find_style("mmtests")).tables)
    assert all(f"{text}\n" in whole for text in texts)


def test_columns_sort_up_down_and_back(browser, small: Path) -> None:
    visit(browser, small)
    before = names(browser)
    assert before == ["1", "2", "16"]
    heads = browser.find_elements(By.CSS_SELECTOR, ".data th[data-sort] button")

    def cells(column: int) -> list[float]:
        return [float(re.match(r"\[?(-?[\d.]+)", row[column])[1]) for row in shown_rows(browser)]

    for column, head in enumerate(heads[1:], start=1):
        order = []
        for direction in ("ascending", "descending", None):
            head.send_keys(Keys.ENTER)
            assert head.find_element(By.XPATH, "..").get_attribute("aria-sort") == direction
            order.append(names(browser))
        if "verdict" not in head.text:
            head.send_keys(Keys.ENTER)
            assert cells(column) == sorted(cells(column))
            head.send_keys(Keys.ENTER)
            assert cells(column) == sorted(cells(column), reverse=True)
            head.send_keys(Keys.ENTER)
        assert order[2] == before
    heads[0].click()
    assert names(browser) == ["1", "2", "16"]
    heads[0].click()
    assert names(browser) == ["16", "2", "1"]


def test_filters_by_text_and_verdict(browser, large: Path) -> None:
    visit(browser, large)
    total = len(names(browser))
    box = browser.find_element(By.ID, "filter")
    box.send_keys("hackbench SOCKETS")
    assert 0 < len(names(browser)) < total
    assert browser.find_element(By.ID, "shown").text == f"{len(names(browser))} of {total} rows"
    box.clear()
    box.send_keys(" ")
    choose(browser, "verdict", "regressed")
    rows = shown_rows(browser)
    assert rows
    assert all("\u2212 regressed" in row for row in rows)
    choose(browser, "verdict", "regressed improved")
    assert len(rows) < len(names(browser)) < total
    choose(browser, "verdict", "")
    assert len(names(browser)) == total


def test_the_baseline_can_be_chosen(browser, small: Path) -> None:
    visit(browser, small)
    first = shown_rows(browser)
    choose(browser, "baseline", "2")
    turned = compare(samples_of({name: RUNS[name] for name in ("fast", "base", "slow")}))
    report = build_report(turned, find_style("mmtests"))
    side = report.tables[0].rows[0].sides[2]
    row = shown_rows(browser)[0]
    assert row[-3] == f"{side.cells['mean'].percent}%" != first[0][-3]
    assert row[-2].endswith(side.verdict)
    assert row[-1] == side.interval
    assert "slow against fast" in browser.find_element(By.ID, "summary").text
    text = browser.find_element(By.TAG_NAME, "pre").get_attribute("textContent")
    assert f"{text}\n" in render(turned, "mmtests")
    browser.find_elements(By.CSS_SELECTOR, ".data th button")[0].click()
    choose(browser, "baseline", "0")
    assert shown_rows(browser) == first


def test_values_can_be_absolute_normalised_or_percent(browser, small: Path) -> None:
    visit(browser, small)
    columns = {}
    for value in ("absolute", "normalised", "percent"):
        choose(browser, "values", value)
        columns[value] = shown_rows(browser)[0]
    assert [columns[value][1] for value in columns] == ["10.10", "1.000", "0.00%"]
    assert [columns[value][3] for value in columns] == ["12.10", "1.198", "-19.80%"]


def test_colours_follow_the_system_or_the_switch(browser, small: Path) -> None:
    def background() -> str:
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    visit(browser, small)
    light = background()
    choose(browser, "theme", "dark")
    dark = background()
    assert dark != light
    scheme(browser, "dark")
    choose(browser, "theme", "")
    assert background() == dark
    choose(browser, "theme", "light")
    assert background() == light


def test_a_link_leads_to_its_row_even_if_a_filter_hides_it(browser, large: Path) -> None:
    target = "r.schbench.wakeup-latency"
    visit(browser, large, target)
    top = browser.execute_script("return document.querySelector(':target').getBoundingClientRect().top")
    assert 0 <= top < 1000
    row = browser.execute_script("return document.querySelector('#hackbench, [id^=\"r.hackbench\"] tbody tr').id")
    browser.find_element(By.ID, "filter").send_keys("specjvm")
    browser.execute_script("location.hash = arguments[0]", row)
    time.sleep(0.2)
    box = browser.execute_script("return document.getElementById(arguments[0]).getBoundingClientRect().top", row)
    assert 0 <= box < 1000
    assert browser.find_element(By.ID, "filter").get_attribute("value") == ""


def test_a_table_is_copied_as_text(browser, small: Path) -> None:
    visit(browser, small)
    permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": permissions})
    button = browser.find_element(By.CSS_SELECTOR, ".copy")
    button.click()
    time.sleep(0.2)
    copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")
    assert copied == browser.find_element(By.TAG_NAME, "pre").get_attribute("textContent") + "\n"
    assert "Amean" in copied


def test_all_is_readable_without_script(browser, large: Path) -> None:
    visit(browser, large)
    rows = shown_rows(browser)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    visit(browser, large)
    assert browser.find_elements(By.CSS_SELECTOR, "html.js") == []
    assert shown_rows(browser) == rows
    assert not browser.find_element(By.CSS_SELECTOR, ".tools").is_displayed()
    assert not browser.find_element(By.CSS_SELECTOR, ".copy").is_displayed()
    browser.find_element(By.CSS_SELECTOR, "details.text summary").click()
    assert browser.find_element(By.CSS_SELECTOR, "details.text pre").is_displayed()


def test_hostile_texts_are_inert_and_visible(browser, tmp_path: Path) -> None:
    runs = {f"{kernel}{HOSTILE[0]}": dict.fromkeys(HOSTILE, values)
            for kernel, values in (("a", [1.0, 1.1, 1.2]), ("b", [2.0, 2.1, 2.2]))}  # fmt: skip
    comparison = compare(samples_of(runs, benchmark=HOSTILE[1]))
    said = tuple(Diagnostic(Severity.WARNING, "odd", text, text, 1) for text in HOSTILE)
    comparison = replace(comparison, diagnostics=said)
    path = tmp_path / "hostile.html"
    title = "</title><script>document.title='owned'</script>"
    path.write_text(render(comparison, "html", layout=Layout(title=title)), encoding="utf-8")
    visit(browser, path)
    assert browser.title == title
    assert browser.execute_script("return document.querySelectorAll('img, script:not(head script)').length") == 0
    assert sorted(names(browser)) == sorted("?gnirts" if text.startswith("\u202e") else text for text in HOSTILE)
    said_text = browser.execute_script("return document.getElementById('diagnostics').innerText")
    assert all(text in said_text for text in HOSTILE if not text.startswith("\u202e"))
    for width in (400, 1280):
        size(browser, width)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    choose(browser, "baseline", "1")
    assert browser.title == title


_CONTRAST = r"""
function channels(text) { return text.match(/[\d.]+/g).map(Number); }
function luminance(rgb) {
  const [r, g, b] = rgb.slice(0, 3).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
}
const low = [];
for (const one of document.body.querySelectorAll("*")) {
  if (![...one.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !one.getClientRects().length) continue;
  let under = one, back;
  do { back = channels(getComputedStyle(under).backgroundColor); under = under.parentElement; }
  while (under && back[3] === 0);
  const [a, b] = [luminance(channels(getComputedStyle(one).color)), luminance(back)];
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) low.push(one.outerHTML.slice(0, 80) + " " + ratio.toFixed(2));
}
return low;
"""


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible(browser, large: Path, tmp_path: Path, colours: str) -> None:
    scheme(browser, colours)
    visit(browser, large)
    assert browser.execute_script(_CONTRAST) == []
    # The rules take their time; one benchmark has all that a page is made of.
    inputs = [ROOT / "sample-results" / name / "schbench" for name in ("base", "patched")]
    path = tmp_path / "one.html"
    path.write_text(render(compare(load(*inputs)), "html"), encoding="utf-8")
    visit(browser, path)
    browser.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    browser.execute_script(axe)
    browser.set_script_timeout(120)
    found = browser.execute_async_script(
        "axe.run({resultTypes: ['violations']}).then(found => arguments[0](found.violations.map("
        "one => [one.impact, one.id, one.nodes.length, one.nodes[0].html.slice(0, 150)])))"
    )
    assert [one for one in found if one[0] in {"serious", "critical"}] == []


def test_all_controls_are_reached_by_keyboard(browser, small: Path) -> None:
    visit(browser, small)
    reached = []
    for _ in range(14):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        active = browser.switch_to.active_element
        reached.append(active.get_attribute("id") or active.get_attribute("class") or active.tag_name)
        outline = active.value_of_css_property("outline-style")
        assert outline != "none", reached
    assert reached[:6] == ["skip", "filter", "verdict", "baseline", "values", "theme"]


@pytest.mark.parametrize("width", [400, 1280, 2560, 3840])
def test_it_fits_any_width(browser, large: Path, width: int) -> None:
    size(browser, width)
    visit(browser, large)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    SHOTS.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(SHOTS / f"{width}-top.png"))
    visit(browser, large, "r.schbench")
    browser.save_screenshot(str(SHOTS / f"{width}-table.png"))
    scheme(browser, "dark")
    visit(browser, large, "r.hackbench-process-pipes")
    browser.save_screenshot(str(SHOTS / f"{width}-dark.png"))
    shifts = browser.execute_async_script(
        "const done = arguments[0]; new PerformanceObserver(list => done("
        "list.getEntries().reduce((sum, one) => sum + one.value, 0)))"
        ".observe({type: 'layout-shift', buffered: true});"
        "setTimeout(() => done(0), 300)"
    )
    assert shifts < 0.01


def test_large_data_stays_small_and_quick(browser, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows, count = (200, 30) if os.environ.get("CAMPAIGN") else (50, 4)
    runs = {
        f"kernel-{kernel}": {f"operation-{row}": (100 + random.normal(0, 3, count)).tolist() for row in range(rows)}
        for kernel in range(20)
    }
    comparison = compare(samples_of(runs))
    path = tmp_path / "large.html"
    path.write_text(render(comparison, "html"), encoding="utf-8")
    assert path.stat().st_size < (5_000_000 if rows == 200 else 2_000_000)
    visit(browser, path)
    assert not browser.find_elements(By.ID, "baseline")
    spent = browser.execute_script(
        "const begun = performance.now(), box = document.getElementById('filter');"
        "box.value = '-4'; box.dispatchEvent(new Event('input'));"
        "document.querySelectorAll('.data th button')[3].click(); document.body.offsetHeight;"
        "return performance.now() - begun"
    )
    assert len(names(browser)) == 11
    # Half a second here; ten times that is no slow machine any more.
    assert spent < 5000


def test_headings_are_nested() -> None:
    """Headings go down by one level at a time."""
    outline = Outline(render(compare(samples_of(RUNS)), "html"))
    levels = [int(name[1]) for name, _ in outline.elements if re.fullmatch(r"h\d", name)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
