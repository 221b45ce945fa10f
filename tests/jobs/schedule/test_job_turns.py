"""Scheduled jobs of several machines: once per due time, and taken over after a kill."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from tests.support.clicks.inbound_postbacks import AT, make_inbound_postback
from tests.support.stores.databases import PostgresServer
from tests.support.stores.outbox_lines import queued_lines
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.platform.retention import DEFAULT_RETENTION
from trackyard.jobs.schedule.cap_notices import ClickCapNotifier
from trackyard.jobs.schedule.exchange_rates import ExchangeRateUpdater
from trackyard.jobs.schedule.offer_metrics import OfferMetricsRefresher
from trackyard.jobs.schedule.retention import RetentionRunner
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.jobs.turns import LEASE_MS, JobTurns
from trackyard.journal.records import encode
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.offers import caps

UTC = ZoneInfo("UTC")
NO_ANALYTICS = cast(Analytics, None)
HOUR_MS = 3_600_000


@pytest.fixture
def machines(postgres: PostgresServer) -> Iterator[tuple[Database, Database]]:
    with (
        postgres.empty_database() as name,
        Database(postgres.url(name)) as one,
        Database(postgres.url(name)) as other,
    ):
        yield one, other


def test_job_turn_is_taken_by_one_machine_and_again_after_its_kill(machines: tuple[Database, Database]) -> None:
    clock = ManualClock(AT)
    turns = [JobTurns(database, clock) for database in machines]

    def take(one: JobTurns) -> bool:
        return one.take("rates", HOUR_MS) is not None

    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            assert sorted(pool.map(take, turns)) == [False, True]
            clock.advance(LEASE_MS - 1)
            assert [take(one) for one in turns] == [False, False], "it is still claimed by the one that was killed"
            clock.advance(1)
    turn = turns[1].take("rates", HOUR_MS)
    assert turn is not None
    turns[1].end(turn, clock.now_ms() + HOUR_MS)
    clock.advance(HOUR_MS - 1)
    assert not take(turns[0])
    clock.advance(-3 * HOUR_MS)
    assert take(turns[0]), "a clock that was ahead stops no job"


def test_scheduled_jobs_of_two_machines_run_once_per_due_time(
    machines: tuple[Database, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock(AT)
    ran: list[str] = []

    def counted(name: str, result: object = 0) -> Callable[..., Any]:
        return lambda *_: ran.append(name) or result

    monkeypatch.setattr(OfferMetricsRefresher, "refresh", counted("offer metrics"))
    monkeypatch.setattr(ExchangeRateUpdater, "refresh", counted("rates"))
    monkeypatch.setattr(caps, "offers_with_click_notice", counted("notices", []))
    monkeypatch.setattr(RetentionRunner, "drop_months", counted("months", False))
    monkeypatch.setattr(RetentionRunner, "empty_old", counted("personal data", False))
    for name in ("sweep_files", "forget_sessions", "trim_security_log"):
        monkeypatch.setattr(JobScheduler, name, counted(name))

    def work() -> None:
        """Start both machines, as after a kill, and let each do what is due."""
        for database in machines:
            schedule = JobScheduler(database, UTC, clock)
            for job in schedule.jobs:
                schedule._run_job(job, Event())
            OfferMetricsRefresher(database, NO_ANALYTICS, clock).refresh_when_due()
            ClickCapNotifier(database, NO_ANALYTICS, clock).check_next_offer()
            ExchangeRateUpdater(database, "USD", UTC, clock, "")._refresh_by_turns(3600)
            retention = RetentionRunner(database, NO_ANALYTICS, tmp_path, clock, DEFAULT_RETENTION)
            for task in retention.tasks:
                if task.by_turns:
                    retention._run_task(task)

    expected = ["forget_sessions", "months", "notices", "offer metrics", "personal data", "rates", "sweep_files"]
    work()
    assert sorted(ran) == [*expected, "trim_security_log"]
    ran.clear()
    clock.advance(61_000)
    work()
    assert sorted(ran) == ["notices", "offer metrics"]
    ran.clear()
    clock.advance(HOUR_MS)
    work()
    assert sorted(ran) == [*expected, "trim_security_log"]


def test_old_personal_data_is_emptied_once_a_day_by_one_of_two_machines(
    machines: tuple[Database, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, cutoffs = ManualClock(AT // DAY_MS * DAY_MS + HOUR_MS), list[int]()
    broken = [True]

    def empty(_analytics: object, cutoff: int, _done: object) -> dict[str, int]:
        if broken.pop() if broken else False:
            raise OSError("the store is away")
        cutoffs.append(cutoff)
        return {}

    monkeypatch.setattr("trackyard.analytics.maintenance.retention.empty_before", empty)
    runners = [RetentionRunner(each, NO_ANALYTICS, tmp_path, clock, DEFAULT_RETENTION) for each in machines]

    def run_for(hours: int) -> None:
        for _ in range(hours * 6):
            runners.reverse()
            for runner in runners:
                [task] = [task for task in runner.tasks if task.name == "old personal data"]
                runner._run_task(task)
            clock.advance(HOUR_MS // 6)

    run_for(1)
    assert len(cutoffs) == 1, "a failure is repeated within the hour"
    run_for(21)
    runners.append(RetentionRunner(machines[1], NO_ANALYTICS, tmp_path, clock, DEFAULT_RETENTION))  # after a restart
    run_for(1)
    assert len(cutoffs) == 1
    run_for(24)
    assert [after - before for before, after in pairwise(cutoffs)] == [DAY_MS]


def test_waiting_postback_is_logged_once_by_two_workers(machines: tuple[Database, Database]) -> None:
    one, other = machines
    entry = inbox.NewInboxEntry(1, encode(make_inbound_postback(clickid="6" * 24)), None, "6" * 24, AT, waiting=True)
    with one.write() as conn:
        inbox.add_entries(conn, "001-1", [entry])
    with one.write() as conn:
        assert len(inbox.list_unlogged(conn, 5, AT + 1, lock=True)) == 1
        assert JobScheduler(other, UTC, ManualClock(AT + 5_000)).log_waiting() == 0
    assert JobScheduler(other, UTC, ManualClock(AT + 5_000)).log_waiting() == 1
    assert len(queued_lines(one, "server_log")) == 1
