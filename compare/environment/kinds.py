"""Which files describe the machine, and what each of them says.

``recognise`` is meant to be asked after the parsers of benchmarks: it is strict, and wants the whole file to be of
one kind. ``facts`` reads a file of a kind. Neither raises, whatever the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.environment import dmesg, kernel, machine, settings
from compare_kernels.environment.facts import Fact, fact, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_READERS: dict[str, Callable[[str], Iterable[Fact]]] = {
    "uname": kernel.read_uname,
    "version": kernel.read_version,
    "release": kernel.read_release,
    "cmdline": kernel.read_cmdline,
    "config": kernel.read_config,
    "compiler": kernel.read_compiler,
    "libc": kernel.read_libc,
    "cpuinfo": machine.read_cpuinfo,
    "lscpu": machine.read_lscpu,
    "lscpu-json": machine.read_lscpu_json,
    "numactl": machine.read_numactl,
    "meminfo": machine.read_meminfo,
    "cpupower": machine.read_cpupower,
    "sysctl": settings.read_sysctl,
    "paths": settings.read_paths,
    "dmesg": dmesg.read_facts,
}

KINDS = (*_READERS, "setting", "distribution", "program")
"""All kinds of files that are recognised."""

_BY_CONTENT: tuple[tuple[str, Callable[[list[str]], bool]], ...] = (
    ("uname", kernel.is_uname),
    ("version", kernel.is_version),
    ("cpuinfo", machine.is_cpuinfo),
    ("lscpu", machine.is_lscpu),
    ("lscpu-json", machine.is_lscpu_json),
    ("numactl", machine.is_numactl),
    ("meminfo", machine.is_meminfo),
    ("cpupower", machine.is_cpupower),
    ("libc", kernel.is_libc),
    ("config", kernel.is_config),
    ("paths", settings.is_paths),
    ("sysctl", settings.is_sysctl),
)


def recognise(name: str, folders: tuple[str, ...], text: str) -> str | None:
    """Say what kind of description of the machine a file is.

    Args:
        name: the file's name without suffixes of compression.
        folders: names of the folders above it, outermost first.
        text: the decoded content.

    Returns:
        One of `KINDS`, or None. A benchmark's log is never one, even if it begins with the line of ``uname -a``.
    """
    if not text.strip() or "\x00" in text:
        return None
    text = _with_plain_ends(text)
    if settings.is_setting(name, folders, text):
        return "setting"
    lines = lines_of(text.strip("\n"))
    if len(lines) > 1 and not text.endswith("\n"):
        # The last line may be a part of one.
        lines.pop()
    for kind, fits in _BY_CONTENT:
        if fits(lines):
            return kind
    return _by_name(name, lines)


def _by_name(name: str, lines: list[str]) -> str | None:
    """The kinds that need the name: what stands in them could be anything else."""
    words = set(re.split(r"[^a-z+]+", name.lower()))
    fits = {
        "cmdline": kernel.is_cmdline(lines, named="cmdline" in words or {"command", "line"} <= words),
        "compiler": kernel.is_compiler(lines, named=bool(words & {"gcc", "cc", "clang", "compiler", "g++"})),
        "release": bool(words & {"release", "kernel", "uname"}) and kernel.is_release(lines),
        "dmesg": dmesg.is_dmesg(lines, named=bool(words & {"dmesg", "kern", "klog", "journal", "journalctl"})),
        "distribution": {"os", "release"} <= words and _is_distribution(lines),
        "program": len(lines) == 1 and _tells_version(_program(name), lines[0]),
    }
    return next((kind for kind, fit in fits.items() if fit), None)


_DISTRIBUTION = re.compile(r"""PRETTY_NAME=["']?([^"'\n]{1,100})["']?""")


def _is_distribution(lines: list[str]) -> bool:
    options = all(re.match(r"[A-Z_]+=|#|$", line) for line in lines)
    return options and any(_DISTRIBUTION.fullmatch(line) for line in lines)


def _program(name: str) -> str:
    """Whose version a file tells: ``perf`` for ``perf-version.txt``."""
    found = re.fullmatch(r"(?i)([a-z][\w+-]{1,30}?)[-_.]version(?:\.(?:txt|log|out))?", name)
    return found[1].lower() if found else ""


def _tells_version(program: str, line: str) -> bool:
    """Whether a line is the program's name and its version, and not one of its results."""
    between = r"(?:\W{0,2}(?:version|ver\.?|v)\W{0,2}|-v?)"
    pattern = rf"{re.escape(program)}{between}\d{{1,4}}\.\d[\w.+~-]{{0,40}}(?: \(.{{0,60}}\))?"
    return program != "" and re.fullmatch(pattern, line.strip().lower()) is not None


def facts(kind: str, name: str, folders: tuple[str, ...], text: str) -> tuple[Fact, ...]:
    """Read what a file of a kind says of the machine.

    Args:
        kind: what `recognise` returned.
        name: as for `recognise`.
        folders: as for `recognise`.
        text: as for `recognise`.

    Returns:
        Facts in the order of the file. What is of the moment (frequencies, free memory, counters), random or private
        (names of hosts, identifiers) isn't a fact, nor is a value that may have been cut off at the end of the file.
    """
    text = _with_plain_ends(text)
    if kind == "setting":
        return tuple(settings.read_setting(name, folders, text))
    if kind == "distribution":
        return tuple(_distribution(text))
    if kind == "program":
        lines = lines_of(text.strip("\n"))
        return tuple(fact(f"version {_program(name)}", lines[0] if lines else "", 1))
    return tuple(_READERS[kind](text)) if kind in _READERS else ()


def _distribution(text: str) -> Iterable[Fact]:
    for number, line in enumerate(lines_of(text), start=1):
        if found := _DISTRIBUTION.fullmatch(line):
            yield from fact("distribution", found[1], number)


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text
