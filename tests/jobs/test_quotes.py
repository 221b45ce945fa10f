"""Quotes are entered as shipped, refreshed from a feed, and never fatal; what staff say stays theirs."""

import ipaddress
import logging
import threading
from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from tests.support.receiver import Received, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.zones import day_start_ms
from trackyard.jobs.schedule.exchange_rates import KEPT_DAYS, Quoter, shipped
from trackyard.store.engine.database import Database
from trackyard.store.money import reference_rates
from trackyard.store.money.exchange_rates import add_rate, current_rates, find_rates, remove_rates
from trackyard.store.money.reference_rates import QuotesState
from trackyard.store.tables import currency_rate

UTC = ZoneInfo("UTC")
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
WEDNESDAY = day_start_ms(date(2023, 11, 15), UTC) + 12 * 3_600_000
DAY = 86_400_000
TUESDAYS = Decimal("0.9324878777")
"""Euros for a dollar on 14 November 2023: 1 / 1.0724, half to even."""


def quoter(database: Database, url: str = "", now: int = WEDNESDAY) -> Quoter:
    return Quoter(database, "USD", UTC, ManualClock(now), url, LOOPBACK)


def feed(*days: tuple[str, str]) -> bytes:
    """Days with what a euro is in dollars."""
    cubes = "".join(f"<Cube time='{day}'><Cube currency='USD' rate='{rate}'/></Cube>" for day, rate in days)
    return f"<Cube>{cubes}</Cube>".encode()


def euro(database: Database, at: int = WEDNESDAY) -> Decimal | None:
    with database.read() as conn:
        return find_rates(conn, "USD", ["EUR"], at, at).at(at).get("EUR")


def state(database: Database) -> QuotesState:
    with database.read() as conn:
        return reference_rates.find_state(conn)


def count(database: Database) -> int:
    with database.read() as conn:
        return int(conn.execute(select(func.count()).select_from(currency_rate)).scalar_one())


def test_what_is_shipped_is_entered_once(database: Database) -> None:
    quoter(database).enter_shipped()
    with database.read() as conn:
        known = current_rates(conn, WEDNESDAY)
    assert len(known) >= 25 and "USD" not in known
    assert (known["EUR"], state(database)) == (TUESDAYS, QuotesState("2023-11-14", ""))
    assert euro(database, WEDNESDAY - KEPT_DAYS * DAY + 2 * DAY) is not None
    entered = count(database)
    quoter(database).enter_shipped()
    assert count(database) == entered


def test_one_rate_a_day_and_each_days_is_kept(database: Database) -> None:
    quoter(database).enter_shipped()
    start = day_start_ms(date(2023, 11, 15), UTC)
    assert euro(database, start) == euro(database, start + DAY - 1) == TUESDAYS
    assert euro(database, start - 1) != TUESDAYS
    days = [euro(database, start - back * DAY) for back in range(6)]
    assert len(set(days)) == 4  # Wednesday back to Friday; Sunday and Monday have Saturday's, which is Friday's quote
    assert days[2] == days[3] == days[4]


def test_an_old_file_gives_its_last_day(database: Database) -> None:
    newest = max(shipped(date(2026, 1, 1), date(2100, 1, 1)))
    later = day_start_ms(newest, UTC) + 400 * DAY
    quoter(database, now=later).enter_shipped()
    assert state(database).day == newest.isoformat()
    assert euro(database, later) is not None


def test_the_feed_adds_days(database: Database) -> None:
    body = feed(("2023-11-15", "1.25"), ("2023-11-14", "9"), ("2020-01-02", "3"))
    quoter(database).enter_shipped()
    with Receiver(lambda _: Reply(body=body)) as receiver:
        assert quoter(database, receiver.url("/feed.xml")).refresh()
    assert euro(database) == TUESDAYS  # a day that is kept stays as it is
    assert euro(database, WEDNESDAY + DAY) == Decimal("0.8")
    assert state(database) == QuotesState("2023-11-15", "")
    assert euro(database, day_start_ms(date(2020, 6, 1), UTC)) is None


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply(status=500), "answered 500"),
        (Reply(body=b"<html>"), "it holds no rates"),
        (Reply(body=b"x" * (1024 * 1024 + 1)), "is larger than 1048576 bytes"),
        (Reply(status=302, headers={"Location": "/else"}), "answered 302"),
    ],
)
def test_a_failure_is_told_and_changes_nothing(
    database: Database, caplog: pytest.LogCaptureFixture, reply: Reply, fault: str
) -> None:
    quoter(database).enter_shipped()
    entered = count(database)
    replies = iter([reply, Reply(body=feed(("2023-11-15", "1.25")))])
    with Receiver(lambda _: next(replies)) as receiver, caplog.at_level(logging.WARNING):
        job = quoter(database, receiver.url("/feed.xml"))
        assert not job.refresh()
        assert (state(database), count(database)) == (QuotesState("2023-11-14", fault), entered)
        assert [record.__dict__["reason"] for record in caplog.records] == [fault]
        assert job.refresh()
    assert state(database) == QuotesState("2023-11-15", "")


def test_what_staff_say_stays(database: Database) -> None:
    with database.write() as conn:
        add_rate(conn, "GBP", 1, Decimal("0.5"))
    quoter(database).enter_shipped()
    with database.write() as conn:
        add_rate(conn, "EUR", WEDNESDAY, Decimal("0.7"))
        remove_rates(conn, "CHF")
    later = WEDNESDAY + 7 * DAY
    quoter(database, now=later).enter_shipped()
    with database.read() as conn:
        known = current_rates(conn, later)
    assert (known["GBP"], known["EUR"], "CHF" in known) == (Decimal("0.5"), Decimal("0.7"), False)
    assert state(database).day == "2023-11-21"
    assert euro(database, WEDNESDAY - 1) == TUESDAYS


def test_a_rate_of_staff_holds_though_the_next_day_is_quoted(database: Database) -> None:
    quoter(database, now=WEDNESDAY + DAY).enter_shipped()
    with database.write() as conn:
        add_rate(conn, "EUR", WEDNESDAY, Decimal("0.7"))
    assert euro(database, WEDNESDAY + DAY) == Decimal("0.7")


def test_two_workers_at_once_enter_each_rate_once(database: Database) -> None:
    faults: list[Exception] = []

    def enter() -> None:
        try:
            quoter(database).enter_shipped()
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=enter) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert euro(database) == TUESDAYS


def test_it_runs_until_it_is_stopped(database: Database) -> None:
    stop = threading.Event()
    asked: list[Received] = []

    def reply(request: Received) -> Reply:
        asked.append(request)
        return Reply(status=503)

    with Receiver(reply) as receiver:
        job = quoter(database, receiver.url("/feed.xml"))
        thread = threading.Thread(target=job.run, args=(stop, 0.01))
        thread.start()
        wait_until(lambda: len(asked) > 2)
        stop.set()
        thread.join()
    assert (euro(database), state(database).fault) == (TUESDAYS, "answered 503")
