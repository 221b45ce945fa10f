"""A mail server on the loopback that keeps what it receives and answers as configured."""

import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from types import TracebackType
from typing import Self

import pytest


@dataclass(frozen=True)
class ReceivedMail:
    """One mail as it came. recipients: of the envelope."""

    recipients: list[str]
    message: EmailMessage


class SmtpHandler(socketserver.StreamRequestHandler):
    """One conversation with the mail server that a subclass names."""

    mail_server: "MailServer"

    def handle(self) -> None:
        self.mail_server.connections += 1
        self._say("220 test")
        self.recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            reply = "221 bye" if line.upper() == "QUIT" else self._reply(line)
            if reply:
                self._say(reply)
            if not reply or line.upper() == "QUIT":
                return

    def _reply(self, line: str) -> str:
        """Return the reply to a command; "" ends the conversation."""
        verb = line.upper()
        if verb.startswith("EHLO"):
            return "250-test\r\n250 AUTH PLAIN"
        if verb.startswith("AUTH"):
            self.mail_server.logins.append(line)
            return self.mail_server.login_answer
        if verb.startswith("RCPT"):
            address = line[line.index("<") + 1 : line.index(">")]
            reply = self.mail_server._answers(address)
            self.recipients += [address] if reply.startswith("250") else []
            return reply
        return self._receive_content() if verb == "DATA" else "250 OK"

    def _receive_content(self) -> str:
        self._say("354 go on")
        content = self._content()
        reply = self.mail_server._answers("DATA")
        if reply.startswith("250") or not reply:
            message = message_from_bytes(content, policy=policy.default)
            self.mail_server.received.append(ReceivedMail(self.recipients, message))
        self.recipients = []
        return reply

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")

    def _content(self) -> bytes:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        return b"".join(lines)


class MailServer:
    """Serves while its `with` block lasts.

    `answers`: what is said to RCPT by address, to DATA under "DATA"; "" ends the conversation instead · tls: spoken
    from the first byte.
    """

    def __init__(self, answers: Callable[[str], str] | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[ReceivedMail] = []
        self.logins: list[str] = []
        self.login_answer = "235 OK"
        self.connections = 0
        self._answers = answers or (lambda _: "250 OK")
        self._server = socketserver.ThreadingTCPServer(
            ("127.0.0.1", 0), type("Handler", (SmtpHandler,), {"mail_server": self})
        )
        self._server.daemon_threads = True
        self._tls = tls
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        scheme = "smtp" if self._tls is None else "smtps"
        return f"{scheme}://127.0.0.1:{self._server.server_address[1]}"

    def answer_differently(self, answers: Callable[[str], str]) -> None:
        self._answers = answers


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    """A mail server that takes everything."""
    with MailServer() as server:
        yield server
