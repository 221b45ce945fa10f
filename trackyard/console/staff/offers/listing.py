"""The list of offers, with their figures and findings (docs/spec/console.md#offers)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import connections, lists
from trackyard.api.offers import offers as offers_api
from trackyard.api.offers.view import ListedOfferView
from trackyard.api.offers.view_parts import OfferPaymentView
from trackyard.api.statistics import reports
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number
from trackyard.console.list_files import asks_for_file, every_row, refuse_too_many, rows_file
from trackyard.console.offers_shown import choices, names
from trackyard.console.offers_shown.cap_lists import CapLists
from trackyard.console.offers_shown.caps import CapMeter, find_meters, fullest
from trackyard.console.offers_shown.words import PRIVACIES, STATUSES, charge, payout
from trackyard.console.staff.list_figures import ListFigures, find_list_figures, list_period
from trackyard.console.staff.lists import PER_PAGE, ListFilter, read_list
from trackyard.console.staff.offers.findings import OfferFinding, findings_of_offers
from trackyard.console.staff.offers.one import may_write
from trackyard.console.staff.offers.ordering import FIGURES, each_by_figure, page_by_figure
from trackyard.domain.offers.choices import Privacy
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

USUAL: Final = ("id", "desc")
"""The order of an address without one: the newest offer first."""
SORTS: Final = ("id", "title", "revenue")
"""Columns that the API sorts, by its names."""


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer of the list. results: None where they cannot be seen. best: its highest payment.

    affiliates: the number of connected affiliates, or a text that all may use it; "" where the person may not see them.
    may_write: whether the person may change it.
    """

    offer: ListedOfferView
    advertiser: str
    best: OfferPaymentView | None
    results: ListFigures | None
    findings: Sequence[OfferFinding]
    cap: CapMeter | None
    affiliates: str
    may_write: bool

    @property
    def payout(self) -> str:
        """Return the highest payout in words."""
        return payout(self.best) if self.best else ""

    @property
    def charge(self) -> str:
        """Return the charge of the highest payout in words."""
        return charge(self.best) if self.best else ""


@pages.get("/console/offers", needs=(lists.list_offers,))
def offers(request: PageRequest) -> PageAnswer:
    """Show offers that meet the filters, a page at a time."""
    calls, address = request.calls, request.address
    filters = _filters(calls, address)
    period = list_period(request)
    sent = _request(address, filters)
    if asks_for_file(request):
        return _file(request, sent, period.days)
    found, total, sort, refusal = _found(request, sent, period.days)
    ids = [offer.id for offer in found]
    results, fault = find_list_figures(request, period.days, "offer", "offer", ids)
    capped = [offer.id for offer in found if offer.caps]
    meters = find_meters(calls, capped, request.deps.currency, CapLists.of(request, found).link)
    advertisers = next(each.choices or () for each in filters if each.name == "advertiser")
    titles = names.advertiser_names(calls, [offer.advertiser for offer in found], advertisers)
    chips = read_list(address, filters).set_filters
    page, is_filtered = address.page, bool(chips or address.get("q"))
    may_connect = calls.may(connections.enable_affiliate)
    return request.page(
        "staff/offers.html",
        rows=_rows(request, found, titles, results, meters),
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=is_filtered,
        total=total,
        active=0 if is_filtered else calls.ask(lists.count).count,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        sort=sort,
        fault=" ".join(dict.fromkeys(each for each in (period.fault, refusal, fault) if each)),
        may_add=calls.may(offers_api.add),
        may_change=calls.may(offers_api.update),
        may_connect=may_connect,
        may_count_affiliates=calls.may(connections.count_affiliates),
        statuses=STATUSES,
        affiliates=names.affiliates(calls) if found and may_connect else (),
        api_request_path=calls.address(lists.list_offers, sent),
        **period.shown(),
    )


def _found(
    request: PageRequest, sent: Sequence[Pair], period: DayPeriod
) -> tuple[Sequence[ListedOfferView], int, tuple[str, str], str]:
    """Return the offers of the page, the number of all, and their order.

    The last value explains why the order differs from the address; "" = it does not.
    """
    calls, (column, direction), refused = request.calls, _sort(request), ""
    if column in FIGURES:
        try:
            each, total = each_by_figure(calls, sent, period, column, direction)
            return page_by_figure(each, request.address.page, PER_PAGE), total, (column, direction), ""
        except RequestError as refusal:
            refused = gettext("The newest offers come first. %(text)s.", text=refusal.text.removesuffix("."))
            column, direction = USUAL
    answer = calls.ask_as(lists.OffersAnswer, lists.list_offers, sent)
    return answer.offers, answer.pagination.total_count, (column, direction), refused


def _file(request: PageRequest, sent: Sequence[Pair], period: DayPeriod) -> Download:
    """Return every offer that meets the filters as a file, in the order of the page. Raises RequestError."""
    column, direction = _sort(request)
    offers: Iterable[ListedOfferView] = every_row(request, lists.list_offers, _of_staff, sent)
    if column in FIGURES:
        offers, total = each_by_figure(request.calls, sent, period, column, direction)
        refuse_too_many(total)
    return rows_file("offers", offers)


def _of_staff(answer: lists.OffersAnswer | lists.AffiliateOffersAnswer) -> Sequence[ListedOfferView]:
    """Return the offers of an answer to staff."""
    return [each for each in answer.offers if isinstance(each, ListedOfferView)]


def _filters(calls: LocalCalls[Deps], address: PageAddress) -> tuple[ListFilter, ...]:
    categories = choices.categories(calls, address.all("category"))
    smartlinks = names.smartlinks(calls, address.all("smartlink"))
    return (
        ListFilter("status", gettext("Status"), "status[]", tuple(STATUSES.items())),
        ListFilter("privacy", gettext("Privacy"), "privacy[]", tuple(PRIVACIES.items())),
        ListFilter("advertiser", gettext("Advertiser"), "advertiser[]", names.advertisers(calls)),
        ListFilter("category", gettext("Category"), "categories[]", categories),
        ListFilter("source", gettext("Traffic source"), "sources[]", names.sources(calls, address.all("source"))),
        ListFilter("smartlink", gettext("SmartLink"), "smartlink_categories[]", smartlinks),
        ListFilter("country", gettext("Country"), "countries[]", choices.country_names()),
    )


def _request(address: PageAddress, filters: Sequence[ListFilter]) -> list[Pair]:
    """Return the parameters of the list.

    Without a status in the address, offers of every status are listed."""
    chosen = {each.name: each.values(address) for each in filters}
    chosen["status"] = chosen["status"] or list(STATUSES)
    chosen["privacy"] = [str(list(PRIVACIES).index(value)) for value in chosen["privacy"]]  # a number in the API
    sent = [(each.parameter, value) for each in filters for value in chosen[each.name]]
    column, _, direction = address.get("sort").partition("-")
    order = (column, "desc" if direction == "desc" else "asc") if column in SORTS else USUAL
    words = [("q", address.get("q").strip()[:200])] if address.get("q").strip() else []
    return [
        *words,
        *sent,
        (f"sort[{order[0]}]", order[1]),
        ("limit", str(PER_PAGE)),
        ("page", str(address.page)),
    ]


def _sort(request: PageRequest) -> tuple[str, str]:
    """Return the column and the direction in an address; by default the newest offers come first."""
    column, _, direction = request.address.get("sort").partition("-")
    may_sort = column in SORTS or (column in FIGURES and request.calls.may(reports.custom))
    return (column, "desc" if direction == "desc" else "asc") if may_sort else USUAL


def _rows(
    request: PageRequest,
    offers: Sequence[ListedOfferView],
    advertisers: Mapping[str, str],
    results: Mapping[int, ListFigures] | None,
    meters: Mapping[int, Sequence[CapMeter]],
) -> list[OfferRow]:
    findings, affiliates = findings_of_offers(request, [offer.id for offer in offers]), _affiliates_of(request, offers)
    return [
        OfferRow(
            offer,
            advertiser=advertisers.get(offer.advertiser, ""),
            best=max(offer.payments, key=lambda payment: payment.revenue, default=None),
            results=None if results is None else results.get(offer.id, ListFigures()),
            findings=findings.get(offer.id, ()),
            cap=fullest(meters.get(offer.id, ())),
            affiliates=affiliates.get(offer.id, ""),
            may_write=may_write(request, offer),
        )
        for offer in offers
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
