"""The command: arguments in, report and diagnostics out, an exit code that says how it went.

Nothing heavy is imported at module level: ``--help`` has to answer at once.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, get_args

from compare_kernels.config import Correction, IntervalMethod, Rules, Test, Unit, check, find_config, read_rules
from compare_kernels.delivery.gate.options import Output, add_gate_options, outputs_of, without_inputs
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.model import PLAIN_STATUSES, Diagnostic, Severity
from compare_kernels.text import printable
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from compare_kernels.comparison import Comparison
    from compare_kernels.model import FileReport
    from compare_kernels.reporting.render import Style
    from compare_kernels.reporting.view import Layout
    from compare_kernels.selection import Selection

DONE, USAGE, NOTHING = 0, 2, 3
INTERRUPTED = 130
_UNTESTABLE, _NO_BISECTION = 125, 128

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
  compare-kernels list styles                      what --style takes

exit codes: 0 report made; 1 the gate failed; 4 it is undecided, where the policy says that this fails;
2 wrong usage or unreadable input, or a warning under --strict; 3 nothing to compare

A first argument that is a verb (compare, calibrate, gate-test, list) means it; write ./list for a directory.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: the arguments without the command's name; by default those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _make_streams_predictable()
    verb: Callable[[list[str]], int] = _compare
    if arguments and arguments[0] in _VERBS:
        verb = _VERBS[arguments.pop(0)]
    try:
        return verb(arguments)
    except NothingToCompareError as error:
        code = _complain(error)
        return _UNTESTABLE if "--bisect" in arguments else code
    except UsageError as error:
        # Beyond 127 a bisection stops, whereas 2 would call the commit bad.
        code = _complain(error)
        return _NO_BISECTION if "--bisect" in arguments else code
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        _forget_output()
        return DONE
    except (OSError, RecursionError, KeyboardInterrupt) as error:
        return _complain(error)


def _complain(error: BaseException) -> int:
    """Say what was wrong, and return the exit code for it."""
    text, code = str(error), USAGE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, NothingToCompareError):
        code = NOTHING
    elif isinstance(error, RecursionError):
        text = "the input is nested too deeply"
    elif isinstance(error, OSError):
        text = f"{error.filename or 'standard output'}: {error.strerror}"
        _forget_output()
    with contextlib.suppress(OSError):
        _say(f"compare-kernels: {text}")
    return code


def _forget_output() -> None:
    """Let nothing be flushed at exit to an output that is gone or full."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Turns argparse's own exit into our exception, so that there is one way out."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().rstrip()}\nTry compare-kernels --help.")


def _compare_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="compare-kernels",
        usage="compare-kernels [options] BASE OTHER [OTHER...]\n       compare-kernels [options] -C DIR "
        "[--baseline K1 [--compare K2]...]\n       compare-kernels calibrate [options] PATH\n"
        "       compare-kernels gate-test [options] BASE OTHER\n"
        "       compare-kernels list parsers|styles|metrics",
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


_TOO_FEW = "two inputs are needed: the baseline and a kernel to compare with it. Try --help."


def _compare(arguments: list[str], *, proof: bool = False) -> int:  # noqa: C901, PLR0912, PLR0915
    """Read, compare, render; or prove that the gate fires."""
    options = _compare_parser().parse_args(without_inputs(arguments))
    if options.gate is None and (options.bisect or options.update_baseline or options.allow_different_machine):
        raise UsageError("--bisect, --update-baseline and --allow-different-machine go with --gate")
    if options.directory is None and (options.baseline or options.compare):
        raise UsageError("--baseline and --compare name kernels in the directory given by -C")
    if options.directory is not None and options.inputs:
        raise UsageError("give either directories or -C")
    if options.directory is None and not options.inputs:
        raise UsageError(_TOO_FEW)
    from compare_kernels import api
    from compare_kernels.reporting import view
    from compare_kernels.reporting.render import DEFAULT_STYLE, builtin_styles, find_style

    rules = _rules(options)
    style = find_style(options.style or DEFAULT_STYLE)
    outputs = outputs_of(options.output, options.style, style.name, builtin_styles())
    if options.gate is None and any(output.of_gate for output in outputs):
        raise UsageError("junit, sarif, github, openmetrics, verdicts and gate-summary go with --gate")
    if style.rules and (options.only_changed or options.sort):
        raise UsageError(f"style {style.name} has its own rows: --only-changed and --sort don't go with it")
    if options.directory is None:
        if len(options.inputs) == 1 and not api.is_stored(options.inputs[0]):
            raise UsageError(_TOO_FEW)
        samples = api.load(*options.inputs)
    else:
        samples = api.load_mmtests(options.directory, options.baseline, *options.compare)
    selection = _selection(options)
    try:
        comparison = api.compare_for(style, samples, selection, rules)
    except (UsageError, NothingToCompareError):
        _tell(samples.files, samples.diagnostics, options)
        raise
    if proof:
        return _prove(comparison, options)
    if options.explain:
        _tell(samples.files, comparison.diagnostics, options)
        for output in outputs or [Output(style.name, "-")]:
            _write(api.explain(comparison, options.explain), output.file)
        return _exit_code(comparison, strict=options.strict)
    layout = view.Layout(
        legend=not options.no_legend,
        summary=not options.no_summary,
        only_changed=options.only_changed,
        sort=options.sort or "",
        width=_width(options),
        ascii=options.ascii,
        title=options.title,
        names=tuple(_name_and_text(text) for text in options.legend),
    )
    texts, notes = [], dict[str, None]()
    for output in outputs or [Output(style.name, "-")]:
        if not output.of_gate:
            own = find_style(output.format)
            compared = comparison if own == style else api.compare_for(own, samples, selection, rules)
            text, more = _rendered(compared, own, layout, options)
            texts.append((text, output.file))
            notes |= dict.fromkeys(more)
    if options.export:
        api.export(comparison, options.export)
    _tell(samples.files, comparison.diagnostics, options)
    for text, file in texts:
        _write(text, file)
    if not options.quiet:
        _say(*notes)
    code = _exit_code(comparison, strict=options.strict)
    if options.gate is None:
        return code
    plain = api.compare(samples, selection, rules) if style.rules else comparison
    return _gate(plain, outputs, options) or (_UNTESTABLE if options.bisect and code else code)


def _prove(comparison: Comparison, options: argparse.Namespace) -> int:
    """Tell whether the gate would see a regression, and 1 if it wouldn't."""
    from compare_kernels.delivery.gate import policy, proof

    chosen = policy.read_policy(Path(options.gate)) if options.gate else policy.Policy()
    holds, lines = proof.prove(comparison, chosen)
    _write("".join(f"{printable(line)}\n" for line in lines), None)
    return DONE if holds else 1


def _gate(comparison: Comparison, outputs: list[Output], options: argparse.Namespace) -> int:
    """Decide whether the kernels may pass, write that in all formats, and keep the new baseline if they may."""
    from compare_kernels.delivery.gate import baseline, formats, policy, result

    chosen = policy.read_policy(Path(options.gate)) if options.gate else policy.Policy()
    decided = result.run_gate(comparison, chosen, different_machine=options.allow_different_machine)
    for output in outputs:
        if output.of_gate:
            _write(formats.GATE_FORMATS[output.format](decided), output.file)
    _say(*formats.text(decided).splitlines())
    if options.update_baseline and not decided.exit_code:
        _write(baseline.baseline_text(comparison), options.update_baseline)
    return decided.bisect_code if options.bisect else decided.exit_code


def _rendered(
    comparison: Comparison, style: Style, layout: Layout, options: argparse.Namespace
) -> tuple[str, list[str]]:
    """The report, and those of its last lines for which a style has no room."""
    from compare_kernels import api
    from compare_kernels.reporting.view import account

    if style.write:
        return style.write(comparison), [account(comparison.samples.files, comparison.diagnostics)]
    report = api.build_report(comparison, style, layout)
    text = api.render_as(report, style, layout, color=_wants_color(options.color) and not options.output)
    notes = [line for line in (report.hidden, report.account) if line and line not in text]
    return text if report.tables else f"No row regressed or improved.\n{text}", notes


def _name_and_text(argument: str) -> tuple[str, str]:
    name, equals, text = argument.partition("=")
    if not equals or not name:
        raise UsageError(f"--legend takes NAME=TEXT, not {argument!r}")
    return name, text


_NARROWEST = 40


def _width(options: argparse.Namespace) -> int:
    """Characters that a line may have; 0 for any number."""
    if options.width in {None, "auto"}:
        terminal = not options.output and sys.stdout is not None and sys.stdout.isatty()
        return max(_NARROWEST, shutil.get_terminal_size().columns) if terminal else 0
    if not options.width.isascii() or not options.width.isdigit() or int(options.width[:9]) < _NARROWEST:
        raise UsageError(f"--width takes a number of {_NARROWEST} or more, or auto")
    return int(options.width[:9])


def _selection(options: argparse.Namespace) -> Selection:
    from compare_kernels.selection import Selection

    return Selection(tuple(options.benchmark), tuple(options.metric), options.sub_heading)


def _rules(options: argparse.Namespace) -> Rules:
    """The settings of the file, overruled by options."""
    path = Path(options.config) if options.config else find_config(Path.cwd())
    rules = read_rules(path) if path else Rules()
    if path and not options.quiet:
        _say(f"settings from {path}")
    names = ("alpha", "margin", "test", "unit", "correction", "interval", "seed")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return check(replace(rules, **given), "options")


def _calibrate(arguments: list[str]) -> int:
    """Compare halves of one kernel's runs."""
    parser = _Parser(
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
    options = parser.parse_args(arguments)
    if options.splits < 1:
        raise UsageError("--splits has to be 1 or more")
    from compare_kernels import api

    rules = _rules(options)
    samples = api.load(options.input)
    _tell(samples.files, samples.diagnostics, options)
    _write(api.calibrate(samples, _selection(options), rules, options.splits), None)
    return DONE


def _list(arguments: list[str]) -> int:
    """List what there is to choose from."""
    parser = _Parser(prog="compare-kernels list", description="List the parsers, the styles or the metrics.")
    parser.add_argument("what", choices=("parsers", "styles", "metrics"))
    what = parser.parse_args(arguments).what
    if what == "metrics":
        from compare_kernels.reading.recognise import all_metrics
        from compare_kernels.reporting.catalogue import metrics_text

        _write(metrics_text(all_metrics()), None)
        return DONE
    if what == "parsers":
        from compare_kernels.parsers import BUILTIN
        from compare_kernels.reading.recognise import plugged_parsers

        plugged, diagnostics = plugged_parsers()
        rows = [(entry.name, entry.title) for entry in BUILTIN] + [(name, "plug-in") for name in plugged]
    else:
        from compare_kernels.reporting.render import builtin_styles, plugged_styles

        styles, diagnostics = plugged_styles()
        rows = [(style.name, style.title) for style in (*builtin_styles().values(), *styles.values())]
    width = max(len(name) for name, _ in rows)
    _write("".join(f"{name.ljust(width)}  {title}\n" for name, title in rows), None)
    _say(*(_diagnostic_line(diagnostic) for diagnostic in diagnostics))
    return DONE


_VERBS: dict[str, Callable[[list[str]], int]] = {
    "compare": _compare,
    "calibrate": _calibrate,
    "gate-test": lambda arguments: _compare(arguments, proof=True),
    "list": _list,
}


def _make_streams_predictable() -> None:
    """Write UTF-8 whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _wants_color(choice: str) -> bool:
    if choice == "auto":
        terminal = sys.stdout is not None and sys.stdout.isatty()
        return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def _write(text: str, output: str | None) -> None:
    if output in {None, "-"}:
        if sys.stdout is None:
            raise UsageError("the standard output is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    target = Path(str(output))
    if not target.name:
        raise UsageError(f"{output!r} is no name of a file")
    # The old report stays until the new one is whole; a link or a device stays what it is.
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            target.write_text(text, encoding="utf-8", newline="")
            return
        unfinished.write_text(text, encoding="utf-8", newline="")
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o7777)
        unfinished.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise UsageError(f"{output}: {error.strerror}") from error


_SHOWN = 3


def _tell(files: Iterable[FileReport], diagnostics: Sequence[Diagnostic], options: argparse.Namespace) -> None:
    """Diagnostics to stderr: with -v all and a line for each file, else the first warnings of each kind."""
    if options.verbose:
        of_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in diagnostics:
            of_file.setdefault(diagnostic.path, []).append(diagnostic)
        for report in files:
            about = f" {report.parser}" if report.parser else ""
            detail = f" (of {report.detail})" if report.detail else ""
            _say(f"{report.source.path}: {report.status}{about}{detail}")
            for diagnostic in of_file.pop(report.source.path, ()):
                if diagnostic.severity > Severity.NOTE or diagnostic.slug not in PLAIN_STATUSES:
                    line = f"line {diagnostic.line}: " if diagnostic.line else ""
                    _say(f"  {line}{_what(diagnostic)}")
        _say(*(_diagnostic_line(diagnostic) for rest in of_file.values() for diagnostic in rest))
    elif options.quiet:
        # What makes the exit code 2 is said in any case.
        _say(*(_diagnostic_line(diagnostic) for diagnostic in diagnostics if diagnostic.severity == Severity.ERROR))
    else:
        seen: dict[str, int] = {}
        for diagnostic in diagnostics:
            if diagnostic.severity > Severity.NOTE:
                seen[diagnostic.slug] = seen.get(diagnostic.slug, 0) + 1
                if seen[diagnostic.slug] <= _SHOWN:
                    _say(_diagnostic_line(diagnostic))
        more = [f"{count - _SHOWN} {slug}" for slug, count in seen.items() if count > _SHOWN]
        if more:
            _say(f"... and more warnings: {', '.join(more)} (-v lists all)")


def _diagnostic_line(diagnostic: Diagnostic) -> str:
    place = f"{diagnostic.place}: " if diagnostic.place else ""
    return f"{place}{_what(diagnostic)}"


def _what(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.severity.name.lower()}: {diagnostic.message} [{diagnostic.slug}]"


def _say(*lines: str) -> None:
    for line in lines:
        for part in line.split("\n"):
            print(printable(part), file=sys.stderr)


def _exit_code(comparison: Comparison, *, strict: bool) -> int:
    worst = max((diagnostic.severity for diagnostic in comparison.diagnostics), default=Severity.NOTE)
    if worst == Severity.ERROR or (strict and worst == Severity.WARNING):
        return USAGE
    return DONE
