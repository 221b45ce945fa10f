"""The decision on a click: named steps in the order of behaviour.md §4, the first refusal wins."""

from collections.abc import Callable
from typing import Final

import msgspec

from trackyard.decide.hit import Hit, find_number, is_offer_key


class Refused(msgspec.Struct, frozen=True, gc=False):
    """A click that may not pass. `reason`: a word of behaviour.md §4 · `detail`: what decided, or ""."""

    reason: str
    detail: str = ""


Step = Callable[[Hit], Refused | None]

_DETAIL = 64

_INVALID_AFFILIATE = "invalid-affiliate"
_INACTIVE_OFFER = "inactive-offer"
_STOPPED = Refused(_INACTIVE_OFFER, "not active")
_BEFORE_START = Refused(_INACTIVE_OFFER, "before start_at")
_AFTER_STOP = Refused(_INACTIVE_OFFER, "after stop_at")
_INACTIVE_AFFILIATE = Refused("inactive-affiliate")
_NOT_CONNECTED = Refused("disabled-affiliate", "not connected")
_DISCONNECTED = Refused("disabled-affiliate", "disconnected")
_BLACKLISTED = Refused("disabled-affiliate", "blacklisted by the advertiser")


def invalid_offer(hit: Hit) -> Refused | None:
    """`offer_id` is no number and no hash."""
    if hit.offer is not None:
        return None
    text = hit.params.get("offer_id", "")
    return None if is_offer_key(text) else Refused("invalid-offer", text[:_DETAIL])


def unknown_offer(hit: Hit) -> Refused | None:
    """There is no such offer."""
    return Refused("unknown-offer", hit.params.get("offer_id", "")[:_DETAIL]) if hit.offer is None else None


def invalid_affiliate(hit: Hit) -> Refused | None:
    """`pid` is no number."""
    if hit.affiliate is not None:
        return None
    text = hit.params.get("pid", "")
    return Refused(_INVALID_AFFILIATE, text[:_DETAIL]) if find_number(text) is None else None


def unknown_affiliate(hit: Hit) -> Refused | None:
    """There is no such affiliate."""
    return Refused("unknown-affiliate", hit.params.get("pid", "")[:_DETAIL]) if hit.affiliate is None else None


def inactive_offer(hit: Hit) -> Refused | None:
    """The offer is stopped or suspended, or its time has not come or is over."""
    offer = hit.offer
    if offer is None or not offer.active:
        return _STOPPED
    if offer.start_at is not None and hit.time_ms < offer.start_at:
        return _BEFORE_START
    if offer.stop_at is not None and hit.time_ms >= offer.stop_at:
        return _AFTER_STOP
    return None


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


STEPS: Final[tuple[Step, ...]] = (
    invalid_offer,
    unknown_offer,
    invalid_affiliate,
    unknown_affiliate,
    inactive_offer,
    inactive_affiliate,
    unknown_advertiser,
    disabled_affiliate,
)


def decide(hit: Hit, steps: tuple[Step, ...] = STEPS) -> Refused | None:
    """The first refusal, or None: the click may pass."""
    for step in steps:
        refused = step(hit)
        if refused is not None:
            return refused
    return None
