"""The pages of staff users (docs/spec/console.md#staff)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.accounts import access, editing, listing, one

PARTS: Final[tuple[Pages, ...]] = (editing.pages, access.pages, listing.pages, one.pages)
"""All pages of staff users; that of a new one comes before those by id."""
