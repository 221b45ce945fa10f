"""Payment requests of affiliates: a payment in one step, or a reason (docs/spec/console.md#money)."""

from typing import Final

from trackyard.api.money import payment_requests as payment_requests_api
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.money_shown.words import REQUEST_MARKS, REQUEST_STATUSES
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.payments import PATH as PAYMENTS
from trackyard.console.staff.money.words import currency_choices, read_or_fault

pages = Pages()

PATH: Final = "/console/payments/requests"
TABS: Final = (("open", lazy_gettext("Open")), ("decided", lazy_gettext("Decided")))
_DECIDED: Final = ("accepted", "rejected", "withdrawn")


@pages.get(PATH, needs=(payment_requests_api.list_,))
def payment_requests(request: PageRequest) -> PageAnswer:
    """Show waiting or decided payment requests."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}", needs=(payment_requests_api.list_, payment_requests_api.accept))
def decide(request: PageRequest) -> PageAnswer:
    """Make a payment of a request, or reject it with the reason that was typed."""
    number, is_accepted = request.key, request.field("do") == "accept"
    try:
        if is_accepted:
            made = request.calls.ask(payment_requests_api.accept, path={"id": number}).payment
            message = gettext("The payment is made. Mark it as paid once the money is sent.")
            return Redirect(f"{PAYMENTS}/{made.id}", message)
        sent = [("reason", request.field("reason").strip())]
        found = request.calls.ask(payment_requests_api.reject, sent, {"id": number}).payment_request
    except RequestError as refusal:
        return _page(request, number, fault_of(refusal), refusal.status)
    message = gettext("The request of %(name)s is rejected. It gets a mail with the reason.", name=found.name)
    return Redirect(PATH, message)


def _page(request: PageRequest, refused: str = "", fault: str = "", status: int = 200) -> PageAnswer:
    """Return the list. refused: the request that could not be decided."""
    calls = request.calls
    tab = request.address.get("tab") if request.address.get("tab") in dict(TABS) else "open"
    filters = (
        ListFilter("affiliate", gettext("Affiliate number"), "pid[]", None, "number"),
        ListFilter("currency", gettext("Currency"), "currency[]", currency_choices(request)),
    )
    state = read_list(request.address, filters)
    sent = [("status[]", each) for each in (("open",) if tab == "open" else _DECIDED)] + state.sent()
    if (
        file := list_file(request, payment_requests_api.list_, lambda answer: answer.payment_requests, sent)
    ) is not None:
        return file
    found, total, wrong = read_or_fault(
        request, payment_requests_api.list_, lambda answer: answer.payment_requests, sent
    )
    return request.page(
        "staff/payment_requests.html",
        status,
        rows=found,
        statuses=REQUEST_STATUSES,
        marks=REQUEST_MARKS,
        refused={refused: (request.field("reason"), fault)},
        tabs=TABS,
        tab=tab,
        may_decide=tab == "open" and calls.may(payment_requests_api.accept),
        fault=wrong or fault,
        api_request_path=calls.address(payment_requests_api.list_, sent),
        **state.shown(total),
    )
