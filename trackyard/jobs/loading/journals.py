"""Load journals into the analytic store and the inbox (docs/spec/engine.md#exactly-once)."""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import CATCH_UP_BATCH, LoadResult, Turn, click_item, load, lookup_item
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.clock import Clock
from trackyard.base.metrics import JOURNAL_LAG
from trackyard.domain.platform.erasures import NOTHING_ERASED
from trackyard.jobs.conversions.postback_log import parse_record
from trackyard.jobs.delivery.parallel_tracking import ParallelTrackingQueuer
from trackyard.jobs.loading.click_waits import ClickWaits, LoadedJournals
from trackyard.jobs.loading.quarantine import quarantine
from trackyard.journal import segments
from trackyard.journal.erasing import erase_record, find_click
from trackyard.journal.reader import OffsetRange, next_range
from trackyard.journal.records import RecordKind, decode_click, decode_postback
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import NewInboxEntry, WaitingPostback
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import RebuildState, RebuildStateChanged
from trackyard.store.statistics import checkpoints
from trackyard.store.statistics.checkpoints import EdgeCheckpoint
from trackyard.store.tracking import edges

log = logging.getLogger("trackyard.projector")

_WAITING_PAGE: Final = 500
_UNCLEAN_LOAD_MS: Final = 86_400_000
"""An interrupted load is repeated within this time."""
_STALE_RANGE_MS: Final = 60_000
"""A range that is loaded this long after it was written belongs to a time when nothing was loaded."""
_TABLES: Final = {RecordKind.CLICK: "click", RecordKind.IMPRESSION: "view"}

_Record = tuple[int, bytes, bytes]
"""A click or impression: its position, its payload, its row of `click_lookup`."""
_LoadRows = Callable[[str, Sequence[bytes]], LoadResult]
"""Loads rows of one range into a table."""


class ClickFinder:
    """Find clicks by id: recently loaded ones in memory, others in the analytic store.

    docs/spec/conversions.md#the-click-of-a-postback
    """

    def __init__(self, analytics: Analytics, capacity: int = 20_000) -> None:
        self._analytics = analytics
        self._capacity = capacity
        self._newer: dict[str, bytes] = {}
        self._older: dict[str, bytes] = {}

    def remember(self, clicks: Iterable[tuple[str, bytes]]) -> None:
        """Keep clicks that were just loaded, as (id, payload)."""
        for click_id, payload in clicks:
            if len(self._newer) >= self._capacity:
                self._older, self._newer = self._newer, {}
            self._newer[click_id] = payload

    def find(self, click_ids: Iterable[str]) -> dict[str, bytes]:
        """Return the payloads of the clicks that are loaded, by id; others are absent."""
        found: dict[str, bytes] = {}
        missing: list[str] = []
        for click_id in click_ids:
            payload = self._newer.get(click_id) or self._older.get(click_id)
            if payload is None:
                missing.append(click_id)
            else:
                found[click_id] = payload
        return found | find_records(self._analytics, missing)


class JournalLoader:
    """Load the journals of `directory`. One thread steps it; others may read `lag_ms`.

    directory_id: only edges that are leased to this data directory are loaded; None = every edge that wrote there.
    turn: a context for each piece of a backlog (jobs/loading/pace.py).
    """

    def __init__(
        self,
        database: Database,
        analytics: Analytics,
        directory: Path,
        clock: Clock,
        directory_id: str | None = None,
        turn: Turn = nullcontext,
    ) -> None:
        self._turn = turn
        self._directory_id = directory_id
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._clicks = ClickFinder(analytics)
        self._waits = ClickWaits(directory)
        self._parallel = ParallelTrackingQueuer(database, clock)
        # Edges with a last load that ended well in this process; any other edge may have an interrupted load.
        self._clean_edges: set[int] = set()
        self._behind_since: dict[int, int] = {}
        self._caught_up_at: int | None = None
        self._known_erasures = erasures.ErasedCache()
        self._erased = NOTHING_ERASED
        self._users_clicks: dict[str, str] = {}

    def find_backlog(self) -> None:
        """Note how long the records of each edge wait, before anything is loaded."""
        with self._database.read() as connection:
            known = {each.edge: each for each in checkpoints.get_checkpoints(connection)}
            own = self._own_edges(connection)
        for edge in own:
            before = known.get(edge)
            found = next_range(self._directory, edge, *((before.journal, before.position) if before else (None, 0)))
            if found is not None:
                self._note_lag(edge, _first_record_time(found))

    def backlog_bytes(self) -> int:
        """Return the bytes of journals that wait to be loaded."""
        with self._database.read() as connection:
            known = {each.edge: each for each in checkpoints.get_checkpoints(connection)}
            own = self._own_edges(connection)
        return sum(segments.bytes_after(self._directory, edge, _place_of(known.get(edge))) for edge in own)

    def load_next(self) -> bool:
        """Load the next range of each edge; return whether any had one. Paused while tables are swapped."""
        with self._database.read() as connection:
            gate = rebuilds.get_rebuild_state(connection)
            self._erased = self._known_erasures.now(connection)
            known = {each.edge: each for each in checkpoints.get_checkpoints(connection)}
            own = self._own_edges(connection)
        self._check_downtime([each.loaded_until for each in known.values()])
        loaded = False
        for edge in [] if gate.loading_paused else own:
            loaded |= self._load_edge(edge, known.get(edge), gate)
        return loaded

    def _own_edges(self, connection: Connection) -> list[int]:
        """Return the edges to load: another machine may have a number that this one had."""
        found = segments.list_edges(self._directory)
        if self._directory_id is None:
            return found
        leased = edges.list_own_edges(connection, self._directory_id)
        return [edge for edge in found if edge in leased]

    def _note_lag(self, edge: int, since_ms: int) -> None:
        """Note since when records of an edge wait, unless older ones do."""
        since = self._behind_since.setdefault(edge, since_ms)
        JOURNAL_LAG.labels(str(edge)).set(max(0, self._clock.now_ms() - since) / 1000)

    def lag_ms(self) -> int:
        """Return the age in milliseconds of the oldest record not loaded yet; 0 = everything is loaded."""
        return max((self._clock.now_ms() - since for since in list(self._behind_since.values())), default=0)

    def resolve_waiting(self) -> bool:
        """Look up the clicks of waiting postbacks again; return whether any became ready."""
        after_id, resolved = 0, False
        while True:
            with self._database.read() as connection:
                waiting = inbox.list_waiting(connection, _WAITING_PAGE, after_id)
                journals = LoadedJournals(connection)
                self._erased = self._known_erasures.now(connection)
            if not waiting:
                return resolved
            self._check_downtime(journals.until.values())
            resolved |= self._resolve(waiting, journals)
            after_id = waiting[-1].id

    def _check_downtime(self, loaded_until: Iterable[int]) -> None:
        """Restart waiting after a downtime; once. A loader that stopped a moment ago caused none."""
        if self._caught_up_at is not None:
            return
        if self._clock.now_ms() - max(loaded_until, default=0) > _STALE_RANGE_MS:
            self._restart_waiting()
        else:
            self._caught_up_at = 0

    def _restart_waiting(self) -> None:
        """Restart the waiting times of postbacks, since nothing was loaded for a while.

        Written before anything is loaded, so that a kill at any moment does not change how long postbacks wait.
        """
        now = self._clock.now_ms()
        with self._database.write() as connection:
            inbox.restart_waits(connection, now)
        self._caught_up_at = now

    def _load_edge(self, edge: int, before: EdgeCheckpoint | None, gate: RebuildState) -> bool:
        found = self._next_range(edge, before)
        if found is None:
            self._behind_since.pop(edge, None)
            JOURNAL_LAG.labels(str(edge)).set(0)
            return False
        self._note_lag(edge, _first_record_time(found))
        is_clean = edge in self._clean_edges
        self._clean_edges.discard(edge)
        if self._clock.now_ms() - found.checkpoint_at > _STALE_RANGE_MS:
            self._restart_waiting()
        try:
            self._load_range(edge, found, gate, maybe_loaded=not is_clean)
        except RebuildStateChanged:
            return True  # the range is loaded again, for the gate as it is then
        self._clean_edges.add(edge)
        if segments.bytes_after(self._directory, edge, (found.journal, found.end)):
            self._behind_since[edge] = found.checkpoint_at  # until the next call knows the next record
        else:
            self._behind_since.pop(edge, None)
        return True

    def _next_range(self, edge: int, before: EdgeCheckpoint | None) -> OffsetRange | None:
        """Return the next range to load: one that was begun, else up to the last checkpoint."""
        if before is None:
            return next_range(self._directory, edge, None, 0)
        until = before.begun_until
        # What may be loaded already is compared row by row: without a begun range that is the next checkpoint's alone.
        records = CATCH_UP_BATCH if not until and edge in self._clean_edges else 0
        found = next_range(self._directory, edge, before.journal, before.position, records=records, until=until)
        if found is not None and found.checkpoints > 1 and not until:
            with self._database.write() as connection:
                checkpoints.begin_range(connection, edge, found.journal, found.start, found.end)
        return found

    def _load_range(self, edge: int, found: OffsetRange, gate: RebuildState, *, maybe_loaded: bool) -> None:
        """Load clicks, then postbacks, which find the clicks of their own range; SQL last, in one transaction."""
        found = self._without_erased(found)
        token = f"{found.journal}:{found.start}-{found.end}"
        load_rows = partial(
            load,
            self._analytics,
            token=token,
            maybe_loaded=maybe_loaded,
            dual_write=gate.writes_shadow_tables,
            turn=self._turn if found.checkpoints > 1 else nullcontext,
        )
        clicks = self._load_records(found, RecordKind.CLICK, load_rows)
        load_rows("click_lookup", [lookup for _, _, lookup in clicks])
        self._clicks.remember((lookup[:12].hex(), payload) for _, payload, lookup in clicks)
        self._load_records(found, RecordKind.IMPRESSION, load_rows)
        calls = self._inbox_postbacks(edge, found)
        parallel = self._parallel.find_clicks_to_report(found)
        with self._database.write() as connection:
            rebuilds.check_rebuild_state(connection, gate)
            erasures.check_load(
                connection, self._erased, self._clock.now_ms() - _UNCLEAN_LOAD_MS if maybe_loaded else None
            )
            erasures.add_clicks_of_users(connection, self._users_clicks)
            checkpoints.finish_range(
                connection,
                edge,
                found.journal,
                found.start,
                found.end,
                found.checkpoint_at,
                calls,
                has_records=bool(found.frames),
            )
            self._parallel.queue(connection, parallel)

    def _without_erased(self, found: OffsetRange) -> OffsetRange:
        """Return a range without erased data: a late load must not restore it.

        Postbacks follow in `_inbox_postbacks`, with their clicks. Clicks of an erased user are noted, since only they
        name the user: they are erased themselves.
        """
        self._users_clicks = {}
        if not self._erased:
            return found
        frames = []
        for position, kind, payload in found.frames:
            cleaned_payload = payload if kind is RecordKind.POSTBACK else erase_record(self._erased, kind, payload)
            if cleaned_payload is not payload:
                click_or_impression = decode_click(payload)
                if click_or_impression.user_id in self._erased.users:
                    self._users_clicks[click_or_impression.id] = click_or_impression.user_id
            frames.append((position, kind, cleaned_payload))
        self._erased = self._erased.with_clicks(self._users_clicks)
        return replace(found, frames=frames)

    def _load_records(self, found: OffsetRange, kind: RecordKind, load_rows: _LoadRows) -> list[_Record]:
        """Load the clicks or impressions of a range; return the readable records."""
        records = self._readable(found, kind)
        items = [click_item(found.journal, position, payload) for position, payload, _ in records]
        errors = {bad.place: bad.error for bad in load_rows(_TABLES[kind], items).bad}
        for place, error in errors.items():
            self._quarantine(found, records[place][0], records[place][1], error)
        return [record for place, record in enumerate(records) if place not in errors]

    def _readable(self, found: OffsetRange, wanted: RecordKind) -> list[_Record]:
        """Return the clicks or impressions of a range that have an id."""
        readable: list[_Record] = []
        for position, kind, payload in found.frames:
            if kind is wanted:
                try:
                    readable.append((position, payload, lookup_item(payload)))
                except ValueError as error:
                    self._quarantine(found, position, payload, str(error))
        return readable

    def _inbox_postbacks(self, edge: int, found: OffsetRange) -> list[NewInboxEntry]:
        calls: list[tuple[int, bytes, int, str]] = []
        for position, kind, payload in found.frames:
            if kind is RecordKind.POSTBACK:
                try:
                    record = decode_postback(payload)
                except msgspec.MsgspecError as error:
                    self._quarantine(found, position, payload, str(error))
                else:
                    click_id = parse_record(record, found.journal, position).click_to_find
                    calls.append((position, payload, record.time, click_id))
        if not calls:
            return []
        with self._database.read() as connection:
            journals = LoadedJournals(connection)
        journals.until[edge] = found.checkpoint_at
        clicks = self._clicks.find({click_id for *_, click_id in calls})
        now = self._clock.now_ms()
        made = []
        for position, payload, time, click_id in calls:
            click = clicks.get(click_id)
            since = max(time, self._caught_up_at or 0)
            waiting = click is None and not self._waits.is_over(click_id, time, now, journals, since, of_edge=edge)
            payload = self._cleaned_postback(payload, click)
            click = None if click is None else erase_record(self._erased, RecordKind.CLICK, click)
            offer_id, since = _offer_of(click), since if waiting else time
            made.append(NewInboxEntry(position, payload, click, click_id, since, waiting, offer_id))
        return made

    def _cleaned_postback(self, payload: bytes, click: bytes | None) -> bytes:
        if not self._erased:
            return payload
        click_or_impression = find_click(click)
        named = {} if click_or_impression is None else {click_or_impression.id: click_or_impression}
        return erase_record(self._erased, RecordKind.POSTBACK, payload, named)

    def _resolve(self, waiting: Sequence[WaitingPostback], journals: LoadedJournals) -> bool:
        clicks = self._clicks.find({call.click_id for call in waiting})
        now = self._clock.now_ms()
        settled = [
            call
            for call in waiting
            if call.click_id in clicks or self._waits.is_over(call.click_id, call.received_at, now, journals)
        ]
        if settled:
            found = {
                click_id: erase_record(self._erased, RecordKind.CLICK, click) for click_id, click in clicks.items()
            }
            with self._database.write() as connection:
                erasures.check_load(connection, self._erased)
                for call in settled:
                    click = found.get(call.click_id)
                    inbox.resolve(connection, call.id, click, _offer_of(click))
            self._waits.forget(call.click_id for call in settled)
        return bool(settled)

    def _quarantine(self, found: OffsetRange, position: int, payload: bytes, error: str) -> None:
        quarantine(self._directory, "journal", f"{found.journal}-{position}", payload, error)


def _offer_of(payload: bytes | None) -> int:
    """Return the offer of a click's payload; 0 = the payload is missing, or it does not decode."""
    click = find_click(payload)
    return 0 if click is None else click.offer


def _place_of(checkpoint: EdgeCheckpoint | None) -> tuple[str, int]:
    """Return the journal and the offset up to which an edge is loaded; ("", 0) before its first load."""
    return ("", 0) if checkpoint is None else (checkpoint.journal, checkpoint.position)


def _first_record_time(found: OffsetRange) -> int:
    """Return the time of the first record of a range, UTC ms; every payload begins with its time."""
    for _, _, payload in found.frames:
        digits = payload[1 : payload.find(b",")]
        if digits.isdigit():
            return int(digits)
    return found.checkpoint_at
