"""List requests that Hypothesis draws: lists, cohorts and shares, ids in them by their places."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from hypothesis import strategies as st

from tests.support.clicks.traffic import AFFILIATES, GOALS, OFFERS, VISITORS, TrafficPeople
from tests.support.models.report_queries import CALLERS, ZONES, periods

_pages = {"page": st.sampled_from([1, 1, 2, 3]), "limit": st.sampled_from([1, 5, 100])}
_affiliates = st.integers(0, AFFILIATES - 1)
_offers = st.integers(0, OFFERS - 1)


@dataclass(frozen=True)
class ListQuery:
    """Who asks for what list.

    fields: parameters · places: ids by their places, of affiliates, offers, advertisers.
    """

    caller: str
    path: str
    version: str
    fields: tuple[tuple[str, Any], ...]
    places: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def params(self, people: TrafficPeople) -> dict[str, Any]:
        """As the oracle reads them."""
        known: dict[str, Sequence[Any]] = {
            "offer": people.offers,
            "partner": people.affiliates,
            "advertiser": people.advertisers,
        }
        return dict(self.fields) | {name: [known[name][each] for each in places] for name, places in self.places}


def _some(items: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(items, min_size=1, max_size=2, unique=True).map(tuple)


def _of_visitors(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(sorted({each[name] for each in VISITORS if each.get(name)}))


_ids = {"offer": _some(_offers), "partner": _some(_affiliates), "advertiser": _some(_offers)}
_places = st.one_of(
    st.just(()),
    st.sampled_from(sorted(_ids)).flatmap(lambda name: _ids[name].map(lambda chosen: ((name, chosen),))),
    st.fixed_dictionaries({}, optional=_ids).map(lambda fields: tuple(fields.items())),
)
_codes = st.lists(st.sampled_from(["DE", "NP", "US"]), min_size=1, max_size=2, unique=True)


def _one_or_more(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A filter of one value, or of several."""
    return st.one_of(items, st.lists(items, min_size=1, max_size=2, unique=True))


_filters: dict[str, st.SearchStrategy[Any]] = {
    "country": _codes,
    "status": st.lists(st.sampled_from([1, 2, 3, 5]), min_size=1, max_size=3, unique=True),
    "browser": _one_or_more(_of_visitors("browser")),
    "os": _one_or_more(_of_visitors("os")),
    "device": _one_or_more(_of_visitors("device")),
    "goal": _one_or_more(st.sampled_from(GOALS)),
    "goal_id": _one_or_more(st.sampled_from(GOALS)),
    "payouts": _one_or_more(st.sampled_from(["3", "7.1235", "0", "3.5"])),
    "payouts_from": st.sampled_from(["3", "7.1235", "0", "3.5"]),
    "payouts_to": st.sampled_from(["3", "7.1235", "0", "3.5"]),
    "revenue": _one_or_more(st.sampled_from(["10", "2", "20"])),
    "revenue_from": st.sampled_from(["10", "2", "20"]),
    "revenue_to": st.sampled_from(["10", "2", "20"]),
    "currency": _one_or_more(st.sampled_from([840, 978, 392])),
    "custom_field_3": _one_or_more(st.sampled_from(["gold", "silver"])),
    "subid1": _one_or_more(_of_visitors("sub1")),
    "subid3": _one_or_more(_of_visitors("sub3")),
    "subid5": _one_or_more(_of_visitors("sub5")),
    "smart_id": _one_or_more(st.sampled_from(["5" * 24, "6" * 24])),
    "decline_reason": _one_or_more(st.sampled_from(["Payments not found", "partner is banned", "cap is reached"])),
    "comment": _one_or_more(st.sampled_from(["not", "PARTNER", "%", "_"])),
    "payment_status": _one_or_more(st.sampled_from(["opened", "closed", "pending"])),
    "raw_export": st.just(1),
}


@st.composite
def _periods(draw: st.DrawFn, *, has_hour: bool = False) -> dict[str, Any]:
    first, last = draw(periods(is_fine=True))
    found: dict[str, Any] = {"date_from": str(first), "date_to": str(last), "timezone": draw(st.sampled_from(ZONES))}
    if has_hour and draw(st.booleans()):
        found |= {"date_to": str(first), "hour": draw(st.integers(0, 23))}
    return found


@st.composite
def click_list_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/clicks."""
    more = draw(st.fixed_dictionaries({}, optional={"country": _filters["country"]} | _pages))
    fields = draw(_periods(has_hour=True)) | more
    return ListQuery(*_callers_of(draw, "clicks"), tuple(fields.items()), draw(_places))


@st.composite
def conversion_list_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/conversions."""
    fields = draw(_periods(has_hour=True))
    chosen = draw(st.lists(st.sampled_from(sorted(_filters)), max_size=2, unique=True))
    fields |= {name: draw(_filters[name]) for name in chosen} | draw(st.fixed_dictionaries({}, optional=_pages))
    if draw(st.booleans()):
        days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
        fields |= {"update_from_date": str(draw(st.one_of(st.just(fields["date_from"]), days)))}
        fields |= draw(st.fixed_dictionaries({}, optional={"update_from_hour": st.integers(0, 23)}))
        if draw(st.booleans()):
            fields |= {"update_to_date": max(fields["update_from_date"], str(draw(days))), "update_to_hour": 23}
        if "hour" not in fields and draw(st.booleans()):
            fields = {name: value for name, value in fields.items() if name != "date_from"}
    return ListQuery(*_callers_of(draw, "conversions"), tuple(fields.items()), draw(_places))


@st.composite
def sub_search_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/find-subs."""
    fields: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(["sub1", "sub2", "sub3", "sub5", "sub7"]), max_size=2, unique=True)):
        begun = _of_visitors(name).map(lambda value: value[:1])
        fields[name] = draw(st.one_of(st.just(""), _one_or_more(begun), st.sampled_from(["%", "z"])))
    fields |= {} if fields else {"sub1": ""}
    fields |= draw(st.fixed_dictionaries({}, optional=_pages))
    return ListQuery(*_callers_of(draw, "find-subs"), tuple(fields.items()))


_letters = st.sampled_from(["install", "install", "sale", "sale", "free", "never"])


@st.composite
def retention_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/retentionrate."""
    events = draw(st.lists(_letters, min_size=1, max_size=3, unique=True))
    fields = draw(_periods()) | {"base_event": draw(_letters), "events": ",".join(events)}
    return _of_one(draw, "retentionrate", "offer", fields, "affiliate_id")


@st.composite
def time_to_action_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/time-to-action."""
    optional: dict[str, st.SearchStrategy[Any]] = {"goal": st.sampled_from(GOALS), **_pages}
    fields = draw(_periods()) | draw(st.fixed_dictionaries({}, optional=optional))
    return _of_one(draw, "time-to-action", "offer_id", fields, "affiliate_ids")


@st.composite
def referral_payment_queries(draw: st.DrawFn) -> ListQuery:
    """Questions to stats/getreferralpayments."""
    days = [f"{day:%d-%m-%Y}" for day in draw(periods(is_fine=True))]
    chosen = {"is_paid": st.sampled_from("012"), "status": st.sampled_from("01"), "currency": _filters["currency"]}
    fields = {"date_from": days[0], "date_to": days[1]} | draw(st.fixed_dictionaries({}, optional=chosen | _pages))
    return ListQuery(*_callers_of(draw, "getreferralpayments"), tuple(fields.items()))


def _callers_of(draw: st.DrawFn, path: str) -> tuple[str, str, str]:
    return draw(st.sampled_from(CALLERS)), path, draw(st.sampled_from(["3.0", "3.1"]))


def _of_one(draw: st.DrawFn, path: str, offer: str, fields: dict[str, Any], affiliate: str) -> ListQuery:
    """Of one offer, and perhaps of one affiliate: seeded ids are their places and one."""
    fields |= {offer: draw(_offers) + 1} | ({affiliate: draw(_affiliates) + 1} if draw(st.booleans()) else {})
    fields |= {affiliate: str(fields[affiliate])} if affiliate == "affiliate_ids" and affiliate in fields else {}
    return ListQuery(*_callers_of(draw, path), tuple(fields.items()))


lists = st.one_of(
    click_list_queries(),
    conversion_list_queries(),
    sub_search_queries(),
    retention_queries(),
    time_to_action_queries(),
    referral_payment_queries(),
)
"""Any of them."""
