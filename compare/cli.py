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
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from compare_kernels.config import (
    FILE_NAME,
    Correction,
    IntervalMethod,
    Settings,
    Test,
    Unit,
    check,
    find_config,
    read_settings,
)
from compare_kernels.delivery.gate.options import Output, add_gate_options, outputs_of, without_inputs
from compare_kernels.delivery.options import WIDTH, add_mail_options, plan_mail
from compare_kernels.errors import NothingToCompareError, UsageError
from compare_kernels.model import PLAIN_STATUSES, Diagnostic, Severity
from compare_kernels.text import printable
from compare_kernels.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from compare_kernels.comparison import Comparison
    from compare_kernels.delivery.outbox import Plan
    from compare_kernels.model import FileReport
    from compare_kernels.reporting.render import Style
    from compare_kernels.reporting.view import Layout
    from compare_kernels.samples import Samples
    from compare_kernels.selection import Selection

DONE, WRONG, USAGE, NOTHING = 0, 1, 2, 3
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
  compare-kernels check cover-letter.mbox          recompute the tables that somebody posted
  compare-kernels base/ patched/ --mail --to list@example.org -o report.eml
  compare-kernels list styles                      what --style takes

exit codes: 0 report made; 1 the gate failed, or a posted table contradicts itself (check); 4 the gate is undecided,
where the policy says that this fails; 2 wrong usage or unreadable input, or a warning under --strict; 3 nothing to
compare, or no table to check

A first argument that is a verb (compare, calibrate, check, gate-test, list, collect-env) means the verb; write ./list
for a directory of that name.
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
    except (UsageError, NothingToCompareError) as error:
        code = _complain(error)
        if "--bisect" in arguments:
            # Beyond 127 a bisection stops, whereas 2 would call the commit bad.
            return _UNTESTABLE if isinstance(error, NothingToCompareError) else _NO_BISECTION
        return code
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


_TOO_FEW = "two inputs are needed: the baseline and a kernel to compare with it. Try --help."


def _compare(arguments: list[str]) -> int:
    """Read, compare, render, and decide at the gate."""
    options = _compare_parser().parse_args(without_inputs(arguments))
    _check_inputs(options)
    from compare_kernels import api
    from compare_kernels.reporting.render import DEFAULT_STYLE, builtin_styles, find_style

    settings = _settings(options)
    style = find_style(options.style or DEFAULT_STYLE)
    outputs = outputs_of(options.output, options.style, style.name, builtin_styles())
    if options.gate is None and any(output.of_gate for output in outputs):
        raise UsageError("junit, sarif, github, openmetrics, verdicts and gate-summary go with --gate")
    plan = plan_mail(options, style)
    layout = _layout(options)
    for chosen in (style, *(plan.styles if plan else ())):
        # What has no place in a style is left out of an attachment.
        chosen.check(layout if chosen is style else replace(layout, title="", names=()))
    if options.directory is None and (posted := api.render_posted(options.inputs, style.name, layout=layout)):
        return _posted(*posted, options, plan, _only(outputs))
    comparison = _compared(style, settings, options)
    selection = comparison.selection
    if options.explain:
        _tell(comparison.everything.files, comparison.diagnostics, options)
        _write(api.explain(comparison, options.explain), _only(outputs))
        return _exit_code(comparison, strict=options.strict)
    texts = _texts(comparison, style, layout, outputs, options)
    notes = [*dict.fromkeys(note for _, more, _ in texts for note in more), *_written_beside(comparison, options)]
    _tell(comparison.everything.files, comparison.diagnostics, options)
    if plan:
        others = tuple((other, _other_style(other, comparison, selection, layout, options)) for other in plan.styles)
        _mail(plan, texts[0][0], _subject(comparison), others, _only(outputs))
    else:
        for text, _, file in texts:
            _write(text, file)
    if not options.quiet:
        _say(*notes)
    code = _exit_code(comparison, strict=options.strict)
    if options.gate is None:
        return code
    plain = api.compare(comparison.everything, selection, settings.rules) if style.rules else comparison
    return _gate(plain, outputs, options) or (_UNTESTABLE if options.bisect and code else code)


def _compared(style: Style, settings: Settings, options: argparse.Namespace) -> Comparison:
    """Read and compare; if nothing can be compared, what was wrong with the files is said before."""
    from compare_kernels import api

    samples = _load(options, settings)
    try:
        return api.compare_for(style, samples, _selection(options), settings.rules)
    except (UsageError, NothingToCompareError):
        _tell(samples.files, samples.diagnostics, options)
        raise


def _only(outputs: list[Output]) -> str | None:
    """The one file that is written; None for the standard output."""
    if len(outputs) > 1:
        raise UsageError("this can be written to one file only")
    return outputs[0].file if outputs else None


def _texts(
    comparison: Comparison, style: Style, layout: Layout, outputs: list[Output], options: argparse.Namespace
) -> list[tuple[str, list[str], str]]:
    """The report in each format that is wanted, what has to be said beside it, and its file."""
    from compare_kernels import api
    from compare_kernels.reporting.render import find_style

    texts = []
    for output in outputs or [Output(style.name, "-")]:
        if output.of_gate:
            continue
        own = find_style(output.format)
        chosen = comparison
        if own != style:
            chosen = api.compare_for(own, comparison.everything, comparison.selection, comparison.rules)
        fitting = layout if own == style else _without_names(layout, own)
        texts.append((*_rendered(chosen, own, fitting, options), output.file))
    return texts


def _without_names(layout: Layout, style: Style) -> Layout:
    """The layout without what has no place in a style."""
    return replace(
        layout,
        title=layout.title if style.shows("title") else "",
        names=layout.names if style.shows("names") else (),
    )


def _gate_test(arguments: list[str]) -> int:
    """Tell whether the gate would see a regression, and 1 if it wouldn't."""
    options = _compare_parser().parse_args(without_inputs(arguments))
    _check_inputs(options)
    from compare_kernels.delivery.gate import policy, proof
    from compare_kernels.reporting.render import DEFAULT_STYLE, find_style

    comparison = _compared(find_style(DEFAULT_STYLE), _settings(options), options)
    chosen = policy.read_policy(Path(options.gate)) if options.gate else policy.Policy()
    holds, lines = proof.prove(comparison, chosen)
    _write("".join(f"{printable(line)}\n" for line in lines), None)
    return DONE if holds else WRONG


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


def _check_inputs(options: argparse.Namespace) -> None:
    if options.gate is None and (options.bisect or options.update_baseline or options.allow_different_machine):
        raise UsageError("--bisect, --update-baseline and --allow-different-machine go with --gate")
    if options.directory is None and (options.baseline or options.compare):
        raise UsageError("--baseline and --compare name kernels in the directory given by -C")
    if options.directory is not None and options.inputs:
        raise UsageError("give either directories or -C")
    if options.directory is None and not options.inputs:
        raise UsageError(_TOO_FEW)


def _layout(options: argparse.Namespace) -> Layout:
    from compare_kernels.reporting import view

    return view.Layout(
        legend=not options.no_legend,
        summary=not options.no_summary,
        only_changed=options.only_changed,
        sort=options.sort or "",
        width=_width(options),
        ascii=options.ascii or options.mail,
        mail=options.mail,
        title=options.title,
        names=tuple(_name_and_text(text) for text in options.legend),
        ratio=options.ratio,
    )


def _load(options: argparse.Namespace, settings: Settings) -> Samples:
    from compare_kernels import api

    if options.directory is not None:
        return api.load_mmtests(options.directory, options.baseline, *options.compare, **_also_read(settings))
    if len(options.inputs) == 1 and not api.is_stored(options.inputs[0]):
        raise UsageError(_TOO_FEW)
    return api.load(*options.inputs, **_also_read(settings))


def _posted(
    text: str, diagnostics: tuple[Diagnostic, ...], options: argparse.Namespace, plan: Plan | None, file: str | None
) -> int:
    """Write or mail a report of posted tables, which has no samples to explain or to export."""
    for option in ("explain", "export", "plots", "only_changed", "sort", "attach"):
        if getattr(options, option):
            raise UsageError(f"--{option.replace('_', '-')} needs the values of runs, which a post doesn't have")
    _tell((), diagnostics, options)
    if plan:
        _mail(plan, text, "posted tables", (), file)
    else:
        _write(text, file)
    warned = any(diagnostic.severity > Severity.NOTE for diagnostic in diagnostics)
    return USAGE if options.strict and warned else DONE


def _rendered(
    comparison: Comparison, style: Style, layout: Layout, options: argparse.Namespace
) -> tuple[str, list[str]]:
    """The report, and those of its last lines for which a style has no room."""
    from compare_kernels import api
    from compare_kernels.reporting.view import account

    if style.write:
        return style.write(comparison), [account(comparison.samples.files, comparison.diagnostics)]
    report = api.build_report(comparison, style, layout)
    color = _wants_color(options.color) and not options.output and not options.mail
    text = api.render_as(report, style, layout, color=color)
    notes = [line for line in (report.hidden, report.account) if line and line not in text]
    return f"No row regressed or improved.\n{text}" if layout.only_changed and not report.tables else text, notes


def _other_style(
    style: Style, comparison: Comparison, selection: Selection, layout: Layout, options: argparse.Namespace
) -> str:
    """The same samples as a file in another style, where no line has to be short."""
    from compare_kernels import api

    layout = replace(_without_names(layout, style), width=0, ascii=options.ascii, mail=False)
    again = api.compare_for(style, comparison.everything, selection, comparison.rules)
    if style.write:
        return style.write(again)
    return api.render_as(api.build_report(again, style, layout), style, layout)


def _mail(plan: Plan, text: str, subject: str, others: tuple[tuple[Style, str], ...], file: str | None) -> None:
    """Put the report into a mail; write and send it, as the options say."""
    from compare_kernels.delivery import outbox

    mail = outbox.make_mail(plan, text, subject, others)
    _say(*plan.remarks)
    if file or plan.server is None:
        _write(mail.message.decode(), file)
    outbox.hand_in(plan, mail, file, _say)


def _subject(comparison: Comparison) -> str:
    from compare_kernels.delivery import outbox

    verdicts = comparison.frame["verdict"].dropna().astype(str).tolist()
    return outbox.default_subject(comparison.samples.kernels, verdicts)


def _written_beside(comparison: Comparison, options: argparse.Namespace) -> list[str]:
    """Write samples and plots to files of their own; return what there is to say of them."""
    from compare_kernels import api

    if options.export:
        api.export(comparison, options.export)
    if options.plots is None:
        return []
    count = api.write_plots(comparison, options.plots, options.plot_format)
    return [f"{count} plot{'s' * (count != 1)} in {options.plots}"]


def _name_and_text(argument: str) -> tuple[str, str]:
    name, equals, text = argument.partition("=")
    if not equals or not name:
        raise UsageError(f"--legend takes NAME=TEXT, not {argument!r}")
    return name, text


_NARROWEST = 40


def _width(options: argparse.Namespace) -> int:
    """Characters that a line may have; 0 for any number."""
    if options.width in {None, "auto"}:
        if options.mail:
            return WIDTH
        terminal = not options.output and sys.stdout is not None and sys.stdout.isatty()
        return max(_NARROWEST, shutil.get_terminal_size().columns) if terminal else 0
    if not options.width.isascii() or not options.width.isdigit() or int(options.width[:9]) < _NARROWEST:
        raise UsageError(f"--width takes a number of {_NARROWEST} or more, or auto")
    return int(options.width[:9])


def _selection(options: argparse.Namespace) -> Selection:
    from compare_kernels.selection import Selection

    return Selection(tuple(options.benchmark), tuple(options.metric), options.sub_heading)


def _also_read(settings: Settings) -> dict[str, Any]:
    """What the settings add to the arguments of `compare_kernels.api.load`."""
    return {"descriptions": settings.benchmarks, "settings": settings.path}


def _settings(options: argparse.Namespace) -> Settings:
    """The settings of the file, overruled by options."""
    path = Path(options.config) if options.config else find_config(Path.cwd())
    settings = read_settings(path) if path else Settings()
    if path and not options.quiet:
        _say(f"settings from {path}")
    names = ("alpha", "margin", "test", "unit", "correction", "interval", "seed")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return replace(settings, rules=check(replace(settings.rules, **given), "options"))


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

    settings = _settings(options)
    samples = api.load(options.input, **_also_read(settings))
    _tell(samples.files, samples.diagnostics, options)
    _write(api.calibrate(samples, _selection(options), settings.rules, options.splits), None)
    return DONE


def _check(arguments: list[str]) -> int:
    """Check posted tables."""
    parser = _Parser(
        prog="compare-kernels check",
        description="Find the tables in mails and texts, and recompute what they print: percentages from values, "
        "CoeffVar, composites, differences. Prints what can't be right, with its line.",
        epilog="exit codes: 0 nothing wrong; 1 something can't be right; 2 wrong usage; 3 no table found",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="mail, mbox, maildir or text; - is standard input")
    files = parser.parse_args(arguments).files
    from compare_kernels import api
    from compare_kernels.loading import read_posted

    piped = sys.stdin.buffer.read() if "-" in files and sys.stdin is not None else b""
    tables, diagnostics = read_posted(*files, standard_input=piped)
    _say(*(_diagnostic_line(diagnostic) for diagnostic in diagnostics))
    if not tables:
        raise NothingToCompareError("no table was found")
    checked = api.check_posted(tables)
    counts = (
        f"{_counted(checked.tables, 'table')}, {_counted(checked.percentages, 'percentage')} and "
        f"{_counted(checked.relations, 'other relation')} checked: "
        f"{_counted(len(checked.contradictions), 'contradiction')}"
    )
    _write("".join(f"{line}\n" for line in (*(found.text for found in checked.contradictions), counts)), None)
    return WRONG if checked.contradictions else DONE


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


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
        rows += _described_rows()
    else:
        from compare_kernels.reporting.render import builtin_styles, plugged_styles

        styles, diagnostics = plugged_styles()
        rows = [(style.name, style.title) for style in (*builtin_styles().values(), *styles.values())]
    width = max(len(name) for name, _ in rows)
    _write("".join(f"{name.ljust(width)}  {title}\n" for name, title in rows), None)
    _say(*(_diagnostic_line(diagnostic) for diagnostic in diagnostics))
    return DONE


def _described_rows() -> list[tuple[str, str]]:
    """Name and title of each benchmark that is described by a file which the settings name."""
    path = find_config(Path.cwd())
    named = read_settings(path).benchmarks if path else ()
    if not named:
        return []
    from compare_kernels.reading.descriptions import named_descriptions

    return [
        (parser.name, parser.description.title or f"described by {FILE_NAME}")
        for parser in named_descriptions(map(str, named))
    ]


def _collect_env(arguments: list[str]) -> int:
    """Describe this machine in files."""
    parser = _Parser(
        prog="compare-kernels collect-env",
        description="Write files that describe this machine and its settings to a directory: run it beside a "
        "benchmark, under each kernel. Names of hosts, addresses and identifiers are left out.",
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", help="new or empty directory")
    directory = Path(parser.parse_args(arguments).directory)
    from compare_kernels.environment.collect import collect

    written, missing = collect(directory)
    _say(*(f"left out: {what}" for what in missing))
    _say(f"{directory}: {len(written)} files written")
    return DONE


_VERBS: dict[str, Callable[[list[str]], int]] = {
    "compare": _compare,
    "calibrate": _calibrate,
    "gate-test": _gate_test,
    "check": _check,
    "list": _list,
    "collect-env": _collect_env,
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
