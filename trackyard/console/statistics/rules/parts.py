"""The pages of rules that watch the statistics (docs/spec/console.md#rules)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.statistics.rules import editing, firings, listing, one

PARTS: Final[tuple[Pages, ...]] = (listing.pages, firings.pages, editing.pages, one.pages)
"""All pages of rules. Pages with a name of their own come before the page of one rule."""
