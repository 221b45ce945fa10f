"""The pages of affiliates (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.portal import (
    conversions,
    home,
    news,
    offer,
    offers,
    pay_requests,
    payments,
    referrals,
    refused_imports,
    reports,
    smartlinks,
)
from trackyard.console.portal.deliveries import pixels, postbacks

PARTS: Final[tuple[Pages, ...]] = (
    home.pages,
    offers.pages,
    offer.pages,
    conversions.pages,
    refused_imports.pages,
    reports.pages,
    pay_requests.pages,
    payments.pages,
    postbacks.pages,
    pixels.pages,
    smartlinks.pages,
    referrals.pages,
    news.pages,
)
