"""What offers name: whether it exists."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Table, select

from trackyard.store.tables import category, domain, smartlink_category, source

_TABLES: Final[dict[str, Table]] = {
    "sources": source,
    "categories": category,
    "smartlink_categories": smartlink_category,
    "domain_id": domain,
}
"""Field of an offer → the table whose ids it holds."""


def missing_ids(conn: Connection, field: str, ids: Collection[Any]) -> set[Any]:
    """Those of the ids that do not exist in what `field` of an offer names."""
    if not ids:
        return set()
    key = _TABLES[field].c.id
    return set(ids) - set(conn.execute(select(key).where(key.in_(set(ids)))).scalars())
