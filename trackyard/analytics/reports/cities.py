"""Find the ids of cities by name (docs/spec/statistics.md#keys-and-names)."""

from collections.abc import Iterable
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period
from trackyard.domain.statistics.reports import Report

_TABLES: Final = ("click", "view", "fact")


def find_city_ids(analytics: Analytics, report: Report, names: Iterable[str]) -> dict[str, int]:
    """Return the most frequent id (GeoNames) of each name in a report's period and scope.

    A name that only rows without an id have is absent. Raises ReportTooHeavy.
    """
    wanted = sorted({name for name in names if name})
    if not wanted:
        return {}
    conditions, parameters = in_period(report.scope, report.since, report.until)
    conditions += ["city IN {cities:Array(String)}", "city_id > 0"]
    branches = " UNION ALL ".join(
        f"SELECT city, city_id FROM {table} WHERE {' AND '.join(conditions)}" for table in _TABLES
    )
    sql = (
        "SELECT city, argMax(city_id, (seen, -city_id)) FROM ("
        f"SELECT city, city_id, count() AS seen FROM ({branches}) GROUP BY city, city_id"
        ") GROUP BY city"
    )
    return dict(analytics.rows(sql, parameters | {"cities": wanted}, tuple[str, int]))
