"""The pages of offers (docs/spec/console.md#offers)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.offers import listing, selected
from trackyard.console.staff.offers import editing, files, one, targeting

PARTS: Final[tuple[Pages, ...]] = (
    editing.pages,
    targeting.pages,
    listing.pages,
    selected.pages,
    one.pages,
    files.pages,
)
"""All pages of offers."""
