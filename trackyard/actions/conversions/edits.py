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
from trackyard.domain.conversions.edits import ConversionEdit, ConversionImport, ZeroCause, find_zero_cause
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.offers.payments import find_payment
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

    advertiser_id: those of other advertisers do not exist; None = of any.
    chosen: selects those that match, instead of ids; None = ids do.
    """

    ids: Sequence[str] = ()
    action_ids: Sequence[str] = ()
    clickids: Sequence[str] = ()
    advertiser_id: str | None = None
    chosen: ConversionFilter | None = None


def queue_edit(deps: Deps, access: Access, selection: ConversionSelection, edit: ConversionEdit) -> list[str]:
    """Queue `edit` for each selected conversion; return their ids, oldest first.

    edit: its conversion_id is ignored.
    Raises BadInput for ids without a conversion in scope, and for a currency without a rate.
    """
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        found = _selected(conn, scope, selection)
        faults = _missing_faults(selection, found) | _rate_faults(deps, conn, edit.currency, found)
        faults |= _number_faults(selection, len(found))
        if faults:
            raise BadInput(faults)
        items = [_document(msgspec.structs.replace(edit, conversion_id=item.id)) for item in found]
        edits.add_tasks(conn, "edit", access.caller.name, items, deps.clock.now_ms())
    return [item.id for item in found]


def _selected(conn: Connection, scope: Scope, selection: ConversionSelection) -> list[ConversionReference]:
    """Return the selected conversions, oldest first; of those that match one more than may be edited."""
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


def queue_imports(deps: Deps, access: Access, items: Mapping[str, ImportItem]) -> ZeroCauses:
    """Queue conversions to be made, all or none, in their order; return those that count with 0.

    items: by the prefix of a parameter's name in the request, `list[0]` or "".
    Raises BadInput for offers, affiliates and clicks that do not exist or are out of scope, and for those that would
    count with 0 and must not.
    """
    loaded = _recorded_clicks(deps, items)
    with deps.database.write() as conn:
        clicks = _with_made_clicks(conn, loaded, items)
        faults = find_import_faults(conn, scope_of(conn, access), clicks, items)
        if faults:
            raise BadInput(faults)
        zeros = _find_zero_causes(deps, conn, clicks, items)
        faults = {
            _name(prefix, cause): [f"{cause.sentence().capitalize()}."]
            for prefix, cause in zeros.items()
            if not items[prefix].item.takes_zero
        }
        if faults:
            raise BadInput(faults)
        documents = [
            _document(msgspec.structs.replace(each.item, click=clicks[each.click_id]) if each.click_id else each.item)
            for each in items.values()
        ]
        edits.add_tasks(conn, "import", access.caller.name, documents, deps.clock.now_ms())
    return zeros


def _find_zero_causes(
    deps: Deps, conn: Connection, clicks: ClickRecords, items: Mapping[str, ImportItem]
) -> ZeroCauses:
    """Return why imports count with 0 by the payments of today, by their prefix."""
    now, visitors = deps.clock.now_ms(), deps.visitors()
    named = {each.item.offer_id for each in items.values()}, {each.item.affiliate_id for each in items.values()}
    terms = get_decision_context(conn, *named, deps.zone).offers
    found: ZeroCauses = {}
    for prefix, each in items.items():
        offer, item = terms[each.item.offer_id], each.item
        click = clicks.get(each.click_id) or imported_click(visitors, item, item.at or now)
        goal = item.as_postback("", now, click["id"]).goal
        payment = find_payment(offer.payments, offer.personal_payments, item.affiliate_id, goal, click)
        if (cause := find_zero_cause(item, payment)) is not None:
            found[prefix] = cause
    return found


def find_import_clicks(deps: Deps, conn: Connection, items: Mapping[str, ImportItem]) -> ClickRecords:
    """Return the clicks that imports name, by id."""
    return _with_made_clicks(conn, _recorded_clicks(deps, items), items)


def find_import_faults(conn: Connection, scope: Scope, clicks: ClickRecords, items: Mapping[str, ImportItem]) -> Faults:
    """Return the faults of offers, affiliates and clicks that do not exist or are out of scope."""
    return _import_faults(conn, scope, items) | _click_faults(clicks, items)


def _recorded_clicks(deps: Deps, items: Mapping[str, ImportItem]) -> ClickRecords:
    wanted = {each.click_id for each in items.values() if each.click_id}
    loaded = find_records(deps.analytics, sorted(wanted))
    return {click_id: msgspec.structs.asdict(decode_click(record)) for click_id, record in loaded.items()}


def _with_made_clicks(conn: Connection, loaded: ClickRecords, items: Mapping[str, ImportItem]) -> ClickRecords:
    """Return clicks with those that earlier imports made, which are only in SQL."""
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
        if value not in present
    }


def _rate_faults(deps: Deps, conn: Connection, currency: str | None, found: Sequence[ConversionReference]) -> Faults:
    if currency is None or not found:
        return {}
    times = [item.created_at for item in found]
    known = exchange_rates.get_rates(conn, deps.currency, {currency}, min(times), max(times))
    missing_rates = [item.id for item in found if currency not in known.at(item.created_at)]
    return {"currency": [f"There is no rate for {currency} on the day of {missing_rates[0]}."]} if missing_rates else {}


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


def zero_warnings(zeros: ZeroCauses, *, is_own: bool = False) -> list[str]:
    """Return a sentence for each cause, with the first imports by name."""
    sentences = []
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
