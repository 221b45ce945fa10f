"""The pages of settings (docs/spec/console.md#settings)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.settings import lists, network, platform

PARTS: Final[tuple[Pages, ...]] = (platform.pages, network.pages, lists.pages)
"""All pages of settings."""
