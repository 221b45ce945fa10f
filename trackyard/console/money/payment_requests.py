"""The lists of payment requests, and what decides them (docs/spec/console.md#money)."""

from dataclasses import replace
from typing import Final

from trackyard.api.money import payment_requests as payment_requests_api
from trackyard.api.money.payment_requests import OwnPaymentRequestView, PaymentRequestsAnswer, PaymentRequestView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On, Tabs
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.money.columns import AMOUNT
from trackyard.console.money.words import REQUEST_MARKS, REQUEST_STATUSES, currency_choices
from trackyard.console.staff.faults import fault_of

pages = Pages()

PATH: Final = "/console/payments/requests"
_OWN: Final = "/portal/payments"
_PAYMENTS: Final = "/console/payments"


def _status(each: OwnPaymentRequestView, payments: str) -> ListCell:
    """Return the status of a request, its reason, and the payment that was made of it."""
    made = PageLink(gettext("Payment %(id)s", id=each.payment_id), f"{payments}/{each.payment_id}")
    below = ((made,) if each.payment_id else ()) + ((each.reason,) if each.reason else ())
    return cells.status(str(REQUEST_STATUSES[each.status]), REQUEST_MARKS[each.status], *below)


def _decision(each: PaymentRequestView, on: On) -> ListCell:
    """Return the form that decides an open request, with what was typed where it was refused."""
    typed = on.request.field("reason") if on.request.path.get("id") == str(each.id) else ""
    return ListCell(part=Part("money/request_decision.html", {"row": each, "path": PATH, "typed": typed}))


_COLUMNS: Final = (
    ListColumn[PaymentRequestView](
        title=lazy_gettext("Affiliate"),
        below=lazy_gettext("E-mail"),
        role="title",
        cell=lambda each, on: on.object(AFFILIATES, each.pid, each.email, name=each.name),
    ),
    AMOUNT,
    ListColumn[PaymentRequestView](title=lazy_gettext("By"), cell=lambda each, _: each.system),
    ListColumn[PaymentRequestView](title=lazy_gettext("Comment"), longest=300, cell=lambda each, _: each.comment),
    ListColumn[PaymentRequestView](title=lazy_gettext("Asked"), cell=lambda each, _: cells.moment(each.created_at)),
)
_STATUS: Final = ListColumn[PaymentRequestView](
    title=lazy_gettext("Status"), below=lazy_gettext("Reason"), cell=lambda each, _: _status(each, _PAYMENTS)
)
DECIDED: Final = ListPage[PaymentRequestView, PaymentRequestsAnswer](
    path=PATH,
    own=(("tab", "decided"),),
    method=payment_requests_api.list_,
    view=PaymentRequestsAnswer,
    rows=lambda _, answer: answer.payment_requests,
    title=lazy_gettext("Payment requests"),
    counted=lambda total: ngettext("%(num)d request is decided.", "%(num)d requests are decided.", total),
    links=lambda _: [PageLink(gettext("Payments"), _PAYMENTS)],
    fixed=tuple(("status[]", each) for each in ("accepted", "rejected", "withdrawn")),
    tabs=Tabs(
        name="tab",
        label=lazy_gettext("Payment requests"),
        choices=(("open", lazy_gettext("Open")), ("decided", lazy_gettext("Decided"))),
    ),
    filters=(
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
        FilterBy(name="currency", choices=currency_choices),
    ),
    columns=(*_COLUMNS, _STATUS),
    empty=lazy_gettext("No request is decided yet."),
)
OPEN: Final = replace(
    DECIDED,
    own=(("tab", "open"),),
    counted=lambda total: ngettext(
        "%(num)d affiliate asks to be paid.", "%(num)d requests of affiliates to be paid.", total
    ),
    about=lazy_gettext("A request takes nothing from what is available until its payment is made."),
    fixed=(("status[]", "open"),),
    columns=(
        *_COLUMNS,
        ListColumn(
            title=lazy_gettext("Decision"),
            role="act",
            shown=lambda request, _: request.calls.may(payment_requests_api.accept),
            cell=_decision,
        ),
        replace(_STATUS, shown=lambda request, _: not request.calls.may(payment_requests_api.accept)),
    ),
    empty=lazy_gettext("No affiliate waits to be paid on request."),
    empty_links=lambda _: [PageLink(gettext("See what can be paid"), f"{_PAYMENTS}/due")],
)
declare_list(pages, OPEN, DECIDED)


def _withdraw(each: OwnPaymentRequestView, _on: On) -> ListCell:
    """Return the button that takes an open request back."""
    about = gettext("Withdraw the request of %(amount)s", amount=shown.money(each.amount, each.currency))
    path = f"{_OWN}/requests/{each.id}/withdraw"
    return cells.acts(Act(gettext("Withdraw"), path, about=about) if each.status == "open" else None)


OWN_COLUMNS: Final = (
    ListColumn[OwnPaymentRequestView](
        title=lazy_gettext("Asked"), role="title", cell=lambda each, _: cells.moment(each.created_at, each.comment)
    ),
    AMOUNT,
    ListColumn[OwnPaymentRequestView](title=lazy_gettext("Pay by"), cell=lambda each, _: each.system),
    ListColumn[OwnPaymentRequestView](title=lazy_gettext("Status"), cell=lambda each, _: _status(each, _OWN)),
    ListColumn[OwnPaymentRequestView](title=lazy_gettext("Action"), role="act", is_hidden_title=True, cell=_withdraw),
)
"""The columns of the requests of an affiliate, on its page of payments."""


@pages.post(f"{PATH}/{{id}}", needs=(payment_requests_api.list_, payment_requests_api.accept))
def decide(request: PageRequest) -> PageAnswer:
    """Make a payment of a request, or reject it with the reason that was typed."""
    number, is_accepted = request.key, request.field("do") == "accept"
    try:
        if is_accepted:
            made = request.calls.ask(payment_requests_api.accept, path={"id": number}).payment
            message = gettext("The payment is made. Mark it as paid once the money is sent.")
            return Redirect(f"{_PAYMENTS}/{made.id}", message)
        sent = [("reason", request.field("reason").strip())]
        found = request.calls.ask(payment_requests_api.reject, sent, {"id": number}).payment_request
    except RequestError as refusal:
        fault = fault_of(refusal)
        address = PageAddress(PATH)
        return answer_list(OPEN, replace(request, address=address), fault, refusal.status, refused={number: fault})
    message = gettext("The request of %(name)s is rejected. It gets a mail with the reason.", name=found.name)
    return Redirect(PATH, message)


@pages.post(f"{_OWN}/requests/{{id}}/withdraw", audience="affiliate", needs=(payment_requests_api.withdraw,))
def withdraw(request: PageRequest) -> PageAnswer:
    """Take a request back."""
    try:
        request.calls.ask(payment_requests_api.withdraw, path=request.path)
    except RequestError as refusal:
        if refusal.status != 409:
            raise
        return Redirect(_OWN, gettext("The request is decided already."))
    return Redirect(_OWN, gettext("The request is withdrawn."))
