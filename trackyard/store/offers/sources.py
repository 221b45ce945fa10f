"""Traffic sources that offers allow (docs/api/sources.md)."""

from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.offers.categories import TrafficSource
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import source

_ROWS: Final = Rows[TrafficSource, str](source, TrafficSource)
add_source = _ROWS.add
find_source = _ROWS.find
edit_source = _ROWS.edit
remove_source = _ROWS.remove


def list_sources(conn: Connection) -> list[TrafficSource]:
    """Return all, oldest first."""
    return _ROWS.read(conn, select(source).order_by(source.c.created_at, source.c.id))
