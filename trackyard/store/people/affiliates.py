"""Affiliates (docs/api/affiliates.md#get-adminpartnerid)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from trackyard.domain.people.affiliates import Affiliate, AffiliateFilter, AffiliateName, AffiliateStatus
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import AdvisoryLock, lock, read_page, upsert
from trackyard.store.engine.in_lists import among
from trackyard.store.engine.search import ids_with_part
from trackyard.store.tables import affiliate, affiliate_login, connection, offer, staff

_REFERRAL_LOCK: Final = 0x7265_6665_72
"""Held on PostgreSQL while a referrer is checked and stored; writes of SQLite exclude each other anyway."""


_SEARCHED: Final = (
    *(affiliate.c.email, affiliate.c.login, affiliate.c.name, affiliate.c.company, affiliate.c.contact_person),
)


@dataclass(frozen=True, slots=True)
class AffiliateAccess:
    """The columns that decide what an affiliate may call. permissions: as in its row."""

    status: AffiliateStatus
    permissions: dict[str, str]


def add_affiliate(conn: Connection, new: Affiliate) -> int | None:
    """Return the id of a new affiliate; None when its e-mail address is taken."""
    values = asdict(new)
    del values["id"]
    statement = upsert(conn, affiliate).values(**values).on_conflict_do_nothing(index_elements=["email"])
    return conn.execute(statement.returning(affiliate.c.id)).scalar_one_or_none()


def claim_names(conn: Connection, affiliate_id: int, email: str, login: str) -> set[str]:
    """Make an affiliate the owner of its e-mail address and login, in any case, and of no other name.

    Returns those of the two names, in lower case, that another affiliate owns: the caller then undoes the transaction.
    """
    names = sorted({email.lower(), login.lower()})
    columns = affiliate_login.c
    conn.execute(delete(affiliate_login).where(columns.affiliate_id == affiliate_id, columns.name.not_in(names)))
    for name in names:  # in order: two writers must not wait for one another
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
    """Return the referrer of an affiliate, that one's referrer, and so on; each once."""
    found: list[int] = []
    last: int | None = affiliate_id
    while True:
        last = conn.execute(select(affiliate.c.ref).where(affiliate.c.id == last)).scalar_one_or_none()
        if last is None or last in found:
            return found
        found.append(last)


def edit_affiliate(conn: Connection, affiliate_id: int, values: dict[str, Any]) -> None:
    """Set columns of an affiliate; the caller touches its rule in the same transaction."""
    conn.execute(update(affiliate).where(affiliate.c.id == affiliate_id).values(**values))


def find_affiliate(conn: Connection, scope: Scope, affiliate_id: int, *, lock: bool = False) -> Affiliate | None:
    """Return the affiliate of an id in scope, or None.

    lock: no other transaction changes it until the end of this one.
    """
    if not scope.has_affiliate(affiliate_id):
        return None
    statement = select(affiliate).where(affiliate.c.id == affiliate_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else Affiliate(**row._mapping)


def affiliates_of(conn: Connection, ids: Iterable[int]) -> dict[int, Affiliate]:
    """Return affiliates by id, of those that exist, whatever the scope: records in scope name them."""
    rows = conn.execute(select(affiliate).where(affiliate.c.id.in_(set(ids))))
    return {row.id: Affiliate(**row._mapping) for row in rows}


def list_affiliates(
    conn: Connection, scope: Scope, criteria: AffiliateFilter, *, page: int, limit: int
) -> tuple[list[Affiliate], int]:
    """Return a page by id, and the total in scope."""
    conditions = _conditions(criteria)
    if scope.affiliate_ids is not None:
        conditions.append(affiliate.c.id.in_(scope.affiliate_ids))
    values: dict[str, Any] = {}
    if criteria.part.strip():
        values["found"] = ids_with_part(conn, affiliate.c.id, _SEARCHED, criteria.part, conditions)
        conditions.append(among(affiliate.c.id, "found"))
    query = select(affiliate).where(*conditions).order_by(affiliate.c.id)
    rows, total = read_page(conn, query, page, limit, values)
    return [Affiliate(**row._mapping) for row in rows], total


def _conditions(criteria: AffiliateFilter) -> list[ColumnElement[bool]]:
    """Return all conditions but `part`."""
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
    return found


def find_access(conn: Connection, affiliate_id: int) -> AffiliateAccess | None:
    """Return what decides what an affiliate may call; None for an unknown id."""
    query = select(affiliate.c.status, affiliate.c.permissions).where(affiliate.c.id == affiliate_id)
    row = conn.execute(query).one_or_none()
    return None if row is None else AffiliateAccess(row.status, row.permissions)


def find_switches(conn: Connection, affiliate_id: int) -> dict[str, str | None]:
    """Return the compatibility switches that an affiliate overrides, by name."""
    columns = affiliate.c
    query = select(columns.statistics_revenue, columns.statistics_rows).where(columns.id == affiliate_id)
    row = conn.execute(query).one_or_none()
    return {} if row is None else dict(row._mapping)


def ids_managed_by(conn: Connection, staff_ids: Iterable[str]) -> frozenset[int]:
    """Return the affiliates of these managers."""
    rows = conn.execute(select(affiliate.c.id).where(affiliate.c.manager_id.in_(list(staff_ids))))
    return frozenset(rows.scalars())


def names_of(conn: Connection, ids: Iterable[int]) -> dict[int, AffiliateName]:
    """Return names by id, of those that exist."""
    columns = affiliate.c
    rows = conn.execute(select(columns.id, columns.email, columns.login, columns.name).where(columns.id.in_(set(ids))))
    return {row.id: AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows}


def managers_of(conn: Connection, ids: Iterable[int]) -> dict[int, str | None]:
    """Return the manager's id by affiliate."""
    rows = conn.execute(select(affiliate.c.id, affiliate.c.manager_id).where(affiliate.c.id.in_(set(ids))))
    return {row.id: row.manager_id for row in rows}


def managers_by_affiliate(conn: Connection, scope: Scope) -> dict[int, str]:
    """Return the manager of each affiliate in scope that has one."""
    query = select(affiliate.c.id, affiliate.c.manager_id).join(staff, staff.c.id == affiliate.c.manager_id)
    if scope.affiliate_ids is not None:
        query = query.where(affiliate.c.id.in_(scope.affiliate_ids))
    return {row.id: row.manager_id for row in conn.execute(query)}


def titles_in(conn: Connection, scope: Scope) -> dict[int, str]:
    """Return what the affiliates in scope are called, by id: their name, else their login."""
    columns = affiliate.c
    query = select(columns.id, columns.login, columns.name)
    if scope.affiliate_ids is not None:
        query = query.where(columns.id.in_(scope.affiliate_ids))
    return {row.id: row.name or row.login for row in conn.execute(query)}


def ids_with_tags(conn: Connection, tags: Iterable[str]) -> set[int]:
    """Return the affiliates that have any of the tags."""
    wanted = set(tags)
    rows = conn.execute(select(affiliate.c.id, affiliate.c.tags))
    return {row.id for row in rows if wanted.intersection(row.tags)}


def connected_affiliates(conn: Connection, offer_id: int) -> list[AffiliateName]:
    """Return the active affiliates that are connected to an offer."""
    columns = affiliate.c
    rows = conn.execute(
        select(columns.id, columns.email, columns.login, columns.name)
        .join(connection, connection.c.affiliate_id == columns.id)
        .where(connection.c.offer_id == offer_id, connection.c.enabled, columns.status == AffiliateStatus.ACTIVE)
        .order_by(columns.id)
    )
    return [AffiliateName(row.id, row.email, row.login, row.name or "") for row in rows]


def offer_counts(conn: Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return the number of connected offers of each, without removed ones; 0 is absent."""
    rows = conn.execute(
        select(connection.c.affiliate_id, func.count().label("number"))
        .join_from(connection, offer, offer.c.id == connection.c.offer_id)
        .where(connection.c.affiliate_id.in_(set(ids)), connection.c.enabled, offer.c.removed_at.is_(None))
        .group_by(connection.c.affiliate_id)
    )
    return {row.affiliate_id: int(row.number) for row in rows}


def count_offers(conn: Connection, affiliate_id: int) -> int:
    """Return the number of offers that it is connected to, without removed ones."""
    return offer_counts(conn, [affiliate_id]).get(affiliate_id, 0)
