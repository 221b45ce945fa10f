"""The spellings of goals that conversions have (docs/spec/conversions.md#goals)."""

from sqlalchemy import update

from tests.support.stores.seeds import add_conversion
from trackyard.domain.offers.goals import stored_key
from trackyard.store.conversions.goals import _spellings, every_spelling, find_first_spelling, find_spellings
from trackyard.store.engine.database import Database
from trackyard.store.tables import conversion

GOALS = ["Install", "install", "INSTALL ", "1", "Первый", "Install"]


def fill(database: Database) -> None:
    with database.write() as conn:
        for number, goal in enumerate(GOALS):
            add_conversion(conn, number, goal=goal, goal_key=stored_key(goal), offer_id=1 + number // 5)


def test_spellings_of_goals_are_all_that_conversions_have(database: Database) -> None:
    fill(database)
    with database.read() as conn:
        assert find_spellings(conn, ["INSTALL", "1", "none"]) == {
            "install": {"Install", "install", "INSTALL "},
            "1": {"1"},
            "none": {"none"},
        }
        assert every_spelling(conn, ["первый", "1"]) == {"Первый", "первый", "1"}
        assert every_spelling(conn, []) == frozenset()


def test_first_spelling_is_that_of_the_first_conversion_of_the_offer(database: Database) -> None:
    fill(database)
    with database.write() as conn:
        spellings = every_spelling(conn, ["install"])
        for goal, created_at in (("Install", 30), ("INSTALL ", 10), ("install", 20)):
            own = (conversion.c.goal == goal, conversion.c.offer_id == 1)
            conn.execute(update(conversion).where(*own).values(created_at=created_at))
        assert find_first_spelling(conn, 1, spellings) == "INSTALL "
        assert find_first_spelling(conn, 2, spellings) == "Install"
        assert find_first_spelling(conn, 3, spellings) is None


def test_spellings_are_read_from_the_index_of_keys(sqlite_database: Database) -> None:
    """Which most conversions are not in, and which is stepped through from spelling to spelling."""
    with sqlite_database.read() as conn:
        sql = str(_spellings(False).compile(dialect=conn.dialect))
        rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", ('["1"]',))
        found = [row.detail for row in rows if "conversion" in row.detail]
    index = "SEARCH conversion USING COVERING INDEX ix_conversion_goal_key"
    assert found == [f"{index} (goal_key=?)", f"{index} (goal_key=? AND goal>?)"]
