"""Statistics and conversions of an advertiser, for itself.

docs/spec/callers.md#advertisers-as-callers.
"""

from typing import Annotated, Any
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.conversions import list_visible_conversions
from trackyard.actions.deps import Deps
from trackyard.actions.statistics.reports import list_statistics_rows
from trackyard.api.conversions.filters import shown_status
from trackyard.api.paging import Paging
from trackyard.api.statistics.rows import warn_of_first_rate
from trackyard.api.statistics.times import bounded_span, span
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied
from trackyard.base.ids import lowercase_ids
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.conversions.lists import ConversionFilter, ListedConversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import AdvertiserCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.metrics import COUNTED
from trackyard.domain.statistics.reports import Report, StatsRow, Values
from trackyard.domain.statistics.slices import SLICES
from trackyard.domain.tracking.subs import SUBS, encrypted_sub, with_subs
from trackyard.wire.endpoint import ApiRequest, Routes, for_advertisers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number

routes = Routes[Deps]()

_SLICES = ("day", "month", "offer", "country", "os", "device", "browser", "goal")
_OF_AFFILIATES = ("affiliate", *SUBS[:5])
_REASONS = frozenset(DeclineReason)
"""Comments of the program. Comments of people may name affiliates."""
OwnSlice = Annotated[str, s.Choice((*_SLICES, *_OF_AFFILIATES))]
CountedStatus = Annotated[str, s.Choice((*COUNTED, "declined"))]
StatusName = Annotated[str, s.Choice(tuple(each.value for each in Status if each is not Status.PENDING_CAP))]


class OwnPeriod(Params):
    """Days of a zone, both included. timezone: None = the platform's."""

    date_from: s.Day
    date_to: s.Day
    offer: Seq[s.Int] = ()
    timezone: s.Zone | None = None


class OwnStatsParams(OwnPeriod, Paging):
    """The slices and filters of a report. in_currency: what amounts are converted to, None = not at all.

    status: conversion types of the counted conversions.
    """

    slice: Seq[OwnSlice]
    country: Seq[s.Country] = ()
    status: Seq[CountedStatus] = ()
    in_currency: s.Currency | None = None


class ListOwnConversions(OwnPeriod, Paging):
    """The filters of a list."""

    status: Seq[StatusName] = ()
    country: Seq[s.Country] = ()
    goal: Seq[s.LongText] = ()
    clickid: Seq[s.Text] = ()
    action_id: Seq[s.Text] = ()


class OwnActionView(View):
    """Conversions of one type. charge: what the advertiser pays for them.

    without_click: how many of them have no click, such as imports and promo codes.
    """

    count: int
    charge: Money
    without_click: int


class OwnStatsRowView(View):
    """One row of a report. actions: by conversion type."""

    slice: dict[str, int | str]
    clicks: int
    unique: int
    actions: dict[str, OwnActionView]


class OwnStatsAnswer(Answer):
    """A page of rows; amounts are in `currency`."""

    stats: list[OwnStatsRowView]
    pagination: Pagination
    currency: str


@with_subs
class OwnConversionView(View):
    """A conversion of the calling advertiser.

    charge: what it pays.
    comment: why it was declined on arrival; other comments are "" unless staff let it see affiliates.
    partner_id, sub1 to sub8: null unless staff let it see affiliates. Subs are codes where they are encrypted.
    """

    id: str
    action_id: str
    clickid: str
    status: str
    offer_id: int
    offer_title: str
    goal: str
    goal_value: str
    currency: str
    charge: Money
    sum: Money
    country: str
    comment: str
    created_at: str
    click_time: str
    partner_id: int | None
    sub1: str | None


class OwnConversionsAnswer(Answer):
    """A page of the conversions of the calling advertiser, the newest first."""

    conversions: list[OwnConversionView]
    pagination: Pagination


def _sees_affiliates(request: ApiRequest[Any]) -> bool:
    return isinstance(request.caller, AdvertiserCaller) and request.caller.sees_affiliates


def subs_key(request: ApiRequest[Any]) -> str:
    """Return the key of the codes that the calling advertiser sees instead of subs; "" = it sees the subs."""
    return request.caller.subs_key if isinstance(request.caller, AdvertiserCaller) else ""


@routes.get("/advertiser/stats", for_advertisers(Permission.STATS_COMMON), id="advertiser.stats", report=True)
def stats(request: ApiRequest[Deps], params: OwnStatsParams) -> OwnStatsAnswer:
    """Show clicks, conversions and charges of the calling advertiser, grouped by slices.

    Slices of affiliates are a 403 with the code affiliates_hidden, unless staff let the advertiser see affiliates.
    Codes of encrypted subs belong to an affiliate: rows by sub are then by affiliate too.
    """
    slices = tuple(dict.fromkeys(params.slice))
    if not _sees_affiliates(request) and set(slices).intersection(_OF_AFFILIATES):
        raise AccessDenied("The network does not show affiliates to this advertiser", code=ErrorCode.AFFILIATES_HIDDEN)
    if subs_key(request) and set(slices).intersection(SUBS):
        slices = tuple(dict.fromkeys((*slices, "affiliate")))  # a code belongs to an affiliate
    fine = any(SLICES[name].is_heavy for name in slices)
    zone = params.timezone or request.deps.zone
    since, until = bounded_span(request.deps, params.date_from, params.date_to, zone, fine=fine)
    filters: dict[str, Values] = {"offer": params.offer, "country": params.country}
    report = Report(
        Scope.nothing(),
        since,
        until,
        slices,
        filters={name: values for name, values in filters.items() if values},
        zone=zone.key,
        page=params.page,
        limit=params.place(request)["limit"],
        in_currency=params.in_currency or "",
        counts_clickless=True,
        statuses=tuple(dict.fromkeys(params.status)),
    )
    warn_of_first_rate(request, report)
    found, _ = list_statistics_rows(request.deps, request.access, report)
    return OwnStatsAnswer(
        stats=[_row(each, subs_key(request)) for each in found.rows],
        pagination=params.pagination(request, found.total_count),
        currency=found.currency or request.deps.currency,
    )


@routes.get(
    "/advertiser/conversions",
    for_advertisers(Permission.STATS_CONVERSION),
    id="advertiser.conversions.list",
    report=True,
)
def conversions(request: ApiRequest[Deps], params: ListOwnConversions) -> OwnConversionsAnswer:
    """List the conversions of the calling advertiser, the newest first."""
    zone = params.timezone or request.deps.zone
    since, until = span(params.date_from, params.date_to, zone)
    statuses = {*params.status, *((Status.PENDING_CAP,) if Status.PENDING in params.status else ())}
    chosen = ConversionFilter(
        since=since,
        until=until,
        offers=frozenset(params.offer) or None,
        statuses=frozenset(str(each) for each in statuses) or None,
        countries=frozenset(params.country) or None,
        goal_ids=frozenset(params.goal) or None,
        click_ids=frozenset(lowercase_ids(params.clickid)) or None,
        action_ids=frozenset(params.action_id) or None,
    )
    found, total, names = list_visible_conversions(request.deps, request.access, chosen, **params.place(request))
    titles = {number: name.title for number, name in names.offers.items()}
    views = [_conversion(request, each, titles.get(each.offer_id, ""), zone) for each in found]
    return OwnConversionsAnswer(conversions=views, pagination=params.pagination(request, total))


def _row(row: StatsRow, key: str) -> OwnStatsRowView:
    return OwnStatsRowView(
        slice={
            name: encrypted_sub(str(value), key, int(row.keys["affiliate"])) if key and name in SUBS else value
            for name, value in row.keys.items()
        },
        clicks=row.raw,
        unique=row.uniq,
        actions={
            kind: OwnActionView(count=each.count, charge=number(each.charge), without_click=each.clickless)
            for kind, each in row.actions.items()
        },
    )


def _conversion(request: ApiRequest[Deps], item: ListedConversion, title: str, zone: ZoneInfo) -> OwnConversionView:
    sees, key = _sees_affiliates(request), subs_key(request)
    return OwnConversionView(
        id=item.id,
        action_id=item.action_id,
        clickid=item.click_id,
        status=shown_status(item.status, request.version),
        offer_id=item.offer_id,
        offer_title=title,
        goal=item.goal_title,
        goal_value=item.goal,
        currency=item.currency,
        charge=number(item.charge),
        sum=number(item.sum),
        country=item.click["country"],
        comment=item.comment if sees or item.comment in _REASONS else "",
        created_at=datetime_text(item.created_at, zone),
        click_time=datetime_text(item.click_time, zone),
        partner_id=item.affiliate_id if sees else None,
        **{name: encrypted_sub(item.click[name], key, item.affiliate_id) if sees else None for name in SUBS},
    )
