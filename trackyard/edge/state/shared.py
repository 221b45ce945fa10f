"""Click state that the edges of several machines share: visitors of unique-only offers, click caps.

See docs/spec/engine.md#several-machines and docs/decisions/0048. Redis decides; the state of the machine keeps the
same, so that an edge can decide by what it knows while Redis is away.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from trackyard.decision.click.caps import NEVER
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute, Reservation
from trackyard.decision.click.state import ClickState, ReservationRequest
from trackyard.decision.visitor.cache import BoundedCache
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.edge.state.shared_claims import (
    OwnCount,
    SharedAnswer,
    SharedClaim,
    SharedCount,
    SharedStore,
    count_key,
    visitor_key,
)
from trackyard.edge.state.unique import WINDOW_S

_MAX_FOREIGN: Final = 50_000
_KEEP_COUNT_S: Final = 24 * 3600
"""Seconds for which Redis keeps a count behind its period, in case clocks differ."""

_log = logging.getLogger("trackyard.edge")

Answer = Callable[[ClickState], None]
"""Decides a click by the state that it is given, and answers it."""


def needs_shared_state(route: OfferRoute) -> bool:
    """Return whether edges must agree on the clicks of an offer."""
    return route.unique_only or route.click_caps is not None


class SharedEdgeState(EdgeState):
    """The state of one edge that shares with other machines.

    open_store: returns the store that all machines share, given what returns the counts of this edge
    """

    def __init__(
        self,
        options: StateOptions,
        end_position: Callable[[], tuple[int, int]],
        now_s: int,
        open_store: Callable[[Callable[[], list[OwnCount]]], SharedStore],
    ) -> None:
        super().__init__(options, end_position, now_s)
        self.store = open_store(self.own_counts)
        self.foreign: BoundedCache[bytes, int] = BoundedCache(_MAX_FOREIGN)
        """By count: the clicks of other machines, as Redis last knew them."""
        self._unrecorded_claims: list[SharedClaim] = []
        self._recorded_claims: list[SharedClaim] = []
        self.alone = AloneState(self)

    def ask(self, hit: Hit, route: OfferRoute, answer: Answer) -> bool:
        """Reserve a click in Redis; `answer` is called later. False = it is not: Redis is away or busy."""
        claim = shared_claim(hit, route)
        return self.store.ask(claim, lambda found: self._take(claim, hit, route, answer, found))

    def own_counts(self) -> list[OwnCount]:
        """Return the counts of this edge in periods that are not over."""
        return [
            OwnCount(count_key(each.key), each.clicks, _expiry(each.end))
            for each in self.counts.each()
            if each.end > self._now_s
        ]

    def set_recorded(self) -> None:
        super().set_recorded()
        self._recorded_claims += self._unrecorded_claims
        self._unrecorded_claims = []

    def commit(self) -> None:
        super().commit()
        self._recorded_claims = []

    def roll_back(self) -> None:
        super().roll_back()
        claims, self._recorded_claims = self._recorded_claims, []
        for claim in claims:
            self.store.release(claim)

    def add_claim(self, claim: SharedClaim) -> None:
        """Note a claim that Redis reserved for a click of the present batch."""
        self._unrecorded_claims.append(claim)

    def _roll_back_unrecorded(self) -> None:
        super()._roll_back_unrecorded()
        claims, self._unrecorded_claims = self._unrecorded_claims, []
        for claim in claims:
            self.store.release(claim)

    def _take(
        self, claim: SharedClaim, hit: Hit, route: OfferRoute, answer: Answer, found: SharedAnswer | None
    ) -> None:
        """Answer a click by what Redis decided."""
        try:
            if found is None:
                # Redis may have kept the visitor; the counts are written again when it is back.
                answer(UncertainState(self, claim))
                return
            self._note_totals(hit, route, found)
            if not found.is_reserved:
                answer(RefusedState(_refusal(hit, route, found)))
                return
            granted = GrantedState(self, claim)
            try:
                answer(granted)
            finally:
                granted.end()
        except Exception:
            _log.exception("click not decided", extra={"click_id": hit.click_id})

    def _note_totals(self, hit: Hit, route: OfferRoute, found: SharedAnswer) -> None:
        capped = route.capped_counts(hit)
        if capped is not None:
            for each, total in zip(capped.capped_counts, found.totals, strict=False):
                self.foreign.add(each.key, max(0, total - self.counts.count(each.key)))


class AloneState:
    """The state of clicks that are decided without Redis: what this machine has, and what others had."""

    def __init__(self, state: SharedEdgeState) -> None:
        self._state = state

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Reserve by the state of the machine (see EdgeState.reserve)."""
        state = self._state
        reservations = state.reserve([self._with_foreign(each) for each in requests])
        for request, reservation in zip(requests, reservations, strict=True):
            if request.route.unique_only and reservation.is_new and not reservation.full_cap:
                state.store.keep_visitor(shared_claim(request.hit, request.route))
        return reservations

    def _with_foreign(self, request: ReservationRequest) -> ReservationRequest:
        """Return the request with the cap that is full with the clicks of other machines."""
        capped = None if request.full_cap else request.route.capped_counts(request.hit)
        if capped is not None:
            for each, cap in zip(capped.capped_counts, capped.caps, strict=True):
                others = self._state.foreign.find(each.key)
                if others is not None and others + self._state.counts.count(each.key) >= each.limit:
                    return ReservationRequest(request.hit, request.route, cap)
        return request


class UncertainState:
    """The state of a click of which Redis gave no answer: it may have kept its visitor."""

    def __init__(self, state: SharedEdgeState, claim: SharedClaim) -> None:
        self._state = state
        self._claim = claim

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Reserve without Redis; a click that is rejected gives up its visitor."""
        reservations = self._state.alone.reserve(requests)
        if not reservations[0].is_new or reservations[0].full_cap:
            self._state.store.release(SharedClaim(self._claim.click_id, self._claim.visitor, self._claim.visitor_s, ()))
        return reservations


class RefusedState:
    """The state of a click that Redis refused."""

    def __init__(self, reservation: Reservation) -> None:
        self._reservation = reservation

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Return the refusal."""
        return [self._reservation for _ in requests]


class GrantedState:
    """The state of a click that Redis reserved: it is reserved on this machine, too."""

    def __init__(self, state: SharedEdgeState, claim: SharedClaim) -> None:
        self._state = state
        self._claim: SharedClaim | None = claim

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Reserve on this machine; a click that it rejects is released in Redis."""
        reservations = self._state.reserve(requests)
        request, reservation = requests[0], reservations[0]
        claim = self._claim
        if claim is not None and not reservation.full_cap and (reservation.is_new or not request.route.unique_only):
            self._state.add_claim(claim)
            self._claim = None
        return reservations

    def end(self) -> None:
        """Release what the click did not use."""
        claim, self._claim = self._claim, None
        if claim is not None:
            self._state.store.release(claim)


def shared_claim(hit: Hit, route: OfferRoute) -> SharedClaim:
    """Return the claim that a click makes in Redis."""
    capped = route.capped_counts(hit)
    counts = (
        ()
        if capped is None
        else tuple([SharedCount(count_key(each.key), each.limit, _expiry(each.end)) for each in capped.capped_counts])
    )
    return SharedClaim(hit.click_id, visitor_key(route.id, hit.address), WINDOW_S if route.unique_only else 0, counts)


def _refusal(hit: Hit, route: OfferRoute, found: SharedAnswer) -> Reservation:
    capped = route.capped_counts(hit)
    if found.full < 0 or capped is None or found.full >= len(capped.caps):
        return Reservation(found.is_new, "")
    return Reservation(found.is_new, capped.caps[found.full])


def _expiry(end: int) -> int:
    """Return when Redis may forget a count, by the end of its period; 0 = never."""
    return 0 if end >= NEVER else end + _KEEP_COUNT_S
