"""The schema of a SQL database, brought up to date by the migrations in store/migrations."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from trackyard.store.engine.database import Database
from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.tables import metadata

_FOLDER = Path(__file__).parent / "migrations"


if TYPE_CHECKING:
    from alembic.config import Config


class SchemaUnknown(Exception):
    """The database has a schema of a newer program, or of one between releases."""


def newest_version() -> str:
    """The version of the last migration. Its file's name begins with it."""
    return max(path.name.partition("_")[0] for path in (_FOLDER / "versions").glob("[0-9]*_*.py"))


def upgrade(database: Database) -> None:
    """Brings the schema to its newest version, in one transaction. Several processes may do so at once.

    Raises SchemaUnknown.
    """
    found = _find_version(database)
    if found == newest_version():
        _reject_unfinished(database)
        return
    if found is not None and found > newest_version():
        raise SchemaUnknown(f"its schema has version {found}, and this program knows {newest_version()} at most")
    from alembic import command  # half a second that a start with nothing to do is spared

    with database.write() as connection:
        lock(connection, AdvisoryLock.SCHEMA)  # the other processes wait, and find nothing to do
        command.upgrade(_config(connection), "head")


def _reject_unfinished(database: Database) -> None:
    """Raises SchemaUnknown when the version is that of the tables here, but tables or columns are missing: until its
    release a migration may change, and what it made before stays as it was."""
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


def schema_differences(database: Database) -> list[object]:
    """What the migrations leave different from `tables.py`; empty when they agree."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with database.write() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def draft_migration(database: Database, message: str, revision: str) -> None:
    """Writes a migration file from the differences between an upgraded database and `tables.py`, to be read
    and corrected by its author. Its name begins with `revision`, which sorts behind those before it."""
    from alembic import command

    with database.write() as connection:
        command.revision(_config(connection), message, autogenerate=True, rev_id=revision)


def _find_version(database: Database) -> str | None:
    """The version a database has; None when it has no schema."""
    with database.read() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def _config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
