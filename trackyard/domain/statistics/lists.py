"""Queries for lists of clicks and of log records (docs/api/clicks.md, docs/api/logs.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Values
from trackyard.domain.statistics.slices import FILTERS


class ClickVerdicts(StrEnum):
    """Which clicks a list has."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class ClickQuery:
    """A query for clicks of a period, newest first.

    since, until: UTC milliseconds, `until` exclusive.
    filters: the filters of Report that clicks have.
    verdict: accepted clicks, rejected ones, or all. reasons: rejection reasons, () = any.
    page: from 1; limit: at most 5000. Raises ValueError for other values.
    """

    scope: Scope
    since: int
    until: int
    filters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    verdict: ClickVerdicts = ClickVerdicts.ACCEPTED
    reasons: tuple[str, ...] = ()
    page: int = 1
    limit: int = 100

    def __post_init__(self) -> None:
        unknown = [name for name in self.filters if name not in FILTERS or not FILTERS[name].traffic]
        if unknown:
            raise ValueError(f"clicks have no {', '.join(unknown)}")
        if self.page < 1 or not 1 <= self.limit <= 5000:
            raise ValueError("pages begin at 1, a limit is 1 to 5000")


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A query for log records of a period, newest first.

    since, until: UTC milliseconds, `until` exclusive.
    filters: column to allowed values; an empty tuple allows nothing.
    include_cross: whether requests to an offer's cross_postback_url are included.
    page: from 1.
    """

    scope: Scope
    since: int
    until: int
    filters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    include_cross: bool = True
    page: int = 1
    limit: int = 100
