"""Reports in another currency: `in_currency` (docs/spec/statistics.md#amounts)."""

import csv
from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.statistics.reports import GROUPED
from trackyard.store.money.exchange_rates import add_rate

DAY_MS = 86_400_000
MIDNIGHT = NOON // DAY_MS * DAY_MS
PERIOD = {"filter[date_from]": "2023-11-13", "filter[date_to]": "2023-11-15"}


@pytest.fixture
def rated(api: Api) -> Api:
    """A conversion (charge 10, payout 7) of an affiliate each day, and a rate that doubles on the third."""
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    advertiser, (pid, _) = api.add_advertiser(), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    ids = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
    for number in (1, 2, 3):
        add_conversion(api.deps, number, created_at=NOON - (3 - number) * DAY_MS, **ids)
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=advertiser)])
    with api.deps.database.write() as conn:
        add_rate(conn, "EUR", MIDNIGHT - DAY_MS, Decimal("0.5"))
        add_rate(conn, "EUR", NOON + 3_600_000, Decimal(1))  # of the whole third day
    return api


def charges(client: ApiClient, *slices: str, **more: Any) -> list[float]:
    """The charge of each row."""
    answer = client.get("/3.1/stats/custom", **PERIOD, **{"slice[]": list(slices)}, **more)
    assert answer["currency"] == more.get("in_currency", "USD")
    return [row["actions"]["total"]["charge"] for row in answer["stats"]]


def test_report_in_another_currency_has_the_rate_of_each_day(rated: Api) -> None:
    """A day before the first known rate has that one."""
    assert charges(rated.admin, "day") == [10, 10, 10]
    assert charges(rated.admin, "day", in_currency="EUR") == [5, 5, 10]
    assert charges(rated.admin, "offer", in_currency="EUR") == [20]
    assert charges(rated.admin, "offer", in_currency="USD") == [30]
    assert charges(rated.admin, "day", in_currency="EUR", **{"order[]": "total_revenue", "orderType": "desc"}) == [
        10,
        5,
        5,
    ]
    one = {"filter[currency]": "USD", "in_currency": "EUR"}
    assert charges(rated.admin, "offer", **one) == [20]


def test_every_report_of_amounts_takes_another_currency(rated: Api) -> None:
    for each in GROUPED:
        sent = {"filter[offer]": "1"} if each.name == "getbysub" else {}
        answer = rated.admin.get(f"/3.0/stats/{each.name}", **PERIOD, **sent, in_currency="EUR")
        assert answer["currency"] == ("USD" if each.name == "getbytrafficback" else "EUR"), each.name
        if answer["stats"] and each.name != "getbytrafficback":
            assert sum(row["actions"]["confirmed"]["charge"] for row in answer["stats"]) == 20, each.name


def test_costs_of_advertising_are_converted_with_the_rest(rated: Api) -> None:
    for day in ("2023-11-14", "2023-11-15"):
        rated.admin.post("/3.1/adcosts", offer_id=1, affiliate_id=1, date=day, sub8="none", costs="4")
    [row] = rated.admin.get("/3.1/stats/custom", **PERIOD, **{"slice[]": "offer"}, in_currency="EUR")["stats"]
    assert (row["cost"], row["profit"], row["roi"]) == (6, 0, 0)  # margin: 1.5 + 1.5 + 3
    [row] = rated.admin.get("/3.1/stats/custom", **PERIOD, **{"slice[]": "month"}, in_currency="USD")["stats"]
    assert (row["cost"], row["profit"]) == (8, 1)


def test_file_of_a_report_names_its_currency(rated: Api) -> None:
    answer = rated.admin.call(
        "GET", "/3.1/stats/custom", params=PERIOD | {"slice[]": "day", "in_currency": "eur", "format": "csv"}
    )
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert [(row["total.charge"], row["currency"]) for row in rows] == [("5", "EUR"), ("5", "EUR"), ("10", "EUR")]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("XXX", "This value must be a currency code of ISO 4217, such as EUR."),
        ("euro", "This value must be a currency code of three letters."),
        ("PLN", "There is no exchange rate of PLN: enter one in the settings, or send another code."),
    ],
)
@pytest.mark.parametrize("more", [{}, {"format": "csv"}])
def test_currency_without_a_rate_is_refused(rated: Api, code: str, sentence: str, more: dict[str, str]) -> None:
    answer = rated.admin.call(
        "GET", "/3.1/stats/custom", params=PERIOD | {"slice[]": "day", "in_currency": code} | more
    )
    assert answer.status_code == 400
    assert answer.json()["fields"] == {"in_currency": [sentence]}


def test_period_far_away_is_converted_too(rated: Api) -> None:
    for first, last in (("2000-01-01", "2000-01-02"), ("2000-01-01", "2099-12-31"), ("2098-01-01", "2099-12-31")):
        sent = {"filter[date_from]": first, "filter[date_to]": last, "slice[]": "month", "in_currency": "EUR"}
        answer = rated.admin.call("GET", "/3.1/stats/custom", params=sent)
        assert answer.status_code == 200, answer.text


def test_affiliate_sees_no_charge_in_another_currency(rated: Api) -> None:
    pid, client = rated.add_affiliate()
    offer = rated.add_offer()
    add_conversion(rated.deps, 9, offer_id=offer, affiliate_id=pid, created_at=NOON)
    [row] = client.get("/3.1/stats/custom", **PERIOD, **{"slice[]": "offer"}, in_currency="EUR")["stats"]
    shown = row["actions"]["confirmed"]
    assert (shown["revenue"], shown["payouts"], shown["charge"], shown["earning"]) == (7, 7, 0, 0)
    assert "cost" not in row


def test_advertiser_sees_its_charge_in_another_currency(rated: Api) -> None:
    advertiser = rated.add_advertiser()
    offer, (pid, _) = rated.add_offer(advertiser=advertiser), rated.add_affiliate()
    add_conversion(rated.deps, 9, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, created_at=NOON - DAY_MS)
    client = rated.advertiser_client(advertiser)
    sent = {"date_from": "2023-11-13", "date_to": "2023-11-15", "slice[]": "offer"}
    for more, charge, code in (({}, 10, "USD"), ({"in_currency": "EUR"}, 5, "EUR")):
        answer = client.get("/3.1/advertiser/stats", **sent, **more)
        [row] = answer["stats"]
        assert (row["actions"]["confirmed"]["charge"], answer["currency"]) == (charge, code)
