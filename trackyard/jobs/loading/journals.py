"""Journals into the analytic store and the inbox, range by range, each once (docs/spec/engine.md#exactly-once)."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import TOGETHER, click_item, load, lookup_item
from trackyard.base.clock import Clock
from trackyard.base.ids import is_hex24
from trackyard.base.metrics import JOURNAL_LAG
from trackyard.domain.conversions.sessions import is_settled
from trackyard.domain.platform.erasures import NOTHING_ERASED
from trackyard.jobs.conversions.click_ids import ClickFinder
from trackyard.jobs.delivery.parallel_tracking import ParallelClicks
from trackyard.jobs.loading.quarantine import keep_aside
from trackyard.journal import segments
from trackyard.journal.erasing import cleaned, find_click
from trackyard.journal.reader import Range, next_range
from trackyard.journal.records import Call, Kind, decode_call, decode_click
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import InboxCall, WaitingCall
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import Gate, GateMoved
from trackyard.store.statistics import checkpoints
from trackyard.store.statistics.checkpoints import Progress
from trackyard.store.tracking import edges

log = logging.getLogger("trackyard.projector")

_WAITING_PAGE = 500
_UNSURE_MS = 86_400_000
"""A load that was cut short is tried again within a day."""
_OLD_MS = 60_000
"""A range that is loaded so long after it was written is of a time when nothing was loaded."""


class JournalLoader:
    """Loads the journals of `directory`. One thread steps it; `lag_ms` may be read from others."""

    def __init__(self, database: Database, analytics: Analytics, directory: Path, clock: Clock) -> None:
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._clicks = ClickFinder(analytics)
        self._parallel = ParallelClicks(database, clock)
        # Edges whose last load ended well in this process; of the others the last load may have been cut short.
        self._sure: set[int] = set()
        self._behind: dict[int, int] = {}
        self._caught_up_at: int | None = None
        self._erasures = erasures.Known()
        self._what = NOTHING_ERASED
        self._of_users: dict[str, str] = {}

    def load_next(self) -> bool:
        """Loads the next range of each edge that has one; whether any had. Nothing while tables are swapped."""
        with self._database.read() as connection:
            gate = rebuilds.find_gate(connection)
            self._what = self._erasures.now(connection)
            known = {each.edge: each for each in checkpoints.each_progress(connection)}
        self._begin([each.loaded_until for each in known.values()])
        loaded = False
        for edge in [] if gate.closed else segments.list_edges(self._directory):
            loaded |= self._load_edge(edge, known.get(edge), gate)
        return loaded

    def lag_ms(self) -> int:
        """Age of the oldest record that could be loaded and is not, of all edges; 0 = everything is loaded."""
        return max((self._clock.now_ms() - since for since in list(self._behind.values())), default=0)

    def resolve_waiting(self) -> bool:
        """Looks again for the clicks that calls wait for; whether any call was made ready."""
        after_id, resolved = 0, False
        while True:
            with self._database.read() as connection:
                waiting = inbox.list_waiting(connection, _WAITING_PAGE, after_id)
                loaded_until = {each.edge: each.loaded_until for each in checkpoints.each_progress(connection)}
                numbers = {each.number for each in edges.each_edge(connection)}
                self._what = self._erasures.now(connection)
            if not waiting:
                return resolved
            self._begin(loaded_until.values())
            resolved |= self._resolve(waiting, numbers, loaded_until)
            after_id = waiting[-1].id

    def _begin(self, loaded_until: Iterable[int]) -> None:
        """Once: who takes over from one that loaded until a moment ago goes on with its waiting, begins none anew."""
        if self._caught_up_at is not None:
            return
        if self._clock.now_ms() - max(loaded_until, default=0) > _OLD_MS:
            self._wait_anew()
        else:
            self._caught_up_at = 0

    def _wait_anew(self) -> None:
        """Nothing was loaded for a time, and no call waited in it. It is stored before anything is loaded, so that a
        kill at any moment changes nothing of how long calls wait."""
        now = self._clock.now_ms()
        with self._database.write() as connection:
            inbox.wait_anew(connection, now)
        self._caught_up_at = now

    def _load_edge(self, edge: int, before: Progress | None, gate: Gate) -> bool:
        found = self._next_range(edge, before)
        if found is None:
            self._behind.pop(edge, None)
            JOURNAL_LAG.labels(str(edge)).set(0)
            return False
        since = self._behind.setdefault(edge, _oldest(found))
        JOURNAL_LAG.labels(str(edge)).set((self._clock.now_ms() - since) / 1000)
        sure = edge in self._sure
        self._sure.discard(edge)
        if self._clock.now_ms() - found.marked_at > _OLD_MS:
            self._wait_anew()
        try:
            self._load_range(edge, found, gate, unsure=not sure)
        except GateMoved:
            return True  # the range is loaded again, for the gate as it is then
        self._sure.add(edge)
        self._behind.pop(edge, None)
        return True

    def _next_range(self, edge: int, before: Progress | None) -> Range | None:
        """What is to be loaded next: a range that was begun, again; else up to the last mark there is."""
        if before is None:
            return next_range(self._directory, edge, None, 0)
        until = before.begun_until
        found = next_range(
            self._directory, edge, before.journal, before.position, records=0 if until else TOGETHER, until=until
        )
        if found is not None and found.marks > 1 and not until:
            with self._database.write() as connection:
                checkpoints.begin_range(connection, edge, found.journal, found.start, found.end)
        return found

    def _load_range(self, edge: int, found: Range, gate: Gate, *, unsure: bool) -> None:
        """Clicks before calls, so that a call finds the clicks of its own range; SQL last, in one transaction."""
        found = self._without_erased(found)
        self._load_clicks(found, gate, unsure=unsure)
        self._load_views(found, gate, unsure=unsure)
        calls = self._inbox_calls(edge, found)
        parallel = self._parallel.find(found)
        with self._database.write() as connection:
            rebuilds.check_gate(connection, gate)
            erasures.check(connection, self._what, self._clock.now_ms() - _UNSURE_MS if unsure else None)
            erasures.add_clicks_of_users(connection, self._of_users)
            checkpoints.load_range(connection, edge, found.journal, found.start, found.end, found.marked_at, calls)
            self._parallel.queue(connection, parallel)

    def _without_erased(self, found: Range) -> Range:
        """What is loaded late does not bring back what was erased. Calls: `_inbox_calls`, with their clicks; those of
        an erased user are known by them alone, so that they are erased themselves."""
        self._of_users = {}
        if not self._what:
            return found
        frames = []
        for position, kind, payload in found.frames:
            kept = payload if kind is Kind.CALL else cleaned(self._what, kind, payload)
            if kept is not payload:
                visit = decode_click(payload)
                if visit.user_id in self._what.users:
                    self._of_users[visit.id] = visit.user_id
            frames.append((position, kind, kept))
        self._what = self._what.with_clicks(self._of_users)
        return replace(found, frames=frames)

    def _load_clicks(self, found: Range, gate: Gate, *, unsure: bool) -> None:
        clicks = self._readable(found, Kind.CLICK)
        token = _token(found)
        items = [click_item(found.journal, position, payload) for position, payload, _ in clicks]
        loaded = load(self._analytics, "click", items, token, unsure=unsure, doubled=gate.doubles)
        for bad in loaded.bad:
            self._keep_aside(found, clicks[bad.place][0], clicks[bad.place][1], bad.error)
        left_out = {bad.place for bad in loaded.bad}
        good = [click for place, click in enumerate(clicks) if place not in left_out]
        lookups = [lookup for _, _, lookup in good]
        load(self._analytics, "click_lookup", lookups, token, unsure=unsure, doubled=gate.doubles)
        self._clicks.remember((lookup[:12].hex(), payload) for _, payload, lookup in good)

    def _load_views(self, found: Range, gate: Gate, *, unsure: bool) -> None:
        views = self._readable(found, Kind.VIEW)
        items = [click_item(found.journal, position, payload) for position, payload, _ in views]
        loaded = load(self._analytics, "view", items, _token(found), unsure=unsure, doubled=gate.doubles)
        for bad in loaded.bad:
            self._keep_aside(found, views[bad.place][0], views[bad.place][1], bad.error)

    def _readable(self, found: Range, wanted: Kind) -> list[tuple[int, bytes, bytes]]:
        """The clicks or views of a range that have an id: (position, payload, line of `click_lookup`)."""
        readable: list[tuple[int, bytes, bytes]] = []
        for position, kind, payload in found.frames:
            if kind is wanted:
                try:
                    readable.append((position, payload, lookup_item(payload)))
                except ValueError as error:
                    self._keep_aside(found, position, payload, str(error))
        return readable

    def _inbox_calls(self, edge: int, found: Range) -> list[InboxCall]:
        calls: list[tuple[int, bytes, Call]] = []
        for position, kind, payload in found.frames:
            if kind is Kind.CALL:
                try:
                    calls.append((position, payload, decode_call(payload)))
                except msgspec.MsgspecError as error:
                    self._keep_aside(found, position, payload, str(error))
        if not calls:
            return []
        with self._database.read() as connection:
            loaded_until = {each.edge: each.loaded_until for each in checkpoints.each_progress(connection)}
            numbers = {each.number for each in edges.each_edge(connection)}
        loaded_until[edge] = found.marked_at
        clicks = self._clicks.find({_click_id(call) for _, _, call in calls})
        now = self._clock.now_ms()
        made = []
        for position, payload, call in calls:
            click_id = _click_id(call)
            click = clicks.get(click_id)
            since = max(call.time, self._caught_up_at or 0)
            waiting = click is None and not is_settled(click_id, call.time, now, numbers, loaded_until, since)
            payload = self._cleaned_call(payload, click)
            click = None if click is None else cleaned(self._what, Kind.CLICK, click)
            made.append(InboxCall(position, payload, click, click_id, since if waiting else call.time, waiting))
        return made

    def _cleaned_call(self, payload: bytes, click: bytes | None) -> bytes:
        if not self._what:
            return payload
        visit = find_click(click)
        named = {} if visit is None else {visit.id: visit}
        return cleaned(self._what, Kind.CALL, payload, named)

    def _resolve(self, waiting: Sequence[WaitingCall], numbers: set[int], loaded_until: dict[int, int]) -> bool:
        clicks = self._clicks.find({call.click_id for call in waiting})
        now = self._clock.now_ms()
        done = [
            call
            for call in waiting
            if call.click_id in clicks or is_settled(call.click_id, call.received_at, now, numbers, loaded_until)
        ]
        if done:
            found = {click_id: cleaned(self._what, Kind.CLICK, click) for click_id, click in clicks.items()}
            with self._database.write() as connection:
                erasures.check(connection, self._what)
                for call in done:
                    inbox.resolve(connection, call.id, found.get(call.click_id))
        return bool(done)

    def _keep_aside(self, found: Range, position: int, payload: bytes, error: str) -> None:
        keep_aside(self._directory, "journal", f"{found.journal}-{position}", payload, error)


def _token(found: Range) -> str:
    """What a load of this range is told by, in any table."""
    return f"{found.journal}:{found.start}-{found.end}"


def _click_id(call: Call) -> str:
    """The id a call names; "" for what is no id (such text may not even fit the column)."""
    click_id = call.params.get("clickid", "")
    return click_id if is_hex24(click_id) else ""


def _oldest(found: Range) -> int:
    """The time of the first record of a range, UTC milliseconds; every payload begins with its time."""
    for _, _, payload in found.frames:
        digits = payload[1 : payload.find(b",")]
        if digits.isdigit():
            return int(digits)
    return found.marked_at
