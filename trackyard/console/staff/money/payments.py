"""The list of payments to affiliates (docs/spec/console.md#money)."""

from collections.abc import Iterable
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.money import affiliate_payments, held_changes, payment_requests
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, back_to, read_list
from trackyard.console.staff.money.words import PAYMENT_MARKS, PAYMENT_STATUSES, currency_choices, read_or_fault
from trackyard.console.staff.people_names import affiliate_names
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PATH: Final = "/console/payments"
DONE: Final = ("paid", "cancelled")
"""The statuses that people give a payment."""


@pages.get(PATH, needs=(affiliate_payments.list_,))
def payments(request: PageRequest) -> PageAnswer:
    """Show payments that meet the filters, a page at a time."""
    calls = request.calls
    filters = (
        ListFilter("affiliate", gettext("Affiliate number"), "pid[]", None, "number"),
        ListFilter("status", gettext("Status"), "status[]", tuple(PAYMENT_STATUSES.items())),
        ListFilter("currency", gettext("Currency"), "currency[]", currency_choices(request)),
        ListFilter("since", gettext("Made from"), "date_from", None, "date"),
        ListFilter("until", gettext("Made until"), "date_to", None, "date"),
    )
    state = read_list(request.address, filters)
    sent = state.sent()
    if (file := list_file(request, affiliate_payments.list_, lambda answer: answer.payments, sent)) is not None:
        return file
    found, total, fault = read_or_fault(request, affiliate_payments.list_, lambda answer: answer.payments, sent)
    return request.page(
        "staff/payments.html",
        rows=found,
        names=affiliate_names(calls, (each.pid for each in found)),
        statuses=PAYMENT_STATUSES,
        marks=PAYMENT_MARKS,
        done=DONE,
        may_write=calls.may(affiliate_payments.edit),
        waiting=waiting_changes(calls),
        asking=open_requests(calls),
        fault=fault,
        api_request_path=calls.address(affiliate_payments.list_, sent),
        **state.shown(total),
    )


@pages.post(PATH, needs=(affiliate_payments.edit,))
def mark(request: PageRequest) -> PageAnswer:
    """Execute or cancel the payments that were chosen."""
    status, back = request.field("do"), back_to(PATH, request.field("back"))
    chosen = list(dict.fromkeys(value for name, value in request.form if name == "payment"))
    if status not in DONE or not chosen:
        return Redirect(back, gettext("Nothing is changed: choose payments first."))
    return Redirect(back, marked(request.calls, status, chosen))


def marked(calls: LocalCalls[Deps], status: str, chosen: Iterable[str]) -> str:
    """Give payments a status and return what was done, and why not where the API refused."""
    done, held, refused = 0, 0, list[str]()
    for number in chosen:
        try:
            answer = calls.ask(affiliate_payments.edit, [("status", status)], {"id": number})
        except RequestError as refusal:
            refused.append(gettext("Payment %(number)s: %(fault)s", number=number, fault=fault_of(refusal)))
            continue
        is_done = answer.payment.status == status
        done, held = done + is_done, held + (not is_done)
    parts = [_done(status, done) if done or not held else ""]
    parts += [_held(held) if held else "", *refused]
    return " ".join(part for part in parts if part)


def waiting_changes(calls: LocalCalls[Deps]) -> int:
    """Return the number of changes that wait for a second person; 0 where the person may not see them."""
    if not calls.may(held_changes.list_):
        return 0
    answer = calls.ask(held_changes.list_, [("state[]", "waiting"), ("limit", "1")])
    return answer.pagination.total_count


def open_requests(calls: LocalCalls[Deps]) -> int:
    """Return the number of affiliates' requests that wait; 0 where the person may not see them."""
    if not calls.may(payment_requests.list_):
        return 0
    answer = calls.ask(payment_requests.list_, [("status[]", "open"), ("limit", "1")])
    return answer.pagination.total_count


def _done(status: str, number: int) -> str:
    if status == "paid":
        return ngettext("1 payment is paid.", "%(num)d payments are paid.", number)
    return ngettext("1 payment is cancelled.", "%(num)d payments are cancelled.", number)


def _held(number: int) -> str:
    return ngettext(
        "1 payment is held until another administrator confirms.",
        "%(num)d payments are held until another administrator confirms.",
        number,
    )
