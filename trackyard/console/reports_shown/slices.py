"""The slices of reports as the page shows them (docs/spec/console.md#reports)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.slice_keys import Key, Keys, day_in, id_in
from trackyard.domain.statistics.ad_costs import slices_have_costs
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, METRICS, Metric
from trackyard.domain.statistics.slices import NO_MANAGER, REJECTION_REASON, SLICES

_LABELS: Final[Mapping[str, str]] = {
    "offer": lazy_gettext("Offer"),
    "affiliate": lazy_gettext("Affiliate"),
    "advertiser": lazy_gettext("Advertiser"),
    "country": lazy_gettext("Country"),
    "city": lazy_gettext("City"),
    "device": lazy_gettext("Device"),
    "origin": lazy_gettext("Origin"),
    "browser": lazy_gettext("Browser"),
    "goal": lazy_gettext("Goal"),
    "hour": lazy_gettext("Hour"),
    "day": lazy_gettext("Day"),
    "month": lazy_gettext("Month"),
    "quarter": lazy_gettext("Quarter"),
    "year": lazy_gettext("Year"),
    "sub1": lazy_gettext("Sub 1"),
    "sub2": lazy_gettext("Sub 2"),
    "sub3": lazy_gettext("Sub 3"),
    "sub4": lazy_gettext("Sub 4"),
    "sub5": lazy_gettext("Sub 5"),
    "sub6": lazy_gettext("Sub 6"),
    "sub7": lazy_gettext("Sub 7"),
    "sub8": lazy_gettext("Sub 8"),
    "manager": lazy_gettext("Affiliate manager"),
    "smart_id": lazy_gettext("SmartLink"),
    "os": lazy_gettext("System"),
    "os_version": lazy_gettext("System version"),
    "device_model": lazy_gettext("Device model"),
    "landing": lazy_gettext("Landing page"),
    "prelanding": lazy_gettext("Transit page"),
    REJECTION_REASON: lazy_gettext("Rejection reason"),
}
_PATHS: Final = {
    "offer": "offers/{}",
    "affiliate": "affiliates/{}",
    "advertiser": "advertisers/{}",
    "manager": "staff/{}",
}
"""Slice to the path of the page of its objects, below the first page of the person."""
_TIMES: Final = ("hour", "day", "month", "quarter", "year")
OF_STAFF: Final = frozenset(name for name, kind in METRIC_BY_NAME.items() if kind.of_staff)
"""The figures that no affiliate sees."""
_COST_FILTERS: Final = frozenset(
    {"offer", "affiliate", "advertiser", "manager", "advertiser_manager", "sub8", "offer_tag", "affiliate_tag"}
    | {"advertiser_tag"}
)
"""The filters of pages that costs of advertising have too."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of a slice in a row.

    text: the text for people. value: the value in a filter.
    path: the object's page, below the person's first page; "" without one.
    """

    slice: str
    text: str
    value: str
    path: str = ""

    @property
    def is_time(self) -> bool:
        """Return whether the slice is a part of time, such as the day."""
        return self.slice in _TIMES


def slice_label(name: str) -> str:
    """Return the heading of a slice."""
    return _LABELS[name]


def cell_of(name: str, keys: Keys) -> Cell:
    """Return the cell of a slice in a row of the API."""
    if name in _TIMES:
        text = _time_text(name, keys)
        return Cell(name, text, text)
    found = keys[name]
    if isinstance(found, dict):
        value = str(found["id"])
        title = _object_title(found)
        if name == "manager" and value == NO_MANAGER:
            return Cell(name, gettext("No manager"), "")
        return Cell(name, title, value, _PATHS[name].format(value) if name in _PATHS else "")
    return Cell(name, str(found) or empty_text(name), str(found))


def _object_title(found: Mapping[str, int | str]) -> str:
    """Return the name of an object of the API: its title, or its login where it has none."""
    person = f"{found.get('first_name', '')} {found.get('last_name', '')}".strip()
    named = (str(found.get(name) or "") for name in ("title", "name", "login", "email"))
    return next((text for text in (*named, person) if text.strip()), str(found["id"]))


def empty_text(name: str) -> str:
    """Return the text for an empty value."""
    return gettext("None") if name.startswith("sub") or name in ("smart_id", "origin") else gettext("Unknown")


def compared_key(slices: tuple[str, ...], keys: Keys, days: int) -> Key | None:
    """Return the key by which rows of two periods match; None for rows that the other period cannot have.

    days: how far the row is moved to the later period.
    """
    if any(name in ("month", "quarter", "year") for name in slices):
        return None
    parts: list[int | str] = []
    if "day" in slices or "hour" in slices:
        day = day_in(keys) + timedelta(days=days)
        parts += [day.isoformat(), *([int(id_in(keys, "hour"))] if "hour" in slices else [])]
    return (*parts, *(id_in(keys, name) for name in slices if name not in _TIMES))


def order_key(name: str, keys: Keys) -> tuple[str, str]:
    """Return the sort key of rows in a slice: the text for people, in any letter case."""
    cell = cell_of(name, keys)
    return (cell.text if cell.is_time else cell.text.casefold(), cell.value)


def is_time(name: str) -> bool:
    """Return whether a slice is a part of the time."""
    return name in _TIMES


def kinds_for(slices: tuple[str, ...], filters: Iterable[str] = (), *, is_staff: bool) -> tuple[Metric, ...]:
    """Return the figures that rows by these slices have. Affiliates see only their earnings.

    filters: the names of the page's filters.
    """
    if REJECTION_REASON in slices:
        return (METRIC_BY_NAME["rejected"],)
    has_traffic = all(SLICES[name].traffic for name in slices)
    has_costs = slices_have_costs(slices) and _COST_FILTERS.issuperset(filters)
    lacking = {"rejected"} if has_traffic else {"rejected", "clicks", "impressions"}
    lacking |= set() if has_costs else {"cost"}
    return tuple(kind for kind in METRICS if lacking.isdisjoint(kind.reads) and (is_staff or not kind.of_staff))


def _time_text(name: str, keys: Keys) -> str:
    def part(of: str) -> int:
        return int(id_in(keys, of))

    year = f"{part('year'):04}"
    match name:
        case "year":
            return year
        case "quarter":
            return f"{year} Q{part('quarter')}"
        case "month":
            return f"{year}-{part('month'):02}"
    day = day_in(keys).isoformat()
    return day if name == "day" else f"{day} {part('hour'):02}:00"
