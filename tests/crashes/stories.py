"""What is done while crash points are reached; after a death a story continues as at a start."""

import asyncio
import errno
import os
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy.exc import OperationalError

from tests.crashes.injection import Injector
from tests.support.api import NOW
from tests.support.installation import SteppedInstallation
from tests.support.models.events import new_click
from tests.support.processes.crashes import SimulatedKill
from trackyard.actions.platform import rebuild
from trackyard.actions.platform.erasures import add_erasure
from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.actions.platform.rebuild_status import RebuildMode
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.base.errors import Conflict
from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.platform.erasures import ErasureSubject
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.jobs.delivery.deliveries import Deliverer
from trackyard.jobs.schedule.erasures import Eraser
from trackyard.jobs.schedule.retention import RetentionRunner
from trackyard.journal import packing, segments
from trackyard.journal.records import Click, RecordKind
from trackyard.journal.writer import JournalFull, JournalUnwritable, JournalWriter
from trackyard.outbound.results import HttpResult
from trackyard.store.backup.target import TargetUnusable
from trackyard.store.conversions import edits, inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures
from trackyard.store.platform.rebuilds import RebuildStage

ERRORS = (OSError, StoreError, JournalUnwritable, OperationalError, TargetUnusable, Conflict)
"""What the parts of the program raise to those who try again."""
OWNER = "d" * 24
_TRIES = 6
_REPORTING = ("figures", "notices", "automation")
USER = "user-to-be-erased"


class CrashStory:
    """An installation and what happens on it. Subclasses name the steps; each can be repeated.

    elsewhere: where the names of points begin that this story reaches and a cheaper one takes.
    """

    elsewhere: tuple[str, ...] = ()

    def __init__(self, database: Database, analytics: Analytics, home: Path) -> None:
        self.plant = SteppedInstallation(database, analytics, home)
        self._leave_out_reports()
        api = self.plant.api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(advertiser=self.advertiser, privacy="public")
        self.affiliate, self.client = api.add_affiliate()
        self.client.post("/3.0/partner/postback", url="https://a.example/?t={transactionid}&s={status}")
        self.acknowledged: list[str] = []
        self.called: list[str] = []
        self.unreadable: set[str] = set()
        self.prepare()

    def prepare(self) -> None:
        """What comes before any fault."""

    def steps(self) -> Sequence[Callable[[], None]]:
        raise NotImplementedError

    def check(self) -> None:
        """What this story promises."""

    def visit(self, **fields: Any) -> None:
        """A click that converts."""
        click = self.plant.click(self.offer, self.affiliate, self.advertiser, **fields)
        self.acknowledged.append(click.id)
        self.plant.call(clickid=click.id)
        self.called.append(click.id)

    def restart(self) -> None:
        """Start again: only files and databases are left."""
        self._abandon()
        self.plant.writer = JournalWriter(self.plant.home / "journal", self.plant.edge, self.plant.clock)
        self.plant.start()
        self._leave_out_reports()

    def _leave_out_reports(self) -> None:
        """Leave out tasks without points that only read the analytic store: they take most of the time."""
        projector = self.plant.projector
        projector._tasks = tuple(task for task in projector._tasks if task.name not in _REPORTING)

    def _abandon(self) -> None:
        """Let go of the edge number as the kernel does at a death: nothing else is closed in order."""
        writer = self.plant.writer
        for descriptor in {writer._lock, writer._descriptor, *(each.descriptor for each in writer._unclosed)}:
            if descriptor >= 0:
                with suppress(OSError):  # closed just before the death
                    os.close(descriptor)

    def run(self, injector: Injector) -> None:
        """All steps with a fault, then what is promised."""
        for step in self.steps():
            for _ in range(_TRIES):
                try:
                    with injector.injected():
                        step()
                    break
                except SimulatedKill:
                    self.restart()
                except ERRORS:
                    continue
            else:
                raise AssertionError(f"{step} still fails")
        self.settle()
        self.check_books()
        self.check()

    def settle(self) -> None:
        for _ in range(2):
            self.plant.settle()

    def check_books(self) -> None:
        """Everything acknowledged is counted once, and the audit is clean."""
        rows = dict(self.plant.analytics.rows("SELECT id, count() FROM click GROUP BY id", {}, tuple[str, int]))
        assert set(self.acknowledged) <= set(rows) and set(rows.values()) <= {1}, rows
        with self.plant.database.read() as conn:
            found = [row[0] for row in conn.exec_driver_sql("SELECT click_id FROM conversion")]
        assert set(self.called) <= set(found) and len(found) == len(set(found))
        audit = reconcile(self.plant.api.deps)
        different = [each for each in audit.differences if each.key not in self.unreadable]
        assert different == [], (different, self.unreadable)

    def close(self) -> None:
        self._abandon()


class TrafficStory(CrashStory):
    """Clicks and postbacks over full segments, until their postbacks reach the affiliate."""

    def prepare(self) -> None:
        self.arrived: list[str] = []

    def steps(self) -> Sequence[Callable[[], None]]:
        return (
            *(self.visit, self.visit_twice, self.end_segment, self.visit_on_full_disk, self.send_strange),
            *(self.work, self.wait_for_click, self.edit, self.deliver, self.close_in_order),
        )

    def visit_twice(self) -> None:
        """Two batches that are loaded as one range."""
        for _ in range(2):
            self.visit()
            self.plant.write_checkpoint()

    def end_segment(self) -> None:
        self.plant.writer._rotate()
        self.plant.writer.sync()

    def visit_on_full_disk(self) -> None:
        """A click of which half is written; it is refused, and the next one is taken."""
        write = os.write

        def half(descriptor: int, content: bytes) -> int:
            if len(content) < 40:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(descriptor, content[:-30])

        os.write = half  # type: ignore[assignment]
        try:
            with suppress(JournalFull):
                self.plant.click(self.offer, self.affiliate, self.advertiser)
        finally:
            os.write = write
        self.visit()

    def send_strange(self) -> None:
        """What no part can read: it is kept apart and holds up nothing."""
        plant, now = self.plant, self.plant.clock.now_ms()
        self.waits_for = self.__dict__.get("waits_for") or new_click_id(now, plant.edge)
        plant.call(clickid=self.waits_for)
        values = {name: getattr(new_click(1), name) for name in Click.__struct_fields__}
        click_id = new_click_id(now, plant.edge)
        unreadable = [*(values | {"time": now, "id": click_id, "offer": "no number"}).values()]
        position = plant.writer.append(RecordKind.CLICK, msgspec.json.encode(unreadable))
        self.unreadable |= {click_id, f"{plant.writer.name}-{position}"}
        with plant.database.write() as conn:
            if not list(conn.exec_driver_sql("SELECT 1 FROM inbox WHERE journal = 'strange'")):
                inbox.add_entries(conn, "strange", [NewInboxEntry(1, b"no postback", None, "", now, False, 0)])
                edits.add_tasks(conn, "edit", "staff:x", [{"no": "edit"}], now)

    def work(self) -> None:
        self.plant.settle()
        self.plant.work()

    def wait_for_click(self) -> None:
        """The click of a postback never comes."""
        self.plant.clock.advance(20_000)
        self.plant.settle()

    def edit(self) -> None:
        with self.plant.database.read() as conn:
            first = conn.exec_driver_sql("SELECT min(id) FROM conversion").scalar_one()
        self.plant.api.admin.post("/3.0/admin/conversion/edit", **{"ids[]": first, "status": "declined"})
        self.plant.work()

    def deliver(self) -> None:
        plant, story = self.plant, self

        class Client:
            async def get(self, url: str, headers: dict[str, str], *, seconds: float) -> HttpResult:
                story.arrived.append(url)
                return HttpResult(200)

        async def rounds() -> None:
            deliverer = Deliverer(plant.database, plant.clock, "w1")
            try:
                deliverer._release()
                for _ in range(6):
                    await deliverer._round(Client())  # type: ignore[arg-type]
                    await asyncio.sleep(0)
            finally:
                deliverer._sql_thread.shutdown()

        asyncio.run(rounds())

    def close_in_order(self) -> None:
        self.plant.writer.close()
        self.restart_writer()

    def restart_writer(self) -> None:
        self.plant.writer = JournalWriter(self.plant.home / "journal", self.plant.edge, self.plant.clock)

    def check(self) -> None:
        self.deliver()
        with self.plant.database.read() as conn:
            ids = {row[0] for row in conn.exec_driver_sql("SELECT id FROM conversion")}
            assert conn.exec_driver_sql("SELECT count(*) FROM delivery").scalar_one() == 0
        assert ids == {url.partition("t=")[2][:24] for url in self.arrived}


class RetentionStory(CrashStory):
    """Journals are compressed, erased data leave them, and old ones go."""

    elsewhere = ("analytics/load.py:", "jobs/loading/", "jobs/conversions/")

    def prepare(self) -> None:
        self.begin_retention()
        self.other, _ = self.plant.api.add_affiliate()
        for number in range(3):
            self.visit(user_id=USER if number else "")
        with self.plant.database.write() as conn:  # an import that cannot be made
            task = {"affiliate_id": self.other, "ip": "203.0.113.9"}
            edits.add_tasks(conn, "import", "staff:x", [task], self.plant.clock.now_ms())
        self.plant.writer._rotate()
        self.settle()
        (self.plant.home / "journal" / "damaged").mkdir()
        (self.plant.home / "journal" / "damaged" / "old").write_text("a record that nothing could read")
        os.utime(self.plant.home / "journal" / "damaged" / "old", (0, 0))

    def steps(self) -> Sequence[Callable[[], None]]:
        return (self.retain, self.erase, self.finish_erasure, self.grow_old)

    def begin_retention(self) -> None:
        deps, self.policy = self.plant.api.deps, RetentionPolicy()
        journals = self.plant.home / "journal"
        self.runner = RetentionRunner(deps.database, deps.analytics, journals, deps.clock, self.policy)

    def restart(self) -> None:
        super().restart()
        self.begin_retention()

    def retain(self) -> None:
        self.runner.drain()

    def erase(self) -> None:
        """Erase a user and an affiliate while a postback waits in the inbox."""
        deps = self.plant.api.deps
        if not self.acknowledged[3:]:
            self.visit(user_id=USER)
        self.plant.write_checkpoint()
        self.plant.projector.drain()
        for subject, value in ((ErasureSubject.USER, USER), (ErasureSubject.AFFILIATE, str(self.other))):
            with deps.database.read() as conn:
                known = conn.exec_driver_sql(f"SELECT count(*) FROM erasure WHERE value = '{value}'").scalar_one()
            if not known:
                add_erasure(deps, StaffCaller("5" * 24, frozenset()), subject, value)

    def finish_erasure(self) -> None:
        deps = self.plant.api.deps
        eraser = Eraser(deps.database, deps.zone, deps.clock, self.policy)
        for _ in range(4):
            while eraser.erase():
                pass
            self.plant.work()
            self.retain()
            if self.is_erased():
                break

    def is_erased(self) -> bool:
        with self.plant.database.read() as conn:
            newest = erasures.get_erased(conn).newest
            return not erasures.has_unfinished(conn) and packing.erased_until(self.runner._directory) == newest

    def grow_old(self) -> None:
        """Journals are removed after 35 days, quarantined records and personal data later, clicks last."""
        deps = self.plant.api.deps
        self.settle()
        self.plant.writer._rotate()
        self.plant.writer.sync()
        for days in (40, 450, 700):
            self.plant.clock.advance(max(0, NOW + days * DAY_MS - self.plant.clock.now_ms()))
            self.plant.settle()
            if days == 700:
                self.acknowledged.clear()
            self.retain()
            eraser = Eraser(deps.database, deps.zone, deps.clock, self.policy)
            while eraser.empty_old():
                pass
            self.finish_erasure()  # the first load after a death begins erasures again

    def check(self) -> None:
        journals, old = self.plant.home / "journal", self.plant.clock.now_ms() - self.policy.journals * DAY_MS
        ends = [segments.find_segment_end(journals, name) for name in segments.list_archived(journals, self.plant.edge)]
        assert not [end for end in ends if end is None or end.sealed_at < old], "old journals are removed"
        with self.plant.database.read() as conn:
            assert erasures.get_erased(conn).newest > 0
        assert self.is_erased()
        assert self.plant.analytics.rows("SELECT count() FROM click_lookup", {}, tuple[int]) == [(0,)]
        with self.plant.database.read() as conn:
            stored = list(conn.exec_driver_sql("SELECT click, user_id FROM conversion"))
            imports = list(conn.exec_driver_sql("SELECT item FROM conversion_task"))
        assert stored and USER not in str(stored)
        assert imports and "203.0.113.9" not in str(imports)


class RebuildStory(CrashStory):
    """The analytic store is filled from journals again while loads go on."""

    def prepare(self) -> None:
        """The journal of the first visits is not kept any more."""
        for _ in range(2):
            self.visit()
        self.plant.writer._rotate()
        self.settle()
        self.plant.clock.advance(40 * DAY_MS)
        deps = self.plant.api.deps
        RetentionRunner(
            deps.database, deps.analytics, self.plant.home / "journal", deps.clock, RetentionPolicy()
        ).drain()
        self.visit()
        self.settle()

    def steps(self) -> Sequence[Callable[[], None]]:
        return (self.rebuild,)

    def rebuild(self) -> None:
        deps = self.plant.api.deps
        done = Rebuilder(deps.database, deps.analytics, self.plant.home / "journal", deps.clock, OWNER, pause=0.0)
        done.recover()

        class InstantThread:
            """A thread that runs at once."""

            def __init__(self, target: Callable[..., None], args: tuple[Any, ...], name: str) -> None:
                self._run = lambda: target(*args)

            def start(self) -> None:
                self._run()

        before = rebuild.threading
        rebuild.threading = types.SimpleNamespace(Thread=InstantThread)  # type: ignore[assignment]
        try:
            status = done.start(RebuildMode.SWAP)
        finally:
            rebuild.threading = before
        if status.stage is not RebuildStage.SWAPPED:
            raise StoreError(status.why)

    def check(self) -> None:
        sql = "SELECT name FROM system.tables WHERE database = currentDatabase()"
        names = {name for (name,) in self.plant.analytics.rows(sql, {}, tuple[str])}
        assert not {name for name in names if name.endswith(("_beside", "_later"))}


STORIES = (TrafficStory, RetentionStory, RebuildStory)
