"""The ad costs of an offer: the list, a new cost, its removal (docs/spec/console.md#ad-costs)."""

from typing import Final

from trackyard.api.statistics import ad_costs as ad_costs_api
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import names
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.people_names import affiliate_names
from trackyard.console.staff.traffic.filters import offers

pages = Pages()

PATH: Final = "/console/ad-costs"
LIST: Final = ad_costs_api.list_
SET: Final = ad_costs_api.set_
_KEYS: Final = ("offer_id", "affiliate_id", "date", "sub8")
NEW: Final = FormPlan(
    SET,
    (
        FormGroup(
            lazy_gettext("Ad cost"),
            (
                FormField("offer_id", lazy_gettext("Offer"), help=""),
                FormField("affiliate_id", lazy_gettext("Affiliate"), help=""),
                FormField("date", lazy_gettext("Day"), help=""),
                FormField(
                    "sub8",
                    lazy_gettext("Sub 8"),
                    help=lazy_gettext("The value of sub8 of the clicks; empty is clicks without one."),
                ),
                FormField(
                    "costs",
                    lazy_gettext("Cost"),
                    help=lazy_gettext(
                        "In the currency of the platform. It replaces an earlier cost of the same clicks."
                    ),
                ),
            ),
        ),
    ),
)


@pages.get(PATH, needs=(LIST,))
def ad_costs(request: PageRequest) -> PageAnswer:
    """Show the ad costs of the offer in the address, the newest days first."""
    return _page(request)


@pages.get(f"{PATH}/new", needs=(LIST, SET))
@pages.post(f"{PATH}/new", needs=(LIST, SET))
def new_cost(request: PageRequest) -> PageAnswer:
    """Enter a cost; the address may name the offer."""
    values = {"offer_id": request.address.get("offer"), "affiliate_id": "", "date": "", "sub8": "", "costs": ""}
    choices = {"offer_id": offers(request.calls), "affiliate_id": names.affiliates(request.calls)}
    form = open_form(request, NEW, values, choices=choices, fixed=without_sub8(request.field("sub8")), is_new=True)
    if form.save() is not None:
        return Redirect(f"{PATH}?offer={request.field('offer_id')}", gettext("The ad cost is saved."))
    line = gettext("What was paid for the clicks of an affiliate on an offer, on a day. Reports have it at once.")
    return form.page(request, gettext("New ad cost"), back=PATH, line=line, save=gettext("Save the ad cost"))


@pages.post(f"{PATH}/remove", needs=(LIST, ad_costs_api.remove))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a cost."""
    sent = [(name, request.field(name)) for name in _KEYS if request.field(name)]
    try:
        request.calls.ask(ad_costs_api.remove, [*sent, *without_sub8(request.field("sub8"))])
    except NotFound:
        return _page(request, gettext("Another person removed this ad cost already."), 404)
    return Redirect(f"{PATH}?offer={request.field('offer_id')}", gettext("The ad cost is removed."))


def without_sub8(value: str) -> list[Pair]:
    """Return the parameter of the API for clicks without a value of sub8."""
    return [] if value.strip() else [("no_sub8", "1")]


def _page(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    known = offers(request.calls)
    filters = (ListFilter("offer", gettext("Offer"), "offer_id", known or None, "text" if known else "number"),)
    state = read_list(request.address, filters)
    sent, found, total = state.sent(), list[ad_costs_api.AdCostView](), 0
    chosen = next(iter(filters[0].values(request.address)), "")
    if chosen:
        try:
            if (file := list_file(request, LIST, lambda answer: answer.costs, sent)) is not None:
                return file
            answer = request.calls.ask(LIST, sent)
            found, total = answer.costs, answer.pagination.total
        except BadInput as refusal:
            fault, status = fault_of(refusal), 400
    people = affiliate_names(request.calls, (each.affiliate_id for each in found))
    return request.page(
        "staff/ad_costs/list.html",
        status,
        rows=[(each, people.get(each.affiliate_id, f"#{each.affiliate_id}")) for each in found],
        offer=chosen,
        offers=known,
        fault=fault,
        currency=request.deps.currency,
        may_write=request.calls.may(SET),
        api_request_path=request.calls.address(LIST, sent),
        **state.shown(total),
    )
