"""Whether a database answers, for a start that may come before it."""

import re
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from trackyard.store.engine.dialect import is_postgresql

_CONNECT_SECONDS: Final = 5
_REFUSALS: Final = re.compile(r"\bFATAL\b|no password supplied")
"""What a server says that answers, and what the client says that lacks a password."""
_NOT_YET: Final = re.compile(r"starting up|shutting down|recovery|too many (clients|connections)|connection slots")
"""What a server says for a while."""


class DatabaseNotUp(Exception):
    """The server does not answer yet. The message is the reason."""


def check_database_is_up(url: str) -> None:
    """Connect once. Raises DatabaseNotUp, and SQLAlchemyError where a later attempt would fail as well.

    A SQLite database is a file, which is always up.
    """
    if make_url(url).get_backend_name() == "sqlite":
        return
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": _CONNECT_SECONDS})
    try:
        with engine.connect():
            pass
    except OperationalError as fault:
        reason = str(fault.orig).strip().splitlines()[0].rstrip(".")
        if _REFUSALS.search(reason) and not _NOT_YET.search(reason):
            raise
        raise DatabaseNotUp(reason) from None
    finally:
        engine.dispose()


def find_clock_ms(conn: Connection) -> int | None:
    """Return the time of the database's machine, UTC milliseconds; None for SQLite."""
    if not is_postgresql(conn):
        return None
    seconds = conn.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
    return int(seconds * 1000)


def server_version(conn: Connection) -> tuple[str, str]:
    """Return the name of the database and its version."""
    if is_postgresql(conn):
        return "PostgreSQL", str(conn.execute(text("SHOW server_version")).scalar_one()).partition(" ")[0]
    return "SQLite", str(conn.execute(text("SELECT sqlite_version()")).scalar_one())


def is_file_missing(url: str) -> bool:
    """Return whether the database is a SQLite file that is not there yet."""
    parts = make_url(url)
    return parts.get_backend_name() == "sqlite" and not Path(parts.database or "").exists()


def place_of(url: str) -> str:
    """Return where a database is, without user and password."""
    parts = make_url(url)
    host = parts.host or parts.query.get("host") or "localhost"
    port = f":{parts.port}" if parts.port else ""
    return f"{host if isinstance(host, str) else ','.join(host)}{port}/{parts.database or ''}"
