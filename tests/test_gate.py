"""The gate from inputs to exit codes: rows, claims, waivers, formats, proof."""

from __future__ import annotations

import json
import math
import re
import shutil
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels.cli.arguments import without_inputs
from compare_kernels.config import Rules
from compare_kernels.delivery.gate import formats
from compare_kernels.delivery.gate.decision import Decided, decide
from compare_kernels.delivery.gate.options import outputs_of
from compare_kernels.delivery.gate.policy import Place, Policy, Rule
from compare_kernels.delivery.gate.result import GateResult
from compare_kernels.delivery.gate.rows import Measured
from compare_kernels.model import Benchmark

from .test_cli import run
from .test_reading import hackbench, write

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLES = Path(__file__).parent.parent / "sample-results"
DAY = date(2026, 1, 1)
BENCHMARK = Benchmark("hackbench", "hackbench")


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """Kernels with hackbench as in the baseline of the samples, and twice as slow; one run of each."""
    shutil.copytree(SAMPLES / "base" / "hackbench", tmp_path / "base" / "hackbench")
    shutil.copytree(SAMPLES / "base" / "tbench", tmp_path / "base" / "tbench")
    shutil.copytree(tmp_path / "base", tmp_path / "slow")
    for path in (tmp_path / "slow" / "hackbench").iterdir():
        text = path.read_text()
        path.write_text(re.sub(r"Time: ([\d.]+)", lambda found: f"Time: {2 * float(found[1]):.3f}", text))
    for name in ("base", "slow"):
        shutil.copytree(tmp_path / name, tmp_path / f"{name}1", ignore=lambda _, names: [
            file for file in names if re.search(r"run([2-9]|10)\.", file)])  # fmt: skip
    return tmp_path


def test_base_against_itself_passes(kernels: Path) -> None:
    done = run("base", "copy=base", "--gate", cwd=kernels)
    assert done.returncode == 0
    assert "gate passed: " in done.stderr


def test_twice_as_slow_fails_and_every_format_names_the_rows(kernels: Path) -> None:
    names = ("j.xml", "s.sarif", "m.prom", "verdicts:v.json", "github:g.txt", "gate-summary:s.md", "r.txt", "r.json")
    done = run("base", "slow", "--gate", *(part for name in names for part in ("-o", name)), cwd=kernels)
    assert done.returncode == 1
    suite = next(iter(junitparser.JUnitXml.fromfile(str(kernels / "j.xml"))))
    failed = {f"{case.classname} {case.name}" for case in suite if case.result and case.result[0]._tag == "failure"}
    rows = {(mode, groups) for mode in ("pipes", "sockets") for groups in "124"}
    assert failed == {f"slow.hackbench-process-{mode}.time {groups}" for mode, groups in rows}
    for name in ("s.sarif", "g.txt", "s.md", "v.json"):
        text = (kernels / name).read_text()
        assert text.count("worse than the limit") == 6, name
    document = json.loads((kernels / "v.json").read_text())
    assert {item["operation"] for item in document["items"] if item["status"] == "fail"} == {"1", "2", "4"}
    assert (kernels / "m.prom").read_text().endswith("compare_kernels_gate_failures 6\n# EOF\n")
    assert json.loads((kernels / "r.json").read_text())["format"] == "compare-kernels"
    assert "Amean" in (kernels / "r.txt").read_text()


def test_one_run_each_is_undecided(kernels: Path) -> None:
    write(kernels, {"strict.toml": 'undecided = "fail"\n'})
    assert run("base1", "slow1", "--gate", cwd=kernels).returncode == 0
    assert run("base1", "slow1", "--gate", "strict.toml", cwd=kernels).returncode == 4
    assert run("base1", "slow1", "--gate", "--bisect", cwd=kernels).returncode == 125


def test_a_benchmark_that_is_gone_is_missing(kernels: Path) -> None:
    shutil.rmtree(kernels / "slow" / "hackbench")
    done = run("base", "slow", "--gate", cwd=kernels)
    assert (done.returncode, done.stderr.count("missing: hackbench-process-pipes")) == (1, 3)
    write(kernels, {"mild.toml": 'missing = "warn"\n'})
    assert run("base", "slow", "--gate", "mild.toml", cwd=kernels).returncode == 0


def test_failed_runs_fail(kernels: Path) -> None:
    write(kernels / "base", {"hackbench/hackbench-process-pipes-9-run1.txt": hackbench(1)})
    write(kernels / "slow", {"hackbench/more.txt": hackbench(1).rpartition("Time")[0]})
    assert "failed-run: hackbench" in run("base", "slow", "--gate", cwd=kernels).stderr


def test_bisect_codes(kernels: Path) -> None:
    assert run("base", "slow", "--gate", "--bisect", cwd=kernels).returncode == 1
    assert run("base", "nowhere", "--gate", "--bisect", cwd=kernels).returncode == 128


WAIVER = '[[waiver]]\nbenchmark = "hackbench*"\nlimit = {}\nreason = "known"\nowner = "me"\nexpires = {}\n'


@pytest.mark.parametrize(
    ("limit", "expires", "code", "said"),
    [
        (110, "2026-12-31", 0, "6 waived"),
        (50, "2026-12-31", 1, "6 regressed"),
        (110, "2026-01-01", 1, "waiver expired on 2026-01-01"),
    ],
)
def test_waivers(
    limit: int, expires: str, code: int, said: str, kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    write(kernels, {"p.toml": 'waivers = "w.toml"\n', "w.toml": WAIVER.format(limit, expires)})
    done = run("base", "slow", "--gate", "p.toml", cwd=kernels)
    assert done.returncode == code
    assert said in done.stderr


def test_a_claim_has_to_be_confirmed(kernels: Path) -> None:
    write(kernels, {"p.toml": '[[claim]]\nbenchmark = "hackbench*"\nimprovement = 5\n'})
    assert run("slow", "base", "--gate", "p.toml", cwd=kernels).returncode == 0
    assert run("base", "copy=base", "--gate", "p.toml", cwd=kernels).returncode == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("undecidd = 1\n", "unknown key undecidd; did you mean undecided?"),
        ("[[rule]]\nmax-regresion = 1\n", "unknown key max-regresion; did you mean max-regression?"),
        ('[[rule]]\nbenchmark = "nothing"\n', "rule 1 matches no row: benchmark nothing"),
        ("[[rule]]\nalpha = 2\n", "alpha has to be a number between 0 and 0.5"),
        ("[[waiver]]\nlimit = 1\n", "reason is missing"),
        ("rule = 3\n", "rule has to be tables"),
        ("[[rule]]\ngate = false\n", ""),
    ],
)
def test_wrong_policies_are_named(text: str, message: str, kernels: Path) -> None:
    write(kernels, {"p.toml": text})
    done = run("base", "slow", "--gate", "p.toml", cwd=kernels)
    assert (done.returncode, "Traceback" in done.stderr) == (2 if message else 3, False)
    assert message in done.stderr


def measured(change: float, p: float, low: float, *, runs: int = 5, value: float = 10.0, **rule: object) -> Measured:
    place = Place(BENCHMARK, "time", "1", "new")
    return Measured(place, Rule(**rule), "s", "lower", 5.0, 0.05, 10.0, value, runs, change, low, p)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (measured(-10, 0.001, -12), "regressed"),
        (measured(-5, 0.001, -5), "passed"),
        (measured(-4, 0.001, -7), "undecided"),
        (measured(-10, 0.06, -20), "undecided"),
        (measured(10, 0.001, 8), "passed"),
        (measured(-10, 0.001, -12, runs=1), "undecided"),
        (measured(-10, 0.001, -12, min_runs=6), "undecided"),
        (measured(math.nan, math.nan, math.nan), "undecided"),
        (measured(0, 1, 0, value=math.nan), "missing"),
        (measured(0, 1, 0, absolute=9.0), "over-budget"),
        (measured(0, 1, 0, absolute=10.0), "passed"),
    ],
)
def test_rows_against_rules(row: Measured, outcome: str) -> None:
    assert [item.outcome for item in decide([row], Policy(), DAY)[0]] == [outcome]


def code_of(rows: Sequence[Measured]) -> int:
    return GateResult(tuple(decide(rows, Policy(), DAY)[0])).exit_code


@given(
    st.lists(st.tuples(st.floats(-30, 30), st.floats(0, 0.2), st.floats(0, 10)), min_size=1, max_size=6),
    st.integers(0, 5),
    st.floats(0, 40),
    st.floats(0, 1),
)
def test_getting_worse_never_turns_a_fail_into_a_pass(
    rows: list[tuple[float, float, float]], index: int, worse: float, share: float
) -> None:
    before = [measured(change, p, change - width) for change, p, width in rows]
    change, p, width = rows[index % len(rows)]
    # An improvement loses its evidence on the way to a regression, which gains some.
    later = p * share if change < 0 else share
    after = list(before)
    after[index % len(rows)] = measured(change - worse, later, change - worse - width)
    assert code_of(after) >= code_of(before)


def test_hostile_names_are_escaped() -> None:
    item = Decided(('a"<&\x1b[2J', "m,:%\n", "]]>|@x", "k\u202e"), "regressed", "fail", "::error\r\n<b>]]>\x00", -5.0)
    result = GateResult((item,), ("w\n::error x",))
    for name, form in formats.GATE_FORMATS.items():
        text = form(result)
        assert not set(text) & {"\x1b", "\x00", "\u202e", "\r"}, name
    assert len(formats.github(result).splitlines()) == 2
    junitparser.JUnitXml.fromstring(formats.junit(result).encode())
    json.loads(formats.sarif(result))


def test_what_an_output_gets() -> None:
    def formats_of(*files: str, style: str | None = None) -> list[str]:
        known = ("mmtests", "normalized", "markdown", "json", "csv")
        return [output.format for output in outputs_of(files, style, style or "mmtests", known)]

    assert formats_of("a.txt", "b.md", "c.xml", "d.json") == ["mmtests", "markdown", "junit", "json"]
    assert formats_of("a.md", style="normalized") == ["normalized"]
    assert formats_of("a.md", "b.txt", style="normalized") == ["markdown", "normalized"]
    assert formats_of("csv:a.md", "no:a.txt") == ["csv", "mmtests"]
    assert without_inputs(["--gate", "base", "x"]) == ["--gate=", "base", "x"]
    assert without_inputs(["a", "--gate", "p.toml"]) == ["a", "--gate", "p.toml"]


def test_the_baseline_is_kept_if_the_gate_passes(kernels: Path) -> None:
    assert run("base", "slow", "--gate", "--update-baseline", "b.json", cwd=kernels).returncode == 1
    assert not (kernels / "b.json").exists()
    assert run("base", "copy=base", "--gate", "--update-baseline", "b.json", cwd=kernels).returncode == 0
    assert run("b.json", "slow", "--gate", cwd=kernels).returncode == 1
    assert run("b.json", "base", "--gate", cwd=kernels).returncode == 0


def test_the_gate_proves_that_it_fires(kernels: Path) -> None:
    done = run("gate-test", "base", "slow", "-b", "tbench", "--metric", "throughput", cwd=kernels)
    assert done.returncode == 0, done.stdout
    assert run("gate-test", "base1", "slow1", "-b", "hackbench*", cwd=kernels).returncode == 1


def test_rules_are_those_of_the_comparison_unless_the_policy_says_otherwise(kernels: Path) -> None:
    assert run("base", "slow", "--gate", "--margin", "150", cwd=kernels).returncode == 0
    assert Rules().margin < 150


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    page = (SAMPLES.parent / "docs" / "gating.md").read_text()
    for name in ("policy", "waivers"):
        (text,) = re.findall(rf"(?ms)^```toml {name}\n(.*?)^```", page)
        write(tmp_path, {f"{name}.toml": text})
    for name in ("base", "patched"):
        (tmp_path / name).symlink_to(SAMPLES / name)
    codes = [
        run(*line.removesuffix(" || true").split()[1:], cwd=tmp_path).returncode
        for line in re.findall(r"(?m)^```sh example\n(.*)$", page)
    ]
    assert codes == [1, 0]
    assert (tmp_path / "junit.xml").exists()
