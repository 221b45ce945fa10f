"""The list of clicks, rejected ones too (docs/spec/console.md#traffic)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.api.statistics import clicks as clicks_api
from trackyard.base.errors import BadInput, RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.late.refused import refused_part, shorter_periods
from trackyard.console.offers_shown import names
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.traffic.filters import (
    PER_PAGE,
    TrafficFilter,
    chips_of,
    faults_of,
    names_of_values,
    offers,
    openable,
    pairs_of,
)
from trackyard.console.staff.traffic.more_filters import more_of_clicks
from trackyard.console.staff.traffic.reasons import REJECTIONS, rejection_label
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PATH: Final = "/console/clicks"
VERDICTS: Final = (
    ("accepted", lazy_gettext("Accepted")),
    ("rejected", lazy_gettext("Rejected")),
    ("all", lazy_gettext("All")),
)
FORMATS: Final = ("csv", "parquet")


@dataclass(frozen=True, slots=True)
class ClickRow:
    """A click of a list.

    reason: why it was rejected, "" for accepted ones. conversion: its first one, "" = none.
    """

    id: str
    at: str
    offer: int
    offer_title: str
    affiliate: str
    affiliate_name: str
    sub1: str
    country: str
    place: str
    device: str
    reason: str
    origin: str
    forgiven: str
    conversion: str


@pages.get(PATH, needs=(clicks_api.list_clicks,))
def clicks(request: PageRequest) -> PageAnswer:
    """Show clicks that meet the filters, a page at a time, the newest first."""
    calls, address = request.calls, request.address
    filters = _filters(calls)
    period, fault = _period(request)
    place = [("limit", str(PER_PAGE)), ("page", str(address.page))]
    sent = [*_span(period), ("verdict", _verdict(address)), *pairs_of(filters, address), *place]
    chips = chips_of(filters, address, names_of_values(calls, filters, address))
    values = {
        "filters": filters,
        "chips": chips,
        "faults": [each for each in (fault, *faults_of(filters, address)) if each],
        "is_filtered": bool(chips),
        "verdict": _verdict(address),
        "verdicts": VERDICTS,
        "period": period,
        "periods": CHOICES,
        "files": _files(address) if calls.may_export(clicks_api.list_clicks) else [],
        "api_request_path": calls.address(clicks_api.list_clicks, sent),
    }
    shared = {name: values[name] for name in ("is_filtered", "verdict", "period")}
    return Html("staff/traffic/clicks.html", values, late=lambda: _rows(request, period, sent, shared))


def _rows(request: PageRequest, period: DayPeriod, sent: Sequence[Pair], values: Mapping[str, Any]) -> Html:
    """Return the part of the page that waits for the clicks."""
    try:
        answer = request.calls.ask_as(clicks_api.ClicksForStaff, clicks_api.list_clicks, sent)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        return refused_part(refusal, request.address, shorter_periods(request.address, period))
    page = answer.pagination.page
    more = {
        "rows": [_row(each) for each in answer.clicks],
        "labels": rejection_label,
        "opens": openable(request),
        "total": answer.pagination.total_count,
        "page": page,
        "first": (page - 1) * PER_PAGE + 1,
    }
    return Html("staff/traffic/click_rows.html", {**values, **more})


@pages.get(f"{PATH}/file", needs=(clicks_api.list_clicks,))
def clicks_file(request: PageRequest) -> PageAnswer:
    """Send all clicks that meet the filters as the file that the API makes of them."""
    form = request.address.get("format")
    if form not in FORMATS:
        raise BadInput({"format": [gettext("This value must be one of: %(values)s.", values=", ".join(FORMATS))]})
    filters = _filters(request.calls)
    period, fault = _period(request)
    faults = [each for each in (fault, *faults_of(filters, request.address)) if each]
    if faults:
        raise BadInput({"filter": faults})
    sent = [*_span(period), ("verdict", _verdict(request.address)), *pairs_of(filters, request.address)]
    return Download(request.calls.file(clicks_api.list_clicks, [*sent, ("format", form)]))


def _period(request: PageRequest) -> tuple[DayPeriod, str]:
    """Return the period in an address; today without one."""
    address = request.address
    if not any(address.get(name) for name in ("period", "from", "to")):
        address = address.set("period", "today")
    return read_period(address, request.deps.clock.now_ms(), request.day_zone)


def _span(period: DayPeriod) -> list[Pair]:
    return [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]


def _verdict(address: PageAddress) -> str:
    """Return the verdict by which clicks are listed. With a reason, rejected clicks are listed."""
    given = address.get("verdict", "rejected" if address.get("reason") else "accepted")
    if given == "accepted" and address.get("reason"):
        return "rejected"
    return given if given in dict(VERDICTS) else "accepted"


def _filters(calls: LocalCalls[Deps]) -> tuple[TrafficFilter, ...]:
    reasons = tuple((reason, rejection_label(reason)) for reason in REJECTIONS)
    return (
        TrafficFilter("reason", gettext("Rejected for"), "reason[]", reasons),
        TrafficFilter("offer", gettext("Offer"), "offer[]", offers(calls), "number"),
        TrafficFilter("affiliate", gettext("Affiliate"), "partner[]", names.affiliates(calls), "number"),
        TrafficFilter("advertiser", gettext("Advertiser"), "advertiser[]", names.advertisers(calls), "id"),
        TrafficFilter("country", gettext("Country"), "country[]", country_names()),
        TrafficFilter("sub1", gettext("Sub 1"), "sub1[]"),
        *more_of_clicks(),
    )


def _row(each: clicks_api.ClickForStaff) -> ClickRow:
    """Return a click of the API as a row of the list."""
    system = " ".join(part for part in (each.os, each.os_version) if part)
    return ClickRow(
        id=each.id,
        at=each.created_at,
        offer=each.offer.id if each.offer else 0,
        offer_title=each.offer.title if each.offer else "",
        affiliate=each.partner_id,
        affiliate_name=each.partner.name or each.partner.login or f"#{each.partner_id}",
        sub1=each.sub1,
        country=each.country,
        place=each.city,
        device=", ".join(part for part in (system, each.browser) if part),
        reason=each.reason,
        origin=each.origin,
        forgiven=forgiven_words(each.forgiven),
        conversion=each.conversion_id,
    )


def _files(address: PageAddress) -> list[tuple[str, PageAddress]]:
    """Return the address of each file of the list."""
    pairs = address.without("format").pairs
    return [(form, PageAddress(f"{PATH}/file", (*pairs, ("format", form)))) for form in FORMATS]
