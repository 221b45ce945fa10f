"""Use of caps, in both versions. See docs/api/cap-stats.md and docs/spec/statistics.md#cap-statistics."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import field_validator

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.cap_stats import OfferCapStates, cap_states
from trackyard.base.money import ZERO, rounded
from trackyard.domain.offers.visibility import goal_names
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.cap_stats import CapState, CounterState, applies_to_any, describe_cap, side_kind
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, Money, View, number

routes = Routes[Deps]()

MAX_OFFERS = 100
SHARED_COUNTER = 0
"""The affiliate_id of a counter that several affiliates share."""

Part = Annotated[str, s.Choice(("stats", "stats_merged", "descr"))]


class CapsParams(Params):
    """The offers."""

    offer_id: Seq[s.Int]


class OldCapsParams(CapsParams):
    """The offers, and the parts of the answer.

    affiliate_id: selects counters by affiliate; 0 = the counters that several affiliates share.
    """

    fields: Seq[Part]
    affiliate_id: Seq[s.Int] = ()

    @field_validator("offer_id")
    @classmethod
    def _not_too_many(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(value) > MAX_OFFERS:
            raise ValueError(f"This value may hold at most {MAX_OFFERS} values.")
        return value


class OldCounterView(View):
    """The value and the limit of a cap for an affiliate.

    affiliate_id: 0 = affiliates that share the counter.
    current_value: where a cap counts each goal or country, the value of its fullest counter.
    """

    cap_id: str
    affiliate_id: int
    period: str
    type: str
    current_value: Money
    value: Money


class MergedView(View):
    """The sum, least, highest and mean value of a cap over affiliates."""

    cap_val: Money
    min: Money
    max: Money
    avg: Money


class MergedCapsView(MergedView, kw_only=True):
    """The figures of the offer's fullest cap, and the figures of each cap by its id.

    cap_id, period, type, value: which cap is the fullest, and its limit; null for an offer without caps.
    """

    cap_id: str | None
    period: str | None
    type: str | None
    value: Money | None
    caps: dict[str, MergedView]


class OldOfferCapsView(View):
    """The requested parts of the caps of an offer. descr: in words, a line a cap."""

    descr: str | UnsetType = UNSET
    stats: list[OldCounterView] | UnsetType = UNSET
    stats_merged: MergedCapsView | UnsetType = UNSET


class OldCapsAnswer(Answer):
    """Offers by id."""

    offers: dict[str, OldOfferCapsView]


class CapStatsView(View):
    """A cap now.

    A cap that counts each affiliate or country is listed once for each that has something.
    current_value: with goals apart, the value of the fullest.
    goal_stats: by goal.
    is_remaining: whether every counter has room.
    reset_to_value: the end of the period in UTC seconds, 0 = never.
    """

    id: str
    timeframe: str
    type: str
    value: Money
    current_value: Money
    is_remaining: bool
    reset_to_value: int
    goal_type: str
    goals: list[str]
    goal_stats: dict[str, Money]
    affiliate_type: str
    affiliates: list[int]
    country_type: str
    countries: list[str]


class OfferCapStatsView(View):
    """The caps of an offer."""

    offer_id: int
    stats: list[CapStatsView]


class CapStatsAnswer(Answer):
    """Offers in the order of ids."""

    stats: list[OfferCapStatsView]


@routes.get("/stats/caps", for_callers(Permission.STATS_LIMITS), id="stats.caps31", versions=("3.1",), report=True)
def show(request: ApiRequest[Deps], params: CapsParams) -> CapStatsAnswer:
    """Show how full the caps of offers are."""
    found = cap_states(request.deps, request.access, params.offer_id)
    return CapStatsAnswer(
        stats=[OfferCapStatsView(offer_id=caps.offer.id, stats=list(_each_item(caps))) for caps in found]
    )


@routes.get("/stats/caps", for_callers(Permission.STATS_LIMITS), id="stats.caps", versions=("3.0",), report=True)
def show_old(request: ApiRequest[Deps], params: OldCapsParams) -> OldCapsAnswer:
    """Show how full the caps of offers are.

    `stats`: a row for each cap and affiliate. `stats_merged`: over affiliates. `descr`: the caps in words.
    """
    found = cap_states(request.deps, request.access, params.offer_id, params.affiliate_id)
    return OldCapsAnswer(offers={str(caps.offer.id): _old(request, caps, params) for caps in found})


def _each_item(caps: OfferCapStates) -> Iterator[CapStatsView]:
    for state in caps.caps:
        alike: dict[tuple[int | None, str | None], list[CounterState]] = {}
        for counter in state.counters:
            alike.setdefault((counter.affiliate_id, counter.country), []).append(counter)
        for (affiliate_id, country), counters in (alike or {(None, None): []}).items():
            yield _item(state, affiliate_id, country, counters, caps.affiliates)


def _item(
    state: CapState,
    affiliate_id: int | None,
    country: str | None,
    counters: list[CounterState],
    seen: frozenset[int] | None,
) -> CapStatsView:
    rule, measure = state.rule, state.rule.measure
    value = max((counter.value for counter in counters), default=ZERO)
    by_goal = dict.fromkeys(measure.goal.spellings, ZERO)
    by_goal |= {goal: held for counter in counters for goal, held in counter.by_goal.items() if goal}
    return CapStatsView(
        id=measure.id,
        timeframe=measure.period,
        type=rule.type,
        value=number(rule.value),
        current_value=number(value),
        is_remaining=value < rule.value,
        reset_to_value=0 if state.until is None else state.until // 1000,
        goal_type=side_kind(measure.goal),
        goals=list(measure.goal.spellings),
        goal_stats={goal: number(held) for goal, held in by_goal.items()},
        affiliate_type=side_kind(measure.affiliate),
        affiliates=_visible_affiliates(state, seen) if affiliate_id is None else [affiliate_id],
        country_type=side_kind(measure.country),
        countries=sorted(measure.country.only or ()) if country is None else [country],
    )


def _visible_affiliates(state: CapState, seen: frozenset[int] | None) -> list[int]:
    """Return the affiliates of a cap that the caller sees."""
    return sorted(one for one in state.rule.measure.affiliate.only or () if seen is None or one in seen)


def _old(request: ApiRequest[Deps], caps: OfferCapStates, params: OldCapsParams) -> OldOfferCapsView:
    rows = {state.rule.measure.id: list(_each_row(state, caps, params.affiliate_id)) for state in caps.caps}
    names, currency = goal_names(caps.offer, request.access.affiliate_id), request.deps.currency
    words = [
        describe_cap(state.rule, currency, names, _visible_affiliates(state, caps.affiliates)) for state in caps.caps
    ]
    return OldOfferCapsView(
        descr="\n".join(words) if "descr" in params.fields else UNSET,
        stats=[row for each in rows.values() for row in each] if "stats" in params.fields else UNSET,
        stats_merged=_merged_caps(caps, rows) if "stats_merged" in params.fields else UNSET,
    )


def _each_row(state: CapState, caps: OfferCapStates, requested: tuple[int, ...]) -> Iterator[OldCounterView]:
    """Yield a row for each affiliate that has a counter.

    They are the requested affiliates, else the affiliates with a counter. A counter that several share is included when
    it is requested or counts a requested affiliate.
    """
    measure = state.rule.measure
    if measure.affiliate.each:
        values = dict.fromkeys(caps.requested_affiliates, ZERO)
        shown = {counter.affiliate_id or SHARED_COUNTER: ZERO for counter in state.counters if not requested}
        values |= shown
    else:
        only = measure.affiliate.only or ()
        who = next(iter(only)) if len(only) == 1 else SHARED_COUNTER
        is_asked = (
            not requested
            or who in requested
            or (
                who == SHARED_COUNTER
                and bool(caps.requested_affiliates)
                and applies_to_any(state.rule, caps.requested_affiliates)
            )
        )
        values = {who: ZERO} if is_asked else {}
    for counter in state.counters:
        owner = next(iter(values), SHARED_COUNTER) if counter.affiliate_id is None else counter.affiliate_id
        if owner in values:
            values[owner] = max(values[owner], counter.value)
    for owner, value in sorted(values.items()):
        yield OldCounterView(
            cap_id=measure.id,
            affiliate_id=owner,
            period=measure.period,
            type=state.rule.type,
            current_value=number(value),
            value=number(state.rule.value),
        )


def _merged_caps(caps: OfferCapStates, rows: dict[str, list[OldCounterView]]) -> MergedCapsView:
    merged = {id_: _merged(row.current_value for row in each) for id_, each in rows.items()}
    fullest = max(caps.caps, key=lambda state: _share(state, merged), default=None)
    rule = None if fullest is None else fullest.rule
    top = _merged(()) if rule is None else merged[rule.measure.id]
    return MergedCapsView(
        cap_val=top.cap_val,
        min=top.min,
        max=top.max,
        avg=top.avg,
        cap_id=None if rule is None else rule.measure.id,
        period=None if rule is None else rule.measure.period,
        type=None if rule is None else rule.type,
        value=None if rule is None else number(rule.value),
        caps=merged,
    )


def _share(state: CapState, merged: dict[str, MergedView]) -> Decimal:
    """Return how much of a cap its fullest counter has; a cap of 0 is full."""
    return merged[state.rule.measure.id].max / state.rule.value if state.rule.value else Decimal(1)


def _merged(values: Iterable[Decimal]) -> MergedView:
    held = list(values) or [ZERO]
    total = sum(held, ZERO)
    mean = rounded(total / len(held))
    return MergedView(cap_val=number(total), min=number(min(held)), max=number(max(held)), avg=number(mean))
