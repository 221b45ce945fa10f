"""The database of SQL, the same for SQLite and PostgreSQL.

SQLite (docs/spec/engine.md#sql): WAL, synchronous FULL; a write is `BEGIN IMMEDIATE` behind one lock that is fair
between processes; a read that becomes a write fails at once.
"""

import fcntl
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any, Self

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from trackyard.base.logs.outages import Component
from trackyard.store.engine.audit_writer import audit_changes
from trackyard.store.engine.bulk import enable_copy

__all__ = [
    "Connection",
    "Database",
    "TransactionFailure",
    "classify_failure",
    "conflicting_columns",
    "is_disk_full",
    "is_rolled_back",
]

SQLITE_PRAGMAS = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-8000",
    "PRAGMA temp_store=MEMORY",
)

_WAL_TRIES = 200
_TCP_SETTINGS = {
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A connection to a PostgreSQL that is gone without a word ends after about 30 s; without these, after two hours."""


class TransactionFailure(Enum):
    """The reason of a failed transaction, by the action that it needs."""

    CONFLICT = "another transaction was first: repeat it"
    UNAVAILABLE = "the database cannot be written now: wait"
    DEFECT = "a repeat would fail the same way"


def classify_failure(error: Exception) -> TransactionFailure:
    """Return the kind of failure of an exception from `Database.write`."""
    if isinstance(error, IntegrityError) or is_rolled_back(error):
        return TransactionFailure.CONFLICT
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    if lost or isinstance(error, OperationalError | InterfaceError | PoolTimeout):
        return TransactionFailure.UNAVAILABLE
    return TransactionFailure.DEFECT


def conflicting_columns(error: Exception) -> tuple[str, ...]:
    """Return the columns of a unique value that another transaction took; () for other errors."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        columns = re.match(r"UNIQUE constraint failed: (.+)", str(cause))
        return tuple(name.rpartition(".")[2] for name in columns[1].split(", ")) if columns else ()
    if _sqlstate(error) != "23505":
        return ()
    columns = re.search(r"\((.+?)\)=\(", str(getattr(getattr(cause, "diag", None), "message_detail", "")))
    return tuple(columns[1].split(", ")) if columns else ("id",)


def _is_connection_lost(error: Exception) -> bool:
    """Return whether the connection failed, rather than a write on it."""
    if isinstance(getattr(error, "orig", None), sqlite3.Error):
        return False
    return not _sqlstate(error) or _sqlstate(error).startswith(("08", "57"))


def is_disk_full(error: Exception) -> bool:
    """Return whether the database has no space left."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return cause.sqlite_errorcode == sqlite3.SQLITE_FULL
    return _sqlstate(error) == "53100"


def is_rolled_back(error: Exception) -> bool:
    """Return whether the server rolled the transaction back because of another one."""
    return _sqlstate(error).startswith("40")


def _sqlstate(error: Exception) -> str:
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


class Database:
    """A SQL database. `url` is SQLAlchemy's: `sqlite:////path/file` or `postgresql+psycopg://…`.

    `read` and `write` alone give connections. Safe to use from several threads and processes. As a context manager it
    is closed at the end of the block.
    """

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self._engine: Engine = create_engine(
            url,
            poolclass=QueuePool,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_use_lifo=True,  # the connection used last has its statements prepared
            pool_pre_ping=not self.is_sqlite,
            json_deserializer=msgspec.json.decode,  # documents are most of the cost of an offer's row
            connect_args=_connect_args(url),
            hide_parameters=True,  # an error's text goes to the log; parameters hold password hashes and sealed keys
        )
        self._component = Component("SQL database")
        self._lock_path: Path | None = None
        if self.is_sqlite:
            file = make_url(url).database
            if not file or file == ":memory:":
                raise ValueError("a SQLite database needs a file")
            self._lock_path = Path(file + ".lock")
            event.listen(self._engine, "connect", self._prepare_sqlite)
        else:
            enable_copy(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def ping(self) -> None:
        """Return when the database answers. Raises SQLAlchemyError when it does not."""
        with self.read() as connection:
            connection.exec_driver_sql("SELECT 1")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database and writes nothing.

        Within `joined_transaction` it also sees the writes of that transaction.
        """
        joined_transaction = _joined_transaction.get()
        if joined_transaction is not None and joined_transaction.connection is not None:
            yield joined_transaction.connection
            return
        with self._watched(writing=False), self._engine.connect() as connection:
            if self.is_sqlite:
                _execute(connection, "PRAGMA query_only=ON")
                _execute(connection, "BEGIN")
                try:
                    yield connection
                finally:
                    _roll_back(connection)
                    if not connection.invalidated:
                        _execute(connection, "PRAGMA query_only=OFF")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield connection
                connection.rollback()

    @contextmanager
    def write(self, *, independent: bool = False) -> Iterator[Connection]:
        """Yield the connection of a transaction, which is undone when the block raises.

        Keep it under 20 ms. Changes by a staff user are added to the audit log (store/engine/audit_writer.py).
        Within `joined_transaction` it is a part of that transaction.
        independent: a transaction of its own, before the first part of a joined one.
        """
        joined_transaction = _joined_transaction.get()
        if independent and joined_transaction is not None and joined_transaction.connection is not None:
            raise RuntimeError("an independent write must precede the writes of a joined transaction")
        with (
            self._transaction()
            if independent or joined_transaction is None
            else joined_transaction.part() as connection
        ):
            yield connection

    @contextmanager
    def trial(self) -> Iterator[Connection]:
        """Yield the connection of a transaction that is always undone: only its own reads see its changes.

        Keep it as short as `write`.
        """
        try:
            with self._transaction() as connection:
                yield connection
                raise _TrialOver
        except _TrialOver:
            return

    @contextmanager
    def joined_transaction(self, begin: Callable[[Connection], None]) -> Iterator[None]:
        """Make the writes of the block one transaction, which is undone when the block raises.

        It begins with the first write, so that earlier work (hashing, storing files) holds no lock.
        begin: its first step; that write raises the errors of it.
        """
        with ExitStack() as stack:
            joined_transaction = _JoinedTransaction(stack, self._transaction, begin)
            stack.callback(_joined_transaction.reset, _joined_transaction.set(joined_transaction))
            yield
            if joined_transaction.broken:  # a part of it was undone, so all of it must be
                raise RuntimeError("a write failed, and its error was not raised")

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._watched(writing=True), self._engine.connect() as connection:
            if not self.is_sqlite:
                with connection.begin(), audit_changes(connection):
                    yield connection
                return
            with self._writer_lock():
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                try:
                    with audit_changes(connection):
                        yield connection
                except BaseException:
                    _roll_back(connection)
                    raise
                connection.exec_driver_sql("COMMIT")

    def hold_writes(self) -> AbstractContextManager[None]:
        """Let no transaction of SQLite write in the block, of any process."""
        return self._writer_lock()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def _watched(self, *, writing: bool) -> Iterator[None]:
        """Log when the database is lost and when it is back."""
        try:
            yield
        except Exception as error:
            if classify_failure(error) is TransactionFailure.UNAVAILABLE:
                self._component.failed(error, writing=writing and not _is_connection_lost(error))
            raise
        self._component.worked(writing=writing)

    @contextmanager
    def _writer_lock(self) -> Iterator[None]:
        assert self._lock_path is not None
        handle = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _prepare_sqlite(self, connection: Any, _record: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # Database alone executes BEGIN, COMMIT and ROLLBACK
        try:
            cursor = connection.cursor()
            for pragma in SQLITE_PRAGMAS:
                cursor.execute(pragma)
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                with self._writer_lock():
                    _begin_wal(cursor)
            cursor.close()
        except BaseException:
            connection.close()  # the pool does not close a connection that it could not prepare
            raise


def _connect_args(url: str) -> dict[str, int]:
    """Return the settings of a connection that its address leaves open."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return {}
    return {name: value for name, value in _TCP_SETTINGS.items() if name not in address.query}


class _TrialOver(Exception):
    """Undoes the transaction of a trial."""


class _JoinedTransaction:
    """One transaction of several writes. connection: None until the first of them."""

    def __init__(
        self,
        stack: ExitStack,
        transaction: Callable[[], AbstractContextManager[Connection]],
        begin: Callable[[Connection], None],
    ) -> None:
        self._stack = stack
        self._transaction = transaction
        self._begin = begin
        self.connection: Connection | None = None
        self.broken = False

    @contextmanager
    def part(self) -> Iterator[Connection]:
        """Yield the connection for one of the writes."""
        try:
            if self.connection is None:
                self.connection = self._stack.enter_context(self._transaction())
                self._begin(self.connection)
            yield self.connection
        except BaseException:
            self.broken = True
            raise


def _roll_back(connection: Connection) -> None:
    """Roll a transaction of SQLite back.

    After a full or failed disk SQLite has done so itself, and a second failure would hide the first. An invalidated
    connection has no transaction.
    """
    if connection.invalidated:
        return
    if getattr(connection.connection.dbapi_connection, "in_transaction", True):
        _execute(connection, "ROLLBACK")


def _execute(connection: Connection, statement: str) -> None:
    """Execute a statement of SQLite that neither waits for another process nor returns rows.

    Its driver does that in a tenth of the time that SQLAlchemy takes.
    """
    driver: Any = connection.connection.dbapi_connection
    driver.execute(statement).close()


_joined_transaction: ContextVar[_JoinedTransaction | None] = ContextVar("whole", default=None)


def _begin_wal(cursor: Any) -> None:
    """Switch a new file to WAL, which is permanent.

    SQLite does not wait for a reader here, in spite of busy_timeout, and another process may read at the same moment.
    """
    for _ in range(_WAL_TRIES):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            time.sleep(0.01)
    cursor.execute("PRAGMA journal_mode=WAL")
