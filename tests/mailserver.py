"""Mail servers on 127.0.0.1 for the tests: a real one, and one that follows a script."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator


class Inbox:
    """What a server got: one envelope for each mail, and the log-ins."""

    def __init__(self, refused: tuple[str, ...] = ()) -> None:
        self.refused = refused
        self.envelopes: list[Envelope] = []
        self.greetings: list[str] = []
        self.logins: list[tuple[str, str, bool]] = []

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, name: str, lines: list[str]
    ) -> Any:
        session.host_name = name
        self.greetings.append(name)
        return lines

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        if address in self.refused:
            return "550 5.1.1 nobody of that \x1b[31mname"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        return "250 taken"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        user, secret = data.login.decode(), data.password.decode()
        self.logins.append((user, secret, session.ssl is not None))
        return AuthResult(success=secret == "right", handled=False)


@contextlib.contextmanager
def serving(inbox: Inbox, *, wrap: ssl.SSLContext | None = None, **options: Any) -> Iterator[int]:
    """A server that puts mails into the inbox; gives its port.

    Args:
        inbox: what takes the mails.
        wrap: for encryption from the start.
        options: of aiosmtpd's ``SMTP``.
    """
    loop = asyncio.new_event_loop()
    made = loop.create_server(
        lambda: SMTP(inbox, loop=loop, hostname="localhost", **options), "127.0.0.1", 0, ssl=wrap
    )
    server = loop.run_until_complete(made)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def stop() -> None:
        server.close()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@contextlib.contextmanager
def scripted(*answers: bytes) -> Iterator[int]:
    """A server that gives these answers, one at once and one after each line or mail it gets, then hangs up.

    Without any answer it stays silent and keeps the line open.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def talk() -> None:
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                if not answers:
                    lines.read()
                for answer in answers:
                    connection.sendall(answer)
                    if answer is answers[-1]:
                        return
                    if answer.startswith(b"354"):
                        while (line := lines.readline()) and line != b".\r\n":
                            pass
                    else:
                        lines.readline()

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        # A thread that still waits for a caller gets one.
        with contextlib.suppress(OSError):
            socket.create_connection(listener.getsockname(), timeout=1).close()
        listener.close()
        thread.join()
