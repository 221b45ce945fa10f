"""Edits and imports of conversions, done in the order they were asked for, with all that follows in one transaction.

What became of each stands in the server postback log, method EDIT or IMPORT
(docs/spec/conversions.md#edits-and-imports).
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.changes import Listeners, record
from trackyard.actions.offers.counters import Counting, Place
from trackyard.base.clock import Clock
from trackyard.base.ids import IMPORT_EDGE, new_click_id, new_id
from trackyard.decision.visitor.databases import Databases
from trackyard.decision.visitor.visitor import Visitors
from trackyard.domain.conversions.conversions import (
    CallFacts,
    Change,
    Conversion,
    Fault,
    Terms,
    currencies_of,
    goal_of,
    identity_of,
    traits_of,
)
from trackyard.domain.conversions.edits import Edit, Import, edited, imported
from trackyard.domain.money.referrals import NO_REFERRAL
from trackyard.jobs.batches import do_batch, work_off
from trackyard.jobs.conversions.postback_log import log_row
from trackyard.journal.records import Call, Click
from trackyard.store.conversions import edits as tasks
from trackyard.store.conversions.conversions import Identity, find_by_id, find_by_identity
from trackyard.store.conversions.decisions import Book, find_book
from trackyard.store.conversions.edits import Task
from trackyard.store.engine.database import Connection, Database
from trackyard.store.money import exchange_rates
from trackyard.store.money.exchange_rates import Rates
from trackyard.store.statistics import outbox

BATCH = 25
"""Tasks a transaction."""
REFRESH_MS = 60_000
"""How often a look is taken whether address databases were replaced."""

log = logging.getLogger("trackyard.edits")


@dataclass(frozen=True, slots=True)
class _Ordered:
    """A task, decoded. call: what the log shows of it · click: the click of an import; {} of an edit."""

    task: Task
    item: Edit | Import
    call: Call
    click: dict[str, Any]

    @property
    def facts(self) -> CallFacts:
        """An import as a call."""
        return CallFacts(self.call.id, self.task.created_at, self.call.params.get("ip", ""), self.call.params, "", 0)

    @property
    def place(self) -> Place:
        """Where the conversion of an import counts."""
        return self.click["offer"], traits_of(self.facts, self.click)

    @property
    def identity(self) -> Identity:
        assert isinstance(self.item, Import)
        return self.item.offer_id, goal_of(self.call.params), identity_of(self.call.params, self.click["id"])


@dataclass(slots=True)
class _State:
    """The conversions and rules that a batch works on; conversions as the batch leaves them."""

    book: Book
    rates: Rates
    by_id: dict[str, Conversion]
    by_identity: dict[Identity, Conversion]
    counting: Counting

    def keep(self, change: Change) -> None:
        after = change.after
        self.counting.add(change)
        self.by_id[after.id] = self.by_identity[(after.offer_id, after.goal, after.identity)] = after


class Editor:
    """Does edits and imports. Several may run on one database: one at a time takes tasks.

    databases: for the places of imports.
    """

    def __init__(
        self,
        database: Database,
        platform_currency: str,
        zone: ZoneInfo,
        clock: Clock,
        databases: Databases | None = None,
    ) -> None:
        self._database = database
        self._currency = platform_currency
        self._zone = zone
        self._clock = clock
        self._databases = databases
        self._visitors: Visitors | None = None
        self._refreshed_at = 0

    def run(self, stop: threading.Event, pause_seconds: float = 0.2) -> None:
        """Does tasks until `stop` is set. Trouble with the database is logged and waited out."""
        work_off(self.step, self._database, stop, pause_seconds, log)

    def step(self) -> int:
        """Does one batch of tasks; how many left the queue. A batch that fails is done task by task."""
        with self._database.read() as conn:
            if not tasks.has_ready(conn):
                return 0
        return do_batch(self._do_some, self._set_aside, BATCH, log)

    def _set_aside(self, error: Exception) -> int:
        with self._database.write() as conn:
            found = tasks.take_ready(conn, 1)
            for task in found:
                tasks.set_aside(conn, task.id)
                log.error(
                    "an edit or import cannot be done and is set aside", exc_info=error, extra={"task_id": task.id}
                )
        return len(found)

    def _do_some(self, limit: int) -> int:
        with self._database.write() as conn:
            found = tasks.take_ready(conn, limit)
            if found:
                self._do(conn, [self._ordered(task) for task in found])
                tasks.remove(conn, [task.id for task in found])
        return len(found)

    def _do(self, conn: Connection, ordered: Sequence[_Ordered]) -> None:
        now = self._clock.now_ms()
        state = self._state(conn, ordered)
        changes, logs = [], []
        for each in ordered:
            target = self._target(each, state)
            outcome = self._outcome(each, target, state, now)
            if isinstance(outcome, Change):
                changes.append(outcome)
                state.keep(outcome)
                target = outcome.after
            logs.append(_logged(each, target, "" if isinstance(outcome, Change) else outcome.value))
        titles = {terms.id: terms.title for terms in state.book.offers.values()}
        record(conn, changes, Listeners(state.book.postbacks, titles, self._zone), state.counting, now)
        outbox.add(conn, logs, now)

    def _state(self, conn: Connection, ordered: Sequence[_Ordered]) -> _State:
        edits = [each.item for each in ordered if isinstance(each.item, Edit)]
        imports = [each for each in ordered if isinstance(each.item, Import)]
        items = [each.item for each in imports if isinstance(each.item, Import)]
        by_id = find_by_id(conn, {edit.conversion_id for edit in edits})
        by_identity = find_by_identity(conn, {each.identity for each in imports})
        by_id |= {item.id: item for item in by_identity.values()}
        by_identity |= {(item.offer_id, item.goal, item.identity): item for item in by_id.values()}
        book = find_book(
            conn,
            {item.offer_id for item in items} | {item.offer_id for item in by_id.values()},
            {item.affiliate_id for item in items} | {item.affiliate_id for item in by_id.values()},
            self._zone,
            lock=True,
        )
        currencies = currencies_of(list(book.offers.values()), [], self._currency)
        currencies |= {edit.currency for edit in edits if edit.currency is not None}
        times = [item.created_at for item in by_id.values()] + [each.task.created_at for each in imports]
        known = exchange_rates.find_rates(
            conn, self._currency, currencies, min(times, default=0), max(times, default=0)
        )
        moved = [by_id[edit.conversion_id] for edit in edits if edit.is_counted and edit.conversion_id in by_id]
        places = [each.place for each in imports] + [(item.offer_id, item.traits) for item in moved]
        return _State(book, known, by_id, by_identity, Counting(conn, book.offers, places))

    @staticmethod
    def _target(each: _Ordered, state: _State) -> Conversion | None:
        if isinstance(each.item, Edit):
            return state.by_id.get(each.item.conversion_id)
        return state.by_identity.get(each.identity)

    def _outcome(self, each: _Ordered, target: Conversion | None, state: _State, now: int) -> Change | Fault:
        item, task = each.item, each.task
        if isinstance(item, Edit):
            if target is None:
                return Fault.NO_CONVERSION
            offer = state.book.offers.get(target.offer_id)
            known = state.rates.at(target.created_at)
            return edited(target, item, offer.hold_days if offer else 0, known, task.created_at, task.actor)
        offer = state.book.offers[item.offer_id]
        terms = Terms(
            offer=offer,
            affiliate_status="active",
            advertiser_secure=None,
            platform_secure=None,
            platform_currency=self._currency,
            rates=state.rates.at(task.created_at),
            counts=state.counting.counts,
            referral=state.book.referrals.get(item.affiliate_id, NO_REFERRAL),
        )
        click = each.click if item.click is not None else each.click | {"advertiser": offer.advertiser_id}
        return imported(item, each.facts, click, terms, target, new_id(now), task.actor)

    def _ordered(self, task: Task) -> _Ordered:
        call_id = new_id(task.created_at)
        if task.kind == "edit":
            edit = msgspec.convert(task.item, Edit)
            return _Ordered(task, edit, _call(task, call_id, {}), {})
        item = msgspec.convert(task.item, Import)
        click = self._click(task, item) if item.click is None else item.click
        return _Ordered(task, item, _call(task, call_id, item.params | {"clickid": click["id"]}), click)

    def _open_visitors(self) -> Visitors:
        now = self._clock.now_ms()
        if self._visitors is None:  # opened by the first import: most workers never see one
            self._visitors = Visitors(self._databases, addresses=1000, agents=500)
        elif now - self._refreshed_at < REFRESH_MS:
            return self._visitors
        else:
            self._visitors.refresh()
        self._refreshed_at = now
        return self._visitors

    def _click(self, task: Task, item: Import) -> dict[str, Any]:
        """The click that an import gets of its own: of the time of the request, with what its ip and ua say."""
        visitors = self._open_visitors()
        agent, place = visitors.agent(item.ua), visitors.place(item.ip)
        click: dict[str, Any] = {field.name: 0 if field.type is int else "" for field in msgspec.structs.fields(Click)}
        return click | {
            "time": task.created_at,
            "id": new_click_id(task.created_at, IMPORT_EDGE),
            "offer": item.offer_id,
            "affiliate": item.affiliate_id,
            "ip": item.ip,
            "country": place.country,
            "region": str(place.region_id or ""),
            "city_id": place.city_id,
            "city": place.city,
            "isp": place.isp,
            "connection": place.connection,
            "ua": item.ua,
            "os": agent.os,
            "os_version": agent.os_version,
            "device": agent.device,
            "brand": agent.brand,
            "device_model": agent.model,
            "browser": agent.browser,
            "browser_version": agent.browser_version,
        }


_NESTED = ("click", "custom_fields")
"""Parts of an import that the log shows by what they hold."""


def _call(task: Task, call_id: str, params: Mapping[str, str]) -> Call:
    """A task in the form of an inbound call, for its record in the log."""
    item = task.item | {f"custom_field_{n}": text for n, text in task.item.get("custom_fields", {}).items()}
    if item.get("click") is not None:
        item["click_id"] = item["click"]["id"]
    said = {name: value for name, value in item.items() if value not in (None, "") and name not in _NESTED}
    return Call(
        time=task.created_at,
        id=call_id,
        source=task.kind,
        method=task.kind.upper(),
        ip="",
        ua="",
        query=urlencode({"by": task.actor} | said),
        body="",
        params=dict(params),
    )


def _logged(each: _Ordered, target: Conversion | None, response: str) -> outbox.OutboxRow:
    call, click = each.call, each.click
    if target is not None:
        sent = {"clickid": target.click_id, "goal": target.goal, "action_id": target.action_id}
        status = each.item.status or target.status
        call = msgspec.structs.replace(call, params=sent | {"status": str(status.shown.number)})
        click = dict(target.click)
    return log_row(call, "", 0, revision=1, response=response, click=click or None, conversion=target)
