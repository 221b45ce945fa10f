"""Creatives that are fetched, and bytes that are swept."""

import ipaddress
import logging
import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.support.pictures import archive, gif, png
from tests.support.receiver import Received, Receiver, Reply
from tests.support.seeds import SEEDED_AT, add_advertiser, add_offer
from trackyard.base.clock import ManualClock
from trackyard.domain.offers.offers import Creative, Offer
from trackyard.domain.people.scope import Scope
from trackyard.jobs.schedule import file_fetches
from trackyard.jobs.schedule.file_fetches import LEASE_MS, RETRY_SECONDS, UNNAMED_MS, Fetcher
from trackyard.jobs.schedule.schedule import Schedule
from trackyard.store.engine.database import Database
from trackyard.store.offers import offers
from trackyard.store.platform import files
from trackyard.store.platform.file_storage import DirectoryStore
from trackyard.store.platform.files import FileRow

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


class Yard:
    """An offer with one creative that is to be fetched, and whoever fetches it."""

    def __init__(self, database: Database, directory: Path, url: str) -> None:
        self.database = database
        self.store = DirectoryStore(directory)
        self.directory = directory
        self.clock = ManualClock(SEEDED_AT)
        self.fetcher = Fetcher(database, self.store, self.clock, LOOPBACK)
        with database.write() as conn:
            self.offer_id = add_offer(conn, add_advertiser(conn))
            offer = offers.find_offer(conn, Scope.everything(), self.offer_id)
            assert offer is not None
            kept = Creative(id=1, title="kept", url="https://cdn.example/kept.png")
            wanted = Creative(id=2, title="banner.png", url=url)
            offers.edit_offer(conn, offer, {"creatives": (wanted, kept), "last_number": 2})
            files.add_fetches(conn, self.offer_id, [wanted], SEEDED_AT)

    @property
    def offer(self) -> Offer:
        with self.database.read() as conn:
            found = offers.find_offer(conn, Scope.everything(), self.offer_id)
        assert found is not None
        return found

    def queued(self) -> list[files.Fetch]:
        with self.database.read() as conn:
            return files.list_due_fetches(conn, 10**15, 10)

    def stored(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir()) if self.directory.exists() else []


def serving(body: bytes, status: int = 200) -> Receiver:
    return Receiver(lambda _: Reply(status, body))


def test_a_picture_takes_the_place_of_its_url(database: Database, tmp_path: Path) -> None:
    with serving(png(30, 20)) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/a/banner.png?x=1"))
        assert yard.fetcher.fetch_one() is True
        assert yard.fetcher.fetch_one() is False
    first, second = yard.offer.creatives
    assert (first.id, first.title, first.mime, first.width, first.height) == (2, "banner.png", "image/png", 30, 20)
    assert first.size == len(png(30, 20)) and second.id == 1
    assert yard.stored() == [first.file]
    with database.read() as conn:
        row = files.find_file(conn, first.file or "")
    assert row is not None and (row.name, row.mime) == ("banner.png", "image/png")
    assert yard.queued() == []


def test_an_archive_becomes_its_pictures(database: Database, tmp_path: Path) -> None:
    with serving(archive({"one.png": png(), "two.gif": gif(), "read.me": b""})) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/all.zip"))
        yard.fetcher.fetch_one()
    assert [(item.id, item.title) for item in yard.offer.creatives] == [(2, "one.png"), (3, "two.gif"), (1, "kept")]
    assert yard.offer.last_number == 3
    assert yard.offer.creatives_zip in yard.stored() and len(yard.stored()) == 3


@pytest.mark.parametrize(("body", "status"), [(b"<html>", 200), (png(100_000, 100_000), 200), (b"gone", 404)])
def test_what_is_no_picture_is_dropped_at_once(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture, body: bytes, status: int
) -> None:
    with serving(body, status) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert [item.id for item in yard.offer.creatives] == [1]
    assert (yard.queued(), yard.stored()) == ([], [])
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "a creative is given up"
    ]


def test_what_is_too_large_is_dropped(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_fetches, "MOST_BYTES", 1000)
    with serving(png() + b"\0" * 1000) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert [item.id for item in yard.offer.creatives] == [1]
    assert (yard.queued(), yard.stored()) == ([], [])


def test_a_failing_host_is_asked_again_and_given_up_at_last(database: Database, tmp_path: Path) -> None:
    with serving(b"", 503) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/banner.png"))
        for seconds in RETRY_SECONDS:
            assert yard.fetcher.fetch_one() is True
            assert yard.fetcher.fetch_one() is False
            assert len(yard.offer.creatives) == 2
            yard.clock.advance(seconds * 1000)
        assert yard.fetcher.fetch_one() is True
        assert len(receiver.requests()) == len(RETRY_SECONDS) + 1
    assert [item.id for item in yard.offer.creatives] == [1]
    assert yard.queued() == []


def test_private_addresses_are_not_fetched(database: Database, tmp_path: Path) -> None:
    with serving(png()) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/banner.png"))
        Fetcher(database, yard.store, yard.clock).fetch_one()
        assert receiver.requests() == []
    assert [item.file for item in yard.offer.creatives] == [None, None]


def test_one_fetch_is_made_by_one_worker_until_its_lease_ends(database: Database, tmp_path: Path) -> None:
    yard = Yard(database, tmp_path / "files", "http://127.0.0.1:9/banner.png")
    [item] = yard.queued()
    with database.write() as conn:
        assert files.claim_fetch(conn, item, SEEDED_AT + LEASE_MS)
        assert not files.claim_fetch(conn, item, SEEDED_AT + LEASE_MS)
    assert yard.fetcher.fetch_one() is False
    yard.clock.advance(LEASE_MS)
    assert yard.fetcher.fetch_one() is True
    [again] = yard.queued()
    assert again.attempts == 2


def test_a_creative_that_was_removed_meanwhile_stays_away(database: Database, tmp_path: Path) -> None:
    def remove_and_answer(_: Received) -> Reply:
        with database.write() as conn:
            offer = offers.find_offer(conn, Scope.everything(), yard.offer_id, lock=True)
            assert offer is not None
            offers.edit_offer(conn, offer, {"creatives": ()})
            files.remove_fetches_of(conn, yard.offer_id, [2])
        return Reply(200, png())

    with Receiver(remove_and_answer) as receiver:
        yard = Yard(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert (yard.offer.creatives, yard.queued(), yard.stored()) == ((), [], [])


def test_bytes_that_nothing_names_are_swept_when_they_are_old(database: Database, tmp_path: Path) -> None:
    store, clock = DirectoryStore(tmp_path / "files"), ManualClock(SEEDED_AT)
    named, lost, fresh = store.put([b"n"]), store.put([b"l"]), store.put([b"f"])
    with database.write() as conn:
        files.add_files(conn, [FileRow(named, "n.png", "image/png", 1, SEEDED_AT)])
    for file_id, age_ms in ((named, UNNAMED_MS), (lost, UNNAMED_MS), (fresh, 0)):
        second = (SEEDED_AT - age_ms) / 1000 - 1
        os.utime(tmp_path / "files" / file_id, (second, second))
    Schedule(database, ZoneInfo("UTC"), clock, store).sweep_files()
    assert {path.name for path in (tmp_path / "files").iterdir()} == {named, fresh}
