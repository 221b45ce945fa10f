"""The pages of alerts (docs/spec/console.md#alerts)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.alerts import choosing, listing

PARTS: Final[tuple[Pages, ...]] = (listing.pages, choosing.pages)
"""All pages of alerts."""
