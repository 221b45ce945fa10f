"""Methods for anyone: small bodies, few parameters, a rate for each network, threads of their own."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.testclient import TestClient

from tests.support.waiting import wait_until
from trackyard.base.strangers import PLACES, StrangerAct
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http import dispatch
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.http.health import health
from trackyard.wire.http.rate_limits import ApiLimits
from trackyard.wire.limits import strangers as strangers_of_api
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, Params, Seq
from trackyard.wire.response.envelope import Answer

KEY = "a" * 40


class SystemParams(Params):
    """A payment system."""

    fields: Keyed[str, s.Text]


class JoinParams(Params):
    """A form of a stranger."""

    name: s.Text = ""
    systems: Seq[SystemParams] = ()


class Door:
    """A method for anyone that waits, and one for callers that does not."""

    def __init__(self) -> None:
        self.joined = 0
        self.free = threading.Event()

    def join(self, _call: ApiRequest[Any], _params: JoinParams) -> Answer:
        """Join."""
        self.joined += 1
        assert self.free.wait(20)
        return Answer()

    def show(self, _call: ApiRequest[Any], _params: JoinParams) -> Answer:
        """Show."""
        return Answer()


@pytest.fixture
def door() -> Iterator[Door]:
    made = Door()
    yield made
    made.free.set()


@pytest.fixture
def strangers(door: Door) -> Dispatch[Any]:
    public: dict[str, Any] = {"audience": "anyone", "permission": Permission.NONE, "act": StrangerAct.SIGN_UP}
    common: dict[str, Any] = {"answer": Answer, "params": JoinParams}
    catalogue = [
        Endpoint[Any](id="join", method="POST", path="/join", handle=door.join, **public, **common),
        Endpoint[Any](
            id="show", method="POST", path="/show", handle=door.show, permission=Permission.NEWS_READ, **common
        ),
    ]
    return Dispatch(catalogue, None, {KEY: AffiliateCaller(1)}.get, {}, seconds=lambda: 0.0)


def of(app: Dispatch[Any], address: str) -> TestClient:
    return TestClient(app, client=(address, 5000))


def nested(number: int) -> str:
    return "&".join(f"a{n}[i][b][c][d][e][f]=1" for n in range(number))


@pytest.mark.parametrize(
    ("sent", "status", "text"),
    [
        ({"content": nested(5000)}, 413, "The body is over the limit of 16 KB"),
        ({"content": nested(300)}, 400, "At most 100 parameters are accepted."),
        ({"content": nested(1)}, 400, "Names may be nested 3 levels deep."),
        ({"json": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, 400, "Names may be nested 3 levels deep."),
        ({"json": {"a": [1] * 200}}, 400, "At most 100 values are accepted."),
        ({"files": [("a", (None, "1"))] * 101}, 400, "The multipart body cannot be read."),
        ({"content": "systems[0][fields][12]=x&name=y"}, 200, ""),
        ({"content": "&".join(f"name{n}={'x' * 140}" for n in range(100))}, 200, ""),
    ],
)
def test_stranger_form_is_small_and_flat(
    strangers: Dispatch[Any], door: Door, sent: dict[str, Any], status: int, text: str
) -> None:
    door.free.set()
    form = {"Content-Type": "application/x-www-form-urlencoded"} if "content" in sent else {}
    answer = of(strangers, "192.0.2.1").post("/3.1/join", headers=form, **sent)
    assert answer.status_code == status
    assert text in answer.json().get("error", "")


def test_stranger_query_is_bounded_as_its_body(strangers: Dispatch[Any], door: Door) -> None:
    door.free.set()
    answer = of(strangers, "192.0.2.1").post(f"/3.1/join?{nested(1000)}")
    assert (answer.status_code, answer.json()["error"]) == (400, "[parameters] At most 100 parameters are accepted.")


def test_caller_form_may_be_larger_than_that_of_strangers(strangers: Dispatch[Any]) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "API-Key": KEY}
    answer = of(strangers, "192.0.2.1").post("/3.1/show", headers=form, content=nested(300))
    assert (answer.status_code, len(answer.headers["x-ignored-parameters"].split(","))) == (200, 20)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.250", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("2001:db8:7:1::1", "2001:db8:7:ffff::2", True),
        ("2001:db8:7::1", "2001:db8:8::1", False),
        ("::ffff:192.0.2.1", "192.0.2.9", True),
    ],
)
def test_stranger_rate_is_that_of_a_wide_network(
    strangers: Dispatch[Any], door: Door, one: str, other: str, same: bool
) -> None:
    door.free.set()
    client = of(strangers, one)
    answers = [client.post("/3.1/join") for _ in range(22)]
    assert [answer.status_code for answer in answers[:20]] == [200] * 20
    assert answers[0].headers["x-ratelimit-limit"] == "20"
    refused = answers[-1]
    assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (
        429,
        "too_many_requests",
        "1",
    )
    assert of(strangers, other).post("/3.1/join").status_code == (429 if same else 200)
    assert of(strangers, one).post("/3.1/show", headers={"API-Key": KEY}).status_code == 200


def test_stranger_over_rate_is_refused_before_its_body_is_read(strangers: Dispatch[Any], door: Door) -> None:
    door.free.set()
    client, read = of(strangers, "192.0.2.1"), 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for _ in range(3):
            read += 1
            yield b"name=x&"

    while client.post("/3.1/join").status_code == 200:
        pass
    assert client.post("/3.1/join", content=pieces()).status_code == 429
    assert read == 0


def test_waiting_strangers_hold_no_thread_of_callers(
    strangers: Dispatch[Any], door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strangers_of_api, "MAX_WAITING", 20)
    with ExitStack() as stack:
        client = stack.enter_context(of(strangers, "192.0.2.1"))  # one event loop for all of them
        callers = stack.enter_context(ThreadPoolExecutor(48))

        def join(number: int) -> Any:
            other = of(strangers, f"198.51.{number}.1")
            other.portal = client.portal
            return other.post("/3.1/join")

        asked = [callers.submit(join, number) for number in range(48)]
        wait_until(lambda: sum(one.done() for one in asked) == 48 - 20 - PLACES)
        assert door.joined == PLACES
        assert client.post("/3.1/show", headers={"API-Key": KEY}).status_code == 200
        door.free.set()
        answers = [one.result() for one in asked]
    assert sorted(answer.status_code for answer in answers) == [200] * 23 + [503] * 25
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert (refused.json()["code"], refused.headers["retry-after"]) == ("busy", "5")
    assert "try again in 5 seconds" in refused.json()["error"]


def test_files_have_a_rate_by_network() -> None:
    def branch(path: str, _headers: Headers) -> Response:
        return Response(path)

    limits = ApiLimits(pages_per_second=1, pages_burst=3)
    app = Dispatch[Any]([], None, {}.get, {"/healthz": health}, {"/files/": branch}, limits=limits, seconds=lambda: 0.0)
    statuses = [of(app, f"192.0.2.{number}").get("/files/a").status_code for number in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    refused = of(app, "192.0.2.9").get("/files/a")
    assert (refused.json()["code"], refused.headers["retry-after"]) == ("too_many_requests", "1")
    assert of(app, "198.51.100.1").get("/files/a").status_code == 200
    assert of(app, "192.0.2.9").get("/healthz").json() == {"status": 1}


def test_network_of_text_that_is_no_address_is_the_text() -> None:
    assert wide_network_of("testclient") == "testclient"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/healthz", 200), ("GET", "/nothing", 404), ("DELETE", "/3.1/show", 405), ("POST", "/3.1/show", 401)],
)
def test_pages_and_refusals_over_rate_wait_and_are_a_429(
    door: Door, monkeypatch: pytest.MonkeyPatch, method: str, path: str, status: int
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(dispatch.asyncio, "sleep", sleep)
    show = Endpoint[Any](
        id="show",
        method="POST",
        path="/show",
        handle=door.show,
        permission=Permission.NEWS_READ,
        answer=Answer,
        params=JoinParams,
    )
    limits = ApiLimits(pages_per_second=1, pages_burst=3)
    app = Dispatch[Any]([show], None, {KEY: AffiliateCaller(1)}.get, {"/healthz": health}, limits=limits)
    answers = [of(app, f"192.0.2.{number}").request(method, path) for number in range(4)]
    assert [answer.status_code for answer in answers] == [status] * 3 + [429]
    assert waits == [dispatch.REFUSAL_DELAY_S]
    assert answers[-1].headers["retry-after"] == "1"
    assert of(app, "198.51.100.1").request(method, path).status_code == status, "another network"
    assert of(app, "192.0.2.1").post("/3.1/show", headers={"API-Key": KEY}).status_code == 200, "a caller"
