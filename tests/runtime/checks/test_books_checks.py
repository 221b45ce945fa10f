"""Checks of what the SQL database knows: each situation, and its end."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from tests.runtime.checks.test_machine_checks import kinds, machine
from tests.support.models.events import NOON
from trackyard.domain.money.exchange_rates import BankRate
from trackyard.domain.tracking.outbound_calls import DeliveryKind, NewDelivery
from trackyard.runtime.checks.books import check_deliveries, check_machines, check_queues, check_rates
from trackyard.runtime.checks.machine import CheckedMachine
from trackyard.store import tables
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.engine.database import Database
from trackyard.store.money import reference_rates
from trackyard.store.tracking import deliveries
from trackyard.store.tracking.machines import Machine, register_machine, see_machine


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture
def here(tmp_path: Path, database: Database) -> CheckedMachine:
    return machine(tmp_path, database_url=database.url, quotes_url="https://bank.example/rates")


def test_empty_installation_and_database_without_one_have_no_findings(here: CheckedMachine, tmp_path: Path) -> None:
    checks: tuple[Callable[[CheckedMachine], object], ...] = (
        check_queues, check_deliveries, check_rates, check_machines,
    )  # fmt: skip
    for each in (here, machine(tmp_path / "new")):
        assert [list(check(each)) for check in checks] == [[], [], [], []]  # type: ignore[call-overload]


@pytest.mark.parametrize(("age_s", "found"), [(30, []), (100, ["queue_late"]), (1000, ["queue_stuck"])])
def test_queue_that_is_late_is_found(here: CheckedMachine, database: Database, age_s: int, found: list[str]) -> None:
    with database.write() as conn:
        entry = NewInboxEntry(1, b"[]", b"[click]", "6" * 24, received_at=now_ms() - age_s * 1000)
        inbox.add_entries(conn, "001-0", [entry])
    assert kinds(check_queues(here)) == found
    with database.write() as conn:
        conn.execute(delete(tables.inbox))
    assert list(check_queues(here)) == []


def test_entries_in_quarantine_are_found(here: CheckedMachine, database: Database) -> None:
    with database.write() as conn:
        entry = NewInboxEntry(1, b"[]", b"[click]", "6" * 24, received_at=now_ms())
        inbox.add_entries(conn, "001-0", [entry])
        conn.execute(update(tables.inbox).values(state=inbox.QUARANTINED))
    (found,) = check_queues(here)
    assert (found.kind.value, found.subject, dict(found.evidence)) == ("queue_quarantined", "inbox", {"depth": 1})


def new_delivery(number: int, host: str, age_ms: int) -> NewDelivery:
    made_at = now_ms() - age_ms
    return NewDelivery(
        id=f"{number:024x}", kind=DeliveryKind.POSTBACK, subject_id=f"{number:024x}", sequence=1, postback_id=1,
        affiliate_id=1, offer_id=1, advertiser_id="a" * 24, goal="1", status="confirmed", url=f"https://{host}/",
        host=host, next_at=now_ms() + 60_000, created_at=made_at, job_id=f"{number:024x}",
    )  # fmt: skip


def test_hosts_with_deliveries_that_failed_are_found_the_longest_waits_first(
    here: CheckedMachine, database: Database
) -> None:
    with database.write() as conn:
        waiting = [(1, "slow.example", 100_000), (2, "away.example", 600_500), (3, "away.example", 300_000)]
        deliveries.add(conn, [new_delivery(*each) for each in [*waiting, (4, "new.example", 0)]])
    assert list(check_deliveries(here)) == [], "nothing was tried yet"
    with database.write() as conn:
        tried = tables.delivery.c.host != "new.example"
        conn.execute(update(tables.delivery).where(tried).values(attempts=2))
    found = list(check_deliveries(here))
    assert [(each.subject, dict(each.evidence)) for each in found] == [
        ("away.example", {"waiting": 2, "minutes": 10}),
        ("slow.example", {"waiting": 1, "minutes": 1}),
    ]
    with database.write() as conn:
        deliveries.remove(conn, [f"{number:024x}" for number in (1, 2, 3)])
    assert list(check_deliveries(here)) == []


def test_rates_that_are_old_or_fail_are_found(here: CheckedMachine, database: Database, tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    with database.write() as conn:
        old = today - timedelta(days=8)
        reference_rates.add_bank_rates(conn, [BankRate("EUR", NOON, Decimal("0.9"))], old)
        reference_rates.end_refresh(conn, "answered 500", 1)
    found = list(check_rates(here))
    assert [each.kind.value for each in found] == ["rates_fail", "rates_old"]
    assert (found[1].subject, dict(found[1].evidence)) == (old.isoformat(), {"days": 8})
    assert list(check_rates(machine(tmp_path, database_url=database.url, quotes_url=""))) == [], "staff enter them"
    with database.write() as conn:
        reference_rates.add_bank_rates(conn, [BankRate("EUR", NOON + 1, Decimal("0.9"))], today)
        reference_rates.end_refresh(conn, "", 1)
    assert list(check_rates(here)) == []


def test_machine_that_vanished_is_found_until_it_ends_in_order(
    here: CheckedMachine, database: Database, tmp_path: Path
) -> None:
    other = Machine("d" * 24, "edge-2", "boot", "/data", "edge,projector", has_own_statistics=False)
    own = Machine("e" * 24, "here", "boot", str(tmp_path), "api", has_own_statistics=False)
    (tmp_path / "directory.id").write_text(own.directory_id)
    with database.write() as conn:
        for each in (other, own):
            register_machine(conn, each, now_ms() - 20 * 60_000)
    (found,) = check_machines(here)
    assert (found.kind.value, found.subject) == ("machine_silent", "edge-2 (/data)")
    assert dict(found.evidence) == {"minutes": 20}
    with database.write() as conn:
        assert see_machine(conn, other, now_ms(), stopped=True)
    assert list(check_machines(here)) == []
