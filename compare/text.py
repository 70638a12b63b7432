"""Text from outside made harmless: control characters, escape sequences, bidirectional overrides."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def without_escapes(text: str) -> str:
    """Return the text without terminal escape sequences and control characters; tabs and newlines stay."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    return _CONTROL.sub("", text)


def printable(text: str) -> str:
    """Return a name or message from outside as one line that is safe on a terminal and in a mail.

    Control characters, line separators and lone surrogates (names of files that are no UTF-8) become ``?``.
    """
    clean = _ESCAPE.sub("", text) if "\x1b" in text or "\x9b" in text else text
    if clean.isascii() and clean.isprintable():
        return clean
    return "".join("?" if unicodedata.category(char)[0] in "CZ" and char != " " else char for char in clean)
