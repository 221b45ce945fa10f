"""Cohorts of clicks and the values of their subs, for a caller's scope.

docs/spec/statistics.md#retention-and-time-to-action, docs/spec/statistics.md#values-of-subs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports import cohorts, subs
from trackyard.analytics.reports.subs import SubSearch
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cohorts import Cohort, RetentionQuery, TimeToActionQuery, TimeToActionRow

SUB_LOOKBACK_MS: Final = 90 * 86_400_000
"""The clicks of this time have the values of subs."""


def retention(deps: Deps, access: Access, question: RetentionQuery) -> list[Cohort]:
    """Return the cohorts of a query, within the caller's scope. Raises ReportTooHeavy."""
    return cohorts.query_retention(deps.analytics, replace(question, scope=_scope(deps, access)))


def time_to_action(deps: Deps, access: Access, question: TimeToActionQuery) -> tuple[list[TimeToActionRow], int]:
    """Return a page of rows of a query, within the caller's scope, and the total. Raises ReportTooHeavy."""
    return cohorts.query_time_to_action(deps.analytics, replace(question, scope=_scope(deps, access)))


def find_subs(
    deps: Deps,
    access: Access,
    prefixes: Mapping[str, Sequence[str]],
    *,
    page: int,
    limit: int,
) -> tuple[list[dict[str, str]], int]:
    """Return a page of the combinations of subs in the caller's clicks of 90 days, and the number of all.

    prefixes: the beginnings of values, by sub. Raises ReportTooHeavy.
    """
    since = deps.clock.now_ms() - SUB_LOOKBACK_MS
    search = SubSearch(_scope(deps, access), since, prefixes, page=page, limit=limit)
    return subs.find_subs(deps.analytics, search)


def _scope(deps: Deps, access: Access) -> Scope:
    with deps.database.read() as conn:
        return scope_of(conn, access)
