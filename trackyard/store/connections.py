"""Which affiliates are connected to which offers."""

from collections.abc import Iterable

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from trackyard.store.tables import connection


def connect(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> None:
    """Connects an affiliate to offers; to be connected already is no fault."""
    rows = [
        {"offer_id": offer_id, "affiliate_id": affiliate_id, "enabled": True, "changed_at": now_ms}
        for offer_id in sorted(set(offer_ids))
    ]
    if not rows:
        return
    build = sqlite.insert if conn.dialect.name == "sqlite" else postgresql.insert
    statement = build(connection).values(rows)
    conn.execute(
        statement.on_conflict_do_update(
            index_elements=["offer_id", "affiliate_id"], set_={"enabled": True, "changed_at": now_ms}
        )
    )


def offers_of(conn: Connection, affiliate_id: int) -> set[int]:
    """The offers an affiliate is connected to."""
    rows = conn.execute(
        select(connection.c.offer_id).where(connection.c.affiliate_id == affiliate_id, connection.c.enabled)
    )
    return set(rows.scalars())
