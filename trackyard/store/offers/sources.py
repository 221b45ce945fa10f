"""Traffic sources that offers allow (docs/api/sources.md)."""

from dataclasses import asdict

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.domain.offers.categories import TrafficSource
from trackyard.store.tables import source


def add_source(conn: Connection, new: TrafficSource) -> None:
    """Stores a new one."""
    conn.execute(insert(source).values(**asdict(new)))


def find_source(conn: Connection, source_id: str, *, lock: bool = False) -> TrafficSource | None:
    """The source of an id; `lock`: nobody else changes it until this transaction ends."""
    statement = select(source).where(source.c.id == source_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else TrafficSource(**row._mapping)


def list_sources(conn: Connection) -> list[TrafficSource]:
    """All of them, oldest first."""
    rows = conn.execute(select(source).order_by(source.c.created_at, source.c.id))
    return [TrafficSource(**row._mapping) for row in rows]


def edit_source(conn: Connection, source_id: str, title_lang: dict[str, str], now_ms: int) -> None:
    """Sets its titles."""
    conn.execute(update(source).where(source.c.id == source_id).values(title_lang=title_lang, updated_at=now_ms))


def remove_source(conn: Connection, source_id: str) -> None:
    """Removes it; offers that name it are the caller's to change in the same transaction."""
    conn.execute(delete(source).where(source.c.id == source_id))
