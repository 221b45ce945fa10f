"""Measure what rules judge: one report for each window (docs/spec/automation.md#judging)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.measures import NOTHING, Key, Measures
from trackyard.domain.statistics.automation.rules import Rule
from trackyard.domain.statistics.automation.windows import Window
from trackyard.domain.statistics.quality.origins import is_marked
from trackyard.domain.statistics.reports import CONFIRMED, TOTAL, Report, StatsRow, Values
from trackyard.domain.statistics.slices import REJECTION_REASON

MOST_ROWS: Final = 100_000
"""Rows of one report. A rule that needs more is too wide."""

_HOUR: Final = "hour"
_GOAL: Final = "goal"
_ORIGIN: Final = "origin"
_DECLINED: Final = "declined"


class RuleCannotRun(Exception):
    """A rule cannot be judged, or cannot act; the text says why and what to do."""


def measure(analytics: Analytics, rule: Rule, window: Window) -> dict[Key, Measures]:
    """Return the measures of a window. Raises RuleCannotRun, ReportTooHeavy."""
    found: dict[Key, Measures] = {}
    for extra in _extra_slices(rule):
        for row in _rows(analytics, rule, window, extra):
            key = _key(rule, row)
            found[key] = found.get(key, NOTHING).plus(_measures(rule, row, extra))
    return found


def measure_hours(analytics: Analytics, rule: Rule, window: Window) -> Mapping[int, Mapping[Key, Measures]]:
    """Return the measures of each hour of a window, by its begin. Raises RuleCannotRun, ReportTooHeavy."""
    found: dict[int, dict[Key, Measures]] = defaultdict(dict)
    for extra in _extra_slices(rule):
        for row in _rows(analytics, rule, window, (_HOUR, *extra)):
            hour, key = found[_hour_of(row)], _key(rule, row)
            hour[key] = hour.get(key, NOTHING).plus(_measures(rule, row, extra))
    return found


def _extra_slices(rule: Rule) -> Iterable[tuple[str, ...]]:
    """Yield the slices that a rule needs besides what it judges, for each of its reports."""
    yield (_GOAL,) if rule.needs_goals else ()
    if rule.needs_rejections:
        yield (REJECTION_REASON,)
    if rule.needs_signals:
        yield (_ORIGIN,)


def _rows(analytics: Analytics, rule: Rule, window: Window, extra: tuple[str, ...]) -> list[StatsRow]:
    chosen: dict[str, Values] = {
        "offer": rule.offers,
        "affiliate": rule.affiliates,
        "advertiser": rule.advertisers,
        "country": rule.countries,
        _GOAL: (rule.first_goal, rule.second_goal) if _GOAL in extra else (),
        **rule.sub_values,
    }
    filters = {name: values for name, values in chosen.items() if values}
    report = Report(Scope.everything(), *window, (*extra, *rule.each), filters, zone="UTC", limit=MOST_ROWS)
    page = run_report(analytics, report)
    if page.total_count > MOST_ROWS:
        raise RuleCannotRun(
            f"The window has {page.total_count} rows, more than {MOST_ROWS}: name offers, affiliates, advertisers, "
            "countries or values of subs, or judge by fewer slices."
        )
    return page.rows


def _key(rule: Rule, row: StatsRow) -> Key:
    return tuple(row.keys[name] for name in rule.each)


def _hour_of(row: StatsRow) -> int:
    year, month, day, hour = (int(row.keys[part]) for part in ("year", "month", "day", "hour"))
    return round(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1000)


def _measures(rule: Rule, row: StatsRow, extra: tuple[str, ...]) -> Measures:
    """Return the measures of a row. Rows of rejections, of signals and of goals have nothing else."""
    if extra == (REJECTION_REASON,):
        return Measures(rejected=row.trafficback)
    if extra == (_ORIGIN,):
        return Measures(marked=row.raw if is_marked(int(row.keys[_ORIGIN])) else 0)
    total, declined = row.actions[TOTAL], row.actions[_DECLINED]
    if extra == (_GOAL,):
        goal = str(row.keys[_GOAL])
        return Measures(
            first=total.count if goal == rule.first_goal else 0,
            second=total.count if goal == rule.second_goal else 0,
        )
    return Measures(
        clicks=row.raw,
        unique=row.uniq,
        conversions=total.count - declined.count,
        confirmed=row.actions[CONFIRMED].count,
        declined=declined.count,
        charge=total.charge - declined.charge,
        payout=total.payouts - declined.payouts,
    )
