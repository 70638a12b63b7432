"""The five output forms of SPECjvm2008: the same scores from each, one run, and what must not be taken."""

from __future__ import annotations

import random
import re

import pytest

from compare_kernels.parsers import specjvm
from compare_kernels.parsers.base import Match, Parsed, RawLog, SampleBuilder

from .reading import LOGS, parse, raw_log

KERNELS = ("base", "patched", "patched-active")
PUBLISHED = {
    "compiler": (537.40, 532.26, 538.31),
    "compress": (305.47, 301.08, 300.71),
    "crypto": (284.32, 282.21, 284.87),
    "derby": (411.05, 413.44, 412.07),
    "mpegaudio": (189.96, 190.87, 189.42),
    "scimark.large": (46.85, 46.41, 47.83),
    "scimark.small": (412.91, 415.41, 421.17),
    "serial": (204.23, 213.46, 203.17),
    "startup": (36.76, 35.49, 35.64),
    "sunflow": (115.34, 115.08, 117.37),
    "xml": (620.55, 619.95, 620.39),
    "composite": (211.50, 211.15, 211.67),
}
FILES = {
    "txt": "SPECjvm2008.001/SPECjvm2008.001.txt",
    "console": "console.log",
    "raw": "SPECjvm2008.001/SPECjvm2008.001.raw",
    "sub": "SPECjvm2008.001/SPECjvm2008.001.sub",
    "summary": "SPECjvm2008.001/SPECjvm2008.001.summary",
}


def read(text: str | bytes, name: str = "specjvm.log", folders: tuple[str, ...] = ()) -> Parsed:
    builder = SampleBuilder(name)
    specjvm.parse(raw(text, name, folders), builder)
    return builder.finish()


def raw(text: str | bytes, name: str = "specjvm.log", folders: tuple[str, ...] = ()) -> RawLog:
    return RawLog(text.encode() if isinstance(text, str) else text, name, folders)


def log(path: str) -> Parsed:
    return parse("specjvm", raw_log(LOGS / "specjvm" / path))


def text_of(path: str) -> str:
    return (LOGS / "specjvm" / path).read_text("latin-1")


def values(parsed: Parsed, metric: str = "score", run: int | None = None) -> dict[str, float]:
    """The values of a metric by operation; each operation has one value in a run."""
    found: dict[str, float] = {}
    for block in parsed.blocks:
        if block.metric.name == metric and run in {None, block.run}:
            assert block.operation.name not in found
            (found[block.operation.name],) = block.values
    return found


def slugs(parsed: Parsed) -> list[str]:
    return [item.slug for item in parsed.diagnostics]


def settings(parsed: Parsed, run: int = 0) -> dict[str, str]:
    return dict(parsed.runs[run].configuration.settings)


def console(*scores: tuple[str, str], composite: str | None = None, head: str = "SPECjvm2008 Base\n\n") -> str:
    """A short console log; without a composite it has no end."""
    blocks = [
        f"--- --- --- --- --- --- --- --- ---\n\n  Benchmark:   {name}\n\n"
        f"Iteration 1 (240s) result: {score}\n\nValid run!\nScore on {name}: {score}\n\n"
        for name, score in scores
    ]
    return head + "".join(blocks) + (f"Noncompliant composite result: {composite}\n" if composite else "")


@pytest.mark.parametrize("kernel", range(3), ids=KERNELS)
def test_text_report_gives_the_published_table(kernel: int) -> None:
    found = values(log(f"{KERNELS[kernel]}/{FILES['txt']}"))
    assert list(found) == list(PUBLISHED)
    assert {name: f"{value:.2f}" for name, value in found.items()} == {
        name: f"{row[kernel]:.2f}" for name, row in PUBLISHED.items()
    }


@pytest.mark.parametrize("form", ["console", "raw"])
@pytest.mark.parametrize("kernel", range(3), ids=KERNELS)
def test_console_and_raw_give_the_published_table_computed(kernel: int, form: str) -> None:
    found = values(log(f"{KERNELS[kernel]}/{FILES[form]}"))
    assert list(found) == list(PUBLISHED)
    for name, row in PUBLISHED.items():
        assert found[name] == pytest.approx(row[kernel], abs=0.01), name


@pytest.mark.parametrize("form", ["summary", "sub"])
@pytest.mark.parametrize("kernel", range(3), ids=KERNELS)
def test_summary_and_properties_give_the_composite_alone(kernel: int, form: str) -> None:
    parsed = log(f"{KERNELS[kernel]}/{FILES[form]}")
    assert values(parsed) == {"composite": PUBLISHED["composite"][kernel]}
    assert not values(parsed, "benchmark-score")


def test_sample_gives_best_iterations_and_the_printed_composite() -> None:
    found = values(log("console.txt"))
    assert found == {"compress": 305.22, "derby": 418.30, "composite": 357.31}


@pytest.mark.parametrize("kernel", KERNELS)
def test_five_files_are_one_run(kernel: str) -> None:
    runs = {form: log(f"{kernel}/{path}").runs for form, path in FILES.items()}
    assert [len(found) for found in runs.values()] == [1] * 5
    assert {found[0].identity for found in runs.values()} == {"SPECjvm2008.001"}
    assert {found[0].number for found in runs.values()} == {1}
    assert {found[0].configuration for found in runs.values()} == {runs["txt"][0].configuration}
    assert {form: found[0].authority for form, found in runs.items()} == {
        "txt": 5,
        "console": 4,
        "raw": 3,
        "sub": 2,
        "summary": 1,
    }


def test_all_forms_but_the_short_ones_give_the_same_benchmark_scores() -> None:
    found = {form: values(log(f"base/{FILES[form]}"), "benchmark-score") for form in ("txt", "console", "raw")}
    assert len(found["txt"]) == 38
    for form in ("console", "raw"):
        assert found[form].keys() == found["txt"].keys()
        for name, value in found["txt"].items():
            assert found[form][name] == pytest.approx(value, abs=0.0051), name


def test_printed_composite_wins_over_the_computed_one() -> None:
    parsed = log("patched-active/console.log")
    assert values(parsed)["composite"] == 211.67
    assert values(log("patched-active/SPECjvm2008.001/SPECjvm2008.001.raw"))["composite"] != 211.67


def test_printed_composite_that_cannot_be_read_is_not_replaced_by_a_computed_one() -> None:
    parsed = read(console(("derby", "9.5 ops/m"), composite="-9.5 ops/m"))
    assert values(parsed) == {"derby": 9.5}
    assert "unreadable-number" in slugs(parsed)


def test_rows_come_by_name_with_the_composite_last() -> None:
    parsed = read(console(("sunflow", "4.00 ops/m"), ("compress", "9.00 ops/m"), composite="6 ops/m"))
    for metric, order in (
        ("score", ["compress", "sunflow", "composite"]),
        ("benchmark-score", ["compress", "sunflow"]),
    ):
        operations = [block.operation for block in parsed.blocks if block.metric.name == metric]
        assert [item.name for item in sorted(operations, key=lambda item: item.sort_key)] == order


def test_monte_carlo_counts_in_both_groups_of_scimark() -> None:
    found = values(
        read(
            console(
                ("scimark.fft.large", "4 ops/m"),
                ("scimark.lu.small", "100 ops/m"),
                ("scimark.monte_carlo", "25 ops/m"),
                composite="22.36 ops/m",
            )
        )
    )
    assert found == pytest.approx({"scimark.large": 10, "scimark.small": 50, "composite": 22.36})


def test_warm_up_is_no_result_and_the_best_iteration_counts() -> None:
    report = log("variants/report-comma.txt")
    assert values(report, "benchmark-score")["mpegaudio"] == 87.01  # warm-up 90.00, second iteration 86.00
    assert values(report, "benchmark-score")["compress"] == 1018.0  # warm-up 1021.64
    xml = log("variants/two-iterations.raw")  # warm-up 499.75, second iteration 299.70
    assert values(xml, "benchmark-score")["compress"] == pytest.approx(1214.75 * 60000 / 240400)


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("534.6", 534.6),
        ("9.4", 9.4),
        ("212", 212.0),
        ("87,01", 87.01),
        ("0,5", 0.5),
        ("1,234.56", 1234.56),
        ("1.234,56", 1234.56),
        ("1,234,567", 1234567.0),
        ("12345.6", 12345.6),
        ("1\u00a0234,56", 1234.56),
        ("1\u202f234,5", 1234.5),
        ("1 234,56", 1234.56),
        ("1'234.56", 1234.56),
        ("0.00", 0.0),
    ],
)
def test_numbers_follow_the_locale(printed: str, value: float) -> None:
    parsed = read(console(("derby", f"{printed} ops/m"), composite=f"{printed} ops/m"))
    assert values(parsed, "benchmark-score") == {"derby": value}
    assert values(parsed) == {"derby": value, "composite": value}


@pytest.mark.parametrize("printed", ["1,234", "1.234", "123.456"])
def test_number_that_stays_ambiguous_is_refused(printed: str) -> None:
    parsed = read(console(("derby", f"{printed} ops/m"), composite=f"{printed} ops/m"))
    assert not parsed.blocks
    assert slugs(parsed)[:2] == ["ambiguous-number", "ambiguous-number"]
    assert parsed.diagnostics[0].line == 10


@pytest.mark.parametrize(
    ("other", "printed", "value"),
    [("87,01", "1.234", 1234.0), ("87.01", "1,234", 1234.0), ("87,5", "1.234.567", 1234567.0)],
)
def test_other_numbers_of_the_file_tell_the_decimal_sign(other: str, printed: str, value: float) -> None:
    parsed = read(console(("derby", f"{other} ops/m"), ("serial", f"{printed} ops/m")))
    assert values(parsed, "benchmark-score")["serial"] == value


def test_contradictory_decimal_signs_decide_nothing() -> None:
    scores = (("derby", "87,01 ops/m"), ("serial", "1.234 ops/m"), ("compress", "87.01 ops/m"))
    parsed = read(console(*scores))
    assert values(parsed, "benchmark-score") == {"derby": 87.01, "compress": 87.01}
    assert "ambiguous-number" in slugs(parsed)


@pytest.mark.parametrize("printed", ["-12.50 ops/m", "1,23,4 ops/m", "1e400 ops/m", "99999999999999999999 ops/m"])
def test_absurd_score_is_refused(printed: str) -> None:
    parsed = read(console(("derby", printed), ("serial", "20.5 ops/m"), composite="33.1 ops/m"))
    assert values(parsed, "benchmark-score") == {"serial": 20.5}
    assert values(parsed) == {"serial": 20.5, "composite": 33.1}
    assert set(slugs(parsed)) <= {"unreadable-number", "ambiguous-number", "subset"}


@pytest.mark.parametrize("printed", [" **NOT VALID**", "NaN ops/m", "\ufffd ops/m", "12.5"])
def test_score_without_number_or_unit_is_a_failure(printed: str) -> None:
    parsed = read(console(("derby", printed), ("serial", "20.5 ops/m"), composite="not valid"))
    assert values(parsed) == {"serial": 20.5}
    (failed,) = [item for item in parsed.diagnostics if item.slug == "failed-run"]
    assert failed.line == 10
    assert "derby" in failed.message


@pytest.mark.parametrize(
    ("path", "line"), [("console-one-invalid.log", 571), ("SPECjvm2008.002/SPECjvm2008.002.txt", 118)]
)
def test_failed_benchmark_takes_its_group_and_the_composite_with_it(path: str, line: int) -> None:
    parsed = log(f"broken/{path}")
    assert values(parsed).keys() == PUBLISHED.keys() - {"scimark.large", "composite"}
    assert len(values(parsed, "benchmark-score")) == 37
    (failed,) = [item for item in parsed.diagnostics if item.slug == "failed-run"]
    assert failed.line == line
    assert "scimark.sparse.large" in failed.message
    assert "OutOfMemoryError" in failed.message
    assert settings(parsed) == {"workload": "base"}


def test_invalid_composite_without_a_failed_benchmark_gives_no_group() -> None:
    parsed = read(console(("derby", "11 ops/m"), ("serial", "20.5 ops/m"), composite="not valid"))
    assert not values(parsed)
    assert len(values(parsed, "benchmark-score")) == 2
    assert {"lost-scores", "failed-run"} <= set(slugs(parsed))


def test_scores_that_do_not_fit_the_composite_give_no_group() -> None:
    """A console that lost a block would give a wrong score of its group."""
    blocks = [("crypto.aes", "90 ops/m"), ("crypto.rsa", "400 ops/m"), ("derby", "411 ops/m")]
    whole = read(console(*blocks, composite="279.28 ops/m"))
    assert values(whole).keys() == {"crypto", "derby", "composite"}
    lost = read(console(*blocks[1:], composite="279.28 ops/m"))
    assert values(lost) == {"composite": 279.28}
    assert "lost-scores" in slugs(lost)


def test_announced_benchmark_without_a_score_takes_its_group_with_it() -> None:
    head = "SPECjvm2008 Base\n  Benchmarks:        crypto.aes crypto.rsa derby\n\n"
    parsed = read(console(("crypto.rsa", "400 ops/m"), ("derby", "411 ops/m"), composite="279.28 ops/m", head=head))
    assert values(parsed) == {"derby": 411.0, "composite": 279.28}
    assert "no-score" in slugs(parsed)


@pytest.mark.parametrize("path", ["broken/console-cut.log", "broken/SPECjvm2008.002/SPECjvm2008.002.raw"])
def test_aborted_run_gives_scores_of_benchmarks_only(path: str) -> None:
    parsed = log(path)
    assert parsed.status == "truncated"
    assert not values(parsed)
    assert values(parsed, "benchmark-score")["crypto.aes"] == pytest.approx(94.04, abs=0.005)
    assert "derby" not in values(parsed, "benchmark-score")
    assert slugs(parsed) == ["truncated"]
    assert parsed.diagnostics[0].line > 400


def test_cut_file_has_less_authority_than_any_whole_one() -> None:
    assert log("broken/console-cut.log").runs[0].authority < 1
    assert log("broken/SPECjvm2008.002/SPECjvm2008.002.raw").runs[0].authority < 1
    assert log("variants/report-cut-in-details.txt").runs[0].authority < 1


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("variants/compliant.sub", "result.score=373"),
        ("variants/compliant.sub", "result.score=373,89"),
        ("compact.txt", "iteration 1 240000 241687 697.68 174.4"),
        ("variants/compliant.summary", "Composite result: 373"),
    ],
)
def test_number_that_may_be_cut_is_refused(path: str, end: str) -> None:
    text = text_of(path.replace("compact.txt", "mmtests/SPECjvm2008.003/SPECjvm2008.003.txt"))
    assert not read(text[: text.index(end) + len(end)]).blocks


def test_cut_report_gives_no_composite_and_only_groups_that_are_whole() -> None:
    parsed = log("variants/report-cut-in-details.txt")
    assert parsed.status == "truncated"
    assert values(parsed) == {"compiler": 510.5, "compress": 303.7}
    assert values(parsed, "benchmark-score").keys() == {"compiler.compiler", "compiler.sunflow", "compress"}
    assert values(log("variants/report-cut-in-groups.txt")) == {"compress": 1018.0, "mpegaudio": 87.01}


@pytest.mark.parametrize(
    ("name", "folders", "identity", "number"),
    [
        ("SPECjvm2008.003.txt", (), "SPECjvm2008.003", 3),
        ("report.txt", ("run-1", "SPECjvm2008.012"), "SPECjvm2008.012", 12),
        ("base-SPECjvm2008.004.txt", ("SPECjvm2008.012",), "SPECjvm2008.004", 4),
        ("SPECjvm2008.003-run7.txt", (), "SPECjvm2008.003", 7),
        ("report-run7.txt", ("SPECjvm2008",), "", 7),
        ("report.txt", (), "", None),
    ],
)
def test_identity_from_names(name: str, folders: tuple[str, ...], identity: str, number: int | None) -> None:
    (run,) = read(text_of(f"base/{FILES['txt']}"), name, folders).runs
    assert (run.identity, run.number) == (identity, number)


def test_identity_of_a_console_log_is_what_its_end_says() -> None:
    text = text_of("variants/console-compliant-peak.log")  # the path has SPECjvm2008.1 in it, too
    assert read(text, "run.log", ("SPECjvm2008.044",)).runs[0].identity == "SPECjvm2008.012"
    assert log("broken/console-cut.log").runs[0].identity == ""
    assert log("console.txt").runs[0].identity == ""


def test_runs_in_one_file_are_told_apart() -> None:
    parsed = log("variants/console-three-runs-last-cut.log")
    assert [run.identity for run in parsed.runs] == ["SPECjvm2008.021", "SPECjvm2008.022", ""]
    assert [values(parsed, run=index).get("derby") for index in range(3)] == [402.21, 404.87, None]
    assert values(parsed, "benchmark-score", 2) == {"compress": 303.19}


def test_runs_without_headers_part_where_a_benchmark_comes_again() -> None:
    lines = "Score on compress: 301.5 ops/m\nScore on derby: 402.5 ops/m\nScore on compress: 303.5 ops/m\n"
    parsed = read(lines)
    assert len(parsed.runs) == 2
    assert values(parsed, "benchmark-score", 1) == {"compress": 303.5}


def test_report_behind_a_console_log_is_not_a_second_run() -> None:
    parsed = log("variants/console-and-report.log")
    assert [run.identity for run in parsed.runs] == ["SPECjvm2008.031", "SPECjvm2008.032"]


def test_reports_in_one_file_are_told_apart() -> None:
    text = text_of("base/" + FILES["txt"]) + text_of("patched/" + FILES["txt"])
    parsed = read(text, "all.txt")
    assert [values(parsed, run=index)["composite"] for index in range(2)] == [211.5, 211.15]
    assert [run.identity for run in parsed.runs] == ["", ""]


def test_summaries_in_one_file_are_told_apart() -> None:
    parsed = read(text_of("base/" + FILES["summary"]) + text_of("patched/" + FILES["summary"]))
    assert [values(parsed, run=index)["composite"] for index in range(2)] == [211.5, 211.15]


@pytest.mark.parametrize(
    ("folder", "operation", "value"),
    [
        ("mmtests/SPECjvm2008.003", "compress", 174.42),
        ("mmtests/SPECjvm2008.010", "startup.helloworld", 436.31),
        ("mmtests/SPECjvm2008.011", "scimark.averyveryverylongsubbenchmarkname.huge", 466.58),
        ("mmtests-zero/SPECjvm2008.002", "derby", 0.0),
    ],
)
def test_reduced_report_gives_benchmark_scores_only(folder: str, operation: str, value: float) -> None:
    parsed = log(f"{folder}/{folder.partition('/')[2]}.txt")
    assert values(parsed, "benchmark-score") == {operation: value}
    assert not values(parsed)
    assert settings(parsed) == {"workload": "peak"}
    assert parsed.status == "read"


def test_report_without_its_beginning_is_a_report() -> None:
    text = text_of(f"base/{FILES['txt']}")
    parsed = read(text[text.index("\nderby ") :])
    assert values(parsed).keys() == PUBLISHED.keys() - {"compiler", "compress", "crypto"}
    assert len(values(parsed, "benchmark-score")) == 38


def test_details_alone_are_no_set_of_benchmarks() -> None:
    text = text_of(f"base/{FILES['txt']}")
    parsed = read(text[text.index("\nderby                         warmup") :])
    assert len(values(parsed, "benchmark-score")) == 32
    assert not values(parsed)
    assert not settings(parsed)


def test_full_set_has_no_setting_and_a_subset_has_a_note() -> None:
    whole = log(f"base/{FILES['txt']}")
    assert settings(whole) == {"workload": "base"}
    assert "subset" not in slugs(whole)
    subset = log("variants/report-without-compiler-sunflow.txt")
    assert settings(subset)["benchmarks"] == "all but compiler.sunflow,startup.compiler.sunflow"
    (note,) = subset.diagnostics
    assert (note.slug, "compiler.sunflow, startup.compiler.sunflow" in note.message) == ("subset", True)
    assert values(subset)["compiler"] == values(subset, "benchmark-score")["compiler.compiler"]


def test_all_forms_of_a_subset_have_the_same_setting() -> None:
    names = ["xml.validation", "xml.transform", "crypto.rsa", "serial", "startup.sunflow", "scimark.monte_carlo"]
    seen = set()
    for seed in range(5):
        random.Random(seed).shuffle(names)
        seen.add(settings(read(console(*[(name, "10 ops/m") for name in names], composite="10 ops/m")))["benchmarks"])
    assert len(seen) == 1
    assert re.fullmatch(r"6 \([0-9a-f]{6}\)", seen.pop())
    few = read(console(("crypto.rsa", "10 ops/m"), ("crypto.aes", "10 ops/m"), composite="10 ops/m"))
    assert settings(few)["benchmarks"] == "crypto.aes,crypto.rsa"
    family = read(
        console(("xml.validation", "10 ops/m"), ("xml.transform", "10 ops/m"), composite="10 ops/m"),
    )
    assert settings(family)["benchmarks"] == "xml"


@pytest.mark.parametrize(
    ("header", "workload"),
    [("SPECjvm2008 Base", "base"), ("SPECjvm2008 Peak", "peak"), ("SPECjvm2008 Lagom Workload", "lagom")],
)
def test_workload_keeps_runs_apart(header: str, workload: str) -> None:
    assert (
        settings(read(console(("derby", "9 ops/m"), composite="9 ops/m", head=f"{header}\n")))["workload"] == workload
    )


def test_check_has_no_score_and_a_failed_one_is_reported() -> None:
    assert "check" not in values(log(f"base/{FILES['raw']}"), "benchmark-score")
    parsed = log("variants/report-failed.txt")
    messages = {item.line: item.message for item in parsed.diagnostics if item.slug == "failed-run"}
    assert "check" in messages[30]
    assert values(parsed) == {"derby": 512.7}
    assert "compress" not in values(parsed, "benchmark-score")  # a valid iteration before the failed one


def test_stack_traces_between_the_lines_do_no_harm() -> None:
    parsed = log("variants/console-exception.log")
    assert values(parsed) == {"compress": 303.7, "xml": 500.01}
    assert {item.line for item in parsed.diagnostics if item.slug == "failed-run"} == {49, 72}


ITERATION = '<iteration-result iteration="1" {} operations="{}">{}</iteration-result>'
XML = (
    '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<specjvm-result>\n<workload>SPECjvm2008 Base</workload>\n'
    '<benchmark-results>\n<benchmark-result name="derby">\n<warmup-result>{}</warmup-result>\n'
    "<iterations>\n{}\n</iterations>\n</benchmark-result>\n</benchmark-results>\n</specjvm-result>\n"
)


def xml(
    times: str = 'startTime="1000" endTime="61000"', operations: str = "50.5", inner: str = "", warm: str = ""
) -> str:
    return XML.format(warm, ITERATION.format(times, operations, inner))


def test_score_of_the_raw_file_is_operations_per_minute() -> None:
    assert values(read(xml())) == {"derby": 50.5, "composite": 50.5}
    assert values(read(xml(operations="5.05E1"))) == {"derby": 50.5, "composite": 50.5}


@pytest.mark.parametrize(
    ("times", "slug"),
    [
        ('startTime="61000" endTime="1000"', "absurd-duration"),
        ('startTime="1000" endTime="1000"', "absurd-duration"),
        ('startTime="1000" endTime="61000" expectedDuration="240000"', "absurd-duration"),
        ('startTime="0" endTime="1772532000000"', "absurd-duration"),
        ('startTime="1000"', "failed-run"),
        ('startTime="x" endTime="61000"', "failed-run"),
    ],
)
def test_iteration_without_a_sensible_time_is_refused(times: str, slug: str) -> None:
    parsed = read(xml(times))
    assert not parsed.blocks
    assert slugs(parsed)[0] == slug
    assert parsed.diagnostics[0].line == 8


def test_benchmark_without_an_iteration_leaves_no_composite() -> None:
    empty = '<benchmark-result name="serial"><iterations></iterations></benchmark-result>\n</benchmark-results>'
    parsed = read(xml().replace("</benchmark-results>", empty))
    assert values(parsed) == {"derby": 50.5}
    assert slugs(parsed)[0] == "no-score"


@pytest.mark.parametrize("place", ["inner", "warm"])
def test_error_in_the_raw_file_makes_the_benchmark_invalid(place: str) -> None:
    error = "<errors>\n<error>java.lang.OutOfMemoryError:\n Java heap space</error></errors>"
    parsed = read(xml(**{place: error}))
    assert not parsed.blocks
    assert parsed.status == "failed-run"
    assert "OutOfMemoryError: Java heap space" in parsed.diagnostics[0].message


def test_interrupted_iteration_is_a_failure_and_not_a_matter_of_the_clock() -> None:
    times = 'startTime="1000" endTime="2000" expectedDuration="240000"'
    assert slugs(read(xml(times, inner="<errors><error>interrupted</error></errors>")))[0] == "failed-run"


def test_document_type_is_refused() -> None:
    assert slugs(log("variants/document-type.raw")) == ["unsafe-xml"]
    external = xml().replace("<specjvm-result>", '<!DOCTYPE specjvm-result SYSTEM "other.dtd">\n<specjvm-result>')
    assert not read(external).blocks


def test_deep_and_damaged_xml_gives_a_diagnostic() -> None:
    deep = xml(inner="<a>" * 200_000)
    assert slugs(read(deep)) == ["truncated"]
    damaged = xml().replace("</iterations>", "</iterations> & <")
    assert not read(damaged).blocks
    assert slugs(read(damaged)) == ["truncated"]


def test_text_around_the_xml_does_no_harm() -> None:
    parsed = read("$ cat result.raw\n\n" + xml() + "$ \n")
    assert values(parsed)["derby"] == 50.5
    assert "text-behind-xml" in slugs(parsed)
    failed = read("$ cat result.raw\n\n" + xml('startTime="1000"'))
    assert failed.diagnostics[0].line == 10


def test_declared_encoding_does_not_matter() -> None:
    latin = text_of("variants/two-iterations.raw").encode("latin-1")
    assert b"\xe4" in latin
    expected = values(read(latin))
    assert expected
    for encoding in ("utf-8", "utf-16"):
        assert values(read(latin.decode("latin-1").encode(encoding))) == expected


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("<html><body>\nSPECjvm2008 Base\n<pre>\nScore on derby: 12.50 ops/m\n</pre></body></html>\n", Match.NO),
        ("<!DOCTYPE html>\n<HTML>\nSPECjvm2008 Peak\n", Match.NO),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF SPECjvm2008 Base\nSPECjvm2008 Base\n", Match.NO),
        ("We ran SPECjvm2008 Base on it, and got 12.50 ops/m.\n", Match.NO),
        ("compress  305.47 ( 0.00)%   301.08 (-1.44)%\n\ncomposite 211.50\n", Match.NO),
        ("spec.jvm2008.report.run.tester=tester\n", Match.NO),
        ("", Match.NO),
        ("Score on derby: 12.50 ops/m\n", Match.CERTAIN),
        ("Noncompliant composite result: 12.5 ops/m\n", Match.CERTAIN),
        ("derby   iteration 1    240000   240000   50.00    12.50\n\n", Match.CERTAIN),
    ],
)
def test_recognise(text: str | bytes, match: Match) -> None:
    assert specjvm.recognise(raw(text)) == match


def test_end_of_a_console_log_alone_gives_the_composite() -> None:
    place = "Results are stored in: \nresults/SPECjvm2008.009/SPECjvm2008.009.raw\n\n"
    parsed = read(f"{place}Composite result: 37.4 SPECjvm2008 Peak ops/m")
    assert values(parsed) == {"composite": 37.4}
    assert parsed.runs[0].identity == "SPECjvm2008.009"
