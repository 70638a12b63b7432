"""What is built, and that documentation and code agree."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from compare_kernels.cli.arguments import compare_parser
from compare_kernels.parsers import BUILTIN
from compare_kernels.reading.recognise import builtin_parser
from compare_kernels.reporting.render import builtin_styles

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_one_package_with_all_its_files(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not re.search(r"\.(dist-info|data)/", name)}
    expected = {
        f"{package}{path.relative_to(ROOT / folder)}"
        for folder, package in {
            "compare": "compare_kernels/",
            "parsers": "compare_kernels/parsers/",
            "templates": "compare_kernels/templates/",
        }.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".j2", ".js", ".typed"}
        and not {"parsers", "templates"} & set(path.parts[len(ROOT.parts) + 1 :])
    }
    assert names == expected
    assert "compare_kernels/templates/mmtests.txt.j2" in names
    everything = zipfile.ZipFile(wheel).namelist()
    for path in (ROOT / "share").rglob("*"):
        if path.is_file():
            assert any(name.endswith(f".data/data/{path.relative_to(ROOT)}") for name in everything)


def test_the_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    samples = ROOT / "sample-results"
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import compare_kernels\n"
        f"assert compare_kernels.__file__.startswith({str(tmp_path)!r})\n"
        "from compare_kernels.cli import main\n"
        f"sys.exit(main([{str(samples / 'base')!r}, {str(samples / 'patched')!r}, '-b', 'tbench']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "\n\ntbench\n\n" in done.stdout


def test_run_time_needs_four_packages() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    (block,) = re.findall(r"(?ms)^dependencies = \[(.*?)^\]", text)
    assert re.findall(r'"([\w-]+)', block) == ["pandas", "scipy", "jinja2", "matplotlib"]


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "README.md").read_text())
    assert len(code.strip().splitlines()) <= 6
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "hackbench-process-pipes" in printed
    assert "( 0.00)%" in printed


def test_the_parser_of_the_contributing_page_works() -> None:
    from compare_kernels.parsers.base import Match, RawLog, SampleBuilder

    (code,) = re.findall(r"(?ms)^   ```python\n(.*?)^   ```", (ROOT / "CONTRIBUTING.md").read_text())
    names: dict[str, object] = {}
    exec(compile(re.sub(r"(?m)^   ", "", code), "CONTRIBUTING.md", "exec"), names)
    lines = ["pingpong: 8 threads", "12.345 us per round trip", "pingpong: 4 threads", "pingpong: error 5"]
    text = "\n".join([*lines, "pingpong: 2 threads", ""]).encode()
    log = RawLog(text, "run2.log")
    recognise, parse = names["recognise"], names["parse"]
    assert callable(recognise)
    assert callable(parse)
    assert recognise(log) == Match.CERTAIN
    builder = SampleBuilder("run2.log")
    parse(log, builder)
    parsed = builder.finish()
    assert parsed.frame()["value"].tolist() == [12.345]
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("failed-run", 4), ("failed-run", 5)]


def test_the_style_of_the_contributing_page_works() -> None:
    import textwrap

    from compare_kernels import compare, load
    from compare_kernels.api import build_report
    from compare_kernels.reporting.render import Style, render_report

    (code,) = re.findall(r"(?ms)^    \{# title:.*?\{\{ report.account \}\}$", (ROOT / "CONTRIBUTING.md").read_text())
    style = Style("page", "", textwrap.dedent(code), "", html=False)
    comparison = compare(load(ROOT / "sample-results/base/tbench", ROOT / "sample-results/patched/tbench"))
    lines = render_report(build_report(comparison, style), style).splitlines()
    assert lines[0].split() == ["benchmark", "operation", "base", "patched"]
    assert lines[2].split() == ["tbench", "2", "610.04", "0.00%", "588.16", "-3.59%"]
    assert len({len(line) for line in lines[1:4]}) == 1


EXAMPLES = [
    pytest.param(page, *found.groups(), id=f"{page}-{number}")
    for page in ("verdicts.md", "styles.md", "posted.md")
    for number, found in enumerate(
        re.finditer(
            r"(?m)^    \$ compare-kernels (.*)\n((?:    .*\n|\n(?=    |\n    ))*)", (ROOT / "docs" / page).read_text()
        )
    )
    if "check " not in found[1]
]


@pytest.mark.parametrize(("page", "arguments", "expected"), EXAMPLES)
def test_the_examples_of_the_manual_are_what_the_command_prints(page: str, arguments: str, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "compare_kernels", *arguments.split()],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    words = expected.split()
    if words[-1] == "...":
        assert done.stdout.split()[: len(words) - 1] == words[:-1]
    else:
        assert done.stdout.split() == words


def test_documentation_names_only_what_there_is() -> None:
    text = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    helped = compare_parser().format_help()
    metrics = {metric.name for entry in BUILTIN for metric in builtin_parser(entry.name).METRICS}
    for names in re.findall(r"(?m)^\| \w+ \| .* \| (.*) \|$", (ROOT / "docs" / "inputs.md").read_text()):
        assert set(re.findall(r"`([a-z-]+)`", names)) - {"--metric"} <= metrics
    for style in re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", (ROOT / "README.md").read_text()):
        assert style in builtin_styles()
    for option in re.findall(r"`(--[a-z-]+)`", text):
        assert option in helped, option


def test_the_repository_names_no_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    hosts = re.compile(rb"python" rb"hosted|py" rb"pi\.org|/ro" rb"ot/|\.deb" rb"ian\.org")
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink():
            assert not hosts.search(path.read_bytes()), name
