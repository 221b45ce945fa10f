"""Report requests that Hypothesis draws, and how each is sent over the API (docs/spec/statistics.md)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.support.clicks.traffic import AFFILIATES, CENTRES, GOALS, OFFERS, VISITORS, TrafficPeople
from tests.support.client import ApiClient
from tests.support.models.oracle import COST_FILTERS, COSTED, NOT, ReportRequest, Viewer

ZONES = (
    "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Cairo", "Atlantic/Azores", "America/Vancouver",
)  # fmt: skip
GROUPED: dict[str, tuple[str, ...]] = {
    "getbydate": ("day",),
    "getbyhour": ("hour",),
    "getbysub": ("sub1",),
    "getbyprogram": ("offer",),
    "getbyadvertiser": ("advertiser",),
    "getbyaccountmanager": ("advertiser_manager",),
    "getbyaffiliatemanager": ("manager",),
    "getbypartner": ("affiliate",),
    "getbypartnerbydate": ("day", "affiliate"),
    "getbycountries": ("country",),
    "getbycities": ("city",),
    "getbybrowsers": ("browser",),
    "getbybrowsersversion": ("browser_version",),
    "getbymobilecarrier": ("carrier",),
    "getbyconnectiontype": ("conn_type",),
    "getbyos": ("os",),
    "getbyversions": ("os", "os_version"),
    "getbygoal": ("goal",),
    "getbydevices": ("device",),
    "getbydevicemodels": ("device_model",),
    "getbylanding": ("landing",),
    "getbyprelanding": ("prelanding",),
    "getbytrafficback": ("trafficback_reason",),
}
"""The grouped reports and their slices."""
STAFF_ONLY = ("getbyadvertiser", "getbyaccountmanager", "getbytrafficback")
"""What affiliates may not ask, the last one for want of a permission."""
SLICES = (
    "hour", "month", "quarter", "year", "day", "offer", "country", "city", "os", "os_version", "device",
    "device_model", "browser", "goal", "sub1", "sub2", "sub3", "sub4", "sub5", "sub6", "sub7", "sub8", "landing",
    "prelanding",
)  # fmt: skip
ADMIN_SLICES = ("advertiser", "affiliate", "manager", "smart_id")
FINE = {"hour", "day", "city", *(f"sub{number}" for number in range(1, 9))}
METRICS = (
    "confirmed_earning", "raw", "uniq", "total_count", "total_revenue", "total_null", "pending_count",
    "pending_revenue", "declined_count", "declined_revenue", "hold_count", "hold_revenue", "confirmed_count",
    "confirmed_revenue",
)  # fmt: skip
TYPES = ("total", "confirmed", "pending", "declined", "hold")
FIELDS = (
    "clicks", "hosts", "earnings", "income", "noincome", "payouts", "conversions", "cr", "affiliate_epc", "ratio",
    "epc", "trafficback", "ctr", "views", "ecpm", "cost", "profit", "roi", "without_click",
)  # fmt: skip
OF_STAFF = ("trafficback", "cost", "profit", "roi")
"""What affiliates may not name, the first one for want of a permission."""
CALLERS = (
    "admin",
    "admin",
    "admin",
    "statistician",
    "affiliate manager",
    "sales",
    "both",
    "affiliate 0",
    "affiliate 1",
    "affiliate 3",
)
AFFILIATE_CALLERS = CALLERS[-3:]
REDUCED = (
    "advertiser", "offer", "partner", "country", "advertiser_tag", "affiliate_tag", "offer_tag",
    "not_advertiser_id", "not_offer_id", "not_affiliate_id", "not_country", "not_advertiser_tag",
    "not_affiliate_tag", "not_offer_tag",
)  # fmt: skip


@dataclass(frozen=True)
class ReportQuery:
    """Who asks what of which method."""

    caller: str
    path: str
    asked: ReportRequest

    def of(self, people: TrafficPeople) -> "ReportQuery":
        """The same with the values that its filters name by their places."""
        known = filter_values(people)
        named = ((name, tuple(known[name][place] for place in places)) for name, places in self.asked.filters)
        return replace(self, asked=replace(self.asked, filters=tuple(named)))

    def params(self) -> dict[str, Any]:
        """As it is sent."""
        asked = self.asked
        sent: dict[str, Any] = {"filter[date_from]": str(asked.first), "filter[date_to]": str(asked.last)}
        sent |= {"timezone": asked.zone, "page": asked.page, "limit": asked.limit}
        for name, values in asked.filters:
            if name.endswith("_tag"):
                sent[f"filter[{name}]"] = ",".join(values)
            elif len(values) == 1:
                sent[f"filter[{name}]"] = values[0]
            else:
                sent[f"filter[{name}][]"] = list(values)
        sent |= {"orderType": "desc"} if asked.descending else {}
        sent |= {"locale": asked.locale} if asked.locale != "en" else {}
        sent |= {"in_currency": asked.in_currency} if asked.in_currency else {}
        if self.path == "custom":
            sent |= {"slice[]": list(asked.slices), "filter[nonzero]": int(asked.nonzero)}
            sent |= {"order[]": list(asked.order)} if asked.order else {}
            sent |= {"conversionTypes[]": list(asked.types)} if asked.types else {}
            sent |= {"fields[]": list(asked.fields)} if asked.fields else {}
        return sent

    def ask(self, people: TrafficPeople) -> dict[str, Any]:
        """The body that the API gives; numbers exactly as they are written."""
        path = f"/{self.asked.version}/stats/{self.path}"
        body: dict[str, Any] = get_exact(people.clients[self.caller], path, self.params())
        return body


def get_exact(client: ApiClient, path: str, params: dict[str, Any]) -> Any:
    """The body of a GET that must succeed; numbers exactly as they are written."""
    response = client.call("GET", path, params=params)
    assert response.status_code == 200, (path, params, response.text)
    return json.loads(response.content, parse_float=Decimal)


def viewer(people: TrafficPeople, caller: str) -> Viewer:
    """What a caller sees."""
    if caller in AFFILIATE_CALLERS:
        return Viewer(affiliates=frozenset({people.affiliates[int(caller[-1])]}), is_affiliate=True)
    return {
        "affiliate manager": Viewer(affiliates=frozenset(people.affiliates[:2])),
        "sales": Viewer(advertisers=frozenset(people.advertisers[:1])),
        "both": Viewer(frozenset(people.affiliates[2:3]), frozenset(people.advertisers[2:])),
    }.get(caller, Viewer())


def positive_filter_values(people: TrafficPeople) -> dict[str, tuple[Any, ...]]:
    """What each filter that chooses may name, here and there something that is not."""

    def of_visitors(name: str) -> tuple[str, ...]:
        return tuple({str(each[name]) for each in VISITORS if each.get(name)}) or ("?",)

    subs = {f"sub{number}": (*sorted(of_visitors(f"sub{number}")), "none") for number in range(1, 9)}
    return subs | {
        "currency": ("USD", "EUR", "JPY", "PLN"),
        "advertiser": (*people.advertisers, "f" * 24),
        "manager": (*people.managers.values(), "0"),
        "advertiser_manager_id": (*people.managers.values(), "x"),
        "offer": (*people.offers, 99),
        "partner": (*people.affiliates, 99),
        "country": ("DE", "NP", "US", "XX"),
        "os": ("iOS", "Android", "Windows"),
        "device": ("mobile", "tablet", "desktop"),
        "goal": (*GOALS, "2"),
        "advertiser_tag": ("gold", "silver", "old"),
        "affiliate_tag": ("vip", "new", "nothing"),
        "offer_tag": ("hot", "cold"),
        "smart_id": ("5" * 24, "6" * 24, "7"),
        "payment_status": ("opened", "pending", "closed"),
    }


def filter_values(people: TrafficPeople) -> dict[str, tuple[Any, ...]]:
    """What each filter may name, those that leave out among them."""
    known = positive_filter_values(people)
    return known | {name: known[other] for name, other in NOT.items()}


def _day_near(centre: int) -> date:
    return datetime.fromtimestamp(centre // 1000, UTC).date()


@st.composite
def periods(draw: st.DrawFn, *, is_fine: bool) -> tuple[date, date]:
    """Days: some around a centre, a year, or, where it may be asked, more."""
    kind = draw(st.sampled_from(["near", "near", "month", "year", "year", "long"]))
    if kind == "near":
        first = _day_near(draw(st.sampled_from(CENTRES))) + timedelta(draw(st.integers(-2, 1)))
        return first, first + timedelta(draw(st.integers(0, 3)))
    if kind == "month":
        first = _day_near(draw(st.sampled_from(CENTRES))).replace(day=1)
        return first, (first + timedelta(31)).replace(day=1) - timedelta(1)
    if kind == "year" or is_fine:
        return date(2025, 12, 31), date(2026, 12, 31)
    return date(2020, 1, 1), date(2029, 12, 31)


_NOBODY = TrafficPeople(
    advertisers=[""] * 3, affiliates=[0] * AFFILIATES, offers=[0] * OFFERS, managers=dict.fromkeys("abcd", "")
)
_NUMBERS = {name: len(each) for name, each in filter_values(_NOBODY).items()}
"""How many values each filter has to choose from."""


def _filters(draw: st.DrawFn, names: Iterable[str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Filters, their values by their places in `filter_values`."""
    most = draw(st.sampled_from([0, 1, 1, 2, 3]))
    chosen = draw(st.lists(st.sampled_from(sorted(names)), min_size=most, max_size=most, unique=True))
    each = (
        (name, st.lists(st.integers(0, _NUMBERS[name] - 1), min_size=1, max_size=4, unique=True)) for name in chosen
    )
    return tuple((name, tuple(draw(some))) for name, some in each)


@st.composite
def report_queries(draw: st.DrawFn) -> ReportQuery:
    """Any question that may be asked, its filters by places."""
    caller = draw(st.sampled_from(CALLERS))
    is_affiliate = caller in AFFILIATE_CALLERS
    paths = [name for name in GROUPED if not (is_affiliate and name in STAFF_ONLY)]
    path = draw(st.one_of(st.just("custom"), st.sampled_from(paths)))
    allowed = (*SLICES, *(() if is_affiliate else (*ADMIN_SLICES, "trafficback_reason")))
    slices = GROUPED.get(path) or tuple(draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=3, unique=True)))
    names = REDUCED if path == "getbytrafficback" else _NUMBERS.keys() - {"smart_id", "payment_status"}
    filters = _filters(draw, names)
    if path == "getbysub" and "offer" not in dict(filters):
        filters = (*filters, ("offer", (0, 1)))
    version, nonzero = draw(st.sampled_from(["3.0", "3.1"])), False
    order: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    if path == "custom":
        if draw(st.integers(0, 3)) == 0:
            filters = (*filters, ("payment_status", (draw(st.integers(0, 2)),)))
        if "smart_id" in slices and draw(st.booleans()):
            chosen = draw(st.lists(st.integers(0, 2), min_size=1, max_size=2, unique=True))
            filters = (*filters, ("smart_id", tuple(chosen)))
        sortable = [name for name in slices if name not in ("smart_id", "trafficback_reason")]
        filtered = {NOT.get(name, name) for name, _ in filters}
        has_costs = not is_affiliate and COSTED.issuperset(slices) and COST_FILTERS.issuperset(filtered)
        measured = (*METRICS, *(("cost", "profit") if has_costs else ()))
        order = tuple(draw(st.lists(st.sampled_from([*sortable, *measured, "currency"]), max_size=2, unique=True)))
        nonzero = draw(st.booleans())
        shown = (*TYPES, *(("not_found",) if version == "3.0" else ()))
        types = tuple(draw(st.lists(st.sampled_from(shown), max_size=2, unique=True)))
        named = [name for name in FIELDS if not (is_affiliate and name in OF_STAFF)]
        fields = tuple(draw(st.lists(st.sampled_from(named), max_size=4, unique=True)))
    first, last = draw(periods(is_fine=bool(FINE.intersection(slices))))
    asked = ReportRequest(
        slices=slices,
        first=first,
        last=last,
        zone=draw(st.sampled_from(ZONES)),
        version=version,
        filters=filters,
        order=order,
        descending=draw(st.booleans()),
        nonzero=nonzero,
        types=types,
        fields=fields,
        page=draw(st.sampled_from([1, 1, 1, 2, 3])),
        limit=draw(st.sampled_from([1000, 100, 7, 2])),
        locale=draw(st.sampled_from(["en", "en", "ru", "es"])),
        by_request=path == "custom",
        in_currency="" if path == "getbytrafficback" else draw(st.sampled_from(["", "", "EUR", "JPY", "USD"])),
    )
    return ReportQuery(caller, path, asked)
