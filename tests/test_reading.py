"""From directories to runs: layouts, labels, compression, copies, what is kept apart."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from compare_kernels import compare, load, load_mmtests
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.reading import decompress
from compare_kernels.reading.decompress import read_content
from compare_kernels.reading.discover import Input, discover, parse_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from compare_kernels.samples import Samples

LOGS = Path(__file__).parent / "logs"
TEXT = b"Running in process mode with 4 groups using 40 file descriptors each (== 160 tasks)\n" * 50


def hackbench(seconds: float, groups: int = 4, messages: int = 100, mode: str = "process") -> str:
    return (
        f"Running in {mode} mode with {groups} groups using 40 file descriptors each (== {groups * 40} tasks)\n"
        f"Each sender will pass {messages} messages of 100 bytes\nTime: {seconds:.3f}\n"
    )


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def values(samples: Samples) -> dict[tuple[str, str, str], list[float]]:
    return {
        (row.benchmark, row.operation.name, samples.kernels[kernel]): group.values.tolist()
        for row in samples.rows()
        for kernel, group in row.groups.items()
    }


def slugs(samples: Samples) -> list[str]:
    return [diagnostic.slug for diagnostic in samples.diagnostics]


def status(samples: Samples) -> dict[str, str]:
    return {Path(report.source.path).name: report.status for report in samples.files}


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compression_is_told_by_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    packed = COMPRESSORS[name](TEXT)
    path.write_bytes(packed)
    assert read_content(str(path)) == decompress.Content(TEXT)
    path.write_bytes(packed + COMPRESSORS[name](b"more\n"))
    assert read_content(str(path)).data == TEXT + b"more\n"


@pytest.mark.parametrize("name", COMPRESSORS)
def test_truncated_archive_gives_what_it_holds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    noise = os.urandom(400_000).hex().encode()
    packed = COMPRESSORS[name](noise)
    path.write_bytes(packed[: len(packed) * 3 // 4])
    content = read_content(str(path))
    assert "truncated" in content.problem
    assert noise.startswith(content.data)
    if name != "bzip2":
        assert len(content.data) > len(noise) // 4


def test_members_of_several_formats_and_padding(tmp_path: Path) -> None:
    path = tmp_path / "log"
    big = os.urandom(1_500_000)
    path.write_bytes(lzma.compress(b"a\n") + bytes(8) + lzma.compress(b"b\n") + gzip.compress(big) + b"plain\n")
    assert read_content(str(path)).data == b"a\nb\n" + big + b"plain\n"


def test_damaged_archive_gives_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.gz"
    packed = bytearray(gzip.compress(os.urandom(100_000)))
    packed[60_000:60_100] = bytes(100)
    path.write_bytes(packed)
    assert "damaged" in read_content(str(path)).problem


def test_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompress, "LARGEST", 1 << 20)
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(bytes(8 << 20)))
    content = read_content(str(path))
    assert not content.readable
    assert content.data == b""


def test_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_content(str(tmp_path / "pipe")) == decompress.Content(b"", "not a regular file", readable=False)


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["base", "patched"], ["base", "patched"]),
        (["r/base/hackbench", "r/patched/hackbench"], ["base", "patched"]),
        (["a=base", "patched"], ["a", "patched"]),
        (["base", "base"], ["base", "base(2)"]),
        (["a/x/1", "a/y/1", "b/x/1"], ["a/x/1", "a/y/1", "b/x/1"]),
        (["x=y", "patched"], ["x=y", "patched"]),
    ],
)
def test_labels(paths: list[str], labels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in paths:
        Path(path if path != "a=base" else "base").mkdir(parents=True, exist_ok=True)
    assert [item.label for item in parse_inputs(paths)] == labels


def test_bad_inputs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        parse_inputs([str(tmp_path / "nothing"), str(tmp_path)])
    with pytest.raises(UsageError, match="two kernels are called"):
        parse_inputs([f"a={tmp_path}", f"a={tmp_path}"])


def test_folders_that_name_repetitions_are_pooled(tmp_path: Path) -> None:
    folders = ["run-1", "iter-2", "rep3", "4", "Run 5"]
    write(tmp_path / "a", {f"hackbench/{name}/out": hackbench(1 + i) for i, name in enumerate(folders)})
    write(tmp_path / "b", {"hackbench/out": hackbench(2) + hackbench(3)})
    found = values(load(tmp_path / "a", tmp_path / "b"))
    assert found["hackbench-process", "4", "a"] == [1, 2, 3, 4, 5]
    assert found["hackbench-process", "4", "b"] == [2, 3]


def test_other_folders_name_instances(tmp_path: Path) -> None:
    log = "Running with 1 thread\n\nfault 0 huge 500 1.2 0\n"
    for kernel in "ab":
        write(tmp_path / kernel, {"thpscale/threads-1.log": log, "thpscale-frag/threads-1.log": log})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert list(samples.benchmarks) == ["thpscale", "thpscale-frag"]


def test_different_configurations_are_kept_apart_and_said_so(tmp_path: Path) -> None:
    for kernel in "ab":
        write(tmp_path / kernel, {"hackbench/1": hackbench(1), "hackbench/2": hackbench(2, messages=500)})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert list(samples.benchmarks) == ["hackbench-process (messages=100)", "hackbench-process (messages=500)"]
    assert "kept-apart" in slugs(samples)


def test_mmtests_layout(tmp_path: Path) -> None:
    for kernel in ("5.8-vanilla", "5.8-sched", "5.10-x"):
        for iteration in (0, 1, 10, 2):
            write(
                tmp_path / kernel / f"iter-{iteration}",
                {
                    "hackbench-process-pipes/logs/hackbench-4-1": hackbench(1 + iteration),
                    "tests-timestamp": "start :: 1\n",
                },
            )
    samples = load_mmtests(tmp_path, "5.8-vanilla", "5.8-sched")
    assert samples.kernels == ("5.8-vanilla", "5.8-sched")
    assert values(samples)["hackbench-process-pipes", "4", "5.8-vanilla"] == [1, 2, 3, 11]
    assert load_mmtests(tmp_path).kernels == ("5.8-sched", "5.8-vanilla", "5.10-x")
    assert load_mmtests(tmp_path, "5.10-x").kernels == ("5.10-x", "5.8-sched", "5.8-vanilla")
    direct = load(tmp_path / "5.8-vanilla", tmp_path / "5.8-sched")
    assert values(direct) == values(samples)
    with pytest.raises(UsageError, match=r"no kernel 'x' there; found: 5.8-sched"):
        load_mmtests(tmp_path, "x")
    with pytest.raises(UsageError, match="named twice"):
        load_mmtests(tmp_path, "5.10-x", "5.10-x")
    with pytest.raises(UsageError, match="no kernel found"):
        load_mmtests(tmp_path / "5.10-x" / "iter-0")


def test_every_file_is_accounted_for(tmp_path: Path) -> None:
    write(
        tmp_path / "a",
        {
            "good.txt": hackbench(1),
            "empty.txt": "",
            "blank.txt": "\n\n",
            "readme.txt": "What we did on Monday\n",
            "killed.txt": "".join(hackbench(1).splitlines(keepends=True)[:2]),
            "cut.txt.gz": gzip.compress((hackbench(1) * 2000).encode())[:-20],
            "protocols": "TCP_STREAM\n",
            "photo.jpg": bytes(range(256)) * 10,
        },
    )
    os.mkfifo(tmp_path / "a" / "pipe")
    (tmp_path / "a" / "gone").symlink_to("nowhere")
    (tmp_path / "a" / ".git").mkdir()
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    write(tmp_path / "b", {"good.txt": hackbench(2)})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert status(samples) == {
        "good.txt": "read",
        "empty.txt": "empty",
        "blank.txt": "empty",
        "readme.txt": "unrecognised",
        "killed.txt": "failed-run",
        "cut.txt.gz": "truncated",
        "protocols": "companion",
        "photo.jpg": "unrecognised",
        "pipe": "unreadable",
        "gone": "unreadable",
    }
    told = {Path(diagnostic.path).name for diagnostic in samples.diagnostics if diagnostic.path}
    assert told >= set(status(samples)) - {"good.txt"} | {".git", "loop"}


def test_log_beside_its_compressed_twin_counts_once(tmp_path: Path) -> None:
    text = hackbench(1).encode()
    write(tmp_path / "a", {"run1.log": text, "run1.log.gz": gzip.compress(text), "run2.log": text})
    write(tmp_path / "b", {"run1.log": text})
    samples = load(tmp_path / "a", tmp_path / "b")
    # run2 is another run that took as long: equal bytes alone prove nothing.
    assert values(samples)["hackbench-process", "4", "a"] == [1, 1]
    assert list(status(samples).values()).count("copy") == 1


def test_truncated_twin_is_a_copy_and_a_different_one_is_not(tmp_path: Path) -> None:
    text = (hackbench(1) + hackbench(2)).encode()
    write(tmp_path / "a", {"x.log": text, "x.log.gz": gzip.compress(text)[:-12], "y.log": text})
    write(tmp_path / "b", {"y.log": text, "y.log.xz": lzma.compress(hackbench(7).encode())})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert values(samples)["hackbench-process", "4", "a"] == [1, 2, 1, 2]
    assert values(samples)["hackbench-process", "4", "b"] == [1, 2, 7]
    assert "twins-differ" in slugs(samples)


def test_five_files_of_one_specjvm_run_count_once() -> None:
    folder = Path(__file__).parent.parent / "sample-results"
    samples = load(folder / "base" / "specjvm", folder / "patched" / "specjvm")
    frame = samples.frame
    assert not frame.duplicated(["kernel", "metric", "operation"]).any()
    assert list(status(samples).values()).count("copy") == 4
    composite = frame[(frame["metric"] == "score") & (frame["operation"] == "composite")]
    assert composite["value"].tolist() == [211.50, 211.15]


def test_the_cuts_of_a_failed_log_are_left_out(tmp_path: Path) -> None:
    progress = "".join(
        f"   4  {1000 * i}  {200 + i}.00 MB/sec  execute   {i} sec  latency 1.000 ms\n" for i in range(1, 8)
    )
    good = f"{progress}\nThroughput 207 MB/sec  4 clients  4 procs  max_latency=1.000 ms\n"
    for kernel, log in {"a": good, "b": progress}.items():
        folder = tmp_path / kernel / "iter-0" / "tbench" / "logs"
        write(folder, {"dbench-4.log": log, "benchlog-tput-4": progress})
    samples = load(tmp_path / "a", tmp_path / "b")
    frame = samples.frame[samples.frame["metric"] == "throughput"]
    assert frame[["kernel", "value"]].values.tolist() == [["a", 207.0]]
    assert [report.status for report in samples.files] == ["copy", "read", "failed-run", "failed-run"]


def test_reports_inside_killed_runs_make_no_table(tmp_path: Path) -> None:
    cut = "   4  9000  207.00 MB/sec  execute   7 sec  latency 1.000 ms\n"
    write(tmp_path, {f"{kernel}/tbench/benchlog-x-{i}": f"{cut}{cut}" for kernel in "ab" for i in (1, 2)})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert all(metric.interim for metric in samples.metrics.values())
    with pytest.raises(NothingToCompareError):
        compare(samples)


def test_equal_headings_do_not_pool_different_configurations(tmp_path: Path) -> None:
    for run in range(1, 4):
        write(tmp_path / "a", {f"hb-pipes-run{run}": hackbench(1, messages=2000)})
        write(tmp_path / "b" / "hackbench", {f"hb-pipes-run{run}": hackbench(2, messages=4000)})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert len(samples.benchmarks) == 2
    with pytest.raises(NothingToCompareError, match="no operation in common"):
        compare(samples)
    both = {"hackbench-process-thread/x": hackbench(1), "hackbench-process-thread/y": hackbench(2, mode="threaded")}
    write(tmp_path / "c", dict(both))
    assert len(load(tmp_path / "c", tmp_path / "c").benchmarks) == 2


def test_a_folder_of_the_benchmarks_own_name_is_no_difference(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": hackbench(1)})
    write(tmp_path / "b", {"hackbench/x": hackbench(2)})
    assert list(load(tmp_path / "a", tmp_path / "b").benchmarks) == ["hackbench-process"]


def test_links_count_nothing_twice(tmp_path: Path) -> None:
    for kernel in "ab":
        write(tmp_path / kernel, {f"run-{i}/out": hackbench(i) for i in range(1, 6)})
    (tmp_path / "a" / "latest").symlink_to("run-5")
    (tmp_path / "a" / "run-6").mkdir()
    (tmp_path / "a" / "run-6" / "out").symlink_to("../run-5/out")
    os.link(tmp_path / "a" / "run-5" / "out", tmp_path / "a" / "run-6" / "hard")
    samples = load(tmp_path / "a", tmp_path / "b")
    assert list(samples.benchmarks) == ["hackbench-process"]
    assert values(samples)["hackbench-process", "4", "a"] == [1, 2, 3, 4, 5]
    assert slugs(samples).count("link") == 3
    (tmp_path / "c").symlink_to("a")
    assert values(load(tmp_path / "c", tmp_path / "b"))["hackbench-process", "4", "c"] == [1, 2, 3, 4, 5]


def test_a_heading_says_what_was_run(tmp_path: Path) -> None:
    folders = ("jobs", "my-hackbench", "perfbench")
    write(tmp_path / "a", {f"{folder}/x": hackbench(1) for folder in folders})
    labels = list(load(tmp_path / "a", tmp_path / "a").benchmarks)
    assert labels == ["jobs hackbench-process", "my-hackbench-process", "perfbench-process"]


def test_names_in_the_nearest_folder_decide(tmp_path: Path) -> None:
    write(tmp_path / "a" / "pipes-vs-sockets", {"hb-sockets-run1": hackbench(1), "hb-pipes-run1": hackbench(2)})
    found = {
        dict(b.configuration.variant)["transport"] for b in load(tmp_path / "a", tmp_path / "a").benchmarks.values()
    }
    assert found == {"pipes", "sockets"}


def test_runs_are_numbered_as_their_names_are(tmp_path: Path) -> None:
    for kernel, numbers in {"a": (1, 3, 4), "b": (1, 2, 3)}.items():
        write(tmp_path / kernel, {f"hackbench-run{i}": hackbench(10 * i) for i in numbers})
    frame = load(tmp_path / "a", tmp_path / "b").frame
    assert frame["iteration"].tolist() == [1, 3, 4, 1, 2, 3]


def test_results_folder_of_specjvm_is_no_instance(tmp_path: Path) -> None:
    source = Path(__file__).parent / "specjvm-3-kernels" / "base"
    report = (source / "SPECjvm2008.001.txt").read_text()
    console = (source / "console.log").read_text()
    files = {"console.log": console, "results/SPECjvm2008.001/SPECjvm2008.001.txt": report}
    write(tmp_path / "a", dict(files))
    samples = load(tmp_path / "a", tmp_path / "a")
    assert list(samples.benchmarks) == ["specjvm"]
    assert not samples.frame.duplicated(["kernel", "metric", "operation"]).any()


def test_runs_with_unequal_conditions_are_named(tmp_path: Path) -> None:
    table = (LOGS / "netperf").rglob("tcp_stream.txt")
    text = next(table).read_text()
    short = text.replace(" 30.00 ", "  2.30 ")
    assert short != text
    write(tmp_path / "a", {"run1": text, "run2": text, "run3": short})
    write(tmp_path / "b", {"run1": text})
    samples = load(tmp_path / "a", tmp_path / "b")
    (found,) = [diagnostic for diagnostic in samples.diagnostics if diagnostic.slug == "unequal-conditions"]
    assert found.path.endswith("run3")
    assert "2.3" in found.message


def test_files_with_strange_names_are_pooled_and_named(tmp_path: Path) -> None:
    for kernel in "ab":
        write(tmp_path / kernel, {"monday.txt": hackbench(1), "tuesday.txt": hackbench(2)})
    samples = load(tmp_path / "a", tmp_path / "b")
    assert values(samples)["hackbench-process", "4", "a"] == [1, 2]
    assert "pooled-names" in slugs(samples)


def test_the_order_on_disk_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel in "ab":
        write(tmp_path / kernel, {f"hackbench/run-{i}/out": hackbench(i) for i in range(1, 13)})
    inputs = [Input("a", str(tmp_path / "a")), Input("b", str(tmp_path / "b"))]
    before = discover(inputs)
    walk = os.walk

    def backwards(*args: object, **options: object) -> object:
        for folder, folders, names in walk(*args, **options):  # type: ignore[call-overload]
            folders.reverse()
            yield folder, folders, names[::-1]

    monkeypatch.setattr(os, "walk", backwards)
    assert discover(inputs) == before


def test_single_files_are_inputs(tmp_path: Path) -> None:
    write(tmp_path, {"old.txt": hackbench(1), "new.txt": hackbench(2)})
    samples = load(tmp_path / "old.txt", tmp_path / "new.txt")
    assert samples.kernels == ("old.txt", "new.txt")
    assert values(samples)["hackbench-process", "4", "new.txt"] == [2]
