"""Connections with slow clients and waiting postbacks; the test replaces the event loop."""

from collections.abc import Callable

import pytest

from tests.support.clicks.edge import EdgeAnswer, parse_answers
from trackyard.base.sockets import ConnectionLimits
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import IDLE_S, LINGER_S, REQUEST_S, Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response


class FakeEdge:
    """Answers /wait only when synced, everything else at once; /break fails."""

    def __init__(self) -> None:
        self.full = False

    def handle(self, request: Request) -> Response:
        if request.path == "/break":
            raise RuntimeError("broken")
        recorded = request.path == "/click"
        return Response(200, request.path.encode(), recorded=recorded, durable=request.path == "/wait")

    def commit(self) -> bool:
        return not self.full


class FakeSync:
    def __init__(self) -> None:
        self.waiting: list[Connection] = []

    def wait(self, waiter: Connection) -> None:
        self.waiting.append(waiter)

    def sync_soon(self) -> None:
        pass


class FakeTransport:
    def __init__(self) -> None:
        self.sent = b""
        self.state = "open"
        self.reading = True

    def get_extra_info(self, name: str) -> object:
        return ("192.0.2.1", 4711) if name == "peername" else None

    def write(self, data: bytes) -> None:
        self.sent += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.state = "half closed"

    def is_closing(self) -> bool:
        return self.state in ("closed", "aborted")

    def close(self) -> None:
        self.state = "closed"

    def abort(self) -> None:
        self.state = "aborted"

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class ConnectionHarness:
    """A connection with everything around it."""

    def __init__(self, limits: ConnectionLimits | None = None) -> None:
        self.sync = FakeSync()
        self.edge = FakeEdge()
        edge: EdgeHandler = self.edge  # type: ignore[assignment]
        self.shared = ConnectionContext(edge, self.sync, TrustedNetworks([]), self._soon, limits)
        self.connection = Connection(self.shared)
        self.transport = FakeTransport()
        self.connection.connection_made(self.transport)  # type: ignore[arg-type]

    def _soon(self, call: Callable[[], None]) -> None:
        call()

    def receive(self, *paths: str) -> None:
        self.connection.data_received(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths))

    def wait(self, seconds: float) -> None:
        self.shared.now += seconds
        self.connection.expire(self.shared.now)

    @property
    def answers(self) -> list[EdgeAnswer]:
        return parse_answers(self.transport.sent)


@pytest.fixture
def bench() -> ConnectionHarness:
    return ConnectionHarness()


def test_connection_with_unfinished_request_gets_408(bench: ConnectionHarness) -> None:
    bench.connection.data_received(b"GET /a HTTP/1.1\r\n")
    bench.wait(REQUEST_S / 2)
    bench.connection.data_received(b"X-Slow: yes\r\n")
    bench.wait(REQUEST_S / 2 + 1)
    assert [answer.status for answer in bench.answers] == [408]
    assert bench.transport.state == "half closed"
    bench.connection.data_received(b"X-More: yes\r\n")
    bench.wait(LINGER_S + 1)
    assert bench.transport.state == "aborted"


def test_connection_of_silent_client_is_aborted(bench: ConnectionHarness) -> None:
    bench.wait(REQUEST_S + 1)
    assert (bench.transport.state, bench.transport.sent) == ("aborted", b"")


def test_connection_idle_is_closed_after_timeout(bench: ConnectionHarness) -> None:
    for _ in range(3):
        bench.receive("/a")
        bench.wait(IDLE_S - 1)
        assert bench.transport.state == "open"
    bench.wait(2)
    assert bench.transport.state == "aborted"


def test_connection_waiting_for_disk_delays_later_responses(bench: ConnectionHarness) -> None:
    bench.receive("/a", "/wait", "/b", "/wait", "/c")
    assert [answer.body for answer in bench.answers] == [b"/a"]
    assert not bench.transport.reading
    bench.wait(REQUEST_S * 10)
    assert bench.transport.state == "open", "the disk's time is not the client's"
    bench.sync.waiting.pop().synced(True)
    assert [answer.body for answer in bench.answers] == [b"/a", b"/wait", b"/b"]
    bench.sync.waiting.pop().synced(False)
    assert [answer.status for answer in bench.answers] == [200, 200, 200, 503, 200]
    assert bench.transport.reading


def test_connection_click_not_written_gets_503(bench: ConnectionHarness) -> None:
    bench.edge.full = True
    bench.receive("/a")
    bench.receive("/click", "/click")
    assert [answer.status for answer in bench.answers] == [200, 503]
    assert bench.answers[1].headers["connection"] == "close"
    assert bench.transport.state == "closed"


def test_connection_program_error_gets_500_and_continues(bench: ConnectionHarness) -> None:
    bench.receive("/break", "/a")
    assert [answer.status for answer in bench.answers] == [500, 200]


@pytest.mark.parametrize(
    ("before", "state"),
    [
        (lambda bench: None, "closed"),
        (lambda bench: bench.receive("/a"), "closed"),
        (lambda bench: bench.receive("/wait"), "open"),
        (lambda bench: bench.connection.data_received(b"GET /a HT"), "open"),
    ],
)
def test_connection_idle_is_closed_on_stop(
    bench: ConnectionHarness, before: Callable[[ConnectionHarness], None], state: str
) -> None:
    before(bench)
    bench.shared.stopping = True
    bench.connection.finish()
    assert bench.transport.state == state


def test_connection_of_client_that_does_not_read_is_paused(bench: ConnectionHarness) -> None:
    bench.connection.pause_writing()
    assert not bench.transport.reading
    bench.connection.resume_writing()
    assert bench.transport.reading
    bench.connection.pause_writing()
    bench.wait(REQUEST_S + 1)
    assert bench.transport.state == "aborted"


def test_connection_closed_by_client_drops_its_response(bench: ConnectionHarness) -> None:
    bench.receive("/wait")
    bench.connection.connection_lost(None)
    bench.sync.waiting.pop().synced(True)
    assert bench.transport.sent == b""
    assert bench.shared.connections == set()
