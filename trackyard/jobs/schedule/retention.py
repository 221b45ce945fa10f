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
from trackyard.base.metrics import JOURNALS_PACKED, JOURNALS_REMOVED, JOURNALS_REWRITTEN, ROWS_DROPPED, ROWS_EMPTIED
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.platform.erasures import PERSONAL, Erased, Erasure, Subject
from trackyard.domain.platform.retention import Spans
from trackyard.journal import packing, segments
from trackyard.journal.records import decode_click
from trackyard.store.conversions.decisions import list_sessions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.statistics import checkpoints

log = logging.getLogger("trackyard.retention")

_TICK_SECONDS: Final = 0.5
_SETTLE_MS: Final = 60_000
"""So long after an erasure the analytic store is looked at once more: a call to an affiliate that was under way is
logged by then."""
_LOOK_BACK_MS: Final = 3_600_000
_PAGE: Final = 1_000


@dataclass(slots=True)
class _Duty:
    """One of the things that are done. every_ms: between two looks when there was nothing to do · work: a part of it;
    whether there was something to do."""

    name: str
    every_ms: int
    work: Callable[[], bool]
    due_at: int = 0


class Retention:
    """Keeps `directory`, of journals, and the analytic store. `run` belongs to one thread."""

    def __init__(self, database: Database, analytics: Analytics, directory: Path, clock: Clock, spans: Spans) -> None:
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._spans = spans
        self._erasures = erasures.Known()
        self._emptied: set[tuple[str, str]] = set()
        self._emptied_until = -1
        self._settled_until = clock.now_ms() - _LOOK_BACK_MS
        self._waits_for: tuple[int, int] | None = None
        self._to_rewrite: tuple[int, list[str]] | None = None
        self.duties = (
            _Duty("erasures", 500, self.erase),
            _Duty("settled erasures", 10_000, self.erase_again),
            _Duty("journals", 2_000, self.pack_next),
            _Duty("erased journals", 2_000, self.rewrite_next),
            _Duty("old journals", 60_000, self.remove_journals),
            _Duty("old months", 3_600_000, self.drop_months),
            _Duty("old personal data", 600_000, self.empty_old),
        )

    def run(self, stop: threading.Event) -> None:
        """Works until `stop` is set; what is begun is finished first."""
        while not stop.is_set():
            if not self.step(stop):
                stop.wait(_TICK_SECONDS)

    def step(self, stop: threading.Event | None = None) -> bool:
        """Does every duty that is due once; whether any had something to do."""
        busy = False
        for duty in self.duties:
            if stop is not None and stop.is_set():
                return False
            if self._clock.now_ms() >= duty.due_at:
                busy |= self._do(duty)
        return busy

    def drain(self) -> None:
        """Works until nothing is left that can be done now; for tests. Raises what a duty raises."""
        while sum(duty.work() for duty in self.duties):
            pass

    def _do(self, duty: _Duty) -> bool:
        busy = False
        try:
            busy = duty.work()
        except Exception:
            # Whatever it was (disk full, a store that is gone), nothing is half done, and trying again is safe.
            log.exception("keeping failed", extra={"duty": duty.name})
        duty.due_at = self._clock.now_ms() + (0 if busy else duty.every_ms)
        return busy

    # --- journals -------------------------------------------------------------------------------------------

    def pack_next(self) -> bool:
        """Compresses a finished journal that is loaded; whether there was one."""
        with self._database.read() as conn:
            reached = {each.edge: (each.journal, each.position) for each in checkpoints.each_progress(conn)}
            what = self._erasures.now(conn)
        for edge in segments.list_edges(self._directory):
            for name in segments.list_plain(self._directory, edge):
                if _is_loaded(self._directory, name, reached.get(edge)):
                    packing.pack(self._directory, name, what, self._find_erased(what))
                    JOURNALS_PACKED.inc()
                    log.info("a journal is compressed", extra={"journal": name})
                    return True
        return False

    def rewrite_next(self) -> bool:
        """Rids a compressed journal of what was erased since it was looked at last; whether there was one to look at.

        Only when the stores are rid of it: they tell which clicks are a user's.
        """
        with self._database.read() as conn:
            if erasures.is_any_left(conn):
                return False
            what = self._erasures.now(conn)
        if what.newest <= packing.erased_until(self._directory):
            return False
        if self._to_rewrite is None or self._to_rewrite[0] != what.newest:
            edges = segments.list_edges(self._directory)
            names = [name for edge in edges for name in segments.list_archived(self._directory, edge)]
            self._to_rewrite = (what.newest, names)
        names = self._to_rewrite[1]
        if not names:
            packing.set_erased_until(self._directory, what.newest)
            log.info("journals are rid of what was erased", extra={"erasure": what.newest})
        elif packing.rewrite(self._directory, names[-1], what, self._find_erased(what)):
            JOURNALS_REWRITTEN.inc()
        del names[-1:]
        return True

    def remove_journals(self) -> bool:
        """Removes compressed journals that are older than they are kept, and what was kept aside as damaged when
        personal data goes; False: all at once."""
        now = self._clock.now_ms()
        for edge in segments.list_edges(self._directory):
            for name in segments.list_archived(self._directory, edge):
                seal = segments.find_seal(self._directory, name)
                if seal is not None and seal.sealed_at < now - self._spans.journals * DAY_MS:
                    segments.remove_archived(self._directory, edge, name)
                    JOURNALS_REMOVED.inc()
                    log.info("a journal is removed", extra={"journal": name, "sealed_at": seal.sealed_at})
        for path in (self._directory / "damaged").glob("*"):
            if path.stat().st_mtime_ns // 1_000_000 < self._spans.personal_cut(now):
                path.unlink()
                log.warning("what was kept aside is removed", extra={"kept": path.name})
        return False

    def _find_erased(self, what: Erased) -> packing.FindErased:
        def find(ids: Collection[str]) -> frozenset[str]:
            wanted = sorted(ids)
            gone: set[str] = set()
            for start in range(0, len(wanted), _PAGE):
                for click_id, record in find_records(self._analytics, wanted[start : start + _PAGE]).items():
                    click = decode_click(record)
                    if what.has(click) or not any(getattr(click, name) for name in PERSONAL["click"]):
                        gone.add(click_id)
            return frozenset(gone)

        return find

    # --- the analytic store ---------------------------------------------------------------------------------

    def drop_months(self) -> bool:
        """Removes months that are older than clicks and logs are kept; False: all at once."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not rebuilds.find_gate(conn).stage.ended:
                return False
            clicks = now - self._spans.click_ms(list_sessions(conn))
        cuts = dict.fromkeys(("click", "view", "click_lookup"), clicks)
        cuts |= dict.fromkeys(("server_log", "affiliate_log"), self._spans.log_cut(now))
        for table, cut in cuts.items():
            dropped = analytic.drop_before(self._analytics, table, cut)
            if dropped:
                ROWS_DROPPED.labels(table).inc(dropped)
                log.info("old months are dropped", extra={"table": table, "rows": dropped})
        return False

    def empty_old(self) -> bool:
        """Empties personal data that is older than it is kept, once a day; False: all at once."""
        cut = self._spans.personal_cut(self._clock.now_ms())
        if cut == self._emptied_until:
            return False
        with self._database.read() as conn:
            gate = rebuilds.find_gate(conn)
        if not gate.stage.ended:
            return False
        done = set(self._emptied)
        self._count(analytic.empty_before(self._analytics, cut, done))
        with self._database.read() as conn:
            if rebuilds.find_gate(conn) == gate:  # else the tables may have been swapped under our hands
                self._emptied, self._emptied_until = done, cut
        return False

    def erase(self) -> bool:
        """Rids the analytic store of what SQL is rid of already; whether there was something."""
        with self._database.read() as conn:
            waiting = erasures.list_not_in_analytics(conn, _PAGE)
            gate = rebuilds.find_gate(conn)
            if not self._is_on_its_own(conn, waiting) or not gate.stage.ended:
                return False
        if self._named_more(waiting):
            return True  # they go first through SQL, like any other
        self._count(analytic.empty_erased(self._analytics, Erased.of(waiting)))
        with self._database.write() as conn:
            if rebuilds.find_gate(conn) == gate:
                numbers = [each.number for each in waiting]
                erasures.finish_analytics(conn, numbers, self._clock.now_ms())
                self._waits_for = None
                log.info("erasures are carried out in the analytic store", extra={"erasures": numbers})
        return True

    def erase_again(self) -> bool:
        """Looks once more for what was erased a while ago: rows that were under way to the log; False: all at once."""
        until = self._clock.now_ms() - _SETTLE_MS
        with self._database.read() as conn:
            finished = erasures.list_finished(conn, self._settled_until, until)
            if not rebuilds.find_gate(conn).stage.ended:
                return False
        self._count(analytic.empty_erased(self._analytics, Erased.of(finished)))
        self._settled_until = max(self._settled_until, until)
        return False

    def _is_on_its_own(self, conn: Connection, waiting: Sequence[Erasure]) -> bool:
        """Whether there are erasures, and all rows are loaded that were on their way when SQL was rid of them."""
        if not waiting:
            self._waits_for = None
            return False
        if self._waits_for is None or self._waits_for[0] != waiting[-1].number:
            self._waits_for = (waiting[-1].number, erasures.last_on_the_way(conn))
        return not erasures.is_on_the_way(conn, self._waits_for[1])

    def _named_more(self, waiting: Sequence[Erasure]) -> bool:
        """Remembers the clicks and views of erased user ids as erased; whether any was not."""
        added = 0
        for each in waiting:
            if each.subject is Subject.USER:
                ids = analytic.find_ids(self._analytics, each.value, each.at)
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
    seal = segments.find_seal(directory, name)
    return seal is not None and (name < reached[0] or reached[1] >= seal.end)
