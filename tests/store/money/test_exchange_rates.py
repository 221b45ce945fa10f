"""Exchange rates at a time."""

from decimal import Decimal

import pytest

from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import add_rate, get_rates
from trackyard.store.platform import settings

DAYS = [(100, "0.5"), (200, "0.6"), (300, "0.7")]


@pytest.mark.parametrize(
    ("first", "last", "at", "rate"),
    [
        (150, 150, 150, "0.5"),
        (200, 200, 200, "0.6"),
        (199, 199, 199, "0.5"),
        (150, 350, 150, "0.5"),
        (150, 350, 250, "0.6"),
        (150, 350, 350, "0.7"),
        (900, 950, 910, "0.7"),
        (50, 50, 50, "0.5"),  # the first known one
        (50, 250, 99, "0.5"),
    ],
)
def test_exchange_rate_in_force_is_found(database: Database, first: int, last: int, at: int, rate: str) -> None:
    with database.write() as conn:
        for from_at, value in DAYS:
            add_rate(conn, "EUR", from_at, Decimal("9"))
            add_rate(conn, "EUR", from_at, Decimal(value))  # set again, the last one counts
        add_rate(conn, "GBP", 1, Decimal("3"))
        rates = get_rates(conn, "USD", {"USD", "EUR"}, first, last)
    assert rates.at(at) == {"USD": Decimal(1), "EUR": Decimal(rate)}
    assert rates.is_before_first("EUR", at) == (at < min(day for day, _ in DAYS))


def test_exchange_rate_of_platform_currency_is_always_one(database: Database) -> None:
    with database.write() as conn:
        add_rate(conn, "USD", 1, Decimal("3"))
        assert get_rates(conn, "USD", {"USD"}, 5, 5).at(5) == {"USD": 1}


def test_settings_store_keeps_first_default_and_last_edit(database: Database) -> None:
    with database.write() as conn:
        assert settings.find_setting(conn, "x") is None
        settings.add_default(conn, "x", "first")
        settings.add_default(conn, "x", "second")
        assert settings.find_setting(conn, "x") == "first"
        settings.edit_setting(conn, "x", {"a": [1]})
        assert settings.find_setting(conn, "x") == {"a": [1]}
