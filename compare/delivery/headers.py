"""Texts of mail headers: made one line, encoded where they aren't plain ASCII, folded, and read again.

All of it is done here and not by Python's email package, whose folding differs between versions and, in some of
those in use, splits lists of addresses at wrong places; and whose parser takes minutes for headers made for that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compare_kernels.errors import UsageError
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 78
"""Characters in a line of a header, as far as its words allow."""

_LONGEST_ID = 250
_LONGEST_WORD = 60
"""Characters of a word of text; a longer one is encoded, for encoded words can be split."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!*+-/")
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]+@[!-;=?A-~]+>")
_BETWEEN_ENCODED = re.compile(r"(?<=\?=)[ \t\r\n]+(?==\?)")
_ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*)\?=")
_CHARSETS = re.compile(
    r"ascii|utf-8|utf-16|iso8859-\d+|cp\d+|koi8-[rtu]|gb\w+|hz|big5\w*|euc_\w+|iso2022_\w+|shift_\w+"
)


def one_line(text: str) -> str:
    """The text as one line of printable characters with single blanks: nothing in it can begin another header."""
    return " ".join(printable(" ".join(text.split())).split())


def words(text: str) -> list[str]:
    """One line of text as the words of a header: as they are, or as encoded words of RFC 2047."""
    plain = text.split(" ")
    if text.isascii() and "=?" not in text and max(map(len, plain)) <= _LONGEST_WORD:
        return plain
    return encoded(text)


def encoded(text: str) -> list[str]:
    """One line of text as encoded words, none of which splits a character."""
    parts = [""]
    for char in text:
        code = char if char in _PLAIN else "_" if char == " " else "".join(f"={byte:02X}" for byte in char.encode())
        if len(parts[-1]) + len(code) > _LONGEST_WORD - len("=?utf-8?q??="):
            parts.append("")
        parts[-1] += code
    return [f"=?utf-8?q?{part}?=" for part in parts]


def folded(name: str, values: Iterable[str]) -> str:
    """A header, folded between words; the first one stands beside the header's name, however long it is."""
    lines = [f"{name}:"]
    for index, word in enumerate(values):
        if index and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"{line}\n" for line in lines)


def decoded(raw: str) -> str:
    """The text of a stranger's header with its encoded words read; one that can't be read stands as it is."""
    return _ENCODED.sub(_decoded_word, _BETWEEN_ENCODED.sub("", raw))


def _decoded_word(found: re.Match[str]) -> str:
    import binascii

    charset, way, content = found.groups()
    try:
        data = content.encode("ascii")
        plain = binascii.a2b_base64(data) if way in "bB" else binascii.a2b_qp(data, header=True)
    except ValueError:
        return found[0]
    return text_of(plain, charset.partition("*")[0])


def text_of(data: bytes, charset: str) -> str:
    """Bytes of a stranger as text: by their charset, or as UTF-8 if it's unknown or none for texts."""
    import codecs

    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        name = ""
    return data.decode(name if _CHARSETS.fullmatch(name) else "utf-8", errors="replace")


def message_ids(raw: str) -> list[str]:
    """The Message-IDs in a header, each once, in their order; what is too long to be one is left out."""
    return [found for found in dict.fromkeys(_MESSAGE_ID.findall(raw)) if len(found) <= _LONGEST_ID]


def message_id(text: str) -> str:
    """A Message-ID that a user gave, with or without angle brackets.

    Raises:
        UsageError: if it is none.
    """
    inner = text.strip().removeprefix("<").removesuffix(">")
    found = message_ids(f"<{inner}>")
    if found != [f"<{inner}>"]:
        raise UsageError(f"{printable(text)!r} is no Message-ID such as <20260101.1@example.org>")
    return found[0]
