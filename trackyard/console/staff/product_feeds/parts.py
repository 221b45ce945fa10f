"""The pages of product feeds (docs/spec/console.md#product-feeds)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.product_feeds import listing, writing

PARTS: Final[tuple[Pages, ...]] = (writing.pages, listing.pages)
"""All pages of product feeds."""
