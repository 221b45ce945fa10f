"""Downloads of creatives, and the removal of orphaned files."""

import ipaddress
import logging
import os
import threading
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.support.pictures import archive, gif, png
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.stores.seeds import SEEDED_AT, add_advertiser, add_offer
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.domain.offers.offers import Creative, Offer
from trackyard.domain.people.scope import Scope
from trackyard.jobs.schedule import file_fetches
from trackyard.jobs.schedule.file_fetches import LEASE_MS, ORPHAN_AGE_MS, RETRY_SECONDS, CreativeFetcher
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.store.engine.database import Database
from trackyard.store.offers import offers
from trackyard.store.platform import files
from trackyard.store.platform.file_storage import DirectoryStore
from trackyard.store.platform.files import FileRow

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


class FetchSetup:
    """An offer with one creative to download, and its fetcher."""

    def __init__(self, database: Database, directory: Path, url: str) -> None:
        self.database = database
        self.store = DirectoryStore(directory)
        self.directory = directory
        self.clock = ManualClock(SEEDED_AT)
        self.fetcher = CreativeFetcher(database, self.store, self.clock, LOOPBACK)
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

    def queued(self) -> list[files.CreativeFetch]:
        with self.database.read() as conn:
            return files.list_due_fetches(conn, 10**15, 10)

    def stored(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir()) if self.directory.exists() else []


def serving(body: bytes, status: int = 200) -> Receiver:
    return Receiver(lambda _: Reply(status, body))


def test_creative_download_replaces_its_url(database: Database, tmp_path: Path) -> None:
    with serving(png(30, 20)) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/a/banner.png?x=1"))
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


def test_creative_download_of_archive_adds_its_pictures(database: Database, tmp_path: Path) -> None:
    with serving(archive({"one.png": png(), "two.gif": gif(), "read.me": b""})) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/all.zip"))
        yard.fetcher.fetch_one()
    assert [(item.id, item.title) for item in yard.offer.creatives] == [(2, "one.png"), (3, "two.gif"), (1, "kept")]
    assert yard.offer.last_number == 3
    assert yard.offer.creatives_zip in yard.stored() and len(yard.stored()) == 3


@pytest.mark.parametrize(("body", "status"), [(b"<html>", 200), (png(100_000, 100_000), 200), (b"gone", 404)])
def test_creative_download_without_picture_is_discarded(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture, body: bytes, status: int
) -> None:
    with serving(body, status) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert [item.id for item in yard.offer.creatives] == [1]
    assert (yard.queued(), yard.stored()) == ([], [])
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == ["creative abandoned"]


def test_creative_download_too_large_is_discarded(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_fetches, "MAX_BYTES", 1000)
    with serving(png() + b"\0" * 1000) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert [item.id for item in yard.offer.creatives] == [1]
    assert (yard.queued(), yard.stored()) == ([], [])


def test_creative_download_from_failing_host_is_retried_then_abandoned(database: Database, tmp_path: Path) -> None:
    with serving(b"", 503) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/banner.png"))
        for seconds in RETRY_SECONDS:
            assert yard.fetcher.fetch_one() is True
            assert yard.fetcher.fetch_one() is False
            assert len(yard.offer.creatives) == 2
            yard.clock.advance(seconds * 1000)
        assert yard.fetcher.fetch_one() is True
        assert len(receiver.requests()) == len(RETRY_SECONDS) + 1
    assert [item.id for item in yard.offer.creatives] == [1]
    assert yard.queued() == []


def test_creative_download_from_private_address_is_rejected(database: Database, tmp_path: Path) -> None:
    with serving(png()) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/banner.png"))
        CreativeFetcher(database, yard.store, yard.clock).fetch_one()
        assert receiver.requests() == []
    assert [item.file for item in yard.offer.creatives] == [None, None]


def test_creative_download_lease_excludes_other_workers(database: Database, tmp_path: Path) -> None:
    yard = FetchSetup(database, tmp_path / "files", "http://127.0.0.1:9/banner.png")
    [item] = yard.queued()
    with database.write() as conn:
        assert files.claim_fetch(conn, item, SEEDED_AT + LEASE_MS)
        assert not files.claim_fetch(conn, item, SEEDED_AT + LEASE_MS)
    assert yard.fetcher.fetch_one() is False
    yard.clock.advance(LEASE_MS)
    assert yard.fetcher.fetch_one() is True
    [again] = yard.queued()
    assert again.attempts == 2


def test_creative_removed_during_download_stays_removed(database: Database, tmp_path: Path) -> None:
    def remove_and_answer(_: ReceivedRequest) -> Reply:
        with database.write() as conn:
            offer = offers.find_offer(conn, Scope.everything(), yard.offer_id, lock=True)
            assert offer is not None
            offers.edit_offer(conn, offer, {"creatives": ()})
            files.remove_fetches_of(conn, yard.offer_id, [2])
        return Reply(200, png())

    with Receiver(remove_and_answer) as receiver:
        yard = FetchSetup(database, tmp_path / "files", receiver.url("/banner.png"))
        yard.fetcher.fetch_one()
    assert (yard.offer.creatives, yard.queued(), yard.stored()) == ((), [], [])


def test_unreferenced_old_files_are_removed(database: Database, tmp_path: Path) -> None:
    store, clock = DirectoryStore(tmp_path / "files"), ManualClock(SEEDED_AT)
    named, lost, fresh = store.put([b"n"]), store.put([b"l"]), store.put([b"f"])
    with database.write() as conn:
        files.add_files(conn, [FileRow(named, "n.png", "image/png", 1, SEEDED_AT)])
    for file_id, age_ms in ((named, ORPHAN_AGE_MS), (lost, ORPHAN_AGE_MS), (fresh, 0)):
        second = (SEEDED_AT - age_ms) / 1000 - 1
        os.utime(tmp_path / "files" / file_id, (second, second))
    JobScheduler(database, ZoneInfo("UTC"), clock, store).sweep_files()
    assert {path.name for path in (tmp_path / "files").iterdir()} == {named, fresh}


def test_creative_of_a_host_that_hangs_holds_no_other_host(database: Database, tmp_path: Path) -> None:
    release, stop = threading.Event(), threading.Event()

    def hang(_request: ReceivedRequest) -> Reply:
        assert release.wait(30)
        return Reply(503)

    with Receiver(hang) as tarpit, serving(png()) as receiver:
        yard = FetchSetup(database, tmp_path / "files", tarpit.url("/1.png"))
        others = [Creative(id=number, title="a", url=tarpit.url(f"/{number}.png")) for number in range(3, 9)]
        # The other host has its own name; both are this machine.
        good = Creative(id=9, title="b", url=receiver.url("/good.png").replace("127.0.0.1", "localhost"))
        with database.write() as conn:
            files.add_fetches(conn, yard.offer_id, [*others, good], SEEDED_AT)
        run = threading.Thread(target=yard.fetcher.run, args=(stop, 0.05))
        run.start()
        try:
            wait_until(lambda: receiver.requests() and tarpit.requests())
            assert len(tarpit.requests()) == 1, "one at a time of one host"
        finally:
            stop.set()
            release.set()
            run.join()
