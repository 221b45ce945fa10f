"""Deliveries to affiliates: in order, repeated after a failure, once after a success."""

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

from tests.support.clicks.inbound_postbacks import AT
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_affiliate, add_postback
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.domain.statistics.rows import AffiliatePostbackLog
from trackyard.domain.tracking.outbound_calls import DEFAULT_RETRY_SECONDS, Delivery, DeliveryKind, NewDelivery
from trackyard.jobs.delivery.deliveries import LEASE_MS, Deliverer
from trackyard.jobs.delivery.delivery_slots import DeliverySlots
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.outcomes import Attempt, next_attempt, record_attempts
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Connection, Database
from trackyard.store.tables import delivery
from trackyard.store.tracking import deliveries
from trackyard.store.tracking.deliveries import DueDelivery

ALLOW = (ipaddress.ip_network("127.0.0.0/8"),)
CONVERSION = "c" * 24


@pytest.fixture
def affiliate(database: Database) -> int:
    with database.write() as conn:
        number = add_affiliate(conn, postback_secret="s3cret")
        add_postback(conn, number, "https://affiliate.example/", id=1)
        return number


def make_delivery(affiliate: int, url: str, sequence: int = 1, **fields: Any) -> NewDelivery:
    values: dict[str, Any] = {
        "id": new_id(AT),
        "kind": DeliveryKind.POSTBACK if fields.get("postback_id", 1) else DeliveryKind.CROSS_POSTBACK,
        "subject_id": CONVERSION,
        "sequence": sequence,
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


def logs(database: Database) -> list[AffiliatePostbackLog]:
    return [msgspec.json.decode(line, type=AffiliatePostbackLog) for line in queued_lines(database, "affiliate_log")]


def stored(database: Database) -> list[Any]:
    with database.read() as conn:
        return list(conn.execute(select(delivery).order_by(delivery.c.sequence)))


@contextmanager
def delivering(
    database: Database, clock: ManualClock, limits: OutboundLimits | None = None, **more: Any
) -> Iterator[Deliverer]:
    """A deliverer that works while the block lasts."""
    stop = threading.Event()
    deliverer = Deliverer(database, clock, "w1", allow=ALLOW, limits=limits, draw_jitter=lambda: 0.0, **more)
    thread = threading.Thread(target=deliverer.run, args=(stop, 0.01))
    thread.start()
    try:
        yield deliverer
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_delivery_is_sent_once_signed_and_logged(database: Database, affiliate: int, receiver: Receiver) -> None:
    item = make_delivery(affiliate, receiver.url("/pb?a=1"))
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


@pytest.mark.parametrize(
    ("body", "kind"), [('{"a": "é"}', "application/json"), ("a=b", "application/x-www-form-urlencoded")]
)
def test_delivery_with_body_is_posted(
    database: Database, affiliate: int, receiver: Receiver, body: str, kind: str
) -> None:
    queue(database, make_delivery(affiliate, receiver.url("/pb"), body=body))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    (request,) = receiver.requests()
    assert (request.method, request.body.decode(), request.headers["content-type"]) == ("POST", body, kind)


def test_delivery_log_keeps_start_duration_and_first_bytes_of_answer(database: Database, affiliate: int) -> None:
    with Receiver(lambda _: Reply(200, body="ü".encode() * 200, delay=0.05)) as receiver:
        queue(database, make_delivery(affiliate, receiver.url()), make_delivery(affiliate, "http://10.0.0.1/", 2))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: len(logs(database)) == 2)
    by_code = {row.http_code: row for row in logs(database)}
    sent, unreachable = by_code[200], by_code[0]
    assert (sent.started_at, sent.answer) == (AT, "ü" * 128)
    assert 50 <= sent.milliseconds < 10_000
    assert (unreachable.started_at, unreachable.answer) == (AT, "")


def test_delivery_failure_is_retried_on_schedule_then_dead(database: Database, affiliate: int) -> None:
    clock = ManualClock(AT)
    with Receiver(lambda _: Reply(503)) as receiver:
        item = make_delivery(affiliate, receiver.url())
        queue(database, item)
        with delivering(database, clock):
            for made, pause in enumerate(DEFAULT_RETRY_SECONDS, 1):
                wait_until(lambda made=made: len(logs(database)) == made)
                assert stored(database)[0].next_at == clock.now_ms() + pause * 1000
                clock.advance(pause * 1000)
            wait_until(lambda: not stored(database))
        assert {request.headers["x-trackyard-delivery"] for request in receiver.requests()} == {item.id}
    assert [row.outcome for row in logs(database)] == ["failed"] * 5 + ["dead"]
    assert [row.attempt for row in logs(database)] == [1, 2, 3, 4, 5, 6]
    assert {row.http_code for row in logs(database)} == {503}


def test_delivery_retry_delays_grow_with_jitter() -> None:
    assert [next_attempt(n, 0, 0.0, DEFAULT_RETRY_SECONDS) for n in range(1, 7)] == [
        5_000,
        60_000,
        600_000,
        3_600_000,
        21_600_000,
        None,
    ]
    assert next_attempt(1, 1_000, 1.0, DEFAULT_RETRY_SECONDS) == 6_500


@pytest.mark.parametrize(
    ("code", "outcome"), [(200, "sent"), (204, "sent"), (302, "dead"), (400, "dead"), (404, "dead"), (429, "failed")]
)
def test_delivery_outcome_follows_http_status(database: Database, affiliate: int, code: int, outcome: str) -> None:
    queue(database, make_delivery(affiliate, "http://127.0.0.1/"))
    with database.write() as conn:
        (item,) = deliveries.claim(conn, [row.id for row in stored_in(conn)], "w1", AT, LEASE_MS)
        assert record_attempts(conn, [Attempt(item, HttpResult(code), AT)], lambda: 0.0) == [outcome]
    assert len(stored(database)) == (outcome == "failed")


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [(0, 5), (3, 5), (20, 20), (3600, 3600), (86_400, 3600)],  # never sooner than the schedule, at most an hour
)
def test_delivery_waits_as_long_as_the_receiver_asks(
    database: Database, affiliate: int, retry_after: int, seconds: int
) -> None:
    queue(database, make_delivery(affiliate, "http://127.0.0.1/"))
    with database.write() as conn:
        (item,) = deliveries.claim(conn, [row.id for row in stored_in(conn)], "w1", AT, LEASE_MS)
        record_attempts(conn, [Attempt(item, HttpResult(429, retry_after=retry_after), AT)], lambda: 0.0)
    assert [row.next_at - AT for row in stored(database)] == [seconds * 1000]


def test_delivery_log_has_the_address_as_it_was_sent(database: Database, affiliate: int, receiver: Receiver) -> None:
    sent = {"?u=a%2Fb": "?u=a/b", "?u=a%20b%26c": "?u=a%20b%26c", "?u=é": "?u=%C3%A9", "?u=a+b#part": "?u=a+b"}
    queue(database, *(make_delivery(affiliate, receiver.url(f"/{url}"), n) for n, url in enumerate(sent, 1)))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    paths = sorted(request.path for request in receiver.requests())
    assert paths == sorted(f"/{path}" for path in sent.values())
    assert sorted(row.url for row in logs(database)) == sorted(receiver.url(path) for path in paths)


def stored_in(conn: Any) -> list[Any]:
    return list(conn.execute(select(delivery)))


def test_delivery_to_unreachable_host_is_logged_with_code_0(database: Database, affiliate: int) -> None:
    queue(database, make_delivery(affiliate, "http://10.0.0.1/"))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: logs(database))
    (row,) = logs(database)
    assert (row.outcome, row.http_code) == ("failed", 0)
    assert "10.0.0.1" in row.error


def test_delivery_order_is_kept_for_one_conversion(database: Database, affiliate: int) -> None:
    def slower_first(request: ReceivedRequest) -> Reply:
        return Reply(delay=0.3 if request.path == "/1" else 0)

    with Receiver(slower_first) as receiver:
        items = [make_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2, 3)]
        queue(database, *reversed(items))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2", "/3"]


def test_delivery_that_failed_is_superseded_by_later_one(database: Database, affiliate: int) -> None:
    def first_fails(request: ReceivedRequest) -> Reply:
        return Reply(500 if request.path == "/1" else 200)

    with Receiver(first_fails) as receiver:
        queue(database, *(make_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2)))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2"]  # each was attempted
    assert [(row.outcome, row.http_code) for row in logs(database)] == [("superseded", 500), ("sent", 200)]


def test_delivery_waiting_for_retry_is_superseded_by_later_one(database: Database, affiliate: int) -> None:
    clock = ManualClock(AT)
    with Receiver(lambda request: Reply(500 if request.path == "/1" else 200)) as receiver:
        queue(database, make_delivery(affiliate, receiver.url("/1"), 1))
        with delivering(database, clock):
            wait_until(lambda: len(logs(database)) == 1)
            queue(database, make_delivery(affiliate, receiver.url("/2"), 2))
            clock.advance(10_000)
            wait_until(lambda: not stored(database))
        assert [request.path for request in receiver.requests()] == ["/1", "/2"]
    assert sorted(row.outcome for row in logs(database)) == ["failed", "sent", "superseded"]


def test_delivery_to_slow_host_delays_no_other_host(database: Database, affiliate: int) -> None:
    released = threading.Event()

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/slow":
            released.wait(60)
        return Reply()

    with Receiver(reply) as receiver:
        slow = [make_delivery(affiliate, receiver.url("/slow"), subject_id=new_id(AT)) for _ in range(40)]
        quick_url = f"http://localhost:{receiver.port}/quick"
        quick = [
            make_delivery(affiliate, quick_url, subject_id=new_id(AT), next_at=AT + 1, created_at=AT + 1)
            for _ in range(6)
        ]
        queue(database, *slow, *quick)
        with delivering(database, ManualClock(AT + 1), OutboundLimits(total=8, start=3, seconds=60)):
            wait_until(lambda: sum(r.path == "/quick" for r in receiver.requests()) == 6, seconds=30)
            wait_until(lambda: sum(r.path == "/slow" for r in receiver.requests()) == 3, seconds=30)
            assert len(receiver.requests()) == 9
        released.set()


def test_delivery_host_limit_counts_answers_during_claim(
    database: Database, affiliate: int, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []
    claim, list_due = deliveries.claim, deliveries.list_due
    limits = OutboundLimits()
    places = DeliverySlots(limits)

    def counted(conn: Connection, ids: Sequence[str], *rest: Any) -> list[Delivery]:
        at_once.append(len(ids))
        return claim(conn, ids, *rest)

    def after_every_answer(*asked: Any, **more: Any) -> list[DueDelivery]:
        wait_until(lambda: places.find_free(limits.total).free == limits.total, seconds=30)
        return list_due(*asked, **more)

    monkeypatch.setattr("trackyard.jobs.delivery.host_concurrency.QUICK_SECONDS", 60)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.DeliverySlots", lambda *_: places)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.deliveries.claim", counted)
    monkeypatch.setattr("trackyard.jobs.delivery.deliveries.deliveries.list_due", after_every_answer)
    queue(database, *(make_delivery(affiliate, receiver.url(f"/{n}"), n, subject_id=new_id(AT)) for n in range(150)))
    with delivering(database, ManualClock(AT), limits):
        wait_until(lambda: not stored(database), seconds=60)
    assert max(at_once) > 2 * limits.start


def test_delivery_stop_releases_running_deliveries(database: Database, affiliate: int) -> None:
    with Receiver(lambda _: Reply(delay=20)) as receiver:
        queue(database, make_delivery(affiliate, receiver.url()))
        begin = time.monotonic()
        with delivering(database, ManualClock(AT)):
            receiver.wait_for(1)
        assert time.monotonic() - begin < 5
    (row,) = stored(database)
    assert (row.attempts, row.lease_until, row.owner) == (0, 0, "")


def test_delivery_of_dead_worker_is_repeated_at_restart(database: Database, affiliate: int, receiver: Receiver) -> None:
    item = make_delivery(affiliate, receiver.url())
    queue(database, item)
    with database.write() as conn:
        assert len(deliveries.claim(conn, [item.id], "w1", AT, LEASE_MS)) == 1  # and then kill -9
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert [request.headers["x-trackyard-delivery"] for request in receiver.requests()] == [item.id]


def test_delivery_lease_excludes_other_workers_until_it_ends(database: Database, affiliate: int) -> None:
    item = make_delivery(affiliate, "http://127.0.0.1/")
    queue(database, item)
    with database.write() as conn:
        assert deliveries.list_due(conn, AT, 4, 10) == [(item.id, "127.0.0.1", affiliate)]
        assert len(deliveries.claim(conn, [item.id], "w1", AT, LEASE_MS)) == 1
        assert deliveries.claim(conn, [item.id], "w2", AT, LEASE_MS) == []
        assert not deliveries.has_due(conn, AT + LEASE_MS - 1)
        assert deliveries.list_due(conn, AT + LEASE_MS - 1, 4, 10) == []
        assert len(deliveries.claim(conn, [item.id], "w2", AT + LEASE_MS, LEASE_MS)) == 1
        assert deliveries.release(conn, "w1") == 0
        assert deliveries.release(conn, "w2") == 1


def test_delivery_outcome_is_recorded_after_database_failure(
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
    queue(database, make_delivery(affiliate, receiver.url()))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert len(receiver.requests()) == 1
    assert [row.outcome for row in logs(database)] == ["sent"]


def test_delivery_to_own_host_is_dead_and_never_made(database: Database, affiliate: int, receiver: Receiver) -> None:
    queue(database, make_delivery(affiliate, receiver.url("/postback")))
    deliverer = Deliverer(database, ManualClock(AT), "w1", allow=ALLOW, own_urls=[receiver.url()])
    stop = threading.Event()
    thread = threading.Thread(target=deliverer.run, args=(stop, 0.01))
    thread.start()
    try:
        wait_until(lambda: not stored(database))
    finally:
        stop.set()
        thread.join(10)
    assert receiver.requests() == []
    [row] = logs(database)
    assert (row.outcome, row.http_code, row.attempt) == ("dead", 0, 1)
    assert "belongs to the platform" in row.error
