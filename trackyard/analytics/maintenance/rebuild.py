"""Filling the tables beside the live ones with what no journal holds any more (docs/decisions/0030).

What is loaded already is told by places: of each edge everything before (journal, position). Of that, rows of journals
that can be read are made from these; all others are carried over from the live table.
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
"""Rows that are carried over by one statement, unless one hour has more."""
_COPY_SETTINGS: Final = (
    "SETTINGS insert_deduplicate = 0, max_partitions_per_insert_block = 0, max_memory_usage = 1500000000, "
    "max_bytes_before_external_sort = 300000000, max_bytes_before_external_group_by = 300000000"
)
"""Nothing is told apart by its block, and a statement leaves memory to the others."""
_FIRST_POSITION: Final = ("", 0)
_LAST_JOURNAL: Final = "~"

_CLICK_RECORD_SQL: Final = (
    f"formatRowNoNewline('JSONCompactEachRow', {', '.join(f'`{name}`' for name in Click.__struct_fields__)})"
)
"""The payload of a click's record (journal.records.Click), out of its columns."""

NEWER_LATE_EVENTS_SQL: Final = (
    f"SELECT later.* FROM {LATE_EVENTS_TABLE.name} AS later LEFT JOIN (\n"
    f"  SELECT conversion_id, max(version) AS version FROM {SHADOW_TABLES['fact'].name}\n"
    f"  WHERE time >= (SELECT min(time) FROM {LATE_EVENTS_TABLE.name}) "
    f"AND conversion_id IN (SELECT conversion_id FROM {LATE_EVENTS_TABLE.name}) GROUP BY conversion_id\n"
    ") AS made ON made.conversion_id = later.conversion_id\n"
    "WHERE later.version > made.version OR (later.version = made.version AND later.sign < 0)"
)
"""The facts that were loaded meanwhile and tell of what came after the state that was read from SQL: a state holds
all changes up to its version. Of a conversion that was not read yet (version 0) all."""


@dataclass(frozen=True, slots=True)
class RebuildCheckpoint:
    """What is to be in the new tables when they are filled, as far as the gate doubles everything after it.

    reached: by edge the (journal, position) before which everything is loaded · waiting: edges of which nothing is
    loaded yet · read: journals that are made again from their file · gaps: by journal the damaged places (start, end)
    in which nothing can be read.
    """

    reached: Mapping[int, tuple[str, int]]
    waiting: frozenset[int] = frozenset()
    read: tuple[str, ...] = ()
    gaps: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def loaded_condition(self) -> str:
        """The condition that a row of `click` or `view` was loaded before the gate began to double."""
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
        """The condition that such a row is in no journal that can be read."""
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
    """Rows of a table that go over together: those of a span of time (UTC ms, the end exclusive). rows: how many."""

    table: str
    since: int
    until: int
    rows: int


def list_slices(analytics: Analytics, checkpoint: RebuildCheckpoint) -> list[TableSlice]:
    """All that is to be carried over."""
    return [
        each
        for table in ("click", "view")
        for month in list_months(analytics, table)
        for each in _slice_month(analytics, table, checkpoint, month)
    ]


def copy_slice(analytics: Analytics, part: TableSlice, checkpoint: RebuildCheckpoint) -> None:
    """Carries over rows that no journal here holds, with the look-up of clicks. A row that is there twice goes over
    once; a click that cannot be looked up is made to be."""
    shadow, columns = (
        SHADOW_TABLES[part.table],
        ", ".join(f"`{name}`" for name in SHADOW_TABLES[part.table].column_names),
    )
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
    """How many rows of each journal are in the new table of `click` or `view`, but those loaded meanwhile."""
    name, loaded = SHADOW_TABLES[table].name, checkpoint.loaded_condition()
    sql = f"SELECT journal, count() FROM {name} WHERE {loaded} GROUP BY journal"
    return dict(analytics.rows(sql, {}, tuple[str, int]))


def count_conversion_events(analytics: Analytics) -> int:
    """How many facts are in the new table."""
    [(count,)] = analytics.rows(f"SELECT count() FROM {SHADOW_TABLES['fact'].name}", {}, tuple[int])
    return count


def add_late_events(analytics: Analytics) -> None:
    """Adds the facts that were loaded meanwhile. Once, when nothing more is loaded."""
    analytics.run(f"INSERT INTO {SHADOW_TABLES['fact'].name} {NEWER_LATE_EVENTS_SQL} {_COPY_SETTINGS}")
