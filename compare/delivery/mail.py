"""A report as a mail that mail programs, git and mailing lists take as it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from compare_kernels.delivery.addresses import list_words
from compare_kernels.delivery.headers import folded, one_line, words
from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compare_kernels.delivery.addresses import Address

LONGEST_LINE = 998
"""Bytes in a line that RFC 5322 lets through unencoded."""

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail.

    Attributes:
        name: of the file, in letters, digits, dots and dashes.
        type: its content type, such as ``text/markdown``.
        text: the content.
    """

    name: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class Envelope:
    """All of a mail but its text.

    Attributes:
        sender: who writes.
        to: whom.
        cc: who gets a copy.
        subject: any text; it is made one line.
        in_reply_to: Message-ID of the mail that this one answers, in angle brackets; empty if there is none.
        references: Message-IDs of the thread, the oldest first.
    """

    sender: Address
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    subject: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()

    @property
    def recipients(self) -> tuple[Address, ...]:
        """All who get the mail."""
        return self.to + self.cc


def compose(envelope: Envelope, text: str, moment: datetime, attachments: Sequence[Attachment] = ()) -> bytes:
    """Make the mail.

    Nothing in it can become a header that isn't meant: a subject is made one line, an address is one.

    Args:
        envelope: who, whom, what about, in which thread.
        text: the plain text, in lines of at most `LONGEST_LINE` bytes, the last one ended.
        moment: its date.
        attachments: files.

    Returns:
        The mail with bare newlines. The text is encoded as 7bit or, if it isn't ASCII, as 8bit, so that no line of a
        table is folded. The same arguments give the same bytes.

    Raises:
        UsageError: if a line is too long to be sent unencoded.
    """
    longest = max((len(line.encode()) for line in text.split("\n")), default=0)
    if longest > LONGEST_LINE:
        raise UsageError(f"a line of {longest} bytes can't be mailed unfolded: try --width 78, or fewer kernels")
    digest = _digest(envelope, text, moment, attachments)
    head = _head(envelope, moment, digest)
    if not attachments:
        return "".join([*head, _part("text/plain", text)]).encode()
    boundary = f"=_{digest}"
    parts = [_part("text/plain", text), *(_file(attachment) for attachment in attachments)]
    way = "7bit" if all(part.isascii() for part in parts) else "8bit"
    return "".join(
        [
            *head,
            f'Content-Type: multipart/mixed; boundary="{boundary}"\nContent-Transfer-Encoding: {way}\n\n',
            *(f"--{boundary}\n{part}\n" for part in parts),
            f"--{boundary}--\n",
        ]
    ).encode()


def _head(envelope: Envelope, moment: datetime, digest: str) -> list[str]:
    """The headers that say who, whom, when and what about."""
    moment = moment.astimezone(UTC)
    # No name of the machine goes out with the Message-ID.
    new_id = f"<{moment:%Y%m%d%H%M%S}.{digest}@{envelope.sender.domain.strip('[]').replace(':', '.')}>"
    lines = [folded("From", envelope.sender.words())]
    lines += [folded(name, list_words(who)) for name, who in (("To", envelope.to), ("Cc", envelope.cc)) if who]
    lines += [
        folded("Subject", words(one_line(envelope.subject))),
        f"Date: {_date(moment)}\n",
        folded("Message-ID", [new_id]),
    ]
    if envelope.in_reply_to:
        thread = dict.fromkeys((*envelope.references, envelope.in_reply_to))
        lines += [folded("In-Reply-To", [envelope.in_reply_to]), folded("References", thread)]
    return [*lines, "MIME-Version: 1.0\n"]


def _date(moment: datetime) -> str:
    """The moment in words that no locale changes."""
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day}, {moment.day:02} {month} {moment.year:04} {moment:%H:%M:%S} +0000"


def _part(kind: str, text: str, about: str = "") -> str:
    way = "7bit" if text.isascii() else "8bit"
    return f"Content-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: {way}\n{about}\n{text}"


def _file(attachment: Attachment) -> str:
    """A file: readable if every byte of it survives so, or else as base64."""
    import base64

    about = f'Content-Disposition: attachment; filename="{attachment.name}"\n'
    if _survives(attachment.text):
        return _part(attachment.type, attachment.text, about)
    content = base64.encodebytes(attachment.text.encode()).decode()
    kind = f"Content-Type: {attachment.type}; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    return f"{kind}{about}\n{content}"


def _survives(text: str) -> bool:
    """Whether a text arrives unchanged: mail programs change ``From``, ends of lines and what is behind the last."""
    lines = text.split("\n")
    return lines[-1] == "" and not any(
        len(line.encode()) > LONGEST_LINE or line.startswith("From ") or line != line.rstrip() or "\0" in line
        for line in lines
    )


def _digest(envelope: Envelope, text: str, moment: datetime, attachments: Sequence[Attachment]) -> str:
    content = repr((envelope, text, moment.timestamp(), list(attachments)))
    return hashlib.sha256(content.encode()).hexdigest()[:20]
