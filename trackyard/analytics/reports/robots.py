"""Clicks of robots by the version of their system (docs/spec/quality.md#robots-of-a-version)."""

from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.quality.robots import RobotShare

_MOST_VERSIONS: Final = 500
MOST_AGENTS: Final = 2000


def list_robot_shares(analytics: Analytics, since: int, day: int, until: int) -> list[RobotShare]:
    """Return the clicks by version of a system, most clicks first. day: when the last day begins."""
    conditions, parameters = in_period(Scope.everything(), since, until)
    sql = (
        "SELECT os, os_version, toInt64(countIf(reason = 'bot' AND time >= {day:Int64})), "
        "toInt64(countIf(time >= {day:Int64})), toInt64(countIf(reason = 'bot' AND time < {day:Int64})), "
        f"toInt64(countIf(time < {{day:Int64}})) FROM click WHERE {' AND '.join(conditions)} "
        f"GROUP BY os, os_version ORDER BY 4 DESC, 1, 2 LIMIT {_MOST_VERSIONS:d}"
    )
    rows = analytics.rows(sql, parameters | {"day": day}, tuple[str, str, int, int, int, int], has_rollup=False)
    return [RobotShare(*found) for found in rows]


def list_robot_agents(analytics: Analytics, since: int, until: int, system: str, version: str) -> list[tuple[str, int]]:
    """Return the user agents of robots of a version with their clicks, most clicks first."""
    conditions, parameters = in_period(Scope.everything(), since, until)
    conditions += ["reason = 'bot'", "os = {system:String}", "os_version = {version:String}"]
    sql = (
        f"SELECT ua, toInt64(count()) FROM click WHERE {' AND '.join(conditions)} "
        f"GROUP BY ua ORDER BY 2 DESC, 1 LIMIT {MOST_AGENTS:d}"
    )
    named = {"system": system, "version": version}
    return analytics.rows(sql, parameters | named, tuple[str, int], has_rollup=False)
