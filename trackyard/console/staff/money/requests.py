"""Payment requests of affiliates: a payment in one step, or a reason (docs/spec/console.md#money)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import payment_requests as payment_requests_api
from trackyard.api.money.payment_requests import PaymentRequestView
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


@dataclass(frozen=True, slots=True)
class PayRequestLine:
    """A request to be paid. payment: the number of its payment, None without one.

    typed, fault: the reason that was typed, and why it was refused.
    """

    id: int
    affiliate: int
    name: str
    email: str
    amount: Decimal
    currency: str
    system: str
    comment: str
    asked: str
    decided: str
    status: str
    mark: str
    reason: str
    payment: int | None
    typed: str
    fault: str


@pages.get(PATH, needs=(payment_requests_api.list_,))
def payment_requests(request: PageRequest) -> PageAnswer:
    """Show requests that wait, or those that are decided."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}", needs=(payment_requests_api.list_, payment_requests_api.accept))
def decide(request: PageRequest) -> PageAnswer:
    """Make a payment of a request, or reject it with the reason that was typed."""
    number, is_accepted = request.path["id"], request.field("do") == "accept"
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
    typed = request.field("reason") if refused else ""
    return request.page(
        "staff/payment_requests.html",
        status,
        rows=[_line(request, each, *((typed, fault) if str(each.id) == refused else ("", ""))) for each in found],
        tabs=TABS,
        tab=tab,
        may_decide=tab == "open" and calls.may(payment_requests_api.accept),
        fault=wrong or fault,
        api_request_path=calls.address(payment_requests_api.list_, sent),
        **state.shown(total),
    )


def _line(request: PageRequest, found: PaymentRequestView, typed: str, fault: str) -> PayRequestLine:
    return PayRequestLine(
        id=found.id,
        affiliate=found.pid,
        name=found.name,
        email=found.email,
        amount=found.amount,
        currency=found.currency,
        system=found.system,
        comment=found.comment,
        asked=request.time_of(found.created_at),
        decided=request.time_of(found.updated_at),
        status=REQUEST_STATUSES[found.status],
        mark=REQUEST_MARKS[found.status],
        reason=found.reason,
        payment=found.payment_id,
        typed=typed,
        fault=fault,
    )
