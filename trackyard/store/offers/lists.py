"""Lists of offers: which, in what order, how many, and what their views name
(docs/api/offer-lists.md, docs/spec/offers.md#lists-of-offers).

The offers of a page are chosen from the columns of the index `ix_offer_listed` and from labels alone: an offer's own
row is wide and is read for the page only.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import ColumnElement, Connection, Text, and_, cast, func, or_, select

from trackyard.base.ids import is_hex24
from trackyard.domain.offers.choices import OfferStatus, Privacy
from trackyard.domain.offers.lists import ListedOffer, OfferFilters, OfferOrder, OfferPostback, TrackingDomain
from trackyard.domain.offers.offers import OFFER_FIELDS, OfferSchedule, offer_of
from trackyard.domain.offers.schedules import is_open
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import page_of
from trackyard.store.tables import (
    advertiser_blacklist,
    affiliate_postback,
    category,
    connection,
    domain,
    offer,
    offer_label,
    source,
)

_NAMES: Final = sorted(OFFER_FIELDS)
_COLUMNS: Final = [*(offer.c[name] for name in _NAMES), offer.c.cr, offer.c.epc]

SORTS: Final = {
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
"""What lists can be sorted by. An offer without a cap comes last in either direction."""

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
    """A page, and how many there are on all pages. conditions: of `filter_conditions` or `live_conditions`."""
    where = [offer.c.removed_at.is_(None), *_scoped(scope), *conditions]
    ids = page_of(select(offer.c.id).where(*where).order_by(*_order(order)), page, limit)
    wanted = list(conn.execute(ids).scalars())
    if page == 1 and len(wanted) < limit:
        return list_by_ids(conn, wanted), len(wanted)
    total = conn.execute(select(func.count()).select_from(offer).where(*where)).scalar_one()
    return list_by_ids(conn, wanted), int(total)


def count_offers(conn: Connection, scope: Scope, conditions: Sequence[ColumnElement[bool]]) -> int:
    """How many offers there are."""
    where = [offer.c.removed_at.is_(None), *_scoped(scope), *conditions]
    return int(conn.execute(select(func.count()).select_from(offer).where(*where)).scalar_one())


def find_listed(conn: Connection, scope: Scope, reference: str) -> ListedOffer | None:
    """The offer of an integer id or a hash; None when there is none in scope. An affiliate finds one that is not
    active only when it is connected to it."""
    conditions = [offer.c.removed_at.is_(None), _matches_reference(reference), *_scoped(scope)]
    if scope.affiliate_ids is not None:
        conditions.append(or_(offer.c.status == OfferStatus.ACTIVE, offer.c.id.in_(_connected(scope))))
    found = conn.execute(select(offer.c.id).where(*conditions)).scalar_one_or_none()
    return None if found is None else next(iter(list_by_ids(conn, [found])), None)


def list_by_ids(conn: Connection, ids: Sequence[int]) -> list[ListedOffer]:
    """The offers of ids, in their order; ids that somebody may see."""
    if not ids:
        return []
    rows = conn.execute(select(*_COLUMNS).where(offer.c.id.in_(ids)))
    found = {}
    for row in rows:
        *values, cr, epc = row
        made = offer_of(dict(zip(_NAMES, values, strict=True)))
        found[made.id] = ListedOffer(made, cr, epc)
    return [found[number] for number in ids if number in found]


def filter_conditions(filters: OfferFilters) -> list[ColumnElement[bool]]:
    """Return the conditions of filters; only active offers match unless `status` is among them."""
    caps = {name: values for name, values in filters.items() if name in _CAP_FILTERS}
    others = ({"status": frozenset({OfferStatus.ACTIVE})} | dict(filters)).items()
    conditions = [_FILTERS[name](values) for name, values in others if name not in _CAP_FILTERS]
    return conditions + _cap_conditions(caps)


def live_conditions(conn: Connection, scope: Scope, now_ms: int, zone: ZoneInfo) -> list[ColumnElement[bool]]:
    """The conditions of offers that the affiliate of the scope may send traffic to now: connected, or public and
    not taken off by hand; of no advertiser who refuses it; within their dates and schedule. zone: the platform's."""
    columns = offer.c
    refusing = select(advertiser_blacklist.c.advertiser_id).where(
        advertiser_blacklist.c.affiliate_id.in_(scope.affiliate_ids or ())
    )
    taken_off = select(connection.c.offer_id).where(
        connection.c.affiliate_id.in_(scope.affiliate_ids or ()), ~connection.c.enabled
    )
    conditions: list[ColumnElement[bool]] = [
        or_(columns.start_at.is_(None), columns.start_at <= now_ms),
        or_(columns.stop_at.is_(None), columns.stop_at > now_ms),
        or_(and_(columns.privacy == Privacy.PUBLIC, columns.id.not_in(taken_off)), columns.id.in_(_connected(scope))),
        columns.advertiser_id.not_in(refusing),
    ]
    closed = _closed_schedules(conn, now_ms, zone)
    if closed:
        shut = select(offer.c.id).where(offer.c.schedule.is_not(None), _SCHEDULE.in_(closed))
        conditions.append(columns.id.not_in(shut))
    return conditions


def connections_of(conn: Connection, affiliate_id: int, offer_ids: Iterable[int]) -> dict[int, bool]:
    """Whether the affiliate is connected, by offer; absent where nobody ever decided."""
    rows = conn.execute(
        select(connection.c.offer_id, connection.c.enabled).where(
            connection.c.affiliate_id == affiliate_id, connection.c.offer_id.in_(list(offer_ids))
        )
    )
    return {row.offer_id: row.enabled for row in rows}


def postbacks_of(conn: Connection, affiliate_id: int, offer_ids: Iterable[int]) -> dict[int, list[OfferPostback]]:
    """The affiliate's postbacks for these offers, by offer, oldest first."""
    columns = affiliate_postback.c
    rows = conn.execute(
        select(columns.offer_id, columns.id, columns.url, columns.status, columns.goal, columns.created_at)
        .where(columns.affiliate_id == affiliate_id, columns.offer_id.in_(list(offer_ids)))
        .order_by(columns.id)
    )
    found: dict[int, list[OfferPostback]] = {}
    for offer_id, *values in rows:
        found.setdefault(offer_id, []).append(OfferPostback(*values))
    return found


def category_titles(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Title by id, of those that exist."""
    rows = conn.execute(select(category.c.id, category.c.title).where(category.c.id.in_(set(ids))))
    return {row.id: row.title for row in rows}


def source_titles(conn: Connection, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Titles by language by id, of those that exist."""
    rows = conn.execute(select(source.c.id, source.c.title_lang).where(source.c.id.in_(set(ids))))
    return {row.id: row.title_lang for row in rows}


def tracking_domains(conn: Connection, ids: Iterable[int]) -> dict[int, TrackingDomain]:
    """Domains by id, of those that exist."""
    rows = conn.execute(select(domain.c.id, domain.c.url, domain.c.use_https).where(domain.c.id.in_(set(ids))))
    return {row.id: TrackingDomain(row.url, row.use_https) for row in rows}


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if scope.advertiser_ids is not None:
        conditions.append(offer.c.advertiser_id.in_(scope.advertiser_ids))
    if scope.affiliate_ids is not None:
        conditions.append(or_(offer.c.privacy != Privacy.PRIVATE, offer.c.id.in_(_connected(scope))))
    return conditions


def _connected(scope: Scope) -> Any:
    columns = connection.c
    return select(columns.offer_id).where(columns.affiliate_id.in_(scope.affiliate_ids or ()), columns.enabled)


def _labelled(kind: str, values: Iterable[str]) -> Any:
    return select(offer_label.c.offer_id).where(offer_label.c.kind == kind, offer_label.c.value.in_(list(values)))


def _cap_conditions(filters: OfferFilters) -> list[ColumnElement[bool]]:
    """Return the conditions of offers with one shown cap of such a type that names such a country."""
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
    "q": lambda texts: or_(*(_matches(text) for text in texts)),
    "updated_at": lambda moments: offer.c.updated_at >= min(moments),
}
"""Name of a filter → its condition. q: part of a title, an id or a hash · updated_at: since a moment, UTC ms."""

_CAP_FILTERS: Final = {"caps_type": "cap_type", "caps_country": "cap_country"}
"""Name of a filter of caps → its label; with both, one cap must match both."""


def _matches_reference(reference: str) -> ColumnElement[bool]:
    text = reference.lower()
    if is_hex24(text):
        return offer.c.hash == text
    return offer.c.id == (int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0)


def _order(order: OfferOrder) -> list[Any]:
    keys = [SORTS[name].desc() if descending else SORTS[name].asc() for name, descending in order]
    nullable = {"daily_cap", "total_cap"}
    keys = [key.nulls_last() if name in nullable else key for (name, _), key in zip(order, keys, strict=True)]
    return keys if any(name == "id" for name, _ in order) else [*keys, offer.c.id]


def _closed_schedules(conn: Connection, now_ms: int, zone: ZoneInfo) -> list[str]:
    """The schedules, as they are stored, that are closed now. Offers share few of them."""
    texts = conn.execute(select(_SCHEDULE).where(offer.c.schedule.is_not(None)).distinct()).scalars()
    return [text for text in texts if not is_open(_read_schedule(text), now_ms, zone)]
