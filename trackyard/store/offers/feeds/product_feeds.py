"""Product feeds and their products (docs/spec/offers.md#product-feeds)."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, fields, replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select

from trackyard.domain.offers.feeds.product_feeds import ProductFeed, ProductItem, StoredItem
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import offer, product_feed, product_item

_ROWS: Final = Rows[ProductFeed, str](product_feed, ProductFeed)
add_feed = _ROWS.add
find_feed = _ROWS.find
edit_feed = _ROWS.edit
_FIELDS: Final = tuple(each.name for each in fields(ProductItem))


def list_feeds(conn: Connection, *, page: int, limit: int) -> tuple[list[ProductFeed], int]:
    """Return a page of the feeds, by name, and the total."""
    query = select(product_feed).order_by(func.lower(product_feed.c.name), product_feed.c.id)
    return _ROWS.read_page(conn, query, page, limit)


def list_due(conn: Connection, now_ms: int, limit: int) -> list[ProductFeed]:
    """Return feeds that are due to be read, the longest due first."""
    columns = product_feed.c
    query = select(product_feed).where(_is_due(now_ms)).order_by(columns.next_read_at, columns.id)
    return _ROWS.read(conn, query.limit(limit))


def claim_due(conn: Connection, feed_id: str, now_ms: int, until_ms: int) -> ProductFeed | None:
    """Claim a feed that is due until a time; None where it is not due any more.

    Of several workers one gets it.
    """
    query = select(product_feed).where(_is_due(now_ms), product_feed.c.id == feed_id)
    row = conn.execute(query.with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    edit_feed(conn, row.id, {"claimed_until": until_ms})
    return replace(_ROWS.entity(row), claimed_until=until_ms)


def remove_feed(conn: Connection, feed_id: str) -> None:
    """Remove a feed and its products."""
    _remove_items(conn, feed_id)
    _ROWS.remove(conn, feed_id)


def offers_with(conn: Connection, feed_ids: Collection[str]) -> dict[str, int]:
    """Return the number of offers with each of these feeds; 0 is absent."""
    named = offer.c.product_feed_id
    query = select(named, func.count()).where(named.in_(set(feed_ids)), offer.c.removed_at.is_(None))
    return dict(conn.execute(query.group_by(named)).all())


def offers_naming(conn: Connection, feed_id: str) -> set[int]:
    """Return the offers with a feed."""
    query = select(offer.c.id).where(offer.c.product_feed_id == feed_id, offer.c.removed_at.is_(None))
    return set(conn.execute(query).scalars())


def advertisers_naming(conn: Connection, feed_id: str) -> set[str]:
    """Return the advertisers that have offers with a feed."""
    query = select(offer.c.advertiser_id).where(offer.c.product_feed_id == feed_id, offer.c.removed_at.is_(None))
    return set(conn.execute(query.distinct()).scalars())


def replace_items(conn: Connection, feed_id: str, new: Iterable[StoredItem]) -> None:
    """Store the products of a feed in the place of the earlier ones."""
    _remove_items(conn, feed_id)
    rows = [
        {"id": each.id, "feed_id": feed_id, "place": place, **asdict(each.item)}
        for place, each in enumerate(new, start=1)
    ]
    if rows:
        conn.execute(insert(product_item), rows)


def item_ids(conn: Connection, feed_id: str) -> dict[str, str]:
    """Return the ids of the products of a feed by sku."""
    columns = product_item.c
    rows = conn.execute(select(columns.sku, columns.id).where(columns.feed_id == feed_id))
    return dict(rows.all())


def list_items(conn: Connection, feed_id: str, *, page: int, limit: int) -> tuple[list[StoredItem], int]:
    """Return a page of the products of a feed in the order of its file, and the total."""
    columns: Any = product_item.c
    shown = (columns.id, *(columns[name] for name in _FIELDS))
    query = select(*shown).where(columns.feed_id == feed_id).order_by(columns.place)
    rows, total = read_page(conn, query, page, limit)
    return [StoredItem(row.id, ProductItem(**{name: row._mapping[name] for name in _FIELDS})) for row in rows], total


def _is_due(now_ms: int) -> ColumnElement[bool]:
    columns = product_feed.c
    is_free = or_(columns.claimed_until.is_(None), columns.claimed_until <= now_ms)
    return and_(columns.next_read_at <= now_ms, is_free)


def _remove_items(conn: Connection, feed_id: str) -> None:
    conn.execute(delete(product_item).where(product_item.c.feed_id == feed_id))
