"""Caps and tiers that staff change: what counters begin with, and what the edges learn."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import NOW, Api
from tests.support.stores.seeds import add_conversion
from trackyard.domain.offers.counters import Traits
from trackyard.domain.tracking.ruleset import FullCap, RulesetFullCaps
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.offers import counters
from trackyard.store.tables import counter
from trackyard.store.tracking import rulesets

DAY = 86_400_000
MIDNIGHT = NOW // DAY * DAY + DAY


def cap(place: int = 0, **fields: str) -> dict[str, str]:
    values = {"period": "day", "type": "conversions", "value": "2"} | fields
    return {f"caps[{place}][{name}]": value for name, value in values.items()}


def full(api: Api, number: int) -> tuple[FullCap, ...]:
    with api.deps.database.read() as conn:
        row = rulesets.compile_row(conn, "full_caps", str(number))
    assert row is None or isinstance(row, RulesetFullCaps)
    return () if row is None else row.caps


def is_published_since(api: Api, number: int, since: int) -> bool:
    with api.deps.database.read() as conn:
        changes = rulesets.changes_since(conn, since, 1000)
    return any((change.kind, change.key) == ("full_caps", str(number)) for change in changes)


def version(api: Api) -> int:
    with api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


def count(api: Api, number: int) -> None:
    """Has the counters of an offer asked for, as a call of affiliate 1 would."""
    with api.deps.database.write() as conn:
        terms = get_decision_context(conn, [number], [], api.deps.zone, lock=True).offers[number]
        traits = Traits("1", 1, "DE", NOW)
        counters.lock_counters(conn, [(rule.measure, traits) for rule in terms.caps.rules])
        counters.lock_counters(conn, [(ladder.measure, traits) for ladder in terms.tier_groups])


def held(api: Api, number: int) -> list[tuple[int, int]]:
    with api.deps.database.read() as conn:
        rows = conn.execute(select(counter).where(counter.c.offer_id == number).order_by(counter.c.name))
        return [(row.start, row.conversions) for row in rows]


@pytest.fixture
def sold(api: Api) -> int:
    """An offer with two conversions of today."""
    number = api.add_offer()
    with api.deps.database.write() as conn:
        for place in range(2):
            add_conversion(conn, number * 10 + place, offer_id=number, created_at=NOW + place, country="DE")
    return number


def edit(api: Api, number: int, **params: Any) -> None:
    api.admin.post(f"/3.1/admin/offer/{number}", **params)


def test_offer_cap_that_is_full_rejects_clicks_at_once(api: Api, sold: int) -> None:
    before = version(api)
    edit(api, sold, is_redirect_overcap="1", **cap())
    assert [item.until for item in full(api, sold)] == [MIDNIGHT]
    assert is_published_since(api, sold, before)


def test_offer_cap_with_higher_value_accepts_clicks_and_keeps_counter(api: Api, sold: int) -> None:
    edit(api, sold, is_redirect_overcap="1", **cap())
    [kept] = held(api, sold)
    before = version(api)
    edit(api, sold, **cap(value="3"))
    assert (full(api, sold), held(api, sold)) == ((), [kept])
    assert is_published_since(api, sold, before)


def test_offer_cap_switched_off_rejects_no_clicks(api: Api, sold: int) -> None:
    edit(api, sold, is_redirect_overcap="1", **cap())
    edit(api, sold, is_redirect_overcap="0")
    assert full(api, sold) == ()
    edit(api, sold, is_redirect_overcap="1", caps_goal_overcap="1")
    assert full(api, sold) == ()  # a cap of all goals is not one of that goal
    edit(api, sold, **cap(goal_type="each"))
    assert len(full(api, sold)) == 1


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"title": "Other"}, True),
        ({"notice_percent_overcap": "50"}, True),
        ({"caps_timezone": "Asia/Tokyo"}, False),
        ({"caps_status[]": "declined"}, False),
        (cap(affiliate_type="each"), False),
        (cap(period="month"), False),
    ],
)
def test_offer_cap_counter_resets_only_when_its_measure_changes(
    api: Api, sold: int, change: dict[str, str], kept: bool
) -> None:
    edit(api, sold, **cap())
    count(api, sold)
    assert [conversions for _, conversions in held(api, sold)] == [2]
    edit(api, sold, **change)
    assert bool(held(api, sold)) is kept


def test_offer_tier_counter_stays_when_only_values_change(api: Api, sold: int) -> None:
    tier = {"timeframe": "day", "type": "conversions", "value": "5", "modifier_type": "by_fix", "modifier_value": "1"}
    sent = {f"commission_tiers[0][{name}]": value for name, value in tier.items()}
    edit(api, sold, enabled_commission_tiers="1", **sent)
    count(api, sold)
    before = held(api, sold)
    assert [conversions for _, conversions in before] == [0, 2]  # the period, and affiliate 1 in it
    edit(api, sold, **sent | {"commission_tiers[0][value]": "7", "commission_tiers[0][modifier_value]": "2"})
    assert held(api, sold) == before
    edit(api, sold, **sent | {"commission_tiers[0][timeframe]": "week"})
    assert held(api, sold) == []


def test_personal_limit_rejects_clicks_of_its_affiliate(api: Api, sold: int) -> None:
    pid = api.add_affiliate()[0]
    limit = {"personal_limits[0][partner]": str(pid), "personal_limits[0][caps]": "0"}
    edit(api, sold, is_redirect_overcap="1", **limit)
    assert full(api, sold) == (FullCap(f"personal-{pid}", (pid,)),)


def test_offer_tier_with_new_timeframe_counts_from_edit(api: Api, sold: int) -> None:
    tier = {"timeframe": "day", "type": "conversions", "value": "5", "modifier_type": "by_fix", "modifier_value": "1"}
    sent = {f"commission_tiers[0][{name}]": value for name, value in tier.items()} | {"enabled_commission_tiers": "1"}
    edit(api, sold, **sent)
    api.clock.advance(60_000)
    edit(api, sold, **sent | {"commission_tiers[0][timeframe]": "all", "commission_tiers[0][affiliate_type]": "all"})
    with api.deps.database.write() as conn:
        add_conversion(conn, sold * 10 + 5, offer_id=sold, created_at=NOW + 60_000, country="DE")
    count(api, sold)
    assert [conversions for _, conversions in held(api, sold)] == [1]
