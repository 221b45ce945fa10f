"""The status line of an answer decides, and each request is one on the wire."""

import asyncio
import ipaddress
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.support.waiting import wait_until
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.results import HttpResult, ProbeResult, read_retry_after

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
OK = b"HTTP/1.1 200 OK\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
LATE = b"HTTP/1.1 503 Service Unavailable\r\n"

ANSWERS = {
    # What is wrong: the answer, and its status. An affiliate that is called again may pay again.
    "nothing": (OK + b"Content-Length: 2\r\n\r\nok", 200),
    "a short body": (OK + b"Content-Length: 50\r\n\r\nshort", 200),
    "no body": (OK + b"Content-Length: 50\r\n\r\n", 200),
    "a bad chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n", 200),
    "a chunk that ends early": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nok", 200),
    "a body after 204": (b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", 204),
    "two equal lengths": (OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", 200),
    "two lengths": (OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", 200),
    "a length and chunks": (OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200),
    "a header of 9 KB": (OK + b"Content-Security-Policy: " + b"x" * 9_000 + b"\r\nContent-Length: 2\r\n\r\nok", 200),
    "a header of 80 KB": (OK + b"X: " + b"x" * 80_000 + b"\r\nContent-Length: 2\r\n\r\nok", 200),
    "a space in the name of a header": (OK + b"X Y: 1\r\nContent-Length: 2\r\n\r\nok", 200),
    "a header without a colon": (OK + b"nonsense\r\nContent-Length: 2\r\n\r\nok", 200),
    "a head that ends early": (OK + b"Content-Le", 200),
    "bytes in a header": (OK + b"X: \xff\xfe\r\nContent-Length: 2\r\n\r\nok", 200),
    "HTTP/1.0": (b"HTTP/1.0 200 OK\r\n\r\nok", 200),
    "a failure with a short body": (LATE + b"Content-Length: 50\r\n\r\nshort", 503),
    "a redirect with a bad head": (b"HTTP/1.1 302 Found\r\nX Y: 1\r\nLocation: /\r\n\r\n", 302),
    "no reason, and line feeds alone": (b"HTTP/1.1 200\nContent-Length: 2\n\nok", 200),
    "two spaces before the status": (b"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok", 200),
    "no space behind the status": (b"HTTP/1.1 200OK\r\nContent-Length: 2\r\n\r\nok", 200),
    "a tab behind the status": (b"HTTP/1.1 200\tOK\r\nContent-Length: 2\r\n\r\nok", 200),
    "a version in small letters": (b"http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200),
    "another version": (b"HTTP/1.2 503 X\r\nContent-Length: 2\r\n\r\nok", 503),
    "a version without a point": (b"HTTP/2 200\r\nContent-Length: 2\r\n\r\nok", 200),
    "a server of streams": (b"ICY 200 OK\r\n\r\nok", 200),
    "a reason of 70 KB": (b"HTTP/1.1 200 " + b"O" * 70_000 + b"\r\n\r\nok", 200),
    "a bad head behind 103": (EARLY + OK + b"X Y: 1\r\nContent-Length: 2\r\n\r\nok", 200),
    "a bad head behind 100 and 103": (b"HTTP/1.1 100 Continue\r\n\r\n" + EARLY + LATE + b"X Y: 1\r\n\r\n", 503),
    "a short body behind 103": (EARLY + OK + b"Content-Length: 50\r\n\r\nshort", 200),
    "103 alone": (EARLY, 0),
    "four digits": (b"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", 0),
    "a mail server": (b"220 mail.example ready\r\n", 0),
    "no status": (b"HELLO\r\n\r\n", 0),
    "half a status line": (b"HTTP/1.1 20", 0),
    "nothing at all": (b"", 0),
}


class RawServer:
    """Answers each connection with the same bytes, and keeps it open or not. `requests`: how many it got."""

    def __init__(self, answer: bytes, *, stays_open: bool = False) -> None:
        self._answer, self._stays_open = answer, stays_open
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.requests = 0
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            with suppress(OSError):  # a client that finds the answer wrong may hang up first
                if connection.recv(65_536):
                    self.requests += 1
                    connection.sendall(self._answer)
                if not self._stays_open:
                    connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        for each in (self._socket, *self._open):
            each.close()
        self._thread.join(10)


@contextmanager
def raw_server(answer: bytes, *, stays_open: bool = False) -> Iterator[RawServer]:
    server = RawServer(answer, stays_open=stays_open)
    yield server
    server.close()


def get(port: int, seconds: float = 20) -> HttpResult:
    async def call() -> HttpResult:
        async with OutboundClient(LOOPBACK, seconds=seconds) as client:
            return await client.get(f"http://127.0.0.1:{port}/", {})

    return asyncio.run(call())


@pytest.mark.parametrize("wrong", ANSWERS)
def test_status_line_of_an_answer_decides(wrong: str) -> None:
    answer, status = ANSWERS[wrong]
    with raw_server(answer) as server:
        result = get(server.port)
        assert (result.http_code, server.requests) == (status, 1)
    assert result.is_success == (200 <= status < 300)
    assert bool(result.error) == (status == 0)
    assert result.error in ("", "the answer is not HTTP", "the server closed the connection without an answer")


def test_answers_of_which_the_status_line_decides_were_seen() -> None:
    assert len(ANSWERS) == 36


@pytest.mark.parametrize("wrong", ["a space in the name of a header", "a bad head behind 103"])
def test_status_line_decides_for_a_look_at_a_url(wrong: str) -> None:
    async def probe(port: int) -> ProbeResult:
        async with OutboundClient(LOOPBACK) as client:
            return await client.probe(f"http://127.0.0.1:{port}/")

    with raw_server(ANSWERS[wrong][0]) as server:
        found = asyncio.run(probe(server.port))
    assert (found.status, found.error) == (200, "")


@pytest.mark.parametrize(
    ("answer", "status"),
    [(OK + b"Content-Length: 50\r\n\r\nshort", 200), (OK + b"Content-Le", 200), (b"HTTP/1.1 2", 0)],
)
def test_answer_that_stalls_ends_in_time_and_counts_by_its_status(answer: bytes, status: int) -> None:
    with raw_server(answer, stays_open=True) as server:
        result = get(server.port, seconds=0.5)
    assert (result.http_code, result.is_late) == (status, status == 0)
    assert result.body in (b"", b"short")


def test_kept_connection_that_the_server_ends_gets_no_second_request() -> None:
    answered = threading.Event()
    received: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while not answered.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            while part := connection.recv(65_536):
                received.append(part)
                if len(received) > 1:
                    break  # hangs up without an answer
                connection.sendall(OK + b"Content-Length: 2\r\n\r\nok")
            connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"

    async def call() -> tuple[HttpResult, HttpResult]:
        async with OutboundClient(LOOPBACK) as client:
            return await client.get(url, {}), await client.get(url, {})

    first, second = asyncio.run(call())
    answered.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    wait_until(lambda: not thread.is_alive())
    assert (first.http_code, second.http_code, len(received)) == (200, 0, 2)
    assert second.error == "the server closed the connection without an answer"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20", 20), (" 20 ", 20), ("0", 0), ("", 0), ("-5", 0), ("soon", 0), ("٢٠", 0), ("9" * 50, 999_999_999),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 30), ("Wed, 21 Oct 2026 07:27:00 GMT", 0),
        ("Wed, 99 Oct 2026 07:28:00 GMT", 0),
    ],
)  # fmt: skip
def test_retry_after_is_read_as_seconds(text: str, seconds: int) -> None:
    assert read_retry_after(text, 1_792_567_650.0) == seconds


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("http://a.example:99999/", "port"),
        ("http://a.example:x/", "port"),
        ("http://[::1/", "host"),
        ("http://xn--\x80.example/", "host"),
        ("http://℀.example/", "host"),
    ],
)
def test_url_that_cannot_be_called_has_plain_words(url: str, part: str) -> None:
    async def call() -> HttpResult:
        async with OutboundClient(LOOPBACK) as client:
            return await client.get(url, {})

    assert asyncio.run(call()).error == f"not a URL that can be called: its {part} is not one"


def _reset(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _no_tls(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example ready\r\n")
    connection.recv(65_536)
    connection.close()


FAULTS: dict[str, tuple[Callable[[socket.socket], None], str, str]] = {
    # What the server does: how, the scheme of the URL, and what the log says.
    "ends the connection": (_reset, "http", "the connection ended before the answer: connection reset by peer"),
    "speaks no TLS": (
        _no_tls,
        "https",
        "no encrypted connection to 127.0.0.1:%d: its server speaks no TLS, or a version that is too old",
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_fault_of_a_server_has_plain_words(what: str) -> None:
    act, scheme, words = FAULTS[what]
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            act(listener.accept()[0])

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = listener.getsockname()[1]

    async def call() -> HttpResult:
        async with OutboundClient(LOOPBACK) as client:
            return await client.get(f"{scheme}://127.0.0.1:{port}/", {})

    result = asyncio.run(call())
    listener.close()
    thread.join(10)
    assert (result.http_code, result.error) == (0, words.replace("%d", str(port)))
