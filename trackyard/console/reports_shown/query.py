"""The report that an address of the page Reports describes (docs/spec/console.md#reports)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.statistics import reports
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.figures import request_of
from trackyard.console.frame.periods import CHOICES, COMPARISONS, Compare, DayPeriod, read_comparison, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.currencies import PARAMETER, CurrencyChoice, read_currency
from trackyard.console.reports_shown.filters import Condition, FilterKind, filters_of, read_conditions
from trackyard.console.reports_shown.slices import OF_STAFF, is_time, kinds_for, slice_label
from trackyard.domain.people.permissions import slice_features
from trackyard.domain.statistics.metrics import BY_STATUS, METRIC_BY_NAME, Metric

COLUMNS: Final = ("clicks", "unique", "conversions", "cr", "charge", "payout", "margin", "margin_share")
"""The figures of the table unless the address names others."""
_ONLY_CHOSEN: Final = frozenset(
    (
        *("confirmed", "pending", "hold", "impressions", "ctr", "ecpm", "confirmed_profit", "confirmed_roi"),
        *("expected_epc", "without_click", "total_epc", *BY_STATUS),
    )
)
"""Figures that no table has until the address names them."""
_OF_FIGURES: Final = ("figures", "show", "sort")
"""The parameters of the address that name figures."""
MOST_SLICES: Final = 6
_API_ORDERS: Final = {
    "clicks": "raw",
    "unique": "uniq",
    **{status: f"{status}_count" for status in ("confirmed", "pending", "hold", "declined")},
    "cost": "cost",
}
"""Figures that the API orders rows by, exactly as pages count them."""
VIEWS: Final = ("table", "pivot", "heat", "funnel")
"""The ways to show a report, by the value of `view` in the address."""


@dataclass(frozen=True, slots=True)
class ReportQuery:
    """A report as its address describes it.

    address: the report's address, without values that do not exist.
    filter_kinds: the filters that the person has.
    kinds: the figures that its rows can have. columns: the chosen figures. shown: the figure of the chart.
    sort: a figure or a slice of `by`.
    faults: sentences about values in the address that the page cannot show.
    money: the currency of its amounts.
    view: the way to show it, "" = as a table.
    """

    address: PageAddress
    by: tuple[str, ...]
    slices: tuple[str, ...]
    period: DayPeriod
    compare: Compare
    conditions: tuple[Condition, ...]
    filter_kinds: tuple[FilterKind, ...]
    kinds: tuple[Metric, ...]
    columns: tuple[Metric, ...]
    shown: Metric
    sort: str
    descending: bool
    page: int
    faults: tuple[str, ...]
    money: CurrencyChoice
    view: str = ""

    @property
    def needed_slices(self) -> tuple[str, ...]:
        """Return the slices that the report also needs for its filters."""
        return tuple(name for name in self.by if name == "smart_id")

    @property
    def before(self) -> DayPeriod | None:
        """Return the period that it is compared with; None without a comparison."""
        return self.period.compared_with(self.compare)

    @property
    def before_text(self) -> str:
        """Return the compared period in words, "" without a comparison."""
        return self.period.against(self.period.compared_text(self.compare))

    @property
    def filters(self) -> list[Pair]:
        """Return the filters and the currency as parameters of the API."""
        return [*(pair for condition in self.conditions for pair in condition.pairs()), *self.money.pairs]

    @property
    def currency(self) -> str:
        """Return the currency of the amounts.

        It comes from the URL, else from a filter by one, else it is the platform's.
        """
        own = [each.values for each in self.conditions if each.kind.name == "currency"]
        is_own = not self.money.code and len(own) == 1 and len(own[0]) == 1
        return own[0][0].strip().upper() if is_own else self.money.shown

    @property
    def extra_slices(self) -> tuple[str, ...]:
        """Return the slices that a report by day also needs, so that its sum is the sum of these rows."""
        return tuple(name for name in self.by if name in ("smart_id", "goal", "trafficback_reason"))

    @property
    def api_order(self) -> str:
        """Return the order of the API that is the chosen one; "" where it has none."""
        return api_order_of(self.sort, self.by)

    @property
    def long_sort(self) -> str:
        """Return the column by which the API sorts a long report: the chosen order, else clicks or a slice."""
        if self.api_order:
            return self.sort
        return "clicks" if self.kinds[0].name == "clicks" else self.by[0]

    @property
    def compared_kind(self) -> Metric:
        """Return the figure of the column that compares: the sorted one, else the chart's."""
        return METRIC_BY_NAME.get(self.sort, self.shown)

    def request(self) -> list[Pair]:
        """Return the parameters of the API for all rows, in their order where the API has it."""
        sent = [
            pair for pair in request_of(self.period, self.by, filters=self.filters) if pair[0] not in ("limit", "page")
        ]
        if self.api_order:
            sent += [("order[]", self.api_order), ("orderType", "desc" if self.descending else "asc")]
        return sent


def api_order_of(sort: str, by: Sequence[str]) -> str:
    """Return the order of the API by a figure or a slice; "" where it has none."""
    return _API_ORDERS.get(sort, sort if sort in by else "")


def read_query(request: PageRequest) -> ReportQuery:
    """Return the report that an address describes; values that do not exist are left out, with a sentence."""
    is_staff = request.calls.is_staff
    named = _renamed(request.address)
    address = named if is_staff else _own_figures(named)
    period, fault = read_period(address, request.deps.clock.now_ms(), request.day_zone)
    faults = [fault] if fault else []
    slices = allowed_slices(request)
    by = _slices(address, slices, faults)
    conditions, more = read_conditions(address, filters_of(is_staff=is_staff))
    money = read_currency(request)
    faults += more
    if money.fault:
        faults.append(money.fault)
        address = PageAddress(address.path, tuple(pair for pair in address.pairs if pair[0] != PARAMETER))
    if "smart_id" not in by and any(each.kind.name == "smart_id" and not each.without for each in conditions):
        by = (*by, "smart_id")  # which the API asks for
    view = _one_of(address, "view", VIEWS, faults)
    filtered = [each.kind.name for each in conditions]
    kinds = kinds_for(("hour",) if view in ("heat", "funnel") else by, filtered, is_staff=is_staff)
    names = {kind.name for kind in kinds}
    columns = _columns(address, kinds, faults)
    sort = _sort(address, by, kinds, faults)
    _one_of(address, "compare", COMPARISONS, faults)
    return ReportQuery(
        address=_canonical(address, by),
        by=by,
        slices=slices,
        period=period,
        compare=read_comparison(address),
        conditions=conditions,
        filter_kinds=filters_of(is_staff=is_staff),
        kinds=kinds,
        columns=columns,
        shown=METRIC_BY_NAME[address.get("show")] if address.get("show") in names else kinds[0],
        sort=sort,
        descending=address.get("dir", "asc" if sort in by else "desc") == "desc",
        page=address.page,
        faults=tuple(faults),
        money=money,
        view="" if view == "table" else view,
    )


def allowed_slices(request: PageRequest) -> tuple[str, ...]:
    """Return the slices of reports that a person may have."""
    known = request.calls.choices(reports.custom, "slice")
    return tuple(name for name in known if request.calls.has_features(slice_features((name,))))


def _renamed(address: PageAddress) -> PageAddress:
    """Return the address with the current names of its figures."""
    pairs = (
        (name, METRIC_BY_NAME[value].name if name in _OF_FIGURES and value in METRIC_BY_NAME else value)
        for name, value in address.pairs
    )
    return PageAddress(address.path, tuple(pairs))


def _own_figures(address: PageAddress) -> PageAddress:
    """Return the address without the figures that affiliates have not."""
    kept = (pair for pair in address.pairs if pair[0] not in _OF_FIGURES or pair[1] not in OF_STAFF)
    return PageAddress(address.path, tuple(kept))


def _slices(address: PageAddress, known: Sequence[str], faults: list[str]) -> tuple[str, ...]:
    asked = tuple(dict.fromkeys(address.all("by")))
    by = tuple(name for name in asked if name in known)
    faults += [
        gettext("Rows by %(name)s do not exist: they are left out.", name=name[:60])
        for name in asked
        if name not in known
    ][:5]
    if len(by) > MOST_SLICES:
        faults.append(
            gettext(
                "A report has at most %(most_slices)s slices: the first %(most_slices)s are shown.",
                most_slices=MOST_SLICES,
            )
        )
    return by[:MOST_SLICES] or ("offer",)


def _columns(address: PageAddress, kinds: tuple[Metric, ...], faults: list[str]) -> tuple[Metric, ...]:
    asked = address.all("figures")
    unknown = [name for name in asked if name not in METRIC_BY_NAME]
    faults += [gettext("The figure %(name)s does not exist: it is left out.", name=name[:60]) for name in unknown][:5]
    shown = tuple(kind.name for kind in kinds if kind.name not in _ONLY_CHOSEN)
    usual = COLUMNS if "margin" in shown else shown
    chosen = tuple(kind for kind in kinds if kind.name in (asked or usual))
    return chosen or kinds


def _sort(address: PageAddress, by: tuple[str, ...], kinds: tuple[Metric, ...], faults: list[str]) -> str:
    asked = address.get("sort")
    if asked in by or any(asked == kind.name for kind in kinds):
        return asked
    if asked and asked not in METRIC_BY_NAME:
        faults.append(
            gettext("The table cannot be sorted by %(asked)s: choose the heading of a column.", asked=asked[:60])
        )
    return by[0] if is_time(by[0]) else kinds[0].name


def _one_of(address: PageAddress, name: str, values: Sequence[str], faults: list[str]) -> str:
    asked = address.get(name)
    if asked and asked not in values:
        faults.append(
            gettext(
                "%(name)s has the values %(values)s: %(values_2)s is used.",
                name=name,
                values=", ".join(values),
                values_2=values[0],
            )
        )
    return asked if asked in values else values[0]


def _canonical(address: PageAddress, by: tuple[str, ...]) -> PageAddress:
    """Return the address with its slices, so that links can add and remove them."""
    canonical = PageAddress(address.path, tuple(("by", name) for name in by) + address.without("by").pairs)
    return canonical.at_page(address.page) if address.get("page") else canonical


def title_of(query: ReportQuery) -> str:
    """Return the title of a report: Country × offer."""
    if query.view == "heat":
        return gettext("%(figure)s by hour and weekday", figure=query.shown.label)
    if query.view == "funnel":
        return gettext("From clicks to confirmed conversions")
    first, *rest = (slice_label(name) for name in query.by)
    return " × ".join(
        [str(first), *(label if label[:2].isupper() else label[:1].lower() + label[1:] for label in rest)]
    )


PERIODS: Final = CHOICES
