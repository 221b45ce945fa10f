"""Fuzzed bytes on connections of both listeners, in pieces of any size."""

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response
from trackyard.wire.http.connection import BoundedHttp

MOST_SENT = 1024
"""Bytes that answer one request here, with its headers."""
STATUSES = frozenset({b"100", b"200", b"400", b"408", b"413", b"414", b"431", b"500", b"503"})


class MemoryTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.7", 4711)})
        self.sent = b""
        self.closed = False

    def write(self, data: Any) -> None:
        assert not self.closed, "something is sent on a closed connection"
        self.sent += bytes(data)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass


def pieces_of(data: bytes) -> list[bytes]:
    """The bytes behind the first one, which seeds the sizes of the pieces."""
    random, rest = Random(data[:1]), data[1:]
    most = random.choice([1, 3, 40, 5000, 70_000])
    pieces = []
    while rest:
        size = random.randint(1, most)
        pieces.append(rest[:size])
        rest = rest[size:]
    return pieces


def statuses_of(sent: bytes) -> list[bytes]:
    """The statuses of answers, which must follow each other without a byte between them."""
    found = []
    while sent:
        head, end, sent = sent.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        assert end and lines[0].startswith(b"HTTP/1.1 "), f"an answer begins with {lines[0]!r}"
        found.append(lines[0][9:12])
        lengths = [int(line.partition(b":")[2]) for line in lines[1:] if line.lower().startswith(b"content-length:")]
        assert len(lengths) <= 1, "an answer has several lengths"
        sent = sent[sum(lengths) :]
    return found


class _EchoingEdge:
    """Answers with the size of a request, some of them after a sync."""

    def __init__(self) -> None:
        self.answered = 0

    def handle(self, request: Request) -> Response:
        self.answered += 1
        size = b"" if request.method == "HEAD" else b"%d" % (len(request.query) + len(request.body))
        return Response(200, size, recorded=request.path == "/click", durable=request.path == "/postback")

    def commit(self) -> bool:
        return True


class _StoredWaiters:
    """Syncs when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Connection] = []

    def wait(self, waiter: Connection) -> None:
        self.waiting.append(waiter)

    def sync_soon(self) -> None:
        pass


def feed_edge(data: bytes) -> None:
    """Feed a connection of the tracking listener: every request is answered once, in order."""
    edge, syncer, soon = _EchoingEdge(), _StoredWaiters(), deque[Callable[[], None]]()
    shared = ConnectionContext(edge, syncer, TrustedNetworks([]), soon.append)
    connection, transport = Connection(shared), MemoryTransport()
    connection.connection_made(transport)

    def settle() -> None:
        for _ in range(len(data) + 100):
            if soon:
                soon.popleft()()
            elif syncer.waiting:
                syncer.waiting.pop(0).synced(True)
            else:
                return
        raise AssertionError("a connection is never done")

    for piece in pieces_of(data):
        if transport.closed:
            break
        connection.data_received(piece)
        settle()
    statuses = [status for status in statuses_of(transport.sent) if status != b"100"]
    assert set(statuses) <= STATUSES, statuses
    refused = sum(status != b"200" for status in statuses)
    assert refused <= 1 and len(statuses) - refused <= edge.answered, "answers and requests differ"
    assert len(transport.sent) <= MOST_SENT * (len(statuses) + 1 + data.lower().count(b"expect")), (
        "an answer is too long"
    )
    connection.connection_lost(None)
    settle()
    assert not shared.connections


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            break
    body = b"" if scope["method"] == "HEAD" else b"%d" % size
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


def feed_api(data: bytes) -> None:
    """Feed a connection of the API."""
    asyncio.run(_feed_api(data))


async def _feed_api(data: bytes) -> None:
    config = uvicorn.Config(_echo, http=BoundedHttp, ws="none", lifespan="off", log_config=None, access_log=False)
    config.load()
    state, transport = ServerState(), MemoryTransport()
    connection = BoundedHttp(config=config, server_state=state, app_state={}, _loop=asyncio.get_running_loop())
    connection.connection_made(transport)
    for piece in pieces_of(data):
        if transport.closed:
            break
        connection.data_received(piece)
        for _ in range(4):
            await asyncio.sleep(0)
    while state.tasks:
        if not transport.closed and connection.cycle is not None and connection.cycle.more_body:
            connection.connection_lost(None)  # the client went in the middle of a body
        await asyncio.gather(*state.tasks, return_exceptions=False)
        await asyncio.sleep(0)
    statuses = statuses_of(transport.sent)
    assert set(statuses) <= STATUSES, statuses
    assert len(transport.sent) <= MOST_SENT * (len(statuses) + 1), "an answer is too long"
    connection.connection_lost(None)
