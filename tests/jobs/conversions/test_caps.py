"""Caps and personal limits are exact, whatever changes conversions and however many at once."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import msgspec
import pytest
from sqlalchemy import select, update

from tests.support.clicks.inbound_postbacks import AT, make_inbound_postback, make_inbox_postback
from tests.support.limited_offer import MIDNIGHT, REACHED, STAFF, UTC, LimitedOffer, has_waiting_postbacks
from tests.support.stores.seeds import add_affiliate
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.store.conversions import edits as tasks
from trackyard.store.conversions import inbox
from trackyard.store.money.exchange_rates import add_rate
from trackyard.store.tables import affiliate, conversion


def test_conversion_cap_stops_at_value_and_renews_next_day(limited: LimitedOffer) -> None:
    limited.limit({})
    assert [limited.call() for _ in range(3)] == [("confirmed", ""), ("confirmed", ""), ("declined", REACHED)]
    assert limited.call(time=MIDNIGHT - 1) == ("declined", REACHED)
    assert limited.call(time=MIDNIGHT) == ("confirmed", "")
    assert sum(conversions for conversions, _ in limited.held().values()) == 3


def test_conversion_cap_stops_exactly_within_one_batch(limited: LimitedOffer) -> None:
    limited.limit({"value": "7"})
    for _ in range(20):
        limited.send()
    limited.settle()
    assert limited.accepted() == 7
    assert limited.accepted("declined") == 13


def test_conversion_cap_declined_conversion_keeps_amounts_and_is_not_counted(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"})
    limited.call()
    limited.call()
    assert limited.payouts() == [5, 5]
    assert list(limited.held().values()) == [(1, 5)]


def test_conversion_cap_yields_to_other_decline_reasons(limited: LimitedOffer) -> None:
    limited.limit({"value": "0"})
    with limited.database.write() as conn:
        conn.execute(update(affiliate).values(status="banned"))
    assert limited.call() == ("declined", "Partner is banned")
    assert limited.call(goal="9") == ("declined", "Partner is banned")
    with limited.database.write() as conn:
        conn.execute(update(affiliate).values(status="active"))
    assert limited.call(goal="9") == ("declined", "Payments not found")
    assert limited.call() == ("declined", REACHED)


def test_conversion_cap_ignores_uncounted_status(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed"])
    first, second = limited.send(status="2"), limited.send(status="2")
    limited.settle()
    assert limited.call(first, AT + 1, status="1") == ("confirmed", "")
    assert limited.call(second, AT + 1, status="1") == ("declined", REACHED)
    assert limited.call(status="3") == ("declined", "")
    assert list(limited.held().values()) == [(1, 5)]


def test_conversion_cap_may_count_declined(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed", "declined"])
    assert limited.call(status="3") == ("declined", "")
    assert limited.call() == ("declined", REACHED)
    assert list(limited.held().values()) == [(2, 10)]


def test_conversion_cap_slot_is_freed_by_uncounted_status(limited: LimitedOffer) -> None:
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


def test_conversion_cap_counts_but_accepts_edits_and_imports(limited: LimitedOffer) -> None:
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


def test_conversion_cap_always_counts_pending_cap_status(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"}, caps_status=["confirmed"])
    limited.imported(status=Status.PENDING)
    assert list(limited.held().values()) == [(0, 0)]
    limited.imported(status=Status.PENDING_CAP)
    assert limited.call() == ("declined", REACHED)


def test_conversion_cap_counts_hold_end_but_accepts_it(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"}, hold_period=1, caps_status=["confirmed"])
    for _ in range(3):
        limited.send()
    limited.settle()
    assert limited.held() == dict.fromkeys(limited.held(), (0, 0))
    limited.clock.advance(2 * DAY_MS)
    assert JobScheduler(limited.database, UTC, limited.clock).end_holds() == 3
    assert limited.accepted("confirmed") == 3
    assert list(limited.held().values()) == [(3, 15)]


def test_conversion_cap_is_unchanged_by_hold_end_between_counted_statuses(limited: LimitedOffer) -> None:
    limited.limit({"value": "3"}, hold_period=1)
    limited.call()
    limited.clock.advance(2 * DAY_MS)
    JobScheduler(limited.database, UTC, limited.clock).end_holds()
    assert list(limited.held().values()) == [(1, 5)]


def test_conversion_cap_budget_is_reached_at_sum(limited: LimitedOffer) -> None:
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


def test_conversion_cap_budget_follows_repeated_postback_sum(limited: LimitedOffer) -> None:
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "USD", "type": "percent"}]
    limited.limit({"type": "budget", "value": "100"}, payments=paid)
    first = limited.send(sum="50", status="2")
    limited.settle()
    limited.call(first, AT + 1, sum="80", status="1")
    assert list(limited.held().values()) == [(1, 8)]


def test_conversion_cap_counts_per_affiliate_goal_and_country(limited: LimitedOffer) -> None:
    limited.limit({"value": "1", "affiliate_type": "each"}, {"value": "2", "country_type": "exact", "country": ["FR"]})
    with limited.database.write() as conn:
        other = add_affiliate(conn)
    assert limited.call(limited.click(country="FR"))[0] == "confirmed"
    assert limited.call(limited.click(country="DE")) == ("declined", REACHED)
    assert limited.call(limited.click(affiliate=other, country="DE"))[0] == "confirmed"
    assert limited.call(limited.click(affiliate=other, country="FR")) == ("declined", REACHED)


def test_conversion_cap_personal_limit_applies_to_its_affiliate_only(limited: LimitedOffer) -> None:
    limited.limit(personal_limits=[{"partner": limited.affiliate, "caps": 1}])
    with limited.database.write() as conn:
        other = add_affiliate(conn)
    assert [limited.call()[0] for _ in range(2)] == ["confirmed", "declined"]
    assert [limited.call(limited.click(affiliate=other))[0] for _ in range(2)] == ["confirmed", "confirmed"]


@pytest.mark.parametrize("workers", [1, 2])
def test_conversion_cap_stops_exactly_with_500_parallel_postbacks(limited: LimitedOffer, workers: int) -> None:
    limited.limit({"value": "100"}, {"type": "budget", "value": "333.0001", "affiliate_type": "each"})
    with limited.database.write() as conn:
        others = [limited.affiliate, add_affiliate(conn)]
        calls = []
        for place in range(500):
            click = limited.click(affiliate=others[place % 2])
            calls.append(
                make_inbox_postback(next(limited.positions), make_inbound_postback(AT + place, clickid=click.id), click)
            )
        inbox.add_entries(conn, "001-1", calls)

    def work(_: int) -> None:
        converter = PostbackProcessor(limited.database, "USD", UTC, limited.clock)
        while converter.step() or has_waiting_postbacks(limited.database):
            pass

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    assert limited.accepted() == 100
    assert limited.accepted("declined") == 400
    assert sorted(limited.held().values())[-1] == (100, 500)


def test_conversion_cap_counts_parallel_postbacks_imports_and_edits(limited: LimitedOffer) -> None:
    limited.limit({"value": "30"}, {"affiliate_type": "each", "value": "999"})
    early = [limited.send(status="3") for _ in range(20)]
    limited.settle()
    with limited.database.write() as conn:
        found = conn.execute(select(conversion.c.id).where(conversion.c.click_id.in_([each.id for each in early])))
        edits = [ConversionEdit(conversion_id=each, status=Status.CONFIRMED) for each in found.scalars()]
        tasks.add_tasks(conn, "edit", STAFF, [msgspec.to_builtins(each) for each in edits], limited.clock.now_ms())
    for _ in range(60):
        limited.send()
    workers = [
        PostbackProcessor(limited.database, "USD", UTC, limited.clock),
        ConversionEditor(limited.database, "USD", UTC, limited.clock),
    ]

    def work(worker: PostbackProcessor | ConversionEditor) -> None:
        while worker.step() or has_waiting_postbacks(limited.database):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, workers))
    limited.settle()
    taken = limited.accepted()
    assert 30 <= taken <= 50  # the edits are never refused, the calls stop where both together are at 30
    assert {held for held in limited.held().values() if held[0]} == {(taken, 5 * taken)}
