"""Staff change the personal payouts of an affiliate in an offer (docs/spec/console.md#affiliates)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from trackyard.api.offers import lists, offers
from trackyard.api.offers.view import OfferView
from trackyard.api.offers.view_parts import PersonalPaymentView
from trackyard.api.people import affiliates
from trackyard.base.errors import AccessDenied, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import AnyForm, FormGroup, FormPlan, flat_pairs, open_form
from trackyard.console.forms.resubmission import DO
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.words import currency_choices
from trackyard.console.staff.affiliates.one import find_affiliate, page_of
from trackyard.console.staff.offers.one import may_write
from trackyard.console.staff.offers.plan import DEVICES, PERSONAL_ROWS
from trackyard.console.staff.people_names import affiliate_name
from trackyard.wire.response.envelope import values_by_name

pages = Pages()

_NAME: Final = "partner_payments"
_FIRST_OF_OTHERS: Final = 1000
"""The place from which on the payouts of other affiliates are sent, so that it is none of this form."""
EDIT: Final = FormPlan(offers.edit, (FormGroup(lazy_gettext("Personal payouts"), (PERSONAL_ROWS,)),))


@pages.get("/console/affiliates/{id}/payouts", needs=(affiliates.show, lists.get, offers.edit))
@pages.post("/console/affiliates/{id}/payouts", needs=(affiliates.show, lists.get, offers.edit))
def edit_payouts(request: PageRequest) -> PageAnswer:
    """Change an affiliate's payouts in the offer in the address."""
    affiliate = find_affiliate(request)
    offer = _offer(request)
    if offer is None:
        fault = gettext("An offer %(offer)s does not exist, or you may not see it.", offer=request.address.get("offer"))
        return page_of(request, affiliate, fault, 404)
    if not may_write(request, offer):
        raise AccessDenied
    number, path = affiliate.id, {"id": str(offer.id)}
    own = [each for each in offer.partner_payments if number in each.partners]
    of_others = [each for each in offer.partner_payments if number not in each.partners]
    others = [pair for place, each in enumerate(of_others) for pair in _sent(place, each)]
    currencies = currency_choices(request)
    choices = {f"{_NAME}[currency]": currencies, f"{_NAME}[devices]": DEVICES}
    form = open_form(
        request,
        _plan(number),
        {_NAME: [values_by_name(each) for each in own]},
        choices=choices,
        path=path,
        fixed=others,
    )
    back = f"/console/affiliates/{number}#payouts"
    if _removes_all(request, form, own):
        request.calls.ask(offers.edit, others or [(_NAME, "")], path)
        return Redirect(back, gettext("No personal payout is left in %(title)s.", title=offer.title))
    if form.save() is not None:
        return Redirect(back, gettext("The personal payouts in %(title)s are saved.", title=offer.title))
    title = gettext("Payouts of %(name)s in %(title)s", name=affiliate_name(affiliate), title=offer.title)
    line = gettext("They replace the general payouts of the offer where they fit.")
    return form.page(request, title, back=back, line=line, save=gettext("Save the payouts"))


def _plan(affiliate: int) -> FormPlan[offers.OfferAnswer]:
    """Return the form, in which a new payout belongs to this affiliate."""
    first, *fields = PERSONAL_ROWS.fields
    rows = replace(PERSONAL_ROWS, fields=(replace(first, initial=str(affiliate)), *fields))
    return replace(EDIT, groups=(replace(EDIT.groups[0], parts=(rows,)),))


def _offer(request: PageRequest) -> OfferView | None:
    """Return the offer in the address; None where it does not exist."""
    path = {"id": request.address.get("offer").strip() or "0"}
    try:
        return request.calls.ask_as(lists.OneOfferAnswer, lists.get, path=path).offer
    except NotFound:
        return None


def _sent(place: int, payment: PersonalPaymentView) -> Iterable[Pair]:
    """Return a payment of other affiliates as parameters."""
    return flat_pairs(f"{_NAME}[{_FIRST_OF_OTHERS + place}]", values_by_name(payment))


def _removes_all(request: PageRequest, form: AnyForm, own: Sequence[PersonalPaymentView]) -> bool:
    return bool(own) and request.field(DO) == "save" and not form.rows_of(_NAME)
