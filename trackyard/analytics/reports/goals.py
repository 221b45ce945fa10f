"""The spellings of goals in the analytic store: its rows keep the goal as it was spelled.

docs/spec/conversions.md#goals. Goals are folded when rows are read: rows of earlier versions have no folded form.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.scopes import scope_conditions, scope_parameters
from trackyard.domain.offers.goals import goal_key, goal_keys, shown_spellings
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report

GOAL: Final = "goal"

_MAY_DIFFER: Final = r"match(goal, '[A-Z]|[^\\x00-\\x7F]|^\\s|\\s$')"
"""The condition that a goal may differ from its key: it has a capital, a letter beyond ASCII, or an outer space."""
_KEYS_PER_LIST: Final = 4000
"""Values in one list of a request, as a field of a request has at most 128 KiB."""


def find_shown(analytics: Analytics, scope: Scope, table: str = "fact") -> dict[str, str]:
    """Return the newest spelling of goals, by each spelling that is not its own key.

    Keys that rows have are here too, where another spelling of the goal exists. Goals of numbers are looked for in
    vain, so the cost does not grow with them.
    """
    conditions, parameters = scope_conditions(scope), scope_parameters(scope)
    sql = f"SELECT goal, max(time) FROM {table} WHERE {{}} GROUP BY goal"
    where = " AND ".join([*conditions, _MAY_DIFFER])
    times = dict(analytics.rows(sql.format(where), parameters, tuple[str, int], has_rollup=False))
    keys = sorted(goal_keys(times) - times.keys())
    for start in range(0, len(keys), _KEYS_PER_LIST):
        named = {"goal_keys": keys[start : start + _KEYS_PER_LIST]}
        where = " AND ".join([*conditions, "goal IN {goal_keys:Array(String)}"])
        times |= dict(analytics.rows(sql.format(where), {**parameters, **named}, tuple[str, int], has_rollup=False))
    return shown_spellings(times)


def with_every_spelling(goals: Iterable[str], shown: Mapping[str, str]) -> tuple[str, ...]:
    """Return the spellings that rows of some goals may have."""
    wanted = tuple(goals)
    keys = goal_keys(wanted)
    return tuple(dict.fromkeys([*wanted, *sorted(keys), *(each for each in shown if goal_key(each) in keys)]))


def folded_goals(shown: Mapping[str, str]) -> dict[str, str]:
    """Return the spelling that is shown, by each spelling that is not."""
    return {spelling: newest for spelling, newest in shown.items() if spelling != newest}


def goal_sql(folded: Mapping[str, str]) -> str:
    """Return the SQL of a goal in the spelling that is shown, see `goal_parameters`."""
    lists = "{goal_spellings:Array(String)}, {goals_shown:Array(String)}"
    return f"transform({GOAL}, {lists}, {GOAL})" if folded else GOAL


def goal_parameters(folded: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the parameters of `goal_sql`."""
    return {"goal_spellings": list(folded), "goals_shown": list(folded.values())} if folded else {}


def with_spellings(analytics: Analytics, report: Report) -> Report:
    """Return a report that takes every spelling of goals, in rows and filters."""
    named = (report.filters, report.excluded)
    if GOAL not in report.dimensions and not any(GOAL in each for each in named):
        return report
    shown = find_shown(analytics, report.scope)
    filters, excluded = (
        {**each, GOAL: with_every_spelling(map(str, each[GOAL]), shown)} if GOAL in each else each for each in named
    )
    return replace(report, filters=filters, excluded=excluded, shown_goals=folded_goals(shown))
