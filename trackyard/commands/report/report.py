"""The rows of `trackyard report`: requests to the API, order, trends and totals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from trackyard.commands.local_api import ApiClient
from trackyard.commands.periods import DaySpan
from trackyard.commands.report.metrics import PrintedMetric, Row
from trackyard.commands.report.slices import is_time

_PATH: Final = "/3.1/stats/custom"
MOST_ROWS: Final = 1000
"""Rows that one request returns at most."""
_TREND_PAGES: Final = 5


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A request for a report.

    filters: pairs of name and value, as the API has them.
    order: the metric that orders the rows, the highest first; None = slices by time keep their own order.
    limit: the most rows; 0 = all of the first thousand.
    """

    period: DaySpan
    slices: tuple[str, ...]
    metrics: tuple[PrintedMetric, ...]
    filters: tuple[tuple[str, str], ...] = ()
    timezone: str = ""
    order: PrintedMetric | None = None
    limit: int = 0

    def params(self, slices: Sequence[str], page: int = 1) -> dict[str, Any]:
        """Return the parameters of the API."""
        params: dict[str, Any] = {
            "filter[date_from]": self.period.first,
            "filter[date_to]": self.period.last,
            "limit": MOST_ROWS,
            "page": page,
        }
        for name, value in self.filters:
            params.setdefault(f"filter[{name}][]", []).append(value)
        params["slice[]"], params["fields[]"] = list(slices), "without_click"
        if not is_time(slices[0]):
            params |= {"order[]": "raw", "orderType": "desc"}
        return params | ({"timezone": self.timezone} if self.timezone else {})


@dataclass(frozen=True, slots=True)
class ReportResult:
    """The rows of a report.

    total: the row of all together. count: rows that there are.
    trends: the first metric by day, for each row; empty without.
    """

    rows: list[Row]
    total: Row | None
    count: int
    currency: str
    trends: list[list[Decimal]] = field(default_factory=list)


def make_report(api: ApiClient, request: ReportRequest, *, with_trends: bool) -> ReportResult:
    """Return the rows of a report. Raises ApiError, ServerAway."""
    answer = api.get_known(_PATH, request.params(request.slices))
    rows: list[Row] = answer["stats"]
    count = answer["pagination"]["total_count"]
    if request.order is not None:
        rows = sorted(rows, key=_sort_key(request.order), reverse=True)
    rows = rows[: request.limit] if request.limit else rows
    total = _summed(api.get_known(_PATH, request.params(("year",)))["stats"])
    trends = _trends(api, request, rows) if with_trends and _has_trends(request) else []
    return ReportResult(rows, total, count, answer["currency"], trends)


def _sort_key(metric: PrintedMetric) -> Any:
    def key(row: Row) -> tuple[bool, Any]:
        value = metric.value(row)
        return (value is not None, value if isinstance(value, Decimal) else Decimal(0))

    return key


def _summed(years: Sequence[Row]) -> Row | None:
    """Return the row of all years together. Rates of several years are unknown, since they are not sums."""
    if len(years) < 2:
        return years[0] if years else None
    total: dict[str, Any] = {"traffic": {}, "actions": {}}
    for year in years:
        _add(total["traffic"], year["traffic"])
        for kind, figures in year["actions"].items():
            _add(total["actions"].setdefault(kind, {}), figures)
        _add(total, {name: year[name] for name in ("views", "cost") if name in year})
    return total


def _add(sums: dict[str, Any], figures: Row) -> None:
    for name, value in figures.items():
        sums[name] = sums.get(name, Decimal(0)) + Decimal(str(value))


def _has_trends(request: ReportRequest) -> bool:
    return request.period.days > 1 and bool(request.slices) and not any(is_time(name) for name in request.slices)


def _trends(api: ApiClient, request: ReportRequest, rows: list[Row]) -> list[list[Decimal]]:
    """Return the values of the first metric on each day, for each row; none when there are too many rows."""
    found: dict[str, dict[str, Decimal]] = {}
    for page in range(1, _TREND_PAGES + 1):
        answer = api.get_known(_PATH, request.params((*request.slices, "day"), page))
        for row in answer["stats"]:
            keys = dict(row["slice"])
            day = "{year}-{month:02}-{day:02}".format(
                **{name: int(keys.pop(name)) for name in ("year", "month", "day")}
            )
            value = request.metrics[0].value(row)
            found.setdefault(_identity(keys), {})[day] = value if isinstance(value, Decimal) else Decimal(0)
        if page * MOST_ROWS >= answer["pagination"]["total_count"]:
            break
    else:
        return []
    days = request.period.each_day()
    return [[found.get(_identity(row["slice"]), {}).get(day, Decimal(0)) for day in days] for row in rows]


def _identity(keys: Any) -> str:
    return repr(sorted((name, value["id"] if isinstance(value, dict) else value) for name, value in keys.items()))
