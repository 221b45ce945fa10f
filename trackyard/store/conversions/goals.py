"""The spellings of goals that conversions have (docs/spec/conversions.md#goals).

What is looked up by a goal is looked up by each of its spellings, by the indexes that begin with the spelling.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import ARRAY, Connection, Select, String, Text, bindparam, func, literal_column, select

from trackyard.domain.offers.goals import goal_keys
from trackyard.store.engine.dialect import is_postgresql
from trackyard.store.engine.in_lists import ValueList
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import conversion

GoalSpellings = dict[str, frozenset[str]]
"""By the key of a goal: the spellings of the goal that conversions have, and the key."""


def find_spellings(conn: Connection, goals: Iterable[str]) -> GoalSpellings:
    """Return the spellings of goals."""
    keys = goal_keys(goals)
    found = {key: {key} for key in keys}
    if keys:
        for key, goal in conn.execute(_spellings(is_postgresql(conn)), {"keys": sorted(keys)}):
            found[key].add(goal)
    return {key: frozenset(spellings) for key, spellings in found.items()}


def every_spelling(conn: Connection, goals: Iterable[str]) -> frozenset[str]:
    """Return the spellings of all of these goals together."""
    return frozenset().union(*find_spellings(conn, goals).values())


def find_first_spelling(conn: Connection, offer_id: int, spellings: Iterable[str]) -> str | None:
    """Return the spelling that the first conversion of an offer with one of them has, or None."""
    columns = conversion.c
    used = [
        each
        for each in sorted(spellings)
        if has_rows(conn, select(columns.id).where(columns.offer_id == offer_id, columns.goal == each))
    ]
    if len(used) < 2:
        return used[0] if used else None
    query = select(columns.goal).where(columns.offer_id == offer_id, columns.goal.in_(used))
    first: str = conn.execute(query.order_by(columns.created_at, columns.id).limit(1)).scalar_one()
    return first


@cache
def _spellings(postgresql: bool) -> Select[Any]:
    """Return the statement that steps from each spelling of a key to the next, by the index of keys."""
    parameter = bindparam("keys", type_=ARRAY(String) if postgresql else ValueList(Text()))
    listed = func.unnest(parameter) if postgresql else func.json_each(parameter)
    column = "key" if postgresql else "value"
    key = listed.table_valued(column, name="wanted")
    named = (key.render_derived() if postgresql else key).c[column]
    columns = conversion.c
    has_key = columns.goal_key != literal_column("''")  # as it is in the index, which has rows with a key alone

    def least(wanted: Any, *after: Any) -> Any:
        query = select(func.min(columns.goal)).where(columns.goal_key == wanted, has_key, *after)
        return query.scalar_subquery()

    first = select(named.label("goal_key"), least(named).label("goal")).cte("spelled", recursive=True)
    following = select(first.c.goal_key, least(first.c.goal_key, columns.goal > first.c.goal))
    spelled = first.union_all(following.where(first.c.goal.is_not(None)))
    return select(spelled.c.goal_key, spelled.c.goal).where(spelled.c.goal.is_not(None))
