"""Which city a name stood for (docs/spec/statistics.md#keys-and-names)."""

from collections.abc import Iterable
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import scope_conditions, scope_parameters
from trackyard.domain.statistics.reports import Report

_TABLES: Final = ("click", "view", "fact")


def find_city_ids(analytics: Analytics, report: Report, names: Iterable[str]) -> dict[str, int]:
    """The id (GeoNames) that most rows of a report's period and scope have beside each of these names; a name that only
    rows without an id have is absent. Raises TooHeavy over the limits of one query."""
    wanted = sorted({name for name in names if name})
    if not wanted:
        return {}
    conditions = ["time >= {since:Int64}", "time < {until:Int64}", *scope_conditions(report.scope)]
    conditions += ["city IN {cities:Array(String)}", "city_id > 0"]
    branches = " UNION ALL ".join(
        f"SELECT city, city_id FROM {table} WHERE {' AND '.join(conditions)}" for table in _TABLES
    )
    sql = (
        "SELECT city, argMax(city_id, (seen, -city_id)) FROM ("
        f"SELECT city, city_id, count() AS seen FROM ({branches}) GROUP BY city, city_id"
        ") GROUP BY city"
    )
    parameters: dict[str, Any] = {
        "since": report.since,
        "until": report.until,
        "cities": wanted,
        **scope_parameters(report.scope),
    }
    return dict(analytics.rows(sql, parameters, tuple[str, int]))
