"""Goals are one row and one filter, however they are spelled (docs/spec/statistics.md#keys-and-names)."""

import dataclasses
import io
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from trackyard.actions.statistics.automation.measuring import measure
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.exports.exports import SpooledReport
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.cohorts import query_retention, query_time_to_action
from trackyard.analytics.reports.goals import find_shown
from trackyard.analytics.reports.health import list_usual_times
from trackyard.analytics.reports.logs import list_server_log
from trackyard.analytics.reports.reports import list_values, run_report
from trackyard.domain.offers.goals import stored_key
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import Window
from trackyard.domain.statistics.cohorts import RetentionQuery, TimeToActionQuery
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.quality.conversion_signals import LEAST_USUAL
from trackyard.domain.statistics.reports import Report, StatsRow
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.journal.records import encode

DAY = 86_400_000
GOALS = ["install", "Install", "INSTALL ", "1", "первый", "Первый", "STRASSE", "straße", "Sale"]
"""As conversions have them, in the order of time; the newest of a goal is the last."""
SHOWN = {"INSTALL ": 3, "1": 1, "Первый": 2, "straße": 2, "Sale": 1}
FILTERS = [
    ("install", 3),
    ("INSTALL", 3),
    (" Install", 3),
    ("ПЕРВЫЙ", 2),
    ("Straße", 2),
    ("strasse", 2),
    ("sale", 1),
    ("SALE", 1),
    ("1", 1),
    ("2", 0),
]
WHOLE = Report(Scope.everything(), NOON // DAY * DAY, NOON // DAY * DAY + 2 * DAY, ("goal",))


def load_goals(analytics: Analytics, *, old: int, goals: list[str] = GOALS) -> None:
    """Load a conversion of each goal, of different affiliates. old: how many are rows of earlier versions."""
    lines = []
    for place, goal in enumerate(goals):
        fact = new_fact(place, goal=goal, goal_key=stored_key(goal), time=NOON + place, affiliate=place + 1)
        values = json.loads(encode_row(fact))
        lines.append(json.dumps(values[:-2] if place < old else values).encode())
    load(analytics, "fact", lines, "t")


def counts(rows: list[StatsRow]) -> dict[str, int]:
    return {str(row.keys["goal"]): row.actions["total"].count for row in rows}


def of_page(analytics: Analytics, report: Report) -> dict[str, int]:
    answer = run_report(analytics, report)
    assert answer.total_count == len(answer.rows)
    return counts(answer.rows)


def of_keys_first(analytics: Analytics, report: Report) -> dict[str, int]:
    return of_page(analytics, replace(report, dimensions=("goal", "sub1")))


def of_values(analytics: Analytics, report: Report) -> dict[str, int]:
    return {row["goal"]: row["total_count"] for row in list_values(analytics, report, ["total_count"])[0]}


def of_file(analytics: Analytics, report: Report) -> dict[str, int]:
    with io.BytesIO() as file:
        kept = SpooledReport(report, file)
        kept.read(analytics)
        return counts([row for rows in kept.each() for row in rows])


READERS: list[Callable[[Analytics, Report], dict[str, int]]] = [of_page, of_keys_first, of_values, of_file]


@pytest.mark.parametrize("old", [0, 4, len(GOALS)])
@pytest.mark.parametrize("reader", READERS)
def test_goal_in_several_spellings_is_one_row_in_the_newest(
    analytics: Analytics, reader: Callable[[Analytics, Report], dict[str, int]], old: int
) -> None:
    load_goals(analytics, old=old)
    assert reader(analytics, WHOLE) == SHOWN


def test_goal_rows_have_all_amounts_and_pages(analytics: Analytics) -> None:
    load_goals(analytics, old=4)
    rows = [row for page in range(1, 7) for row in run_report(analytics, replace(WHOLE, page=page, limit=1)).rows]
    payouts = {str(row.keys["goal"]): row.actions["total"].payouts for row in rows}
    assert payouts == {goal: Decimal(2 * number) for goal, number in SHOWN.items()}


@pytest.mark.parametrize("old", [0, len(GOALS)])
@pytest.mark.parametrize(("wanted", "number"), FILTERS)
def test_goal_filter_takes_every_spelling(analytics: Analytics, wanted: str, number: int, old: int) -> None:
    load_goals(analytics, old=old)
    filtered = replace(WHOLE, filters={"goal": (wanted,)})
    assert sum(of_page(analytics, filtered).values()) == number
    assert sum(row.actions["total"].count for row in run_report(analytics, replace(filtered, dimensions=())).rows) == (
        number
    )
    assert sum(of_page(analytics, replace(WHOLE, excluded={"goal": (wanted,)})).values()) == len(GOALS) - number


def test_goal_spellings_in_the_tables() -> None:
    assert (len(GOALS), len(SHOWN), len(FILTERS), len(READERS)) == (9, 5, 10, 4)


def test_goal_is_shown_as_the_caller_knows_it(analytics: Analytics) -> None:
    """Spellings of conversions out of scope do not appear."""
    load_goals(analytics, old=0)
    assert of_page(analytics, replace(WHOLE, scope=Scope.of_affiliate(2))) == {"Install": 1}
    assert of_page(analytics, replace(WHOLE, scope=Scope.of_affiliate(1), filters={"goal": ("INSTALL",)})) == {
        "install": 1
    }


def test_goal_spelling_is_the_same_in_two_periods(analytics: Analytics) -> None:
    """So that a comparison of periods joins their rows."""
    load_goals(analytics, old=0)
    early = replace(WHOLE, since=NOON, until=NOON + 1)
    assert of_page(analytics, early) == {"INSTALL ": 1}


def test_goals_that_differ_nowhere_cost_no_list(analytics: Analytics) -> None:
    load_goals(analytics, old=0, goals=["1", "2", "sale"])
    assert find_shown(analytics, Scope.everything()) == {}


@pytest.mark.parametrize("base", ["install", "INSTALL"])
def test_goal_retention_takes_every_spelling(analytics: Analytics, base: str) -> None:
    facts = [("Install", 0), ("install", 1), ("SALE", 2), ("sale ", 3)]
    rows = [new_fact(place, click_id="c" * 24, goal=goal, time=NOON + place) for goal, place in facts]
    load(analytics, "fact", [encode_row(row) for row in rows], "t")
    query = RetentionQuery(Scope.everything(), NOON, NOON + DAY, "UTC", 1, base, ("Sale", "sale", "install", "other"))
    [cohort] = query_retention(analytics, query)
    assert (cohort.size, cohort.reached) == (1, {"Sale": 1, "sale": 1, "install": 1, "other": 0})


def test_goal_of_the_time_to_action_takes_every_spelling(analytics: Analytics) -> None:
    load(analytics, "click", [click_item("j", 1, encode(new_click(1, time=NOON)))], "t")
    rows = [new_fact(place, goal=goal) for place, goal in enumerate(("Install", "install", "other"))]
    load(analytics, "fact", [encode_row(row) for row in rows], "t")
    query = TimeToActionQuery(Scope.everything(), NOON, NOON + DAY, 1, goals=("INSTALL ",))
    [row], _ = query_time_to_action(analytics, query)
    assert row.conversions == 2


def test_goal_filter_of_the_postback_log_takes_every_spelling(analytics: Analytics) -> None:
    rows = [
        ServerPostbackLog(
            id=f"{place:024x}", revision=0, time=NOON, click_id="", conversion_id="", offer=0, affiliate=0,
            advertiser="", goal=goal, action_id="", status=1, method="GET", ip="", ua="", query="", body="",
            response="", journal="001-1", position=place,
        )
        for place, goal in enumerate(GOALS)
    ]  # fmt: skip
    load(analytics, "server_log", [encode_row(row) for row in rows], "t")
    query = LogQuery(Scope.everything(), NOON, NOON + 1000)
    for wanted, number in FILTERS:
        page = list_server_log(analytics, dataclasses.replace(query, filters={"goal": (wanted,)}))
        assert page.total_count == number, wanted


def test_goal_usual_times_are_of_all_spellings_together(analytics: Analytics) -> None:
    goals = ["Install", "install"] * (LEAST_USUAL // 2 + 1)
    rows = [new_fact(n, goal=goal, time=NOON + n, click_time=NOON - 60_000 + n) for n, goal in enumerate(goals)]
    load(analytics, "fact", [encode_row(row) for row in rows], "t")
    assert [(key, times.number) for key, times in list_usual_times(analytics, NOON + DAY).items()] == [
        ((1, "install"), len(goals))
    ]


def test_goal_share_of_a_rule_takes_every_spelling(analytics: Analytics) -> None:
    goals = ["Install", "install", "INSTALL", "Sale", "sale "]
    load_goals(analytics, old=2, goals=goals)
    rule = Rule(
        id="a" * 24, title="Share", conditions=(RuleCondition("goal_share", is_below=True, bound=Decimal(5)),),
        first_goal="install", second_goal="SALE",
    )  # fmt: skip
    window = Window(NOON // DAY * DAY, NOON // DAY * DAY + DAY)
    [measures] = measure(analytics, rule, window, window).values()
    assert (measures.first, measures.second) == (3, 2)
