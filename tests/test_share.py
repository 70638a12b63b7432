"""The manual page and the completions in share/ are made from the command's own parser."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import pytest
import shtab
from argparse_manpage.manpage import Manpage

from compare_kernels.cli import arguments
from compare_kernels.reporting.render import builtin_styles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SHARE = Path(__file__).parent.parent / "share"
COMPLETIONS = {
    "bash": "bash-completion/completions/compare-kernels",
    "zsh": "zsh/site-functions/_compare-kernels",
    "fish": "fish/vendor_completions.d/compare-kernels.fish",
}
MANUAL = "man/man1/compare-kernels.1"
FILES = {"inputs", "output", "config", "export", "reply_to_message", "directory", "plots", "gate", "history"}


def parser() -> argparse.ArgumentParser:
    found = arguments.compare_parser()
    for action in found._actions:
        if action.dest in FILES and action.choices is None:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        if action.dest == "style":
            action.choices = list(builtin_styles())
    return found


def manual() -> str:
    made = arguments.compare_parser()
    made.man_short_description = "what did a patch do to the benchmarks?"  # type: ignore[attr-defined]
    text = str(Manpage(made, format="single-commands-section"))
    # The date of the day would make another file every day.
    text = re.sub(r'^(\.TH \S+ "?1"?) "[^"]*"', r'\1 ""', text, flags=re.MULTILINE)
    return text.replace("Generated Python Manual", "User Commands")


def made(name: str) -> str:
    shell = next((shell for shell, path in COMPLETIONS.items() if path == name), "")
    return shtab.complete(parser(), shell) if shell else manual()


@pytest.mark.parametrize("name", [MANUAL, *COMPLETIONS.values()])
def test_it_is_up_to_date(name: str, golden: Callable[[str, str], None], request: pytest.FixtureRequest) -> None:
    path = SHARE / name
    text = "".join(f"{line.rstrip()}\n" for line in made(name).rstrip("\n").split("\n"))
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    assert path.read_text() == text, "run 'make golden K=share'"


def test_all_options_are_there() -> None:
    options = {option for action in arguments.compare_parser()._actions for option in action.option_strings}
    for name in COMPLETIONS.values():
        text = (SHARE / name).read_text()
        assert not {option for option in options if option.lstrip("-") not in text.replace("\\", "")}
    manual_text = (SHARE / MANUAL).read_text().replace("\\-", "-")
    assert not {option for option in options - {"-h", "--help"} if option not in manual_text}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_the_shell_takes_it(shell: str) -> None:
    if not which(shell):
        pytest.skip(f"{shell} isn't installed here")
    done = subprocess.run([shell, "-n", SHARE / COMPLETIONS[shell]], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_styles() -> None:
    script = f"""
        source {SHARE / COMPLETIONS["bash"]}
        COMP_WORDS=(compare-kernels --style norm); COMP_CWORD=2
        _shtab_compare_kernels; echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["normalized"]
