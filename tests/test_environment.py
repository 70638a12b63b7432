"""What differs beside the kernel: recognising and reading files, differences, findings, and the collector."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compare_kernels.environment import settings
from compare_kernels.environment.collect import collect, run_program
from compare_kernels.environment.differences import Difference, differences, known_in_part, together
from compare_kernels.environment.dmesg import findings
from compare_kernels.environment.facts import Fact, number_count, number_list
from compare_kernels.environment.kinds import KINDS, facts, recognise
from compare_kernels.environment.private import without_identifiers
from compare_kernels.environment.weights import weight
from compare_kernels.errors import UsageError

from .test_cli import run, spawn

ROOT = Path(__file__).parent
EXAMPLES = ROOT / "environment"

LSCPU = """\
Architecture:            x86_64
CPU(s):                  8
On-line CPU(s) list:     0-3,6
Model name:              Example CPU 9000 @ 2.00GHz
Thread(s) per core:      2
CPU max MHz:             4000.0000
CPU MHz:                 1833.123
BogoMIPS:                4000.12
Frequency boost:         enabled
L3 cache:                32 MiB (1 instance)
NUMA node(s):            2
NUMA node0 CPU(s):       0,1,2,3
Vulnerability Spectre v2: Mitigation; Retpolines; STIBP disabled; BHI Not affected
Flags:                   fpu vme avx2
"""

CPUINFO = """\
processor\t: 0
vendor_id\t: GenuineExample
model name\t: Example CPU 9000 @ 2.00GHz
microcode\t: 0x2b
cpu MHz\t\t: 1833.123
flags\t\t: fpu vme avx2
bogomips\t: 4000.12

processor\t: 1
vendor_id\t: GenuineExample
model name\t: Example CPU 9000 @ 2.00GHz
microcode\t: 0x2b
cpu MHz\t\t: 800.000
flags\t\t: fpu vme avx2
bogomips\t: 4001.55

"""

NUMACTL = (EXAMPLES / "base/env/numactl.txt").read_text()
VERSION = (
    "Linux version 6.9.0-rc2 (builder@localhost) (gcc (GCC) 13.2.0, GNU ld (GNU Binutils) 2.41) "
    "#7 SMP PREEMPT_RT Mon Jun  3 10:00:00 UTC 2024\n"
)
UNAME = "Linux localhost 6.9.0-rc2+ #7 SMP Mon Jun  3 10:00:00 UTC 2024 aarch64 GNU/Linux\n"
GREP = """\
/sys/devices/system/cpu/vulnerabilities/spectre_v2:Mitigation: Retpolines; STIBP: disabled; BHI: Not affected
grep: /sys/kernel/debug/sched: Permission denied
/sys/devices/system/cpu/cpufreq/policy0/scaling_governor:performance
/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor:powersave
/sys/devices/system/cpu/intel_pstate/no_turbo:1
/sys/devices/system/cpu/cpu0/cpuidle/state2/latency:133
/sys/devices/system/cpu/cpu0/cpuidle/state2/usage:99123
/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never
/sys/kernel/mm/transparent_hugepage/khugepaged/full_scans:12
/proc/sys/vm/swappiness:60
/proc/sys/kernel/random/uuid:01234567-89ab-cdef-0123-456789abcdef
"""
CPUPOWER = """\
analyzing CPU 3:
  driver: acpi-cpufreq
  hardware limits: 1.50 GHz - 2.45 GHz
  current policy: frequency should be within 1.50 GHz and 2.45 GHz.
                  The governor "schedutil" may decide which speed to use
                  within this range.
  current CPU frequency: 2.44 GHz (asserted by call to hardware)
  boost state support:
    Supported: yes
    Active: no
"""


def read(name: str, text: str, folders: tuple[str, ...] = ()) -> dict[str, str]:
    """Recognise, read, and give key and value; of several alike with their name."""
    kind = recognise(name, folders, text)
    assert kind is not None
    return {f"{f.key} {f.of}".strip(): f.value for f in facts(kind, name, folders, text)}


def tree(folder: Path) -> list[tuple[str, tuple[Fact, ...]]]:
    """Facts of all files below a folder; every one of them has to be recognised."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        folders = path.parent.relative_to(folder).parts
        text = path.read_text()
        kind = recognise(path.name, folders, text)
        assert kind in KINDS, path
        found.append((path.name, facts(kind, path.name, folders, text)))
    return found


# Recognition


@pytest.mark.parametrize(
    ("name", "folders", "text", "kind"),
    [
        ("uname", (), UNAME, "uname"),
        ("kernel.version", ("hackbench",), UNAME, "uname"),
        ("anything", (), "Linux 6.9.0 #1 SMP PREEMPT @0 x86_64\n", "uname"),
        ("version", ("env", "proc"), VERSION, "version"),
        ("kernel-release.txt", (), "6.9.0-rc2+\n", "release"),
        ("cmdline.txt", (), "root=/dev/sda1 ro quiet\n", "cmdline"),
        ("x", (), "BOOT_IMAGE=/vmlinuz-6.9 isolcpus=1\n", "cmdline"),
        ("config-6.9.0", (), "CONFIG_HZ=250\n# CONFIG_NUMA is not set\n", "config"),
        ("lscpu.txt", (), LSCPU, "lscpu"),
        ("cpuinfo", (), CPUINFO, "cpuinfo"),
        ("numa", (), NUMACTL, "numactl"),
        ("meminfo", (), "MemTotal:       1024 kB\nMemFree:  3 kB\nHugePages_Total:   0\n", "meminfo"),
        ("sysctl", (), "vm.swappiness = 60\nkernel.sched_rt_runtime_us = 950000\n", "sysctl"),
        ("sys.txt", (), GREP, "paths"),
        ("mitigations", (), "l1tf:Not affected\nmds:Vulnerable\nspectre_v1:Mitigation: barriers\n", "paths"),
        ("freq.txt", (), CPUPOWER, "cpupower"),
        ("gcc-version.txt", (), "gcc (GCC) 13.2.0\n", "compiler"),
        ("cc", (), "clang version 17.0.1\nTarget: x86_64\nThread model: posix\n", "compiler"),
        ("tools", (), "gcc-12 (Debian 12.2.0) 12.2.0\nCopyright (C) 2022 FSF\n", "compiler"),
        ("ldd", (), "ldd (GNU libc) 2.36\nCopyright (C) 2022\n", "libc"),
        ("os-release", (), 'NAME="Example"\nPRETTY_NAME="Example Linux 12"\n', "distribution"),
        ("perf-version", (), "perf version 6.9.1\n", "program"),
        ("fio_version.txt", (), "fio-3.33\n", "program"),
        ("hackbench-version", (), "Hackbench V 2.60\n", "program"),
        ("uname-r", (), "6.9-rc2\n", "release"),
        ("release", (), "5.14.0-427.el9.x86_64\n", "release"),
        ("thp_enabled", (), "always [madvise] never\n", "setting"),
        ("transparent_hugepage-enabled.txt", ("env",), "[always] madvise never\n", "setting"),
        ("enabled", ("env", "sys", "kernel", "mm", "transparent_hugepage"), "always madvise [never]\n", "setting"),
        ("enabled", ("transparent_hugepage",), "always madvise [never]\n", "setting"),
        ("scaling_governor", ("cpu3", "cpufreq"), "performance\n", "setting"),
        ("governor", (), "performance\nperformance\n", "setting"),
        ("spectre_v2", ("vulnerabilities",), "Mitigation: Retpolines\n", "setting"),
        ("swappiness", ("e", "proc", "sys", "vm"), "60\n", "setting"),
        ("numa_balancing", (), "1\n", "setting"),
        ("lsm", (), "lockdown,capability,landlock,yama,selinux\n", "setting"),
        ("preempt", ("sched",), "none (voluntary) full\n", "setting"),
        ("dmesg-after", (), "[    5.000000] eth0: link up\n", "dmesg"),
        ("kern.log", (), "Jun  3 10:00:00 box kernel: [    5.000000] eth0: link up\n", "dmesg"),
    ],
)
def test_kind_is_recognised(name: str, folders: tuple[str, ...], text: str, kind: str) -> None:
    assert recognise(name, folders, text) == kind
    assert recognise(name, folders, text.replace("\n", "\r\n")) == kind


HACKBENCH = "Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)\nTime: 1.234\n"


@pytest.mark.parametrize(
    ("name", "folders", "text"),
    [
        ("log.txt", (), UNAME + HACKBENCH),
        ("uname", (), UNAME + HACKBENCH),
        ("governor", (), HACKBENCH),
        ("performance", (), "performance\n"),
        ("thp_enabled", (), "1.234\n"),
        ("thp_enabled", (), "always madvise never\n"),
        ("governor", (), "12.5\n"),
        ("cmdline", (), "hackbench -g 4 -l 1000 --pipe\n"),
        ("version", (), "2.4\n"),
        ("config", (), "groups=4\nloops=1000\n"),
        ("config.txt", (), "CONFIG_HZ=250\nTime: 1.234\n"),
        ("sysctl", (), "result.time = 1.2\n"),
        ("sysctl", (), "vm.swappiness = 60\nTime: 1.234\n"),
        ("meminfo", (), "MemTotal: 1024 kB\nTime: 1.234\n"),
        ("lscpu", (), LSCPU + HACKBENCH.replace(":", "")),
        ("numactl", (), NUMACTL + "Time: 1.234\n"),
        ("console.log", (), "[    5.000000] eth0: link up\nTime: 1.234\n"),
        ("dmesg", (), HACKBENCH),
        ("out", (), "[  5.0] Linux version\n" + HACKBENCH * 5),
        ("sys.txt", (), GREP + "Time: 1.234\n"),
        ("gcc.log", (), "gcc (GCC) 13.2.0\n" + "cc1: note\n" * 20),
        ("enabled", ("hackbench",), "always [madvise] never\n"),
        ("4", ("sys", "cpu"), "1.5\n"),
        ("numa-balancing", (), "Time 1.234\n"),
        ("clocksource", (), "1.234\n"),
        ("lsm", (), "a,b\n"),
        ("kernel-release", (), "1.234\n"),
        ("uname", (), "941.27,10^6bits/s,10.00\n"),
        ("hackbench-version", (), "1.234\n"),
        ("hackbench-version", (), "hackbench 1.234\n"),
        ("netperf-version", (), "Throughput 740.0 MB/sec\n"),
        ("empty", (), ""),
        ("zeros", (), "\0\0\0"),
    ],
)
def test_anything_else_is_not(name: str, folders: tuple[str, ...], text: str) -> None:
    assert recognise(name, folders, text) is None


def test_no_result_of_a_benchmark_is_taken_for_a_description() -> None:
    logs = [p for place in ("logs", "format-samples", "../sample-results") for p in (ROOT / place).rglob("*")]
    texts = [path for path in logs if path.is_file() and path.suffix in {"", ".log", ".txt", ".json"}]
    assert len(texts) > 100
    for path in texts:
        text = path.read_bytes().decode("latin-1")
        assert recognise(path.name, path.parent.parts[-2:], text) is None, path


# Facts


def test_uname_and_version() -> None:
    assert read("uname", UNAME) == {
        "kernel.release": "6.9.0-rc2+",
        "kernel.version": "#7 SMP Mon Jun 3 10:00:00 UTC 2024",
        "preempt.build": "none",
    }
    assert read("v", VERSION) == {
        "kernel.release": "6.9.0-rc2",
        "kernel.version": "#7 SMP PREEMPT_RT Mon Jun 3 10:00:00 UTC 2024",
        "preempt.build": "PREEMPT_RT",
        "kernel.compiler": "gcc (GCC) 13.2.0",
        "kernel.linker": "GNU ld (GNU Binutils) 2.41",
    }
    old = "Linux version 4.9.0 (a@b) (gcc version 6.3.0 (Debian 6.3.0-18)) #1 SMP Mon Jun 3 2024\n"
    assert read("v", old)["kernel.compiler"] == "gcc version 6.3.0 (Debian 6.3.0-18)"


def test_command_line_by_options() -> None:
    text = 'root=/dev/sda1 ro console=tty0 console=ttyS0 isolcpus=1-3 foo-bar="a b" -- --port 80\n'
    assert read("cmdline", text) == {
        "kernel.cmdline": "7 options",
        "kernel.cmdline root": "/dev/sda1",
        "kernel.cmdline ro": "set",
        "kernel.cmdline console": "tty0 ttyS0",
        "kernel.cmdline isolcpus": "1-3",
        "kernel.cmdline foo_bar": '"a b"',
        "kernel.cmdline --": "--port 80",
    } | {"kernel.cmdline": "6 options"}


def test_a_cut_command_line_lacks_its_last_option_and_says_nothing_of_others() -> None:
    assert read("cmdline", "ro quiet isolcpus=1") == {"kernel.cmdline ro": "set", "kernel.cmdline quiet": "set"}


def test_config_is_whole_only_with_head_and_end() -> None:
    head = "# Automatically generated file; DO NOT EDIT.\n"
    options = 'CONFIG_HZ=1000\n# CONFIG_NUMA is not set\nCONFIG_CC_VERSION_TEXT="gcc 13"\n'
    expected = {"config CONFIG_HZ": "1000", "config CONFIG_NUMA": "n", "config CONFIG_CC_VERSION_TEXT": '"gcc 13"'}
    assert read("config", options) == expected
    assert read("config", head + options) == {"config": "3 options", **expected}
    assert read("config", head + "CONFIG_SMP=y\nCONFIG_HZ=10") == {"config CONFIG_SMP": "y"}


def test_lscpu_text_and_json() -> None:
    expected = {
        "cpu.architecture": "x86_64",
        "cpu.present": "8",
        "cpu.online": "0-3,6",
        "cpu.count": "5",
        "cpu.model": "Example CPU 9000 @ 2.00GHz",
        "cpu.threads-per-core": "2",
        "cpu.boost": "on",
        "cpu.cache.L3": "32 MiB (1 instance)",
        "numa.nodes": "2",
        "numa.cpus node0": "0-3",
        "mitigation spectre_v2": "Mitigation: Retpolines; STIBP disabled; BHI Not affected",
        "cpu.flags": "3 flags",
        "cpu.flags avx2": "yes",
        "cpu.flags fpu": "yes",
        "cpu.flags vme": "yes",
    }
    assert read("lscpu", LSCPU) == expected
    rows = [line.partition(":") for line in LSCPU.splitlines()]
    items = [f'{{"field": "{key}:", "data": "{value.strip()}"}}' for key, _, value in rows]
    nested = f'{{"field": "Vendor ID:", "data": "x", "children": [{",".join(items[3:])}]}}'
    assert read("lscpu.json", f'{{\n  "lscpu": [{",".join([*items[:3], nested])}]\n}}') == expected
    assert read("lscpu.json", '{"lscpu": [{"field": "CPU(s):", "da') == {}


def test_cpuinfo_counts_only_whole_files() -> None:
    expected = {"cpu.model": "Example CPU 9000 @ 2.00GHz", "cpu.microcode": "0x2b", "cpu.flags avx2": "yes"}
    found = read("cpuinfo", CPUINFO)
    assert found.items() >= expected.items()
    assert found["cpu.count"] == "2"
    for cut in range(CPUINFO.index("processor\t: 1") + 1, len(CPUINFO) - 1):
        assert "cpu.count" not in read("cpuinfo", CPUINFO[:cut]), CPUINFO[:cut]


def test_numactl() -> None:
    assert read("numactl", NUMACTL) == {
        "numa.nodes": "2",
        "numa.cpus node0": "0-3",
        "numa.memory node0": "15930 MB",
        "numa.cpus node1": "4-7",
        "numa.memory node1": "16117 MB",
        "numa.distance node0": "10 21",
        "numa.distance node1": "21 10",
    }


def test_paths_with_values() -> None:
    assert read("sys", GREP) == {
        "mitigation spectre_v2": "Mitigation: Retpolines; STIBP disabled; BHI Not affected",
        "cpu.governor cpu0": "performance",
        "cpu.governor cpu1": "powersave",
        "cpu.boost": "off",
        "cpu.idle.state2.latency cpu0": "133",
        "thp.enabled": "madvise",
        "sysctl vm.swappiness": "60",
    }


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("sys/kernel/mm/transparent_hugepage/defrag", "always defer [defer+madvise] never", "defer+madvise"),
        ("sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "always [inherit] madvise never", "inherit"),
        ("sys/devices/system/cpu/cpufreq/boost", "1", "on"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "on"),
        ("sys/devices/system/cpu/smt/active", "0", "off"),
        ("sys/devices/system/node/online", "0-3", "4"),
        ("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy", "full"),
        ("sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK", None),
        ("sys/block/sda/queue/scheduler", "none [mq-deadline] bfq", "mq-deadline"),
        ("sys/block/nvme0n1/queue/scheduler", "[none] mq-deadline", "none"),
        ("proc/sys/kernel/sched_rt_runtime_us", "950000", "950000"),
    ],
)
def test_settings_by_path(path: str, value: str, expected: str | None) -> None:
    *folders, name = path.split("/")
    values = read(name, f"{value}\n", ("env", *folders))
    if expected is None:
        assert values == {"sched.features.PLACE_LAG": "on", "sched.features.HRTICK": "off"}
    else:
        assert list(values.values()) == [expected]


def test_cpupower() -> None:
    assert read("freq", CPUPOWER) == {
        "cpu.frequency.driver cpu3": "acpi-cpufreq",
        "cpu.governor cpu3": "schedutil",
        "cpu.boost": "off",
    }


@pytest.mark.parametrize(
    "key",
    [
        "fs.file-nr",
        "fs.inode-state",
        "kernel.random.boot_id",
        "kernel.ns_last_pid",
        "kernel.hostname",
        "kernel.pty.nr",
        "net.ipv4.tcp_fastopen_key",
        "net.ipv4.conf.eth0.rp_filter",
        "net.ipv6.conf.default.stable_secret",
    ],
)
def test_what_is_of_the_moment_or_private_is_no_fact(key: str) -> None:
    assert read("sysctl", f"{key} = 17\nvm.swappiness = 60\n") == {"sysctl vm.swappiness": "60"}


@pytest.mark.parametrize(
    "text", [LSCPU, CPUINFO, NUMACTL, GREP, CPUPOWER, "vm.swappiness = 60\nvm.x = 100\n", VERSION]
)
def test_a_cut_file_gives_no_other_value(text: str) -> None:
    whole = read("file", text)
    whole_cpus = {text.find("\n\n") + 2}
    for cut in set(range(1, len(text))) - whole_cpus:
        kind = recognise("file", (), text[:cut])
        found = facts(kind, "file", (), text[:cut]) if kind else ()
        for fact in found:
            if fact.key in {"cpu.flags", "kernel.version"}:
                continue
            assert whole.get(f"{fact.key} {fact.of}".strip()) == fact.value, text[:cut]


def test_lines_are_those_of_the_file() -> None:
    found = facts("sysctl", "s", (), "kernel.hostname = x\n\nvm.swappiness = 60\n")
    assert [(fact.key, fact.line) for fact in found] == [("sysctl vm.swappiness", 3)]


def test_values_are_harmless() -> None:
    assert read("sysctl", "vm.x = a\x1b[31mb\u202ec\td\n") == {"sysctl vm.x": "abc d"}


@pytest.mark.parametrize(
    ("text", "shortest", "count"),
    [("0,1,2", "0-2", "3"), ("3 1 2 8", "1-3,8", "4"), ("0-999999999", "0-999999999", "1000000000"), ("x", "", "")],
)
def test_lists_of_numbers(text: str, shortest: str, count: str) -> None:
    assert (number_list(text), number_count(text)) == (shortest, count)


# Differences


def test_example_differences() -> None:
    base, patched = (together(tree(EXAMPLES / side)) for side in ("base", "patched"))
    assert base.conflicts == patched.conflicts == ()
    rows = differences([base.values, patched.values])
    assert [(row.key, *row.values, row.weight) for row in rows] == [
        ("config CONFIG_PROVE_LOCKING", "n", "y", "matters"),
        ("cpu.governor", "performance", "performance (line 1-2), powersave (line 3-4)", "matters"),
        ("kernel.cmdline mitigations", "off", "absent", "matters"),
        ("sysctl kernel.numa_balancing", "1", "0", "matters"),
        ("thp.enabled", "madvise", "always", "matters"),
        ("config CONFIG_DEBUG_INFO_BTF", "n", "y", "other"),
        ("config CONFIG_LOCALVERSION", '"-base"', '"-patched"', "expected"),
        ("kernel.cmdline BOOT_IMAGE", "/vmlinuz-6.9.0-base", "/vmlinuz-6.9.0-patched", "expected"),
        ("kernel.release", "6.9.0-base", "6.9.0-patched", "expected"),
        (
            "kernel.version",
            "#1 SMP PREEMPT_DYNAMIC Mon Jun 3 10:00:00 UTC 2024",
            "#4 SMP PREEMPT_DYNAMIC Tue Jun 4 11:30:00 UTC 2024",
            "expected",
        ),
    ]
    partly = known_in_part([base.values, patched.values])
    assert [(row.key, *row.values) for row in partly] == [("compiler", "gcc (GCC) 13.2.0", None)]


def test_the_example_of_the_documentation() -> None:
    page = (ROOT.parent / "docs/environment.md").read_text()
    shown = [
        "".join(f"{line[4:]}\n" for line in part.splitlines() if not line or line.startswith("    ")).strip()
        for part in page.split("## An example")[1].split("\nprints\n")
    ]
    done = subprocess.run(
        [sys.executable, "-c", shown[0]], cwd=ROOT.parent, capture_output=True, text=True, check=True
    )
    assert (done.stderr, done.stdout.strip()) == ("", shown[1])


def test_one_side_is_no_difference() -> None:
    assert differences([{"thp.enabled": "always"}, {}]) == ()
    assert differences([{}, {"thp.enabled": "always"}]) == ()
    three = [{"thp.enabled": "always"}, {}, {"thp.enabled": "never"}]
    assert differences(three) == (Difference("thp.enabled", ("always", None, "never"), "matters"),)
    assert known_in_part(three) == ()


def test_option_of_a_partial_config_is_unknown_not_off() -> None:
    part = {"config CONFIG_HZ": "250"}
    whole = {"config": "2 options", "config CONFIG_HZ": "250", "config CONFIG_NUMA": "y"}
    assert differences([part, whole]) == ()
    assert [row.key for row in differences([{**part, "config": "1 options"}, whole])] == ["config CONFIG_NUMA"]


def test_amounts_that_vary_a_little_in_one_kernel_stay_one_amount() -> None:
    files = [("a", (Fact("memory.total", "32816044 kB"),)), ("b", (Fact("memory.total", "32816000 kB"),))]
    found = together(files)
    assert (found.values, found.conflicts) == ({"memory.total": "32816044 kB"}, ())


@pytest.mark.parametrize(
    ("key", "one", "other", "differs"),
    [
        ("memory.total", "32816044 kB", "32809812 kB", False),
        ("memory.total", "32816044 kB", "32100000 kB", True),
        ("numa.memory", "100 MB (node0), 200 MB (node1)", "100 MB (node0), 201 MB (node1)", False),
        ("sysctl kernel.threads-max", "255000", "255320", False),
        ("sysctl vm.swappiness", "1000", "1001", True),
    ],
)
def test_amounts_may_differ_by_a_percent(key: str, one: str, other: str, differs: bool) -> None:
    assert bool(differences([{key: one}, {key: other}])) is differs


def test_what_changed_between_runs_of_one_kernel() -> None:
    first = (Fact("cpu.governor", "performance", 1, "cpu0"), Fact("cpu.governor", "powersave", 2, "cpu1"))
    second = (Fact("cpu.governor", "powersave", 1, "cpu0"), Fact("cpu.governor", "powersave", 2, "cpu1"))
    found = together([("run-1/sys", first), ("run-2/sys", second)])
    (conflict,) = found.conflicts
    assert (conflict.key, conflict.of, conflict.weight) == ("cpu.governor", "cpu0", "matters")
    assert [tuple(place) for place in conflict.places] == [
        ("performance", "run-1/sys", 1),
        ("powersave", "run-2/sys", 1),
    ]
    assert found.values["cpu.governor"] == "performance or powersave (cpu0), powersave (cpu1)"


def test_option_that_came_between_runs_of_one_kernel() -> None:
    files = [(name, facts("cmdline", name, (), text)) for name, text in (("a", "ro nosmt\n"), ("b", "ro\n"))]
    (conflict,) = together(files).conflicts
    assert (conflict.key, [place.value for place in conflict.places]) == ("kernel.cmdline nosmt", ["set", "absent"])


def test_two_ways_to_say_the_same_are_no_conflict() -> None:
    texts = {"lscpu": LSCPU, "sys": GREP}
    files = [(name, facts(recognise(name, (), text) or "", name, (), text)) for name, text in texts.items()]
    assert [conflict.key for conflict in together(files).conflicts] == ["cpu.boost"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("config CONFIG_KASAN", "matters"),
        ("config CONFIG_DEBUG_LOCK_ALLOC", "matters"),
        ("config CONFIG_DEBUG_INFO", "other"),
        ("config CONFIG_HZ", "matters"),
        ("config CONFIG_SND_HDA", "other"),
        ("config CONFIG_SLUB_DEBUG_ON", "matters"),
        ("kernel.cmdline mitigations", "matters"),
        ("kernel.cmdline quiet", "other"),
        ("kernel.cmdline root", "expected"),
        ("kernel.release", "expected"),
        ("sysctl vm.dirty_ratio", "matters"),
        ("sysctl kernel.panic", "other"),
        ("mitigation srso", "matters"),
        ("cpu.flags avx2", "other"),
        ("lsm", "matters"),
        ("unheard of", "other"),
    ],
)
def test_weights(key: str, expected: str) -> None:
    assert weight(key) == expected


# The kernel's log


def test_findings_one_for_each_thing() -> None:
    text = (EXAMPLES / "dmesg-oops.txt").read_text()
    assert recognise("console", (), text) == "dmesg"
    found = findings(text, "dmesg")
    assert [(finding.kind, finding.line, finding.count) for finding in found] == [
        ("oops", 6, 1),
        ("warning", 16, 2),
        ("throttled", 23, 2),
        ("soft-lockup", 25, 1),
        ("hung-task", 27, 1),
        ("rcu-stall", 29, 1),
        ("out-of-memory", 30, 1),
        ("machine-check", 33, 1),
        ("io-error", 34, 1),
    ]
    assert found[0].text == "BUG: kernel NULL pointer dereference, address: 0000000000000008"
    assert found[0].path == "dmesg"
    assert read("dmesg", text)["preempt"] == "voluntary"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("kernel BUG at mm/slub.c:400!", "oops"),
        ("BUG: scheduling while atomic: hackbench/77/0x00000002", "oops"),
        ("BUG: KASAN: slab-out-of-bounds in foo+0x1/0x2", "oops"),
        ("Unable to handle kernel NULL pointer dereference at virtual address 0000000000000008", "oops"),
        ("WARNING: possible circular locking dependency detected", "warning"),
        ("Kernel panic - not syncing: Fatal exception", "panic"),
        ("Memory cgroup out of memory: Killed process 17 (x)", "out-of-memory"),
        ("hackbench: page allocation failure: order:4", "allocation-failure"),
        ("nvme nvme0: I/O 17 QID 3 timeout, aborting", "io-error"),
        ("EXT4-fs error (device sda1): ext4_lookup:1", "io-error"),
        ("clocksource: timekeeping watchdog: Marking clocksource 'tsc' as unstable because the skew", "clock"),
        ("sched: RT throttling activated", "rt-throttled"),
        ("schbench[12]: segfault at 0 ip 0 sp 0 error 4", "crashed-program"),
        ("Call Trace:", "call-trace"),
    ],
)
@pytest.mark.parametrize(
    "stamp", ["", "[   17.123456] ", "<4>[   17.1] ", "[Mon Jun  3 10:00:00 2024] ", "Jun  3 10:00:00 box kernel: "]
)
def test_findings_by_line(line: str, kind: str, stamp: str) -> None:
    (found,) = findings(f"{stamp}a line\n{stamp}{line}\n")
    assert (found.kind, found.line, found.text) == (kind, 2, line)


def test_a_trace_behind_the_end_of_an_oops_is_another_thing() -> None:
    text = "BUG: x\nCall Trace:\n---[ end trace 0 ]---\nOops: 0000 [#2]\n---[ end trace 0 ]---\nCall Trace:\n"
    assert [(found.kind, found.line) for found in findings(text)] == [("oops", 1), ("oops", 4), ("call-trace", 6)]


def test_two_of_a_kind_without_an_end_are_both_counted() -> None:
    (found,) = findings("BUG: scheduling while atomic: a/1/2\nBUG: scheduling while atomic: a/3/2\n")
    assert found.count == 2


def test_only_the_last_kernel_is_looked_at_but_all_its_boots() -> None:
    def boot(release: str, message: str) -> str:
        return f"[    0.000000] Linux version {release} (a@b) (gcc) #1 SMP 2024\n[    9.000000] {message}\n"

    text = boot("6.8.0", "WARNING: old") + boot("6.9.0", "BUG: Bad page") + boot("6.9.0", "WARNING: new")
    assert [finding.line for finding in findings(text)] == [4, 6]
    assert read("dmesg", text)["kernel.release"] == "6.9.0"


def test_a_sound_boot_has_no_findings() -> None:
    lines = (EXAMPLES / "dmesg-oops.txt").read_text().splitlines(keepends=True)
    more = (
        "nvme nvme0: Shutdown timeout set to 8 seconds",
        "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: errors=remount-ro",
        "SGI XFS with ACLs, security attributes, no debug enabled",
        "EDAC MC: Ver: 3.0.0",
        "mce: CPU supports 32 MCE banks",
        "RAS: Correctable Errors collector initialized.",
        "mce: CPU0: Thermal monitoring enabled (TM1)",
        "rcu: Preemptible hierarchical RCU implementation.",
        "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
        "Kernel command line: panic=1 oops=panic softlockup_panic=1",
    )
    assert findings("".join(lines[:5]) + "".join(f"[    3.000000] {line}\n" for line in more)) == ()


# The collector


def fake(root: Path) -> Path:
    """A machine with names and numbers that mustn't be told."""
    files = {
        "proc/version": VERSION.replace("builder@localhost", "jane@buildbox.example.org"),
        "proc/cmdline": "root=UUID=01234567-89ab-cdef-0123-456789abcdef ip=10.1.2.3 ro nosmt "
        "netconsole=@10.1.2.4/ -- -k v\n",
        "proc/cpuinfo": CPUINFO + "Serial\t\t: 00000000deadbeef\n",
        "proc/meminfo": "MemTotal:       32816044 kB\nMemFree:         1 kB\n",
        "proc/sys/kernel/hostname": "secretbox\n",
        "proc/sys/kernel/osrelease": "6.9.0-rc2\n",
        "proc/sys/kernel/numa_balancing": "1\n",
        "proc/sys/kernel/random/boot_id": "01234567-89ab-cdef-0123-456789abcdef\n",
        "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
        "proc/sys/vm/drop_caches": "0\n",
        "proc/sys/vm/note": "on secretbox\n",
        "boot/config-6.9.0-rc2": "# Automatically generated file\nCONFIG_HZ=250\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "sys/kernel/mm/transparent_hugepage/khugepaged/full_scans": "17\n",
        "sys/kernel/security/lsm": "capability,yama",
        "sys/kernel/debug/sched/features": "PLACE_LAG NO_HRTICK\n",
        "sys/devices/system/cpu/vulnerabilities/l1tf": "Not affected\n",
        "sys/devices/system/cpu/cpu0/address": "aa:bb:cc:dd:ee:ff\n",
    }
    for number in range(4):
        files[f"sys/devices/system/cpu/cpu{number}/cpufreq/scaling_governor"] = "performance\n"
        files[f"sys/devices/system/cpu/cpu{number}/cpufreq/scaling_cur_freq"] = f"{number}\n"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


OUTPUT = {
    "uname": "Linux 6.9.0-rc2 #7 SMP PREEMPT_RT Mon Jun  3 10:00:00 UTC 2024 x86_64\n",
    "lscpu": LSCPU,
    "numactl": NUMACTL,
    "gcc": "gcc (GCC) 13.2.0\nCopyright (C) 2023\n",
    "dmesg": "[    0.000000] Linux version 6.9.0-rc2 (jane@buildbox) (gcc) #7 SMP\n[    1.0] SSID of secretbox\n"
    "[    2.0] usb 1-1: SerialNumber: 4711\n"
    "[    3.000000] WARNING: CPU: 0 PID: 1 at foo on secretbox aa:bb:cc:dd:ee:ff\n",
}


def test_collected_from_a_fake_machine(tmp_path: Path) -> None:
    written, missing = collect(tmp_path / "env", fake(tmp_path / "root"), lambda command: OUTPUT.get(command[0]))
    assert sorted(written) == sorted(path.name for path in (tmp_path / "env").iterdir())
    assert missing == ["ldd --version", "/sys/kernel/debug/sched/preempt"]
    environment = together(tree(tmp_path / "env"))
    expected = {
        "thp.enabled": "madvise",
        "lsm": "capability,yama",
        "cpu.governor": "performance",
        "cpu.count": "2 or 5",
        "kernel.release": "6.9.0-rc2",
        "kernel.cmdline nosmt": "set",
        "kernel.cmdline root": "removed",
        "config CONFIG_HZ": "250",
        "sched.features.HRTICK": "off",
        "mitigation l1tf": "Not affected",
        "sysctl net.ipv4.tcp_rmem": "4096 131072 6291456",
        "memory.total": "32816044 kB",
        "compiler": "gcc (GCC) 13.2.0",
    }
    assert {key: environment.values.get(key) for key in expected} == expected
    texts = "".join(path.read_text() for path in (tmp_path / "env").iterdir())
    for secret in (
        "secretbox",
        "jane",
        "buildbox",
        "4711",
        "deadbeef",
        "10.1.2",
        "0123-4567",
        "aa:bb",
        "SSID",
        "-k v",
    ):
        assert secret not in texts, secret
    (found,) = findings((tmp_path / "env/dmesg.txt").read_text())
    assert (found.kind, found.text) == ("warning", "WARNING: CPU: 0 PID: 1 at foo on removed removed")


def test_a_host_called_like_a_setting_changes_no_key(tmp_path: Path) -> None:
    root = fake(tmp_path / "root")
    (root / "proc/sys/kernel/hostname").write_text("vm\n")
    collect(tmp_path / "env", root, lambda command: OUTPUT.get(command[0]))
    text = (tmp_path / "env/sysctl.txt").read_text()
    assert "vm.note = on secretbox\n" in text
    (root / "proc/sys/kernel/hostname").write_text("performance\n")
    collect(tmp_path / "again", root, lambda command: OUTPUT.get(command[0]))
    assert together(tree(tmp_path / "again")).values["cpu.governor"] == "performance"


def test_config_comes_from_the_running_kernel_first(tmp_path: Path) -> None:
    root = fake(tmp_path / "root")
    (root / "proc/config.gz").write_bytes(gzip.compress(b"CONFIG_HZ=1000\n"))
    collect(tmp_path / "env", root, lambda command: None)
    assert (tmp_path / "env/config.txt").read_text() == "CONFIG_HZ=1000\n"


def test_collected_from_this_machine_is_read_whole(tmp_path: Path) -> None:
    written, _ = collect(tmp_path)
    assert {"version.txt", "cpuinfo.txt", "sysctl.txt"} <= set(written)
    files = tree(tmp_path)
    assert all(found for _, found in files)
    # All that is written of settings is also read.
    lines = sum(len((tmp_path / name).read_text().splitlines()) for name in ("sysctl.txt",))
    assert len(dict(files)["sysctl.txt"]) == lines
    node = os.uname().nodename
    if len(node) > 4:
        texts = "".join(path.read_text() for path in tmp_path.iterdir())
        assert not re.search(rf"(?<![\w-]){re.escape(node)}(?![\w-])", texts)


def test_empty_machine_gives_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    written, missing = collect(tmp_path / "env", tmp_path / "root", lambda command: None)
    assert written == []
    assert "/proc/cmdline" in missing


def test_a_filled_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        collect(tmp_path, tmp_path, lambda command: None)
    with pytest.raises(UsageError, match="File exists"):
        collect(tmp_path / "old", tmp_path, lambda command: None)


def test_programs_that_are_missing_or_fail_give_nothing() -> None:
    assert run_program(("no-such-program-anywhere",)) is None
    assert run_program(("false",)) is None


def test_command(tmp_path: Path) -> None:
    done = run("collect-env", tmp_path / "env")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.endswith(" files written\n")
    again = run("collect-env", tmp_path / "env")
    assert (again.returncode, "not empty" in again.stderr) == (2, True)
    assert run("collect-env").returncode == 2


def test_help_does_not_load_the_collector() -> None:
    done = spawn("collect-env", "--help", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "compare_kernels.environment" not in done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mac 00:1a:2b:3c:4d:5e up", "mac removed up"),
        ("to 192.168.1.17:80", "to removed:80"),
        ("fe80:0:0:0:1:2:3:4", "removed"),
        ("by who@where.org", "by removed"),
        ("a\nSerial Number: 17\nb", "a\nb"),
        ("host box1 and box1.example", "host removed and removed"),
        ("6.9.0-rc2 12.2.0 1:2 10:20:30 box1-like", "6.9.0-rc2 12.2.0 1:2 10:20:30 box1-like"),
    ],
)
def test_identifiers_are_removed(text: str, expected: str) -> None:
    assert without_identifiers(text, "box1.example") == expected


# Hostile input

_NAMES = (
    "cmdline",
    "config",
    "dmesg",
    "governor",
    "thp_enabled",
    "sysctl",
    "gcc",
    "x",
    "os-release",
    "preempt",
    "lsm",
)
_TEXTS = (LSCPU, CPUINFO, NUMACTL, GREP, CPUPOWER, VERSION, UNAME, (EXAMPLES / "dmesg-oops.txt").read_text())


@given(
    st.binary(max_size=300) | st.text(max_size=300).map(str.encode), st.sampled_from(_NAMES), st.sampled_from(KINDS)
)
@example(b'{"lscpu": [[[{"field": 3, "children": 4}]]]}', "x", "lscpu-json")
@example(b"processor\t: 0\n", "x", "cpuinfo")
def test_any_bytes(data: bytes, name: str, kind: str) -> None:
    text = data.decode("latin-1")
    recognise(name, ("sys", name), text)
    for fact in facts(kind, name, ("sys",), text):
        assert fact.value
        assert "\n" not in fact.key + fact.value
    findings(text)


@given(st.sampled_from(_TEXTS), st.sampled_from(_TEXTS), st.data())
def test_any_mixture(one: str, other: str, data: st.DataObject) -> None:
    text = one[: data.draw(st.integers(0, len(one)))] + other[data.draw(st.integers(0, len(other))) :]
    for kind in KINDS:
        facts(kind, "x", (), text)
    recognise("x", (), text)
    findings(text)


@pytest.mark.parametrize(
    "text",
    [
        "a." * 100_000 + " = 1",
        "vm" + "./" * 100_000,
        "XFS " * 50_000,
        "rcu: " * 40_000,
        "Linux version 6.9 (" * 10_000,
        "Linux " * 40_000,
        '"' * 100_000,
        "always [" * 30_000,
        "1:2:" * 50_000,
        "00:" * 60_000,
        "a@" * 80_000,
        "/sys/" * 40_000 + ":1",
        "CONFIG_" * 30_000 + "=y",
        "0," * 100_000,
        "[ 1.1] " * 30_000,
        "(none) " * 30_000,
        "clang version " * 15_000,
    ],
)
def test_linear_time(text: str) -> None:
    started = time.process_time()
    for kind in KINDS:
        facts(kind, "preempt", (), text)
    for name in _NAMES:
        recognise(name, ("sys", "sys"), text)
    findings(text)
    without_identifiers(text)
    # A quadratic one takes minutes.
    assert time.process_time() - started < 5


def test_flat_names_lead_to_known_paths() -> None:
    for path in settings._FLAT.values():
        assert settings.known(path), path
