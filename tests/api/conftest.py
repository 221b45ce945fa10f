from tests.support.analytics import analytics
from tests.support.api import api, shared_api
from tests.support.databases import database, database_url, migrated_sqlite, postgres, sqlite_database

__all__ = [
    "analytics",
    "api",
    "database",
    "database_url",
    "migrated_sqlite",
    "postgres",
    "shared_api",
    "sqlite_database",
]
