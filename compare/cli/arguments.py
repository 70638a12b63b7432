"""The arguments of each verb."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn, get_args

from compare_kernels.choices import Correction, IntervalMethod, Test, Unit
from compare_kernels.cli.groups import add_gate_options, add_mail_options
from compare_kernels.errors import UsageError
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DESCRIPTION = """\
Compare the benchmark results of two Linux kernels or more. Each input is a directory of raw benchmark output (any
depth, compressed or not) or a single file; the first is the baseline. Benchmarks are recognised by their content.
"""

_EXAMPLES = """\
examples:
  compare-kernels base/ patched/                   all benchmarks, the table of mmtests
  compare-kernels 6.12=results/a v2=results/b      with names for the columns
  compare-kernels base/ v1/ v2/ -b 'hackbench*'    three kernels, one benchmark
  compare-kernels base/ patched/ --style normalized
  compare-kernels -C work/log --baseline 6.12-vanilla --compare 6.12-patched
  compare-kernels check cover-letter.mbox          recompute the tables that somebody posted
  compare-kernels base/ patched/ --mail --to list@example.org -o report.eml
  compare-kernels list styles                      what --style takes

exit codes: 0 report made; 1 the gate failed, or a posted table contradicts itself (check); 4 the gate is undecided,
where the policy says that this fails; 2 wrong usage or unreadable input, or a warning under --strict; 3 nothing to
compare, or no table to check

A first argument that is a verb (compare, calibrate, check, gate-test, list, collect-env) means the verb; write ./list
for a directory of that name.
"""


class Parser(argparse.ArgumentParser):
    """Turns argparse's own exit into our exception, so that there is one way out."""

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError` with the usage below the message."""
        raise UsageError(f"{message}\n{self.format_usage().rstrip()}\nTry compare-kernels --help.")


def compare_parser() -> argparse.ArgumentParser:
    """The arguments of a comparison, which needs no verb."""
    parser = Parser(
        prog="compare-kernels",
        usage="compare-kernels [options] BASE OTHER [OTHER...]\n       compare-kernels [options] -C DIR "
        "[--baseline K1 [--compare K2]...]\n       compare-kernels calibrate [options] PATH\n"
        "       compare-kernels gate-test [options] BASE OTHER\n"
        "       compare-kernels check FILE...\n"
        "       compare-kernels list parsers|styles|metrics\n"
        "       compare-kernels collect-env DIR",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("inputs", nargs="*", metavar="[LABEL=]PATH", help="directory or file with results of one kernel")
    add("-C", dest="directory", metavar="DIR", help="log directory of mmtests (work/log)")
    add("--baseline", metavar="KERNEL", help="with -C: the kernel that the others are compared with")
    add(
        "--compare",
        action="append",
        default=[],
        metavar="KERNEL",
        help="with -C: a kernel to compare; may be repeated",
    )
    _add_selection(parser)
    add("--style", metavar="NAME", help="layout of the tables (default: mmtests)")
    add("--ratio", action="store_true", help="ratios to the baseline, in the styles mmtests-2020 and mmtests-2026")
    add(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="[FORMAT:]FILE",
        help="write the report to a file; may be repeated, the format by ending: .xml is JUnit",
    )
    add_gate_options(parser)
    add("--export", metavar="FILE", help="write all samples that are compared to FILE.csv or FILE.parquet")
    add("--plots", metavar="DIR", help="write plots of all that is compared to files in DIR")
    add("--plot-format", choices=("svg", "png", "pdf"), default="svg", help="format of these files (default: svg)")
    _add_rules(parser)
    add("--only-changed", action="store_true", help="only rows that regressed or improved")
    add("--sort", choices=("name", "change", "p"), help="order of the rows in each table")
    add("--explain", metavar="OPERATION", help="tell all about the rows of this name, and why they got their verdict")
    add(
        "--width",
        metavar="N",
        help="characters in a line, or auto: those of the terminal, any number in a pipe (auto)",
    )
    add("--ascii", action="store_true", help="print ASCII only")
    add("--title", default="", metavar="TEXT", help="title of the report, in styles that have one")
    add(
        "--legend",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="what a kernel's name means, in styles that say so; may be repeated",
    )
    add("--no-summary", action="store_true", help="leave out the summary above the tables")
    add("--no-legend", action="store_true", help="leave out the line below each table")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colour significant changes")
    add("--strict", action="store_true", help="exit with 2 if there is any warning")
    _add_talk(parser)
    add_mail_options(parser)
    add("--version", action="version", version=f"compare-kernels {__version__}")
    return parser


def _add_selection(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-b",
        "--benchmark",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only these benchmarks; may be repeated",
    )
    add(
        "--metric", action="append", default=[], metavar="PATTERN", help="only these metrics, or all; may be repeated"
    )
    add("--sub-heading", default="", metavar="TEXT", help="only operations that begin so")


def _add_talk(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help="list all files and all diagnostics")
    parser.add_argument("-q", "--quiet", action="store_true", help="keep warnings to the report")


def _add_rules(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--config", metavar="FILE", help="settings (default: the nearest compare-kernels.toml, here or above)")
    add("--alpha", type=float, help="level of tests and intervals (default: 0.05)")
    add("--margin", type=float, metavar="PERCENT", help="a smaller change doesn't matter (default: 1)")
    add("--test", choices=get_args(Test), help="test of the difference (default: welch)")
    add("--unit", choices=get_args(Unit), help="what is tested: runs where there are two, or else samples (auto)")
    add("--correction", choices=get_args(Correction), help="adjust p for the number of rows (default: bh)")
    add("--interval", choices=get_args(IntervalMethod), help="interval of the change (default: that of the test)")
    add("--seed", type=int, metavar="N", help="of everything that is drawn at random (default: 0)")


def _calibrate_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="compare-kernels calibrate",
        description="Split the runs of one kernel at random many times, compare the halves, and tell how often rows "
        "are called regressed or improved although nothing differs.",
        allow_abbrev=False,
    )
    parser.add_argument("input", metavar="[LABEL=]PATH", help="directory or file with results of one kernel")
    parser.add_argument("--splits", type=int, default=200, metavar="N", help="how many times (default: 200)")
    _add_selection(parser)
    _add_rules(parser)
    _add_talk(parser)
    return parser


def _check_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="compare-kernels check",
        description="Find the tables in mails and texts, and recompute what they print: percentages from values, "
        "CoeffVar, composites, differences. Prints what can't be right, with its line.",
        epilog="exit codes: 0 nothing wrong; 1 something can't be right; 2 wrong usage; 3 no table found",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="mail, mbox, maildir or text; - is standard input")
    return parser


def _list_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="compare-kernels list", description="List the parsers, the styles or the metrics.")
    parser.add_argument("what", choices=("parsers", "styles", "metrics"))
    return parser


def _collect_env_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="compare-kernels collect-env",
        description="Write files that describe this machine and its settings to a directory: run it beside a "
        "benchmark, under each kernel. Names of hosts, addresses and identifiers are left out.",
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", help="new or empty directory")
    return parser


PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "compare": compare_parser,
    "calibrate": _calibrate_parser,
    "gate-test": compare_parser,
    "check": _check_parser,
    "list": _list_parser,
    "collect-env": _collect_env_parser,
}
"""Each verb and what makes its parser."""


def parse(verb: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Understand the arguments of a verb.

    Raises:
        UsageError: if they make no sense.
    """
    return PARSERS[verb]().parse_args(without_inputs(arguments))


def without_inputs(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--gate`` kept from taking an input for its file, which ends in ``.toml``."""
    if not arguments:
        return []
    following = [*arguments[1:], ""]
    return [
        "--gate=" if argument == "--gate" and not after.endswith(".toml") else argument
        for argument, after in zip(arguments, following, strict=True)
    ]
