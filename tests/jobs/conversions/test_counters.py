"""Counters: their first values, and the notices that they cause."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from sqlalchemy import select

from tests.support.clicks.inbound_postbacks import AT
from tests.support.limited_offer import MIDNIGHT, REACHED, UTC, LimitedOffer, has_waiting_postbacks
from tests.support.processes.crashes import crash_before_commit
from tests.support.stores.seeds import add_affiliate
from trackyard.actions.offers import caps as limits
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.offers.caps import each_counter
from trackyard.domain.offers.counters import Count, Traits
from trackyard.domain.offers.offers import Cap
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.tracking.ruleset import FullCap
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.offers import counters, offers
from trackyard.store.people import advertisers, staff
from trackyard.store.tables import mail


def test_new_cap_counter_starts_with_existing_conversions(limited: LimitedOffer) -> None:
    for _ in range(2):
        limited.call()
    limited.call(status="3")
    limited.call(time=MIDNIGHT)
    limited.limit({"value": "3"})
    assert [limited.call()[0] for _ in range(2)] == ["confirmed", "declined"]
    limited.limit({"id": "f" * 24, "value": "2", "period": "all", "affiliate_type": "each"})
    assert limited.call() == ("declined", REACHED)


def test_counters_of_ended_periods_are_removed_and_recomputed(limited: LimitedOffer) -> None:
    limited.limit({"value": "2"}, {"value": "2", "affiliate_type": "each"})
    limited.call()
    held = limited.held()
    schedule = JobScheduler(limited.database, UTC, limited.clock)
    limited.clock.advance(7 * DAY_MS)
    assert schedule.forget_counters() == 0
    limited.clock.advance(DAY_MS)
    assert schedule.forget_counters() == 2
    assert limited.held() == {}
    late = limited.send()
    limited.settle()
    assert limited.state(late) == ("confirmed", "")
    assert {name: conversions for name, (conversions, _) in limited.held().items()} == {
        name: 2 * conversions for name, (conversions, _) in held.items()
    }
    assert limited.call() == ("declined", REACHED)


def test_converter_crash_leaves_counters_unchanged(limited: LimitedOffer) -> None:
    class CounterCrash(BaseException):
        """The process dies here."""

    limited.limit({"value": "3"})
    limited.call()
    for _ in range(4):
        limited.send()
    with crash_before_commit(limited.database, CounterCrash), pytest.raises(CounterCrash):
        PostbackProcessor(limited.database, "USD", UTC, limited.clock).step()
    assert list(limited.held().values()) == [(1, 5)]
    limited.settle()
    assert limited.accepted() == 3
    assert list(limited.held().values()) == [(3, 15)]


def test_full_cap_is_published_to_edges_and_withdrawn_when_free(limited: LimitedOffer) -> None:
    limited.limit({"value": "2"}, is_redirect_overcap=True)
    last = [limited.send(status="2") for _ in range(2)][-1]
    assert (limited.full(), limited.published_count()) == ((), 0)
    limited.settle()
    assert limited.full() == (FullCap("1".zfill(24), until=MIDNIGHT),)
    first_time = limited.published_count()
    assert first_time > 0
    limited.call()
    assert limited.published_count() == first_time
    limited.call(last, AT + 1, status="3")
    assert limited.full() == ()
    assert limited.published_count() > first_time


def test_full_cap_ruleset_names_affiliates_and_countries(limited: LimitedOffer) -> None:
    each = {"value": "1", "affiliate_type": "each", "country_type": "exact", "country": ["FR", "DE"]}
    limited.limit(each, {"value": "0", "affiliate_type": "exact", "affiliates": [77]}, is_redirect_overcap=True)
    with limited.database.write() as conn:
        other = add_affiliate(conn)
    limited.call()
    limited.call(limited.click(affiliate=other))
    assert set(limited.full()) == {
        FullCap("1".zfill(24), (limited.affiliate, other), ("DE", "FR"), MIDNIGHT),
        FullCap("2".zfill(24), (77,)),
    }


def test_full_cap_without_redirect_is_not_published(limited: LimitedOffer) -> None:
    limited.limit({"value": "1"})
    limited.call()
    assert (limited.full(), limited.published_count()) == ((), 0)


def test_full_cap_of_overcap_goal_only_is_published(limited: LimitedOffer) -> None:
    caps = ({"value": "1"}, {"value": "1", "goal_type": "each"}, {"value": "1", "goal_type": "exact", "goals": ["2"]})
    paid = [{"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2")]
    limited.limit(*caps, is_redirect_overcap=True, caps_goal_overcap="1", payments=paid)
    assert limited.call()[0] == "confirmed"
    assert limited.full() == (FullCap("2".zfill(24), until=MIDNIGHT),)


def test_full_cap_found_on_postback_is_published(limited: LimitedOffer) -> None:
    limited.call()
    limited.limit({"value": "1"}, is_redirect_overcap=True)
    assert limited.call() == ("declined", REACHED)
    assert limited.full() == (FullCap("1".zfill(24), until=MIDNIGHT),)
    assert limited.published_count() > 0


def test_day_cap_mail_is_sent_once_a_day(limited: LimitedOffer) -> None:
    limited.limit({"value": "5"}, {"value": "12", "period": "month"}, {"value": "90"}, notice_percent_overcap=60)
    with limited.database.write() as conn:
        person = Staff(id="a" * 24, email="manager@example.com", first_name="Mary", last_name="Manager")
        staff.add_staff(conn, person)
        advertisers.edit_advertiser(conn, limited.advertiser, {"manager_id": person.id})
    for _ in range(2):
        limited.call()
    assert limited.mails() == []
    for _ in range(3):
        limited.call()
    assert limited.mails() == [f"#{limited.offer} Offer: a cap of today fills up"]
    with limited.database.read() as conn:
        sent = conn.execute(select(mail)).one()
    assert sent.recipient == "manager@example.com"
    assert "5 conversions a day and has 3 conversions" in sent.body
    limited.clock.advance(MIDNIGHT - limited.clock.now_ms())
    for _ in range(4):
        limited.call(time=MIDNIGHT)
    assert len(limited.mails()) == 2


def test_cap_readers_see_stored_or_computed_counts(limited: LimitedOffer) -> None:
    limited.limit({"value": "9"}, {"value": "9", "affiliate_type": "each"})
    limited.call()

    def read() -> list[Count]:
        with limited.database.read() as conn:
            caps = get_decision_context(conn, [limited.offer], [], UTC).offers[limited.offer].caps
            wanted = [(rule.measure, Traits("1", limited.affiliate, "DE", AT)) for rule in caps.rules]
            found = counters.get_counts(conn, wanted)
            listed = [count for rule in caps.rules for _, count in counters.get_period_counts(conn, rule.measure, AT)]
            names = [each.name for _, each in each_counter(caps, wanted[0][1])]
        assert listed == [found[name] for name in names]
        return listed

    assert read() == [Count(1, Decimal(5))] * 2
    with limited.database.write() as conn:
        counters.remove_counters(conn, limited.offer)
    assert read() == [Count(1, Decimal(5))] * 2
    assert limited.held() == {}


def test_cap_edited_in_parallel_counts_every_conversion(limited: LimitedOffer) -> None:
    """All counting by the old caps precedes all counting by the new ones."""
    database, clock, edits = limited.database, limited.clock, 12
    limited.limit(
        {"value": "1000"},
        payments=[{"goal": "1", "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"}],
    )
    for _ in range(160):
        limited.send()

    def edit() -> None:
        for number in range(edits):
            sides = ("each", "all") if number % 2 else ("all", "each")
            cap = Cap(
                id=f"{number:024x}",
                period="day",
                type="conversions",
                value=Decimal(1000 + number),
                affiliate_type=sides[0],
                country_type=sides[1],
            )
            with database.write() as conn:
                before = offers.find_offer(conn, Scope.everything(), limited.offer, lock=True)
                assert before is not None
                changes = {"caps": (cap,), "is_redirect_overcap": True}
                limits.reset_changed_counters(
                    conn, before, offers.edit_offer(conn, before, changes), UTC, clock.now_ms()
                )

    def work() -> None:
        converter = PostbackProcessor(database, "USD", UTC, clock)
        while converter.step() or has_waiting_postbacks(database):
            pass

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(edit), pool.submit(work)]:
            each.result()
    with database.read() as conn:
        [rule] = get_decision_context(conn, [limited.offer], [], UTC).offers[limited.offer].caps.rules
        [(_, held)] = counters.get_period_counts(conn, rule.measure, AT)
    assert held == Count(160, Decimal(800))
