"""The pages that compare a file with conversions (docs/spec/console.md#comparisons)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.comparisons import one, sending

PARTS: Final[tuple[Pages, ...]] = (sending.pages, one.pages)
"""All pages of comparisons."""
