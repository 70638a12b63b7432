"""Posted texts for the tests: where they lie, what comes out of them, and what mailers do to them."""

from __future__ import annotations

from dataclasses import replace
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import TYPE_CHECKING

from compare_kernels.posted.mail import texts_in
from compare_kernels.posted.readers import read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compare_kernels.posted.model import PostedTable

MATERIAL = Path(__file__).parent / "material"
MAILS = sorted(MATERIAL.glob("*.eml"))
FILES = sorted(MATERIAL.iterdir())


def tables_in(data: bytes | str, path: str = "post") -> list[PostedTable]:
    raw = data.encode() if isinstance(data, str) else data
    return [table for text in texts_in(raw, path) for table in read_tables(text)]


def posted(name: str) -> list[PostedTable]:
    return tables_in((MATERIAL / name).read_bytes(), name)


def essence(tables: Iterable[PostedTable]) -> list[PostedTable]:
    """The tables without the places where they stand."""
    result = []
    for table in tables:
        rows = tuple(
            replace(row, line=0, cells=tuple(replace(cell, line=0) for cell in row.cells)) for row in table.rows
        )
        differences = tuple(replace(one, line=0, lines=(0, 0, 0)) for one in table.differences)
        nowhere = replace(table.origin, path="", message=0, subject="", message_id="", part="")
        result.append(replace(table, rows=rows, differences=differences, origin=nowhere, line=0, last=0))
    return result


def body_of(path: Path) -> str:
    """The text of a file as it was written, without header and quote marks."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".eml":
        text = text.split("\n\n", 1)[1]
    lines = text.split("\n")
    if any(line.startswith("> ") for line in lines):
        lines = [line[2:] if line.startswith("> ") else "" if line == ">" else line for line in lines]
    return "\n".join(lines)


def mail(body: str, cte: str = "8bit", **parameters: str) -> bytes:
    message = EmailMessage(policy=SMTP.clone(linesep="\n", max_line_length=None if cte in ("7bit", "8bit") else 78))
    message["From"] = "A Developer <developer@example.org>"
    message["Subject"] = "Re: numbers"
    message["Message-ID"] = "<v1@example.org>"
    message.set_content(body, cte=cte, charset="utf-8")
    for name, value in parameters.items():
        message.set_param(name, value)
    return message.as_bytes()


def wrapped(text: str, width: int = 72, mark: str = "") -> str:
    """Cut lines at a blank, as mailers do; only the first piece of a quoted line keeps its mark, or each."""
    result = []
    for whole in text.split("\n"):
        line = whole
        while len(line) > width and (cut := line.rfind(" ", 0, width)) > len(mark) and line[:cut].strip(" >"):
            result.append(line[:cut].rstrip())
            line = mark + line[cut:].lstrip()
        result.append(line)
    return "\n".join(result)


def flowed(text: str, width: int = 72, *, delsp: bool = False) -> str:
    """Lines as RFC 3676 has them: a blank before the break of each, another before lines that begin with one."""
    result = []
    for whole in text.split("\n"):
        line = whole.rstrip()
        pieces = []
        while len(line) > width and (cut := line.rfind(" ", 0, width)) > 0 and line[:cut].strip():
            rest = cut + 1
            pieces.append(line[:rest] + (" " if delsp else ""))
            line = line[rest:]
        pieces.append(line)
        result += [f" {piece}" if piece.startswith((" ", ">", "From ")) else piece for piece in pieces]
    return "\n".join(result)


def quoted(text: str, mark: str = "> ", depth: int = 1) -> str:
    return "\n".join(mark * depth + line for line in text.split("\n"))


def flow_quoted(text: str) -> str:
    """One more level of quoting in flowed text: the mark, and the blank that stands before text."""
    return "\n".join(f">{line}" if line.startswith(" ") else f"> {line}" for line in text.split("\n"))


VARIANTS: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "8bit": mail,
    "quoted-printable": lambda text: mail(text, "quoted-printable"),
    "base64": lambda text: mail(text, "base64"),
    "crlf": lambda text: mail(text).replace(b"\n", b"\r\n"),
    "quoted": lambda text: mail(quoted(text)),
    "quoted thrice": lambda text: mail(quoted(text, depth=3)),
    "quoted without blanks": lambda text: mail(quoted(quoted(text), ">")),
    "quoted by bars": lambda text: mail(quoted(text, "| ")),
    "quoted, quoted-printable": lambda text: mail(quoted(text), "quoted-printable"),
    "wrapped": lambda text: mail(wrapped(text)),
    "wrapped in a quote": lambda text: mail(wrapped(quoted(text))),
    "wrapped and quoted": lambda text: mail(quoted(wrapped(text))),
    "wrapped within a quote": lambda text: mail(wrapped(quoted(text, depth=2), mark="> > ")),
    "wrapped, base64": lambda text: mail(wrapped(text, 76), "base64"),
    "wrapped at 66": lambda text: mail(wrapped(text, 66)),
    "flowed and quoted": lambda text: mail(flow_quoted(flowed(text)), format="flowed"),
    "flowed": lambda text: mail(flowed(text), format="flowed"),
    "flowed, delsp": lambda text: mail(flowed(text, delsp=True), format="flowed", delsp="yes"),
    "flowed, quoted-printable": lambda text: mail(flowed(text), "quoted-printable", format="flowed"),
    "said to be flowed": lambda text: mail(text, format="flowed"),
    "latin-1": lambda text: (
        mail(text).replace(b'charset="utf-8"', b'charset="iso-8859-1"').decode().encode("latin-1")
    ),
}
