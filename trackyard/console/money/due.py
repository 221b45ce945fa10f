"""What can be paid to affiliates now, a preview, and making the payments (docs/spec/console.md#money)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import affiliate_payments, payment_proposals
from trackyard.api.money.affiliate_payments import AddedPaymentsAnswer
from trackyard.api.money.payment_proposals import ProposedPaymentView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.money.payments import PATH
from trackyard.console.money.words import PROPOSAL_REASONS, sums_of, sums_text
from trackyard.console.staff.faults import fault_of

pages = Pages()
_NEEDS: Final = (payment_proposals.propose, affiliate_payments.add)
_KEPT: Final = ("currency", "date_to", "comment")
"""The fields that the preview keeps."""


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """A row of the page.

    is_chosen: whether it is ticked. reasons: why it was not at first. health: the page of its findings, "" = none.
    """

    row: ProposedPaymentView
    name: str
    is_chosen: bool
    reasons: Sequence[str]
    health: str

    @property
    def can_be_paid(self) -> bool:
        """Return whether a run pays something."""
        return self.row.amount > 0


@pages.get("/console/payments/due", needs=_NEEDS)
def due(request: PageRequest) -> PageAnswer:
    """Show the amounts that can be paid, in one currency at a time."""
    return _page(request)


@pages.post("/console/payments/due", needs=_NEEDS)
def propose(request: PageRequest) -> PageAnswer:
    """Show what payments would be made for the affiliates that were chosen, then make them."""
    chosen = [value for name, value in request.form if name == "pid"]
    if not chosen:
        return _page(request, gettext("Choose at least one affiliate."), 400)
    if request.field("do") != "make":
        return _preview(request, chosen)
    amounts = [("amounts[]", value) for name, value in request.form if name == "amount"]
    try:
        answer = request.calls.ask(
            affiliate_payments.add, [*(("pid[]", each) for each in chosen), *amounts, *_kept(request)]
        )
    except RequestError as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    if not answer.payments:
        return _preview(request, chosen, _done(answer))
    return Redirect(f"{PATH}?status=created", _done(answer))


def _kept(request: PageRequest) -> list[Pair]:
    found = ((name, request.field(name).strip()) for name in _KEPT)
    return [(name, value) for name, value in found if value]


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


def _preview(request: PageRequest, chosen: Sequence[str], fault: str = "") -> PageAnswer:
    """Show what the chosen affiliates would be paid, before payments are made."""
    sent = [*(("pid[]", each) for each in chosen), *(pair for pair in _kept(request) if pair[0] != "comment")]
    try:
        found = request.calls.ask(payment_proposals.propose, sent).proposal
    except RequestError as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    lines = _lines(request, found, chosen)
    paid = [each for each in lines if each.can_be_paid]
    return request.page(
        "money/payments_preview.html",
        400 if fault else 200,
        lines=paid,
        left_out=[each for each in lines if not each.can_be_paid],
        total=sums_text(sums_of((each.row.currency, each.row.amount) for each in paid)),
        kept=_kept(request),
        fault=fault,
    )


def _lines(
    request: PageRequest, found: Sequence[ProposedPaymentView], chosen: Sequence[str] | None
) -> list[ProposalLine]:
    """Return the rows. chosen: the ticked affiliates; None = the ones that are proposed."""
    names = AFFILIATES.names(request.calls, (each.pid for each in found))
    return [
        ProposalLine(
            row=each,
            name=names.get(str(each.pid)) or each.email,
            is_chosen=each.is_proposed if chosen is None else str(each.pid) in chosen,
            reasons=[str(PROPOSAL_REASONS[reason]) for reason in each.reasons],
            health=_health(request, each),
        )
        for each in found
    ]


def _health(request: PageRequest, row: ProposedPaymentView) -> str:
    path = f"/console/affiliates/{row.pid}/health"
    return path if row.findings and request.may_open(path) else ""


def _page(request: PageRequest, fault: str = "", status: int = 200) -> Html:
    """Return the page with what was chosen; at first the ones that are proposed are."""
    calls = request.calls
    answer = calls.ask(payment_proposals.propose)
    sums: Mapping[str, Decimal] = sums_of((each.currency, each.amount) for each in answer.proposal)
    wanted = request.field("currency") or request.address.get("currency")
    first = next((code for code, amount in sums.items() if amount), next(iter(sums), request.deps.currency))
    currency = wanted if wanted in sums else first
    found = [each for each in answer.proposal if each.currency == currency]
    chosen = [value for name, value in request.form if name == "pid"] if request.form else None
    lines = sorted(_lines(request, found, chosen), key=lambda each: not each.can_be_paid)
    payable = [each for each in lines if each.can_be_paid]
    return request.page(
        "money/payments_due.html",
        status,
        lines=lines,
        payable=len(payable),
        proposed=sum(each.row.is_proposed for each in payable),
        findings_read=answer.findings_read,
        in_currency=currency,
        currencies=list(sums),
        sum=sums.get(currency, Decimal(0)),
        comment=request.field("comment"),
        date_to=request.field("date_to"),
        fault=fault,
        api_request_path=calls.address(payment_proposals.propose),
    )
