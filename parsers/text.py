"""Raw bytes of a log to clean lines, whatever terminal, console, CI system or mailer they came through."""

from __future__ import annotations

import codecs
import re

from compare_kernels.text import without_escapes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What recorders put before every line. Each takes one blank with it and no more: tables are read by column.
_PREFIXES = (
    re.compile(r"(?:> ?)+"),
    re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?: |$)"),
    re.compile(r"\[ *\d+\.\d+\](?: |$)"),
    re.compile(r"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?: |$)"),
    re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \S+ [^\s:]+:)?(?: |$)"),
    re.compile(r"[\w.-]+ +\| ?"),
)
_MOST = 0.8


def clean_lines(data: bytes) -> list[str]:
    """Return the lines of a log as the program printed them; line N of the file is item N-1.

    Decodes by byte order mark, as UTF-8 or else as Latin-1; takes away carriage returns (of lines that a progress
    display overwrote, the last text stays), escape sequences, control characters, and prefixes that at least 80 % of
    the lines share: quote marks, time stamps, names of containers.
    """
    return _without_prefixes(whole_lines(data))


def whole_lines(data: bytes) -> list[str]:
    """Like `clean_lines`, but with the prefixes, for what looks like one may be the program's own text."""
    text = without_overwriting(decode(data))
    text = without_escapes(text)
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def decode(data: bytes) -> str:
    """Return the bytes as text; every byte sequence has one."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, errors="replace")
    sample = data[:256]
    if sample.count(0) * 3 > len(sample) > 1:
        return data.decode("utf-16-le" if sample[1] == 0 else "utf-16-be", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def without_overwriting(text: str) -> str:
    """Return the text with line ends as newlines, and without what carriage return or backspace overwrote."""
    if "\r" in text:
        if "\n" not in text:
            text = text.replace("\r", "\n")
        else:
            text = "\n".join(_last_text(line) if "\r" in line else line for line in text.split("\n"))
    if "\b" in text:
        text = "\n".join(_backspaced(line) if "\b" in line else line for line in text.split("\n"))
    return text


def _last_text(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


def _backspaced(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


def _without_prefixes(lines: list[str]) -> list[str]:
    for _ in range(3):
        filled = [line for line in lines if line.strip()]
        if not filled:
            return lines
        for prefix in _PREFIXES:
            # A few lines decide against a prefix that isn't there, without a look at a million lines.
            if sum(bool(prefix.match(line)) for line in filled[:20]) < _MOST * min(20, len(filled)):
                continue
            if sum(bool(prefix.match(line)) for line in filled) >= _MOST * len(filled):
                lines = [prefix.sub("", line, count=1) if prefix.match(line) else line for line in lines]
                break
        else:
            return lines
    return lines


_WRAPPERS = frozenset({"chrt", "taskset", "nice", "ionice", "numactl", "timeout", "env", "stdbuf", "setarch", "sudo"})
# An option, a number, a mask or list of processors, a time, a variable: what may stand before the wrapped command.
_OF_WRAPPER = re.compile(
    r"-.*|[0-9][0-9a-fA-Fx,:.-]*[smhd]?|0x[0-9a-fA-F]+|[A-Za-z_][A-Za-z0-9_]*=.*|all|x86_64|i[3-6]86"
)


def command_name(command: str) -> str:
    """Return a command line so that equal commands of two kernels are equal.

    Folders are left out, and so are wrappers such as ``chrt --batch 0`` and ``taskset -c 2``: how a command was
    started may be just what two sides differ in. At most 200 characters, for it becomes part of a heading.
    """
    words = command[:4096].split()
    while words and words[0].rpartition("/")[2] in _WRAPPERS:
        words = words[1:]
        while words and _OF_WRAPPER.fullmatch(words[0]):
            words = words[1:]
    return " ".join(word.rstrip("/").rpartition("/")[2] for word in words)[:200]
