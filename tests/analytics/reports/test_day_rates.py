"""Reports convert the money of each day at the rate of that day of the platform's zone."""

from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from tests.analytics.engine.test_rollups import read_by
from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.rollups import DAY_MS, HOUR_MS, STEP_MS
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports import day_rates
from trackyard.analytics.reports.reports import run_report
from trackyard.base.money import rounded
from trackyard.base.zones import local_day
from trackyard.domain.money.exchange_rates import DayRates, rates_by_day
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode

DAY = NOON // DAY_MS * DAY_MS
FIRST = date(2023, 11, 1)
ZONES = ("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York")


def each_day_rates(zone: str, code: str = "EUR") -> DayRates:
    """Return a different rate for each day of a month and a half."""
    return DayRates(code, zone, FIRST, tuple(Decimal(f"0.{9000000000 + day * 1234567}") for day in range(45)))


@pytest.mark.parametrize("piece", [4000, 7])
@pytest.mark.parametrize(
    "slices", [("offer",), ("day",), ("hour", "offer"), ("goal",), ("sub1",), ("month", "country")]
)
@pytest.mark.parametrize("zone", ZONES)
def test_report_converts_each_day_at_its_own_rate(
    analytics: Analytics, monkeypatch: pytest.MonkeyPatch, zone: str, slices: tuple[str, ...], piece: int
) -> None:
    """The sum of all rows is the sum over conversions; parts: lists of rates may be longer than a field."""
    monkeypatch.setattr(day_rates, "_RATES_PER_LIST", piece)
    rates = each_day_rates(zone)
    facts = [
        new_fact(
            n, time=DAY + n * HOUR_MS // 2 + n, offer=n % 3, goal=str(n % 2), sub1=f"s{n % 4}", charge_base=Decimal(n)
        )
        for n in range(-200, 200)
    ]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    since, until = DAY - 3 * DAY_MS - 5 * HOUR_MS, DAY + 4 * DAY_MS - 2 * HOUR_MS
    report = Report(
        Scope.everything(), since, until, slices, zone="Europe/Berlin", limit=1000, in_currency="EUR", day_rates=rates
    )
    found = run_report(analytics, report)
    converted = (
        Decimal(str(fact.charge_base)) * rates.rates[(local_day(fact.time, ZoneInfo(zone)) - FIRST).days]
        for fact in facts
        if since <= fact.time < until
    )
    wanted = sum(converted, Decimal(0))
    total = sum((row.actions["confirmed"].charge for row in found.rows), Decimal(0))
    assert found.currency == "EUR"
    assert abs(total - wanted) <= len(found.rows) * Decimal("0.00005")
    if len(found.rows) == 1:
        assert total == rounded(wanted)


def test_report_is_sorted_and_paged_by_converted_money(analytics: Analytics) -> None:
    """An offer that earned more of the platform's currency comes later where its days had lower rates."""
    rates = DayRates("JPY", "UTC", FIRST, tuple(Decimal(1 if day % 2 else 150) for day in range(45)))
    charges = {1: (DAY, Decimal(10)), 2: (DAY + DAY_MS, Decimal(11)), 3: (DAY, Decimal(5))}
    facts = [new_fact(n, offer=n, time=at, charge_base=charge) for n, (at, charge) in charges.items()]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    wanted = sorted(charges, key=lambda n: -charges[n][1] * rates.rates[(charges[n][0] - DAY) // DAY_MS + 14])
    for slices in (("offer",), ("offer", "sub1")):
        pages = [
            run_report(
                analytics,
                Report(
                    Scope.everything(),
                    DAY,
                    DAY + 2 * DAY_MS,
                    slices,
                    order=("total_revenue",),
                    descending=True,
                    page=page,
                    limit=1,
                    in_currency="JPY",
                    day_rates=rates,
                ),
            )
            for page in (1, 2, 3)
        ]
        assert [row.keys["offer"] for page in pages for row in page.rows] == wanted
        assert wanted[0] != 2


def test_report_without_a_currency_has_the_same_statement(analytics: Analytics) -> None:
    facts = [new_fact(n, time=DAY + n, charge_base=Decimal(n)) for n in range(10)]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    report = Report(Scope.everything(), DAY, DAY + DAY_MS, ("offer",))
    own = Report(Scope.everything(), DAY, DAY + DAY_MS, ("offer",), in_currency="USD")
    assert run_report(analytics, report).rows == run_report(analytics, own).rows


def test_epc_and_hidden_charge_follow_converted_money(analytics: Analytics) -> None:
    clicks = [new_click(number, time=DAY) for number in range(3)]
    load(analytics, "click", [click_item("j", number, encode(click)) for number, click in enumerate(clicks)], "t")
    load(analytics, "fact", [encode_row(new_fact(1, time=DAY))], "t")
    rates = DayRates("EUR", "UTC", FIRST, (Decimal("0.5"),) * 45)
    report = Report(Scope.of_affiliate(1), DAY, DAY + DAY_MS, ("offer",), in_currency="EUR", day_rates=rates)
    [row] = run_report(analytics, report).rows
    confirmed = row.actions["confirmed"]
    assert (confirmed.payouts, confirmed.charge, confirmed.earning) == (Decimal(1), Decimal(0), Decimal(0))
    assert row.metric("epc") == Decimal("0.3333")


@pytest.mark.parametrize(
    ("platform", "zone", "dimensions", "names"),
    [
        ("UTC", "UTC", ("offer",), ["by_offer_status_day"]),
        ("UTC", "UTC", ("day", "affiliate"), ["by_affiliate_status_day"]),
        ("UTC", "Europe/Berlin", ("country",), ["by_country_status_day", "fact", "fact"]),
        ("UTC", "Europe/Berlin", ("day",), ["by_goal_status_step"]),
        ("Europe/Berlin", "Europe/Berlin", ("day",), ["by_goal_status_step"]),
        ("Asia/Kathmandu", "UTC", ("goal",), ["by_goal_status_step"]),
        ("Europe/Berlin", "Europe/Berlin", ("offer",), ["fact"]),  # its days are those of UTC
    ],
)
def test_rollup_serves_reports_in_another_currency(
    analytics: Analytics, platform: str, zone: str, dimensions: tuple[str, ...], names: list[str]
) -> None:
    facts = [new_fact(n, time=DAY - 40 * HOUR_MS + n * HOUR_MS // 10, offer=n, affiliate=n) for n in range(600)]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "t")
    local = {"Asia/Kathmandu": -5 * HOUR_MS - 3 * STEP_MS, "Europe/Berlin": -HOUR_MS, "UTC": 0}[zone]
    report = Report(
        Scope.everything(),
        DAY - DAY_MS + local,
        DAY + DAY_MS + local,
        dimensions,
        zone=zone,
        in_currency="EUR",
        day_rates=each_day_rates(platform),
    )
    assert read_by(analytics, report, "fact") == names


def test_day_has_its_last_rate_and_before_all_the_first() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    midnight = DAY + DAY_MS - HOUR_MS  # of 16 November
    steps = [(midnight, Decimal("0.5")), (midnight + 9 * HOUR_MS, Decimal("0.6")), (midnight + 3 * DAY_MS, Decimal(1))]
    found = rates_by_day("EUR", steps, berlin, date(2023, 11, 14), date(2023, 11, 20))
    assert found.first + timedelta(days=len(found.rates) - 1) == date(2023, 11, 20)
    assert [str(rate) for rate in found.rates] == ["0.5", "0.5", "0.6", "0.6", "0.6", "1", "1"]
