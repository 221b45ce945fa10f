"""The schema of a SQL database, and its migrations in store/engine/migrations."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, select, text

from trackyard.base.metrics.version import program_version
from trackyard.store.engine.database import Database
from trackyard.store.engine.dialect import AdvisoryLock, lock, upsert
from trackyard.store.tables import metadata, setting

_FOLDER = Path(__file__).parent / "migrations"
_PROGRAM = "program"
"""The name of the setting with the version of the program."""


if TYPE_CHECKING:
    from alembic.config import Config


class SchemaUnknown(Exception):
    """The schema of the database is of a newer program, or between two releases."""


def newest_version() -> str:
    """Return the version of the last migration, with which the name of its file begins."""
    return max(path.name.partition("_")[0] for path in (_FOLDER / "versions").glob("[0-9]*_*.py"))


def upgrade(database: Database, version: str = "head") -> None:
    """Migrate the schema to a version, by default the newest, in one transaction. Raises SchemaUnknown.

    Several processes may do so at once.
    """
    if check_usable(database) == newest_version():
        return
    with database.write() as connection:
        migrate(connection, version)


def migrate(connection: Connection, version: str) -> None:
    """Migrate a schema to a version as a part of a transaction that writes."""
    from alembic import command  # takes half a second, which a start without migrations saves

    lock(connection, AdvisoryLock.SCHEMA)  # the other processes wait and then have nothing to do
    command.upgrade(_config(connection), version)


def upgrade_for_start(database: Database) -> None:
    """Migrate the schema, and note the version of this program in it. Raises SchemaUnknown."""
    upgrade(database)
    note_program(database)


def check_usable(database: Database) -> str | None:
    """Return the version of a schema that this program can use or bring up to date, None without one.

    Raises SchemaUnknown; it changes nothing.
    """
    found = check_version(database)
    if found == newest_version():
        _reject_unfinished(database)
    return found


def check_version(database: Database) -> str | None:
    """Return the version of a schema, None without one. Raises SchemaUnknown for one of a newer program."""
    found = _find_version(database)
    if found is not None and found > newest_version():
        program = find_program(database)
        made = f", made by version {program}" if program else ""
        raise SchemaUnknown(
            f"its schema has version {found}{made}, and this program, version {program_version()}, knows "
            f"{newest_version()} at most: start the newer program again, or restore a backup of this one "
            "(docs/operating.md#a-new-version)"
        )
    return found


def note_program(database: Database) -> None:
    """Store the version of this program as the last one that used the schema."""
    if find_program(database) == program_version():
        return
    with database.write() as connection:
        added = upsert(connection, setting).values(name=_PROGRAM, value=program_version())
        connection.execute(added.on_conflict_do_update(index_elements=["name"], set_={"value": added.excluded.value}))


def find_program(database: Database) -> str:
    """Return the version of the program that last used the schema; "" of one up to 0.2.0."""
    with database.read() as connection:
        found = connection.execute(select(setting.c.value).where(setting.c.name == _PROGRAM)).scalar_one_or_none()
        return str(found or "")


def _reject_unfinished(database: Database) -> None:
    """Raise SchemaUnknown when tables or columns of the newest version are missing.

    A migration may change until its release, and a database that has it already stays without the change.
    """
    with database.read() as connection:
        found = inspect(connection).get_multi_columns()
    columns = {name: {column["name"] for column in listed} for (_, name), listed in found.items()}
    for table in metadata.sorted_tables:
        missing = {column.name for column in table.columns} - columns.get(table.name, set())
        if missing:
            raise SchemaUnknown(
                f"its table {table.name} has no {min(missing)}: a version between two releases made it, which cannot "
                "be brought up to date"
            )


def _find_version(database: Database) -> str | None:
    """Return the version of a database; None without a schema."""
    with database.read() as connection:
        return stored_revision(connection)


def stored_revision(connection: Connection) -> str | None:
    """Return the version of a schema, None when there is none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return version


def _config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
