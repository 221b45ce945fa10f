"""Advertisers (docs/api/advertisers.md#get-adminadvertiserid)."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.tables import advertiser, offer, staff

SORTS: Final = {"_id": advertiser.c.id, "title": advertiser.c.title, "email": func.coalesce(advertiser.c.email, "")}
"""What lists can be sorted by."""


def add_advertiser(conn: Connection, new: Advertiser) -> None:
    """Store a new advertiser."""
    conn.execute(insert(advertiser).values(**asdict(new)))


def edit_advertiser(conn: Connection, advertiser_id: str, values: dict[str, Any]) -> None:
    """Set columns of an advertiser."""
    conn.execute(update(advertiser).where(advertiser.c.id == advertiser_id).values(**values))


def find_advertiser(conn: Connection, scope: Scope, advertiser_id: str, *, lock: bool = False) -> Advertiser | None:
    """Return the advertiser of an id in scope, or None.

    lock: no other transaction changes it until the end of this one.
    """
    if not scope.has_advertiser(advertiser_id):
        return None
    query = select(advertiser).where(advertiser.c.id == advertiser_id)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else Advertiser(**row._mapping)


def list_advertisers(
    conn: Connection, scope: Scope, *, order: str, descending: bool, changed_since: int | None, page: int, limit: int
) -> tuple[list[Advertiser], int]:
    """Return a page and the total.

    order: a name of SORTS; equal ones are ordered by id.
    changed_since: UTC milliseconds; None is any.
    """
    conditions: list[ColumnElement[bool]] = []
    if scope.advertiser_ids is not None:
        conditions.append(advertiser.c.id.in_(scope.advertiser_ids))
    if changed_since is not None:
        conditions.append(advertiser.c.updated_at >= changed_since)
    first = SORTS[order].desc() if descending else SORTS[order].asc()
    query = select(advertiser).where(*conditions).order_by(first, advertiser.c.id)
    rows, total = read_page(conn, query, page, limit)
    return [Advertiser(**row._mapping) for row in rows], total


def offer_counts(conn: Connection, ids: Iterable[str]) -> dict[str, int]:
    """Return the number of offers of each, without removed ones; those without offers are absent."""
    rows = conn.execute(
        select(offer.c.advertiser_id, func.count().label("offers"))
        .where(offer.c.advertiser_id.in_(set(ids)), offer.c.removed_at.is_(None))
        .group_by(offer.c.advertiser_id)
    )
    return {row.advertiser_id: row.offers for row in rows}


def ids_managed_by(conn: Connection, staff_ids: Iterable[str]) -> frozenset[str]:
    """Return the advertisers of these managers."""
    rows = conn.execute(select(advertiser.c.id).where(advertiser.c.manager_id.in_(list(staff_ids))))
    return frozenset(rows.scalars())


def managers_by_advertiser(conn: Connection, scope: Scope) -> dict[str, str]:
    """Return the manager of each advertiser in scope that has one."""
    query = select(advertiser.c.id, advertiser.c.manager_id).join(staff, staff.c.id == advertiser.c.manager_id)
    if scope.advertiser_ids is not None:
        query = query.where(advertiser.c.id.in_(scope.advertiser_ids))
    return {row.id: row.manager_id for row in conn.execute(query)}


def titles_of(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Return titles by id, of those that exist."""
    rows = conn.execute(select(advertiser.c.id, advertiser.c.title).where(advertiser.c.id.in_(set(ids))))
    return {row.id: row.title for row in rows}


def titles_in(conn: Connection, scope: Scope) -> dict[str, str]:
    """Return the titles of the advertisers in scope, by id."""
    query = select(advertiser.c.id, advertiser.c.title)
    if scope.advertiser_ids is not None:
        query = query.where(advertiser.c.id.in_(scope.advertiser_ids))
    return {row.id: row.title for row in conn.execute(query)}


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[str]:
    """Return the advertisers that have any of the tags."""
    wanted = set(tags)
    rows = conn.execute(select(advertiser.c.id, advertiser.c.tags))
    return {row.id for row in rows if wanted.intersection(row.tags)}
