"""SmartLinks: one address for many offers.

Each visitor gets an offer that takes the click (docs/spec/tracking.md#smartlinks)."""

from collections.abc import Sequence
from random import Random
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.routes import Ruleset
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, Rejection

_EXPLORE_ONE_IN: Final = 5
"""One click in so many goes to any of the offers, so that their EPC is known; the others go to the best."""


def find_offers(ruleset: Ruleset, key: str) -> Sequence[OfferRoute] | Rejection:
    """Return the offers of a SmartLink, the best EPC first, or why there are none."""
    smartlink = ruleset.find_smartlink(key)
    if smartlink is None:
        return Rejection("unknown-offer" if is_hex24(key) else "invalid-offer", key[:DETAIL_LENGTH])
    routes = [route for each in smartlink.offers if (route := ruleset.find_route(str(each.offer))) is not None]
    return routes or Rejection("unknown-offer", "a SmartLink without offers")


def ordered_offers(offers: Sequence[OfferRoute], click_id: str) -> Sequence[OfferRoute]:
    """Return the order in which offers are tried: the best EPC first, or by chance for one click in five."""
    chance = int(click_id[10:], 16)
    if chance % _EXPLORE_ONE_IN:
        return offers
    return Random(chance).sample(offers, len(offers))  # noqa: S311 (a share, no secret)
