"""What referred affiliates bring (docs/spec/console.md#portal)."""

from decimal import Decimal
from typing import Final

from trackyard.api.money import referrals as referrals_api
from trackyard.api.people import own_account
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.portal.lists import paged

pages = Pages()

PER_PAGE: Final = 30
_STATES: Final = {
    "0": ("confirmed", lazy_gettext("Available")),
    "1": ("confirmed", lazy_gettext("Paid")),
    "2": ("hold", lazy_gettext("On hold")),
}
"""`is_paid` to the class of its mark and its word."""
_API_DAY: Final = "%d-%m-%Y"


@pages.get("/portal/referrals", audience="affiliate", needs=(referrals_api.list_referrals, own_account.show))
def referrals(request: PageRequest) -> PageAnswer:
    """Show the shares of the conversions of referred affiliates."""
    period, fault = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    sent = [("date_from", period.first.strftime(_API_DAY)), ("date_to", period.last.strftime(_API_DAY))]
    if (file := list_file(request, referrals_api.list_referrals, lambda answer: answer.ref_payments, sent)) is not None:
        return file
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    answer = request.calls.ask(referrals_api.list_referrals, [*sent, *paging])
    share = request.calls.ask(own_account.show).user.ref_percent
    return request.page(
        "portal/referrals.html",
        rows=[
            (each, *_STATES[each.is_paid], shown.money(Decimal(each.sum_revenue), each.currency))
            for each in answer.ref_payments
        ],
        share=shown.percent(Decimal(share) / 100) if share else "",
        period=period,
        periods=CHOICES,
        fault=fault,
        **paged(answer.pagination),
        link=f"{request.deps.api_url}/sign-up?ref={request.person.caller.id}",
        api_request_path=request.calls.address(referrals_api.list_referrals, sent),
    )
