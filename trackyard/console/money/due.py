"""What can be paid to affiliates now, and making the payments."""

from decimal import Decimal

from trackyard.api.money import affiliate_payments
from trackyard.api.money.affiliate_payments import AddedPaymentsAnswer
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.money.payments import PATH
from trackyard.console.money.words import sums_of, sums_text
from trackyard.console.staff.faults import fault_of

pages = Pages()


@pages.get("/console/payments/due", needs=(affiliate_payments.list_due, affiliate_payments.add))
def due(request: PageRequest) -> PageAnswer:
    """Show the amounts that can be paid, in one currency at a time."""
    return _page(request)


@pages.post("/console/payments/due", needs=(affiliate_payments.list_due, affiliate_payments.add))
def propose(request: PageRequest) -> PageAnswer:
    """Make payments for the affiliates that were chosen."""
    chosen = [("pid[]", value) for name, value in request.form if name == "pid"]
    if not chosen:
        return _page(request, gettext("Choose at least one affiliate."), 400)
    more = [(name, request.field(name).strip()) for name in ("currency", "date_to", "comment")]
    try:
        answer = request.calls.ask(affiliate_payments.add, [*chosen, *(pair for pair in more if pair[1])])
    except RequestError as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    return Redirect(f"{PATH}?status=created", _done(answer))


def _done(answer: AddedPaymentsAnswer) -> str:
    """Return sentences about the added payments, and about the affiliates that were left out."""
    made = answer.payments
    total = sums_text(sums_of((each.currency, each.amount) for each in made))
    skipped = [
        gettext("Affiliate %(pid)s is left out: %(reason)s.", pid=each.pid, reason=each.reason)
        for each in answer.skipped
    ]
    return " ".join(
        [
            ngettext(
                "1 payment made, %(total)s together.",
                "%(num)d payments made, %(total)s together.",
                len(made),
                total=total,
            )
            if made
            else gettext("No payment is made."),
            *skipped,
        ]
    )


def _page(request: PageRequest, fault: str = "", status: int = 200) -> Html:
    """Return the page with what was chosen; at first everyone is."""
    calls = request.calls
    found = calls.ask(affiliate_payments.list_due).due
    currencies = sorted({each.currency for each in found})
    wanted = request.field("currency") or request.address.get("currency")
    currency = wanted if wanted in currencies else next(iter(currencies), request.deps.currency)
    rows = [each for each in found if each.currency == currency]
    return request.page(
        "money/payments_due.html",
        status,
        rows=rows,
        names=AFFILIATES.names(calls, (each.pid for each in rows)),
        chosen=[value for name, value in request.form if name == "pid"] if request.form else None,
        in_currency=currency,
        currencies=currencies,
        sum=sum((each.amount for each in rows), Decimal(0)),
        comment=request.field("comment"),
        date_to=request.field("date_to"),
        fault=fault,
        api_request_path=calls.address(affiliate_payments.list_due),
    )
