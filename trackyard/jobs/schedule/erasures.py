"""Remove erased subjects and old personal data from SQL (docs/decisions/0029).

It works in small transactions and repeats until nothing is left. Queues of future conversions come first, so that
no conversion is made of erased data meanwhile.
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
from trackyard.domain.platform.hosts import delivery_host
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.domain.tracking.outbound_calls import EVENTS, DeliveryKind
from trackyard.domain.tracking.postbacks import fill_body, without_reason
from trackyard.journal.erasing import erase_record, without_personal_data
from trackyard.journal.records import Click, RecordKind, decode_click, decode_postback, encode
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, personal_data, settings
from trackyard.store.platform.personal_data import FIRST_CURSOR, RedactionCursor

log = logging.getLogger("trackyard.schedule")

_CONVERSIONS_PAGE: Final = 40
"""Conversions per page: 10 ms of processor time on SQLite."""
_POSTBACKS_PAGE: Final = 100
_IDS_PAGE: Final = 100
_EMPTIED_UNTIL: Final = "personal_data_emptied_until"
"""The setting that holds the place up to which conversions have no personal data."""

_Cleaner = Callable[[int, bytes, Click | None], bytes]
"""Redacts a payload of a kind, with the click that a postback names."""


class Eraser:
    """Run the two erasing jobs of the schedule.

    Several workers may run them on one database: repeats change nothing.
    """

    def __init__(self, database: Database, zone: ZoneInfo, clock: Clock, retention_policy: RetentionPolicy) -> None:
        self._database = database
        self._zone = zone
        self._clock = clock
        self._retention_policy = retention_policy
        self._running: Iterator[int] | None = None

    def erase(self) -> int:
        """Do a part of the oldest erasure that SQL still has to make; 0 = there is none."""
        if self._running is None:
            with self._database.read() as conn:
                waiting = erasures.list_not_in_sql(conn)
            if not waiting:
                return 0
            self._running = self._erase(waiting[0])
        work, self._running = self._running, None  # after a failure the erasure begins again
        if next(work, None) is not None:
            self._running = work
        return 1

    def empty_old(self) -> int:
        """Redact a page of conversions past the personal data period; return how many rows were read."""
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
        """Redact old quarantined entries at once and return 0; others never wait that long."""

        def clean(kind: int, payload: bytes, _click: Click | None) -> bytes:
            if kind == RecordKind.POSTBACK:
                return encode(without_personal_data(decode_postback(payload)))
            return encode(redact_record(decode_click(payload)))

        for _ in self._clean_inbox(clean, cutoff):
            pass
        with self._database.write() as conn:
            personal_data.empty_audit_addresses(conn, cutoff)
        with self._database.read() as conn:
            if not personal_data.has_imports(conn, cutoff):
                return 0
        with self._database.write() as conn:
            personal_data.redact_imports(conn, cutoff)
        return 0

    # --- one erasure ----------------------------------------------------------------------------------------

    def _erase(self, erasure: Erasure) -> Iterator[int]:
        """Make an erasure, one step per transaction."""
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
        log.info("erasure finished in SQL", extra={"erasure": erasure.number})

    def _clean_inbox(self, clean: _Cleaner, before: int | None = None) -> Iterator[int]:
        return self._clean_pages(
            "inbox",
            lambda conn, after: personal_data.list_inbox(conn, after, _POSTBACKS_PAGE, before),
            lambda row: _clean_postback(row, clean),
            personal_data.edit_inbox_entry,
        )

    def _clean_parallel(self, clean: _Cleaner) -> Iterator[int]:
        def clean_request(row: Any) -> tuple[int, bytes] | None:
            click = clean(RecordKind.CLICK, row.click, None)
            return None if click == row.click else (row.id, click)

        return self._clean_pages(
            "parallel_call",
            lambda conn, after: personal_data.list_parallel_requests(conn, after, _POSTBACKS_PAGE),
            clean_request,
            personal_data.edit_parallel_request,
        )

    def _clean_pages(
        self,
        table: str,
        list_page: Callable[[Connection, int], Sequence[Any]],
        clean_row: Callable[[Any], tuple[Any, ...] | None],
        edit: Callable[..., None],
    ) -> Iterator[int]:
        """Edit the rows of a table that `clean_row` changes, page by page; yield the rows of each page."""
        after = 0
        while True:
            with self._database.read() as conn:
                rows = list_page(conn, after)
            if not rows:
                return
            changed = [values for row in rows if (values := clean_row(row)) is not None]
            if changed:
                with self._database.write() as conn:
                    for values in changed:
                        edit(conn, *values)
                _count_emptied(table, len(changed))
            after = rows[-1].id
            yield len(rows)

    def _empty_conversions(self, erasure: Erasure) -> Iterator[int]:
        if erasure.subject is ErasureSubject.USER:
            yield from self._remember_clicks_of_user(erasure)
            return
        chosen = personal_data.conversions_of(erasure)
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
        """Erase the clicks of postbacks that named the user id, whatever user id the click itself had."""
        with self._database.read() as conn:
            ids = personal_data.click_ids_of(conn, personal_data.conversions_of(erasure))
        for start in range(0, len(ids), _IDS_PAGE):
            with self._database.write() as conn:
                erasures.add_clicks(conn, ids[start : start + _IDS_PAGE], erasure)
            yield 1


def _clean_postback(row: Any, clean: _Cleaner) -> tuple[int, bytes, bytes | None] | None:
    """Return (id, call, click) of an inbox row, redacted; None when nothing changes."""
    try:
        click = None if row.click is None else decode_click(row.click)
        call = clean(RecordKind.POSTBACK, row.call, click)
        redacted_click = None if row.click is None else clean(RecordKind.CLICK, row.click, None)
    except msgspec.MsgspecError:
        return None  # quarantined, since it cannot be decided
    return None if (call, redacted_click) == (row.call, row.click) else (row.id, call, redacted_click)


def _refill_waiting_deliveries(conn: Connection, conversion_ids: Sequence[str], zone: ZoneInfo) -> None:
    """Fill the URLs and bodies of waiting deliveries again, without personal data."""
    calls = personal_data.list_waiting_deliveries(conn, conversion_ids) if conversion_ids else []
    if not calls:
        return
    stored = conversions.find_by_id(conn, {call.conversion_id for call in calls})
    hides_reasons = settings.hides_decline_reasons(conn)
    for call in calls:
        now = stored[call.conversion_id]
        redacted = replace(
            now, status=Status(call.status), payout=call.payout, currency=call.currency, comment=call.comment
        )
        kind = DeliveryKind(call.kind)
        if hides_reasons and kind is DeliveryKind.POSTBACK:
            redacted = without_reason(redacted)
        fill = EVENTS[kind].fill
        rand = str(secrets.randbelow(10**9))
        url = fill(call.template, redacted, call.title, zone, rand)
        body = None if call.body is None else fill_body(call.body, redacted, call.title, zone, rand)
        personal_data.edit_delivery(conn, call.id, url, delivery_host(call.template), body)


def _parse_place(value: Any) -> RedactionCursor:
    return FIRST_CURSOR if value is None else (int(value[0]), str(value[1]))


def _count_emptied(table: str, rows: int) -> None:
    if rows:
        ROWS_EMPTIED.labels(table).inc(rows)
