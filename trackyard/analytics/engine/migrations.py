"""The steps that update the store of an older program (docs/spec/engine.md#analytic-store).

A schema has the number of its last step. A program that knows fewer steps rejects it. Each step may run twice,
also where it was killed between any two of its statements. A store with other differences from the declared tables is
rejected.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import msgspec
from msgspec.structs import fields

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.layout import StoreLayout
from trackyard.analytics.engine.schema import TABLES, Table
from trackyard.base.metrics.version import program_version
from trackyard.domain.statistics import rows
from trackyard.domain.statistics.click_columns import Click

STEP_TABLE: Final = "schema_step"
"""The table of the steps that were run."""
_REBUILT: Final = re.compile("_beside$|_later$")
"""The ends of the names of shadow tables."""


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """The schema that a store has.

    number: 0 = no tables. program: the version that made it, "" = one up to 0.2.0.
    """

    number: int = 0
    program: str = ""


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
    partitioned = replace(table, name=f"{table.name}_divided")
    sql = "SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = {name:String}"
    stored = {"name": analytics.layout.stored_table(table.name)}
    partitioned.drop(analytics)  # a step that was killed left it
    if analytics.rows(sql, stored, tuple[str]) != [("",)]:
        return
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
        missing = {name: body for name, body in table.projections.items() if name not in existing}
        _alter(analytics, table.name, "MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'")
        if missing:
            added = [f"ADD PROJECTION IF NOT EXISTS `{name}` ({body})" for name, body in missing.items()]
            _alter(analytics, table.name, ", ".join(added))
        lacking = _find_lacking(analytics, table)
        if lacking:
            summed = ", ".join(f"MATERIALIZE PROJECTION `{name}`" for name in lacking)
            _alter(analytics, table.name, f"{summed} SETTINGS mutations_sync = 0")
    _alter(analytics, "fact", "DROP INDEX IF EXISTS by_click")


def _renew_projections(analytics: Analytics) -> None:
    """Add missing projections, and remove projections that are not declared: others have their place.

    New ones have other names, so that the sums of a projection are never taken for the sums of another.
    """
    _add_projections(analytics)
    sql = "SELECT name FROM system.projections WHERE database = currentDatabase() AND table = {table:String}"
    for table in TABLES.values():
        stored = {"table": analytics.layout.stored_table(table.name)}
        for (name,) in analytics.rows(sql, stored, tuple[str]):
            if name not in table.projections:
                _alter(analytics, table.name, f"DROP PROJECTION IF EXISTS `{name}`")


def _find_lacking(analytics: Analytics, table: Table) -> list[str]:
    """Return the projections that some part of a table lacks: new ones, and projections of a killed step."""
    where = "WHERE database = currentDatabase() AND table = {table:String} AND active AND rows > 0"
    stored = {"table": analytics.layout.stored_table(table.name)}
    parts = f"FROM {analytics.layout.system_table('parts')} {where}"
    [(count,)] = analytics.rows(f"SELECT count() {parts}", stored, tuple[int])
    of_projections = f"FROM {analytics.layout.system_table('projection_parts')} {where}"
    found = dict(analytics.rows(f"SELECT name, count() {of_projections} GROUP BY name", stored, tuple[str, int]))
    return [name for name in table.projections if found.get(name, 0) < count]


def _add_indexes(analytics: Analytics) -> None:
    """Add missing indexes to existing tables.

    They are computed in the background; until then a query reads the rows.
    """
    for table in TABLES.values():
        if not table.indexes:
            continue
        added = [f"ADD INDEX IF NOT EXISTS `{name}` {body}" for name, body in table.indexes.items()]
        _alter(analytics, table.name, ", ".join(added))
        computed = ", ".join(f"MATERIALIZE INDEX `{name}`" for name in table.indexes)
        _alter(analytics, table.name, f"{computed} SETTINGS mutations_sync = 0")


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
    _add_projections,  # the projections of 0036
    _add_columns,  # `prelanding`
    _add_indexes,  # of the logs
    _add_projections,  # of offers by country and of rejected clicks
    _add_columns,  # `prelanding` of conversion events
    _add_columns,  # `origin` of conversion events
    _add_projections,  # of signals
    _add_columns,  # `forgiven` to `click_ids` of clicks, `goal_key`, `refund_id`
    _renew_projections,  # of conversions, with sums of those without a click
)
"""The steps of the schema in order; their numbers begin at 1. Steps of releases are never removed or reordered."""


def newest_number() -> int:
    """Return the number of the schema that this program makes."""
    return len(MIGRATIONS)


def find_schema(analytics: Analytics) -> StoredSchema:
    """Return the schema of a store, which stays as it is."""
    sql = "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"
    columns = {name for (name,) in analytics.rows(sql, {"table": STEP_TABLE}, tuple[str])}
    if not columns:
        return StoredSchema()
    program = "argMax(program, number)" if "program" in columns else "''"
    sql = f"SELECT max(number), {program} FROM {STEP_TABLE}"
    [(number, program)] = analytics.rows(sql, {}, tuple[int, str])
    return StoredSchema(number, program)


def step_table_statements(layout: StoreLayout) -> list[str]:
    """Return the statements that create the table of completed steps."""
    columns = "`number` UInt32,\n  `at` DateTime DEFAULT now(),\n  `program` String"
    return layout.create_table(STEP_TABLE, columns, "ORDER BY number", "fsync_after_insert = 1", "number")


def migrate(analytics: Analytics) -> None:
    """Migrate the store to the newest schema; a new store gets it at once.

    Raises StoreError for a schema of a newer program, which stays as it is, for columns that differ from the declared
    ones, and for tables that are not where the settings say.
    """
    check_schema(analytics)
    done = _prepare_step_table(analytics)
    if done == 0 and not _has_tables(analytics):
        _create_tables(analytics)  # as the steps would leave them, in a fifth of their time
        _note_steps(analytics, range(1, newest_number() + 1))
    else:
        _run_steps(analytics, done)
    _add_columns(analytics)
    _check_columns(analytics)


def check_schema(analytics: Analytics) -> StoredSchema:
    """Return the schema of a store that this program can use or bring up to date. Raises StoreError."""
    _check_layout(analytics)
    found = find_schema(analytics)
    if found.number > newest_number():
        made = f", made by version {found.program}" if found.program else ""
        raise StoreError(
            f"its schema has number {found.number}{made}, and this program, version {program_version()}, knows "
            f"{newest_number()} at most: start the newer program again, or restore a backup of this one "
            "(docs/operating.md#a-new-version)"
        )
    return found


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


def _prepare_step_table(analytics: Analytics) -> int:
    """Make the table of the steps, and return the number of the last one."""
    for statement in step_table_statements(analytics.layout):
        analytics.run(statement)
    sql = "SELECT count() FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"
    if analytics.rows(f"{sql} AND name = 'program'", {"table": STEP_TABLE}, tuple[int]) == [(0,)]:
        for statement in analytics.layout.add_column(STEP_TABLE, "program", "String"):
            analytics.run(statement)
    [(done,)] = analytics.rows(f"SELECT max(number) FROM {STEP_TABLE}", {}, tuple[int])
    return done


def _has_tables(analytics: Analytics) -> bool:
    """Return whether the store has a table that is loaded."""
    sql = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}"
    return analytics.rows(sql, {"names": list(TABLES)}, tuple[int]) != [(0,)]


def _run_steps(analytics: Analytics, done: int) -> None:
    """Run the steps after the number `done`."""
    for number, step in enumerate(MIGRATIONS[done:], start=done + 1):
        step(analytics)
        _note_steps(analytics, (number,))


def _note_steps(analytics: Analytics, numbers: Iterable[int]) -> None:
    values = ", ".join(f"({number}, '{program_version()}')" for number in numbers)
    analytics.run(f"INSERT INTO {STEP_TABLE} (number, program) VALUES {values}")


def _check_columns(analytics: Analytics) -> None:
    stored = analytics.rows(
        "SELECT table, name FROM system.columns WHERE database = currentDatabase()", {}, tuple[str, str]
    )
    for table in TABLES.values():
        names = {name for owner, name in stored if owner == table.name}
        if names != set(table.column_names):
            different = ", ".join(sorted(names ^ set(table.column_names)))
            raise StoreError(
                f"table {table.name} of the analytic store is of another version, with other columns: {different}. "
                "Start the program that made it, or restore a backup of this one (docs/operating.md#a-new-version)"
            )
