"""Commission tiers: reached steps, and the amounts that they make."""

from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import Count, Traits
from trackyard.domain.offers.offers import ModifierType, Tier
from trackyard.domain.offers.payments import Amounts
from trackyard.domain.offers.tiers import (
    Modifier,
    TierGroup,
    apply_modifiers,
    documents_of,
    modifiers_of,
    reached_modifiers,
    tier_groups_of,
)

UTC = ZoneInfo("UTC")
AT = int(datetime(2026, 11, 20, 23, 30, tzinfo=UTC).timestamp() * 1000)  # a Friday
HOUR = 3_600_000
HERE = Traits("1", 7, "DE", AT)
WORTH = Amounts(Decimal(200), Decimal(10), Decimal(5))


def tier(number: int = 1, **fields: Any) -> Tier:
    values: dict[str, Any] = {"timeframe": "month", "type": "conversions", "value": 10}
    values |= {"modifier_type": "to_fix", "modifier_value": 7} | fields
    for name in ("value", "modifier_value"):
        values[name] = Decimal(str(values[name]))
    return Tier(id=f"{number:024x}", **values)


def steps(ladders: tuple[TierGroup, ...], *held: Count, traits: Traits = HERE) -> list[Decimal]:
    """Return the values of the modifiers that apply while the counters hold this."""
    names = [ladder.measure.counter_of(traits).name for ladder in ladders]
    return [modifier.value for modifier in reached_modifiers(ladders, traits, dict(zip(names, held, strict=True)))]


def modifier(kind: str, value: str, payment_type: str = "payout") -> Modifier:
    return Modifier(ModifierType(kind), Decimal(value), payment_type)


@pytest.mark.parametrize(("held", "applied"), [(0, []), (9, []), (10, [1]), (19, [1]), (20, [2]), (30, [3]), (99, [3])])
def test_tier_ladder_applies_highest_reached_step(held: int, applied: list[int]) -> None:
    ladders = tier_groups_of(
        3,
        [
            tier(1, value=20, modifier_value=2),
            tier(2, value=10, modifier_value=1),
            tier(3, value=30, modifier_value=3),
        ],
        UTC,
    )
    assert len(ladders) == 1
    assert steps(ladders, Count(held, Decimal(999))) == applied


def test_tier_budget_is_reached_at_its_value() -> None:
    ladders = tier_groups_of(3, [tier(type="budget", value="10.5")], UTC)
    assert steps(ladders, Count(99, Decimal("10.4999"))) == []
    assert steps(ladders, Count(1, Decimal("10.5"))) == [7]


@pytest.mark.parametrize(
    "difference",
    [
        {"timeframe": "day"},
        {"type": "budget"},
        {"modifier_type": "by_fix"},
        {"modifier_payment_type": "total"},
        {"goals": ("1",)},
        {"target_goals": ("1",)},
        {"affiliate_type": "all"},
        {"countries": ("DE",)},
        {"conversion_status": ("confirmed",)},
    ],
)
def test_tier_with_other_conditions_is_a_separate_ladder(difference: dict[str, Any]) -> None:
    first, second = tier(1, modifier_value=1), tier(2, modifier_value=2, **difference)
    ladders = tier_groups_of(3, [first, second, tier(3, value=99, modifier_value=3)], UTC)
    assert [len(ladder.steps) for ladder in ladders] == [2, 1]
    assert steps(ladders, Count(10, Decimal(10)), Count(10, Decimal(10))) == [1, 2]


@pytest.mark.parametrize(
    ("fields", "traits", "changes"),
    [
        ({}, {}, True),
        ({"target_goals": ("1",)}, {}, True),
        ({"target_goals": ("2",)}, {}, False),
        ({"goals": ("2",)}, {}, True),
        ({"goals": ("2",), "target_goals": ("1",)}, {}, True),
        ({"countries": ("DE", "FR")}, {}, True),
        ({"countries": ("FR",)}, {}, False),
        ({"countries": ("FR",)}, {"country": ""}, False),
        ({"affiliate_type": "exact", "affiliates": (7, 8)}, {}, True),
        ({"affiliate_type": "exact", "affiliates": (8,)}, {}, False),
    ],
)
def test_tier_applies_by_its_conditions(fields: dict[str, Any], traits: dict[str, Any], changes: bool) -> None:
    ladders = tier_groups_of(3, [tier(**fields)], UTC)
    there = HERE._replace(**traits)
    assert (steps(ladders, Count(10), traits=there) == [7]) is changes


def test_tier_counts_goals_together_and_affiliates_separately() -> None:
    [ladder] = tier_groups_of(3, [tier(goals=("2", "3"))], UTC)
    measure = ladder.measure
    assert [measure.counts(HERE._replace(goal=goal)) for goal in ("1", "2", "3")] == [False, True, True]
    assert measure.counter_of(HERE) == measure.counter_of(HERE._replace(goal="2"))
    assert measure.counter_of(HERE) != measure.counter_of(HERE._replace(affiliate_id=8))
    [together] = tier_groups_of(3, [tier(affiliate_type="all")], UTC)
    assert together.measure.counter_of(HERE) == together.measure.counter_of(HERE._replace(affiliate_id=8))


@pytest.mark.parametrize(
    ("timeframe", "hours", "same"),
    [
        ("day", 0.4, True),
        ("day", 0.5, False),
        ("week", 48.4, True),
        ("week", 48.5, False),
        ("month", 240.4, True),
        ("month", 240.5, False),
        ("all", 99999, True),
    ],
)
def test_tier_timeframes_follow_calendar(timeframe: str, hours: float, same: bool) -> None:
    [ladder] = tier_groups_of(3, [tier(timeframe=timeframe)], UTC)
    later = HERE._replace(at=AT + int(hours * HOUR))
    assert (ladder.measure.counter_of(HERE) == ladder.measure.counter_of(later)) is same


def test_tier_counts_configured_statuses() -> None:
    def counted(*words: str) -> frozenset[Status]:
        [ladder] = tier_groups_of(3, [tier(conversion_status=words)], UTC)
        return ladder.measure.statuses

    assert counted() == {Status.CONFIRMED, Status.PENDING, Status.PENDING_CAP, Status.HOLD}
    assert counted("confirmed") == {Status.CONFIRMED}
    assert counted("declined") == {Status.DECLINED, Status.NOT_FOUND}


@pytest.mark.parametrize(
    ("modifiers", "charge", "payout"),
    [
        ([], "10", "5"),
        ([modifier("by_fix", "1.5")], "10", "6.5"),
        ([modifier("to_fix", "1.5")], "10", "1.5"),
        ([modifier("by_percent", "10")], "10", "5.5"),
        ([modifier("to_percent", "10")], "10", "20"),
        ([modifier("by_fix", "1.5", "total")], "11.5", "5"),
        ([modifier("to_fix", "1.5", "total")], "1.5", "5"),
        ([modifier("by_percent", "10", "total")], "11", "5"),
        ([modifier("to_percent", "10", "total")], "20", "5"),
        ([modifier("by_fix", "1.5", "payout_and_total")], "11.5", "6.5"),
        ([modifier("to_fix", "1.5", "payout_and_total")], "1.5", "1.5"),
        ([modifier("by_percent", "10", "payout_and_total")], "11", "5.5"),
        ([modifier("to_percent", "10", "payout_and_total")], "20", "20"),
        ([modifier("by_percent", "10"), modifier("by_fix", "1")], "10", "6.5"),
        ([modifier("by_fix", "1"), modifier("by_percent", "10")], "10", "6.6"),
        ([modifier("by_percent", "0.001")], "10", "5"),  # 0.00005 goes to the even place
        ([modifier("by_percent", "0.003")], "10", "5.0002"),
    ],
)
def test_tier_modifier_changes_amounts(modifiers: list[Modifier], charge: str, payout: str) -> None:
    assert apply_modifiers(WORTH, modifiers) == Amounts(WORTH.sum, Decimal(charge), Decimal(payout))


def test_tier_modifiers_round_trip_through_storage() -> None:
    kept = (modifier("by_percent", "0.1", "total"), modifier("to_fix", "12.3456", "payout_and_total"))
    assert modifiers_of(documents_of(kept)) == kept
    assert modifiers_of([]) == ()


# --- against a plain model ------------------------------------------------------------------------------

money = st.decimals(min_value=0, max_value=10**5, places=4)
modifiers = st.builds(
    Modifier, st.sampled_from(ModifierType), money, st.sampled_from(["payout", "total", "payout_and_total"])
)


def plain(amount: Decimal, kind: str, value: Decimal, order_sum: Decimal) -> Decimal:
    made = {
        "by_fix": amount + value,
        "to_fix": value,
        "by_percent": amount + (amount * value / 100).quantize(Decimal("0.0001"), ROUND_HALF_EVEN),
        "to_percent": order_sum * value / 100,
    }[kind]
    return made.quantize(Decimal("0.0001"), ROUND_HALF_EVEN)


@given(items=st.lists(modifiers, max_size=4), worth=st.builds(Amounts, money, money, money))
def test_tier_modifiers_apply_in_order(items: list[Modifier], worth: Amounts) -> None:
    charge, payout = worth.charge, worth.payout
    for item in items:
        if item.payment_type in ("payout", "payout_and_total"):
            payout = plain(payout, item.type, item.value, worth.sum)
        if item.payment_type in ("total", "payout_and_total"):
            charge = plain(charge, item.type, item.value, worth.sum)
    assert apply_modifiers(worth, items) == Amounts(worth.sum, charge, payout)


@given(
    values=st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["to_fix", "by_fix"])), min_size=1, max_size=6),
    held=st.integers(0, 25),
)
def test_tier_ladders_apply_one_step_each_in_list_order(values: list[tuple[int, str]], held: int) -> None:
    tiers = [tier(place, value=value, modifier_type=kind, modifier_value=place) for place, (value, kind) in
             enumerate(values)]  # fmt: skip
    expected = []
    for kind in dict.fromkeys(kind for _, kind in values):
        fitting = [(value, place) for place, (value, each) in enumerate(values) if each == kind and value <= held]
        if fitting:
            best = max(value for value, _ in fitting)
            expected.append(next(place for value, place in fitting if value == best))
    ladders = tier_groups_of(3, tiers, UTC)
    assert steps(ladders, *(Count(held) for _ in ladders)) == expected
