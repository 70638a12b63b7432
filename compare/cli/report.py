"""The report in each style that is wanted, the files beside it, and the mail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.cli.files import write
from compare_kernels.cli.terminal import say, wants_color
from compare_kernels.delivery.gate.options import Output
from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from compare_kernels.comparison import Comparison
    from compare_kernels.delivery.outbox import Plan
    from compare_kernels.reporting.render import Style
    from compare_kernels.reporting.view import Layout
    from compare_kernels.selection import Selection


def texts_of(
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
        fitting = layout if own == style else without_names(layout, own)
        texts.append((*_rendered(chosen, own, fitting, options), output.file))
    return texts


def without_names(layout: Layout, style: Style) -> Layout:
    """The layout without what has no place in a style."""
    return replace(
        layout,
        title=layout.title if style.shows("title") else "",
        names=layout.names if style.shows("names") else (),
    )


def _rendered(
    comparison: Comparison, style: Style, layout: Layout, options: argparse.Namespace
) -> tuple[str, list[str]]:
    """The report, and those of its last lines for which a style has no room."""
    from compare_kernels import api
    from compare_kernels.reporting.view import account

    if style.write:
        return style.write(comparison), [account(comparison.samples.files, comparison.diagnostics)]
    report = api.build_report(comparison, style, layout)
    color = wants_color(options.color) and not options.output and not options.mail
    text = api.render_as(report, style, layout, color=color)
    notes = [line for line in (report.hidden, report.account) if line and line not in text]
    return f"No row regressed or improved.\n{text}" if layout.only_changed and not report.tables else text, notes


def other_style(
    style: Style, comparison: Comparison, selection: Selection, layout: Layout, options: argparse.Namespace
) -> str:
    """The same samples as a file in another style, where no line has to be short."""
    from compare_kernels import api

    layout = replace(without_names(layout, style), width=0, ascii=options.ascii, mail=False)
    again = api.compare_for(style, comparison.everything, selection, comparison.rules)
    if style.write:
        return style.write(again)
    return api.render_as(api.build_report(again, style, layout), style, layout)


def send_mail(plan: Plan, text: str, subject: str, others: tuple[tuple[Style, str], ...], file: str | None) -> None:
    """Put the report into a mail; write and send it, as the options say."""
    from compare_kernels.delivery import outbox

    mail = outbox.make_mail(plan, text, subject, others)
    say(*plan.remarks)
    if file or plan.server is None:
        write(mail.message.decode(), file)
    outbox.hand_in(plan, mail, file, say)


def subject_of(comparison: Comparison) -> str:
    """The subject of a mail whose user gave none."""
    from compare_kernels.delivery import outbox

    verdicts = comparison.frame["verdict"].dropna().astype(str).tolist()
    return outbox.default_subject(comparison.samples.kernels, verdicts)


def write_beside(comparison: Comparison, options: argparse.Namespace) -> list[str]:
    """Write samples and plots to files of their own; return what there is to say of them."""
    from compare_kernels import api

    if options.export:
        api.export(comparison, options.export)
    if options.plots is None:
        return []
    count = api.write_plots(comparison, options.plots, options.plot_format)
    return [f"{count} plot{'s' * (count != 1)} in {options.plots}"]


def only_file(outputs: list[Output]) -> str | None:
    """The one file that is written; None for the standard output."""
    if len(outputs) > 1:
        raise UsageError("this can be written to one file only")
    return outputs[0].file if outputs else None
