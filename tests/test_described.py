"""Benchmarks that a TOML file describes: the format, what is read by it, and where the file may lie."""

from __future__ import annotations

import gzip
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels import Rules, compare, load, load_mmtests, render
from compare_kernels.api import calibrate
from compare_kernels.config import MetricRules, read_settings
from compare_kernels.errors import UsageError
from compare_kernels.model import Severity
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder
from compare_kernels.parsers.described import DescribedParser
from compare_kernels.parsers.description import Description, compile_pattern, read_description
from compare_kernels.parsers.units import convert, factor
from compare_kernels.reading import descriptions
from compare_kernels.reporting.render import builtin_styles

from .test_cli import run
from .test_reading import hackbench, slugs, status, values, write

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "described.md"
TOML = re.search(r"(?ms)^```toml\n(.*?)^```", DOCS.read_text())[1]  # type: ignore[index]
LOG = re.search(r"(?ms)^```text\n(.*?)^```", DOCS.read_text())[1]  # type: ignore[index]

SMALL = """[benchmark]
name = "small"
direction = "lower"
pattern = '^(?P<metric>[a-z ]+?) *(?P<parameter>\\w*): (?P<value>\\S+?)(?P<unit>[a-zA-Z/]*)$'
unit = "us"
"""


def described(text: str) -> DescribedParser:
    description = read_description(text.encode())
    assert description is not None
    return DescribedParser(description)


def simple(**keys: str) -> str:
    """A description of the fewest keys, with more of them, or others, as TOML."""
    known = {"name": "'b'", "pattern": "'(?P<value>.+)'", "direction": "'lower'", **keys}
    return "[benchmark]\n" + "".join(f"{key} = {value}\n" for key, value in known.items() if value)


def parse(parser: DescribedParser, text: str | bytes, name: str = "log") -> Parsed:
    builder = SampleBuilder(name)
    parser.parse(RawLog(text if isinstance(text, bytes) else text.encode(), name), builder)
    return builder.finish()


def found(parsed: Parsed) -> dict[tuple[int, str, str], list[float]]:
    return {(block.run, block.metric.name, block.operation.name): list(block.values) for block in parsed.blocks}


def said(parsed: Parsed) -> list[tuple[str, int]]:
    return [(diagnostic.slug, diagnostic.line) for diagnostic in parsed.diagnostics]


def pingpong(factor: float) -> str:
    lines = [f"{threads} threads: {threads * factor:.3f} us per round trip\n" for threads in (1, 2, 10)]
    return "".join(["pingpong: start\n", *lines])


def logs(root: Path, *kernels: str, toml: str = "") -> Path:
    for place, kernel in enumerate(kernels):
        for number in range(6):
            log = pingpong(10 + number / 10 + 2 * place)
            write(root / kernel, {f"pingpong-{number}.log": log})
    return write(root, {f"{kernels[0]}/mine.toml": toml} if toml else {})


# The page


def test_the_example_of_the_page() -> None:
    parsed = parse(described(TOML), LOG)
    expected = {}
    for row in re.findall(r"(?m)^\| (\d+) \| (\w+) \| (\d+) \| (.*) \|$", DOCS.read_text()):
        numbers, units = zip(*(value.split() for value in row[3].split(", ")), strict=True)
        assert set(units) == {"us"}
        expected[int(row[0]), row[1], row[2]] = [float(number) for number in numbers]
    assert found(parsed) == expected
    assert len(expected) == 2
    assert said(parsed) == [("failed-run", LOG.splitlines().index("pingpong: error 5") + 1)]


def test_the_page_names_all_keys_and_units() -> None:
    page = DOCS.read_text()
    keys = re.findall(r"(?m)^\| `(\w+)` \| (?!needed; a number|the )", page)
    for key in keys:
        read_description(simple(**{key: {"name": "'x'", "decimals": "3"}.get(key, _VALID.get(key, "'x'"))}).encode())
    assert {"name", "files", "begin", "failed", "decimals", "mean"} <= set(keys)
    (line,) = re.findall(r"(?m)^Times \(.*\n.*", page)
    times, data = (re.findall(r"`(\w+)`", part) for part in re.findall(r"\((`[^/]*?)\)", line))
    assert all(factor(unit, "s") for unit in times)
    assert all(factor(unit, "B") for unit in data)
    assert (len(times), len(data)) == (6, 7)


_VALID = {"pattern": "'(?P<value>x)'", "direction": "'none'", "mean": "'geometric'"}


# The format

_NAME = "benchmark.name has to be letters, digits and . _ + - only, at most 64, beginning with a letter or digit"
_LINE = "one line of text, at most 200 characters"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (simple(titel="'x'"), "unknown key benchmark.titel; did you mean benchmark.title?"),
        (simple(metric="{}"), "unknown key benchmark.metric; did you mean benchmark.metrics?"),
        (simple(zzz="1"), "unknown key benchmark.zzz; known: name, files, pattern, title, unit, direction, mean, "
         "decimals, parameter, begin, failed"),
        (simple() + "[metrics.x]\n", "unknown key metrics; known: benchmark"),
        (simple(name=""), "benchmark.name is missing"),
        (simple(pattern=""), "benchmark.pattern is missing"),
        (simple(direction=""), "benchmark.direction is missing"),
        *((simple(name=name), _NAME) for name in ("3", "''", "'a b'", "'-b'", "'a/b'", "'ä'", '"a\\n"')),
        (simple(name=f"'{'a' * 65}'"), _NAME),
        (simple(direction="'up'"), "benchmark.direction has to be one of lower, higher, none"),
        (simple(direction="['lower']"), "benchmark.direction has to be one of lower, higher, none"),
        (simple(mean="'mode'"), "benchmark.mean has to be one of arithmetic, harmonic, geometric"),
        *((simple(decimals=number), "benchmark.decimals has to be a whole number from 0 to 9")
          for number in ("-1", "10", "1.0", "true", "'2'")),
        (simple(title="3"), f"benchmark.title has to be {_LINE}"),
        (simple(title='"a\\u001b[31mb"'), f"benchmark.title has to be {_LINE}"),
        (simple(title='"a\\u202eb"'), f"benchmark.title has to be {_LINE}"),
        (simple(unit='"a\\nb"'), f"benchmark.unit has to be {_LINE}"),
        (simple(parameter=f"'{'a' * 201}'"), f"benchmark.parameter has to be {_LINE}"),
        (simple(files="'logs/*.log'"), "benchmark.files is a pattern of names of files, without folders"),
        (simple(begin="1"), "benchmark.begin has to be a regular expression"),
        (simple(failed="''"), "benchmark.failed has to be a regular expression"),
        (simple(pattern="'x'"), "benchmark.pattern has no group (?P<value>...)"),
        (simple(pattern="'(?P<valeu>x)'"), "benchmark.pattern: unknown group valeu; did you mean value?"),
        (simple(pattern="'(?P<value>x)(?P<unit>s)'"),
         "benchmark.unit is missing: what the group unit matches is converted to it"),
        (simple(pattern=r"'(?P<value>x)\1'"),
         r"benchmark.pattern: not a regular expression that RE2 takes: invalid escape sequence: \1"),
        (simple(pattern="'(?P<value>x)(?=s)'"),
         "benchmark.pattern: not a regular expression that RE2 takes: invalid perl operator: (?="),
        (simple(begin="'('"), "benchmark.begin: not a regular expression that RE2 takes: missing ): ("),
        (simple(failed="'((a{100}){100}){100}'"),
         "benchmark.failed: not a regular expression that RE2 takes: invalid repetition size: {100}"),
        (simple(pattern=r"'(?P<value>(((\pL{1,100}){1,10})))'"),
         "benchmark.pattern: not a regular expression that RE2 takes: pattern too large - compile failed"),
        (simple(begin="'(.{0,250}){0,2}b'"), "benchmark.begin: the regular expression is too large"),
        (simple(begin=f"'{'b' * 2001}'"), "benchmark.begin is longer than 2000 characters"),
        (simple(metrics="3"), "benchmark.metrics has to be tables such as [benchmark.metrics.latency]"),
        (simple(metrics="{a=3}"), "benchmark.metrics has to be tables such as [benchmark.metrics.latency]"),
        (simple(metrics="{a={}, b={}}"),
         "benchmark.metrics has 2 tables, but benchmark.pattern has no group metric"),
        (simple(metrics="{a={mains=true}}"),
         "unknown key benchmark.metrics.a.mains; did you mean benchmark.metrics.a.main?"),
        (simple(metrics="{a={main=1}}"), "benchmark.metrics.a.main has to be true or false"),
        (simple(metrics="{a={mean='x'}}"),
         "benchmark.metrics.a.mean has to be one of arithmetic, harmonic, geometric"),
        (simple(metrics='{"a  b"={}}'),
         "benchmark.metrics.a  b: the name of a metric has to be one line of text, at most 200 characters"),
        (simple(metrics='{""={}}'),
         "benchmark.metrics.: the name of a metric has to be one line of text, at most 200 characters"),
        (simple() + "x = \n", "Invalid value (at line 5, column 5)"),
        (simple() + f"x = {'[' * 2500}\n", "nested too deeply"),
        (simple() + f"x{'.x' * 1500} = 1\n", "a description has at most 32768 bytes, and 3000 in a line"),
        (simple() + "#\n" * 20000, "a description has at most 32768 bytes, and 3000 in a line"),
    ],
)  # fmt: skip
def test_wrong_descriptions_are_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_description(text.encode())
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text", ["", "a = 1", "benchmark = 3", "[bench]\n", "[[benchmark]]\n", "x = ", "\0", "#" * 70000]
)
def test_other_files_are_no_descriptions(text: str) -> None:
    assert read_description(text.encode()) is None
    assert read_description(text.encode() + b"\xff") is None


@given(st.text(max_size=60), st.sampled_from(["", "[benchmark]\n", simple(), simple() + "title = "]))
def test_no_text_raises_anything_else(text: str, begin: str) -> None:
    try:
        description = read_description((begin + text).encode(errors="replace"))
    except UsageError:
        return
    assert description is None or isinstance(description, Description)


def test_settings_of_metrics() -> None:
    parser = described(
        SMALL.replace("lower", "higher")
        + "title = 'T'\ndecimals = 1\nparameter = 'p'\n[benchmark.metrics.b]\n[benchmark.metrics.a]\n"
        + "direction = 'lower'\nunit = 'ms'\ntitle = 'Own'\ndecimals = 5\nmain = false\n"
    )
    b, a = parser.METRICS
    assert (b.name, b.title, b.unit, b.better, b.mean, b.decimals, b.main, b.parameter, b.quantity) == (
        "b", "T b", "us", "higher", "harmonic", 1, True, "p", "T b in us"
    )  # fmt: skip
    assert (a.name, a.title, a.unit, a.better, a.mean, a.decimals, a.main, a.parameter, a.quantity) == (
        "a", "Own", "ms", "lower", "arithmetic", 5, False, "p", "Own in ms"
    )  # fmt: skip
    parsed = parse(parser, "a 1: 5ms\nother 1: 5\nb 2: 1\n")
    (other,) = (block.metric for block in parsed.blocks if block.metric.name == "other")
    assert (other.title, other.unit, other.better, other.mean) == ("T other", "us", "higher", "harmonic")
    assert found(parsed) == {(0, "a", "1"): [5], (0, "other", "1"): [5], (0, "b", "2"): [1]}


@pytest.mark.parametrize(
    ("direction", "own", "mean"),
    [
        ("higher", "", "harmonic"),
        ("lower", "", "arithmetic"),
        ("none", "", "arithmetic"),
        ("lower", "direction = 'higher'", "harmonic"),
        ("higher", "mean = 'geometric'", "geometric"),
    ],
)
def test_means(direction: str, own: str, mean: str) -> None:
    (metric,) = described(simple(direction=f"'{direction}'") + f"[benchmark.metrics.x]\n{own}\n").METRICS
    assert metric.mean == mean
    text = simple(direction="'higher'", mean="'arithmetic'") + f"[benchmark.metrics.x]\n{own}\n"
    assert described(text).METRICS[0].mean == (mean if "mean" in own else "arithmetic")


def test_the_only_metric_has_a_name() -> None:
    assert [metric.name for metric in described(simple()).METRICS] == ["b"]
    assert [metric.name for metric in described(simple(metrics="{time={}}", title="'T'")).METRICS] == ["time"]
    assert [metric.title for metric in described(simple(metrics="{time={}}", title="'T'")).METRICS] == ["T"]


# Units


@pytest.mark.parametrize(
    ("given", "wanted", "times"),
    [
        ("ns", "us", 1e-3), ("us", "us", 1), ("ms", "us", 1e3), ("s", "us", 1e6), ("min", "us", 6e7),
        ("h", "us", 3.6e9),
        ("us", "ns", 1e3), ("us", "ms", 1e-3), ("us", "s", 1e-6), ("s", "min", 1 / 60), ("s", "h", 1 / 3600),
        ("sec", "ms", 1e3), ("usec", "ns", 1e3), ("msec", "s", 1e-3), ("nsec", "ns", 1), ("\xb5s", "us", 1),
        ("\u03bcs", "us", 1),
        ("B", "KB", 1e-3), ("KB", "B", 1e3), ("kB", "KB", 1), ("MB", "B", 1e6), ("GB", "B", 1e9), ("KiB", "B", 1024),
        ("MiB", "B", 1 << 20), ("GiB", "B", 1 << 30), ("GiB", "MiB", 1024), ("KB", "KiB", 1000 / 1024),
        ("MB/s", "KB/s", 1e3), ("MiB/sec", "KiB/s", 1024), ("B/s", "B/sec", 1), ("points", "points", 1),
        ("MB", "MB/s", None), ("MB/s", "MB", None), ("s", "B", None), ("S", "s", None), ("mb", "MB", None),
        ("points", "s", None),
        ("MB/min", "MB/s", None), ("", "s", None), ("ops/s", "ops/sec", None),
        ("s/s", "s", None),
    ],
)  # fmt: skip
def test_units(given: str, wanted: str, times: float | None) -> None:
    by = factor(given, wanted)
    if times is None:
        assert by is None
    else:
        assert by is not None
        assert convert(7.5, by) == pytest.approx(7.5 * times, rel=1e-15)


def test_conversion_rounds_as_the_text_would() -> None:
    up, down = factor("ms", "us"), factor("us", "ms")
    assert up is not None
    assert down is not None
    assert convert(0.29, up) == 290.0
    assert convert(17.0, down) == 0.017
    minutes = factor("s", "min")
    assert minutes is not None
    assert convert(0.21, minutes) == 0.0035
    assert convert(1e308, up) == float("inf")


def test_a_unit_that_cannot_be_converted_is_a_warning() -> None:
    parsed = parse(described(SMALL), "a 1: 5ms\na 1: 5MB\nb 1: 5points\na 2: 5\n")
    assert found(parsed) == {(0, "a", "1"): [5000], (0, "a", "2"): [5]}
    assert [(d.slug, d.line, d.message) for d in parsed.diagnostics] == [
        ("unknown-unit", 2, "'MB' can't be turned into us: left out (and 1 more)")
    ]


# Reading


@pytest.mark.parametrize("text", ["12", "+12", "-0.5", ".5", "5.", "1e3", "1.5E-3", "007"])
def test_numbers(text: str) -> None:
    assert found(parse(described(simple()), f"{text}\n")) == {(0, "b", "b"): [float(text)]}


@pytest.mark.parametrize(
    "text",
    [
        "1,000",
        "1_000",
        "nan",
        "inf",
        "1e999",
        "0x10",
        "1.2.3",
        "1 000",
        "\u0661\u0662",
        "-",
        "1" * 101,
        "e5",
        "12abc",
    ],
)
def test_what_is_no_number_is_a_warning(text: str) -> None:
    parsed = parse(described(simple()), f"1\n{text}\n")
    assert found(parsed) == {(0, "b", "b"): [1]}
    assert said(parsed) == [("no-number", 2)]


def test_what_becomes_too_large_is_a_warning() -> None:
    parsed = parse(described(SMALL), "a 1: 1e308ms\na 2: 1\n")
    assert (found(parsed), said(parsed)) == ({(0, "a", "2"): [1]}, [("no-number", 1)])
    assert parse(described(SMALL), "a 1: 1e308ms\n").status == "failed-run"


def test_parameters_are_numbers_or_text() -> None:
    parsed = parse(described(SMALL), "a 16: 1\na x: 2\na: 3\na 1e999: 4\n")
    operations = {block.operation.name: (block.operation.series, block.operation.param) for block in parsed.blocks}
    assert operations["16"] == ("", 16)
    assert operations["x"][0] == "x"
    assert set(operations) == {"16", "x", "a", "1e999"}
    assert all(param != param for name, (_, param) in operations.items() if name != "16")


def test_each_match_of_a_line_is_a_value() -> None:
    parser = described(simple(pattern=r"'(?P<metric>\w+)=(?P<value>\d*)'"))
    parsed = parse(parser, "min=1 avg=2, max=3 max=4 x=\n")
    assert found(parsed) == {
        (0, "min", "min"): [1], (0, "avg", "avg"): [2], (0, "max", "max"): [3, 4]
    }  # fmt: skip
    assert said(parsed) == []
    parsed = parse(parser, "a=1 " * 100 + "\n")
    assert (len(parsed.blocks[0].values), said(parsed)) == (100, [])
    parsed = parse(parser, "a=1 " * 101 + "\n")
    assert (len(parsed.blocks[0].values), said(parsed)) == (100, [("long-line", 1)])


def test_runs() -> None:
    text = simple(begin="'^go'", failed="'^error'", pattern="'^v=(?P<value>.+)'")
    parser = described(text)
    parsed = parse(parser, "v=0\nv=0\ngo\nv=1\nv=2\ngo\nv=3\nerror one\nerror two\nv=4\ngo\ngo\nv=5\n", "x-run3.log")
    assert found(parsed) == {(0, "b", "b"): [1, 2], (3, "b", "b"): [5]}
    assert {run.number for run in parsed.runs} == {3}
    assert said(parsed) == [("failed-run", 8), ("failed-run", 11), ("outside-run", 1)]
    assert parsed.diagnostics[0].message == "error one"
    assert parsed.diagnostics[2].message.endswith("(and 1 more)")
    early = parse(parser, "error early\ngo\nv=1\n")
    assert (found(early), said(early)) == ({(0, "b", "b"): [1]}, [("failed-run", 1)])


@pytest.mark.parametrize("text", ["nothing\n", "", "v=1\nerror\n", "error\nv=1\n"])
def test_a_log_without_begin_is_one_run(text: str) -> None:
    parsed = parse(described(simple(failed="'^error'", pattern="'^v=(?P<value>.+)'")), text)
    assert (found(parsed), parsed.status, len(parsed.runs)) == ({}, "failed-run", 1)


def test_the_last_line_is_not_trusted_without_its_end() -> None:
    parser = described(simple(failed="'^error'"))
    parsed = parse(parser, "1\n23")
    assert (found(parsed), parsed.status, said(parsed)) == ({(0, "b", "b"): [1]}, "truncated", [("truncated", 2)])
    assert parse(parser, "1\nerror").status == "failed-run"
    assert parse(parser, "1\n  ").status == "read"


@given(st.integers(0, 400), st.sampled_from(["utf-8", "utf-16"]))
def test_cut_short_anywhere(cut: int, encoding: str) -> None:
    parser = described(TOML)
    text = ("noise 5\n" + LOG).encode(encoding)
    whole, part = found(parse(parser, text)), found(parse(parser, text[:cut]))
    # While the line with the failure isn't there, the run is an ordinary one.
    assert part.pop((1, "pingpong", "1"), [13]) == [13]
    for key, numbers in part.items():
        assert whole[key][: len(numbers)] == numbers


@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode(errors="replace"))),
        max_size=10,
    ),
    st.randoms(),
)
def test_noise_never_raises(noise: list[bytes], random: object) -> None:
    lines = [*LOG.encode().splitlines(), *noise]
    random.shuffle(lines)  # type: ignore[attr-defined]
    text = b"\n".join(lines)
    for toml in (TOML, SMALL, simple(), simple(pattern=r"'(?P<value>\C+?)(?P<metric>\C*)'", begin="'.'")):
        parser = described(toml)
        parser.recognise(RawLog(text, "pingpong-1.log"))
        for numbers in found(parse(parser, text)).values():
            assert all(number - number == 0 for number in numbers)


def test_what_looks_like_a_prefix_may_belong_to_the_line() -> None:
    parser = described(simple(pattern=r"'^(?P<metric>\w+) \| (?P<value>\d+)$'"))
    text = "reads | 12\nwrites | 13\n"
    assert found(parse(parser, text)) == {(0, "reads", "reads"): [12], (0, "writes", "writes"): [13]}
    assert parser.recognise(RawLog(text.encode())) == Match.LIKELY
    parser = described(simple(pattern=r"'^(?P<value>\d+)$'", failed="'^killed'"))
    stamped = "".join(f"12:00:0{second} {line}\n" for second, line in enumerate(["x", "17"]))
    assert found(parse(parser, stamped)) == {(0, "b", "b"): [17]}
    assert parse(parser, stamped.replace("17", "killed")).diagnostics[0].message == "killed"


def test_long_names_are_left_out() -> None:
    parser = described(simple(pattern=r"'(?P<metric>\w+) (?P<parameter>\w+)=(?P<value>.+)'"))
    parsed = parse(parser, f"{'a' * 201} b=5\nb {'a' * 201}=5\nc {'a' * 200}=5\n")
    assert (found(parsed), said(parsed)) == ({(0, "c", "a" * 200): [5]}, [("long-name", 1)])
    assert "(and 1 more)" in parsed.diagnostics[0].message


def test_hostile_patterns_on_hostile_lines_take_linear_time() -> None:
    """Each of these takes a backtracking engine longer than the universe."""
    line = "a" * 20000 + "!\n"
    for pattern in ("(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "(?:a?){30}a{30}$", "(.*)*b|(?:.*)*c"):
        parser = described(simple(pattern=f"'^(?P<value>{pattern})$'", begin=f"'{pattern}'"))
        assert found(parse(parser, line)) == {}
        parser.recognise(RawLog(line.encode()))


def test_the_memory_of_a_pattern_is_bounded() -> None:
    assert compile_pattern("x").options.max_mem == 1 << 20
    assert not compile_pattern("x").options.log_errors


# Recognising


@pytest.mark.parametrize(
    ("files", "name", "text", "expected"),
    [
        ("'p-*.log'", "p-1.log", "v=1\n", Match.CERTAIN),
        ("'p-*.log'", "p-1.log", "other\n", Match.LIKELY),
        ("'p-*.log'", "q-1.log", "v=1\n", Match.NO),
        ("", "q-1.log", "v=1\n", Match.LIKELY),
        ("", "q-1.log", "other\nv=1", Match.LIKELY),
        ("", "q-1.log", "go\n", Match.NAME),
        ("", "q-1.log", "error\n", Match.NO),
        ("", "v=1", "other\n", Match.NO),
    ],
)
def test_recognise(files: str, name: str, text: str, expected: Match) -> None:
    parser = described(simple(files=files, pattern="'^v=(?P<value>.+)$'", begin="'^go$'", failed="'^error'"))
    assert parser.recognise(RawLog(text.encode(), name)) == expected


def test_a_parser_travels_between_processes() -> None:
    parser = described(TOML)
    again = pickle.loads(pickle.dumps(parser))
    assert again.description == parser.description
    assert found(parse(again, LOG)) == found(parse(parser, LOG))


# Among the logs


def test_a_file_next_to_the_logs_holds_for_all_inputs(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    samples = load(root / "base", root / "patched")
    assert list(samples.benchmarks) == ["pingpong"]
    assert values(samples)["pingpong", "2", "patched"][:2] == [24, 24.2]
    assert status(samples)["mine.toml"] == "companion"
    done = run("base", "patched", "-v", "-b", "ping*", "--metric", "pingpong", cwd=root)
    assert done.returncode == 0
    assert "base/mine.toml: companion pingpong\n" in done.stderr
    assert done.stdout.endswith("13 files: 12 read, 1 companion\n")
    assert re.search(r"(?m)^Amean +10 +102\.50 \( +0\.00%\) +122\.50 \* -19\.51%\*$", done.stdout)


def test_a_compressed_copy_in_each_input_is_no_second_one(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "patched", {"mine.toml.gz": gzip.compress(TOML.encode())})
    assert slugs(load(root / "base", root / "patched")) == ["companion", "companion"]


def test_without_re2_nothing_else_changes(tmp_path: Path) -> None:
    """Only a description needs RE2, and only it pays for its import."""
    write(tmp_path / "a", {"1": hackbench(1), "some.toml": "x = 1\n"})
    code = f"import sys, compare_kernels; compare_kernels.load({str(tmp_path / 'a')!r}); print('re2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_broken_file_is_an_error_and_costs_nothing_else(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "base", {"bad.toml": TOML.replace("title", "titel"), "worse.toml": "[benchmark]\nname = \n"})
    samples = load(root / "base", root / "patched")
    assert [(d.severity, d.slug, Path(d.path).name) for d in samples.diagnostics if d.slug == "description"] == [
        (Severity.ERROR, "description", "bad.toml"),
        (Severity.ERROR, "description", "worse.toml"),
    ]
    assert (status(samples)["bad.toml"], status(samples)["pingpong-1.log"]) == ("unreadable", "read")
    done = run("base", "patched", "-q", cwd=root)
    assert done.returncode == 2
    assert "base/bad.toml: error: unknown key benchmark.titel; did you mean benchmark.title? [desc" in done.stderr
    assert "pingpong Round Trip" in done.stdout


def test_other_toml_files_stay_unrecognised(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    cut = gzip.compress(TOML.encode())[:-4]
    write(root / "base", {"foreign.toml": "[package]\nname = 'x'\n", "cut.toml.gz": cut, "void.toml": ""})
    found_status = status(load(root / "base", root / "patched"))
    assert (found_status["foreign.toml"], found_status["void.toml"]) == ("unrecognised", "empty")
    assert found_status["cut.toml.gz"] == "unrecognised"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TOML.replace("Round Trip", "Other"), "another description is called pingpong, too; this one is left out"),
        (
            TOML.replace('"pingpong"', '"hackbench"'),
            "hackbench is a parser that compare-kernels brings along; this one",
        ),
    ],
)
def test_names_that_are_taken(toml: str, message: str, tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "base", {"second.toml": toml})
    samples = load(root / "base", root / "patched")
    (fault,) = (d for d in samples.diagnostics if d.slug == "description")
    assert fault.severity == Severity.WARNING
    assert fault.path.endswith("second.toml")
    assert fault.message.startswith(message)
    assert samples.metrics["pingpong", "pingpong"].title == "Round Trip"


def test_the_name_of_a_plug_in_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptions, "plugged_parsers", lambda: ({"pingpong": described(TOML)}, ()))
    root = logs(tmp_path, "base", "patched", toml=TOML)
    (fault,) = (d for d in load(root / "base", root / "patched").diagnostics if d.slug == "description")
    assert fault.message.startswith("pingpong is a parser that another distribution brings along")


def test_there_is_room_for_so_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptions, "_MOST", 2)
    write(tmp_path / "a", {f"{name}.toml": simple(name=f"'{name}'") for name in "xyz"})
    samples = load(tmp_path / "a", tmp_path / "a")
    assert [d.message for d in samples.diagnostics if d.slug == "description"] == [
        "there are 2 other descriptions; this one is left out"
    ]


def test_a_described_parser_wins_over_a_built_in_one(tmp_path: Path) -> None:
    toml = simple(name="'mine'", files="'hackbench-*'", pattern=r"'^Time: (?P<value>[\d.]+)$'", unit="'s'")
    write(tmp_path / "a", {"hackbench-1": hackbench(1.5), "other": hackbench(2.5), "mine.toml": toml})
    samples = load(tmp_path / "a", tmp_path / "a")
    assert list(samples.benchmarks) == ["hackbench-process", "mine"]
    assert values(samples)["mine", "mine", "a"] == [1.5]


def test_a_failed_log_is_known_by_its_name(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "base", {"pingpong-9.log": "Segmentation fault\n", "pingpong-8.log": "pingpong: start\n"})
    found_status = status(load(root / "base", root / "patched"))
    assert (found_status["pingpong-9.log"], found_status["pingpong-8.log"]) == ("no-result", "failed-run")


def test_a_cut_archive_is_said_once(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "base", {"pingpong-7.log.gz": gzip.compress(pingpong(10).encode())[:-9]})
    samples = load(root / "base", root / "patched")
    assert status(samples)["pingpong-7.log.gz"] == "truncated"
    assert slugs(samples).count("truncated") == 1


def test_mmtests_layout(tmp_path: Path) -> None:
    for kernel in "ab":
        write(tmp_path, {f"{kernel}/iter-{i}/pingpong/logs/pingpong-1.log": pingpong(10 + i) for i in range(2)})
    write(tmp_path, {"mine.toml": TOML})
    samples = load_mmtests(tmp_path, "a", "b", descriptions=[tmp_path / "mine.toml"])
    assert values(samples)["pingpong", "1", "a"] == [10, 11]
    write(tmp_path, {"compare-kernels.toml": "benchmarks = ['mine.toml']\n"})
    assert "pingpong Round Trip" in run("-C", ".", cwd=tmp_path).stdout


# Named by the settings


def test_the_settings_name_descriptions(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched")
    write(root, {"defs/mine.toml": TOML, "compare-kernels.toml": "benchmarks = ['defs/mine.toml']\nmargin = 2\n"})
    write(root, {"work/x": ""})
    done = run("../base", "../patched", "--strict", cwd=root / "work")
    assert done.returncode == 0
    assert "pingpong Round Trip" in done.stdout
    assert "\npingpong         Round Trip\n" not in run("list", "styles", cwd=root).stdout
    assert re.search(r"(?m)^pingpong +Round Trip$", run("list", "parsers", cwd=root / "work").stdout)
    done = run("calibrate", "base", "--splits", "4", cwd=root)
    assert (done.returncode, "3 rows" in done.stdout) == (0, True), done.stdout
    assert run("base", "patched", "--config", root / "compare-kernels.toml", cwd=root).returncode == 0


def test_settings_among_the_logs_are_no_log(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML)
    write(root / "base", {"compare-kernels.toml": "margin = 3\n", "inner/compare-kernels.toml": "margin = 4\n"})
    done = run("../base", "../patched", "-v", cwd=root / "base")
    assert "../base/compare-kernels.toml: companion\n" in done.stderr
    assert "../base/inner/compare-kernels.toml: unrecognised\n" in done.stderr


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (None, "mine.toml: No such file or directory"),
        ("", "mine.toml: no description of a benchmark: it has no table [benchmark]"),
        ("[benchmark]\n", "mine.toml: benchmark.name is missing"),
        (simple(begin="'('"), "mine.toml: benchmark.begin: not a regular expression that RE2 takes: missing ): ("),
        (simple(name="'tbench'"), "mine.toml: tbench is a parser that compare-kernels brings along"),
    ],
)
def test_a_named_file_has_to_be_right(toml: str | None, message: str, tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched")
    write(root, {"compare-kernels.toml": "benchmarks = ['mine.toml']\n"})
    if toml is not None:
        write(root, {"mine.toml": toml})
    for arguments in (("base", "patched"), ("calibrate", "base"), ("list", "parsers")):
        done = run(*arguments, cwd=root)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    with pytest.raises(UsageError, match=re.escape(message)):
        load(root / "base", root / "patched", descriptions=[root / "mine.toml"])


def test_two_named_files_may_not_share_a_name(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched")
    write(root, {"1.toml": TOML, "2.toml": TOML, "3.toml": TOML.replace("Round", "Square")})
    load(root / "base", root / "patched", descriptions=[root / "1.toml", root / "2.toml"])
    with pytest.raises(UsageError, match=r"3\.toml: another description is called pingpong, too"):
        load(root / "base", root / "patched", descriptions=[root / "1.toml", root / "3.toml"])


def test_a_named_file_wins_over_one_that_is_found(tmp_path: Path) -> None:
    root = logs(tmp_path, "base", "patched", toml=TOML.replace("Round", "Square"))
    write(root, {"named.toml": TOML})
    samples = load(root / "base", root / "patched", descriptions=[str(root / "named.toml")])
    assert samples.metrics["pingpong", "pingpong"].title == "Round Trip"
    assert "description" in slugs(samples)


@pytest.mark.parametrize("value", ["3", "[3]", "['']", '["a\\u0000b"]', "{}"])
def test_wrong_lists_of_descriptions(value: str, tmp_path: Path) -> None:
    write(tmp_path, {"x.toml": f"benchmarks = {value}\n"})
    with pytest.raises(UsageError, match="benchmarks has to be a list of files such as"):
        read_settings(tmp_path / "x.toml")
    write(tmp_path, {"x.toml": "benchmark = ['a']\n"})
    with pytest.raises(UsageError, match=r"unknown key benchmark; did you mean benchmarks\?"):
        read_settings(tmp_path / "x.toml")


# As good as a built-in one


def test_margins_of_described_metrics(tmp_path: Path) -> None:
    toml = SMALL + "[benchmark.metrics.rare]\n"
    for kernel, value in (("a", 10.0), ("b", 11.0)):
        for number in range(6):
            write(tmp_path / kernel, {f"{number}.log": f"fast 1: {value + number / 100}\n"})
    write(tmp_path / "a", {"small.toml": toml})
    samples = load(tmp_path / "a", tmp_path / "b")

    def verdict(**margins: float) -> str:
        rules = Rules(metric={name.replace("__", "/"): MetricRules(margin) for name, margin in margins.items()})
        frame = compare(samples, rules=rules).frame
        return str(frame.loc[frame["statistic"] == "mean", "verdict"].iloc[0])

    assert verdict() == "regressed"
    assert verdict(fast=30) == "unchanged"
    assert verdict(small__fast=30) == "unchanged"
    assert verdict(rare=30) == "regressed"
    with pytest.raises(UsageError, match=r"did you mean small/rare\?|did you mean rare\?"):
        verdict(small__rar=30)
    assert calibrate(samples, rules=Rules(metric={"rare": MetricRules(3)}), splits=2)


@pytest.mark.parametrize(
    "style",
    [name for name, style in builtin_styles().items() if not style.rules and style.shows_rows and not style.write],
)
def test_all_styles_show_hostile_names_harmlessly(style: str, tmp_path: Path) -> None:
    hostile = "<script>{{ 7*7 }}{% raw %}|%s &amp; \N{SNOWMAN} ]]>"
    toml = simple(
        name="'evil'", title=f"'{hostile}'", unit=f"'{hostile}'", parameter=f"'{hostile}'",
        pattern="'^(?P<metric>[^=]+)=(?P<parameter>[^=]+)=(?P<value>.+)$'",
    )  # fmt: skip
    names = ["<b>{{ 7*7 }}", "\x1b[31mred\u202e", "a\tb", "\u2028 ", "16", "%d{0}"]
    for kernel in "ab":
        lines = [f"{name}={other}={len(name) + number}\n" for name in names for other in names for number in range(3)]
        write(tmp_path / kernel, {f"{i}.log": "".join(lines) for i in range(3)})
    write(tmp_path / "a", {"evil.toml": toml})
    text = render(compare(load(tmp_path / "a", tmp_path / "b")), style)
    assert "evil" in text
    assert "49" not in text.replace("{{ 7*7 }}", "")
    # Two styles are made of tabs.
    plain = text.replace("\t", "") if style in {"baseline", "ministat"} else text
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e]", plain)
    if builtin_styles()[style].html:
        assert "<script>{{" not in text
        assert "<b>{{" not in text
    elif style == "markdown":
        assert "<" not in text
    else:
        assert hostile in text or style in {"percent", "summary", "lkp"}


def test_without_the_engine_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_pattern.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(UsageError, match=r"pip install 'compare-kernels\[described\]'"):
        compile_pattern("never seen before (?P<value>1)")
    compile_pattern.cache_clear()
