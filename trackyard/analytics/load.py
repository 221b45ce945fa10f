"""Loads of the analytic store: each row exactly once (docs/spec/engine.md#exactly-once)."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import msgspec

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.schema import TABLES, Table
from trackyard.analytics.maintenance.shadow_tables import DUAL_WRITE_TABLES, SHADOW_TABLES
from trackyard.base.metrics import LOAD_SECONDS, LOADED_ROWS

log = logging.getLogger("trackyard.analytics")

CATCH_UP_BATCH: Final = 100_000
"""Items to load together after a delay, as the rollups of an insert cost the same for any number."""
_MAX_INSERT_ITEMS: Final = 50_000
"""The largest number of items of one insert, which needs 3 kB of memory for each."""
_LOAD_THREADS: Final = 2
_ATTEMPTS = 5

_SHORT_ROWS: Final = MappingProxyType({"input_format_json_compact_allow_variable_number_of_columns": 1})
"""Records end before columns with their default, and before newer columns."""

Key = tuple[Any, ...]
Turn = Callable[[], AbstractContextManager[None]]
"""Returns a block in which one piece may be loaded."""


@dataclass(frozen=True, slots=True)
class UnreadableItem:
    """An item that the store cannot read: its index in the argument of `load`, and the error."""

    place: int
    error: str


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of one load: the number of items in the store, and the unreadable ones."""

    items: int
    bad: list[UnreadableItem] = field(default_factory=list)


def load(
    analytics: Analytics,
    table: str,
    items: Sequence[bytes],
    token: str,
    *,
    maybe_loaded: bool = False,
    dual_write: bool = False,
    turn: Turn = nullcontext,
) -> LoadResult:
    """Load `items` into `table`, each exactly once, also when this is repeated with the same `token`.

    items: one or more lines each, in the table's format and column order; the lines of one item stay together.
    token: identifies exactly these items; the same token loads nothing a second time.
    maybe_loaded: the result of an earlier try is unknown, so existing rows are searched first.
    dual_write: load into the shadow table too (analytics/maintenance/shadow_tables.py).
    turn: returns the block in which a piece is loaded, which waits for other work.
    Unreadable items are skipped and returned. Raises StoreError when the store fails: then repeat with `maybe_loaded`.
    """
    started = time.monotonic()
    loaded = _load_into(analytics, TABLES[table], items, token, maybe_loaded=maybe_loaded, turn=turn)
    if dual_write and table in DUAL_WRITE_TABLES:
        places = {each.place for each in loaded.bad}
        readable = [item for place, item in enumerate(items) if place not in places]
        _load_into(analytics, DUAL_WRITE_TABLES[table], readable, token, maybe_loaded=maybe_loaded, turn=turn)
    if items:
        LOADED_ROWS.labels(table).inc(loaded.items)
        LOAD_SECONDS.labels(table).observe(time.monotonic() - started)
    return loaded


def load_shadow_table(analytics: Analytics, table: str, items: Sequence[bytes], token: str) -> LoadResult:
    """Load `items` into the shadow table of `table` during a rebuild, as `load` does."""
    return _load_into(analytics, SHADOW_TABLES[table], items, token, maybe_loaded=False)


def _load_into(
    analytics: Analytics,
    table: Table,
    items: Sequence[bytes],
    token: str,
    *,
    maybe_loaded: bool,
    turn: Turn = nullcontext,
) -> LoadResult:
    """Load many items in parallel pieces with their own tokens; a repeat has the same pieces."""
    if not token:
        raise ValueError("a load needs a token: without one an identical block is dropped silently")
    if not items:
        return LoadResult(0)
    if len(items) <= _MAX_INSERT_ITEMS:
        with turn():
            return _load_piece(analytics, table, items, token, maybe_loaded=maybe_loaded)

    def piece(start: int) -> LoadResult:
        part = items[start : start + _MAX_INSERT_ITEMS]
        with turn():
            return _load_piece(analytics, table, part, f"{token}/{start}", maybe_loaded=maybe_loaded)

    starts = range(0, len(items), _MAX_INSERT_ITEMS)
    with ThreadPoolExecutor(_LOAD_THREADS, "load") as threads:
        pieces = dict(zip(starts, threads.map(piece, starts), strict=True))
    bad = [UnreadableItem(start + each.place, each.error) for start, loaded in pieces.items() for each in loaded.bad]
    return LoadResult(len(items) - len(bad), bad)


def _load_piece(
    analytics: Analytics, table: Table, items: Sequence[bytes], token: str, *, maybe_loaded: bool
) -> LoadResult:
    if not items:
        return LoadResult(0)
    try:
        if maybe_loaded:
            _load_missing(analytics, table, items, token)
        else:
            _insert(analytics, table, items, token)
    except (StoreError, ValueError) as error:
        bad = _find_unreadable(analytics, table, items) if _is_item_error(error) else []
        if not bad:
            raise
        places = {each.place for each in bad}
        readable = [item for place, item in enumerate(items) if place not in places]
        _load_missing(analytics, table, readable, token)
        return LoadResult(len(readable), bad)
    return LoadResult(len(items))


def click_item(journal: str, position: int, payload: bytes) -> bytes:
    """Return a line of `click` or `view`: journal, position and the payload of a record."""
    record = payload.rstrip(b" ")  # an erased record is padded to its former length
    return b'["%s",%d,%b' % (journal.encode(), position, record[1:])


def lookup_item(payload: bytes) -> bytes:
    """Return a line of `click_lookup`: the id's 12 bytes and the payload.

    Raises ValueError for a payload without the id of a click.
    """
    start = payload.index(b'"') + 1
    if payload[start + 24 : start + 25] != b'"':
        raise ValueError("no click id of 24 digits")
    return bytes.fromhex(payload[start : start + 24].decode("ascii")) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _insert(analytics: Analytics, table: Table, items: Iterable[bytes], token: str) -> None:
    separator = b"" if table.form == "RowBinary" else b"\n"
    settings = {"insert_deduplication_token": token, "max_partitions_per_insert_block": 0, **_SHORT_ROWS}
    analytics.insert(table.name, table.columns, separator.join(items), table.form, settings)


def _load_missing(analytics: Analytics, table: Table, items: Sequence[bytes], token: str) -> None:
    """Insert missing items until none is missing.

    Each attempt has another token: one that was stored before its rows were safe would drop them for ever.
    A cluster keeps tokens and rows together; there the same rows always have the same token.
    """
    keys = [_keys(table, item) for item in items]
    if not items:
        return
    expected = {key for item_keys in keys for key in item_keys}
    for attempt in range(_ATTEMPTS):
        # Other loads may add rows at the same time, which it finds too.
        present = _find_existing_keys(analytics, table, items, keys) & expected
        missing = [item for item, item_keys in zip(items, keys, strict=True) if not present.issuperset(item_keys)]
        if not missing:
            return
        number = 0 if analytics.layout.cluster else attempt
        is_first = number == 0 and not present
        _insert(analytics, table, missing, token if is_first else f"{token}+{len(present)}.{number}")
    raise StoreError(f"rows of {token} do not appear in {table.name}")


def _keys(table: Table, item: bytes) -> list[Key]:
    """Return the keys of an item's lines. Raises ValueError for a malformed item."""
    if table.form == "RowBinary":
        return [(item[:12].hex(),)]
    places = _column_indexes(table.columns, table.key)
    return [tuple(row[place] for place in places) for row in _decode_rows(table, item)]


@lru_cache(maxsize=64)
def _column_indexes(columns: tuple[tuple[str, str], ...], names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indexes of columns in a line, cached as every line needs them."""
    order = [name for name, _ in columns]
    return tuple(order.index(name) for name in names)


def _decode_rows(table: Table, item: bytes) -> list[list[Any]]:
    rows = msgspec.json.Decoder(list[Any]).decode_lines(item)
    (time_index,) = _column_indexes(table.columns, ("time",))
    if any(len(row) < len(table.key) or len(row) <= time_index or not isinstance(row[time_index], int) for row in rows):
        raise ValueError("a row without its key or time")
    return rows


def _find_existing_keys(
    analytics: Analytics, table: Table, items: Sequence[bytes], keys: Sequence[list[Key]]
) -> set[Key]:
    first = sorted({key[0] for item_keys in keys for key in item_keys})
    stored = analytics.layout.every_replica(table.name)
    if table.form == "RowBinary":
        ids = "SELECT toFixedString(unhex(arrayJoin({first:Array(String)})), 12)"
        sql = f"SELECT lower(hex(id)) FROM {stored} WHERE id IN ({ids})"
        return set(analytics.rows(sql, {"first": first}, tuple[Any, ...]))
    (time_index,) = _column_indexes(table.columns, ("time",))
    times = [row[time_index] for item in items for row in _decode_rows(table, item)]
    sql = (
        f"SELECT {', '.join(table.key)} FROM {stored} "
        f"WHERE time BETWEEN {{since:Int64}} AND {{until:Int64}} AND {table.key[0]} IN {{first:Array(String)}}"
    )
    parameters = {"since": min(times), "until": max(times), "first": first}
    return set(analytics.rows(sql, parameters, tuple[Any, ...]))


def _is_item_error(error: StoreError | ValueError) -> bool:
    return error.unreadable if isinstance(error, StoreError) else True


def _find_unreadable(analytics: Analytics, table: Table, items: Sequence[bytes]) -> list[UnreadableItem]:
    """Return the items that do not parse, found by bisection with loads into a null table."""
    structure = ", ".join(f"`{name}` {kind}" for name, kind in table.columns).replace("'", "\\'")
    separator = b"" if table.form == "RowBinary" else b"\n"
    bad: list[UnreadableItem] = []
    pending = [(0, len(items))]
    while pending:
        start, end = pending.pop()
        try:
            for item in items[start:end]:
                _keys(table, item)
            body = separator.join(items[start:end])
            analytics.insert(f"FUNCTION null('{structure}')", table.columns, body, table.form, _SHORT_ROWS)
        except (StoreError, ValueError) as error:
            if not _is_item_error(error):
                raise
            if end - start > 1:
                middle = (start + end) // 2
                pending += [(start, middle), (middle, end)]
            else:
                bad.append(UnreadableItem(start, str(error)))
    return bad
