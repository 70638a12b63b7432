"""What becomes of a report that is mailed: it's put into a mail, shown, sent, and kept if it couldn't be sent."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compare_kernels.delivery.mail import Attachment, Envelope, compose
from compare_kernels.errors import UsageError
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from compare_kernels.delivery.smtp import Server
    from compare_kernels.reporting.render import Style

    Say = Callable[[str], None]

TYPES = {
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "csv": "text/csv",
    "json": "application/json",
}
"""Content type by the ending of a file."""

_SHOWN_LINES = 20
_SHOWN_RECIPIENTS = 40
_LONGEST_KERNEL = 40


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done with a report, all of it known before anything is read.

    Attributes:
        envelope: of the mail; its subject is empty if the comparison shall make it.
        quoted: text above the report.
        styles: what is attached.
        server: where the mail is handed in; None if it isn't.
        ask: whether somebody is asked before.
        rehearse: whether nothing is sent in the end.
        remarks: what the user should know of the mail that is answered.
        moment: the mail's date.
    """

    envelope: Envelope
    quoted: str
    styles: tuple[Style, ...]
    server: Server | None
    ask: bool
    rehearse: bool
    remarks: tuple[str, ...]
    moment: datetime


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A mail that is ready.

    Attributes:
        envelope: who, whom, what about.
        text: above the attachments.
        files: what is attached.
        message: all of it as bytes with bare newlines.
    """

    envelope: Envelope
    text: str
    files: tuple[Attachment, ...]
    message: bytes


def default_subject(kernels: Sequence[str], verdicts: Sequence[str]) -> str:
    """Subject of a report: which kernels, and how many rows got each verdict.

    Args:
        kernels: their names, the baseline first.
        verdicts: one word for each row under each kernel besides the baseline.
    """
    from collections import Counter

    from compare_kernels.statistics.verdicts import VERDICTS

    base, *others = (_short(kernel) for kernel in kernels)
    what = others[0] if len(others) == 1 else f"{len(others)} kernels"
    counts = Counter(verdicts)
    counted = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    return f"{what} against {base}: {counted or 'no verdicts'}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_KERNEL else f"{name[: _LONGEST_KERNEL - 3]}..."


def make_mail(plan: Plan, report: str, subject: str, rendered: Sequence[tuple[Style, str]]) -> Outgoing:
    """Put a report into the mail of a plan.

    Args:
        plan: from `compare_kernels.delivery.options.plan_mail`.
        report: the text.
        subject: of the mail, unless the plan has another.
        rendered: the same comparison in other styles, which are attached.

    Raises:
        UsageError: if the report can't be mailed as it is.
    """
    envelope = plan.envelope if plan.envelope.subject else replace(plan.envelope, subject=subject)
    text, files = plan.quoted + report, _files(rendered)
    return Outgoing(envelope, text, files, compose(envelope, text, plan.moment, files))


def _files(rendered: Sequence[tuple[Style, str]]) -> tuple[Attachment, ...]:
    """``report.md`` and the like; the style's name stands in it where the ending says too little."""
    endings = [style.ending for style, _ in rendered]
    files = []
    for style, text in rendered:
        alone = style.ending != "txt" and endings.count(style.ending) == 1
        name = f"report{'' if alone else f'-{style.name}'}.{style.ending}"
        files.append(Attachment(name, TYPES.get(style.ending, "text/plain"), text))
    return tuple(files)


def now() -> datetime:
    """The moment that the mail bears: now, or what SOURCE_DATE_EPOCH says."""
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH is {printable(epoch)!r}, which is no number of seconds") from error


def hand_in(plan: Plan, mail: Outgoing, kept: str | None, say: Say) -> None:
    """Show a mail, ask, and send it, as far as the plan says so.

    Args:
        plan: from `compare_kernels.delivery.options.plan_mail`.
        mail: from `make_mail`.
        kept: the file that holds the mail already; without one it's written to a new file if it couldn't be sent.
        say: tells the user a line.

    Raises:
        UsageError: if the mail couldn't be sent to all its recipients.
    """
    from compare_kernels.delivery import smtp

    if plan.server is None:
        return
    _show(plan.server, mail, say)
    if plan.rehearse:
        say("nothing was sent (--dry-run)")
        return
    if plan.ask and not _agreed(say):
        say("nothing was sent")
        return
    recipients = [address.spec for address in mail.envelope.recipients]
    try:
        smtp.send(mail.message, mail.envelope.sender.spec, recipients, plan.server)
    except (UsageError, KeyboardInterrupt):
        say(f"the mail is kept in {kept or _keep(mail.message)}")
        raise
    say(f"sent to {_counted(recipients)} by {plan.server.host}")


def _show(server: Server, mail: Outgoing, say: Say) -> None:
    """What is sent to whom, and how."""
    lines = mail.text.rstrip("\n").split("\n")
    for line in lines[:_SHOWN_LINES]:
        say(f"  {line}".rstrip())
    if len(lines) > _SHOWN_LINES:
        say(f"  ... {len(lines) - _SHOWN_LINES} more lines")
    envelope = mail.envelope
    say(f"Subject: {printable(envelope.subject)}")
    if envelope.in_reply_to:
        say(f"In-Reply-To: {envelope.in_reply_to}")
    for file in mail.files:
        say(f"Attached: {file.name}, {file.type}, {len(file.text.encode())} bytes")
    say(f"From: {envelope.sender}")
    for name, addresses in (("To", envelope.to), ("Cc", envelope.cc)):
        for address in addresses[:_SHOWN_RECIPIENTS]:
            say(f"{name}: {address}")
        if len(addresses) > _SHOWN_RECIPIENTS:
            say(f"{name}: ... and {len(addresses) - _SHOWN_RECIPIENTS} more")
    say(f"to {_counted(envelope.recipients)} by {server}")


def _counted(recipients: Sequence[object]) -> str:
    return f"{len(recipients)} recipient{'s' * (len(recipients) != 1)}"


def _agreed(say: Say) -> bool:
    say("Send it? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _keep(message: bytes) -> str:
    """Write the mail to a new file here, or where temporary files are; return its name."""
    import tempfile
    from pathlib import Path

    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            handle, name = tempfile.mkstemp(prefix="unsent-", suffix=".eml", dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(message)
        except OSError:
            continue
        return name
    return "no file, for none could be written"
