"""Measure what rules judge: one report for each window (docs/spec/automation.md#judging)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.reports import list_values
from trackyard.base.money import ZERO, rounded
from trackyard.domain.offers.goals import is_same_goal
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.measures import METRICS, NOTHING, Key, Measures
from trackyard.domain.statistics.automation.rules import Rule
from trackyard.domain.statistics.automation.windows import WEEK_HOURS, WEEKS_BEFORE, Window
from trackyard.domain.statistics.quality.origins import is_marked
from trackyard.domain.statistics.reports import CONFIRMED, TOTAL, LeastVolume, Report, Values
from trackyard.domain.statistics.slices import REJECTION_REASON

MOST_ROWS: Final = 100_000
"""Rows of one report that could meet the conditions. A rule that needs more is too wide."""

_HOUR: Final = "hour"
_GOAL: Final = "goal"
_ORIGIN: Final = "origin"
_DECLINED: Final = "declined"
_COUNTS: Final = ("raw", "uniq", "trafficback", *(f"{kind}_count" for kind in (TOTAL, CONFIRMED, _DECLINED)))
_AMOUNTS: Final = tuple(f"{kind}_{name}" for kind in (TOTAL, _DECLINED) for name in ("charge", "payouts"))
_CLICKLESS: Final = tuple(f"{kind}_clickless" for kind in (TOTAL, _DECLINED))
_CLICKLESS_AMOUNTS: Final = tuple(f"{kind}_clickless_payouts" for kind in (TOTAL, _DECLINED))


class RuleCannotRun(Exception):
    """A rule cannot be judged, or cannot act; the text gives the reason and the remedy."""


def measure(
    analytics: Analytics, rule: Rule, window: Window, now: Window, before: Sequence[Window] = ()
) -> dict[Key, Measures]:
    """Return the measures of a window, for elements that can meet the conditions.

    now: the window to judge. before: the windows for comparison.
    Raises RuleCannotRun, ReportTooHeavy.
    """
    found: dict[Key, Measures] = {}
    is_usual = bool(rule.conditions) and rule.leading_condition.is_usual
    least = _least(rule, before if is_usual else (now,))
    for extra in _extra_slices(rule):
        for row in _rows(analytics, rule, window, extra, least):
            key = _key(rule, row)
            found[key] = found.get(key, NOTHING).plus(_measures(rule, row, extra))
    return found


def measure_hours(analytics: Analytics, rule: Rule, window: Window) -> Mapping[int, Mapping[Key, Measures]]:
    """Return the measures of each hour of a window, by its begin, of what can meet the conditions in it.

    Raises RuleCannotRun, ReportTooHeavy.
    """
    found: dict[int, dict[Key, Measures]] = defaultdict(dict)
    least = _least(rule, (window,))
    for extra in _extra_slices(rule):
        for row in _rows(analytics, rule, window, (_HOUR, *extra), least):
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


def _least(rule: Rule, windows: Sequence[Window]) -> LeastVolume | None:
    """Return the volume in the time of these windows without which an element cannot meet the conditions.

    Compared weeks have the minimum on average. Windows longer than a week share hours: one of them has the minimum.
    """
    if not rule.each or not rule.conditions or rule.minimum <= 1:
        return None
    leading = rule.leading_condition
    number = rule.minimum * (WEEKS_BEFORE if leading.is_usual and rule.hours <= WEEK_HOURS else 1)
    since, until = min(each.since for each in windows), max(each.until for each in windows)
    return LeastVolume(rule.each, METRICS[leading.metric].counted, number, since, until)


def _rows(
    analytics: Analytics, rule: Rule, window: Window, extra: tuple[str, ...], least: LeastVolume | None
) -> list[dict[str, Any]]:
    chosen: dict[str, Values] = {
        "offer": rule.offers,
        "affiliate": rule.affiliates,
        "advertiser": rule.advertisers,
        "country": rule.countries,
        _GOAL: (rule.first_goal, rule.second_goal) if _GOAL in extra else (),
        **rule.sub_values,
    }
    filters = {name: values for name, values in chosen.items() if values}
    report = Report(
        *(Scope.everything(), *window, (*extra, *rule.each), filters),
        zone="UTC",
        limit=MOST_ROWS,
        least=least,
        counts_clickless=_needs_clickless(rule),
    )
    rows, total_count = list_values(analytics, report, _columns(rule))
    if total_count > MOST_ROWS:
        raise RuleCannotRun(
            f"The window has {total_count} rows that could meet the conditions, more than {MOST_ROWS}: raise the "
            "minimum, name offers, affiliates, advertisers, countries or values of subs, or judge by fewer slices."
        )
    return rows


def _columns(rule: Rule) -> tuple[str, ...]:
    """Return the metrics of reports that the conditions of a rule need: amounts are the dearest."""
    has_clickless, has_amounts = _needs_clickless(rule), any(METRICS[each.metric].is_money for each in rule.conditions)
    counts = (*_COUNTS, *_CLICKLESS) if has_clickless else _COUNTS
    if not has_amounts:
        return counts
    return (*counts, *_AMOUNTS, *_CLICKLESS_AMOUNTS) if has_clickless else (*counts, *_AMOUNTS)


def _needs_clickless(rule: Rule) -> bool:
    return any(METRICS[each.metric].of_clickless for each in rule.conditions)


def _key(rule: Rule, row: Mapping[str, Any]) -> Key:
    return tuple(row[name] for name in rule.each)


@lru_cache(maxsize=2048)  # more than the hours of a look back
def _hour_begin(year: int, month: int, day: int, hour: int) -> int:
    return round(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1000)


def _hour_of(row: Mapping[str, Any]) -> int:
    return _hour_begin(int(row["year"]), int(row["month"]), int(row["day"]), int(row["hour"]))


def _measures(rule: Rule, row: Mapping[str, Any], extra: tuple[str, ...]) -> Measures:
    """Return the measures of a row. Rows of rejections, of signals and of goals have nothing else."""
    if extra == (REJECTION_REASON,):
        return Measures(rejected=row["trafficback"])
    if extra == (_ORIGIN,):
        return Measures(marked=row["raw"] if is_marked(int(row[_ORIGIN])) else 0)
    total = row[f"{TOTAL}_count"]
    if extra == (_GOAL,):
        goal = str(row[_GOAL])
        return Measures(
            first=total if is_same_goal(goal, rule.first_goal) else 0,
            second=total if is_same_goal(goal, rule.second_goal) else 0,
        )
    if not total:
        return Measures(clicks=row["raw"], unique=row["uniq"])
    declined = row[f"{_DECLINED}_count"]
    has_amounts, has_clickless = _AMOUNTS[0] in row, _CLICKLESS[0] in row
    return Measures(
        clicks=row["raw"],
        unique=row["uniq"],
        conversions=total - declined,
        confirmed=row[f"{CONFIRMED}_count"],
        declined=declined,
        charge=_valid_amount(row, "charge") if has_amounts else ZERO,
        payout=_valid_amount(row, "payouts") if has_amounts else ZERO,
        clickless=row[_CLICKLESS[0]] - row[_CLICKLESS[1]] if has_clickless else 0,
        clickless_payout=_valid_amount(row, "clickless_payouts") if has_amounts and has_clickless else ZERO,
    )


def _valid_amount(row: Mapping[str, Any], name: str) -> Decimal:
    """Return an amount of all conversions of a row but the declined ones."""
    total, declined = (Decimal(row[f"{kind}_{name}"]) for kind in (TOTAL, _DECLINED))
    return rounded(total) - rounded(declined)
