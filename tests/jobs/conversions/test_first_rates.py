"""Amounts of days before the first known rate of a currency take that rate, through each door.

See docs/spec/money.md#exchange-rates.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.jobs.conversions.test_own_imports import LEVEL, MANY, ONE
from tests.support.installation import UTC, SteppedInstallation
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.zones import local_day
from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import remove_rates
from trackyard.store.tables import conversion

TODAY, YESTERDAY = "2023-11-14", "2023-11-13"
PERIOD = {"date_from": "2023-10-01", "date_to": "2023-12-31"}
WARNING = "UGX: no rate is known on the day, the first known one was taken."


class RatedOffer:
    """An installation with an offer in UGX, which has a rate from today on."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self.plant, self.api, self.admin = plant, plant.api, plant.api.admin
        self.advertiser = self.api.add_advertiser()
        self.pid, self.client = self.api.add_affiliate()
        self.admin.post(f"/3.1/user/{self.pid}/permissions", **{LEVEL: "write"})
        self.plain = self.api.add_offer(advertiser=self.advertiser, privacy="public")
        self.early = plant.click(self.plain, self.pid, self.advertiser)
        plant.call(clickid=self.early.id)
        plant.settle()
        self.admin.post("/3.1/admin/currencies", code="UGX", rate="3600")
        paid = {"payments[0][currency]": "UGX", "payments[0][total]": "9000", "payments[0][revenue]": "7200"}
        self.offer = self.api.add_offer(advertiser=self.advertiser, privacy="public", **paid)

    def conversions(self) -> list[dict[str, Any]]:
        """Return the conversions in UGX, the oldest first."""
        self.plant.settle()
        found: list[dict[str, Any]] = self.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]
        return sorted((each for each in found if each["currency"] == "UGX"), key=lambda each: each["created_at"])

    def logged(self) -> list[tuple[str, str]]:
        """Return the day and the response of each import and edit in the log."""
        sql = "SELECT time, response FROM server_log WHERE revision = 1 AND method IN ('IMPORT', 'EDIT')"
        found = self.plant.analytics.rows(sql, {}, tuple[int, str])
        return [(str(local_day(time, UTC)), response) for time, response in found]


@pytest.fixture
def rated(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[RatedOffer]:
    plant = SteppedInstallation(database, analytics, tmp_path)
    yield RatedOffer(plant)
    plant.settle()
    assert reconcile(plant.api.deps).differences == []
    plant.close()


def _own(rated: RatedOffer) -> Any:
    return rated.client.call("POST", ONE, data={"offer": rated.offer, "action_id": "own", "created_at": YESTERDAY})


def _own_list(rated: RatedOffer) -> Any:
    items = [{"offer": rated.offer, "action_id": f"own{n}", "created_at": YESTERDAY} for n in range(2)]
    return rated.client.call("POST", MANY, json={"list": items})


def _edit(rated: RatedOffer) -> Any:
    [made] = rated.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]
    return rated.admin.call("POST", "/3.1/admin/conversion/edit", data={"ids[]": made["id"], "currency": "UGX"})


def _edit_of_advertiser(rated: RatedOffer) -> Any:
    [made] = rated.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]
    body = {"ids[]": made["id"], "currency": "UGX", "advertiser_id": rated.advertiser}
    return rated.admin.call("POST", "/3.1/admin/conversion/edit-by-advertiser", data=body)


EARLY: dict[Callable[[RatedOffer], Any], int] = {_own: 1, _own_list: 2, _edit: 1, _edit_of_advertiser: 1}


@pytest.mark.parametrize("door", EARLY)
def test_early_amounts_take_the_first_known_rate_with_a_warning(
    rated: RatedOffer, door: Callable[[RatedOffer], Any]
) -> None:
    assert len(EARLY) == 4
    answer = door(rated)
    assert answer.status_code == 200, answer.text
    assert WARNING in answer.json()["warnings"]
    made = rated.conversions()
    assert len(made) == EARLY[door]
    with rated.plant.database.read() as conn:
        rates = set(conn.execute(select(conversion.c.rate).where(conversion.c.currency == "UGX")).scalars())
    assert rates == {Decimal(3600)}
    assert rated.logged() == [(TODAY, "")] * EARLY[door]  # the log is dated as the request, not as the conversion


def _staff(rated: RatedOffer) -> Any:
    body = {"offer": rated.offer, "pid": rated.pid, "action_id": "staff"}
    return rated.admin.call("POST", "/3.0/admin/conversion/import", data=body)


def _staff_list(rated: RatedOffer) -> Any:
    items = [{"offer": rated.offer, "pid": rated.pid, "action_id": "staff"}]
    return rated.admin.call("POST", "/3.0/admin/conversions/import", json={"list": items})


REFUSED: dict[Callable[[RatedOffer], Any], str] = {
    _own: "offer",
    _own_list: "list[0][offer]",
    _edit: "currency",
    _edit_of_advertiser: "currency",
    _staff: "offer",
    _staff_list: "list[0][offer]",
}


def test_currency_without_any_rate_is_refused_at_once(rated: RatedOffer) -> None:
    with rated.plant.database.write() as conn:
        remove_rates(conn, "UGX")
    seen = 0
    for door, name in REFUSED.items():
        answer = door(rated)
        assert answer.status_code == 400, (door.__name__, answer.text)
        assert answer.json()["fields"][name][0].startswith("There is no rate for UGX"), door.__name__
        seen += 1
    assert seen == 6
    assert rated.conversions() == [] and rated.logged() == []


def test_import_of_today_is_made_at_the_first_moment_of_the_day(rated: RatedOffer) -> None:
    rated.client.post(ONE, offer=rated.offer, action_id="today", created_at=TODAY)
    rated.client.post(ONE, offer=rated.offer, action_id="yesterday", created_at=YESTERDAY)
    rated.client.post(ONE, offer=rated.offer, action_id="now")
    made = [(each["action_id"], each["created_at"]) for each in rated.conversions()]
    assert made == [
        ("yesterday", f"{YESTERDAY} 00:00:00"),
        ("today", f"{TODAY} 00:00:00"),
        ("now", "2023-11-14 22:13:20"),
    ]


def test_postback_of_a_day_before_the_first_rate_takes_it(rated: RatedOffer) -> None:
    rated.admin.post("/3.1/admin/currencies", code="KWD", rate="0.3")
    percent = {"payments[0][type]": "percent", "payments[0][revenue]": "10", "payments[0][total]": "20"}
    offer = rated.api.add_offer(advertiser=rated.advertiser, **percent)
    click = rated.plant.click(offer, rated.pid, rated.advertiser)
    rated.plant.clock.advance(-3_600_000)  # the postback is recorded before the rate was entered
    rated.plant.call(clickid=click.id, sum="3", currency="KWD")
    rated.plant.clock.advance(3_600_000)
    rated.plant.settle()
    [made] = rated.admin.get("/3.1/stats/conversions", **PERIOD, **{"offer[]": offer})["conversions"]
    assert (made["sum"], made["payouts"], made["revenue"]) == (10, 1, 2)


@pytest.mark.parametrize(("sum_", "percent", "payout"), [("49.90", "16.6667", 24.3812), ("49.90", "100", 146.2866)])
def test_percentage_of_a_sum_in_another_currency_rounds_once(
    rated: RatedOffer, sum_: str, percent: str, payout: float
) -> None:
    for code, rate in (("KWD", "0.3070000000"), ("EUR", "0.9")):
        rated.admin.post("/3.1/admin/currencies", code=code, rate=rate)
    paid = {"payments[0][type]": "percent", "payments[0][revenue]": percent, "payments[0][total]": "100"}
    offer = rated.api.add_offer(advertiser=rated.advertiser, **paid, **{"payments[0][currency]": "EUR"})
    click = rated.plant.click(offer, rated.pid, rated.advertiser)
    rated.plant.call(clickid=click.id, sum=sum_, currency="KWD")
    rated.plant.settle()
    [made] = rated.admin.get("/3.1/stats/conversions", **PERIOD, **{"offer[]": offer})["conversions"]
    assert made["payouts"] == payout
