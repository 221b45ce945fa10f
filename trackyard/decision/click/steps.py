"""The decision on a click: a list of named steps; the first refusal wins
(docs/spec/tracking.md#the-decision-on-a-click)."""

from collections.abc import Callable
from typing import Final

from trackyard.decision.click.hit import Hit, find_number, is_offer_key
from trackyard.decision.routes import OfferRoute
from trackyard.decision.targeting.targeting import find_sub_account_rejection, find_targeting_rejection
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, REJECTION_REASONS, Rejection

StepCheck = Callable[[Hit], Rejection | None]

_INVALID_AFFILIATE = "invalid-affiliate"
_INACTIVE_OFFER = "inactive-offer"
_STOPPED = Rejection(_INACTIVE_OFFER, "not active")
_BEFORE_START = Rejection(_INACTIVE_OFFER, "before start_at")
_AFTER_STOP = Rejection(_INACTIVE_OFFER, "after stop_at")
_OUTSIDE_SCHEDULE = Rejection(_INACTIVE_OFFER, "outside the schedule")
_INACTIVE_AFFILIATE = Rejection("inactive-affiliate")
_NOT_CONNECTED = Rejection("disabled-affiliate", "not connected")
_DISCONNECTED = Rejection("disabled-affiliate", "disconnected")
_BLACKLISTED = Rejection("disabled-affiliate", "blacklisted by the advertiser")
_BOT = Rejection("bot", "a bot or a prefetch")
_NOT_UNIQUE = Rejection("non-unique-clicks", "the visitor was seen")


def invalid_offer(hit: Hit) -> Rejection | None:
    """`offer_id` is no number and no hash."""
    if hit.offer is not None:
        return None
    text = hit.params.get("offer_id", "")
    return None if is_offer_key(text) else Rejection("invalid-offer", text[:DETAIL_LENGTH])


def unknown_offer(hit: Hit) -> Rejection | None:
    """There is no such offer."""
    return Rejection("unknown-offer", hit.params.get("offer_id", "")[:DETAIL_LENGTH]) if hit.offer is None else None


def invalid_affiliate(hit: Hit) -> Rejection | None:
    """`pid` is no number."""
    if hit.affiliate is not None:
        return None
    text = hit.params.get("pid", "")
    return Rejection(_INVALID_AFFILIATE, text[:DETAIL_LENGTH]) if find_number(text) is None else None


def unknown_affiliate(hit: Hit) -> Rejection | None:
    """There is no such affiliate."""
    return Rejection("unknown-affiliate", hit.params.get("pid", "")[:DETAIL_LENGTH]) if hit.affiliate is None else None


def inactive_offer(hit: Hit) -> Rejection | None:
    """The offer is stopped or suspended, its time has not come or is over, or its schedule is closed."""
    offer = hit.offer
    if offer is None or not offer.active:
        return _STOPPED
    if offer.start_at is not None and hit.time_ms < offer.start_at:
        return _BEFORE_START
    if offer.stop_at is not None and hit.time_ms >= offer.stop_at:
        return _AFTER_STOP
    targeting = hit.targeting
    return None if targeting is None or targeting.is_open(hit) else _OUTSIDE_SCHEDULE


def inactive_affiliate(hit: Hit) -> Rejection | None:
    """The affiliate is not active, on moderation or banned."""
    return _INACTIVE_AFFILIATE if hit.affiliate is None or not hit.affiliate.active else None


def unknown_advertiser(hit: Hit) -> Rejection | None:
    """The offer's advertiser does not exist."""
    if hit.advertiser is not None:
        return None
    return Rejection("unknown-advertiser", hit.offer.advertiser if hit.offer is not None else "")


def disabled_affiliate(hit: Hit) -> Rejection | None:
    """The affiliate is not connected to an offer that is not public, was taken off one that is, or the advertiser
    refuses it."""
    if hit.offer is None or hit.affiliate is None or hit.advertiser is None:
        return _NOT_CONNECTED
    if hit.affiliate.id in hit.advertiser.blacklist:
        return _BLACKLISTED
    if hit.offer.open:
        return _DISCONNECTED if hit.ruleset.is_disconnected(hit.offer.id, hit.affiliate.id) else None
    return None if hit.ruleset.is_connected(hit.offer.id, hit.affiliate.id) else _NOT_CONNECTED


def bot(hit: Hit) -> Rejection | None:
    """A bot or a prefetch made the click, and the platform refuses those."""
    return _BOT if hit.bot and hit.ruleset.platform.refuse_bots else None


def empty_sub(hit: Hit) -> Rejection | None:
    """The sub that the offer needs is empty."""
    targeting = hit.targeting
    if targeting is None or not targeting.empty_sub or hit.params.get(targeting.empty_sub):
        return None
    return Rejection("empty-sub", f"{targeting.empty_sub} is empty")


def non_unique_clicks(hit: Hit) -> Rejection | None:
    """The offer takes each visitor once, and this one was seen."""
    targeting = hit.targeting
    return None if targeting is None or not targeting.unique_only or hit.click_state.is_new(hit) else _NOT_UNIQUE


def overcap(hit: Hit) -> Rejection | None:
    """A cap has no place left: one of conversions or of a budget, or one of clicks, in which the click is counted."""
    rejection = _find_full_cap(hit)
    if rejection is not None or hit.route is None or not hit.route.has_click_caps:
        return rejection
    cap_id = hit.click_state.full_cap(hit)
    return _overcap_rejection(cap_id) if cap_id else None


def _find_full_cap(hit: Hit) -> Rejection | None:
    """The cap of conversions or of a budget that has no place left for this click."""
    if hit.route is None or hit.affiliate is None:
        return None
    for cap in hit.route.full_caps:
        if (
            (cap.until is None or hit.time_ms < cap.until)
            and (not cap.affiliates or hit.affiliate.id in cap.affiliates)
            and (not cap.countries or hit.country in cap.countries)
        ):
            return _overcap_rejection(cap.cap)
    return None


def _overcap_rejection(cap_id: str) -> Rejection:
    return Rejection("overcap", f"cap {cap_id} is reached"[:DETAIL_LENGTH])


def _mistargeting(reason: str) -> StepCheck:
    """The step of one reason of the offer's own restrictions and its targeting groups."""
    reason_index = REJECTION_REASONS.index(reason)

    def check(hit: Hit) -> Rejection | None:
        targeting = hit.targeting
        return None if targeting is None else targeting.find_rejection_for(reason_index, hit)

    return check


def _sub_account(hit: Hit) -> Rejection | None:
    """The sub accounts of the offer or of its advertiser do not let the click pass."""
    return _offer_sub_account(hit) or find_sub_account_rejection(hit)


_offer_sub_account: Final = _mistargeting("mistargeting-sub-account")


class DecisionStep:
    """A named step. `name`: the reason of what it refuses · `check`: asks it of a click, whatever the others say."""

    __slots__ = ("check", "name")

    def __init__(self, name: str, check: StepCheck) -> None:
        self.name = name
        self.check = check


STEPS: Final = (
    DecisionStep("invalid-offer", invalid_offer),
    DecisionStep("unknown-offer", unknown_offer),
    DecisionStep("invalid-affiliate", invalid_affiliate),
    DecisionStep("unknown-affiliate", unknown_affiliate),
    DecisionStep("inactive-offer", inactive_offer),
    DecisionStep("inactive-affiliate", inactive_affiliate),
    DecisionStep("unknown-advertiser", unknown_advertiser),
    DecisionStep("disabled-affiliate", disabled_affiliate),
    DecisionStep("bot", bot),
    *(
        DecisionStep(reason, _mistargeting(reason))
        for reason in REJECTION_REASONS
        if reason.startswith("mistargeting-") and reason != "mistargeting-sub-account"
    ),
    DecisionStep("mistargeting-sub-account", _sub_account),
    DecisionStep("empty-sub", empty_sub),
    DecisionStep("non-unique-clicks", non_unique_clicks),
    DecisionStep("overcap", overcap),
)
"""The steps in their order. The first refusal of them is what `decide` answers; a dry run asks one after the other."""


def decide(hit: Hit) -> Rejection | None:
    """The first refusal of STEPS, or None: the click may pass.

    It asks a step only where it may refuse: an offer that restricts nothing pays for no restriction.
    """
    route, affiliate = hit.route, hit.affiliate
    if route is None or affiliate is None:
        return invalid_offer(hit) or unknown_offer(hit) or invalid_affiliate(hit) or unknown_affiliate(hit)
    rejection = None if route.always_open else inactive_offer(hit)
    if rejection is None and not hit.affiliate_accepted:
        rejection = inactive_affiliate(hit) or unknown_advertiser(hit) or disabled_affiliate(hit)
        if rejection is None:
            hit.ruleset.remember_accepted(route, affiliate)
    if rejection is None and hit.bot:
        rejection = bot(hit)
    return _decide_after_bot(hit, route) if rejection is None else rejection


def would_pass(hit: Hit) -> bool:
    """Whether a visitor would pass where a bot stands: by the steps after `bot`. `hit.click_state` must only look.

    A bot is refused and yet goes where a visitor would have gone (docs/spec/tracking.md#bots).
    """
    return hit.route is not None and _decide_after_bot(hit, hit.route) is None


def _decide_after_bot(hit: Hit, route: OfferRoute) -> Rejection | None:
    """The first refusal of the steps after `bot`."""
    rejection = find_targeting_rejection(hit) if route.targeting is not None or route.has_sub_accounts else None
    if rejection is None and route.targeting is not None:
        rejection = empty_sub(hit) or non_unique_clicks(hit)
    if rejection is None and (route.has_click_caps or route.full_caps):
        rejection = overcap(hit)
    return rejection
