"""How long after the click conversions of a goal come (docs/spec/quality.md#conversions)."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, and_, delete, or_, select

from trackyard.domain.offers.goals import goal_key
from trackyard.domain.statistics.quality.conversion_signals import UsualTimes
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.in_lists import among
from trackyard.store.tables import usual_time

OfferGoal = tuple[int, str]
"""(offer, goal)."""
_COLUMNS: Final = usual_time.c
_ALL: Final = select(_COLUMNS.offer_id, _COLUMNS.goal, _COLUMNS.number, _COLUMNS.first, _COLUMNS.third)
_OF_OFFERS: Final = _ALL.where(among(_COLUMNS.offer_id, "ids"))


def get_usual_times(conn: Connection, offer_ids: Collection[int]) -> dict[OfferGoal, UsualTimes]:
    """Return the usual times of the goals of these offers, by offer and key of the goal."""
    found = _read(conn.execute(_OF_OFFERS, {"ids": offer_ids}))
    return {(offer_id, goal_key(goal)): times for (offer_id, goal), times in found.items()}


def get_all(conn: Connection) -> dict[OfferGoal, UsualTimes]:
    """Return the usual times of all goals, by offer and goal."""
    return _read(conn.execute(_ALL))


def write_usual_times(conn: Connection, changed: Mapping[OfferGoal, UsualTimes], gone: Collection[OfferGoal]) -> None:
    """Store what changed, and remove goals that are not known any more."""
    for (offer_id, goal), times in changed.items():
        values = {"number": times.number, "first": times.first, "third": times.third}
        statement = upsert(conn, usual_time).values(offer_id=offer_id, goal=goal, **values)
        conn.execute(statement.on_conflict_do_update(index_elements=["offer_id", "goal"], set_=values))
    if gone:
        named = [and_(_COLUMNS.offer_id == offer_id, _COLUMNS.goal == goal) for offer_id, goal in sorted(gone)]
        conn.execute(delete(usual_time).where(or_(*named)))


def _read(rows: CursorResult[Any]) -> dict[OfferGoal, UsualTimes]:
    return {(row.offer_id, row.goal): UsualTimes(row.number, row.first, row.third) for row in rows}
