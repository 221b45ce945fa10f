"""The pages of affiliates (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.console.conversions import refused_imports
from trackyard.console.frame.pages import Pages
from trackyard.console.offers import own_listing
from trackyard.console.portal import (
    home,
    messages,
    news,
    offer,
    referrals,
    reports,
    smartlinks,
)
from trackyard.console.portal.deliveries import pixels, postbacks
from trackyard.console.tracking import own_postbacks

PARTS: Final[tuple[Pages, ...]] = (
    home.pages,
    own_listing.pages,
    offer.pages,
    refused_imports.pages,
    reports.pages,
    own_postbacks.pages,
    postbacks.pages,
    pixels.pages,
    smartlinks.pages,
    referrals.pages,
    news.pages,
    messages.pages,
)
