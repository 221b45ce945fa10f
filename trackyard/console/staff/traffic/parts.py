"""All pages of clicks, conversions and postbacks, and the search."""

from typing import Final

from trackyard.console.conversions import listing as conversions
from trackyard.console.frame.pages import Pages
from trackyard.console.staff.traffic import find
from trackyard.console.staff.traffic.clicks import one as click
from trackyard.console.staff.traffic.conversions import change, edit, importing, releasing
from trackyard.console.staff.traffic.conversions import one as conversion
from trackyard.console.staff.traffic.postbacks import checking, resend
from trackyard.console.staff.traffic.postbacks import one as postback
from trackyard.console.tracking import clicks, pixels, postbacks

PARTS: Final[tuple[Pages, ...]] = (
    conversions.pages,
    change.pages,
    edit.pages,
    importing.pages,
    releasing.pages,
    conversion.pages,
    clicks.pages,
    click.pages,
    postbacks.pages,
    postback.pages,
    resend.pages,
    checking.pages,
    pixels.pages,
    find.pages,
)
"""All of them."""
