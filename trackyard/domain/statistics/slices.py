"""The slices and filters of statistics, derived from the columns of clicks.

Keys are raw: ids and codes as clicks and conversion events have them. The caller adds names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from trackyard.domain.statistics.click_columns import COLUMNS, EMPTY_CLICK, ColumnSlice, SliceAccess

REJECTION_REASON: Final = "trafficback_reason"
"""The slice of rejected clicks."""
NO_MANAGER: Final = "0"
"""The key of rows without a manager (docs/spec/api-conventions.md#answers)."""


@dataclass(frozen=True, slots=True)
class SlicePart:
    """One key of a slice in answers. column: its source; `time` = a part of the local time."""

    key: str
    column: str
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of reports.

    traffic, conversions: whether clicks and conversion events have it
    owner: the column of what a manager manages, "" = no slice by manager
    within: the slice that gives its rows further keys, "" = none
    Other fields: see ColumnSlice.
    """

    name: str
    parts: tuple[SlicePart, ...]
    feature: str = ""
    access: SliceAccess = SliceAccess.EVERYONE
    traffic: bool = True
    conversions: bool = True
    owner: str = ""
    within: str = ""
    is_heavy: bool = False
    has_many_values: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of reports: its column has the same name. traffic: whether clicks have it too."""

    name: str
    is_number: bool = False
    traffic: bool = True


_TIME_PARTS: Final = MappingProxyType(
    {
        "hour": ("year", "month", "day", "hour"),
        "month": ("year", "month"),
        "quarter": ("year", "quarter"),
        "year": ("year",),
        "day": ("year", "month", "day"),
    }
)


def _declared() -> Iterator[Slice]:
    for name, parts in _TIME_PARTS.items():
        yield Slice(
            name,
            tuple(SlicePart(part, "time", is_number=True) for part in parts),
            feature="day" if name == "day" else "",
            is_heavy=name in ("hour", "day"),
        )
    yield _manager("manager", "affiliate", "affiliate_manager_id", SliceAccess.STAFF)
    yield _manager("advertiser_manager", "advertiser", "account_manager_id", SliceAccess.GROUPED)
    for name, column in COLUMNS.items():
        if column.slice is not None:
            yield _column(name, column.slice, conversions=column.in_event)
    yield Slice("goal", (SlicePart("goal", "goal"),), feature="goal", traffic=False)


def _manager(name: str, owner: str, feature: str, access: SliceAccess) -> Slice:
    """Return the slice by current manager, which is looked up, not stored."""
    return Slice(name, (SlicePart(f"{owner}_manager_id", owner),), feature, access, owner=owner)


def _column(column: str, declared: ColumnSlice, *, conversions: bool) -> Slice:
    name, others = declared.name or column, (declared.within,) if declared.within else ()
    parts = ((declared.key or name, column), *((other, other) for other in others))
    return Slice(
        name,
        tuple(SlicePart(key, source, is_number=EMPTY_CLICK[source] == 0) for key, source in parts),
        declared.feature,
        declared.access,
        conversions=conversions,
        within=declared.within,
        is_heavy=declared.is_heavy,
        has_many_values=declared.has_many_values,
    )


SLICES: Final = MappingProxyType(
    {each.name: each for each in sorted(_declared(), key=lambda each: each.has_many_values)}
)
"""Every slice by name. Slices with many values come last."""

FILTERS: Final = MappingProxyType(
    {
        each.name: each
        for each in (
            *(Filter(name, EMPTY_CLICK[name] == 0) for name, column in COLUMNS.items() if column.filter),
            Filter("goal", traffic=False),
            Filter("currency", traffic=False),
        )
    }
)
"""Every filter by name. One without `traffic` narrows conversions only."""


def slices_for(access: SliceAccess) -> tuple[str, ...]:
    """Return the slices of the custom report that have this access."""
    return tuple(each.name for each in SLICES.values() if each.access is access)
