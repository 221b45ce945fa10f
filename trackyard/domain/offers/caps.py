"""Caps of conversions and budgets, and personal day limits (docs/spec/conversions.md#caps). Pure."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import (
    CapType,
    Count,
    Counter,
    LimitDefinition,
    LimitSide,
    Traits,
    goal_side_of,
    side_of,
)
from trackyard.domain.offers.goals import is_same_goal
from trackyard.domain.offers.offers import Cap, PersonalLimit
from trackyard.domain.offers.periods import CapPeriod

PERSONAL_PREFIX: Final = "personal"
"""The start of a personal limit's id; the affiliate's id follows."""
FILLS_UP: Final = Decimal("0.8")
"""The part of a cap at which people hear that it fills up."""


class CapRule(msgspec.Struct, frozen=True):
    """A compiled cap.

    type: never CLICKS.
    value: at which it is reached.
    """

    type: CapType
    value: Decimal
    measure: LimitDefinition

    def is_reached(self, count: Count) -> bool:
        """Return whether a counter of the cap is full."""
        return count.of(self.type) >= self.value


class Caps(msgspec.Struct, frozen=True):
    """The caps that count conversions of one offer.

    statuses: the conversion statuses that count.
    redirects: whether a full cap rejects clicks.
    overcap_goal: the only goal with caps that reject clicks; "" = all caps do.
    notice_percent: the percentage of a day cap at which staff get a notice.
    """

    rules: tuple[CapRule, ...] = ()
    statuses: frozenset[Status] = frozenset()
    redirects: bool = False
    overcap_goal: str = ""
    notice_percent: int | None = None

    def with_limit_id(self, limit_id: str) -> list[CapRule]:
        """Return the cap of an id; none when it belongs to a tier."""
        return [rule for rule in self.rules if rule.measure.id == limit_id]

    def rejecting(self, counter: Counter) -> list[CapRule]:
        """Return the cap of a counter if it rejects clicks while the counter is full."""
        if self.overcap_goal and counter.goal is not None and not is_same_goal(counter.goal, self.overcap_goal):
            return []
        return [rule for rule in self.with_limit_id(counter.limit_id) if self.rejects_clicks(rule)]

    def rejects_clicks(self, rule: CapRule) -> bool:
        """Return whether a cap rejects clicks while it is full.

        With an overcap_goal only caps that count this goal do.
        """
        side, goal = rule.measure.goal, self.overcap_goal
        counts_it = side.each or (side.only is not None and rule.measure.counts_goal(goal))
        return self.redirects and (not goal or counts_it)

    def is_notice_due(self, rule: CapRule, count: Count) -> bool:
        """Return whether a counter of a cap has reached the percentage of a notice."""
        if self.notice_percent is None or rule.measure.period != CapPeriod.DAY:
            return False
        return rule.value > 0 and count.of(rule.type) * 100 >= rule.value * self.notice_percent


NO_CAPS: Final = Caps()


def compile_caps(
    offer_id: int,
    caps: Iterable[Cap],
    personal_limits: Iterable[PersonalLimit],
    caps_status: Iterable[Status],
    zone: ZoneInfo,
    *,
    redirects: bool,
    overcap_goal: str,
    notice_percent: int | None,
) -> Caps:
    """Return the caps of an offer, except click caps, which edges count.

    zone: caps_timezone, by default the platform's.
    """
    statuses = counted_statuses(tuple(caps_status)) | {Status.PENDING_CAP}
    rules = [
        CapRule(
            type=cap.type,
            value=cap.value,
            measure=limit_definition_of(cap, offer_id, zone, statuses),
        )
        for cap in caps
        if cap.type != CapType.CLICKS
    ]
    least: dict[int, int] = {}  # of several limits of one affiliate the smallest applies
    for limit in personal_limits:
        least[limit.partner] = min(limit.caps, least.get(limit.partner, limit.caps))
    for affiliate_id, value in least.items():
        own = LimitSide(only=frozenset({affiliate_id}))
        measure = LimitDefinition(
            offer_id, f"{PERSONAL_PREFIX}-{affiliate_id}", CapPeriod.DAY, zone, statuses, affiliate=own
        )
        rules.append(CapRule(type=CapType.CONVERSIONS, value=Decimal(value), measure=measure))
    return Caps(tuple(rules), statuses, redirects, overcap_goal, notice_percent)


def limit_definition_of(cap: Cap, offer_id: int, zone: ZoneInfo, statuses: frozenset[Status]) -> LimitDefinition:
    """Return the definition of the counts of a cap. A click has neither a goal nor a status."""
    return LimitDefinition(
        offer_id,
        cap.id,
        cap.period,
        zone,
        statuses,
        goal=LimitSide() if cap.type == CapType.CLICKS else goal_side_of(cap.goal_type, cap.goals),
        affiliate=side_of(cap.affiliate_type, cap.affiliates),
        country=side_of(cap.country_type, cap.country),
    )


@lru_cache(maxsize=256)
def counted_statuses(words: tuple[Status, ...]) -> frozenset[Status]:
    """Return the statuses for some words: pending_cap is pending, not_found declined.

    docs/spec/api-conventions.md#versions
    """
    named = frozenset(Status(word) for word in words)
    alike = {Status.PENDING: Status.PENDING_CAP, Status.DECLINED: Status.NOT_FOUND}
    return named | {other for word, other in alike.items() if word in named}


def each_counter(caps: Caps, traits: Traits) -> Iterator[tuple[CapRule, Counter]]:
    """Yield the counters in which a conversion counts while its status does, with their caps."""
    for rule in caps.rules:
        if rule.measure.counts(traits):
            yield rule, rule.measure.counter_of(traits)


class CapFill(NamedTuple):
    """A cap that a conversion fills, or goes beyond. used: its counter with the conversion."""

    rule: CapRule
    used: Decimal


def filled_by(caps: Caps, traits: Traits, counts: Mapping[str, Count]) -> list[CapFill]:
    """Return the caps that are full with a conversion of these traits. counts: with it, by name."""
    found = [(rule, counts[counter.name]) for rule, counter in each_counter(caps, traits)]
    return [CapFill(rule, count.of(rule.type)) for rule, count in found if rule.is_reached(count)]


def is_reached(caps: Caps, traits: Traits, counts: Mapping[str, Count]) -> bool:
    """Return whether a cap is full for such a conversion.

    counts: the counts of all counters of `each_counter`, by name.
    """
    return any(rule.is_reached(counts[counter.name]) for rule, counter in each_counter(caps, traits))
