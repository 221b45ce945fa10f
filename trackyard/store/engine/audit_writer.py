"""The audit log of transactions by callers, read from their statements.

docs/spec/platform.md#audit-log. No use case has to log. While a caller acts, the recorder reads the rows of each
INSERT, UPDATE and DELETE before and after it; at the end the differences are stored in the same transaction. Rows are
identified by primary keys: those in the statement, or numbers that the database gave.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Insert,
    Table,
    Update,
    and_,
    event,
    func,
    insert,
    or_,
    select,
    text,
)

from trackyard.base.ids import new_id
from trackyard.domain.platform.erasures import ErasureSubject
from trackyard.store.engine.audit_actor import AuditActor, current_actor
from trackyard.store.engine.dialect import is_postgresql
from trackyard.store.tables import audit
from trackyard.store.tables.credentials import SECRET_COLUMNS, SECRET_SETTINGS

SECRET: Final = "***"  # noqa: S105 (replaces secrets)

_Row = dict[str, Any]
_Key = tuple[Any, ...]

_UNAUDITED_TABLES: Final = frozenset(
    {"audit", "rule_clock", "rule_change", "edge", "edge_progress", "inbox", "outbox", "delivery", "mail", "fetch"}
    | {"conversion", "conversion_event", "counter", "ledger", "offer_label", "sign_in_failure", "first_answer"}
    | {"affiliate_login", "security_log", "session", "recovery_code", "email_confirmation"}
    | {
        "sign_in_link",
        "preference",
        "machine",
        "past_edge",
        "mail_attachment",
        "automation_change",
        "comparison",
        "product_item",
        "url_check",
        "url_host",
        "usual_time",
    }
)
"""Queues, tables that are derived from others, and tables with their own history."""
_UNAUDITED_COLUMNS: Final = frozenset({"updated_at", "judged_until", "met_until", "webhook_due", "webhook_attempts"})
_CHUNK: Final = 200


@contextmanager
def audit_changes(conn: Connection) -> Iterator[None]:
    """Store the changes of the block through `conn` in the audit log, when a caller acts."""
    actor = current_actor.get()
    if actor is None:
        yield
        return
    recorder = _ChangeRecorder()
    event.listen(conn, "before_execute", recorder.before)
    event.listen(conn, "after_execute", recorder.after)
    yield
    recorder.store(conn, actor)


class _ChangeRecorder:
    """The rows that one transaction touched, in their first and last state."""

    def __init__(self) -> None:
        self._first: dict[tuple[Table, _Key], _Row | None] = {}
        self._last: dict[tuple[Table, _Key], _Row | None] = {}
        self._keys: list[_Key] = []
        self._highest: int | None = None

    def before(self, conn: Connection, clause: Any, many: Any, one: Any, _options: Any) -> None:
        """Keep the rows that a statement is about to touch."""
        table = _audited_table(clause)
        if table is None:
            return
        sets = list(many) or [one]
        self._keys, self._highest = [], None
        if isinstance(clause, Insert):
            self._keys = _named_keys(conn, clause, table, sets)
            if not self._keys and table.autoincrement_column is not None:
                self._highest = conn.execute(select(func.max(table.autoincrement_column))).scalar_one() or 0
        else:
            self._keys = [key for values in sets for key in _affected_keys(conn, clause, table, values)]
        rows = _rows(conn, table, self._keys)
        for key in self._keys:
            self._first.setdefault((table, key), rows.get(key))

    def after(self, conn: Connection, clause: Any, _many: Any, _one: Any, _options: Any, _result: Any) -> None:
        """Keep the rows after the statement."""
        table = _audited_table(clause)
        if table is None:
            return
        if self._highest is not None:
            self._keys = _generated_keys(conn, table, self._highest)
            self._first.update({(table, key): None for key in self._keys})
        found = _rows(conn, table, self._keys)
        self._last.update({(table, key): found.get(key) for key in self._keys})

    def store(self, conn: Connection, actor: AuditActor) -> None:
        """Write one row for each row that has changed."""
        rows = []
        for (table, key), first in self._first.items():
            last = self._last.get((table, key))
            changes = differences(table, first, last)
            if changes:
                named = {"what": table.name, "key": _shown_key(table, key, first or last or {}), "changes": changes}
                rows.append({"id": new_id(actor.at), **asdict(actor), **named})
        if rows:
            conn.execute(insert(audit), rows)


def _audited_table(clause: Any) -> Table | None:
    """Return the table of a statement that the log records."""
    if not isinstance(clause, Insert | Update | Delete) or not isinstance(clause.table, Table):
        return None
    return None if clause.table.name in _UNAUDITED_TABLES else clause.table


def _affected_keys(conn: Connection, clause: Any, table: Table, values: Mapping[str, Any]) -> list[_Key]:
    """Return the keys of the rows that an UPDATE or DELETE is about to touch, and lock them."""
    query = select(*table.primary_key.columns).with_for_update()
    if clause.whereclause is not None:
        query = query.where(clause.whereclause)
    return [tuple(row) for row in conn.execute(query, values)]


def _named_keys(conn: Connection, clause: Insert, table: Table, sets: Sequence[Mapping[str, Any]]) -> list[_Key]:
    """Return the keys in an INSERT, one for each of its rows."""
    names = [column.name for column in table.primary_key.columns]
    own = clause.compile(dialect=conn.dialect).params
    keys = []
    for values in sets:
        given = {**own, **values}
        for suffix in ("", *(f"_m{number}" for number in range(_rows_of(own, names[0])))):
            key = tuple(given.get(name + suffix) for name in names)
            if None not in key:
                keys.append(key)
    return keys


def _rows_of(params: Mapping[str, Any], name: str) -> int:
    """Return the number of rows in `values([...])`: their parameters are numbered."""
    return sum(1 for param in params if param.startswith(f"{name}_m") and param[len(name) + 2 :].isdecimal())


def _generated_keys(conn: Connection, table: Table, highest: int) -> list[_Key]:
    """Return the keys above `highest` of rows that this transaction added."""
    column = table.autoincrement_column
    assert column is not None
    query = select(column).where(column > highest)
    if is_postgresql(conn):  # other transactions may insert at the same time
        query = query.where(text(f'"{table.name}".xmin::text = pg_current_xact_id()::xid::text'))
    return [tuple(row) for row in conn.execute(query)]


def _rows(conn: Connection, table: Table, keys: Sequence[_Key]) -> dict[_Key, _Row]:
    """Return rows by key, of those that exist."""
    columns = list(table.primary_key.columns)
    found: dict[_Key, _Row] = {}
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        if len(columns) == 1:
            condition: ColumnElement[bool] = columns[0].in_([key[0] for key in chunk])
        else:
            condition = or_(*(and_(*(c == part for c, part in zip(columns, key, strict=True))) for key in chunk))
        for row in conn.execute(select(table).where(condition)).mappings():
            found[tuple(row[column] for column in columns)] = {c.name: row[c] for c in table.columns}
    return found


def differences(table: Table, first: _Row | None, last: _Row | None) -> dict[str, list[Any]]:
    """Return [from, to] by column; None on the side where the row does not exist."""
    before, after = first or {}, last or {}
    row = last or first or {}
    is_setting = table.name == "setting" and row["name"] in SECRET_SETTINGS
    secret = is_setting or (table.name == "erasure" and row["subject"] == ErasureSubject.USER)
    hidden = SECRET_COLUMNS.get(table.name, frozenset()) | ({"value"} if secret else set())
    changes = {}
    for column in [column.name for column in table.columns]:
        old, new = before.get(column), after.get(column)
        if old != new and column not in _UNAUDITED_COLUMNS:
            pair = (SECRET if value is not None and column in hidden else _plain(value) for value in (old, new))
            changes[column] = list(pair)
    return changes


def _shown_key(table: Table, key: _Key, row: _Row) -> str:
    """Return the primary key of a row; the id of a row that is found by a secret."""
    secret = SECRET_COLUMNS.get(table.name, frozenset())
    parts = key if secret.isdisjoint(column.name for column in table.primary_key.columns) else (row["id"],)
    return "/".join(map(str, parts))[:200]


def _plain(value: Any) -> Any:
    """Return the value of a column as JSON."""
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return str(value) if isinstance(value, Decimal) else value
