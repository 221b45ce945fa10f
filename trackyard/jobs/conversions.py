"""Inbox → conversions: takes calls, decides them, writes all that follows in one transaction."""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.changes import Listeners, record
from trackyard.actions.counting import Counting, Place
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.base.metrics import CALLS_DECIDED
from trackyard.domain.conversions import (
    CallFacts,
    Change,
    Conversion,
    Fault,
    Terms,
    currencies_of,
    decide,
    find_early_fault,
    goal_of,
    identity_of,
    traits_of,
)
from trackyard.jobs.batches import do_batch, work_off
from trackyard.jobs.calllog import log_row
from trackyard.journal.records import Call, decode_call, decode_click
from trackyard.store import inbox, outbox, rates
from trackyard.store.calls import Book, find_book
from trackyard.store.conversions import Identity, find_by_identity
from trackyard.store.engine import Connection, Database
from trackyard.store.inbox import ReadyCall
from trackyard.store.rates import Rates

BATCH = 25
"""Calls a transaction. Measured on SQLite: under 20 ms."""

log = logging.getLogger("trackyard.conversions")


@dataclass(frozen=True, slots=True)
class _Opened:
    """A call with its click, decoded. fault: found before anything was looked up."""

    row: ReadyCall
    call: Call
    facts: CallFacts
    click: Mapping[str, Any] | None
    fault: Fault | None

    @property
    def identity(self) -> Identity:
        assert self.click is not None
        return self.click["offer"], goal_of(self.call.params), identity_of(self.call.params, self.click["id"])


class Converter:
    """Makes conversions of calls. Several may run on one database: calls of one conversion stay in order."""

    def __init__(self, database: Database, platform_currency: str, zone: ZoneInfo, clock: Clock) -> None:
        self._database = database
        self._currency = platform_currency
        self._zone = zone
        self._clock = clock

    def run(self, stop: threading.Event, pause_seconds: float = 0.05) -> None:
        """Decides calls until `stop` is set. Trouble with the database is logged and waited out."""
        work_off(self.step, self._database, stop, pause_seconds, log)

    def step(self) -> int:
        """Decides one batch of calls; how many left the inbox. A batch that fails is decided call by call."""
        with self._database.read() as conn:
            if not inbox.has_ready(conn):
                return 0
        return do_batch(self._decide_some, self._set_aside, BATCH, log)

    def _set_aside(self, error: Exception) -> int:
        with self._database.write() as conn:
            calls = inbox.take_ready(conn, 1)
            for call in calls:
                inbox.set_aside(conn, call.id)
                log.error(
                    "a call cannot be decided and is set aside",
                    exc_info=error,
                    extra={"inbox_id": call.id, "journal": call.journal, "position": call.position},
                )
        return len(calls)

    def _decide_some(self, limit: int) -> int:
        with self._database.write() as conn:
            rows = inbox.take_ready(conn, limit)
            if not rows:
                return 0
            responses = self._decide_rows(conn, [_opened(row) for row in rows])
            inbox.remove(conn, [row.id for row in rows])
        for response in responses:
            CALLS_DECIDED.labels(response).inc()
        return len(rows)

    def _decide_rows(self, conn: Connection, calls: list[_Opened]) -> list[str]:
        now = self._clock.now_ms()
        sound = [item for item in calls if item.fault is None and item.click is not None]
        book = find_book(
            conn,
            {item.click["offer"] for item in sound if item.click},
            {item.click["affiliate"] for item in sound if item.click},
            self._zone,
            lock=True,
        )
        known = self._rates(conn, book, sound)
        stored = find_by_identity(conn, {item.identity for item in sound})
        counting = Counting(conn, book.offers, [_place(item, stored) for item in sound])
        changes: list[Change] = []
        responses: list[str] = []
        logs = []
        for item in calls:
            outcome = item.fault or self._decide(item, book, known, stored, counting, now)
            conversion = None
            if isinstance(outcome, Change):
                changes.append(outcome)
                counting.add(outcome)
                conversion = stored[item.identity] = outcome.after
            responses.append("" if isinstance(outcome, Change) else outcome.value)
            logs.append(
                log_row(
                    item.call,
                    item.row.journal,
                    item.row.position,
                    revision=1,
                    response=responses[-1],
                    click=item.click,
                    conversion=conversion,
                )
            )
        titles = {terms.id: terms.title for terms in book.offers.values()}
        record(conn, changes, Listeners(book.postbacks, titles, self._zone), counting, now)
        outbox.add(conn, logs, now)
        return responses

    def _rates(self, conn: Connection, book: Book, calls: list[_Opened]) -> Rates:
        times = [item.call.time for item in calls] or [0]
        facts = [item.facts for item in calls]
        currencies = currencies_of(list(book.offers.values()), facts, self._currency)
        return rates.find_rates(conn, self._currency, currencies, min(times), max(times))

    def _decide(
        self,
        item: _Opened,
        book: Book,
        known: Rates,
        stored: Mapping[Identity, Conversion],
        counting: Counting,
        now: int,
    ) -> Change | Fault:
        assert item.click is not None
        offer = book.offers.get(item.click["offer"])
        if offer is None:
            return Fault.OFFER_DISABLED
        advertiser = book.advertisers[offer.advertiser_id]
        terms = Terms(
            offer=offer,
            affiliate_status=book.affiliate_statuses.get(item.click["affiliate"], ""),
            advertiser_secure=advertiser.secure,
            platform_secure=book.platform_code or None,
            platform_currency=self._currency,
            rates=known.at(item.call.time),
            advertiser_callers=advertiser.callers,
            counts=counting.counts,
        )
        return decide(item.facts, item.click, terms, stored.get(item.identity), new_id(now))


def _opened(row: ReadyCall) -> _Opened:
    call = decode_call(_without_nul(row.call))
    click = None if row.click is None else msgspec.structs.asdict(decode_click(_without_nul(row.click)))
    facts = CallFacts(call.id, call.time, call.ip, call.params, row.journal, row.position)
    return _Opened(row, call, facts, click, find_early_fault(call.params, click))


def _place(item: _Opened, stored: Mapping[Identity, Conversion]) -> Place:
    """Where the conversion of a call counts: the stored one, or the one it makes."""
    assert item.click is not None
    existing = stored.get(item.identity)
    return item.click["offer"], traits_of(item.facts, item.click) if existing is None else existing.traits


def _without_nul(payload: bytes) -> bytes:
    """A record without NUL characters, which PostgreSQL cannot keep."""
    if b"\\u0000" not in payload:
        return payload
    return msgspec.json.encode(_cleaned(msgspec.json.decode(payload)))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return value
