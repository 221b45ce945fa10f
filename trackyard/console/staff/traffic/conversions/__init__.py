"""The pages of conversions (docs/spec/console.md#traffic)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.traffic.conversions import change, edit, importing, listing, one, releasing

PARTS: Final[tuple[Pages, ...]] = (
    listing.pages,
    change.pages,
    edit.pages,
    importing.pages,
    releasing.pages,
    one.pages,
)
"""All pages of conversions."""
