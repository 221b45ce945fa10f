"""Postbacks of affiliates: the URLs that are called (docs/api/postbacks.md)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, select

from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import affiliate_postback


@dataclass(frozen=True, slots=True)
class NewPostback:
    """A postback to be stored.

    offer_id: None = global.
    status, goal: None = any.
    created_at, updated_at: UTC milliseconds.
    """

    affiliate_id: int
    offer_id: int | None
    url: str
    status: str | None
    goal: str | None
    forced: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPostback(NewPostback):
    """A stored postback.

    dead_in_row: deliveries that ended dead since the last one that was sent.
    paused_at: the time since when its deliveries wait (UTC milliseconds); None = they are made.
    """

    id: int
    dead_in_row: int = 0
    paused_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackFilter:
    """The postbacks of a list; all conditions must hold.

    offer_ids: none = any offer.
    only_global: without an offer alone.
    after_id: with a higher id alone.
    """

    affiliate_ids: tuple[int, ...]
    offer_ids: tuple[int, ...] = ()
    only_global: bool = False
    after_id: int = 0

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions."""
        columns = affiliate_postback.c
        found = [columns.affiliate_id.in_(self.affiliate_ids), columns.id > self.after_id]
        if self.offer_ids:
            found.append(columns.offer_id.in_(self.offer_ids))
        if self.only_global:
            found.append(columns.offer_id.is_(None))
        return found


_ROWS: Final = Rows[StoredPostback, int](affiliate_postback, StoredPostback)
add_postback = _ROWS.add_numbered
edit_postback = _ROWS.edit
remove_postback = _ROWS.remove
"""Queued deliveries are dropped when their time comes."""


def find_postback(conn: Connection, scope: Scope, postback_id: int, *, lock: bool = False) -> StoredPostback | None:
    """Return the postback of an id in scope, or None.

    lock: no other transaction changes it until the end of this one.
    """
    found = _ROWS.find(conn, postback_id, lock=lock)
    return found if found is not None and scope.has_affiliate(found.affiliate_id) else None


def list_postbacks(
    conn: Connection, criteria: PostbackFilter, page: int, limit: int
) -> tuple[list[StoredPostback], int]:
    """Return a page of postbacks, oldest first, and the total."""
    query = select(affiliate_postback).where(*criteria.conditions()).order_by(affiliate_postback.c.id)
    return _ROWS.read_page(conn, query, page, limit)


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
    """Remove the postbacks of affiliates in scope for these offers; return the number.

    Global ones stay.
    """
    columns = affiliate_postback.c
    gone = delete(affiliate_postback).where(columns.offer_id.in_(set(offer_ids)))
    return conn.execute(gone.where(*in_scope(scope, affiliate=columns.affiliate_id))).rowcount
