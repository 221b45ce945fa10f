"""Postbacks and pixels that come to the API's address are answered by a tracking address."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import RunningEdge, recorded, running_edge
from tests.support.processes.program import free_port
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from trackyard.base.clock import SystemClock
from trackyard.domain.tracking.forwarding import signing_key
from trackyard.journal.records import InboundPostback
from trackyard.wire.http import forwarding
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.http.forwarding import Forwarder

KEY = signing_key("a secret")
CLICK = "a" * 24
ORIGIN = "https://page.example"


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    """An edge that trusts no proxy."""
    home = tmp_path_factory.mktemp("forwarded")
    with running_edge(home, ROWS, forward_key=KEY, trusted_networks=()) as running:
        yield running


def api_of(url: str, key: bytes = KEY, **options: Any) -> TestClient:
    """The API, called from 203.0.113.5."""
    app = Dispatch[None]((), None, lambda _key: None, {}, forward=Forwarder(url, key, SystemClock(), **options))
    return TestClient(app, client=("203.0.113.5", 1))


def edge_url(edge: RunningEdge) -> str:
    return f"http://127.0.0.1:{edge.port}"


def last_call(edge: RunningEdge) -> InboundPostback:
    found = recorded(edge.options.journal_directory)[-1]
    assert isinstance(found, InboundPostback)
    return found


@pytest.mark.parametrize("path", ["/postback", "/postback/", "/success.jpg", "/success.php"])
def test_forwarded_request_is_answered_like_tracking_address(edge: RunningEdge, path: str) -> None:
    target = f"{path}?clickid={CLICK}&afclick={CLICK}&goal=%C3%A9%20x"
    direct = edge.ask(target, f"Origin: {ORIGIN}")
    answer = api_of(edge_url(edge)).get(target, headers={"Origin": ORIGIN})
    shown = {name: value for name, value in answer.headers.items() if name != "x-request-id"}
    assert (answer.status_code, answer.content) == (direct.status, direct.body) == (200, direct.body)
    assert shown == {name: value for name, value in direct.headers.items() if name not in ("date", "connection")}
    assert shown["access-control-allow-origin"] == ORIGIN
    assert (last_call(edge).source, last_call(edge).query) == (path.strip("/"), target.partition("?")[2])


def test_forwarded_request_keeps_caller_address(edge: RunningEdge) -> None:
    claimed = {"X-Forwarded-For": "198.51.100.9", "X-Trackyard-Forwarded": "198.51.100.9 1 ab", "User-Agent": "SDK"}
    api_of(edge_url(edge)).get("/postback?clickid=1", headers=claimed)
    assert (last_call(edge).ip, last_call(edge).ua) == ("203.0.113.5", "SDK")
    api_of(edge_url(edge), signing_key("another")).get("/postback?clickid=2", headers=claimed)
    assert last_call(edge).ip == "127.0.0.1"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_forwarded_request_keeps_body_and_cookies(edge: RunningEdge, method: str) -> None:
    client = api_of(edge_url(edge))
    answer = client.request(
        method, "/postback?sum=1", content=b'{"clickid": "c", "goal": 2}', headers={"Content-Type": "application/json"}
    )
    assert answer.json() == {"status": 1}
    assert (last_call(edge).method, last_call(edge).params) == (method, {"sum": "1", "clickid": "c", "goal": "2"})
    client.request(method, "/success.jpg?offer_id=3", headers={"Cookie": f"afclick_3={CLICK}"})
    assert last_call(edge).params == {"clickid": CLICK}


async def status_of(app: Any, query: bytes) -> int:
    """Return the status of a postback with the raw bytes of a query."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": "/postback", "query_string": query,
        "headers": [], "client": ("203.0.113.5", 1),
    }  # fmt: skip
    await app(scope, receive, send)
    status: int = sent[0]["status"]
    return status


def test_forwarded_query_bytes_are_kept_verbatim(edge: RunningEdge) -> None:
    assert asyncio.run(status_of(api_of(edge_url(edge)).app, b"clickid=\xc3\xa9\x7f&goal=%41")) == 200
    assert last_call(edge).params == {"clickid": "é", "goal": "A"}


def test_preflight_and_head_are_forwarded(edge: RunningEdge) -> None:
    client = api_of(edge_url(edge))
    headers = {"Origin": ORIGIN, "Access-Control-Request-Headers": "x-mine"}
    promise = client.options("/postback", headers=headers)
    assert promise.status_code == 200
    assert promise.headers["access-control-allow-methods"] == "GET, POST, OPTIONS"
    assert promise.headers["access-control-allow-headers"] == "x-mine"
    before = len(recorded(edge.options.journal_directory))
    head = client.head(f"/success.jpg?afclick={CLICK}")
    assert (head.status_code, head.content, int(head.headers["content-length"]) > 0) == (200, b"", True)
    assert len(recorded(edge.options.journal_directory)) == before
    assert client.head("/postback").status_code == 405
    refused = client.delete("/postback")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, POST, OPTIONS")


def test_forwarded_request_without_tracking_address_is_503() -> None:
    answer = api_of(f"http://127.0.0.1:{free_port()}").get("/postback?clickid=1")
    assert (answer.status_code, answer.json()["code"]) == (503, "no_tracking_address")
    assert answer.headers["retry-after"] == "5"


def test_forwarded_request_to_slow_tracking_address_is_503() -> None:
    over = threading.Event()

    def reply(_: ReceivedRequest) -> Reply:
        over.wait(20)
        return Reply()

    with Receiver(reply) as receiver:
        answer = api_of(receiver.url(""), seconds=0.05).get("/postback?clickid=1")
        over.set()
    assert answer.status_code == 503


def test_forwarded_request_waiting_too_long_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "MAX_CONCURRENT", 1)
    begun, over = threading.Event(), threading.Event()

    def reply(_: ReceivedRequest) -> Reply:
        begun.set()
        over.wait(20)
        return Reply()

    async def both(app: Any) -> list[int]:
        first = asyncio.create_task(status_of(app, b"clickid=1"))
        await asyncio.to_thread(begun.wait, 20)
        second = await status_of(app, b"clickid=2")
        over.set()
        return [await first, second]

    with Receiver(reply) as receiver:
        app = api_of(receiver.url(""), max_wait=0.05, seconds=20).app
        assert asyncio.run(both(app)) == [200, 503]
        assert [each.path for each in receiver.requests()] == ["/postback?clickid=1"]


def test_forwarded_request_keeps_prefix_of_tracking_address() -> None:
    with Receiver() as receiver:
        assert api_of(receiver.url("/track/")).get("/postback?clickid=1").content == b"ok"
        assert [each.path for each in receiver.requests()] == ["/track/postback?clickid=1"]


def test_forwarded_answer_and_body_over_a_megabyte_are_rejected(
    edge: RunningEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Receiver(lambda _: Reply(body=b"x" * 1_048_577)) as receiver:
        assert api_of(receiver.url("")).get("/success.php").status_code == 503
    client = api_of(edge_url(edge))
    assert client.post("/postback", content=b"x" * 1_048_577).status_code == 413
    assert client.post("/postback", content=b"x" * 65_536).status_code == 200
    monkeypatch.setattr(forwarding, "MAX_HELD_BYTES", 10)
    assert client.post("/postback", content=b"x" * 11).status_code == 429
    assert client.post("/postback", content=b"x" * 10).status_code == 200
    monkeypatch.setattr(forwarding, "MAX_WAITING", 0)
    assert client.post("/postback").status_code == 429


def test_other_paths_are_not_forwarded(edge: RunningEdge) -> None:
    client = api_of(edge_url(edge))
    for path in ("/click", "/track.js", "/sl", "/postback/x", "/success"):
        assert client.get(path).status_code == 404


def test_api_without_tracking_address_returns_404_for_its_paths() -> None:
    client = TestClient(Dispatch[None]((), None, lambda _key: None, {}))
    assert client.get("/postback").status_code == 404
