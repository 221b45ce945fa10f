"""Connections of the API: bounds on size and time, and errors that are JSON."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from tests.support.waiting import wait_until
from trackyard.base.metrics import REFUSED_REQUESTS
from trackyard.wire.http import connection
from trackyard.wire.http.connection import HEAD_SLICE, BoundedHttp

HOST = b"Host: t.example\r\n"
CLOSE = HOST + b"Connection: close\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + CLOSE


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the size of the body; /large with a large answer."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            break
    if scope["path"] == "/pieces":
        await pieces(send)
        return
    body = b"x" * 20_000_000 if scope["path"] == "/large" else b"%d" % size
    if scope["path"] == "/query":
        body = b"%d " % scope["state"].get("forgiven", 0) + scope["query_string"]
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def pieces(send: Any) -> None:
    """Answers with 20 MB that are made while they are sent."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(40):
        await send({"type": "http.response.body", "body": b"x" * 500_000, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def server() -> Iterator[uvicorn.Server]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            echo, http=BoundedHttp, ws="none", lifespan="off", log_config=None, timeout_keep_alive=1, loop="asyncio"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield server
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def port(server: uvicorn.Server) -> int:
    number: int = server.servers[0].sockets[0].getsockname()[1]
    return number


def answer(port: int, sent: bytes) -> tuple[int, bytes]:
    """Return status and body of the last answer on a new connection, read until it is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(sent)
        data = b""
        while piece := client.recv(65536):
            data += piece
    *_, last = data.split(b"HTTP/1.1 ")
    head, _, body = last.partition(b"\r\n\r\n")
    return int(head[:3]), body


@pytest.mark.parametrize(
    ("status", "sent"),
    [
        (414, b"GET /?" + b"a" * 60_000 + b"a" * 80_000),
        (414, b"GET /?" + b"a" * 66_000 + b" HTTP/1.1\r\n" + CLOSE),
        (431, b"GET / HTTP/1.1\r\nX: " + b"a" * 140_000),
        (431, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50_000 + CLOSE),
        (413, CHUNKED + b"1\r\nx\r\n0\r\n" + b"A: b\r\n" * 100_000),
        (413, CHUNKED + b"1\r\nx\r\n0\r\nA: " + b"b" * 400_000),
        (400, CHUNKED + b"zz\r\n"),
        (400, b"nonsense\r\n\r\n"),
        (400, b"GET /\r\n\r\n"),
        (400, b"GET /\r\nConnection: keep-alive\r\n\r\n"),
        (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 5),
        (400, b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n" + CLOSE + b"abc"),
        (400, b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n" + CLOSE + b"0\r\n\r\n"),
    ],
)
def test_api_connection_errors_are_answered_in_json(port: int, status: int, sent: bytes) -> None:
    found, body = answer(port, sent)
    assert found == status
    error = json.loads(body)
    assert error["status"] == 2 and error["error"] == error["message"] and error["code"]


def test_api_connection_error_is_kept_by_no_cache_and_never_sniffed(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"nonsense\r\n\r\n")
        data = b""
        while piece := client.recv(65536):
            data += piece
    head = data.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert {b"Content-Type: application/json", b"Cache-Control: no-store", b"X-Content-Type-Options: nosniff"} <= set(
        head
    )


def test_api_connection_accepts_requests_within_limits(port: int) -> None:
    assert answer(port, b"GET /?" + b"a" * 60_000 + b" HTTP/1.1\r\nX: " + b"b" * 60_000 + b"\r\n" + CLOSE) == (
        200,
        b"0",
    )
    assert answer(port, CHUNKED + b"1\r\nx\r\n" * 50_000 + b"0\r\nA: b\r\n\r\n") == (200, b"50000")
    large = b"POST / HTTP/1.1\r\nContent-Length: 9000000\r\n" + CLOSE + b"x" * 9_000_000
    assert answer(port, large) == (200, b"9000000")


def test_api_connection_sends_pending_answer_before_error(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\nnonsense\r\n\r\n")
        data = b""
        while piece := client.recv(65536):
            data += piece
    assert data.startswith(b"HTTP/1.1 200 ")
    assert data.count(b"HTTP/1.1 ") == 1


def test_api_connection_upgrade_is_answered_as_plain_http(port: int) -> None:
    upgrade = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert answer(port, upgrade) == (200, b"0")


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GE", b"HTTP/1.1 408"),
        (b"GET / HTTP/1.1\r\nX: y", b"HTTP/1.1 408"),
        (b"POST / HTTP/1.1\r\nContent-Length: 9\r\n" + CLOSE, b"HTTP/1.1 408"),
    ],
)
def test_api_connection_of_silent_client_is_closed(
    port: int, monkeypatch: pytest.MonkeyPatch, sent: bytes, answer: bytes
) -> None:
    monkeypatch.setattr(connection, "RECEIVE_TIMEOUT_S", 0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(sent)
        data = b""
        try:
            while piece := client.recv(65536):
                data += piece
        except ConnectionResetError:
            pass
    assert data[:12] == answer


def test_api_connection_with_steady_body_is_not_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RECEIVE_TIMEOUT_S", 1.5)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 700000\r\n" + CLOSE)
        for _ in range(10):
            client.sendall(b"x" * 70_000)
            time.sleep(0.2)  # longer than a step in all, and a small part of it each
        assert client.recv(12) == b"HTTP/1.1 200"


def test_api_connection_of_client_that_does_not_read_is_closed(server: uvicorn.Server, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"GET /large HTTP/1.1\r\n" + HOST + b"\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
        wait_until(lambda: not server.server_state.connections)


def test_api_connection_streaming_to_client_that_does_not_read_is_closed(
    server: uvicorn.Server, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "READER_TIMEOUT_S", 0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"GET /pieces HTTP/1.1\r\n" + CLOSE)
        assert client.recv(12) == b"HTTP/1.1 200"
        wait_until(lambda: not server.server_state.connections)


def test_api_connection_of_slow_reader_is_not_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "READER_TIMEOUT_S", 0.5)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.sendall(b"GET /pieces HTTP/1.1\r\n" + CLOSE)
        size = 0
        while piece := client.recv(1_000_000):
            size += len(piece)
            if size < 10_000_000:
                time.sleep(0.02)  # many times as long as it may take nothing
        assert size > 20_000_000


def test_api_pipelined_flood_delays_no_other_client(server: uvicorn.Server, port: int) -> None:
    flood = b"GET / HTTP/1.1\r\nHost: t\r\n\r\n" * 20_000
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        sender = threading.Thread(target=client.sendall, args=(flood + b"GET / HTTP/1.1\r\n" + CLOSE,))
        sender.start()
        answered, most = b"", 0
        while piece := client.recv(65536):
            answered += piece
            held = [each for each in list(server.server_state.connections) if isinstance(each, BoundedHttp)]
            most = max(most, *(len(each.pipeline) for each in held), 0)
            assert all(len(each._unread) <= 300_000 for each in held), "no more is read meanwhile"
        sender.join()
    assert answered.count(b"HTTP/1.1 200") == 20_001
    assert most <= HEAD_SLICE // 27


FORGIVEN = [
    (b"GET /query?q=a HTTP/1.1\r\n", 0, b"q=a"),
    ("GET /query?q=привет HTTP/1.1\r\n".encode(), 1, b"q=%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
    ("GET /query?q=привет HTTP/1.1\r\n".encode("cp1251"), 5, b"q=%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
    (b"GET /query?q=" + b"x" * 3000 + b"\xd0\xbf HTTP/1.1\r\n", 1, b"q=" + b"x" * 3000 + b"%D0%BF"),
    (b"GET /query?q=a b HTTP/1.1\r\n", 2, b"q=a%20b"),
    (b"POST /query?q=a b HTTP/1.1\r\nContent-Length: 0\r\n", 2, b"q=a%20b"),
]


@pytest.mark.parametrize(("head", "bits", "query"), FORGIVEN)
@pytest.mark.parametrize("step", [1, 0])
def test_api_address_that_can_mean_one_thing_is_taken(
    port: int, head: bytes, bits: int, query: bytes, step: int
) -> None:
    sent = head + CLOSE
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(sent), 700 if step else len(sent)):
            client.sendall(sent[start : start + (700 if step else len(sent))])
        data = b""
        while piece := client.recv(65536):
            data += piece
    assert data.startswith(b"HTTP/1.1 200")
    assert data.partition(b"\r\n\r\n")[2] == b"%d " % bits + query


def test_api_bytes_in_an_address_keep_the_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        for place in range(3):
            client.sendall(b"GET /query?q=\xd0\xbf%d HTTP/1.1\r\nHost: x\r\n\r\n" % place)
            data = b""
            while not data.endswith(b"1 q=%%D0%%BF%d" % place):
                piece = client.recv(65536)
                assert piece, "the connection ended"
                data += piece


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /query?q=a b HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde",
        b"POST /query?q=a b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /query?q=a\tb HTTP/1.1\r\n\r\n",
        b"GET /query?q=\xd0\xbf HTTP/1.1\r\nX: a\r\n b: c\r\n\r\n",
    ],
)
def test_api_address_that_can_mean_several_things_is_refused_once(port: int, sent: bytes) -> None:
    before = REFUSED_REQUESTS.labels("api", 400)._value.get()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(sent + b"GET /query?q=smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        data = b""
        while piece := client.recv(65536):
            data += piece
    assert data.startswith(b"HTTP/1.1 400") and data.count(b"HTTP/1.1") == 1
    assert REFUSED_REQUESTS.labels("api", 400)._value.get() == before + 1


def test_api_bytes_behind_a_space_are_no_request(port: int) -> None:
    sent = b"GET /query?q=a b HTTP/1.1\r\nHost: x\r\n\r\n" + b"GET /query?q=smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(sent)
        data = b""
        while piece := client.recv(65536):
            data += piece
    assert data.count(b"HTTP/1.1 200") == 1 and data.endswith(b"2 q=a%20b")
