"""The mail options of the command: whether they fit together, and what they come to."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from compare_kernels.delivery.addresses import Address
    from compare_kernels.delivery.mail import Envelope
    from compare_kernels.delivery.outbox import Plan
    from compare_kernels.delivery.reply import Reply
    from compare_kernels.delivery.smtp import Server
    from compare_kernels.reporting.render import Style

WIDTH = 78
"""Characters in a line of a mail's report, unless the user says another number."""

_SENDING = ("smtp_server", "smtp_port", "smtp_encryption", "smtp_user", "yes")
_NEED_MAIL = (
    *("to", "cc", "sender", "subject", "in_reply_to", "reply_to_message", "quote", "attach", "send", "dry_run"),
    *_SENDING,
)


def plan_mail(options: argparse.Namespace, style: Style) -> Plan | None:
    """Check the mail options, and find out all that they and git say; None if no mail is wanted.

    Args:
        options: what the command was given.
        style: of the report.

    Raises:
        UsageError: if options don't fit together, or something that they name isn't there.
    """
    from compare_kernels.delivery.outbox import Plan, now

    _check(options, style)
    if not options.mail:
        return None
    envelope, quoted, remarks = _envelope(options)
    sends = options.send or options.dry_run
    if sends and not envelope.recipients:
        raise UsageError("nobody to send to: give --to")
    return Plan(
        envelope,
        quoted,
        _styles(options.attach),
        _server(options) if sends else None,
        ask=not options.yes,
        rehearse=options.dry_run,
        remarks=remarks,
        moment=now(),
    )


def _check(options: argparse.Namespace, style: Style) -> None:
    values = {name: getattr(options, name) for name in _NEED_MAIL}
    # A port of 0 was given, too.
    given = [name for name, value in values.items() if value is not None and value is not False and value != []]
    if given and not options.mail:
        raise UsageError(f"{_spelt(given[0])} needs --mail")
    sending = [name for name in _SENDING if name in given]
    if sending and not (options.send or options.dry_run):
        raise UsageError(f"{_spelt(sending[0])} needs --send or --dry-run")
    if options.quote and options.reply_to_message is None:
        raise UsageError("--quote needs --reply-to-message")
    if options.in_reply_to is not None and options.reply_to_message is not None:
        raise UsageError("give either --in-reply-to or --reply-to-message")
    if not options.mail:
        return
    if options.explain:
        raise UsageError("--explain can't be mailed")
    if style.ending not in {"txt", "md"}:
        raise UsageError(f"style {style.name} is no plain text; try --attach {style.name}")
    if options.send and not (options.yes or options.dry_run or _can_ask()):
        raise UsageError("there is no terminal to ask at: --send needs --yes")


def _spelt(name: str) -> str:
    return "--from" if name == "sender" else f"--{name.replace('_', '-')}"


def _can_ask() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _envelope(options: argparse.Namespace) -> tuple[Envelope, str, tuple[str, ...]]:
    """The envelope, the quoted text, and what to know of the mail that is answered."""
    from compare_kernels.delivery import addresses, headers, mail, reply

    sender = _sender(options.sender)
    envelope, quoted = mail.Envelope(sender), ""
    remarks: tuple[str, ...] = ()
    if options.reply_to_message is not None:
        original = reply.read_mail(options.reply_to_message)
        begun = reply.reply_to(original, sender)
        envelope, remarks = begun.envelope, _remarks(begun)
        quoted = reply.quoted(original, begun.author) if options.quote else ""
    elif options.in_reply_to is not None:
        envelope = replace(envelope, in_reply_to=headers.message_id(options.in_reply_to))
    to = addresses.each_once((*envelope.to, *addresses.given(options.to, "--to")))
    cc = addresses.each_once((*envelope.cc, *addresses.given(options.cc, "--cc")), but=to)
    subject = envelope.subject if options.subject is None else headers.one_line(options.subject)
    if options.subject is not None and not subject:
        raise UsageError("--subject is empty")
    return replace(envelope, to=to, cc=cc, subject=subject), quoted, remarks


def _sender(text: str | None) -> Address:
    from compare_kernels.delivery import addresses, git, headers

    if text is not None:
        found = addresses.given([text], "--from")
    else:
        own = git.setting("user.email")
        if not own:
            raise UsageError("no sender: give --from, or set git's user.name and user.email")
        name = headers.one_line(git.setting("user.name"))
        found = tuple(replace(address, name=name) for address in addresses.given([f"<{own}>"], "git's user.email"))
    if len(found) != 1:
        raise UsageError("a mail has one sender: --from, or git's user.email, names several")
    return found[0]


def _remarks(begun: Reply) -> tuple[str, ...]:
    remarks = []
    if not begun.threaded:
        remarks.append("the message to reply to has no Message-ID: the mail begins a thread of its own")
    if begun.left_out:
        shown = ", ".join(begun.left_out[:3]) + (", ..." if len(begun.left_out) > 3 else "")
        remarks.append(f"recipients left out that are no addresses in ASCII ({len(begun.left_out)}): {shown}")
    return tuple(remarks)


def _styles(texts: Sequence[str]) -> tuple[Style, ...]:
    from compare_kernels.reporting.render import find_style

    names = [name.strip() for text in texts for name in text.split(",")]
    return tuple(find_style(name) for name in dict.fromkeys(names))


def _server(options: argparse.Namespace) -> Server:
    from compare_kernels.delivery import smtp

    return smtp.find_server(options.smtp_server, options.smtp_port, options.smtp_encryption, options.smtp_user)
