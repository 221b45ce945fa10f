"""SmartLink categories: groups of offers behind one link (docs/api/smartlinks.md)."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, and_, func, or_, select

from trackyard.domain.offers.categories import SmartLink
from trackyard.domain.offers.choices import LISTED, Privacy
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import connection, offer, offer_label, smartlink_category

LABEL_KIND = "smartlink"

_ROWS: Final = Rows[SmartLink, str](smartlink_category, SmartLink)
add_smartlink = _ROWS.add
find_smartlink = _ROWS.find
edit_smartlink = _ROWS.edit
remove_smartlink = _ROWS.remove


def list_smartlinks(conn: Connection, ids: Iterable[str] | None = None) -> list[SmartLink]:
    """Return all SmartLink categories, or the ones with these ids, oldest first."""
    query = select(smartlink_category).order_by(smartlink_category.c.created_at, smartlink_category.c.id)
    if ids is not None:
        query = query.where(smartlink_category.c.id.in_(set(ids)))
    return _ROWS.read(conn, query)


def offer_counts(conn: Connection, ids: Iterable[str]) -> dict[str, int]:
    """Return the number of offers by category; 0 is absent."""
    rows = conn.execute(
        select(offer_label.c.value, func.count())
        .where(offer_label.c.kind == LABEL_KIND, offer_label.c.value.in_(set(ids)))
        .group_by(offer_label.c.value)
    )
    return dict(rows.all())


def offers_of(conn: Connection, smartlink_id: str) -> list[int]:
    """Return the offers of a category, the oldest first."""
    columns = offer_label.c
    query = (
        select(columns.offer_id)
        .join(offer, offer.c.id == columns.offer_id)
        .where(columns.kind == LABEL_KIND, columns.value == smartlink_id, offer.c.removed_at.is_(None))
    )
    return list(conn.execute(query.order_by(columns.offer_id)).scalars())


def smartlinks_of_offers(conn: Connection, offer_ids: Iterable[int]) -> list[str]:
    """Return the categories that hold any of these offers."""
    columns = offer_label.c
    query = select(columns.value).distinct().where(columns.kind == LABEL_KIND, columns.offer_id.in_(set(offer_ids)))
    return list(conn.execute(query.order_by(columns.value)).scalars())


def count_visible(conn: Connection, smartlink_id: str, affiliate_id: int) -> int:
    """Return the number of active offers of a category that an affiliate may know.

    It knows a private one only when it is connected.
    """
    link = and_(connection.c.offer_id == offer.c.id, connection.c.affiliate_id == affiliate_id, connection.c.enabled)
    query = (
        select(func.count())
        .select_from(offer_label.join(offer, offer.c.id == offer_label.c.offer_id).outerjoin(connection, link))
        .where(offer_label.c.kind == LABEL_KIND, offer_label.c.value == smartlink_id)
        .where(offer.c.removed_at.is_(None), offer.c.status.in_(LISTED))
        .where(or_(offer.c.privacy != Privacy.PRIVATE, connection.c.offer_id.is_not(None)))
    )
    return int(conn.execute(query).scalar_one())
