"""Rules on their way from SQL to the edges."""

import threading
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tests.support.seeds import add_advertiser, add_offer
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.domain.tracking.ruleset import Offer
from trackyard.jobs.loading.projector import Projector
from trackyard.jobs.loading.rulesets import RulePublisher
from trackyard.journal.ruleset_log import RuleLogReader, Snapshot
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


def offers_of(reader: RuleLogReader) -> dict[str, Offer | None]:
    """What the reader finds now: offers by key."""
    found: dict[str, Offer | None] = {}
    while (news := reader.poll()) is not None:
        for entry in news.entries if isinstance(news, Snapshot) else news:
            if entry.kind == "offer":
                row = None if entry.payload is None else msgspec.msgpack.decode(entry.payload, type=Offer)
                found[entry.key] = row
    return found


def test_a_new_directory_gets_everything_then_what_changes(database: Database, tmp_path: Path) -> None:
    first = new_offer(database)
    publisher, reader = RulePublisher(database, tmp_path, CLOCK), RuleLogReader(tmp_path)
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


def test_an_installation_without_rules_is_published_once(sqlite_database: Database, tmp_path: Path) -> None:
    publisher, reader = RulePublisher(sqlite_database, tmp_path, CLOCK), RuleLogReader(tmp_path)
    publisher.publish()
    assert not publisher.publish()
    offers_of(reader)
    offer = new_offer(sqlite_database)
    publisher.publish()
    assert set(offers_of(reader)) == {str(offer)}


def test_a_restart_goes_on_where_it_was(sqlite_database: Database, tmp_path: Path) -> None:
    new_offer(sqlite_database)
    reader = RuleLogReader(tmp_path)
    RulePublisher(sqlite_database, tmp_path, CLOCK).publish()
    offers_of(reader)
    offer = new_offer(sqlite_database)
    again = RulePublisher(sqlite_database, tmp_path, CLOCK)
    assert again.publish()
    assert set(offers_of(reader)) == {str(offer)}


def test_another_database_replaces_what_is_published(database: Database, tmp_path: Path) -> None:
    publisher = RulePublisher(database, tmp_path, CLOCK)
    for _ in range(3):
        new_offer(database)
    publisher.publish()
    behind = Database(f"sqlite:///{tmp_path / 'behind.db'}")
    upgrade(behind)
    offer = new_offer(behind)
    RulePublisher(behind, tmp_path, CLOCK).publish()
    assert set(offers_of(RuleLogReader(tmp_path))) == {str(offer)}
    behind.close()


def test_a_change_is_published_by_the_running_projector(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path
) -> None:
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", SystemClock())
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        offer = new_offer(sqlite_database)
        reader = RuleLogReader(tmp_path / "rules")
        wait_until(lambda: str(offer) in offers_of(reader), seconds=5)
    finally:
        stop.set()
        thread.join()


def test_a_load_that_takes_long_holds_up_no_rule(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", SystemClock())
    begun, go_on = threading.Event(), threading.Event()

    def a_long_load() -> bool:
        begun.set()
        return not go_on.wait(30)

    monkeypatch.setattr(projector._steps[0], "work", a_long_load)
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        assert begun.wait(5)
        offer = new_offer(sqlite_database)
        reader = RuleLogReader(tmp_path / "rules")
        wait_until(lambda: str(offer) in offers_of(reader), seconds=5)
    finally:
        go_on.set()
        stop.set()
        thread.join()


def test_edges_are_told_that_they_know_everything(sqlite_database: Database, tmp_path: Path) -> None:
    clock = ManualClock(1_800_000_000_000)
    publisher, reader = RulePublisher(sqlite_database, tmp_path, clock), RuleLogReader(tmp_path)
    assert reader.find_heard_at() is None
    publisher.publish()
    publisher.publish()
    first = reader.find_heard_at()
    assert first == clock.now_ms()
    clock.advance(999)
    publisher.publish()
    assert reader.find_heard_at() == first
    clock.advance(1)
    new_offer(sqlite_database)
    assert publisher.publish()
    assert reader.find_heard_at() == first  # only once there is nothing more
    assert not publisher.publish()
    assert reader.find_heard_at() == clock.now_ms()


def test_without_its_database_a_publisher_says_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    clock = ManualClock(1_800_000_000_000)
    publisher, reader = RulePublisher(sqlite_database, tmp_path, clock), RuleLogReader(tmp_path)
    while publisher.publish():
        pass
    before = reader.find_heard_at()
    with sqlite_database.write() as conn:
        conn.execute(text("DROP TABLE rule_clock"))
    clock.advance(60_000)
    with pytest.raises(OperationalError):
        publisher.publish()
    assert reader.find_heard_at() == before
