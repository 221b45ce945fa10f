"""The pages of clicks (docs/spec/console.md#traffic)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.traffic.clicks import listing, one

PARTS: Final[tuple[Pages, ...]] = (listing.pages, one.pages)
"""All pages of clicks."""
