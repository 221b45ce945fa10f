"""Lists of conversions within a caller's scope."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.names import EntityNames, names_in_conversions
from trackyard.base.errors import NotFound
from trackyard.domain.conversions.lists import FAR_FUTURE_MS, ConversionFilter, ListedConversion
from trackyard.domain.money.payment_states import UNPAID
from trackyard.domain.money.statements import CONVERSION_LINES
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.domain.people.staff import Staff
from trackyard.store.conversions import lists
from trackyard.store.engine.database import Connection
from trackyard.store.money.payment_states import paid_sums_of
from trackyard.store.people import advertisers, affiliates, staff
from trackyard.store.platform.settings import hides_decline_reasons


def list_visible_conversions(
    deps: Deps, access: Access, chosen: ConversionFilter, *, page: int, limit: int
) -> tuple[list[ListedConversion], int, EntityNames]:
    """Return a page of conversions, the number of all, and the names of their entities."""
    with deps.database.read() as conn:
        scope, seen = scope_of(conn, access), as_seen(conn, access, chosen)
        found, total = lists.list_conversions(conn, scope, seen, page=page, limit=limit)
        if seen.hides_some:
            found = [_as_shown(item, seen) for item in found]
        return with_payments(conn, found), total, _names_in_conversions(conn, found)


def as_seen(conn: Connection, access: Access, chosen: ConversionFilter) -> ConversionFilter:
    """Return a filter with what the caller does not see: some statuses and reasons of declines."""
    if not isinstance(access.caller, AffiliateCaller):
        return chosen
    booked = chosen.booked
    if booked is not None:  # shares of its referrer are the referrer's
        lines = booked.lines.intersection(CONVERSION_LINES)
        booked = replace(booked, lines=lines, affiliates=frozenset({access.caller.id}))
    return replace(
        chosen,
        booked=booked,
        hidden_statuses=advertisers.ids_hiding_status(conn),
        hides_reasons=hides_decline_reasons(conn),
    )


def columns_as_seen(columns: Mapping[str, Sequence[Any]], seen: ConversionFilter) -> Mapping[str, Sequence[Any]]:
    """Return columns of conversions with the statuses and comments that the caller sees."""
    if not seen.hides_some:
        return columns
    stored = zip(columns["status"], columns["comment"], columns["advertiser_id"], strict=True)
    statuses, comments = zip(*(seen.shown(*each) for each in stored), strict=True)
    return {**columns, "status": statuses, "comment": comments}


def with_payments(conn: Connection, found: Sequence[ListedConversion]) -> list[ListedConversion]:
    """Return conversions with what payments pay of them."""
    paid = paid_sums_of(conn, [item.id for item in found])
    return [replace(item, paid=paid.get((item.id, item.currency), UNPAID)) for item in found]


def get_conversion(
    deps: Deps, access: Access, conversion_id: str
) -> tuple[ListedConversion, EntityNames, Staff | None]:
    """Return a conversion in the caller's scope, the names of its entities, and its affiliate's manager.

    Raises NotFound.
    """
    chosen = ConversionFilter(since=0, until=FAR_FUTURE_MS, ids=frozenset({conversion_id}))
    found, _, names = list_visible_conversions(deps, access, chosen, page=1, limit=1)
    if not found:
        raise NotFound
    [item] = found
    with deps.database.read() as conn:
        manager_id = affiliates.managers_of(conn, [item.affiliate_id]).get(item.affiliate_id)
        return item, names, None if manager_id is None else staff.find_staff(conn, manager_id)


def _as_shown(item: ListedConversion, seen: ConversionFilter) -> ListedConversion:
    status, comment = seen.shown(item.status, item.comment, item.advertiser_id)
    return replace(item, status=status, comment=comment)


def _names_in_conversions(conn: Connection, found: Sequence[ListedConversion]) -> EntityNames:
    offer_ids, affiliate_ids = {item.offer_id for item in found}, {item.affiliate_id for item in found}
    return names_in_conversions(conn, EntityNames(), offer_ids, affiliate_ids, {item.advertiser_id for item in found})
