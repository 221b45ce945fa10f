"""The list of offers for staff, with their figures and findings (docs/spec/console.md#offers)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import connections, lists
from trackyard.api.offers import offers as offers_api
from trackyard.api.offers.lists import OffersAnswer
from trackyard.api.offers.view import ListedOfferView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.methods import OneOf
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink, Part
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Search, Selection, figure_columns
from trackyard.console.lists.figures import FiguresBy
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, OFFERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers.findings import OfferFinding, findings_of_offers
from trackyard.console.offers.own_listing import cap_cell, more_payments, offers_counted
from trackyard.console.offers_shown.cap_lists import CapLists
from trackyard.console.offers_shown.caps import CapMeter, find_meters, fullest
from trackyard.console.offers_shown.choices import categories, country_names, smartlink_choices, source_choices
from trackyard.console.offers_shown.words import MARKS, PRIVACIES, STATUSES, charge, payout
from trackyard.console.staff.offers.one import may_write
from trackyard.domain.offers.choices import Privacy

pages = Pages()

PATH: Final = "/console/offers"
_CHANGES: Final = (
    ("active", lazy_gettext("Activate the offer")),
    ("suspended", lazy_gettext("Pause the offer")),
    ("stopped", lazy_gettext("Stop the offer")),
)


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer of the list. cap: its fullest cap.

    affiliates: the number of connected affiliates, or a text that all may use it; "" where the person may not see them.
    """

    offer: ListedOfferView
    findings: Sequence[OfferFinding]
    cap: CapMeter | None
    affiliates: str


def _rows(request: PageRequest, answer: OffersAnswer) -> list[OfferRow]:
    offers = answer.offers
    findings, affiliates = findings_of_offers(request, [each.id for each in offers]), _affiliates_of(request, offers)
    capped, links = [each.id for each in offers if each.caps], CapLists.of(request, offers).link
    meters = find_meters(request.calls, capped, request.deps.currency, links)
    return [
        OfferRow(each, findings.get(each.id, ()), fullest(meters.get(each.id, ())), affiliates.get(each.id, ""))
        for each in offers
    ]


def _affiliates_of(request: PageRequest, offers: Sequence[ListedOfferView]) -> Mapping[int, str]:
    """Return how many connected affiliates the person may see, by offer.

    All affiliates may use a public offer, except affiliates that staff disconnected.
    """
    if not offers or not request.calls.may(connections.count_affiliates):
        return {}
    sent = [("offer_id[]", str(each.id)) for each in offers]
    found = {each.offer_id: each for each in request.calls.ask(connections.count_affiliates, sent).offers}
    return {each.id: _affiliates_text(each, found[each.id]) for each in offers if each.id in found}


def _affiliates_text(offer: ListedOfferView, counted: connections.OfferAffiliatesView) -> str:
    if offer.privacy != Privacy.PUBLIC:
        return number(counted.enabled)
    left_out = counted.disabled
    return gettext("all but %(count)s", count=number(left_out)) if left_out else gettext("all")


def _title(row: OfferRow, on: On) -> ListCell:
    advertiser = on.names.get(ADVERTISERS.label, {}).get(row.offer.advertiser, "")
    return on.object(OFFERS, row.offer.id, advertiser, name=row.offer.title)


def _status(row: OfferRow, _on: On) -> ListCell:
    findings = (PageLink(each.sentence, each.link, tone=f"finding {each.tone}") for each in row.findings)
    return cells.status(str(STATUSES[row.offer.status]), MARKS[row.offer.status], *findings)


def _payout(row: OfferRow, _on: On) -> ListCell:
    best = max(row.offer.payments, key=lambda payment: payment.revenue, default=None)
    if best is None:
        return ListCell()
    return cells.cell(f"{payout(best)} → {charge(best)}", more_payments(len(row.offer.payments)))


def _menu(row: OfferRow, on: On) -> ListCell:
    """Return the menu of an offer: its pages, and its other statuses."""
    offer, can_write = row.offer, may_write(on.request, row.offer)
    place = f"{PATH}/{offer.id}"
    own = ((f"{place}/edit", gettext("Edit")), (f"{place}/targeting", gettext("Edit the targeting")))
    others = (
        (f"{PATH}/new?copy={offer.id}", gettext("Copy")),
        (f"/console/reports?by=affiliate&f.offer={offer.id}", gettext("Its affiliates in the report")),
        (f"/console/conversions?offer={offer.id}", gettext("Conversions")),
        (f"/console/clicks?offer={offer.id}&verdict=rejected", gettext("Rejected clicks")),
    )
    links = [PageLink(text, to) for to, text in others if on.opens(to.partition("?")[0])]
    changes = _CHANGES if can_write and on.request.calls.may(offers_api.update) else ()
    return ListCell(
        value="",
        part=Part(
            "offers/menu.html",
            {
                "offer": offer,
                "links": [*(PageLink(text, to) for to, text in own if can_write), *links],
                "changes": [(value, label) for value, label in changes if value != offer.status],
            },
        ),
    )


_FILTERS: Final = (
    FilterBy(name="status", label=lazy_gettext("Status"), words=STATUSES, usual=tuple(STATUSES)),
    FilterBy(
        name="privacy",
        label=lazy_gettext("Privacy"),
        words=PRIVACIES,
        sent={name: str(place) for place, name in enumerate(PRIVACIES)},
    ),
    FilterBy(name="advertiser", objects=ADVERTISERS),
    FilterBy(
        name="category",
        parameter="categories",
        label=lazy_gettext("Category"),
        choices=lambda request: categories(request.calls, request.address.all("category")),
    ),
    FilterBy(
        name="source",
        parameter="sources",
        label=lazy_gettext("Traffic source"),
        choices=lambda request: source_choices(request.calls, request.address.all("source")),
    ),
    FilterBy(
        name="smartlink",
        parameter="smartlink_categories",
        label=lazy_gettext("SmartLink"),
        choices=lambda request: smartlink_choices(request.calls, request.address.all("smartlink")),
    ),
    FilterBy(name="country", parameter="countries", label=lazy_gettext("Country"), choices=lambda _: country_names()),
)


def _active(request: PageRequest) -> Iterator[str]:
    """Yield how many offers are active, where the list has all offers."""
    if not any(request.address.get(name) for name in ("q", *(each.name for each in _FILTERS))):
        yield gettext("%(active)s active.", active=number(request.calls.ask(lists.count).count))


def _values(request: PageRequest, rows: Sequence[OfferRow]) -> dict[str, object]:
    """Return the values of the form of the selected offers."""
    may_connect = request.calls.may(connections.enable_affiliate)
    return {
        "may_change": request.calls.may(offers_api.update),
        "may_connect": may_connect,
        "statuses": STATUSES,
        "affiliates": AFFILIATES.choices(request.calls) if rows and may_connect else (),
    }


_FIGURES: Final = FiguresBy[OfferRow, OffersAnswer](
    names=("clicks", "conversions", "cr"),
    slice_="offer",
    filter_="offer",
    key=lambda row: row.offer.id,
    by="int_id[]",
    ids=lambda answer: [each.id for each in answer.offers],
)
OFFER_LIST: Final = ListPage[OfferRow, OffersAnswer](
    path=PATH,
    method=lists.list_offers,
    view=OffersAnswer,
    rows=_rows,
    record=lambda row: row.offer,
    title=lazy_gettext("Offers"),
    counted=offers_counted,
    notes=_active,
    main=lambda _: PageLink(gettext("New offer"), f"{PATH}/new"),
    period=Days(usual="7d", first="", last=""),
    search=Search(placeholder=lazy_gettext("Title or number")),
    filters=_FILTERS,
    figures=_FIGURES,
    usual=("id", "desc"),
    columns=(
        ListColumn(title=lazy_gettext("ID"), sort="id", cell=lambda row, _: str(row.offer.id)),
        ListColumn(
            title=lazy_gettext("Offer"),
            below=lazy_gettext("Advertiser"),
            role="title",
            sort="title",
            objects=ADVERTISERS,
            key=lambda row: row.offer.advertiser,
            cell=_title,
        ),
        ListColumn(title=lazy_gettext("Status"), below=lazy_gettext("Findings"), cell=_status),
        ListColumn(title=lazy_gettext("Payout → charge"), role="figure", sort="revenue", cell=_payout),
        ListColumn(
            title=lazy_gettext("Affiliates"),
            role="figure",
            shown=lambda request, _: request.calls.may(connections.count_affiliates),
            cell=lambda row, _: row.affiliates,
        ),
        *figure_columns(_FIGURES),
        ListColumn(title=lazy_gettext("Fullest cap"), cell=lambda row, _: cap_cell(row.cap)),
        ListColumn(title=lazy_gettext("Menu"), role="act", is_hidden_title=True, cell=_menu),
    ),
    selection=Selection(
        path=f"{PATH}/selected",
        field="offer",
        needs=(OneOf((offers_api.update, connections.enable_affiliate)),),
        key=lambda row: row.offer.id,
        about=lambda row, _: gettext("Select the offer %(title)s", title=row.offer.title),
        line=lazy_gettext("The selected ones:"),
        template="offers/selected.html",
    ),
    values=_values,
    empty=lazy_gettext("There are no offers yet. An offer has the target of clicks and the payouts of conversions."),
)
declare_list(pages, OFFER_LIST)
