"""The ad costs of an offer: the list, a new cost, its removal (docs/spec/console.md#ad-costs)."""

from dataclasses import replace
from typing import Final

from trackyard.api.statistics import ad_costs as ad_costs_api
from trackyard.api.statistics.ad_costs import AdCostsAnswer, AdCostView
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.lists.page import answer_list, declare_list

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


def _chosen(request: PageRequest) -> str:
    return request.address.get("offer")


def _removal(each: AdCostView, on: On) -> ListCell:
    place = (("offer_id", each.offer_id), ("affiliate_id", each.affiliate_id), ("date", each.date), ("sub8", each.sub8))
    sent = tuple((key, str(value)) for key, value in place)
    name = on.object(AFFILIATES, each.affiliate_id).text
    about = gettext("Remove the ad cost of %(name)s on %(day)s", name=name, day=each.date)
    return cells.acts(Act(gettext("Remove"), f"{PATH}/remove", sent, about))


COSTS: Final = ListPage[AdCostView, AdCostsAnswer](
    path=PATH,
    method=LIST,
    view=AdCostsAnswer,
    rows=lambda _, answer: answer.costs,
    title=lazy_gettext("Ad costs"),
    counted=lambda _total: "",
    about=lazy_gettext(
        "What was paid for the clicks of an affiliate on an offer, by day and sub 8. Reports compute profit and ROI "
        "from them."
    ),
    links=lambda _: [PageLink(gettext("Import CSV"), f"{PATH}/import")],
    main=lambda request: PageLink(gettext("New ad cost"), PageAddress(f"{PATH}/new").set("offer", _chosen(request))),
    filters=(FilterBy(name="offer", parameter="offer_id", objects=OFFERS),),
    required="offer",
    columns=(
        ListColumn(title=lazy_gettext("Day"), cell=lambda each, _: each.date),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            role="title",
            longest=60,
            objects=AFFILIATES,
            key=lambda each: each.affiliate_id,
            cell=lambda each, on: on.object(AFFILIATES, each.affiliate_id),
        ),
        ListColumn(title=lazy_gettext("Sub 8"), longest=80, cell=lambda each, _: each.sub8),
        ListColumn(
            title=lazy_gettext("Cost"),
            role="figure",
            cell=lambda each, on: cells.money(each.costs, on.request.deps.currency),
        ),
        ListColumn(
            title=lazy_gettext("Actions"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(SET),
            cell=_removal,
        ),
    ),
    empty=lambda request: (
        gettext("This offer has no ad costs.")
        if _chosen(request)
        else gettext("Choose an offer: costs are listed by offer.")
    ),
)
declare_list(pages, COSTS)


@pages.get(f"{PATH}/new", needs=(LIST, SET))
@pages.post(f"{PATH}/new", needs=(LIST, SET))
def new_cost(request: PageRequest) -> PageAnswer:
    """Enter a cost; the address may have the offer."""
    values = {"offer_id": request.address.get("offer"), "affiliate_id": "", "date": "", "sub8": "", "costs": ""}
    choices = {"offer_id": OFFERS.choices(request.calls), "affiliate_id": AFFILIATES.choices(request.calls)}
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
        shown_at = replace(request, address=PageAddress(PATH).set("offer", request.field("offer_id")))
        return answer_list(COSTS, shown_at, gettext("Another person removed this ad cost already."), 404)
    return Redirect(f"{PATH}?offer={request.field('offer_id')}", gettext("The ad cost is removed."))


def without_sub8(value: str) -> list[Pair]:
    """Return the parameter of the API for clicks without a value of sub8."""
    return [] if value.strip() else [("no_sub8", "1")]
