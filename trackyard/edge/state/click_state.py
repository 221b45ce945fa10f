"""What the edges of one machine agree on: visitors that were there, and clicks counted against caps
(docs/spec/tracking.md#unique-visitors, docs/spec/conversions.md#caps, docs/decisions/0017). Exact through the death of
a process; after a power cut made good from the
journals.
"""

import fcntl
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.edge.state.caps import places_of
from trackyard.edge.state.claims import FLUSH_AT, Claims
from trackyard.edge.state.counts import ClickCounts
from trackyard.edge.state.counts_file import Counted, CountsFull
from trackyard.edge.state.recovery import VISITORS, Recovery, claims_path, synced_path, undo
from trackyard.edge.state.synced import Position, Synced, SyncedLog, current, find_known
from trackyard.edge.state.unique import DEFAULT_SIZE, UniqueVisitors

COUNTS_SYNC_S: Final = 2
VISITORS_SYNC_S: Final = 30
"""Rarer: it may write the whole file."""
_CHANGES_SYNC: Final = 2000

_log = logging.getLogger("trackyard.edge")


class StateUnwritable(Exception):
    """A click cannot be counted, so it cannot be decided; nothing was claimed for it."""


@dataclass(frozen=True, slots=True)
class StateOptions:
    """directory: of the state · journals, rules: directories that it is made anew from after a power cut · edge: its
    number · shared: whether other edges of the machine run at the same time · size: bytes for visitors, a multiple of
    256."""

    directory: Path
    journals: Path
    rules: Path
    edge: int
    shared: bool = False
    size: int = DEFAULT_SIZE


class EdgeState:
    """The state as one edge has it; to be opened when its earlier journals are sealed, and before it decides.

    `where`: start (UTC ms) and end of the journal being written · `asking` claims for the click that is decided, which
     `kept`, `lost` or `give_back` ends; `looking` only looks. Errors: OSError.
    """

    def __init__(self, options: StateOptions, where: Callable[[], tuple[int, int]], now_s: int) -> None:
        self._where = where
        self._now_s = now_s
        options.directory.mkdir(parents=True, exist_ok=True)
        self._users = os.open(options.directory / "users.lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._prepare(options)
            self._open(options)
        except BaseException:
            os.close(self._users)
            raise
        self.asking = Asking(self)
        self.looking = Looking(self)
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="state-sync")
        self._running: Future[None] | None = None
        self._sent: Synced | None = None
        self._due = self._failing = False

    @property
    def waiting(self) -> bool:
        """Whether so many claims wait for their records that these should be written now."""
        return len(self.claims) >= FLUSH_AT

    def kept(self) -> None:
        """The records of all claims are in the journal."""
        if self.asking.unrecorded:
            self.give_back(self.asking.unrecorded)
        self.claims.clear(*self._where())
        if self._due:
            self._sync_beside()

    def lost(self) -> None:
        """The records of all claims could not be written: none was made."""
        while (claim := self.claims.last()) is not None:
            undo(claim, self.visitors, self.counts)
            self.claims.drop_last()

    def give_back(self, click_id: str) -> None:
        """Undoes the claims of the click decided last: it was refused after all, or has no record."""
        while (claim := self.claims.last()) is not None and claim.click == click_id:
            undo(claim, self.visitors, self.counts)
            self.claims.drop_last()
        self.asking.forget()

    def is_new(self, hit: Hit, *, accepted: bool) -> bool:
        """Whether the visitor of a decided click is new to the offer. Its record is made next: what it claimed stays
        claimed, or was none's when the click is not `accepted`."""
        new = accepted and self.asking.is_new(hit)
        if not accepted and self.asking.unrecorded:
            self.give_back(self.asking.unrecorded)
        self.asking.unrecorded = ""
        return new

    def tick(self, now_s: int) -> None:
        """Makes what changed safe from power cuts when it is time to, beside the loop."""
        self._now_s = now_s
        if abs(now_s - self._counts_s) >= COUNTS_SYNC_S or self.counts.changes >= _CHANGES_SYNC:
            self._due = True
        if self._due and not len(self.claims):
            self._sync_beside()

    def close(self) -> None:
        """Syncs, and gives everything back. Claims whose records are still to be written stay noted."""
        self._beside.shutdown(wait=True)
        self._collect()
        if not len(self.claims):
            try:
                self._sync(self._unsynced(visitors=True), visitors=True)
            except OSError as error:
                _log.error("state not synced", extra={"error": str(error)})
        for part in (self.visitors, self.counts, self.claims, self._synced_log):
            part.close()
        os.close(self._users)

    # --- opening ----------------------------------------------------------------------------------------

    def _prepare(self, options: StateOptions) -> None:
        """Puts the state in order: all of it when no other edge runs, else what this one left."""
        recovery = Recovery(options.directory, options.journals, options.rules, options.size, self._now_s)
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another edge runs, or puts all of it in order: until then it is waited for.
            fcntl.flock(self._users, fcntl.LOCK_SH)
            visitors = UniqueVisitors(options.directory / VISITORS, size=options.size, shared=True)
            try:
                recovery.settle(options.edge, visitors)
            finally:
                visitors.close()
            return
        recovery.run()
        fcntl.flock(self._users, fcntl.LOCK_SH)

    def _open(self, options: StateOptions) -> None:
        directory, edge, shared = options.directory, options.edge, options.shared
        self.claims = Claims(claims_path(directory, edge))
        self.visitors = UniqueVisitors(directory / VISITORS, size=options.size, shared=shared, claims=self.claims)
        self.counts = ClickCounts(directory, edge, shared=shared, claims=self.claims)
        at = Position(*self._where())
        self.claims.clear(*at)
        known = find_known(synced_path(directory, edge))
        self._visitors_at = at if known is None else known.visitors_at
        self._visitors_s = self._now_s if known is None else known.visitors_s
        first = Synced(at, self._visitors_at, self._visitors_s, current(self.counts.each(), self._now_s))
        self._synced_log = SyncedLog(synced_path(directory, edge), first)
        self._counts_s = self._now_s

    # --- syncing ----------------------------------------------------------------------------------------

    def _sync_beside(self) -> None:
        """Syncs in the thread, unless it still does. All claims must have their records."""
        if self._running is not None and not self._running.done():
            return
        self._collect()
        self._due = False
        self._counts_s = self._now_s
        visitors = abs(self._now_s - self._visitors_s) >= VISITORS_SYNC_S
        if visitors or self.counts.changes:
            self._sent = self._unsynced(visitors=visitors)
            self._running = self._beside.submit(self._sync, self._sent, visitors=visitors)

    def _collect(self) -> None:
        """Takes notice of how the last sync ended."""
        if self._running is None or self._sent is None:
            return
        fault = self._running.exception()
        if fault is None:
            self._visitors_at, self._visitors_s = self._sent.visitors_at, self._sent.visitors_s
        else:
            self.counts.set_changed(self._sent.counts)
            if not self._failing:
                _log.error("state not synced", extra={"error": str(fault)})
        self._failing = fault is not None
        self._running = self._sent = None

    def _unsynced(self, *, visitors: bool) -> Synced:
        """What changed, up to where the journal is now."""
        at = Position(*self._where())
        counts: list[Counted] = self.counts.changed()
        if visitors:
            return Synced(at, at, self._now_s, counts)
        return Synced(at, self._visitors_at, self._visitors_s, counts)

    def _sync(self, synced: Synced, *, visitors: bool) -> None:
        if visitors:
            self.visitors.sync()
        self._synced_log.append(synced, self._now_s)


class Asking:
    """decision.click.state.Seen of a click that is being decided: asking claims. The answer about a visitor is kept
    for the hit,
    which may ask again. unrecorded: the id of the click that claims and has no record yet, "" = none does."""

    def __init__(self, state: EdgeState) -> None:
        self.unrecorded = ""
        self._state = state
        self._hit: Hit | None = None
        self._offer = 0
        self._new = False

    def is_new(self, hit: Hit) -> bool:
        """As Seen. One that is new is new no more."""
        way = hit.way
        if way is None:
            return False
        if self._hit is not hit or self._offer != way.id:
            state = self._state
            self._begin(hit, way.id)
            try:
                # A click that is unique gives its id as the cookie, to a visitor that keeps any.
                second, given = hit.time_ms // 1000, hit.click_id if hit.cookie else ""
                self._new = state.visitors.claim(way.id, hit.who(), hit.cookie, second, given)
            except OSError as error:
                state.give_back(hit.click_id)
                raise StateUnwritable(f"claims: {error}") from error
            self._hit = hit
        return self._new

    def full_cap(self, hit: Hit) -> str:
        """As Seen. Errors: StateUnwritable."""
        state = self._state
        way = hit.way
        wanted, caps = places_of(hit)
        if not wanted or way is None:
            return ""
        self._begin(hit, way.id)
        try:
            full = state.counts.take(way.id, wanted, hit.time_ms // 1000)
        except (CountsFull, OSError) as error:
            state.give_back(hit.click_id)
            raise StateUnwritable(f"click counts: {error}") from error
        if full < 0:
            return ""
        # A click that is refused makes no visitor seen.
        state.give_back(hit.click_id)
        return caps[full]

    def forget(self) -> None:
        """The click that was asked for is no more."""
        self._hit = None
        self.unrecorded = ""

    def _begin(self, hit: Hit, offer: int) -> None:
        if self.unrecorded != hit.click_id or self._offer != offer:
            if self.unrecorded:
                # What came between failed, or was for another offer of a SmartLink: that has no record.
                self._state.give_back(self.unrecorded)
            self.unrecorded = hit.click_id
            self._offer = offer
            self._state.claims.begin(hit.click_id)


class Looking:
    """decision.click.state.Seen that claims nothing: of dry runs, HEAD, bots, and offers that are only weighed."""

    def __init__(self, state: EdgeState) -> None:
        self._state = state

    def is_new(self, hit: Hit) -> bool:
        """As Seen."""
        offer = hit.offer
        now_s = hit.time_ms // 1000
        return offer is not None and not self._state.visitors.seen(offer.id, hit.who(), hit.cookie, now_s)

    def full_cap(self, hit: Hit) -> str:
        """As Seen."""
        wanted, caps = places_of(hit)
        full = self._state.counts.peek(wanted)
        return "" if full < 0 else caps[full]
