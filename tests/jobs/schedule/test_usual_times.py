"""Usual times from click to conversion, refreshed from statistics for the decisions of the worker."""

from tests.support.models.events import NOON, new_fact
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load
from trackyard.base.clock import ManualClock
from trackyard.domain.statistics.quality.conversion_signals import UsualTimes
from trackyard.domain.statistics.rows import encode_row
from trackyard.jobs.schedule.usual_times import UsualTimesRefresher
from trackyard.store.engine.database import Database
from trackyard.store.statistics.usual_times import get_all, get_usual_times

DAY_MS = 86_400_000


def stored(database: Database) -> dict[tuple[int, str], UsualTimes]:
    with database.read() as conn:
        return get_all(conn)


def test_usual_times_follow_four_weeks_of_each_goal(database: Database, analytics: Analytics) -> None:
    timed = [new_fact(n, offer=3, goal="1", time=NOON, click_time=NOON - n * 1_000) for n in range(1, 101)]
    few = [new_fact(n, offer=3, goal="2", time=NOON, click_time=NOON - 1_000) for n in range(200, 299)]
    without_click = [new_fact(n, offer=4, goal="1", time=NOON, click_time=0) for n in range(300, 400)]
    load(analytics, "fact", [encode_row(fact) for fact in (*timed, *few, *without_click)], "a")
    clock = ManualClock(NOON + 1)
    job = UsualTimesRefresher(database, analytics, clock)
    job.refresh_when_due()
    found = stored(database)
    assert found.keys() == {(3, "1")}
    times = found[3, "1"]
    assert times.number == 100 and abs(times.first - 25_500) <= 1_000 and abs(times.third - 75_500) <= 1_000
    with database.read() as conn:
        assert (get_usual_times(conn, [3]), get_usual_times(conn, [4])) == (found, {})
    assert job.refresh() == 0
    clock.advance(28 * DAY_MS)
    job.refresh_when_due()
    assert stored(database) == {}
