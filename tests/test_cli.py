"""The command as a user meets it: exit codes, streams, options, hostile input."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from compare_kernels import compare, load
from compare_kernels.cli import main
from compare_kernels.reading.recognise import plugged_parsers
from compare_kernels.reporting.render import builtin_styles

from .test_reading import hackbench, write


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample-results"


def run(*arguments: str | Path, cwd: Path | None = None) -> Done:
    """Run the command inside this process: it takes a tenth of the time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), chdir(cwd or Path.cwd()):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(str(stop.code))
    texts = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode())
    return Done(code, *texts)


def spawn(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR"}}
    return subprocess.run(
        [sys.executable, "-m", "compare_kernels", *map(str, arguments)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**inherited, **environment},
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for kernel, seconds in {"base": 2.0, "patched": 1.0}.items():
        files = {f"hackbench/run-{i}/out": hackbench(seconds + i / 100) for i in range(6)}
        write(tmp_path / kernel, dict(files))
    return tmp_path


def test_report_goes_to_stdout_and_nothing_else(results: Path) -> None:
    done = spawn("base", "patched", cwd=results)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Amean     4      2.0250 (   0.00%)      1.0250 *  49.38%*" in done.stdout
    assert done.stdout.endswith("12 files: 12 read\n")


def test_same_input_same_bytes(results: Path) -> None:
    first = spawn("base", "patched", cwd=results, PYTHONHASHSEED="1", LC_ALL="C")
    second = spawn("base", "patched", cwd=results, PYTHONHASHSEED="2", LC_ALL="de_DE.UTF-8", TZ="Asia/Tokyo")
    assert first.stdout == second.stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from compare_kernels.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'numpy', 'scipy', 'jinja2', 'matplotlib', 'importlib.metadata'}\n"
        "heavy |= {'email', 'smtplib', 'ssl'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
    assert "examples:" in done.stdout
    assert "exit codes:" in done.stdout


def test_a_comparison_loads_no_plotting_and_no_rank_tests(results: Path) -> None:
    code = (
        "import sys\n"
        "from compare_kernels.cli import main\n"
        f"main([{str(results / 'base')!r}, {str(results / 'patched')!r}])\n"
        "print(sorted({'scipy.stats', 'matplotlib'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_entry_points_are_looked_at_only_when_needed(results: Path) -> None:
    plugged_parsers.cache_clear()
    run("base", "patched", cwd=results)
    assert plugged_parsers.cache_info().misses == 0
    write(results / "patched", {"notes.txt": "hello\n"})
    run("base", "patched", cwd=results)
    assert plugged_parsers.cache_info().misses == 1


def test_version() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == "compare-kernels 0.1.0\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "two inputs are needed"),
        (["base"], "two inputs are needed"),
        (["base", "nothing"], "nothing: no such file or directory"),
        (["base", "patched", "--style", "mmtest"], "did you mean 'mmtests'?"),
        (["base", "patched", "--alpha", "2"], "alpha has to lie between 0 and 0.5"),
        (["base", "patched", "--alpha", "x"], "invalid float value"),
        (["base", "patched", "-b", "tbench"], "no benchmark matches 'tbench'; there are: hackbench-process"),
        (["base", "patched", "--metric", "latency"], "no metric matches 'latency'; there are: time"),
        (["base", "patched", "--sub-heading", "9"], "no operation begins with '9'"),
        (["base", "patched", "--baseline", "x"], "-C"),
        (["base", "patched", "--style", "mmtests-2020", "--sort", "p"], "don't go with it"),
        (["base", "patched", "--ratio"], "style mmtests has no table for --ratio, as these have: mmtests-2020"),
        (["base", "patched", "--style", "mmtests-2026", "--sub-heading", "4"], "no operation that it calls '4'"),
        (["base", "patched", "-C", "."], "give either"),
        (["-C", "nothing"], "no such directory"),
        (["base", "patched", "--frobnicate"], "unrecognized arguments"),
        (["base", "patched", "-o", "nowhere/report.txt"], "nowhere/report.txt: No such file or directory"),
        (["list", "kernels"], "invalid choice"),
    ],
)
def test_wrong_usage_is_2_with_a_message(arguments: list[str], message: str, results: Path) -> None:
    done = run(*arguments, cwd=results)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_nothing_to_compare_is_3(results: Path) -> None:
    write(
        results / "killed",
        {"out": "Running in process mode with 4 groups using 40 file descriptors each (== 160 tasks)\n"},
    )
    done = run("base", "killed", cwd=results)
    assert done.returncode == 3
    assert "killed/out:1: warning: the run did not finish" in done.stderr
    assert "no results were found for killed" in done.stderr
    write(results / "other", {"out": hackbench(1, groups=9)})
    assert "no operation in common" in run("base", "other", cwd=results).stderr
    (results / "empty").mkdir()
    assert run("empty", "empty", cwd=results).returncode == 3


def test_strict_makes_warnings_fail(results: Path) -> None:
    assert run("base", "patched", "--strict", cwd=results).returncode == 0
    write(results / "patched", {"notes.txt": "hello\n"})
    done = run("base", "patched", cwd=results)
    assert done.returncode == 0
    assert "1 not recognised; 1 warning" in done.stdout
    assert run("base", "patched", "--strict", cwd=results).returncode == 2


def test_unreadable_file_is_2_but_the_report_is_made(results: Path) -> None:
    (results / "patched" / "gone").symlink_to("nowhere")
    done = run("base", "patched", cwd=results)
    assert done.returncode == 2
    assert "Amean" in done.stdout
    assert "gone: error: No such file or directory [unreadable]" in done.stderr


def test_verbs_and_directories_of_that_name(results: Path) -> None:
    (results / "base").rename(results / "list")
    assert "\nmmtests " in "\n" + run("list", "styles", cwd=results).stdout
    assert "list" in run("./list", "patched", cwd=results).stdout
    assert run("compare", "list", "patched", cwd=results).stdout == run("./list", "patched", cwd=results).stdout


def test_list_parsers() -> None:
    done = run("list", "parsers")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert set(names) >= {"thpscale", "hackbench", "tbench", "netperf", "schbench", "specjvm"}


def test_output_file_is_written_whole(results: Path) -> None:
    plain = run("base", "patched", cwd=results).stdout
    done = run("base", "patched", "-o", "report.txt", "--color", "always", cwd=results)
    assert done.stdout == ""
    assert (results / "report.txt").read_text() == plain
    assert sorted(path.name for path in results.iterdir()) == ["base", "patched", "report.txt"]
    assert spawn("base", "patched", "-o", "/dev/stdout", cwd=results).stdout == plain


def test_output_keeps_links_devices_and_modes(results: Path) -> None:
    (results / "real.txt").write_text("old")
    (results / "real.txt").chmod(0o600)
    (results / "link.txt").symlink_to("real.txt")
    assert run("base", "patched", "-o", "link.txt", cwd=results).returncode == 0
    assert (results / "link.txt").is_symlink()
    assert "Amean" in (results / "real.txt").read_text()
    assert run("base", "patched", "-o", "real.txt", cwd=results).returncode == 0
    assert (results / "real.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "command",
    [
        "{ck} base patched >/dev/full",
        "{ck} base patched >&-",
        "{ck} list styles >&-",
        "{ck} base patched -o ''",
        "{ck} base patched -o /",
        "{ck} base $(printf 'x%.0s' $(seq 300))",
        "{ck} '' base",
        "{ck} base /dev/null",
    ],
)
def test_odd_outputs_and_inputs_are_2_without_a_traceback(command: str, results: Path) -> None:
    line = command.format(ck=f"{sys.executable} -m compare_kernels")
    done = subprocess.run(["bash", "-c", line], check=False, capture_output=True, text=True, cwd=results)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "compare-kernels: " in done.stderr


def test_color_only_on_request(results: Path) -> None:
    assert "\x1b" not in run("base", "patched", cwd=results).stdout
    colored = run("base", "patched", "--color", "always", cwd=results).stdout
    assert "\x1b[32m *  49.38%*\x1b[0m" in colored
    assert "\x1b[31m" in run("patched", "base", "--color", "always", cwd=results).stdout


def test_color_on_a_terminal_unless_no_color(results: Path) -> None:
    import pty

    def on_terminal(**environment: str) -> bytes:
        controller, terminal = pty.openpty()
        inherited = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        subprocess.run(
            [sys.executable, "-m", "compare_kernels", "base", "patched"],
            check=True,
            stdout=terminal,
            stdin=subprocess.DEVNULL,
            cwd=results,
            env={**inherited, "TERM": "xterm", **environment},
        )
        os.close(terminal)
        data = b""
        while True:
            try:
                chunk = os.read(controller, 65536)
            except OSError:
                break
            if not chunk:
                break
            data += chunk
        os.close(controller)
        return data

    assert b"\x1b[32m" in on_terminal()
    assert b"\x1b" not in on_terminal(NO_COLOR="1")
    assert b"\x1b" not in on_terminal(TERM="dumb")


def test_verbose_and_quiet(results: Path) -> None:
    write(results / "patched", {"notes.txt": "hello\n", "empty": ""})
    verbose = run("base", "patched", "-v", cwd=results).stderr
    for path in [*results.rglob("out"), *results.rglob("notes.txt")]:
        assert f"{path.relative_to(results)}: " in verbose
    assert "notes.txt: unrecognised\n  warning: no parser knows this format" in verbose
    assert run("base", "patched", "-q", cwd=results).stderr == ""
    many = {f"note-{i}.txt": f"hello {i}\n" for i in range(9)}
    write(results / "patched", dict(many))
    assert "... and more warnings: 7 unrecognised (-v lists all)" in run("base", "patched", cwd=results).stderr


def test_no_legend(results: Path) -> None:
    assert "lower is better" in run("base", "patched", cwd=results).stdout
    assert "lower is better" not in run("base", "patched", "--no-legend", cwd=results).stdout


def test_ratios(results: Path) -> None:
    for style, row in (("mmtests-2020", "Ratio 4 "), ("mmtests-2026", "Ratio time-4 ")):
        done = run("base", "patched", "--style", style, "--ratio", cwd=results)
        assert done.returncode == 0
        assert f"\n{row}" in done.stdout


def test_byte_compatible_style_keeps_stdout_clean(results: Path) -> None:
    done = run("base", "patched", "--style", "mmtests-2020", cwd=results)
    assert "files" not in done.stdout
    assert done.stderr.endswith("12 files: 12 read\n")


@pytest.mark.parametrize("style", list(builtin_styles()))
def test_the_account_of_files_is_given_in_every_style(style: str, results: Path) -> None:
    done = run("base", "patched", "--style", style, cwd=results)
    assert (done.stdout + done.stderr).count("12 files: 12 read") == 1


def test_hostile_names_and_logs_do_nothing(tmp_path: Path) -> None:
    evil = "\x1b[2J\x07<script>\u202e\n"
    for name in ("base", evil):
        write(tmp_path / name, {f"{evil}/{i}": hackbench(i) for i in (1, 2)})
    write(tmp_path / evil, {"log": hackbench(1) + "SENDER: write (error: \x1b]0;owned\x07{{ 7*7 }})\n"})
    for style in ("mmtests", "mmtests-2020", "mmtests-2026", "normalized", "percent"):
        done = run("base", evil, "-v", "--style", style, cwd=tmp_path)
        assert done.returncode == 0
        for text in (done.stdout, done.stderr):
            assert not set(text) & {"\x1b", "\x07", "\u202e"}
        assert "49" not in done.stderr.split("SENDER")[1][:40]


def test_name_that_is_no_utf8(tmp_path: Path) -> None:
    for name in (b"base", b"p\xff"):
        write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)), {"1": hackbench(1), "2": hackbench(2)})
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"compare_kernels", b"base", b"p\xff"],
        check=False,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert done.returncode == 0
    assert b"p?" in done.stdout


def test_reader_that_stops_early(results: Path) -> None:
    command = f"{sys.executable} -m compare_kernels base patched | head -n 1"
    done = subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True, cwd=results)
    assert done.stdout == "patched against base, 1 row:\n"
    assert done.stderr == ""


def test_sample_results_by_the_readme() -> None:
    done = run("sample-results/base", "sample-results/patched", cwd=ROOT)
    assert done.returncode == 0
    for benchmark in ("thpscale-frag", "hackbench-process-pipes", "tbench", "netperf-TCP_RR", "schbench", "specjvm"):
        assert f"\n{benchmark}" in f"\n{done.stdout}"


def test_title_and_legend_where_a_style_has_a_place_for_them(results: Path) -> None:
    inputs = (results / "base", results / "patched")
    named = ("--title", "Results of\x1b[2J today", "--legend", "base=6.12", "--legend", "patched=with *all* patches")
    for style in ("mmtests", "normalized", "baseline"):
        text = run(*inputs, "--style", style, *named).stdout
        assert text.startswith("Results of today\n\nLegend:\nbase    : 6.12\npatched : with *all* patches\n\n")
    assert "- **patched**: with \\*all\\* patches" in run(*inputs, "--style", "markdown", *named).stdout
    for option in (("--title", "x"), ("--legend", "base=x")):
        done = run(*inputs, "--style", "lkp", *option)
        assert (done.returncode, done.stdout) == (2, "")
        assert "has no place for" in done.stderr
    assert "no kernel is called 'other'" in run(*inputs, "--legend", "other=x").stderr
    assert "--legend takes NAME=TEXT" in run(*inputs, "--legend", "base").stderr


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_samples_are_exported(ending: str, results: Path, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / f"samples.{ending}"
    assert run(results / "base", results / "patched", "--export", path).returncode == 0
    frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    expected = compare(load(results / "base", results / "patched")).samples.frame
    assert frame["value"].tolist() == expected["value"].tolist()
    assert frame["kernel"].tolist() == expected["kernel"].astype(str).tolist()
    assert list(frame.columns) == list(expected.columns)


def test_samples_are_exported_to_what_we_know_only(results: Path, tmp_path: Path) -> None:
    done = run(results / "base", results / "patched", "--export", tmp_path / "samples.xls")
    assert (done.returncode, done.stdout) == (2, "")
    assert "samples are exported to .csv or .parquet" in done.stderr
    done = run(results / "base", results / "patched", "--export", tmp_path / "missing" / "samples.csv")
    assert done.returncode == 2


@pytest.mark.parametrize(("width", "message"), [("39", "40 or more"), ("wide", "40 or more"), ("-1", "40 or more")])
def test_width_is_a_number_or_auto(width: str, message: str, results: Path) -> None:
    done = run(results / "base", results / "patched", f"--width={width}")
    assert done.returncode == 2
    assert message in done.stderr
