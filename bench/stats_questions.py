"""The 25 reports of `script/bench stats`, each with the SQL on raw tables that answers the same.

Thirty days in Berlin, unless it says otherwise. The SQL counts what its question shows most of (clicks, unique ones,
conversions, confirmed ones and their payouts), fewer figures than the answer has; both have to be equal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

DAYS: Final = {"date_from": "2023-10-16", "date_to": "2023-11-14"}
QUARTER: Final = {"date_from": "2023-08-17", "date_to": "2023-11-14"}
ZONE: Final = "Europe/Berlin"
LOCAL: Final = f"toDateTime(intDiv(time, 1000), '{ZONE}')"


@dataclass(frozen=True, slots=True)
class Question:
    """A report with its caller and its time limit.

    keys: SQL by key of the slice on the wire.
    limit_ms: of a hot answer.
    params: of the request, apart from the period.
    where, order: SQL.
    traffic: whether rows have clicks.
    affiliate: the caller; 0 is staff.
    """

    name: str
    path: str
    keys: Mapping[str, str]
    limit_ms: int = 500
    params: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    days: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(DAYS))
    where: str = "1"
    order: str = ""
    traffic: bool = True
    affiliate: int = 0

    def request(self) -> dict[str, Any]:
        """Return the parameters of the request."""
        dates = {f"filter[{name}]": value for name, value in self.days.items()}
        return {**dates, "timezone": ZONE, **self.params}

    def sql(self) -> str:
        """Return SQL of a page of 100 rows.

        Columns: keys, raw, uniq, total, confirmed, payouts, and the number of rows.
        """
        own = f"affiliate = {self.affiliate}" if self.affiliate else "1"
        keys = ", ".join(f"{sql} AS k{place}" for place, sql in enumerate(self.keys.values()))
        names = ", ".join(f"k{place}" for place in range(len(self.keys)))
        period = (
            f"time >= toUnixTimestamp(toDateTime('{self.days['date_from']} 00:00:00', '{ZONE}')) * 1000 AND "
            f"time < toUnixTimestamp(toDateTime('{self.days['date_to']} 00:00:00', '{ZONE}') + INTERVAL 1 DAY) * 1000"
        )
        made = (
            f"SELECT {keys}, sum(sign) AS total, sumIf(sign, status = 1) AS confirmed, "
            f"sumIf(sign * payout_base, status = 1) AS payouts FROM fact WHERE {period} AND {self.where} AND {own} "
            f"GROUP BY {names}"
        )
        order = self.order or names
        if not self.traffic:
            return (
                f"SELECT {names}, 0, 0, total, confirmed, payouts, count() OVER () FROM ({made}) WHERE total > 0 "
                f"ORDER BY {order} LIMIT 100"
            )
        traffic = (
            f"SELECT {keys}, count() AS raw, sum(uniq) AS uniq FROM click WHERE {period} AND reason = '' "
            f"AND {self.where} AND {own} GROUP BY {names}"
        )
        return (
            f"SELECT {names}, raw, uniq, total, confirmed, payouts, count() OVER () FROM ({traffic}) AS traffic "
            f"FULL JOIN ({made}) AS made USING ({names}) WHERE raw > 0 OR total > 0 ORDER BY {order} LIMIT 100"
        )


_DAY: Final = {"year": f"toYear({LOCAL})", "month": f"toMonth({LOCAL})", "day": f"toDayOfMonth({LOCAL})"}
_HOUR: Final = {**_DAY, "hour": f"toHour({LOCAL})"}
_MONTH: Final = {"year": f"toYear({LOCAL})", "month": f"toMonth({LOCAL})"}


def _columns(*names: str) -> dict[str, str]:
    return {name: name for name in names}


REPORTS: Final = (
    Question("by date", "/3.1/stats/getbydate", _DAY),
    Question("by date of an offer", "/3.1/stats/getbydate", _DAY, params={"filter[offer]": 2}, where="offer = 2"),
    Question("by hour", "/3.1/stats/getbyhour", _HOUR),
    Question("by offer", "/3.1/stats/getbyprogram", _columns("offer")),
    Question("by advertiser", "/3.1/stats/getbyadvertiser", _columns("advertiser")),
    Question("by affiliate", "/3.1/stats/getbypartner", _columns("affiliate")),
    Question("by affiliate and date", "/3.1/stats/getbypartnerbydate", {**_DAY, **_columns("affiliate")}),
    Question("by country", "/3.1/stats/getbycountries", _columns("country")),
    Question(
        "by country of an offer", "/3.1/stats/getbycountries", _columns("country"), params={"filter[offer]": 2},
        where="offer = 2",
    ),
    Question("by city", "/3.1/stats/getbycities", _columns("city")),
    Question("by browser's version", "/3.1/stats/getbybrowsersversion", _columns("browser_version")),
    Question("by carrier", "/3.1/stats/getbymobilecarrier", _columns("isp")),
    Question("by system's version", "/3.1/stats/getbyversions", _columns("os", "os_version")),
    Question("by model", "/3.1/stats/getbydevicemodels", _columns("device_model")),
    Question("by goal", "/3.1/stats/getbygoal", _columns("goal"), traffic=False),
    Question(
        "by sub of an offer", "/3.1/stats/getbysub", _columns("sub1"), params={"filter[offer]": 2}, where="offer = 2"
    ),
    Question(
        "by sub without an offer", "/3.1/stats/custom", _columns("sub1"), params={"slice[]": "sub1"}, limit_ms=3000
    ),
    Question(
        "by day and country, mobile", "/3.1/stats/custom", {**_DAY, **_columns("country")},
        params={"slice[]": ["day", "country"], "filter[device]": "mobile"}, where="device = 'mobile'",
    ),
    Question(
        "by affiliate and offer, best first", "/3.1/stats/custom", _columns("affiliate", "offer"),
        params={"slice[]": ["affiliate", "offer"], "order[]": "raw", "orderType": "desc"},
        order="raw DESC, k0, k1",
    ),
    Question("by month, ninety days", "/3.1/stats/custom", _MONTH, params={"slice[]": "month"}, days=QUARTER),
    Question("an affiliate's own by date", "/3.1/stats/getbydate", _DAY, limit_ms=100, affiliate=7),
    Question("the largest's own by offer", "/3.1/stats/getbyprogram", _columns("offer"), limit_ms=100, affiliate=1),
)  # fmt: skip
"""Questions to the grouped reports."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of a list.

    sql: the ids of the page by hand, and how many there are; "" = there is no such table.
    """

    name: str
    path: str
    ids: Callable[[Any], list[str]]
    limit_ms: int
    page: int
    sql: str = ""

    def request(self) -> dict[str, Any]:
        """Return the parameters of the request."""
        return {**DAYS, "timezone": ZONE, "page": self.page, "limit": 100}


_PERIOD: Final = (
    f"time >= toUnixTimestamp(toDateTime('{DAYS['date_from']} 00:00:00', '{ZONE}')) * 1000 AND "
    f"time < toUnixTimestamp(toDateTime('{DAYS['date_to']} 00:00:00', '{ZONE}') + INTERVAL 1 DAY) * 1000"
)


def _ids(name: str) -> Callable[[Any], list[str]]:
    return lambda body: [item["id"] for item in body[name]]


def _clicks(name: str, page: int, limit_ms: int) -> Listed:
    rows = f"FROM click WHERE {_PERIOD} AND reason = ''"
    sql = (
        f"SELECT *, (SELECT count() {rows}) AS of_all {rows} ORDER BY time DESC, id DESC "
        f"LIMIT 100 OFFSET {(page - 1) * 100}"
    )
    return Listed(name, "/3.1/stats/clicks", _ids("clicks"), limit_ms, page, f"SELECT id, of_all, * FROM ({sql})")


LISTS: Final = (
    _clicks("clicks, the 10,000th", 100, 150),
    _clicks("clicks, the 1,000,000th", 10_000, 700),
    Listed("conversions, the 10,000th", "/3.1/stats/conversions", _ids("conversions"), 150, 100),
)
"""Questions to lists. Conversions are rows of SQL (docs/decisions/0005): there is no table of them to ask by hand."""
