"""Custom fields (docs/api/custom-fields.md)."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, select, update

from trackyard.domain.platform.custom_fields import CustomField
from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import custom_field


def list_custom_fields(conn: Connection) -> list[CustomField]:
    """Return all, oldest first."""
    rows = conn.execute(select(custom_field).order_by(custom_field.c.id))
    return [CustomField(**row._mapping) for row in rows]


def find_custom_field(conn: Connection, field_id: int, *, lock: bool = False) -> CustomField | None:
    """Return the custom field of an id; with `lock` no other transaction changes it meanwhile."""
    query = select(custom_field).where(custom_field.c.id == field_id)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else CustomField(**row._mapping)


def find_by_name(conn: Connection, name: str) -> CustomField | None:
    """Return the custom field of a name."""
    row = conn.execute(select(custom_field).where(custom_field.c.name == name)).one_or_none()
    return None if row is None else CustomField(**row._mapping)


def add_custom_field(conn: Connection, new: CustomField) -> int | None:
    """Return the new field's id; None when its name is taken."""
    values = asdict(new)
    del values["id"]
    query = upsert(conn, custom_field).values(**values).on_conflict_do_nothing(index_elements=["name"])
    return conn.execute(query.returning(custom_field.c.id)).scalar_one_or_none()


def edit_custom_field(conn: Connection, field_id: int, values: dict[str, Any]) -> None:
    """Set columns of a custom field."""
    conn.execute(update(custom_field).where(custom_field.c.id == field_id).values(**values))


def remove_custom_field(conn: Connection, field_id: int) -> None:
    """Remove a custom field; answers of affiliates stay in their rows and are not shown."""
    conn.execute(delete(custom_field).where(custom_field.c.id == field_id))
