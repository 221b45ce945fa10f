"""Rules judge sums: the same for now and for the past."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import comb
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.statistics.automation.chances import chance_at_least, chance_at_most
from trackyard.domain.statistics.automation.judging import (
    RAREST_CHANCE,
    ByKey,
    Verdict,
    is_new_cause,
    judge,
    look_back,
)
from trackyard.domain.statistics.automation.measures import Key, Measures
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleCondition, find_faults
from trackyard.domain.statistics.automation.windows import (
    HOUR_MS,
    WEEK_HOURS,
    Window,
    last_window,
    same_hours_before,
)

UTC = ZoneInfo("UTC")
LOW_CR = RuleCondition("cr", is_below=True, bound=Decimal(1))
FEW_CONVERSIONS = RuleCondition("conversions", is_below=True, bound=Decimal(50), is_usual=True)


def rule(*conditions: RuleCondition, **fields: object) -> Rule:
    values: dict[str, object] = {"each": ("offer",), "minimum": 100, "hours": 1}
    return Rule(id="a" * 24, title="Rule", conditions=conditions, **(values | fields))  # type: ignore[arg-type]


def test_chance_of_a_binomial_number_is_the_exact_sum() -> None:
    for trials, share in ((10, 0.2), (40, 0.01), (300, 0.7)):
        terms = [comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(trials + 1)]
        for number in range(0, trials + 1, 3):
            assert chance_at_most(number, trials, share) == pytest.approx(sum(terms[: number + 1]), rel=1e-9)
            assert chance_at_least(number, trials, share) == pytest.approx(sum(terms[number:]), rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.floats(0.001, 0.999))
def test_chance_is_a_probability_and_its_sides_add_up(number: int, trials: int, share: float) -> None:
    number = min(number, trials)
    below, above = chance_at_most(number, trials, share), chance_at_least(number + 1, trials, share)
    assert 0 <= below <= 1
    assert below + above == pytest.approx(1, abs=1e-6)


def test_element_below_the_bound_and_with_the_minimum_meets_the_condition() -> None:
    now = {(1,): Measures(clicks=200, conversions=1), (2,): Measures(clicks=200, conversions=2)}
    now |= {(3,): Measures(clicks=99), (4,): Measures(clicks=100)}
    found = judge(rule(LOW_CR), now)
    assert [(each.key, each.readings[0].value) for each in found] == [((1,), Decimal("0.5")), ((4,), Decimal(0))]


def test_all_conditions_of_a_rule_must_be_met() -> None:
    paid = RuleCondition("payout", is_below=False, bound=Decimal(10))
    now = {(1,): Measures(clicks=200, payout=Decimal(11)), (2,): Measures(clicks=200, payout=Decimal(10))}
    assert [each.key for each in judge(rule(LOW_CR, paid), now)] == [(1,)]


def test_empty_sub_is_not_blocked() -> None:
    blocks = rule(LOW_CR, each=("offer", "affiliate", "sub1"), action=RuleAction.BLOCK_SUB)
    now = {(1, 2, ""): Measures(clicks=500), (1, 2, "a"): Measures(clicks=500)}
    assert [each.key for each in judge(blocks, now)] == [(1, 2, "a")]


def test_drop_that_chance_explains_is_no_finding_and_a_large_one_is() -> None:
    few = [{(1,): Measures(clicks=200, conversions=3)}] * 4
    many = [{(1,): Measures(clicks=9000, conversions=300)}] * 4
    assert judge(rule(FEW_CONVERSIONS), {(1,): Measures(clicks=200, conversions=1)}, few) == []
    [found] = judge(rule(FEW_CONVERSIONS), {(1,): Measures(clicks=9000, conversions=100)}, many)
    reading = found.readings[0]
    assert (reading.value, reading.usual, reading.bound) == (100, 300, 150)
    assert reading.chance is not None and reading.chance < RAREST_CHANCE


def test_drop_that_one_of_the_weeks_had_too_is_no_finding() -> None:
    before = [{(1,): Measures(clicks=9000, conversions=number)} for number in (400, 380, 90, 390)]
    assert judge(rule(FEW_CONVERSIONS), {(1,): Measures(clicks=9000, conversions=100)}, before) == []


def test_element_that_vanished_is_compared_with_its_usual() -> None:
    before = [{(1,): Measures(clicks=500, conversions=60)}] * 4
    [found] = judge(rule(FEW_CONVERSIONS), {}, before)
    assert (found.key, found.readings[0].value) == ((1,), 0)


def test_cause_lasts_until_a_quiet_hour() -> None:
    window = Window(10 * HOUR_MS, 11 * HOUR_MS)
    assert is_new_cause(None, window)
    assert not is_new_cause(10 * HOUR_MS, window)  # the hour before met the conditions, too
    assert is_new_cause(9 * HOUR_MS, window)


def test_look_back_fires_once_for_each_cause() -> None:
    bad = {(1,): Measures(clicks=200)}
    hours = {hour * HOUR_MS: bad for hour in (1, 2, 3, 7)}
    found = look_back(rule(LOW_CR), hours, range(HOUR_MS, 12 * HOUR_MS, HOUR_MS), UTC)
    assert [(each.window.since // HOUR_MS, each.met_until // HOUR_MS) for each in found] == [(1, 4), (7, 8)]
    longer = look_back(rule(LOW_CR, hours=6), hours, range(HOUR_MS, 24 * HOUR_MS, HOUR_MS), UTC)
    assert [(each.window.until // HOUR_MS, each.met_until // HOUR_MS) for each in longer] == [(2, 13)]


def test_look_back_bears_hours_in_which_something_has_rows_and_no_traffic() -> None:
    hours = {HOUR_MS: {(1,): Measures(clicks=200)}, 2 * HOUR_MS: {(1,): Measures()}}  # such as impressions alone
    found = look_back(rule(LOW_CR, hours=3), hours, range(HOUR_MS, 12 * HOUR_MS, HOUR_MS), UTC)
    assert [each.met_until // HOUR_MS for each in found] == [4]


HOURS = st.dictionaries(
    st.integers(0, 30).map(lambda hour: hour * HOUR_MS),
    st.dictionaries(
        st.tuples(st.integers(1, 3)),
        st.builds(
            lambda clicks, made: Measures(clicks=clicks, conversions=made),
            st.sampled_from([0, 40, 200]),
            st.integers(0, 2),
        ),
        max_size=3,
    ),
    max_size=12,
)


def judged_hour_by_hour(
    judged: Rule, hours: Mapping[int, ByKey], ends: Iterable[int]
) -> tuple[list[tuple[Verdict, Window]], dict[Key, int]]:
    """Return what judging each window alone finds, and when each element met the conditions last."""

    def summed(window: Window) -> ByKey:
        sums: dict[Key, Measures] = {}
        for hour in range(*window, HOUR_MS):
            for key, measured in hours.get(hour, {}).items():
                sums[key] = sums.get(key, Measures()).plus(measured)
        return sums

    met: dict[Key, int] = {}
    found = []
    for end in ends:
        window = Window(end - judged.hours * HOUR_MS, end)
        weeks = same_hours_before(window, UTC) if judged.needs_usual else ()
        for verdict in judge(judged, summed(window), [summed(week) for week in weeks]):
            if is_new_cause(met.get(verdict.key), window):
                found.append((verdict, window))
            met[verdict.key] = end
    return found, met


@given(HOURS, st.integers(1, 9))
def test_look_back_finds_what_judging_hour_by_hour_finds(hours: Mapping[int, ByKey], length: int) -> None:
    judged = rule(LOW_CR, hours=length)
    ends = range(HOUR_MS, 35 * HOUR_MS, HOUR_MS)
    found = look_back(judged, hours, ends, UTC)
    expected, met = judged_hour_by_hour(judged, hours, ends)
    assert [(each.verdict, each.window) for each in found] == expected
    assert {each.verdict.key: each.met_until for each in found} == met


@given(st.lists(st.sampled_from([0, 20, 300]), min_size=12, max_size=12), st.integers(1, 3))
def test_look_back_that_compares_with_the_usual_finds_what_judging_finds(made: list[int], length: int) -> None:
    """Two offers convert as in the weeks before, but for six hours each."""
    week = WEEK_HOURS * HOUR_MS
    usual = {(offer,): Measures(clicks=3000, conversions=300) for offer in (1, 2)}
    hours: dict[int, ByKey] = {place * week + hour * HOUR_MS: usual for place in range(4) for hour in range(9)}
    for hour, (first, second) in enumerate(zip(made[:6], made[6:], strict=True)):
        odd = {(1,): Measures(clicks=3000, conversions=first), (2,): Measures(clicks=3000, conversions=second)}
        hours[4 * week + hour * HOUR_MS] = {key: each for key, each in odd.items() if each.conversions}
    judged = rule(FEW_CONVERSIONS, hours=length)
    ends = range(4 * week, 4 * week + 12 * HOUR_MS, HOUR_MS)
    found = look_back(judged, hours, ends, UTC)
    expected, met = judged_hour_by_hour(judged, hours, ends)
    assert [(each.verdict, each.window) for each in found] == expected
    assert {each.verdict.key: each.met_until for each in found} == met


def test_same_hours_before_follow_the_local_clock() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    monday_noon = 1_711_965_600_000  # 2024-04-01 12:00 in Berlin, the day after the clocks changed
    before = same_hours_before(Window(monday_noon, monday_noon + HOUR_MS), berlin)
    assert [(monday_noon - each.since) // HOUR_MS for each in before] == [167, 335, 503, 671]
    assert {each.until - each.since for each in before} == {HOUR_MS}


def test_last_window_ends_with_a_whole_hour() -> None:
    assert last_window(24, 30 * HOUR_MS + 5) == Window(6 * HOUR_MS, 30 * HOUR_MS)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (rule(), "conditions"),
        (rule(LOW_CR, action=RuleAction.BLOCK_SUB), "each"),
        (rule(LOW_CR, each=("offer", "affiliate", "sub1", "sub2"), action=RuleAction.BLOCK_SUB), "each"),
        (rule(LOW_CR, each=("affiliate",), action=RuleAction.DISCONNECT), "each"),
        (rule(LOW_CR, action=RuleAction.OFFER_STATUS), "new_status"),
        (rule(LOW_CR, new_status="stopped"), "new_status"),
        (rule(RuleCondition("goal_share", is_below=True, bound=Decimal(5))), "first_goal"),
        (rule(RuleCondition("payout", is_below=True, bound=Decimal(5), is_usual=True)), "conditions[0][usual]"),
    ],
)
def test_rule_that_makes_no_sense_names_the_parameter(made: Rule, name: str) -> None:
    assert set(find_faults(made)) == {name}
