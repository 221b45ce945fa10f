"""The pages of promo codes (docs/spec/console.md#promo-codes)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.promo_codes import editing, listing

PARTS: Final[tuple[Pages, ...]] = (listing.pages, editing.pages)
"""All pages of promo codes."""
