"""Apply the retention policy and erasures to journals and the analytic store.

See docs/retention.md and docs/decisions/0029. It compresses and removes journals, drops old months, and empties old and
erased personal data. It runs in a thread of the process that holds the analytic store, one a journal directory; the
worker does the same to SQL (jobs/schedule/erasures.py). Every task can be repeated, also by another machine: a
failed one is logged and retried.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance import retention as analytic
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.clock import Clock
from trackyard.base.metrics import (
    JOURNALS_COMPRESSED,
    JOURNALS_REMOVED,
    JOURNALS_REWRITTEN,
    ROWS_DROPPED,
    ROWS_EMPTIED,
)
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.platform.erasures import PERSONAL_COLUMNS, ErasedSubjects, Erasure, ErasureSubject
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.journal import packing, segments
from trackyard.journal.records import decode_click
from trackyard.store.conversions.decisions import get_click_sessions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.engine.watch import ChangeGate, CommitWatcher
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.statistics import checkpoints

log = logging.getLogger("trackyard.retention")

_TICK_SECONDS: Final = 1.0
_SECOND_PASS_MS: Final = 60_000
"""A second pass follows each erasure after this time: requests under way by then are logged."""
_LOOK_BACK_MS: Final = 3_600_000
_PAGE: Final = 1_000


@dataclass(slots=True)
class _RetentionTask:
    """A periodic task.

    every_ms: the time between two calls when there was nothing to do.
    work: does a part; returns whether there was anything to do.
    by_turns: it concerns the analytic store alone, and one machine at a time does it.
    by_commits: its work follows commits of SQL, so it runs after commits and every few seconds.
    done_until: for a task by turns, the time until which no machine has anything to do: UTC milliseconds, at most a day
    from now.
    """

    name: str
    every_ms: int
    work: Callable[[], bool]
    due_at: float = 0.0
    by_turns: bool = False
    by_commits: bool = False
    gate: ChangeGate | None = None
    done_until: Callable[[], int] | None = None
    failures: JobFailures = field(init=False)

    def __post_init__(self) -> None:
        self.failures = JobFailures(log, "retention", self.name)


class RetentionRunner:
    """Apply retention to the journals of `directory` and the analytic store. `run` belongs to one thread."""

    def __init__(
        self, database: Database, analytics: Analytics, directory: Path, clock: Clock, retention_policy: RetentionPolicy
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._retention_policy = retention_policy
        self._turns = JobTurns(database, clock)
        self._known_erasures = erasures.ErasedCache()
        self._emptied: set[tuple[str, str]] = set()
        self._emptied_until = -1
        self._second_pass_until = clock.now_ms() - _LOOK_BACK_MS
        self._waiting_for: tuple[int, int] | None = None
        self._to_rewrite: tuple[int, list[str]] | None = None
        self._cut: set[str] = set()
        self.tasks = (
            _RetentionTask("erasures", 1_000, self.erase, by_commits=True),
            _RetentionTask("settled erasures", 10_000, self.erase_late_rows),
            _RetentionTask("journals", 2_000, self.compress_next, by_commits=True),
            _RetentionTask("erased journals", 2_000, self.rewrite_next, by_commits=True),
            _RetentionTask("old journals", 60_000, self.remove_journals),
            _RetentionTask("old months", 3_600_000, self.drop_months, by_turns=True),
            _RetentionTask(
                "old personal data", 600_000, self.empty_old, by_turns=True, done_until=self._nothing_is_old_until
            ),
        )

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, and finish what is begun."""
        with closing(CommitWatcher(self._database)) as commits:
            for task in self.tasks:
                task.gate = ChangeGate(commits.state) if task.by_commits else None
            while not stop.is_set():
                if not self.step(stop):
                    stop.wait(_TICK_SECONDS)

    def step(self, stop: threading.Event | None = None) -> bool:
        """Run every task that is due once; return whether any had something to do."""
        busy = False
        for task in self.tasks:
            if stop is not None and stop.is_set():
                return False
            if time.monotonic() >= task.due_at and (task.gate is None or task.gate.is_open()):
                busy |= self._run_task(task)
        return busy

    def drain(self) -> None:
        """Work until nothing is left that can be done now; for tests. Raises what a task raises."""
        while sum(task.work() for task in self.tasks):
            pass

    def _run_task(self, task: _RetentionTask) -> bool:
        try:
            longest_ms = task.every_ms if task.done_until is None else DAY_MS
            turn = self._turns.take(task.name, longest_ms) if task.by_turns else None
            if task.by_turns and turn is None:
                task.due_at = time.monotonic() + LOOK_SECONDS
                return False
            try:
                busy = task.work()
            finally:
                if turn is not None:
                    done_until = 0 if task.done_until is None else task.done_until()
                    self._turns.end(turn, max(done_until, self._clock.now_ms() + task.every_ms))
        except Exception as error:
            # Whatever failed (disk full, a lost store), nothing is half done, and a repeat is safe.
            pause_ms = round(task.failures.failed(error) * 1000)
            task.due_at = time.monotonic() + max(task.every_ms, pause_ms) / 1000
            return False
        task.failures.worked()
        if task.gate is not None and not busy:
            task.gate.set_idle()
        task.due_at = time.monotonic() + (0 if busy else task.every_ms) / 1000
        return busy

    # --- journals -------------------------------------------------------------------------------------------

    def compress_next(self) -> bool:
        """Compress a finished journal that is loaded; return whether there was one."""
        with self._database.read() as conn:
            reached = {each.edge: (each.journal, each.position) for each in checkpoints.get_checkpoints(conn)}
            erased = self._known_erasures.now(conn)
        for edge in segments.list_edges(self._directory):
            for name in segments.list_plain(self._directory, edge):
                if segments.is_loaded(self._directory, name, reached.get(edge)) and self._compress(name, erased):
                    return True
        return False

    def _compress(self, name: str, erased: ErasedSubjects) -> bool:
        """Compress a journal; return whether that succeeded. A journal that was cut stays, and is logged once."""
        if name in self._cut:
            return False
        try:
            packing.compress_journal(self._directory, name, erased, self._find_erased(erased))
        except packing.JournalCut as cut:
            self._cut.add(name)
            log.error("journal was cut", extra={"journal": name, "reason": str(cut)})
            return False
        JOURNALS_COMPRESSED.inc()
        log.info("journal compressed", extra={"journal": name})
        return True

    def rewrite_next(self) -> bool:
        """Remove newly erased data from a compressed journal; return whether there was one to read.

        It waits for the stores, which know the clicks of an erased user.
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
            log.info("journals rewritten without erased data", extra={"erasure": erased.newest})
        elif packing.erase_archived(self._directory, names[-1], erased, self._find_erased(erased)):
            JOURNALS_REWRITTEN.inc()
        del names[-1:]
        return True

    def remove_journals(self) -> bool:
        """Remove journals past their retention, and damaged records past the retention of personal data.

        Returns False: all is done at once.
        """
        now = self._clock.now_ms()
        for edge in segments.list_edges(self._directory):
            for name in segments.list_archived(self._directory, edge):
                end_record = segments.find_segment_end(self._directory, name)
                if end_record is not None and end_record.sealed_at < now - self._retention_policy.journals * DAY_MS:
                    segments.remove_archived(self._directory, edge, name)
                    JOURNALS_REMOVED.inc()
                    log.info("journal removed", extra={"journal": name, "sealed_at": end_record.sealed_at})
        for path in (self._directory / "damaged").glob("*"):
            if path.stat().st_mtime_ns // 1_000_000 < self._retention_policy.personal_cutoff_ms(now):
                path.unlink()
                log.warning("quarantined record removed", extra={"kept": path.name})
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
        """Drop months past the retention of clicks and logs. Returns False: all is done at once."""
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
                log.info("old months dropped", extra={"table": table, "rows": dropped})
        return False

    def empty_old(self) -> bool:
        """Empty personal data past its retention, once a day. Returns False: all is done at once."""
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
            if rebuilds.get_rebuild_state(conn) == gate:  # else the tables may have been swapped meanwhile
                self._emptied, self._emptied_until = done, cutoff
        return False

    def _nothing_is_old_until(self) -> int:
        """Return when the next personal data gets too old, if all that is too old now is emptied; else 0."""
        now = self._clock.now_ms()
        is_done = self._emptied_until == self._retention_policy.personal_cutoff_ms(now)
        return (now // DAY_MS + 1) * DAY_MS if is_done else 0

    def erase(self) -> bool:
        """Erase from the analytic store what SQL has erased; return whether there was anything."""
        with self._database.read() as conn:
            waiting = erasures.list_not_in_analytics(conn, _PAGE)
            gate = rebuilds.get_rebuild_state(conn)
            if not self._are_rows_loaded(conn, waiting) or not gate.stage.ended:
                return False
        if self._add_clicks_of_users(waiting):
            return True  # SQL erases them first, like any other
        self._count(analytic.empty_erased(self._analytics, ErasedSubjects.of(waiting)))
        with self._database.write() as conn:
            if rebuilds.get_rebuild_state(conn) == gate:
                numbers = [each.number for each in waiting]
                erasures.finish_analytics(conn, numbers, self._clock.now_ms())
                self._waiting_for = None
                log.info("erasures finished in the analytic store", extra={"erasures": numbers})
        return True

    def erase_late_rows(self) -> bool:
        """Erase log rows that were under way during recent erasures. Returns False: all is done at once."""
        until = self._clock.now_ms() - _SECOND_PASS_MS
        with self._database.read() as conn:
            finished = erasures.list_finished(conn, self._second_pass_until, until)
            if not rebuilds.get_rebuild_state(conn).stage.ended:
                return False
        self._count(analytic.empty_erased(self._analytics, ErasedSubjects.of(finished)))
        self._second_pass_until = max(self._second_pass_until, until)
        return False

    def _are_rows_loaded(self, conn: Connection, waiting: Sequence[Erasure]) -> bool:
        """Return whether there are erasures, and all rows are loaded that SQL had queued by then."""
        if not waiting:
            self._waiting_for = None
            return False
        if self._waiting_for is None or self._waiting_for[0] != waiting[-1].number:
            self._waiting_for = (waiting[-1].number, erasures.last_outbox_id(conn))
        return not erasures.has_outbox_until(conn, self._waiting_for[1])

    def _add_clicks_of_users(self, waiting: Sequence[Erasure]) -> bool:
        """Add the clicks and impressions of erased user ids to the erasures; return whether any was new."""
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
            log.info("personal data emptied", extra={"rows": dict(emptied)})
