"""Logs of requests and deliveries, and the history of a conversion (docs/api/logs.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.names import EntityNames
from trackyard.actions.tracking import logs
from trackyard.actions.tracking.logs import AffiliateLogRecord, ServerLogRecord
from trackyard.api.conversions.filters import shown_status
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.paging import Paging
from trackyard.api.people.views import offer_ref
from trackyard.api.statistics.times import bounded_span
from trackyard.base.ids import lowercase_ids
from trackyard.base.masks import mask_url
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.conversions import ConversionHistoryEntry
from trackyard.domain.conversions.statuses import STATUSES_BY_NUMBER, Status
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.reports import Values
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.domain.tracking.forgiven import forgiven_text
from trackyard.domain.tracking.subs import SUBS, with_subs
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Only, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
find = in_scope_by_reference(logs.get_conversion_id)

MAX_PAIRS = 200


@dataclass(frozen=True)
class StatusText(s.Scalar):
    """A status of a conversion, by name or number, as a version shows it."""

    contract = "string"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        text, words = text.strip(), _status_names(context.get("version", "3.1"))
        if text not in words:
            raise ValueError(f"This value must be one of: {', '.join(words)}.")
        return text

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": _status_names("3.0")}


class ListLog(Paging):
    """The filters of both logs.

    A filter takes a list; any of its values matches.
    status: the status of a conversion, by name or number.
    """

    date_from: s.Day
    date_to: s.Day
    offer: Seq[s.Int] = ()
    partner: Seq[s.Int] = ()
    goal: AnyOf[s.LongText] = ()
    status: AnyOf[Annotated[str, StatusText()]] = ()
    timezone: Annotated[s.Zone | None, Only(since="3.1")] = None

    def zone(self, request: ApiRequest[Deps]) -> ZoneInfo:
        """Return the zone of the requested days and of the times in the answer."""
        return self.timezone or request.deps.zone

    def query(self, request: ApiRequest[Deps]) -> LogQuery:
        """Return the query. Raises BadInput for a period that is wrong."""
        since, until = bounded_span(request.deps, self.date_from, self.date_to, self.zone(request), fine=False)
        filters = {name: values for name, values in self.column_filters(request.version).items() if values}
        return LogQuery(Scope.nothing(), since, until, filters, **self.place(request))

    def column_filters(self, version: str) -> dict[str, Values]:
        """Return the selected values by column; none selects all."""
        return {
            "offer": self.offer,
            "affiliate": self.partner,
            "goal": self.goal,
            "status": _status_numbers(self.status, version),
        }


class ListServerLog(ListLog):
    """The filters of the server postback log."""

    supplier: Annotated[Seq[s.Text], Only(since="3.1")] = ()
    action_id: AnyOf[s.LongText] = ()
    click_id: AnyOf[s.Text] = ()

    def column_filters(self, version: str) -> dict[str, Values]:
        """Return the selected values by column; none selects all."""
        more: dict[str, Values] = {
            "advertiser": lowercase_ids(self.supplier),
            "action_id": self.action_id,
            "click_id": lowercase_ids(self.click_id),
        }
        return super().column_filters(version) | more


class ListAffiliateLog(ListLog):
    """The filters of the affiliate postback log."""

    http_code: AnyOf[s.Int] = ()

    def column_filters(self, version: str) -> dict[str, Values]:
        """Return the selected values by column; none selects all."""
        return super().column_filters(version) | {"http_code": self.http_code}


class RecordId(View):
    """The id of a record."""

    id: str = msgspec.field(name="$id")


class Instant(View):
    """A moment: seconds since 1970 and microseconds."""

    sec: int
    usec: int


class OfferOfLoggedClick(View):
    """The offer of a click."""

    id: int
    offer_id: str
    title: str
    preview_url: str
    url: str


class PartnerOfLoggedClick(View):
    """The affiliate of a click."""

    id: str
    login: str
    email: str


@partial(with_subs, names=SUBS[:5])
class LoggedClick(View):
    """The click of an inbound postback, with the subs that the API shows there."""

    id: str
    click_id: str
    cbid: str
    ip: str
    ua: str
    country: str
    city: str
    device: str
    os: str
    browser: str
    referrer: str
    offer: OfferOfLoggedClick | None
    offer_id: str
    partner: PartnerOfLoggedClick
    conversion_id: str | None
    sub1: str
    ios_idfa: str
    android_id: str
    uniq: int
    created_at: str


class ServerPostback(View):
    """An inbound postback.

    get, post: its query and body, `secure` as ***; `_get` and `_post` hold the same by name ([] = none).
    server: data of the request, as JSON.
    response: "" when it made or changed a conversion, else the reason why not.
    """

    id: RecordId = msgspec.field(name="_id")
    query: dict[str, str] | list[str] = msgspec.field(name="_get")
    body: dict[str, str] | list[str] = msgspec.field(name="_post")
    date: Instant
    get: str
    post: str
    server: str
    response: str
    forgiven: str
    track: LoggedClick | None


class AffiliatePostback(View):
    """An attempt of an outbound postback.

    lead_id: the id of the conversion.
    job_id: the same for each attempt of a delivery.
    http_code: 0 = unreachable.
    outcome: sent, failed (is repeated), dead, superseded, dropped (its postback was removed, or paused for too long).
    postback_id: 0 = the offer's cross_postback_url.
    forced: 1 = repeated by hand.
    payouts, revenue, currency: the conversion's values at that time, 0 where unknown. An affiliate sees its payouts as
    revenue. currency: the number of ISO 4217, currency_code: the letters.
    """

    id: RecordId = msgspec.field(name="_id")
    query: None = msgspec.field(name="_get")
    body: None = msgspec.field(name="_post")
    date: Instant
    pid: int
    lead_id: str
    http_code: int
    postback_url: str
    offer_id: int
    job_id: str
    goal: str
    status: int
    payouts: Money
    revenue: Money
    currency: int
    currency_code: str
    postback_id: int
    attempt: int
    outcome: str
    error: str
    forced: int


class ServerPostbacks(Answer):
    """A page of the server postback log."""

    postbacks: list[ServerPostback]
    pagination: Pagination


class AffiliatePostbacks(Answer):
    """A page of the affiliate postback log."""

    postbacks: list[AffiliatePostback]
    pagination: Pagination


class HistoryEntry(View):
    """A state of a conversion. by: call:<id of the log's record>, job:hold or staff:<id>."""

    version: int
    created_at: str
    by: str
    status: str
    currency: str
    revenue: Money
    payouts: Money
    comment: str


class HistoryAnswer(Answer):
    """The states of a conversion, the first one first."""

    history: list[HistoryEntry]
    pagination: Pagination


@routes.get(
    "/stats/serverpostbacks", for_staff(Permission.STATS_SERVER_POSTBACK), id="stats.serverpostbacks", report=True
)
def list_server_postbacks(request: ApiRequest[Deps], params: ListServerLog) -> ServerPostbacks:
    """List inbound postbacks, and the result of each."""
    query, zone = params.query(request), params.zone(request)
    found, total, names = logs.list_server_records(request.deps, request.access, query)
    return ServerPostbacks(
        postbacks=[_server_postback(item, names, zone) for item in found],
        pagination=params.pagination(request, total),
    )


@routes.get(
    "/stats/affiliatepostbacks",
    for_callers(Permission.STATS_PARTNER_POSTBACK),
    id="stats.affiliatepostbacks",
    features=("stats.affiliate-postback",),
    report=True,
)
def list_affiliate_postbacks(request: ApiRequest[Deps], params: ListAffiliateLog) -> AffiliatePostbacks:
    """List the attempts of outbound postbacks."""
    query = params.query(request)
    found, total = logs.list_affiliate_records(request.deps, request.access, query)
    return AffiliatePostbacks(
        postbacks=[_affiliate_postback(item, request) for item in found],
        pagination=params.pagination(request, total),
    )


@routes.get(
    "/stats/conversion/{id}/history", for_staff(Permission.STATS_CONVERSION), id="stats.conversion.history", find=find
)
def list_history(request: ApiRequest[Deps], params: Paging) -> HistoryAnswer:
    """List the states of a conversion, with the author and time of each."""
    found, total = logs.list_conversion_events(request.deps, request.subject, **params.place(request))
    return HistoryAnswer(
        history=[history_entry(event, request.deps.zone) for event in found],
        pagination=params.pagination(request, total),
    )


def _server_postback(item: ServerLogRecord, names: EntityNames, zone: ZoneInfo) -> ServerPostback:
    log = item.log
    return ServerPostback(
        id=RecordId(id=log.id),
        query=_parsed_values(log.query),
        body=_parsed_values(log.body),
        date=instant(log.time),
        get=log.query,
        post=log.body,
        server=_server(log),
        response=log.response,
        forgiven=forgiven_text(log.forgiven),
        track=None if item.click is None else _track(item.click, log.conversion_id, names, zone),
    )


def _affiliate_postback(item: AffiliateLogRecord, request: ApiRequest[Deps]) -> AffiliatePostback:
    log, event = item.log, item.event
    payout, charge = (Decimal(0), Decimal(0)) if event is None else (event.payout, event.charge)
    code = "" if event is None else event.currency
    return view_of(
        AffiliatePostback,
        log,
        id=RecordId(id=log.id),
        query=None,
        body=None,
        date=instant(log.time),
        pid=log.affiliate,
        lead_id=log.conversion_id,
        postback_url=mask_url(log.url) if request.staff else log.url,
        offer_id=log.offer,
        status=Status(shown_status(STATUSES_BY_NUMBER[log.status].value, request.version)).number,
        payouts=number(payout),
        revenue=number(charge if request.staff else payout),
        currency=NUMBERS.get(code, 0),
        currency_code=code,
    )


_FROM_CLICK = (
    *("id", "ip", "ua", "country", "city", "device", "os", "browser", "referrer"), *SUBS[:5],
    *("ios_idfa", "android_id", "uniq"),
)  # fmt: skip


def _track(click: dict[str, Any], conversion_id: str, names: EntityNames, zone: ZoneInfo) -> LoggedClick:
    partner = names.affiliates.get(click["affiliate"])
    return LoggedClick(
        **{name: click[name] for name in _FROM_CLICK},
        click_id=click["id"],
        cbid=click["id"],
        offer=offer_ref(OfferOfLoggedClick, names.offers.get(click["offer"])),
        offer_id=str(click["offer"]),
        partner=PartnerOfLoggedClick(
            id=str(click["affiliate"]), login=partner.login if partner else "", email=partner.email if partner else ""
        ),
        conversion_id=conversion_id or None,
        created_at=datetime_text(click["time"], zone),
    )


def _server(log: ServerPostbackLog) -> str:
    came = {"REQUEST_METHOD": log.method, "REMOTE_ADDR": log.ip, "HTTP_USER_AGENT": log.ua}
    return json.dumps(came | {"REQUEST_TIME": log.time // 1000})


def _parsed_values(text: str) -> dict[str, str] | list[str]:
    """Return the values of a query string or a body by name; [] without any."""
    if text.lstrip()[:1] == "{":
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return []
        return {str(name): value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    if "\n" in text:  # a multipart body
        return []
    return dict(parse_qsl("&".join(text.split("&")[:MAX_PAIRS]), keep_blank_values=True)) or []


def instant(at_ms: int) -> Instant:
    """Return the view of a moment (UTC milliseconds)."""
    return Instant(sec=at_ms // 1000, usec=at_ms % 1000 * 1000)


def history_entry(event: ConversionHistoryEntry, zone: ZoneInfo) -> HistoryEntry:
    """Return the view of a state of a conversion."""
    return view_of(
        HistoryEntry,
        event,
        created_at=datetime_text(event.at, zone),
        by=event.actor,
        revenue=number(event.charge),
        payouts=number(event.payout),
    )


def _status_names(version: str) -> list[str]:
    """Return the name and the number of each status that a version shows: all names, then all numbers."""
    shown = {Status(shown_status(status.value, version)) for status in Status}
    ordered = sorted(shown, key=lambda status: status.number)
    return [status.value for status in ordered] + [str(status.number) for status in ordered]


def _status_numbers(texts: Sequence[str], version: str) -> tuple[int, ...]:
    """Return the stored numbers that a version shows as one of these statuses."""
    shown = {status: Status(shown_status(status.value, version)) for status in Status}
    return tuple(status.number for status in Status if {shown[status].value, str(shown[status].number)} & set(texts))
