"""The page of one payment: what it pays, and what can be done with it."""

from msgspec.structs import replace

from trackyard.api.money import affiliate_payments
from trackyard.api.money.affiliate_payments import AffiliatePaymentView
from trackyard.api.people import affiliates
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money_shown.words import ENTRY_KINDS, OTHER_ENTRIES
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import PER_PAGE, read_list
from trackyard.console.staff.money.payments import DONE, PATH, marked
from trackyard.console.staff.money.words import PAYMENT_MARKS, PAYMENT_STATUSES
from trackyard.console.staff.people_names import affiliate_names, managers
from trackyard.console.staff.system.audit_log import recent_changes

pages = Pages()


def find_payment(request: PageRequest) -> AffiliatePaymentView:
    """Return the payment of the path. Raises NotFound."""
    number = request.key
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound
    found = request.calls.ask(affiliate_payments.list_, [("id[]", number)]).payments
    if not found:
        raise NotFound
    return found[0]


@pages.get("/console/payments/{id}", needs=(affiliate_payments.list_, affiliate_payments.list_entries))
def payment_page(request: PageRequest) -> PageAnswer:
    """Show a payment."""
    return _page(request, find_payment(request))


@pages.post("/console/payments/{id}", needs=(affiliate_payments.list_, affiliate_payments.edit))
def change(request: PageRequest) -> PageAnswer:
    """Execute or cancel a payment, or change its comment."""
    payment = find_payment(request)
    number, status = str(payment.id), request.field("status")
    if status in DONE:
        return Redirect(f"{PATH}/{number}", marked(request.calls, status, [number]))
    try:
        request.calls.ask(affiliate_payments.edit, [("comment", request.field("comment"))], {"id": number})
    except RequestError as refusal:
        return _page(request, replace(payment, comment=request.field("comment")), fault_of(refusal), refusal.status)
    return Redirect(f"{PATH}/{number}", gettext("The comment of payment %(number)s is saved.", number=number))


def _page(request: PageRequest, payment: AffiliatePaymentView, fault: str = "", status: int = 200) -> Html:
    """Return the page of a payment."""
    calls, number = request.calls, str(payment.id)
    state = read_list(request.address, ())
    entries = calls.ask(affiliate_payments.list_entries, state.sent(), {"id": number})
    systems = None
    if calls.may(affiliates.show) and payment.pid in (names := affiliate_names(calls, [payment.pid])):
        systems = calls.ask(affiliates.show, path={"id": str(payment.pid)}).partner.payment_systems
    else:
        names = {}
    return request.page(
        "staff/payment.html",
        status,
        payment=payment,
        name=names.get(payment.pid, ""),
        created_by=dict(managers(calls)).get(payment.created_by, ""),
        entries=entries.entries,
        kinds=ENTRY_KINDS,
        statuses=PAYMENT_STATUSES,
        marks=PAYMENT_MARKS,
        done=DONE,
        others=OTHER_ENTRIES,
        systems=systems,
        may_write=calls.may(affiliate_payments.edit),
        per_page=PER_PAGE,
        fault=fault,
        activity=recent_changes(request, "payment", number),
        api_request_path=calls.address(affiliate_payments.list_entries, path={"id": number}),
        **state.shown(entries.pagination.total_count),
    )
