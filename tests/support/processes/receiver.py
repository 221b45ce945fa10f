"""A receiver of postbacks: a real HTTP server that records requests and answers as configured."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

import pytest

from tests.support.waiting import wait_until


@dataclass(frozen=True)
class ReceivedRequest:
    """One request. path: with its query, as it came · headers: by lower-case name · at: monotonic seconds."""

    method: str
    path: str
    headers: dict[str, str]
    at: float
    body: bytes = b""

    @property
    def query(self) -> dict[str, str]:
        """The first value of each parameter, decoded."""
        return {name: values[0] for name, values in parse_qs(self.path.partition("?")[2], True).items()}


@dataclass(frozen=True)
class Reply:
    """How a request is answered: after `delay` seconds."""

    status: int = 200
    body: bytes = b"ok"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0


class Receiver:
    """Serves while its `with` block lasts. `replies`: the reply to a request; by default 200.

    with Receiver() as receiver:
        receiver.url("/postback?c={clickid}")
        receiver.wait_for(1)
    """

    def __init__(
        self,
        replies: Callable[[ReceivedRequest], Reply] | None = None,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._received: list[ReceivedRequest] = []
        self._lock = threading.Lock()
        self._replies = replies or (lambda _: Reply())
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer((host, 0), self._handler())
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def requests(self) -> list[ReceivedRequest]:
        """The requests so far, in the order they came."""
        with self._lock:
            return list(self._received)

    def url(self, target: str = "/") -> str:
        """The address of a path (and query) here."""
        return f"http://127.0.0.1:{self.port}{target}"

    def wait_for(self, count: int, *, seconds: float = 10) -> list[ReceivedRequest]:
        """The requests as soon as there are `count`; fails the test when they do not come."""
        wait_until(lambda: len(self.requests()) >= count, seconds=seconds)
        return self.requests()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class ReceiverHandler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                request = ReceivedRequest(
                    self.command,
                    self.path,
                    {name.lower(): value for name, value in self.headers.items()},
                    time.monotonic(),
                    self.rfile.read(int(self.headers.get("Content-Length", 0))),
                )
                with receiver._lock:
                    receiver._received.append(request)
                reply = receiver._replies(request)
                receiver._closing.wait(reply.delay)
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True  # the caller has gone, which some tests are about

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return ReceiverHandler


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that answers 200."""
    with Receiver() as receiver:
        yield receiver
