"""From the bytes of a mail, an mbox or a plain text to its lines.

Mails are taken apart by Python's `email`. Where the transfer encoding keeps lines (7bit, 8bit, binary), a line's
number is that of the file, which is what a reader opens; otherwise it counts the lines of the decoded part.
"""

from __future__ import annotations

import codecs
import re
from email import message_from_bytes
from email.header import decode_header, make_header
from typing import TYPE_CHECKING

from compare_kernels.posted.model import Origin, PostedText
from compare_kernels.posted.quoting import plain_lines
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    Mail = Message[str, str]

_SEPARATOR = re.compile(rb"(?m)^From [^\n]*\d\d:\d\d(?::\d\d)?[^\n]*\d{4}[^\n]*$")
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:[ \t]|[A-Za-z][A-Za-z0-9-]*:\Z")
_KNOWN = re.compile(
    rb"(?mi)^(from|to|date|subject|message-id|mime-version|content-type|received|return-path|references|cc|reply-to):"
)
_ESCAPED_FROM = re.compile(rb"(?m)^>(?=>*From )")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_KEEPS_LINES = {"", "7bit", "8bit", "binary"}
_HEAD = 1 << 16


def texts_in(data: bytes, path: str) -> list[PostedText]:
    """Return the texts of a file: one for each text part of each mail, or the whole of a file that is no mail.

    Args:
        data: the file's content, decompressed.
        path: what to call it.
    """
    data = data.replace(b"\r\n", b"\n")
    starts = _mbox_starts(data)
    if not starts:
        if not _is_mail(data):
            return [PostedText(Origin(path), plain_lines(_decoded(data, "").split("\n")))]
        return list(_mail_texts(data, path, 0, 0))
    texts: list[PostedText] = []
    line = data.count(b"\n", 0, starts[0])
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(data)], strict=True), start=1):
        body = data.find(b"\n", start, end) + 1 or end
        texts += _mail_texts(_ESCAPED_FROM.sub(b"", data[body:end]), path, number if len(starts) > 1 else 0, line + 1)
        line += data.count(b"\n", start, end)
    return texts


def _mbox_starts(data: bytes) -> list[int]:
    """Where mails begin: lines with a date behind ``From``, at the start or behind a blank line, above a header."""
    if not data.startswith(b"From "):
        return []
    starts = []
    for found in _SEPARATOR.finditer(data):
        before = found.start()
        if before and data[max(0, before - 2) : before] != b"\n\n":
            continue
        following = data[found.end() + 1 : found.end() + 200].split(b"\n", 1)[0]
        if _FIELD.match(following) or following.startswith(b">From "):
            starts.append(before)
    return starts


def _is_mail(data: bytes) -> bool:
    """Whether it begins with header lines of which two or more are those of mails."""
    head = data[:_HEAD].split(b"\n\n", 1)[0]
    lines = head.split(b"\n")
    if not all(_FIELD.match(line) or line[:1] in (b" ", b"\t") for line in lines) or lines[0][:1] in (b" ", b"\t"):
        return False
    return len({name.lower() for name in _KNOWN.findall(head)}) >= 2


def _mail_texts(raw: bytes, path: str, number: int, before: int) -> Iterator[PostedText]:
    """The text parts of one mail; ``before`` lines of the file stand above it."""
    try:
        mail = message_from_bytes(raw)
        parts = [part for part in mail.walk() if _is_text(part)]
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError):
        # Whatever its headers claim, the text is there.
        yield PostedText(Origin(path, number), plain_lines(_decoded(raw, "").split("\n"), before + 1))
        return
    subject, message_id = _header(mail, "Subject"), _header(mail, "Message-ID")
    cursor = 0
    for index, part in enumerate(parts, start=1):
        content = _content(part)
        text = _decoded(content, _parameter(part, "charset"))
        flowed = _parameter(part, "format").lower() == "flowed"
        delsp = _parameter(part, "delsp").lower() == "yes"
        at = raw.find(content, cursor) if content and _keeps_lines(part) else -1
        cursor = max(cursor, at + len(content))
        first = before + 1 + raw.count(b"\n", 0, at) if at >= 0 else 1
        named = f"decoded text part {index}" if len(parts) > 1 else "decoded text"
        origin = Origin(path, number, subject, message_id, "" if at >= 0 else named)
        yield PostedText(origin, plain_lines(text.split("\n"), first, flowed=flowed, delsp=delsp))


def _is_text(part: Mail) -> bool:
    if part.is_multipart():
        return False
    if part.get_content_maintype() == "text":
        return part.get_content_subtype() not in ("html", "css", "javascript", "calendar")
    name = part.get_filename() or ""
    return name.lower().endswith((".txt", ".log"))


def _keeps_lines(part: Mail) -> bool:
    return str(part.get("Content-Transfer-Encoding", "")).strip().lower() in _KEEPS_LINES


def _content(part: Mail) -> bytes:
    """The part's bytes without transfer encoding; as they stand if the encoding is damaged."""
    try:
        content = part.get_payload(decode=True)
    except (ValueError, LookupError):
        content = None
    if isinstance(content, bytes):
        return content.replace(b"\r\n", b"\n")
    return str(part.get_payload()).encode("utf-8", "surrogateescape")


def _parameter(part: Mail, name: str) -> str:
    try:
        value = part.get_param(name, "")
    except (ValueError, LookupError):
        return ""
    return str(value[2] if isinstance(value, tuple) else value or "")


def _header(mail: Mail, name: str) -> str:
    """A header's text, decoded and made harmless."""
    value = mail.get(name, "")
    try:
        text = str(make_header(decode_header(str(value))))
    except (ValueError, LookupError):
        text = str(value)
    return printable(re.sub(r"\s+", " ", text).strip())


def _decoded(content: bytes, charset: str) -> str:
    """Text in its charset; where that is unknown, wrong or a lie, as UTF-8 or else Latin-1."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return content[len(bom) :].decode(encoding, errors="replace")
    for encoding in (charset, "utf-8"):
        try:
            text = content.decode(encoding) if encoding else None
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
        if text is not None:
            return text.replace("\r\n", "\n")
    return content.decode("latin-1")
