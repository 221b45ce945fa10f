"""RateLimit limits of keys, reports at once, and floods of wrong keys."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.manual_seconds import ManualSeconds
from tests.support.waiting import wait_until
from trackyard.base import rate_limits
from trackyard.base.errors import TooManyRequests
from trackyard.base.rate_limits import RateLimit, RateLimiter
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.http.rate_limits import ApiLimits, ReportLimiter, WrongKeyLimiter
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer

KEY, OTHER, SESSION = "a" * 40, "b" * 40, "c" * 40
CALLERS = {KEY: AffiliateCaller(1), OTHER: AffiliateCaller(2), SESSION: AffiliateCaller(1)}
"""Keys and their callers; the first affiliate has two."""


@pytest.fixture
def ticks() -> ManualSeconds:
    return ManualSeconds()


def test_rate_limit_allows_burst_then_steady_rate(ticks: ManualSeconds) -> None:
    counted = RateLimiter(RateLimit(per_second=50, burst=100), ticks)
    assert [counted.take("k").remaining for _ in range(100)] == list(range(99, -1, -1))
    assert counted.take("k") == (100, 0, 2, 1)
    assert counted.take("another") == (100, 99, 1, 0)
    ticks.now += 1
    assert [counted.take("k").wait for _ in range(51)] == [0] * 50 + [1]
    ticks.now += 1000
    assert counted.peek("k") == (100, 100, 0, 0)


def test_rate_limit_look_takes_nothing_and_stores_nothing(
    ticks: ManualSeconds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "MAX_NAMES", 1)
    counted = RateLimiter(ApiLimits(), ticks)
    counted.take("another")
    assert counted.peek("k") == counted.peek("k") == (100, 100, 0, 0)
    assert counted.peek("another").remaining == 99


def test_rate_limit_remembers_bounded_number_of_keys(ticks: ManualSeconds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_NAMES", 3)
    counted = RateLimiter(ApiLimits(), ticks)
    for name in "abcad":
        counted.take(name)
    assert [counted.peek(name).remaining for name in "abcd"] == [98, 100, 99, 99]


def test_right_keys_are_remembered_in_a_bounded_number(ticks: ManualSeconds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_NAMES", 3)
    failed = WrongKeyLimiter(ticks)
    for name in "abcad":
        failed.accept(name)
    assert [name for name in "abcd" if failed.knows(name)] == ["a", "c", "d"]


def test_concurrent_reports_are_limited_per_caller() -> None:
    running = ReportLimiter(ApiLimits(reports=2))
    with running.slot("k"), running.slot("k"):
        with running.slot("other"):
            pass
        with pytest.raises(TooManyRequests) as refused, running.slot("k"):
            pass
        assert refused.value.code == "too_many_reports"
    with running.slot("k"), running.slot("k"):
        pass


@pytest.mark.parametrize(
    ("a_second", "seconds", "over"),
    [(50, 60, False), (60, 9, False), (60, 10, True), (5000, 1, False), (5000, 9, False)],
)
def test_failed_keys_of_an_address_over_limit_are_blocked(
    ticks: ManualSeconds, a_second: int, seconds: int, over: bool
) -> None:
    failed = WrongKeyLimiter(ticks)
    for _ in range(seconds):
        for _ in range(a_second):
            assert not failed.over("192.0.2.1")
            failed.count("192.0.2.1")
        ticks.now += 1
    outcomes = []
    for _ in range(60):
        outcomes.append(failed.over("192.0.2.1"))
        failed.count("192.0.2.1")
    assert outcomes == [False] * 50 + [over] * 10
    assert not failed.over("192.0.2.2")
    ticks.now += 2
    assert not failed.over("192.0.2.1")


class BlockingHandler:
    """A handler that ends when it is released."""

    def __init__(self) -> None:
        self.running = 0
        self.free = threading.Event()

    def show(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Wait."""
        self.running += 1
        assert self.free.wait(10)
        return Answer()


@pytest.fixture
def held() -> BlockingHandler:
    return BlockingHandler()


def endpoint(name: str, held: BlockingHandler, **more: Any) -> Endpoint[Any]:
    given: dict[str, Any] = {"permission": Permission.STATS_COMMON} | more
    return Endpoint(id=name, method="GET", path=f"/{name}", answer=Answer, handle=held.show, **given)


@pytest.fixture
def raw(held: BlockingHandler) -> Iterator[TestClient]:
    catalogue = [
        endpoint("plain", held),
        endpoint("report", held, report=True),
        endpoint("staff", held, audience="staff"),
        endpoint("open", held, audience="anyone", permission=Permission.NONE),
    ]
    limits = ApiLimits(per_second=1, burst=6, reports=2)
    with TestClient(Dispatch(catalogue, None, CALLERS.get, {}, limits=limits), raise_server_exceptions=False) as client:
        yield client


def limits_of(response: Any) -> tuple[str, str, str]:
    names = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
    limit, remaining, reset = (response.headers[name] for name in names)
    return limit, remaining, reset


def test_rate_limit_exceeded_is_429_before_403_for_that_caller_only(raw: TestClient, held: BlockingHandler) -> None:
    held.free.set()
    answers = [raw.get("/3.1/plain", headers={"API-Key": KEY}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 6
    assert [limits_of(answer)[1] for answer in answers[:3]] == ["5", "4", "3"]
    refused = raw.get("/3.1/staff", headers={"API-Key": KEY})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "1"
    assert limits_of(refused) == ("6", "0", "6")
    assert raw.get("/3.1/plain", headers={"API-Key": OTHER}).status_code == 200
    assert raw.get("/3.1/plain", headers={"API-Key": "f" * 40}).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/3.1/nowhere", 404), ("POST", "/3.1/plain", 405), ("GET", "/3.1/plain", 401), ("OPTIONS", "/3.1/x", 200)],
)
def test_rate_limit_headers_are_on_every_answer(raw: TestClient, method: str, path: str, status: int) -> None:
    answer = raw.request(method, path)
    assert answer.status_code == status
    assert limits_of(answer) == ("6", "6", "0")


def test_rate_limit_without_key_counts_by_address(raw: TestClient, held: BlockingHandler) -> None:
    held.free.set()
    assert [raw.get("/3.1/open").status_code for _ in range(7)] == [200] * 6 + [429]


def test_rate_limit_is_shared_by_all_keys_of_a_caller(raw: TestClient, held: BlockingHandler) -> None:
    held.free.set()
    answers = [raw.get("/3.1/plain", headers={"API-Key": key}) for key in (KEY, SESSION) * 4]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 2
    assert [limits_of(answer)[1] for answer in answers] == ["5", "4", "3", "2", "1", "0", "0", "0"]
    assert raw.get("/3.1/plain", headers={"API-Key": OTHER}).status_code == 200


def test_concurrent_reports_over_limit_are_429(raw: TestClient, held: BlockingHandler) -> None:
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(raw.get, "/3.1/report", headers={"API-Key": key}) for key in (KEY, SESSION)]
        wait_until(lambda: held.running == 2)
        refused = raw.get("/3.1/report", headers={"API-Key": KEY})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_reports")
        assert "retry-after" in refused.headers
        held.free.set()
        assert [one.result().status_code for one in running] == [200, 200]
    assert raw.get("/3.1/report", headers={"API-Key": KEY}).status_code == 200


def test_wrong_key_flood_is_not_looked_up_and_blocks_no_known_key(ticks: ManualSeconds, held: BlockingHandler) -> None:
    held.free.set()
    looked_up: list[str] = []

    def find(key: str) -> AffiliateCaller | None:
        looked_up.append(key)
        return CALLERS.get(key)

    app: Dispatch[Any] = Dispatch([endpoint("plain", held)], None, find, {}, seconds=ticks)
    with TestClient(app) as client:

        def status(key: str) -> int:
            return client.get("/3.1/plain", headers={"API-Key": key}).status_code

        assert status(KEY) == 200
        for _ in range(10):
            assert {status("f" * 40) for _ in range(51)} == {401}
            ticks.now += 1
        assert [status("f" * 40) for _ in range(52)] == [401] * 50 + [429] * 2
        assert client.get("/3.1/plain").status_code == 401
        assert status(KEY) == 200
    assert len(looked_up) == 510 + 50 + 2
