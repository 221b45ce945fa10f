"""SmartLink categories: groups of offers behind one link (docs/api/smartlinks.md)."""

from collections.abc import Iterable
from dataclasses import asdict

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from trackyard.domain.offers.categories import SmartLink
from trackyard.domain.offers.choices import OfferStatus, Privacy
from trackyard.store.tables import connection, offer, offer_label, smartlink_category

LABEL_KIND = "smartlink"


def add_smartlink(conn: Connection, new: SmartLink) -> None:
    """Stores a new one."""
    conn.execute(insert(smartlink_category).values(**asdict(new)))


def find_smartlink(conn: Connection, smartlink_id: str, *, lock: bool = False) -> SmartLink | None:
    """The category of an id; `lock`: nobody else changes it until this transaction ends."""
    statement = select(smartlink_category).where(smartlink_category.c.id == smartlink_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else SmartLink(**row._mapping)


def list_smartlinks(conn: Connection, ids: Iterable[str] | None = None) -> list[SmartLink]:
    """All of them, or those of these ids, oldest first."""
    query = select(smartlink_category).order_by(smartlink_category.c.created_at, smartlink_category.c.id)
    if ids is not None:
        query = query.where(smartlink_category.c.id.in_(set(ids)))
    return [SmartLink(**row._mapping) for row in conn.execute(query)]


def edit_smartlink(
    conn: Connection, smartlink_id: str, name: str, domain_id: int | None, description: str | None, now_ms: int
) -> None:
    """Sets what staff may change."""
    values = {"name": name, "domain_id": domain_id, "description": description, "updated_at": now_ms}
    conn.execute(update(smartlink_category).where(smartlink_category.c.id == smartlink_id).values(**values))


def remove_smartlink(conn: Connection, smartlink_id: str) -> None:
    """Removes it; offers that name it are the caller's to change in the same transaction."""
    conn.execute(delete(smartlink_category).where(smartlink_category.c.id == smartlink_id))


def offer_counts(conn: Connection, ids: Iterable[str]) -> dict[str, int]:
    """By category how many offers are in it; those without any are absent."""
    rows = conn.execute(
        select(offer_label.c.value, func.count().label("number"))
        .where(offer_label.c.kind == LABEL_KIND, offer_label.c.value.in_(set(ids)))
        .group_by(offer_label.c.value)
    )
    return {row.value: int(row.number) for row in rows}


def smartlinks_of_offers(conn: Connection, offer_ids: Iterable[int]) -> list[str]:
    """The categories that hold any of these offers."""
    columns = offer_label.c
    query = select(columns.value).distinct().where(columns.kind == LABEL_KIND, columns.offer_id.in_(set(offer_ids)))
    return list(conn.execute(query.order_by(columns.value)).scalars())


def count_visible(conn: Connection, smartlink_id: str, affiliate_id: int) -> int:
    """How many active offers of a category an affiliate may know of: private ones only when it is connected."""
    link = and_(connection.c.offer_id == offer.c.id, connection.c.affiliate_id == affiliate_id, connection.c.enabled)
    query = (
        select(func.count())
        .select_from(offer_label.join(offer, offer.c.id == offer_label.c.offer_id).outerjoin(connection, link))
        .where(offer_label.c.kind == LABEL_KIND, offer_label.c.value == smartlink_id)
        .where(offer.c.removed_at.is_(None), offer.c.status == OfferStatus.ACTIVE)
        .where(or_(offer.c.privacy != Privacy.PRIVATE, connection.c.offer_id.is_not(None)))
    )
    return int(conn.execute(query).scalar_one())
