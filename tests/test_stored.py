"""Comparisons in JSON and CSV: what is written is true to the schema, and read back as if it were the directories."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels import compare, load, render
from compare_kernels.api import compare_for
from compare_kernels.config import Rules
from compare_kernels.errors import UsageError
from compare_kernels.reporting.render import builtin_styles, find_style
from compare_kernels.selection import Selection

from .building import samples_of
from .test_cli import run
from .test_reading import hackbench, write

if TYPE_CHECKING:
    from compare_kernels.samples import Samples

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample-results"
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "report.json"
    assert run(SAMPLES / "base", SAMPLES / "patched", "--style", "json", "-o", path, "-q").returncode == 0
    return path


def test_the_file_is_what_the_schema_says(kept: Path) -> None:
    document = json.loads(kept.read_text())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA)
    assert all(item["sha256"] for item in document["files"] if item["status"] == "read")


@pytest.fixture(scope="module")
def both(kept: Path) -> tuple[Samples, Samples]:
    return load(SAMPLES / "base", SAMPLES / "patched"), load(kept)


@pytest.mark.parametrize("style", list(builtin_styles()))
def test_every_style_comes_out_the_same(style: str, both: tuple[Samples, Samples]) -> None:
    chosen = Selection(benchmarks=("hackbench*", "specjvm", "netperf-TCP*")) if style == "html" else Selection()
    texts = []
    for samples in both:
        comparison = compare_for(find_style(style), samples, chosen, Rules())
        texts.append(render(comparison, style))
    assert texts[0] == texts[1]


def test_a_stored_baseline_meets_a_new_directory(kept: Path, tmp_path: Path) -> None:
    packed = tmp_path / "old.json.gz"
    packed.write_bytes(gzip.compress(kept.read_bytes()))
    fresh = render(compare(load(SAMPLES / "base", SAMPLES / "patched")))
    assert render(compare(load(f"base={packed}", SAMPLES / "patched"))) == fresh
    assert load(kept, f"third={SAMPLES / 'base'}").kernels == ("base", "patched", "third")


def test_kernels_of_a_file_are_chosen_by_name(kept: Path) -> None:
    assert load(f"patched={kept}", SAMPLES / "base").kernels == ("patched", "base")
    with pytest.raises(UsageError, match="no kernel 'x' there; it holds base, patched"):
        load(f"x={kept}", SAMPLES / "base")
    with pytest.raises(UsageError, match="two kernels are called 'patched'"):
        load(kept, SAMPLES / "patched")


def test_a_single_kernel_may_get_another_name(tmp_path: Path) -> None:
    write(tmp_path / "a", {"1.txt": hackbench(1.0), "2.txt": "junk"})
    path = tmp_path / "one.json"
    text = render(compare(load(tmp_path / "a", f"b={tmp_path / 'a'}")), "json")
    document = json.loads(text)
    for name in ("files", "runs"):
        document[name] = [item for item in document[name] if item["kernel"] == 0]
    document["kernels"] = ["a"]
    path.write_text("{\n" + json.dumps(document)[1:])
    samples = load(f"old={path}", tmp_path / "a")
    assert samples.kernels == ("old", "a")
    assert {item.slug for item in samples.diagnostics if item.severity} == {"unrecognised"}


def test_one_directory_alone_is_no_comparison(tmp_path: Path) -> None:
    write(tmp_path / "a", {"1.txt": hackbench(1.0)})
    assert "two inputs are needed" in run(tmp_path / "a").stderr


def test_what_is_missing_is_null_and_numbers_are_exact() -> None:
    runs = {"a": {"1": [0.1, 0.2], "2": [1e308]}, "b": {"1": [1 / 3, 0.7]}}
    document = json.loads(render(compare(samples_of(runs)), "json"), parse_constant=pytest.fail)
    jsonschema.validate(document, SCHEMA)
    assert [values["values"] for item in document["runs"] for values in item["values"]] == [
        [0.1], [0.2], [1e308], [1 / 3], [0.7]
    ]  # fmt: skip
    assert document["comparison"][1]["verdict"] == "missing"
    assert document["comparison"][1]["statistics"]["mean"]["value"] is None


Path_in_document = tuple[str | int, ...]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("version",), 2, "format version 2; this program reads version 1"),
        (("kernels",), [], "kernels without names"),
        (("kernels",), ["a", "a"], "kernels without names"),
        (("files", 0, "kernel"), 7, "7 is no whole number from 0 to 1"),
        (("files", 0, "status"), "odd", "'odd' is none of read, copy"),
        (("runs", 0, "source"), -1, "-1 is no whole number"),
        (("runs", 0, "values", 0, "values", 0), None, "None is no finite number"),
        (("runs", 0, "values", 0, "values", 0), True, "True is no finite number"),
        (("runs", 0, "values", 0, "metric"), "other", "no ('hackbench', 'other')"),
        (("metrics", 0, "decimals"), 10**9, "is no whole number from 0 to 20"),
        (("metrics", 0, "better"), "more", "'more' is none of"),
        (("runs",), 5, "not iterable"),
        (("found",), None, "not iterable"),
    ],
)
def test_damage_is_said(place: Path_in_document, value: object, message: str, tmp_path: Path) -> None:
    document: Any = json.loads(render(compare(samples_of({"a": {"1": [1.0]}, "b": {"1": [2.0]}})), "json"))
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    path = tmp_path / "r.json"
    path.write_text("{\n" + json.dumps(document)[1:])
    with pytest.raises(UsageError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@given(cut=st.integers(100, 3000), put=st.binary(max_size=3))
def test_no_damage_gives_a_traceback(cut: int, put: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = render(compare(samples_of({"a": {"1": [1.0]}, "b": {"1": [2.0]}})), "json").encode()
    path = tmp_path_factory.mktemp("damaged") / "r.json"
    path.write_bytes(text[: cut % len(text)] + put + text[cut % len(text) + len(put) + 1 :])
    done = run(path)
    assert done.returncode in {0, 2, 3}


def test_csv_has_a_row_for_each_number() -> None:
    comparison = compare(samples_of({"a": {"1": [1.0, 1.5]}, "b": {"1": [2.0, 2.5]}}, benchmark='=1+1,\n"x'))
    text = render(comparison, "csv")
    assert text.count("\r\n") == text.count("\n") == 1 + 2 * 8
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[1]["benchmark"].startswith("'=1+1,?")
    assert (rows[1]["kernel"], rows[1]["statistic"], rows[1]["value"], rows[1]["base"]) == ("a", "mean", "1.25", "")
    assert (rows[9]["kernel"], rows[9]["value"], rows[9]["base"], rows[9]["delta_pct"]) == (
        "b",
        "2.25",
        "1.25",
        "-80.0",
    )
    assert rows[9]["verdict"] == "undecided"
