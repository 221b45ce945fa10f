from tests.support.analytics import analytics
from tests.support.api import api
from tests.support.databases import migrated_sqlite, sqlite_database

__all__ = ["analytics", "api", "migrated_sqlite", "sqlite_database"]
