"""Staff users (docs/api/staff.md#get-adminuserid)."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, func, select, update

from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import SIGNING_IN, Staff
from trackyard.store.engine.rows import Rows
from trackyard.store.engine.search import part_conditions
from trackyard.store.tables import advertiser, affiliate, staff


class ManagedCounts(NamedTuple):
    """The numbers of affiliates and advertisers that a staff user manages."""

    affiliates: int
    advertisers: int


def _staff(roles: list[str], **values: Any) -> Staff:
    return Staff(roles=[Role(role) for role in roles], **values)


_ROWS: Final = Rows[Staff, str](staff, _staff)
add_staff = _ROWS.add
edit_staff = _ROWS.edit
find_staff = _ROWS.find
staff_of = _ROWS.by_id
remove_staff = _ROWS.remove


def add_if_free(conn: Connection, new: Staff) -> bool:
    """Store a new staff user unless its e-mail address is taken; return whether it was free."""
    return _ROWS.add_if_free(conn, new, "email", numbered=False) is not None


def list_staff(conn: Connection, part: str = "", *, page: int, limit: int) -> tuple[list[Staff], int]:
    """Return a page of staff users, the oldest first, and the total.

    part: a part of the name, e-mail address or skype, or the whole id.
    """
    columns = staff.c
    name = columns.first_name + " " + columns.last_name
    conditions = part_conditions(conn, columns.id, (name, columns.email, columns.skype), part)
    query = select(staff).where(*conditions).order_by(columns.created_at, columns.id)
    return _ROWS.read_page(conn, query, page, limit)


def all_staff(conn: Connection) -> list[Staff]:
    """Return every staff user, by id."""
    return _ROWS.read(conn, select(staff).order_by(staff.c.id))


def find_by_email(conn: Connection, email: str) -> Staff | None:
    """Return the staff user of an e-mail address (lower case)."""
    return _ROWS.find_where(conn, staff.c.email == email)


def has_other_administrator(conn: Connection, staff_id: str) -> bool:
    """Return whether there is another active administrator. Locks all staff users."""
    rows = conn.execute(select(staff.c.id, staff.c.roles, staff.c.status).with_for_update())
    return any(row.id != staff_id and Role.ADMIN in row.roles and row.status.rule.may_sign_in for row in rows)


def active_administrators(conn: Connection) -> list[Staff]:
    """Return the administrators that are not blocked, the oldest first."""
    active = select(staff).where(staff.c.status.in_(SIGNING_IN)).order_by(staff.c.created_at, staff.c.id)
    return [user for user in _ROWS.read(conn, active) if Role.ADMIN in user.roles]


def count_second_persons(conn: Connection) -> int:
    """Return the number of administrators that can confirm changes: active ones with a password."""
    return sum(user.password_hash is not None for user in active_administrators(conn))


def has_password(conn: Connection) -> bool:
    """Return whether an active staff user has a password."""
    able = select(staff.c.id).where(staff.c.status.in_(SIGNING_IN), staff.c.password_hash.is_not(None))
    return conn.execute(able.limit(1)).one_or_none() is not None


def count_managed(conn: Connection, staff_id: str) -> ManagedCounts:
    """Return how many affiliates and advertisers a staff user manages."""
    counts = [
        conn.execute(select(func.count()).select_from(owned).where(owned.c.manager_id == staff_id)).scalar_one()
        for owned in (affiliate, advertiser)
    ]
    return ManagedCounts(*counts)


def hand_over(conn: Connection, staff_id: str, successor: str, now_ms: int) -> None:
    """Make another staff user the manager of all that one manages."""
    for owned in (affiliate, advertiser):
        managed = update(owned).where(owned.c.manager_id == staff_id)
        conn.execute(managed.values(manager_id=successor, updated_at=now_ms))


def find_switches(conn: Connection, staff_id: str) -> dict[str, str | None]:
    """Return the compatibility switches that a staff user overrides, by name."""
    query = select(staff.c.statistics_revenue, staff.c.statistics_rows).where(staff.c.id == staff_id)
    row = conn.execute(query).one_or_none()
    return {} if row is None else dict(row._mapping)


def find_first_administrator(conn: Connection) -> Staff | None:
    """Return the oldest active administrator."""
    return next(iter(active_administrators(conn)), None)
