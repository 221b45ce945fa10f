"""What the ledger refuses, where its entries are written."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.stores.seeds import add_affiliate
from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import (
    ADVANCE,
    CORRECTION,
    PAYMENT,
    REFERRAL,
    LedgerEntry,
    LedgerFault,
    check_entries,
)
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger

TEN = Decimal("10.0000")
EARNED = LedgerEntry(7, "conversion", "a" * 24, 1, "USD", ZERO, TEN, 1)
TAKEN = replace(EARNED, kind="relabel", version=2, available=-TEN)
MOVED = replace(EARNED, kind="change", version=2, currency="EUR", available=Decimal(9))
AHEAD = replace(EARNED, kind=ADVANCE, source_id="3")
BACK = replace(AHEAD, version=2, available=-TEN)
ALLOWED = {
    "a conversion": [EARNED],
    "a conversion on hold": [replace(EARNED, hold=TEN, available=ZERO)],
    "a change of the currency": [TAKEN, MOVED],
    "a change of the currency after others": [EARNED, MOVED, TAKEN],
    "a payment": [replace(EARNED, kind=PAYMENT, source_id="3", available=-TEN)],
    "a correction": [replace(EARNED, kind=CORRECTION, source_id="3", available=Decimal("-0.0001"))],
    "a referral share": [replace(EARNED, kind=REFERRAL)],
    "what is paid ahead": [AHEAD, BACK],
    "what two payments pay ahead": [AHEAD, replace(AHEAD, source_id="4"), BACK, replace(BACK, source_id="4")],
    "nothing": [],
}
REFUSED = {
    "an unknown kind": ([replace(EARNED, kind="gift")], "its kind does not exist"),
    "a payment on hold": ([replace(EARNED, kind=PAYMENT, hold=TEN)], "only conversions are on hold"),
    "a referral share on hold": ([replace(EARNED, kind=REFERRAL, hold=TEN)], "only conversions are on hold"),
    "a half of what is paid ahead": ([AHEAD], "must be 0 together, not 10.0000 USD"),
    "more than what is paid ahead": ([AHEAD, replace(BACK, available=-TEN - 1)], "must be 0 together, not -1.0000 USD"),
    "halves of two currencies": ([AHEAD, replace(BACK, currency="EUR")], "must be 0 together, not 10.0000 USD"),
    "halves of two payments": ([AHEAD, replace(BACK, source_id="4")], "must be 0 together, not 10.0000 USD"),
    "halves of two affiliates": ([AHEAD, replace(BACK, affiliate_id=8)], "must be 0 together, not 10.0000 USD"),
    "an amount that leaves its currency": ([TAKEN], "no entry has the amount in the new currency"),
    "an amount that comes back in another version": (
        [TAKEN, replace(MOVED, version=3)],
        "no entry has the amount in the new currency",
    ),
    "an amount that comes back in the same currency": ([TAKEN, replace(MOVED, currency="USD")], "in another currency"),
    "an amount that comes back to another affiliate": ([TAKEN, replace(MOVED, affiliate_id=8)], "same affiliate"),
}
PACKAGE = Path(__file__).parents[3] / "trackyard"


@pytest.mark.parametrize("name", ALLOWED)
def test_ledger_takes_entries_that_keep_its_rules(name: str) -> None:
    check_entries(ALLOWED[name])


@pytest.mark.parametrize("name", REFUSED)
def test_ledger_refuses_entries_that_break_a_rule(name: str) -> None:
    entries, reason = REFUSED[name]
    with pytest.raises(LedgerFault, match=re.escape(reason)) as refused:
        check_entries(entries)
    assert entries[0].source_id in str(refused.value) and "affiliate 7" in str(refused.value)


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        (REFUSED["a half of what is paid ahead"][0], LedgerFault),
        ([replace(EARNED, available=Decimal("0.00001"))], ValueError),
    ],
)
def test_refused_entries_are_not_stored(database: Database, entries: list[LedgerEntry], error: type[Exception]) -> None:
    with database.write() as conn:
        pid = add_affiliate(conn)
    with pytest.raises(error), database.write() as conn:
        ledger.add_entries(conn, [replace(each, affiliate_id=pid) for each in [EARNED, *entries]])
    with database.read() as conn:
        assert ledger.list_balances(conn, [pid]) == []


def test_no_statement_changes_or_removes_entries_of_the_ledger() -> None:
    sources = {path: path.read_text() for path in (PACKAGE / "store").rglob("*.py")}
    wrong = [
        str(path)
        for path, text in sources.items()
        if re.search(r"\b(update|delete)\((tables\.)?ledger\)|\bledger\.(update|delete)\(", text)
    ]
    assert wrong == [] and len(sources) > 50
