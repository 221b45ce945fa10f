"""Staff users (spec: Staff user)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, insert, select

from trackyard.domain.roles import Role
from trackyard.store.tables import staff


@dataclass(frozen=True, slots=True)
class Staff:
    """A row of the table. Times UTC ms · roles: values of Role."""

    id: str
    email: str
    password_hash: str | None
    first_name: str
    last_name: str
    skype: str
    work_hours: str
    roles: list[str]
    created_at: int
    updated_at: int
    last_login_at: int | None = None


def add_staff(conn: Connection, new: Staff) -> None:
    """Stores a new one."""
    conn.execute(insert(staff).values(**asdict(new)))


def find_staff(conn: Connection, staff_id: str) -> Staff | None:
    """The staff user of an id."""
    row = conn.execute(select(staff).where(staff.c.id == staff_id)).one_or_none()
    return None if row is None else Staff(**row._mapping)


def find_first_administrator(conn: Connection) -> Staff | None:
    """The administrator who was there first."""
    rows = conn.execute(select(staff).order_by(staff.c.created_at, staff.c.id))
    found = (Staff(**row._mapping) for row in rows)
    return next((one for one in found if Role.ADMIN in one.roles), None)


def staff_of(conn: Connection, ids: Iterable[str]) -> dict[str, Staff]:
    """Staff users by id, of those that exist."""
    rows = conn.execute(select(staff).where(staff.c.id.in_(set(ids))))
    return {row.id: Staff(**row._mapping) for row in rows}
