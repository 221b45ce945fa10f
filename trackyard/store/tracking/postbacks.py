"""Postbacks of affiliates: the URLs that are called (docs/api/postbacks.md)."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, delete, func, select

from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.postbacks import PostbackFilter, StoredPostback
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import affiliate_postback

_ROWS: Final = Rows[StoredPostback, int](affiliate_postback, StoredPostback)
add_postback = _ROWS.add_numbered
edit_postback = _ROWS.edit
remove_postback = _ROWS.remove
"""Queued deliveries are dropped when their time comes."""


def find_postback(conn: Connection, scope: Scope, postback_id: int, *, lock: bool = False) -> StoredPostback | None:
    """Return the postback of an id in scope, or None; `lock` works as in `Rows.find`."""
    found = _ROWS.find(conn, postback_id, lock=lock)
    return found if found is not None and scope.has_affiliate(found.affiliate_id) else None


def list_postbacks(
    conn: Connection, criteria: PostbackFilter, page: int, limit: int
) -> tuple[list[StoredPostback], int]:
    """Return a page of postbacks, oldest first, and the total."""
    columns = affiliate_postback.c
    conditions = [columns.affiliate_id.in_(criteria.affiliate_ids), columns.id > criteria.after_id]
    if criteria.offer_ids:
        conditions.append(columns.offer_id.in_(criteria.offer_ids))
    if criteria.only_global:
        conditions.append(columns.offer_id.is_(None))
    query = select(affiliate_postback).where(*conditions).order_by(affiliate_postback.c.id)
    return _ROWS.read_page(conn, query, page, limit)


def count_of_affiliate(conn: Connection, affiliate_id: int) -> int:
    """Return the number of an affiliate's postbacks."""
    counted = select(func.count()).where(affiliate_postback.c.affiliate_id == affiliate_id)
    return conn.execute(counted).scalar_one()


def offers_with(conn: Connection, scope: Scope, offer_ids: Iterable[int]) -> set[int]:
    """Return the offers for which an affiliate in scope has a postback, of these."""
    columns = affiliate_postback.c
    found = select(columns.offer_id).where(columns.offer_id.in_(set(offer_ids)))
    return set(conn.execute(found.where(*in_scope(scope, affiliate=columns.affiliate_id)).distinct()).scalars())


def existing_postbacks(conn: Connection, postback_ids: Iterable[int]) -> set[int]:
    """Return the postbacks that exist, of these."""
    found = select(affiliate_postback.c.id).where(affiliate_postback.c.id.in_(set(postback_ids)))
    return set(conn.execute(found).scalars())


def remove_of_affiliates(conn: Connection, affiliate_ids: Iterable[int]) -> int:
    """Remove every postback of these affiliates; return the number."""
    gone = affiliate_postback.c.affiliate_id.in_(set(affiliate_ids))
    return conn.execute(delete(affiliate_postback).where(gone)).rowcount


def remove_of_offers(conn: Connection, scope: Scope, offer_ids: Iterable[int]) -> int:
    """Remove the postbacks of affiliates in scope for these offers; return the number. Global ones stay."""
    columns = affiliate_postback.c
    gone = delete(affiliate_postback).where(columns.offer_id.in_(set(offer_ids)))
    return conn.execute(gone.where(*in_scope(scope, affiliate=columns.affiliate_id))).rowcount
