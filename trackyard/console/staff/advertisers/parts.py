"""The pages of advertisers (docs/spec/console.md#advertisers)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.people.advertisers import listing
from trackyard.console.staff.advertisers import decisions, editing, one

PARTS: Final[tuple[Pages, ...]] = (listing.pages, editing.pages, one.pages, decisions.pages)
"""All pages of advertisers. Pages with a name of their own come before the page of one."""
