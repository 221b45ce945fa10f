"""The values of an offer's caps (docs/spec/statistics.md#cap-statistics). Pure.

docs/api/cap-stats.md. domain/offers/counters.py decides which conversion counts in which counter.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.money import ZERO
from trackyard.domain.offers.caps import CapRule, compile_caps, limit_definition_of
from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.counters import ZERO_COUNT, CapType, Count, LimitSide, Traits
from trackyard.domain.offers.goals import find_spelling
from trackyard.domain.offers.offers import Offer
from trackyard.domain.offers.periods import CapPeriod
from trackyard.domain.offers.visibility import goal_name


@dataclass(frozen=True, slots=True)
class GroupedCount:
    """A number of similar conversions or clicks in a period.

    goal: "" of clicks.
    country: ISO code, "" = unknown.
    count: of conversions, or of clicks as its `conversions`.
    """

    goal: str
    affiliate_id: int
    country: str
    count: Count


@dataclass(frozen=True, slots=True)
class CounterState:
    """The value of one counter of a cap.

    affiliate_id, country, goal: the value that it counts; None = the values that the cap counts together.
    by_goal: the value by goal.
    """

    affiliate_id: int | None
    country: str | None
    goal: str | None
    value: Decimal
    by_goal: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CapState:
    """A cap and its counters in the current period.

    until: the end of the period, UTC milliseconds; None = never.
    counters: by affiliate, country and goal. A cap that counts all together has one; others have the counters above 0.
    """

    rule: CapRule
    until: int | None
    counters: tuple[CounterState, ...]


def cap_rules_of(offer: Offer, platform_zone: ZoneInfo) -> tuple[CapRule, ...]:
    """Return the caps of an offer in the order of its list, then the day limits of affiliates."""
    zone = ZoneInfo(offer.caps_timezone) if offer.caps_timezone else platform_zone
    counted = compile_caps(
        offer.id,
        offer.caps,
        offer.personal_limits,
        offer.caps_status,
        zone,
        redirects=offer.is_redirect_overcap,
        overcap_goal=offer.caps_goal_overcap,
        notice_percent=offer.notice_percent_overcap,
    )
    of_clicks = {
        cap.id: CapRule(CapType.CLICKS, cap.value, limit_definition_of(cap, offer.id, zone, frozenset()))
        for cap in offer.caps
        if cap.type == CapType.CLICKS
    }
    rules = {rule.measure.id: rule for rule in counted.rules} | of_clicks
    listed = [cap.id for cap in offer.caps]
    return tuple(rules[id_] for id_ in [*listed, *(id_ for id_ in rules if id_ not in listed)])


def visible_cap_rules(offer: Offer, rules: Iterable[CapRule], affiliate_id: int) -> tuple[CapRule, ...]:
    """Return the caps of an offer that an affiliate may see; none when they are hidden."""
    return () if offer.hide_caps else tuple(rule for rule in rules if applies_to_any(rule, {affiliate_id}))


def applies_to_any(rule: CapRule, affiliates: Collection[int]) -> bool:
    """Return whether a cap counts conversions of any of these affiliates."""
    only = rule.measure.affiliate.only
    return only is None or not only.isdisjoint(affiliates)


def cap_state_of(rule: CapRule, held: Iterable[GroupedCount], at_ms: int) -> CapState:
    """Return the counters of a cap at a moment.

    held: all conversions or clicks of its period until then.
    """
    measure, period_counter = rule.measure, rule.measure.period_counter_at(at_ms)
    counts: dict[tuple[int | None, str | None, str | None], dict[str, Count]] = {}
    if not measure.has_each:
        counts[None, None, None] = {}
    for one in held:
        traits = Traits(one.goal, one.affiliate_id, one.country, at_ms)
        if measure.counts(traits):
            counter = measure.counter_of(traits)
            by_goal = counts.setdefault((counter.affiliate_id, counter.country, counter.goal), {})
            goal = find_spelling(one.goal, measure.goal.spellings or by_goal) or one.goal
            before = by_goal.get(goal, ZERO_COUNT)
            by_goal[goal] = Count(before.conversions + one.count.conversions, before.budget + one.count.budget)
    counters = [
        _counter(rule, affiliate_id, country, goal, by_goal)
        for (affiliate_id, country, goal), by_goal in sorted(counts.items(), key=lambda item: _order(item[0]))
    ]
    return CapState(rule, period_counter.until, tuple(counters))


def side_kind(side: LimitSide) -> CapScope:
    """Return the way in which a side of a limit counts its values."""
    return CapScope.EACH if side.each else CapScope.ALL if side.only is None else CapScope.EXACT


def describe_cap(rule: CapRule, currency: str, goal_names: Mapping[str, str], affiliates: Iterable[int]) -> str:
    """Return a cap in words.

    currency: the platform's.
    affiliates: the affiliates to list for an exact cap.
    """
    measure = rule.measure
    value = rule.value.quantize(Decimal(1)) if rule.value == rule.value.to_integral_value() else rule.value.normalize()
    amount = f"{value:f} {currency} of payouts" if rule.type == CapType.BUDGET else f"{value:f} {rule.type}"
    sides = [
        _side(measure.affiliate, "affiliate", [str(one) for one in affiliates]),
        _side(measure.country, "country", sorted(measure.country.only or ())),
        _side(measure.goal, "goal", [goal_name(goal_names, goal) for goal in measure.goal.spellings]),
    ]
    sides_text = "; ".join(side for side in sides if side)
    return f"{amount} {_PERIOD_TEXTS[measure.period]}: {sides_text or 'all together'}"


_PERIOD_TEXTS: Final = {
    CapPeriod.HOUR: "an hour",
    CapPeriod.DAY: "a day",
    CapPeriod.WEEK: "a week",
    CapPeriod.MONTH: "a month",
    CapPeriod.ALL: "in all",
}
_PLURALS: Final = {"affiliate": "affiliates", "country": "countries", "goal": "goals"}


def _side(side: LimitSide, noun: str, values: list[str]) -> str:
    if side.each:
        return f"each {noun}"
    if side.only is None:
        return ""
    return f"{noun} {values[0]}" if len(values) == 1 else f"{_PLURALS[noun]} {', '.join(values)} together"


def _counter(
    rule: CapRule, affiliate_id: int | None, country: str | None, goal: str | None, by_goal: Mapping[str, Count]
) -> CounterState:
    values = {name: count.of(rule.type) for name, count in sorted(by_goal.items())}
    return CounterState(affiliate_id, country, goal, sum(values.values(), ZERO), values)


def _order(key: tuple[int | None, str | None, str | None]) -> tuple[int, str, str]:
    affiliate_id, country, goal = key
    return affiliate_id or 0, country or "", goal or ""
