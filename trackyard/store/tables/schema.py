"""The one metadata object that every table belongs to, and what the declarations of tables share."""

from typing import Any

from sqlalchemy import Column, MetaData, Table
from sqlalchemy.sql.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def table(name: str, *items: SchemaItem) -> Table:
    """Return a table of the schema. A number that it gave to a row is never given again."""
    numbered = any(isinstance(item, Column) and item.autoincrement is True for item in items)
    return Table(name, metadata, *items, sqlite_autoincrement=numbered)


def columns(kind: Any, *names: str, **options: Any) -> list[Column[Any]]:
    """Return columns of one type with the same options."""
    return [Column(name, kind, **options) for name in names]
