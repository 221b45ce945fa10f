"""Rates and report turns that two APIs count in a real Valkey, and what holds while it is away."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from tests.support.processes.valkey import ValkeyProcess, running_valkey
from tests.support.waiting import wait_until
from tests.wire.test_rate_limits import CALLERS, KEY, OTHER, SESSION, BlockingHandler, endpoint, limits_of
from trackyard.base.metrics import API_REDIS_UP
from trackyard.domain.people.roles import Permission
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.http.rate_limits import ApiLimits
from trackyard.wire.limits import redis_limits
from trackyard.wire.limits.redis_limits import RedisLimits

Apis = tuple[TestClient, TestClient]


@pytest.fixture
def valkey() -> Iterator[ValkeyProcess]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def held() -> BlockingHandler:
    return BlockingHandler()


@pytest.fixture
def apis(valkey: ValkeyProcess, held: BlockingHandler, monkeypatch: pytest.MonkeyPatch) -> Iterator[Apis]:
    """Two APIs of one installation. A busy machine does not make them give up the Valkey that runs."""
    monkeypatch.setattr(redis_limits, "TIMEOUT_S", 5.0)
    catalogue = [
        endpoint("plain", held),
        endpoint("report", held, report=True),
        endpoint("open", held, audience="anyone", permission=Permission.NONE),
    ]
    limits = ApiLimits(per_second=0.05, burst=6, reports=2)
    with ExitStack() as open_apis:

        def api() -> TestClient:
            app = Dispatch(catalogue, None, CALLERS.get, {}, limits=limits, shared=RedisLimits(valkey.url))
            return open_apis.enter_context(TestClient(app, raise_server_exceptions=False))

        yield api(), api()


def get(api: TestClient, path: str = "plain", key: str = KEY) -> int:
    return api.get(f"/3.1/{path}", headers={"API-Key": key}).status_code


def test_rate_of_a_caller_holds_over_two_apis(apis: Apis, held: BlockingHandler) -> None:
    held.free.set()
    one, other = apis
    answers = [api.get("/3.1/plain", headers={"API-Key": KEY}) for api in (one, other) * 4]
    assert [each.status_code for each in answers] == [200] * 6 + [429] * 2
    assert [limits_of(each)[1] for each in answers[:6]] == ["5", "4", "3", "2", "1", "0"]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 20
    assert (get(one, key=SESSION), get(other, key=OTHER)) == (429, 200)
    strangers = [api.get("/3.1/open").status_code for api in (one, other) * 11]
    assert strangers.count(200) < 22 and strangers[-1] == 429


def test_report_turns_of_a_caller_hold_over_two_apis(apis: Apis, held: BlockingHandler, valkey: ValkeyProcess) -> None:
    one, other = apis
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(get, api, "report") for api in apis]
        wait_until(lambda: held.running == 2)
        refused = other.get("/3.1/report", headers={"API-Key": KEY})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_reports")
        held.free.set()
        assert [each.result() for each in running] == [200, 200]
    wait_until(lambda: valkey.ask("EXISTS trackyard:reports:affiliate:1") == b":0\r\n")
    assert get(one, "report") == 200


def test_rates_without_redis_hold_in_each_api(
    apis: Apis, held: BlockingHandler, valkey: ValkeyProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_limits, "RETRY_S", 0.05)
    held.free.set()
    one, other = apis
    assert [get(one) for _ in range(3)] == [200] * 3
    valkey.kill()
    assert [get(one) for _ in range(4)] == [200] * 3 + [429]
    assert API_REDIS_UP._value.get() == 0
    assert (get(one, "report", OTHER), get(other, "report", OTHER)) == (200, 200)
    valkey.start()
    wait_until(lambda: API_REDIS_UP._value.get() == 1)  # without a request, as in a quiet night
    assert get(other, key=OTHER) == 200
