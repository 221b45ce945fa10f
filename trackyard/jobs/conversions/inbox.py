"""Decide the inbound postbacks of the inbox, a batch in one transaction."""

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.conversions_by_code import VisitorPlaces, find_terms, request_of
from trackyard.actions.conversions.decisions import ClickExpiry, DecisionBatch
from trackyard.actions.conversions.identities import PostbackRequest
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.base.metrics import ACCEPTED, CONVERSIONS_FROM_CLICK_ADDRESS, POSTBACKS_DECIDED
from trackyard.base.secrets import SecretCipher
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, find_early_error
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.jobs.batches import process_batch, process_queue
from trackyard.jobs.conversions.postback_log import inbound_log_row, parse_record
from trackyard.jobs.conversions.senders import NO_SENDER, find_senders
from trackyard.journal.records import InboundPostback, decode_click, decode_postback
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import ReadyPostback
from trackyard.store.engine.database import Connection, Database
from trackyard.store.statistics import outbox

SQLITE_BATCH: Final = 60
"""Postbacks per transaction on SQLite, which has one writer.

Measured on a busy machine: 19 ms of processor time (docs/performance.md)."""
POSTGRESQL_BATCH: Final = 250
"""Postbacks per transaction on PostgreSQL, where one blocks others only by the offers and counters it locks.

Measured: within 70 ms."""

log = logging.getLogger("trackyard.conversions")


@dataclass(frozen=True, slots=True)
class _DecodedPostback:
    """A decoded postback. outcome: the request to decide, or the error found before any look-up."""

    record: InboundPostback
    postback: ReceivedPostback
    click: Mapping[str, Any] | None
    outcome: PostbackRequest | PostbackError


class PostbackProcessor:
    """Decide inbound postbacks.

    Several processors may run on one PostgreSQL database and share the work: postbacks of one offer stay in order.
    """

    def __init__(
        self,
        database: Database,
        platform_currency: str,
        zone: ZoneInfo,
        clock: Clock,
        retention_policy: RetentionPolicy = DEFAULT_RETENTION,
        cipher: SecretCipher | None = None,
        databases: AddressDatabases | None = None,
    ) -> None:
        POSTBACKS_DECIDED.labels(ACCEPTED)
        self._database = database
        self._currency = platform_currency
        self._zone = zone
        self._clock = clock
        self._cipher = cipher
        self._places = VisitorPlaces(databases or AddressDatabases(), clock)
        self._click_expiry = ClickExpiry(clock, retention_policy)
        self._first_taken: int | None = None

    def run(self, stop: threading.Event, pause_seconds: float = 0.05) -> None:
        """Decide postbacks until `stop` is set. Database failures are logged and retried."""
        process_queue("conversions", self.step, self._database, stop, pause_seconds, log)

    def step(self) -> int:
        """Decide one batch; return how many left the inbox. A failed batch is decided one by one."""
        with self._database.read() as conn:
            if not inbox.has_ready(conn):
                return 0
        size = SQLITE_BATCH if self._database.is_sqlite else POSTGRESQL_BATCH
        return process_batch(self._decide_batch, self._quarantine, size, log)

    def _quarantine(self, error: Exception) -> int:
        """Quarantine the postback that the failed transaction took, unless another worker decided it since."""
        if self._first_taken is None:
            return 0
        with self._database.write() as conn:
            call = inbox.quarantine(conn, self._first_taken)
        if call is None:
            return 0
        fields = {"inbox_id": call.id, "journal": call.journal, "position": call.position}
        log.error("postback quarantined", exc_info=error, extra=fields)
        return 1

    def _decide_batch(self, limit: int) -> int:
        self._first_taken = None
        with self._database.write() as conn:
            rows = inbox.take_ready(conn, limit)
            self._first_taken = rows[0].id if rows else None
            if not rows:
                return 0
            decoded = self._with_promo_codes(conn, [self._decode(conn, row) for row in rows])
            responses, changes = self._decide_postbacks(conn, decoded)
        for response, count in Counter(responses).items():
            POSTBACKS_DECIDED.labels(response or ACCEPTED).inc(count)
        marked = sum(change.before is None and change.after.from_click_address for change in changes)
        CONVERSIONS_FROM_CLICK_ADDRESS.inc(marked)
        return len(rows)

    def _decode(self, conn: Connection, row: ReadyPostback) -> _DecodedPostback:
        record = decode_postback(_without_nul(row.call))
        postback = parse_record(record, row.journal, row.position)
        click = None if row.click is None else msgspec.structs.asdict(decode_click(_without_nul(row.click)))
        expired = self._click_expiry.is_expired(conn, postback.click_id, postback.time)
        fault = find_early_error(postback, click, expired=expired)
        return _DecodedPostback(record, postback, click, fault or PostbackRequest(postback, click or {}))

    def _with_promo_codes(self, conn: Connection, postbacks: list[_DecodedPostback]) -> list[_DecodedPostback]:
        """Return postbacks, with the clicks that promo codes make."""
        if not any(item.postback.names_promo_code for item in postbacks):
            return postbacks
        terms = find_terms(conn, [item.postback for item in postbacks], lock=True)
        decoded = []
        for item in postbacks:
            if item.postback.names_promo_code:
                outcome = request_of(item.postback, terms, self._places.place)
                click = outcome.click if isinstance(outcome, PostbackRequest) else None
                item = replace(item, outcome=outcome, click=click)
            decoded.append(item)
        return decoded

    def _decide_postbacks(
        self, conn: Connection, postbacks: list[_DecodedPostback]
    ) -> tuple[list[str], list[ConversionChange]]:
        """Decide postbacks and record what follows; return the response of each, and the changes."""
        now = self._clock.now_ms()
        requests = [item.outcome for item in postbacks if isinstance(item.outcome, PostbackRequest)]
        batch = DecisionBatch(conn, requests, self._currency, self._zone, cipher=self._cipher)
        changes: list[ConversionChange] = []
        responses: list[str] = []
        logs = []
        clickless = [item.record for item in postbacks if item.click is None]
        senders = {each.id: sender for each, sender in zip(clickless, find_senders(conn, clickless), strict=True)}
        for item in postbacks:
            request, conversion = item.outcome, None
            outcome = batch.decide(request, new_id(now)) if isinstance(request, PostbackRequest) else request
            if isinstance(outcome, ConversionChange):
                changes.append(outcome)
                batch.apply(outcome, request.promo_code if isinstance(request, PostbackRequest) else None)
                conversion = outcome.after
            responses.append(outcome.value if isinstance(outcome, PostbackError) else "")
            logs.append(
                inbound_log_row(
                    item.record,
                    item.postback,
                    revision=1,
                    response=responses[-1],
                    click=item.click,
                    sender=senders.get(item.record.id, NO_SENDER),
                    conversion=conversion,
                )
            )
        batch.record(changes, now)
        outbox.add(conn, logs, now)
        return responses, changes


def _without_nul(payload: bytes) -> bytes:
    """Return a record without NUL characters, which PostgreSQL cannot store."""
    if b"\\u0000" not in payload:
        return payload
    return msgspec.json.encode(_strip_nul(msgspec.json.decode(payload)))


def _strip_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_strip_nul(item) for item in value]
    if isinstance(value, dict):
        return {_strip_nul(key): _strip_nul(item) for key, item in value.items()}
    return value
