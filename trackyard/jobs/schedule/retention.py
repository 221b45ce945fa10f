"""What is kept no longer goes: journals are compressed and removed, old months and personal data leave the analytic
store, and what was erased is emptied in both (docs/retention.md, docs/decisions/0029).

A thread of the process that holds the analytic store, one a journal directory; SQL is the worker's
(jobs/schedule/erasures.py).
Everything it does can be repeated, by it or by another machine: what fails is logged and tried again.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance import retention as analytic
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.clock import Clock
from trackyard.base.metrics import JOURNALS_COMPRESSED, JOURNALS_REMOVED, JOURNALS_REWRITTEN, ROWS_DROPPED, ROWS_EMPTIED
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.platform.erasures import PERSONAL_COLUMNS, ErasedSubjects, Erasure, ErasureSubject
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.journal import packing, segments
from trackyard.journal.records import decode_click
from trackyard.store.conversions.decisions import get_click_sessions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.statistics import checkpoints

log = logging.getLogger("trackyard.retention")

_TICK_SECONDS: Final = 0.5
_SECOND_PASS_MS: Final = 60_000
"""So long after an erasure the analytic store is looked at once more: a call to an affiliate that was under way is
logged by then."""
_LOOK_BACK_MS: Final = 3_600_000
_PAGE: Final = 1_000


@dataclass(slots=True)
class _RetentionTask:
    """One of the things that are done. every_ms: between two looks when there was nothing to do · work: a part of it;
    whether there was something to do."""

    name: str
    every_ms: int
    work: Callable[[], bool]
    due_at: int = 0


class RetentionRunner:
    """Keeps `directory`, of journals, and the analytic store. `run` belongs to one thread."""

    def __init__(
        self, database: Database, analytics: Analytics, directory: Path, clock: Clock, retention_policy: RetentionPolicy
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._retention_policy = retention_policy
        self._known_erasures = erasures.ErasedCache()
        self._emptied: set[tuple[str, str]] = set()
        self._emptied_until = -1
        self._second_pass_until = clock.now_ms() - _LOOK_BACK_MS
        self._waiting_for: tuple[int, int] | None = None
        self._to_rewrite: tuple[int, list[str]] | None = None
        self.tasks = (
            _RetentionTask("erasures", 500, self.erase),
            _RetentionTask("settled erasures", 10_000, self.erase_late_rows),
            _RetentionTask("journals", 2_000, self.compress_next),
            _RetentionTask("erased journals", 2_000, self.rewrite_next),
            _RetentionTask("old journals", 60_000, self.remove_journals),
            _RetentionTask("old months", 3_600_000, self.drop_months),
            _RetentionTask("old personal data", 600_000, self.empty_old),
        )

    def run(self, stop: threading.Event) -> None:
        """Works until `stop` is set; what is begun is finished first."""
        while not stop.is_set():
            if not self.step(stop):
                stop.wait(_TICK_SECONDS)

    def step(self, stop: threading.Event | None = None) -> bool:
        """Does every duty that is due once; whether any had something to do."""
        busy = False
        for task in self.tasks:
            if stop is not None and stop.is_set():
                return False
            if self._clock.now_ms() >= task.due_at:
                busy |= self._run_task(task)
        return busy

    def drain(self) -> None:
        """Works until nothing is left that can be done now; for tests. Raises what a duty raises."""
        while sum(task.work() for task in self.tasks):
            pass

    def _run_task(self, task: _RetentionTask) -> bool:
        busy = False
        try:
            busy = task.work()
        except Exception:
            # Whatever it was (disk full, a store that is gone), nothing is half done, and trying again is safe.
            log.exception("keeping failed", extra={"duty": task.name})
        task.due_at = self._clock.now_ms() + (0 if busy else task.every_ms)
        return busy

    # --- journals -------------------------------------------------------------------------------------------

    def compress_next(self) -> bool:
        """Compresses a finished journal that is loaded; whether there was one."""
        with self._database.read() as conn:
            reached = {each.edge: (each.journal, each.position) for each in checkpoints.get_checkpoints(conn)}
            erased = self._known_erasures.now(conn)
        for edge in segments.list_edges(self._directory):
            for name in segments.list_plain(self._directory, edge):
                if _is_loaded(self._directory, name, reached.get(edge)):
                    packing.compress_journal(self._directory, name, erased, self._find_erased(erased))
                    JOURNALS_COMPRESSED.inc()
                    log.info("a journal is compressed", extra={"journal": name})
                    return True
        return False

    def rewrite_next(self) -> bool:
        """Rids a compressed journal of what was erased since it was looked at last; whether there was one to look at.

        Only when the stores are rid of it: they tell which clicks are a user's.
        """
        with self._database.read() as conn:
            if erasures.has_unfinished(conn):
                return False
            erased = self._known_erasures.now(conn)
        if erased.newest <= packing.erased_until(self._directory):
            return False
        if self._to_rewrite is None or self._to_rewrite[0] != erased.newest:
            edges = segments.list_edges(self._directory)
            names = [name for edge in edges for name in segments.list_archived(self._directory, edge)]
            self._to_rewrite = (erased.newest, names)
        names = self._to_rewrite[1]
        if not names:
            packing.set_erased_until(self._directory, erased.newest)
            log.info("journals are rid of what was erased", extra={"erasure": erased.newest})
        elif packing.erase_archived(self._directory, names[-1], erased, self._find_erased(erased)):
            JOURNALS_REWRITTEN.inc()
        del names[-1:]
        return True

    def remove_journals(self) -> bool:
        """Removes compressed journals that are older than they are kept, and what was kept aside as damaged when
        personal data goes; False: all at once."""
        now = self._clock.now_ms()
        for edge in segments.list_edges(self._directory):
            for name in segments.list_archived(self._directory, edge):
                end_record = segments.find_segment_end(self._directory, name)
                if end_record is not None and end_record.sealed_at < now - self._retention_policy.journals * DAY_MS:
                    segments.remove_archived(self._directory, edge, name)
                    JOURNALS_REMOVED.inc()
                    log.info("a journal is removed", extra={"journal": name, "sealed_at": end_record.sealed_at})
        for path in (self._directory / "damaged").glob("*"):
            if path.stat().st_mtime_ns // 1_000_000 < self._retention_policy.personal_cutoff_ms(now):
                path.unlink()
                log.warning("what was kept aside is removed", extra={"kept": path.name})
        return False

    def _find_erased(self, erased: ErasedSubjects) -> packing.FindErased:
        def find(ids: Collection[str]) -> frozenset[str]:
            wanted = sorted(ids)
            erased_ids: set[str] = set()
            for start in range(0, len(wanted), _PAGE):
                for click_id, record in find_records(self._analytics, wanted[start : start + _PAGE]).items():
                    click = decode_click(record)
                    if erased.has(click) or not any(getattr(click, name) for name in PERSONAL_COLUMNS["click"]):
                        erased_ids.add(click_id)
            return frozenset(erased_ids)

        return find

    # --- the analytic store ---------------------------------------------------------------------------------

    def drop_months(self) -> bool:
        """Removes months that are older than clicks and logs are kept; False: all at once."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not rebuilds.get_rebuild_state(conn).stage.ended:
                return False
            clicks = now - self._retention_policy.click_period_ms(get_click_sessions(conn))
        cutoffs = dict.fromkeys(("click", "view", "click_lookup"), clicks)
        cutoffs |= dict.fromkeys(("server_log", "affiliate_log"), self._retention_policy.log_cutoff_ms(now))
        for table, cutoff in cutoffs.items():
            dropped = analytic.drop_before(self._analytics, table, cutoff)
            if dropped:
                ROWS_DROPPED.labels(table).inc(dropped)
                log.info("old months are dropped", extra={"table": table, "rows": dropped})
        return False

    def empty_old(self) -> bool:
        """Empties personal data that is older than it is kept, once a day; False: all at once."""
        cutoff = self._retention_policy.personal_cutoff_ms(self._clock.now_ms())
        if cutoff == self._emptied_until:
            return False
        with self._database.read() as conn:
            gate = rebuilds.get_rebuild_state(conn)
        if not gate.stage.ended:
            return False
        done = set(self._emptied)
        self._count(analytic.empty_before(self._analytics, cutoff, done))
        with self._database.read() as conn:
            if rebuilds.get_rebuild_state(conn) == gate:  # else the tables may have been swapped under our hands
                self._emptied, self._emptied_until = done, cutoff
        return False

    def erase(self) -> bool:
        """Rids the analytic store of what SQL is rid of already; whether there was something."""
        with self._database.read() as conn:
            waiting = erasures.list_not_in_analytics(conn, _PAGE)
            gate = rebuilds.get_rebuild_state(conn)
            if not self._are_rows_loaded(conn, waiting) or not gate.stage.ended:
                return False
        if self._add_clicks_of_users(waiting):
            return True  # they go first through SQL, like any other
        self._count(analytic.empty_erased(self._analytics, ErasedSubjects.of(waiting)))
        with self._database.write() as conn:
            if rebuilds.get_rebuild_state(conn) == gate:
                numbers = [each.number for each in waiting]
                erasures.finish_analytics(conn, numbers, self._clock.now_ms())
                self._waiting_for = None
                log.info("erasures are carried out in the analytic store", extra={"erasures": numbers})
        return True

    def erase_late_rows(self) -> bool:
        """Looks once more for what was erased a while ago: rows that were under way to the log; False: all at once."""
        until = self._clock.now_ms() - _SECOND_PASS_MS
        with self._database.read() as conn:
            finished = erasures.list_finished(conn, self._second_pass_until, until)
            if not rebuilds.get_rebuild_state(conn).stage.ended:
                return False
        self._count(analytic.empty_erased(self._analytics, ErasedSubjects.of(finished)))
        self._second_pass_until = max(self._second_pass_until, until)
        return False

    def _are_rows_loaded(self, conn: Connection, waiting: Sequence[Erasure]) -> bool:
        """Whether there are erasures, and all rows are loaded that were on their way when SQL was rid of them."""
        if not waiting:
            self._waiting_for = None
            return False
        if self._waiting_for is None or self._waiting_for[0] != waiting[-1].number:
            self._waiting_for = (waiting[-1].number, erasures.last_outbox_id(conn))
        return not erasures.has_outbox_until(conn, self._waiting_for[1])

    def _add_clicks_of_users(self, waiting: Sequence[Erasure]) -> bool:
        """Remembers the clicks and views of erased user ids as erased; whether any was not."""
        added = 0
        for each in waiting:
            if each.subject is ErasureSubject.USER:
                ids = analytic.find_ids_of_user(self._analytics, each.value, each.at)
                for start in range(0, len(ids), _PAGE):
                    with self._database.write() as conn:
                        added += erasures.add_clicks(conn, ids[start : start + _PAGE], each)
        return added > 0

    def _count(self, emptied: Mapping[str, int]) -> None:
        for table, rows in emptied.items():
            ROWS_EMPTIED.labels(table).inc(rows)
        if emptied:
            log.info("personal data is emptied", extra={"rows": dict(emptied)})


def _is_loaded(directory: Path, name: str, reached: tuple[str, int] | None) -> bool:
    """Whether a journal is finished and everything in it loaded; reached: (journal, position) of its edge."""
    if reached is None or name > reached[0]:
        return False
    end_record = segments.find_segment_end(directory, name)
    return end_record is not None and (name < reached[0] or reached[1] >= end_record.end)
