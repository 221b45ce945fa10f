"""The pages of SmartLinks and tracking domains (docs/spec/console.md#programs)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.programs import domain_test, lists, smartlink_test

PARTS: Final[tuple[Pages, ...]] = (lists.pages, smartlink_test.pages, domain_test.pages)
"""All pages of SmartLinks and tracking domains."""
