"""Affiliates (docs/api/affiliates.md#get-adminpartnerid)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Connection, Integer, bindparam, delete, exists, func, or_, select

from trackyard.domain.people.affiliates import STATUS_RULES, Affiliate, AffiliateFilter, AffiliateName, AffiliateStatus
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import AdvisoryLock, lock, read_page, upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.engine.rows import ids_with_tags as rows_with_tags
from trackyard.store.engine.search import part_conditions
from trackyard.store.tables import (
    affiliate,
    affiliate_login,
    affiliate_postback,
    connection,
    offer,
    pixel,
    staff,
    ticket,
)

_SEARCHED: Final = tuple(affiliate.c[name] for name in ("email", "login", "name", "company", "contact_person"))
SORTS: Final = {
    "id": affiliate.c.id,
    "email": affiliate.c.email,
    "name": func.coalesce(func.nullif(affiliate.c.name, ""), affiliate.c.login),
}
"""What lists can be sorted by."""
_NAMES: Final = tuple(affiliate.c[name] for name in ("id", "email", "login", "name"))

_ROWS: Final = Rows[Affiliate, int](affiliate, Affiliate)
edit_affiliate = _ROWS.edit
"""The caller touches its ruleset row in the same transaction."""
affiliates_of = _ROWS.by_id
"""Whatever the scope: records in scope name them."""


@dataclass(frozen=True, slots=True)
class AffiliateAccess:
    """The columns that decide what an affiliate may call. permissions, password_until: as in its row."""

    status: AffiliateStatus
    permissions: dict[str, str]
    password_until: int | None = None


def add_affiliate(conn: Connection, new: Affiliate) -> int | None:
    """Return the id of a new affiliate; None when its e-mail address is taken."""
    return _ROWS.add_if_free(conn, new, "email")


def taken_names(conn: Connection, names: Iterable[str]) -> set[str]:
    """Return the names, in lower case, that are a login or e-mail address of an affiliate."""
    columns = affiliate_login.c
    return set(conn.execute(select(columns.name).where(columns.name.in_(set(names)))).scalars())


def owner_of_name(conn: Connection, name: str) -> int | None:
    """Return the affiliate with a login or e-mail address, in lower case."""
    columns = affiliate_login.c
    return conn.execute(select(columns.affiliate_id).where(columns.name == name)).scalar_one_or_none()


def use_up_number(conn: Connection, email: str, now_ms: int) -> int:
    """Return a new id that no affiliate gets. email: unused, of a row that is there for a moment."""
    placeholder = Affiliate(email=email, login=email, created_at=now_ms, updated_at=now_ms)
    number = _ROWS.add_numbered(conn, placeholder)
    _ROWS.remove(conn, number)
    return number


def claim_names(conn: Connection, affiliate_id: int, email: str, login: str) -> set[str]:
    """Make an affiliate the owner of its e-mail address and login, in any case, and of no other name.

    Returns the names, in lower case, that another affiliate owns: the caller then undoes the transaction.
    """
    names = sorted({email.lower(), login.lower()})
    columns = affiliate_login.c
    conn.execute(delete(affiliate_login).where(columns.affiliate_id == affiliate_id, columns.name.not_in(names)))
    for name in names:  # in order: two transactions must not wait for each other
        new = upsert(conn, affiliate_login).values(name=name, affiliate_id=affiliate_id)
        conn.execute(new.on_conflict_do_nothing())
    owned = select(columns.name).where(columns.name.in_(names), columns.affiliate_id != affiliate_id)
    return set(conn.execute(owned).scalars())


def is_login(conn: Connection, name: str) -> bool:
    """Return whether a name is the login of an affiliate that has another e-mail address."""
    columns = affiliate_login.c
    owner = select(affiliate.c.email).join(affiliate_login, columns.affiliate_id == affiliate.c.id)
    email = conn.execute(owner.where(columns.name == name.lower())).scalar_one_or_none()
    return email is not None and email != name.lower()


def lock_referrals(conn: Connection) -> None:
    """Let no other transaction change referrers until this one ends."""
    lock(conn, AdvisoryLock.REFERRALS)


def referrers_of(conn: Connection, affiliate_id: int) -> list[int]:
    """Return the referrer of an affiliate, the referrer of that one, and so on; each once."""
    found: list[int] = []
    last: int | None = affiliate_id
    while True:
        last = conn.execute(select(affiliate.c.ref).where(affiliate.c.id == last)).scalar_one_or_none()
        if last is None or last in found:
            return found
        found.append(last)


def lock_affiliate(conn: Connection, affiliate_id: int) -> None:
    """Let no other transaction change an affiliate until the end of this one."""
    _ROWS.find(conn, affiliate_id, lock=True)


def find_affiliate(conn: Connection, scope: Scope, affiliate_id: int, *, lock: bool = False) -> Affiliate | None:
    """Return the affiliate of an id in scope, or None; `lock` works as in `Rows.find`."""
    return _ROWS.find(conn, affiliate_id, lock=lock) if scope.has_affiliate(affiliate_id) else None


def find_by_email(conn: Connection, email: str) -> Affiliate | None:
    """Return the affiliate of an e-mail address (lower case)."""
    return _ROWS.find_where(conn, affiliate.c.email == email)


def list_affiliates(
    conn: Connection,
    scope: Scope,
    criteria: AffiliateFilter,
    *,
    page: int,
    limit: int,
    order: str = "id",
    descending: bool = False,
) -> tuple[list[Affiliate], int]:
    """Return a page and the total in scope.

    order: a name of SORTS; equal ones are ordered by id.
    """
    conditions = _conditions(criteria) + in_scope(scope, affiliate=affiliate.c.id)
    if criteria.tags:
        conditions.append(among_values(affiliate.c.id, sorted(ids_with_tags(conn, criteria.tags))))
    conditions += part_conditions(conn, affiliate.c.id, _SEARCHED, criteria.part, conditions)
    first = SORTS[order].desc() if descending else SORTS[order].asc()
    return _ROWS.read_page(conn, select(affiliate).where(*conditions).order_by(first, affiliate.c.id), page, limit)


def _conditions(criteria: AffiliateFilter) -> list[ColumnElement[bool]]:
    """Return all conditions but `part` and `tags`."""
    columns = affiliate.c
    found: list[ColumnElement[bool]] = []
    if criteria.ids:
        found.append(columns.id.in_(criteria.ids))
    if criteria.statuses:
        found.append(columns.status.in_(criteria.statuses))
    if criteria.changed_since is not None:
        found.append(columns.updated_at >= criteria.changed_since)
    if criteria.ref is not None:
        found.append(columns.ref == criteria.ref)
    if criteria.managers:
        found.append(columns.manager_id.in_(criteria.managers))
    if criteria.countries:
        found.append(columns.country.in_(criteria.countries))
    return found


_ACCESS: Final = select(affiliate.c.status, affiliate.c.permissions, affiliate.c.password_until).where(
    affiliate.c.id == bindparam("wanted")
)
"""Made once, because each request of an affiliate executes it."""


def find_access(conn: Connection, affiliate_id: int) -> AffiliateAccess | None:
    """Return the data that decides what an affiliate may call; None for an unknown id."""
    row = conn.execute(_ACCESS, {"wanted": affiliate_id}).one_or_none()
    return None if row is None else AffiliateAccess(row.status, row.permissions, row.password_until)


def find_switches(conn: Connection, affiliate_id: int) -> dict[str, str | None]:
    """Return the compatibility switches that an affiliate overrides, by name."""
    columns = affiliate.c
    query = select(columns.statistics_revenue, columns.statistics_rows).where(columns.id == affiliate_id)
    row = conn.execute(query).one_or_none()
    return {} if row is None else dict(row._mapping)


def ids_managed_by(conn: Connection, staff_ids: Iterable[str]) -> frozenset[int]:
    """Return the affiliates of these managers."""
    return frozenset(conn.execute(select(affiliate.c.id).where(affiliate.c.manager_id.in_(set(staff_ids)))).scalars())


def names_of(conn: Connection, ids: Iterable[int]) -> dict[int, AffiliateName]:
    """Return the names of existing affiliates by id."""
    if not (wanted := set(ids)):
        return {}
    rows = conn.execute(select(*_NAMES).where(affiliate.c.id.in_(wanted)))
    return {row.id: AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows}


def payee_changes_since(conn: Connection, since: int) -> set[int]:
    """Return the affiliates of which the payment systems changed after a time in UTC milliseconds."""
    return set(conn.execute(select(affiliate.c.id).where(affiliate.c.payee_changed_at > since)).scalars())


def list_names(
    conn: Connection, scope: Scope, criteria: AffiliateFilter, *, page: int, limit: int
) -> tuple[list[AffiliateName], int]:
    """Return a page of the names in scope, in order of id, and the total. `tags` and `part` are ignored."""
    conditions = _conditions(criteria) + in_scope(scope, affiliate=affiliate.c.id)
    rows, total = read_page(conn, select(*_NAMES).where(*conditions).order_by(affiliate.c.id), page, limit)
    return [AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows], total


def names_to(
    conn: Connection,
    scope: Scope,
    criteria: AffiliateFilter,
    offer_ids: Iterable[int] = (),
    *,
    after: int = 0,
    most: int | None = None,
) -> list[AffiliateName]:
    """Return the names of affiliates in scope that meet the criteria, in order of id.

    offer_ids: that each must be connected to one of; empty = any affiliate. `part` is ignored.
    after: only affiliates with a higher id. most: how many at most; None = all.
    """
    conditions = _conditions(criteria) + in_scope(scope, affiliate=affiliate.c.id)
    if criteria.tags:
        conditions.append(among_values(affiliate.c.id, sorted(ids_with_tags(conn, criteria.tags))))
    if offers := set(offer_ids):
        links = connection.c
        joined = links.offer_id.in_(offers), links.enabled
        conditions.append(exists().where(links.affiliate_id == affiliate.c.id, *joined))
    if after:
        conditions.append(affiliate.c.id > after)
    rows = conn.execute(select(*_NAMES).where(*conditions).order_by(affiliate.c.id).limit(most))
    return [AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows]


def managers_of(conn: Connection, ids: Iterable[int]) -> dict[int, str | None]:
    """Return the manager's id by affiliate."""
    query = select(affiliate.c.id, affiliate.c.manager_id).where(affiliate.c.id.in_(set(ids)))
    return dict(conn.execute(query).all())


def managers_by_affiliate(conn: Connection, scope: Scope) -> dict[int, str]:
    """Return the manager of each affiliate in scope that has one."""
    query = select(affiliate.c.id, affiliate.c.manager_id).join(staff, staff.c.id == affiliate.c.manager_id)
    return dict(conn.execute(query.where(*in_scope(scope, affiliate=affiliate.c.id))).all())


def titles_in(conn: Connection, scope: Scope) -> dict[int, str]:
    """Return the name, or without one the login, of the affiliates in scope, by id."""
    columns = affiliate.c
    query = select(columns.id, columns.login, columns.name).where(*in_scope(scope, affiliate=columns.id))
    return {row.id: row.name or row.login for row in conn.execute(query)}


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[int]:
    """Return the affiliates that have any of the tags."""
    return rows_with_tags(conn, affiliate, tags)


_ACTIVE: Final = [status for status, rule in STATUS_RULES.items() if not rule.click_reason]


def connected_affiliates(conn: Connection, offer_id: int) -> list[AffiliateName]:
    """Return the active affiliates that are connected to an offer."""
    rows = conn.execute(
        select(*_NAMES)
        .join(connection, connection.c.affiliate_id == affiliate.c.id)
        .where(connection.c.offer_id == offer_id, connection.c.enabled, affiliate.c.status.in_(_ACTIVE))
        .order_by(affiliate.c.id)
    )
    return [AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows]


def offer_counts(conn: Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return the number of connected offers of each, without removed ones; 0 is absent."""
    rows = conn.execute(
        select(connection.c.affiliate_id, func.count())
        .join_from(connection, offer, offer.c.id == connection.c.offer_id)
        .where(connection.c.affiliate_id.in_(set(ids)), connection.c.enabled, offer.c.removed_at.is_(None))
        .group_by(connection.c.affiliate_id)
    )
    return dict(rows.all())


def count_offers(conn: Connection, affiliate_id: int) -> int:
    """Return the number of offers that it is connected to, without removed ones."""
    return offer_counts(conn, [affiliate_id]).get(affiliate_id, 0)


def used_parts(conn: Connection, affiliate_id: int) -> frozenset[str]:
    """Return the parts that an affiliate has: "postbacks" (pixels too), "requests", "referrals"."""
    found = conn.execute(_USED, {"wanted": affiliate_id}).one()
    return frozenset(name for name, used in found._mapping.items() if used)


_OF_AFFILIATE: Final = bindparam("wanted", type_=Integer)
_USED: Final = select(
    or_(
        exists().where(affiliate_postback.c.affiliate_id == _OF_AFFILIATE),
        exists().where(pixel.c.affiliate_id == _OF_AFFILIATE),
    ).label("postbacks"),
    exists().where(ticket.c.affiliate_id == _OF_AFFILIATE).label("requests"),
    exists().where(affiliate.c.ref == _OF_AFFILIATE).label("referrals"),
)
"""Made once, because each page of the portal executes it."""
