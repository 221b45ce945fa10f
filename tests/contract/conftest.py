"""One installation for the whole sweep: it asks, and what it writes stands in nobody's way."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.analytics import address
from tests.support.api import Api, installed
from tests.support.databases import migrated_sqlite
from trackyard.stats.engine import Analytics
from trackyard.stats.schema import migrate
from trackyard.store.engine import Database

__all__ = ["migrated_sqlite"]


@pytest.fixture(scope="session")
def api(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    path = tmp_path_factory.mktemp("contract") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = Database(f"sqlite:///{path}")
    analytics = Analytics.open(address(), database="contract")
    migrate(analytics)
    yield installed(database, analytics)
    database.close()
    analytics.close()
