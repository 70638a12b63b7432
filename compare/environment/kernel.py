"""Files about the kernel itself: uname, /proc/version, the command line, .config, and what it was compiled with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.environment.facts import Fact, fact, lines_of, number_list, whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_RELEASE = r"\d{1,3}\.\d{1,5}[^\s()#]*"
# With and without the machine's name, which is never a fact.
_UNAME = re.compile(rf"Linux (?:\S+ )?({_RELEASE}) (#\d[^\n]*)")
_VERSION = re.compile(rf"Linux version ({_RELEASE}) (\([^\n]*?)(#\d[^\n]*)")
# A bare number such as 1.234 is a result.
_BARE_RELEASE = re.compile(r"\d{1,2}\.\d{1,3}(?:\.\d{1,5}(?:[-.+_~]\S{0,100})?|[-+]\S{0,40}[A-Za-z+]\S{0,40})")
_PREEMPT = re.compile(r"\b(PREEMPT(?:_[A-Z]+)*|PREEMPTION)\b")
_MACHINE = re.compile(
    r"(?: (?:x86_64|i[3-6]86|aarch64|arm\w+|ppc\w+|s390x?|riscv\w+|loongarch\w+|mips\w+|GNU/Linux))+$"
)
# Words of which a kernel's command line has at least one, and that of a benchmark has none.
_BOOT_WORD = re.compile(
    r"(?:BOOT_IMAGE|root|console|initrd|init|rdinit|mitigations|isolcpus|nohz_full|crashkernel|resume)=.*"
    r"|ro|quiet|rhgb|nokaslr|nosmt|nomodule"
)
_CPU_LISTS = {"isolcpus", "nohz_full", "rcu_nocbs", "irqaffinity"}
_OPTION = re.compile(r"(CONFIG_\w+)=(.+)|# (CONFIG_\w+) is not set")
_GENERATED = "# Automatically generated"


def is_uname(lines: list[str]) -> bool:
    """Whether the text is what ``uname -a`` or ``uname -srv`` prints, and nothing else."""
    return len(lines) == 1 and _UNAME.fullmatch(lines[0]) is not None


def is_version(lines: list[str]) -> bool:
    """Whether the text is /proc/version, and nothing else."""
    return len(lines) == 1 and _VERSION.fullmatch(lines[0]) is not None


def is_release(lines: list[str]) -> bool:
    """Whether the text is what ``uname -r`` prints, which only a file's name can tell from other versions."""
    return len(lines) == 1 and _BARE_RELEASE.fullmatch(lines[0].strip()) is not None


def is_cmdline(lines: list[str], *, named: bool) -> bool:
    """Whether the text is the kernel's command line. Without the name, only a boot loader's first word says so."""
    if len(lines) != 1:
        return False
    words = lines[0].split()
    if not named:
        return words[:1] != [] and words[0].startswith("BOOT_IMAGE=")
    return any(_BOOT_WORD.fullmatch(word) for word in words)


def is_config(lines: list[str]) -> bool:
    """Whether the text is a .config or lines of one."""
    options = 0
    for line in lines:
        if line.startswith("CONFIG_") or (line.startswith("# CONFIG_") and line.endswith(" is not set")):
            options += 1
        elif line and not line.startswith("#"):
            return False
    return options > 0


def read_uname(text: str) -> Iterator[Fact]:
    """Release and version string; how the kernel preempts, as far as the version string says."""
    for number, line in enumerate(lines_of(text), start=1):
        if found := _UNAME.fullmatch(line):
            ended = text.endswith("\n") or _MACHINE.search(line) is not None
            yield from _release(found[1], _MACHINE.sub("", found[2]), number, ended=ended)


def read_version(text: str) -> Iterator[Fact]:
    """Release, version string, and the compiler and linker that made the kernel."""
    for number, line in enumerate(lines_of(text), start=1):
        yield from version_line(line, number, ended=text.endswith("\n"))


def version_line(line: str, number: int, *, ended: bool) -> Iterator[Fact]:
    """Facts of a line that begins ``Linux version``, as in /proc/version and at the head of a kernel log."""
    found = _VERSION.fullmatch(line)
    if not found:
        return
    yield from _release(found[1], found[3], number, ended=ended)
    # (who@where) (compiler, linker), or in old kernels (who@where) (gcc version …)
    _, _, tools = found[2].strip().partition(") (")
    compiler, _, linker = tools.removesuffix(")").rpartition(", ")
    if linker.startswith(("GNU ld", "LLD", "ld.")):
        yield from fact("kernel.compiler", compiler, number)
        yield from fact("kernel.linker", linker, number)
    else:
        yield from fact("kernel.compiler", tools.removesuffix(")"), number)


def _release(release: str, version: str, line: int, *, ended: bool) -> Iterator[Fact]:
    yield from fact("kernel.release", release, line)
    yield from fact("kernel.version", version, line)
    preempt = _PREEMPT.search(version)
    if ended:
        yield from fact("preempt.build", preempt[1] if preempt else "none", line)


def read_release(text: str) -> Iterator[Fact]:
    """The release alone."""
    yield from fact("kernel.release", text.strip(), 1)


def read_cmdline(text: str) -> Iterator[Fact]:
    """A fact for each option; of one that is given several times, all values in their order."""
    options: dict[str, list[str]] = {}
    ended = text.endswith("\n")
    own, dashes, for_init = " ".join(lines_of(text)).partition(" -- ")
    words = words_of(own)
    for word in words if ended else words[:-1]:
        name, equals, value = word.partition("=")
        # The kernel takes both spellings for one.
        name = name if name.isupper() else name.replace("-", "_")
        options.setdefault(name, []).append(value if equals else "set")
    if dashes and for_init.strip():
        options["--"] = [for_init]
    if ended:
        yield from fact("kernel.cmdline", f"{len(options)} options", 1)
    for name, values in options.items():
        if name in _CPU_LISTS:
            values = [number_list(value) or value for value in values]  # noqa: PLW2901
        yield from fact(f"kernel.cmdline {name}", " ".join(values) or '""', 1)


def words_of(cmdline: str) -> list[str]:
    """Return the words of a kernel's command line; blanks between double quotes don't part words."""
    return re.findall(r'(?:[^\s"]|"[^"]*(?:"|$))+', cmdline)


def read_config(text: str) -> Iterator[Fact]:
    """A fact for each option; ``n`` for one that is not set."""
    lines = whole_lines(text)
    generated = False
    found: list[Fact] = []
    for number, line in enumerate(lines, start=1):
        option = _OPTION.fullmatch(line)
        if option:
            found += fact(f"config {option[1] or option[3]}", option[2] or "n", number)
        else:
            generated = generated or line.startswith(_GENERATED)
    # Only a whole .config says that an option which isn't in it is off.
    if generated and len(lines) == len(lines_of(text)):
        yield from fact("config", f"{len(found)} options")
    yield from found


def is_compiler(lines: list[str], *, named: bool) -> bool:
    """Whether the text is what a compiler prints for ``--version``; one line alone is believed by name only."""
    if not 1 <= len(lines) <= 12 or not _compiler(lines[0]):
        return False
    return named or any(line.startswith(("Copyright (C)", "Target:", "Thread model:")) for line in lines[1:])


def _compiler(line: str) -> bool:
    return re.match(r"(?:\S{0,40}(?:gcc|cc|g\+\+)(?:-\d+)? \(|(?:\S{1,40} ){0,3}clang version )", line) is not None


def read_compiler(text: str) -> Iterable[Fact]:
    """The first line, which has name and version."""
    return fact("compiler", lines_of(text)[0] if lines_of(text) else "", 1)


def is_libc(lines: list[str]) -> bool:
    """Whether the text is what ``ldd --version`` prints."""
    return 1 <= len(lines) <= 12 and re.match(r"ldd \([^)\n]{1,80}\) \d+\.\d+", lines[0]) is not None


def read_libc(text: str) -> Iterable[Fact]:
    """The version of the C library, and who packaged it."""
    return fact("libc", lines_of(text)[0].removeprefix("ldd ") if lines_of(text) else "", 1)
