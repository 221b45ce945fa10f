"""Click state that the edges of one machine share: unique visitors and click caps.

See docs/spec/tracking.md#unique-visitors, docs/spec/conversions.md#caps and docs/decisions/0017. The journal decides:
after the death of a process the counts are read from it, and after a power cut the visitors too.
"""

import fcntl
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.decision.click.caps import CappedCount
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import NEW, SEEN, OfferRoute, Reservation
from trackyard.decision.click.state import ReadOnlyClickState, ReservationRequest
from trackyard.edge.state.counts import ClickCounts
from trackyard.edge.state.counts_file import ClickCount, CountsFull
from trackyard.edge.state.growth import VisitorsGrowth
from trackyard.edge.state.read_only import is_new_visitor
from trackyard.edge.state.recovery import VISITORS_FILE, Recovery, synced_path
from trackyard.edge.state.synced import Position, SyncedLog, SyncRecord, find_synced_state, unexpired
from trackyard.edge.state.unique import DEFAULT_SIZE, UniqueVisitors, VisitorClaim

COUNTS_SYNC_S: Final = 2
VISITORS_SYNC_S: Final = 30
"""Longer than for counts: it may write the whole file."""
_CHANGES_SYNC: Final = 2000

_log = logging.getLogger("trackyard.edge")


class StateUnwritable(Exception):
    """A click cannot be counted, so that it cannot be decided; it claimed nothing."""


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Options of the state.

    journals, ruleset: directories that the state is recovered from
    edge: its number
    shared: other edges of the machine run at the same time
    size: bytes for visitors at most, a multiple of 256
    """

    directory: Path
    journals: Path
    ruleset: Path
    edge: int
    shared: bool = False
    size: int = DEFAULT_SIZE


class _ClickClaim:
    """What one click reserved: its visitor, None = no claim, and a place in each of some counts."""

    __slots__ = ("capped_counts", "visitor")

    def __init__(self) -> None:
        self.visitor: VisitorClaim | None = None
        self.capped_counts: tuple[CappedCount, ...] = ()


class EdgeState:
    """The state of one edge, opened when its earlier journals are closed.

    end_position: returns the start of the journal being written (UTC ms) and its end
    read_only: reserves nothing

    Raises OSError.
    """

    def __init__(self, options: StateOptions, end_position: Callable[[], tuple[int, int]], now_s: int) -> None:
        self._where = end_position
        self._now_s = now_s
        options.directory.mkdir(parents=True, exist_ok=True)
        self._users = os.open(options.directory / "users.lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._prepare(options)
            self._open(options)
        except BaseException:
            os.close(self._users)
            raise
        self._unrecorded: list[_ClickClaim] = []
        """Claims of the last batch."""
        self._recorded: list[_ClickClaim] = []
        """Claims of clicks with records that are put, but not in the journal yet."""
        self.read_only = ReadOnlyState(self)
        self._sync_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="state-sync")
        self._running: Future[None] | None = None
        self._syncing: SyncRecord | None = None
        self._due = self._failing = False

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Reserve a batch of clicks; a click that is rejected reserves nothing.

        An unrecorded batch is rolled back first: a step after its reservation failed.

        Raises StateUnwritable, with nothing of the batch reserved.
        """
        self._roll_back_unrecorded()
        try:
            return [self._reserve(each.hit, each.route, each.full_cap) for each in requests]
        except (CountsFull, OSError) as error:
            self._roll_back_unrecorded()
            raise StateUnwritable(f"click counts: {error}") from error

    def set_recorded(self) -> None:
        """Keep the last batch until `commit`: its records are put."""
        self._recorded += self._unrecorded
        self._unrecorded = []

    def commit(self) -> None:
        """Keep every reservation: the records are in the journal."""
        self._roll_back_unrecorded()
        self._recorded = []
        if self._due:
            self._start_sync()

    def roll_back(self) -> None:
        """Undo every reservation: the records could not be written."""
        self._roll_back_unrecorded()
        while self._recorded:
            self._roll_back(self._recorded.pop())

    def _reserve(self, hit: Hit, route: OfferRoute, full_cap: str) -> Reservation:
        claim = _ClickClaim()
        self._unrecorded.append(claim)
        if route.unique_only:
            claim.visitor = self._claim_visitor(hit, route)
            if claim.visitor is None:
                return SEEN
        capped = None if full_cap else route.capped_counts(hit)
        if capped is not None:
            full = self.counts.reserve(route.id, capped.capped_counts, hit.time_ms // 1000)
            if full < 0:
                claim.capped_counts = capped.capped_counts
            else:
                full_cap = capped.caps[full]
        if full_cap:
            self._roll_back(self._unrecorded.pop())
            return Reservation(route.unique_only, full_cap)
        if not route.unique_only:
            claim.visitor = self._claim_visitor(hit, route)
        return SEEN if claim.visitor is None else NEW

    def _claim_visitor(self, hit: Hit, route: OfferRoute) -> VisitorClaim | None:
        cookie, second = route.unique_cookie(hit), hit.time_ms // 1000
        if route.unique_clicks == 1:
            visitor = route.visitor_key(hit)
            return self.visitors.claim(route.id, visitor, cookie, second, hit.click_id, route.unique_hours)
        for key in route.visitor_keys(hit):
            claim = self.visitors.claim(route.id, key, "", second, "", route.unique_hours)
            if claim is not None:
                return claim
        return None

    def _roll_back_unrecorded(self) -> None:
        while self._unrecorded:
            self._roll_back(self._unrecorded.pop())

    def _roll_back(self, claim: _ClickClaim) -> None:
        if claim.visitor is not None:
            self.visitors.roll_back(claim.visitor)
        self.counts.roll_back(claim.capped_counts)

    @property
    def _has_claims(self) -> bool:
        """Whether the state is ahead of the journal."""
        return bool(self._unrecorded or self._recorded)

    def tick(self, now_s: int) -> None:
        """Sync changes to disk when it is time to, in a thread; another lets the file of visitors grow."""
        self._now_s = now_s
        self._growth.tick(now_s)
        if abs(now_s - self._counts_s) >= COUNTS_SYNC_S or self.counts.changes >= _CHANGES_SYNC:
            self._due = True
        if self._due and not self._has_claims:
            self._start_sync()

    def close(self) -> None:
        """Sync and close. With claims left the next start reads the counts from the journal."""
        self._growth.close()
        self._sync_thread.shutdown(wait=True)
        self._finish_sync()
        if not self._has_claims:
            try:
                self._sync(self._unsynced(visitors=True), visitors=True)
            except OSError as error:
                _log.error("state not synced", extra={"error": str(error)})
        for part in (self.visitors, self.counts, self._synced_log):
            part.close()
        os.close(self._users)

    # --- opening ----------------------------------------------------------------------------------------

    def _prepare(self, options: StateOptions) -> None:
        """Recover the state: all of it when no other edge runs, else the counts of this edge."""
        recovery = Recovery(options.directory, options.journals, options.ruleset, options.size, self._now_s)
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another edge runs, or recovers all of the state: then this one waits for it.
            fcntl.flock(self._users, fcntl.LOCK_SH)
            recovery.recover_edge(options.edge)
            return
        recovery.run()
        fcntl.flock(self._users, fcntl.LOCK_SH)

    def _open(self, options: StateOptions) -> None:
        directory, edge, shared = options.directory, options.edge, options.shared
        self.visitors = UniqueVisitors(directory / VISITORS_FILE, size=options.size, shared=shared)
        self._growth = VisitorsGrowth(self.visitors)
        self.counts = ClickCounts(directory, edge, shared=shared)
        at = Position(*self._where())
        known = find_synced_state(synced_path(directory, edge))
        self._visitors_at = at if known is None else known.visitors_at
        self._visitors_s = self._now_s if known is None else known.visitors_s
        first = SyncRecord(at, self._visitors_at, self._visitors_s, unexpired(self.counts.each(), self._now_s))
        self._synced_log = SyncedLog(synced_path(directory, edge), first)
        self._counts_s = self._now_s

    # --- syncing ----------------------------------------------------------------------------------------

    def _start_sync(self) -> None:
        """Sync in the thread, unless it still does. All claims must have their records."""
        if self._running is not None and not self._running.done():
            return
        self._finish_sync()
        self._due = False
        self._counts_s = self._now_s
        visitors = abs(self._now_s - self._visitors_s) >= VISITORS_SYNC_S
        if visitors or self.counts.changes:
            self._syncing = self._unsynced(visitors=visitors)
            self._running = self._sync_thread.submit(self._sync, self._syncing, visitors=visitors)

    def _finish_sync(self) -> None:
        """Take over the result of the last sync."""
        if self._running is None or self._syncing is None:
            return
        fault = self._running.exception()
        if fault is None:
            self._visitors_at, self._visitors_s = self._syncing.visitors_at, self._syncing.visitors_s
        else:
            self.counts.restore_changed(self._syncing.counts)
            if not self._failing:
                _log.error("state not synced", extra={"error": str(fault)})
        self._failing = fault is not None
        self._running = self._syncing = None

    def _unsynced(self, *, visitors: bool) -> SyncRecord:
        """Return the changes up to the present end of the journal."""
        at = Position(*self._where())
        counts: list[ClickCount] = self.counts.take_changed()
        if visitors:
            return SyncRecord(at, at, self._now_s, counts)
        return SyncRecord(at, self._visitors_at, self._visitors_s, counts)

    def _sync(self, synced: SyncRecord, *, visitors: bool) -> None:
        if visitors:
            self.visitors.sync()
        self._synced_log.append(synced, self._now_s)


class ReadOnlyState(ReadOnlyClickState):
    """The state of HEAD requests, bots and offers that are only weighed: it reserves nothing."""

    def __init__(self, state: EdgeState) -> None:
        self._state = state

    def is_new(self, hit: Hit, route: OfferRoute) -> bool:
        return is_new_visitor(self._state.visitors, hit, route)

    def find_full_cap(self, hit: Hit, route: OfferRoute) -> str:
        capped = route.capped_counts(hit)
        full = -1 if capped is None else self._state.counts.find_full(capped.capped_counts)
        return "" if capped is None or full < 0 else capped.caps[full]
