from tests.support.analytics import analytics  # noqa: F401
from tests.support.databases import (
    database,
    database_url,
    migrated_sqlite,
    postgres,
    sqlite_database,
)
from tests.support.limited import limited

__all__ = ["database", "database_url", "limited", "migrated_sqlite", "postgres", "sqlite_database"]
