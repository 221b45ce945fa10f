"""Staff users (docs/api/staff.md#get-adminuserid)."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.dialect import read_page, upsert
from trackyard.store.engine.in_lists import among
from trackyard.store.engine.search import ids_with_part
from trackyard.store.tables import staff


def add_staff(conn: Connection, new: Staff) -> None:
    """Store a new staff user."""
    conn.execute(insert(staff).values(**asdict(new)))


def add_if_free(conn: Connection, new: Staff) -> bool:
    """Store a new staff user unless its e-mail address is taken; return whether it was free."""
    statement = upsert(conn, staff).values(**asdict(new)).on_conflict_do_nothing(index_elements=["email"])
    return conn.execute(statement.returning(staff.c.id)).scalar_one_or_none() is not None


def edit_staff(conn: Connection, staff_id: str, values: dict[str, Any]) -> None:
    """Set columns of a staff user."""
    conn.execute(update(staff).where(staff.c.id == staff_id).values(**values))


def list_staff(conn: Connection, part: str = "", *, page: int, limit: int) -> tuple[list[Staff], int]:
    """Return a page of staff users, the oldest first, and the total.

    part: of the names, e-mail address or skype, or the id.
    """
    conditions, values = [], {}
    if part.strip():
        columns = staff.c
        name = columns.first_name + " " + columns.last_name
        values["found"] = ids_with_part(conn, columns.id, (name, columns.email, columns.skype), part)
        conditions.append(among(columns.id, "found"))
    query = select(staff).where(*conditions).order_by(staff.c.created_at, staff.c.id)
    rows, total = read_page(conn, query, page, limit, values)
    return [_staff(row) for row in rows], total


def all_staff(conn: Connection) -> list[Staff]:
    """Return every staff user, by id."""
    return [_staff(row) for row in conn.execute(select(staff).order_by(staff.c.id))]


def find_by_email(conn: Connection, email: str) -> Staff | None:
    """Return the staff user of an e-mail address (lower case)."""
    row = conn.execute(select(staff).where(staff.c.email == email)).one_or_none()
    return None if row is None else _staff(row)


def has_other_administrator(conn: Connection, staff_id: str) -> bool:
    """Return whether there is another administrator. Locks all staff users."""
    rows = conn.execute(select(staff.c.id, staff.c.roles).with_for_update())
    return any(row.id != staff_id and Role.ADMIN in row.roles for row in rows)


def find_staff(conn: Connection, staff_id: str) -> Staff | None:
    """Return the staff user of an id."""
    row = conn.execute(select(staff).where(staff.c.id == staff_id)).one_or_none()
    return None if row is None else _staff(row)


def find_switches(conn: Connection, staff_id: str) -> dict[str, str | None]:
    """Return the compatibility switches that a staff user overrides, by name."""
    query = select(staff.c.statistics_revenue, staff.c.statistics_rows).where(staff.c.id == staff_id)
    row = conn.execute(query).one_or_none()
    return {} if row is None else dict(row._mapping)


def find_first_administrator(conn: Connection) -> Staff | None:
    """Return the oldest administrator."""
    rows = conn.execute(select(staff).order_by(staff.c.created_at, staff.c.id))
    found = (_staff(row) for row in rows)
    return next((one for one in found if Role.ADMIN in one.roles), None)


def staff_of(conn: Connection, ids: Iterable[str]) -> dict[str, Staff]:
    """Return staff users by id, of those that exist."""
    rows = conn.execute(select(staff).where(staff.c.id.in_(set(ids))))
    return {row.id: _staff(row) for row in rows}


def _staff(row: Row[Any]) -> Staff:
    return Staff(**{**row._mapping, "roles": [Role(role) for role in row.roles]})
