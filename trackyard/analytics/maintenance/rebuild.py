"""Rows of shadow tables that no journal has any more (docs/decisions/0030).

Everything before the checkpoint (journal, position) of an edge is loaded. Rows of readable journals are loaded again
from these; all other rows are copied from the live table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance.retention import Month, list_months
from trackyard.analytics.maintenance.shadow_tables import LATE_EVENTS_TABLE, SHADOW_TABLES
from trackyard.journal.records import Click

_HOUR_MS: Final = 3_600_000
_MAX_SLICE_ROWS: Final = 500_000
"""Rows that one statement copies, unless one hour has more."""
_COPY_SETTINGS: Final = (
    "SETTINGS insert_deduplicate = 0, max_partitions_per_insert_block = 0, max_memory_usage = 1500000000, "
    "max_bytes_before_external_sort = 300000000, max_bytes_before_external_group_by = 300000000"
)
"""No deduplication of blocks, and limits of memory for the sake of other statements."""
_FIRST_POSITION: Final = ("", 0)
_LAST_JOURNAL: Final = "~"

_CLICK_RECORD_SQL: Final = (
    f"formatRowNoNewline('JSONCompactEachRow', {', '.join(f'`{name}`' for name in Click.__struct_fields__)})"
)
"""The payload of a click's record (journal.records.Click) from its columns."""

NEWER_LATE_EVENTS_SQL: Final = (
    f"SELECT later.* FROM {LATE_EVENTS_TABLE.name} AS later LEFT JOIN (\n"
    f"  SELECT conversion_id, max(version) AS version FROM {SHADOW_TABLES['fact'].name}\n"
    f"  WHERE time >= (SELECT min(time) FROM {LATE_EVENTS_TABLE.name}) "
    f"AND conversion_id IN (SELECT conversion_id FROM {LATE_EVENTS_TABLE.name}) GROUP BY conversion_id\n"
    ") AS made ON made.conversion_id = later.conversion_id\n"
    "WHERE later.version > made.version OR (later.version = made.version AND later.sign < 0)"
)
"""The events loaded during the rebuild that are newer than the state read from SQL.

A state has all changes up to its version. Of a conversion that was not read yet (version 0) all events are newer.
"""


@dataclass(frozen=True, slots=True)
class RebuildCheckpoint:
    """The rows that were loaded before the rebuild began to write to both tables.

    reached: the (journal, position) by edge before which everything is loaded.
    waiting: the edges without any load.
    read: the journals that are loaded again from their files.
    gaps: the damaged, unreadable ranges (start, end) by journal.
    """

    reached: Mapping[int, tuple[str, int]]
    waiting: frozenset[int] = frozenset()
    read: tuple[str, ...] = ()
    gaps: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def loaded_condition(self) -> str:
        """Return the condition that a row of `click` or `view` was loaded before this checkpoint."""
        known = dict.fromkeys(self.waiting, _FIRST_POSITION) | dict(self.reached)
        edges = _sql_list(f"{edge:03d}" for edge in known)
        journals, positions = _sql_list(journal for journal, _ in known.values()), [at for _, at in known.values()]
        edge = "substring(journal, 1, 3)"
        if not known:
            return "1"
        reached = (
            f"(transform({edge}, {edges}, {journals}, '{_LAST_JOURNAL}'), transform({edge}, {edges}, {positions}, 0))"
        )
        return f"(toString(journal), position) < {reached}"

    def carried_condition(self) -> str:
        """Return the condition that such a row is in no readable journal."""
        damaged = [
            f"(journal = '{journal}' AND position >= {start} AND position < {end})"
            for journal, gaps in self.gaps.items()
            for start, end in gaps
        ]
        absent = f"journal NOT IN {_sql_list(self.read)}" if self.read else "1"
        return f"{self.loaded_condition()} AND ({' OR '.join([absent, *damaged])})"


def _sql_list(texts: object) -> str:
    return str([str(text) for text in texts])  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class TableSlice:
    """Rows of a table in a period (UTC milliseconds, `until` exclusive) to be copied together."""

    table: str
    since: int
    until: int
    rows: int


def list_slices(analytics: Analytics, checkpoint: RebuildCheckpoint) -> list[TableSlice]:
    """Return the slices of all rows to be copied."""
    return [
        each
        for table in ("click", "view")
        for month in list_months(analytics, table)
        for each in _slice_month(analytics, table, checkpoint, month)
    ]


def copy_slice(analytics: Analytics, part: TableSlice, checkpoint: RebuildCheckpoint) -> None:
    """Copy rows of missing journals, with the look-up of clicks.

    Duplicates are copied once; missing look-ups of clicks are added.
    """
    shadow = SHADOW_TABLES[part.table]
    columns = ", ".join(f"`{name}`" for name in shadow.column_names)
    condition = f"time >= {part.since} AND time < {part.until} AND {checkpoint.carried_condition()}"
    analytics.run(
        f"INSERT INTO {shadow.name} ({columns}) SELECT {columns} FROM {part.table} WHERE {condition} "
        f"LIMIT 1 BY journal, position {_COPY_SETTINGS}"
    )
    if part.table == "click":
        lookup, binary = SHADOW_TABLES["click_lookup"].name, "toFixedString(unhex(id), 12)"
        ids = f"SELECT {binary} FROM click WHERE {condition}"
        analytics.run(
            f"INSERT INTO {lookup} (id, record) SELECT id, any(record) FROM click_lookup "
            f"WHERE id IN ({ids}) GROUP BY id {_COPY_SETTINGS}"
        )
        analytics.run(
            f"INSERT INTO {lookup} (id, record) SELECT {binary}, any({_CLICK_RECORD_SQL}) FROM click WHERE {condition} "
            f"AND {binary} NOT IN (SELECT id FROM {lookup} WHERE id IN ({ids})) GROUP BY click.id {_COPY_SETTINGS}"
        )


def _slice_month(analytics: Analytics, table: str, checkpoint: RebuildCheckpoint, month: Month) -> list[TableSlice]:
    hours = analytics.rows(
        f"SELECT time - positiveModulo(time, {_HOUR_MS}) AS hour, count() FROM {table} "
        f"WHERE _partition_id = '{month.id}' AND {checkpoint.carried_condition()} GROUP BY hour ORDER BY hour",
        {},
        tuple[int, int],
    )
    found: list[TableSlice] = []
    for hour, count in hours:
        since, rows = hour, count
        if found and found[-1].rows + count <= _MAX_SLICE_ROWS:
            last = found.pop()
            since, rows = last.since, last.rows + count
        found.append(TableSlice(table, since, hour + _HOUR_MS, rows))
    return found


def count_rows_by_journal(analytics: Analytics, table: str, checkpoint: RebuildCheckpoint) -> dict[str, int]:
    """Return the rows by journal in the shadow table of `click` or `view`, without later loads."""
    name, loaded = SHADOW_TABLES[table].name, checkpoint.loaded_condition()
    sql = f"SELECT journal, count() FROM {name} WHERE {loaded} GROUP BY journal"
    return dict(analytics.rows(sql, {}, tuple[str, int]))


def count_conversion_events(analytics: Analytics) -> int:
    """Return the number of conversion events in the shadow table."""
    [(count,)] = analytics.rows(f"SELECT count() FROM {SHADOW_TABLES['fact'].name}", {}, tuple[int])
    return count


def add_late_events(analytics: Analytics) -> None:
    """Add the newer events of `LATE_EVENTS_TABLE`, once, after the last load."""
    analytics.run(f"INSERT INTO {SHADOW_TABLES['fact'].name} {NEWER_LATE_EVENTS_SQL} {_COPY_SETTINGS}")
