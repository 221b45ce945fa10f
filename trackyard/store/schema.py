"""The schema of a SQL database, brought up to date by the migrations in store/migrations."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from trackyard.store.engine import Database
from trackyard.store.tables import metadata

_FOLDER = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 0x7472_6163_6B
"""Held by the one process that migrates a PostgreSQL database; the others wait and find nothing to do."""


def upgrade(database: Database) -> None:
    """Brings the schema to its newest version, in one transaction. Several processes may do so at once."""
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        command.upgrade(_config(connection), "head")


def differences(database: Database) -> list[object]:
    """What the migrations leave different from `tables.py`; empty when they agree."""
    with database.write() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def draft(database: Database, message: str, revision: str) -> None:
    """Writes a migration file from the differences between an upgraded database and `tables.py`, to be read
    and corrected by its author."""
    with database.write() as connection:
        command.revision(_config(connection), message, autogenerate=True, rev_id=revision)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
