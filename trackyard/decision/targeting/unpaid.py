"""Visitors that get through the targeting of an offer without a payment that matches.

docs/spec/offers.md#visitors-without-a-payment. One property is compared at a time: where no payment takes a country,
none takes its visitors, whatever the other conditions. The journal of clicks is not asked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.decision.targeting.checks import CountryCheck, DeviceCheck, OsCheck, TargetingCheck
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.visitor.names import systems
from trackyard.decision.visitor.visitor import DEVICES
from trackyard.domain.offers.goals import first_spellings, is_same_goal
from trackyard.domain.offers.payments import Payment
from trackyard.domain.platform.geo import countries


@dataclass(frozen=True, slots=True)
class UnpaidVisitors:
    """Values of one property of visitors for which no payment of a goal matches.

    of: countries, devices or os. values: values that get through. total: number of values that the property has.
    goal: "" = the offer has one goal. affiliate_id: the affiliate that they come from, None = any affiliate.
    """

    of: str
    values: tuple[str, ...]
    total: int
    goal: str = ""
    affiliate_id: int | None = None


@dataclass(frozen=True, slots=True)
class _Property:
    """A property of visitors that payments and targeting name. takes: whether a payment matches a value."""

    check: type[TargetingCheck]
    values: Callable[[], Iterable[str]]
    takes: Callable[[Payment, str], bool]


def _takes_country(payment: Payment, country: str) -> bool:
    return not payment.countries or (country in payment.countries) is not payment.country_exclude


def _named(words: Sequence[str], word: str) -> bool:
    return not words or word.casefold() in {each.casefold() for each in words}


_PROPERTIES: Final = {
    "countries": _Property(CountryCheck, lambda: [each.code for each in countries()], _takes_country),
    "devices": _Property(DeviceCheck, lambda: DEVICES, lambda payment, word: _named(payment.devices, word)),
    "os": _Property(OsCheck, systems, lambda payment, word: _named(payment.os, word)),
}
"""The conditions of payments that are compared, by their names there."""


def find_unpaid(
    targeting: Targeting | None, general: Sequence[Payment], personal: Sequence[Payment]
) -> list[UnpaidVisitors]:
    """Return the visitors that get through without a matching payment.

    targeting: None = nothing restricts the offer. general, personal: payments for all, and for single affiliates.
    Where general payments leave nothing out, own payments of affiliates do not either: they come before them.
    """
    goals = first_spellings(each.goal for each in (*general, *personal))
    found: list[UnpaidVisitors] = []
    for goal in goals:
        shown = goal if len(goals) > 1 else ""
        common = [each for each in general if is_same_goal(each.goal, goal)]
        known: dict[str, tuple[str, ...]] = {}
        for affiliate in _audiences(targeting, common, personal, goal):
            own = [each for each in personal if is_same_goal(each.goal, goal) and affiliate in each.partners]
            for of, values, total in _unpaid_of(targeting, [*own, *common], affiliate):
                if affiliate is None:
                    known[of] = values
                more = values if affiliate is None else tuple(each for each in values if each not in known.get(of, ()))
                if more:
                    found.append(UnpaidVisitors(of, more, total, shown, affiliate))
    return found


def _audiences(
    targeting: Targeting | None, common: Sequence[Payment], personal: Sequence[Payment], goal: str
) -> Iterator[int | None]:
    """Yield the affiliates that are compared. None: all together."""
    if common:
        yield None
    named = set(targeting.personal_affiliates) if targeting is not None and common else set()
    if not common:  # only own payments exist: their affiliates are compared with what they are paid for
        named |= {affiliate for each in personal if is_same_goal(each.goal, goal) for affiliate in each.partners}
    yield from sorted(named)


def _unpaid_of(
    targeting: Targeting | None, payments: Sequence[Payment], affiliate: int | None
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield properties with the values that get through, and that no payment takes."""
    for of, each in _PROPERTIES.items():
        if all(not getattr(payment, of) for payment in payments):
            continue
        values = list(each.values())
        missing = [value for value in values if not any(each.takes(payment, value) for payment in payments)]
        passing = [value for value in missing if targeting is None or targeting.admits(each.check, value, affiliate)]
        if passing:
            yield of, tuple(passing), len(values)
