"""Exchange rates are shipped, refreshed from a feed, and never fatal; those of staff stay."""

import ipaddress
import logging
import threading
from dataclasses import replace
from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.zones import day_start_ms
from trackyard.domain.money.exchange_rates import RateRefreshState
from trackyard.jobs.schedule.exchange_rates import STORED_DAYS, ExchangeRateUpdater, shipped_rates
from trackyard.store.engine.database import Database
from trackyard.store.money import reference_rates
from trackyard.store.money.exchange_rates import add_rate, current_rates, get_rates, remove_rates
from trackyard.store.tables import currency_rate

UTC = ZoneInfo("UTC")
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
WEDNESDAY = day_start_ms(date(2023, 11, 15), UTC) + 12 * 3_600_000
DAY = 86_400_000
TUESDAYS = Decimal("0.9324878777")
"""Euros for a dollar on 14 November 2023: 1 / 1.0724, half to even."""


def make_rate_job(
    database: Database, url: str = "", now: int = WEDNESDAY, clock: ManualClock | None = None
) -> ExchangeRateUpdater:
    return ExchangeRateUpdater(database, "USD", UTC, clock or ManualClock(now), url, LOOPBACK)


def feed(*days: tuple[str, str]) -> bytes:
    """Return days with the dollars of a euro."""
    cubes = "".join(f"<Cube time='{day}'><Cube currency='USD' rate='{rate}'/></Cube>" for day, rate in days)
    return f"<Cube>{cubes}</Cube>".encode()


def euro(database: Database, at: int = WEDNESDAY) -> Decimal | None:
    with database.read() as conn:
        return get_rates(conn, "USD", ["EUR"], at, at).at(at).get("EUR")


def state(database: Database) -> RateRefreshState:
    """Return the state without the time of the last refresh."""
    with database.read() as conn:
        return replace(reference_rates.get_refresh_state(conn), read_at=None)


def count(database: Database) -> int:
    with database.read() as conn:
        return int(conn.execute(select(func.count()).select_from(currency_rate)).scalar_one())


def test_exchange_rates_shipped_with_release_are_stored_once(database: Database) -> None:
    make_rate_job(database).store_shipped_rates()
    with database.read() as conn:
        known = current_rates(conn, WEDNESDAY)
    assert len(known) >= 25 and "USD" not in known
    assert (known["EUR"], state(database)) == (TUESDAYS, RateRefreshState("2023-11-14", ""))
    assert euro(database, WEDNESDAY - STORED_DAYS * DAY + 2 * DAY) is not None
    entered = count(database)
    make_rate_job(database).store_shipped_rates()
    assert count(database) == entered


def test_exchange_rates_are_kept_per_day(database: Database) -> None:
    make_rate_job(database).store_shipped_rates()
    start = day_start_ms(date(2023, 11, 15), UTC)
    assert euro(database, start) == euro(database, start + DAY - 1) == TUESDAYS
    assert euro(database, start - 1) != TUESDAYS
    days = [euro(database, start - back * DAY) for back in range(6)]
    assert len(set(days)) == 4  # Wednesday back to Friday; Sunday and Monday have Saturday's, which is Friday's quote
    assert days[2] == days[3] == days[4]


def test_exchange_rates_of_old_file_provide_last_day(database: Database) -> None:
    newest = max(shipped_rates(date(2026, 1, 1), date(2100, 1, 1)))
    later = day_start_ms(newest, UTC) + 400 * DAY
    make_rate_job(database, now=later).store_shipped_rates()
    assert state(database).day == newest.isoformat()
    assert euro(database, later) is not None


def test_exchange_rates_feed_adds_days(database: Database) -> None:
    body = feed(("2023-11-15", "1.25"), ("2023-11-14", "9"), ("2020-01-02", "3"))
    make_rate_job(database).store_shipped_rates()
    with Receiver(lambda _: Reply(body=body)) as receiver:
        assert make_rate_job(database, receiver.url("/feed.xml")).refresh()
    assert euro(database) == TUESDAYS  # a day that is kept stays as it is
    assert euro(database, WEDNESDAY + DAY) == Decimal("0.8")
    assert state(database) == RateRefreshState("2023-11-15", "")
    with database.read() as conn:
        assert current_rates(conn, day_start_ms(date(2020, 6, 1), UTC)) == {}


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply(status=500), "answered 500"),
        (Reply(body=b"<html>"), "it holds no rates"),
        (Reply(body=b"x" * (1024 * 1024 + 1)), "is larger than 1048576 bytes"),
        (Reply(status=302, headers={"Location": "/else"}), "answered 302"),
    ],
)
def test_exchange_rates_feed_failure_is_reported_and_changes_nothing(
    database: Database, caplog: pytest.LogCaptureFixture, reply: Reply, fault: str
) -> None:
    make_rate_job(database).store_shipped_rates()
    entered = count(database)
    replies = iter([reply, Reply(body=feed(("2023-11-15", "1.25")))])
    with Receiver(lambda _: next(replies)) as receiver, caplog.at_level(logging.INFO):
        job = make_rate_job(database, receiver.url("/feed.xml"))
        assert not job.refresh()
        assert (state(database), count(database)) == (RateRefreshState("2023-11-14", fault), entered)
        assert logged_reasons(caplog) == [fault]
        assert job.refresh()
    assert state(database) == RateRefreshState("2023-11-15", "")


def test_exchange_rates_set_by_staff_are_not_replaced(database: Database) -> None:
    with database.write() as conn:
        add_rate(conn, "GBP", 1, Decimal("0.5"))
    make_rate_job(database).store_shipped_rates()
    with database.write() as conn:
        add_rate(conn, "EUR", WEDNESDAY, Decimal("0.7"))
        remove_rates(conn, "CHF")
    later = WEDNESDAY + 7 * DAY
    make_rate_job(database, now=later).store_shipped_rates()
    with database.read() as conn:
        known = current_rates(conn, later)
    assert (known["GBP"], known["EUR"], "CHF" in known) == (Decimal("0.5"), Decimal("0.7"), False)
    assert state(database).day == "2023-11-21"
    assert euro(database, WEDNESDAY - 1) == TUESDAYS


def test_exchange_rate_set_by_staff_outlives_next_published_day(database: Database) -> None:
    make_rate_job(database, now=WEDNESDAY + DAY).store_shipped_rates()
    with database.write() as conn:
        add_rate(conn, "EUR", WEDNESDAY, Decimal("0.7"))
    assert euro(database, WEDNESDAY + DAY) == Decimal("0.7")


def test_exchange_rates_with_two_workers_are_entered_once(database: Database) -> None:
    faults: list[Exception] = []

    def enter() -> None:
        try:
            make_rate_job(database).store_shipped_rates()
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=enter) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert euro(database) == TUESDAYS


def test_exchange_rates_job_runs_until_stopped(database: Database) -> None:
    stop, clock = threading.Event(), ManualClock(WEDNESDAY)
    asked: list[ReceivedRequest] = []

    def reply(request: ReceivedRequest) -> Reply:
        asked.append(request)
        return Reply(status=503)

    with Receiver(reply) as receiver:
        job = make_rate_job(database, receiver.url("/feed.xml"), clock=clock)
        thread = threading.Thread(target=job.run, args=(stop, 0.01))
        thread.start()
        wait_until(lambda: clock.advance(10) or len(asked) > 2)
        stop.set()
        thread.join()
    assert (euro(database), state(database).fault) == (TUESDAYS, "answered 503")


def logged_reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line.__dict__["reason"] for line in caplog.records if line.message == "exchange rates not refreshed"]


def test_exchange_rates_without_internet_are_logged_once_for_information(
    sqlite_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    replies = iter([Reply(status=500), Reply(status=500), Reply(body=feed(("2023-11-15", "1.25"))), Reply(status=500)])
    with Receiver(lambda _: next(replies)) as receiver:
        job = make_rate_job(sqlite_database, receiver.url("/feed.xml"))
        for _ in range(4):
            job.refresh()
    found = [(line.levelname, line.message) for line in caplog.records if "refreshed" in line.message]
    assert found == [
        ("INFO", "exchange rates not refreshed"),
        ("INFO", "exchange rates refreshed again"),
        ("INFO", "exchange rates not refreshed"),
    ]
    assert "stay in use" in caplog.records[0].__dict__["advice"]


def test_exchange_rates_are_read_at_once_when_staff_ask(database: Database) -> None:
    clock, stop = ManualClock(WEDNESDAY), threading.Event()
    asked: list[ReceivedRequest] = []

    def answer(request: ReceivedRequest) -> Reply:
        asked.append(request)
        return Reply(body=feed(("2023-11-15", "1.25")))

    def read_at() -> int | None:
        with database.read() as conn:
            return reference_rates.get_refresh_state(conn).read_at

    with Receiver(answer) as receiver:
        job = make_rate_job(database, receiver.url("/feed.xml"), clock=clock)
        thread = threading.Thread(target=job.run, args=(stop,))
        thread.start()
        try:
            wait_until(lambda: read_at() == WEDNESDAY, seconds=30)
            clock.advance(60_000)
            with database.write() as conn:
                assert not reference_rates.request_refresh(conn, WEDNESDAY + 59_999, 60_000)
                assert reference_rates.request_refresh(conn, WEDNESDAY + 60_000, 60_000)
            wait_until(lambda: read_at() == WEDNESDAY + 60_000, seconds=30)
        finally:
            stop.set()
            thread.join()
    assert len(asked) == 2
    with database.read() as conn:
        assert not reference_rates.has_request(conn)


def test_exchange_rates_without_a_feed_say_so_when_staff_ask(database: Database) -> None:
    stop = threading.Event()
    with database.write() as conn:
        reference_rates.request_refresh(conn, WEDNESDAY, 60_000)
    thread = threading.Thread(target=make_rate_job(database).run, args=(stop,))
    thread.start()
    try:
        wait_until(lambda: bool(state(database).fault), seconds=30)
    finally:
        stop.set()
        thread.join()
    assert "TRACKYARD_QUOTES_URL is empty" in state(database).fault
