"""The days that can have data."""

from trackyard.actions.deps import Deps
from trackyard.analytics.reports.periods import find_record_period


def data_span(deps: Deps) -> tuple[int, int] | None:
    """Return the first and the last moment that can have data, UTC ms; None without traffic.

    They are the first traffic and now, or the last record when it is later. Raises ReportTooHeavy.
    """
    found = find_record_period(deps.analytics)
    return None if found is None else (found[0], max(found[1], deps.clock.now_ms()))
