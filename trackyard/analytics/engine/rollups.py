"""Sums of clicks, impressions and conversion events, for fast reports (docs/decisions/0028).

A rollup is a projection: it is in the same parts on disk as its rows, is written, merged and dropped with them, and so
always equals their sums. The engine answers a query from it when the query needs its columns, whole days
(`time_bucket(DAY_MS)`) or whole grains, and its sums.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.analytics.reports.metrics import MEASURES, REJECTED

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000
STEP_MS: Final = 900_000
"""The offset of each zone is a multiple of this since 1972: a local hour or day consists of whole steps."""

TRAFFIC_SUMS: Final = tuple(measure.sql for measure in MEASURES if measure.source == "click")
"""The sums of accepted clicks and impressions."""
REJECTION_SUMS: Final = tuple(measure.sql for measure in MEASURES if measure.source == REJECTED)
"""The sums of clicks by reason."""
CONVERSION_SUMS: Final = tuple(
    measure.sql.format(suffix="_base")
    for measure in MEASURES
    if measure.source == "fact" and measure.name != "of_status"
)
"""The sums of conversion events by status, in the platform currency."""

_UTC_ZONES: Final = frozenset({"UTC", "Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"})


def time_bucket(grain: int) -> str:
    """Return the SQL of the number of a row's day, hour or step since 1970 in UTC. grain: milliseconds."""
    return f"intDiv(time, {grain})"


@dataclass(frozen=True, slots=True)
class Rollup:
    """Sums by day (UTC), columns, and grain, when that is shorter than a day."""

    name: str
    columns: tuple[str, ...]
    grain: int = DAY_MS
    sums: tuple[str, ...] = TRAFFIC_SUMS

    @property
    def body(self) -> str:
        """Return the SELECT of the projection, sorted by its keys."""
        finer = () if self.grain == DAY_MS else (time_bucket(self.grain),)
        keys = ", ".join((time_bucket(DAY_MS), *self.columns, *finer))
        return f"SELECT {keys}, {', '.join(self.sums)} GROUP BY {keys}"


TRAFFIC_ROLLUPS: Final = (
    Rollup("by_step", (), STEP_MS),
    Rollup("by_offer_step", ("offer", "advertiser", "smart_id"), STEP_MS),
    Rollup("by_country_step", ("country", "os", "device"), STEP_MS),
    Rollup("by_affiliate_hour", ("affiliate",), HOUR_MS),
    Rollup("by_offer_day", ("offer", "advertiser", "smart_id")),
    Rollup("by_affiliate_day", ("affiliate",)),
    Rollup("by_affiliate", ("affiliate", "offer", "advertiser")),
    Rollup("by_offer_country", ("offer", "advertiser", "country")),
    Rollup("by_origin", ("origin", "offer", "affiliate", "advertiser")),
    Rollup("by_city", ("country", "city")),
    Rollup("by_carrier", ("country", "isp", "connection")),
    Rollup("by_model", ("device", "os", "device_model")),
    Rollup("by_version", ("os", "os_version")),
    Rollup("by_browser", ("browser", "browser_version", "device")),
)
"""The rollups of clicks and of impressions."""

REJECTION_ROLLUPS: Final = (Rollup("by_reason_step", ("reason",), STEP_MS, REJECTION_SUMS),)
"""The rollups of clicks alone, by the reason of their rejection; accepted ones have the reason ''."""

CONVERSION_ROLLUPS: Final = (
    Rollup("by_goal_status_step", ("goal", "status"), STEP_MS, CONVERSION_SUMS),
    Rollup("by_offer_status_day", ("offer", "advertiser", "smart_id", "status"), DAY_MS, CONVERSION_SUMS),
    Rollup("by_affiliate_status_day", ("affiliate", "status"), DAY_MS, CONVERSION_SUMS),
    Rollup("by_country_status_day", ("country", "os", "device", "status"), DAY_MS, CONVERSION_SUMS),
)
"""The rollups of conversion events, by columns that many conversions of a day share.

Rollups with other sums need other names: a step of the schema removes rollups that are not declared.
"""


def find_grains(columns: Set[str], rollups: Sequence[Rollup] = TRAFFIC_ROLLUPS) -> tuple[int, ...]:
    """Return the grains of the rollups that have all of these columns, the fewest rows first.

    Rollups with few columns have the fewest rows, then rollups with coarse grains.
    """
    found = [rollup for rollup in rollups if columns <= set(rollup.columns)]
    found.sort(key=lambda rollup: (len(rollup.columns), -rollup.grain))
    return tuple(dict.fromkeys(rollup.grain for rollup in found))


@dataclass(frozen=True, slots=True)
class PeriodPart:
    """A part of a period (UTC ms, `until` exclusive).

    grain: the grain of the rollups that can answer it; None = rows must be read.
    """

    since: int
    until: int
    grain: int | None

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the conditions of a row of this part in the expressions of rollups.

        Days are first, as all tables are sorted by them.
        """
        if self.grain is None:
            return (f"time >= {self.since}", f"time < {self.until}")
        days = (
            f"{time_bucket(DAY_MS)} >= {self.since // DAY_MS}",
            f"{time_bucket(DAY_MS)} <= {(self.until - 1) // DAY_MS}",
        )
        finer = (
            f"{time_bucket(self.grain)} >= {self.since // self.grain}",
            f"{time_bucket(self.grain)} < {self.until // self.grain}",
        )
        return days if self.grain == DAY_MS else (*days, *finer)


def split_period(
    since: int, until: int, columns: Set[str], rollups: Sequence[Rollup] = TRAFFIC_ROLLUPS
) -> list[PeriodPart]:
    """Split a period into whole days, for rollups with these columns, and its first and last part."""
    available_grains = find_grains(columns, rollups)
    first, end = -(-since // DAY_MS) * DAY_MS, until // DAY_MS * DAY_MS
    if not available_grains or first >= end:
        return [_coarsest_part(since, until, available_grains)]
    edges = [_coarsest_part(*edge, available_grains) for edge in ((since, first), (end, until)) if edge[0] < edge[1]]
    return [PeriodPart(first, end, DAY_MS), *edges]


def _coarsest_part(since: int, until: int, available_grains: tuple[int, ...]) -> PeriodPart:
    fitting_grain = next((grain for grain in available_grains if not since % grain and not until % grain), None)
    return PeriodPart(since, until, fitting_grain if since < until else None)


def is_utc(zone: str) -> bool:
    """Return whether a zone (an IANA name) has the same days as UTC."""
    return zone in _UTC_ZONES


def has_whole_grains(zone: str, since: int, until: int, grain: int) -> bool:
    """Return whether each local hour from `since` to `until` (UTC ms) consists of whole grains.

    With grains of a day: each local day.
    """
    if since % grain or until % grain:
        return False
    if grain == DAY_MS:
        return is_utc(zone)
    first, last = (datetime.fromtimestamp(at / 1000, UTC).year for at in (since, until))
    return all(_offsets_are_whole(zone, year, grain) for year in range(first, last + 1))


@lru_cache(maxsize=4096)
def _offsets_are_whole(zone: str, year: int, grain: int) -> bool:
    """Return whether the offset of each day of a year is of whole grains.

    No zone has an offset for less than a day.
    """
    local, first = ZoneInfo(zone), datetime(year, 1, 1, tzinfo=UTC)
    offsets = {(first + timedelta(days=day)).astimezone(local).utcoffset() or timedelta() for day in range(367)}
    return not any(offset % timedelta(milliseconds=grain) for offset in offsets)
