"""The columns of plain fields (base/plain_fields.py)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, Table, Text, false, text, true

from trackyard.base.plain_fields import DeclaredField, PlainField


def add_plain_columns(table: Table, fields: Mapping[str, DeclaredField[PlainField]]) -> None:
    """Add the columns of plain fields that a table does not state."""
    for field in fields.values():
        if field.name not in table.c:
            table.append_column(column_of(field))


def column_of(field: DeclaredField[PlainField]) -> Column[Any]:
    """Return the column of a plain field. Its default in SQL is the default of the field."""
    kind: Any = String(500) if field.options.longest <= 500 else Text()
    default: Any = field.default
    if field.kind is bool:
        kind, default = Boolean(), true() if default else false()
    elif field.kind is int:
        kind, default = Integer(), text(str(default))
    elif issubclass(field.kind, Enum):
        longest = max(len(each.value) for each in field.kind)
        kind = String(1 << (longest - 1).bit_length())  # 4, 8, 16, ...
    return Column(field.name, kind, nullable=field.is_optional, server_default=None if field.is_optional else default)
