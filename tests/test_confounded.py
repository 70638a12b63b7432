"""What differs besides the kernel is said before any number, in every style."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compare_kernels import compare, load, render
from compare_kernels.reporting.render import builtin_styles

from .test_cli import run
from .test_reading import hackbench, write

if TYPE_CHECKING:
    from pathlib import Path

THP = "always [madvise] never\n"


def results(root: Path, **files: str) -> Path:
    named = {f"env/{name.replace('__', '/')}": text for name, text in files.items()}
    return write(root, {"hackbench/1.txt": hackbench(1.0), "hackbench/2.txt": hackbench(1.1), **named})


@pytest.fixture
def confounded(tmp_path: Path) -> tuple[Path, Path]:
    common = {"uname": "Linux host 6.12.0 #1 SMP PREEMPT_DYNAMIC Mon Jan 1 00:00:00 UTC 2026 x86_64 GNU/Linux\n"}
    base = results(tmp_path / "base", **common, thp_enabled="[always] madvise never\n")
    return base, results(tmp_path / "patched", **common, thp_enabled="always madvise [never]\n")


def test_the_only_difference_stands_at_the_head(confounded: tuple[Path, Path]) -> None:
    done = run(*confounded)
    assert done.stdout.startswith(
        "Not only the kernel differs, and this may change performance:\n"
        "  thp.enabled: always (base), never (patched)\n"
    )
    assert "thp.enabled differs: always under base, never under patched [confounded]" in done.stderr
    assert "4 about the machine" in done.stdout
    assert run(*confounded, "--strict").returncode == 2


@pytest.mark.parametrize(
    "style", [name for name, style in builtin_styles().items() if not style.rules and name != "csv"]
)
def test_every_style_says_so(style: str, confounded: tuple[Path, Path]) -> None:
    text = render(compare(load(*confounded)), style)
    assert "thp.enabled" in text.replace("\\", "")
    assert "never" in text


def test_what_is_stored_knows_its_machine(confounded: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    run(*confounded, "--style", "json", "-o", path)
    fresh = run(*confounded)
    again = run(path)
    assert again.stdout == fresh.stdout
    assert "thp.enabled: always (base), never (patched)" in run(f"base={path}", confounded[1]).stdout


def test_equal_machines_are_not_mentioned(tmp_path: Path) -> None:
    sides = [results(tmp_path / name, thp_enabled=THP) for name in ("a", "b")]
    done = run(*sides)
    assert "Not only the kernel" not in done.stdout
    assert done.stderr == ""
    assert "Nothing is known to differ" in run(*sides, "--style", "environment").stdout


def test_a_fact_of_one_side_is_no_difference(tmp_path: Path) -> None:
    sides = results(tmp_path / "a", thp_enabled=THP), results(tmp_path / "b")
    done = run(*sides, "-v")
    assert "Not only the kernel" not in done.stdout
    assert "not compared, for not all kernels tell it: thp.enabled [environment-in-part]" in done.stderr


def test_a_setting_that_changed_between_runs_is_said(tmp_path: Path) -> None:
    changed = {"run-1__thp_enabled": THP, "run-2__thp_enabled": "[always] madvise never\n"}
    sides = results(tmp_path / "a", **changed), results(tmp_path / "b", thp_enabled=THP)
    done = run(*sides)
    assert "thp.enabled is always here and madvise in" in done.stderr
    assert "[environment-changed]" in done.stderr
    assert "thp.enabled: madvise or always (a), madvise (b)" in done.stdout


def test_the_kernels_log_is_looked_through(tmp_path: Path) -> None:
    warning = "WARNING: CPU: 1 PID: 7 at mm/slub.c:9 f+0x1/0x2"
    log = f"[    0.000000] Linux version 6.12.0\n[    5.1] all well\n[    6.5] {warning}\n"
    sides = results(tmp_path / "a", dmesg=log), results(tmp_path / "b")
    done = run(*sides)
    assert (
        "env/dmesg:3: warning: the kernel's log: WARNING: CPU: 1 PID: 7 at mm/slub.c:9 f+0x1/0x2 [warning]"
        in done.stderr
    )


def test_many_differences_are_counted_at_the_head_and_listed_in_a_style(tmp_path: Path) -> None:
    options = [f"vm.option_{number}" for number in range(30)]
    sides = [
        results(tmp_path / name, sysctl="".join(f"{option} = {value}\n" for option in options))
        for name, value in (("a", 1), ("b", 2))
    ]
    text = run(*sides).stdout
    assert "  and 22 more (--style environment shows all)" in text
    listed = run(*sides, "--style", "environment").stdout
    assert all(option in listed for option in options)
