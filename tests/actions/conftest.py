from tests.support.analytics import analytics  # noqa: F401
from tests.support.databases import (
    database,
    database_url,
    migrated_sqlite,
    postgres,
    sqlite_database,
)

__all__ = ["database", "database_url", "migrated_sqlite", "postgres", "sqlite_database"]
