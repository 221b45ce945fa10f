"""Values of caps: each counter equals a count one by one."""

from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.models.events import NOON
from trackyard.domain.offers.counters import CapType, Count
from trackyard.domain.offers.offers import Cap, Offer, PersonalLimit
from trackyard.domain.statistics.cap_stats import (
    CounterState,
    GroupedCount,
    applies_to_any,
    cap_rules_of,
    cap_state_of,
    describe_cap,
    visible_cap_rules,
)

UTC = ZoneInfo("UTC")
DAY = 86_400_000


def offer(*caps: Cap, **fields: Any) -> Offer:
    made = {"id": 1, "hash": "h", "advertiser_id": "a", "title": "T", "url": "u", "created_at": 1, "updated_at": 1}
    return Offer(**made, caps=caps, **fields)


def cap(**fields: Any) -> Cap:
    return Cap(**{"id": "c", "period": "day", "type": "conversions", "value": Decimal(10)} | fields)


def held(goal: str, affiliate: int, country: str, number: int, budget: str = "0") -> GroupedCount:
    return GroupedCount(goal, affiliate, country, Count(number, Decimal(budget)))


SIDES = st.sampled_from(["all", "each", "exact"])
HAPPENED = st.lists(
    st.builds(held, st.sampled_from(["1", "sale"]), st.integers(1, 3), st.sampled_from(["", "DE"]), st.integers(1, 9)),
    max_size=12,
)


@given(
    goal=SIDES,
    affiliate=SIDES,
    country=SIDES,
    kind=st.sampled_from([CapType.CONVERSIONS, CapType.CLICKS]),
    happened=HAPPENED,
)
def test_cap_stats_counters_equal_one_by_one_count(
    goal: str, affiliate: str, country: str, kind: str, happened: list[GroupedCount]
) -> None:
    exact = {"goals": ("sale",), "affiliates": (1, 2), "country": ("DE",)}
    item = cap(type=kind, goal_type=goal, affiliate_type=affiliate, country_type=country, **exact)
    [rule] = cap_rules_of(offer(item), UTC)
    state = cap_state_of(rule, happened, NOON)
    goal = "all" if kind == CapType.CLICKS else goal  # a click has none
    wanted: dict[tuple[int | None, str | None, str | None], int] = {}
    for one in happened:
        if (
            (goal == "exact" and one.goal != "sale")
            or (affiliate == "exact" and one.affiliate_id == 3)
            or (country == "exact" and one.country != "DE")
        ):
            continue
        key = (
            one.affiliate_id if affiliate == "each" else None,
            one.country if country == "each" else None,
            one.goal if goal == "each" else None,
        )
        wanted[key] = wanted.get(key, 0) + one.count.conversions
    if "each" not in (goal, affiliate, country):
        wanted.setdefault((None, None, None), 0)
    assert {(each.affiliate_id, each.country, each.goal): each.value for each in state.counters} == wanted
    assert all(sum(each.by_goal.values()) == each.value for each in state.counters)


def test_cap_stats_of_budget_sum_money() -> None:
    [rule] = cap_rules_of(offer(cap(type="budget", value=Decimal("99.5"))), UTC)
    state = cap_state_of(rule, [held("1", 1, "", 2, "7.25"), held("sale", 2, "", 1, "0.5")], NOON)
    by_goal = {"1": Decimal("7.25"), "sale": Decimal("0.5")}
    assert state.counters == (CounterState(None, None, None, Decimal("7.75"), by_goal),)


@pytest.mark.parametrize(
    ("period", "zone", "until"),
    [
        ("hour", None, NOON + DAY // 24),
        ("day", None, NOON + DAY // 2),
        ("day", "Asia/Tokyo", NOON + DAY // 8),  # 21:00 there
        ("month", None, NOON + 15 * DAY + DAY // 2),
        ("all", None, None),
    ],
)
def test_cap_stats_period_ends_in_zone_of_cap(period: str, zone: str | None, until: int | None) -> None:
    [rule] = cap_rules_of(offer(cap(period=period), caps_timezone=zone), UTC)
    assert cap_state_of(rule, [], NOON).until == until


def test_cap_stats_list_personal_limits_after_caps() -> None:
    clicks, counted = cap(id="clicks", type=CapType.CLICKS), cap(id="b")
    limits = (PersonalLimit(partner=7, caps=5), PersonalLimit(partner=8, caps=6))
    made = offer(clicks, counted, personal_limits=limits)
    rules = cap_rules_of(made, UTC)
    assert [rule.measure.id for rule in rules] == ["clicks", "b", "personal-7", "personal-8"]
    assert [rule.measure.id for rule in visible_cap_rules(made, rules, 8)] == ["clicks", "b", "personal-8"]
    assert visible_cap_rules(offer(clicks, hide_caps=True), rules, 8) == ()
    assert [applies_to_any(rule, {7, 9}) for rule in rules] == [True, True, True, False]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "10 conversions a day: all together"),
        (
            {"type": "budget", "value": Decimal("1500.50"), "period": "all"},
            "1500.5 USD of payouts in all: all together",
        ),
        ({"type": CapType.CLICKS, "period": "hour", "affiliate_type": "each"}, "10 clicks an hour: each affiliate"),
        (
            {"goal_type": "exact", "goals": ("1", "2"), "country_type": "exact", "country": ("DE",), "period": "month"},
            "10 conversions a month: country DE; goals Sale, 2 together",
        ),
        (
            {"affiliate_type": "exact", "affiliates": (5, 6), "country_type": "each", "goal_type": "each"},
            "10 conversions a day: affiliates 5, 6 together; each country; each goal",
        ),
    ],
)
def test_cap_stats_describe_cap_in_words(fields: dict[str, Any], text: str) -> None:
    [rule] = cap_rules_of(offer(cap(**fields)), UTC)
    assert describe_cap(rule, "USD", {"1": "Sale"}, fields.get("affiliates", ())) == text
