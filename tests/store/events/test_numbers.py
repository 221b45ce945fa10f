"""Numbers of events have no gap, and each is given once (docs/spec/events.md#numbers)."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text, update

from tests.support.events import make_notices
from tests.support.limited_offer import STAFF, LimitedOffer
from trackyard.actions.events.notifying import notify_next
from trackyard.actions.events.publishing import publish
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.store.engine.database import Database
from trackyard.store.engine.dialect import is_postgresql
from trackyard.store.events import events
from trackyard.store.tables import conversion_event

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


def test_states_of_conversions_are_numbered_among_the_events(limited: LimitedOffer) -> None:
    database = limited.database
    with database.write() as conn:
        conn.execute(update(conversion_event).values(seq=0))
    first, second = limited.send(status="2"), limited.send()
    limited.settle()
    add(database, 2)
    assert number(database) == 4
    limited.edit(first, status=Status.DECLINED)
    add(database, 1)
    assert number(database) == 2
    with database.read() as conn:
        found = events.list_after(conn, 0, 100)
        assert [each.seq for each in events.list_after(conn, 2, 3)] == [3, 4, 5]
    assert [each.seq for each in found] == [1, 2, 3, 4, 5, 6]
    made = [each for each in found if each.kind is EventKind.CONVERSION_MADE]
    [changed] = [each for each in found if each.kind is EventKind.CONVERSION_CHANGED]
    assert len({each.subject for each in made}) == 2
    assert {each.offer_id for each in made} == {limited.offer}
    assert {each.affiliate_id for each in made} == {limited.affiliate}
    assert {each.payload["click"] for each in made} == {first.id, second.id}
    assert changed.actor == STAFF
    assert changed.seq is not None and changed.seq > max(each.seq or 0 for each in made)
    assert (changed.payload["status"], changed.payload["before"]["status"]) == ("declined", "pending")
    assert all(set(each.payload) == set(each.rule.fields) for each in (*made, changed))


def test_notices_of_events_pass_by_conversions(limited: LimitedOffer) -> None:
    limited.call()
    add(limited.database, 1)
    limited.call()
    assert make_notices(limited.database, NOW) == 1
    with limited.database.read() as conn:
        assert not events.has_unnoticed(conn)
        assert not events.has_unnumbered(conn)


def test_history_from_before_the_numbers_has_none(limited: LimitedOffer) -> None:
    limited.call()
    with limited.database.write() as conn:
        conn.execute(update(conversion_event).values(seq=text("DEFAULT") if is_postgresql(conn) else 0))
    assert number(limited.database) == 0
