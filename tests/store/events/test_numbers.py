"""Numbers of events have no gap, and each is given once (docs/spec/events.md#numbers)."""

from concurrent.futures import ThreadPoolExecutor

from trackyard.actions.events.notifying import notify_next
from trackyard.actions.events.publishing import publish
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.store.engine.database import Database
from trackyard.store.events import events

NOW = 1_700_000_000_000


def add(database: Database, count: int) -> None:
    for place in range(count):
        with database.write() as conn:
            publish(conn, EventKind.AFFILIATE_SIGNED_UP, NOW + place, Concerned(place), affiliate=f"A{place}")


def number(database: Database) -> int:
    done = 0
    while True:
        with database.write() as conn:
            found = events.number_events(conn, 3)
        if not found:
            return done
        done += found


def test_several_workers_number_each_event_once_and_without_gaps(database: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(add, database, 10) for _ in range(2)]
        readers = [pool.submit(number, database) for _ in range(2)]
        for each in writers:
            each.result()
        numbered = sum(each.result() for each in readers)
    numbered += number(database)
    with database.read() as conn:
        found = events.list_after(conn, 0, 100)
    assert numbered == 20
    assert [each.seq for each in found] == list(range(1, 21))
    assert len({each.id for each in found}) == 20


def test_event_of_a_change_that_is_rolled_back_does_not_exist(database: Database) -> None:
    class Undone(Exception):
        pass

    try:
        with database.write() as conn:
            publish(conn, EventKind.AFFILIATE_SIGNED_UP, NOW, Concerned(1), affiliate="Ann")
            raise Undone
    except Undone:
        pass
    add(database, 1)
    number(database)
    with database.read() as conn:
        assert [each.seq for each in events.list_after(conn, 0, 10)] == [1]


def test_event_without_a_number_is_for_no_reader(database: Database) -> None:
    add(database, 1)
    with database.read() as conn:
        assert events.list_after(conn, 0, 10) == []
        assert events.has_unnumbered(conn)
    assert notify_next(database, NOW) == 0
    number(database)
    assert notify_next(database, NOW) == 1
    assert notify_next(database, NOW) == 0


def test_old_events_are_removed_after_their_notices_and_numbers_go_on(database: Database) -> None:
    add(database, 2)
    number(database)
    with database.write() as conn:
        assert events.remove_before(conn, NOW + 10, 100) == 0
    while notify_next(database, NOW):
        pass
    with database.write() as conn:
        assert events.remove_before(conn, NOW + 1, 100) == 1
    add(database, 1)
    number(database)
    with database.read() as conn:
        assert [each.seq for each in events.list_after(conn, 0, 10)] == [2, 3]
