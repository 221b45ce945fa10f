"""Rows of the security log (docs/spec/callers.md#security-log)."""

from dataclasses import asdict

from sqlalchemy import Connection, delete, insert, select

from trackyard.domain.people.security_log import SecurityFilter, SecurityRecord
from trackyard.store.engine.dialect import read_page
from trackyard.store.tables import security_log

_CHUNK = 1000


def add_record(conn: Connection, record: SecurityRecord) -> None:
    """Store an event."""
    conn.execute(insert(security_log).values(**asdict(record)))


def list_records(
    conn: Connection, criteria: SecurityFilter, *, page: int, limit: int
) -> tuple[list[SecurityRecord], int]:
    """Return a page of events, the newest first, and the total."""
    columns = security_log.c
    names = ("event", "outcome", "actor_kind", "actor_id", "address")
    conditions = [columns[name] == getattr(criteria, name) for name in names if getattr(criteria, name) is not None]
    if criteria.since is not None:
        conditions.append(columns.at >= criteria.since)
    if criteria.until is not None:
        conditions.append(columns.at < criteria.until)
    query = select(security_log).where(*conditions).order_by(columns.at.desc(), columns.id.desc())
    rows, total = read_page(conn, query, page, limit)
    return [SecurityRecord(**row._mapping) for row in rows], total


def remove_before(conn: Connection, until_ms: int) -> int:
    """Remove some events before a moment (UTC milliseconds); return how many."""
    columns = security_log.c
    old = select(columns.id).where(columns.at < until_ms).order_by(columns.at).limit(_CHUNK)
    return conn.execute(delete(security_log).where(columns.id.in_(old))).rowcount


def has_before(conn: Connection, until_ms: int) -> bool:
    """Return whether there are events before a moment (UTC milliseconds)."""
    columns = security_log.c
    return conn.execute(select(columns.id).where(columns.at < until_ms).limit(1)).first() is not None
