"""A referrer's share follows its conversion (docs/spec/money.md#referral-shares)."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import SteppedInstallation
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.money.referrals import ShareState
from trackyard.store.engine.database import Database
from trackyard.store.money import exchange_rates
from trackyard.store.money.ledger import list_balances


class ReferralSetup:
    """An installation with an offer of 7 USD, an affiliate, and a referrer with 10 percent."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self.plant, self.api = plant, plant.api
        self.advertiser = self.api.add_advertiser()
        self.referrer, _ = self.api.add_affiliate(ref_percent="10")
        self.pid, _ = self.api.add_affiliate(ref=self.referrer)
        self.offer = self.api.add_offer(advertiser=self.advertiser)
        with plant.database.write() as conn:
            exchange_rates.add_rate(conn, "EUR", 0, Decimal("0.5"))

    def convert(self, **params: str) -> str:
        """Make a conversion of a new click; return the click's id."""
        click = self.plant.click(self.offer, self.pid, self.advertiser)
        self.plant.call(clickid=click.id, **params)
        self.plant.settle()
        return click.id

    def edit(self, click_id: str, **params: Any) -> None:
        self.api.admin.post("/3.0/admin/conversion/edit", **{"clickids[]": click_id} | params)
        self.plant.settle()

    def balance(self) -> dict[str, tuple[Any, Any]]:
        """Return (hold, available) of the referrer by currency, where it has anything."""
        with self.plant.database.read() as conn:
            found = list_balances(conn, [self.referrer])
        return {item.currency: (item.hold, item.available) for item in found if item.hold or item.available}

    def shares(self) -> set[tuple[int, int, str, int, str]]:
        """Return the rows of getreferralpayments: status, is_paid, currency, count, amount."""
        days = {"date_from": "01-11-2023", "date_to": "01-02-2024"}
        rows = self.api.admin.get("/3.1/stats/getreferralpayments", **days)["ref_payments"]
        return {
            (int(row["status"]), int(row["is_paid"]), row["currency"], int(row["count"]), row["sum_revenue"])
            for row in rows
        }


@pytest.fixture
def family(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[ReferralSetup]:
    made = SteppedInstallation(database, analytics, tmp_path)
    family = ReferralSetup(made)
    yield family
    assert reconcile(made.api.deps).differences == []
    made.close()


def test_referral_share_is_earned_by_confirmed_conversion(family: ReferralSetup) -> None:
    family.convert()
    family.convert()
    assert family.balance() == {"USD": (0, Decimal("1.4"))}
    assert family.shares() == {(1, ShareState.FREE, "USD", 2, "1.4")}


def test_referral_share_is_earned_when_hold_ends(family: ReferralSetup) -> None:
    family.api.admin.post(f"/3.1/admin/offer/{family.offer}", hold_period=2)
    family.convert()
    assert (family.balance(), family.shares()) == ({}, {(0, ShareState.PENDING, "USD", 1, "0.7")})
    family.plant.clock.advance(3 * DAY_MS)
    family.plant.end_holds()
    assert (family.balance(), family.shares()) == (
        {"USD": (0, Decimal("0.7"))},
        {(1, ShareState.FREE, "USD", 1, "0.7")},
    )
    family.plant.settle()


def test_referral_share_follows_decline_and_confirmation(family: ReferralSetup) -> None:
    click = family.convert()
    family.edit(click, status="declined")
    assert (family.balance(), family.shares()) == ({}, set())
    family.edit(click, status="confirmed", payouts="9")
    assert family.balance() == {"USD": (0, Decimal("0.9"))}


def test_referral_share_follows_currency_edit(family: ReferralSetup) -> None:
    click = family.convert()
    family.edit(click, currency="EUR", payouts="8")
    assert (family.balance(), family.shares()) == (
        {"EUR": (0, Decimal("0.8"))},
        {(1, ShareState.FREE, "EUR", 1, "0.8")},
    )


def test_referral_share_is_absent_for_declined_pending_conversion(family: ReferralSetup) -> None:
    click = family.convert(status="2")
    family.plant.call(clickid=click, status="3")
    family.plant.settle()
    assert (family.balance(), family.shares()) == ({}, set())


def test_referral_share_is_earned_by_import(family: ReferralSetup) -> None:
    family.api.admin.post(
        "/3.0/admin/conversion/import", offer=family.offer, pid=family.pid, goal="1", status="confirmed"
    )
    family.plant.settle()
    assert family.balance() == {"USD": (0, Decimal("0.7"))}


def test_referral_share_uses_percent_and_referrer_at_creation(family: ReferralSetup) -> None:
    click = family.convert()
    stranger, _ = family.api.add_affiliate(ref_percent="50")
    family.api.admin.post(f"/3.0/admin/partner/{family.referrer}", ref_percent="90")
    family.api.admin.post(f"/3.0/admin/partner/{family.pid}", ref=stranger)
    family.edit(click, payouts="20")
    assert family.balance() == {"USD": (0, Decimal(2))}
    family.convert()
    with family.plant.database.read() as conn:
        [other] = list_balances(conn, [stranger])
    assert other.available == Decimal("3.5")


def test_referral_share_paid_and_reversed_is_settled_by_next_payment(family: ReferralSetup) -> None:
    click = family.convert()
    [payment] = family.api.admin.post("/3.1/admin/payments", **{"pid[]": family.referrer})["payments"]
    assert (payment["amount"], family.shares()) == (0.7, {(1, ShareState.PENDING, "USD", 1, "0.7")})
    family.api.admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")
    day = {"date_from": "2023-11-01", "date_to": "2024-02-01"}
    [shown] = family.api.admin.get("/3.0/stats/conversions", **day)["conversions"]
    assert shown["payment_status"] == "opened"  # its own affiliate was paid nothing
    family.edit(click, payouts="10")
    assert family.shares() == {(1, ShareState.PAID, "USD", 1, "0.7"), (1, ShareState.FREE, "USD", 1, "0.3")}
    family.edit(click, status="declined")
    assert family.balance() == {"USD": (0, Decimal("-0.7"))}
    assert family.shares() == {(0, ShareState.PAID, "USD", 1, "0.7"), (0, ShareState.FREE, "USD", 1, "-0.7")}
    [entry] = family.api.admin.get(f"/3.1/admin/payments/{payment['id']}/entries")["entries"]
    assert (entry["kind"], entry["amount"]) == ("referral", 0.7)


def test_referral_share_needs_a_percent(family: ReferralSetup) -> None:
    family.api.admin.post(f"/3.0/admin/partner/{family.referrer}", ref_percent="0")
    family.convert()
    assert (family.balance(), family.shares()) == ({}, set())


@pytest.mark.parametrize("percent", ["100.01", "-1"])
def test_referral_percent_is_at_most_100(family: ReferralSetup, percent: str) -> None:
    response = family.api.admin.call("POST", f"/3.0/admin/partner/{family.referrer}", data={"ref_percent": percent})
    assert response.json()["fields"] == {"ref_percent": ["This value must be a decimal number from 0 to 100."]}
