"""The states of caps of offers in a caller's scope (docs/spec/statistics.md#cap-statistics)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.clicks import count_clicks
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import CapRule
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.cap_stats import (
    CapState,
    GroupedCount,
    cap_rules_of,
    cap_state_of,
    visible_cap_rules,
)
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.statistics import cap_stats


@dataclass(frozen=True, slots=True)
class OfferCapStates:
    """The caps of an offer that a caller knows, each with its visible counters.

    affiliates: the affiliates in scope, None = all.
    requested_affiliates: the affiliates in the request that are in scope; an affiliate requests itself.
    """

    offer: Offer
    caps: tuple[CapState, ...]
    affiliates: frozenset[int] | None
    requested_affiliates: frozenset[int]


_PeriodEvents = dict[tuple[bool, int], list[GroupedCount]]
"""Events since the start of a period (UTC ms): clicks under True, conversions that count under False."""


def cap_states(
    deps: Deps, access: Access, offer_ids: Sequence[int], affiliate_ids: Iterable[int] = ()
) -> list[OfferCapStates]:
    """Return the caps of these offers in the order of ids.

    Offers and affiliates that do not exist or are out of scope are absent. A counter of one affiliate is visible to
    callers with it in scope; a counter that several share is visible to all.
    Raises ReportTooHeavy.
    """
    affiliate_id = access.affiliate_id
    now = deps.clock.now_ms()
    events_by_offer: dict[int, _PeriodEvents] = {}
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found = offers.list_by_id(conn, scope, offers.visible_among(conn, offer_ids, affiliate_id))
        requested = affiliates.names_of(conn, list(affiliate_ids) or ([] if affiliate_id is None else [affiliate_id]))
        known = {offer.id: _known_rules(deps, offer, affiliate_id) for offer in found}
        for offer_id, rules in known.items():
            events_by_offer[offer_id] = {(False, start): [] for start in _starts(rules, now, clicks=False)}
            for (_, start), held in events_by_offer[offer_id].items():
                held += cap_stats.get_grouped_counts(conn, offer_id, _statuses(rules), start)
    for offer_id, rules in known.items():
        for start in _starts(rules, now, clicks=True):
            events_by_offer[offer_id][True, start] = count_clicks(deps.analytics, offer_id, start)
    visible_affiliates = scope.affiliate_ids
    requested_affiliates = frozenset(one for one in requested if scope.has_affiliate(one))
    return [
        OfferCapStates(
            offer,
            _states(known[offer.id], events_by_offer[offer.id], visible_affiliates, now),
            visible_affiliates,
            requested_affiliates,
        )
        for offer in found
    ]


def _known_rules(deps: Deps, offer: Offer, affiliate_id: int | None) -> tuple[CapRule, ...]:
    rules = cap_rules_of(offer, deps.zone)
    return rules if affiliate_id is None else visible_cap_rules(offer, rules, affiliate_id)


def _starts(rules: Iterable[CapRule], now: int, *, clicks: bool) -> set[int]:
    """Return the starts of the current periods, of caps of clicks or of the others."""
    return {rule.measure.period_counter_at(now).start for rule in rules if (rule.type == CapType.CLICKS) is clicks}


def _statuses(rules: Iterable[CapRule]) -> frozenset[Status]:
    """Return the statuses that count: the same for all caps of an offer; clicks have none."""
    return frozenset[Status]().union(*(rule.measure.statuses for rule in rules))


def _states(
    rules: Iterable[CapRule],
    events_by_offer: Mapping[tuple[bool, int], list[GroupedCount]],
    visible_affiliates: frozenset[int] | None,
    now: int,
) -> tuple[CapState, ...]:
    states = []
    for rule in rules:
        state = cap_state_of(
            rule, events_by_offer[rule.type == CapType.CLICKS, rule.measure.period_counter_at(now).start], now
        )
        shown = (
            each
            for each in state.counters
            if visible_affiliates is None or each.affiliate_id is None or each.affiliate_id in visible_affiliates
        )
        states.append(replace(state, counters=tuple(shown)))
    return tuple(states)
