"""Everything a decision on a batch of calls needs, in few statements for the whole batch."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, or_, select

from trackyard.domain.addresses import AddressLists, entries_of
from trackyard.domain.conversions import OfferTerms
from trackyard.domain.payments import payment_of
from trackyard.domain.postbacks import Postback
from trackyard.store import limits, settings
from trackyard.store.tables import advertiser, affiliate, affiliate_postback, offer


@dataclass(frozen=True, slots=True)
class AdvertiserTerms:
    """What a decision needs of an advertiser. `secure`: its own code or None · callers: who may call."""

    secure: str | None
    callers: AddressLists


@dataclass(frozen=True, slots=True)
class Book:
    """The installation as it is in one transaction, as far as some offers and affiliates go."""

    offers: Mapping[int, OfferTerms]
    affiliate_statuses: Mapping[int, str]
    advertisers: Mapping[str, AdvertiserTerms]
    platform_code: str | None
    postbacks: Sequence[Postback]


def find_book(
    conn: Connection,
    offer_ids: Collection[int],
    affiliate_ids: Collection[int],
    zone: ZoneInfo,
    *,
    lock: bool = False,
) -> Book:
    """What decisions on calls for these offers and affiliates, and the calls that follow from them, need.

    zone: the platform's · lock: nobody edits the offers until the end of the transaction, which counts by their caps.
    """
    offers = _offers(conn, offer_ids, zone, lock)
    statuses = conn.execute(select(affiliate.c.id, affiliate.c.status).where(affiliate.c.id.in_(affiliate_ids)))
    return Book(
        offers=offers,
        affiliate_statuses={row.id: row.status for row in statuses},
        advertisers=_advertisers(conn, {terms.advertiser_id for terms in offers.values()}),
        platform_code=settings.find_setting(conn, settings.HASH_PASSWORD),
        postbacks=_postbacks(conn, offer_ids, affiliate_ids),
    )


def _offers(conn: Connection, ids: Collection[int], zone: ZoneInfo, lock: bool) -> dict[int, OfferTerms]:
    columns = offer.c
    query = (
        select(
            columns.id,
            columns.advertiser_id,
            columns.title,
            columns.status,
            columns.removed_at,
            columns.payments,
            columns.partner_payments,
            columns.hold_period,
            columns.hash_password,
            columns.allowed_ip,
            columns.disallowed_ip,
            columns.click_session,
            columns.minimal_click_session,
            columns.reject_not_uniq_ip,
            *limits.COLUMNS,
        )
        .where(columns.id.in_(ids))
        .order_by(columns.id)
    )
    rows = conn.execute(query.with_for_update(read=True) if lock else query)
    return {
        row.id: OfferTerms(
            id=row.id,
            advertiser_id=row.advertiser_id,
            title=row.title,
            status=row.status if row.removed_at is None else "stopped",
            payments=tuple(payment_of(item) for item in row.payments),
            personal_payments=tuple(payment_of(item) for item in row.partner_payments),
            hold_days=row.hold_period,
            secure=row.hash_password or None,
            callers=AddressLists(entries_of(row.allowed_ip), entries_of(row.disallowed_ip)),
            caps=limits.caps_in(row, zone),
            ladders=limits.ladders_in(row, zone),
            session=row.click_session,
            min_session=row.minimal_click_session,
            unique_ip=row.reject_not_uniq_ip,
        )
        for row in rows
    }


def _advertisers(conn: Connection, ids: Collection[str]) -> dict[str, AdvertiserTerms]:
    columns = advertiser.c
    rows = conn.execute(
        select(columns.id, columns.hash_password, columns.allowed_ip, columns.disallowed_ip).where(columns.id.in_(ids))
    )
    return {
        row.id: AdvertiserTerms(
            secure=row.hash_password or None,
            callers=AddressLists(tuple(row.allowed_ip), tuple(row.disallowed_ip)),
        )
        for row in rows
    }


def _postbacks(conn: Connection, offer_ids: Collection[int], affiliate_ids: Collection[int]) -> list[Postback]:
    columns = affiliate_postback.c
    rows = conn.execute(
        select(columns.id, columns.affiliate_id, columns.offer_id, columns.url, columns.status, columns.goal)
        .where(columns.affiliate_id.in_(affiliate_ids))
        .where(or_(columns.offer_id.is_(None), columns.offer_id.in_(offer_ids)))
        .order_by(columns.id)
    )
    return [Postback(*row) for row in rows]


def list_sessions(conn: Connection) -> Sequence[str]:
    """Every click_session that offers have: clicks are kept for longer. Reads all offers."""
    return conn.execute(select(offer.c.click_session).where(offer.c.removed_at.is_(None)).distinct()).scalars().all()
