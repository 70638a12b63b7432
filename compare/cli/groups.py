"""Arguments of a comparison that belong together: those of the gate, those of mails."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

NO_FILE = ""
"""What ``--gate`` alone comes to."""


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the gate."""
    add = parser.add_argument
    add(
        "--gate",
        nargs="?",
        const=NO_FILE,
        metavar="FILE.toml",
        help="exit with 1 if a kernel regressed, by the rules of a file if one is named",
    )
    add("--bisect", action="store_true", help="with --gate: exit codes for git bisect run")
    add("--update-baseline", metavar="FILE", help="with --gate: if it passes, write the last kernel as JSON")
    add("--allow-different-machine", action="store_true", help="with --gate: don't refuse kernels of two machines")


def add_mail_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the command's parser, in a group of their own."""
    group = parser.add_argument_group("mail", "What all others here need is --mail. docs/mail.md has an example.")
    add = group.add_argument
    add("--mail", action="store_true", help="make the report a mail, in ASCII and 78 characters a line")
    add("--to", action="append", default=[], metavar="ADDRESS", help="recipients; may be repeated")
    add("--cc", action="append", default=[], metavar="ADDRESS", help="who gets a copy; may be repeated")
    add("--from", dest="sender", metavar="ADDRESS", help="sender (default: git's user.name and user.email)")
    add("--subject", metavar="TEXT", help="subject (default: the kernels and the counts of verdicts)")
    add("--in-reply-to", metavar="MESSAGE-ID", help="answer the mail with this Message-ID")
    add("--reply-to-message", metavar="FILE", help="answer all readers of the mail in this file")
    add("--quote", action="store_true", help="with --reply-to-message: quote its text above the report")
    add(
        "--attach",
        action="append",
        default=[],
        metavar="STYLE[,STYLE]",
        help="add the comparison in other styles as files",
    )
    add("--send", action="store_true", help="hand the mail in, after asking")
    add("--dry-run", action="store_true", help="show what --send would send, and send nothing")
    add("--yes", action="store_true", help="with --send: don't ask")
    add("--smtp-server", metavar="HOST", help="mail server (default: git's sendemail.smtpServer)")
    add("--smtp-port", type=int, metavar="N", help="its port (default: 587 for tls, 465 for ssl, 25 for none)")
    add("--smtp-encryption", choices=("tls", "ssl", "none"), help="STARTTLS, encrypted from the start, or not (tls)")
    add("--smtp-user", metavar="NAME", help="log in as NAME, with $SMTP_PASSWORD or git's credential helper")
