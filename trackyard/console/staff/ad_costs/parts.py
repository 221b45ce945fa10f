"""The pages of ad costs (docs/spec/console.md#ad-costs)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.ad_costs import importing, listing

PARTS: Final[tuple[Pages, ...]] = (listing.pages, importing.pages)
"""All pages of ad costs."""
