"""How much it says that a fact differs: a table of what changes performance, and of what always differs."""

from __future__ import annotations

import re
from typing import Literal

Weight = Literal["matters", "other", "expected"]
"""``matters``: a difference may explain a change of performance. ``other``: it is not known to. ``expected``: two
kernels differ in it because they are two."""

_EXPECTED = r"""
kernel\.(release|version)
kernel\.cmdline\ (root|rootflags|BOOT_IMAGE|initrd|resume|resume_offset|rd\..*|ostree|nfsroot|systemd\.machine_id)
config
kernel\.cmdline
cpu\.flags
config\ CONFIG_(LOCALVERSION.*|BUILD_SALT|DEFAULT_HOSTNAME|INITRAMFS_SOURCE|VERSION_SIGNATURE|UNAME_RELEASE)
"""

_OTHER = r"""
kernel\.cmdline\ (quiet|splash|rhgb|console|earlyprintk|earlycon|loglevel|log_buf_len|ignore_loglevel|panic|reboot
    |oops|net\.ifnames|biosdevname|vt\..*|plymouth\..*|fbcon|video|ip|netconsole|printk\..*|ro|rw|init|rdinit|--|ds)
kernel\.linker
distribution
version\ .*
cpu\.(present|idle\.state\d+\.residency)
cpu\.flags\ .*
machine\.product
config\ CONFIG_DEBUG_(INFO.*|FS.*|BUGVERBOSE|KERNEL|MISC|BOOT_PARAMS|RODATA_TEST|WX)
config\ CONFIG_(HZ_PERIODIC|LOCKDEP_SUPPORT|HZ_\d+|PREEMPT_NOTIFIERS|SLAB_MERGE_DEFAULT|CGROUP_NET_.*)
sysctl\ vm\.(block_dump|oom_.*|panic_on_oom|mmap_.*|legacy_va_layout|stat_interval|user_reserve_kbytes
    |admin_reserve_kbytes|memory_failure_.*|unprivileged_userfaultfd)
"""

_MATTERS = r"""
kernel\.(cmdline\ .*|compiler)
compiler
libc
clocksource
lsm
preempt.*
hugepages\..*
memory\..*
mitigation\ .*
machine\..*
(cpu|thp|numa|sched|ksm|lru_gen|block)\..*
sysctl\ (vm|net\.core)\..*
sysctl\ kernel\.(sched.*|numa_balancing.*|timer_migration|nmi_watchdog|watchdog.*|soft_watchdog|randomize_va_space
    |split_lock_mitigate|ftrace_enabled|stack_tracer_enabled|bpf_stats_enabled|task_delayacct|preempt.*|pid_max
    |unprivileged_bpf_disabled|seccomp\..*)
sysctl\ net\.ipv4\.(tcp_.*|udp_.*)
config\ CONFIG_(DEBUG_.*|.*_DEBUG_ON|KASAN.*|KCSAN.*|KMSAN.*|UBSAN.*|KFENCE.*|KCOV.*|GCOV.*|DEBUG_KMEMLEAK.*)
config\ CONFIG_(LOCKDEP.*|PROVE_.*|LOCK_STAT|LATENCYTOP|SCHEDSTATS|SCHED_.*|TRACE_IRQFLAGS.*|PAGE_OWNER.*
    |PAGE_POISONING.*|PAGE_TABLE_CHECK.*|INIT_ON_.*|INIT_STACK_.*|FAULT_INJECTION.*|RCU_.*|NO_HZ.*|HZ.*)
config\ CONFIG_(PREEMPT.*|CPU_FREQ.*|CPU_IDLE.*|X86_(INTEL|AMD)_PSTATE.*|SMP|NR_CPUS.*|MEMCG.*|CGROUP_.*|NUMA.*
    |TRANSPARENT_HUGEPAGE.*|HUGETLB.*|SL[AU]B.*|COMPACTION|KSM|ZSWAP.*|LRU_GEN.*|PER_VMA_LOCK.*|PSI.*|UCLAMP.*)
config\ CONFIG_(FAIR_GROUP_SCHED|RT_GROUP_SCHED|CFS_BANDWIDTH|VIRT_CPU_ACCOUNTING.*|TICK_CPU_ACCOUNTING
    |IRQ_TIME_ACCOUNTING|JUMP_LABEL|PARAVIRT.*|AUDIT.*|SECURITY.*|LSM|SECCOMP.*|BPF_JIT.*|FUNCTION_TRACER|FTRACE
    |DYNAMIC_FTRACE|FUNCTION_GRAPH_TRACER|IRQSOFF_TRACER|PREEMPT_TRACER|STACK_TRACER|IOMMU_DEFAULT.*)
config\ CONFIG_(MITIGATION_.*|RETPOLINE|RETHUNK|SLS|PAGE_TABLE_ISOLATION|CPU_(UNRET|IBPB|IBRS)_ENTRY|CPU_SRSO
    |CALL_DEPTH_TRACKING|X86_KERNEL_IBT|X86_USER_SHADOW_STACK|SHADOW_CALL_STACK.*|STACKPROTECTOR.*|CFI.*|LTO.*
    |RANDSTRUCT.*|GCC_PLUGIN.*|FORTIFY_SOURCE|HARDENED_USERCOPY.*|ZERO_CALL_USED_REGS|RANDOMIZE_KSTACK.*
    |LIST_HARDENED|BUG_ON_DATA_CORRUPTION|STATIC_USERMODEHELPER)
config\ CONFIG_(CC_VERSION_TEXT|CC_OPTIMIZE.*|GENERIC_CPU|X86_NATIVE_CPU|MNATIVE.*|MK8|MCORE2|MATOM|ARM64_\d+K_PAGES
    |ARM64_(PAN|MTE|BTI|PTR_AUTH|LSE).*|ARM64_USE_LSE_ATOMICS|.*_VA_BITS.*|AUTOFDO.*|PROPELLER.*)
"""


def _any(table: str) -> re.Pattern[str]:
    rows = re.sub(r"\n\s+", "", table).strip().split("\n")
    return re.compile("|".join(f"(?:{row})" for row in rows))


_TABLE: tuple[tuple[re.Pattern[str], Weight], ...] = (
    (_any(_EXPECTED), "expected"),
    (_any(_OTHER), "other"),
    (_any(_MATTERS), "matters"),
)


def weight(key: str) -> Weight:
    """Say how much a difference of the fact with this key tells; the first row of the table that fits decides."""
    return next((meaning for pattern, meaning in _TABLE if pattern.fullmatch(key)), "other")
