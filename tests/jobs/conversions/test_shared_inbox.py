"""Workers share the inbox on PostgreSQL: postbacks of one offer stay in order, each is decided once.

docs/spec/engine.md#several-workers.
"""

import os
import signal
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.limited_offer import UTC, LimitedOffer, has_waiting_postbacks, make_limited_offer
from tests.support.stores.databases import PostgresServer
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_offer
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.tables import conversion, conversion_event, ledger

OFFERS = 12
CLICKS = 40
CAP = 10


@pytest.fixture
def installation(postgres: PostgresServer) -> Iterator[tuple[str, LimitedOffer]]:
    """Offers with a cap and one conversion per click, and postbacks in turns of the offers."""
    with postgres.empty_database() as name, Database(postgres.url(name)) as database:
        limited = make_limited_offer(database)
        with database.write() as conn:
            offers = [limited.offer, *(add_offer(conn, limited.advertiser) for _ in range(OFFERS - 1))]
        limited.limit({"value": str(CAP)}, one_conversion_per_click=True)
        entries = []
        for place in range(CLICKS):
            for offer in offers:
                click = make_click(offer, limited.affiliate, limited.advertiser, sub1=str(place))
                for action in ("first", "second"):
                    params = {"clickid": click.id, "action_id": f"{action}-{click.id}"}
                    call = make_inbound_postback(AT + len(entries), **params)
                    entries.append(make_inbox_postback(next(limited.positions), call, click))
        with database.write() as conn:
            inbox.add_entries(conn, "001-1", entries)
        yield postgres.url(name), limited


def decide(url: str, counts: list[int], place: int, both: Barrier) -> None:
    """Run a worker for conversions that counts what it decided; it begins when both are ready."""
    with Database(url) as database:
        processor = PostbackProcessor(database, "USD", UTC, ManualClock(AT + 1_000))
        both.wait(60)
        while True:
            counts[place] += processor.step()


@pytest.mark.chaos
def test_inbox_of_two_workers_is_decided_once_in_order_after_a_kill(installation: tuple[str, LimitedOffer]) -> None:
    url, limited = installation
    context = get_context("spawn")
    counts = context.Array("i", 2)
    both = context.Barrier(2)
    workers = [context.Process(target=decide, args=(url, counts, place, both), daemon=True) for place in range(2)]
    for worker in workers:
        worker.start()
    wait_until(lambda: min(counts) > 0, seconds=30)
    os.kill(workers[0].pid or 0, signal.SIGKILL)
    wait_until(lambda: not has_waiting_postbacks(limited.database), seconds=30)
    workers[1].kill()
    for worker in workers:
        worker.join()
    columns = conversion.c
    query = select(columns.offer_id, columns.click, columns.action_id, columns.status).order_by(columns.offer_id)
    with limited.database.read() as conn:
        rows = conn.execute(query).all()
        events, entries = (conn.execute(select(table)).all() for table in (conversion_event, ledger))
    accepted = [(row.offer_id, int(row.click["sub1"]), row.action_id[:5]) for row in rows if row.status == "confirmed"]
    assert sorted(accepted) == [
        (offer, place, "first") for offer in sorted({row.offer_id for row in rows}) for place in range(CAP)
    ]
    assert len(rows) == len(events) == len(queued_lines(limited.database, "server_log")) == OFFERS * CLICKS * 2
    assert len(entries) == OFFERS * CLICKS * 2 and sum(entry.available for entry in entries) == OFFERS * CAP * 5
    assert {held for held in limited.held().values() if held[0]} == {(CAP, 5 * CAP)}


def test_inbox_leases_give_each_worker_other_offers_until_it_dies(installation: tuple[str, LimitedOffer]) -> None:
    url, limited = installation
    with (
        Database(url) as one,
        Database(url) as other,
        pytest.raises(OperationalError),
        one.write() as conn,
        other.write() as other_conn,
    ):
        taken, others = inbox.take_ready(conn, 30), inbox.take_ready(other_conn, 500)
        assert len(taken) == 30 and others
        assert not {row.id for row in taken} & {row.id for row in others}
        with limited.database.write() as third_conn:
            assert inbox.take_ready(third_conn, 30) == [], "all offers are leased"
        pid = conn.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with limited.database.write() as third_conn:
            third_conn.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
            assert inbox.take_ready(third_conn, 30) == taken
        conn.execute(text("SELECT 1"))


def test_inbox_lease_of_a_silent_worker_ends(installation: tuple[str, LimitedOffer]) -> None:
    url, limited = installation
    with Database(url) as silent, pytest.raises(DBAPIError) as lost, silent.write() as conn:
        taken = inbox.take_ready(conn, 1_000, lease_ms=300)
        offers = {row.click for row in taken}

        def is_taken_over() -> bool:
            with limited.database.write() as other_conn:
                return {row.click for row in inbox.take_ready(other_conn, 1_000)} >= offers

        assert not is_taken_over()
        wait_until(is_taken_over, seconds=5)
        conn.execute(text("SELECT 1"))
    assert classify_failure(lost.value) is TransactionFailure.UNAVAILABLE, "the worker waits and goes on"
