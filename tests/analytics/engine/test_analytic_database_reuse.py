"""Reused analytic databases of the tests have no rows of the test before."""

import pytest

from tests.support.models.events import new_click
from tests.support.stores.analytics import address, empty_analytics
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load
from trackyard.journal.records import encode


def count(store: Analytics) -> int:
    [(found,)] = store.rows("SELECT count() FROM click", {}, tuple[int])
    return found


def test_reused_analytic_database_is_emptied() -> None:
    used = []
    for _ in range(2):
        with empty_analytics() as name:
            store = Analytics.open(address(), database=name)
            assert count(store) == 0
            for _ in range(2):  # the second one is known by its token, and only then
                load(store, "click", [click_item("j", 1, encode(new_click(1)))], "t")
                assert count(store) == 1
            used.append(name)
            store.close()
    assert used[0] == used[1]


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE view",
        "CREATE TABLE another (id Int64) ENGINE = MergeTree ORDER BY id",
        "ALTER TABLE fact DROP COLUMN browser",
        "ALTER TABLE fact DROP PROJECTION by_click",
        "ALTER TABLE click MODIFY SETTING non_replicated_deduplication_window = 1",
        "ALTER TABLE click DELETE WHERE 1",
        "TRUNCATE TABLE schema_step",
    ],
)
def test_reused_analytic_database_with_changed_schema_is_discarded(change: str) -> None:
    with empty_analytics() as name:
        store = Analytics.open(address(), database=name)
        store.run(change)
        store.close()
    with empty_analytics() as other:
        assert other != name
