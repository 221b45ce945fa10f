"""Check edits and imports of conversions, and queue them durably for the worker.

docs/spec/conversions.md#edits-and-imports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from trackyard.actions.conversions.imported_clicks import imported_click
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.errors import BadInput
from trackyard.domain.conversions.edits import (
    ConversionEdit,
    ConversionImport,
    ZeroCause,
    find_zero_cause,
    is_too_large,
)
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.conversions.postbacks import action_id_forms
from trackyard.domain.money.exchange_rates import first_rate_warning
from trackyard.domain.offers.payments import Payment, find_payment
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.rejections import is_rejected
from trackyard.journal.records import decode_click
from trackyard.store.conversions import conversions, edits, lists
from trackyard.store.conversions.conversions import ConversionReference
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates
from trackyard.store.offers import offers
from trackyard.store.people import affiliates

MAX_CONVERSIONS: Final = 5000
"""Conversions that one request may edit: one action id can name many."""

Faults = dict[str, list[str]]
ClickRecords = dict[str, dict[str, Any]]
"""Records of clicks by column name, by id."""
ZeroCauses = dict[str, ZeroCause]
"""Why imports count with 0, by the prefix of their parameters."""


@dataclass(frozen=True, slots=True)
class ConversionSelection:
    """The conversions of any of these ids; each id must exist.

    advertiser_id: conversions of other advertisers do not exist; None = any advertiser.
    chosen: selects the matching conversions, instead of ids; None = the ids select.
    """

    ids: Sequence[str] = ()
    action_ids: Sequence[str] = ()
    clickids: Sequence[str] = ()
    advertiser_id: str | None = None
    chosen: ConversionFilter | None = None


@dataclass(frozen=True, slots=True)
class QueuedEdit:
    """The conversions of a queued edit, oldest first.

    is_early: whether some were made before the first known rate of their new currency.
    unpaid: how many count with 0, since no payment matched them.
    """

    ids: list[str]
    is_early: bool
    unpaid: int


def queue_edit(deps: Deps, access: Access, selection: ConversionSelection, edit: ConversionEdit) -> QueuedEdit:
    """Queue `edit` for each selected conversion.

    edit: its conversion_id is ignored.
    Raises BadInput for ids without a conversion in scope, for a currency without any rate, and for declined
    conversions that would count with 0 and must not.
    """
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        found = _selected(conn, scope, selection)
        is_early, faults = _judge_rate(deps, conn, edit.currency, found)
        unpaid = [each.id for each in found if edit.counts_with_zero(each)]
        faults |= _missing_faults(selection, found) | _number_faults(selection, len(found))
        if unpaid and not edit.takes_zero:
            faults["status"] = [f"{unpaid_sentence(len(unpaid))} The first is {unpaid[0]}."]
        if faults:
            raise BadInput(faults)
        items = [_document(msgspec.structs.replace(edit, conversion_id=item.id)) for item in found]
        edits.add_tasks(conn, "edit", access.caller.name, items, deps.clock.now_ms())
    return QueuedEdit([item.id for item in found], is_early, len(unpaid))


def unpaid_sentence(number: int) -> str:
    """Return that no payment matched conversions, and what to do."""
    return f"Conversions without a payment that matches: {number}. They count with 0 unless amounts are set."


def _selected(conn: Connection, scope: Scope, selection: ConversionSelection) -> list[ConversionReference]:
    """Return the selected conversions, oldest first. A filter returns at most one more than may be edited."""
    if selection.chosen is not None:
        return lists.list_references(conn, scope, selection.chosen, most=MAX_CONVERSIONS + 1)
    found = conversions.find_references(
        conn, scope, ids=set(selection.ids), action_ids=set(selection.action_ids), click_ids=set(selection.clickids)
    )
    if selection.advertiser_id is not None:
        found = [each for each in found if each.advertiser_id == selection.advertiser_id]
    return found


def _number_faults(selection: ConversionSelection, count: int) -> Faults:
    if selection.chosen is not None and not count:
        return {"params": ["No conversion matches these filters."]}
    if count <= MAX_CONVERSIONS:
        return {}
    most = f"one request may edit at most {MAX_CONVERSIONS}."
    if selection.chosen is not None:
        return {"params": [f"More conversions match; {most}"]}
    return {"ids": [f"These are {count} conversions; {most}"]}


@dataclass(frozen=True, slots=True)
class ImportItem:
    """A conversion to import. click_id: of the click that gives its dimensions, "" without one."""

    item: ConversionImport
    click_id: str = ""


@dataclass(frozen=True, slots=True)
class QueuedImports:
    """What is unusual about queued imports.

    zeros: why some count with 0. early: the currencies of conversions before the first known rate.
    """

    zeros: ZeroCauses
    early: frozenset[str]


def queue_imports(deps: Deps, access: Access, items: Mapping[str, ImportItem]) -> QueuedImports:
    """Queue conversions to be made, all or none, in their order.

    items: the imports by the prefix of their parameters in the request, `list[0]` or "".
    Raises BadInput for offers, affiliates and clicks that do not exist or are out of scope, for imports that must not
    count with 0 but would, for a currency without any rate and for amounts that are too large.
    """
    loaded = _recorded_clicks(deps, items)
    with deps.database.write() as conn:
        clicks = _with_made_clicks(conn, loaded, items)
        faults = find_import_faults(conn, scope_of(conn, access), clicks, items)
        if faults:
            raise BadInput(faults)
        payments = _find_payments(deps, conn, clicks, items)
        zeros = _zero_causes(items, payments)
        faults = {
            _name(prefix, cause): [f"{cause.sentence().capitalize()}."]
            for prefix, cause in zeros.items()
            if not items[prefix].item.takes_zero
        }
        early, rate_faults = _judge_rates(deps, conn, items, payments)
        if faults := faults | rate_faults:
            raise BadInput(faults)
        documents = [
            _document(msgspec.structs.replace(each.item, click=clicks[each.click_id]) if each.click_id else each.item)
            for each in items.values()
        ]
        edits.add_tasks(conn, "import", access.caller.name, documents, deps.clock.now_ms())
    return QueuedImports(zeros, early)


def _find_payments(
    deps: Deps, conn: Connection, clicks: ClickRecords, items: Mapping[str, ImportItem]
) -> dict[str, Payment | None]:
    """Return the payments of imports by the terms of today, by their prefix."""
    now, visitors = deps.clock.now_ms(), deps.visitors()
    named = {each.item.offer_id for each in items.values()}, {each.item.affiliate_id for each in items.values()}
    terms = get_decision_context(conn, *named, deps.zone).offers
    found: dict[str, Payment | None] = {}
    for prefix, each in items.items():
        offer, item = terms[each.item.offer_id], each.item
        click = clicks.get(each.click_id) or imported_click(visitors, item, item.at or now)
        goal = item.as_postback("", now, click["id"]).goal
        found[prefix] = find_payment(offer.payments, offer.personal_payments, item.affiliate_id, goal, click)
    return found


def _zero_causes(items: Mapping[str, ImportItem], payments: Mapping[str, Payment | None]) -> ZeroCauses:
    """Return why imports count with 0, by their prefix."""
    causes = {prefix: find_zero_cause(each.item, payments[prefix]) for prefix, each in items.items()}
    return {prefix: cause for prefix, cause in causes.items() if cause is not None}


def _judge_rates(
    deps: Deps, conn: Connection, items: Mapping[str, ImportItem], payments: Mapping[str, Payment | None]
) -> tuple[frozenset[str], Faults]:
    """Return the currencies of imports before their first known rate, and what cannot be made."""
    times = {prefix: each.item.at or deps.clock.now_ms() for prefix, each in items.items()}
    paid = {prefix: payment for prefix, payment in payments.items() if payment is not None}
    currencies = {payment.currency for payment in paid.values()}
    known = exchange_rates.get_rates(conn, deps.currency, currencies, min(times.values()), max(times.values()))
    faults: Faults = {}
    for prefix, payment in paid.items():
        rate = known.at(times[prefix]).get(payment.currency)
        if rate is None:
            faults[_name(prefix, "offer")] = [f"There is no rate for {payment.currency}, the currency of the payment."]
        elif is_too_large(items[prefix].item, payment, rate):
            faults[_name(prefix, "sum")] = ["The amounts are too large."]
    early = (each.currency for prefix, each in paid.items() if known.is_before_first(each.currency, times[prefix]))
    return frozenset(early), faults


def find_import_clicks(deps: Deps, conn: Connection, items: Mapping[str, ImportItem]) -> ClickRecords:
    """Return the clicks of imports by id."""
    return _with_made_clicks(conn, _recorded_clicks(deps, items), items)


def find_import_faults(conn: Connection, scope: Scope, clicks: ClickRecords, items: Mapping[str, ImportItem]) -> Faults:
    """Return the faults of offers, affiliates and clicks that do not exist or are out of scope."""
    return _import_faults(conn, scope, items) | _click_faults(clicks, items)


def _recorded_clicks(deps: Deps, items: Mapping[str, ImportItem]) -> ClickRecords:
    wanted = {each.click_id for each in items.values() if each.click_id}
    loaded = find_records(deps.analytics, sorted(wanted))
    return {click_id: msgspec.structs.asdict(decode_click(record)) for click_id, record in loaded.items()}


def _with_made_clicks(conn: Connection, loaded: ClickRecords, items: Mapping[str, ImportItem]) -> ClickRecords:
    """Return clicks, with the clicks that earlier imports made, which are only in SQL."""
    missing = {each.click_id for each in items.values() if each.click_id} - loaded.keys()
    return loaded | conversions.clicks_by_id(conn, missing)


def _missing_faults(selection: ConversionSelection, found: Sequence[ConversionReference]) -> Faults:
    groups = (
        ("ids", selection.ids, {item.id for item in found}),
        ("action_ids", selection.action_ids, {item.action_id for item in found}),
        ("clickids", selection.clickids, {item.click_id for item in found}),
    )
    return {
        f"{name}[{place}]": [f"There is no conversion {value}."]
        for name, values, present in groups
        for place, value in enumerate(values)
        if present.isdisjoint(action_id_forms([value]) if name == "action_ids" else [value])
    }


def _judge_rate(
    deps: Deps, conn: Connection, currency: str | None, found: Sequence[ConversionReference]
) -> tuple[bool, Faults]:
    """Return whether some conversions are older than the first rate of a currency, and its faults."""
    if currency is None or not found:
        return False, {}
    times = [item.created_at for item in found]
    known = exchange_rates.get_rates(conn, deps.currency, {currency}, min(times), max(times))
    if currency not in known.at(max(times)):
        return False, {"currency": [f"There is no rate for {currency}."]}
    return known.is_before_first(currency, min(times)), {}


def _import_faults(conn: Connection, scope: Scope, items: Mapping[str, ImportItem]) -> Faults:
    existing_offers = {
        offer.id for offer in offers.list_by_id(conn, scope, {each.item.offer_id for each in items.values()})
    }
    known = set(affiliates.names_of(conn, {each.item.affiliate_id for each in items.values()}))
    faults: Faults = {}
    for prefix, each in items.items():
        if each.item.offer_id not in existing_offers:
            faults[_name(prefix, "offer")] = [f"An offer {each.item.offer_id} does not exist."]
        if each.item.affiliate_id not in known or not scope.has_affiliate(each.item.affiliate_id):
            faults[_name(prefix, "pid")] = [f"An affiliate {each.item.affiliate_id} does not exist."]
    return faults


def _click_faults(clicks: Mapping[str, Mapping[str, Any]], items: Mapping[str, ImportItem]) -> Faults:
    faults: Faults = {}
    for prefix, each in items.items():
        click = clicks.get(each.click_id)
        if not each.click_id:
            continue
        if click is None or (click["offer"], click["affiliate"]) != (each.item.offer_id, each.item.affiliate_id):
            sentence = f"A click {each.click_id} of this offer and affiliate does not exist."
            faults[_name(prefix, "click_id")] = [sentence]
        elif is_rejected(click["reason"]):
            faults[_name(prefix, "click_id")] = [f"The click {each.click_id} was rejected: {click['reason']}."]
        elif each.item.country not in ("", click["country"]):
            faults[_name(prefix, "country")] = ["The click has a country already: leave this out."]
    return faults


def import_warnings(queued: QueuedImports, *, is_own: bool = False) -> list[str]:
    """Return sentences about imports that count with 0, the first ones by name, and about rates."""
    zeros = queued.zeros
    sentences = [first_rate_warning(queued.early)] if queued.early else []
    for cause in ZeroCause:
        named = [prefix for prefix, each in zeros.items() if each is cause]
        if named:
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            place = f"[{', '.join(named[:_NAMED])}{more}] " if named[0] else ""
            missing, _, remedy = cause.sentence(is_own=is_own).partition(": ")
            sentences.append(f"{place}{missing.capitalize()}: counted with 0. {remedy.capitalize()}.")
    return sentences


_NAMED: Final = 5
"""Imports that a warning names."""


def _name(prefix: str, name: str) -> str:
    return f"{prefix}[{name}]" if prefix else name


def _document(item: ConversionEdit | ConversionImport) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(item)
    return document
