"""A stranger's mail that is answered: whom the answer goes to, its subject, its thread, and the text to quote."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compare_kernels.delivery.addresses import each_once, found_in
from compare_kernels.delivery.headers import decoded, message_ids, one_line, text_of
from compare_kernels.delivery.mail import LONGEST_LINE, Envelope
from compare_kernels.errors import UsageError
from compare_kernels.text import without_escapes

if TYPE_CHECKING:
    from email.message import Message

    from compare_kernels.delivery.addresses import Address

LARGEST = 2 << 20
"""Bytes of a mail that is read: more than any mailing list for patches takes."""

_LONGEST_SUBJECT = 400
_LONGEST_THREAD = 30
_LONGEST_HEADER = 4000
_MOST_PARTS = 10_000
_QUOTED_WIDTH = 240

_FIELD = re.compile(r"([!-9;-~]+)[ \t]*:(.*)", re.DOTALL)
_NEXT_MAIL = re.compile(rb"\n\nFrom [^\n]* \d{4}\n[!-9;-~]+:")
_CONTENT_HEADER = re.compile(rb"(?mi)^content-[a-z-]+[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*+")
_DATE = re.compile(r"[A-Za-z0-9,:+ -]{10,40}")


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer to all readers of a mail begins with.

    Attributes:
        envelope: whom, what about, in which thread.
        author: name or address of who wrote the mail.
        left_out: what stands in the place of a recipient but is no address.
        threaded: whether the mail has a Message-ID that the answer can name.
    """

    envelope: Envelope
    author: str
    left_out: tuple[str, ...]
    threaded: bool


def read_mail(path: str) -> bytes:
    """Read a file that holds one mail, plain or as an mbox.

    Returns:
        The mail with bare newlines.

    Raises:
        UsageError: if there is no such file, or it is too large, or holds several mails.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (a Path of a name with a NUL says less)
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{path}: larger than {LARGEST >> 20} MiB, which is no mail of a list")
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.lstrip(b"\n")
    if data.startswith(b"From "):
        if more := len(_NEXT_MAIL.findall(data)):
            raise UsageError(f"{path}: an mbox of {more + 1} mails; give a file with the one to reply to")
        data = re.sub(rb"(?m)^>(>*From )", rb"\1", data.partition(b"\n")[2])
    return data


def reply_to(original: bytes, sender: Address) -> Reply:
    """Begin an answer to all readers of a mail; an answer to one's own mail goes to those who got that.

    Args:
        original: the mail, from `read_mail`.
        sender: who answers; not written to.

    Raises:
        UsageError: if it is no mail, or nobody is known who could be answered.
    """
    headers = _headers(original)
    fields = {name: found_in(", ".join(headers.get(name, ()))) for name in ("reply-to", "from", "to", "cc")}
    authors = fields["from"][0]
    if not authors and not fields["reply-to"][0]:
        raise UsageError("the message to reply to names no sender: is it a mail?")
    answered = fields["reply-to"][0] or authors
    if {sender.key} >= {address.key for address in answered}:
        to, others = fields["to"][0], fields["cc"][0]
    else:
        to, others = answered, fields["to"][0] + fields["cc"][0]
    to = each_once(to, but=[sender])
    subject = one_line(decoded(_first(headers, "subject")[: 10 * _LONGEST_SUBJECT]))[:_LONGEST_SUBJECT]
    own_id = message_ids(_first(headers, "message-id"))[:1]
    before = message_ids(_first(headers, "references")) or message_ids(_first(headers, "in-reply-to"))[:1]
    if len(before) > _LONGEST_THREAD:
        # The first one holds a thread together, the last ones place the answer in it.
        before = [before[0], *before[1 - _LONGEST_THREAD :]]
    envelope = Envelope(
        sender,
        to,
        each_once(others, but=[sender, *to]),
        subject if re.match(r"(?i)re:", subject) else f"Re: {subject}".strip(),
        "".join(own_id),
        tuple(before),
    )
    wrong = tuple(text for name in fields for text in fields[name][1])
    first = (authors or answered)[0]
    return Reply(envelope, first.name or first.spec, wrong, bool(own_id))


def quoted(original: bytes, author: str) -> str:
    """The plain text of a mail without its signature, each line behind ``>``, for the head of an answer.

    Args:
        original: the mail, from `read_mail`.
        author: who wrote it.

    Raises:
        UsageError: if the mail has no plain text, or is made to keep its readers busy.
    """
    date = one_line(_first(_headers(original), "date"))
    text = _plain_text(original)
    if text is None:
        raise UsageError("the message to reply to has no plain text to quote")
    lines = []
    for raw in text.split("\n"):
        if raw == "-- ":
            break
        line = without_escapes(raw).rstrip()
        fits = len(line.encode(errors="replace")) < LONGEST_LINE - 2
        lines += [line] if fits else textwrap.wrap(line, _QUOTED_WIDTH)
    while lines and not lines[-1]:
        lines.pop()
    begin = f"On {date}, {author}" if _DATE.fullmatch(date) else f"In that mail {author}"
    marked = (f">{line}" if line.startswith(">") else f"> {line}".rstrip() for line in lines)
    return "".join(f"{line}\n" for line in [f"{begin} wrote:", *marked, ""])


def _first(headers: dict[str, list[str]], name: str) -> str:
    return headers.get(name, [""])[0]


def _headers(original: bytes) -> dict[str, list[str]]:
    """The headers of a mail, unfolded, by name in lower case; lines that are none are passed over."""
    head = original.partition(b"\n\n")[0].decode(errors="replace")
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\n(?=[ \t])", "", head).split("\n"):
        if field := _FIELD.fullmatch(line):
            found.setdefault(field[1].lower(), []).append(field[2].strip())
    return found


def _plain_text(original: bytes) -> str | None:
    """The first part of plain text that is no attachment."""
    from email import message_from_bytes, policy

    # Python's parser takes time with the square of a parameter's length, and much of it for each part.
    if any(len(found[0]) > _LONGEST_HEADER for found in _CONTENT_HEADER.finditer(original)):
        raise UsageError("the message to reply to has headers of parts that are too long")
    if original.count(b"\n--") > _MOST_PARTS:
        raise UsageError("the message to reply to has too many parts")
    try:
        for part in message_from_bytes(original, policy=policy.compat32).walk():
            if part.get_content_type() == "text/plain" and part.get_content_disposition() != "attachment":
                return _content(part)
    except Exception as error:  # whatever the parser makes of a mail that was made to break it
        raise UsageError(f"the message to reply to can't be read: {type(error).__name__}") from error
    return None


def _content(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    text = text_of(data, str(part.get_content_charset("utf-8")))
    return "\n".join(text.splitlines())
