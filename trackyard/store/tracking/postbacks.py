"""Postbacks of affiliates: the URLs that are called (docs/api/postbacks.md)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.tables import affiliate_postback


@dataclass(frozen=True, slots=True)
class NewPostback:
    """A new row. offer_id None = global; status, goal None = any; times UTC ms."""

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
    """A row of the table. dead_in_row: deliveries that ended dead since the last that was sent.

    paused_at: since when (UTC ms) its deliveries wait, None = they are made.
    """

    id: int
    dead_in_row: int = 0
    paused_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackFilter:
    """Which postbacks; all conditions must hold. offer_ids: none = any offer.

    only_global: those without an offer; after_id: those with a higher id.
    """

    affiliate_ids: tuple[int, ...]
    offer_ids: tuple[int, ...] = ()
    only_global: bool = False
    after_id: int = 0

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return them."""
        columns = affiliate_postback.c
        found = [columns.affiliate_id.in_(self.affiliate_ids), columns.id > self.after_id]
        if self.offer_ids:
            found.append(columns.offer_id.in_(self.offer_ids))
        if self.only_global:
            found.append(columns.offer_id.is_(None))
        return found


def add_postback(conn: Connection, new: NewPostback) -> int:
    """The new postback's id."""
    statement = insert(affiliate_postback).values(**asdict(new)).returning(affiliate_postback.c.id)
    return int(conn.execute(statement).scalar_one())


def find_postback(conn: Connection, scope: Scope, postback_id: int, *, lock: bool = False) -> StoredPostback | None:
    """Return a postback in scope; None when there is none. `lock`: until this transaction ends."""
    statement = select(affiliate_postback).where(affiliate_postback.c.id == postback_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    if row is None or not scope.has_affiliate(row.affiliate_id):
        return None
    return StoredPostback(**row._mapping)


def list_postbacks(
    conn: Connection, criteria: PostbackFilter, page: int, limit: int
) -> tuple[list[StoredPostback], int]:
    """A page of postbacks, oldest first, and how many there are."""
    conditions = criteria.conditions()
    query = select(affiliate_postback).where(*conditions).order_by(affiliate_postback.c.id)
    rows, total = read_page(conn, query, page, limit)
    return [StoredPostback(**row._mapping) for row in rows], total


def offers_with(conn: Connection, scope: Scope, offer_ids: Iterable[int]) -> set[int]:
    """Those of the offers for which an affiliate in scope has a postback."""
    columns = affiliate_postback.c
    found = select(columns.offer_id).where(columns.offer_id.in_(set(offer_ids)), *_within(scope)).distinct()
    return {int(number) for number in conn.execute(found).scalars()}


def existing_postbacks(conn: Connection, postback_ids: Iterable[int]) -> set[int]:
    """Those of the postbacks that are there."""
    found = select(affiliate_postback.c.id).where(affiliate_postback.c.id.in_(set(postback_ids)))
    return set(conn.execute(found).scalars())


def edit_postback(conn: Connection, postback_id: int, values: dict[str, Any]) -> None:
    """Sets columns of a postback."""
    conn.execute(update(affiliate_postback).where(affiliate_postback.c.id == postback_id).values(**values))


def remove_postback(conn: Connection, postback_id: int) -> None:
    """Removes it. Calls that are queued are dropped when their time comes."""
    conn.execute(delete(affiliate_postback).where(affiliate_postback.c.id == postback_id))


def remove_of_affiliates(conn: Connection, affiliate_ids: Iterable[int]) -> int:
    """Removes every postback of these affiliates; how many."""
    gone = affiliate_postback.c.affiliate_id.in_(set(affiliate_ids))
    return conn.execute(delete(affiliate_postback).where(gone)).rowcount


def remove_of_offers(conn: Connection, scope: Scope, offer_ids: Iterable[int]) -> int:
    """Removes the postbacks that affiliates in scope have for these offers; how many. Global ones stay."""
    gone = affiliate_postback.c.offer_id.in_(set(offer_ids)), *_within(scope)
    return conn.execute(delete(affiliate_postback).where(*gone)).rowcount


def _within(scope: Scope) -> list[ColumnElement[bool]]:
    if scope.affiliate_ids is None:
        return []
    return [affiliate_postback.c.affiliate_id.in_(scope.affiliate_ids)]
