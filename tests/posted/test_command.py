"""The verb as a user meets it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from tests.test_cli import run

from .reading import MATERIAL

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

GOOD = MATERIAL / "mmtests.eml"


def test_nothing_wrong() -> None:
    done = run("check", GOOD)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 tables, 36 percentages and 22 other relations checked: no contradictions\n"


def test_contradictions(tmp_path: Path) -> None:
    bad = tmp_path / "bad.eml"
    bad.write_text(GOOD.read_text(encoding="utf-8").replace("9.65", "-9.65"), encoding="utf-8")
    done = run("check", "bad.eml", GOOD, cwd=tmp_path)
    assert done.returncode == 1
    first, last = done.stdout.splitlines()
    assert first.startswith("bad.eml:16: Hmean 1, 5.15.0-rc3-sched-wakeeflips-v1r1: -9.65% is printed, but ")
    assert last == "4 tables, 72 percentages and 44 other relations checked: 1 contradiction"


def test_no_table(tmp_path: Path) -> None:
    (tmp_path / "prose").write_text("Faster by 10 %.\n", encoding="utf-8")
    done = run("check", tmp_path / "prose")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "compare-kernels: no table was found\n")


def test_usage(tmp_path: Path) -> None:
    assert run("check").returncode == 2
    assert run("check", tmp_path / "none").returncode == 2
    assert run("check", "--nonsense", GOOD).returncode == 2


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.read_bytes())))
    assert run("check", "-").stdout.startswith("2 tables, 36 percentages")


def test_damaged_archive_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(b"\x1f\x8b\x08\0broken")
    done = run("check", tmp_path / "x.gz", GOOD)
    assert done.returncode == 0
    assert "the gzip archive is" in done.stderr
