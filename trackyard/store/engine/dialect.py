"""Differences of SQLite and PostgreSQL, and the statements that need them."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final

from sqlalchemy import Connection, Select, Table, func, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import Dialect

_MAX_OFFSET: Final = 2**62
"""An offset after every row; both engines accept it as a number."""


class AdvisoryLock(IntEnum):
    """Locks of PostgreSQL that a transaction keeps until it ends, by key."""

    SCHEMA = 0x7472_6163_6B
    START = 0x7374_6172_74
    EDGES = 0x6564_6765
    ERASURES = 0x6572_6173
    INBOX = 0x696E_626F
    INBOX_UNMATCHED = 0x756E_6D61
    REBUILDS = 0x7265_6275
    REFERRALS = 0x7265_6665_72
    TASKS = 0x7461_736B


def is_postgresql(conn: Connection | Dialect) -> bool:
    """Return whether a connection is to PostgreSQL; otherwise it is to SQLite."""
    return (conn.dialect if isinstance(conn, Connection) else conn).name == "postgresql"


def lock(conn: Connection, key: AdvisoryLock, *, shared: bool = False) -> None:
    """Wait for a lock; SQLite has one writer at a time and needs none. shared: with others that share it."""
    if is_postgresql(conn):
        conn.execute(text(f"SELECT pg_advisory_xact_lock{'_shared' if shared else ''}(:key)"), {"key": key.value})


def try_lock(conn: Connection, key: AdvisoryLock) -> bool:
    """Take a lock unless another transaction has it; return whether it was taken."""
    if not is_postgresql(conn):
        return True
    return bool(conn.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": key.value}).scalar_one())


def begin_lease(conn: Connection, lease_ms: int) -> None:
    """Let PostgreSQL end the transaction of a client that is silent for so long, which frees its locks.

    The transaction also reads tables by index alone. Statements that a worker repeats are planned once, possibly while
    the tables are still empty.
    """
    settings = (
        "set_config('idle_in_transaction_session_timeout', :lease, true), set_config('enable_seqscan', 'off', true)"
    )
    conn.execute(text(f"SELECT {settings}"), {"lease": str(lease_ms)})


def upsert(conn: Connection, table: Table) -> postgresql.Insert:
    """Return an INSERT that takes an ON CONFLICT clause, which the two engines write alike."""
    build: Any = postgresql.insert if is_postgresql(conn) else sqlite.insert
    statement: postgresql.Insert = build(table)
    return statement


def page_of(query: Select[Any], page: int, limit: int) -> Select[Any]:
    """Return a query for one page of another's rows; pages count from 1."""
    return query.limit(limit).offset(min((page - 1) * limit, _MAX_OFFSET))


def read_page(conn: Connection, query: Select[Any], page: int, limit: int) -> tuple[Sequence[Any], int]:
    """Return the rows of one page of an ordered query, and the number on all pages.

    Rows are counted where the page does not show that it is the last one.
    """
    rows = conn.execute(page_of(query, page, limit)).all()
    if len(rows) < limit and (rows or page == 1):
        return rows, (page - 1) * limit + len(rows)
    every = query.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
    return rows, int(conn.execute(every).scalar_one())
