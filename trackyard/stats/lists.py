"""Clicks as such: the list of stats/clicks, and the look-up by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from trackyard.base.ids import is_hex24
from trackyard.domain.scope import Scope
from trackyard.journal.records import Click, decode_click
from trackyard.stats.compile import filter_conditions, filter_parameters, page_of, scope_conditions, scope_parameters
from trackyard.stats.dimensions import FILTERS
from trackyard.stats.engine import Analytics
from trackyard.stats.query import Values

CLICK_COLUMNS = ", ".join(Click.__struct_fields__)


@dataclass(frozen=True, slots=True)
class ClickList:
    """Accepted clicks of a period, newest first.

    since, until: UTC milliseconds, `until` exclusive · filters: as those of Report, which clicks have · page
    from 1, limit at most 5000. Raises ValueError for what is not so.
    """

    scope: Scope
    since: int
    until: int
    filters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    page: int = 1
    limit: int = 100

    def __post_init__(self) -> None:
        unknown = [name for name in self.filters if name not in FILTERS or not FILTERS[name].traffic]
        if unknown:
            raise ValueError(f"clicks have no {', '.join(unknown)}")
        if self.page < 1 or not 1 <= self.limit <= 5000:
            raise ValueError("pages begin at 1, a limit is 1 to 5000")


@dataclass(frozen=True, slots=True)
class ListedClick:
    """A click and the ids of its conversions, oldest first."""

    click: Click
    conversion_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClickPage:
    """A page of clicks. `total_count`: clicks on all pages."""

    clicks: list[ListedClick]
    total_count: int


def list_clicks(analytics: Analytics, query: ClickList) -> ClickPage:
    """The page that answers `query`. Raises TooHeavy over the limits of one query."""
    where, parameters = chosen(query)
    [(total_count,)] = analytics.rows(f"SELECT count() {where}", parameters, tuple[int])
    sql = f"SELECT {CLICK_COLUMNS} {where} ORDER BY time DESC, id DESC {page_of(query.page, query.limit)}"
    clicks = analytics.rows(sql, parameters, Click)
    conversions = _conversions_of(analytics, clicks)
    return ClickPage([ListedClick(click, conversions.get(click.id, ())) for click in clicks], total_count)


def chosen(query: ClickList) -> tuple[str, dict[str, Any]]:
    """The FROM and WHERE of the clicks of a query, whatever its page, and the parameters."""
    conditions = [
        "time >= {since:Int64}",
        "time < {until:Int64}",
        "reason = ''",
        *scope_conditions(query.scope),
        *filter_conditions(query.filters, of_clicks=True),
    ]
    parameters: dict[str, Any] = {
        "since": query.since,
        "until": query.until,
        **scope_parameters(query.scope),
        **filter_parameters(query.filters),
    }
    return f"FROM click WHERE {' AND '.join(conditions)}", parameters


def find_click(analytics: Analytics, click_id: str) -> Click | None:
    """The click of an id, refused ones too; None when none is loaded."""
    record = find_records(analytics, [click_id]).get(click_id)
    return None if record is None else decode_click(record)


def find_records(analytics: Analytics, click_ids: Sequence[str]) -> dict[str, bytes]:
    """The journal payloads of the clicks that are loaded, by id; the others, and malformed ids, are absent."""
    wanted = sorted({click_id for click_id in click_ids if is_hex24(click_id)})
    if not wanted:
        return {}
    sql = (
        "SELECT lower(hex(id)), record FROM click_lookup WHERE id IN "
        "(SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 12))"
    )
    rows = analytics.rows(sql, {"ids": wanted}, tuple[str, str])
    return {found: record.encode() for found, record in rows}


def _conversions_of(analytics: Analytics, clicks: Sequence[Click]) -> dict[str, tuple[str, ...]]:
    if not clicks:
        return {}
    sql = (
        "SELECT click_id, arrayMap(made -> made.2, arraySort(groupArray((made_at, conversion_id)))) FROM ("
        "SELECT click_id, conversion_id, any(time) AS made_at FROM fact "
        "WHERE click_id IN {ids:Array(String)} GROUP BY click_id, conversion_id HAVING sum(sign) > 0"
        ") GROUP BY click_id"
    )
    rows = analytics.rows(sql, {"ids": [click.id for click in clicks]}, tuple[str, tuple[str, ...]])
    return dict(rows)
