"""Lists of offers: which, in what order, how many, and what their views name
(docs/api/offer-lists.md, docs/spec/offers.md#lists-of-offers).

The offers of a page are chosen from the columns of the index `ix_offer_listed` and from labels alone: an offer's own
row is wide and is read for the page only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import ColumnElement, Connection, Text, and_, cast, func, or_, select

from trackyard.base.ids import is_hex24
from trackyard.domain.offers.offers import OFFER_FIELDS, Offer, OfferSchedule, OfferStatus, Privacy, offer_of
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
"""What lists can be sorted by. An offer without a cap stands last, however it is sorted."""

_SCHEDULE: Final = cast(offer.c.schedule, Text)
_read_schedule: Final = msgspec.json.Decoder(OfferSchedule, strict=False).decode

Order = Sequence[tuple[str, bool]]
"""Names of SORTS, each with whether it descends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferFilter:
    """Which offers; None and "" ask nothing, an empty set lets nothing pass.

    text: part of the title, or the whole id or hash · countries, categories, systems (lower-case names of operating
    systems), smartlinks: offers that name any of them · updated_since: UTC ms · cap_types, cap_countries: offers
    whose caps are not hidden, with one of such a type that names such a country.
    """

    text: str = ""
    hashes: frozenset[str] | None = None
    ids: frozenset[int] | None = None
    countries: frozenset[str] | None = None
    categories: frozenset[str] | None = None
    systems: frozenset[str] | None = None
    smartlinks: frozenset[str] | None = None
    statuses: frozenset[str] = frozenset({OfferStatus.ACTIVE})
    advertisers: frozenset[str] | None = None
    privacies: frozenset[str] | None = None
    updated_since: int | None = None
    is_top: frozenset[bool] | None = None
    bundle_ids: frozenset[str] | None = None
    cap_types: frozenset[str] | None = None
    cap_countries: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ListedOffer:
    """An offer with the figures of its last 30 days: cr in percent, epc in the platform currency."""

    offer: Offer
    cr: Decimal
    epc: Decimal


@dataclass(frozen=True, slots=True)
class TrackingDomain:
    """A host that tracking links begin with."""

    url: str
    use_https: bool


@dataclass(frozen=True, slots=True)
class OfferPostback:
    """A postback of an affiliate for one offer; status, goal None = any."""

    id: int
    url: str
    status: str | None
    goal: str | None
    created_at: int


def list_offers(
    conn: Connection, scope: Scope, conditions: Sequence[ColumnElement[bool]], order: Order, *, page: int, limit: int
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


def filter_conditions(criteria: OfferFilter) -> list[ColumnElement[bool]]:
    """The conditions of a filter."""
    columns = offer.c
    conditions: list[ColumnElement[bool]] = [columns.status.in_(criteria.statuses)]
    among: tuple[tuple[Any, frozenset[Any] | None], ...] = (
        (columns.id, criteria.ids),
        (columns.hash, criteria.hashes),
        (columns.advertiser_id, criteria.advertisers),
        (columns.privacy, criteria.privacies),
        (columns.is_top, criteria.is_top),
        (columns.bundle_id, criteria.bundle_ids),
    )
    conditions += [column.in_(values) for column, values in among if values is not None]
    labels = (
        ("country", criteria.countries),
        ("category", criteria.categories),
        ("os", criteria.systems),
        ("smartlink", criteria.smartlinks),
    )
    conditions += [columns.id.in_(_labelled(kind, values)) for kind, values in labels if values is not None]
    conditions += _cap_conditions(criteria)
    if criteria.text:
        conditions.append(_matches(criteria.text))
    if criteria.updated_since is not None:
        conditions.append(columns.updated_at >= criteria.updated_since)
    return conditions


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


def _cap_conditions(criteria: OfferFilter) -> list[ColumnElement[bool]]:
    if criteria.cap_types is None and criteria.cap_countries is None:
        return []
    shown = [~offer.c.hide_caps]
    if criteria.cap_countries is None:
        return [*shown, offer.c.id.in_(_labelled("cap_type", criteria.cap_types or ()))]
    if criteria.cap_types is None:
        return [*shown, offer.c.id.in_(_labelled("cap_country", criteria.cap_countries))]
    both = [f"{kind} {country}" for kind in criteria.cap_types for country in criteria.cap_countries]
    return [*shown, offer.c.id.in_(_labelled("cap", both))]


def _matches(text: str) -> ColumnElement[bool]:
    title = offer.c.title.icontains(text, autoescape=True)
    if is_hex24(text.lower()):
        return or_(title, offer.c.id.in_(select(offer.c.id).where(offer.c.hash == text.lower())))
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return or_(title, offer.c.id == int(text))
    return title


def _matches_reference(reference: str) -> ColumnElement[bool]:
    text = reference.lower()
    if is_hex24(text):
        return offer.c.hash == text
    return offer.c.id == (int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0)


def _order(order: Order) -> list[Any]:
    keys = [SORTS[name].desc() if descending else SORTS[name].asc() for name, descending in order]
    nullable = {"daily_cap", "total_cap"}
    keys = [key.nulls_last() if name in nullable else key for (name, _), key in zip(order, keys, strict=True)]
    return keys if any(name == "id" for name, _ in order) else [*keys, offer.c.id]


def _closed_schedules(conn: Connection, now_ms: int, zone: ZoneInfo) -> list[str]:
    """The schedules, as they are stored, that are closed now. Offers share few of them."""
    texts = conn.execute(select(_SCHEDULE).where(offer.c.schedule.is_not(None)).distinct()).scalars()
    return [text for text in texts if not is_open(_read_schedule(text), now_ms, zone)]
