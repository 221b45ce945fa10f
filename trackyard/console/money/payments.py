"""The lists of payments to affiliates for staff and affiliates (docs/spec/console.md#money)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.money import affiliate_payments, held_changes, payment_files, payment_requests
from trackyard.api.money.affiliate_payments import (
    AffiliatePaymentView,
    OwnPaymentsAnswer,
    OwnPaymentView,
    PaymentsAnswer,
)
from trackyard.api.people import affiliates, own_account
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Button, ListColumn, ListPage, Selection
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.lists.page import declare_list, make_table
from trackyard.console.money.columns import AFFILIATE, AMOUNT
from trackyard.console.money.own_balances import own_balances
from trackyard.console.money.payment_requests import OWN_COLUMNS
from trackyard.console.money.words import OWN_PAYMENT_STATUSES, PAYMENT_MARKS, PAYMENT_STATUSES, currency_choices
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PATH: Final = "/console/payments"
OWN_PATH: Final = "/portal/payments"
DONE: Final = ("paid", "cancelled")
"""The statuses that people give a payment."""
_LATEST_REQUESTS: Final = 10


def _waiting(request: PageRequest) -> Iterator[PageLink]:
    if waiting := waiting_changes(request.calls):
        text = ngettext(
            "%(num)d change waits for a second person.", "%(num)d changes wait for a second person.", waiting
        )
        yield PageLink(text, f"{PATH}/held")


def _requests(request: PageRequest) -> Iterator[PageLink]:
    asking = open_requests(request.calls)
    yield PageLink(gettext("Requests") + (f" ({shown.number(asking)})" if asking else ""), f"{PATH}/requests")


def _links(request: PageRequest) -> Iterator[PageLink]:
    yield from _requests(request)
    if request.calls.may(payment_files.apply):
        yield PageLink(gettext("Results"), f"{PATH}/results")


PAYMENTS: Final = ListPage[AffiliatePaymentView, PaymentsAnswer](
    path=PATH,
    method=affiliate_payments.list_,
    view=PaymentsAnswer,
    rows=lambda _, answer: answer.payments,
    title=lazy_gettext("Payments"),
    counted=lambda total: ngettext("%(num)d payment to affiliates.", "%(num)d payments to affiliates.", total),
    notes=_waiting,
    links=_links,
    main=lambda _: PageLink(gettext("Propose payments"), f"{PATH}/due"),
    filters=(
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
        FilterBy(name="status", words=PAYMENT_STATUSES),
        FilterBy(name="currency", choices=currency_choices),
        FilterBy(name="since", parameter="date_from", label=lazy_gettext("Made from")),
        FilterBy(name="until", parameter="date_to", label=lazy_gettext("Made until")),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("ID"),
            role="title",
            cell=lambda each, _: ListCell(
                gettext("Payment %(id)s", id=each.id), link=f"{PATH}/{each.id}", value=each.id
            ),
        ),
        AFFILIATE,
        AMOUNT,
        ListColumn(
            title=lazy_gettext("Status"),
            cell=lambda each, _: cells.status(str(PAYMENT_STATUSES[each.status]), PAYMENT_MARKS[each.status]),
        ),
        ListColumn(title=lazy_gettext("Made"), cell=lambda each, _: cells.moment(each.created_at)),
        ListColumn(title=lazy_gettext("Paid"), cell=lambda each, _: cells.moment(each.paid_at)),
        ListColumn(title=lazy_gettext("Comment"), cell=lambda each, _: each.comment),
    ),
    selection=Selection(
        path=PATH,
        field="payment",
        needs=(affiliate_payments.list_, affiliate_payments.edit),
        key=lambda each: "" if each.status in DONE else each.id,
        about=lambda each, _: gettext("Choose payment %(id)s", id=each.id),
        line=lazy_gettext("The chosen ones:"),
        buttons=(
            Button(label=lazy_gettext("Mark payments as paid"), value="paid"),
            Button(label=lazy_gettext("Make a file"), value="file"),
            Button(label=lazy_gettext("Cancel payments"), value="cancelled"),
        ),
        after=lazy_gettext("A preview comes first. Affiliates get a mail when they are paid."),
    ),
    empty=lazy_gettext("There are no payments yet."),
    empty_links=lambda _: [PageLink(gettext("See what can be paid"), f"{PATH}/due")],
)
declare_list(pages, PAYMENTS)


def _own_money(request: PageRequest, _rows: Sequence[OwnPaymentView]) -> Mapping[str, object]:
    """Return the balances, the latest requests and the payment systems of the affiliate."""
    asked = request.calls.ask(payment_requests.list_own, [("limit", str(_LATEST_REQUESTS))]).payment_requests
    return {
        "balances": own_balances(request),
        "requests": make_table(OWN_COLUMNS, request, asked),
        "systems": request.calls.ask(own_account.list_payment_systems).payment_systems,
    }


OWN_PAYMENTS: Final = ListPage[OwnPaymentView, OwnPaymentsAnswer](
    path=OWN_PATH,
    audience="affiliate",
    method=affiliate_payments.list_own,
    view=OwnPaymentsAnswer,
    rows=lambda _, answer: answer.payments,
    needs=(affiliates.show_balance,),
    title=lazy_gettext("Payments"),
    counted=lambda total: ngettext("%(num)d payment.", "%(num)d payments.", total),
    about=lazy_gettext("Available is what confirmed conversions earned and no payment pays yet."),
    links=lambda _: [PageLink(gettext("Statement"), "/portal/statement")],
    filters=(FilterBy(name="status", words=OWN_PAYMENT_STATUSES),),
    columns=(
        ListColumn(
            title=lazy_gettext("Number"),
            role="title",
            cell=lambda each, _: ListCell(
                gettext("Payment %(id)s", id=each.id), link=f"{OWN_PATH}/{each.id}", value=each.id
            ),
        ),
        ListColumn(title=lazy_gettext("Made"), cell=lambda each, _: cells.moment(each.created_at)),
        ListColumn(
            title=lazy_gettext("Status"),
            cell=lambda each, _: cells.status(str(OWN_PAYMENT_STATUSES[each.status]), PAYMENT_MARKS[each.status]),
        ),
        ListColumn(title=lazy_gettext("Paid"), cell=lambda each, _: cells.moment(each.paid_at)),
        AMOUNT,
    ),
    above="money/own_money.html",
    below="money/own_systems.html",
    values=_own_money,
    empty=lazy_gettext("There is no payment yet. The network makes one from what is available."),
    per_page=30,
)
declare_list(pages, OWN_PAYMENTS)


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
