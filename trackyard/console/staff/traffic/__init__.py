"""The pages of clicks, conversions and postbacks, and the search (docs/spec/console.md#traffic)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.traffic import clicks, conversions, find, postbacks

PARTS: Final[tuple[Pages, ...]] = (*conversions.PARTS, *clicks.PARTS, *postbacks.PARTS, find.pages)
"""All pages of traffic."""
