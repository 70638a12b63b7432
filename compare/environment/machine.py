"""Files about the machine: /proc/cpuinfo, lscpu, numactl -H, /proc/meminfo, cpupower frequency-info."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from compare_kernels.environment.facts import Fact, fact, number_count, number_list, whole_lines
from compare_kernels.environment.settings import mitigation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Pairs = list[tuple[int, str, str]]
"""Line, key and value."""

_LSCPU = {
    "Architecture": "cpu.architecture",
    "CPU(s)": "cpu.present",
    "Model name": "cpu.model",
    "Thread(s) per core": "cpu.threads-per-core",
    "Core(s) per socket": "cpu.cores-per-socket",
    "Core(s) per cluster": "cpu.cores-per-cluster",
    "Socket(s)": "cpu.sockets",
    "Stepping": "cpu.stepping",
    "Hypervisor vendor": "cpu.hypervisor",
    "Virtualization type": "cpu.virtualization",
    "NUMA node(s)": "numa.nodes",
}
_MEMINFO = re.compile(r"[\w()]+:\s+\d+(?: kB)?")


def _pairs(lines: Iterable[str]) -> Pairs:
    found = []
    for number, line in enumerate(lines, start=1):
        key, colon, value = line.partition(":")
        if colon:
            found.append((number, key.strip(), value.strip()))
    return found


def is_cpuinfo(lines: list[str]) -> bool:
    """Whether the text is /proc/cpuinfo."""
    first = lines[0] if lines else ""
    if not re.match(r"processor\s*:\s*\d|vendor_id\s*:\s*IBM", first):
        return False
    return len(lines) > 3 and all(":" in line or not line.strip() for line in lines)


def read_cpuinfo(text: str) -> Iterator[Fact]:
    """Model, microcode, flags, and how many CPUs are online. The frequency of the moment isn't a fact."""
    lines = whole_lines(text)
    values: dict[str, dict[str, int]] = {}
    count = 0
    for number, key, value in _pairs(lines):
        count += key == "processor"
        values.setdefault(key, {}).setdefault(value, number)
    yield from _all("cpu.model", values.get("model name") or values.get("cpu") or {})
    yield from _all("cpu.part", values.get("CPU part", {}))
    yield from _all("cpu.microcode", values.get("microcode", {}))
    # An empty line ends the description of each CPU, also of the last.
    if count and text.endswith("\n\n"):
        yield from fact("cpu.count", str(count))
    flags = values.get("flags") or values.get("Features") or {}
    if len(flags) == 1:
        yield from _flags(*next(iter(flags.items())))


def _all(key: str, values: dict[str, int]) -> Iterator[Fact]:
    if values:
        yield from fact(key, ", ".join(values), next(iter(values.values())))


def _flags(text: str, line: int) -> Iterator[Fact]:
    names = sorted(set(text.split()))
    yield from fact("cpu.flags", f"{len(names)} flags", line)
    for name in names:
        yield from fact(f"cpu.flags {name}", "yes", line)


def is_lscpu(lines: list[str]) -> bool:
    """Whether the text is what lscpu prints."""
    if not lines or not re.match(r"Architecture:\s+\S", lines[0]) or len(lines) < 3:
        return False
    return all(":" in line or not line.strip() for line in lines)


def read_lscpu(text: str) -> Iterator[Fact]:
    """Model, topology, caches, mitigations."""
    return _lscpu(_pairs(whole_lines(text)))


def is_lscpu_json(lines: list[str]) -> bool:
    """Whether the text is what ``lscpu --json`` prints."""
    return re.match(r'\s*\{\s*"lscpu"\s*:\s*\[', " ".join(lines[:3])) is not None


def read_lscpu_json(text: str) -> Iterator[Fact]:
    """The same as `read_lscpu`; nothing if the text was cut off."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return iter(())
    pending = [document.get("lscpu")] if isinstance(document, dict) else []
    pairs: Pairs = []
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += reversed(node)
        elif isinstance(node, dict):
            pending.append(node.get("children"))
            key, value = node.get("field"), node.get("data")
            if isinstance(key, str) and isinstance(value, (str, int)):
                pairs.append((0, key.strip().removesuffix(":"), str(value)))
    return _lscpu(pairs)


def _lscpu(pairs: Pairs) -> Iterator[Fact]:
    for line, key, value in pairs:
        if key in _LSCPU:
            yield from fact(_LSCPU[key], value, line)
        elif key == "On-line CPU(s) list":
            yield from fact("cpu.online", number_list(value), line)
            yield from fact("cpu.count", number_count(value), line)
        elif key == "Frequency boost" and value in {"enabled", "disabled"}:
            yield from fact("cpu.boost", "on" if value == "enabled" else "off", line)
        elif key == "Flags":
            yield from _flags(value, line)
        elif found := re.fullmatch(r"(L\d[di]?)(?: cache)?", key):
            yield from fact(f"cpu.cache.{found[1]}", value, line)
        elif found := re.fullmatch(r"NUMA (node\d+) CPU\(s\)", key):
            yield from fact("numa.cpus", number_list(value), line, found[1])
        elif found := re.fullmatch(r"Vulnerability ([\w ]+)", key):
            yield from fact(f"mitigation {found[1].lower().replace(' ', '_')}", mitigation(value), line)


def is_numactl(lines: list[str]) -> bool:
    """Whether the text is what ``numactl -H`` prints."""
    if not lines or not re.match(r"available: \d+ nodes? \(", lines[0]):
        return False
    return all(re.match(r"node[ s]|\s*\d+:|\s*$|No distance", line) for line in lines[1:])


def read_numactl(text: str) -> Iterator[Fact]:
    """Nodes, and the CPUs, the memory and the distances of each. Free memory isn't a fact."""
    for number, line in enumerate(whole_lines(text), start=1):
        if found := re.match(r"available: (\d+) nodes? ", line):
            yield from fact("numa.nodes", found[1], number)
        elif found := re.fullmatch(r"node (\d+) cpus: ([\d ]+)", line):
            yield from fact("numa.cpus", number_list(found[2]), number, f"node{found[1]}")
        elif found := re.fullmatch(r"node (\d+) size: (\d+ MB)", line):
            yield from fact("numa.memory", found[2], number, f"node{found[1]}")
        elif found := re.fullmatch(r"\s*(\d+):([\d ]+)", line):
            yield from fact("numa.distance", found[2], number, f"node{found[1]}")


def is_meminfo(lines: list[str]) -> bool:
    """Whether the text is /proc/meminfo or the beginning of it."""
    if not lines or not re.match(r"MemTotal:\s+\d+ kB", lines[0]):
        return False
    return all(_MEMINFO.fullmatch(line) or not line.strip() for line in lines)


def read_meminfo(text: str) -> Iterator[Fact]:
    """Memory and swap in total; the rest is of the moment."""
    names = {"MemTotal": "memory.total", "SwapTotal": "memory.swap"}
    for number, key, value in _pairs(whole_lines(text)):
        if key in names and value.endswith(" kB"):
            yield from fact(names[key], value, number)


def is_cpupower(lines: list[str]) -> bool:
    """Whether the text is what ``cpupower frequency-info`` prints."""
    return bool(lines) and re.fullmatch(r"analyzing CPU \d+:", lines[0].strip()) is not None and len(lines) > 1


def read_cpupower(text: str) -> Iterator[Fact]:
    """Driver, governor, limits and boost; the frequency of the moment isn't a fact."""
    of = ""
    boost = False
    for number, line in enumerate(whole_lines(text), start=1):
        key, _, value = line.strip().partition(":")
        boost = (boost and line.startswith("    ")) or key == "boost state support"
        if found := re.fullmatch(r"analyzing CPU (\d+):", line.strip()):
            of = f"cpu{found[1]}"
        elif key == "driver":
            yield from fact("cpu.frequency.driver", value, number, of)
        elif found := re.match(r'\s*The governor "(\w+)"', line):
            yield from fact("cpu.governor", found[1], number, of)
        elif boost and key == "Active" and value.strip() in {"yes", "no"}:
            yield from fact("cpu.boost", "on" if value.strip() == "yes" else "off", number)
