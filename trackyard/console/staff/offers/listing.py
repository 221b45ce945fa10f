"""The list of offers, with what they did in the last seven days (docs/spec/console.md#offers)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.figures import Figures
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import choices
from trackyard.console.offers_shown.caps import CapMeter, find_meters, fullest
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.offers_shown.words import PRIVACIES, STATUSES, charge, joined, payout
from trackyard.console.staff.offers import names
from trackyard.console.staff.offers.one import may_write
from trackyard.domain.offers.choices import Privacy
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PER_PAGE: Final = 20
SORTS: Final = ("id", "title", "revenue")
"""Columns that can be sorted, by their names in the API."""


@dataclass(frozen=True, slots=True)
class OfferFilter:
    """A filter of the list. name: in the address. parameter: of the API."""

    name: str
    label: str
    parameter: str
    choices: Choices

    def sent(self, value: str) -> str:
        """Return a value as the API reads it: privacy is a number there."""
        return str(list(PRIVACIES).index(value)) if self.name == "privacy" else value


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set. text: its values in words. without: the address without it."""

    label: str
    text: str
    without: PageAddress


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer of the list. figures: None where they cannot be seen. more: the number of further payments.

    affiliates: the number of those that are connected, or that all may use it; "" where they cannot be seen.
    may_write: whether the person may change it.
    """

    id: int
    title: str
    advertiser: str
    status: str
    payout: str
    charge: str
    more: int
    figures: Figures | None
    cap: CapMeter | None
    affiliates: str
    may_write: bool


@pages.get("/console/offers", needs=("offers.list",))
def offers(request: PageRequest) -> PageAnswer:
    """Show offers that meet the filters, a page at a time."""
    calls, address = request.calls, request.address
    filters = _filters(calls)
    sent = _request(address, filters)
    if (file := list_file(request, "offers.list", "offers", sent)) is not None:
        return file
    answer = calls.call("offers.list", sent)
    found = answer["offers"]
    week, fault = _week(request, [offer["id"] for offer in found])
    meters = find_meters(calls, [offer["id"] for offer in found if offer["caps"]], request.deps.currency)
    advertisers = next(each.choices for each in filters if each.name == "advertiser")
    titles = names.advertiser_names(calls, [offer["advertiser"] for offer in found], advertisers)
    chips = list(_chips(address, filters))
    total, page = answer["pagination"]["total_count"], answer["pagination"]["page"]
    return request.page(
        "staff/offers.html",
        rows=[_row(request, offer, titles, week, meters) for offer in found],
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=bool(chips or address.get("q")),
        total=total,
        active=calls.call("offers.count")["count"],
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        sort=_sort(address),
        fault=fault,
        may_add=calls.may("admin.offer.add"),
        may_change=calls.may("admin.offer.mass-update"),
        may_connect=calls.may("offer.affiliate.enable"),
        may_count_affiliates=calls.may("offer.privacy.get"),
        statuses=STATUSES,
        affiliates=names.affiliates(calls),
        api_request_path=calls.address("offers.list", sent),
    )


def _filters(calls: LocalCalls[Deps]) -> tuple[OfferFilter, ...]:
    return (
        OfferFilter("status", gettext("Status"), "status[]", tuple(STATUSES.items())),
        OfferFilter("privacy", gettext("Privacy"), "privacy[]", tuple(PRIVACIES.items())),
        OfferFilter("advertiser", gettext("Advertiser"), "advertiser[]", names.advertisers(calls)),
        OfferFilter("category", gettext("Category"), "categories[]", choices.categories(calls)),
        OfferFilter("country", gettext("Country"), "countries[]", choices.country_names()),
    )


def _values(address: PageAddress, each: OfferFilter) -> list[str]:
    """Return the values of a filter that the address names and that exist."""
    known = dict(each.choices)
    return [value for value in dict.fromkeys(address.all(each.name)) if value in known]


def _request(address: PageAddress, filters: Sequence[OfferFilter]) -> list[Pair]:
    """Return the parameters of the list. Offers of every status are listed unless the address names some."""
    chosen = {each.name: _values(address, each) for each in filters}
    chosen["status"] = chosen["status"] or list(STATUSES)
    sent = [(each.parameter, each.sent(value)) for each in filters for value in chosen[each.name]]
    column, direction = _sort(address)
    page = address.get("page")
    number = int(page) if page.isascii() and page.isdecimal() and 0 < int(page[:9]) < 10**6 else 1
    words = [("q", address.get("q").strip()[:200])] if address.get("q").strip() else []
    return [*words, *sent, (f"sort[{column}]", direction), ("limit", str(PER_PAGE)), ("page", str(number))]


def _sort(address: PageAddress) -> tuple[str, str]:
    """Return the column and the direction that an address names, by default the newest offer first."""
    column, _, direction = address.get("sort").partition("-")
    return (column, "desc" if direction == "desc" else "asc") if column in SORTS else ("id", "desc")


def _chips(address: PageAddress, filters: Iterable[OfferFilter]) -> Iterable[FilterChip]:
    for each in filters:
        if values := _values(address, each):
            named = dict(each.choices)
            yield FilterChip(each.label, joined([named[value] for value in values], "or"), address.without(each.name))


def _week(request: PageRequest, offers: Sequence[int]) -> tuple[Mapping[int, Figures] | None, str]:
    """Return what offers did in the last seven days, and why it cannot be read.

    It is None without the right to statistics.
    """
    if not request.calls.may("stats.custom"):
        return None, ""
    if not offers:
        return {}, ""
    period, _ = read_period(PageAddress("", (("period", "7d"),)), request.deps.clock.now_ms(), request.day_zone)
    chosen = [("filter[offer][]", str(each)) for each in offers]
    try:
        found = figures.report(request.calls, period, ["offer"], filters=chosen, limit=PER_PAGE)
    except RequestError as refusal:
        return None, gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    return {int(row.keys["offer"]["id"]): row.figures for row in found.rows}, ""


def _row(
    request: PageRequest,
    offer: Mapping[str, Any],
    advertisers: Mapping[str, str],
    week: Mapping[int, Figures] | None,
    meters: Mapping[int, Sequence[CapMeter]],
) -> OfferRow:
    payments = offer["payments"]
    best = max(payments, key=lambda payment: payment["revenue"], default=None)
    return OfferRow(
        id=offer["id"],
        title=offer["title"],
        advertiser=advertisers.get(offer["advertiser"], ""),
        status=offer["status"],
        payout=payout(best) if best else "",
        charge=charge(best) if best else "",
        more=max(len(payments) - 1, 0),
        figures=None if week is None else week.get(offer["id"], Figures()),
        cap=fullest(meters.get(offer["id"], ())),
        affiliates=_affiliates_text(request.calls, offer),
        may_write=may_write(request, offer),
    )


def _affiliates_text(calls: LocalCalls[Deps], offer: Mapping[str, Any]) -> str:
    """Return how many affiliates are connected to an offer, of those that the person may see.

    All affiliates may use a public offer, but those that staff disconnected.
    """
    if not calls.may("offer.privacy.get"):
        return ""
    try:
        found = calls.call("offer.privacy.get", path={"id": str(offer["id"])})
    except RequestError:  # out of the person's scope
        return ""
    if offer["privacy"] != Privacy.PUBLIC:
        return number(len(found["affiliates_enabled"]))
    left_out = len(found["affiliates_disabled"])
    return gettext("all but %(count)s", count=number(left_out)) if left_out else gettext("all")
