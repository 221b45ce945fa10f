"""The tables of the analytic store and their migrations, derived from the rows that fill them.

Columns come from domain/statistics/click_columns.py and domain.statistics.rows.TARGETS. A store gets new columns that
have a default when it is opened. A store with other differences from the declarations is rejected.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import fields

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.layout import StoreLayout
from trackyard.analytics.engine.rollups import CONVERSION_ROLLUPS, DAY_MS, TRAFFIC_ROLLUPS, time_bucket
from trackyard.domain.statistics import rows
from trackyard.domain.statistics.click_columns import Click, Impression, column_type

POSITION_COLUMNS = ("journal", "position")
"""The position of the record of a click or impression; these columns precede its own."""

_REBUILT = re.compile("_beside$|_later$")
"""The ends of the names of shadow tables."""
_SMALL_TYPES = {"uniq": "UInt8", "sign": "Int8", "status": "UInt8", "forced": "UInt8", "test": "UInt8"}
_CODECS = {"time": "CODEC(Delta, ZSTD(1))", "position": "CODEC(Delta, ZSTD(1))", "click_time": "CODEC(Delta, ZSTD(1))"}
_BASE_SETTINGS = "non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1"
_PROJECTION_SETTINGS = f"{_BASE_SETTINGS}, lightweight_mutation_projection_mode = 'rebuild'"


@dataclass(frozen=True, slots=True)
class Table:
    """A table filled by analytics/load.py.

    key: the columns that identify a row.
    has_time: whether it has `time`, which limits the search for rows that are loaded already.
    month: of a row, as YYYYMM; old rows are dropped by month.
    form: the format of its lines.
    shard_by: the SQL of the number that chooses the shard of a row on a cluster: of its click, where it has one.
    sought: columns by which single rows are found; a bloom filter on each spares a scan of the table.
    projections: the bodies by name.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]
    order: str
    has_time: bool = True
    month: str = "toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))"
    form: str = "JSONCompactEachRow"
    shard_by: str = "sipHash64(id)"
    sought: tuple[str, ...] = ()
    projections: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    settings: str = _BASE_SETTINGS

    @property
    def column_names(self) -> tuple[str, ...]:
        """Return the names of the columns in the order of a line."""
        return tuple(name for name, _ in self.columns)

    @property
    def indexes(self) -> dict[str, str]:
        """Return the bodies of the indexes by name."""
        return {f"by_{column}": f"{column} TYPE bloom_filter(0.001) GRANULARITY 1" for column in self.sought}

    def create_statements(self, layout: StoreLayout) -> list[str]:
        """Return what creates this table."""
        lines = [f"`{name}` {kind} {_CODECS.get(name, 'CODEC(ZSTD(1))')}" for name, kind in self.columns]
        lines += [f"INDEX `{name}` {body}" for name, body in self.indexes.items()]
        lines += [f"PROJECTION `{name}` ({body})" for name, body in self.projections.items()]
        keys = f"PARTITION BY {self.month}\nORDER BY ({self.order})"
        return layout.create_table(self.name, ",\n  ".join(lines), keys, self.settings, self.shard_by)

    def create(self, analytics: Analytics) -> None:
        """Create this table where it does not exist."""
        for statement in self.create_statements(analytics.layout):
            analytics.run(statement)

    def drop(self, analytics: Analytics) -> None:
        """Remove this table and free its disk space, after running reads."""
        for statement in analytics.layout.drop_table(self.name):
            analytics.run(statement)


def _columns(struct: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    return tuple((info.name, _column_type(info.name, info.type)) for info in fields(struct))


def _column_type(name: str, annotation: Any) -> str:
    kind, column = column_type(annotation)
    if kind is int:
        return _SMALL_TYPES.get(name, "Int64")  # any number of a request can be loaded
    if kind is Decimal:
        return "Decimal(18, 4)"
    if kind is str:
        return "LowCardinality(String)" if column.low_cardinality else "String"
    raise TypeError(f"no column type for {name}: {annotation}")


_DAY = time_bucket(DAY_MS)
_TRAFFIC_PROJECTIONS = MappingProxyType({rollup.name: rollup.body for rollup in TRAFFIC_ROLLUPS})
_EVENT_PROJECTIONS = MappingProxyType(
    {
        "by_click": "SELECT click_id, conversion_id, time, sign ORDER BY click_id",
        **{rollup.name: rollup.body for rollup in CONVERSION_ROLLUPS},
    }
)

CLICK_ID_SECOND = "reinterpretAsUInt32(reverse(substring(id, 1, 4)))"
"""The SQL of the second with which the id of a click in the look-up begins."""


def _traffic_table(name: str, record: type[msgspec.Struct]) -> Table:
    return Table(
        name,
        (("journal", "LowCardinality(String)"), ("position", "Int64"), *_columns(record)),
        key=POSITION_COLUMNS,
        order=f"{_DAY}, affiliate, offer, time, id",
        projections=_TRAFFIC_PROJECTIONS,
        settings=_PROJECTION_SETTINGS,
    )


TABLES = MappingProxyType(
    {
        table.name: table
        for table in (
            _traffic_table("click", Click),
            _traffic_table("view", Impression),
            Table(  # an id is found in one small granule, with any number of ids
                "click_lookup",
                (("id", "FixedString(12)"), ("record", "String")),
                key=("id",),
                order="id",
                has_time=False,
                month=f"toYYYYMM(toDateTime({CLICK_ID_SECOND}, 'UTC'))",
                form="RowBinary",
                shard_by="sipHash64(lower(hex(id)))",
                settings=f"{_BASE_SETTINGS}, index_granularity = 128, max_compress_block_size = 16384",
            ),
            Table(
                "fact",
                _columns(rows.ConversionEvent),
                key=("conversion_id", "version", "sign"),
                shard_by="sipHash64(click_id)",
                order=f"{_DAY}, affiliate, offer, time, conversion_id, version, sign",
                projections=_EVENT_PROJECTIONS,
                settings=_PROJECTION_SETTINGS,
            ),
            Table(
                "server_log",
                _columns(rows.ServerPostbackLog),
                key=("id", "revision"),
                order=f"{_DAY}, time, id, revision",
                sought=("click_id", "action_id"),
            ),
            Table(
                "affiliate_log",
                _columns(rows.AffiliatePostbackLog),
                key=("id",),
                order=f"{_DAY}, time, id",
                sought=("conversion_id",),
            ),
        )
    }
)
"""Every table that is loaded, by its name, for conversion events and logs the outbox target."""


def _alter(analytics: Analytics, table: str, change: str) -> None:
    analytics.run(analytics.layout.alter_table(table, change))


def _create_tables(analytics: Analytics) -> None:
    for table in TABLES.values():
        table.create(analytics)


def _create_views(analytics: Analytics) -> None:
    TABLES["view"].create(analytics)


def _partition_lookup(analytics: Analytics) -> None:
    """Divide an old `click_lookup` of one partition by months."""
    table = TABLES["click_lookup"]
    sql = "SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = {name:String}"
    if analytics.rows(sql, {"name": table.name}, tuple[str]) != [("",)]:
        return
    partitioned = replace(table, name=f"{table.name}_divided")
    partitioned.drop(analytics)
    partitioned.create(analytics)
    analytics.run(
        f"INSERT INTO `{partitioned.name}` SELECT * FROM `{table.name}` "
        "SETTINGS max_partitions_per_insert_block = 0, insert_deduplicate = 0"
    )
    analytics.run(analytics.layout.exchange_tables(partitioned.name, table.name))
    partitioned.drop(analytics)


def _add_projections(analytics: Analytics) -> None:
    """Add missing projections to existing tables.

    Their rows are summed in the background; until then a query reads the rows.
    """
    sql = "SELECT name FROM system.projections WHERE database = currentDatabase() AND table = {table:String}"
    for table in TABLES.values():
        if not table.projections:
            continue
        stored = {"table": analytics.layout.stored_table(table.name)}
        existing = {name for (name,) in analytics.rows(sql, stored, tuple[str])}
        _alter(analytics, table.name, "MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'")
        for name, body in table.projections.items():
            if name not in existing:
                _alter(analytics, table.name, f"ADD PROJECTION `{name}` ({body})")
                _alter(analytics, table.name, f"MATERIALIZE PROJECTION `{name}` SETTINGS mutations_sync = 0")
    _alter(analytics, "fact", "DROP INDEX IF EXISTS by_click")


def _add_indexes(analytics: Analytics) -> None:
    """Add missing indexes to existing tables.

    They are computed in the background; until then a query reads the rows.
    """
    for table in TABLES.values():
        for name, body in table.indexes.items():
            _alter(analytics, table.name, f"ADD INDEX IF NOT EXISTS `{name}` {body}")
            _alter(analytics, table.name, f"MATERIALIZE INDEX `{name}` SETTINGS mutations_sync = 0")


def _add_columns(analytics: Analytics) -> None:
    """Add the columns that have a default and are missing, also to the tables that a rebuild fills."""
    structs: tuple[type[msgspec.Struct], ...] = (Click, *rows.TARGETS.values())
    added = {info.name for struct in structs for info in fields(struct) if info.default is not msgspec.NODEFAULT}
    sql = "SELECT table, groupArray(name) FROM system.columns WHERE database = currentDatabase() GROUP BY table"
    for stored, names in analytics.rows(sql, {}, tuple[str, list[str]]):
        table = TABLES.get(_REBUILT.sub("", stored))  # a table with the rows on a cluster follows its Distributed table
        for name, kind in table.columns if table is not None else ():
            if name in added and name not in names:
                for statement in analytics.layout.add_column(stored, name, kind):
                    analytics.run(statement)


MIGRATIONS: tuple[Callable[[Analytics], None], ...] = (
    _create_tables,
    _create_views,
    _partition_lookup,
    _add_projections,
    _add_projections,  # those of 0036
    _add_columns,  # `prelanding`
    _add_indexes,  # of the logs
)
"""The steps of the schema in order; their numbers begin at 1. Steps may run twice.

New columns with a default need no step.
"""


def step_table_statements(layout: StoreLayout) -> list[str]:
    """Return what creates the table of the steps that were run."""
    columns = "`number` UInt32,\n  `at` DateTime DEFAULT now()"
    return layout.create_table("schema_step", columns, "ORDER BY number", "fsync_after_insert = 1", "number")


def migrate(analytics: Analytics) -> None:
    """Migrate the store to the newest schema; a new store gets it at once.

    Raises StoreError for columns that differ from it, and for tables that are not where the settings say.
    """
    _check_layout(analytics)
    for statement in step_table_statements(analytics.layout):
        analytics.run(statement)
    [(done,)] = analytics.rows("SELECT max(number) FROM schema_step", {}, tuple[int])
    if done == 0 and not _has_tables(analytics):
        _create_tables(analytics)  # as the steps would leave them, in a fifth of their time
        numbers = ", ".join(f"({number})" for number in range(1, len(MIGRATIONS) + 1))
        analytics.run(f"INSERT INTO schema_step (number) VALUES {numbers}")
    else:
        _run_steps(analytics, done)
    _add_columns(analytics)
    _check_columns(analytics)


def _check_layout(analytics: Analytics) -> None:
    """Raise StoreError for tables on one server where a cluster is named, or the other way round."""
    sql = "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'click'"
    engines = analytics.rows(sql, {}, tuple[str])
    if engines and (engines == [("Distributed",)]) != bool(analytics.layout.cluster):
        found, named = ("one server", "a cluster") if analytics.layout.cluster else ("a cluster", "one server")
        raise StoreError(
            f"the tables of the analytic store are on {found}, and TRACKYARD_ANALYTICS_CLUSTER asks for {named}. "
            "Change the setting back, or name an empty database in TRACKYARD_ANALYTICS_URL and run `trackyard rebuild`"
        )


def _has_tables(analytics: Analytics) -> bool:
    """Return whether the store has a table that is loaded."""
    sql = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}"
    return analytics.rows(sql, {"names": list(TABLES)}, tuple[int]) != [(0,)]


def _run_steps(analytics: Analytics, done: int) -> None:
    """Run the steps after the number `done`."""
    for number, step in enumerate(MIGRATIONS[done:], start=done + 1):
        step(analytics)
        analytics.run(f"INSERT INTO schema_step (number) VALUES ({number})")


def _check_columns(analytics: Analytics) -> None:
    stored = analytics.rows(
        "SELECT table, name FROM system.columns WHERE database = currentDatabase()", {}, tuple[str, str]
    )
    for table in TABLES.values():
        names = {name for owner, name in stored if owner == table.name}
        if names != set(table.column_names):
            different = ", ".join(sorted(names ^ set(table.column_names)))
            raise StoreError(f"table {table.name} of the analytic store is of another version: {different}")
