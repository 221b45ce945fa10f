"""Statistics rows on the wire (docs/spec/types.md#statistics-rows)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.day_rates import is_before_first_rate
from trackyard.actions.statistics.names import EntityNames
from trackyard.actions.statistics.reports import UNDEFINED, list_statistics_rows, manager_title
from trackyard.domain.money.exchange_rates import first_rate_warning
from trackyard.domain.statistics.metrics import FIELDS_OF_ROWS, InRows, RowField, Unit
from trackyard.domain.statistics.quality.origins import origin_text
from trackyard.domain.statistics.reports import ConversionTotals, Report, StatsRow
from trackyard.domain.statistics.slices import NO_MANAGER, REJECTION_REASON
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number, pagination

_PAGES: Final = frozenset({"landing", "prelanding"})
"""The slices by a page of an offer."""
RATED: Final = frozenset({"conn_type", *_PAGES})
"""The slices of which `plain` rows have epc and ratio, too."""

WITHOUT_CLICK: Final = "without_click"
"""The name of the figures of conversions without a click, which rows have where the caller requests them."""

Value = int | str | dict[str, int | str]


class TrafficView(View):
    """Clicks; numbers as text, as existing programs read them."""

    raw: str
    uniq: str


class ActionView(View, kw_only=True):
    """Conversions of one type. payouts: absent in `plain` rows.

    without_click, payouts_without_click: conversions without a click, such as imports and promo codes, and their
    payouts, where the caller requests `without_click`.
    """

    revenue: Money
    charge: Money
    earning: Money
    payouts: Money | UnsetType = UNSET
    null: int
    count: int
    without_click: int | UnsetType = UNSET
    payouts_without_click: Money | UnsetType = UNSET


class PageInfo(View):
    """A landing or transit page of a row."""

    url: str
    preview_url: str
    title: str


class _SliceView(View):
    """The first fields of a row."""

    slice: dict[str, Value]
    traffic: TrafficView
    actions: dict[str, ActionView] | list[ActionView]


_OTHER_FIELDS: Final[Mapping[str, tuple[str, Any]]] = MappingProxyType(
    {"epc": ("cr", dict[str, Money]), "trafficback": ("ratio", str)}
)
"""Fields that are more than a number, by the metric that follows: a rate for each conversion type, and a text."""
FIELD_NAMES: Final = tuple(
    name
    for metric, field in FIELDS_OF_ROWS
    for name in (_OTHER_FIELDS.get(field.name, ("",))[0], field.name, field.also)
    if name
)
"""The fields of rows after the fields of their conversions, in order."""


def _field_types() -> Iterator[tuple[str, Any, UnsetType]]:
    kinds: dict[str, Any] = dict(_OTHER_FIELDS.values())
    for metric, column in FIELDS_OF_ROWS:
        kinds |= dict.fromkeys((column.name, column.also), int if metric.unit is Unit.COUNT else Money)
    for name in FIELD_NAMES:
        yield name, kinds[name] | UnsetType, UNSET


_MetricsView: Any = msgspec.defstruct("_MetricsView", [*_field_types()], bases=(_SliceView,), kw_only=True)


class StatsRowView(_MetricsView):  # type: ignore[misc]
    """One row of a report.

    actions: empty in a row of rejected clicks (a slice by trafficback_reason), which `trafficback` counts.
    cr: by conversion type, in percent of clicks.
    views, ctr, cr, epc, ecpm, ratio: in `full` rows. A `plain` row has epc and ratio in a slice by conn_type, landing
    or prelanding, views and ctr in one by trafficback_reason (docs/compatibility.md).
    affiliate_epc: the affiliates' earnings per click, where the caller requests it.
    cost, profit, roi: for staff, in rows by slices and filters that costs of advertising have; in a `plain` row where
    there are costs.
    landings_info: in rows by landing and prelanding: the pages of the row by number; a removed page is absent.
    """

    landings_info: dict[str, PageInfo] | UnsetType = UNSET


class StatsAnswer(Answer):
    """A page of rows; amounts are in `currency`."""

    stats: list[StatsRowView]
    pagination: Pagination
    currency: str


@dataclass(frozen=True, slots=True)
class RowFormat:
    """The form of rows.

    types: conversion types; none = all.
    plain: whether rows have only the fields of the public API.
    staff: whether staff read them.
    requested: slice key to the name of the request, under which the value is shown too.
    fields: the figures that the caller requested; none = the figures of the switches.
    has_clickless: whether the caller requested WITHOUT_CLICK, which leaves other figures as they are.
    """

    types: Collection[str] = ()
    plain: bool = False
    staff: bool = True
    requested: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: frozenset[str] = frozenset()
    has_clickless: bool = False

    def has(self, name: str, *, otherwise: bool) -> bool:
        """Return whether rows have a figure. otherwise: the result when the caller requests no figures."""
        return name in self.fields if self.fields else otherwise

    def shows(self, kind: str) -> bool:
        """Return whether rows show a conversion type."""
        return not self.types or kind in self.types

    def has_field(self, field: RowField, keys: Collection[str], *, has_cost: bool) -> bool:
        """Return whether rows with these keys of slices have the field of a metric."""
        is_rejected, full = REJECTION_REASON in keys, not self.plain
        if field.rows is InRows.NAMED and is_rejected:
            return True
        usual = {
            InRows.FULL: full,
            InRows.REJECTED: full or is_rejected,
            InRows.RATED: full or not RATED.isdisjoint(keys),
            InRows.COSTS: full or has_cost,
            InRows.NAMED: False,
        }
        return self.has(field.name, otherwise=usual[field.rows])

    @property
    def shows_url(self) -> bool:
        """Return whether a slice by offer shows the offer's URL."""
        return self.staff and not self.plain


def warn_of_missing_databases(request: ApiRequest[Deps], dimensions: Collection[str]) -> None:
    """Add a warning for each slice without its database.

    The values of these slices come from an IP address database that is not configured.
    """
    for name in dimensions:
        if name in _KNOWN_BY and _KNOWN_BY[name][0] not in request.deps.address_databases:
            kind, what = _KNOWN_BY[name]
            shown = "ISP" if kind == "isp" else kind
            request.warn(
                f"No {shown} database is configured (TRACKYARD_{kind.upper()}_DATABASE): {what} are not known."
            )


_KNOWN_BY: Final = MappingProxyType(
    {
        "city": ("city", "cities"),
        "mobile_carrier": ("isp", "providers"),
        "conn_type": ("connection", "types of connection"),
    }
)
"""Slice → the IP address database that its values come from, and what they are."""


def warn_of_first_rate(request: ApiRequest[Deps], report: Report) -> None:
    """Add a warning for a report that begins before the first known rate of its currency."""
    if is_before_first_rate(request.deps, report):
        request.warn(first_rate_warning([report.in_currency]))


def stats_answer(request: ApiRequest[Deps], report: Report, form: RowFormat) -> StatsAnswer:
    """Return the answer to a report."""
    warn_of_missing_databases(request, report.dimensions)
    warn_of_first_rate(request, report)
    page, names = list_statistics_rows(request.deps, request.access, report)
    return StatsAnswer(
        stats=[row_view(row, names, form) for row in page.rows],
        pagination=pagination(page=report.page, per_page=report.limit, total=page.total_count),
        currency=page.currency or request.deps.currency,
    )


def row_view(row: StatsRow, names: EntityNames, form: RowFormat) -> StatsRowView:
    """Return the view of a row."""
    actions = {kind: _action(action, form) for kind, action in row.actions.items() if form.shows(kind)}
    rejected = REJECTION_REASON in row.keys
    fields: dict[str, Any] = {}
    if form.has("cr", otherwise=not form.plain):
        fields["cr"] = {kind: number(row.cr(kind)) for kind in row.actions if form.shows(kind)}
    if form.has("ratio", otherwise=not form.plain or not RATED.isdisjoint(row.keys)):
        fields["ratio"] = row.ratio
    if not _PAGES.isdisjoint(row.keys):
        fields["landings_info"] = _pages(row, names)
    return StatsRowView(
        slice=_slice(row, names, form),
        traffic=TrafficView(raw=str(row.raw), uniq=str(row.uniq)),
        actions=[] if rejected else actions,
        **fields,
        **_metrics(row, form),
    )


def _metrics(row: StatsRow, form: RowFormat) -> dict[str, int | Decimal]:
    """Return the fields of metrics."""
    found: dict[str, int | Decimal] = {}
    sums = row.sums
    for metric, column in FIELDS_OF_ROWS:
        if column.rows is InRows.COSTS and row.cost is None:
            continue
        value = metric.in_rows(sums)
        shown = int(value) if metric.unit is Unit.COUNT else number(value)
        if form.has_field(column, row.keys, has_cost=bool(row.cost)):
            found[column.name] = shown
        if column.also and column.also in form.fields:
            found[column.also] = shown
    return found


def _pages(row: StatsRow, names: EntityNames) -> dict[str, PageInfo]:
    """Return the landing and transit pages of a row by number."""
    offer = names.offers.get(int(row.keys["offer"]))
    numbers = {row.keys[name] for name in _PAGES if name in row.keys}
    return {
        str(page["id"]): PageInfo(url=page["url"], preview_url=page["url_preview"], title=page["title"])
        for page in (offer.landings if offer else ())
        if page["id"] in numbers
    }


def _slice(row: StatsRow, names: EntityNames, form: RowFormat) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for key, value in row.keys.items():
        shown = shown_value(key, value, names, form)
        if key in form.requested:
            values[form.requested[key]] = shown
        values[key] = shown
    return values


def shown_value(key: str, value: Any, names: EntityNames, form: RowFormat) -> Value:
    """Return the value of a slice as rows show it."""
    shown: Value = _NAMED[key](value, names, form) if key in _NAMED else value
    return shown


def _action(action: ConversionTotals, form: RowFormat) -> ActionView:
    return ActionView(
        revenue=number(action.revenue),
        charge=number(action.charge),
        earning=number(action.earning),
        payouts=number(action.payouts) if form.has("payouts", otherwise=not form.plain) else UNSET,
        null=action.null,
        count=action.count,
        without_click=action.clickless if form.has_clickless else UNSET,
        payouts_without_click=number(action.clickless_payouts) if form.has_clickless else UNSET,
    )


def _offer(value: Any, names: EntityNames, form: RowFormat) -> dict[str, int | str]:
    found = names.offers.get(value)
    shown = {"id": value, "offer_id": found.hash if found else "", "title": found.title if found else ""}
    return shown | ({"url": found.url if found else ""} if form.shows_url else {})


def _affiliate(value: Any, names: EntityNames, _form: RowFormat) -> dict[str, int | str]:
    found = names.affiliates.get(value)
    if found is None:
        return {"id": value, "email": "", "login": "", "name": ""}
    return {"id": value, "email": found.email, "login": found.login, "name": found.name}


def _advertiser(value: Any, names: EntityNames, _form: RowFormat) -> dict[str, int | str]:
    return {"id": value, "title": names.advertisers.get(value, "")}


def _manager(value: Any, names: EntityNames, form: RowFormat) -> dict[str, int | str]:
    found = names.managers.get(value)  # None without a manager, or when it was removed while the report was made
    first, last = (found.first_name, found.last_name) if found else (UNDEFINED, UNDEFINED)
    shown = {"id": value if found else NO_MANAGER, "first_name": first, "last_name": last}
    return shown | ({} if form.plain else {"title": manager_title(found)})


def _city(value: Any, names: EntityNames, _form: RowFormat) -> str:
    return names.cities.get(str(value), str(value))


def _page_number(value: Any, _names: EntityNames, _form: RowFormat) -> str:
    return str(value)


def _origin(value: Any, _names: EntityNames, _form: RowFormat) -> str:
    return origin_text(int(value))


_NAMED: dict[str, Callable[[Any, EntityNames, RowFormat], Value]] = {
    "city": _city,
    "landing": _page_number,
    "offer": _offer,
    "affiliate": _affiliate,
    "advertiser": _advertiser,
    "origin": _origin,
    "affiliate_manager_id": _manager,
    "advertiser_manager_id": _manager,
}
"""Slices that show their value with its names, or in the form that existing programs read."""
