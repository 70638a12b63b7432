"""Speed and memory of a comparison, as ratios within one run, so that the machine's own speed cancels out.

Usage: python benchmarks/run.py [--faults N]

Prints for two kernels of N page faults each (1,000,000 by default, in four gzip files): wall time of the comparison,
of ``zcat | wc -l`` over the same files, their ratio, and the peak memory. Then for 160 numbers of hackbench the ratio
to ``python -c 'import pandas'``. Each figure is the best of three, for a machine is disturbed only in one direction.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 4
LIMIT_RATIO, LIMIT_MEGABYTES, LIMIT_IMPORTS, LIMIT_SHARE = 8.0, 400.0, 2.5, 0.25


def make_faults(folder: Path, seed: int, faults: int) -> None:
    """Write thpscale logs for 1, 2, 4 and 8 threads, half of the faults huge."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    for threads in (1, 2, 4, 8)[:FILES]:
        lines = [f"Running with {threads} thread{'s' * (threads > 1)} ", "Using default advice", ""]
        lines += [f"anoninit {thread} {8_000_000 + draw.randrange(1_000_000)}" for thread in range(threads)]
        for number in range(faults // FILES):
            kind, least = draw.choice((("huge", 200), ("base", 900)))
            latency = least + int(draw.expovariate(1 / 400))
            second, microsecond = 1_600_000_000 + number // 5000, draw.randrange(1_000_000)
            locality = draw.choice((1, 1, 1, 0))
            lines.append(f"fault {number % threads} {kind} {latency:12d} {second}.{microsecond} {locality}")
        with gzip.open(folder / f"threads-{threads}.log.gz", "wt", compresslevel=6) as file:
            file.write("\n".join(lines) + "\n")


def make_hackbench(folder: Path, seed: int) -> None:
    """Write ten runs of hackbench for eight numbers of groups."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    for groups in (1, 2, 4, 8, 16, 24, 32, 48):
        for run in range(1, 11):
            tasks = groups * 40
            text = (
                f"Running in process mode with {groups} groups using 40 file descriptors each (== {tasks} tasks)\n"
                f"Each sender will pass 1000 messages of 100 bytes\nTime: {groups * draw.gauss(0.25, 0.005):.3f}\n"
            )
            (folder / f"hackbench-{groups}-run{run}.txt").write_text(text)


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command three times; return the least wall time in seconds and the largest peak memory in MB."""
    seconds, megabytes = float("inf"), 0.0
    for _ in range(3):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = min(seconds, time.perf_counter() - start)
        megabytes = max(megabytes, usage.ru_maxrss / 1024)
        if status:
            sys.exit(f"failed: {shlex.join(command)}")
    return seconds, megabytes


SHARE = """
import sys, time
from compare_kernels import Rules, api
from compare_kernels.reporting.summary import build_summaries
from compare_kernels.summarise import summarise
import scipy.special
start = time.perf_counter()
samples = api.load(*sys.argv[1:])
loaded = time.perf_counter()
summarise(samples)
described = time.perf_counter()
comparison = api.compare(samples)
compared = time.perf_counter()
build_summaries(comparison)
end = time.perf_counter()
verdicts = (compared - described) - (described - loaded) + (end - compared)
print(verdicts / (end - start - (described - loaded)))
"""
"""Share of tests, verdicts, remarks and summary in a comparison, imports apart."""


def main() -> None:
    """Measure and print; exit with 1 if a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1_000_000, help="page faults per kernel")
    faults = parser.parse_args().faults
    compare = [sys.executable, "-m", "compare_kernels"]
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for seed, kernel in enumerate(("base", "patched")):
            make_faults(root / "faults" / kernel / "thpscale", seed, faults)
            make_hackbench(root / "small" / kernel / "hackbench", seed)
        logs = shlex.join(str(path) for path in sorted((root / "faults").rglob("*.gz")))
        ours, memory = measure([*compare, str(root / "faults" / "base"), str(root / "faults" / "patched")])
        floor, _ = measure(["sh", "-c", f"zcat {logs} | wc -l"])
        command = [sys.executable, "-c", SHARE, str(root / "faults" / "base"), str(root / "faults" / "patched")]
        share = min(float(subprocess.check_output(command, stderr=subprocess.DEVNULL)) for _ in range(3))
        small, _ = measure([*compare, str(root / "small" / "base"), str(root / "small" / "patched")])
        imports, _ = measure([sys.executable, "-c", "import pandas"])
    rows = [
        (f"thpscale, 2 x {faults:,} faults", f"{ours:.2f} s", ""),
        ("zcat | wc -l of the same files", f"{floor:.2f} s", ""),
        ("ratio", f"{ours / floor:.2f}", f"limit {LIMIT_RATIO:g}"),
        ("peak memory", f"{memory:.0f} MB", f"limit {LIMIT_MEGABYTES:g}"),
        ("share of the verdicts", f"{100 * share:.0f} %", f"limit {100 * LIMIT_SHARE:g} %"),
        ("hackbench, 160 numbers", f"{small:.2f} s", ""),
        ("python -c 'import pandas'", f"{imports:.2f} s", ""),
        ("ratio", f"{small / imports:.2f}", f"limit {LIMIT_IMPORTS:g}"),
    ]
    for what, figure, limit in rows:
        print(f"{what:32} {figure:>10}  {limit}".rstrip())
    if (
        ours / floor > LIMIT_RATIO
        or memory > LIMIT_MEGABYTES
        or small / imports > LIMIT_IMPORTS
        or share > LIMIT_SHARE
    ):
        sys.exit("a limit is passed")


if __name__ == "__main__":
    main()
