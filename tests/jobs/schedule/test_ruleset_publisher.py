"""The ruleset on its way from SQL to the edges."""

import threading
from collections import Counter
from functools import partial
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tests.support.stores.seeds import add_advertiser, add_offer
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.jobs.loading.projector import Projector
from trackyard.jobs.loading.rulesets import RulesetPublisher
from trackyard.journal.ruleset_log import RulesetLogReader, RulesetSnapshot
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.store.tracking import rulesets

CLOCK = SystemClock()


def new_offer(database: Database) -> int:
    with database.write() as connection:
        advertiser = add_advertiser(connection)
        rulesets.touch(connection, "advertiser", advertiser)
        offer = add_offer(connection, advertiser)
        rulesets.touch(connection, "offer", offer)
    return offer


def offers_of(reader: RulesetLogReader) -> dict[str, RulesetOffer | None]:
    """Return the offers that the reader finds now, by key."""
    found: dict[str, RulesetOffer | None] = {}
    while (news := reader.poll()) is not None:
        for entry in news.entries if isinstance(news, RulesetSnapshot) else news:
            if entry.kind == "offer":
                row = None if entry.payload is None else msgspec.msgpack.decode(entry.payload, type=RulesetOffer)
                found[entry.key] = row
    return found


def test_ruleset_publisher_writes_everything_then_changes(database: Database, tmp_path: Path) -> None:
    first = new_offer(database)
    publisher, reader = RulesetPublisher(database, tmp_path, CLOCK), RulesetLogReader(tmp_path)
    assert publisher.publish()
    assert set(offers_of(reader)) == {str(first)}
    assert not publisher.publish()
    second = new_offer(database)
    with database.write() as connection:
        rulesets.touch(connection, "offer", 999)
    assert publisher.publish()
    found = offers_of(reader)
    assert found.keys() == {str(second), "999"}
    assert found["999"] is None
    assert publisher.version == reader.version


def test_ruleset_publisher_publishes_empty_ruleset_once(sqlite_database: Database, tmp_path: Path) -> None:
    publisher, reader = RulesetPublisher(sqlite_database, tmp_path, CLOCK), RulesetLogReader(tmp_path)
    publisher.publish()
    assert not publisher.publish()
    offers_of(reader)
    offer = new_offer(sqlite_database)
    publisher.publish()
    assert set(offers_of(reader)) == {str(offer)}


def test_ruleset_publisher_continues_after_restart(sqlite_database: Database, tmp_path: Path) -> None:
    new_offer(sqlite_database)
    reader = RulesetLogReader(tmp_path)
    RulesetPublisher(sqlite_database, tmp_path, CLOCK).publish()
    offers_of(reader)
    offer = new_offer(sqlite_database)
    again = RulesetPublisher(sqlite_database, tmp_path, CLOCK)
    assert again.publish()
    assert set(offers_of(reader)) == {str(offer)}


def test_ruleset_publisher_with_another_database_replaces_everything(database: Database, tmp_path: Path) -> None:
    publisher = RulesetPublisher(database, tmp_path, CLOCK)
    for _ in range(3):
        new_offer(database)
    publisher.publish()
    behind = Database(f"sqlite:///{tmp_path / 'behind.db'}")
    upgrade(behind)
    offer = new_offer(behind)
    RulesetPublisher(behind, tmp_path, CLOCK).publish()
    assert set(offers_of(RulesetLogReader(tmp_path))) == {str(offer)}
    behind.close()


def test_ruleset_change_is_published_by_running_projector(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path
) -> None:
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", SystemClock())
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        offer = new_offer(sqlite_database)
        reader = RulesetLogReader(tmp_path / "rules")
        wait_until(lambda: str(offer) in offers_of(reader), seconds=5)
    finally:
        stop.set()
        thread.join()


def test_projector_without_work_looks_for_it_once_a_second(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", SystemClock())
    looks = Counter[str]()
    for task in (*projector._rules, *projector._tasks):
        monkeypatch.setattr(task, "work", partial(_count_look, looks, task.name))
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        wait_until(lambda: looks["journals"] == 3, seconds=10)
    finally:
        stop.set()
        thread.join()
    assert max(looks[name] for name in ("rules", "waiting", "outbox")) <= 4


def _count_look(looks: Counter[str], name: str) -> bool:
    looks[name] += 1
    return False


def test_ruleset_change_is_published_during_long_load(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", SystemClock())
    begun, go_on = threading.Event(), threading.Event()

    def a_long_load() -> bool:
        begun.set()
        return not go_on.wait(30)

    monkeypatch.setattr(projector._tasks[0], "work", a_long_load)
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        assert begun.wait(5)
        offer = new_offer(sqlite_database)
        reader = RulesetLogReader(tmp_path / "rules")
        wait_until(lambda: str(offer) in offers_of(reader), seconds=5)
    finally:
        go_on.set()
        stop.set()
        thread.join()


def test_ruleset_publisher_reports_time_of_last_check(sqlite_database: Database, tmp_path: Path) -> None:
    clock = ManualClock(1_800_000_000_000)
    publisher, reader = RulesetPublisher(sqlite_database, tmp_path, clock), RulesetLogReader(tmp_path)
    assert reader.find_confirmed_at() is None
    publisher.publish()
    publisher.publish()
    first = reader.find_confirmed_at()
    assert first == clock.now_ms()
    clock.advance(999)
    publisher.publish()
    assert reader.find_confirmed_at() == first
    clock.advance(1)
    new_offer(sqlite_database)
    assert publisher.publish()
    assert reader.find_confirmed_at() == first  # only once there is nothing more
    assert not publisher.publish()
    assert reader.find_confirmed_at() == clock.now_ms()


def test_ruleset_publisher_without_database_reports_no_check(sqlite_database: Database, tmp_path: Path) -> None:
    clock = ManualClock(1_800_000_000_000)
    publisher, reader = RulesetPublisher(sqlite_database, tmp_path, clock), RulesetLogReader(tmp_path)
    while publisher.publish():
        pass
    before = reader.find_confirmed_at()
    with sqlite_database.write() as conn:
        conn.execute(text("DROP TABLE rule_clock"))
    clock.advance(60_000)
    with pytest.raises(OperationalError):
        publisher.publish()
    assert reader.find_confirmed_at() == before
