"""The pages of affiliates (docs/spec/console.md#affiliates)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.people.affiliates import listing
from trackyard.console.staff.affiliates import decisions, editing, looking, one, payouts, postbacks

PARTS: Final[tuple[Pages, ...]] = (
    listing.pages,
    editing.pages,
    one.pages,
    decisions.pages,
    looking.pages,
    postbacks.pages,
    payouts.pages,
)
"""All pages of affiliates. Pages with a name of their own come before the page of one."""
