"""Advertisers (docs/api/advertisers.md#get-adminadvertiserid)."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, func, select

from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.engine.rows import ids_with_tags as rows_with_tags
from trackyard.store.tables import advertiser, offer, staff

SORTS: Final = {"_id": advertiser.c.id, "title": advertiser.c.title, "email": func.coalesce(advertiser.c.email, "")}
"""What lists can be sorted by."""

_ROWS: Final = Rows[Advertiser, str](advertiser, Advertiser)
add_advertiser = _ROWS.add
edit_advertiser = _ROWS.edit


def find_advertiser(conn: Connection, scope: Scope, advertiser_id: str, *, lock: bool = False) -> Advertiser | None:
    """Return the advertiser of an id in scope, or None; `lock` works as in `Rows.find`."""
    return _ROWS.find(conn, advertiser_id, lock=lock) if scope.has_advertiser(advertiser_id) else None


def list_advertisers(
    conn: Connection, scope: Scope, *, order: str, descending: bool, changed_since: int | None, page: int, limit: int
) -> tuple[list[Advertiser], int]:
    """Return a page and the total.

    order: a name of SORTS; equal ones are ordered by id.
    changed_since: UTC milliseconds; None is any.
    """
    conditions = in_scope(scope, advertiser=advertiser.c.id)
    if changed_since is not None:
        conditions.append(advertiser.c.updated_at >= changed_since)
    first = SORTS[order].desc() if descending else SORTS[order].asc()
    query = select(advertiser).where(*conditions).order_by(first, advertiser.c.id)
    return _ROWS.read_page(conn, query, page, limit)


def offer_counts(conn: Connection, ids: Iterable[str]) -> dict[str, int]:
    """Return the number of offers of each, without removed ones; those without offers are absent."""
    rows = conn.execute(
        select(offer.c.advertiser_id, func.count())
        .where(offer.c.advertiser_id.in_(set(ids)), offer.c.removed_at.is_(None))
        .group_by(offer.c.advertiser_id)
    )
    return dict(rows.all())


def ids_managed_by(conn: Connection, staff_ids: Iterable[str]) -> frozenset[str]:
    """Return the advertisers of these managers."""
    return frozenset(conn.execute(select(advertiser.c.id).where(advertiser.c.manager_id.in_(set(staff_ids)))).scalars())


def managers_by_advertiser(conn: Connection, scope: Scope) -> dict[str, str]:
    """Return the manager of each advertiser in scope that has one."""
    query = select(advertiser.c.id, advertiser.c.manager_id).join(staff, staff.c.id == advertiser.c.manager_id)
    return dict(conn.execute(query.where(*in_scope(scope, advertiser=advertiser.c.id))).all())


def titles_of(conn: Connection, ids: Iterable[str]) -> dict[str, str]:
    """Return titles by id, of those that exist."""
    query = select(advertiser.c.id, advertiser.c.title).where(advertiser.c.id.in_(set(ids)))
    return dict(conn.execute(query).all())


def titles_in(conn: Connection, scope: Scope) -> dict[str, str]:
    """Return the titles of the advertisers in scope, by id."""
    query = select(advertiser.c.id, advertiser.c.title).where(*in_scope(scope, advertiser=advertiser.c.id))
    return dict(conn.execute(query).all())


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[str]:
    """Return the advertisers that have any of the tags."""
    return rows_with_tags(conn, advertiser, tags)
