"""``compare-kernels BASE OTHER``: read, compare, render, and decide at the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.cli.diagnostics import tell
from compare_kernels.cli.exits import DONE, UNTESTABLE, USAGE
from compare_kernels.cli.files import write
from compare_kernels.cli.options import check_inputs, compared, layout_of, settings_of
from compare_kernels.cli.report import only_file, other_style, send_mail, subject_of, texts_of, write_beside
from compare_kernels.cli.terminal import say
from compare_kernels.delivery.gate.options import outputs_of
from compare_kernels.delivery.options import plan_mail
from compare_kernels.errors import UsageError
from compare_kernels.model import Diagnostic, Severity

if TYPE_CHECKING:
    import argparse

    from compare_kernels.comparison import Comparison
    from compare_kernels.delivery.gate.options import Output
    from compare_kernels.delivery.outbox import Plan


def run(options: argparse.Namespace) -> int:
    """Read, compare, render, and decide at the gate."""
    check_inputs(options)
    from compare_kernels import api
    from compare_kernels.reporting.render import DEFAULT_STYLE, builtin_styles, find_style

    settings = settings_of(options)
    style = find_style(options.style or DEFAULT_STYLE)
    outputs = outputs_of(options.output, options.style, style.name, builtin_styles())
    if options.gate is None and any(output.of_gate for output in outputs):
        raise UsageError("junit, sarif, github, openmetrics, verdicts and gate-summary go with --gate")
    plan = plan_mail(options, style)
    layout = layout_of(options)
    for chosen in (style, *(plan.styles if plan else ())):
        # What has no place in a style is left out of an attachment.
        chosen.check(layout if chosen is style else replace(layout, title="", names=()))
    if options.directory is None and (posted := api.render_posted(options.inputs, style.name, layout=layout)):
        return _posted(*posted, options, plan, only_file(outputs))
    comparison = compared(style, settings, options)
    selection = comparison.selection
    if options.explain:
        tell(comparison.everything.files, comparison.diagnostics, options)
        write(api.explain(comparison, options.explain), only_file(outputs))
        return _exit_code(comparison, strict=options.strict)
    texts = texts_of(comparison, style, layout, outputs, options)
    notes = [*dict.fromkeys(note for _, more, _ in texts for note in more), *write_beside(comparison, options)]
    tell(comparison.everything.files, comparison.diagnostics, options)
    if plan:
        others = tuple((other, other_style(other, comparison, selection, layout, options)) for other in plan.styles)
        send_mail(plan, texts[0][0], subject_of(comparison), others, only_file(outputs))
    else:
        for text, _, file in texts:
            write(text, file)
    if not options.quiet:
        say(*notes)
    code = _exit_code(comparison, strict=options.strict)
    if options.gate is None:
        return code
    plain = api.compare(comparison.everything, selection, settings.rules) if style.rules else comparison
    return _gate(plain, outputs, options) or (UNTESTABLE if options.bisect and code else code)


def _gate(comparison: Comparison, outputs: list[Output], options: argparse.Namespace) -> int:
    """Decide whether the kernels may pass, write that in all formats, and keep the new baseline if they may."""
    from compare_kernels.delivery.gate import baseline, formats, policy, result

    chosen = policy.read_policy(Path(options.gate)) if options.gate else policy.Policy()
    decided = result.run_gate(comparison, chosen, different_machine=options.allow_different_machine)
    for output in outputs:
        if output.of_gate:
            write(formats.GATE_FORMATS[output.format](decided), output.file)
    say(*formats.text(decided).splitlines())
    if options.update_baseline and not decided.exit_code:
        write(baseline.baseline_text(comparison), options.update_baseline)
    return decided.bisect_code if options.bisect else decided.exit_code


def _posted(
    text: str, diagnostics: tuple[Diagnostic, ...], options: argparse.Namespace, plan: Plan | None, file: str | None
) -> int:
    """Write or mail a report of posted tables, which has no samples to explain or to export."""
    for option in ("explain", "export", "plots", "only_changed", "sort", "attach"):
        if getattr(options, option):
            raise UsageError(f"--{option.replace('_', '-')} needs the values of runs, which a post doesn't have")
    tell((), diagnostics, options)
    if plan:
        send_mail(plan, text, "posted tables", (), file)
    else:
        write(text, file)
    warned = any(diagnostic.severity > Severity.NOTE for diagnostic in diagnostics)
    return USAGE if options.strict and warned else DONE


def _exit_code(comparison: Comparison, *, strict: bool) -> int:
    worst = max((diagnostic.severity for diagnostic in comparison.diagnostics), default=Severity.NOTE)
    if worst == Severity.ERROR or (strict and worst == Severity.WARNING):
        return USAGE
    return DONE
