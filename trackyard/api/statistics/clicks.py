"""The list of clicks (docs/api/clicks.md)."""

from functools import partial
from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.clicks import ListedClick, list_visible_clicks
from trackyard.actions.statistics.exports import export_clicks
from trackyard.actions.statistics.names import EntityNames
from trackyard.api.people.views import OfferRef, PartnerView, offer_ref, partner_view
from trackyard.api.statistics.exports import ALL_ROWS, ExportListParams, table_of_export
from trackyard.api.statistics.params import Origin
from trackyard.api.statistics.times import At, as_text, bounded_span, unchanged
from trackyard.base.arrow import Array, Batch, load_pyarrow
from trackyard.base.ids import lowercase_ids
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import ClickQuery, ClickVerdicts
from trackyard.domain.statistics.quality.origins import origin_text, origins_with
from trackyard.domain.statistics.reports import Values
from trackyard.domain.tracking.forgiven import forgiven_text
from trackyard.domain.tracking.rejections import NOT_COUNTED, REJECTION_REASONS
from trackyard.domain.tracking.subs import SUBS, with_subs
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Only, Seq
from trackyard.wire.response.envelope import Answer, Moment, Pagination, View
from trackyard.wire.response.exports import ExportTable, FileExport, nested_columns, table_of

routes = Routes[Deps]()


Verdict = Annotated[str, s.Choice(tuple(ClickVerdicts))]
Reason = Annotated[str, s.Choice((*REJECTION_REASONS, NOT_COUNTED))]


class ListClicks(ExportListParams):
    """The filters of a list.

    advertisers: another name of `advertiser`.
    verdict: rejected clicks, or all; reason: of rejected clicks.
    """

    date_from: s.Day
    date_to: s.Day
    hour: s.Hour | None = None
    offer: Seq[s.Int] = ()
    partner: Seq[s.Int] = ()
    country: Seq[s.Text] = ()
    advertiser: Annotated[Seq[s.Text], Only(admin=True)] = ()
    advertisers: Annotated[Seq[s.Text], Only(admin=True)] = ()
    timezone: s.Zone | None = None
    sub1: Annotated[AnyOf[s.LongText], Only(admin=True)] = ()
    verdict: Annotated[Verdict, Only(admin=True)] = ClickVerdicts.ACCEPTED.value
    reason: Annotated[Seq[Reason], Only(admin=True)] = ()
    origin: Annotated[Seq[Origin], Only(admin=True)] = ()

    def query(self, request: ApiRequest[Deps]) -> ClickQuery:
        """Return the query. Raises BadInput for a wrong period."""
        zone = self.timezone or request.deps.zone
        since, until = bounded_span(request.deps, self.date_from, self.date_to, zone, fine=False, hour=self.hour)
        named: dict[str, Values] = {
            "offer": self.offer,
            "affiliate": self.partner,
            "country": tuple(code.upper() for code in self.country),
            "advertiser": lowercase_ids(self.advertiser + self.advertisers),
            "sub1": self.sub1,
            "origin": origins_with(self.origin) if self.origin else (),
        }
        filters = {name: values for name, values in named.items() if values}
        return ClickQuery(
            scope=Scope.nothing(),
            since=since,
            until=until,
            filters=filters,
            verdict=self._verdict(),
            reasons=self.reason,
            **self.place(request),
        )

    def _verdict(self) -> ClickVerdicts:
        """Return which clicks are listed; a reason selects rejected clicks."""
        chosen = ClickVerdicts(self.verdict)
        return ClickVerdicts.REJECTED if self.reason and chosen is ClickVerdicts.ACCEPTED else chosen


class LandingRef(View):
    """The landing or the transit page of a click."""

    id: int
    title: str
    url: str


class OfferOfClick(OfferRef):
    """The offer of a click, as staff see it."""

    url: str


@with_subs
class ClickFields(View):
    """The fields of a click for every caller. uniq: 0 or 1. country, city: "" when unknown."""

    id: str
    click_id: str
    cbid: str
    ip: str
    ua: str
    country: str
    city: str
    city_id: int
    device: str
    device_type: str
    device_model: str
    os: str
    os_version: str
    browser: str
    browser_version: str
    connection_type: str
    isp_code: str
    referrer: str
    sub1: str
    ref_id: str
    os_id: str
    user_id: str
    ext1: str
    ext2: str
    ext3: str
    landing: LandingRef | None
    prelanding: LandingRef | None
    conversion_id: str
    has_conversions: bool
    ios_idfa: str
    android_id: str
    smart_id: str
    created_at: Moment
    uniq: int
    partner_id: str
    partner: PartnerView
    forgiven: str


class ClickForAffiliate(ClickFields):
    """A click as its affiliate sees it."""

    offer: OfferRef | None


class ClickForStaff(ClickFields):
    """A click as staff see it.

    reason: why it was rejected, "" for accepted ones. detail: the deciding value. origin: its signals.
    """

    offer: OfferOfClick | None
    reason: str
    detail: str
    origin: str


class ClicksForAffiliate(Answer):
    """A page of clicks."""

    clicks: list[ClickForAffiliate]
    pagination: Pagination


class ClicksForStaff(Answer):
    """A page of clicks."""

    clicks: list[ClickForStaff]
    pagination: Pagination


def click_rows(request: ApiRequest[Deps], params: ListClicks) -> ExportTable:
    """Return the rows of a file: all, or one page of them when `page` or `limit` is sent."""
    query = params.query(request)
    zone = params.timezone or request.deps.zone
    period = f"{params.date_from}_{params.date_to}"
    view, shown = (ClickForStaff, _for_staff) if request.staff else (ClickForAffiliate, _for_affiliate)
    if params.is_paged:
        found, _, names = list_visible_clicks(request.deps, request.access, query)
        return table_of(view, (shown(item, names, unchanged) for item in found), zone, period=period)
    export = export_clicks(request.deps, request.access, query)
    columns = partial(_columns, OfferOfClick if request.staff else OfferRef)
    return table_of_export(view, export, columns, zone, period)


@routes.get(
    "/stats/clicks",
    for_callers(Permission.STATS_CLICKS),
    id="stats.clicks",
    features=("stats.clicks-list",),
    report=True,
    page_max=5000,
    file_export=FileExport(
        "clicks", (ClickForStaff, ClickForAffiliate), click_rows, ALL_ROWS, "stats.conversions-export"
    ),
)
def list_clicks(request: ApiRequest[Deps], params: ListClicks) -> ClicksForStaff | ClicksForAffiliate:
    """List clicks."""
    query = params.query(request)
    found, total, names = list_visible_clicks(request.deps, request.access, query)
    at = as_text(params.timezone or request.deps.zone)
    pages = params.pagination(request, total)
    if request.staff:
        return ClicksForStaff(clicks=[_for_staff(item, names, at) for item in found], pagination=pages)
    return ClicksForAffiliate(clicks=[_for_affiliate(item, names, at) for item in found], pagination=pages)


def _columns(offer_view: type[View], clicks: Batch, names: EntityNames) -> dict[str, Array]:
    """Return the columns of some clicks. offer_view: an offer as the caller sees it."""
    arrow, compute, *_ = load_pyarrow()

    def pages(column: str) -> Array:
        return compute.binary_join_element_wise(*(clicks[name].cast("string") for name in ("offer", column)), " ")

    def landing(place: str) -> LandingRef | None:
        offer_id, landing_id = map(int, place.split(" "))
        return _landing(offer_id, landing_id, names)

    of_staff = offer_view is OfferOfClick
    verdict = ("reason", "detail") if of_staff else ()
    origins = {"origin": arrow.array(map(origin_text, clicks["origin"].to_pylist()), "string")} if of_staff else {}
    return {
        **origins,
        "forgiven": arrow.array(map(forgiven_text, clicks["forgiven"].to_pylist()), "string"),
        **{name: clicks[name] for name in (*_AS_RECORDED, *verdict, "conversion_id")},
        "click_id": clicks["id"],
        "cbid": clicks["id"],
        "device_type": clicks["device"],
        "connection_type": clicks["connection"],
        "isp_code": clicks["isp"],
        **nested_columns(
            offer_view, "offer", clicks["offer"], lambda key: offer_ref(offer_view, names.offers.get(key))
        ),
        **nested_columns(LandingRef, "landing", pages("landing"), landing),
        **nested_columns(LandingRef, "prelanding", pages("prelanding"), landing),
        "has_conversions": compute.not_equal(clicks["conversion_id"], ""),
        "created_at": clicks["time"].cast(arrow.timestamp("ms", tz="UTC")),
        "partner_id": clicks["affiliate"].cast("string"),
        **nested_columns(PartnerView, "partner", clicks["affiliate"], lambda key: partner_view(key, names.affiliates)),
    }


_AS_RECORDED = (
    "id", "ip", "ua", "country", "city", "city_id", "device", "device_model", "os", "os_version", "browser",
    "browser_version", "referrer", *SUBS, "ref_id", "os_id", "user_id", "ext1", "ext2",
    "ext3", "ios_idfa", "android_id", "smart_id", "uniq",
)  # fmt: skip


def _for_staff(item: ListedClick, names: EntityNames, at: At) -> ClickForStaff:
    click = item.click
    offer = offer_ref(OfferOfClick, names.offers.get(click.offer))
    origin = origin_text(click.origin)
    return ClickForStaff(
        **_fields(item, names, at), offer=offer, reason=click.reason, detail=click.detail, origin=origin
    )


def _for_affiliate(item: ListedClick, names: EntityNames, at: At) -> ClickForAffiliate:
    return ClickForAffiliate(**_fields(item, names, at), offer=offer_ref(OfferRef, names.offers.get(item.click.offer)))


def _fields(item: ListedClick, names: EntityNames, at: At) -> dict[str, Any]:
    """Return the values of ClickFields."""
    click = item.click
    return {name: getattr(click, name) for name in _AS_RECORDED} | {
        "click_id": click.id,
        "cbid": click.id,
        "device_type": click.device,
        "connection_type": click.connection,
        "isp_code": click.isp,
        "landing": _landing(click.offer, click.landing, names),
        "prelanding": _landing(click.offer, click.prelanding, names),
        "conversion_id": item.conversion_ids[0] if item.conversion_ids else "",
        "has_conversions": bool(item.conversion_ids),
        "created_at": at(click.time),
        "partner_id": str(click.affiliate),
        "partner": partner_view(click.affiliate, names.affiliates),
        "forgiven": forgiven_text(click.forgiven),
    }


def _landing(offer_id: int, landing_id: int, names: EntityNames) -> LandingRef | None:
    offer = names.offers.get(offer_id)
    for landing in offer.landings if offer and landing_id else ():
        if landing["id"] == landing_id:
            return LandingRef(id=landing_id, title=landing["title"], url=landing["url"])
    return None
