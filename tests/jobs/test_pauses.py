"""Postbacks that are paused, resumed or removed: which of their calls are made."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, update

from tests.jobs.test_deliveries import CONVERSION, a_delivery, delivering, logs, queue, stored
from tests.support.calls import AT
from tests.support.receiver import Receiver, Reply
from tests.support.seeds import add_advertiser, add_affiliate, add_offer, add_postback, add_staff
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.jobs.delivery.deliveries import LEASE_MS
from trackyard.jobs.delivery.outcomes import DEAD_IN_ROW, PAUSED_MS, Attempt, record_attempts
from trackyard.jobs.schedule.schedule import Schedule
from trackyard.outbound.client import Answer
from trackyard.store.engine.database import Database
from trackyard.store.tables import affiliate_postback, delivery, mail
from trackyard.store.tracking import deliveries, postbacks
from trackyard.store.tracking.pauses import resumed

UTC = ZoneInfo("UTC")
DEAD, SENT = Answer(404), Answer(200)


@pytest.fixture
def affiliate(database: Database) -> int:
    with database.write() as conn:
        manager = add_staff(conn, email="manager@example.com", first_name="Mia")
        number = add_affiliate(conn, email="a@example.com", name="Ann", manager_id=manager, postback_secret="s3cret")
        add_postback(conn, number, "https://affiliate.example/", id=1)
        add_postback(conn, number, "https://affiliate.example/", id=2)
        return number


def end(database: Database, affiliate: int, *answers: Answer, postback: int = 1, forced: bool = False) -> None:
    """Makes one call after the other, each with its answer, recorded together."""
    items = [
        a_delivery(affiliate, "http://a.example/", conversion_id=new_id(AT), postback_id=postback, forced=forced)
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
        postbacks.edit_postback(conn, 1, {"paused_at": AT, "dead_in_row": DEAD_IN_ROW})


def resume(database: Database) -> None:
    with database.write() as conn:
        postbacks.edit_postback(conn, 1, resumed())


def unpark(database: Database, clock: ManualClock) -> int:
    return Schedule(database, UTC, clock).unpark()


def mails(database: Database) -> list[Any]:
    with database.read() as conn:
        return list(conn.execute(select(mail).order_by(mail.c.recipient)))


def test_twenty_dead_calls_in_a_row_pause_a_postback_once(database: Database, affiliate: int) -> None:
    end(database, affiliate, *[DEAD] * (DEAD_IN_ROW - 1))
    assert state(database) == (DEAD_IN_ROW - 1, None)
    assert mails(database) == []
    end(database, affiliate, DEAD, DEAD)
    assert state(database) == (DEAD_IN_ROW + 1, AT)
    end(database, affiliate, DEAD)
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
        ([DEAD, Answer(503)], 1),  # it is tried again: not dead yet
        ([DEAD, Answer(0, error="refused")], 1),
    ],
)
def test_a_call_that_is_taken_ends_the_row(
    database: Database, affiliate: int, answers: list[Answer], dead: int
) -> None:
    end(database, affiliate, *[DEAD] * 3)
    end(database, affiliate, *answers)
    expected = dead if SENT in answers else 3 + dead
    assert state(database) == (expected, None)


def test_calls_by_hand_end_a_row_and_lengthen_none(database: Database, affiliate: int) -> None:
    end(database, affiliate, *[DEAD] * (DEAD_IN_ROW - 1))
    end(database, affiliate, DEAD, DEAD, forced=True)
    assert state(database) == (DEAD_IN_ROW - 1, None)
    end(database, affiliate, SENT, forced=True)
    assert state(database) == (0, None)


def test_calls_of_a_paused_postback_wait_until_it_is_resumed(
    database: Database, affiliate: int, receiver: Receiver
) -> None:
    pause(database)
    clock = ManualClock(AT)
    queue(database, *(a_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2, 3)))
    queue(database, a_delivery(affiliate, receiver.url("/other"), 1, postback_id=2))
    with delivering(database, clock):
        wait_until(lambda: len(receiver.requests()) == 1)
        wait_until(lambda: [row.owner for row in stored(database)] == [deliveries.PARKED] * 3)
        assert unpark(database, clock) == 0
        resume(database)
        assert unpark(database, clock) == 3
        wait_until(lambda: not stored(database))
    assert [request.path for request in receiver.requests()] == ["/other", "/1", "/2", "/3"]
    assert [row.outcome for row in logs(database)] == ["sent"] * 4


def test_they_wait_for_seven_days_at_most(database: Database, affiliate: int, receiver: Receiver) -> None:
    pause(database)
    clock = ManualClock(AT)
    queue(database, a_delivery(affiliate, receiver.url()))
    with delivering(database, clock):
        wait_until(lambda: stored(database)[0].owner == deliveries.PARKED)
        assert stored(database)[0].next_at == AT + PAUSED_MS
        clock.advance(PAUSED_MS)
        wait_until(lambda: not stored(database))
    assert receiver.requests() == []
    (row,) = logs(database)
    assert (row.outcome, row.http_code, row.attempt) == ("dropped", 0, 0)
    assert row.error == "the postback was paused for too long"


def test_what_is_sent_by_hand_goes_out_all_the_same(database: Database, affiliate: int, receiver: Receiver) -> None:
    pause(database)
    queue(database, a_delivery(affiliate, receiver.url(), forced=True))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert len(receiver.requests()) == 1
    assert state(database) == (0, AT)  # it was taken; the postback is resumed by a person


def removal(database: Database) -> None:
    with database.write() as conn:
        postbacks.remove_postback(conn, 1)


@pytest.mark.parametrize("before", [lambda _: None, pause], ids=["due", "parked"])
def test_calls_of_a_removed_postback_are_dropped(
    database: Database, affiliate: int, receiver: Receiver, before: Callable[[Database], None]
) -> None:
    before(database)
    clock = ManualClock(AT)
    other = a_delivery(affiliate, receiver.url("/other"), 1, postback_id=2)
    queue(database, *(a_delivery(affiliate, receiver.url(f"/{number}"), number) for number in (1, 2)))
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


def test_calls_of_an_offers_own_url_go_out_while_it_has_one(
    database: Database, affiliate: int, receiver: Receiver
) -> None:
    with database.write() as conn:
        with_url, without = (
            add_offer(conn, add_advertiser(conn), cross_postback_url=url) for url in ("https://x.example/", None)
        )
    for number, offer_id in enumerate((with_url, without), 1):
        fields = {"conversion_id": new_id(AT), "postback_id": deliveries.CROSS, "offer_id": offer_id}
        queue(database, a_delivery(affiliate, receiver.url(f"/{number}"), **fields))
    with delivering(database, ManualClock(AT)):
        wait_until(lambda: not stored(database))
    assert [request.path for request in receiver.requests()] == ["/1"]
    assert sorted(row.outcome for row in logs(database)) == ["dropped", "sent"]


def test_a_call_by_hand_is_made_once_and_spares_the_one_that_waits(database: Database, affiliate: int) -> None:
    def by_hand_alone(_: object) -> Reply:
        return Reply(200 if len(receiver.requests()) == 2 else 503)

    with Receiver(by_hand_alone) as receiver:
        item = a_delivery(affiliate, receiver.url())
        again = a_delivery(affiliate, receiver.url(), forced=True, job_id=item.id)
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


def test_a_call_by_hand_that_fails_is_not_repeated(database: Database, affiliate: int) -> None:
    with Receiver(lambda _: Reply(503)) as receiver:
        queue(database, a_delivery(affiliate, receiver.url(), forced=True))
        with delivering(database, ManualClock(AT)):
            wait_until(lambda: not stored(database))
        assert len(receiver.requests()) == 1
    assert [(row.outcome, row.forced, row.version) for row in logs(database)] == [("dead", 1, 1)]


def test_a_call_by_hand_supersedes_nothing(database: Database, affiliate: int) -> None:
    queue(database, a_delivery(affiliate, "http://a.example/", 1))
    queue(database, a_delivery(affiliate, "http://a.example/", 2, forced=True))
    with database.write() as conn:
        conn.execute(update(delivery).where(delivery.c.number == 1).values(attempts=1))
        assert deliveries.find_superseded(conn, [CONVERSION]) == []
