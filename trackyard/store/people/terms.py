"""Which terms affiliates accepted (docs/spec/platform.md#the-network)."""

from sqlalchemy import Connection, select

from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import terms_acceptance


def add_acceptance(conn: Connection, affiliate_id: int, version: str, now_ms: int) -> None:
    """Record that an affiliate accepted terms. Later calls do not change the first time."""
    row = {"affiliate_id": affiliate_id, "version": version, "accepted_at": now_ms}
    conn.execute(upsert(conn, terms_acceptance).values(**row).on_conflict_do_nothing())


def find_acceptance(conn: Connection, affiliate_id: int, version: str) -> int | None:
    """Return when an affiliate accepted terms (UTC milliseconds); None when it did not."""
    columns = terms_acceptance.c
    query = select(columns.accepted_at).where(columns.affiliate_id == affiliate_id, columns.version == version)
    return conn.execute(query).scalar_one_or_none()
