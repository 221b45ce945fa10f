"""The tables of the analytic store, derived from the rows that fill them.

Columns come from domain/statistics/click_columns.py and domain.statistics.rows.TARGETS; analytics/engine/migrations.py
brings older stores up to date.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import fields

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.layout import StoreLayout
from trackyard.analytics.engine.rollups import (
    CONVERSION_ROLLUPS,
    DAY_MS,
    REJECTION_ROLLUPS,
    TRAFFIC_ROLLUPS,
    Rollup,
    time_bucket,
)
from trackyard.domain.statistics import rows
from trackyard.domain.statistics.click_columns import Click, Impression, column_type

POSITION_COLUMNS = ("journal", "position")
"""The position of the record of a click or impression; these columns precede its own."""

_SMALL_TYPES = {"uniq": "UInt8", "sign": "Int8", "status": "UInt8", "forced": "UInt8", "test": "UInt8"}
_CODECS = {"time": "CODEC(Delta, ZSTD(1))", "position": "CODEC(Delta, ZSTD(1))", "click_time": "CODEC(Delta, ZSTD(1))"}
_BASE_SETTINGS = "non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1"
_PROJECTION_SETTINGS = f"{_BASE_SETTINGS}, lightweight_mutation_projection_mode = 'rebuild'"


@dataclass(frozen=True, slots=True)
class Table:
    """A table filled by analytics/load.py.

    key: the columns that identify a row.
    has_time: whether it has `time`, which limits the search for rows that are loaded already.
    month: the SQL of a row's month, as YYYYMM; old rows are dropped by month.
    form: the format of its lines.
    shard_by: the SQL of the number that selects a row's shard on a cluster, made from its click where it has one.
    sought: columns by which single rows are found; a bloom filter on each avoids a scan of the table.
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
        """Return the columns by name, in the order of a line."""
        return tuple(name for name, _ in self.columns)

    @property
    def indexes(self) -> dict[str, str]:
        """Return the bodies of the indexes by name."""
        return {f"by_{column}": f"{column} TYPE bloom_filter(0.001) GRANULARITY 1" for column in self.sought}

    def create_statements(self, layout: StoreLayout) -> list[str]:
        """Return the statements that create this table."""
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
_EVENT_PROJECTIONS = MappingProxyType(
    {
        "by_click": "SELECT click_id, conversion_id, time, sign ORDER BY click_id",
        **{rollup.name: rollup.body for rollup in CONVERSION_ROLLUPS},
    }
)

CLICK_ID_SECOND = "reinterpretAsUInt32(reverse(substring(id, 1, 4)))"
"""The SQL of the second with which the id of a click in the look-up begins."""


def _traffic_table(name: str, record: type[msgspec.Struct], rollups: Sequence[Rollup]) -> Table:
    return Table(
        name,
        (("journal", "LowCardinality(String)"), ("position", "Int64"), *_columns(record)),
        key=POSITION_COLUMNS,
        order=f"{_DAY}, affiliate, offer, time, id",
        projections=MappingProxyType({rollup.name: rollup.body for rollup in rollups}),
        settings=_PROJECTION_SETTINGS,
    )


TABLES = MappingProxyType(
    {
        table.name: table
        for table in (
            _traffic_table("click", Click, (*TRAFFIC_ROLLUPS, *REJECTION_ROLLUPS)),
            _traffic_table("view", Impression, TRAFFIC_ROLLUPS),
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
