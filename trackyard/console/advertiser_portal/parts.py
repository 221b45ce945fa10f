"""The pages of advertisers (docs/spec/console.md#portal-of-advertisers)."""

from typing import Final

from trackyard.console.advertiser_portal import home, invoices, offers, postbacks, statistics
from trackyard.console.frame.pages import Pages

PARTS: Final[tuple[Pages, ...]] = (
    home.pages,
    offers.pages,
    statistics.pages,
    invoices.pages,
    postbacks.pages,
)
