"""Lists of conversions within a caller's scope."""

from collections.abc import Sequence
from dataclasses import replace

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.names import EntityNames, names_in_conversions
from trackyard.base.errors import NotFound
from trackyard.domain.conversions.lists import ConversionFilter, ListedConversion
from trackyard.domain.people.callers import Access
from trackyard.domain.people.staff import Staff
from trackyard.store.conversions import lists
from trackyard.store.conversions.lists import FAR_FUTURE_MS
from trackyard.store.engine.database import Connection
from trackyard.store.money.affiliate_payments import payment_statuses_of
from trackyard.store.people import affiliates, staff


def list_visible_conversions(
    deps: Deps, access: Access, chosen: ConversionFilter, *, page: int, limit: int
) -> tuple[list[ListedConversion], int, EntityNames]:
    """Return a page of conversions, the number of all, and names."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found, total = lists.list_conversions(conn, scope, chosen, page=page, limit=limit)
        return with_payments(conn, found), total, _names_in_conversions(conn, found)


def with_payments(conn: Connection, found: Sequence[ListedConversion]) -> list[ListedConversion]:
    """Return conversions with the states of their payments."""
    paid = payment_statuses_of(conn, [item.id for item in found])
    return [replace(item, in_payment=paid.get(item.id)) for item in found]


def get_conversion(
    deps: Deps, access: Access, conversion_id: str
) -> tuple[ListedConversion, EntityNames, Staff | None]:
    """Return a conversion in the caller's scope, names, and the manager of its affiliate.

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


def _names_in_conversions(conn: Connection, found: Sequence[ListedConversion]) -> EntityNames:
    offer_ids, affiliate_ids = {item.offer_id for item in found}, {item.affiliate_id for item in found}
    return names_in_conversions(conn, EntityNames(), offer_ids, affiliate_ids, {item.advertiser_id for item in found})
