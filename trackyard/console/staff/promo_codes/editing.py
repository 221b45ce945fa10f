"""Making, changing and ending promo codes (docs/spec/console.md#promo-codes)."""

from datetime import UTC, datetime
from typing import Final

from trackyard.api.offers import promo_codes
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.staff.promo_codes.listing import METHOD, PATH, find_code
from trackyard.domain.offers.promo_codes import MANUAL

pages = Pages()

_ITEM: Final = "promocodes[0]"
_CODE_HELP: Final = lazy_gettext("3 to 36 letters, digits and - _ . { } + = / : ~. Letter case does not count.")
_LIMIT_HELP: Final = lazy_gettext("Conversions that it makes at most; empty is any number.")
_NOTE_HELP: Final = lazy_gettext("For staff alone.")


def _terms(prefix: str) -> tuple[FormField, ...]:
    """Return the fields of both forms. prefix: the start of parameters, up to an opening bracket."""
    name = (lambda key: f"{prefix}[{key}]") if prefix else str
    return (
        FormField(name("date_from"), lazy_gettext("Works from"), help="", widget="moment", zoned=True),
        FormField(name("date_to"), lazy_gettext("Works until"), help="", widget="moment", zoned=True),
        FormField(name("usage_limit"), lazy_gettext("Limit"), help=_LIMIT_HELP),
        FormField(name("description"), lazy_gettext("Note"), help=_NOTE_HELP, wide=True),
    )


NEW: Final = FormPlan(
    promo_codes.add,
    (
        FormGroup(
            lazy_gettext("Promo code"),
            (
                FormField(f"{_ITEM}[offer_id]", lazy_gettext("Offer"), help=""),
                FormField(
                    f"{_ITEM}[affiliate_id]",
                    lazy_gettext("Affiliate"),
                    help=lazy_gettext("It gets the conversions that the code makes."),
                ),
                FormField(f"{_ITEM}[code]", lazy_gettext("Code"), help=_CODE_HELP),
                *_terms(_ITEM),
            ),
        ),
    ),
)
EDIT: Final = FormPlan(promo_codes.edit, (FormGroup(lazy_gettext("Promo code"), _terms("")),))


@pages.get(f"{PATH}/new", needs=(METHOD, promo_codes.add))
@pages.post(f"{PATH}/new", needs=(METHOD, promo_codes.add))
def new_code(request: PageRequest) -> PageAnswer:
    """Make a promo code; the address may name its offer and affiliate."""
    now = datetime.fromtimestamp(request.deps.clock.now_ms() // 1000, UTC).replace(second=0)
    named = {"offer_id": request.address.get("offer"), "affiliate_id": request.address.get("affiliate")}
    values = {"promocodes": {"0": {**named, "date_from": now.isoformat()}}}
    choices = {
        f"{_ITEM}[offer_id]": OFFERS.choices(request.calls),
        f"{_ITEM}[affiliate_id]": AFFILIATES.choices(request.calls),
    }
    fixed = [(f"{_ITEM}[type]", MANUAL)]
    form = open_form(request, NEW, values, choices=choices, fixed=fixed, is_new=True)
    answer = form.save()
    if answer is not None:
        [made] = answer.data.promocodes
        return Redirect(PATH, gettext("The promo code %(code)s is made.", code=made.code))
    line = gettext("Visitors name it to the advertiser. A postback with the code and no click id makes a conversion.")
    return form.page(request, gettext("New promo code"), back=PATH, line=line, save=gettext("Make the promo code"))


@pages.get(f"{PATH}/edit", needs=(METHOD, promo_codes.edit))
@pages.post(f"{PATH}/edit", needs=(METHOD, promo_codes.edit))
def edit_code(request: PageRequest) -> PageAnswer:
    """Change the period, the limit or the note of a promo code."""
    found = find_code(request)
    form = open_form(request, EDIT, found, path={"id": found.id})
    if form.save() is not None:
        return Redirect(PATH, gettext("The promo code %(code)s is saved.", code=found.code))
    line = gettext("Its code, offer and affiliate stay: conversions refer to them.")
    return form.page(request, gettext("Edit the promo code %(code)s", code=found.code), back=PATH, line=line)


@pages.post(f"{PATH}/end", needs=(METHOD, promo_codes.edit))
def end_code(request: PageRequest) -> PageAnswer:
    """End a promo code now. One that has not begun loses its whole period."""
    found = find_code(request)
    last = datetime.fromtimestamp((request.deps.clock.now_ms() - 1) / 1000, UTC)
    sent = [("date_to", last.isoformat())]
    if datetime.fromisoformat(found.date_from) > last:
        sent.append(("date_from", last.isoformat()))
    request.calls.ask(promo_codes.edit, sent, {"id": found.id})
    message = gettext("The promo code %(code)s has ended. Its conversions stay.", code=found.code)
    return Redirect(PATH, message)
