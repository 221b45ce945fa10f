"""SQL is rid of what was erased, and of personal data that is too old: in small transactions, over and over the same
until nothing is left (docs/decisions/0029).

The order matters: what is on its way to a conversion first, so that none is made of it behind the back of the rest.
"""

import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.clock import Clock
from trackyard.base.metrics import ROWS_EMPTIED
from trackyard.base.secrets import hash_password, new_password
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.platform.erasures import ErasedSubjects, Erasure, ErasureSubject, redact_record
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.domain.tracking.postbacks import fill_url, host_of
from trackyard.journal.erasing import erase_record, without_personal_data
from trackyard.journal.records import Click, RecordKind, decode_click, decode_postback, encode
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, personal_data, settings
from trackyard.store.platform.personal_data import FIRST_CURSOR, RedactionCursor

log = logging.getLogger("trackyard.schedule")

_CONVERSIONS_PAGE: Final = 40
"""A page of conversions: 10 ms of the processor on SQLite."""
_POSTBACKS_PAGE: Final = 100
_IDS_PAGE: Final = 100
_EMPTIED_UNTIL: Final = "personal_data_emptied_until"
"""The setting that says up to which place conversions hold no personal data any more."""

_Cleaner = Callable[[int, bytes, Click | None], bytes]
"""A payload of a kind without what is to go; with the click that a call names."""


class Eraser:
    """Two jobs of the schedule. Several workers may do them on one database: what is done twice is the same."""

    def __init__(self, database: Database, zone: ZoneInfo, clock: Clock, retention_policy: RetentionPolicy) -> None:
        self._database = database
        self._zone = zone
        self._clock = clock
        self._retention_policy = retention_policy
        self._running: Iterator[int] | None = None

    def erase(self) -> int:
        """Does a part of the oldest erasure that SQL is not rid of; 0 = there is none."""
        if self._running is None:
            with self._database.read() as conn:
                waiting = erasures.list_not_in_sql(conn)
            if not waiting:
                return 0
            self._running = self._erase(waiting[0])
        work, self._running = self._running, None  # one that fails is begun anew
        if next(work, None) is not None:
            self._running = work
        return 1

    def empty_old(self) -> int:
        """Empties a page of what is older than personal data is kept; how many rows were looked at."""
        cutoff = self._retention_policy.personal_cutoff_ms(self._clock.now_ms())
        with self._database.read() as conn:
            after = _parse_place(settings.find_setting(conn, _EMPTIED_UNTIL))
            if not personal_data.has_conversions(conn, personal_data.conversions_before(cutoff), after):
                return self._empty_old_queues(cutoff)
        with self._database.write() as conn:
            rows = personal_data.list_conversions(
                conn, personal_data.conversions_before(cutoff), after, _CONVERSIONS_PAGE
            )
            emptied = personal_data.redact_conversions(conn, rows)
            if rows:
                settings.edit_setting(conn, _EMPTIED_UNTIL, list(personal_data.cursor_of(rows[-1])))
        _count_emptied("conversion", len(emptied))
        return len(rows)

    def _empty_old_queues(self, cutoff: int) -> int:
        """What was set aside long ago; nothing else stays so long in a queue. 0: it is done at once."""

        def clean(kind: int, payload: bytes, _click: Click | None) -> bytes:
            if kind == RecordKind.POSTBACK:
                return encode(without_personal_data(decode_postback(payload)))
            return encode(redact_record(decode_click(payload)))

        for _ in self._clean_inbox(clean, cutoff):
            pass
        with self._database.read() as conn:
            if not personal_data.has_imports(conn, cutoff):
                return 0
        with self._database.write() as conn:
            personal_data.redact_imports(conn, cutoff)
        return 0

    # --- one erasure ----------------------------------------------------------------------------------------

    def _erase(self, erasure: Erasure) -> Iterator[int]:
        """All of it, a step for each transaction."""
        erased = ErasedSubjects.of([erasure])
        affiliate_id = int(erasure.value) if erasure.subject is ErasureSubject.AFFILIATE else None

        def clean(kind: int, payload: bytes, click: Click | None) -> bytes:
            return erase_record(erased, kind, payload, {} if click is None else {click.id: click})

        yield from self._clean_inbox(clean)
        yield from self._clean_parallel(clean)
        if affiliate_id is not None:
            unknown = hash_password(new_password())  # takes long, so before the transaction
            with self._database.write() as conn:
                personal_data.redact_imports(conn, erasure.at, affiliate_id)
                personal_data.redact_account(conn, affiliate_id, unknown, self._clock.now_ms())
            yield 1
        yield from self._empty_conversions(erasure)
        with self._database.write() as conn:
            erasures.finish_sql(conn, erasure.number, self._clock.now_ms())
        log.info("an erasure is carried out in SQL", extra={"erasure": erasure.number})

    def _clean_inbox(self, clean: _Cleaner, before: int | None = None) -> Iterator[int]:
        after = 0
        while True:
            with self._database.read() as conn:
                rows = personal_data.list_inbox(conn, after, _POSTBACKS_PAGE, before)
            if not rows:
                return
            changed = [made for row in rows if (made := _clean_postback(row, clean)) is not None]
            if changed:
                with self._database.write() as conn:
                    for made in changed:
                        personal_data.edit_inbox_entry(conn, *made)
                _count_emptied("inbox", len(changed))
            after = rows[-1].id
            yield len(rows)

    def _clean_parallel(self, clean: _Cleaner) -> Iterator[int]:
        after = 0
        while True:
            with self._database.read() as conn:
                rows = personal_data.list_parallel_requests(conn, after, _POSTBACKS_PAGE)
            if not rows:
                return
            changed = [
                (row.id, made) for row in rows if (made := clean(RecordKind.CLICK, row.click, None)) != row.click
            ]
            if changed:
                with self._database.write() as conn:
                    for call_id, click in changed:
                        personal_data.edit_parallel_request(conn, call_id, click)
                _count_emptied("parallel_call", len(changed))
            after = rows[-1].id
            yield len(rows)

    def _empty_conversions(self, erasure: Erasure) -> Iterator[int]:
        if erasure.subject is ErasureSubject.USER:
            yield from self._remember_clicks_of_user(erasure)
            return
        if erasure.subject is ErasureSubject.CLICK:
            chosen = personal_data.conversions_of_clicks([erasure.value])
        else:
            chosen = personal_data.conversions_of_affiliate(int(erasure.value), erasure.at)
        after: RedactionCursor = FIRST_CURSOR
        while True:
            with self._database.write() as conn:
                rows = personal_data.list_conversions(conn, chosen, after, _CONVERSIONS_PAGE)
                emptied = personal_data.redact_conversions(conn, rows)
                _refill_waiting_deliveries(conn, emptied, self._zone)
            _count_emptied("conversion", len(emptied))
            if not rows:
                return
            after = personal_data.cursor_of(rows[-1])
            yield len(rows)

    def _remember_clicks_of_user(self, erasure: Erasure) -> Iterator[int]:
        """A click whose call named the user id is the user's, whatever the click said: erased like any click."""
        with self._database.read() as conn:
            ids = personal_data.click_ids_of(conn, personal_data.conversions_of_user(erasure.value, erasure.at))
        for start in range(0, len(ids), _IDS_PAGE):
            with self._database.write() as conn:
                erasures.add_clicks(conn, ids[start : start + _IDS_PAGE], erasure)
            yield 1


def _clean_postback(row: Any, clean: _Cleaner) -> tuple[int, bytes, bytes | None] | None:
    """(id, call, click) of a row of the inbox as it may be kept; None when it may as it is."""
    try:
        click = None if row.click is None else decode_click(row.click)
        call = clean(RecordKind.POSTBACK, row.call, click)
        redacted_click = None if row.click is None else clean(RecordKind.CLICK, row.click, None)
    except msgspec.MsgspecError:
        return None  # it is set aside, since it cannot be decided
    return None if (call, redacted_click) == (row.call, row.click) else (row.id, call, redacted_click)


def _refill_waiting_deliveries(conn: Connection, conversion_ids: Sequence[str], zone: ZoneInfo) -> None:
    """Calls to affiliates that wait are made without the personal data."""
    calls = personal_data.list_waiting_deliveries(conn, conversion_ids) if conversion_ids else []
    if not calls:
        return
    stored = conversions.find_by_id(conn, {call.conversion_id for call in calls})
    for call in calls:
        now = stored[call.conversion_id]
        redacted = replace(
            now, status=Status(call.status), payout=call.payout, currency=call.currency, comment=call.comment
        )
        url = fill_url(call.template, redacted, call.title, zone, str(secrets.randbelow(10**9)))
        personal_data.edit_delivery_url(conn, call.id, url, host_of(call.template))


def _parse_place(value: Any) -> RedactionCursor:
    return FIRST_CURSOR if value is None else (int(value[0]), str(value[1]))


def _count_emptied(table: str, rows: int) -> None:
    if rows:
        ROWS_EMPTIED.labels(table).inc(rows)
