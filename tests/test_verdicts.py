"""Verdicts from files to words: margins, settings, odd data, summary, explanation, calibration."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from compare_kernels import Rules, compare, load
from compare_kernels.api import calibrate, explain, render
from compare_kernels.config import MetricRules, find_config, read_rules
from compare_kernels.errors import NothingToCompareError, UsageError

from .building import LATENCY, RATE, rendered, samples_of
from .test_cli import run
from .test_reading import hackbench, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from compare_kernels.comparison import Comparison

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample-results"


def means(comparison: Comparison) -> pd.DataFrame:
    return comparison.frame[comparison.frame["statistic"] == "mean"]


def judged(base: Sequence[float], other: Sequence[float], rules: Rules | None = None) -> Mapping[str, object]:
    frame = means(compare(samples_of({"a": {"1": base}, "b": {"1": other}}), rules=rules))
    (record,) = frame.to_dict("records")
    return {str(key): value for key, value in record.items()}


STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2]
NAN = math.nan


@pytest.mark.parametrize(
    ("base", "other", "verdict", "reason"),
    [
        # A latency that falls by a tenth, one that rises, one that stays.
        (STEADY, [value * 0.9 for value in STEADY], "improved", "significant-beyond-margin"),
        (STEADY, [value * 1.1 for value in STEADY], "regressed", "significant-beyond-margin"),
        (STEADY * 4, STEADY * 4, "unchanged", "interval-inside-margin"),
        (STEADY, [value * 1.006 for value in STEADY], "undecided", "not-significant"),
        (STEADY * 9, [value * 1.0095 for value in STEADY] * 9, "undecided", "significant-within-margin"),
        # One value is no sample; a run more on one side doesn't help.
        ([100.0], [50.0], "undecided", "not-testable"),
        ([100.0], [50.0, 51.0], "undecided", "not-testable"),
        ([100.0, 101.0], [50.0, 51.0, 50.5, 50.2, 50.1], "improved", "significant-beyond-margin"),
        # No spread: equal is unchanged, different wants ranks, of which there have to be four.
        ([5.0] * 3, [5.0] * 3, "unchanged", "interval-inside-margin"),
        ([5.0] * 3, [6.0] * 3, "undecided", "not-testable"),
        ([5.0] * 5, [6.0] * 5, "regressed", "significant-beyond-margin"),
        # Zeros and negative values: from a baseline of 0 or below there is no percentage.
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], "unchanged", "interval-inside-margin"),
        ([0.0, 0.0, 0.0], [0.0, 0.1, 0.0], "undecided", "no-percentage"),
        ([0.0, 0.0, 0.1, 0.0], [5.0, 6.0, 5.5, 5.2], "regressed", "significant-beyond-margin"),
        ([-1.0, -2.0, -1.5], [5.0, 6.0, 5.5], "undecided", "no-percentage"),
        (STEADY, [], "missing", "no-value"),
    ],
)
def test_verdict_and_reason(base: list[float], other: list[float], verdict: str, reason: str) -> None:
    if not other:
        comparison = compare(samples_of({"a": {"1": base, "2": base}, "b": {"2": base}}))
        record = means(comparison).to_dict("records")[0]
    else:
        record = dict(judged(base, other))
    assert (record["verdict"], record["reason"]) == (verdict, reason)


def test_nan_and_infinity_in_logs_are_left_out(tmp_path: Path) -> None:
    log = "Throughput {} MB/sec  4 clients  4 procs  max_latency=1.000 ms\n"
    for kernel, numbers in {"a": ["100", "101", "nan", "inf"], "b": ["90", "91", "1e400", "90.5"]}.items():
        write(tmp_path / kernel, {f"tbench-run{i}": log.format(number) for i, number in enumerate(numbers)})
    comparison = compare(load(tmp_path / "a", tmp_path / "b"))
    record = means(comparison).query("metric == 'throughput'").to_dict("records")[0]
    assert (record["runs_base"], record["runs_other"]) == (2, 3)
    assert math.isfinite(record["delta_pct"])
    assert sum(diagnostic.slug == "failed-run" for diagnostic in comparison.diagnostics) == 3


def test_the_margin_decides_what_matters(tmp_path: Path) -> None:
    other = [value * 1.05 for value in STEADY]
    assert judged(STEADY, other)["verdict"] == "regressed"
    assert judged(STEADY, other, Rules(margin=10))["verdict"] == "unchanged"
    special = Rules(metric={"hackbench/lat*": MetricRules(margin=10)})
    assert judged(STEADY, other, special)["verdict"] == "unchanged"


def test_swapping_the_kernels_mirrors_the_verdict() -> None:
    for metric in (LATENCY, RATE):
        words = []
        for names in (("a", "b"), ("b", "a")):
            runs = {"a": {"1": STEADY}, "b": {"1": [value * 1.1 for value in STEADY]}}
            frame = means(compare(samples_of({name: runs[name] for name in names}, metric)))
            words.append(frame["verdict"].iloc[0])
        assert sorted(words) == ["improved", "regressed"]


def test_every_test_and_unit(tmp_path: Path) -> None:
    other = [value * 0.9 for value in STEADY]
    for test in ("welch", "mann-whitney", "permutation", "paired"):
        record = judged(STEADY, other, Rules(test=test))  # type: ignore[arg-type]
        assert record["verdict"] == "improved", test
        assert record["ci_low"] <= 10 <= record["ci_high"] or record["change_pct"] == pytest.approx(10)  # type: ignore[operator]
    fault = "Running with 1 thread\n\n" + "".join(f"fault 0 huge {400 + i} 1.{i} 0\n" for i in range(20))
    for kernel in "ab":
        write(tmp_path / kernel, {f"run-{i}/threads-1.log": fault for i in range(3)})
    samples = load(tmp_path / "a", tmp_path / "b")
    units = {
        unit: set(means(compare(samples, rules=Rules(unit=unit)))["tested"])  # type: ignore[arg-type]
        for unit in ("auto", "run", "sample")
    }
    assert units["auto"] == units["run"] == {"run"}
    assert "sample" in units["sample"]
    single = load(tmp_path / "a" / "run-0", tmp_path / "b" / "run-1")
    assert "sample" in set(means(compare(single))["tested"])
    assert set(means(compare(single, rules=Rules(unit="run")))["tested"]) == {"none"}


def test_pairs_are_runs_of_one_number(tmp_path: Path) -> None:
    for kernel, factor, numbers in (("a", 1.0, (1, 3, 4, 5, 6, 7, 8)), ("b", 0.97, range(1, 9))):
        write(tmp_path / kernel, {f"hackbench-run{i}": hackbench(factor * i) for i in numbers})
    record = means(compare(load(tmp_path / "a", tmp_path / "b"), rules=Rules(test="paired"))).to_dict("records")[0]
    assert record["p"] == pytest.approx(0.015625)
    assert record["change_pct"] == pytest.approx(3, abs=0.05)


def test_a_metric_without_direction_gets_no_praise_and_no_blame() -> None:
    neutral = replace(LATENCY, better="none")
    frame = means(compare(samples_of({"a": {"1": STEADY}, "b": {"1": [value * 2 for value in STEADY]}}, neutral)))
    assert frame[["verdict", "reason"]].values.tolist() == [["undecided", "no-direction"]]


def test_the_bootstrap_interval_is_had_on_request() -> None:
    base = [100.0, 103.0, 99.0, 100.5, 107.5, 100.2, 101.0, 98.4, 99.9, 102.0]
    other = [value * 0.9 for value in base]
    plain, booted = judged(base, other), judged(base, other, Rules(interval="bca"))
    assert booted["change_pct"] == pytest.approx(10.0)
    assert booted["p"] == plain["p"]
    assert (booted["ci_low"], booted["ci_high"]) != (plain["ci_low"], plain["ci_high"])
    assert 6 < float(str(booted["ci_low"])) < 10 < float(str(booted["ci_high"])) < 14
    higher = means(compare(samples_of({"a": {"1": base}, "b": {"1": other}}, RATE), rules=Rules(interval="bca")))
    assert float(higher["ci_high"].iloc[0]) == pytest.approx(-float(str(booted["ci_low"])))
    comparison = compare(samples_of({"a": {"1": base}, "b": {"1": other}}), rules=Rules(interval="bca"))
    assert "(BCa bootstrap)" in explain(comparison, "1")


def test_with_few_runs_the_interval_stays_that_of_the_test_and_says_so() -> None:
    samples = samples_of({"a": {"1": STEADY}, "b": {"1": [value * 0.9 for value in STEADY]}})
    plain, booted = (compare(samples, rules=Rules(interval=interval)) for interval in ("test", "bca"))
    assert means(plain)["ci_low"].tolist() == means(booted)["ci_low"].tolist()
    assert "no-bootstrap" in {diagnostic.slug for diagnostic in booted.diagnostics}
    with pytest.raises(UsageError, match="not pairs"):
        compare(samples, rules=Rules(interval="bca", test="paired"))


def test_extremes_are_compared_by_ranks() -> None:
    worst = replace(LATENCY, extreme=True)
    samples = samples_of({"a": {"1": STEADY}, "b": {"1": [value * 2 for value in STEADY[:-1]] + [9000.0]}}, worst)
    exact = 2 / math.comb(12, 6)
    for test in ("welch", "permutation", "mann-whitney"):
        comparison = compare(samples, rules=Rules(test=test))
        assert means(comparison)["p"].tolist() == pytest.approx([exact])
        assert "test       mann-whitney on runs" in explain(comparison, "1")
        assert "exact rank-sum test" in render(comparison)


def test_monitors_are_shown_and_not_judged() -> None:
    samples = samples_of({"a": {"1": [5.0, 6.0]}, "b": {"1": [50.0, 60.0]}}, replace(LATENCY, monitor=True))
    comparison = compare(samples)
    (record,) = means(comparison).to_dict("records")
    assert (record["base"], record["value"]) == (5.5, 55.0)
    assert math.isnan(record["p"])
    assert comparison.frame["verdict"].isna().all()
    assert not [diagnostic for diagnostic in comparison.diagnostics if diagnostic.slug != "no-result"]
    assert "not tested" in explain(comparison, "1")
    assert "not tested" in render(comparison)


def test_pairs_are_counted_as_pairs_and_say_what_they_can_see() -> None:
    base = [100.0, 140.0, 99.0, 120.5, 87.5, 110.2, 95.0, 104.0]
    other = [
        value * factor for value, factor in zip(base, (1.01, 1.0, 1.02, 0.99, 1.0, 1.01, 1.0, 1.02), strict=True)
    ]
    comparison = compare(samples_of({"a": {"1": base}, "b": {"1": other}}), rules=Rules(test="paired"))
    (record,) = means(comparison).to_dict("records")
    deviation = 100 * np.diff(np.log([base, other]), axis=0).std(ddof=1)
    # By the noncentral t distribution 8 pairs see 1.1554 deviations of the differences with power 0.8.
    assert record["detectable_pct"] == pytest.approx(1.1554 * deviation, rel=1e-3)
    text = render(comparison, "summary")
    assert "n 8 pairs" in text
    assert f"needs {record['runs_needed']:.0f} pairs" in text


def test_a_metric_that_nobody_measures_is_an_error() -> None:
    samples = samples_of({"a": {"1": STEADY}, "b": {"1": STEADY}})
    compare(samples, rules=Rules(metric={"wakeup-latency": MetricRules(margin=3.0)}))
    with pytest.raises(UsageError, match=r"\[metric.wakeup-latncy\]; did you mean wakeup-latency"):
        compare(samples, rules=Rules(metric={"wakeup-latncy": MetricRules(margin=3.0)}))


def test_correction_is_over_the_whole_report() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    runs = {kernel: {str(i): rng.normal(100, 5, 5).tolist() for i in range(20)} for kernel in ("a", "b")}
    samples = samples_of(runs)
    tables = {name: means(compare(samples, rules=Rules(correction=name))) for name in ("none", "bh", "holm", "by")}  # type: ignore[arg-type]
    assert (tables["none"]["p"] == tables["none"]["p_adjusted"]).all()
    assert (tables["bh"]["p_adjusted"] >= tables["bh"]["p"]).all()
    assert (tables["holm"]["p_adjusted"] >= tables["bh"]["p_adjusted"] - 1e-12).all()
    assert (tables["by"]["p_adjusted"] >= tables["bh"]["p_adjusted"]).all()


def test_base_against_itself_changes_nothing() -> None:
    comparison = compare(load(SAMPLES / "base", SAMPLES / "base"))
    assert not set(means(comparison)["verdict"]) & {"regressed", "improved", "missing"}


def test_doubled_times_regress_and_nothing_else_does(tmp_path: Path) -> None:
    for path in SAMPLES.joinpath("base").rglob("*"):
        if path.is_file():
            copy = tmp_path / "slow" / path.relative_to(SAMPLES / "base")
            copy.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            if path.parent.name == "hackbench":
                lines = data.decode().splitlines()
                doubled = [
                    f"Time: {2 * float(line.split()[1]):.3f}" if line.startswith("Time:") else line for line in lines
                ]
                data = ("\n".join(doubled) + "\n").encode()
            copy.write_bytes(data)
    frame = means(compare(load(SAMPLES / "base", tmp_path / "slow")))
    hack = frame["benchmark"].astype(str).str.startswith("hackbench")
    assert set(frame[hack]["verdict"]) == {"regressed"}
    assert not set(frame[~hack]["verdict"]) & {"regressed", "improved"}


def test_noisy_runs_are_undecided_and_say_what_they_need() -> None:
    frame = means(compare(load(SAMPLES / "base", SAMPLES / "patched")))
    open_rows = frame[(frame["verdict"] == "undecided") & (frame["tested"] == "run")]
    assert len(open_rows) > 20
    assert (open_rows["detectable_pct"] > 0).all()
    assert open_rows["runs_needed"].notna().mean() > 0.9


def test_summary_gives_the_answer_in_ten_lines(tmp_path: Path) -> None:
    for kernel, factor in {"base": 1.0, "patched": 1.2}.items():
        files = {f"hackbench-{i}": hackbench(factor * (2 + i / 100)) for i in range(8)}
        write(tmp_path / kernel, dict(files))
    lines = run("base", "patched", cwd=tmp_path).stdout.splitlines()
    assert lines[:2] == ["patched against base, 1 row:", "1 regressed"]
    assert lines[2].startswith("Worst: -20.0")
    assert lines[2].endswith("n 8/8  hackbench-process 4")
    assert lines[6].split() == ["benchmark", "regr", "impr", "same", "open", "miss", "mean", "ratio", "(rows)"]
    assert lines[7].startswith("hackbench-process    1")
    plain = run("base", "patched", "--no-summary", cwd=tmp_path).stdout
    assert plain.startswith("hackbench-process\n")


def test_summary_is_at_most_78_wide_where_names_allow() -> None:
    text = run("sample-results/base", "sample-results/patched", "--style", "summary", cwd=ROOT).stdout
    wide = [line for line in text.splitlines() if len(line) > 78 and not line.startswith("Also")]
    assert wide == []


def test_long_names_of_benchmarks_keep_the_summary_narrow() -> None:
    name = "a-benchmark-with-a-name-that-would-push-everything-else-off-the-page"
    samples = samples_of({"a": {"1": STEADY}, "b": {"1": STEADY}}, benchmark=name)
    text = render(compare(samples), "summary")
    assert f"\n{name} hackbench\n" in text
    assert max(map(len, text.splitlines())) <= 78


def test_only_changed_and_sort() -> None:
    arguments = ("sample-results/base", "sample-results/patched", "-b", "schbench", "--no-summary")
    changed = run(*arguments, "--only-changed", "--metric", "rps", cwd=ROOT).stdout
    assert "50.0th-2" in changed
    assert "50.0th-1" not in changed
    rows = [line for line in run(*arguments, "--sort", "change", cwd=ROOT).stdout.splitlines() if "Amean" in line]
    percents = [
        float(line.rsplit("(" if "(" in line[-12:] else "*", 1)[1].strip("%)*")) if "(" in line[-12:] else None
        for line in rows
    ]
    assert len(percents) == len(rows)
    by_name = run(*arguments, "--sort", "name", "--metric", "wakeup-latency", cwd=ROOT).stdout
    named = [line.split()[1] for line in by_name.splitlines() if line.startswith("Amean")]
    assert named == sorted(named)


def test_only_changed_says_so_if_nothing_did(tmp_path: Path) -> None:
    done = run("sample-results/base", "sample-results/base", "--only-changed", "--style", "percent", cwd=ROOT)
    assert done.stdout == "No row regressed or improved.\n\n"


def test_explain_tells_all_in_words() -> None:
    done = run("sample-results/base", "sample-results/patched", "--explain", "recv-1024", cwd=ROOT)
    for words in (
        "netperf-UDP_STREAM Throughput recv-1024: Mbit/s, higher is better",
        "base: 805.95",
        "patched against base",
        "BHmean-95",
        "welch on runs, n 5/5",
        "tested rows of this report (bh)",
        "regressed: adjusted p",
        "estimated change is larger than the margin of 1 %",
    ):
        assert words in done.stdout
    assert done.returncode == 0
    missing = run("sample-results/base", "sample-results/patched", "--explain", "recv", cwd=ROOT)
    assert missing.returncode == 2
    assert "no operation 'recv'; there are: " in missing.stderr


def test_every_reason_has_words() -> None:
    cases: list[tuple[list[float], list[float]]] = [
        (STEADY, [value * 0.9 for value in STEADY]),
        (STEADY * 4, STEADY * 4),
        (STEADY, [value * 1.006 for value in STEADY]),
        (STEADY * 9, [value * 1.0095 for value in STEADY] * 9),
        ([100.0], [50.0]),
        ([-1.0, -2.0, -1.5], [5.0, 6.0, 5.5]),
    ]
    for base, other in cases:
        comparison = compare(samples_of({"a": {"1": base, "2": base}, "b": {"1": other}}))
        text = explain(comparison, "*")
        assert "verdict    missing: a side has no valid value" in text
        assert text.count("verdict    ") == 2
        assert "nan" not in text


def test_settings_come_from_the_nearest_file(tmp_path: Path) -> None:
    write(tmp_path, {"compare-kernels.toml": "margin = 50\n[metric.time]\nnoisy = 1\n", "a/b/x": ""})
    path = find_config(tmp_path / "a" / "b")
    assert path == tmp_path / "compare-kernels.toml"
    rules = read_rules(path)
    assert (rules.margin, rules.alpha) == (50, 0.05)
    assert rules.noisy_of("hackbench", "time") == 1
    assert rules.noisy_of("hackbench", "latency") == 10
    for kernel, factor in {"base": 1.0, "patched": 1.2}.items():
        write(tmp_path / "a" / kernel, {f"hackbench-{i}": hackbench(factor * (2 + i / 100)) for i in range(8)})
    assert "1 row:\n1 unchanged" in run("base", "patched", cwd=tmp_path / "a").stdout
    assert "1 row:\n1 regressed" in run("base", "patched", "--margin", "2", cwd=tmp_path / "a").stdout
    write(tmp_path, {"other.toml": "margin = 2\n"})
    assert "1 regressed" in run("base", "patched", "--config", "../other.toml", cwd=tmp_path / "a").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("margn = 1\n", "unknown key margn; did you mean margin?"),
        ("[metric.time]\nmargins = 1\n", "unknown key metric.time.margins; did you mean metric.time.margin?"),
        ("test = 'students'\n", "test has to be one of welch, mann-whitney, permutation, paired"),
        ("alpha = 2\n", "alpha has to lie between 0 and 0.5"),
        ("margin = -1\n", "a margin has to be a percentage of 0 or more"),
        ("margin = 'x'\n", "margin has to be a number"),
        ("seed = 1.5\n", "seed has to be a whole number"),
        ("metric = 3\n", "metric has to be tables"),
        ("margin = \n", "Invalid value"),
    ],
)
def test_wrong_settings_are_named(text: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, {"x.toml": text})
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        read_rules(tmp_path / "x.toml")


def test_calibration_counts_false_alarms() -> None:
    rng = np.random.Generator(np.random.PCG64(7))
    runs = {"a": {str(i): rng.normal(100, 3, 12).tolist() for i in range(6)}}
    samples = samples_of(runs)
    text = calibrate(samples, splits=60)
    assert text == calibrate(samples, splits=60)
    assert "60 random splits of the runs of one kernel, 6 rows each\n" in text
    assert "alpha promises at most 5 %: that holds" in text
    loud = calibrate(samples, rules=Rules(correction="none", alpha=0.4, margin=0), splits=60)
    share = float(loud.splitlines()[3].split()[0])
    assert 25 < share < 50
    with pytest.raises(NothingToCompareError):
        calibrate(samples_of({"a": {"1": [1.0, 2.0, 3.0]}}))


def test_calibrate_verb() -> None:
    done = run("calibrate", "sample-results/base", "-b", "hackbench*", "--splits", "20", cwd=ROOT)
    assert done.returncode == 0
    assert done.stdout.startswith("20 random splits of the runs of one kernel, 6 rows each\n")
    assert run("calibrate", "nothing", cwd=ROOT).returncode == 2


def test_the_legend_names_the_test() -> None:
    runs = {"a": {"1": STEADY}, "b": {"1": [value * 0.9 for value in STEADY]}}
    assert "* p < 0.05, Welch's t test of runs" in rendered(runs, "mmtests")
    ranked = render(compare(samples_of(runs), rules=Rules(test="mann-whitney", alpha=0.01)), "mmtests")
    assert "* p < 0.01, exact rank-sum test of runs" in ranked
    assert "*  10.00%*" in ranked


@pytest.mark.parametrize(
    ("base", "slug"),
    [
        ([1.0, 1.01, 1.02, 0.99, 5.0, 1.0, 1.01, 1.02], "outlier"),
        ([float(i) for i in range(10, 22)], "drift"),
        ([9.0, 1.0, 1.01, 1.02, 1.0, 0.99, 1.03], "first-run-slow"),
        ([1.0, 1.01, 1.02, 1.0, 9.0, 9.01, 9.02, 9.0], "two-levels"),
        ([1.0, 1.0, 1.0, 2.0, 1.0, 2.0], "coarse"),
        ([1.0, 2.0, 1.5, 1.2, 0.7], "noisy"),
        ([1.0, 1.1], "few-runs"),
    ],
)
def test_what_is_warned_about(base: list[float], slug: str) -> None:
    comparison = compare(samples_of({"a": {"1": base}, "b": {"1": [*base, 1.0]}}))
    slugs = {diagnostic.slug for diagnostic in comparison.diagnostics}
    assert slug in slugs
    assert "unequal-runs" in slugs


def test_an_outlier_is_named_by_the_number_of_its_run(tmp_path: Path) -> None:
    for kernel in "ab":
        times = {1: 1.0, 3: 1.01, 4: 1.02, 7: 9.0, 8: 0.99, 9: 1.03}
        write(tmp_path / kernel, {f"hackbench-run{run}": hackbench(seconds) for run, seconds in times.items()})
    (found,) = [item for item in compare(load(tmp_path / "a", tmp_path / "b")).diagnostics if item.slug == "outlier"]
    assert found.message.endswith(": a, b: far from the median 1.015: 9 (run 7)")


def test_changed_spread_and_hopeless_ranks() -> None:
    wide = [100 + 30 * math.sin(i) for i in range(12)]
    comparison = compare(samples_of({"a": {"1": STEADY * 2}, "b": {"1": wide}}))
    assert "spread-changed" in {diagnostic.slug for diagnostic in comparison.diagnostics}
    few = samples_of({"a": {"1": STEADY[:3]}, "b": {"1": STEADY[3:]}})
    ranked = compare(few, rules=Rules(test="mann-whitney"))
    assert "hopeless" in {diagnostic.slug for diagnostic in ranked.diagnostics}
