"""What tbench and dbench print, and what is easily taken for something else."""

from __future__ import annotations

import pytest

from compare_kernels.parsers import tbench
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

RESULT = "Throughput 210.454 MB/sec  2 clients  2 procs  max_latency=5.178 ms\n"
EXECUTE = "   2     71044   210.40 MB/sec  execute   1 sec  latency 5.178 ms\n"
TABLE = " Operation      Count    AvgLat    MaxLat\n ----------------------------------------\n"


def read(text: str, name: str = "tbench.txt", folders: tuple[str, ...] = (), complete: bool = True) -> Parsed:
    builder = SampleBuilder(name)
    tbench.parse(RawLog(text.encode(), name, folders, complete), builder)
    return builder.finish()


def log(path: str) -> Parsed:
    return parse("tbench", raw_log(LOGS / "tbench" / path))


def values(parsed: Parsed, metric: str = "throughput", run: int | None = None) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric and run in {None, block.run}:
            found.setdefault(block.operation.name, []).extend(block.values)
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


def program(parsed: Parsed) -> str:
    return dict(parsed.runs[0].configuration.variant).get("program", "tbench")


@pytest.mark.parametrize(
    ("path", "metric", "operation", "value"),
    [
        ("tbench-4.00.txt", "throughput", "2", 617.902),
        ("tbench-4.00.txt", "max-latency", "2", 0.606),
        ("tbench-4.00.txt", "operation-latency", "ReadX-2", 0.024),
        ("tbench-4.00.txt", "operation-max-latency", "ReadX-2", 0.602),
        ("tbench-4-run1.txt", "throughput", "4", 548.106),
        ("dbench/dbench-1.x.txt", "throughput", "16", 31.7425),
        ("dbench/dbench-2.0-overwritten.txt", "throughput", "5", 10.0123),
        ("dbench/dbench-3.04.txt", "throughput", "5", 187.398),
        ("dbench/dbench-4.00-sync-open.txt", "throughput", "32", 497.551),
        ("dbench/dbench-4.00-sync-open.txt", "max-latency", "32", 713.045),
        ("dbench/dbench_32clients_run3.txt", "throughput", "32", 884.406),
        ("dbench/mail-with-a-broken-line.txt", "max-latency", "32", 1376.993),
        ("dbench/mail-with-a-broken-line.txt", "max-latency", "8", 88.114),
        ("dbench/clients-per-process.txt", "throughput", "100", 110.041),
        ("tbench-rates/tbench-1024.txt", "throughput", "1024", 1045320.0),
        ("tbench-rates/tbench-16-run2.txt", "throughput", "16", 740.0),
        ("machine-readable.txt", "throughput", "2", 210.454),
        ("machine-readable.txt", "max-latency", "2", 5.178),
        ("machine-readable.txt", "operation-latency", "NTCreateX-2", 0.023),
        ("nfs-4-clients.txt", "operation-latency", "READ3-4", 0.810),
        ("nfs-4-clients.txt", "operation-max-latency", "WRITE3-4", 6.902),
        ("mmtests/tbench4/logs/tbench-8.log", "throughput", "8", 1636.19),
        ("mmtests/tbench/logs/benchlog-op-4", "operation-latency", "Deltree-4", 2.183),
        ("mmtests/tbench/logs/benchlog-tput-4", "throughput", "4", 736.30),
    ],
)
def test_values(path: str, metric: str, operation: str, value: float) -> None:
    assert values(log(path), metric)[operation][0] == value


def test_interim_reports_are_no_results() -> None:
    parsed = log("tbench-4.00.txt")
    assert values(parsed) == {"2": [617.902]}
    assert values(parsed, "running-throughput") == {"2": [618.07, 617.83]}, "warm-up is no execution"
    assert [metric.name for metric in tbench.METRICS if metric.main] == ["throughput", "max-latency"]


def test_the_cleanup_of_3_04_has_a_rate_that_does_not_count() -> None:
    assert values(log("dbench/dbench-3.04.txt"), "running-throughput") == {"5": [190.35, 188.02, 187.41]}


@pytest.mark.parametrize(
    ("line", "sync", "clients"),
    [
        ("Throughput 9.5 MB/sec (sync open)  32 clients  32 procs  max_latency=713.045 ms", "open", "32"),
        ("Throughput 9.5 MB/sec (sync dirs)  8 clients  8 procs  max_latency=713.045 ms", "dirs", "8"),
        ("Throughput 9.5 MB/sec (sync open) (sync dirs) 5 procs", "open+dirs", "5"),
        ("Throughput 9.5 MB/sec  5 procs", None, "5"),
        ("Throughput 9.5 MB/sec (NB=11.875 MB/sec  95 MBit/sec)  16 procs", None, "16"),
    ],
)
def test_tail_of_the_result(line: str, sync: str | None, clients: str) -> None:
    parsed = read(line + "\n")
    assert values(parsed) == {clients: [9.5]}
    assert dict(parsed.runs[0].configuration.settings).get("sync") == sync


@pytest.mark.parametrize(
    ("name", "clients"),
    [
        ("tbench-4.txt", "4"),
        ("dbench-4-run1.txt", "4"),
        ("tbench_clients16_run2.log", "16"),
        ("tbench-c8.txt", "8"),
        ("32clients.txt", "32"),
        ("tbench4-64.log", "64"),
        ("tbench-4.00.txt", "throughput"),
        ("tbench.txt", "throughput"),
    ],
)
def test_clients_from_the_name_where_the_text_has_none(name: str, clients: str) -> None:
    assert values(read("Throughput 9.5 MB/sec\n", name)) == {clients: [9.5]}
    assert values(read(RESULT, name)) == {"2": [210.454]}


def test_clients_from_interim_reports_before_the_name() -> None:
    reports = [EXECUTE.replace("   2 ", f"   {clients} ") for clients in (4, 7, 3)]
    text = "".join(reports) + "   2  cleanup   2 sec\n\nThroughput 9.5 MB/sec\n"
    assert values(read(text, "tbench-4.txt")) == {"7": [9.5]}


def test_clients_that_share_processes_are_another_configuration() -> None:
    assert ("procs", "10") in log("dbench/clients-per-process.txt").runs[0].configuration.settings
    assert not read(RESULT).runs[0].configuration.settings


def test_another_load_is_another_configuration() -> None:
    def load(path: str) -> str | None:
        text = f"Running for 6 seconds with load '{path}' and minimum warmup 1 secs\n" + RESULT
        return dict(read(text).runs[0].configuration.settings).get("load")

    assert load("/opt/share/client-tiny.txt") == "client-tiny.txt"
    assert load("/usr/share/dbench/client.txt") is None


def test_measured_seconds_are_a_condition() -> None:
    assert log("tbench-4-run1.txt").runs[0].conditions == (("seconds at clients 4", 6.0),)


@pytest.mark.parametrize("path", sorted(path.name for path in (LOGS / "tbench/broken").glob("*.txt")))
def test_a_broken_run_has_no_result(path: str) -> None:
    parsed = log(f"broken/{path}")
    if path != "cut-before-the-latency.txt":
        assert not values(parsed)
    assert not values(parsed, "max-latency")
    assert parsed.status in {"failed-run", "truncated"}
    assert all(item.line for item in parsed.diagnostics)


@pytest.mark.parametrize(
    "trouble",
    [
        "Child failed with status 1",
        "Child 3 failed setup with status 1",
        "[608] open ./clients/client1/A.DOC failed for handle 9938 (Permission denied)",
        "[92] write failed on handle 9942 (No space left on device)",
        "(610) ERROR: handle 10009 was not found",
        "connect: Connection refused",
        "recv: Connection reset by peer",
        "failed to connect to 127.0.0.1 - Connection refused",
        "client 0 failed to start",
        "unknown host: no-such-host.invalid",
        "error reading header",
        "FAILED TO START 2 CLIENTS (started -1)",
        "Failed to setup shared memory",
    ],
)
def test_trouble_refuses_what_follows(trouble: str) -> None:
    parsed = read(f"{EXECUTE}{trouble}\n{RESULT}")
    assert not parsed.blocks
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("failed-run", 2)]


@pytest.mark.parametrize(
    "line",
    [
        "failed to create barrier semaphore ",
        "4 of 6 processes prepared for launch   0 sec",
        "== tbench: run 1 ==",
        "read: 12 files",
    ],
)
def test_harmless_lines(line: str) -> None:
    parsed = read(f"{line}\n{EXECUTE}{RESULT}")
    assert values(parsed) == {"2": [210.454]}
    assert not parsed.diagnostics


@pytest.mark.parametrize("value", ["0", "0.0", "nan", "-nan", "inf", "-5", "1e+999", "x"])
def test_nothing_measured_is_no_value(value: str) -> None:
    parsed = read(f"Throughput {value} MB/sec  2 clients  2 procs  max_latency=0.000 ms\n")
    assert not parsed.blocks
    assert parsed.status == "failed-run"


def test_no_server_without_a_message() -> None:
    parsed = read("-1 of 2 processes prepared for launch   0 sec\n" * 9)
    assert not parsed.blocks
    assert "no client could start" in parsed.diagnostics[0].message


def test_several_runs_in_one_file() -> None:
    parsed = log("tbench-2-loop.log")
    assert [values(parsed, run=run) for run in (0, 1)] == [{"2": [210.454]}, {"2": [212.068]}]
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("failed-run", 20), ("failed-run", 34)]


def test_a_warm_up_after_execution_begins_a_run() -> None:
    """Somebody left out the headers; the first run was killed."""
    parsed = read(EXECUTE + EXECUTE.replace("execute", "warmup") + EXECUTE + RESULT)
    assert values(parsed, "running-throughput") == {"2": [210.40]}
    assert slugs(parsed) == ["failed-run"]


@pytest.mark.parametrize(
    ("first", "header"),
    [
        ("Child failed with status 1\n", "dbench version 4.00 - Copyright Somebody\n"),
        ("Running for 6 seconds with load 'a' and", "\nRunning for 6 seconds with load 'a' and\n"),
        ("4 clients started\n", "4 clients started\n"),
        (EXECUTE, "releasing clients\n"),
        (EXECUTE, "0 of 2 processes prepared for launch   0 sec\n"),
    ],
)
def test_a_header_ends_a_run_that_did_not_finish(first: str, header: str) -> None:
    parsed = read(first + header + RESULT)
    assert values(parsed) == {"2": [210.454]}
    assert not values(parsed, "running-throughput")
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("failed-run", 1)]


def test_only_the_sum_of_per_client_results_counts() -> None:
    parsed = log("per-client-results.txt")
    assert values(parsed, "operation-latency")["Flush-2"] == [0.031]
    assert all(len(block.values) == 1 for block in parsed.blocks if block.metric is tbench.OPERATION_LATENCY)


def test_a_table_counts_without_throughput_only_if_the_run_came_so_far() -> None:
    table = TABLE + " ReadX 20 0.024 0.602\n"
    for text in (table, "releasing clients\n" + EXECUTE + table):
        parsed = read(text)
        assert [list(found.values()) for found in (values(parsed), values(parsed, "operation-latency"))] == [
            [],
            [[0.024]],
        ]
        assert parsed.status == "truncated"
    assert not read("releasing clients\n" + table).blocks


def test_columns_go_by_their_heads() -> None:
    table = " Operation  Count  MinLat  AvgLat  MaxLat\n ReadX  20  0.001  0.024  0.602\n ReadY  20  0.001\n"
    parsed = read(table + RESULT)
    assert values(parsed, "operation-latency") == {"ReadX-2": [0.024]}
    assert values(parsed, "operation-max-latency") == {"ReadX-2": [0.602]}


def test_rows_keep_the_order_of_the_program_where_a_short_run_lacks_some() -> None:
    def order(*names: str) -> list[tuple[float, ...]]:
        rows = "".join(f" {name:12} 20 0.024 0.602\n" for name in names)
        blocks = read(TABLE + rows + RESULT).blocks
        return [block.operation.order for block in blocks if block.metric is tbench.OPERATION_LATENCY]

    whole = order("NTCreateX", "Close", "Rename", "Unlink", "WriteX", "ReadX", "Flush")
    assert whole == sorted(set(whole))
    assert order("NTCreateX", "WriteX", "ReadX") == [whole[0], whole[4], whole[5]]
    assert order("Flush", "ReadX", "NTCreateX") == sorted(order("Flush", "ReadX", "NTCreateX"))
    assert order("READ3", "GETATTR3") == [(0.0,), (1.0,)]


def test_operations_carry_series_and_clients() -> None:
    operation = next(
        block.operation
        for block in log("tbench-4-run1.txt").blocks
        if block.metric is tbench.OPERATION_LATENCY and block.operation.series == "ReadX"
    )
    assert (operation.name, operation.param) == ("ReadX-4", 4.0)


@pytest.mark.parametrize(
    ("folders", "name", "expected", "noted"),
    [
        ((), "tbench-4.txt", "tbench", False),
        ((), "dbench-4.txt", "dbench", False),
        (("base", "tbench", "logs"), "dbench-4.log", "tbench", False),
        (("base", "dbench", "logs"), "dbench-4.log", "dbench", False),
        (("base", "dbench4", "logs"), "dbench-4.log", "dbench", False),
        (("tbench", "dbench-ext4"), "4.txt", "dbench", False),
        (("tbench-and-dbench",), "dbench-4.txt", "dbench", False),
        (("base",), "results.txt", "tbench", True),
        (("mytbenches",), "4.txt", "tbench", True),
    ],
)
def test_names_tell_tbench_from_dbench(folders: tuple[str, ...], name: str, expected: str, noted: bool) -> None:
    parsed = read(RESULT * 2, name, folders)
    assert program(parsed) == expected
    assert slugs(parsed) == ["tbench-or-dbench"] * noted


@pytest.mark.parametrize(
    ("name", "identity", "authority"),
    [
        ("dbench-4.log", "clients-4", 3),
        ("benchlog-tput-4", "clients-4", 2),
        ("benchlog-op-4", "clients-4", 1),
        ("benchlog-loadfile-4", "clients-4", 0),
        ("tbench-4.log", "", 0),
        ("tbench-4-run1.txt", "", 0),
        ("dbench-4-run1.log", "", 0),
        ("dbench-4.txt", "", 0),
    ],
)
def test_files_of_mmtests_describe_one_run(name: str, identity: str, authority: int) -> None:
    run = read(EXECUTE + RESULT, name).runs[0]
    assert (run.identity, run.authority) == (identity, authority)


def test_whole_log_and_cuts_agree() -> None:
    whole = log("mmtests/dbench/logs/dbench-2.log")
    for cut, metrics in {
        "loadfile": ["loadfile-time"],
        "op": ["operation-latency", "operation-max-latency"],
        "tput": ["running-throughput"],
    }.items():
        parsed = log(f"mmtests/dbench/logs/benchlog-{cut}-2")
        assert parsed.runs[0].identity == whole.runs[0].identity
        for metric in metrics:
            assert values(parsed, metric) == values(whole, metric)
    assert values(log("mmtests/dbench/logs/benchlog-tput-2")) == {"2": [986.71]}
    assert values(whole) == {"2": [986.708]}


def test_a_failed_whole_log_is_announced_to_its_cuts() -> None:
    parsed = log("broken/mmtests-killed/tbench/logs/dbench-8.log")
    assert [(run.identity, run.authority) for run in parsed.runs] == [("clients-8", 3)]
    assert not parsed.blocks
    assert parsed.status == "failed-run"


def test_the_last_interim_report_is_the_result_of_a_cut_only() -> None:
    lines = EXECUTE + EXECUTE.replace("210.40", "211.55").replace("  1 sec", "  2 sec")
    parsed = read(lines, "benchlog-tput-2")
    assert values(parsed) == {"2": [211.55]}
    assert slugs(parsed) == ["tbench-or-dbench", "from-progress"]
    assert not values(read(lines, "benchlog-op-2"))
    for name in ("tbench-2.txt", "dbench-2.log"):
        assert not read(lines, name).blocks
    for more in ("dbench version 4.00 - Copyright Somebody\n", "Child failed with status 1\n"):
        assert not read(more + lines, "benchlog-tput-2").blocks, "that is no cut"
    for text, complete in ((lines[:-30], True), (lines, False)):
        cut = read(text, "benchlog-tput-2", complete=complete)
        assert not values(cut)
        assert cut.status == "truncated"


def test_a_cut_whose_last_report_is_zero_has_no_result() -> None:
    parsed = read(EXECUTE.replace("210.40", "0.00"), "benchlog-tput-2")
    assert not values(parsed)
    assert "failed-run" in slugs(parsed)


def test_machine_readable_result_without_throughput() -> None:
    parsed = log("machine-readable-without-throughput.txt")
    assert values(parsed) == {"2": [210.45]}
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("from-progress", 8)]
    assert not read(";0;2;2;5.178;\n").blocks, "without interim report there is nothing to take"
    assert not read("@R@2@32411@210.45@3@5.178@\n;nan;2;2;5.178;\n").blocks


def test_implausible_execution_times_are_left_out() -> None:
    parsed = log("mmtests/dbench4/logs/dbench-1.log")
    assert values(parsed, "loadfile-time") == {"1": [512.0, 498.0, 505.0]}
    assert [(item.slug, item.line) for item in parsed.diagnostics] == [("implausible", 8)]


@pytest.mark.parametrize(
    ("name", "number"),
    [("tbench-2-run4.txt", 4), ("tbench-2-3.log", 3), ("tbench-2.3", 3), ("tbench-4-1.txt", None), ("a.txt", None)],
)
def test_number_of_the_repetition(name: str, number: int | None) -> None:
    assert read(RESULT, name).runs[0].number == number


@pytest.mark.parametrize(
    ("tail", "throughput", "latency"),
    [
        ("", {}, {}),
        (" (sync op", {}, {}),
        ("  2 cli", {}, {}),
        ("  2 clients  2 procs", {"2": [210.454]}, {}),
        ("  2 clients  2 procs  max_latency=5.17", {"2": [210.454]}, {}),
        ("  2 clients  2 procs  max_latency=5.178 ms", {"2": [210.454]}, {"2": [5.178]}),
    ],
)
def test_result_that_is_cut_off(
    tail: str, throughput: dict[str, list[float]], latency: dict[str, list[float]]
) -> None:
    parsed = read(f"Throughput 210.454 MB/sec{tail}")
    assert values(parsed) == throughput
    assert values(parsed, "max-latency") == latency


def test_a_broken_archive_is_no_failed_run() -> None:
    parsed = read("releasing clients\n" + EXECUTE, complete=False)
    assert not parsed.blocks
    assert slugs(parsed) == ["truncated"]


def test_endless_numbers_do_no_harm() -> None:
    digits = "9" * 6000
    for line in (
        f"Running for {digits} seconds with load 'client.txt'",
        f"{digits} clients started",
        f"{digits}  1  10.00 MB/sec  execute   1 sec",
        f"   1 completed in {digits} ms at time {digits} ms",
        f"Throughput {digits} MB/sec  {digits} clients  {digits} procs",
        f";{digits};{digits};{digits};1.000;",
        f"{TABLE} ReadX {digits} {digits}.000 0.100",
        f"@R@{digits}@1@10.00@1@1.000@",
    ):
        assert values(read(f"{line}\n{RESULT}"))["2"] == [210.454]
    read(RESULT, f"tbench-2-{digits}.txt")
    read(EXECUTE, f"benchlog-tput-{digits}")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (RESULT, "x.txt", Match.CERTAIN),
        (EXECUTE, "x.txt", Match.CERTAIN),
        (TABLE, "x.txt", Match.CERTAIN),
        ("   0 completed in 58 ms at time 58 ms\n", "x.txt", Match.CERTAIN),
        ("Throughput 20.5 MB/sec 8 procs\n", "x.txt", Match.CERTAIN),
        ("-1 of 2 processes prepared for launch   0 sec\n", "x.txt", Match.CERTAIN),
        (" ReadX  27927  0.057  2.559\n", "benchlog-op-4", Match.LIKELY),
        (" LOOKUP3  27927  0.057  2.559\n", "benchlog-op-4", Match.NAME),
        (" LOOKUP3  27927  0.057  2.559\n", "x.txt", Match.NO),
        ("Throughput 884.406 MB/sec\n", "tbench-8.txt", Match.LIKELY),
        ("Throughput 884.406 MB/sec\n", "x.txt", Match.NO),
        ("connect: Connection refused\n", "tbench-8.txt", Match.LIKELY),
        ("connect: Connection refused\n", "x.txt", Match.NO),
        ("[OVERALL], Throughput(ops/sec), 48995.590\n", "tbench.txt", Match.NO),
        ("Time: 7.431\n", "tbench.txt", Match.NO),
        ("dbench version 4.00 is installed\n", "packages.txt", Match.NO),
    ],
)
def test_recognise(text: str, name: str, expected: Match) -> None:
    assert tbench.recognise(RawLog(text.encode(), name)) == expected
