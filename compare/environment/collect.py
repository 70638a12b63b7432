"""Writes files that describe the machine, for the folder that a benchmark's results go to.

Only files below /proc, /sys and /boot are read, and a few programs run that need no rights. What can't be read is
left out and told; nothing is written that identifies the machine or a person.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.environment import dmesg, private, settings
from compare_kernels.errors import UsageError
from compare_kernels.text import without_escapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[[tuple[str, ...]], str | None]

_SECONDS = 10
_MOST_BYTES = 1 << 24
# The kernel refuses to read a setting into a buffer of megabytes.
_PAGE = 1 << 16

_COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Without the name of the host, which `uname -a` would print.
    ("uname.txt", ("uname", "-srvm")),
    ("lscpu.txt", ("lscpu",)),
    ("numactl.txt", ("numactl", "-H")),
    ("gcc.txt", ("gcc", "--version")),
    ("ldd.txt", ("ldd", "--version")),
    ("dmesg.txt", ("dmesg",)),
)
_COPIES = (
    ("version.txt", "proc/version"),
    ("cmdline.txt", "proc/cmdline"),
    ("cpuinfo.txt", "proc/cpuinfo"),
    ("meminfo.txt", "proc/meminfo"),
)
# Where settings are looked for; what of them is a fact is known to `settings`.
_SETTINGS = (
    "sys/kernel/mm/transparent_hugepage/**/*",
    "sys/kernel/mm/ksm/*",
    "sys/kernel/mm/lru_gen/*",
    "sys/kernel/mm/numa/*",
    "sys/kernel/mm/hugepages/*/nr_hugepages",
    "sys/devices/system/cpu/*",
    "sys/devices/system/cpu/vulnerabilities/*",
    "sys/devices/system/cpu/smt/*",
    "sys/devices/system/cpu/cpuidle/*",
    "sys/devices/system/cpu/cpufreq/boost",
    "sys/devices/system/cpu/intel_pstate/*",
    "sys/devices/system/cpu/amd_pstate/*",
    "sys/devices/system/cpu/cpu[0-9]*/cpufreq/*",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/*",
    "sys/devices/system/node/online",
    "sys/devices/system/node/node[0-9]*/cpulist",
    "sys/devices/system/node/node[0-9]*/distance",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "sys/kernel/security/lsm",
    "sys/kernel/debug/sched/**/*",
    "sys/block/*/queue/*",
    "sys/class/dmi/id/product_name",
    "sys/class/dmi/id/bios_version",
)

# Of these it is told when they can't be read: their absence leaves a question open.
_WANTED = (
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/kernel/security/lsm",
    "sys/kernel/debug/sched/preempt",
)


def run_program(command: tuple[str, ...]) -> str | None:
    """Run a program in the C locale and return its output; None if there is none, it fails or takes too long."""
    path = os.pathsep.join(part for part in (os.environ.get("PATH"), "/usr/sbin", "/sbin", "/usr/bin") if part)
    try:
        done = subprocess.run(  # noqa: S603 - the commands are this module's own
            command,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            env={"PATH": path, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", errors="replace")


def collect(directory: Path, root: Path = Path("/"), run: Run = run_program) -> tuple[list[str], list[str]]:
    """Write a folder of files that describe the machine.

    Args:
        directory: where to; has to be new or empty.
        root: the directory in which proc, sys and boot lie.
        run: runs a program and returns its output, or None.

    Returns:
        The names of the files that were written, and what had to be left out with the reason.

    Raises:
        UsageError: if the directory holds something, or can't be made or written to.
    """
    _make(directory)
    host = _value(root / "proc/sys/kernel/hostname")
    written: list[str] = []
    missing: list[str] = []
    for name, text, what in _texts(root, run, host):
        if text is None or not text.strip():
            missing.append(what)
            continue
        _write(directory / name, text)
        written.append(name)
    missing += [f"/{path}" for path in _WANTED if not _value(root / path)]
    return written, missing


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        filled = any(directory.iterdir())
    except OSError as error:
        raise UsageError(f"{directory}: {error.strerror}") from error
    if filled:
        raise UsageError(f"{directory} is not empty: give a new directory, so that nothing in it is of another time")


def _texts(root: Path, run: Run, host: str) -> Iterator[tuple[str, str | None, str]]:
    """Name, content and source of each file; None where the source gave nothing."""
    for name, command in _COMMANDS:
        output = run(command)
        if output is not None and name == "dmesg.txt":
            # The rest of a kernel's log may hold anything, such as the serial numbers of disks.
            output = dmesg.telling_lines(output)
            if not output:
                continue
            output = private.without_identifiers(output, host)
        yield name, _harmless(output), " ".join(command)
    for name, path in _COPIES:
        text = _read(root / path)
        if text is not None and name == "cmdline.txt":
            text = private.cmdline(text, host)
        elif text is not None and name == "version.txt":
            text = private.without_identifiers(text, host)
        yield name, _harmless(text), f"/{path}"
    release = _value(root / "proc/sys/kernel/osrelease")
    config = private.without_host_in_values(_config(root, release) or "", host)
    yield "config.txt", _harmless(config), f"/proc/config.gz and /boot/config-{release}"
    sysctls = private.without_host_in_values("".join(_sysctls(root)), host)
    yield "sysctl.txt", _harmless(sysctls), "/proc/sys"
    yield "settings.txt", _harmless("".join(_settings(root))), "the settings below /sys"


def _harmless(text: str | None) -> str | None:
    """Without identifiers; the host's name is looked for only where it can stand, for it may be any word."""
    return None if text is None else private.without_identifiers(without_escapes(text))


def _read(path: Path, most: int = _MOST_BYTES) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def _config(root: Path, release: str) -> str | None:
    try:
        with gzip.open(root / "proc/config.gz") as file:
            return file.read(_MOST_BYTES).decode("utf-8", errors="replace")
    except (OSError, EOFError, zlib.error):
        return _read(root / f"boot/config-{release}") if release and "/" not in release else None


def _sysctls(root: Path) -> Iterator[str]:
    top = root / "proc/sys"
    for path in _files(top):
        name = settings.sysctl_name(path.relative_to(top).as_posix())
        if not settings.volatile(name) and (text := _value(path)):
            yield f"{name} = {' '.join(text.split())}\n"


def _files(top: Path) -> Iterator[Path]:
    """All files below a directory in a fixed order; what is mounted there on demand isn't entered."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name != "binfmt_misc")
        for name in sorted(names):
            yield Path(folder, name)


def _value(path: Path) -> str:
    """The text of a setting. Files that can't be read by their mode aren't tried: some act when they are read."""
    try:
        readable = path.is_file() and path.stat().st_mode & 0o444
    except OSError:
        return ""
    return (_read(path, _PAGE) or "").strip() if readable else ""


def _settings(root: Path) -> Iterator[str]:
    for pattern in _SETTINGS:
        for path in _found(root, pattern):
            name = f"/{path.relative_to(root).as_posix()}"
            if settings.known(name) and (text := _value(path)):
                yield f"{name}:{' '.join(text.split())}\n"


def _found(root: Path, pattern: str) -> list[Path]:
    try:
        return sorted(root.glob(pattern))
    except OSError:
        return []


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise UsageError(f"{path}: {error.strerror}") from error
