"""Offers (docs/api/offers.md). A removed offer stays for its clicks and conversions: names are found, the offer is
not."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, delete, exists, insert, or_, select, tuple_, update

from trackyard.base.ids import is_hex24
from trackyard.domain.offers.choices import OfferStatus, Privacy
from trackyard.domain.offers.lists import OfferName
from trackyard.domain.offers.offers import (
    OFFER_FIELDS,
    Label,
    Offer,
    labels_of,
    offer_of,
    sort_columns_of,
    stored_columns,
)
from trackyard.domain.people.scope import Scope
from trackyard.store.tables import connection, offer, offer_label

Document = dict[str, Any]

_NAMES = sorted(OFFER_FIELDS)
_COLUMNS = [offer.c[name] for name in _NAMES]


def add_offer(conn: Connection, fields: Mapping[str, Any]) -> Offer:
    """Stores a new offer of these fields (those without a default at least; no id), with what lists filter by."""
    draft = Offer(id=0, **fields)
    columns = stored_columns({name: value for name, value in msgspec.structs.asdict(draft).items() if name != "id"})
    statement = insert(offer).values(**columns, **sort_columns_of(draft)).returning(offer.c.id)
    made = msgspec.structs.replace(draft, id=int(conn.execute(statement).scalar_one()))
    _write_labels(conn, made.id, frozenset(), labels_of(made))
    return made


def edit_offer(conn: Connection, before: Offer, changes: Mapping[str, Any]) -> Offer:
    """Writes the changed fields and no others; the offer after them. `before` was read with `lock` in this
    transaction, so that what follows from several fields (sort keys, labels) follows from what is stored."""
    after = msgspec.structs.replace(before, **changes)
    columns = stored_columns(dict(changes)) | sort_columns_of(after)
    conn.execute(update(offer).where(offer.c.id == before.id).values(**columns))
    _write_labels(conn, before.id, labels_of(before), labels_of(after))
    return after


def update_offers(conn: Connection, offer_ids: Iterable[int], columns: Mapping[str, Any]) -> None:
    """Gives many offers the same values of columns from which nothing follows: no labels, no sort keys."""
    conn.execute(update(offer).where(offer.c.id.in_(set(offer_ids))).values(**columns))


def remove_offers(conn: Connection, offer_ids: Iterable[int], now_ms: int) -> None:
    """Takes offers out of every list; their rows stay for their clicks and conversions."""
    wanted = set(offer_ids)
    conn.execute(update(offer).where(offer.c.id.in_(wanted)).values(removed_at=now_ms, updated_at=now_ms))
    conn.execute(delete(offer_label).where(offer_label.c.offer_id.in_(wanted)))


def find_offer(conn: Connection, scope: Scope, reference: int | str, *, lock: bool = False) -> Offer | None:
    """The offer of an id (integer, also as text, or 24 hex digits); None when there is none, it was removed, or its
    advertiser is out of scope. `lock`: nobody else changes it until this transaction ends; rows that refer to it
    are still written."""
    statement = select(*_COLUMNS).where(_is(reference), offer.c.removed_at.is_(None))
    row = conn.execute(statement.with_for_update(key_share=True) if lock else statement).one_or_none()
    if row is None or not scope.has_advertiser(row.advertiser_id):
        return None
    return offer_of(dict(zip(_NAMES, row, strict=True)))


def list_by_id(conn: Connection, scope: Scope, ids: Iterable[int], *, lock: bool = False) -> list[Offer]:
    """The offers of these ids that are there and in scope, in the order of ids; `lock` as of find_offer."""
    statement = select(*_COLUMNS).where(offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None)).order_by(offer.c.id)
    rows = conn.execute(statement.with_for_update(key_share=True) if lock else statement)
    return [offer_of(dict(zip(_NAMES, row, strict=True))) for row in rows if scope.has_advertiser(row.advertiser_id)]


def removed_among(conn: Connection, scope: Scope, ids: Iterable[int]) -> set[int]:
    """Those of the ids that were in scope and are removed."""
    statement = select(offer.c.id, offer.c.advertiser_id).where(
        offer.c.id.in_(set(ids)), offer.c.removed_at.isnot(None)
    )
    return {row.id for row in conn.execute(statement) if scope.has_advertiser(row.advertiser_id)}


def existing_titles(conn: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Those of the ids that exist and were not removed, with their title."""
    present = offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None)
    rows = conn.execute(select(offer.c.id, offer.c.title).where(*present))
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


def all_titles(conn: Connection) -> dict[int, str]:
    """Return the titles of all offers by id; removed offers are among them."""
    return {row.id: row.title for row in conn.execute(select(offer.c.id, offer.c.title))}


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[int]:
    """The offers that have any of the tags."""
    wanted = set(tags)
    rows = conn.execute(select(offer.c.id, offer.c.tags))
    return {row.id for row in rows if wanted.intersection(row.tags)}


def is_visible(conn: Connection, offer_id: int, affiliate_id: int | None) -> bool:
    """Whether the offer exists and an affiliate may know of it (None: staff, who may). One that is private or not
    active is for the connected alone."""
    return bool(visible_among(conn, [offer_id], affiliate_id))


def visible_among(conn: Connection, ids: Iterable[int], affiliate_id: int | None) -> set[int]:
    """Those of the ids that are visible as `is_visible` says."""
    query = select(offer.c.id).where(offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None))
    if affiliate_id is not None:
        of_affiliate = connection.c.affiliate_id == affiliate_id, connection.c.enabled
        connected = exists().where(connection.c.offer_id == offer.c.id, *of_affiliate)
        query = query.where(
            or_(connected, and_(offer.c.privacy != Privacy.PRIVATE, offer.c.status == OfferStatus.ACTIVE))
        )
    return set(conn.execute(query).scalars())


def offers_with(conn: Connection, kind: str, value: str) -> list[int]:
    """The offers filed under a value of a kind, by id; removed offers are filed under nothing."""
    query = select(offer_label.c.offer_id).where(offer_label.c.kind == kind, offer_label.c.value == value)
    return list(conn.execute(query.order_by(offer_label.c.offer_id)).scalars())


def _is(reference: int | str) -> Any:
    text = str(reference).lower()
    if is_hex24(text):  # also when every digit is decimal: no integer id has 24
        return offer.c.hash == text
    return offer.c.id == (int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0)


def _write_labels(conn: Connection, offer_id: int, before: frozenset[Label], after: frozenset[Label]) -> None:
    gone, new = before - after, after - before
    if gone:
        columns = tuple_(offer_label.c.kind, offer_label.c.value)
        conn.execute(delete(offer_label).where(offer_label.c.offer_id == offer_id, columns.in_(sorted(gone))))
    if new:
        rows = [{"kind": kind, "value": value, "offer_id": offer_id} for kind, value in sorted(new)]
        conn.execute(insert(offer_label), rows)
