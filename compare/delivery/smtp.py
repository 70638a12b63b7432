"""A mail on its way: handed in by SMTP."""

from __future__ import annotations

import contextlib
import os
import re
import smtplib
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from compare_kernels.delivery import git
from compare_kernels.errors import UsageError
from compare_kernels.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Encryption = Literal["tls", "ssl", "none"]
PORTS: dict[Encryption, int] = {"tls": 587, "ssl": 465, "none": 25}
TIMEOUT = 30.0
"""Seconds until a server that doesn't answer is given up."""

_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+")
_GREETING = "[127.0.0.1]"
"""What the server is told as our name: that of the machine is none of its business."""


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

    def __str__(self) -> str:
        login = f", as {printable(self.user)}" if self.user else ""
        return f"{self.host}:{self.port}, encryption {self.encryption}{login}"


def find_server(host: str | None, port: int | None, encryption: Encryption | None, user: str | None) -> Server:
    """The server of the options, and what they leave open from git's ``sendemail`` settings.

    Raises:
        UsageError: if there is no server, git's settings make no sense, or a password would go in the clear although
            no option asks for that.
    """
    host = host or git.setting("sendemail.smtpServer")
    if not host:
        raise UsageError("no mail server: give --smtp-server, or set git's sendemail.smtpServer")
    if not _HOST.fullmatch(host):
        program = "; git sends by a program, which this command doesn't" if "/" in host else ""
        raise UsageError(f"{printable(host)!r} is no name of a mail server: give --smtp-server{program}")
    login = user if user is not None else git.setting("sendemail.smtpUser")
    chosen = encryption or _encryption(git.setting("sendemail.smtpEncryption"))
    if chosen == "none" and login and not encryption:
        raise UsageError(
            "git's sendemail.smtpEncryption is none, so that the password would go in the clear: if that's meant, "
            "say --smtp-encryption none"
        )
    return Server(host, _port(port, chosen), chosen, login)


def _encryption(text: str) -> Encryption:
    for known in PORTS:
        if text.lower() == known:
            return known
    if text:
        raise UsageError(f"sendemail.smtpEncryption is {printable(text)!r}, but has to be one of {', '.join(PORTS)}")
    return "tls"


def _port(given: int | None, encryption: Encryption) -> int:
    text = str(given) if given is not None else git.setting("sendemail.smtpServerPort") or str(PORTS[encryption])
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 0 < int(text) < 65536:
        raise UsageError(f"{printable(text)!r} is no port of a mail server")
    return int(text)


def send(
    message: bytes,
    sender: str,
    recipients: Sequence[str],
    server: Server,
    *,
    trust: ssl.SSLContext | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Hand a mail in for all its recipients, byte for byte but for the ends of lines.

    Args:
        message: the mail with bare newlines.
        sender: bare address.
        recipients: bare addresses.
        server: where.
        trust: which certificates are believed; by default those that the system believes.
        timeout: seconds that each answer of the server may take.

    Raises:
        UsageError: says in words what went wrong; if some recipients were refused, which.
    """
    try:
        with _connection(server, trust or ssl.create_default_context(), timeout) as connection:
            if server.user:
                connection.login(server.user, _secret(server))
            refused = connection.sendmail(sender, recipients, _on_the_wire(message), _options(message, connection))
    except smtplib.SMTPRecipientsRefused as error:
        raise UsageError(f"the server refused all recipients: {_refusals(error.recipients)}") from error
    except (smtplib.SMTPException, OSError, UnicodeError) as error:
        raise UsageError(f"{server.host}:{server.port}: {_fault(error, server)}") from error
    if refused:
        raise UsageError(f"sent, but not to those whom the server refused: {_refusals(refused)}")


@contextlib.contextmanager
def _connection(server: Server, trust: ssl.SSLContext, timeout: float) -> Iterator[smtplib.SMTP]:
    """A connection with the encryption that was asked for; however it ends, what was said on it before counts."""
    connection: smtplib.SMTP
    if server.encryption == "ssl":
        connection = smtplib.SMTP_SSL(server.host, server.port, _GREETING, timeout=timeout, context=trust)
    else:
        connection = smtplib.SMTP(server.host, server.port, _GREETING, timeout=timeout)
    try:
        if server.encryption == "tls":
            connection.starttls(context=trust)
        yield connection
        with contextlib.suppress(smtplib.SMTPException, OSError):
            connection.quit()
    finally:
        connection.close()


def _secret(server: Server) -> str:
    secret = os.environ.get("SMTP_PASSWORD") or git.password(server.host, server.port, server.user)
    if not secret:
        raise UsageError(
            f"no password for {printable(server.user)}: set SMTP_PASSWORD, or store it with git's credential helper"
        )
    if not (server.user + secret).isascii():
        raise UsageError("a user or a password that isn't ASCII can't be sent by SMTP's log-in")
    return secret


def _on_the_wire(message: bytes) -> bytes:
    return message.replace(b"\n", b"\r\n")


def _options(message: bytes, connection: smtplib.SMTP) -> list[str]:
    if message.isascii():
        return []
    connection.ehlo_or_helo_if_needed()
    if not connection.has_extn("8bitmime"):
        raise UsageError("the server takes only mails in ASCII, which this one is not")
    return ["BODY=8BITMIME"]


def _fault(error: Exception, server: Server) -> str:
    """What went wrong, in words that say who refused what."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"the log-in of {printable(server.user)} was refused: {_said(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPSenderRefused):
        return f"the sender was refused: {error.smtp_code} {_said(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"the server refused: {error.smtp_code} {_said(error.smtp_error)}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate isn't believed: {_said(error.verify_message)}"
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
        return "no answer in time"
    return _said(getattr(error, "strerror", None) or str(error) or type(error).__name__)


def _refusals(refused: dict[str, tuple[int, bytes]]) -> str:
    return "; ".join(f"{address}: {code} {_said(text)}" for address, (code, text) in sorted(refused.items()))


def _said(text: bytes | str) -> str:
    """The words of a server in one line; they may be anything."""
    plain = text.decode(errors="replace") if isinstance(text, bytes) else text
    return printable(" ".join(plain.split()))[:300]
