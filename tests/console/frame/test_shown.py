"""How pages write numbers, money and days."""

from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from trackyard.console.frame import shown

GAP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "text"), [(1412806, "1,412,806"), (0, "0"), (-5, "\N{MINUS SIGN}5"), (None, "\N{EM DASH}")]
)
def test_number_has_separators(value: int | None, text: str) -> None:
    assert shown.number(value) == text


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        (Decimal("1020.5"), "USD", "$1,020.50"),
        (Decimal("-0.005"), "USD", "\N{MINUS SIGN}$0.01"),
        (Decimal("0.004"), "EUR", "€0.00"),
        (Decimal("-0.004"), "EUR", "€0.00"),
        (Decimal("3"), "PLN", f"3.00{GAP}PLN"),
        (None, "USD", "\N{EM DASH}"),
    ],
)
def test_money_has_its_currency(value: Decimal | None, currency: str, text: str) -> None:
    assert shown.money(value, currency) == text


def test_percent_is_of_a_share() -> None:
    assert shown.percent(Decimal("0.0234")) == f"2.3{GAP}%"
    assert shown.percent(None) == "\N{EM DASH}"
    assert shown.percent(Decimal("-1.5"), 0) == f"\N{MINUS SIGN}150{GAP}%"


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (date(2026, 11, 1), date(2026, 11, 21), "1\N{EN DASH}21 Nov 2026"),
        (date(2026, 10, 25), date(2026, 11, 21), "25 Oct \N{EN DASH} 21 Nov 2026"),
        (date(2025, 12, 30), date(2026, 1, 2), "30 Dec 2025 \N{EN DASH} 2 Jan 2026"),
        (date(2026, 11, 21), date(2026, 11, 21), "21 Nov 2026"),
    ],
)
def test_period_is_written_without_repeats(first: date, last: date, text: str) -> None:
    assert shown.period(first, last) == text


def test_clock_time_is_of_the_zone() -> None:
    assert shown.clock_time(1_700_000_000_000, ZoneInfo("Europe/Berlin")) == "23:13:20"
