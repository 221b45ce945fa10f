"""The pages of staff users (docs/spec/console.md#staff)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.accounts import access, editing, levels, listing, one, presets

PARTS: Final[tuple[Pages, ...]] = (
    editing.pages,
    access.pages,
    listing.pages,
    presets.pages,
    levels.pages,
    one.pages,
)
"""All pages of staff users. Pages of a new one and of presets come before pages by id."""
