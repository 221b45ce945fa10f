"""The tables follow the rows that fill them."""

import pytest

from trackyard.journal.records import Click
from trackyard.stats.engine import Analytics, StoreError
from trackyard.stats.schema import CLICK_PLACE, TABLES, migrate


def test_a_second_opening_changes_nothing(analytics: Analytics) -> None:
    before = analytics.rows("SELECT count() FROM schema_step", {}, tuple[int])
    migrate(analytics)
    assert analytics.rows("SELECT count() FROM schema_step", {}, tuple[int]) == before


def test_the_columns_of_click_are_its_place_and_its_record() -> None:
    assert TABLES["click"].column_names == CLICK_PLACE + Click.__struct_fields__
    assert TABLES["view"].columns == TABLES["click"].columns


def test_a_store_of_before_there_were_views_gets_their_table(analytics: Analytics) -> None:
    analytics.run("DROP TABLE view")
    analytics.run("TRUNCATE TABLE schema_step")
    analytics.run("INSERT INTO schema_step (number) VALUES (1)")
    migrate(analytics)
    assert analytics.rows("SELECT count() FROM view", {}, tuple[int]) == [(0,)]


def test_a_store_of_another_version_is_refused(analytics: Analytics) -> None:
    analytics.run("ALTER TABLE fact DROP COLUMN browser")
    with pytest.raises(StoreError, match=r"fact .* browser"):
        migrate(analytics)
