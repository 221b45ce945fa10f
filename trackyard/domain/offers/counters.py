"""Counters of conversions for caps and commission tiers. Pure.

docs/spec/conversions.md#caps, docs/spec/conversions.md#commission-tiers. A limit (a cap, a personal limit or a tier)
has one counter for each of its periods; a side that counts `each` has one for each value. A conversion counts by its
creation time, goal, affiliate and country, which never change, while its status is counted; its status and its payout
may change.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.money import ZERO
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.goals import goal_key, goal_keys
from trackyard.domain.offers.periods import CapPeriod, period_at


class CapType(StrEnum):
    """The measure of a cap or tier: payouts, conversions or clicks."""

    BUDGET = "budget"
    CONVERSIONS = "conversions"
    CLICKS = "clicks"


class Traits(NamedTuple):
    """The traits that decide in which counters a conversion counts.

    country: ISO code, "" = unknown.
    at: its creation, UTC milliseconds.
    """

    goal: str
    affiliate_id: int
    country: str
    at: int


class Count(NamedTuple):
    """The value of a counter. budget: payouts in the platform currency, at the stored rate of each."""

    conversions: int = 0
    budget: Decimal = ZERO

    def of(self, kind: CapType) -> Decimal:
        """Return the value that a limit of this type compares."""
        return self.budget if kind == CapType.BUDGET else Decimal(self.conversions)


ZERO_COUNT: Final = Count()


class Counter(msgspec.Struct, frozen=True):
    """One counter of a limit.

    name: unique.
    start, until: its period, UTC milliseconds; until None = it never ends.
    goal, affiliate_id, country: the value that it counts; None = the values that the limit counts together. The name
    has the key of the goal: a counter is of each spelling.
    """

    name: str
    offer_id: int
    limit_id: str
    start: int
    until: int | None
    goal: str | None = None
    affiliate_id: int | None = None
    country: str | None = None

    @property
    def period_counter(self) -> "Counter":
        """Return the counter of the whole period. Other counters hold something only while it exists."""
        if self.goal is None and self.affiliate_id is None and self.country is None:
            return self
        name = _name(self.offer_id, self.limit_id, self.start)
        return Counter(name, self.offer_id, self.limit_id, self.start, self.until)


class LimitSide(msgspec.Struct, frozen=True):
    """One side of a limit.

    each: whether each value has a counter.
    only: the counted values, of goals their keys; None = any.
    spellings: of goals, as they were written.
    """

    each: bool = False
    only: frozenset[Any] | None = None
    spellings: tuple[str, ...] = ()


def side_of(kind: CapScope, values: Iterable[Any]) -> LimitSide:
    """Return the side of a cap item: kind all, each or exact, with the list of exact."""
    return LimitSide(each=kind == CapScope.EACH, only=frozenset(values) if kind == CapScope.EXACT else None)


def goal_side_of(kind: CapScope, goals: Iterable[str]) -> LimitSide:
    """Return the side of goals: kind all, each or exact, with the list of exact."""
    if kind != CapScope.EXACT:
        return side_of(kind, ())
    return LimitSide(only=goal_keys(goals), spellings=tuple(sorted(goals)))


class LimitDefinition(msgspec.Struct, frozen=True):
    """The definition of a limit.

    id: the id of the cap or tier.
    zone: the time zone of its calendar.
    statuses: the conversion statuses that count.
    since: conversions made before this time (UTC milliseconds) do not count.
    """

    offer_id: int
    id: str
    period: CapPeriod
    zone: ZoneInfo
    statuses: frozenset[Status]
    goal: LimitSide = LimitSide()
    affiliate: LimitSide = LimitSide()
    country: LimitSide = LimitSide()
    since: int = 0

    @property
    def has_each(self) -> bool:
        """Return whether it has more than one counter a period."""
        return self.goal.each or self.affiliate.each or self.country.each

    def period_counter_at(self, at_ms: int) -> Counter:
        """Return the counter of the whole period around a moment."""
        start, until = _period_bounds(self.period, at_ms, self.zone)
        return Counter(_name(self.offer_id, self.id, start), self.offer_id, self.id, start, until)

    def covers(self, traits: Traits) -> bool:
        """Return whether the limit includes the affiliate and the country, whatever the goal."""
        affiliates, countries = self.affiliate.only, self.country.only
        return (affiliates is None or traits.affiliate_id in affiliates) and (
            countries is None or traits.country in countries
        )

    def counts_goal(self, goal: str) -> bool:
        """Return whether the limit includes a goal."""
        return self.goal.only is None or goal_key(goal) in self.goal.only

    def counts(self, traits: Traits) -> bool:
        """Return whether a conversion counts here while its status is counted."""
        in_time = traits.at >= self.since
        return in_time and self.counts_goal(traits.goal) and self.covers(traits)

    def counter_of(self, traits: Traits) -> Counter:
        """Return the counter in which such a conversion counts, or would if its goal were included."""
        period_counter = self.period_counter_at(traits.at)
        if not self.has_each:
            return period_counter
        goal = traits.goal if self.goal.each else None
        affiliate_id = traits.affiliate_id if self.affiliate.each else None
        country = traits.country if self.country.each else None
        return counter_at(period_counter, goal, affiliate_id, country)


def counter_at(period_counter: Counter, goal: str | None, affiliate_id: int | None, country: str | None) -> Counter:
    """Return the counter of these values in the period of `period_counter`."""
    values = (affiliate_id, country, None if goal is None else goal_key(goal))
    parts = ("" if value is None else f"{len(str(value))}:{value}" for value in values)
    name = "/".join((period_counter.name, *parts))
    return Counter(
        name,
        period_counter.offer_id,
        period_counter.limit_id,
        period_counter.start,
        period_counter.until,
        goal,
        affiliate_id,
        country,
    )


class CounterChange(NamedTuple):
    """The difference that a change makes to a counter."""

    counter: Counter
    conversions: int
    budget: Decimal


class RunningCounts:
    """The values of counters during a transaction.

    loaded: at its beginning; another counter is a KeyError.
    counts: now.
    """

    def __init__(self, loaded: Mapping[str, Count] | None = None) -> None:
        self.loaded: Mapping[str, Count] = loaded or {}
        self.counts: dict[str, Count] = dict(self.loaded)
        self.moved: dict[str, Counter] = {}

    def add(self, moves: Iterable[CounterChange]) -> None:
        """Add the differences of a change."""
        for counter, conversions, budget in moves:
            held = self.counts[counter.name]
            self.counts[counter.name] = Count(held.conversions + conversions, held.budget + budget)
            self.moved[counter.name] = counter


def _name(offer_id: int, limit_id: str, start: int) -> str:
    return f"{offer_id}/{limit_id}/{start}"


_last_periods: dict[tuple[CapPeriod, str], tuple[int, int | None]] = {}
"""(period, zone) to its last span. Most conversions of a moment are in the same span."""


def _period_bounds(period: CapPeriod, at_ms: int, zone: ZoneInfo) -> tuple[int, int | None]:
    key = (period, zone.key)
    span = _last_periods.get(key)
    if span is None or not (span[0] <= at_ms and (span[1] is None or at_ms < span[1])):
        found = period_at(period, at_ms, zone)
        span = _last_periods[key] = (found.start, found.end)
    return span
