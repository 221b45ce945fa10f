"""The pages of one payment for staff and affiliates: what it pays, and what can be done with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from msgspec.structs import replace

from trackyard.api.money import affiliate_payments
from trackyard.api.money.affiliate_payments import (
    AffiliatePaymentView,
    OwnPaymentView,
    PaidEntryView,
    PaymentEntriesAnswer,
)
from trackyard.api.people import affiliates, own_account
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.objects import AFFILIATES, MANAGERS
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.money.documents import document_page
from trackyard.console.money.marking import preview
from trackyard.console.money.payments import DONE, OWN_PATH, OWN_PAYMENTS, PATH
from trackyard.console.money.words import (
    ENTRY_KINDS,
    OTHER_ENTRIES,
    OWN_PAYMENT_STATUSES,
    PAYMENT_MARKS,
    PAYMENT_STATUSES,
)
from trackyard.console.staff.faults import fault_of
from trackyard.console.system.audit_log import recent_changes

pages = Pages()

P = TypeVar("P", AffiliatePaymentView, OwnPaymentView)
"""A payment, for staff or for its affiliate."""
P_co = TypeVar("P_co", bound=AffiliatePaymentView | OwnPaymentView, covariant=True)
"""The payment of an entry."""
_IN_WORDS: Final = {
    "created": lazy_gettext("The payment is made, and the money is not sent yet."),
    "pending": lazy_gettext("The payment is made, and waits. The money is not sent yet."),
    "partly_paid": lazy_gettext("A part of the money was sent."),
    "paid": lazy_gettext("The money was sent."),
    "cancelled": lazy_gettext("The payment was cancelled: its amount is available again."),
}


def find_payment(request: PageRequest) -> AffiliatePaymentView:
    """Return the payment of the path. Raises NotFound."""
    found = request.calls.ask(affiliate_payments.list_, [("id[]", _number(request))]).payments
    if not found:
        raise NotFound
    return found[0]


def _number(request: PageRequest) -> str:
    """Return the number of the path. Raises NotFound for other texts."""
    number = request.key
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound
    return number


def _find_own(request: PageRequest) -> OwnPaymentView:
    """Return the payment of the path to the affiliate. Raises NotFound."""
    found = request.calls.ask(affiliate_payments.list_own, [("id[]", _number(request))]).payments
    if not found:
        raise NotFound
    return found[0]


def _title(request: PageRequest) -> str:
    return gettext("Payment %(id)s", id=_number(request))


@dataclass(frozen=True, slots=True)
class PaidRow(Generic[P_co]):
    """An entry of a payment."""

    entry: PaidEntryView
    payment: P_co


AnyRow = PaidRow[AffiliatePaymentView | OwnPaymentView]
"""An entry on a page of staff or of the affiliate."""


def _rows(payment: P, answer: PaymentEntriesAnswer) -> list[PaidRow[P]]:
    return [PaidRow(each, payment) for each in answer.entries]


def _conversion(row: PaidRow[AffiliatePaymentView], _on: On) -> ListCell:
    number = row.entry.conversion_id
    return ListCell(number, "" if row.entry.kind in OTHER_ENTRIES else f"/console/conversions/{number}")


_KIND: Final = ListColumn[AnyRow](
    title=lazy_gettext("Kind"), role="title", cell=lambda row, _: str(ENTRY_KINDS[row.entry.kind])
)
_LAST: Final = (
    ListColumn[AnyRow](title=lazy_gettext("Since"), cell=lambda row, _: cells.moment(row.entry.created_at)),
    ListColumn[AnyRow](
        title=lazy_gettext("Amount"),
        role="figure",
        cell=lambda row, _: cells.money(row.entry.amount, row.payment.currency),
    ),
)
_NOTHING: Final = lazy_gettext("A cancelled payment pays nothing: its amount is available again.")


def _around(request: PageRequest, rows: Sequence[PaidRow[AffiliatePaymentView]]) -> Mapping[str, object]:
    """Return the payment, as its page shows it around what it pays."""
    calls = request.calls
    payment = rows[0].payment if rows else find_payment(request)
    name, systems = AFFILIATES.names(calls, [payment.pid]).get(str(payment.pid), ""), None
    if name and calls.may(affiliates.show):
        systems = calls.ask(affiliates.show, path={"id": str(payment.pid)}).partner.payment_systems
    return {
        "payment": payment,
        "name": name,
        "created_by": MANAGERS.names(calls, [payment.created_by]).get(payment.created_by, ""),
        "statuses": PAYMENT_STATUSES,
        "marks": PAYMENT_MARKS,
        "done": DONE,
        "systems": systems,
        "may_write": calls.may(affiliate_payments.edit),
        "document": f"{PATH}/{payment.id}/document" if payment.paid_at else "",
        "activity": recent_changes(request, "payment", str(payment.id)),
    }


PAID: Final = ListPage[PaidRow[AffiliatePaymentView], PaymentEntriesAnswer](
    path=f"{PATH}/{{id}}",
    method=affiliate_payments.list_entries,
    view=PaymentEntriesAnswer,
    needs=(affiliate_payments.list_,),
    variables=lambda request: ((), {"id": _number(request)}),
    rows=lambda request, answer: _rows(find_payment(request), answer),
    record=lambda row: row.entry,
    title=_title,
    counted=lambda _total: "",
    card=lazy_gettext("What it pays"),
    columns=(
        _KIND,
        ListColumn(title=lazy_gettext("Conversion"), cell=_conversion),
        *_LAST,
    ),
    template="money/payment.html",
    values=_around,
    empty=_NOTHING,
)
declare_list(pages, PAID)


@pages.post("/console/payments/{id}", needs=(affiliate_payments.list_, affiliate_payments.edit))
def change(request: PageRequest) -> PageAnswer:
    """Show what executing or cancelling a payment does, or change its comment."""
    payment = find_payment(request)
    number, status = str(payment.id), request.field("status")
    if status in DONE:
        return preview(request, status, [number], f"{PATH}/{number}")
    try:
        request.calls.ask(affiliate_payments.edit, [("comment", request.field("comment"))], {"id": number})
    except RequestError as refusal:
        typed = replace(payment, comment=request.field("comment"))
        return answer_list(PAID, request, fault_of(refusal), refusal.status, payment=typed)
    return Redirect(f"{PATH}/{number}", gettext("The comment of payment %(number)s is saved.", number=number))


def _own_around(request: PageRequest, rows: Sequence[PaidRow[OwnPaymentView]]) -> Mapping[str, object]:
    """Return the payment, its state in words, and the payment systems of the affiliate."""
    payment = rows[0].payment if rows else _find_own(request)
    return {
        "payment": payment,
        "state": OWN_PAYMENT_STATUSES[payment.status],
        "mark": PAYMENT_MARKS[payment.status],
        "in_words": _IN_WORDS[payment.status],
        "document": f"{OWN_PATH}/{payment.id}/document" if payment.paid_at else "",
        "systems": request.calls.ask(own_account.list_payment_systems).payment_systems,
    }


OWN_PAID: Final = ListPage[PaidRow[OwnPaymentView], PaymentEntriesAnswer](
    path=f"{OWN_PATH}/{{id}}",
    audience="affiliate",
    method=affiliate_payments.list_own_entries,
    view=PaymentEntriesAnswer,
    needs=(affiliate_payments.list_own,),
    variables=lambda request: ((), {"id": _number(request)}),
    rows=lambda request, answer: _rows(_find_own(request), answer),
    record=lambda row: row.entry,
    title=_title,
    counted=lambda _total: "",
    card=lazy_gettext("What it pays"),
    links=lambda _: [PageLink(gettext("Payments"), OWN_PATH)],
    columns=(
        _KIND,
        ListColumn(title=lazy_gettext("Conversion or number"), cell=lambda row, _: row.entry.conversion_id),
        *_LAST,
    ),
    template="money/own_payment.html",
    values=_own_around,
    empty=_NOTHING,
    per_page=OWN_PAYMENTS.per_page,
)
declare_list(pages, OWN_PAID)


@pages.get(f"{PATH}/{{id}}/document", needs=(affiliate_payments.show_document,))
def show_document(request: PageRequest) -> PageAnswer:
    """Show the remittance of a payment."""
    answer = request.calls.ask(affiliate_payments.show_document, path={"id": _number(request)})
    return document_page(request, answer.document, f"{PATH}/{_number(request)}")


@pages.get(f"{OWN_PATH}/{{id}}/document", audience="affiliate", needs=(affiliate_payments.show_own_document,))
def show_own_document(request: PageRequest) -> PageAnswer:
    """Show the remittance of a payment to the affiliate."""
    answer = request.calls.ask(affiliate_payments.show_own_document, path={"id": _number(request)})
    return document_page(request, answer.document, f"{OWN_PATH}/{_number(request)}")
