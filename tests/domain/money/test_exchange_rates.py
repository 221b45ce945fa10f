"""Reference rates: reading the bank's files, and the rates of a platform."""

from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from trackyard.base.zones import day_start_ms
from trackyard.domain.money.exchange_rates import parse_rate_feed, parse_rate_table, platform_rates

FRIDAY = date(2023, 11, 10)
MONDAY = date(2023, 11, 13)
D = Decimal
DAYS = {FRIDAY: {"EUR": D(1), "USD": D("1.0683"), "GBP": D("0.87388")}, MONDAY: {"EUR": D(1), "USD": D("1.0670")}}

TABLE = """Date,USD,JPY,GBP,ROL,
2023-11-13,1.0670,N/A,, 12 ,
2023-11-10,1.0683,N/A,0.87388,N/A,

2023-11-09,1.0691,161.56,-1,nan,
yesterday,1,1,1,1,
""".splitlines()

FEED = """<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope><gesmes:subject>Reference rates</gesmes:subject>
<Cube><Cube time="2023-11-13"><Cube currency="USD" rate="1.0670"/><Cube currency="XAU" rate="3"/></Cube>
<Cube time='2023-11-10'><Cube currency='USD' rate='1.0683'/>
<Cube currency='GBP' rate='0.87388'/><Cube currency="JPY" rate="0"/><Cube currency="CHF" rate="1.2.3"/></Cube>
<Cube time="2023-13-40"><Cube currency="USD" rate="9"/></Cube>
<Cube time="2023-11-08"></Cube></Cube></gesmes:Envelope>"""


def test_exchange_rate_table_is_parsed() -> None:
    assert parse_rate_table(TABLE, FRIDAY, date(2024, 1, 1)) == DAYS
    assert parse_rate_table(TABLE, date(2023, 1, 1), FRIDAY) == {
        date(2023, 11, 9): {"EUR": D(1), "USD": D("1.0691"), "JPY": D("161.56")}
    }
    assert parse_rate_table([], FRIDAY, MONDAY) == {}


def test_exchange_rate_feed_is_parsed() -> None:
    assert parse_rate_feed(FEED) == DAYS


@pytest.mark.parametrize("text", ["", "<html>Not found</html>", "<Cube currency='USD' rate='1'/>", "\x00" * 10])
def test_exchange_rate_feed_without_rates_is_empty(text: str) -> None:
    assert parse_rate_feed(text) == {}


@pytest.mark.parametrize(
    ("platform", "rates"),
    [
        ("EUR", {"USD": "1.0683", "GBP": "0.87388"}),
        ("USD", {"EUR": "0.9360666479", "GBP": "0.8180099223"}),
        ("GBP", {"EUR": "1.1443218749", "USD": "1.2224790589"}),
        ("JPY", {}),  # it has no rate that day
    ],
)
def test_exchange_rates_are_relative_to_platform_currency(platform: str, rates: dict[str, str]) -> None:
    found = platform_rates({FRIDAY: DAYS[FRIDAY]}, platform, ZoneInfo("UTC"))
    assert {quote.currency: quote.rate for quote in found} == {code: D(rate) for code, rate in rates.items()}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/New_York"])
def test_exchange_rate_applies_from_day_after_publication(zone: str) -> None:
    place = ZoneInfo(zone)
    found = platform_rates(DAYS, "EUR", place)
    assert {quote.from_at for quote in found if quote.currency == "USD"} == {
        day_start_ms(date(2023, 11, 11), place),
        day_start_ms(date(2023, 11, 14), place),
    }
