"""The requests of an affiliate for offers (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.lists import page_number

pages = Pages()

PER_PAGE: Final = 30
_DECISIONS: Final = {
    "approve": ("confirmed", lazy_gettext("Approved")),
    "reject": ("declined", lazy_gettext("Rejected")),
}
"""Decision to the class of its mark and its word."""
_UNDECIDED: Final = {"open": ("pending", lazy_gettext("Open")), "closed": ("declined", lazy_gettext("Closed"))}
"""Status of a request without a decision to the same."""


@pages.get("/portal/requests", audience="affiliate", needs=("partner.tickets.list",))
def requests(request: PageRequest) -> PageAnswer:
    """Show the requests, the newest first."""
    paging = [("limit", str(PER_PAGE)), ("page", str(page_number(request.address)))]
    answer = request.calls.call("partner.tickets.list", paging)
    page = answer["pagination"]["page"]
    return request.page(
        "portal/requests.html",
        rows=[(each, *(_DECISIONS.get(each["decision"]) or _UNDECIDED[each["status"]])) for each in answer["tickets"]],
        total=answer["pagination"]["total_count"],
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address("partner.tickets.list"),
    )
