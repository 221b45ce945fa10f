"""Deliveries of postbacks that are paused, resumed or removed."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, update

from tests.jobs.delivery.test_deliveries import CONVERSION, delivering, logs, make_delivery, queue, stored
from tests.support.clicks.inbound_postbacks import AT
from tests.support.events import make_notices
from tests.support.processes.receiver import Receiver, Reply
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback, add_staff
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.domain.tracking.outbound_calls import CROSS_POSTBACK_ID
from trackyard.jobs.delivery.deliveries import LEASE_MS
from trackyard.jobs.delivery.outcomes import MAX_DEAD_IN_ROW, MAX_PAUSED_MS, Attempt, record_attempts
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.tables import affiliate_postback, delivery, mail
from trackyard.store.tracking import deliveries, postbacks
from trackyard.store.tracking.pauses import resumed_columns

UTC = ZoneInfo("UTC")
DEAD, SENT = HttpResult(404), HttpResult(200)


@pytest.fixture
def affiliate(database: Database) -> int:
    with database.write() as conn:
        manager = add_staff(conn, email="manager@example.com", first_name="Mia")
        number = add_affiliate(conn, email="a@example.com", name="Ann", manager_id=manager, postback_secret="s3cret")
        add_postback(conn, number, "https://affiliate.example/", id=1)
        add_postback(conn, number, "https://affiliate.example/", id=2)
        return number


def end(database: Database, affiliate: int, *answers: HttpResult, postback: int = 1, forced: bool = False) -> None:
    """Make deliveries in order, each with its answer, recorded together."""
    items = [
        make_delivery(affiliate, "http://a.example/", subject_id=new_id(AT), postback_id=postback, forced=forced)
        for _ in answers
    ]
    queue(database, *items)
    with database.write() as conn:
        claimed = {item.id: item for item in deliveries.claim(conn, [item.id for item in items], "w1", AT, LEASE_MS)}
        attempts = [Attempt(claimed[item.id], answer, AT) for item, answer in zip(items, answers, strict=True)]
        record_attempts(conn, attempts, lambda: 0.0)


def state(database: Database, postback: int = 1) -> tuple[int, int | None]:
    columns = affiliate_postback.c
    with database.read() as conn:
        row = conn.execute(select(columns.dead_in_row, columns.paused_at).where(columns.id == postback)).one()
    return row.dead_in_row, row.paused_at


def pause(database: Database) -> None:
    with database.write() as conn:
        postbacks.edit_postback(conn, 1, {"paused_at": AT, "dead_in_row": MAX_DEAD_IN_ROW})


def resume(database: Database) -> None:
    with database.write() as conn:
        postbacks.edit_postback(conn, 1, resumed_columns())


def unpark(database: Database, clock: ManualClock) -> int:
    return JobScheduler(database, UTC, clock).unpark()


def mails(database: Database) -> list[Any]:
    with database.read() as conn:
        return list(conn.execute(select(mail).order_by(mail.c.recipient)))


def test_postback_is_paused_after_twenty_dead_deliveries_in_a_row(database: Database, affiliate: int) -> None:
    end(database, affiliate, *[DEAD] * (MAX_DEAD_IN_ROW - 1))
    assert state(database) == (MAX_DEAD_IN_ROW - 1, None)
    assert mails(database) == []
    end(database, affiliate, DEAD, DEAD)
    assert state(database) == (MAX_DEAD_IN_ROW + 1, AT)
    end(database, affiliate, DEAD)
    make_notices(database, AT)
    to_affiliate, to_manager = mails(database)
    assert (to_affiliate.recipient, to_manager.recipient) == ("a@example.com", "manager@example.com")
    assert to_affiliate.subject == "Postback 1 is paused"
    assert to_affiliate.body.startswith("Hello Ann,")
    assert to_manager.body.startswith("Hello Mia,")
    assert "https://affiliate.example/" in to_manager.body
    assert f"#{affiliate} Ann" in to_manager.body
    assert state(database, postback=2) == (0, None)


@pytest.mark.parametrize(
    ("answers", "dead"),
    [
        ([DEAD, SENT], 0),
        ([DEAD, SENT, DEAD, DEAD], 2),
        ([DEAD, HttpResult(503)], 1),  # it is tried again: not dead yet
        ([DEAD, HttpResult(0, error="refused")], 1),
    ],
)
def test_postback_failure_streak_ends_with_successful_delivery(
    database: Database, affiliate: int, answers: list[HttpResult], dead: int
) -> None:
    end(database, affiliate, *[DEAD] * 3)
    end(database, affiliate, *answers)
    expected = dead if SENT in answers else 3 + dead
    assert state(database) == (expected, None)


def test_postback_failure_streak_is_not_extended_by_manual_deliveries(database: Database, affiliate: int) -> None:
    end(database, affiliate, *[DEAD] * (MAX_DEAD_IN_ROW - 1))
    end(database, affiliate, DEAD, DEAD, forced=True)
    assert state(database) == (MAX_DEAD_IN_ROW - 1, None)
    end(database, affiliate, SENT, forced=True)
    assert state(database) == (0, None)


def test_postback_paused_holds_its_deliveries_until_resumed(
    database: Database, affiliate: int, receiver: Receiver
) -> None:
    pause(database)
    clock = ManualClock(AT)
    queue(database, *(make_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2, 3)))
    queue(database, make_delivery(affiliate, receiver.url("/other"), 1, postback_id=2))
    with delivering(database, clock):
        wait_until(lambda: len(receiver.requests()) == 1)
        wait_until(lambda: [row.owner for row in stored(database)] == [deliveries.PARKED] * 3)
        assert unpark(database, clock) == 0
        resume(database)
        assert unpark(database, clock) == 3
        wait_until(lambda: not stored(database))
    assert [request.path for request in receiver.requests()] == ["/other", "/1", "/2", "/3"]
    assert [row.outcome for row in logs(database)] == ["sent"] * 4


def test_postback_paused_drops_deliveries_after_seven_days(
    database: Database, affiliate: int, receiver: Receiver
) -> None:
    pause(database)
    clock = ManualClock(AT)
    queue(database, make_delivery(affiliate, receiver.url()))
    with delivering(database, clock):
        wait_until(lambda: stored(database)[0].owner == deliveries.PARKED)
        assert stored(database)[0].next_at == AT + MAX_PAUSED_MS
        clock.advance(MAX_PAUSED_MS)
        wait_until(lambda: not stored(database))
    assert receiver.requests() == []
    (row,) = logs(database)
    assert (row.outcome, row.http_code, row.attempt) == ("dropped", 0, 0)
    assert row.error == "the postback was paused for too long"


def test_postback_paused_still_sends_manual_deliveries(database: Database, affiliate: int, receiver: Receiver) -> None:
    pause(database)
    queue(database, make_delivery(affiliate, receiver.url(), forced=True))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert len(receiver.requests()) == 1
    assert state(database) == (0, AT)  # it was taken; the postback is resumed by a person


def removal(database: Database) -> None:
    with database.write() as conn:
        postbacks.remove_postback(conn, 1)


@pytest.mark.parametrize("before", [lambda _: None, pause], ids=["due", "parked"])
def test_postback_removed_drops_its_deliveries(
    database: Database, affiliate: int, receiver: Receiver, before: Callable[[Database], None]
) -> None:
    before(database)
    clock = ManualClock(AT)
    other = make_delivery(affiliate, receiver.url("/other"), 1, postback_id=2)
    queue(database, *(make_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2)))
    if before is pause:
        with delivering(database, clock):
            wait_until(lambda: {row.owner for row in stored(database)} == {deliveries.PARKED})
    removal(database)
    unpark(database, clock)
    queue(database, other)
    with delivering(database, clock):
        wait_until(lambda: not stored(database))
    assert [request.path for request in receiver.requests()] == ["/other"]
    dropped = [row for row in logs(database) if row.outcome == "dropped"]
    assert [(row.postback_id, row.error) for row in dropped] == [(1, "the postback was removed")] * 2


def test_cross_postback_deliveries_are_dropped_when_url_is_removed(
    database: Database, affiliate: int, receiver: Receiver
) -> None:
    with database.write() as conn:
        with_url, without = (
            add_offer(conn, add_advertiser(conn), cross_postback_url=url) for url in ("https://x.example/", None)
        )
    for number, offer_id in enumerate((with_url, without), 1):
        fields = {"subject_id": new_id(AT), "postback_id": CROSS_POSTBACK_ID, "offer_id": offer_id}
        queue(database, make_delivery(affiliate, receiver.url(f"/{number}"), **fields))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert [request.path for request in receiver.requests()] == ["/1"]
    assert sorted(row.outcome for row in logs(database)) == ["dropped", "sent"]


def test_manual_delivery_is_sent_once_and_keeps_waiting_one(database: Database, affiliate: int) -> None:
    def by_hand_alone(_: object) -> Reply:
        return Reply(200 if len(receiver.requests()) == 2 else 503)

    with Receiver(by_hand_alone) as receiver:
        item = make_delivery(affiliate, receiver.url())
        again = make_delivery(affiliate, receiver.url(), forced=True, job_id=item.id)
        queue(database, item)
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: stored(database)[0].attempts == 1)
            with database.write() as conn:
                assert deliveries.add_forced(conn, [again]) == 1
                assert deliveries.add_forced(conn, [again]) == 0  # one waits already
            wait_until(lambda: not stored(database))
        assert {request.headers["x-trackyard-delivery"] for request in receiver.requests()} == {item.id}
    assert [(row.job_id, row.outcome, row.forced) for row in logs(database)] == [
        (item.id, "failed", 0),
        (item.id, "sent", 1),
    ]


def test_manual_delivery_that_fails_is_not_retried(database: Database, affiliate: int) -> None:
    with Receiver(lambda _: Reply(503)) as receiver:
        queue(database, make_delivery(affiliate, receiver.url(), forced=True))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert len(receiver.requests()) == 1
    assert [(row.outcome, row.forced, row.version) for row in logs(database)] == [("dead", 1, 1)]


def test_manual_delivery_supersedes_no_other(database: Database, affiliate: int) -> None:
    queue(database, make_delivery(affiliate, "http://a.example/", 1))
    queue(database, make_delivery(affiliate, "http://a.example/", 2, forced=True))
    with database.write() as conn:
        conn.execute(update(delivery).where(delivery.c.sequence == 1).values(attempts=1))
        assert deliveries.find_superseded(conn, [CONVERSION]) == []
