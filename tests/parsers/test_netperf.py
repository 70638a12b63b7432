"""What must come out of netperf's logs, and what goes wrong easily with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from compare_kernels.parsers.base import Match, RawLog
from compare_kernels.parsers.netperf import METRICS, recognise

from .reading import LOGS, parse, raw_log

if TYPE_CHECKING:
    from compare_kernels.parsers.base import Parsed

STREAM_BANNER = (
    "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 192.0.2.20 () port 0 AF_INET : demo\n"
)
STREAM_HEADING = "bytes  bytes   bytes    secs.    10^6bits/sec  \n\n"
STREAM_ROW = "131072  16384   1024    2.00     4867.34   \n"
RR_ROW = "16384  131072 64       64      2.00     71636.80   \n16384  131072\n"


def read(name: str) -> Parsed:
    return parse("netperf", raw_log(LOGS / "netperf" / name))


def read_text(text: str, name: str = "log.txt", *folders: str) -> Parsed:
    return parse("netperf", RawLog(text.encode(), name, folders))


def values(parsed: Parsed, metric: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for block in parsed.blocks:
        if block.metric.name == metric:
            found.setdefault(block.operation.name, []).extend(float(value) for value in block.values)
    return found


def all_values(parsed: Parsed) -> dict[str, dict[str, list[float]]]:
    return {metric.name: values(parsed, metric.name) for metric in METRICS if values(parsed, metric.name)}


def settings(parsed: Parsed, run: int = 0) -> dict[str, str]:
    return dict(parsed.runs[run].configuration.settings)


def names_of_tests(parsed: Parsed) -> list[str]:
    return [dict(run.configuration.variant).get("test", "") for run in parsed.runs]


def faults(parsed: Parsed) -> list[tuple[str, int]]:
    return [(item.slug, item.line) for item in parsed.diagnostics]


@pytest.mark.parametrize(
    ("name", "test", "expected"),
    [
        ("tcp_stream.txt", "TCP_STREAM", {"throughput": {"16384": [18744.31]}}),
        (
            "tcp_stream_cpu.txt",
            "TCP_STREAM",
            {
                "throughput": {"16384": [18690.02]},
                "cpu": {"local-16384": [6.41], "remote-16384": [8.02]},
                "service-demand": {"local-16384": [0.901], "remote-16384": [1.127]},
            },
        ),
        (
            "udp_stream.txt",
            "UDP_STREAM",
            {
                "throughput": {"send-1472": [4005.73], "recv-1472": [3929.35]},
                "loss": {"1472": [pytest.approx(1.907, abs=0.0005)]},
            },
        ),
        ("tcp_rr.txt", "TCP_RR", {"rate": {"1": [36512.88]}}),
        (
            "omni_keyval.txt",
            "UDP_RR",
            {"rate": {"UDP_RR": [28840.19]}, "latency": {"mean": [34.41], "p50": [33], "p99": [52]}},
        ),
    ],
)
def test_samples_give_their_values(name: str, test: str, expected: dict[str, object]) -> None:
    parsed = read(f"format-samples/{name}")
    assert all_values(parsed) == expected
    assert names_of_tests(parsed) == [test]
    assert parsed.status == "read"


def test_metrics_have_their_order_and_direction() -> None:
    assert [(metric.name, metric.unit, metric.better, metric.main) for metric in METRICS] == [
        ("throughput", "Mbit/s", "higher", True),
        ("rate", "trans/s", "higher", True),
        ("loss", "%", "lower", True),
        ("latency", "us", "lower", False),
        ("cpu", "%", "lower", False),
        ("service-demand", "us/KB", "lower", False),
        ("service-demand-rr", "us/Tr", "lower", False),
    ]


@pytest.mark.parametrize(
    ("unit", "mbit"),
    [
        ("10^0bits", 0.0025),
        ("10^3bits", 2.5),
        ("10^6bits", 2500),
        ("10^9bits", 2500000),
        ("Bytes", 0.02),
        ("KBytes", 20.48),
        ("MBytes", 20971.52),
        ("GBytes", 21474836.48),
    ],
)
def test_units_become_mbit(unit: str, mbit: float) -> None:
    """Bits count in powers of ten, bytes in powers of 1024."""
    row = "131072  16384   1024    2.00     2500.00   \n"
    parsed = read_text(f"{STREAM_BANNER}bytes  bytes   bytes    secs.    {unit}/sec  \n\n{row}")
    assert values(parsed, "throughput") == {"1024": [pytest.approx(mbit, rel=1e-12)]}


def test_request_response_in_bits_is_throughput() -> None:
    assert all_values(read("variants/netperf-mmtests-style-TCP_RR.txt")) == {"throughput": {"1": [0.334]}}
    with_cpu = read("cpu/tcp-rr-throughput.txt")
    assert values(with_cpu, "throughput") == {"1024": [pytest.approx(665.30214)]}
    assert values(with_cpu, "service-demand") == {"local-1024": [15.392], "remote-1024": [15.221]}
    assert not values(with_cpu, "service-demand-rr")


def test_second_row_of_request_response_is_no_result() -> None:
    assert len(read("format-samples/tcp_rr.txt").runs) == 1


def test_udp_reports_sender_and_receiver_in_this_order() -> None:
    parsed = read("cpu/udp-stream.txt")
    assert values(parsed, "throughput") == {"send-1472": [4005.2], "recv-1472": [3928.5]}
    assert values(parsed, "cpu") == {"local-1472": [25.06], "remote-1472": [24.88]}
    assert values(parsed, "service-demand") == {"local-1472": [2.05], "remote-1472": [2.076]}
    operations = [block.operation for block in parsed.blocks if block.metric.name == "throughput"]
    assert [(item.series, item.param) for item in sorted(operations, key=lambda item: item.sort_key)] == [
        ("send", 1472),
        ("recv", 1472),
    ]


def test_receiver_belongs_to_one_sender_only() -> None:
    parsed = read("several/two-senders-mixed.txt")
    assert not parsed.blocks
    assert faults(parsed) == [("truncated", 6), ("truncated", 7)]


def test_unmeasured_side_is_left_out() -> None:
    parsed = read("cpu/local-only-TCP_STREAM.txt")
    assert values(parsed, "cpu") == {"local-4096": [18.40]}
    assert values(parsed, "service-demand") == {"local-4096": [0.471]}
    assert settings(parsed)["cpu"] == "yes"


def test_interim_results_are_no_samples() -> None:
    parsed = read("variants/netperf-interim-TCP_STREAM-1024-run1.txt")
    assert all_values(parsed) == {"throughput": {"1024": [7444.73]}}
    assert settings(parsed) == {"interim": "yes"}
    assert all_values(read("omni/csv-interim-TCP_STREAM-1024-run1.txt")) == {"throughput": {"1024": [3126.17]}}
    assert all_values(read("omni/keyval-interim.txt")) == {"throughput": {"16384": [9365.9]}}


def test_missed_confidence_is_a_warning_and_the_value_stays() -> None:
    parsed = read("broken/confidence-not-reached-UDP_STREAM.txt")
    assert values(parsed, "throughput") == {"send-16384": [9732.64], "recv-16384": [9498.04]}
    assert faults(parsed) == [("confidence-not-reached", 3)]
    assert "11.467 %" in parsed.diagnostics[0].message
    assert settings(parsed) == {"confidence": "yes"}
    assert faults(read("variants/netperf-confidence-TCP_STREAM-1024-run1.txt")) == []
    assert faults(read("omni/keyval-confidence.txt"))[0] == ("confidence-not-reached", 2)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cannot-resolve-numeric-address.txt", 1),
        ("killed-interim-TCP_STREAM.txt", 1),
        ("interim-only-TCP_RR-64-run2.txt", 1),
        ("message-too-long-UDP_STREAM.txt", 1),
        ("no-response.txt", 2),
        ("no-server-TCP_RR.txt", 1),
        ("nothing-arrived-UDP_STREAM.txt", 6),
        ("server-killed-TCP_RR.txt", 1),
        ("unknown-host.txt", 1),
        ("unknown-test.txt", 1),
        ("unreachable.txt", 1),
    ],
)
def test_failed_runs_give_a_line_and_no_value(name: str, line: int) -> None:
    parsed = read(f"broken/{name}")
    assert not parsed.blocks
    assert faults(parsed) == [("failed-run", line)]
    assert parsed.status == "failed-run"


def test_interrupted_run_shows_its_shorter_time() -> None:
    parsed = read("broken/sigint-interim-TCP_STREAM.txt")
    assert values(parsed, "throughput") == {"16384": [12571.53]}
    assert parsed.runs[0].conditions == (("seconds", 2.3),)


def test_harmless_messages_do_not_fail_a_run() -> None:
    parsed = read("broken/messages-that-harm-not.txt")
    assert values(parsed, "loss")
    assert faults(parsed) == [("message", 1), ("message", 2)]


def test_incomplete_rows_are_refused() -> None:
    assert faults(read("broken/row-cut-off.txt")) == [("truncated", 7)]
    for cut in ("131072  16384   1024    2.00     4867.3", "131072  16384   1024    2.00     4867."):
        parsed = read_text(f"{STREAM_BANNER}{STREAM_HEADING}{cut}")
        assert not parsed.blocks
        assert parsed.status == "truncated"


def test_row_without_all_columns_is_refused() -> None:
    heading = "bytes  bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB   us/KB\n\n"
    parsed = read_text(f"{STREAM_BANNER}{heading}131072  16384   1024    2.00     4867.34   6.4\n")
    assert not parsed.blocks
    assert parsed.status == "truncated"
    without_heading = read_text("131072  16384   1024    2.00     4867.34   6.4", "netperf-TCP_STREAM.txt")
    assert not without_heading.blocks


def test_loop_keeps_its_unit_over_a_failed_run() -> None:
    heading = STREAM_HEADING.replace("10^6bits", "KBytes")
    error = "netperf: remote error 113\n"
    parsed = read_text(f"{STREAM_BANNER}{heading}{STREAM_ROW}{error}{STREAM_ROW}")
    assert values(parsed, "throughput") == {"1024": [pytest.approx(4867.34 * 8192 / 1e6)] * 2}
    assert faults(parsed) == [("failed-run", 5)]


def test_service_demand_in_place_of_the_throughput() -> None:
    parsed = read("quiet/netperf-v0-cpu-TCP_STREAM-1024-run1.txt")
    assert all_values(parsed) == {"service-demand": {"1024": [2.345]}}
    assert ("service-demand-only", 2) in faults(parsed)
    assert all_values(read("quiet/netperf-v0-cpu-UDP_STREAM-1024-run1.txt")) == {"service-demand": {"1024": [3.12]}}
    assert all_values(read("quiet/netperf-v0-cpu-TCP_CRR-1-run1.txt")) == {"service-demand-rr": {"1": [179.902]}}


def test_lone_number_of_udp_is_the_senders() -> None:
    parsed = read("quiet/netperf-v0-UDP_STREAM-1024-run2.txt")
    assert all_values(parsed) == {"throughput": {"send-1024": [1801.06]}}
    assert faults(parsed) == [("unit-assumed", 1)]


@pytest.mark.parametrize(
    ("name", "folders", "test", "operation", "number"),
    [
        ("netperf-TCP_RR-64-run1.txt", (), "TCP_RR", "64", 1),
        ("netperf-tcp-rr-1k_iter2.log", (), "TCP_RR", "1024", 2),
        ("UDP_RR-16384.3", ("netperf-ipv4-udp-rr", "logs"), "UDP_RR", "16384", 3),
        ("run7.txt", ("netperf-ipv4-tcp-rr",), "TCP_RR", "TCP_RR", 7),
        ("netperf.out", ("6.9", "tcp_crr"), "TCP_CRR", "TCP_CRR", None),
    ],
)
def test_names_tell_what_a_lone_number_is(
    name: str, folders: tuple[str, ...], test: str, operation: str, number: int | None
) -> None:
    log = RawLog(b"71636.80 \n", name, folders)
    assert recognise(log) == Match.NAME
    parsed = parse("netperf", log)
    assert names_of_tests(parsed) == [test]
    assert values(parsed, "rate") == {operation: [71636.8]}
    assert parsed.runs[0].number == number


def test_folder_with_the_protocol_alone_means_streams() -> None:
    parsed = read("quiet/netperf-ipv4-tcp/run3.txt")
    assert all_values(parsed) == {"throughput": {"TCP_STREAM": [9414.07]}}
    assert math.isnan(parsed.blocks[0].operation.param)


def test_lone_number_of_an_unknown_test_is_refused() -> None:
    parsed = read("quiet/netperf-unknown-run1.txt")
    assert not parsed.blocks
    assert faults(parsed) == [("unknown-test", 1)]


def test_shape_of_a_row_wins_over_names() -> None:
    parsed = read_text(RR_ROW, "netperf-TCP_STREAM-64-run1.txt")
    assert values(parsed, "rate") == {"64": [71636.8]}
    assert names_of_tests(parsed) == [""]


def test_banner_wins_over_names() -> None:
    parsed = read_text(f"{STREAM_BANNER}{STREAM_HEADING}{STREAM_ROW}", "TCP_MAERTS-64.2", "netperf-ipv4-tcp")
    assert names_of_tests(parsed) == ["TCP_STREAM"]
    assert values(parsed, "throughput") == {"1024": [4867.34]}


def test_brand_is_no_number() -> None:
    assert all_values(read("quiet/netperf-brand-TCP_STREAM-16384.txt")) == {
        "throughput": {"16384": [24226.72, 24019.05]}
    }
    assert all_values(read("quiet/netperf-v0-brand-TCP_RR-64-run1.txt")) == {"rate": {"64": [71636.8, 71011.25]}}


def test_sums_of_super_netperf() -> None:
    parsed = read("quiet/super_netperf-8-TCP_RR-64.txt")
    assert all_values(parsed) == {"rate": {"64": [573120]}}
    assert settings(parsed) == {"clients": "8"}
    cut = read_text("573120", "super_netperf-8-TCP_RR-64.txt")
    assert not cut.blocks
    udp = read("quiet/super_netperf-UDP_STREAM-1024-run2.txt")
    assert all_values(udp) == {"throughput": {"recv-1024": [14022.7]}}


def test_command_lines_tell_test_sizes_and_unit() -> None:
    parsed = read("quiet/command-lines.txt")
    assert names_of_tests(parsed) == ["TCP_STREAM", "TCP_RR", "TCP_STREAM", "TCP_STREAM", "UDP_RR"]
    assert [settings(parsed, run).get("clients") for run in range(5)] == ["32", "32", None, None, None]
    assert values(parsed, "rate") == {"64/1024": [1204410], "1": [61022.84]}
    assert values(parsed, "throughput") == {
        "TCP_STREAM": [91022.4],
        "16384": [pytest.approx(1180432.75 * 8192 / 1e6), pytest.approx(1179020.5 * 8192 / 1e6)],
    }


def test_different_sizes_of_request_and_response_are_named() -> None:
    parsed = read("classic/tcp-crr-request-response.txt")
    assert values(parsed, "rate") == {"1/1024": [21043.61]}
    assert parsed.blocks[0].operation.param == 1


def test_omni_throughput_of_udp_is_the_receivers() -> None:
    parsed = read("variants/netperf-keyval-select-UDP_STREAM-1024-run1.txt")
    assert values(parsed, "throughput") == {"send-1024": [2188.95], "recv-1024": [2156.6]}


def test_loss_compares_rates_of_the_same_iteration() -> None:
    parsed = read("omni/keyval-confidence-UDP_STREAM.txt")
    assert values(parsed, "throughput")["recv-1024"] == [2156.6]
    assert values(parsed, "loss") == {"1024": [pytest.approx(100 * (2188.95 - 2101.33) / 2188.95)]}


def test_columns_for_people_are_split_by_position() -> None:
    assert all_values(read("variants/netperf-omni-human-TCP_STREAM-1024-run1.txt")) == {
        "throughput": {"1024": [7336.49]}
    }
    latency = values(read("variants/netperf-omni-latency-TCP_RR-64-run1.txt"), "latency")
    assert latency == {
        "mean-64": [66.75],
        "p50-64": [66],
        "p90-64": [79],
        "p99-64": [100],
        "min-64": [20],
        "max-64": [4360],
        "stddev-64": [48.18],
    }
    parsed = read("omni/human-two-blocks.txt")
    assert len(parsed.runs) == 1
    assert values(parsed, "throughput") == {"send-512": [1252.15], "recv-512": [1230.87]}
    assert values(parsed, "cpu") == {"local-512": [12.5], "remote-512": [11.75]}


def test_comma_separated_values_may_hold_commas() -> None:
    parsed = read("omni/csv-loop-with-brands.txt")
    assert all_values(parsed) == {"rate": {"TCP_RR": [55012.4, 55230.91, 54987.66]}}
    assert len(parsed.runs) == 3
    assert names_of_tests(read("omni/csv-cpu-TCP_STREAM.txt")) == ["TCP_STREAM"]


def test_each_heading_has_its_own_values() -> None:
    run = STREAM_BANNER + "Throughput,Throughput Units\n{},10^6bits/s\n"
    parsed = read_text(run.format("941.27") + run.format("940.11"))
    assert values(parsed, "throughput") == {"TCP_STREAM": [941.27, 940.11]}
    assert [run.line for run in parsed.runs] == [1, 4]


def test_fields_without_heading_are_known_if_nobody_chose_them() -> None:
    stream = read("omni/netperf-csv-nobanner-TCP_STREAM-run1.txt")
    assert values(stream, "throughput") == {"16384": [pytest.approx(23880), pytest.approx(23610)]}
    assert values(read("omni/netperf-csv-nobanner-TCP_RR-run1.txt"), "rate") == {"64/1024": [20841]}
    people = read("omni/netperf-human-nobanner-TCP_MAERTS-run1.txt")
    assert all_values(people) == {"throughput": {"1024": [7336.49]}}
    chosen = read("omni/netperf-csv-nobanner-chosen-TCP_STREAM-run1.txt")
    assert not chosen.blocks
    assert faults(chosen) == [("no-heading", 1)]


def test_unmeasured_keys_are_left_out() -> None:
    parsed = read("omni/keyval-bits-TCP_RR.txt")
    assert values(parsed, "cpu") == {"local-64/1024": [20.11]}
    assert values(parsed, "latency") == {"round-trip-64/1024": [47.982]}
    assert values(parsed, "rate") == {"64/1024": [20841.006]}
    assert not values(read_text("THROUGHPUT=941.27\nTHROUGHPUT_UNITS=10^6bits/s\nRT_LATENCY=-1.000\n"), "latency")


def test_repeated_keys_are_another_run() -> None:
    parsed = read("omni/keyval-wrapped-and-repeated.txt")
    assert values(parsed, "throughput") == {"1024": [pytest.approx(33.7555456), pytest.approx(33.57253632)]}
    assert [run.line for run in parsed.runs] == [1, 6]


def test_default_keys_without_the_unit_were_cut_off() -> None:
    text = (
        "LSS_SIZE_END=4194304\nRSR_SIZE_END=1026899\nLOCAL_SEND_SIZE=16384\nELAPSED_TIME=2.00\nTHROUGHPUT=15900.03\n"
    )
    parsed = read_text(text, "netperf-TCP_STREAM-16384.txt")
    assert not parsed.blocks
    assert parsed.status == "truncated"


def test_wrapped_banners_are_whole() -> None:
    parsed = read("classic/wrapped-banner.txt")
    assert settings(parsed, 0) == {"confidence": "yes", "options": "nodelay"}
    assert settings(parsed, 1) == {"family": "ipv6", "options": "histogram"}
    assert [run.line for run in parsed.runs] == [1, 11]


@pytest.mark.parametrize(
    ("announced", "test"),
    [
        ("MIGRATED TCP STREAM", "TCP_STREAM"),
        ("TCP MAERTS", "TCP_MAERTS"),
        ("TCP SENDFILE", "TCP_SENDFILE"),
        ("MIGRATED TCP Connect/Request/Response", "TCP_CRR"),
        ("UDP UNIDIRECTIONAL SEND", "UDP_STREAM"),
        ("SCTP 1-TO-MANY STREAM", "SCTP_STREAM_MANY"),
        ("OMNI Send", "OMNI Send"),
    ],
)
def test_banners_name_the_test(announced: str, test: str) -> None:
    line = f"{announced} TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to host (192.0.2.20) port 0 AF_INET\n"
    parsed = read_text(f"{line}THROUGHPUT=941.27\nTHROUGHPUT_UNITS=10^6bits/s\n")
    assert names_of_tests(parsed) == [test]


def test_banner_of_old_versions() -> None:
    assert names_of_tests(read("classic/old-2.2-TCP_RR.txt")) == ["TCP_RR"]
    assert values(read("classic/old-2.4-UDP_STREAM.txt"), "throughput") == {
        "send-65507": [964.4],
        "recv-65507": [959.37],
    }
    assert faults(read("classic/old-confidence.txt")) == [("confidence-not-reached", 3)]


def test_options_that_change_a_run_keep_it_apart() -> None:
    parsed = read("classic/ipv6-TCP_RR.txt")
    assert settings(parsed) == {"family": "ipv6", "options": "nodelay, cpu bind, first burst 16"}
    assert settings(read("format-samples/tcp_rr.txt")) == {}


def test_details_and_histograms_are_no_samples() -> None:
    parsed = read("classic/verbose-histogram-TCP_RR.txt")
    assert all_values(parsed) == {"rate": {"1": [36512.88]}, "latency": {"round-trip-1": [27.388]}}
    assert all_values(read("variants/netperf-v2-TCP_STREAM-1024.txt")) == {"throughput": {"1024": [6844.45]}}


def test_loop_goes_on_with_its_first_heading() -> None:
    parsed = read("several/loop-with-one-heading.txt")
    assert values(parsed, "throughput") == {"64": [414.46], "1024": [5002.61], "16384": [18258.01]}
    assert [run.line for run in parsed.runs] == [1, 8, 9]


def test_failed_runs_of_a_loop_leave_the_others_alone() -> None:
    parsed = read("several/loop-with-failed-runs.txt")
    assert values(parsed, "rate") == {"1": [36512.88, 36377.2, 36401.95]}
    assert faults(parsed) == [("failed-run", 9), ("failed-run", 11), ("failed-run", 14), ("failed-run", 23)]


def test_clients_that_ran_at_once() -> None:
    parsed = read("several/parallel-clients.txt")
    assert values(parsed, "throughput") == {"16384": [9120.5, 9087.33]}
    assert settings(parsed) == {"confidence": "yes", "clients": "2"}
    slugs = ["confidence-not-reached", "confidence-not-reached", "parallel-clients"]
    assert [slug for slug, _ in faults(parsed)] == slugs
    mixed = read("several/parallel-clients-of-two-tests.txt")
    assert names_of_tests(mixed) == ["TCP_RR", "TCP_STREAM"]
    assert all_values(mixed) == {"throughput": {"16384": [21077.1]}, "rate": {"1": [1204.66]}}


def test_results_that_may_be_of_either_client_are_left_out() -> None:
    parsed = read("several/parallel-clients-unclear.txt")
    assert not parsed.blocks
    assert faults(parsed) == [("parallel-clients", 1), ("ambiguous-result", 8), ("ambiguous-result", 14)]


def test_mail_that_quotes_a_part() -> None:
    parsed = read("several/mail.txt")
    assert values(parsed, "throughput") == {"send-64": [328.11], "recv-64": [301.9]}
    assert "6.727 %" in parsed.diagnostics[0].message


def test_run_number_as_mmtests_writes_it() -> None:
    assert read("mmtests/netperf-ipv4-tcp/logs/TCP_STREAM-64.3").runs[0].number == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("protocols", "TCP_STREAM\n"),
        ("server-host", "127.0.0.1\n"),
        ("units-TCP_STREAM", "m\n"),
        ("killed-sigterm-TCP_STREAM.txt", ""),
        ("netperf-notes.txt", "9414.07\nwas measured on Monday\n"),
    ],
)
def test_companions_are_not_recognised(name: str, text: str) -> None:
    assert recognise(RawLog(text.encode(), name, ("netperf-ipv4-tcp", "logs"))) == Match.NO


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        (STREAM_BANNER, "a.txt", Match.CERTAIN),
        (f"{STREAM_HEADING}{STREAM_ROW}", "a.txt", Match.CERTAIN),
        ("THROUGHPUT=941.27\n", "a.txt", Match.CERTAIN),
        ("Throughput,Throughput Units\n941.27,10^6bits/s\n", "a.txt", Match.CERTAIN),
        ("netperf: remote error 113\n", "a.txt", Match.LIKELY),
        ("$ ./super_netperf 8 -H host\n91022\n", "a.txt", Match.LIKELY),
        (RR_ROW, "netperf-TCP_RR-64.txt", Match.NAME),
        (RR_ROW, "a.txt", Match.NO),
        ("9414.07\n", "a.txt", Match.NO),
        ("recv_response: partial response received: 0 bytes\n", "a.txt", Match.NO),
    ],
)
def test_sureness_depends_on_what_there_is(text: str, name: str, match: Match) -> None:
    assert recognise(RawLog(text.encode(), name)) == match
