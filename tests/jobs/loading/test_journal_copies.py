"""Copies of journals in a bucket: a lost machine takes about one second of clicks with it."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.loading.test_projector import ProjectorSetup
from tests.runtime.test_start_checks import config
from tests.support.manual_seconds import ManualSeconds
from tests.support.models.events import NOON, new_click
from tests.support.stores.bucket import bucket  # noqa: F401
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.base.ids import new_id
from trackyard.jobs.loading.journal_copies import JournalCopier, RestoreRefused, restore_journals
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.runtime.monitoring.readiness import core_readiness
from trackyard.store.engine.database import Database
from trackyard.store.platform.file_storage import FilesUnavailable
from trackyard.store.tracking import edges
from trackyard.store.tracking.journal_bucket import JournalBucket

MACHINE = "d" * 24
CLICKS = 500


def run_machine(
    database_url: str, bucket_url: str, home: Path, edge: int, acknowledged: Any, copied: Any, go_on: Any
) -> None:
    """Record clicks as an edge does, and copy them, until the process is killed.

    `copied` is the moment before which each acknowledged click has a copy, as the copier says.
    """
    with Database(database_url) as database:
        copier = JournalCopier(database, JournalBucket(bucket_url), home / "journal", MACHINE)
        writer = JournalWriter(home / "journal", edge, SystemClock())
        threading.Thread(target=copier.run, args=(threading.Event(), 0.2), daemon=True).start()
        for number in range(len(acknowledged)):
            if number >= CLICKS // 2:
                go_on.wait()
            writer.append(RecordKind.CLICK, encode(new_click(number + 1)))
            acknowledged[number] = time.monotonic()
            writer.write_checkpoint_if_due(SystemClock().now_ms())
            now = time.monotonic()
            copied.value = now - copier.lag()
            time.sleep(0.004)  # the rate of the clicks


def acknowledged_before(times: Sequence[float], moment: float) -> set[int]:
    """Return the numbers of the clicks that were acknowledged before a moment."""
    return {number for number, at in enumerate(times, 1) if 0 < at < moment}


def loaded_clicks(analytics: Analytics) -> list[str]:
    return [row[0] for row in analytics.rows("SELECT toString(id) FROM click ORDER BY 1", {}, tuple[str])]


@pytest.mark.chaos
def test_clicks_of_a_lost_machine_are_counted_once_from_the_bucket(
    sqlite_database: Database,
    analytics: Analytics,
    bucket: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    home, later = tmp_path / "lost", tmp_path / "later"
    with sqlite_database.write() as conn:
        edge = edges.claim_edge(conn, MACHINE, 0, NOON)
    context = get_context("spawn")
    acknowledged, copied, go_on = context.Array("d", CLICKS * 100), context.Value("d", 0.0), context.Event()
    arguments = (sqlite_database.url, bucket, home, edge, acknowledged, copied, go_on)
    process = context.Process(target=run_machine, args=arguments, daemon=True)
    process.start()
    wait_until(lambda: acknowledged[CLICKS // 2 - 1] > 0, seconds=60)
    yard = ProjectorSetup.__new__(ProjectorSetup)
    yard.database, yard.analytics, yard.home, yard.clock = sqlite_database, analytics, home, ManualClock(NOON)
    yard.journal_dir = home / "journal"
    yard.start()
    yard.projector.drain()
    before = yard.clicks()
    assert 0 < before <= CLICKS // 2
    go_on.set()
    wait_until(lambda: 0 < acknowledged[CLICKS - 1] < copied.value, seconds=120)
    promised = copied.value
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    shutil.rmtree(home)

    restored = restore_journals(JournalBucket(bucket), MACHINE, later)
    assert len(restored) == 1 and (later / "directory.id").read_text() == MACHINE
    yard.home, yard.journal_dir = later, later / "journal"
    JournalWriter(yard.journal_dir, edge, SystemClock()).close()  # as a start does, which closes what was open
    yard.start()
    yard.projector.drain()
    found = set(loaded_clicks(analytics))
    assert yard.clicks() == len(found) > before
    assert {new_click(number).id for number in acknowledged_before(list(acknowledged), promised)} <= found
    yard.start()
    yard.projector.drain()
    assert yard.clicks() == len(found), "a further start loads nothing again"
    with pytest.raises(RestoreRefused):
        restore_journals(JournalBucket(bucket), MACHINE, later)


def test_journal_copies_go_on_while_sql_is_away(
    sqlite_database: Database,
    bucket: str,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only their removal needs it, which is tried once a minute."""
    tried, machine = [], new_id(NOON)

    def away(_conn: object) -> None:
        tried.append(1)
        raise OSError("the database is away")

    monkeypatch.setattr("trackyard.store.statistics.checkpoints.get_checkpoints", away)
    seconds, copies = ManualSeconds(), JournalBucket(bucket)
    copier = JournalCopier(sqlite_database, copies, tmp_path / "journal", machine, seconds)
    writer = JournalWriter(tmp_path / "journal", 1, ManualClock(NOON))
    with pytest.raises(OSError, match="is away"):
        copier.copy()
    for number in range(1, 4):
        seconds.now += 1
        writer.append(RecordKind.CLICK, encode(new_click(number)))
        assert (copier.copy(), copier.lag(), len(tried)) == (1, 0, 1)
    seconds.now += 60
    with pytest.raises(OSError, match="is away"):
        copier.copy()
    writer.close()


def test_journal_copies_grow_only_and_go_once_loaded(
    sqlite_database: Database,
    analytics: Analytics,
    bucket: str,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = ManualSeconds()
    yard, machine = ProjectorSetup(sqlite_database, analytics, tmp_path), "e" * 24
    copies = JournalBucket(bucket)
    copier = JournalCopier(sqlite_database, copies, yard.journal_dir, machine, seconds)
    yard.record(new_click(1), new_click(2))
    assert (copier.copy(), copier.copy()) == (1, 0)
    yard.writer.write_checkpoint(yard.clock.now_ms())
    assert copier.copy() == 0, "checkpoints alone are not a reason"
    with monkeypatch.context() as patch:
        patch.setattr(JournalBucket, "put", lambda *_: (_ for _ in ()).throw(FilesUnavailable("away")))
        yard.record(new_click(3))
        with pytest.raises(FilesUnavailable):
            copier.copy()
    seconds.now += 11
    report = core_readiness(config(tmp_path), sqlite_database, None, machine, copier)
    assert report.warnings[-1] == "journals have not been copied to the bucket for 11 s" and not report.reasons
    restarted = JournalCopier(sqlite_database, copies, yard.journal_dir, machine, seconds)
    assert restarted.copy() == 1 and restarted.lag() == 0
    first, second = copies.list_parts(machine)
    assert (first.start, first.end) == (0, second.start)
    whole = (yard.journal_dir / f"{first.journal}.log").read_bytes()[: second.end]
    assert copies.read(first) + copies.read(second) == whole
    yard.projector.drain()
    restarted.remove_loaded()
    assert len(copies.list_parts(machine)) == 2, "it is loaded, but not closed"
    yard.writer.close()
    yard.projector.drain()
    restarted.copy()
    restarted.remove_loaded()
    assert copies.list_parts(machine) == []
    assert restarted.copy() == 0
