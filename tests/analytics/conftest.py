"""Stores of both engines for the tests of the analytic store."""

from collections.abc import Iterator

import pytest

from tests.support.stores.analytics import analytics, empty_analytics
from tests.support.stores.clickhouse import clickhouse_address
from trackyard.analytics.engine.connection import Analytics

__all__ = ["analytics", "clickhouse_address"]


@pytest.fixture(params=["chdb", "server"])
def store(request: pytest.FixtureRequest) -> Iterator[Analytics]:
    """Yield an empty, migrated store of each engine."""
    if request.param == "chdb":
        yield request.getfixturevalue("analytics")
        return
    with empty_analytics() as name:
        server = Analytics.open(f"{request.getfixturevalue('clickhouse_address')}/{name}")
        yield server
        server.close()
