"""Clients that disconnect before their report is done, and reports that wait."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.waiting import wait_until
from trackyard.analytics.cancellation import current_cancellation
from trackyard.base.errors import ReportsBusy, RequestCancelled, RequestError, Unavailable
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http.dispatch import THREADS, Dispatch
from trackyard.wire.http.rate_limits import ApiLimits
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer

KEY = "a" * 40


class BlockingReports:
    """The handlers of the methods."""

    def __init__(self) -> None:
        self.running = 0
        self.free = threading.Event()
        self.asked_by: list[str] = []
        self.ended: list[str] = []

    def wait(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Wait until it is released."""
        self.running += 1
        assert self.free.wait(20)
        return Answer()

    def wait_for_cancellation(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Wait until the request is cancelled."""
        who = current_cancellation.get()
        assert who is not None
        self.asked_by.append(who.name)
        wait_until(lambda: who.is_cancelled)
        self.ended.append(who.name)
        raise RequestCancelled

    def busy(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Refuse."""
        raise ReportsBusy(12.2)

    def plain(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Answer."""
        return Answer()

    def broken(self, _call: ApiRequest[Any], _params: NoParams) -> Answer:
        """Fail."""
        raise OSError("no disk")


@pytest.fixture
def handlers() -> BlockingReports:
    return BlockingReports()


def refusal_of(fault: Exception) -> RequestError | None:
    return Unavailable() if str(fault) == "no disk" else None


@pytest.fixture
def app(handlers: BlockingReports) -> Dispatch[Any]:
    def endpoint(name: str, handle: Any, **more: Any) -> Endpoint[Any]:
        given: dict[str, Any] = {"permission": Permission.STATS_COMMON} | more
        return Endpoint(id=name, method="GET", path=f"/{name}", answer=Answer, handle=handle, **given)

    catalogue = [
        endpoint("report", handlers.wait, report=True),
        endpoint("watched", handlers.wait_for_cancellation, report=True),
        endpoint("busy", handlers.busy, report=True),
        endpoint("plain", handlers.plain),
        endpoint("broken", handlers.broken),
    ]
    limits = ApiLimits(per_second=1000, burst=1000, reports=40)
    return Dispatch(catalogue, None, {KEY: AffiliateCaller(1)}.get, {}, limits=limits, refusal_of=refusal_of)


@pytest.fixture
def client(app: Dispatch[Any]) -> Iterator[TestClient]:
    with TestClient(app, headers={"API-Key": KEY}) as client:
        yield client


def test_report_is_cancelled_when_client_disconnects(app: Dispatch[Any], handlers: BlockingReports) -> None:
    sent: list[Any] = []

    async def call() -> None:
        gone = asyncio.Event()
        parts = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> Any:
            if (part := next(parts, None)) is not None:
                return part
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/3.1/watched", "query_string": b"", "client": ("::1", 1)}
        serving = asyncio.create_task(app(scope | {"headers": [(b"api-key", KEY.encode())]}, receive, send))
        await asyncio.to_thread(wait_until, lambda: handlers.asked_by)
        assert not serving.done()
        gone.set()
        await asyncio.wait_for(serving, 5)

    asyncio.run(call())
    assert handlers.ended == handlers.asked_by
    assert sent[0]["status"] == 400


def test_reports_waiting_do_not_block_other_requests(client: TestClient, handlers: BlockingReports) -> None:
    with ThreadPoolExecutor(40) as pool:
        reports = [pool.submit(client.get, "/3.1/report") for _ in range(THREADS + 10)]
        wait_until(lambda: handlers.running == THREADS + 10)
        assert client.get("/3.1/plain").status_code == 200
        handlers.free.set()
        assert {each.result().status_code for each in reports} == {200}


def test_report_without_free_slot_is_503_with_advice(client: TestClient) -> None:
    refused = client.get("/3.1/busy")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "13")
    assert refused.json()["code"] == "reports_busy"
    assert "filter[offer]" in refused.json()["message"]


def test_report_store_failure_is_503_and_defect_is_500(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = client.get("/3.1/broken")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "60")
    assert refused.json()["code"] == "unavailable"
    monkeypatch.setattr(client.app, "_refusal_of", lambda _fault: None)
    assert client.get("/3.1/broken").json()["code"] == "server_error"
