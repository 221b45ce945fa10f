"""What a rule would have done in the last 30 days (docs/spec/automation.md#look-back)."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.automation.measuring import RuleCannotRun, measure_hours
from trackyard.actions.statistics.automation.running import new_firing
from trackyard.base.errors import BadInput
from trackyard.domain.statistics.automation.judging import look_back
from trackyard.domain.statistics.automation.rules import Rule, RuleFiring
from trackyard.domain.statistics.automation.windows import HOUR_MS, WEEK_HOURS, WEEKS_BEFORE, Window, last_window

LOOK_BACK_HOURS: Final = 720
"""30 days."""
MOST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class LookBack:
    """The firings that a rule would have had. total: their number; shown: the newest of them.

    since, until: every judged window ended between these times.
    """

    since: int
    until: int
    total: int
    shown: list[RuleFiring]


def look_back_on(deps: Deps, rule: Rule) -> LookBack:
    """Return the firings a rule would have had in the last 30 days, as if it had changed nothing.

    It reads the statistics of today: a conversion that was declined since counts as declined. Raises BadInput for a
    rule that is too wide, ReportTooHeavy.
    """
    _, until = last_window(1, deps.clock.now_ms())
    since = until - LOOK_BACK_HOURS * HOUR_MS
    weeks = WEEKS_BEFORE * WEEK_HOURS + 1 if rule.needs_usual else 0
    try:
        hours = measure_hours(deps.analytics, rule, Window(since - (rule.hours + weeks) * HOUR_MS, until))
    except RuleCannotRun as error:
        raise BadInput({"each": [str(error)]}) from None
    found = look_back(rule, hours, range(since + HOUR_MS, until + 1, HOUR_MS), deps.zone)
    newest = list(reversed(found))[:MOST_SHOWN]
    shown = [new_firing(rule, each.window, each.verdict, each.window.until) for each in newest]
    return LookBack(since, until, len(found), shown)
