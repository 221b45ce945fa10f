"""The jobs of the schedule."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import select, update

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.domain.conversions.sessions import DAY_MS, HOUR_MS
from trackyard.domain.statistics.rows import ConversionEvent, ServerPostbackLog
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.schedule.schedule import Job, JobScheduler
from trackyard.store.conversions import inbox
from trackyard.store.engine.audit_actor import SYSTEM_ACTOR
from trackyard.store.engine.database import Database
from trackyard.store.money.ledger import list_balances
from trackyard.store.platform import audit_log
from trackyard.store.tables import conversion, conversion_event, delivery, offer
from trackyard.store.tracking import rulesets

UTC = ZoneInfo("UTC")
log = logging.getLogger(__name__)


def lines(database: Database, target: str) -> list[bytes]:
    return queued_lines(database, target)


@pytest.mark.parametrize(("unit", "unit_ms"), [("days", DAY_MS), ("hours", HOUR_MS)])
def test_hold_ends_at_its_time_with_ledger_and_events(database: Database, unit: str, unit_ms: int) -> None:
    with database.write() as conn:
        advertiser, affiliate = add_advertiser(conn), add_affiliate(conn)
        number = add_offer(conn, advertiser, hold_period=2)
        add_postback(conn, affiliate, "http://127.0.0.1:9/?s={status_name}", status="confirmed")
        click = make_click(number, affiliate, advertiser)
        forever = make_click(number, affiliate, advertiser)
        calls = [make_inbound_postback(clickid=click.id), make_inbound_postback(clickid=forever.id, status="5")]
        inbox.add_entries(
            conn, "001-1", [make_inbox_postback(1, calls[0], click), make_inbox_postback(2, calls[1], forever)]
        )
        conn.execute(update(offer).values(hold_period=2, hold_type=unit))
    clock = ManualClock(AT + 5)
    schedule = JobScheduler(database, UTC, clock)
    PostbackProcessor(database, "USD", UTC, clock).step()
    assert schedule.end_holds() == 0
    clock.advance(2 * unit_ms - 6)
    assert schedule.end_holds() == 0
    clock.advance(1)
    assert schedule.end_holds() == 2
    assert schedule.end_holds() == 0
    with database.read() as conn:
        assert conn.execute(select(conversion.c.status).distinct()).scalars().all() == ["confirmed"]
        (balance,) = list_balances(conn, [affiliate])
        assert (balance.hold, balance.available) == (0, 10)
        urls = conn.execute(select(delivery.c.url)).scalars().all()
        assert urls == ["http://127.0.0.1:9/?s=confirmed"] * 2
        actors = conn.execute(select(conversion_event.c.actor).where(conversion_event.c.version == 2)).scalars()
        assert set(actors) == {"job:hold"}
    facts = [msgspec.json.decode(line, type=ConversionEvent) for line in lines(database, "fact")]
    assert sum(fact.sign for fact in facts if fact.status == 5) == 0
    assert sum(fact.sign for fact in facts if fact.status == 1) == 2


def test_hold_without_period_never_ends_by_itself(database: Database) -> None:
    with database.write() as conn:
        advertiser, affiliate = add_advertiser(conn), add_affiliate(conn)
        click = make_click(add_offer(conn, advertiser), affiliate, advertiser)
        inbox.add_entries(
            conn, "001-1", [make_inbox_postback(1, make_inbound_postback(clickid=click.id, status="5"), click)]
        )
    clock = ManualClock(AT)
    PostbackProcessor(database, "USD", UTC, clock).step()
    clock.advance(1000 * DAY_MS)
    assert JobScheduler(database, UTC, clock).end_holds() == 0


@pytest.mark.parametrize(("stop_at", "stopped"), [(None, False), (AT + 1, False), (AT, True), (AT - 5, True)])
def test_offer_past_its_end_is_stopped_and_published(database: Database, stop_at: int | None, stopped: bool) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn), stop_at=stop_at)
    schedule = JobScheduler(database, UTC, ManualClock(AT))
    assert schedule.stop_offers() == stopped
    assert schedule.stop_offers() == 0
    with database.read() as conn:
        assert conn.execute(select(offer.c.status)).scalar_one() == ("stopped" if stopped else "active")
        changes = rulesets.changes_since(conn, 0, 10)
        records, _ = audit_log.list_records(conn, audit_log.AuditFilter(what="offer"), page=1, limit=9)
    assert [(change.kind, change.key) for change in changes] == ([("offer", str(number))] if stopped else [])
    expected = (SYSTEM_ACTOR, "job:offers", AT, str(number), {"status": ["active", "stopped"]})
    assert [(one.staff_id, one.method, one.at, one.key, one.changes) for one in records] == [expected] * stopped


def test_waiting_postback_is_logged_once(database: Database) -> None:
    waiting = inbox.NewInboxEntry(
        1, make_inbox_postback(1, make_inbound_postback(clickid="6" * 24), None).call, None, "6" * 24, AT, True
    )
    with database.write() as conn:
        inbox.add_entries(conn, "001-1", [waiting])
    clock = ManualClock(AT + 500)  # it may be found any moment
    schedule = JobScheduler(database, UTC, clock)
    assert schedule.log_waiting() == 0
    clock.advance(500)
    assert schedule.log_waiting() == 1
    assert schedule.log_waiting() == 0
    with database.write() as conn:
        inbox.resolve(conn, inbox.list_waiting(conn, 1)[0].id, None)
    PostbackProcessor(database, "USD", UTC, clock).step()
    rows = [msgspec.json.decode(line, type=ServerPostbackLog) for line in lines(database, "server_log")]
    assert [(row.revision, row.response) for row in rows] == [(0, "waiting"), (1, "Broken clickid")]
    assert len({row.id for row in rows}) == 1


def test_schedule_intervals_meet_documented_delays(database: Database) -> None:
    every = {job.name: job.seconds for job in JobScheduler(database, UTC, ManualClock(AT)).jobs}
    assert every["holds"] <= 30, "a hold ends at most 60 s late"
    assert every["waiting"] <= 0.5, "the log shows within 2 s that a postback waits"


def test_schedule_failing_or_endless_job_does_not_block_others(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as conn:
        advertiser, affiliate = add_advertiser(conn), add_affiliate(conn)
        click = make_click(add_offer(conn, advertiser, hold_period=1), affiliate, advertiser)
        inbox.add_entries(conn, "001-1", [make_inbox_postback(1, make_inbound_postback(clickid=click.id), click)])
    clock = ManualClock(AT)
    PostbackProcessor(database, "USD", UTC, clock).step()

    def fail(_: object) -> int:
        raise RuntimeError("the disk is full")

    for name in ("log_waiting", "forget_counters"):
        monkeypatch.setattr(JobScheduler, name, fail)
    began = threading.Event()

    def go_on(_: object) -> int:
        began.set()
        return 1

    for name in ("unpark", "stop_offers"):
        monkeypatch.setattr(JobScheduler, name, go_on)
    monkeypatch.setattr("trackyard.jobs.schedule.schedule._MAX_RUN_SECONDS", 0.05)
    stop = threading.Event()
    schedule = JobScheduler(database, UTC, clock)
    schedule.jobs = tuple(replace(job, seconds=0.1) for job in schedule.jobs)
    thread = threading.Thread(target=schedule.run, args=(stop, 0.01))
    thread.start()

    def is_confirmed() -> bool:
        with database.read() as conn:
            return conn.execute(select(conversion.c.status)).scalar_one() == "confirmed"

    try:
        assert began.wait(10), "holds had their first turn"
        clock.advance(DAY_MS)
        wait_until(is_confirmed)
    finally:
        stop.set()
        thread.join()


def test_schedule_job_of_commits_looks_after_one_and_while_anything_is_left(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackyard.store.engine.watch.MAX_CLOSED_SECONDS", 60)
    schedule, stop = JobScheduler(sqlite_database, UTC, ManualClock(AT)), threading.Event()
    looks, left = 0, True

    def look() -> int:
        nonlocal looks
        looks += 1
        return 0

    beats = 0

    def beat() -> int:
        nonlocal beats
        beats += 1
        return 0

    schedule.jobs = (Job("of commits", 0, look, has_any=lambda _conn: left), Job("beat", 0, beat))
    thread = threading.Thread(target=schedule.run, args=(stop, 0.001), daemon=True)
    monkeypatch.setattr(
        schedule, "_failures", {job.name: JobFailures(log, "schedule", job.name) for job in schedule.jobs}
    )
    thread.start()
    try:
        wait_until(lambda: looks > 3)
        left = False
        wait_until(lambda: is_still(lambda: looks, lambda: beats))
        before = looks
        with sqlite_database.write() as conn:
            rulesets.touch(conn, "offer", 1)
        wait_until(lambda: looks > before)
    finally:
        stop.set()
        thread.join(20)


def is_still(value: Callable[[], int], beats: Callable[[], int]) -> bool:
    """Return whether a value stays while the schedule makes some rounds."""
    before, begun = value(), beats()
    wait_until(lambda: beats() > begun + 5)
    return value() == before
