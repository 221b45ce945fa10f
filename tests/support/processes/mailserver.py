"""A mail server on the loopback that keeps what it gets and answers as it is told."""

import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from types import TracebackType
from typing import Self, cast

import pytest


@dataclass(frozen=True)
class ReceivedMail:
    """One mail as it came. recipients: of the envelope."""

    recipients: list[str]
    message: EmailMessage


class MailServer:
    """Serves while its `with` block lasts. `answers`: what is said to RCPT by address, to DATA under "DATA"; "" ends
    the conversation instead · tls: spoken from the first byte."""

    def __init__(self, answers: Callable[[str], str] | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[ReceivedMail] = []
        self.logins: list[str] = []
        self.connections = 0
        self._answers = answers or (lambda _: "250 OK")
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler())
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

    def _handler(self) -> type[socketserver.StreamRequestHandler]:
        server = self

        class SmtpHandler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                server.connections += 1
                self._say("220 test")
                recipients: list[str] = []
                while line := self.rfile.readline().decode().strip():
                    verb = line.upper()
                    said = "250 OK"
                    if verb.startswith("EHLO"):
                        said = "250-test\r\n250 AUTH PLAIN"
                    elif verb.startswith("AUTH"):
                        server.logins.append(line)
                        said = "235 OK"
                    elif verb.startswith("RCPT"):
                        address = line[line.index("<") + 1 : line.index(">")]
                        said = server._answers(address)
                        recipients += [address] if said.startswith("250") else []
                    elif verb == "DATA":
                        self._say("354 go on")
                        content = self._content()
                        said = server._answers("DATA")
                        if said.startswith("250") or not said:
                            message = cast(EmailMessage, message_from_bytes(content, policy=policy.default))
                            server.received.append(ReceivedMail(recipients, message))
                        recipients = []
                    elif verb == "QUIT":
                        self._say("221 bye")
                        return
                    if not said:
                        return
                    self._say(said)

            def _say(self, text: str) -> None:
                self.wfile.write(text.encode() + b"\r\n")

            def _content(self) -> bytes:
                lines: list[bytes] = []
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                return b"".join(lines)

        return SmtpHandler


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    """A mail server that takes everything."""
    with MailServer() as server:
        yield server
