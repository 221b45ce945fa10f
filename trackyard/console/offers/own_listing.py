"""The lists of offers of affiliates and of advertisers (docs/spec/console.md#portal)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trackyard.api.offers import lists
from trackyard.api.offers.lists import AffiliateOffersAnswer
from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.api.people.advertiser_side import own_offers
from trackyard.api.people.advertiser_side.own_offers import OwnOffersAnswer, OwnOfferView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, Part
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Search, Tabs, figure_columns
from trackyard.console.lists.figures import FiguresBy
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import LIVE_OFFERS, OFFERS_OF_ADVERTISER
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.addresses import charge_text, goal_name
from trackyard.console.offers_shown.caps import CapMeter, find_meters, fullest
from trackyard.console.offers_shown.choices import categories, country_names
from trackyard.console.offers_shown.words import MARKS, STATUSES, payout

pages = Pages()

OWN_PATH: Final = "/portal/offers"
_COUNTRIES: Final = 6
"""Countries that a row shows; it counts the others."""


@dataclass(frozen=True, slots=True)
class OfferAccess:
    """Whether an affiliate may send visitors to an offer. kind: the class of its mark."""

    kind: str
    text: str


CONNECTED: Final = OfferAccess("confirmed", lazy_gettext("Connected"))
ON_REQUEST: Final = OfferAccess("pending", lazy_gettext("On request"))
CLOSED: Final = OfferAccess("declined", lazy_gettext("Closed to you"))


def connection_of(offer: AffiliateOfferView) -> OfferAccess:
    """Return whether an affiliate may send visitors to an offer."""
    if offer.links:
        return CONNECTED
    return ON_REQUEST if offer.required_approval else CLOSED


@dataclass(frozen=True, slots=True)
class PortalOffer:
    """An offer as affiliates see it.

    cap: the fullest one, if it was read. epc: of own clicks in words, "" = none.
    """

    view: AffiliateOfferView
    cap: CapMeter | None = None
    epc: str = ""

    @property
    def connection(self) -> OfferAccess:
        """Return whether the affiliate may send visitors to it."""
        return connection_of(self.view)

    @property
    def payout(self) -> str:
        """Return the highest payout in words, "" without one."""
        best = max(self.view.payments, key=lambda payment: payment.revenue, default=None)
        return payout(best) if best else ""


def cap_cell(cap: CapMeter | None) -> ListCell:
    """Return how full a cap is."""
    return ListCell(value=cap.text, part=Part("offers/cap.html", {"cap": cap})) if cap else ListCell()


def more_payments(count: int) -> str:
    """Return how many payments an offer has besides the one that is shown, "" = none."""
    return ngettext("and %(num)d more", "and %(num)d more", count - 1) if count > 1 else ""


def offers_counted(total: int) -> str:
    """Return how many offers a list has."""
    return ngettext("%(num)d offer", "%(num)d offers", total) + "."


def _rows(request: PageRequest, answer: AffiliateOffersAnswer) -> list[PortalOffer]:
    currency = request.deps.currency
    meters = find_meters(request.calls, [each.id for each in answer.offers if each.caps], currency)
    return [PortalOffer(each, fullest(meters.get(each.id, ()))) for each in answer.offers]


def _countries(codes: Sequence[str]) -> str:
    more = len(codes) - _COUNTRIES
    return ", ".join(codes[:_COUNTRIES]) + (f" +{more}" if more > 0 else "")


def _title(row: PortalOffer, on: On) -> ListCell:
    return on.object(LIVE_OFFERS, row.view.id, ", ".join(row.view.categories), name=row.view.title)


def _no_offer(request: PageRequest) -> str:
    manager = request.person.manager
    ask = [gettext("Ask your manager: %(email)s", email=manager.email)] if manager else []
    return " ".join([gettext("There is no offer for you yet."), *ask])


_FIGURES: Final = FiguresBy[PortalOffer, AffiliateOffersAnswer](
    names=("epc", "cr"),
    slice_="offer",
    filter_="offer",
    key=lambda row: row.view.id,
    by="int_id[]",
    ids=lambda answer: [each.id for each in answer.offers],
)
OWN_OFFERS: Final = ListPage[PortalOffer, AffiliateOffersAnswer](
    path=OWN_PATH,
    audience="affiliate",
    method=lists.list_offers,
    view=AffiliateOffersAnswer,
    rows=_rows,
    record=lambda row: row.view,
    title=lazy_gettext("Offers"),
    counted=offers_counted,
    about=lazy_gettext("EPC and CR count your own clicks."),
    period=Days(usual="30d", first="", last=""),
    figures=_FIGURES,
    search=Search(placeholder=lazy_gettext("Title or number")),
    tabs=Tabs(
        name="mine",
        label=lazy_gettext("Connection"),
        choices=(("", lazy_gettext("All offers")), ("1", lazy_gettext("My offers"))),
    ),
    filters=(
        FilterBy(
            name="category",
            parameter="categories",
            label=lazy_gettext("Category"),
            choices=lambda request: categories(request.calls, request.address.all("category")),
        ),
        FilterBy(
            name="country",
            parameter="countries",
            label=lazy_gettext("Country"),
            choices=lambda _: country_names(),
        ),
    ),
    usual=("id", "desc"),
    columns=(
        ListColumn(title=lazy_gettext("ID"), sort="id", cell=lambda row, _: str(row.view.id)),
        ListColumn(
            title=lazy_gettext("Offer"), below=lazy_gettext("Categories"), role="title", sort="title", cell=_title
        ),
        ListColumn(
            title=lazy_gettext("For you"),
            cell=lambda row, _: cells.status(str(row.connection.text), row.connection.kind),
        ),
        ListColumn(
            title=lazy_gettext("Countries"), cell=lambda row, _: _countries(row.view.countries) or gettext("all")
        ),
        ListColumn(
            title=lazy_gettext("Payout"),
            role="figure",
            cell=lambda row, _: cells.cell(row.payout, more_payments(len(row.view.payments))),
        ),
        *(replace(each, falls=True) for each in figure_columns(_FIGURES)),
        ListColumn(title=lazy_gettext("Fullest cap"), cell=lambda row, _: cap_cell(row.cap)),
    ),
    empty=_no_offer,
)
MY_OFFERS: Final = replace(OWN_OFFERS, own=(("mine", "1"),), method=lists.list_live)
"""The offers that an affiliate may send visitors to."""
declare_list(pages, OWN_OFFERS, MY_OFFERS)


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))


def _none_of_advertiser(request: PageRequest) -> str:
    contact = request.network.contact
    ask = [gettext("Questions? Write to %(contact)s.", contact=contact)] if contact else []
    return " ".join([gettext("You have no offers yet. The network adds them."), *ask])


OFFERS_TO_ADVERTISER: Final = ListPage[OwnOfferView, OwnOffersAnswer](
    path="/advertiser/offers",
    audience="advertiser",
    method=own_offers.list_,
    view=OwnOffersAnswer,
    rows=lambda _, answer: answer.offers,
    title=lazy_gettext("Offers"),
    counted=offers_counted,
    about=lazy_gettext("The charge is what you pay for a conversion."),
    search=Search(placeholder=lazy_gettext("Title or number"), parameter="search"),
    columns=(
        ListColumn(title=lazy_gettext("ID"), cell=lambda each, _: str(each.id)),
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            cell=lambda each, on: on.object(OFFERS_OF_ADVERTISER, each.id, name=each.title),
        ),
        ListColumn(
            title=lazy_gettext("Status"),
            cell=lambda each, _: cells.status(str(STATUSES[each.status]), MARKS[each.status]),
        ),
        ListColumn(title=lazy_gettext("Goals"), longest=60, cell=lambda each, _: _joined(map(goal_name, each.payouts))),
        ListColumn(
            title=lazy_gettext("Countries"),
            longest=40,
            cell=lambda each, _: _joined(code for group in each.targetings for code in group.country) or gettext("all"),
        ),
        ListColumn(
            title=lazy_gettext("Charge"),
            role="figure",
            longest=60,
            cell=lambda each, _: _joined(map(charge_text, each.payouts)),
        ),
    ),
    empty=_none_of_advertiser,
    per_page=30,
)
declare_list(pages, OFFERS_TO_ADVERTISER)
