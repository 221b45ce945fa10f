"""HTTP on the wire: order, splits, limits, malformed input."""

import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.edge.conftest import ROWS
from tests.edge.http.test_timeouts import FakeEdge, FakeSync, FakeTransport
from tests.support.clicks.edge import RunningEdge, parse_answers, read_answers, recorded, running_edge
from tests.support.waiting import wait_until
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import MAX_BODY, Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response

HEAD = "Host: t.example\r\n"
CLICK = "/click?pid=7&offer_id=3"


def make_request(target: str, method: str = "GET", headers: str = "") -> bytes:
    return f"{method} {target} HTTP/1.1\r\n{HEAD}{headers}\r\n".encode()


def test_http_pipelined_requests_are_answered_in_order(shared_edge: RunningEdge) -> None:
    targets = ["/postback?clickid=1", CLICK, "/robots.txt", "/postback?clickid=2", "/nothing", "/healthz"]
    sent = b"".join(make_request(target) for target in targets[:-1]) + make_request(
        targets[-1], headers="Connection: close\r\n"
    )
    answers = read_answers(shared_edge, sent)
    assert [answer.status for answer in answers] == [200, 302, 200, 200, 404, 200]
    assert answers[2].body.startswith(b"User-agent")


def test_http_request_may_arrive_byte_by_byte(shared_edge: RunningEdge) -> None:
    with shared_edge.connect() as client:
        for number in range(2):
            for byte in make_request(f"{CLICK}&sub1={number}", headers="X-Long: a b c\r\n"):
                client.sendall(bytes([byte]))
            (answer,) = parse_answers(client.recv(4096))
            assert answer.status == 302


def test_http_1_0_closes_unless_keep_alive(shared_edge: RunningEdge) -> None:
    (answer,) = read_answers(shared_edge, b"GET /healthz HTTP/1.0\r\n\r\n")
    assert answer.headers["connection"] == "close"
    with shared_edge.connect() as client:
        for _ in range(2):
            client.sendall(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            (answer,) = parse_answers(client.recv(4096))
            assert (answer.status, answer.headers["connection"]) == (200, "keep-alive")


def test_http_head_has_headers_only(shared_edge: RunningEdge) -> None:
    answer = shared_edge.ask("/robots.txt", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) > 0
    assert shared_edge.ask(CLICK, method="HEAD").status == 302


def test_http_response_has_date_and_is_not_cached(shared_edge: RunningEdge) -> None:
    answer = shared_edge.ask(CLICK)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["date"].endswith("GMT")
    assert answer.headers["content-length"] == "0"


def test_http_absolute_form_target_is_accepted(shared_edge: RunningEdge) -> None:
    assert shared_edge.ask(f"http://t.example{CLICK}").status == 302


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /healthz\r\nConnection: keep-alive\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 5,
        b"GET /click\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n",
        b"POST /postback HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /postback HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"POST /postback HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc",
        b"POST /postback HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_http_malformed_request_is_400(shared_edge: RunningEdge, sent: bytes) -> None:
    answers = read_answers(shared_edge, sent)
    assert [answer.status for answer in answers] == [400]
    assert msgspec.json.decode(answers[0].body)["status"] == 2


def test_http_good_requests_before_a_bad_one_are_answered(shared_edge: RunningEdge) -> None:
    answers = read_answers(shared_edge, make_request("/healthz") + b"nonsense\r\n\r\n")
    assert [answer.status for answer in answers] == [200, 400]


def test_http_chunked_body_is_read(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS) as edge:
        headers = (
            "Transfer-Encoding: chunked\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
        )
        sent = make_request("/postback", "POST", headers) + b"8\r\nclickid=\r\n3\r\nabc\r\n0\r\n\r\n"
        assert [answer.status for answer in read_answers(edge, sent)] == [200]
        edge.stop()
    (call,) = recorded(tmp_path / "journal")
    assert call.params == {"clickid": "abc"}  # type: ignore[union-attr]


def test_http_size_limits_are_enforced(shared_edge: RunningEdge) -> None:
    long = "x" * 40_000
    cases = [
        (414, make_request("/click?" + "x" * 9000, headers="Connection: close\r\n")),
        (431, make_request("/healthz", headers="X-Many: " + "x" * 70_000 + "\r\n")),
        (431, make_request("/healthz", headers="Accept: " + "x" * 70_000 + "\r\n")),
        (431, make_request("/healthz", headers=f"Accept: {long}\r\nX-Many: {long}\r\n")),
        (413, make_request("/postback", "POST", f"Content-Length: {MAX_BODY + 1}\r\n") + b"x" * (MAX_BODY + 1)),
    ]
    for status, sent in cases:
        assert [answer.status for answer in read_answers(shared_edge, sent)] == [status]
    endless_url = b"GET /click?" + b"x" * 70_000
    assert [answer.status for answer in read_answers(shared_edge, endless_url)] == [414]
    endless_header = b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 9000
    assert [answer.status for answer in read_answers(shared_edge, endless_header)] == [431]


def test_http_chunked_body_over_limit_is_rejected(shared_edge: RunningEdge) -> None:
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    sent = make_request("/postback", "POST", "Transfer-Encoding: chunked\r\n") + chunk * 17
    assert [answer.status for answer in read_answers(shared_edge, sent)] == [413]


@pytest.mark.parametrize(
    "flood", [b"A: b\r\n" * 200_000, b"A" * 12_000_000, b"A: " + b"b" * 12_000_000], ids=["many", "name", "value"]
)
def test_http_trailers_are_discarded(shared_edge: RunningEdge, flood: bytes) -> None:
    opened = make_request("/postback", "POST", "Transfer-Encoding: chunked\r\nConnection: close\r\n") + b"0\r\n"
    started = time.monotonic()
    (answer,) = read_answers(shared_edge, opened + flood + b"\r\n\r\n")
    assert answer.status == (200 if len(flood) < 8_000_000 else 413)
    assert shared_edge.ask("/healthz").status == 200
    assert time.monotonic() - started < 5  # joining them took minutes, in which no other client was answered


def test_http_many_repeated_headers_are_rejected(shared_edge: RunningEdge) -> None:
    sent = b"GET /healthz HTTP/1.1\r\n" + b"X:y\r\n" * 13_000 + b"\r\n"
    assert [answer.status for answer in read_answers(shared_edge, sent)] == [431]


def test_http_large_body_is_accepted(shared_edge: RunningEdge) -> None:
    assert shared_edge.ask("/postback?clickid=1", method="POST", body=b"x" * 64 * 1024).status == 200


def test_http_expect_continue_is_answered(shared_edge: RunningEdge) -> None:
    with shared_edge.connect() as client:
        client.sendall(make_request("/postback", "POST", "Content-Length: 9\r\nExpect: 100-continue\r\n"))
        assert client.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"clickid=1")
        (answer,) = parse_answers(client.recv(4096))
        assert answer.status == 200
        client.sendall(make_request("/postback", "POST", "Content-Length: 99999999\r\nExpect: 100-continue\r\n"))
        (answer,) = parse_answers(client.recv(4096))
        assert answer.status == 413


def test_http_upgrade_is_answered_as_plain_http(shared_edge: RunningEdge) -> None:
    sent = make_request("/healthz", headers="Connection: Upgrade\r\nUpgrade: websocket\r\n")
    assert [answer.status for answer in read_answers(shared_edge, sent)] == [200]


def test_http_half_closed_client_gets_response(shared_edge: RunningEdge) -> None:
    with shared_edge.connect() as client:
        client.sendall(make_request("/postback?clickid=1"))
        client.shutdown(socket.SHUT_WR)
        data = b""
        while chunk := client.recv(4096):
            data += chunk
    assert [answer.status for answer in parse_answers(data)] == [200]


def test_http_disconnecting_clients_do_no_harm(shared_edge: RunningEdge) -> None:
    for sent in (b"", b"GET /cl", make_request("/postback?clickid=1"), make_request(CLICK) * 50):
        with shared_edge.connect() as client:
            client.sendall(sent)
    wait_until(lambda: shared_edge.ask("/healthz").status == 200)


def test_http_client_that_does_not_read_is_throttled(shared_edge: RunningEdge) -> None:
    with shared_edge.connect() as client:
        client.settimeout(1)
        block = make_request(CLICK + "&sub1=" + "x" * 500) * 200
        sent = 0
        try:
            while sent < 400_000_000:
                sent += client.send(block)
        except TimeoutError:
            return
    raise AssertionError(f"the edge took {sent} bytes from a client that reads nothing")


@pytest.mark.parametrize("spell", [str.title, str.lower, str.upper, str.swapcase])
def test_http_headers_match_in_any_case(spell: Callable[[str], str]) -> None:
    asked: list[Request] = []

    class RecordingEdge(FakeEdge):
        def handle(self, request: Request) -> Response:
            asked.append(request)
            return super().handle(request)

    shared = ConnectionContext(RecordingEdge(), FakeSync(), TrustedNetworks([]), lambda _: None)
    connection = Connection(shared)
    connection.connection_made(FakeTransport())  # type: ignore[arg-type]
    names = ("User-Agent", "Accept-Language", "Cookie", "X-Forwarded-For", "Sec-CH-UA", "X-Purpose")
    lines = [f"{spell(name)}: {name}\r\n" for name in ("Host", *names)]
    connection.data_received(make_request("/click", headers="".join(lines)))
    assert {name: asked[0].header(name.lower().encode()) for name in names} == {name: name for name in names}
