"""A question to statistics, checked when it is made: one without a scope cannot be written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from trackyard.analytics.reports.dimensions import DIMENSIONS, FILTERS
from trackyard.analytics.reports.metrics import ORDER_METRICS
from trackyard.domain.people.scope import Scope

Values = tuple[int, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Statistics rows of a period (docs/spec/statistics.md).

    since, until: UTC milliseconds, `until` exclusive · zone: an IANA name, for the parts of time · dimensions:
    names of DIMENSIONS, in the order of the keys · filters: a name of FILTERS to the values it lets pass, none
    of them = nothing passes · excluded: a name of FILTERS to the values it rejects · order: names of dimensions asked
    for or of ORDER_METRICS ("currency" orders nothing); () = by the keys · descending: for all of `order` ·
    separate_not_found: /3.0's own group · nonzero: only rows with conversions · page from 1 · managers: by name of a
    slice
    by manager, who manages what today: affiliate or advertiser → staff user; what is absent has no manager · titles:
    by name of a dimension in `order`, the title that its values are ordered by; a value without a title comes first ·
    by_payout: `revenue` is the sum of payouts for staff too (domain/statistics/switches.py).

    Raises ValueError for a name that does not exist.
    """

    scope: Scope
    since: int
    until: int
    dimensions: tuple[str, ...]
    filters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    managers: Mapping[str, Mapping[Any, str]] = field(default_factory=lambda: MappingProxyType({}))
    zone: str = "UTC"
    order: tuple[str, ...] = ()
    descending: bool = False
    separate_not_found: bool = False
    nonzero: bool = False
    by_payout: bool = False
    page: int = 1
    limit: int = 100
    excluded: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    titles: Mapping[str, Mapping[Any, str]] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        unknown = [name for name in self.dimensions if name not in DIMENSIONS]
        unknown += [name for name in (*self.filters, *self.excluded) if name not in FILTERS]
        unknown += [name for name in self.order if not self._orders_by(name)]
        unknown += [name for name in self.dimensions if self._lacks_managers(name)]
        if unknown:
            raise ValueError(f"unknown to statistics: {', '.join(unknown)}")
        if self.page < 1 or self.limit < 1:
            raise ValueError("pages and limits begin at 1")

    @property
    def currency(self) -> str | None:
        """The currency of the amounts; None = the platform's."""
        chosen = self.filters.get("currency", ())
        return str(chosen[0]) if len(chosen) == 1 else None

    @property
    def high_cardinality(self) -> bool:
        """Whether there may be millions of rows on all pages."""
        return any(DIMENSIONS[name].high_cardinality for name in self.dimensions)

    def _lacks_managers(self, name: str) -> bool:
        return name in DIMENSIONS and bool(DIMENSIONS[name].owner) and name not in self.managers

    def _orders_by(self, name: str) -> bool:
        return name in self.dimensions or name in ORDER_METRICS or name == "currency"
