"""Offers (spec: Offer)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, insert, or_, select

from trackyard.domain.scope import Scope
from trackyard.store.tables import connection, offer

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewOffer:
    """What a new row holds. Times UTC ms · hash: the id of 24 hex digits · payments: items by their wire names,
    amounts as text · landings: {id, title, url, url_preview, type}."""

    hash: str
    advertiser_id: str
    title: str
    url: str
    url_preview: str | None
    trafficback_url: str | None
    macro_url: str | None
    cross_postback_url: str | None
    status: str
    privacy: str
    payments: list[Document]
    partner_payments: list[Document]
    landings: list[Document]
    hold_period: int
    click_session: str
    minimal_click_session: str
    hash_password: str | None
    allowed_ip: str
    disallowed_ip: str
    external_offer_id: str
    bundle_id: str
    notes: str | None
    note_aff: str | None
    note_sales: str | None
    description_lang: dict[str, str]
    tags: list[str]
    is_top: bool
    start_at: int | None
    stop_at: int | None
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Offer(NewOffer):
    """A row of the table."""

    id: int


@dataclass(frozen=True, slots=True)
class OfferName:
    """How an offer is shown beside a figure. `landings`: the stored items."""

    id: int
    hash: str
    title: str
    preview_url: str
    url: str
    external_id: str
    landings: list[Document]


def add_offer(conn: Connection, new: NewOffer) -> int:
    """The new offer's id."""
    return int(conn.execute(insert(offer).values(**asdict(new)).returning(offer.c.id)).scalar_one())


def find_offer(conn: Connection, scope: Scope, offer_id: int) -> Offer | None:
    """The offer of an id; None when there is none whose advertiser is in scope."""
    columns = [offer.c[each.name] for each in fields(Offer)]
    row = conn.execute(select(*columns).where(offer.c.id == offer_id)).one_or_none()
    return None if row is None or not scope.has_advertiser(row.advertiser_id) else Offer(**row._mapping)


def existing(conn: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Those of the ids that exist, with their title."""
    rows = conn.execute(select(offer.c.id, offer.c.title).where(offer.c.id.in_(set(ids))))
    return {row.id: row.title for row in rows}


def names_of(conn: Connection, ids: Iterable[int]) -> dict[int, OfferName]:
    """Names by id, of those that exist."""
    columns = (
        offer.c.id,
        offer.c.hash,
        offer.c.title,
        offer.c.url_preview,
        offer.c.url,
        offer.c.external_offer_id,
        offer.c.landings,
    )
    rows = conn.execute(select(*columns).where(offer.c.id.in_(set(ids))))
    return {
        row.id: OfferName(
            row.id, row.hash, row.title, row.url_preview or "", row.url, row.external_offer_id, row.landings
        )
        for row in rows
    }


def ids_of(conn: Connection, references: Iterable[str]) -> set[int]:
    """The ids of offers named by integer or by hash."""
    wanted = list(references)
    numbers = [int(text) for text in wanted if text.isdecimal() and len(text) < 10]
    rows = conn.execute(select(offer.c.id).where(or_(offer.c.id.in_(numbers), offer.c.hash.in_(wanted))))
    return set(rows.scalars())


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[int]:
    """The offers that have any of the tags."""
    wanted = set(tags)
    rows = conn.execute(select(offer.c.id, offer.c.tags))
    return {row.id for row in rows if wanted.intersection(row.tags)}


def is_visible(conn: Connection, offer_id: int, affiliate_id: int | None) -> bool:
    """Whether the offer exists and an affiliate may know of it (None: staff, who may). A private one is for the
    connected alone."""
    privacy = conn.execute(select(offer.c.privacy).where(offer.c.id == offer_id)).scalar_one_or_none()
    if privacy is None or affiliate_id is None or privacy != "private":
        return privacy is not None
    link = select(connection.c.enabled).where(
        connection.c.offer_id == offer_id, connection.c.affiliate_id == affiliate_id
    )
    return bool(conn.execute(link).scalar_one_or_none())
