"""Lists of offers, and the names that their views show.

docs/api/offer-lists.md, docs/spec/offers.md#lists-of-offers. The offers of a page are chosen from the columns of the
index `ix_offer_listed` and from labels alone: the row of an offer is wide and is read for the page only.
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import ColumnElement, Connection, Text, and_, case, cast, func, or_, select

from trackyard.base.ids import is_hex24
from trackyard.domain.offers.choices import LISTED, Privacy
from trackyard.domain.offers.lists import ListedOffer, OfferFilters, OfferOrder
from trackyard.domain.offers.offers import OfferSchedule
from trackyard.domain.offers.schedules import is_open
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.domains import Domain
from trackyard.store.engine.dialect import page_of, read_page
from trackyard.store.engine.rows import in_scope
from trackyard.store.offers.offers import COLUMNS, matches_reference, offer_of_row
from trackyard.store.people import blacklist
from trackyard.store.tables import (
    category,
    connection,
    domain,
    offer,
    offer_label,
    source,
)

SORTS: Final[dict[str, ColumnElement[Any]]] = {
    "id": offer.c.id,
    "title": offer.c.title,
    "cr": offer.c.cr,
    "epc": offer.c.epc,
    "is_top": offer.c.is_top,
    "created": offer.c.created_at,
    "revenue": offer.c.top_payout,
    "daily_cap": offer.c.day_cap,
    "total_cap": offer.c.total_cap,
}
"""What lists can be sorted by. Offers without a cap are last in either direction."""

_SORTS_OF_AFFILIATES: Final[dict[str, ColumnElement[Any]]] = SORTS | {
    "revenue": case((offer.c.hide_payments, 0), else_=offer.c.top_payout),
    "daily_cap": case((offer.c.hide_caps, None), else_=offer.c.day_cap),
    "total_cap": case((offer.c.hide_caps, None), else_=offer.c.total_cap),
}
"""The same for affiliates: the order must not show hidden payments and caps."""

FilterCondition = Callable[[frozenset[Any]], ColumnElement[bool]]

_SCHEDULE: Final = cast(offer.c.schedule, Text)
_read_schedule: Final = msgspec.json.Decoder(OfferSchedule, strict=False).decode


def list_offers(
    conn: Connection,
    scope: Scope,
    conditions: Sequence[ColumnElement[bool]],
    order: OfferOrder,
    *,
    page: int,
    limit: int,
) -> tuple[list[ListedOffer], int]:
    """Return a page and the total. conditions: of `filter_conditions` or `live_conditions`."""
    ids = page_of(select(offer.c.id).where(*_scoped(scope), *conditions).order_by(*_order(scope, order)), page, limit)
    wanted = list(conn.execute(ids).scalars())
    if page == 1 and len(wanted) < limit:
        return list_by_ids(conn, wanted), len(wanted)
    return list_by_ids(conn, wanted), count_offers(conn, scope, conditions)


def list_titles(
    conn: Connection,
    scope: Scope,
    conditions: Sequence[ColumnElement[bool]],
    order: OfferOrder,
    *,
    page: int,
    limit: int,
) -> tuple[dict[int, str], int]:
    """Return titles by id, and the total, with the filters of `list_offers`."""
    query = select(offer.c.id, offer.c.title).where(*_scoped(scope), *conditions).order_by(*_order(scope, order))
    rows, total = read_page(conn, query, page, limit)
    return {row.id: row.title for row in rows}, total


def count_offers(conn: Connection, scope: Scope, conditions: Sequence[ColumnElement[bool]]) -> int:
    """Return the number of offers in scope that meet the conditions."""
    query = select(func.count()).select_from(offer).where(*_scoped(scope), *conditions)
    return int(conn.execute(query).scalar_one())


def count_by_label(conn: Connection, scope: Scope, kind: str, values: Iterable[str]) -> dict[str, int]:
    """Return the number of offers in scope with each of these labels, of every status."""
    wanted = list(values)
    query = (
        select(offer_label.c.value, func.count())
        .join(offer, offer.c.id == offer_label.c.offer_id)
        .where(offer_label.c.kind == kind, offer_label.c.value.in_(wanted), *_scoped(scope))
        .group_by(offer_label.c.value)
    )
    return dict.fromkeys(wanted, 0) | dict(conn.execute(query).all())


def find_listed(conn: Connection, scope: Scope, reference: str) -> ListedOffer | None:
    """Return the offer of an integer id or a hash in scope, or None.

    An affiliate finds an inactive offer only when it is connected to it.
    """
    conditions = [matches_reference(reference), *_scoped(scope)]
    if scope.affiliate_ids is not None:
        conditions.append(or_(offer.c.status.in_(LISTED), offer.c.id.in_(_connected(scope))))
    found = conn.execute(select(offer.c.id).where(*conditions)).scalar_one_or_none()
    return None if found is None else next(iter(list_by_ids(conn, [found])), None)


def list_by_ids(conn: Connection, ids: Sequence[int]) -> list[ListedOffer]:
    """Return the offers of ids in their order; the caller may see them."""
    if not ids:
        return []
    rows = conn.execute(select(*COLUMNS, offer.c.cr, offer.c.epc).where(offer.c.id.in_(ids)))
    found = {row.id: ListedOffer(offer_of_row(row), row.cr, row.epc) for row in rows}
    return [found[number] for number in ids if number in found]


def get_metrics(conn: Connection, offer_id: int) -> tuple[Decimal, Decimal]:
    """Return the cr and epc of the last 30 days of an existing offer."""
    cr, epc = conn.execute(select(offer.c.cr, offer.c.epc).where(offer.c.id == offer_id)).one()
    return cr, epc


def filter_conditions(filters: OfferFilters) -> list[ColumnElement[bool]]:
    """Return the conditions of filters; without `status`, offers have a status that lists show."""
    caps = {name: values for name, values in filters.items() if name in _CAP_FILTERS}
    others = ({"status": frozenset(LISTED)} | dict(filters)).items()
    conditions = [_FILTERS[name](values) for name, values in others if name not in _CAP_FILTERS]
    return conditions + _cap_conditions(caps)


def live_conditions(conn: Connection, scope: Scope, now_ms: int, zone: ZoneInfo) -> list[ColumnElement[bool]]:
    """Return the conditions of offers that the affiliate of the scope may send traffic to now.

    The affiliate is connected, or the offer is public and the affiliate was not disconnected by hand. The advertiser
    does not reject the affiliate. The offer is within its dates and schedule.
    zone: the platform's.
    """
    columns = offer.c
    rejecting, choosing = blacklist.refusing_advertisers(scope.affiliate_ids or ())
    removed = select(connection.c.offer_id).where(
        connection.c.affiliate_id.in_(scope.affiliate_ids or ()), ~connection.c.enabled
    )
    conditions: list[ColumnElement[bool]] = [
        or_(columns.start_at.is_(None), columns.start_at <= now_ms),
        or_(columns.stop_at.is_(None), columns.stop_at > now_ms),
        or_(columns.id.in_(_connected(scope)), and_(columns.privacy == Privacy.PUBLIC, columns.id.not_in(removed))),
        columns.advertiser_id.not_in(rejecting),
        columns.advertiser_id.not_in(choosing),
    ]
    closed = _closed_schedules(conn, now_ms, zone)
    if closed:
        shut = select(offer.c.id).where(offer.c.schedule.is_not(None), _SCHEDULE.in_(closed))
        conditions.append(columns.id.not_in(shut))
    return conditions


def category_titles(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of existing categories by id."""
    if not (wanted := set(ids)):
        return {}
    query = select(category.c.id, category.c.title).where(category.c.id.in_(wanted))
    return dict(conn.execute(query).all())


def source_titles(conn: Connection, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the titles of existing sources: by id, then by language."""
    if not (wanted := set(ids)):
        return {}
    query = select(source.c.id, source.c.title_lang).where(source.c.id.in_(wanted))
    return dict(conn.execute(query).all())


def tracking_domains(conn: Connection, ids: Iterable[int]) -> dict[int, Domain]:
    """Return the existing domains by id."""
    if not (wanted := set(ids)):
        return {}
    rows = conn.execute(select(domain).where(domain.c.id.in_(wanted)))
    return {row.id: Domain(**row._mapping) for row in rows}


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    """Return the conditions of offers in scope that were not removed."""
    conditions = [offer.c.removed_at.is_(None), *in_scope(scope, advertiser=offer.c.advertiser_id)]
    if scope.affiliate_ids is not None:
        conditions.append(or_(offer.c.privacy != Privacy.PRIVATE, offer.c.id.in_(_connected(scope))))
    return conditions


def _connected(scope: Scope) -> Any:
    columns = connection.c
    return select(columns.offer_id).where(columns.affiliate_id.in_(scope.affiliate_ids or ()), columns.enabled)


def _labelled(kind: str, values: Iterable[str]) -> Any:
    return select(offer_label.c.offer_id).where(offer_label.c.kind == kind, offer_label.c.value.in_(list(values)))


def _cap_conditions(filters: OfferFilters) -> list[ColumnElement[bool]]:
    """Return the conditions of offers with one shown cap of this type for this country."""
    if not filters:
        return []
    kind = "cap" if len(filters) == len(_CAP_FILTERS) else _CAP_FILTERS[next(iter(filters))]
    values = {" ".join(parts) for parts in product(*(filters[name] for name in _CAP_FILTERS if name in filters))}
    return [~offer.c.hide_caps, offer.c.id.in_(_labelled(kind, values))]


def _matches(text: str) -> ColumnElement[bool]:
    title = offer.c.title.icontains(text, autoescape=True)
    if is_hex24(text.lower()):
        return or_(title, offer.c.id.in_(select(offer.c.id).where(offer.c.hash == text.lower())))
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return or_(title, offer.c.id == int(text))
    return title


def _any_of(column: ColumnElement[Any]) -> FilterCondition:
    return lambda values: column.in_(values)


def _any_label(kind: str) -> FilterCondition:
    return lambda values: offer.c.id.in_(_labelled(kind, values))


_FILTERS: Final[dict[str, FilterCondition]] = {
    "status": _any_of(offer.c.status),
    "int_id": _any_of(offer.c.id),
    "ids": _any_of(offer.c.hash),
    "advertiser": _any_of(offer.c.advertiser_id),
    "privacy": _any_of(offer.c.privacy),
    "is_top": _any_of(offer.c.is_top),
    "bundle_id": _any_of(offer.c.bundle_id),
    "countries": _any_label("country"),
    "categories": _any_label("category"),
    "os": _any_label("os"),
    "smartlink_categories": _any_label("smartlink"),
    "sources": _any_label("source"),
    "q": lambda texts: or_(*(_matches(text) for text in texts)),
    "updated_at": lambda moments: offer.c.updated_at >= min(moments),
}
"""The conditions of filters by name.

q: a part of a title, an id or a hash.
updated_at: since a moment, UTC milliseconds.
"""

_CAP_FILTERS: Final = {"caps_type": "cap_type", "caps_country": "cap_country"}
"""The labels of filters of caps by name; with both, one cap must match both."""


def _order(scope: Scope, order: OfferOrder) -> list[Any]:
    sorts = SORTS if scope.sees_charge else _SORTS_OF_AFFILIATES
    keys = [sorts[name].desc() if descending else sorts[name].asc() for name, descending in order]
    nullable = {"daily_cap", "total_cap"}
    keys = [key.nulls_last() if name in nullable else key for (name, _), key in zip(order, keys, strict=True)]
    return keys if any(name == "id" for name, _ in order) else [*keys, offer.c.id]


def _closed_schedules(conn: Connection, now_ms: int, zone: ZoneInfo) -> list[str]:
    """Return the stored schedules that are closed now. Offers share few of them."""
    texts = conn.execute(select(_SCHEDULE).where(offer.c.schedule.is_not(None)).distinct()).scalars()
    return [text for text in texts if not is_open(_read_schedule(text), now_ms, zone)]
