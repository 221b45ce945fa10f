"""Caps and personal limits: exact, whoever changes conversions, however many at once."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import msgspec
import pytest
from sqlalchemy import select, update

from tests.support.calls import AT, inbox_call, make_call
from tests.support.limited import MIDNIGHT, REACHED, STAFF, UTC, Limited, is_left
from tests.support.seeds import add_affiliate
from trackyard.domain.conversions.edits import Edit
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.jobs.conversions.edits import Editor
from trackyard.jobs.conversions.inbox import Converter
from trackyard.jobs.schedule.schedule import Schedule
from trackyard.store.conversions import edits as tasks
from trackyard.store.conversions import inbox
from trackyard.store.money.exchange_rates import add_rate
from trackyard.store.tables import affiliate, conversion


def test_a_cap_takes_what_it_says_and_the_next_day_again(limited: Limited) -> None:
    limited.limit({})
    assert [limited.call() for _ in range(3)] == [("confirmed", ""), ("confirmed", ""), ("declined", REACHED)]
    assert limited.call(time=MIDNIGHT - 1) == ("declined", REACHED)
    assert limited.call(time=MIDNIGHT) == ("confirmed", "")
    assert sum(conversions for conversions, _ in limited.held().values()) == 3


def test_one_batch_stops_exactly_at_the_cap(limited: Limited) -> None:
    limited.limit({"value": "7"})
    for _ in range(20):
        limited.send()
    limited.settle()
    assert limited.accepted() == 7
    assert limited.accepted("declined") == 13


def test_what_is_declined_keeps_its_amounts_and_counts_nowhere(limited: Limited) -> None:
    limited.limit({"value": "1"})
    limited.call()
    limited.call()
    assert limited.payouts() == [5, 5]
    assert list(limited.held().values()) == [(1, 5)]


def test_declined_on_arrival_for_another_reason_names_that_reason(limited: Limited) -> None:
    limited.limit({"value": "0"})
    with limited.database.write() as conn:
        conn.execute(update(affiliate).values(status="banned"))
    assert limited.call() == ("declined", "Partner is banned")
    assert limited.call(goal="9") == ("declined", "Partner is banned")
    with limited.database.write() as conn:
        conn.execute(update(affiliate).values(status="active"))
    assert limited.call(goal="9") == ("declined", "Payments not found")
    assert limited.call() == ("declined", REACHED)


def test_a_status_that_does_not_count_takes_no_place(limited: Limited) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed"])
    first, second = limited.send(status="2"), limited.send(status="2")
    limited.settle()
    assert limited.call(first, AT + 1, status="1") == ("confirmed", "")
    assert limited.call(second, AT + 1, status="1") == ("declined", REACHED)
    assert limited.call(status="3") == ("declined", "")
    assert list(limited.held().values()) == [(1, 5)]


def test_declined_may_count(limited: Limited) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed", "declined"])
    assert limited.call(status="3") == ("declined", "")
    assert limited.call() == ("declined", REACHED)
    assert list(limited.held().values()) == [(2, 10)]


def test_leaving_the_counted_statuses_frees_the_place(limited: Limited) -> None:
    limited.limit({"value": "1"})
    first = limited.send(status="2")
    limited.settle()
    assert limited.call() == ("declined", REACHED)
    limited.call(first, AT + 1, status="3")
    second = limited.send()
    limited.settle()
    assert limited.state(second) == ("confirmed", "")
    assert limited.call() == ("declined", REACHED)
    limited.edit(second, status=Status.DECLINED)
    assert limited.call() == ("confirmed", "")


def test_edits_and_imports_count_but_are_never_refused(limited: Limited) -> None:
    limited.limit({"value": "2"})
    first = limited.send(status="3")
    limited.settle()
    limited.imported(status=Status.PENDING_CAP)
    limited.imported()
    limited.imported()
    limited.edit(first, status=Status.CONFIRMED)
    assert limited.accepted() == 4
    assert list(limited.held().values()) == [(4, 20)]
    assert limited.call() == ("declined", REACHED)


def test_pending_cap_counts_whatever_statuses_do(limited: Limited) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed"])
    limited.imported(status=Status.PENDING)
    assert list(limited.held().values()) == [(0, 0)]
    limited.imported(status=Status.PENDING_CAP)
    assert limited.call() == ("declined", REACHED)


def test_the_end_of_a_hold_counts_and_is_never_refused(limited: Limited) -> None:
    limited.limit({"value": "1"}, hold_period=1, caps_status=["confirmed"])
    for _ in range(3):
        limited.send()
    limited.settle()
    assert limited.held() == dict.fromkeys(limited.held(), (0, 0))
    limited.clock.advance(2 * DAY_MS)
    assert Schedule(limited.database, UTC, limited.clock).end_holds() == 3
    assert limited.accepted("confirmed") == 3
    assert list(limited.held().values()) == [(3, 15)]


def test_a_hold_that_ends_moves_nothing_where_both_statuses_count(limited: Limited) -> None:
    limited.limit({"value": "3"}, hold_period=1)
    limited.call()
    limited.clock.advance(2 * DAY_MS)
    Schedule(limited.database, UTC, limited.clock).end_holds()
    assert list(limited.held().values()) == [(1, 5)]


def test_a_budget_is_reached_when_the_sum_is(limited: Limited) -> None:
    with limited.database.write() as conn:
        add_rate(conn, "EUR", AT - 10_000, Decimal("0.5"))
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "EUR", "type": "percent"}]
    limited.limit({"type": "budget", "value": "12"}, payments=paid)
    assert limited.call(sum="50")[0] == "confirmed"  # 5 EUR = 10 USD
    last = limited.send(sum="100", status="2")  # beyond the value: only what comes after it is refused
    limited.settle()
    assert limited.call(sum="1") == ("declined", REACHED)
    with limited.database.write() as conn:
        add_rate(conn, "EUR", AT, Decimal(2))
    limited.edit(last, payout=Decimal("0.9999"))  # 1.9998 USD at its own rate
    assert list(limited.held().values()) == [(2, Decimal("11.9998"))]
    assert limited.call(sum="1")[0] == "confirmed"


def test_a_repeat_with_a_sum_moves_the_budget(limited: Limited) -> None:
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "USD", "type": "percent"}]
    limited.limit({"type": "budget", "value": "100"}, payments=paid)
    first = limited.send(sum="50", status="2")
    limited.settle()
    limited.call(first, AT + 1, sum="80", status="1")
    assert list(limited.held().values()) == [(1, 8)]


def test_each_affiliate_and_goal_and_country_has_its_own(limited: Limited) -> None:
    limited.limit({"value": "1", "affiliate_type": "each"}, {"value": "2", "country_type": "exact", "country": ["FR"]})
    with limited.database.write() as conn:
        other = add_affiliate(conn)
    assert limited.call(limited.click(country="FR"))[0] == "confirmed"
    assert limited.call(limited.click(country="DE")) == ("declined", REACHED)
    assert limited.call(limited.click(affiliate=other, country="DE"))[0] == "confirmed"
    assert limited.call(limited.click(affiliate=other, country="FR")) == ("declined", REACHED)


def test_a_personal_limit_holds_for_its_affiliate_alone(limited: Limited) -> None:
    limited.limit(personal_limits=[{"partner": limited.affiliate, "caps": 1}])
    with limited.database.write() as conn:
        other = add_affiliate(conn)
    assert [limited.call()[0] for _ in range(2)] == ["confirmed", "declined"]
    assert [limited.call(limited.click(affiliate=other))[0] for _ in range(2)] == ["confirmed", "confirmed"]


@pytest.mark.parametrize("workers", [1, 2])
def test_500_calls_at_once_stop_exactly_at_the_cap(limited: Limited, workers: int) -> None:
    limited.limit({"value": "100"}, {"type": "budget", "value": "333.0001", "affiliate_type": "each"})
    with limited.database.write() as conn:
        others = [limited.affiliate, add_affiliate(conn)]
        calls = []
        for place in range(500):
            click = limited.click(affiliate=others[place % 2])
            calls.append(inbox_call(next(limited.positions), make_call(AT + place, clickid=click.id), click))
        inbox.add_calls(conn, "001-1", calls)

    def work(_: int) -> None:
        converter = Converter(limited.database, "USD", UTC, limited.clock)
        while converter.step() or is_left(limited.database):
            pass

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    assert limited.accepted() == 100
    assert limited.accepted("declined") == 400
    assert sorted(limited.held().values())[-1] == (100, 500)


def test_calls_imports_and_edits_at_once_are_all_counted(limited: Limited) -> None:
    limited.limit({"value": "30"}, {"affiliate_type": "each", "value": "999"})
    early = [limited.send(status="3") for _ in range(20)]
    limited.settle()
    with limited.database.write() as conn:
        found = conn.execute(select(conversion.c.id).where(conversion.c.click_id.in_([each.id for each in early])))
        edits = [Edit(conversion_id=each, status=Status.CONFIRMED) for each in found.scalars()]
        tasks.add_tasks(conn, "edit", STAFF, [msgspec.to_builtins(each) for each in edits], limited.clock.now_ms())
    for _ in range(60):
        limited.send()
    workers = [
        Converter(limited.database, "USD", UTC, limited.clock),
        Editor(limited.database, "USD", UTC, limited.clock),
    ]

    def work(worker: Converter | Editor) -> None:
        while worker.step() or is_left(limited.database):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, workers))
    limited.settle()
    taken = limited.accepted()
    assert 30 <= taken <= 50  # the edits are never refused, the calls stop where both together are at 30
    assert {held for held in limited.held().values() if held[0]} == {(taken, 5 * taken)}
