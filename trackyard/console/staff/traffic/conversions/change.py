"""Changes of the status of several conversions: what it does to the money, then the change itself."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from urllib.parse import parse_qsl

from trackyard.api.conversions import conversions as conversions_api
from trackyard.api.conversions import edits
from trackyard.api.conversions.conversions import ConversionForStaff, ConversionsForStaff
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.conversions.listing import PATH, PREVIEWED, STATUSES
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.page import make_table

pages = Pages()

MOST: Final = 500
"""Conversions that one form changes."""
COMMENT: Final = 2000


@dataclass(frozen=True, slots=True)
class MoneyEffect:
    """What a change does to the amounts of confirmed conversions in a currency. text: in words."""

    label: str
    before: str
    after: str
    difference: str


@dataclass(frozen=True, slots=True)
class ChangePreview:
    """A change before it is made.

    changed: conversions that get another status. same: the number that has it already. paid: changed ones in a payment.
    taken: what affiliates were paid for ones that are declined, in words; "" = nothing.
    """

    changed: Sequence[ConversionForStaff]
    same: int
    paid: int
    taken: str
    effects: list[MoneyEffect]


@pages.get(f"{PATH}/change", needs=(edits.edit, conversions_api.list_conversions))
def preview_change(request: PageRequest) -> PageAnswer:
    """Show what a change of status does to the money, before it is made."""
    ids = _ids(request.address.all("id"))
    return _preview(request, ids, request.address.get("status"), request.address.get("back"))


@pages.post(f"{PATH}/change", needs=(edits.edit, conversions_api.list_conversions))
def change(request: PageRequest) -> PageAnswer:
    """Change the status of several conversions."""
    ids, status = _ids(value for name, value in request.form if name == "id"), request.field("status")
    comment, back = request.field("comment").strip(), request.field("back")
    of_one = _conversion_of(back)
    if status == "declined" and not comment and of_one:
        return _preview(request, ids, status, back, BadInput({"comment": [gettext("Write the reason.")]}))
    zero = ("allow_zero", "1" if request.field("allow_zero") == "1" else "0")
    sent = [*(("ids[]", each) for each in ids), ("status", status), zero]
    try:
        is_given = comment or request.field("no_comment") == "1"
        answer = request.calls.ask(edits.edit, [*sent, *([("comment", comment)] if is_given else [])])
    except RequestError as refusal:
        return _preview(request, ids, status, back, refusal, comment)
    count = len(answer.data.ids)
    if of_one:
        return Redirect(of_one, f"{_done(status, count)} {gettext('This page shows it in a few seconds.')}")
    message = f"{_done(status, count)} {gettext('The list shows it in a few seconds.')}"
    return Redirect(str(list_address(back)), message)


def _conversion_of(back: str) -> str:
    """Return the page of the one conversion that people came from; "" = they came from the list."""
    found = re.fullmatch(re.escape(PATH) + "/[0-9a-f]{24}", back)
    return found[0] if found else ""


def list_address(back: str) -> PageAddress:
    """Return the list that people came from. back: its address, or the query of it."""
    try:
        return PageAddress(PATH, tuple(parse_qsl(back.rpartition("?")[2].removeprefix(PATH), max_num_fields=100)))
    except ValueError:
        return PageAddress(PATH)


def _ids(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))[:MOST]


def _preview(
    request: PageRequest,
    ids: Sequence[str],
    status: str,
    back: str,
    refusal: RequestError | None = None,
    comment: str = "",
) -> Html:
    sent = [*(("id[]", each) for each in ids), ("limit", str(MOST))]
    found = request.calls.ask_as(ConversionsForStaff, conversions_api.list_conversions, sent).conversions if ids else []
    preview = _changed(found, status) if status in STATUSES and found else None
    return request.page(
        "staff/traffic/conversions_change.html",
        400 if refusal else 200,
        preview=preview,
        shown=make_table(PREVIEWED, request, preview.changed if preview else ()),
        source_zone=request.day_zone,
        wanted=status if status in STATUSES else "",
        statuses=STATUSES,
        ids=ids,
        back=back,
        list_address=_conversion_of(back) or list_address(back),
        of_one=bool(_conversion_of(back)),
        comment=comment,
        refusal="" if refusal is None else _text(refusal),
        asks_zero="status" in ((refusal and refusal.fields) or {}) or request.address.get("unpaid") == "1",
    )


def _changed(found: Sequence[ConversionForStaff], status: str) -> ChangePreview:
    changed = [each for each in found if each.status != status]
    return ChangePreview(
        changed=changed,
        same=len(found) - len(changed),
        paid=sum(each.payment_status != "opened" for each in changed),
        taken=_taken(changed) if status == "declined" else "",
        effects=list(_effects(changed, status)),
    )


def _taken(declined: Iterable[ConversionForStaff]) -> str:
    """Return the sums that affiliates were paid for conversions, by currency."""
    sums: dict[str, Decimal] = {}
    for each in declined:
        sums[each.currency] = sums.get(each.currency, Decimal(0)) + each.paid
    return " + ".join(shown.money(amount, currency) for currency, amount in sorted(sums.items()) if amount > 0)


def _effects(changed: Sequence[ConversionForStaff], status: str) -> Iterable[MoneyEffect]:
    """Yield the confirmed charge, payout and margin before and after, by currency."""
    for currency in sorted({each.currency for each in changed}):
        own = [each for each in changed if each.currency == currency]
        confirmed = [each for each in own if each.status == "confirmed"]
        counted = own if status == "confirmed" else []
        charge_before, charge = (_sum(each.revenue for each in some) for some in (confirmed, counted))
        payout_before, payout = (_sum(each.payouts for each in some) for some in (confirmed, counted))
        for label, before, after in (
            (gettext("Charge"), [charge_before], [charge]),
            (gettext("Payout"), [payout_before], [payout]),
            (gettext("Margin"), [charge_before, -payout_before], [charge, -payout]),
        ):
            change = shown.together((*after, *(-each for each in before)), currency)
            sign = "+" if sum(after) > sum(before) else ""
            texts = [shown.together(each, currency) for each in (before, after)]
            exact = change.exact and f"{sign}{change.exact}"
            yield MoneyEffect(label, texts[0], texts[1], shown.MoneyText(f"{sign}{change}", exact))


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))


def _text(refusal: RequestError) -> str:
    """Return why a change was refused, with the faults of its fields."""
    faults = [sentence for each in (refusal.fields or {}).values() for sentence in each]
    return " ".join(faults) or refusal.text


def _done(status: str, number: int) -> str:
    match status:
        case "confirmed":
            return ngettext("1 conversion is being confirmed.", "%(num)d conversions are being confirmed.", number)
        case "pending":
            return ngettext(
                "1 conversion is being set to pending.", "%(num)d conversions are being set to pending.", number
            )
        case "hold":
            return ngettext("1 conversion is being put on hold.", "%(num)d conversions are being put on hold.", number)
    return ngettext("1 conversion is being declined.", "%(num)d conversions are being declined.", number)
