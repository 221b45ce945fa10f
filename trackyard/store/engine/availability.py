"""Whether a database answers, for a start that may come before it."""

import re
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from trackyard.store.engine.dialect import is_postgresql

_CONNECT_SECONDS: Final = 5
_LASTING_STATES: Final = ("28", "3D")
"""Classes of SQLSTATE for which a start does not wait: the login or the database does not exist."""
_LASTING: Final = re.compile(
    r"FATAL: .*(authentication failed|no pg_hba\.conf entry|not permitted to log in|no such (user|database)"
    r"|(role|user|database) .*does not exist)|no password supplied|password authentication"
)
"""The same in words, as libpq gives no SQLSTATE of a connection that fails. What it does not match is waited for."""
_OWN: Final = re.compile(
    r"(root )?certificate file .*(does not exist|could not)|could not (open|read|load) .*(certificate|private key|CRL)"
    r"|private key file|invalid .*(value|option|port)|connection option|service file|definition of service"
)
"""What libpq says of the URL and of files of this machine, before any server is asked."""
_SQLITE_BUSY: Final = re.compile(r"is locked|is full|disk I/O error")
"""What SQLite says of a file that can be used later."""

_HEADER_BYTES: Final = 100
"""Of a SQLite file."""


class DatabaseNotUp(Exception):
    """The server does not answer yet. The message is the reason."""


def check_database_is_up(url: str) -> None:
    """Connect once. Raises DatabaseNotUp, and SQLAlchemyError where waiting is of no use.

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
        state = getattr(fault.orig, "sqlstate", None)
        is_lasting = state.startswith(_LASTING_STATES) if state else _LASTING.search(reason) is not None
        if is_lasting or is_own_fault(url, fault):
            raise
        raise DatabaseNotUp(reason) from None
    finally:
        engine.dispose()


def is_own_fault(url: str, fault: Exception) -> bool:
    """Return whether this machine's URL or file is wrong, so that a restart would not help.

    An answer of a server, or a missing answer, is not a fault of this machine. A failure with a SQLSTATE comes from a
    server, one without it from the client, which found its URL or a file unusable, or no server.
    A SQLite database is a file of this machine.
    """
    words = str(getattr(fault, "orig", None) or fault)
    if make_url(url).get_backend_name() == "sqlite":
        return _SQLITE_BUSY.search(words) is None
    if getattr(getattr(fault, "orig", None), "sqlstate", None):
        return False
    if isinstance(fault, DBAPIError):
        return not isinstance(fault, OperationalError) or ("FATAL" not in words and _OWN.search(words) is not None)
    return isinstance(fault, SQLAlchemyError)  # of the URL, before a connection


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


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite database; None for a server, and for a database in memory."""
    parts = make_url(url)
    is_file = parts.get_backend_name() == "sqlite" and parts.database not in (None, "", ":memory:")
    return Path(str(parts.database)) if is_file else None


def place_of(url: str) -> str:
    """Return where a database is, without user and password."""
    parts = make_url(url)
    host = parts.host or parts.query.get("host") or "localhost"
    port = f":{parts.port}" if parts.port else ""
    return f"{host if isinstance(host, str) else ','.join(host)}{port}/{parts.database or ''}"


def find_cut(path: Path) -> str:
    """Return why a SQLite file cannot be whole; "" when its size shows no fault.

    Its header has the size of a page and their number. A file with a journal may be shorter until that is applied.
    """
    size = path.stat().st_size
    if not size:
        return "it is empty"
    journals = (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-journal"))
    if any(each.exists() and each.stat().st_size for each in journals):
        return ""
    with path.open("rb") as handle:
        header = handle.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES:
        return f"it ends after {size} bytes"
    page = int.from_bytes(header[16:18], "big")
    page = 65_536 if page == 1 else page
    is_known = header[24:28] == header[92:96]  # of the last change, by a version that writes the number of pages
    whole = int.from_bytes(header[28:32], "big") * page
    return f"it ends after {size} of {whole} bytes" if is_known and size < whole else ""
