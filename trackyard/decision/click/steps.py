"""The decision on a click: a list of named steps; the first refusal wins
(docs/spec/tracking.md#the-decision-on-a-click)."""

from collections.abc import Callable
from typing import Final

from trackyard.decision.click.hit import Hit, find_number, is_offer_key
from trackyard.decision.routes import Way
from trackyard.decision.targeting.targeting import find_mistargeted, find_refused_account
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, REASONS
from trackyard.domain.tracking.rejections import Refused as Refused

Check = Callable[[Hit], Refused | None]

_INVALID_AFFILIATE = "invalid-affiliate"
_INACTIVE_OFFER = "inactive-offer"
_STOPPED = Refused(_INACTIVE_OFFER, "not active")
_BEFORE_START = Refused(_INACTIVE_OFFER, "before start_at")
_AFTER_STOP = Refused(_INACTIVE_OFFER, "after stop_at")
_OUTSIDE_SCHEDULE = Refused(_INACTIVE_OFFER, "outside the schedule")
_INACTIVE_AFFILIATE = Refused("inactive-affiliate")
_NOT_CONNECTED = Refused("disabled-affiliate", "not connected")
_DISCONNECTED = Refused("disabled-affiliate", "disconnected")
_BLACKLISTED = Refused("disabled-affiliate", "blacklisted by the advertiser")
_BOT = Refused("bot", "a bot or a prefetch")
_SEEN = Refused("non-unique-clicks", "the visitor was seen")


def invalid_offer(hit: Hit) -> Refused | None:
    """`offer_id` is no number and no hash."""
    if hit.offer is not None:
        return None
    text = hit.params.get("offer_id", "")
    return None if is_offer_key(text) else Refused("invalid-offer", text[:DETAIL_LENGTH])


def unknown_offer(hit: Hit) -> Refused | None:
    """There is no such offer."""
    return Refused("unknown-offer", hit.params.get("offer_id", "")[:DETAIL_LENGTH]) if hit.offer is None else None


def invalid_affiliate(hit: Hit) -> Refused | None:
    """`pid` is no number."""
    if hit.affiliate is not None:
        return None
    text = hit.params.get("pid", "")
    return Refused(_INVALID_AFFILIATE, text[:DETAIL_LENGTH]) if find_number(text) is None else None


def unknown_affiliate(hit: Hit) -> Refused | None:
    """There is no such affiliate."""
    return Refused("unknown-affiliate", hit.params.get("pid", "")[:DETAIL_LENGTH]) if hit.affiliate is None else None


def inactive_offer(hit: Hit) -> Refused | None:
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


def inactive_affiliate(hit: Hit) -> Refused | None:
    """The affiliate is not active, on moderation or banned."""
    return _INACTIVE_AFFILIATE if hit.affiliate is None or not hit.affiliate.active else None


def unknown_advertiser(hit: Hit) -> Refused | None:
    """The offer's advertiser does not exist."""
    if hit.advertiser is not None:
        return None
    return Refused("unknown-advertiser", hit.offer.advertiser if hit.offer is not None else "")


def disabled_affiliate(hit: Hit) -> Refused | None:
    """The affiliate is not connected to an offer that is not public, was taken off one that is, or the advertiser
    refuses it."""
    if hit.offer is None or hit.affiliate is None or hit.advertiser is None:
        return _NOT_CONNECTED
    if hit.affiliate.id in hit.advertiser.blacklist:
        return _BLACKLISTED
    if hit.offer.open:
        return _DISCONNECTED if hit.rules.is_disconnected(hit.offer.id, hit.affiliate.id) else None
    return None if hit.rules.is_connected(hit.offer.id, hit.affiliate.id) else _NOT_CONNECTED


def bot(hit: Hit) -> Refused | None:
    """A bot or a prefetch made the click, and the platform refuses those."""
    return _BOT if hit.bot and hit.rules.platform.refuse_bots else None


def empty_sub(hit: Hit) -> Refused | None:
    """The sub that the offer needs is empty."""
    targeting = hit.targeting
    if targeting is None or not targeting.empty_sub or hit.params.get(targeting.empty_sub):
        return None
    return Refused("empty-sub", f"{targeting.empty_sub} is empty")


def non_unique_clicks(hit: Hit) -> Refused | None:
    """The offer takes each visitor once, and this one was seen."""
    targeting = hit.targeting
    return None if targeting is None or not targeting.unique_only or hit.seen.is_new(hit) else _SEEN


def overcap(hit: Hit) -> Refused | None:
    """A cap has no place left: one of conversions or of a budget, or one of clicks, in which the click is counted."""
    refused = _find_full_cap(hit)
    if refused is not None or hit.way is None or not hit.way.counted:
        return refused
    cap_id = hit.seen.full_cap(hit)
    return _full(cap_id) if cap_id else None


def _find_full_cap(hit: Hit) -> Refused | None:
    """The cap of conversions or of a budget that has no place left for this click."""
    if hit.way is None or hit.affiliate is None:
        return None
    for cap in hit.way.full:
        if (
            (cap.until is None or hit.time_ms < cap.until)
            and (not cap.affiliates or hit.affiliate.id in cap.affiliates)
            and (not cap.countries or hit.country in cap.countries)
        ):
            return _full(cap.cap)
    return None


def _full(cap_id: str) -> Refused:
    return Refused("overcap", f"cap {cap_id} is reached"[:DETAIL_LENGTH])


def _mistargeting(reason: str) -> Check:
    """The step of one reason of the offer's own restrictions and its targeting groups."""
    place = REASONS.index(reason)

    def check(hit: Hit) -> Refused | None:
        targeting = hit.targeting
        return None if targeting is None else targeting.find_refusal_for(place, hit)

    return check


def _sub_account(hit: Hit) -> Refused | None:
    """The sub accounts of the offer or of its advertiser do not let the click pass."""
    return _of_offer(hit) or find_refused_account(hit)


_of_offer: Final = _mistargeting("mistargeting-sub-account")


class Step:
    """A named step. `name`: the reason of what it refuses · `check`: asks it of a click, whatever the others say."""

    __slots__ = ("check", "name")

    def __init__(self, name: str, check: Check) -> None:
        self.name = name
        self.check = check


STEPS: Final = (
    Step("invalid-offer", invalid_offer),
    Step("unknown-offer", unknown_offer),
    Step("invalid-affiliate", invalid_affiliate),
    Step("unknown-affiliate", unknown_affiliate),
    Step("inactive-offer", inactive_offer),
    Step("inactive-affiliate", inactive_affiliate),
    Step("unknown-advertiser", unknown_advertiser),
    Step("disabled-affiliate", disabled_affiliate),
    Step("bot", bot),
    *(
        Step(reason, _mistargeting(reason))
        for reason in REASONS
        if reason.startswith("mistargeting-") and reason != "mistargeting-sub-account"
    ),
    Step("mistargeting-sub-account", _sub_account),
    Step("empty-sub", empty_sub),
    Step("non-unique-clicks", non_unique_clicks),
    Step("overcap", overcap),
)
"""The steps in their order. The first refusal of them is what `decide` answers; a dry run asks one after the other."""


def decide(hit: Hit) -> Refused | None:
    """The first refusal of STEPS, or None: the click may pass.

    It asks a step only where it may refuse: an offer that restricts nothing pays for no restriction.
    """
    way, affiliate = hit.way, hit.affiliate
    if way is None or affiliate is None:
        return invalid_offer(hit) or unknown_offer(hit) or invalid_affiliate(hit) or unknown_affiliate(hit)
    refused = None if way.steady else inactive_offer(hit)
    if refused is None and not hit.passed:
        refused = inactive_affiliate(hit) or unknown_advertiser(hit) or disabled_affiliate(hit)
        if refused is None:
            hit.rules.let_pass(way, affiliate)
    if refused is None and hit.bot:
        refused = bot(hit)
    return _find_unwanted(hit, way) if refused is None else refused


def would_pass(hit: Hit) -> bool:
    """Whether a visitor would pass where a bot stands: by the steps after `bot`. `hit.seen` must only look.

    A bot is refused and yet goes where a visitor would have gone (docs/spec/tracking.md#bots).
    """
    return hit.way is not None and _find_unwanted(hit, hit.way) is None


def _find_unwanted(hit: Hit, way: Way) -> Refused | None:
    """The first refusal of the steps after `bot`."""
    refused = find_mistargeted(hit) if way.targeting is not None or way.accounts else None
    if refused is None and way.targeting is not None:
        refused = empty_sub(hit) or non_unique_clicks(hit)
    if refused is None and (way.counted or way.full):
        refused = overcap(hit)
    return refused
