"""One installation for the whole sweep: it asks, and what it writes stands in nobody's way."""

from tests.support.api import shared_api as api
from tests.support.databases import migrated_sqlite

__all__ = ["api", "migrated_sqlite"]
