"""Custom fields (docs/api/custom-fields.md)."""

from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.platform.custom_fields import CustomField
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import custom_field

_ROWS: Final = Rows[CustomField, int](custom_field, CustomField)
find_custom_field = _ROWS.find
edit_custom_field = _ROWS.edit
remove_custom_field = _ROWS.remove
"""Answers of affiliates to a removed field stay in their rows and are not shown."""


def list_custom_fields(conn: Connection) -> list[CustomField]:
    """Return all, oldest first."""
    return _ROWS.read(conn, select(custom_field).order_by(custom_field.c.id))


def find_by_name(conn: Connection, name: str) -> CustomField | None:
    """Return the custom field of a name."""
    return _ROWS.find_where(conn, custom_field.c.name == name)


def add_custom_field(conn: Connection, new: CustomField) -> int | None:
    """Store a new field and return its id; None when its name is taken."""
    return _ROWS.add_if_free(conn, new, "name")
