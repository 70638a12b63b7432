"""Settings of a running kernel: files below /sys and /proc/sys, one by one or as lines of ``path:value``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.environment.facts import Fact, fact, lines_of, number_count, number_list, whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_CPU = "/sys/devices/system/cpu"
_THP = "/sys/kernel/mm/transparent_hugepage"
_SCHED = "/sys/kernel/debug/sched"
_GOVERNORS = r"performance|powersave|ondemand|conservative|schedutil|userspace|interactive"
# What a value has to look like, so that a file with a promising name isn't taken for a setting.
_WORD = r"[A-Za-z][\w.+-]{0,60}"
_NUMBER = r"-?\d{1,20}"
_SWITCH = r"[01YNyn]|on|off"
_MITIGATION = r"(?:Mitigation|Vulnerable|Not affected|Unknown|Processor vulnerable|KVM)\b.{0,300}"
_MODULES = r"(?:[a-z]\w{1,20},){0,20}capability(?:,[a-z]\w{1,20}){0,20}"
_CHOICE = r"(?:[\w+-]+ )*\[[\w+-]+\](?: [\w+-]+)*"

# Path, key, value. The first group of a path is what one of several alike is called, unless the key takes it.
_PATHS: tuple[tuple[str, str, str], ...] = (
    (rf"(){_CPU}/vulnerabilities/(\w+)", r"mitigation \2", _MITIGATION),
    (rf"(){_THP}/(enabled|defrag|shmem_enabled)", r"thp.\2", _CHOICE),
    (rf"(){_THP}/(use_zero_page|shrink_underused)", r"thp.\2", _SWITCH),
    (rf"(){_THP}/(hugepages-\d+kB)/(enabled|shmem_enabled)", r"thp.\2.\3", _CHOICE),
    (rf"(){_THP}/khugepaged/(\w*(?:millisecs|defrag|max_ptes_\w+|pages_to_scan))", r"thp.khugepaged.\2", _NUMBER),
    (r"()/sys/kernel/mm/ksm/(run|pages_to_scan|sleep_millisecs|merge_across_nodes)", r"ksm.\2", _NUMBER),
    (r"()/sys/kernel/mm/lru_gen/(enabled|min_ttl_ms)", r"lru_gen.\2", rf"0x\w+|{_NUMBER}"),
    (r"()/sys/kernel/mm/numa/demotion_enabled", "numa.demotion", r"true|false|[01]"),
    (r"()/sys/kernel/mm/hugepages/hugepages-(\d+kB)/nr_hugepages", r"hugepages.\2", _NUMBER),
    (rf"{_CPU}/(cpu[\d*]+)/cpufreq/scaling_governor", "cpu.governor", _GOVERNORS),
    (rf"{_CPU}/(cpu[\d*]+)/cpufreq/scaling_driver", "cpu.frequency.driver", _WORD),
    (rf"{_CPU}/(cpu[\d*]+)/cpufreq/scaling_(min|max)_freq", r"cpu.frequency.\2-kHz", _NUMBER),
    (rf"{_CPU}/(cpu[\d*]+)/cpufreq/cpuinfo_max_freq", "cpu.frequency.hardware-max-kHz", _NUMBER),
    (rf"{_CPU}/(cpu[\d*]+)/cpufreq/energy_performance_preference", "cpu.energy-preference", _WORD),
    (rf"(){_CPU}/cpufreq/boost", "cpu.boost", _SWITCH),
    (rf"(){_CPU}/intel_pstate/no_turbo", "cpu.boost", _SWITCH),
    (rf"(){_CPU}/(?:intel|amd)_pstate/status", "cpu.frequency.mode", _WORD),
    (rf"(){_CPU}/intel_pstate/(m(?:ax|in)_perf_pct|hwp_dynamic_boost)", r"cpu.frequency.\2", _NUMBER),
    (rf"(){_CPU}/cpuidle/current_driver", "cpu.idle.driver", _WORD),
    (rf"(){_CPU}/cpuidle/current_governor(?:_ro)?", "cpu.idle.governor", _WORD),
    (rf"{_CPU}/(cpu[\d*]+)/cpuidle/(state\d+)/name", r"cpu.idle.\2.name", r"[\w .+-]{1,60}"),
    (rf"{_CPU}/(cpu[\d*]+)/cpuidle/(state\d+)/(latency|residency|disable)", r"cpu.idle.\2.\3", _NUMBER),
    (rf"(){_CPU}/smt/active", "cpu.smt", _SWITCH),
    (rf"(){_CPU}/smt/control", "cpu.smt.control", r"on|off|forceoff|notsupported|notimplemented"),
    (rf"(){_CPU}/(online|isolated|nohz_full)", r"cpu.\2", r"[\d,-]{1,4000}"),
    (r"()/sys/devices/system/node/online", "numa.nodes", r"[\d,-]{1,4000}"),
    (r"/sys/devices/system/node/(node\d+)/cpulist", "numa.cpus", r"[\d,-]{1,4000}"),
    (r"/sys/devices/system/node/(node\d+)/distance", "numa.distance", r"\d+(?: \d+)*"),
    (r"()/sys/devices/system/clocksource/clocksource0/current_clocksource", "clocksource", _WORD),
    (r"()/sys/kernel/security/lsm", "lsm", _MODULES),
    (rf"(){_SCHED}/preempt", "preempt", r"(?:none|voluntary|full|lazy|\((?:none|voluntary|full|lazy)\)| )+"),
    (rf"(){_SCHED}/(\w+_ns|nr_migrate|tunable_scaling)", r"sched.\2", _NUMBER),
    (rf"(){_SCHED}/numa_balancing/(\w+)", r"sched.numa_balancing.\2", _NUMBER),
    (r"/sys/block/((?!loop|ram|zram)[\w!-]+)/queue/scheduler", "block.scheduler", rf"{_CHOICE}|none"),
    (
        r"/sys/block/((?!loop|ram|zram)[\w!-]+)/queue/(read_ahead_kb|nr_requests|rotational|wbt_lat_usec)",
        r"block.\2",
        _NUMBER,
    ),
    (r"()/sys/(?:devices/virtual|class)/dmi/id/(product_name|bios_version)", r"machine.\2", r".{1,100}"),
)
_SETTINGS = tuple((re.compile(path), key, re.compile(value)) for path, key, value in _PATHS)
_FEATURES = f"{_SCHED}/features"

# Names that people give to a copy of such a file, written with dashes only.
_FLAT = {
    "thp": f"{_THP}/enabled",
    "transparent-hugepage": f"{_THP}/enabled",
    "thp-enabled": f"{_THP}/enabled",
    "transparent-hugepage-enabled": f"{_THP}/enabled",
    "transparent-hugepage-defrag": f"{_THP}/defrag",
    "transparent-hugepage-shmem-enabled": f"{_THP}/shmem_enabled",
    "thp-defrag": f"{_THP}/defrag",
    "thp-shmem-enabled": f"{_THP}/shmem_enabled",
    "governor": f"{_CPU}/cpu*/cpufreq/scaling_governor",
    "scaling-governor": f"{_CPU}/cpu*/cpufreq/scaling_governor",
    "cpu-governor": f"{_CPU}/cpu*/cpufreq/scaling_governor",
    "cpufreq-governor": f"{_CPU}/cpu*/cpufreq/scaling_governor",
    "scaling-driver": f"{_CPU}/cpu*/cpufreq/scaling_driver",
    "cpufreq-driver": f"{_CPU}/cpu*/cpufreq/scaling_driver",
    "boost": f"{_CPU}/cpufreq/boost",
    "cpu-boost": f"{_CPU}/cpufreq/boost",
    "cpufreq-boost": f"{_CPU}/cpufreq/boost",
    "no-turbo": f"{_CPU}/intel_pstate/no_turbo",
    "intel-pstate-no-turbo": f"{_CPU}/intel_pstate/no_turbo",
    "smt": f"{_CPU}/smt/control",
    "smt-control": f"{_CPU}/smt/control",
    "smt-active": f"{_CPU}/smt/active",
    "cpuidle-driver": f"{_CPU}/cpuidle/current_driver",
    "cpuidle-governor": f"{_CPU}/cpuidle/current_governor",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "current-clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "lsm": "/sys/kernel/security/lsm",
    "security-lsm": "/sys/kernel/security/lsm",
    "preempt": f"{_SCHED}/preempt",
    "sched-preempt": f"{_SCHED}/preempt",
    "sched-features": _FEATURES,
    "sched-debug-features": _FEATURES,
    "cpu-online": f"{_CPU}/online",
    "isolated-cpus": f"{_CPU}/isolated",
    "cpu-isolated": f"{_CPU}/isolated",
    "nohz-full": f"{_CPU}/nohz_full",
    "numa-balancing": "/proc/sys/kernel/numa_balancing",
    "swappiness": "/proc/sys/vm/swappiness",
}


def _dashed(text: str) -> str:
    return re.sub(r"[-_. /]+", "-", text).strip("-").lower()


_FLAT |= {_dashed(path.replace("*", "")): path for path in _FLAT.values()}

# A folder that is unlike anything else, and where it lies.
_ANCHORS = {
    "transparent_hugepage": "/sys/kernel/mm",
    "vulnerabilities": _CPU,
    "khugepaged": _THP,
    "lru_gen": "/sys/kernel/mm",
    "cpuidle": _CPU,
    "cpufreq": _CPU,
    "smt": _CPU,
    "intel_pstate": _CPU,
    "clocksource0": "/sys/devices/system/clocksource",
}


def path_of(name: str, folders: tuple[str, ...]) -> str:
    """Return the path below /sys or /proc/sys that a file is a copy of, as name and folders tell; else empty.

    Either the folders mirror the path, at least its end (``env/sys/kernel/mm/transparent_hugepage/enabled``,
    ``transparent_hugepage/enabled``), or the name says it (``thp_enabled.txt``).
    """
    parts = (*folders, name)
    for index, part in enumerate(folders):
        rest = "/".join(parts[index:])
        if part in {"sys", "proc"} and known(f"/{rest}"):
            return f"/{rest}"
        above = _CPU if re.fullmatch(r"cpu\d+|policy\d+", part) else _ANCHORS.get(part)
        if above and known(f"{above}/{rest}"):
            return f"{above}/{rest}"
    stem = re.sub(r"(?i)\.(txt|log|out)$", "", name)
    return _FLAT.get(_dashed(stem), "")


def known(path: str) -> bool:
    """Whether the value of this path, if it looks as it should, becomes a fact."""
    return _sysctl_key(path) != "" or path == _FEATURES or _setting(path) is not None


def _plain(path: str) -> str:
    """One spelling for what the kernel offers under two."""
    return re.sub(r"/cpufreq/policy(\d+)/", r"/cpu\1/cpufreq/", path)


def _setting(path: str) -> tuple[str, str, re.Pattern[str]] | None:
    """Key, which one, and form of the value."""
    path = _plain(path)
    for pattern, key, form in _SETTINGS:
        if found := pattern.fullmatch(path):
            of = found[1] if "*" not in found[1] else ""
            return found.expand(key), of, form
    return None


def _sysctl_key(path: str) -> str:
    inner = path.removeprefix("/proc/sys/")
    if inner == path or not re.fullmatch(r"[\w./:@+-]{3,200}", inner):
        return ""
    key = sysctl_name(inner)
    return "" if volatile(key) else key


def sysctl_name(path: str) -> str:
    """The name of a sysctl for its path below /proc/sys: the two signs change places, as sysctl does it."""
    return path.translate(str.maketrans("./", "/."))


def of_path(path: str, value: str, line: int = 0, *, ended: bool = True) -> Iterator[Fact]:
    """Facts of one file below /sys or /proc/sys.

    Args:
        path: the file's absolute path.
        value: its content, one line.
        line: where it stands, counted from 1.
        ended: False if the value may have been cut off at its end; a number is then not taken.
    """
    value = value.strip()
    if path == _FEATURES:
        if ended and re.fullmatch(r"[A-Z][A-Z_]+(?: [A-Z][A-Z_]+)*", value):
            for name in value.split():
                feature = name.removeprefix("NO_")
                yield from fact(f"sched.features.{feature}", "off" if name != feature else "on", line)
        return
    if key := _sysctl_key(path):
        if ended:
            yield from fact(f"sysctl {key}", value, line)
        return
    setting = _setting(path)
    if setting is None or not setting[2].fullmatch(value):
        return
    key, of, form = setting
    if not ended and not _finished(value, form.pattern):
        return
    yield from fact(key, _meaning(key, path, value), line, of)


def _finished(value: str, form: str) -> bool:
    """Whether a value without a line end can't be the beginning of another."""
    if form == _SWITCH:
        return value != "o"
    # The kernel itself puts no line end after the list of security modules.
    if form == _MODULES:
        return True
    return re.fullmatch(rf"{_GOVERNORS}|{_CHOICE}|.*\(\w+\).*", value) is not None


def _meaning(key: str, path: str, value: str) -> str:
    """Say what a value means in words that are equal where the meaning is."""
    if path.endswith("/no_turbo"):
        return "off" if value in {"1", "on"} else "on"
    if key in {"cpu.boost", "cpu.smt"}:
        return "on" if value in {"1", "on"} else "off"
    if key == "numa.nodes":
        return number_count(value)
    if key in {"numa.cpus", "cpu.online", "cpu.isolated", "cpu.nohz_full"}:
        return number_list(value)
    if key.startswith("mitigation "):
        return mitigation(value)
    chosen = re.search(r"\[([\w+-]+)\]|\((\w+)\)", value)
    return (chosen[1] or chosen[2]) if chosen and re.match(r"thp|block|preempt", key) else value


def mitigation(value: str) -> str:
    """The state of a mitigation in one spelling for the kernel's file and for lscpu, which changes the colons."""
    head, separator, rest = re.sub(r"^(Mitigation|Vulnerable)[;:] ", r"\1: ", value).partition(": ")
    return head + separator + rest.replace(": ", " ")


_MOST = 100_000
"""Characters of the largest file that may hold one setting: a word for each CPU."""


def is_setting(name: str, folders: tuple[str, ...], text: str) -> bool:
    """Whether the text is a copy of one file below /sys or /proc/sys; of several CPUs' files, if all are alike."""
    path = path_of(name, folders)
    if not path or len(text) > _MOST:
        return False
    lines = lines_of(text)
    if path in _FLAT.values() and path.startswith("/proc/sys/") and not re.fullmatch(rf"\s*{_NUMBER}\s*", text):
        return False
    return (len(lines) == 1 or "*" in path) and all(any(of_path(path, line)) for line in lines)


def read_setting(name: str, folders: tuple[str, ...], text: str) -> Iterator[Fact]:
    """The setting's value; of a file with one line for each CPU, one fact for each."""
    path = path_of(name, folders)
    lines = lines_of(text)
    for number, line in enumerate(lines, start=1):
        ended = number < len(lines) or text.endswith("\n")
        for found in of_path(path, line, number, ended=ended):
            yield found if len(lines) == 1 else Fact(found.key, found.value, number, f"line {number}")


_PATH_LINE = re.compile(r"(/(?:sys|proc)/[^\s:]*):(.*)")
_MITIGATION_LINE = re.compile(rf"(\w+):({_MITIGATION})")


def is_paths(lines: list[str]) -> bool:
    """Whether the text is what ``grep -r . /sys/…`` or ``grep -H . *`` among the mitigations prints."""
    filled = [line for line in lines if line.strip()]
    if not filled or not (_PATH_LINE.fullmatch(filled[0]) or _MITIGATION_LINE.fullmatch(filled[0])):
        return False
    if all(_MITIGATION_LINE.fullmatch(line) for line in filled):
        return len(filled) > 2
    # A value of several lines gives one line for each, and grep's complaints stand between them.
    return all(line.startswith(("/sys/", "/proc/", "grep: ")) for line in filled) and any(map(_read, filled))


def _read(line: str) -> bool:
    found = _PATH_LINE.fullmatch(line)
    return found is not None and known(found[1])


def read_paths(text: str) -> Iterator[Fact]:
    """A fact for each line whose path is known; of a path with several lines, as many as make sense."""
    lines = lines_of(text)
    for number, line in enumerate(lines, start=1):
        ended = number < len(lines) or text.endswith("\n")
        if found := _PATH_LINE.fullmatch(line):
            yield from of_path(found[1], found[2], number, ended=ended)
        elif (found := _MITIGATION_LINE.fullmatch(line)) and ended:
            yield from fact(f"mitigation {found[1]}", mitigation(found[2]), number)


# Counters, values of the moment, random numbers, names, and what belongs to one network interface.
_VOLATILE = re.compile(
    r"fs\.(?:file-nr|inode-nr|inode-state|dentry-state|dentry-negative|aio-nr|quota\..*|binfmt_misc.*|nfs\..*"
    r"|xfs\.stats.*|mqueue\.queues)"
    r"|kernel\.(?:random\..*|ns_last_pid|hostname|domainname|pty\.nr|(?:msg|sem|shm)_next_id|sched_domain\..*|cad_pid"
    r"|hung_task_(?:warnings|detect_count)|perf_event_max_sample_rate|perf_cpu_time_max_percent|osrelease|version"
    r"|bootloader_.*|core_pattern|modprobe|hotplug|poweroff_cmd|real-root-dev|firmware_config\..*|core_modes"
    r"|spl\..*|kexec_load_limit.*|sched_energy_aware_reason|usermodehelper\..*)"
    r"|net\.(?:core\.(?:netdev_rss_key|warnings)|netfilter\..*(?:count|checksum_errors)|nf_conntrack.*count"
    r"|ipv4\.(?:tcp_fastopen_key|fib_multipath_hash_seed|route\.(?:gc|flush).*|ip_local_reserved_ports)"
    r"|ipv[46]\.(?:conf|neigh)\.(?!all\.|default\.).*|.*stable_secret|mpls\.conf\..*|ipv6\.route\.flush)"
    r"|dev\.(?:cdrom|parport|raid|mac_hid|scsi)\..*|sunrpc\..*|vm\.stat_refresh|vm\.(?:drop_caches|compact_memory)"
    r"|crypto\..*|debug\.(?:kprobes.*)"
)
_TREES = ("abi", "crypto", "debug", "dev", "fs", "kernel", "net", "sunrpc", "user", "vm")
_SYSCTL_LINE = re.compile(r"([a-z]\w*[./][\w./:@*+-]+) ?= ?(.*)")


def volatile(key: str) -> bool:
    """Whether the value of a sysctl is of the moment, random or private, so that it says nothing of the machine."""
    return _VOLATILE.fullmatch(key) is not None


def is_sysctl(lines: list[str]) -> bool:
    """Whether the text is what ``sysctl -a`` prints, or lines of it."""
    found = False
    for line in lines:
        if not line.strip() or line.startswith("sysctl: "):
            continue
        option = _SYSCTL_LINE.fullmatch(line)
        if not option or option[1].split(".")[0].split("/")[0] not in _TREES:
            return False
        found = True
    return found


def read_sysctl(text: str) -> Iterator[Fact]:
    """A fact for each sysctl that isn't of the moment; one with several lines is joined."""
    values: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(whole_lines(text), start=1):
        if (found := _SYSCTL_LINE.fullmatch(line)) and not volatile(found[1]):
            values.setdefault(found[1], []).append(found[2])
            places.setdefault(found[1], number)
    for key, parts in values.items():
        yield from fact(f"sysctl {key}", " ".join(parts), places[key])
