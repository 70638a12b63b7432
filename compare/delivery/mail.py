"""A report as a mail that mail programs, git and mailing lists take as it is."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, getaddresses
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.text import printable, without_escapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST_LINE = 998
"""Characters in a line that RFC 5322 lets through unencoded."""

_POLICY = policy.EmailPolicy(max_line_length=78, linesep="\n", utf8=False)
_MESSAGE_ID = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")
_ADDRESS = re.compile(r"[^\s<>@,;:\"()\\]+@[A-Za-z0-9.\[\]:-]+")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail.

    Attributes:
        name: of the file.
        subtype: of the type ``text``, or ``json`` of ``application``.
        text: the content.
    """

    name: str
    subtype: str
    text: str


@dataclass(frozen=True, slots=True)
class Envelope:
    """All of a mail but its text.

    Attributes:
        sender: one address, with or without name.
        to: addresses.
        cc: addresses.
        subject: one line.
        in_reply_to: Message-ID of the mail that this one answers, in angle brackets; empty if there is none.
        references: Message-IDs of the thread, the oldest first.
    """

    sender: str
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    subject: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()


def addresses(texts: Iterable[str], option: str) -> tuple[str, ...]:
    """Split texts such as ``A <a@example.org>, b@example.org`` into addresses, each once.

    Raises:
        UsageError: if one of them is no address.
    """
    found: dict[str, str] = {}
    for text in texts:
        pairs = getaddresses([text], strict=True)
        for name, address in pairs:
            if not _ADDRESS.fullmatch(address):
                raise UsageError(f"{option}: {printable(text)!r} is no mail address")
            found.setdefault(address.lower(), formataddr((printable(name), address)))
    return tuple(found.values())


def message_id(text: str) -> str:
    """A Message-ID given by hand, with or without angle brackets.

    Raises:
        UsageError: if it is none.
    """
    found = f"<{text.strip().strip('<>')}>"
    if not _MESSAGE_ID.fullmatch(found):
        raise UsageError(f"{printable(text)!r} is no Message-ID such as <20260101.1@example.org>")
    return found


def reply_to(original: bytes, sender: str) -> tuple[Envelope, str]:
    """The envelope of an answer to all readers of a mail, and its text, quoted.

    Args:
        original: the mail.
        sender: who answers; not written to.

    Raises:
        UsageError: if it is no mail.
    """
    mail = message_from_bytes(original, policy=policy.default)
    author = _headers(mail, "Reply-To") or _headers(mail, "From")
    if not author:
        raise UsageError("the message to reply to has no sender: is it a mail?")
    own = {address.lower() for _, address in getaddresses([sender])}
    to = addresses(author, "From")
    others = [text for name in ("To", "Cc") for text in _headers(mail, name)]
    cc = [text for text in _known(others) if _bare(text) not in own | {_bare(first) for first in to}]
    subject = " ".join(printable(str(mail.get("Subject", ""))).split())
    ids = _MESSAGE_ID.findall(str(mail.get("Message-ID", "")))
    thread = _MESSAGE_ID.findall(str(mail.get("References", ""))) or _MESSAGE_ID.findall(
        str(mail.get("In-Reply-To", ""))
    )
    envelope = Envelope(
        sender,
        to,
        tuple(cc),
        subject if re.match(r"(?i)re:", subject) else f"Re: {subject}".strip(),
        ids[0] if ids else "",
        tuple(dict.fromkeys((*thread, *ids[:1]))),
    )
    return envelope, _quoted(mail)


def _headers(mail: EmailMessage, name: str) -> list[str]:
    return [str(value) for value in mail.get_all(name, [])]


def _known(texts: Iterable[str]) -> list[str]:
    """The addresses in headers of a stranger's mail; what is none is left out."""
    found: dict[str, str] = {}
    for name, address in getaddresses(list(texts), strict=False):
        if _ADDRESS.fullmatch(address):
            found.setdefault(address.lower(), formataddr((printable(name), address)))
    return list(found.values())


def _bare(text: str) -> str:
    return getaddresses([text])[0][1].lower()


def _quoted(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    if body is None:
        return ""
    try:
        text = body.get_content()
    except (LookupError, ValueError):
        return ""
    lines = [without_escapes(line).rstrip() for line in str(text).splitlines()]
    author = printable(str(mail.get("From", "the author")))
    return "".join(
        [
            f"{author} wrote:\n",
            *(f">{'' if not line or line.startswith('>') else ' '}{line}\n" for line in lines),
            "\n",
        ]
    )


def compose(envelope: Envelope, text: str, moment: datetime, attachments: Sequence[Attachment] = ()) -> EmailMessage:
    """Make the mail.

    Nothing in it can become a header that isn't meant, for header texts are made one line before.

    Args:
        envelope: who, whom, what about, in which thread.
        text: the plain text, in lines of at most `LONGEST_LINE` characters.
        moment: its date.
        attachments: files.

    Returns:
        A mail whose text is encoded as 7bit or, if it isn't ASCII, as 8bit, so that no line of a table is folded.

    Raises:
        UsageError: if a line is too long to be sent unencoded.
    """
    longest = max((len(line.encode()) for line in text.splitlines()), default=0)
    if longest > LONGEST_LINE:
        raise UsageError(f"a line of {longest} bytes can't be mailed unfolded: try --width 78, or fewer kernels")
    mail = EmailMessage(_POLICY)
    mail["From"] = envelope.sender
    for name, values in (("To", envelope.to), ("Cc", envelope.cc)):
        if values:
            mail[name] = ", ".join(values)
    mail["Subject"] = " ".join(printable(envelope.subject).split())
    mail["Date"] = format_datetime(moment.astimezone(UTC))
    mail["Message-ID"] = _new_id(envelope, text, moment)
    if envelope.in_reply_to:
        mail["In-Reply-To"] = envelope.in_reply_to
        mail["References"] = " ".join(dict.fromkeys((*envelope.references, envelope.in_reply_to)))
    mail.set_content(text, charset="utf-8", cte="7bit" if text.isascii() else "8bit")
    for file in attachments:
        if file.subtype == "json":
            mail.add_attachment(file.text.encode(), "application", "json", filename=file.name)
        else:
            mail.add_attachment(file.text, subtype=file.subtype, filename=file.name)
    return mail


def _new_id(envelope: Envelope, text: str, moment: datetime) -> str:
    """A Message-ID that depends on nothing but the mail: no name of the machine goes out with it."""
    content = "\0".join((repr(envelope), text, moment.isoformat()))
    digest = hashlib.sha256(content.encode(errors="surrogateescape")).hexdigest()[:20]
    return f"<{moment.astimezone(UTC):%Y%m%d%H%M%S}.{digest}@{_bare(envelope.sender).partition('@')[2]}>"
