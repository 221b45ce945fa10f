"""Two workers deliver from one PostgreSQL: each delivery once, in fair turns, and on after a kill."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import text

from tests.jobs.delivery.test_affiliate_shares import two_affiliates
from tests.jobs.delivery.test_deliveries import ALLOW, make_delivery, queue, stored
from tests.support.clicks.inbound_postbacks import AT
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.stores.databases import PostgresServer
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.jobs.delivery.deliveries import LEASE_MS, RENEW_MS, START_MS, Deliverer
from trackyard.jobs.delivery.outcomes import Attempt, record_attempts
from trackyard.outbound.results import TIMEOUT_S, HttpResult
from trackyard.runtime.start_checks import MAX_CLOCK_DIFFERENCE_MS
from trackyard.store.engine.database import Database
from trackyard.store.tracking import deliveries


@pytest.fixture
def shared(postgres: PostgresServer) -> Iterator[Database]:
    with postgres.empty_database() as name, Database(postgres.url(name)) as database:
        yield database


def test_delivery_claims_of_two_workers_wait_for_no_other(shared: Database) -> None:
    affiliate, _ = two_affiliates(shared)
    items = [make_delivery(affiliate, "http://127.0.0.1/", subject_id=new_id(AT)) for _ in range(3)]
    queue(shared, *items)
    first, second, third = (item.id for item in items)
    with shared.write() as conn, shared.write() as other_conn:
        assert len(deliveries.claim(conn, [first, second], "w1", AT, LEASE_MS)) == 2
        other_conn.execute(text("SET LOCAL lock_timeout = 500"))
        claimed = deliveries.claim(other_conn, [third, second, first], "w2", AT, LEASE_MS)
        assert [item.id for item in claimed] == [third]


def test_deliveries_of_two_workers_are_sent_once_in_turns_and_after_a_kill(
    shared: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    attacker, other = two_affiliates(shared)
    released = threading.Event()
    owners: Counter[str] = Counter()
    real: Callable[..., list[Any]] = deliveries.claim

    def claim(conn: Any, ids: Any, owner: str, *times: int) -> list[Any]:
        claimed = real(conn, ids, owner, *times)
        owners[owner] += len(claimed)
        return claimed

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/hangs":
            released.wait(60)
        return Reply(delay=0.005)

    with Receiver(reply) as receiver:
        dead = make_delivery(other, receiver.url("/dead"), postback_id=2, subject_id=new_id(AT))
        hanging = [make_delivery(attacker, receiver.url("/hangs"), subject_id=new_id(AT)) for _ in range(100)]
        good = [
            make_delivery(other, receiver.url(f"/{n}"), postback_id=2, subject_id=new_id(AT), next_at=AT + 1)
            for n in range(200)
        ]
        queue(shared, dead, *hanging, *good)
        with shared.write() as conn:
            assert real(conn, [dead.id], "killed", AT, LEASE_MS)
        monkeypatch.setattr(deliveries, "claim", claim)
        clock, stop = ManualClock(AT + 1), threading.Event()
        workers = [Deliverer(shared, clock, name, allow=ALLOW, draw_jitter=lambda: 0.0) for name in ("w1", "w2")]
        threads = [threading.Thread(target=worker.run, args=(stop, 0.01)) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: sum(row.affiliate_id == other for row in stored(shared)) == 1, seconds=30)
            assert min(owners["w1"], owners["w2"]) > 0, "both work"
            released.set()
            wait_until(lambda: [row.id for row in stored(shared)] == [dead.id], seconds=30)
            clock.advance(LEASE_MS)
            wait_until(lambda: not stored(shared), seconds=30)
        finally:
            released.set()
            stop.set()
            for thread in threads:
                thread.join(10)
        sent = Counter(request.headers["x-trackyard-delivery"] for request in receiver.requests())
    assert sent == Counter(item.id for item in (dead, *hanging, *good))


def test_delivery_lease_outlasts_any_request_of_its_holder() -> None:
    """Also where the clocks of two machines differ from the database's as far as a start allows."""
    assert LEASE_MS > START_MS + TIMEOUT_S * 1000 + 2 * MAX_CLOCK_DIFFERENCE_MS
    assert LEASE_MS <= 25_000, "another worker goes on soon"


def test_delivery_of_stopped_worker_is_sent_by_another_one_alone(
    shared: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first worker is stopped between its claim and its request, and continues when its lease is over."""
    affiliate, _ = two_affiliates(shared)
    item = make_delivery(affiliate, receiver.url(), subject_id=new_id(AT))
    queue(shared, item)
    clock, stopped, goes_on = ManualClock(AT), threading.Event(), threading.Event()
    real = Deliverer._record_and_claim

    def claim(self: Deliverer, *arguments: Any) -> Any:
        claimed = real(self, *arguments)
        if claimed.items and self._owner == "w1":
            stopped.set()
            assert goes_on.wait(30)
        return claimed

    monkeypatch.setattr(Deliverer, "_record_and_claim", claim)
    stop = threading.Event()
    first, second = (Deliverer(shared, clock, name, allow=ALLOW) for name in ("w1", "w2"))
    threads = [threading.Thread(target=each.run, args=(stop, 0.01)) for each in (first, second)]
    try:
        threads[0].start()
        assert stopped.wait(30)
        threads[1].start()
        clock.advance(LEASE_MS)
        wait_until(lambda: not stored(shared), seconds=30)
        goes_on.set()
        later = make_delivery(affiliate, receiver.url("/later"), subject_id=new_id(AT))
        queue(shared, later)
        wait_until(lambda: not stored(shared), seconds=30)
        wait_until(lambda: not first._running)
    finally:
        goes_on.set()
        stop.set()
        for thread in threads:
            thread.join(10)
    assert sorted(request.headers["x-trackyard-delivery"] for request in receiver.requests()) == sorted(
        [item.id, later.id]
    )


def test_delivery_lease_is_renewed_while_its_request_runs(shared: Database) -> None:
    affiliate, _ = two_affiliates(shared)
    answered = threading.Event()

    def reply(_: ReceivedRequest) -> Reply:
        answered.wait(30)
        return Reply()

    seconds = [0.0]
    with Receiver(reply) as receiver:
        item = make_delivery(affiliate, receiver.url(), subject_id=new_id(AT))
        queue(shared, item)
        clock, stop = ManualClock(AT), threading.Event()
        worker = Deliverer(shared, clock, "w1", allow=ALLOW, monotonic=lambda: seconds[0])
        thread = threading.Thread(target=worker.run, args=(stop, 0.01))
        thread.start()
        try:
            receiver.wait_for(1)
            clock.advance(LEASE_MS - 1)
            seconds[0] = RENEW_MS / 1000
            wait_until(lambda: stored(shared)[0].lease_until == AT + 2 * LEASE_MS - 1, seconds=30)
            with shared.write() as conn:
                assert deliveries.claim(conn, [item.id], "w2", AT + LEASE_MS, LEASE_MS) == []
        finally:
            answered.set()
            stop.set()
            thread.join(10)


def test_delivery_failure_after_the_lease_leaves_it_to_its_new_holder(shared: Database) -> None:
    affiliate, _ = two_affiliates(shared)
    items = [make_delivery(affiliate, "http://127.0.0.1/", subject_id=new_id(AT)) for _ in range(2)]
    queue(shared, *items)
    with shared.write() as conn:
        mine = deliveries.claim(conn, [item.id for item in items], "w1", AT, LEASE_MS)
        deliveries.claim(conn, [item.id for item in items], "w2", AT + LEASE_MS, LEASE_MS)
        answers = (HttpResult(503), None)
        attempts = [Attempt(item, answer, AT + LEASE_MS) for item, answer in zip(mine, answers, strict=True)]
        record_attempts(conn, attempts, lambda: 0.0)
    assert {(row.owner, row.lease_until, row.attempts) for row in stored(shared)} == {("w2", AT + 2 * LEASE_MS, 0)}
