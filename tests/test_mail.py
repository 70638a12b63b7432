"""Reports as mails: what stands in them, what is sent, and what no label, header or server can do to them."""

from __future__ import annotations

import io
import os
import re
import shutil
import ssl
import subprocess
import sys
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from pathlib import Path

import pytest
import trustme
from hypothesis import example, given
from hypothesis import strategies as st

from compare_kernels.delivery import addresses, git, headers, reply, smtp
from compare_kernels.delivery.addresses import Address
from compare_kernels.delivery.mail import Attachment, Envelope, compose
from compare_kernels.errors import UsageError
from compare_kernels.reporting.render import Style, builtin_styles

from .mailserver import Inbox, scripted, serving
from .test_cli import ROOT, Done, run, spawn
from .test_reading import hackbench, write

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ME = Address("Some Developer", "me@example.org")
LIST = Address("", "list@example.org")
MAILING = ("base", "patched", "--mail")


@pytest.fixture(autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer with a git of their own, whatever the one who runs the tests has."""
    home = tmp_path_factory.mktemp("home")
    for name in [*os.environ]:
        if name.startswith("GIT_") or name in {"SMTP_PASSWORD", "SOURCE_DATE_EPOCH", "SSH_ASKPASS", "SSL_CERT_FILE"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / "gitconfig").write_text('[user]\n\tname = "Some Developer"\n\temail = me@example.org\n')


def configure(text: str) -> None:
    with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a") as file:
        file.write(text)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for kernel, seconds in {"base": 2.0, "patched": 1.0}.items():
        files = {f"hackbench/run-{i}/out": hackbench(seconds + i / 100) for i in range(6)}
        write(tmp_path / kernel, dict(files))
    return tmp_path


def parsed(message: bytes | str) -> EmailMessage:
    data = message.encode() if isinstance(message, str) else message
    mail = message_from_bytes(data, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    assert not mail.defects
    return mail


def body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def names(message: bytes) -> list[str]:
    return [line.partition(":")[0] for line in message.partition(b"\n\n")[0].decode().split("\n") if line[0] != " "]


def headers_of(message: bytes) -> dict[str, str]:
    """The headers by name in lower case, unfolded; Python's parser of addresses takes long for many."""
    mail = message_from_bytes(message, policy=policy.compat32)
    return {name.lower(): str(value).replace("\n", "") for name, value in mail.items()}


# What a mail looks like


def test_a_report_as_a_mail(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767323045")
    arguments = (
        *MAILING,
        "--to",
        "A List <list@example.org>",
        "--cc",
        "b@example.org, c@example.org",
        "--cc",
        "D <d@example.org>",
    )
    done = run(*arguments, cwd=results)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*arguments, cwd=results).stdout
    mail = parsed(done.stdout)
    assert mail["From"] == "Some Developer <me@example.org>"
    assert mail["To"] == "A List <list@example.org>"
    assert mail["Cc"] == "b@example.org, c@example.org, D <d@example.org>"
    assert mail["Subject"] == "patched against base: 1 improved"
    assert mail["Date"] == "Fri, 02 Jan 2026 03:04:05 +0000"
    assert mail["Message-ID"].startswith("<20260102030405.")
    assert mail["Message-ID"].endswith("@example.org>")
    assert mail["Content-Type"] == 'text/plain; charset="utf-8"'
    assert mail["Content-Transfer-Encoding"] == "7bit"
    assert mail["In-Reply-To"] is None
    text = body(mail)
    assert text == run("base", "patched", "--width", "78", "--ascii", cwd=results).stdout
    assert text.startswith("patched against base, 1 row:\n")
    assert "Amean     4" in text


def test_written_to_a_file(results: Path) -> None:
    done = run(*MAILING, "-o", "report.eml", "--color", "always", cwd=results)
    assert done.stdout == ""
    mail = parsed((results / "report.eml").read_bytes())
    assert mail["To"] is None
    assert "\x1b" not in body(mail)


def test_what_the_user_says_comes_first(results: Path) -> None:
    done = run(
        *MAILING,
        "--from",
        '"Müller, A." <a@example.org>',
        "--subject",
        "Two\nlines \x1b[1m",
        "--width",
        "200",
        cwd=results,
    )
    mail = parsed(done.stdout)
    assert mail["From"].addresses[0].display_name == "Müller, A."
    assert mail["Subject"] == "Two lines"
    assert names(done.stdout.encode())[:2] == ["From", "Subject"]


def test_the_default_subject_counts_all_kernels(results: Path) -> None:
    shutil.copytree(results / "patched", results / ("x" * 100))
    one = parsed(run("base", "x" * 100, "--mail", cwd=results).stdout)
    assert one["Subject"] == f"{'x' * 37}... against base: 1 improved"
    two = parsed(run("base", "patched", "x" * 100, "--mail", cwd=results).stdout)
    assert two["Subject"] == "2 kernels against base: 2 improved"


def test_a_thread_by_its_message_id(results: Path) -> None:
    for text in ("<cover.1@example.org>", "cover.1@example.org"):
        mail = parsed(run(*MAILING, "--in-reply-to", text, cwd=results).stdout)
        assert mail["In-Reply-To"] == mail["References"] == "<cover.1@example.org>"


def test_other_styles_as_files(results: Path) -> None:
    done = run(*MAILING, "--attach", "markdown,lkp", "--attach", "ministat", cwd=results)
    mail = parsed(done.stdout)
    files = {part.get_filename(): part for part in mail.iter_attachments()}
    assert list(files) == ["report.md", "report-lkp.txt", "report-ministat.txt"]
    assert files["report.md"].get_content_type() == "text/markdown"
    for style, part in zip(("markdown", "lkp", "ministat"), files.values(), strict=True):
        expected = run("base", "patched", "--style", style, cwd=results).stdout
        assert part.get_payload(decode=True) == expected.encode()
    assert body(mail) == run("base", "patched", "--width", "78", "--ascii", cwd=results).stdout
    older = run(*MAILING, "--attach", "mmtests-2020", cwd=results)
    assert "report-mmtests-2020.txt" in older.stdout


def test_any_style_can_be_attached_but_only_text_is_a_mail(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"page": "html", "numbers": "csv", "all": "json", "odd": "rst", "one": "md", "two": "md"}
    source = "{{ report.account }}"
    styles = {name: Style(name, "", source, "", html=False, ending=ending) for name, ending in kinds.items()}
    monkeypatch.setattr("compare_kernels.reporting.render.builtin_styles", lambda: builtin_styles() | styles)
    mail = parsed(run(*MAILING, "--attach", ",".join(kinds), cwd=results).stdout)
    assert {part.get_filename(): part.get_content_type() for part in mail.iter_attachments()} == {
        "report.html": "text/html",
        "report.csv": "text/csv",
        "report.json": "application/json",
        "report.rst": "text/plain",
        "report-one.md": "text/markdown",
        "report-two.md": "text/markdown",
    }
    done = run(*MAILING, "--style", "page", cwd=results)
    assert done.returncode == 2
    assert "style page is no plain text; try --attach page" in done.stderr


ODD_FILES = ["", "no end", "a\r\nb\r\n", "From here\n", "x" * 2000 + "\n", "blank \n", "ü\n", "--=_\n\n", "\0\n"]


@pytest.mark.parametrize("text", ODD_FILES)
def test_files_arrive_byte_for_byte(text: str) -> None:
    types = ("text/plain", "text/html", "text/csv", "application/json")
    files = [Attachment(f"{i}.txt", kind, text) for i, kind in enumerate(types)]
    message = compose(Envelope(ME), "ü\n", MOMENT, files)
    # An mbox puts a character before it.
    assert b"\nFrom here" not in message
    mail = parsed(message)
    parts = list(mail.iter_attachments())
    assert [part.get_content_type() for part in parts] == list(types)
    assert [part.get_payload(decode=True) for part in parts] == [text.encode()] * 4
    assert body(mail) == "ü\n"


def test_a_line_that_would_be_folded_is_refused() -> None:
    compose(Envelope(ME), "x" * 998 + "\n", MOMENT)
    with pytest.raises(UsageError, match="999 bytes"):
        compose(Envelope(ME), "x" * 999 + "\n", MOMENT)


def test_the_date_is_checked(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("soon", "9" * 30, "9" * 5000):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
        done = run(*MAILING, cwd=results)
        assert done.returncode == 2
        assert "SOURCE_DATE_EPOCH" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "a@example.org"], "--to needs --mail"),
        (["--from", "a@example.org"], "--from needs --mail"),
        (["--attach", "lkp"], "--attach needs --mail"),
        (["--send"], "--send needs --mail"),
        (["--smtp-port", "0"], "--smtp-port needs --mail"),
        (["--mail", "--yes"], "--yes needs --send"),
        (["--mail", "--smtp-server", "x"], "--smtp-server needs --send"),
        (["--mail", "--quote"], "--quote needs --reply-to-message"),
        (["--mail", "--in-reply-to", "a@b", "--reply-to-message", "x"], "give either"),
        (["--mail", "--in-reply-to", "a@b>\nBcc: <x@example.org"], "is no Message-ID"),
        (["--mail", "--in-reply-to", ""], "is no Message-ID"),
        (["--mail", "--reply-to-message", "nothing.eml"], "nothing.eml: No such file"),
        (["--mail", "--reply-to-message", "a\0b"], "null byte"),
        (["--mail", "--reply-to-message", "."], "Is a directory"),
        (["--mail", "--to", "nobody"], "--to: 'nobody' is no mail address"),
        (["--mail", "--to", ""], "--to: '' is no mail address"),
        (["--mail", "--to", "a@example.org\nBcc: b@example.org"], "is no mail address"),
        (["--mail", "--cc", "jérôme@example.org"], "is no mail address in ASCII"),
        (["--mail", "--from", "a@example.org, b@example.org"], "a mail has one sender"),
        (["--mail", "--subject", " \n"], "--subject is empty"),
        (["--mail", "--attach", "nothing"], "no style 'nothing'"),
        (["--mail", "--attach", "mmtests-2020", "--sort", "p"], "mmtests-2020 has its own rows"),
        (["--mail", "--explain", "4"], "--explain can't be mailed"),
        (["--mail", "--dry-run"], "nobody to send to"),
        (["--mail", "--dry-run", "--to", "a@example.org"], "no mail server"),
        (
            ["--mail", "--dry-run", "--to", "a@example.org", "--smtp-server", "a..b"],
            "'a..b' is no name of a mail server",
        ),
        (["--mail", "--dry-run", "--to", "a@example.org", "--smtp-server", "/usr/bin/msmtp"], "by a program"),
        (
            ["--mail", "--dry-run", "--to", "a@example.org", "--smtp-server", "x", "--smtp-port", "0"],
            "'0' is no port",
        ),
        (
            ["--mail", "--send", "--to", "a@example.org", "--smtp-server", "x"],
            "no terminal to ask at: --send needs --yes",
        ),
    ],
)
def test_options_that_do_not_fit(arguments: list[str], message: str, results: Path) -> None:
    done = run("base", "patched", *arguments, cwd=results)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_no_sender(results: Path) -> None:
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("")
    done = run(*MAILING, cwd=results)
    assert done.returncode == 2
    assert "no sender: give --from" in done.stderr
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\temail = a@example.org>, <b@example.org\n")
    assert "a mail has one sender" in run(*MAILING, cwd=results).stderr


# Hostile texts

TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "\n",
                "\r\n",
                "Bcc: x@example.org",
                "From ",
                "\x1b[31m",
                "=?utf-8?q?=0ABcc:?=",
                "\u2028",
                "é",
                " ",
                '"',
                "\\",
                ",",
                "<",
                "x" * 300,
                "\udcff",
                "\0",
            ]
        ),
        max_size=8,
    ).map("".join),
)


@given(TEXTS, TEXTS)
@example("x" * 300, "ü" * 300)
@example("a " * 150, 'say "\\" ' * 10)
def test_no_text_harms_the_headers(subject: str, name: str) -> None:
    name = headers.one_line(name)
    who = (Address(name, "a@example.org"), Address("Second, One", "b@example.org"))
    message = compose(Envelope(Address(name, "me@example.org"), who, who[::-1], subject), "text\n", MOMENT)
    head = message.partition(b"\n\n")[0]
    assert names(message) == [
        "From",
        "To",
        "Cc",
        "Subject",
        "Date",
        "Message-ID",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    ]
    assert max(map(len, head.split(b"\n"))) <= 78 + len("a@example.org")
    assert head.isascii()
    # The old parser of Python reads addresses and encoded words as they are meant; newer ones have faults with both.
    mail = message_from_bytes(message, policy=policy.compat32)
    assert str(make_header(decode_header(mail["Subject"].replace("\n", "")))) == headers.one_line(subject)
    assert addresses.found_in(mail["To"].replace("\n", ""))[0] == tuple(
        Address(address.name[:120].strip(), address.spec) for address in who
    )
    assert body(parsed(message)) == "text\n"


@given(st.lists(st.tuples(st.text(alphabet='abcü,<>@"\\ ()=?_:;', max_size=30), st.sampled_from("xyz")), max_size=5))
def test_addresses_come_back_by_pythons_parser_too(people: list[tuple[str, str]]) -> None:
    from email.utils import getaddresses

    who = addresses.each_once(Address(headers.one_line(name), f"{letter}@example.org") for name, letter in people)
    folded = headers.folded("To", addresses.list_words(who)).removeprefix("To:").replace("\n", "").strip()
    read = [(str(make_header(decode_header(name))) if name else "", spec) for name, spec in getaddresses([folded])]
    assert [spec for _, spec in read if spec] == [address.spec for address in who]
    for (name, _), address in zip(read, who, strict=False):
        assert name.split() == address.name.split()


@given(TEXTS)
@example("From here\nFrom there")
def test_no_label_harms_the_mail(tmp_path_factory: pytest.TempPathFactory, label: str) -> None:
    label = headers.one_line(label).replace("=", "").replace("/", "") or "x"
    folder = tmp_path_factory.mktemp("label")
    for kernel, seconds in {"base": 2.0, "patched": 1.0}.items():
        write(folder / kernel, {f"run-{i}/out": hackbench(seconds + i / 100) for i in range(2)})
    done = run("base", f"{label}=patched", "--mail", cwd=folder)
    assert done.returncode == 0, done.stderr
    mail = parsed(done.stdout)
    assert names(done.stdout.encode())[0] == "From"
    assert mail["Bcc"] is None
    assert "Amean" in body(mail)
    assert not [line for line in body(mail).split("\n") if line.startswith(("From ", "---", "diff -", "#", ">"))]


# Answers

COVER = b"""\
From: "Author, The" <author@example.org>
To: list@example.org, Some Developer <me@example.org>
Cc: =?utf-8?q?J=C3=A9r=C3=B4me?= <j@example.org>, broken, LIST@example.org
Subject: =?utf-8?q?=5BPATCH_0/2=5D?= faster
 forks
Date: Thu, 1 Jan 2026 10:00:00 +0100
Message-ID: <cover@example.org>
References: <first@example.org> <second@example.org>
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Hello,

> older
From the start \xc3\xbc\x1b[31m
--\x20
signature
"""


def answer(original: bytes, sender: Address = ME) -> Envelope:
    return reply.reply_to(original, sender).envelope


def test_an_answer_goes_to_all_and_into_the_thread(results: Path) -> None:
    write(results, {"cover.eml": COVER.decode()})
    done = run(*MAILING, "--reply-to-message", "cover.eml", "--quote", "--cc", "new@example.org", cwd=results)
    assert done.stderr == "recipients left out that are no addresses in ASCII (1): broken\n"
    mail = parsed(done.stdout)
    assert mail["To"] == '"Author, The" <author@example.org>'
    assert mail["Cc"] == "list@example.org, Jérôme <j@example.org>, new@example.org"
    assert mail["Subject"] == "Re: [PATCH 0/2] faster forks"
    assert mail["In-Reply-To"] == "<cover@example.org>"
    assert mail["References"] == "<first@example.org> <second@example.org> <cover@example.org>"
    assert mail["Content-Transfer-Encoding"] == "8bit"
    assert body(mail).startswith(
        "On Thu, 1 Jan 2026 10:00:00 +0100, Author, The wrote:\n"
        "> Hello,\n>\n>> older\n> From the start ü\n\npatched against base, 1 row:\n"
    )
    subject = run(*MAILING, "--reply-to-message", "cover.eml", "--subject", "Mine", cwd=results)
    assert parsed(subject.stdout)["Subject"] == "Mine"
    assert "Hello" not in subject.stdout


def test_an_answer_to_oneself_goes_to_those_who_got_the_mail() -> None:
    envelope = answer(COVER, Address("", "Author@example.org"))
    assert [address.spec for address in envelope.to] == ["list@example.org", "me@example.org"]
    assert [address.spec for address in envelope.cc] == ["j@example.org"]


def test_reply_to_is_heeded_and_re_is_not_doubled() -> None:
    envelope = answer(b"Reply-To: team@example.org\nsubject: RE: x\n" + COVER)
    assert [address.spec for address in envelope.to] == ["team@example.org"]
    assert envelope.subject == "RE: x"


def test_an_mbox_with_one_mail(results: Path) -> None:
    (results / "one.mbox").write_bytes(
        b"From x Thu Jan  1 00:00:00 2026\r\n" + COVER.replace(b"\nFrom ", b"\n>From ").replace(b"\n", b"\r\n")
    )
    original = reply.read_mail(str(results / "one.mbox"))
    assert original == COVER
    assert answer(original) == answer(COVER)
    (results / "two.mbox").write_bytes(2 * (b"From x Thu Jan  1 00:00:00 2026\n" + COVER + b"\n"))
    done = run(*MAILING, "--reply-to-message", "two.mbox", cwd=results)
    assert done.returncode == 2
    assert "two.mbox: an mbox of 2 mails" in done.stderr


def test_quotes_of_what_others_write() -> None:
    def quote(head: str, text: bytes) -> str:
        return reply.quoted(f"From: a@example.org\n{head}\n\n".encode() + text, "A")

    latin = "Content-Type: text/plain; charset=iso-8859-1"
    assert quote(latin, b"\xfc\n") == "In that mail A wrote:\n> ü\n\n"
    for charset in ("nonsense", "punycode", "zip", "\xff", "undefined", "unicode_escape"):
        assert "> \\u41 " in quote(f"Content-Type: text/plain; charset={charset}", b"\\u41 \xff.\n")
    printable = f"{latin}\nContent-Transfer-Encoding: quoted-printable"
    assert quote(printable, b"a=FC=\nb\n") == "In that mail A wrote:\n> aüb\n\n"
    parts = b"--b\nContent-Type: text/html\n\n<p>\n--b\nContent-Type: text/plain\n\nplain\n--b--\n"
    assert quote("Content-Type: multipart/alternative; boundary=b", parts) == "In that mail A wrote:\n> plain\n\n"
    long = quote("", b"word " * 1000 + b"\n" + b"x" * 5000 + b"\n")
    assert max(map(len, long.split("\n"))) < 300
    with pytest.raises(UsageError, match="no plain text"):
        quote("Content-Type: text/html", b"<p>\n")


HOSTILE = {
    "nothing": b"",
    "binary": bytes(range(256)) * 100,
    "no headers": b"hello\n" * 1000,
    "parameters": b"From: a@example.org\nContent-Type: text/plain; " + b';"' * 400_000 + b"\n\nx\n",
    "subject": b"From: a@example.org\nSubject: " + b"=?utf-8?q?" * 100_000 + b"\n\nx\n",
    "quotes": b"From: " + b'"\\"' * 300_000 + b"\n\nx\n",
    "comments": b"From: a@example.org" + b"(" * 1_000_000 + b"\n\nx\n",
    "references": b"From: a@example.org\nMessage-ID: <a@b>\nReferences: " + b"<a@" * 300_000 + b"\n\nx\n",
    "parts": b"From: a@example.org\nContent-Type: multipart/mixed; boundary=x\n\n" + b"--x\n" * 400_000,
    "nested": b"From: a@example.org\n" + b"Content-Type: message/rfc822\n\n" * 20_000,
    "nested parts": b"From: a@example.org\n"
    + b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (i, i) for i in range(5_000)),
    "folded": b"From: a@example.org\n" + b" \n" * 900_000 + b"\nx\n",
    "encoding": b"From: a@example.org\nContent-Transfer-Encoding: x-uuencode\n\nbegin 666\n" + b"\xff" * 1000,
    "numbered": b"From: a@example.org\nContent-Type: text/plain; charset*%s*=x\n\nx\n" % (b"9" * 3000),
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_mails_made_to_do_harm(name: str, results: Path) -> None:
    (results / "evil.eml").write_bytes(HOSTILE[name])
    done = run(*MAILING, "--reply-to-message", "evil.eml", "--quote", cwd=results)
    assert "Traceback" not in done.stderr
    # Python's parser would take a time with the square of these.
    assert ("headers of parts that are too long" in done.stderr) is (name == "parameters")
    assert ("too many parts" in done.stderr) is (name == "parts")
    if done.returncode:
        assert done.returncode == 2
        assert done.stderr.startswith("compare-kernels: ")
        assert done.stdout == ""
    else:
        assert parsed(done.stdout)["To"] == "a@example.org"


def test_huge_mails_and_many_recipients(results: Path) -> None:
    (results / "huge.eml").write_bytes(COVER + b"x" * (3 << 20))
    assert "larger than 2 MiB" in run(*MAILING, "--reply-to-message", "huge.eml", cwd=results).stderr
    many = b",\n ".join(b"Name %d <p%d@example.org>" % (i, i) for i in range(10_000))
    (results / "many.eml").write_bytes(b"From: a@example.org\nTo: " + many + b"\n\nx\n")
    done = run(
        *MAILING, "--reply-to-message", "many.eml", "--dry-run", "--smtp-server", "x", "-o", "r.eml", cwd=results
    )
    assert done.returncode == 0
    assert "has no Message-ID" in done.stderr
    assert "Cc: ... and 9960 more" in done.stderr
    assert "10001 recipients" in done.stderr
    head = (results / "r.eml").read_bytes().partition(b"\n\n")[0].decode()
    assert max(map(len, head.split("\n"))) <= 78
    cc = headers_of((results / "r.eml").read_bytes())["cc"]
    assert len(addresses.found_in(cc)[0]) == 10_000


@given(
    st.binary(max_size=300),
    st.lists(
        st.sampled_from(
            [*COVER.splitlines(keepends=True), b"\n", b"--b\n", b"Content-Type: multipart/mixed; boundary=b\n"]
        ),
        max_size=20,
    ),
)
def test_any_bytes_give_an_answer_or_a_message(junk: bytes, lines: list[bytes]) -> None:
    for original in (junk, b"".join(lines) + junk, b"From: a@example.org\n" + b"".join(lines) + junk):
        try:
            begun = reply.reply_to(original, ME)
            text = reply.quoted(original, begun.author)
        except UsageError:
            continue
        message = compose(begun.envelope, text, MOMENT)
        assert set(names(message)) <= {
            "From",
            "To",
            "Cc",
            "Subject",
            "Date",
            "Message-ID",
            "In-Reply-To",
            "References",
            "MIME-Version",
            "Content-Type",
            "Content-Transfer-Encoding",
        }
        assert body(parsed(message)).replace("\r", "") == text


# Sending


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def certificate(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def trust(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture
def inbox() -> Inbox:
    return Inbox(refused=("refused@example.org", "refused2@example.org"))


MESSAGE = compose(Envelope(ME, (LIST,)), ".\n..\n.dots\nü\n\n", MOMENT)


def hand_in(
    port: int, encryption: smtp.Encryption = "none", to: tuple[str, ...] = ("list@example.org",), **more: object
) -> None:
    user = str(more.pop("user", ""))
    more.setdefault("timeout", 20)
    smtp.send(MESSAGE, ME.spec, to, smtp.Server("127.0.0.1", port, encryption, user), **more)  # type: ignore[arg-type]


def test_a_mail_arrives_byte_for_byte(inbox: Inbox) -> None:
    with serving(inbox) as port:
        hand_in(port, to=("list@example.org", "other@example.org"))
    (envelope,) = inbox.envelopes
    assert envelope.content == MESSAGE.replace(b"\n", b"\r\n")
    assert (envelope.mail_from, envelope.rcpt_tos) == (ME.spec, ["list@example.org", "other@example.org"])
    assert "BODY=8BITMIME" in envelope.mail_options
    assert inbox.greetings == ["[127.0.0.1]"]


@pytest.mark.parametrize("encryption", ["tls", "ssl"])
def test_encrypted_with_log_in(
    encryption: smtp.Encryption,
    inbox: Inbox,
    certificate: ssl.SSLContext,
    trust: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = {"wrap": certificate} if encryption == "ssl" else {"tls_context": certificate, "require_starttls": True}
    monkeypatch.setenv("SMTP_PASSWORD", "right")
    with serving(
        inbox,
        authenticator=inbox.authenticate,
        auth_required=encryption == "tls",
        auth_require_tls=encryption == "tls",
        **options,
    ) as port:
        hand_in(port, encryption, user="me", trust=trust)
        monkeypatch.setenv("SMTP_PASSWORD", "wrong")
        with pytest.raises(UsageError, match="the log-in of me was refused"):
            hand_in(port, encryption, user="me", trust=trust)
        monkeypatch.setenv("SMTP_PASSWORD", "ünsend")
        with pytest.raises(UsageError, match="isn't ASCII"):
            hand_in(port, encryption, user="me", trust=trust)
        monkeypatch.delenv("SMTP_PASSWORD")
        with pytest.raises(UsageError, match="no password for me: set SMTP_PASSWORD"):
            hand_in(port, encryption, user="me", trust=trust)
    assert [envelope.content for envelope in inbox.envelopes] == [MESSAGE.replace(b"\n", b"\r\n")]
    assert inbox.logins[0][:2] == ("me", "right")


@pytest.mark.parametrize("encryption", ["tls", "ssl"])
def test_a_certificate_that_nobody_vouches_for_is_refused(
    encryption: smtp.Encryption, inbox: Inbox, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMTP_PASSWORD", "right")
    options = {"wrap": certificate} if encryption == "ssl" else {"tls_context": certificate}
    refusal = pytest.raises(UsageError, match=r"certificate isn't believed: .*issuer")
    with serving(inbox, authenticator=inbox.authenticate, **options) as port, refusal:
        hand_in(port, encryption, user="me")
    assert not inbox.logins
    assert not inbox.envelopes


def test_a_certificate_of_another_server_is_refused(
    inbox: Inbox, authority: trustme.CA, trust: ssl.SSLContext
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("mail.example.org").configure_cert(context)
    with serving(inbox, wrap=context) as port, pytest.raises(UsageError, match="isn't believed: IP address mismatch"):
        hand_in(port, "ssl", trust=trust)


def test_nothing_goes_out_in_the_clear_if_the_server_cannot_encrypt(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMTP_PASSWORD", "right")
    with serving(inbox, authenticator=inbox.authenticate, auth_require_tls=False) as port:
        with pytest.raises(UsageError, match="STARTTLS"):
            hand_in(port, "tls", user="me")
        assert not inbox.logins
        hand_in(port, "none", user="me")
    assert inbox.logins == [("me", "right", False)]


def test_refused_recipients_are_named(inbox: Inbox) -> None:
    with serving(inbox) as port:
        with pytest.raises(
            UsageError, match=r"^sent, but not to .*: refused@example.org: 550 5.1.1 nobody of that name$"
        ):
            hand_in(port, to=("list@example.org", "refused@example.org"))
        assert [envelope.rcpt_tos for envelope in inbox.envelopes] == [["list@example.org"]]
        with pytest.raises(UsageError, match=r"refused all recipients: refused2?@.*; refused2?@"):
            hand_in(port, to=("refused@example.org", "refused2@example.org"))
    assert len(inbox.envelopes) == 1


def test_servers_that_are_gone_or_silent_or_mad() -> None:
    with scripted() as port:
        pass
    with pytest.raises(UsageError, match=f"127.0.0.1:{port}: Connection refused"):
        hand_in(port)
    with scripted() as port, pytest.raises(UsageError, match="no answer in time"):
        hand_in(port, timeout=0.2)
    with scripted() as port, pytest.raises(UsageError, match="no answer in time"):
        hand_in(port, "ssl", timeout=0.2)
    with scripted(b"220 hello\r\n", b"") as port, pytest.raises(UsageError, match="unexpectedly closed"):
        hand_in(port)
    with scripted(b"554 go away\x1b[2J\r\n") as port, pytest.raises(UsageError, match="refused: 554 go away"):
        hand_in(port)
    with scripted(b"\xff" * 100_000) as port, pytest.raises(UsageError, match=r"127\.0\.0\.1"):
        hand_in(port)
    with pytest.raises(UsageError, match=r"nowhere\.invalid:25: "):
        smtp.send(MESSAGE, ME.spec, ["list@example.org"], smtp.Server("nowhere.invalid", 25, "none"))


HANDSHAKE = (b"220 hello\r\n", b"250-me\r\n250 8BITMIME\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go on\r\n")


def test_what_a_server_says_after_it_took_the_mail_does_not_count() -> None:
    for end in ((b"250 taken\r\n", b"500 what?\r\n"), (b"250 taken\r\n",)):
        with scripted(*HANDSHAKE, *end) as port:
            hand_in(port)
    with (
        scripted(*HANDSHAKE, b"552 too large\r\n") as port,
        pytest.raises(UsageError, match="refused: 552 too large"),
    ):
        hand_in(port)


def test_eight_bits_only_to_a_server_that_takes_them() -> None:
    with scripted(b"220 hello\r\n", b"250 me\r\n") as port, pytest.raises(UsageError, match="only mails in ASCII"):
        hand_in(port)


def test_the_password_of_gits_credential_helper(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(f"[credential]\n\thelper = store --file={results / 'secrets'}\n")
    (results / "secrets").write_text("smtp://me:first@mail.example.org%3a587\nsmtp://me:second@mail.example.org\n")
    assert git.password("mail.example.org", 587, "me") == "first"
    assert git.password("mail.example.org", 465, "me") == "second"
    assert git.password("other.example.org", 465, "me") == ""
    assert git.password("mail.example.org", 587, "me\nhost=x") == ""
    monkeypatch.setenv("PATH", "")
    assert git.password("mail.example.org", 587, "me") == ""
    assert git.setting("user.email") == ""


def test_the_server_of_gits_settings() -> None:
    configure("[sendemail]\n\tsmtpServer = mail.example.org\n\tsmtpUser = me\n\tsmtpEncryption = ssl\n")
    assert smtp.find_server(None, None, None, None) == smtp.Server("mail.example.org", 465, "ssl", "me")
    assert smtp.find_server("x", 26, "none", "") == smtp.Server("x", 26, "none")
    configure("\tsmtpServerPort = 99999\n")
    with pytest.raises(UsageError, match="'99999' is no port"):
        smtp.find_server(None, None, None, None)
    configure("\tsmtpServerPort = 2525\n\tsmtpEncryption = none\n")
    with pytest.raises(UsageError, match="say --smtp-encryption none"):
        smtp.find_server(None, None, None, None)
    assert smtp.find_server(None, None, "none", None) == smtp.Server("mail.example.org", 2525, "none", "me")
    configure("\tsmtpEncryption = rot13\n")
    with pytest.raises(UsageError, match="'rot13'"):
        smtp.find_server(None, None, None, None)


def send(results: Path, port: int, *more: str) -> Done:
    return run(
        *MAILING,
        "--send",
        "--to",
        "L <list@example.org>",
        "--smtp-server",
        "127.0.0.1",
        "--smtp-port",
        str(port),
        *more,
        cwd=results,
    )


def test_sent_by_the_command(results: Path, inbox: Inbox) -> None:
    with serving(inbox) as port:
        done = send(results, port, "--smtp-encryption", "none", "--yes", "-o", "report.eml", "--attach", "markdown")
    assert done.returncode == 0
    assert done.stdout == ""
    for line in (
        "From: Some Developer <me@example.org>",
        "To: L <list@example.org>",
        "Subject: patched against base: 1 improved",
        f"to 1 recipient by 127.0.0.1:{port}, encryption none",
        "sent to 1 recipient by 127.0.0.1",
    ):
        assert f"\n{line}\n" in done.stderr
    assert "Attached: report.md, text/markdown, " in done.stderr
    assert inbox.envelopes[0].content == (results / "report.eml").read_bytes().replace(b"\n", b"\r\n")
    assert not list(results.glob("unsent-*"))


def test_a_rehearsal_sends_nothing(results: Path, inbox: Inbox) -> None:
    with serving(inbox) as port:
        done = send(results, port, "--smtp-encryption", "none", "--dry-run")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.endswith("nothing was sent (--dry-run)\n")
    assert "To: L <list@example.org>" in done.stderr
    assert not inbox.greetings


def test_a_mail_that_could_not_be_sent_is_kept(results: Path, inbox: Inbox) -> None:
    with serving(inbox) as port:
        done = send(results, port, "--smtp-encryption", "none", "--yes", "--cc", "refused@example.org")
    assert done.returncode == 2
    assert "refused@example.org: 550" in done.stderr
    (kept,) = results.glob("unsent-*.eml")
    assert f"the mail is kept in {kept}\n" in done.stderr
    assert kept.read_bytes().replace(b"\n", b"\r\n") == inbox.envelopes[0].content
    gone = send(results, port, "--smtp-encryption", "none", "--yes", "-o", "mine.eml")
    assert gone.returncode == 2
    assert "the mail is kept in mine.eml\n" in gone.stderr
    assert "Connection refused" in gone.stderr


def test_the_certificates_of_the_system_are_believed(
    results: Path, inbox: Inbox, authority: trustme.CA, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(results / "ca.pem"))
    with serving(inbox, tls_context=certificate) as port:
        assert "isn't believed" in send(results, port, "--yes").stderr
        monkeypatch.setenv("SSL_CERT_FILE", str(results / "ca.pem"))
        assert send(results, port, "--yes").returncode == 0
    assert len(inbox.envelopes) == 1


@pytest.mark.parametrize(("typed", "sent"), [("y\n", 1), ("n\n", 0), ("\n", 0), ("", 0)])
def test_somebody_is_asked(
    typed: str, sent: int, results: Path, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    monkeypatch.setattr("compare_kernels.delivery.options._can_ask", lambda: True)
    with serving(inbox) as port:
        done = send(results, port, "--smtp-encryption", "none")
    assert done.returncode == 0
    assert "Send it? [y/N]\n" in done.stderr
    assert len(inbox.envelopes) == sent
    assert ("nothing was sent" in done.stderr) is not bool(sent)


def test_asked_on_a_terminal(results: Path, inbox: Inbox) -> None:
    controller, terminal = os.openpty()
    os.write(controller, b"y\n")
    with serving(inbox) as port:
        where = ("--smtp-server", "127.0.0.1", "--smtp-port", str(port), "--smtp-encryption", "none")
        done = subprocess.run(
            [sys.executable, "-m", "compare_kernels", *MAILING, "--send", "--to", "list@example.org", *where],
            check=False,
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            cwd=results,
        )
    os.close(terminal)
    os.close(controller)
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(inbox.envelopes) == 1


# Other programs


def test_git_send_email_takes_it(results: Path) -> None:
    where = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip()
    if not (Path(where) / "git-send-email").exists() and not shutil.which("git-send-email"):
        pytest.skip("git send-email isn't installed here (Debian's package git-email)")
    arguments = ("--to", "L <list@example.org>", "--cc", '"Müller, A" <a@example.org>', "--attach", "markdown")
    assert run(*MAILING, *arguments, "-o", "report.eml", cwd=results).returncode == 0
    done = subprocess.run(
        ["git", "send-email", "--dry-run", "--confirm=never", "--smtp-server=127.0.0.1", "report.eml"],
        check=False,
        capture_output=True,
        text=True,
        cwd=results,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert "RCPT TO:<list@example.org>" in done.stdout
    assert "RCPT TO:<a@example.org>" in done.stdout
    assert "Subject: patched against base: 1 improved" in done.stdout
    assert "Result: OK" in done.stdout


def test_the_example_of_the_manual() -> None:
    """The commands in docs/mail.md do what it says."""
    page = (ROOT / "docs" / "mail.md").read_text()
    done = spawn(
        "sample-results/base",
        "sample-results/patched",
        "--mail",
        "--from",
        "Kim Developer <kim@example.org>",
        "--to",
        "list@example.org",
        "--style",
        "summary",
        cwd=ROOT,
        SOURCE_DATE_EPOCH="1767323045",
    )
    head = re.sub("(?m)^Message-ID: .*", "Message-ID: <ID>", done.stdout.partition("\n\n")[0])
    assert "".join(f"    {line}\n" for line in head.split("\n")) in page
