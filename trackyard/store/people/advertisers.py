"""Advertisers (docs/api/advertisers.md#get-adminadvertiserid)."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import ColumnElement, Connection, func, select

from trackyard.domain.people.advertisers import Advertiser, AdvertiserContact, AdvertiserFilter
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, has_rows, in_scope
from trackyard.store.engine.rows import ids_with_tags as rows_with_tags
from trackyard.store.engine.search import part_conditions
from trackyard.store.tables import advertiser, offer, staff

SORTS: Final = {"_id": advertiser.c.id, "title": advertiser.c.title, "email": func.coalesce(advertiser.c.email, "")}
"""What lists can be sorted by."""

_SEARCHED: Final = tuple(advertiser.c[name] for name in ("title", "contact", "email"))
_ROWS: Final = Rows[Advertiser, str](advertiser, Advertiser)
add_advertiser = _ROWS.add
edit_advertiser = _ROWS.edit


def find_advertiser(conn: Connection, scope: Scope, advertiser_id: str, *, lock: bool = False) -> Advertiser | None:
    """Return the advertiser of an id in scope, or None; `lock` works as in `Rows.find`."""
    return _ROWS.find(conn, advertiser_id, lock=lock) if scope.has_advertiser(advertiser_id) else None


def has_email(conn: Connection, email: str) -> bool:
    """Return whether an advertiser has an e-mail address, in any letter case."""
    return has_rows(conn, select(advertiser.c.id).where(func.lower(advertiser.c.email) == email.lower()))


def list_advertisers(
    conn: Connection,
    scope: Scope,
    criteria: AdvertiserFilter,
    *,
    order: str,
    descending: bool,
    page: int,
    limit: int,
) -> tuple[list[Advertiser], int]:
    """Return a page and the total in scope.

    order: a name of SORTS; equal ones are ordered by id.
    """
    conditions = _conditions(criteria) + in_scope(scope, advertiser=advertiser.c.id)
    if criteria.tags:
        conditions.append(among_values(advertiser.c.id, sorted(ids_with_tags(conn, criteria.tags))))
    conditions += part_conditions(conn, advertiser.c.id, _SEARCHED, criteria.part, conditions)
    first = SORTS[order].desc() if descending else SORTS[order].asc()
    query = select(advertiser).where(*conditions).order_by(first, advertiser.c.id)
    return _ROWS.read_page(conn, query, page, limit)


def _conditions(criteria: AdvertiserFilter) -> list[ColumnElement[bool]]:
    """Return all conditions but `part` and `tags`."""
    columns = advertiser.c
    found: list[ColumnElement[bool]] = []
    if criteria.ids:
        found.append(columns.id.in_(criteria.ids))
    if criteria.managers:
        found.append(columns.manager_id.in_(criteria.managers))
    if criteria.countries:
        found.append(columns.country.in_(criteria.countries))
    if criteria.statuses:
        found.append(columns.status.in_(criteria.statuses))
    if criteria.changed_since is not None:
        found.append(columns.updated_at >= criteria.changed_since)
    return found


def contacts_to(
    conn: Connection,
    scope: Scope,
    criteria: AdvertiserFilter,
    offer_ids: Iterable[int] = (),
    *,
    after: str = "",
    most: int | None = None,
) -> list[AdvertiserContact]:
    """Return advertisers in scope that meet the criteria and have an e-mail address, in order of id.

    offer_ids: that each must have one of; empty = any advertiser. `part` is ignored.
    after: only advertisers with a higher id. most: how many at most; None = all.
    """
    columns = advertiser.c
    conditions = [*_conditions(criteria), *in_scope(scope, advertiser=columns.id)]
    conditions.append(func.coalesce(columns.email, "") != "")
    if criteria.tags:
        conditions.append(among_values(columns.id, sorted(ids_with_tags(conn, criteria.tags))))
    if offers := set(offer_ids):
        conditions.append(columns.id.in_(select(offer.c.advertiser_id).where(offer.c.id.in_(offers))))
    if after:
        conditions.append(columns.id > after)
    query = select(columns.id, columns.email, columns.contact, columns.title).where(*conditions).order_by(columns.id)
    return [AdvertiserContact(row.id, row.email, row.contact or row.title) for row in conn.execute(query.limit(most))]


def offer_counts(conn: Connection, ids: Iterable[str]) -> dict[str, int]:
    """Return the number of offers of each, without removed ones. Advertisers without offers are absent."""
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
    """Return the titles of existing advertisers by id."""
    if not (wanted := set(ids)):
        return {}
    query = select(advertiser.c.id, advertiser.c.title).where(advertiser.c.id.in_(wanted))
    return dict(conn.execute(query).all())


def list_titles(
    conn: Connection, scope: Scope, criteria: AdvertiserFilter, *, page: int, limit: int
) -> tuple[dict[str, str], int]:
    """Return a page of the titles in scope, in their order, by id, and the total.

    `tags` and `part` are ignored.
    """
    conditions = _conditions(criteria) + in_scope(scope, advertiser=advertiser.c.id)
    query = select(advertiser.c.id, advertiser.c.title).where(*conditions)
    rows, total = read_page(conn, query.order_by(advertiser.c.title, advertiser.c.id), page, limit)
    return dict(map(tuple, rows)), total


def ids_hiding_status(conn: Connection) -> frozenset[str]:
    """Return the advertisers that hide the status of their conversions from affiliates."""
    return frozenset(conn.execute(select(advertiser.c.id).where(advertiser.c.hide_conversion_status)).scalars())


def titles_in(conn: Connection, scope: Scope) -> dict[str, str]:
    """Return the titles of the advertisers in scope, by id."""
    query = select(advertiser.c.id, advertiser.c.title).where(*in_scope(scope, advertiser=advertiser.c.id))
    return dict(conn.execute(query).all())


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[str]:
    """Return the advertisers that have any of the tags."""
    return rows_with_tags(conn, advertiser, tags)
