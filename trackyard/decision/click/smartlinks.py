"""SmartLinks: one address for many offers; each visitor gets one that would take its click
(docs/spec/tracking.md#smartlinks)."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.decision.click.hit import Hit
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, Rejection
from trackyard.domain.tracking.ruleset import RulesetOffer

_EXPLORE_ONE_IN: Final = 5
"""One click in so many goes to any of the offers, so that their EPC is known; the others go to the best."""


def find_offers(hit: Hit) -> Sequence[RulesetOffer] | Rejection:
    """The offers of the SmartLink that `id` names, the best EPC first; why there are none. The hit is told whose it
    is."""
    key = hit.params.get("id", "")
    smartlink = hit.ruleset.find_smartlink(key)
    if smartlink is None:
        return Rejection("unknown-offer" if is_hex24(key) else "invalid-offer", key[:DETAIL_LENGTH])
    hit.smart_id = key
    offers = [offer for each in smartlink.offers if (offer := hit.ruleset.find_offer(str(each.offer))) is not None]
    return offers or Rejection("unknown-offer", "a SmartLink without offers")


def ordered_offers(offers: Sequence[RulesetOffer], click_id: str) -> Sequence[RulesetOffer]:
    """The offers, of which the first that takes the click gets it. They come with the best EPC first."""
    chance = int(click_id[10:], 16)
    if chance % _EXPLORE_ONE_IN:
        return offers
    return Random(chance).sample(offers, len(offers))


def find_offer_rejection(
    hit: Hit,
    offer: RulesetOffer,
    retarget: Callable[[Hit, RulesetOffer], None],
    dry_run: Callable[[Hit], Rejection | None],
) -> Rejection | None:
    """Why this offer would not take the click, to which it is aimed. A bot is sent where a visitor would go, so that it
    learns nothing."""
    retarget(hit, offer)
    is_bot, hit.bot = hit.bot, False
    rejection = dry_run(hit)
    hit.bot = is_bot
    return rejection
