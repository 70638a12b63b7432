"""A mail on its way: by SMTP, after somebody has looked at it."""

from __future__ import annotations

import os
import smtplib
import ssl
from dataclasses import dataclass
from email.utils import getaddresses
from typing import TYPE_CHECKING, Literal

from compare_kernels.delivery import git
from compare_kernels.errors import UsageError

if TYPE_CHECKING:
    from email.message import EmailMessage

Encryption = Literal["tls", "ssl", "none"]
PORTS: dict[str, int] = {"tls": 587, "ssl": 465, "none": 25}
TIMEOUT = 30.0
"""Seconds until a server that doesn't answer is given up."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where mails are handed in.

    Attributes:
        host: name or address.
        port: number.
        encryption: ``tls`` begins in the clear and goes on encrypted or not at all; ``ssl`` is encrypted from the
            start.
        user: name to log in with; empty for none.
    """

    host: str
    port: int
    encryption: Encryption
    user: str = ""


def find_server(host: str | None, port: int | None, encryption: str | None, user: str | None) -> Server:
    """The server of the options, and what they leave open from git's ``sendemail`` settings.

    Raises:
        UsageError: if there is no server, or git's settings make no sense.
    """
    host = host or git.setting("sendemail.smtpServer")
    if not host:
        raise UsageError("no mail server: give --smtp-server, or set git's sendemail.smtpServer")
    if "/" in host:
        raise UsageError(f"git sends by the program {host}, which is no server: give --smtp-server")
    encryption = encryption or git.setting("sendemail.smtpEncryption") or "tls"
    if encryption not in PORTS:
        raise UsageError(f"sendemail.smtpEncryption is {encryption!r}, but has to be one of {', '.join(PORTS)}")
    given = port or git.setting("sendemail.smtpServerPort") or PORTS[encryption]
    try:
        number = int(given)
    except ValueError as error:
        raise UsageError(f"sendemail.smtpServerPort is {given!r}, which is no number") from error
    if not 0 < number < 65536:
        raise UsageError(f"{number} is no port of a server")
    chosen = user if user is not None else git.setting("sendemail.smtpUser")
    return Server(host, number, encryption, chosen)  # type: ignore[arg-type]


def recipients(mail: EmailMessage) -> list[str]:
    """The bare addresses that a mail goes to."""
    texts = [str(text) for name in ("To", "Cc") for text in mail.get_all(name, [])]
    return list(dict.fromkeys(address for _, address in getaddresses(texts)))


def send(mail: EmailMessage, server: Server, trust: ssl.SSLContext | None = None) -> None:
    """Hand the mail in for all its recipients.

    Args:
        mail: the mail.
        server: where.
        trust: which certificates are believed; by default those that the system believes.

    Raises:
        UsageError: says in words what went wrong; if some recipients were refused, which.
    """
    to = recipients(mail)
    sender = getaddresses([str(mail["From"])])[0][1]
    try:
        with _connect(server, trust or ssl.create_default_context()) as connection:
            if server.user:
                secret = os.environ.get("SMTP_PASSWORD") or git.password(server.host, server.user)
                if not secret:
                    raise UsageError(
                        f"no password for {server.user}: set SMTP_PASSWORD, or store it with git's credential helper"
                    )
                connection.login(server.user, secret)
            refused = connection.send_message(mail, sender, to)
    except smtplib.SMTPRecipientsRefused as error:
        raise UsageError(f"the server refused all recipients: {_refusals(error.recipients)}") from error
    except smtplib.SMTPAuthenticationError as error:
        raise UsageError(f"the server refused the login of {server.user}: {_said(error.smtp_error)}") from error
    except smtplib.SMTPResponseException as error:
        raise UsageError(f"the server refused the mail: {error.smtp_code} {_said(error.smtp_error)}") from error
    except smtplib.SMTPException as error:
        raise UsageError(f"{server.host}:{server.port}: {_said(str(error))}") from error
    except OSError as error:
        reason = "no answer in time" if isinstance(error, TimeoutError) else error.strerror or str(error)
        raise UsageError(f"{server.host}:{server.port}: {_said(reason)}") from error
    if refused:
        raise UsageError(f"sent, but not to those whom the server refused: {_refusals(refused)}")


def _connect(server: Server, trust: ssl.SSLContext) -> smtplib.SMTP:
    if server.encryption == "ssl":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT, context=trust)
    connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT)
    if server.encryption == "tls":
        try:
            connection.starttls(context=trust)
        except BaseException:
            connection.close()
            raise
    return connection


def _refusals(refused: dict[str, tuple[int, bytes]]) -> str:
    return "; ".join(f"{address}: {code} {_said(text)}" for address, (code, text) in sorted(refused.items()))


def _said(text: bytes | str) -> str:
    return " ".join((text.decode(errors="replace") if isinstance(text, bytes) else text).split())
