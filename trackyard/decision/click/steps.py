"""The decision on a click: one table of steps.

The first rejection wins (docs/spec/tracking.md#the-decision-on-a-click)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.decision.click.caps import DUPLICATES
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import NEW, OfferRoute, Reservation, StepCheck, find_number
from trackyard.decision.click.state import ClickState, ReservationRequest
from trackyard.decision.targeting.targeting import check_rejection
from trackyard.domain.people.affiliates import CLICK_REASONS
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, REJECTION_REASONS, Rejection
from trackyard.domain.tracking.ruleset import RulesetOffer

BOT: Final = "bot"
"""The reason that sends its click where a visitor would go."""

_INACTIVE_OFFER = "inactive-offer"
_STOPPED = Rejection(_INACTIVE_OFFER, "not active")
_BEFORE_START = Rejection(_INACTIVE_OFFER, "before start_at")
_AFTER_STOP = Rejection(_INACTIVE_OFFER, "after stop_at")
_OUTSIDE_SCHEDULE = Rejection(_INACTIVE_OFFER, "outside the schedule")
_INACTIVE_AFFILIATE = Rejection("inactive-affiliate")
_NOT_CONNECTED = Rejection("disabled-affiliate", "not connected")
_DISCONNECTED = Rejection("disabled-affiliate", "disconnected")
_BLACKLISTED = Rejection("disabled-affiliate", "blacklisted by the advertiser")
_NOT_ENABLED = Rejection("disabled-affiliate", "not enabled by the advertiser")
_BOT = Rejection(BOT, "a bot or a prefetch")
_DUPLICATE = Rejection("duplicate-clicks", "the visitor clicked too often on this day")
_NOT_UNIQUE = Rejection("non-unique-clicks", "the visitor was seen")
_MISTARGETING: Final = tuple(reason for reason in REJECTION_REASONS if reason.startswith("mistargeting-"))


@dataclass(frozen=True)
class DecisionStep:
    """One step of the decision.

    reasons: the reasons of its rejections, in order
    check: returns the first rejection of a click
    skips: whether the step passes every click on a route
    check_all: returns every rejection by its reason, where one step has several at once
    skips_ordinary: whether the step passes every ordinary hit (`Hit.is_ordinary`)
    uses_state: whether the check reads the reservation of the click
    """

    reasons: tuple[str, ...]
    check: StepCheck
    skips: Callable[[OfferRoute], bool]
    check_all: Callable[[Hit, OfferRoute], Mapping[str, Rejection]] | None = None
    skips_ordinary: bool = False
    uses_state: bool = False

    def rejections(self, hit: Hit, route: OfferRoute, reservation: Reservation) -> Mapping[str, Rejection]:
        """Return every rejection of a click by its reason."""
        if self.check_all is not None:
            return self.check_all(hit, route)
        rejection = self.check(hit, route, reservation)
        return {} if rejection is None else {rejection.reason: rejection}


class Decision:
    """What was decided on a click: why it is rejected (None = accepted), and whether its visitor is new."""

    __slots__ = ("is_unique", "rejection")

    def __init__(self, rejection: Rejection | None, is_unique: bool) -> None:
        self.rejection = rejection
        self.is_unique = is_unique


def _check_offer(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    if route.is_known:
        return None
    text = hit.params.get("offer_id", "")
    named = find_number(text) is not None or is_hex24(text)
    return Rejection("unknown-offer" if named else "invalid-offer", text[:DETAIL_LENGTH])


def _check_affiliate(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    if hit.affiliate is not None:
        return None
    text = hit.params.get("pid", "")
    return Rejection("invalid-affiliate" if find_number(text) is None else "unknown-affiliate", text[:DETAIL_LENGTH])


def _check_open(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    offer, targeting = route.offer, route.targeting
    if not offer.active:
        return _STOPPED
    if offer.start_at is not None and hit.time_ms < offer.start_at:
        return _BEFORE_START
    if offer.stop_at is not None and hit.time_ms >= offer.stop_at:
        return _AFTER_STOP
    return None if targeting is None or targeting.is_open(hit) else _OUTSIDE_SCHEDULE


def _check_active(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    if hit.affiliate is None:
        return _INACTIVE_AFFILIATE
    return None if hit.affiliate.active else Rejection(hit.affiliate.rejection)


def _check_advertiser(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    return Rejection("unknown-advertiser", route.offer.advertiser) if route.advertiser is None else None


def _check_connection(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    if hit.affiliate is None or route.advertiser is None:
        return _NOT_CONNECTED
    if hit.affiliate.id in route.advertiser.blacklist:
        return _BLACKLISTED
    if route.advertiser.enabled and hit.affiliate.id not in route.advertiser.enabled:
        return _NOT_ENABLED
    if route.offer.open:
        return _DISCONNECTED if route.is_disconnected(hit.affiliate.id) else None
    return None if route.is_connected(hit.affiliate.id) else _NOT_CONNECTED


def _check_bot(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    return _BOT if hit.bot and hit.platform.refuse_bots else None


def _check_targeting(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    found = _targeting_rejections(hit, route)
    return found[min(found, key=_MISTARGETING.index)] if found else None


def _targeting_rejections(hit: Hit, route: OfferRoute) -> dict[str, Rejection]:
    found = {} if route.targeting is None else route.targeting.find_rejections(hit, route.personal_only)
    check = route.sub_accounts
    if check is not None and not check.passes(hit):
        found.setdefault(check.reason, check_rejection(check, hit))
    return found


def _check_empty_sub(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    name = route.empty_sub
    return None if not name or hit.params.get(name) else Rejection("empty-sub", f"{name} is empty")


def _check_unique(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    return _NOT_UNIQUE if route.unique_only and not reservation.is_new else None


def _check_caps(hit: Hit, route: OfferRoute, reservation: Reservation) -> Rejection | None:
    cap = reservation.full_cap
    if cap == DUPLICATES:
        return _DUPLICATE
    return Rejection("overcap", f"cap {cap} is reached"[:DETAIL_LENGTH]) if cap else None


def _never(route: OfferRoute) -> bool:
    return False


STEPS: Final = (
    DecisionStep(("invalid-offer", "unknown-offer"), _check_offer, lambda route: route.is_known),
    DecisionStep(("invalid-affiliate", "unknown-affiliate"), _check_affiliate, _never, skips_ordinary=True),
    DecisionStep((_INACTIVE_OFFER,), _check_open, lambda route: route.always_open),
    DecisionStep(CLICK_REASONS, _check_active, _never, skips_ordinary=True),
    DecisionStep(("unknown-advertiser",), _check_advertiser, lambda route: route.advertiser is not None),
    DecisionStep(("disabled-affiliate",), _check_connection, lambda route: route.accepts_all),
    DecisionStep((BOT,), _check_bot, _never, skips_ordinary=True),
    DecisionStep(
        _MISTARGETING,
        _check_targeting,
        lambda route: route.targeting is None and route.sub_accounts is None,
        check_all=_targeting_rejections,
    ),
    DecisionStep(("empty-sub",), _check_empty_sub, lambda route: route.empty_sub == ""),
    DecisionStep(("non-unique-clicks",), _check_unique, lambda route: not route.unique_only, uses_state=True),
    DecisionStep(
        ("duplicate-clicks", "overcap"),
        _check_caps,
        lambda route: not route.full_caps and route.click_caps is None,
        uses_state=True,
    ),
)
"""Every step in order. Clicks, dry runs and explanations run this table. Steps that use the state come last."""

_NEW_VISITOR: Final = Decision(None, True)
_SEEN_VISITOR: Final = Decision(None, False)


def set_checks(route: OfferRoute) -> OfferRoute:
    """Give a route the checks of the steps that it does not skip."""
    steps = [step for step in STEPS if not step.skips(route)]
    route.checks = tuple([step.check for step in steps if not step.uses_state])
    route.ordinary_checks = tuple([step.check for step in steps if not (step.uses_state or step.skips_ordinary)])
    route.state_checks = tuple([step.check for step in steps if step.uses_state])
    return route


UNKNOWN_OFFER: Final = set_checks(
    OfferRoute(0, RulesetOffer(id=0, hash="", title="", advertiser="", url="", active=False, open=False))
)
"""The route of clicks on offers that the ruleset does not have."""


def decide(hit: Hit, route: OfferRoute, state: ClickState, *, as_visitor: bool = False) -> Decision:
    """Return the first rejection of STEPS, or reserve the click: it is accepted.

    as_visitor: ignore that a bot made the click. A rejected bot goes where a visitor would go
    (docs/spec/tracking.md#bots).
    """
    for check in route.ordinary_checks if hit.is_ordinary else route.checks:
        rejection = check(hit, route, NEW)
        if rejection is not None and not (as_visitor and rejection is _BOT):
            return Decision(rejection, False)
    full_cap = route.find_full_cap(hit) if route.full_caps else ""
    reservation = state.reserve([ReservationRequest(hit, route, full_cap)])[0]
    for check in route.state_checks:
        rejection = check(hit, route, reservation)
        if rejection is not None:
            return Decision(rejection, False)
    return _NEW_VISITOR if reservation.is_new else _SEEN_VISITOR
