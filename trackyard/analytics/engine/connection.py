"""The analytic store: chDB in this process, or a ClickHouse server, with the same SQL.

docs/spec/engine.md#analytic-store. chDB allows one process per directory and one directory per process, and a client
runs one statement at a time. So a process opens one `Analytics` and uses it from any thread; clients are pooled. Never
fork after it is open.
"""

import logging
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit, urlunsplit

import clickhouse_connect
import msgspec
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError

from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.analytics.engine.availability import open_failure
from trackyard.analytics.engine.chdb import CHDB_CONFIG, crash_signals_kept, load_chdb
from trackyard.analytics.engine.directory_lock import DirectoryInUse, leave_directory, take_directory
from trackyard.analytics.engine.layout import StoreLayout
from trackyard.analytics.engine.parts import PartChecks, PartLost
from trackyard.analytics.exports import row_stream
from trackyard.analytics.exports.column_stream import LINE_FORMAT, ColumnReader
from trackyard.analytics.scheduler import HEAVY_LIMIT, LIGHT_LIMIT, ConcurrencyLimit, QueryScheduler, RunningQuery
from trackyard.base.arrow import Batch
from trackyard.base.errors import NARROWING_HINT, ReportTooHeavy, RequestCancelled, Unavailable
from trackyard.base.logs.outages import Component

log = logging.getLogger("trackyard.analytics")

T = TypeVar("T")
_ONE_ENGINE = StoreLayout()


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """The limits of statements.

    seconds, memory: the limits of one statement. Groups and sorts above a quarter of the memory (bytes) go to disk.
    light, heavy: the limits of concurrent statements of requests.
    """

    seconds: int = 30
    memory: int = 1_000_000_000
    light: ConcurrencyLimit = LIGHT_LIMIT
    heavy: ConcurrencyLimit = HEAVY_LIMIT

    @property
    def clause(self) -> str:
        """Return the limits as settings of a statement."""
        spill = self.memory // 4
        return (
            f"max_execution_time = {self.seconds}, max_memory_usage = {self.memory}, "
            f"max_bytes_before_external_group_by = {spill}, max_bytes_before_external_sort = {spill}, "
            # only the bytes decide: with a share of the free memory too, a sort would never go to disk
            "max_bytes_ratio_before_external_group_by = 0, max_bytes_ratio_before_external_sort = 0"
        )


_SESSION_SETTINGS: dict[str, Any] = {
    "max_threads": 2,
    "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_decimals": 1,
    "max_insert_threads": 1,
    "async_insert": 0,
    "insert_deduplicate": 1,
    # A journal written before a column was added is loaded with that column's default.
    "input_format_json_compact_allow_variable_number_of_columns": 1,
    # A value of another type is not read as text.
    "input_format_json_read_arrays_as_strings": 0,
    "input_format_json_read_objects_as_strings": 0,
    "input_format_json_read_numbers_as_strings": 0,
    "input_format_json_read_bools_as_strings": 0,
    "distributed_foreground_insert": 1,
}

_PIECE = 1_000_000
"""Bytes of a file that are read at once."""
_DICTIONARY = "LowCardinality(String)"

_ONE_BLOCK_SETTINGS: dict[str, Any] = {
    "max_threads": 1,
    "input_format_parallel_parsing": 0,
    "min_insert_block_size_rows": 1_048_576,
    "min_insert_block_size_bytes": 1_000_000_000,
}
"""An insert is one block, so that a repeat is the same block."""

_TIMEOUT_CODES = frozenset({158, 159, 160, 396})
"""ClickHouse's codes for too many rows, out of time, too slow, too many result rows."""

_OUT_OF_MEMORY_CODE = 241
"""ClickHouse's code for out of memory."""

_KILLED_CODE = 394
"""ClickHouse's code for a killed statement."""

_UNAVAILABLE_CODES = frozenset(
    {60, 74, 75, 76, 81, 107, 108, 198, 202, 203, 209, 210, 242, 243, 279, 319, 425, 516, 999}
)
"""ClickHouse's codes for a store that is unreachable, cannot be used now, has no disk space or lost its files."""

_PARSE_ERROR_CODES = frozenset({6, 25, 26, 27, 32, 33, 38, 41, 53, 69, 70, 72, 117, 131, 321, 407})
"""ClickHouse's codes for text that does not parse as the column's type, or ends too early."""


class StoreError(Exception):
    """The analytic store failed or is unreachable; the result of a load is then unknown.

    unreadable: it answered that it cannot read its input.
    """

    def __init__(self, text: str, *, unreadable: bool = False) -> None:
        super().__init__(text)
        self.unreadable = unreadable


class _JsonPage(msgspec.Struct, Generic[T]):
    """An answer in the format JSONCompact. The number is exact with the setting `exact_rows_before_limit`."""

    data: list[T]
    rows_before_limit_at_least: int


class StoreUnavailable(StoreError, Unavailable):
    """The store is unreachable, or cannot read or write now. Callers of the API learn no more."""

    def __init__(self, text: str) -> None:
        Unavailable.__init__(self)
        self.args = (text,)
        self.unreadable = False


class OutOfMemory(ReportTooHeavy):
    """A statement exceeded its memory."""


class _QueryKilled(StoreError):
    """The `QueryScheduler` ended the statement."""


class Analytics:
    """A database of the analytic store. Safe to use from several threads."""

    def __init__(
        self, address: str, database: str, config: Path | None, limits: QueryLimits, layout: StoreLayout = _ONE_ENGINE
    ) -> None:
        self.layout = layout
        self._address = address
        self._database = database
        self._config = config
        self._limits = limits
        self._component = Component("analytic store")
        self._idle: queue.LifoQueue[Client] = queue.LifoQueue()
        self._open: list[Client] = []
        self._lock = threading.Lock()
        self._directory_lock: Path | None = None
        self._scheduler = QueryScheduler(self._kill, light=limits.light, heavy=limits.heavy)
        self.parts = None if config is None else PartChecks(self, database, config.parent)

    @classmethod
    def open(
        cls, address: str, *, database: str = "trackyard", limits: QueryLimits | None = None, cluster: str = ""
    ) -> "Analytics":
        """Open `chdb:///directory` or `http(s)://user:password@host:port/database`; create the database.

        database: for an address without one.
        limits: of statements. cluster: the name of the servers' cluster that has the tables, "" = one engine.
        Raises StoreError when the store cannot be opened (chDB: another process has the directory).
        """
        config = lock = None
        if address.startswith("chdb:"):
            directory = Path(address.removeprefix("chdb://"))
            directory.mkdir(parents=True, exist_ok=True)
            try:
                lock = take_directory(directory)
            except DirectoryInUse as fault:
                raise StoreError(str(fault)) from None
            config = directory.with_name(directory.name + ".xml")
            config.write_text(CHDB_CONFIG, encoding="utf-8")
            load_chdb()
        else:
            server = urlsplit(address)
            database = server.path.strip("/") or database
            address = urlunsplit(server._replace(path=""))
        try:
            first = _new_client(address, config)
            layout = StoreLayout(cluster)
            first.command(f"CREATE DATABASE IF NOT EXISTS `{database}`{layout.on_cluster}")
            store = cls(address, database, config, limits or QueryLimits(), layout)
            store._directory_lock = lock
            store._open.append(first)  # stays open and unused: chDB stops without an open client
            store._idle.put(store._take_client())
        except ClickHouseError as error:
            if lock is not None:
                leave_directory(lock)
            raise StoreError(open_failure(address, error)) from error
        return store

    def close(self) -> None:
        """Close every client; then another process can open the directory."""
        self._scheduler.close()
        with self._lock:
            for client in self._open:
                client.close()
            self._open.clear()
            self._idle = queue.LifoQueue()
            if self._directory_lock is not None:
                leave_directory(self._directory_lock)
                self._directory_lock = None

    def rows(self, sql: str, parameters: Mapping[str, Any], row: type[T], *, has_rollup: bool = True) -> list[T]:
        """Return the rows of a SELECT, each decoded as `row`, a type with one field or item per column.

        `{name:Type}` in `sql` is replaced by `parameters["name"]`. Raises ReportTooHeavy over the limits of one
        statement. A request (analytics/cancellation.py) waits for a slot: raises ReportsBusy and RequestCancelled.
        has_rollup: whether a rollup may answer it. Else the engine compares it with none of them, which takes
        longer than to read a few thousand rows.
        """
        limited = f"{sql}\nSETTINGS {self._read_clause(has_rollup=has_rollup)}"
        body = self._query(limited, parameters, "JSONCompactEachRow")
        return msgspec.json.Decoder(row).decode_lines(body)

    def _read_clause(self, *, has_rollup: bool) -> str:
        """Return the settings of a SELECT."""
        return self._limits.clause if has_rollup else f"{self._limits.clause}, optimize_use_projections = 0"

    def ping(self) -> None:
        """Return when the store answers. Raises StoreError when it does not."""
        self.rows("SELECT 1", {}, tuple[int])

    def page(
        self, sql: str, parameters: Mapping[str, Any], row: type[T], *, has_rollup: bool = True
    ) -> tuple[list[T], int]:
        """Return the rows of a SELECT that ends with a LIMIT, and their number without the LIMIT.

        The count costs nothing, as the sort reads all rows. has_rollup, and the errors: see `rows`.
        """
        limited = f"{sql}\nSETTINGS exact_rows_before_limit = 1, {self._read_clause(has_rollup=has_rollup)}"
        content = self._query(limited, parameters, "JSONCompact")
        page: _JsonPage[T] = msgspec.json.Decoder(_JsonPage[row]).decode(content)  # type: ignore[valid-type]
        return page.data, page.rows_before_limit_at_least

    @contextmanager
    def file_slot(self, *, no_timeout: bool) -> Iterator[None]:
        """Hold a slot for the next rows of a file; statements in the block do not wait.

        no_timeout: wait without limit. Raises ReportsBusy, unless no_timeout, and RequestCancelled.
        """
        token = current_cancellation.get()
        if token is None:
            yield
            return
        with self._scheduler.file_slot(token, no_timeout=no_timeout):
            before = current_cancellation.set(None)
            try:
                yield
            finally:
                current_cancellation.reset(before)

    @contextmanager
    def stream(self, sql: str, parameters: Mapping[str, Any], row: type[T]) -> Iterator[Iterator[list[T]]]:
        """Yield the rows of a SELECT with the one column `packed_row_column`, in pieces, as they are read.

        The statement ends with the block, which holds a client but no slot. The caller takes a slot for each piece
        (`file_slot`) and limits the number and time of streams. Raises ReportTooHeavy and StoreError, also when rows
        are read.
        """
        with self._open_stream(sql, parameters, row_stream.ROW_FORMAT) as source:
            yield row_stream.unpack_rows(source, row)

    @contextmanager
    def batches(self, sql: str, parameters: Mapping[str, Any], reader: ColumnReader) -> Iterator[Iterator[Batch]]:
        """Yield the rows of a SELECT with the one column `packed_line_column`, by column, as `stream`."""
        with self._open_stream(sql, parameters, LINE_FORMAT) as source:
            yield reader.batches(source)

    @contextmanager
    def lines(self, sql: str) -> Iterator[Iterator[bytes]]:
        """Yield the rows of a SELECT as lines of TabSeparated, in pieces of any length, as they are read."""
        with self._open_stream(sql, {}, "TabSeparated") as source:
            yield iter(lambda: source.read(_PIECE), b"")

    @contextmanager
    def _open_stream(self, sql: str, parameters: Mapping[str, Any], form: str) -> Iterator[Any]:
        with self._client(reusable=False, reads=True) as client:
            limited = f"{sql}\nSETTINGS {row_stream.settings_clause(self._limits.memory)}"
            source: Any = client.raw_stream(limited, parameters=dict(parameters), fmt=form)
            try:
                yield source
            except (EOFError, msgspec.DecodeError) as fault:
                raise StoreError(f"the analytic store broke off: {fault}") from fault
            finally:
                source.close()

    def running_of(self, token: CancellationToken) -> list[str]:
        """Return the log comments of the statements that a request runs now."""
        return self._scheduler.running_of(token)

    def run(self, sql: str) -> None:
        """Run a statement without an answer, such as DDL."""
        with self._guard_write() if sql.startswith("INSERT") else nullcontext(), self._client() as client:
            client.command(sql)

    @contextmanager
    def _guard_write(self) -> Iterator[None]:
        """Check what a statement wrote (analytics/engine/parts.py).

        Raises StoreUnavailable when rows may be missing.
        """
        if self.parts is None:
            yield
            return
        try:
            with self.parts.guard_write():
                yield
        except PartLost as error:
            self._component.failed(error)
            raise StoreUnavailable(str(error)) from error

    def insert(
        self, target: str, columns: tuple[tuple[str, str], ...], body: bytes, form: str, settings: Mapping[str, Any]
    ) -> None:
        """Insert `body` in the format `form` into `target`. Loads and the restoration of a backup call this.

        columns: pairs of name and type, in the order of `body`. Its texts are read as texts and added to their
        dictionaries together: to add them one by one takes twice as long as to read them.
        """
        names = ", ".join(f"`{name}`" for name, _ in columns)
        structure = ", ".join(f"`{name}` {kind.replace(_DICTIONARY, 'String')}" for name, kind in columns)
        rows = f"{target} ({names}) SELECT {names} FROM"
        insert_settings = {**_ONE_BLOCK_SETTINGS, **settings}
        with self._guard_write(), self._client() as client:
            if self._config is None:
                client.raw_insert(f"{rows} input('{structure}')", None, body, settings=insert_settings, fmt=form)
                return
            with _memory_file(body) as path:
                clause = ", ".join(f"{name} = {_quoted(value)}" for name, value in insert_settings.items())
                client.command(f"INSERT INTO {rows} file('{path}', '{form}', '{structure}') SETTINGS {clause}")

    def _query(self, sql: str, parameters: Mapping[str, Any], form: str) -> bytes:
        """Return the answer to a SELECT in a format. Outside of requests it waits for no slot."""
        token = current_cancellation.get()
        if token is None:
            return self._raw_query(sql, parameters, form)
        with self._scheduler.light(token) as running_query:
            answer = self._query_unless_requeued(running_query, sql, parameters, form)
        if answer is None:
            with self._scheduler.heavy(token) as running_query:
                answer = self._query_unless_requeued(running_query, sql, parameters, form)
        if answer is None:
            raise RequestCancelled
        return answer

    def _query_unless_requeued(
        self, running_query: RunningQuery, sql: str, parameters: Mapping[str, Any], form: str
    ) -> bytes | None:
        """Return the answer; None when the statement was requeued. Raises RequestCancelled."""
        try:
            answer = self._raw_query(f"{sql}, log_comment = '{running_query.id}'", parameters, form)
        except _QueryKilled:
            if not running_query.requeued and not running_query.token.is_cancelled:
                raise
        else:
            # A killed statement may answer without an error, with a part of its rows or none.
            if not running_query.requeued and not running_query.token.is_cancelled:
                return answer
        if running_query.token.is_cancelled:
            raise RequestCancelled
        return None

    def _raw_query(self, sql: str, parameters: Mapping[str, Any], form: str) -> bytes:
        with self._client(reads=True) as client:
            return client.raw_query(sql, parameters=dict(parameters), fmt=form)

    def _kill(self, turn_id: str) -> None:
        self.run(self.layout.kill_query(turn_id))

    @contextmanager
    def _client(self, *, reusable: bool = True, reads: bool = False) -> Iterator[Client]:
        """Yield a client for one statement.

        reusable: whether another statement may use it afterwards. After a failure none does: chDB answers the next
        statement with the rest of the failed one. reads: the statement is a SELECT.
        """
        client = None
        try:
            client = self._take_client()
            yield client
            self._component.worked()
        except BaseException as error:
            reusable = False
            if isinstance(error, ClickHouseError):
                raise self._translate_error(error, reads=reads) from error
            raise
        finally:
            if client is not None and reusable:
                self._idle.put(client)
            elif client is not None:
                self._discard_client(client)

    def _discard_client(self, client: Client) -> None:
        with self._lock:
            if client in self._open:  # else the store was closed
                self._open.remove(client)
                client.close()

    def _translate_error(self, error: ClickHouseError, *, reads: bool) -> Exception:
        """Return the error for the caller of a failed statement."""
        code, text = getattr(error, "code", None), str(error)
        if code in _TIMEOUT_CODES:
            return ReportTooHeavy(f"The report took longer than {self._limits.seconds} seconds: {NARROWING_HINT}")
        if code == _OUT_OF_MEMORY_CODE:
            megabytes = self._limits.memory // 1_000_000
            return OutOfMemory(f"The report needs more than {megabytes} MB of memory: {NARROWING_HINT}")
        if code == _KILLED_CODE:
            return _QueryKilled(text)
        is_unavailable = code in _UNAVAILABLE_CODES or (code is None and isinstance(error, OperationalError))
        if is_unavailable or (reads and self.parts is not None and self.parts.explains(code)):
            self._component.failed(error)
            return StoreUnavailable(text)
        return StoreError(text, unreadable=code in _PARSE_ERROR_CODES)

    def _take_client(self) -> Client:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            settings = {**_SESSION_SETTINGS, **self.layout.settings}
            client = _new_client(self._address, self._config, database=self._database, settings=settings)
            with self._lock:
                self._open.append(client)
            return client


def _new_client(address: str, config: Path | None, **options: Any) -> Client:
    with crash_signals_kept():
        return clickhouse_connect.get_client(dsn=address, **options, **_client_options(config))


def check_login(address: str) -> None:
    """Log in to a ClickHouse server and change nothing. Raises StoreError. address: see `Analytics.open`."""
    server = urlunsplit(urlsplit(address)._replace(path=""))  # a first start creates the database
    try:
        _new_client(server, None).close()
    except ClickHouseError as error:
        raise StoreError(str(error)) from error


def has_database(address: str, database: str = "trackyard") -> bool:
    """Return whether a ClickHouse server has the database of an address. Raises StoreError."""
    parts = urlsplit(address)
    name = parts.path.strip("/") or database
    try:
        with closing(_new_client(urlunsplit(parts._replace(path="")), None)) as client:
            found = client.command("SELECT count() FROM system.databases WHERE name = {name:String}", {"name": name})
    except ClickHouseError as error:
        raise StoreError(open_failure(address, error)) from error
    return int(str(found)) > 0


@contextmanager
def _memory_file(body: bytes) -> Iterator[str]:
    """Yield the path of a file in memory with these bytes."""
    with open(os.memfd_create("rows"), "wb", buffering=0) as file:
        rest = memoryview(body)
        while rest:
            rest = rest[file.write(rest) :]
        yield f"/proc/self/fd/{file.fileno()}"


def _quoted(value: Any) -> str:
    """Return a value as SQL."""
    return str(value) if isinstance(value, int) else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _client_options(config: Path | None) -> dict[str, Any]:
    if config is None:
        # A list of 10,000 ids does not fit into a URL, so parameters are sent in the body.
        return {"autogenerate_session_id": False, "form_encode_query_params": True}
    return {"chdb_options": {"config-file": str(config)}}
