"""The pages of postbacks and deliveries (docs/spec/console.md#traffic)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.traffic.postbacks import checking, listing, one, resend

PARTS: Final[tuple[Pages, ...]] = (listing.pages, one.pages, resend.pages, checking.pages)
"""All pages of postbacks."""
