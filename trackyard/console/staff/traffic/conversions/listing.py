"""The list of conversions (docs/spec/console.md#traffic)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.conversions import conversions as conversions_api
from trackyard.api.conversions import edits
from trackyard.api.conversions.by_id import SingleConversionForStaff
from trackyard.api.conversions.conversions import ConversionForStaff, ConversionsForStaff
from trackyard.api.money import currencies as currencies_api
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import figures, shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown import names
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.traffic.filters import (
    LONGEST,
    PER_PAGE,
    TrafficFilter,
    chips_of,
    faults_of,
    offers,
    openable,
    pairs_of,
)
from trackyard.console.staff.traffic.more_filters import more_of_conversions
from trackyard.console.staff.traffic.reasons import DECLINES
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PATH: Final = "/console/conversions"
STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("Hold"),
    "declined": lazy_gettext("Declined"),
}
NUMBERS: Final[Mapping[str, str]] = {"confirmed": "1", "pending": "2", "declined": "3", "hold": "5"}
"""Statuses as the filter of the API reads them."""
FORMATS: Final = ("csv", "parquet")
_EVERY_DAY: Final = [("date_from", "2000-01-01")]


@dataclass(frozen=True, slots=True)
class ConversionRow:
    """A conversion of a list.

    reason: the decline reason, "" = unknown. signals: its own signals, and the signals of its click.
    """

    id: str
    at: str
    action_id: str
    offer: int
    offer_title: str
    advertiser: str
    affiliate: int
    affiliate_name: str
    sub1: str
    goal: str
    status: str
    status_label: str
    reason: str
    signals: str
    charge: str
    payout: str


@pages.get(PATH, needs=(conversions_api.list_conversions,))
def conversions(request: PageRequest) -> PageAnswer:
    """Show conversions that meet the filters, a page at a time, the newest first."""
    calls, address = request.calls, request.address
    filters = _filters(request)
    period, fault = _period(request)
    sent, answer = _found(calls, address, period, filters)
    found = answer.conversions
    total, page = answer.pagination.total_count, answer.pagination.page
    chips = chips_of(filters, address, _names(found) | _amounts(filters, address))
    return request.page(
        "staff/traffic/conversions.html",
        rows=[conversion_row(each) for each in found],
        filters=filters,
        chips=chips,
        faults=[each for each in (fault, *faults_of(filters, address)) if each],
        is_filtered=bool(chips or address.get("q")),
        period=period,
        periods=CHOICES,
        opens=openable(request),
        total=total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        statuses=STATUSES,
        may_change=calls.may(edits.edit),
        files=_files(address) if calls.may_export(conversions_api.list_conversions) else [],
        api_request_path=calls.address(conversions_api.list_conversions, sent),
    )


@pages.get(f"{PATH}/file", needs=(conversions_api.list_conversions,))
def conversions_file(request: PageRequest) -> PageAnswer:
    """Send all conversions that meet the filters as the file that the API makes of them."""
    form = request.address.get("format")
    if form not in FORMATS:
        raise BadInput({"format": [gettext("This value must be one of: %(values)s.", values=", ".join(FORMATS))]})
    filters = _filters(request)
    period, fault = _period(request)
    faults = [each for each in (fault, *faults_of(filters, request.address)) if each]
    if faults:
        raise BadInput({"filter": faults})
    sent = [*_search(request.address, period)[0], *pairs_of(filters, request.address), ("format", form)]
    return Download(request.calls.file(conversions_api.list_conversions, sent))


def conversion_row(each: ConversionForStaff) -> ConversionRow:
    """Return a conversion of the API as a row of a list."""
    return ConversionRow(
        id=each.id,
        at=each.created_at,
        action_id=each.action_id,
        offer=each.offer_id,
        offer_title=(each.offer.title if each.offer else "") or f"#{each.offer_id}",
        advertiser=each.advertiser.title if each.advertiser else "",
        affiliate=each.partner_id,
        affiliate_name=(each.partner and (each.partner.name or each.partner.login)) or f"#{each.partner_id}",
        sub1=each.sub1,
        goal=each.goal or each.goal_value,
        status=each.status,
        status_label=STATUSES.get(each.status, each.status),
        reason=each.comment if each.status == "declined" else "",
        signals=signals_of(each),
        charge=shown.money(each.revenue, each.currency),
        payout=shown.money(each.payouts, each.currency),
    )


def signals_of(conversion: ConversionForStaff | SingleConversionForStaff) -> str:
    """Return the signals of a conversion and of its click, "" = none."""
    return ", ".join(filter(None, (conversion.signals, conversion.origin)))


def _period(request: PageRequest) -> tuple[DayPeriod, str]:
    """Return the period of an address. Any number of days: the list is read a page at a time."""
    return read_period(request.address, request.deps.clock.now_ms(), request.day_zone, most_days=None)


def _filters(request: PageRequest) -> tuple[TrafficFilter, ...]:
    calls = request.calls
    currencies = names.currencies(calls, request.deps.currency) if calls.may(currencies_api.list_all) else ()
    reasons = tuple((each, each) for each in DECLINES)
    paid = (("opened", gettext("Not paid")), ("pending", gettext("In a payment")), ("closed", gettext("Paid")))
    return (
        TrafficFilter("status", gettext("Status"), "status[]", tuple(STATUSES.items()), sent=NUMBERS),
        TrafficFilter("offer", gettext("Offer"), "offer[]", offers(calls), "number"),
        TrafficFilter("affiliate", gettext("Affiliate"), "partner[]", names.affiliates(calls), "number"),
        TrafficFilter("advertiser", gettext("Advertiser"), "advertiser[]", names.advertisers(calls), "id"),
        TrafficFilter("reason", gettext("Decline reason"), "decline_reason[]", reasons),
        TrafficFilter("paid", gettext("Payment"), "payment_status[]", paid),
        TrafficFilter("country", gettext("Country"), "country[]", country_names()),
        TrafficFilter("goal", gettext("Goal"), "goal[]"),
        TrafficFilter("sub1", gettext("Sub 1"), "subid1[]"),
        TrafficFilter("promo", gettext("Promo code"), "promo_code[]"),
        *more_of_conversions(currencies, request.address.all("currency")),
    )


def _found(
    calls: LocalCalls[Deps], address: PageAddress, period: DayPeriod, filters: Sequence[TrafficFilter]
) -> tuple[list[Pair], ConversionsForStaff]:
    """Return the parameters that were sent, and the answer of the API.

    A text that is searched may be the id of a conversion, of a click or of an action; the first that is found counts.
    """
    place = [("limit", str(PER_PAGE)), ("page", str(address.page))]
    answers = []
    for searched in _search(address, period):
        sent = [*searched, *pairs_of(filters, address), *place]
        answer = calls.ask_as(ConversionsForStaff, conversions_api.list_conversions, sent)
        answers.append((sent, answer))
        if answer.pagination.total_count:
            break
    return answers[-1]


def _search(address: PageAddress, period: DayPeriod) -> list[list[Pair]]:
    """Return the parameters of the API for a period, or for each meaning of the text that is searched."""
    text = address.get("q").strip()[:LONGEST]
    if not text:
        return [[(name.removeprefix("filter[").removesuffix("]"), day) for name, day in figures.span(period)]]
    meanings = ["id", "clickid"] if len(text) == 24 and all(each in "0123456789abcdefABCDEF" for each in text) else []
    return [[*_EVERY_DAY, (f"{name}[]", text)] for name in (*meanings, "action_id")]


def _names(found: Iterable[ConversionForStaff]) -> dict[tuple[str, str], str]:
    """Return the names of objects that a page of conversions mentions, by filter and value."""
    named: dict[tuple[str, str], str] = {}
    for row in (conversion_row(each) for each in found):
        named["offer", str(row.offer)] = row.offer_title
        named["affiliate", str(row.affiliate)] = row.affiliate_name
    return named


def _amounts(filters: Iterable[TrafficFilter], address: PageAddress) -> dict[tuple[str, str], str]:
    """Return the amounts that filters name, with the currency in which conversions are compared with them."""
    codes = [code for each in filters if each.name == "currency" for code in each.values(address)]
    return {
        (each.name, value): f"{value}\N{NO-BREAK SPACE}{codes[0]}"
        if len(codes) == 1
        else gettext("%(amount)s in the currency of the conversion", amount=value)
        for each in filters
        if each.form == "amount"
        for value in each.values(address)
    }


def _files(address: PageAddress) -> list[tuple[str, PageAddress]]:
    """Return the address of each file of the list."""
    pairs = address.without("format").pairs
    return [(form, PageAddress(f"{PATH}/file", (*pairs, ("format", form)))) for form in FORMATS]
