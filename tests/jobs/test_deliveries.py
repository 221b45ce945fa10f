"""Calls to affiliates: each made, in order, again when it failed, once when it did not."""

import hashlib
import hmac
import ipaddress
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from tests.support.calls import AT
from tests.support.queued import queued_lines
from tests.support.receiver import Received, Receiver, Reply
from tests.support.seeds import add_affiliate, add_postback
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.domain.statistics.rows import AffiliateLog
from trackyard.jobs.delivery.deliveries import LEASE_MS, Deliverer
from trackyard.jobs.delivery.host_concurrency import Limits, Places
from trackyard.jobs.delivery.outcomes import RETRY_SECONDS, Attempt, next_attempt, record_attempts
from trackyard.outbound.client import Answer
from trackyard.store.engine.database import Connection, Database
from trackyard.store.tables import delivery
from trackyard.store.tracking import deliveries
from trackyard.store.tracking.deliveries import Delivery, NewDelivery

ALLOW = (ipaddress.ip_network("127.0.0.0/8"),)
CONVERSION = "c" * 24


@pytest.fixture
def affiliate(database: Database) -> int:
    with database.write() as conn:
        number = add_affiliate(conn, postback_secret="s3cret")
        add_postback(conn, number, "https://affiliate.example/", id=1)
        return number


def a_delivery(affiliate: int, url: str, number: int = 1, **fields: Any) -> NewDelivery:
    values: dict[str, Any] = {
        "id": new_id(AT),
        "number": number,
        "conversion_id": CONVERSION,
        "postback_id": 1,
        "affiliate_id": affiliate,
        "offer_id": 3,
        "advertiser_id": "a" * 24,
        "goal": "1",
        "status": "confirmed",
        "url": url,
        "host": url.split("/")[2].partition(":")[0],
        "next_at": AT,
        "created_at": AT,
    }
    values |= fields
    return NewDelivery(**values | {"job_id": fields.get("job_id", values["id"])})


def queue(database: Database, *items: NewDelivery) -> None:
    with database.write() as conn:
        deliveries.add(conn, items)


def logs(database: Database) -> list[AffiliateLog]:
    return [msgspec.json.decode(line, type=AffiliateLog) for line in queued_lines(database, "affiliate_log")]


def stored(database: Database) -> list[Any]:
    with database.read() as conn:
        return list(conn.execute(select(delivery).order_by(delivery.c.number)))


@contextmanager
def delivering(database: Database, clock: ManualClock, limits: Limits | None = None) -> Iterator[Deliverer]:
    """A deliverer that works while the block lasts."""
    stop = threading.Event()
    deliverer = Deliverer(database, clock, "w1", allow=ALLOW, limits=limits, draw=lambda: 0.0)
    thread = threading.Thread(target=deliverer.run, args=(stop, 0.01))
    thread.start()
    try:
        yield deliverer
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_a_call_is_made_once_signed_and_logged(database: Database, affiliate: int, receiver: Receiver) -> None:
    item = a_delivery(affiliate, receiver.url("/pb?a=1"))
    queue(database, item)
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    (request,) = receiver.requests()
    assert request.path == "/pb?a=1"
    assert request.headers["x-trackyard-delivery"] == item.id
    mac = hmac.new(b"s3cret", f"{AT // 1000}.{item.url}".encode(), hashlib.sha256).hexdigest()
    assert request.headers["x-trackyard-signature"] == f"t={AT // 1000},v1={mac}"
    (row,) = logs(database)
    assert (row.outcome, row.http_code, row.attempt, row.job_id, row.url) == ("sent", 200, 1, item.id, item.url)
    assert (row.affiliate, row.offer, row.postback_id, row.status) == (affiliate, 3, 1, 1)


def test_a_failure_is_repeated_on_the_timetable_and_then_dead(database: Database, affiliate: int) -> None:
    clock = ManualClock(AT)
    with Receiver(lambda _: Reply(503)) as receiver:
        item = a_delivery(affiliate, receiver.url())
        queue(database, item)
        with delivering(database, clock):
            for made, pause in enumerate(RETRY_SECONDS, 1):
                wait_until(lambda made=made: len(logs(database)) == made)
                assert stored(database)[0].next_at == clock.now_ms() + pause * 1000
                clock.advance(pause * 1000)
            wait_until(lambda: not stored(database))
        assert {request.headers["x-trackyard-delivery"] for request in receiver.requests()} == {item.id}
    assert [row.outcome for row in logs(database)] == ["failed"] * 5 + ["dead"]
    assert [row.attempt for row in logs(database)] == [1, 2, 3, 4, 5, 6]
    assert {row.http_code for row in logs(database)} == {503}


def test_pauses_grow_and_jitter_by_a_tenth() -> None:
    assert [next_attempt(n, 0, 0.0) for n in range(1, 7)] == [5_000, 60_000, 600_000, 3_600_000, 21_600_000, None]
    assert next_attempt(1, 1_000, 1.0) == 6_500


@pytest.mark.parametrize(
    ("code", "outcome"), [(200, "sent"), (204, "sent"), (302, "dead"), (400, "dead"), (404, "dead"), (429, "failed")]
)
def test_an_answer_decides_what_follows(database: Database, affiliate: int, code: int, outcome: str) -> None:
    queue(database, a_delivery(affiliate, "http://127.0.0.1/"))
    with database.write() as conn:
        (item,) = deliveries.claim(conn, [row.id for row in stored_in(conn)], "w1", AT, LEASE_MS)
        assert record_attempts(conn, [Attempt(item, Answer(code), AT)], lambda: 0.0) == [outcome]
    assert len(stored(database)) == (outcome == "failed")


def stored_in(conn: Any) -> list[Any]:
    return list(conn.execute(select(delivery)))


def test_an_unreachable_receiver_is_code_0_with_its_error(database: Database, affiliate: int) -> None:
    queue(database, a_delivery(affiliate, "http://10.0.0.1/"))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: logs(database))
    (row,) = logs(database)
    assert (row.outcome, row.http_code) == ("failed", 0)
    assert "10.0.0.1" in row.error


def test_first_attempts_of_one_conversion_go_out_in_order(database: Database, affiliate: int) -> None:
    def slower_first(request: Received) -> Reply:
        return Reply(delay=0.3 if request.path == "/1" else 0)

    with Receiver(slower_first) as receiver:
        items = [a_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2, 3)]
        queue(database, *reversed(items))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2", "/3"]


def test_a_failed_call_gives_way_to_a_later_one(database: Database, affiliate: int) -> None:
    def first_fails(request: Received) -> Reply:
        return Reply(500 if request.path == "/1" else 200)

    with Receiver(first_fails) as receiver:
        queue(database, *(a_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2)))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2"]  # each was attempted
    assert [(row.outcome, row.http_code) for row in logs(database)] == [("superseded", 500), ("sent", 200)]


def test_a_call_that_waits_to_be_repeated_gives_way_too(database: Database, affiliate: int) -> None:
    clock = ManualClock(AT)
    with Receiver(lambda request: Reply(500 if request.path == "/1" else 200)) as receiver:
        queue(database, a_delivery(affiliate, receiver.url("/1"), 1))
        with delivering(database, clock):
            wait_until(lambda: len(logs(database)) == 1)
            queue(database, a_delivery(affiliate, receiver.url("/2"), 2))
            clock.advance(10_000)
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2"]
    assert sorted(row.outcome for row in logs(database)) == ["failed", "sent", "superseded"]


def test_a_slow_host_delays_no_other(database: Database, affiliate: int) -> None:
    released = threading.Event()

    def reply(request: Received) -> Reply:
        if request.path == "/slow":
            released.wait(60)
        return Reply()

    with Receiver(reply) as receiver:
        slow = [a_delivery(affiliate, receiver.url("/slow"), conversion_id=new_id(AT)) for _ in range(40)]
        quick_url = f"http://localhost:{receiver.port}/quick"
        quick = [
            a_delivery(affiliate, quick_url, conversion_id=new_id(AT), next_at=AT + 1, created_at=AT + 1)
            for _ in range(6)
        ]
        queue(database, *slow, *quick)
        with delivering(database, ManualClock(AT + 1), Limits(total=8, start=3, seconds=60)):
            wait_until(lambda: sum(r.path == "/quick" for r in receiver.requests()) == 6, seconds=30)
            wait_until(lambda: sum(r.path == "/slow" for r in receiver.requests()) == 3, seconds=30)
            assert len(receiver.requests()) == 9
        released.set()


def test_a_host_that_answers_while_others_are_looked_for_keeps_its_places(
    database: Database, affiliate: int, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []
    claim, list_due = deliveries.claim, deliveries.list_due
    limits = Limits()
    places = Places(limits)

    def counted(conn: Connection, ids: Sequence[str], *rest: Any) -> list[Delivery]:
        at_once.append(len(ids))
        return claim(conn, ids, *rest)

    def after_every_answer(*asked: Any, **more: Any) -> list[tuple[str, str]]:
        wait_until(lambda: places.free == limits.total, seconds=30)
        return list_due(*asked, **more)

    monkeypatch.setattr("trackyard.jobs.delivery.host_concurrency.QUICK_SECONDS", 60)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.Places", lambda _limits: places)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.deliveries.claim", counted)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.deliveries.list_due", after_every_answer)
    queue(database, *(a_delivery(affiliate, receiver.url(f"/{n}"), n, conversion_id=new_id(AT)) for n in range(150)))
    with delivering(database, ManualClock(AT), limits):
        wait_until(lambda: not stored(database), seconds=60)
    assert max(at_once) > 2 * limits.start


def test_stopping_gives_back_what_is_under_way(database: Database, affiliate: int) -> None:
    with Receiver(lambda _: Reply(delay=20)) as receiver:
        queue(database, a_delivery(affiliate, receiver.url()))
        begin = time.monotonic()
        with delivering(database, ManualClock(AT)):
            receiver.wait_for(1)
        assert time.monotonic() - begin < 5
    (row,) = stored(database)
    assert (row.attempts, row.lease_until, row.owner) == (0, 0, "")


def test_a_worker_that_died_repeats_its_own_at_once(database: Database, affiliate: int, receiver: Receiver) -> None:
    item = a_delivery(affiliate, receiver.url())
    queue(database, item)
    with database.write() as conn:
        assert len(deliveries.claim(conn, [item.id], "w1", AT, LEASE_MS)) == 1  # and then kill -9
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert [request.headers["x-trackyard-delivery"] for request in receiver.requests()] == [item.id]


def test_a_lease_keeps_others_away_until_it_ends(database: Database, affiliate: int) -> None:
    item = a_delivery(affiliate, "http://127.0.0.1/")
    queue(database, item)
    with database.write() as conn:
        assert deliveries.list_due(conn, AT, 4, 10) == [(item.id, "127.0.0.1")]
        assert len(deliveries.claim(conn, [item.id], "w1", AT, LEASE_MS)) == 1
        assert deliveries.claim(conn, [item.id], "w2", AT, LEASE_MS) == []
        assert not deliveries.has_due(conn, AT + LEASE_MS - 1)
        assert deliveries.list_due(conn, AT + LEASE_MS - 1, 4, 10) == []
        assert len(deliveries.claim(conn, [item.id], "w2", AT + LEASE_MS, LEASE_MS)) == 1
        assert deliveries.release(conn, "w1") == 0
        assert deliveries.release(conn, "w2") == 1


def test_an_outcome_that_cannot_be_recorded_is_recorded_later(
    database: Database, affiliate: int, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., list[str]] = record_attempts
    failures: list[int] = []

    def fail_once(*arguments: Any) -> list[str]:
        if arguments[1] and not failures:
            failures.append(1)
            raise OSError("no space left on device")
        return real(*arguments)

    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.record_attempts", fail_once)
    queue(database, a_delivery(affiliate, receiver.url()))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert len(receiver.requests()) == 1
    assert [row.outcome for row in logs(database)] == ["sent"]
