"""Make edits and imports of conversions in order, each with its effects.

A batch is one transaction. The server postback log has the result of each, as method EDIT or IMPORT
(docs/spec/conversions.md#edits-and-imports).
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.changes import DeliveryContext, record_changes
from trackyard.actions.conversions.identities import KnownConversions, PostbackRequest
from trackyard.actions.conversions.imported_clicks import imported_click
from trackyard.actions.offers.counters import CounterBatch
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
    currencies_of,
)
from trackyard.domain.conversions.edits import ConversionEdit, ConversionImport, apply_edit, apply_import
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback
from trackyard.domain.money.referrals import NO_REFERRAL
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.jobs.batches import process_batch, process_queue
from trackyard.jobs.conversions.postback_log import inbound_log_row
from trackyard.journal.records import InboundPostback
from trackyard.store.conversions import edits as tasks
from trackyard.store.conversions.conversions import find_by_id
from trackyard.store.conversions.decisions import DecisionContext, get_decision_context
from trackyard.store.conversions.edits import Task
from trackyard.store.engine.database import Connection, Database
from trackyard.store.money import exchange_rates
from trackyard.store.money.exchange_rates import ExchangeRates
from trackyard.store.statistics import outbox

BATCH = 25
"""Tasks per transaction."""
REFRESH_MS = 60_000
"""How often replaced address databases are looked for."""

log = logging.getLogger("trackyard.edits")


@dataclass(frozen=True, slots=True)
class _DecodedTask:
    """A decoded task.

    postback: the conversion that an import reports; for an edit, only an id and a time.
    click: the click of an import; {} for an edit.
    """

    task: Task
    item: ConversionEdit | ConversionImport
    postback: ReceivedPostback
    click: dict[str, Any]

    @property
    def request(self) -> PostbackRequest:
        """Return an import as a postback for its click."""
        return PostbackRequest(self.postback, self.click)


@dataclass(slots=True)
class _BatchState:
    """The conversions and rules that a batch works on, updated by each change of the batch."""

    context: DecisionContext
    rates: ExchangeRates
    by_id: dict[str, Conversion]
    known: KnownConversions
    counting: CounterBatch

    def apply(self, change: ConversionChange) -> None:
        after = change.after
        self.counting.add(change)
        self.by_id[after.id] = after
        self.known.add(change)


class ConversionEditor:
    """Make edits and imports.

    Several editors may run on one database: one at a time takes tasks.
    databases: address databases for the places of imports.
    """

    def __init__(
        self,
        database: Database,
        platform_currency: str,
        zone: ZoneInfo,
        clock: Clock,
        databases: AddressDatabases | None = None,
    ) -> None:
        self._database = database
        self._currency = platform_currency
        self._zone = zone
        self._clock = clock
        self._databases = databases
        self._visitors: VisitorLookup | None = None
        self._refreshed_at = 0

    def run(self, stop: threading.Event, pause_seconds: float = 0.2) -> None:
        """Make tasks until `stop` is set. Database failures are logged and retried."""
        process_queue("edits", self.step, self._database, stop, pause_seconds, log)

    def step(self) -> int:
        """Make one batch of tasks; return how many left the queue. A failed batch is made task by task."""
        with self._database.read() as conn:
            if not tasks.has_ready(conn):
                return 0
        return process_batch(self._process_batch, self._quarantine, BATCH, log)

    def _quarantine(self, error: Exception) -> int:
        with self._database.write() as conn:
            found = tasks.take_ready(conn, 1)
            for task in found:
                tasks.quarantine(conn, task.id)
                log.error("edit or import quarantined", exc_info=error, extra={"task_id": task.id})
        return len(found)

    def _process_batch(self, limit: int) -> int:
        with self._database.write() as conn:
            found = tasks.take_ready(conn, limit)
            if found:
                self._process(conn, [self._decode(task) for task in found])
                tasks.remove(conn, [task.id for task in found])
        return len(found)

    def _process(self, conn: Connection, decoded: Sequence[_DecodedTask]) -> None:
        now = self._clock.now_ms()
        state = self._load_state(conn, decoded)
        changes, logs = [], []
        uncrossed: set[str] = set()
        for each in decoded:
            target = self._find_target(each, state)
            outcome = self._decide(each, target, state, now)
            if isinstance(outcome, ConversionChange):
                changes.append(outcome)
                state.apply(outcome)
                target = outcome.after
                if isinstance(each.item, ConversionImport) and not each.item.crosses:
                    uncrossed.add(target.id)
            logs.append(_task_log_row(each, target, "" if isinstance(outcome, ConversionChange) else outcome.value))
        titles = {terms.id: terms.title for terms in state.context.offers.values()}
        delivered = DeliveryContext(state.context.postbacks, titles, self._zone, frozenset(uncrossed))
        record_changes(conn, changes, delivered, state.counting, now)
        outbox.add(conn, logs, now)

    def _load_state(self, conn: Connection, decoded: Sequence[_DecodedTask]) -> _BatchState:
        edits = [each.item for each in decoded if isinstance(each.item, ConversionEdit)]
        imports = [each for each in decoded if isinstance(each.item, ConversionImport)]
        items = [each.item for each in imports if isinstance(each.item, ConversionImport)]
        by_id = find_by_id(conn, {edit.conversion_id for edit in edits})
        context = get_decision_context(
            conn,
            {item.offer_id for item in items} | {item.offer_id for item in by_id.values()},
            {item.affiliate_id for item in items} | {item.affiliate_id for item in by_id.values()},
            self._zone,
            lock=True,
        )
        known = KnownConversions(conn, context.offers, [each.request for each in imports], lock=True, counts=False)
        known.put(list(by_id.values()))
        by_id |= {item.id: item for item in known.each()}
        currencies = currencies_of(context.offers.values(), [], self._currency)
        currencies |= {edit.currency for edit in edits if edit.currency is not None}
        times = [item.created_at for item in by_id.values()] + [each.postback.time for each in imports]
        rates = exchange_rates.get_rates(conn, self._currency, currencies, min(times, default=0), max(times, default=0))
        counted = [by_id[edit.conversion_id] for edit in edits if edit.affects_counters and edit.conversion_id in by_id]
        settled = [known.settled(each.request) for each in imports]
        places = [(each.offer_id, each.postback.traits_for(each.click)) for each in settled]
        places += [(item.offer_id, item.traits) for item in counted]
        return _BatchState(context, rates, by_id, known, CounterBatch(conn, context.offers, places))

    @staticmethod
    def _find_target(each: _DecodedTask, state: _BatchState) -> Conversion | None:
        if isinstance(each.item, ConversionEdit):
            return state.by_id.get(each.item.conversion_id)
        return state.known.find(each.request)

    def _decide(
        self, each: _DecodedTask, target: Conversion | None, state: _BatchState, now: int
    ) -> ConversionChange | PostbackError:
        item, task = each.item, each.task
        if isinstance(item, ConversionEdit):
            if target is None:
                return PostbackError.NO_CONVERSION
            offer = state.context.offers.get(target.offer_id)
            exchange_rates = state.rates.at(target.created_at)
            return apply_edit(target, item, offer.hold_ms if offer else 0, exchange_rates, task.created_at, task.actor)
        offer = state.context.offers[item.offer_id]
        terms = DecisionTerms(
            offer=offer,
            affiliate_status=AffiliateStatus.ACTIVE,
            advertiser_secure=None,
            platform_secure=None,
            platform_currency=self._currency,
            rates=state.rates.at(each.postback.time),
            counts=state.counting.counts,
            referral=state.context.referrals.get(item.affiliate_id, NO_REFERRAL),
        )
        click = each.click if item.click is not None else each.click | {"advertiser": offer.advertiser_id}
        postback = state.known.settled(each.request).postback
        return apply_import(item, postback, click, terms, target, new_id(now), task.actor)

    def _decode(self, task: Task) -> _DecodedTask:
        record_id = new_id(task.created_at)
        if task.kind == "edit":
            edit = msgspec.convert(task.item, ConversionEdit)
            return _DecodedTask(task, edit, ReceivedPostback(record_id, task.created_at), {})
        item = msgspec.convert(task.item, ConversionImport)
        click = self._make_click(task, item) if item.click is None else item.click
        return _DecodedTask(task, item, item.as_postback(record_id, item.at or task.created_at, click["id"]), click)

    def _open_visitors(self) -> VisitorLookup:
        now = self._clock.now_ms()
        if self._visitors is None:  # opened by the first import: most workers have none
            self._visitors = VisitorLookup(self._databases, addresses=1000, agents=500)
        elif now - self._refreshed_at < REFRESH_MS:
            return self._visitors
        else:
            self._visitors.refresh()
        self._refreshed_at = now
        return self._visitors

    def _make_click(self, task: Task, item: ConversionImport) -> dict[str, Any]:
        """Return the click of an import without one, from its time, ip and ua."""
        return imported_click(self._open_visitors(), item, item.at or task.created_at)


_NESTED_PARTS = ("click", "custom_fields", "is_own", "at", "crosses", "takes_zero")
"""Parts of an import that the log shows by their contents, or not at all."""


def _as_record(task: Task, record_id: str) -> InboundPostback:
    """Return a task as the record of an inbound postback, for the log."""
    item = task.item | {f"custom_field_{n}": text for n, text in task.item.get("custom_fields", {}).items()}
    if item.get("click") is not None:
        item["click_id"] = item["click"]["id"]
    log_fields = {name: value for name, value in item.items() if value not in (None, "") and name not in _NESTED_PARTS}
    return InboundPostback(
        time=task.created_at,
        id=record_id,
        source=task.kind,
        method=task.kind.upper(),
        ip="",
        ua="",
        query=urlencode({"by": task.actor} | log_fields),
        body="",
        params={},
    )


def _task_log_row(each: _DecodedTask, target: Conversion | None, response: str) -> outbox.OutboxRow:
    postback, click = replace(each.postback, time=each.task.created_at), each.click  # the log is of what was asked
    if target is not None:
        postback = replace(
            postback,
            click_id=target.click_id,
            goal=target.goal,
            action_id=target.action_id,
            status=(each.item.status or target.status).as_sent,
        )
        click = dict(target.click)
    record = _as_record(each.task, postback.id)
    return inbound_log_row(record, postback, revision=1, response=response, click=click or None, conversion=target)
