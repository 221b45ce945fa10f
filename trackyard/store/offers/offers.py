"""Offers (docs/api/offers.md).

A removed offer stays for its clicks and conversions: its name is found, the offer is not.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, and_, delete, exists, insert, or_, select, tuple_, update

from trackyard.base.ids import is_hex24, is_number
from trackyard.domain.offers.choices import LISTED, Privacy
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
from trackyard.store.engine.rows import ids_with_tags as rows_with_tags
from trackyard.store.engine.rows import in_scope
from trackyard.store.tables import category, connection, domain, offer, offer_label, smartlink_category, source

Document = dict[str, Any]

_NAMES: Final = sorted(OFFER_FIELDS)
COLUMNS: Final = [offer.c[name] for name in _NAMES]
"""The columns of an Offer."""

_GROUPS: Final[dict[str, Table]] = {
    "sources": source,
    "categories": category,
    "smartlink_categories": smartlink_category,
    "domain_id": domain,
}
"""The tables of the ids in fields of offers."""


def add_offer(conn: Connection, draft: Offer) -> Offer:
    """Store a new offer with its labels and sort keys, and return it with its id.

    draft: its id is ignored.
    """
    columns = stored_columns({name: value for name, value in msgspec.structs.asdict(draft).items() if name != "id"})
    statement = insert(offer).values(**columns, **sort_columns_of(draft)).returning(offer.c.id)
    made = msgspec.structs.replace(draft, id=int(conn.execute(statement).scalar_one()))
    _write_labels(conn, made.id, frozenset(), labels_of(made))
    return made


def edit_offer(conn: Connection, before: Offer, changes: Mapping[str, Any]) -> Offer:
    """Store the changed fields alone, and return the offer with them.

    before: read with `lock` in this transaction, as labels and sort keys depend on several fields.
    """
    after = msgspec.structs.replace(before, **changes)
    columns = stored_columns(dict(changes)) | sort_columns_of(after)
    conn.execute(update(offer).where(offer.c.id == before.id).values(**columns))
    _write_labels(conn, before.id, labels_of(before), labels_of(after))
    return after


def update_offers(conn: Connection, offer_ids: Iterable[int], columns: Mapping[str, Any]) -> None:
    """Set columns of many offers that labels and sort keys do not depend on."""
    conn.execute(update(offer).where(offer.c.id.in_(set(offer_ids))).values(**columns))


def remove_offers(conn: Connection, offer_ids: Iterable[int], now_ms: int) -> None:
    """Remove offers from every list; their rows stay for their clicks and conversions."""
    wanted = set(offer_ids)
    conn.execute(update(offer).where(offer.c.id.in_(wanted)).values(removed_at=now_ms, updated_at=now_ms))
    conn.execute(delete(offer_label).where(offer_label.c.offer_id.in_(wanted)))


def find_offer(conn: Connection, scope: Scope, reference: int | str, *, lock: bool = False) -> Offer | None:
    """Return the offer of an id or hash in the scope of advertisers, or None.

    reference: an integer, also as text, or 24 hex digits.
    lock: no other transaction changes it until the end of this one; rows that refer to it can still be written.
    """
    statement = select(*COLUMNS).where(matches_reference(reference), offer.c.removed_at.is_(None))
    row = conn.execute(statement.with_for_update(key_share=True) if lock else statement).one_or_none()
    return None if row is None or not scope.has_advertiser(row.advertiser_id) else offer_of_row(row)


def offer_of_row(row: Iterable[Any]) -> Offer:
    """Return the offer of a row that begins with COLUMNS."""
    return offer_of(dict(zip(_NAMES, row, strict=False)))


def list_by_id(conn: Connection, scope: Scope, ids: Iterable[int], *, lock: bool = False) -> list[Offer]:
    """Return the offers of these ids that exist and are in scope, by id; `lock` works as in `find_offer`."""
    statement = select(*COLUMNS).where(offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None)).order_by(offer.c.id)
    rows = conn.execute(statement.with_for_update(key_share=True) if lock else statement)
    return [offer_of_row(row) for row in rows if scope.has_advertiser(row.advertiser_id)]


def removed_among(conn: Connection, scope: Scope, ids: Iterable[int]) -> set[int]:
    """Return the removed offers in scope, of these."""
    statement = select(offer.c.id, offer.c.advertiser_id).where(
        offer.c.id.in_(set(ids)), offer.c.removed_at.isnot(None)
    )
    return {row.id for row in conn.execute(statement) if scope.has_advertiser(row.advertiser_id)}


def existing_titles(conn: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the titles of offers by id; missing and removed offers are absent."""
    query = select(offer.c.id, offer.c.title).where(offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None))
    return dict(conn.execute(query).all())


def names_of(conn: Connection, ids: Iterable[int]) -> dict[int, OfferName]:
    """Return the names of offers by id; missing offers are absent, removed ones are included."""
    if not (wanted := set(ids)):
        return {}
    names = ("id", "hash", "title", "url_preview", "url", "external_offer_id", "landings")
    rows = conn.execute(select(*(offer.c[name] for name in names)).where(offer.c.id.in_(wanted)))
    return {number: OfferName(number, key, title, preview or "", *rest) for number, key, title, preview, *rest in rows}


def ids_of(conn: Connection, references: Iterable[str]) -> set[int]:
    """Return the ids of offers that are named by integer or by hash."""
    wanted = list(references)
    numbers = [int(text) for text in wanted if is_number(text) and len(text) < 10]
    rows = conn.execute(select(offer.c.id).where(or_(offer.c.id.in_(numbers), offer.c.hash.in_(wanted))))
    return set(rows.scalars())


def all_titles(conn: Connection) -> dict[int, str]:
    """Return the titles of all offers by id; removed offers are among them."""
    return dict(conn.execute(select(offer.c.id, offer.c.title)).all())


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[int]:
    """Return the offers that have any of the tags."""
    return rows_with_tags(conn, offer, tags)


def is_visible(conn: Connection, offer_id: int, affiliate_id: int | None) -> bool:
    """Return whether the offer exists and an affiliate may see it (None = staff, always).

    Only connected affiliates see a private or inactive offer.
    """
    return bool(visible_among(conn, [offer_id], affiliate_id))


def visible_among(conn: Connection, ids: Iterable[int], affiliate_id: int | None) -> set[int]:
    """Return the offers that are visible by the rule of `is_visible`, of these."""
    query = select(offer.c.id).where(offer.c.id.in_(set(ids)), offer.c.removed_at.is_(None))
    if affiliate_id is not None:
        query = query.where(*visible_offers(affiliate_id))
    return set(conn.execute(query).scalars())


def visible_offers(affiliate_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that an affiliate may see an offer, by the rule of `is_visible`."""
    of_affiliate = connection.c.affiliate_id == affiliate_id, connection.c.enabled
    connected = exists().where(connection.c.offer_id == offer.c.id, *of_affiliate)
    return (or_(connected, and_(offer.c.privacy != Privacy.PRIVATE, offer.c.status.in_(LISTED))),)


def each_payment(conn: Connection, scope: Scope, affiliate_id: int | None) -> Iterator[dict[str, Any]]:
    """Yield the stored payments of the offers in scope, the oldest offers first.

    affiliate_id: only offers and payments that this affiliate may see; None = staff see all.
    """
    columns = offer.c
    query = select(columns.payments, columns.partner_payments, columns.hide_payments)
    query = query.where(columns.removed_at.is_(None), *in_scope(scope, advertiser=columns.advertiser_id))
    if affiliate_id is not None:
        query = query.where(*visible_offers(affiliate_id))
    for payments, own, is_hidden in conn.execute(query.order_by(columns.id)):
        if affiliate_id is None:
            yield from (*payments, *own)
        elif not is_hidden:
            yield from (*payments, *(each for each in own if affiliate_id in each.get("partners", ())))


def offers_with(conn: Connection, kind: str, value: str) -> list[int]:
    """Return the offers with a label, by id; removed offers have none."""
    query = select(offer_label.c.offer_id).where(offer_label.c.kind == kind, offer_label.c.value == value)
    return list(conn.execute(query.order_by(offer_label.c.offer_id)).scalars())


def matches_reference(reference: int | str) -> ColumnElement[bool]:
    """Return the condition that an offer has this id, also as text, or this hash."""
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


def missing_ids(conn: Connection, field: str, ids: Collection[Any]) -> set[Any]:
    """Return the ids that do not exist in the table that `field` of an offer refers to, of these."""
    key = _GROUPS[field].c.id
    return set(ids) - set(conn.execute(select(key).where(key.in_(set(ids)))).scalars()) if ids else set()
