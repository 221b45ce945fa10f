"""Statistics reports (docs/api/statistics.md)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final, NamedTuple

from pydantic import model_validator

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.reports import switches_of
from trackyard.api.statistics.exports import ExportListParams
from trackyard.api.statistics.params import CommonFilter, CommonParams, OfferReportParams, ReducedParams
from trackyard.api.statistics.rows import FIELD_NAMES, WITHOUT_CLICK, RowFormat, StatsAnswer, stats_answer
from trackyard.api.statistics.table import CUSTOM_COLUMNS, stats_table
from trackyard.api.statistics.times import hour_end_ms, hour_start_ms
from trackyard.base.errors import BadInput
from trackyard.base.ids import lowercase_ids
from trackyard.domain.money.payment_states import PaymentState
from trackyard.domain.people.permissions import slice_features
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.click_columns import SliceAccess
from trackyard.domain.statistics.metrics import COUNTED, FIELDS_OF_ROWS, InRows
from trackyard.domain.statistics.reports import COST_METRICS, Report, Values
from trackyard.domain.statistics.slices import REJECTION_REASON, SLICES, slices_for
from trackyard.domain.statistics.switches import Switches
from trackyard.wire.endpoint import ApiRequest, Endpoint, Rights, Routes, check_features, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import CommaList, Only, Seq
from trackyard.wire.response.exports import ExportTable, FileExport

routes = Routes[Deps]()


class GroupedReport(NamedTuple):
    """A grouped report: its path, its slices, and the rights it needs."""

    name: str
    dimensions: tuple[str, ...]
    permission: Permission
    text: str
    params: type[ReducedParams] = CommonParams
    rights_of: Callable[[Permission], Rights] = for_callers


_P = Permission
_WITHOUT_DATABASE = "without one the answer has a warning."

GROUPED = (
    GroupedReport("getbydate", ("day",), _P.STATS_COMMON, "Statistics per calendar day."),
    GroupedReport("getbyhour", ("hour",), _P.STATS_COMMON, "Statistics per hour of each day."),
    GroupedReport(
        "getbysub", ("sub1",), _P.STATS_OTHER, "Statistics per value of sub1 of some offers.", OfferReportParams
    ),
    GroupedReport("getbyprogram", ("offer",), _P.STATS_OFFER, "Statistics per offer."),
    GroupedReport(
        "getbyadvertiser", ("advertiser",), _P.STATS_SUPPLIER, "Statistics per advertiser.", rights_of=for_staff
    ),
    GroupedReport(
        "getbyaccountmanager",
        ("advertiser_manager",),
        _P.STATS_OTHER,
        "Statistics per manager of the advertiser, as it is today.",
        rights_of=for_staff,
    ),
    GroupedReport(
        "getbyaffiliatemanager",
        ("manager",),
        _P.STATS_OTHER,
        "Statistics per manager of the affiliate, as it is today.",
    ),
    GroupedReport("getbypartner", ("affiliate",), _P.STATS_PARTNER, "Statistics per affiliate."),
    GroupedReport("getbypartnerbydate", ("day", "affiliate"), _P.STATS_PARTNER, "Statistics per day and affiliate."),
    GroupedReport("getbycountries", ("country",), _P.STATS_COUNTRY, "Statistics per country."),
    GroupedReport(
        "getbycities",
        ("city",),
        _P.STATS_CITY,
        f"Statistics per city. Cities are known with a city database (`TRACKYARD_CITY_DATABASE`); {_WITHOUT_DATABASE}",
    ),
    GroupedReport("getbybrowsers", ("browser",), _P.STATS_DEVICE, "Statistics per browser."),
    GroupedReport(
        "getbybrowsersversion", ("browser_version",), _P.STATS_DEVICE, "Statistics per version of the browser."
    ),
    GroupedReport(
        "getbymobilecarrier",
        ("mobile_carrier",),
        _P.STATS_DEVICE,
        "Statistics per mobile carrier. Carriers are known with a provider database (`TRACKYARD_ISP_DATABASE`); "
        + _WITHOUT_DATABASE,
    ),
    GroupedReport(
        "getbyconnectiontype",
        ("conn_type",),
        _P.STATS_DEVICE,
        "Statistics per type of connection. Types are known with a connection database "
        f"(`TRACKYARD_CONNECTION_DATABASE`); {_WITHOUT_DATABASE}",
    ),
    GroupedReport("getbyos", ("os",), _P.STATS_OS, "Statistics per operating system."),
    GroupedReport(
        "getbyversions", ("os", "os_version"), _P.STATS_OS, "Statistics per version of the operating system."
    ),
    GroupedReport("getbygoal", ("goal",), _P.STATS_GOAL, "Statistics per goal."),
    GroupedReport("getbydevices", ("device",), _P.STATS_DEVICE, "Statistics per type of device."),
    GroupedReport("getbydevicemodels", ("device_model",), _P.STATS_DEVICE, "Statistics per model of device."),
    GroupedReport(
        "getbylanding",
        ("landing",),
        _P.STATS_OTHER,
        "Statistics per landing page of each offer; 0 is the offer itself.",
    ),
    GroupedReport(
        "getbyprelanding", ("prelanding",), _P.STATS_OTHER, "Statistics per transit page of each offer; 0 is none."
    ),
    GroupedReport(
        "getbytrafficback",
        (REJECTION_REASON,),
        _P.STATS_OTHER,
        "Refused clicks per reason of the refusal.",
        ReducedParams,
    ),
)
"""The grouped reports."""

_OPEN_SLICES = slices_for(SliceAccess.EVERYONE)
_STAFF_SLICES = tuple(sorted(slices_for(SliceAccess.STAFF)))
METRICS = (
    "confirmed_earning", "raw", "uniq", "total_count", "total_revenue", "total_null", "pending_count",
    "pending_revenue", "declined_count", "declined_revenue", "hold_count", "hold_revenue", "confirmed_count",
    "confirmed_revenue",
)  # fmt: skip

_OF_STAFF: Final = tuple(field.name for _, field in FIELDS_OF_ROWS if field.rows is InRows.COSTS)
FIELDS: Final = (
    *("clicks", "hosts", "earnings", "income", "noincome", "payouts", "conversions"),
    *(name for name in FIELD_NAMES if name not in _OF_STAFF),
    WITHOUT_CLICK,
)
"""The figures of rows that a program may choose; traffic and actions are in every row."""

FieldName = Annotated[str, s.Choice(FIELDS, admin=_OF_STAFF)]
SliceName = Annotated[str, s.Choice(_OPEN_SLICES, admin=_STAFF_SLICES, permission=slices_for(SliceAccess.PERMITTED))]
OrderName = Annotated[
    str, s.Choice((*_OPEN_SLICES, "currency", *METRICS), admin=("advertiser", "affiliate", "manager", *COST_METRICS))
]
StatusName = Annotated[str, s.Choice((*COUNTED, "declined"))]
PaymentStatusName = Annotated[str, s.Choice([state.value for state in PaymentState])]
TypeName = Annotated[str, s.Choice(("total", "confirmed", "pending", "declined", "hold"), only_3_0=("not_found",))]


class CustomFilter(CommonFilter):
    """The filters of the custom report.

    from_hour, to_hour: the first hour of the first day and the last hour of the last day, both included.
    status: the present status of conversions.
    payment_status: the present payment status of conversions.
    """

    nonzero: Annotated[s.Flag, Only(since="3.1")] = False
    smart_id: Seq[s.Text] = ()
    status: Seq[StatusName] = ()
    payment_status: Seq[PaymentStatusName] = ()
    from_hour: Annotated[s.Hour | None, Only(since="3.1")] = None
    to_hour: Annotated[s.Hour | None, Only(since="3.1")] = None

    def filters(self) -> dict[str, Values]:
        """Return the given filters by column of the analytic store."""
        return super().filters() | ({"smart_id": lowercase_ids(self.smart_id)} if self.smart_id else {})


class CustomParams(ExportListParams, CommonParams):
    """Parameters of the custom report. not_…: the same as in filter, where a name may be sent once.

    fields: the figures that rows show in addition to traffic and actions; none, or without_click alone = the figures of
        the switches.
    """

    filter: CustomFilter
    not_offer_id: Annotated[Seq[s.Int], Only(admin=True)] = ()
    not_advertiser_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_affiliate_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_affiliate_manager_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_advertiser_manager_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_smartlink_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_country: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_advertiser_tag: Annotated[CommaList[s.Text], Only(admin=True)] = ()
    not_affiliate_tag: Annotated[CommaList[s.Text], Only(admin=True)] = ()
    not_offer_tag: Annotated[CommaList[s.Text], Only(admin=True)] = ()
    slice: Seq[SliceName]
    conversionTypes: Seq[TypeName] = ()
    order: Seq[OrderName] = ()
    fields: Seq[FieldName] = ()

    @model_validator(mode="before")
    @classmethod
    def _move_into_filter(cls, tree: Any) -> Any:
        """Take what is left out as filters, which newer programs send outside of `filter`."""
        if not isinstance(tree, dict):
            return tree
        outside = {name: value for name, value in tree.items() if name.startswith("not_") and value not in ("", [])}
        inside = tree.get("filter")
        inside = inside if isinstance(inside, dict) else {}
        twice = sorted(name for name in outside if inside.get(name) not in (None, "", []))
        if twice:
            raise ValueError(f"Send {twice[0]} once, in filter or outside of it.")
        return {**tree, "filter": {**inside, **outside}} if outside else tree

    def report(self, request: ApiRequest[Any], dimensions: tuple[str, ...], switches: Switches) -> Report:
        """Return the report of the hours. Raises BadInput for a wrong or too long period."""
        report = super().report(request, dimensions, switches)
        given, zone = self.filter, self.timezone or request.deps.zone
        since, until = report.since, report.until
        if given.from_hour is not None:
            since = max(since, hour_start_ms(given.date_from, given.from_hour, zone))
        if given.to_hour is not None:
            until = min(until, hour_end_ms(given.date_to, given.to_hour, zone))
        if until < since:
            raise BadInput({"filter[to_hour]": ["This hour must not lie before the first."]})
        return replace(
            report,
            since=since,
            until=until,
            counts_rejected="trafficback" in self.fields,
            counts_clickless=WITHOUT_CLICK in self.fields,
            statuses=tuple(dict.fromkeys(given.status)),
            payment_statuses=tuple(dict.fromkeys(given.payment_status)),
        )


def _add_route(grouping: GroupedReport) -> Endpoint[Deps, StatsAnswer]:
    def grouped_rows(request: ApiRequest[Deps], params: Any) -> ExportTable:
        """Return the rows of a file: all, or one page of them when `page` or `limit` is sent."""
        report, form = grouped_query(request, params)
        period = f"{params.filter.date_from}_{params.filter.date_to}"
        return stats_table(request, report, form, period, is_paged=params.is_paged)

    @routes.get(
        f"/stats/{grouping.name}",
        grouping.rights_of(grouping.permission),
        id=f"stats.{grouping.name}",
        params=grouping.params,
        description=grouping.text,
        report=True,
        features=slice_features(grouping.dimensions),
        file_export=FileExport(grouping.name, (), grouped_rows, CUSTOM_COLUMNS, "stats.stats-export"),
    )
    def handle(request: ApiRequest[Deps], params: ReducedParams) -> StatsAnswer:
        return stats_answer(request, *grouped_query(request, params))

    def grouped_query(request: ApiRequest[Deps], params: ReducedParams) -> tuple[Report, RowFormat]:
        switches = switches_of(request.deps, request.caller)
        form = RowFormat(plain=switches.plain, staff=request.staff)
        return params.report(request, grouping.dimensions, switches), form

    return handle


_GROUPED_ROUTES: Final = {report.name: _add_route(report) for report in GROUPED}
rejected_clicks = _GROUPED_ROUTES["getbytrafficback"]


def custom_rows(request: ApiRequest[Deps], params: CustomParams) -> ExportTable:
    """Return the rows of a file: all, or one page of them when `page` or `limit` is sent."""
    report, form = _custom_query(request, params)
    period = f"{params.filter.date_from}_{params.filter.date_to}"
    return stats_table(request, report, form, period, is_paged=params.is_paged)


@routes.get(
    "/stats/custom",
    for_callers(Permission.STATS_COMMON),
    id="stats.custom",
    report=True,
    features=("stats.view-custom",),
    file_export=FileExport("custom", (), custom_rows, CUSTOM_COLUMNS, "stats.stats-export"),
)
def custom(request: ApiRequest[Deps], params: CustomParams) -> StatsAnswer:
    """Statistics rows grouped by the requested slices.

    A slice with another name of its key answers under the requested name too: `manager` and `affiliate_manager_id`.
    Without a city database (`TRACKYARD_CITY_DATABASE`) a slice by city has a warning.
    """
    report, form = _custom_query(request, params)
    return stats_answer(request, report, form)


def _custom_query(request: ApiRequest[Deps], params: CustomParams) -> tuple[Report, RowFormat]:
    switches = switches_of(request.deps, request.caller)
    slices = tuple(dict.fromkeys(params.slice))
    asked = (*slices, *((REJECTION_REASON,) if "trafficback" in params.fields else ()))
    check_features(request.caller_or_none, slice_features(asked))
    _check_custom(params, slices)
    report = params.report(request, slices, switches)
    report = replace(report, order=tuple(dict.fromkeys(params.order)), nonzero=params.filter.nonzero)
    _check_costs(report)
    parts = {name: SLICES[name].parts for name in slices}
    requested = {part.key: name for name, (part, *rest) in parts.items() if not rest and part.key != name}
    form = RowFormat(
        params.conversionTypes,
        plain=switches.plain,
        staff=request.staff,
        requested=requested,
        fields=frozenset(params.fields) - {WITHOUT_CLICK},
        has_clickless=WITHOUT_CLICK in params.fields,
    )
    return report, form


def _check_custom(params: CustomParams, slices: tuple[str, ...]) -> None:
    faults = {}
    if params.filter.smart_id and "smart_id" not in slices:
        faults["filter[smart_id]"] = ["This filter needs the slice smart_id."]
    astray = [name for name in params.order if name in SLICES and name not in slices]
    if astray:
        faults["order"] = [f"To order by {name} it must be in slice." for name in astray]
    if faults:
        raise BadInput(faults)


def _check_costs(report: Report) -> None:
    """Raise BadInput for an order by costs that the rows do not have."""
    named = [name for name in report.order if name in COST_METRICS]
    if named and not report.can_have_costs:
        sentence = (
            "To order by {} the slices and filters must be slices and filters of costs: times from a day on, offers, "
        )
        sentence += "affiliates, advertisers and their managers."
        raise BadInput({"order": [sentence.format(name) for name in named]})
