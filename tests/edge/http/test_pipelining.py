"""Pipelined requests: others have their turn between them, and a client that went gets nothing."""

from collections.abc import Callable

import pytest

from tests.edge.http.test_timeouts import FakeEdge, FakeSync, FakeTransport
from tests.support.clicks.edge import RunningEdge, parse_answers, read_answers
from tests.support.counted import counted
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import SLICE_SIZE, TURN_REQUESTS, Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response

FLOOD = b"GET /a HTTP/1.1\r\n\r\n" * 7_500


class CountingEdge(FakeEdge):
    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle(self, request: Request) -> Response:
        self.paths.append(request.path)
        return super().handle(request)


class Turns:
    """A connection, and the turns of its event loop one by one."""

    def __init__(self) -> None:
        self.edge, self.sync, self.transport = CountingEdge(), FakeSync(), FakeTransport()
        self.calls: list[Callable[[], None]] = []
        self.shared = ConnectionContext(self.edge, self.sync, TrustedNetworks([]), self.calls.append)
        self.connection = Connection(self.shared)
        self.connection.connection_made(self.transport)  # type: ignore[arg-type]

    def turn(self) -> int:
        """Run what is due now; return how many requests that answered."""
        before = len(self.edge.paths)
        due, self.calls[:] = list(self.calls), []
        for call in due:
            call()
        return len(self.edge.paths) - before


@pytest.fixture
def turns() -> Turns:
    return Turns()


def test_pipelined_flood_is_answered_in_turns(turns: Turns) -> None:
    turns.connection.data_received(FLOOD)
    assert len(turns.edge.paths) == TURN_REQUESTS
    assert not turns.transport.reading
    most = 0
    while turns.calls:
        most = max(most, turns.turn())
    assert most == TURN_REQUESTS
    assert len(parse_answers(turns.transport.sent)) == 7_500
    assert turns.transport.reading


def test_pipelined_flood_of_a_client_that_went_is_dropped(turns: Turns) -> None:
    turns.connection.data_received(FLOOD)
    turns.transport.close()
    while turns.calls:
        turns.turn()
    assert len(turns.edge.paths) == TURN_REQUESTS


def test_pipelined_requests_after_a_lost_connection_are_dropped(turns: Turns) -> None:
    turns.connection.data_received(FLOOD)
    turns.connection.connection_lost(None)
    while turns.calls:
        turns.turn()
    assert len(turns.edge.paths) == TURN_REQUESTS


def test_pipelined_requests_keep_their_order_over_turns(turns: Turns) -> None:
    paths = [f"/{number}" + "x" * (number * 37 % 700) for number in range(200)]
    sent = b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths)
    assert len(sent) > 10 * SLICE_SIZE
    for start in range(0, len(sent), 5_000):
        turns.connection.data_received(sent[start : start + 5_000])
    while turns.calls:
        turns.turn()
    assert turns.edge.paths == paths
    assert [answer.body.decode() for answer in parse_answers(turns.transport.sent)] == paths


def test_pipelined_requests_behind_a_waiting_one_are_answered_in_turns(turns: Turns) -> None:
    turns.connection.data_received(b"GET /wait HTTP/1.1\r\n\r\n" + FLOOD)
    turns.sync.waiting.pop().synced(True)
    assert len(turns.edge.paths) == 1 + TURN_REQUESTS
    while turns.calls:
        assert turns.turn() <= TURN_REQUESTS
    assert len(parse_answers(turns.transport.sent)) == 7_501


def test_pipelined_requests_behind_a_last_one_are_not_answered(turns: Turns) -> None:
    turns.connection.data_received(
        b"GET /a HTTP/1.1\r\n\r\n" * 20 + b"GET /b HTTP/1.1\r\nConnection: close\r\n\r\n" + FLOOD
    )
    while turns.calls:
        turns.turn()
    assert turns.edge.paths == ["/a"] * 20 + ["/b"]
    assert turns.transport.state == "closed"


def test_pipelined_turns_wait_for_a_client_that_does_not_read(turns: Turns) -> None:
    turns.connection.data_received(FLOOD)
    turns.connection.pause_writing()
    while turns.calls:
        turns.turn()
    assert len(turns.edge.paths) == TURN_REQUESTS
    turns.connection.resume_writing()
    while turns.calls:
        turns.turn()
    assert len(turns.edge.paths) == 7_500


def test_pipelined_flood_on_the_wire_gets_every_answer(shared_edge: RunningEdge) -> None:
    last = b"GET /robots.txt HTTP/1.1\r\nConnection: close\r\n\r\n"
    answers = read_answers(shared_edge, b"GET /healthz HTTP/1.1\r\n\r\n" * 3_000 + last)
    assert len(answers) == 3_001
    assert answers[-1].body.startswith(b"User-agent")


@pytest.mark.parametrize("before", [0, 1, TURN_REQUESTS - 1, TURN_REQUESTS, TURN_REQUESTS + 1, 100])
@pytest.mark.parametrize("waits", [False, True])
def test_pipelined_bad_request_gets_its_error_behind_the_answers(turns: Turns, before: int, waits: bool) -> None:
    first = b"GET /wait HTTP/1.1\r\n\r\n" if waits else b""
    turns.connection.data_received(first + b"GET /a HTTP/1.1\r\n\r\n" * before + b"nonsense\r\n\r\n")
    if waits:
        turns.sync.waiting.pop().synced(True)
    while turns.calls:
        turns.turn()
    statuses = [answer.status for answer in parse_answers(turns.transport.sent)]
    assert statuses == [200] * (before + waits) + [400]
    assert turns.transport.state in ("closed", "half closed")


def test_header_in_many_small_pieces_is_copied_a_bounded_number_of_times(turns: Turns) -> None:
    turns.connection.data_received(b"GET /a HTTP/1.1\r\nX-Long: ")
    pieces = 0
    while not turns.connection._closing:
        turns.connection.data_received(b"y")
        pieces += 1
    assert 2_000 < pieces < 6_000, "the 64 KB of all headers would be copied 60,000 times"
    while turns.calls:
        turns.turn()
    assert [answer.status for answer in parse_answers(turns.transport.sent)] == [431]


def timed(turns: Turns) -> float:
    """How many clicks were timed so far."""
    turns.shared.timer.flush()
    return counted("trackyard_click_duration_seconds_count")


def test_clicks_of_a_turn_are_timed_and_pages_are_not(turns: Turns) -> None:
    before = timed(turns)
    turns.connection.data_received(b"GET /click HTTP/1.1\r\n\r\n" * 3 + b"GET /robots.txt HTTP/1.1\r\n\r\n")
    assert turns.shared.timer.began > 0
    turns.turn()
    assert timed(turns) == before + 3
    turns.connection.data_received(b"GET /robots.txt HTTP/1.1\r\n\r\n")
    turns.turn()
    assert timed(turns) == before + 3


def test_click_after_a_postback_is_not_timed_from_the_postback(turns: Turns) -> None:
    before = timed(turns)
    turns.connection.data_received(b"GET /wait HTTP/1.1\r\n\r\n")
    assert turns.shared.timer.began == 0, "an answer that waits for the disk begins no turn"
    other = Connection(turns.shared)
    other.connection_made(FakeTransport())  # type: ignore[arg-type]
    other.data_received(b"GET /click HTTP/1.1\r\n\r\n")
    began = turns.shared.timer.began
    turns.sync.waiting[0].synced(True)
    assert turns.shared.timer.began == began > 0
    turns.turn()
    assert timed(turns) == before + 1
