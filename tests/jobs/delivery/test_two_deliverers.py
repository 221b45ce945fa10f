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
from trackyard.jobs.delivery.deliveries import LEASE_MS, Deliverer
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
            clock.advance(LEASE_MS)
            wait_until(lambda: not stored(shared), seconds=30)
        finally:
            released.set()
            stop.set()
            for thread in threads:
                thread.join(10)
        sent = Counter(request.headers["x-trackyard-delivery"] for request in receiver.requests())
    assert sent == Counter(item.id for item in (dead, *hanging, *good))
