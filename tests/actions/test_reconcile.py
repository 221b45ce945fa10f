"""The audit finds no difference in sound books, and names each difference."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, insert, select, update

from tests.support.installation import SteppedInstallation
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.platform.reconciliation import ReconciliationResult
from trackyard.domain.statistics.click_columns import EMPTY_CLICK
from trackyard.journal.records import Impression, RecordKind, encode
from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import remove_rates
from trackyard.store.tables import conversion, ledger, payment, payment_entry


@pytest.fixture
def plant(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[SteppedInstallation]:
    """An installation on either engine with three conversions: confirmed, held, declined later."""
    made = SteppedInstallation(database, analytics, tmp_path)
    fill(made)
    yield made
    made.close()


def fill(plant: SteppedInstallation) -> None:
    advertiser = plant.api.add_advertiser()
    offer = plant.api.add_offer(advertiser=advertiser)
    referrer, _ = plant.api.add_affiliate(ref_percent="10")
    pid, _ = plant.api.add_affiliate(ref=referrer)
    clicks = [plant.click(offer, pid, advertiser) for _ in range(3)]
    plant.click(offer, pid, advertiser, reason="bot")
    plant.call(clickid=clicks[0].id)
    plant.call(clickid=clicks[1].id, status="5")
    plant.call(clickid=clicks[2].id, status="2")
    plant.call(clickid="e" * 24)
    plant.settle()
    plant.call(clickid=clicks[2].id, status="3")
    plant.settle()
    plant.api.admin.post("/3.1/admin/payments", **{"pid[]": pid})


def named(findings: ReconciliationResult) -> set[str]:
    return {item.what for item in findings.differences}


def test_reconciliation_of_consistent_data_finds_no_differences(plant: SteppedInstallation) -> None:
    found = reconcile(plant.api.deps)
    assert found.differences == []
    assert found.checked["clicks"] == 4
    assert found.checked["calls"] == 5
    assert found.checked["calls that took effect"] == 4
    assert (found.checked["conversions"], found.checked["payments"]) == (3, 1)
    assert found.checked["referral shares"] == 3


def test_reconciliation_during_processing_finds_no_differences(plant: SteppedInstallation) -> None:
    click = plant.click(1, 1, "a" * 24)
    plant.call(clickid=click.id)
    recorded = reconcile(plant.api.deps)
    assert recorded.differences == [] and list(recorded.not_loaded.values()) == [2]
    plant.write_checkpoint()
    plant.projector.journals.load_next()
    loaded = reconcile(plant.api.deps)
    assert loaded.differences == [] and not loaded.not_loaded  # the call waits in the inbox
    plant.converter.step()
    assert reconcile(plant.api.deps).differences == []  # its facts wait in the outbox


def _drop_click(plant: SteppedInstallation) -> None:
    plant.analytics.run("ALTER TABLE click DELETE WHERE reason = 'bot' SETTINGS mutations_sync = 2")


def _double_click(plant: SteppedInstallation) -> None:
    plant.analytics.run("INSERT INTO click SELECT * FROM click WHERE reason = 'bot'")


def _invent_click(plant: SteppedInstallation) -> None:
    plant.analytics.run("INSERT INTO click SELECT * REPLACE (position + 1 AS position) FROM click WHERE reason = 'bot'")


def _lose_log(plant: SteppedInstallation) -> None:
    plant.analytics.run("ALTER TABLE server_log DELETE WHERE response = '' AND status = 5 SETTINGS mutations_sync = 2")


def _lose_fact(plant: SteppedInstallation) -> None:
    plant.analytics.run("ALTER TABLE fact DELETE WHERE status = 1 SETTINGS mutations_sync = 2")


def _change_payout(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        conn.execute(update(conversion).where(conversion.c.status == "confirmed").values(payout=Decimal("7.01")))


def _drop_entry(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        conn.execute(delete(payment_entry))
        conn.execute(update(payment).values(status="cancelled"))
        conn.execute(delete(ledger).where(ledger.c.kind == "payment"))
        conn.execute(delete(ledger).where(ledger.c.hold != Decimal(0)))


def _raise_payment(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        conn.execute(update(payment).values(amount=Decimal(8)))


def _drop_share(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        conn.execute(delete(ledger).where(ledger.c.kind == "referral"))


def _give_share_away(plant: SteppedInstallation) -> None:
    stranger, _ = plant.api.add_affiliate()
    with plant.database.write() as conn:
        conn.execute(update(ledger).where(ledger.c.kind == "referral").values(affiliate_id=stranger))


def _hold_share(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        conn.execute(
            update(ledger).where(ledger.c.kind == "referral").values(hold=Decimal("0.7"), available=Decimal(0))
        )


def _invent_share(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        held = conn.execute(select(conversion.c.id).where(conversion.c.status == "hold")).scalar_one()
        entry = conn.execute(select(ledger).where(ledger.c.kind == "referral")).one()
        conn.execute(insert(ledger).values(dict(entry._mapping) | {"source_id": held}))


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (_drop_click, {"click in the journal"}),
        (_double_click, {"clicks loaded twice"}),
        (_invent_click, {"click in statistics"}),
        (_lose_log, {"call in the journal", "change by a call"}),
        (_lose_fact, {"facts of a conversion", "statistics of a day"}),
        (_change_payout, {"facts of a conversion", "ledger of a conversion", "referral share of a conversion"}),
        (_drop_share, {"referral share of a conversion"}),
        (_give_share_away, {"referral share of a conversion"}),
        (_hold_share, {"referral share of a conversion"}),
        (_invent_share, {"referral share of a conversion"}),
        (_drop_entry, {"ledger of a conversion"}),
        (_raise_payment, {"payment"}),
    ],
)
def test_reconciliation_names_each_discrepancy(
    plant: SteppedInstallation, spoil: Callable[[SteppedInstallation], None], what: set[str]
) -> None:
    spoil(plant)
    found = reconcile(plant.api.deps)
    assert named(found) == what
    assert found.count == len(found.differences)


def test_reconciliation_compares_impressions(plant: SteppedInstallation) -> None:
    view = replace(Impression(**EMPTY_CLICK), time=plant.clock.now_ms(), id=f"{7:024x}")
    plant.writer.append(RecordKind.IMPRESSION, encode(view))
    plant.settle()
    found = reconcile(plant.api.deps)
    assert (found.differences, found.checked["views"]) == ([], 1)


def test_reconciliation_names_an_accepted_import_without_a_conversion(plant: SteppedInstallation) -> None:
    admin = plant.api.admin
    admin.post("/3.1/admin/currencies", code="UGX", rate="3600")
    offer = plant.api.add_offer(**{"payments[0][currency]": "UGX"})
    pid, _ = plant.api.add_affiliate()
    for _ in range(2):
        admin.post("/3.0/admin/conversion/import", offer=offer, pid=pid, action_id="A1")
    plant.settle()
    assert reconcile(plant.api.deps).differences == []  # the second is a repeat
    admin.post("/3.0/admin/conversion/import", offer=offer, pid=pid, action_id="A2")
    with plant.database.write() as conn:
        remove_rates(conn, "UGX")
    plant.settle()
    [found] = reconcile(plant.api.deps).differences
    assert (found.what, found.expected, found.found) == ("accepted import", "a conversion", "Wrong currency")


def test_reconciliation_names_closed_conversions_that_payments_do_not_pay(plant: SteppedInstallation) -> None:
    [number] = [each["id"] for each in plant.api.admin.get("/3.1/admin/payments")["payments"]]
    plant.api.admin.post(f"/3.1/admin/payments/{number}", status="paid")
    found = reconcile(plant.api.deps)
    assert (found.differences, found.checked["paid conversions by affiliate and currency"]) == ([], 1)
    with plant.database.write() as conn:
        named = select(payment_entry.c.source_id).where(payment_entry.c.payment_id == number)
        conn.execute(update(conversion).where(conversion.c.id.in_(named)).values(affiliate_id=1))
    assert "payouts of closed conversions" in named_differences(plant)


def named_differences(plant: SteppedInstallation) -> set[str]:
    return named(reconcile(plant.api.deps))
