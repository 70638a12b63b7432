"""Bytes of mails to lines: numbers point into the file, nothing raises."""

from __future__ import annotations

import gzip
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare_kernels import api
from compare_kernels.errors import UsageError
from compare_kernels.loading import read_posted
from compare_kernels.posted.mail import texts_in
from compare_kernels.posted.quoting import plain_lines

from .reading import FILES, MATERIAL, VARIANTS, body_of, essence, mail, quoted, tables_in

MMTESTS = MATERIAL / "mmtests.eml"


def mbox(*mails: bytes) -> bytes:
    return b"".join(b"From someone Mon Jun  1 12:00:00 2026\n" + raw.rstrip(b"\n") + b"\n\n" for raw in mails)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_lines_point_into_the_file(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    for table in tables_in(path.read_bytes()):
        assert not table.origin.part
        for row in table.rows:
            assert row.operation.split(" ")[0] in lines[row.line - 1]


def test_mbox_counts_mails_and_lines_of_the_file() -> None:
    first, second = MMTESTS.read_bytes(), (MATERIAL / "lkp.eml").read_bytes()
    whole = mbox(first, b"Subject: x\nFrom: y\n\n>From the start, nothing\nFrom here on too\n", second)
    tables = tables_in(whole, "box")
    assert [table.origin.message for table in tables] == [1, 1, 3]
    assert [table.origin.message_id for table in tables] == ["<s05@example.org>"] * 2 + ["<s03@example.org>"]
    lines = whole.decode().split("\n")
    for table in tables:
        for row in table.rows:
            assert row.operation in lines[row.line - 1]
    assert essence(tables) == essence(tables_in(first) + tables_in(second))


def test_escaped_from_and_quoted_from_in_an_mbox() -> None:
    (text,) = texts_in(mbox(b"Subject: x\nFrom: y\n\n>From me\n>>From you\n"), "box")
    assert [line.text for line in text.lines][:2] == ["From me", "From you"]


def test_decoded_parts_say_so() -> None:
    (table, _) = tables_in(VARIANTS["base64"](body_of(MMTESTS)))
    assert table.origin.part == "decoded text"
    assert table.origin.place(table.line) == "post: decoded text:3"
    (again, _) = tables_in(VARIANTS["8bit"](body_of(MMTESTS)))
    assert not again.origin.part
    assert "multi subtest" in VARIANTS["8bit"](body_of(MMTESTS)).decode().split("\n")[again.line - 1]


def test_parts_and_attachments() -> None:
    message = EmailMessage()
    message["From"] = "developer@example.org"
    message["Subject"] = "=?utf-8?q?Gr=C3=B6=C3=9Fe?="
    message.set_content(body_of(MMTESTS))
    message.add_alternative("<pre>" + body_of(MMTESTS) + "</pre>", subtype="html")
    message.add_attachment(body_of(MATERIAL / "lkp.eml"), filename="lkp.txt")
    message.add_attachment(b"\0\1", maintype="application", subtype="octet-stream", filename="x.bin")
    raw = message.as_bytes()
    tables = tables_in(raw)
    assert [table.style for table in tables] == ["mmtests", "mmtests", "lkp"]
    assert tables[0].origin.subject == "Gr\u00f6\u00dfe"
    assert b"multi subtest" in raw.split(b"\n")[tables[0].line - 1]
    assert tables[2].origin.part == ("decoded text part 2" if b"quoted-printable" in raw or b"base64" in raw else "")


@pytest.mark.parametrize("charset", ["us-ascii", "no-such-charset", "utf-16", "rot13"])
def test_charset_that_is_a_lie(charset: str) -> None:
    raw = (MATERIAL / "lkp.eml").read_bytes().replace(b"charset=utf-8", b"charset=" + charset.encode())
    assert essence(tables_in(raw)) == essence(tables_in((MATERIAL / "lkp.eml").read_bytes())) or charset == "utf-16"


def test_latin_1_without_saying_so() -> None:
    raw = (MATERIAL / "lkp.eml").read_bytes().decode().encode("latin-1")
    assert essence(tables_in(raw)) == essence(tables_in((MATERIAL / "lkp.eml").read_bytes()))


def test_quoting_leaves_tables_of_bars_alone() -> None:
    table = "| a | b | c % |\n| --- | --- | --- |\n| 1 | 2 | 100% |\n| 2 | 2 | 0% |"
    assert [line.text for line in plain_lines(table.split("\n"))] == table.split("\n")
    once = plain_lines(quoted(quoted(table, "| "), "> ").split("\n"))
    assert [line.text for line in once] == [f"| {line}" for line in table.split("\n")] or len(
        tables_in(quoted(table))
    ) == 1


def test_flowed_lines_with_room_left_are_no_flowed_lines() -> None:
    lines = plain_lines(["commit: ", "  1234567 x", "word " * 14, "and the rest", "-- ", "me"], flowed=True)
    assert [line.text for line in lines] == ["commit:", " 1234567 x", "word " * 14 + "and the rest", "--", "me"]
    assert [line.number for line in lines] == [1, 2, 3, 5, 6]


def test_files_folders_and_archives(tmp_path: Path) -> None:
    for name in ("cur", "new", "tmp"):
        (tmp_path / "box" / name).mkdir(parents=True)
    (tmp_path / "box" / "cur" / "1:2,S").write_bytes(MMTESTS.read_bytes())
    (tmp_path / "box" / "new" / "2").write_bytes((MATERIAL / "lkp.eml").read_bytes())
    (tmp_path / "box" / "tmp" / "3").write_bytes(MMTESTS.read_bytes())
    (tmp_path / "all.mbox.gz").write_bytes(gzip.compress(mbox(MMTESTS.read_bytes(), MMTESTS.read_bytes())))
    tables, diagnostics = read_posted(tmp_path / "box")
    assert ([table.style for table in tables], diagnostics) == (["mmtests", "mmtests", "lkp"], [])
    assert Path(tables[0].origin.path).name == "1:2,S"
    tables, _ = read_posted(tmp_path / "all.mbox.gz")
    assert [table.origin.message for table in tables] == [1, 1, 2, 2]
    tables, _ = read_posted("-", standard_input=MMTESTS.read_bytes())
    assert tables[0].origin.path == "standard input"
    with pytest.raises(UsageError):
        read_posted(tmp_path / "none")


HOSTILE = [
    b"",
    b"From ",
    b"From a 12:00 2026\n",
    b'Content-Type: multipart/mixed; boundary="' + b"x" * 500 + b'"\nFrom: a\n\n--x\n',
    b"From: a\nSubject: =?utf-8?b?!!!?= =?x?y?z?=\nContent-Transfer-Encoding: base64\n\n\xff\xfe!!\n",
    b"From: a\nTo: b\nContent-Type: text/plain; charset*=utf-8''%ff\nContent-Transfer-Encoding: x-uuencode\n\n"
    b"begin 1 x\n#\n",
    b"From: a\nTo: b\n"
    + b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (i, i) for i in range(1500))
    + b"\n1\n",
    b"From: a\nTo: b\nContent-Type: message/rfc822\n\n" * 1500,
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_mail(data: bytes) -> None:
    assert tables_in(data) == []
    assert tables_in(mbox(data)) == []


@given(st.binary(max_size=300), st.sampled_from(sorted(VARIANTS)))
def test_any_bytes(data: bytes, variant: str) -> None:
    tables_in(data)
    tables_in(b"From: a\nSubject: b\n" + data)
    tables_in(VARIANTS["8bit"]("x").replace(b"x", data))
    assert variant


@given(st.data())
def test_damaged_tables_raise_nothing(data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from(FILES)).read_bytes()[:4000])
    for _ in range(data.draw(st.integers(1, 20))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    api.check_posted(tables_in(bytes(raw)))


def test_a_mail_that_was_sent_as_it_is() -> None:
    assert essence(tables_in(mail(body_of(MMTESTS)))) == essence(tables_in(MMTESTS.read_bytes()))
