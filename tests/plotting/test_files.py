"""Plots as files, and the options that write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compare_kernels.errors import UsageError
from compare_kernels.plotting.files import write_plots
from tests.test_cli import SAMPLES, run

from .material import small

if TYPE_CHECKING:
    from pathlib import Path

ARGUMENTS = (SAMPLES / "base", SAMPLES / "patched", "-b", "tbench", "--metric", "throughput")


def test_the_command_writes_plots_and_says_how_many(tmp_path: Path) -> None:
    plain = run(*ARGUMENTS)
    done = run(*ARGUMENTS, "--plots", tmp_path / "new" / "plots")
    names = sorted(path.name for path in (tmp_path / "new" / "plots").iterdir())
    assert done.returncode == 0
    assert done.stdout == plain.stdout
    assert done.stderr == f"{plain.stderr}{len(names)} plots in {tmp_path}/new/plots\n"
    assert "distribution--tbench--throughput--4.svg" in names
    assert "curve--tbench--throughput.svg" in names
    assert len(names) == 8
    assert not [name for name in names if not name.endswith(".svg")]


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_other_formats_and_quiet(kind: str, tmp_path: Path) -> None:
    done = run(*ARGUMENTS, "--plots", tmp_path, "--plot-format", kind, "-q")
    assert done.stderr == ""
    assert {path.suffix for path in tmp_path.iterdir()} == {f".{kind}"}


def test_old_files_are_replaced_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    plots = small()[:2]
    (tmp_path / f"{plots[0].slug}.svg").write_text("old")
    assert write_plots(plots, tmp_path) == 2
    assert (tmp_path / f"{plots[0].slug}.svg").read_text().startswith("<svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*(f"{plot.slug}.svg" for plot in plots), "mine.txt"]
    )


def test_what_cannot_be_written_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        write_plots(small(), tmp_path / "file")
    done = run(*ARGUMENTS, "--plots", tmp_path / "file" / "deeper")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    with pytest.raises(UsageError, match="no name"):
        write_plots(small(), "")
    (tmp_path / f"{small()[0].slug}.svg").mkdir()
    with pytest.raises(UsageError):
        write_plots(small(), tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
