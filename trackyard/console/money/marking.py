"""Marking payments as paid, and cancelling them, after a preview (docs/spec/console.md#money)."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.money import affiliate_payments
from trackyard.api.money.affiliate_payments import AffiliatePaymentView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.money.payment_files import FILE_NEEDS, ask_for_template
from trackyard.console.money.payments import DONE, PATH
from trackyard.console.money.words import PAYMENT_STATUSES, sums_of, sums_text
from trackyard.console.staff.faults import fault_of
from trackyard.wire.local_calls import LocalCalls

pages = Pages()
_MOST: Final = 1000
_ONE: Final = re.compile(rf"{PATH}/[0-9]{{1,9}}")
Chosen = tuple[str, str]
"""The number of a payment, and the amount that a person saw."""


@pages.post(PATH, needs=(affiliate_payments.list_, affiliate_payments.edit))
def mark(request: PageRequest) -> PageAnswer:
    """Execute or cancel the payments that were chosen, after a preview."""
    status, back = request.field("do"), _back(request.field("back"))
    chosen = list(dict.fromkeys(value for name, value in request.form if name == "payment"))
    if status == "file" and chosen and request.may_use(FILE_NEEDS):
        return ask_for_template(request, chosen)
    if status not in DONE or not chosen:
        return Redirect(back, gettext("Nothing is changed: choose payments first."))
    seen = [value for name, value in request.form if name == "amount"]
    if len(seen) != len(chosen):
        return preview(request, status, chosen, back)
    return Redirect(back, _marked(request.calls, status, zip(chosen, seen, strict=True)))


def _back(sent: str) -> str:
    """Return the page that a form came from: the list or one payment."""
    return sent if _ONE.fullmatch(sent) else back_to(PATH, sent)


def preview(request: PageRequest, status: str, numbers: Sequence[str], back: str) -> PageAnswer:
    """Show which payments get a status, where they go and their sums, before it cannot be undone."""
    sent = [*(("id[]", each) for each in numbers[:_MOST]), ("limit", str(_MOST))]
    try:
        found = request.calls.ask(affiliate_payments.list_, sent).payments
    except RequestError as refusal:
        return Redirect(back, fault_of(refusal))
    changed = [each for each in found if _may_get(each, status)]
    names = AFFILIATES.names(request.calls, (each.pid for each in found))
    return request.page(
        "money/payments_mark.html",
        status=200,
        wanted=status,
        changed=changed,
        same=[each for each in found if each not in changed],
        names=names,
        statuses=PAYMENT_STATUSES,
        total=sums_text(sums_of((each.currency, each.amount) for each in changed)),
        back=back,
    )


def _may_get(payment: AffiliatePaymentView, status: str) -> bool:
    """Return whether a payment can get a status. A partly paid one cannot be cancelled."""
    return payment.status not in DONE and (status == "paid" or payment.status != "partly_paid")


def _marked(calls: LocalCalls[Deps], status: str, chosen: Iterable[Chosen]) -> str:
    """Give payments a status and return what was done, and why not where the API refused."""
    done, held, refused = 0, 0, list[str]()
    for number, amount in chosen:
        try:
            sent = [("status", status), ("seen_amount", amount)]
            answer = calls.ask(affiliate_payments.edit, sent, {"id": number})
        except RequestError as refusal:
            refused.append(gettext("Payment %(number)s: %(fault)s", number=number, fault=fault_of(refusal)))
            continue
        is_done = answer.payment.status == status
        done, held = done + is_done, held + (not is_done)
    parts = [_done(status, done) if done or not held else ""]
    parts += [_held(held) if held else "", *refused]
    return " ".join(part for part in parts if part)


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
