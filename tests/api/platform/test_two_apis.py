"""Two APIs on one PostgreSQL: idempotency keys, sign-in throttling and sessions hold over both.

Rates and report turns, which Redis counts, are in tests/wire/test_shared_limits.py.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.people.test_sign_in import tried
from tests.api.platform.test_idempotency_keys import SHOP, advertisers, send
from tests.support.api import PASSWORD, Api, installed, opened
from tests.support.stores.databases import PostgresServer
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.strangers import PLACES
from trackyard.store.engine.database import Database

EMAIL = "ann@affiliate.example"


@pytest.fixture
def apis(postgres: PostgresServer, analytics: Analytics) -> Iterator[tuple[Api, Api]]:
    with (
        postgres.empty_database() as name,
        Database(postgres.url(name)) as one,
        Database(postgres.url(name)) as other,
    ):
        yield installed(one, analytics), opened(other, analytics)


def test_idempotency_key_sent_to_two_apis_at_once_writes_once(apis: tuple[Api, Api]) -> None:
    start = threading.Barrier(8)

    def attempt(number: int) -> Any:
        start.wait(10)
        return send(apis[number % 2], "k", data=SHOP)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(8)))
    assert advertisers(apis[0]) == 1
    assert {(answer.status_code, answer.content) for answer in answers} == {(200, answers[0].content)}
    assert send(apis[1], "k", data={"title": "Other"}).status_code == 409


def test_sign_in_tries_at_two_apis_are_counted_together(apis: tuple[Api, Api]) -> None:
    one, _ = apis
    one.add_affiliate(email=EMAIL, password=PASSWORD)

    def guess(number: int) -> str:
        return tried(apis[number % 2], EMAIL, "guess", f"198.51.100.{number}")

    with ThreadPoolExecutor(PLACES) as pool:
        outcomes = Counter(pool.map(guess, range(TRIES_PER_ACCOUNT + 6)))
    assert outcomes == {"wrong": TRIES_PER_ACCOUNT, "throttled": 6}
    assert [tried(api, EMAIL, PASSWORD, "192.0.2.1") for api in apis] == ["throttled"] * 2


def test_session_ended_at_one_api_ends_at_the_other(apis: tuple[Api, Api]) -> None:
    one, other = apis
    one.add_affiliate(email=EMAIL, password=PASSWORD)
    signed_in = one.admin.with_key(None).call("POST", "/3.1/auth", data={"login": EMAIL, "password": PASSWORD})
    clients = [api.admin.with_key(signed_in.json()["api_key"]) for api in (other, one)]
    assert [client.call("GET", "/3.0/balance").status_code for client in clients] == [200, 200]
    assert clients[0].call("DELETE", "/3.1/auth").status_code == 200
    assert [client.call("GET", "/3.0/balance").status_code for client in clients] == [401, 401]
