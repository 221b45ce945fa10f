"""The pages that compare a file with conversions (docs/spec/console.md#comparisons)."""

from typing import Final

from trackyard.console.conversions.comparisons import one, sending
from trackyard.console.frame.pages import Pages

PARTS: Final[tuple[Pages, ...]] = (sending.pages, one.pages)
"""All pages of comparisons."""
