"""Caps: the counters of a conversion, and full caps."""

from collections import Counter as Multiset
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import Caps, compile_caps, counted_statuses, each_counter, is_reached
from trackyard.domain.offers.counters import CapType, Count, CounterChange, RunningCounts, Traits
from trackyard.domain.offers.offers import Cap, PersonalLimit

UTC = ZoneInfo("UTC")
AT = int(datetime(2026, 11, 20, 23, 30, tzinfo=UTC).timestamp() * 1000)
DAY = 86_400_000


def cap(**fields: Any) -> Cap:
    values = {"id": "c" * 24, "period": "day", "type": "conversions", "value": Decimal(2)} | fields
    return Cap(**values)


def caps(*items: Cap, limits: tuple[PersonalLimit, ...] = (), zone: ZoneInfo = UTC, **fields: Any) -> Caps:
    given_fields: dict[str, Any] = {"redirects": False, "overcap_goal": "", "notice_percent": None} | fields
    status = given_fields.pop("caps_status", ("confirmed", "pending", "hold"))
    return compile_caps(3, items, limits, status, zone, **given_fields)


def names(given_caps: Caps, traits: Traits) -> list[str]:
    return [counter.name for _, counter in each_counter(given_caps, traits)]


HERE = Traits("1", 7, "DE", AT)


@pytest.mark.parametrize(
    ("fields", "other", "alike"),
    [
        ({}, {"goal": "2", "affiliate_id": 8, "country": "FR"}, True),
        ({"goal_type": "each"}, {"affiliate_id": 8}, True),
        ({"goal_type": "each"}, {"goal": "2"}, False),
        ({"affiliate_type": "each"}, {"goal": "2", "country": "FR"}, True),
        ({"affiliate_type": "each"}, {"affiliate_id": 8}, False),
        ({"country_type": "each"}, {"country": "FR"}, False),
        ({"country_type": "each"}, {"country": ""}, False),
        ({"goal_type": "exact", "goals": ("1", "2")}, {"goal": "2"}, True),
        ({"affiliate_type": "exact", "affiliates": (7, 8)}, {"affiliate_id": 8}, True),
        ({"country_type": "exact", "country": ("DE", "FR")}, {"country": "FR"}, True),
        ({"country_type": "exact", "country": ("DE", "FR"), "affiliate_type": "each"}, {"country": "FR"}, True),
        ({"period": "hour"}, {"at": AT + 1_800_000}, False),
        ({"period": "day"}, {"at": AT + 1_800_000}, False),
        ({"period": "day"}, {"at": AT + 1_799_999}, True),
        ({"period": "month"}, {"at": AT + 9 * DAY}, True),
        ({"period": "month"}, {"at": AT + 10 * DAY + 1_800_000}, False),
        ({"period": "all"}, {"at": AT + 4000 * DAY}, True),
    ],
)
def test_cap_counter_scope_follows_cap_types(fields: dict[str, Any], other: dict[str, Any], alike: bool) -> None:
    rules = caps(cap(**fields))
    assert (names(rules, HERE) == names(rules, HERE._replace(**other))) is alike
    assert len(names(rules, HERE._replace(**other))) == 1


@pytest.mark.parametrize(
    ("fields", "other"),
    [
        ({"goal_type": "exact", "goals": ("1",)}, {"goal": "2"}),
        ({"affiliate_type": "exact", "affiliates": (7,)}, {"affiliate_id": 8}),
        ({"country_type": "exact", "country": ("DE",)}, {"country": ""}),
    ],
)
def test_cap_exact_lists_exclude_unlisted_values(fields: dict[str, Any], other: dict[str, Any]) -> None:
    assert names(caps(cap(**fields)), HERE._replace(**other)) == []


def test_cap_of_clicks_counts_no_conversions() -> None:
    assert caps(cap(type="clicks")).rules == ()


def test_cap_period_starts_in_zone_of_offer() -> None:
    berlin, utc = (caps(cap(), zone=ZoneInfo(name)) for name in ("Europe/Berlin", "UTC"))
    [(_, there)], [(_, here)] = each_counter(berlin, HERE), each_counter(utc, HERE)
    midnight = AT + 1_800_000
    assert (here.start, here.until) == (midnight - DAY, midnight)
    assert (there.start, there.until) == (midnight - 3_600_000, midnight - 3_600_000 + DAY)


def test_cap_counters_of_different_values_are_distinct() -> None:
    each = caps(cap(goal_type="each", affiliate_type="each", country_type="each"))
    odd = [("1", 7, "DE"), ("", 7, "DE"), ("1/DE", 7, ""), ("DE/1", 7, ""), ("1", 7, ""), ("7", 1, "DE"), ("1", 17, "")]
    assert len({names(each, Traits(*values, AT))[0] for values in odd}) == len(odd)


def test_personal_limit_is_a_day_cap_of_one_affiliate() -> None:
    limited = caps(limits=(PersonalLimit(partner=7, caps=1),))
    [(rule, counter)] = each_counter(limited, HERE)
    assert (rule.type, rule.value, rule.measure.period) == ("conversions", 1, "day")
    assert (counter.until or 0) - counter.start == DAY
    assert names(limited, HERE._replace(affiliate_id=8)) == []


@pytest.mark.parametrize(
    ("kind", "value", "count", "full"),
    [
        ("conversions", "2", Count(1, Decimal(500)), False),
        ("conversions", "2", Count(2, Decimal(0)), True),
        ("conversions", "0", Count(0, Decimal(0)), True),
        ("budget", "10.5", Count(99, Decimal("10.4999")), False),
        ("budget", "10.5", Count(1, Decimal("10.5")), True),
        ("budget", "0", Count(0, Decimal(0)), True),
    ],
)
def test_cap_is_reached_at_its_value(kind: str, value: str, count: Count, full: bool) -> None:
    rules = caps(cap(type=kind, value=Decimal(value)))
    [name] = names(rules, HERE)
    assert is_reached(rules, HERE, {name: count}) is full


def test_cap_counts_configured_statuses() -> None:
    assert caps().statuses == {Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.PENDING_CAP}
    assert caps(caps_status=("confirmed",)).statuses == {Status.CONFIRMED, Status.PENDING_CAP}
    assert counted_statuses(("declined", "pending")) == {
        *(Status.DECLINED, Status.NOT_FOUND),
        *(Status.PENDING, Status.PENDING_CAP),
    }


@pytest.mark.parametrize(
    ("fields", "goal", "refuses"),
    [
        ({}, "", True),
        ({}, "2", False),
        ({"goal_type": "each"}, "2", True),
        ({"goal_type": "exact", "goals": ("1", "2")}, "2", True),
        ({"goal_type": "exact", "goals": ("1",)}, "2", False),
        ({"goal_type": "exact", "goals": ("1",)}, "", True),
    ],
)
def test_cap_rejects_clicks_only_when_configured(fields: dict[str, Any], goal: str, refuses: bool) -> None:
    there = HERE._replace(goal=goal) if refuses and goal else HERE
    [(_, counter)] = each_counter(caps(cap(**fields)), there)
    assert bool(caps(cap(**fields), redirects=True, overcap_goal=goal).rejecting(counter)) is refuses
    assert caps(cap(**fields), overcap_goal=goal).rejecting(counter) == []


def test_cap_per_goal_rejects_clicks_of_overcap_goal_only() -> None:
    rules = caps(cap(goal_type="each"), redirects=True, overcap_goal="2")
    [(_, first)], [(_, second)] = each_counter(rules, HERE), each_counter(rules, HERE._replace(goal="2"))
    assert (bool(rules.rejecting(first)), bool(rules.rejecting(second))) == (False, True)


def test_cap_counter_not_loaded_raises() -> None:
    [(_, counter)] = each_counter(caps(cap()), HERE)
    with pytest.raises(KeyError):
        RunningCounts().add([CounterChange(counter, 1, Decimal(1))])


# --- against a plain model ------------------------------------------------------------------------------

kinds = st.sampled_from(["all", "each", "exact"])
goals, affiliates, countries = st.sampled_from(["1", "2"]), st.sampled_from([7, 8]), st.sampled_from(["DE", "FR", ""])
cap_items = st.builds(
    lambda goal, affiliate, country, period, kind, value: cap(
        goal_type=goal,
        goals=("1",) if goal == "exact" else (),
        affiliate_type=affiliate,
        affiliates=(7,) if affiliate == "exact" else (),
        country_type=country,
        country=("DE", "FR") if country == "exact" else (),
        period=period,
        type=kind,
        value=Decimal(value),
    ),
    *(kinds, kinds, kinds),
    st.sampled_from(["hour", "day", "month", "all"]),
    st.sampled_from(["conversions", "budget"]),
    st.integers(0, 4),
)
conversions = st.tuples(goals, affiliates, countries, st.integers(-3, 30).map(lambda hours: AT + hours * 3_600_000))


def place(item: Cap, traits: Traits) -> tuple[object, ...] | None:
    """Return the counter of a conversion in the model: its local period and the value of each side."""
    local = datetime.fromtimestamp(traits.at / 1000, UTC)
    period = {"hour": "%F %H", "day": "%F", "month": "%Y-%m", "all": ""}[item.period]
    found: list[object] = [local.strftime(period)]
    for kind, listed, value in (
        (item.goal_type, item.goals, traits.goal),
        (item.affiliate_type, item.affiliates, traits.affiliate_id),
        (item.country_type, item.country, traits.country),
    ):
        if kind == "exact" and value not in listed:
            return None
        found.append(value if kind == "each" else "*")
    return tuple(found)


@given(items=st.lists(cap_items, min_size=1, max_size=3), calls=st.lists(conversions, max_size=25))
def test_cap_counters_of_any_sequence_equal_model(items: list[Cap], calls: list[tuple[str, int, str, int]]) -> None:
    rules = caps(*(cap(**{**_fields(item), "id": f"{place:024x}"}) for place, item in enumerate(items)))
    tally, held = _ZeroTally(), [Multiset[object]() for _ in items]
    for call in calls:
        traits = Traits(*call)
        expected = not any(
            (spot := place(item, traits)) is not None and held[number][spot] * _step(item) >= item.value
            for number, item in enumerate(items)
        )
        assert is_reached(rules, traits, tally.counts) is not expected
        if expected:
            tally.add(CounterChange(counter, 1, Decimal("1.5")) for _, counter in each_counter(rules, traits))
            for number, item in enumerate(items):
                if (spot := place(item, traits)) is not None:
                    held[number][spot] += 1


def _fields(item: Cap) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__struct_fields__}


def _step(item: Cap) -> Decimal:
    return Decimal("1.5") if item.type == CapType.BUDGET else Decimal(1)


class _ZeroTally(RunningCounts):
    """Return counts in which every counter is loaded and empty."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = _ZeroCounts()


class _ZeroCounts(dict[str, Count]):
    def __missing__(self, name: str) -> Count:
        return Count()
