from tests.support.analytics import analytics
from tests.support.databases import migrated_sqlite

__all__ = ["analytics", "migrated_sqlite"]
