"""The rules of docs/spec/statistics.md."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import address
from trackyard.actions.statistics.automation.measuring import measure
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.compiler import compile_report
from trackyard.analytics.reports.reports import build_row, run_report
from trackyard.base.errors import ReportTooHeavy
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.measures import METRICS
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import Window
from trackyard.domain.statistics.reports import ConversionTotals, Report, StatsRow
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode

DAY = 86_400_000
NOTHING = ConversionTotals(Decimal(0), Decimal(0), Decimal(0), Decimal(0), 0, 0)


def at(*moment: int) -> int:
    """Return the UTC milliseconds of a time in UTC."""
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000  # type: ignore[misc,arg-type]


def load_clicks_at(analytics: Analytics, *times: int) -> None:
    clicks = [click_item("j", number, encode(new_click(number, time=time))) for number, time in enumerate(times)]
    load(analytics, "click", clicks, "t")


@pytest.mark.parametrize(
    ("zone", "times", "hours"),
    [
        # 2024-10-27 in Berlin has 25 hours: 00:30 UTC is 02:30 summer time, 01:30 UTC is 02:30 winter time.
        (
            "Europe/Berlin",
            [at(2024, 10, 27, 0, 30), at(2024, 10, 27, 1, 30), at(2024, 10, 27, 2, 30)],
            [(27, 2, 2), (27, 3, 1)],
        ),
        # 2024-03-31 in Berlin has 23: 00:59 UTC is 01:59, 01:00 UTC is 03:00.
        ("Europe/Berlin", [at(2024, 3, 31, 0, 59), at(2024, 3, 31, 1, 0)], [(31, 1, 1), (31, 3, 1)]),
        # +5:45: 18:15 UTC is midnight in Kathmandu.
        ("Asia/Kathmandu", [at(2024, 5, 1, 18, 14), at(2024, 5, 1, 18, 15)], [(1, 23, 1), (2, 0, 1)]),
    ],
)
def test_store_report_hours_follow_time_zone(
    analytics: Analytics, zone: str, times: list[int], hours: list[tuple[int, int, int]]
) -> None:
    load_clicks_at(analytics, *times)
    report = Report(Scope.everything(), min(times), max(times) + 1, ("hour",), zone=zone)
    rows = run_report(analytics, report).rows
    assert [(row.keys["day"], row.keys["hour"], row.raw) for row in rows] == hours


@pytest.mark.parametrize(("metric", "value"), [("cr", 25), ("epc", Decimal("0.5")), ("conversions", 4), ("payout", 8)])
@pytest.mark.parametrize("each", [("offer",), ("affiliate", "sub1")])
def test_rule_leaves_conversions_without_a_click_out_of_rates(
    analytics: Analytics, each: tuple[str, ...], metric: str, value: Decimal
) -> None:
    load_clicks_at(analytics, *(NOON + place for place in range(4)))
    ids = [
        f"{NOON // 1000:08x}{edge:02x}{edge:014x}"
        for edge in (1, 2, IMPORT_EDGE, IMPORT_EDGE, IMPORT_EDGE, IMPORT_EDGE)
    ]
    declined, confirmed = Status.DECLINED.number, Status.CONFIRMED.number
    facts = [
        encode_row(new_fact(number, click_id=id_, status=declined if number in (1, 5) else confirmed))
        for number, id_ in enumerate(ids)
    ]
    load(analytics, "fact", facts, "f")
    rule = Rule(
        id="1", title="", each=each, hours=24, conditions=(RuleCondition(metric, is_below=True, bound=Decimal(1)),)
    )
    window = Window(NOON // DAY * DAY, NOON // DAY * DAY + DAY)
    [measures] = measure(analytics, rule, window, window).values()
    assert METRICS[metric].value(measures) == value


def test_store_report_shows_affiliate_payouts_without_charges(analytics: Analytics) -> None:
    facts = [new_fact(1, affiliate=7), new_fact(2, affiliate=8)]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    [row] = run_report(analytics, Report(Scope.of_affiliate(7), NOON, NOON + 1, ("offer",))).rows
    assert row.actions["total"] == ConversionTotals(Decimal(2), Decimal(0), Decimal(0), Decimal(2), 0, 1)


def test_store_report_omits_cancelled_conversions(analytics: Analytics) -> None:
    facts = [new_fact(1, country="XX"), new_fact(1, country="XX", sign=-1)]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    assert run_report(analytics, Report(Scope.everything(), NOON, NOON + 1, ("country",))).rows == []


def test_store_report_of_exclusive_slices_is_empty(analytics: Analytics) -> None:
    load_clicks_at(analytics, NOON)
    report = Report(Scope.everything(), NOON, NOON + 1, ("goal", "trafficback_reason"))
    assert run_report(analytics, report).total_count == 0


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_store_report_total_count_is_on_every_page(analytics: Analytics, page: int) -> None:
    load_clicks_at(analytics, *(NOON + number * 3_600_000 for number in range(5)))
    report = Report(Scope.everything(), NOON, NOON + 86_400_000, ("hour",), page=page, limit=2)
    answer = run_report(analytics, report)
    assert (answer.total_count, len(answer.rows)) == (5, [2, 2, 1, 0][page - 1])


@pytest.mark.parametrize(
    ("limits", "sql"),
    [
        (QueryLimits(seconds=1), "SELECT sum(number % 7) FROM numbers(1000000000000)"),
        (QueryLimits(memory=10**7), "SELECT length(groupArray(number)) FROM numbers(10000000)"),
    ],
)
def test_store_query_over_limit_is_too_heavy(limits: QueryLimits, sql: str) -> None:
    store = Analytics.open(address(), database="limits", limits=limits)
    try:
        with pytest.raises(ReportTooHeavy):
            store.rows(sql, {}, tuple[int])
    finally:
        store.close()


NO_CONVERSIONS = dict.fromkeys(("total", "confirmed", "pending", "hold", "declined"), NOTHING)


@pytest.mark.parametrize(
    ("row", "derived"),
    [
        (StatsRow({}, 0, 0, 0, 0, NO_CONVERSIONS), ("0", "1:0", "0", "0", "0")),
        (
            StatsRow(
                {},
                300,
                0,
                0,
                900,
                {
                    **NO_CONVERSIONS,
                    "total": ConversionTotals(*[Decimal(0)] * 4, 0, 7),
                    "confirmed": ConversionTotals(*[Decimal(9)] * 4, 0, 2),
                },
            ),
            ("2.3333", "1:43", "0.03", "10", "33.3333"),
        ),
    ],
)
def test_store_report_derived_metrics_follow_sums(row: StatsRow, derived: tuple[str, ...]) -> None:
    cr, ratio, epc, ecpm, ctr = derived
    assert (row.cr(), row.ratio, row.metric("epc"), row.metric("ecpm"), row.metric("ctr")) == (
        Decimal(cr),
        ratio,
        Decimal(epc),
        Decimal(ecpm),
        Decimal(ctr),
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"dimensions": ("color",)},
        {"filters": {"color": ("red",)}},
        {"order": ("color",)},
        {"order": ("offer",)},  # not sliced by
        {"dimensions": ("manager",), "managers": {"advertiser_manager": {}}},  # without its managers
        {"page": 0},
        {"limit": 0},
    ],
)
def test_store_report_with_unknown_name_raises(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        compile_report(
            Report(**({"scope": Scope.everything(), "since": 0, "until": 1, "dimensions": ("day",)} | wrong))
        )


@pytest.mark.parametrize(
    "slices", [("sub1",), ("sub1", "offer"), ("day", "sub1"), ("sub1", "goal"), ("sub1", "trafficback_reason")]
)
@pytest.mark.parametrize("order", [(), ("raw",), ("confirmed_payouts", "sub1"), ("pending_count", "uniq")])
def test_store_report_by_keys_equals_single_statement(
    analytics: Analytics, slices: tuple[str, ...], order: tuple[str, ...]
) -> None:
    """Slices of millions of values query a page of keys first, and then their conversions."""
    clicks = [
        new_click(number, sub1=f"s{number % 7}", offer=number % 3, uniq=number % 2, reason="" if number % 5 else "bot")
        for number in range(60)
    ]
    facts = [
        new_fact(number, sub1=f"s{number % 5 + 4}", offer=number % 3, status=(1, 2, 3, 5)[number % 4])
        for number in range(25)
    ]
    items = [click_item("j", number, encode(click)) for number, click in enumerate(clicks)]
    load(analytics, "click", items, "t")
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    report = Report(Scope.everything(), NOON - DAY, NOON + DAY, slices, order=order, descending=True, limit=4)
    for page in (1, 2, 3):
        asked = replace(report, page=page)
        compiled = compile_report(asked)
        assert compiled is not None
        assert asked.high_cardinality
        rows, total_count = analytics.page(compiled.sql, compiled.parameters, list[Any])
        found = run_report(analytics, asked)
        assert (found.rows, found.total_count) == ([build_row(asked, compiled, row) for row in rows], total_count)
    assert run_report(analytics, report).rows


def test_store_report_ordered_by_many_titles_is_split(analytics: Analytics) -> None:
    clicks = [new_click(number, advertiser=f"{number:024x}") for number in range(12)]
    load(analytics, "click", [click_item("j", number, encode(click)) for number, click in enumerate(clicks)], "t")
    titles = {f"{number:024x}": f"title {-number + 20_000:05}" for number in range(9_000)}
    titles[f"{11:024x}"] = ""
    asked = {"order": ("advertiser",), "titles": {"advertiser": titles}}
    report = Report(Scope.everything(), NOON - DAY, NOON + DAY, ("advertiser",), limit=5, **asked)
    found = [
        row.keys["advertiser"] for page in (1, 2, 3) for row in run_report(analytics, replace(report, page=page)).rows
    ]
    assert found == [f"{number:024x}" for number in (11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]


def test_store_report_with_excluded_values_uses_rollups(analytics: Analytics) -> None:
    """A report that excludes offers reads sums by day, like one that filters by them."""
    days = {"since": NOON // DAY * DAY, "until": NOON // DAY * DAY + DAY}
    for narrowed in ({"filters": {"offer": (1,)}}, {"excluded": {"offer": (1,)}}):
        compiled = compile_report(Report(Scope.everything(), dimensions=("offer",), **days, **narrowed))
        assert compiled is not None
        assert "intDiv(time, 86400000)" in compiled.sql and "time >= " not in compiled.sql
