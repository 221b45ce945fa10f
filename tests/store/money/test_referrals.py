"""Referral shares on both engines."""

import random
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert

from tests.support.stores.seeds import add_affiliate, add_conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import LedgerEntry, referral_share
from trackyard.domain.money.referrals import ReferralShares, ShareFilter, ShareState
from trackyard.domain.people.scope import Scope
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.database import Connection, Database
from trackyard.store.money.ledger import add_entries
from trackyard.store.money.referrals import list_shares
from trackyard.store.tables import payment, payment_entry

EVERYTHING = ShareFilter(since=0, until=10**6)
TEN = Decimal(10)


def shares(conn: Connection, scope: Scope | None = None, **chosen: Any) -> list[tuple[int, bool, int, str, int, str]]:
    """Return affiliate, confirmed, state, currency, count and amount of shares."""
    asked = ShareFilter(**{"since": 0, "until": 10**6} | chosen)
    found, total = list_shares(conn, scope or Scope.everything(), asked, page=1, limit=1000)
    assert total == len(found)
    return [(each.affiliate, each.confirmed, each.state, each.currency, each.count, str(each.amount)) for each in found]


def add(conn: Connection, number: int, pid: int, referrer: int | None, percent: Decimal = TEN, **columns: Any) -> None:
    """Add a conversion with the ledger entry of its share."""
    columns = {"status": "confirmed", "payout": "10", "currency": "USD", "created_at": 100 + number} | columns
    columns["payout"] = Decimal(columns["payout"])
    add_conversion(conn, number, affiliate_id=pid, referrer_id=referrer, referral_percent=percent, **columns)
    share = referral_share(Status(columns["status"]), columns["payout"], percent)
    if referrer is not None and share:
        enter(conn, number, referrer, share, currency=columns["currency"])


def enter(conn: Connection, number: int, referrer: int, amount: Decimal, version: int = 1, **fields: Any) -> None:
    values = {"kind": "referral", "currency": "USD", "hold": Decimal(0), "at": 1} | fields
    entry = LedgerEntry(affiliate_id=referrer, source_id=f"{number:024x}", version=version, available=amount, **values)
    add_entries(conn, [entry])


def add_payment(conn: Connection, number: int, affiliate_id: int, status: str, *conversions: int) -> None:
    values = {"affiliate_id": affiliate_id, "currency": "USD", "amount": Decimal(1), "status": status}
    moments = {"created_by": "0" * 24, "created_at": 1, "updated_at": 1}
    conn.execute(insert(payment).values(id=number, **values, **moments))
    for conversion in conversions:
        entry = {"kind": "referral", "source_id": f"{conversion:024x}", "version": 1, "payment_id": number}
        conn.execute(insert(payment_entry).values(**entry))


def test_referral_shares_by_referrer(database: Database) -> None:
    with database.write() as conn:
        referrer, without, none = (add_affiliate(conn, ref_percent=each) for each in (Decimal("2.5"), None, Decimal(0)))
        pids = [add_affiliate(conn, ref=who) for who in (referrer, without, none, None, 999_999)]
        found = get_decision_context(conn, [], pids, ZoneInfo("UTC")).referrals
        assert {pid: (each.referrer_id, each.percent) for pid, each in found.items()} == {
            pids[0]: (referrer, Decimal("2.5"))
        }


def test_referral_shares_list_confirmed_conversions(database: Database) -> None:
    with database.write() as conn:
        percent = Decimal("2.5")
        referrer = add_affiliate(conn)
        first, stranger = add_affiliate(conn, created_at=77), add_affiliate(conn, ref=referrer)
        conversions: list[tuple[str, str, str]] = [
            ("confirmed", "USD", "7"),
            ("confirmed", "USD", "0.0002"),  # 0.000005, half to even: 0
            ("confirmed", "USD", "0.0060"),  # 0.00015, half to even: 0.0002
            ("confirmed", "USD", "0.0060"),
            ("confirmed", "EUR", "10"),
            ("hold", "USD", "20"),
            ("pending", "USD", "40"),
            ("pending_cap", "USD", "80"),
            ("declined", "USD", "1000"),
            ("not_found", "USD", "1000"),
            ("confirmed", "USD", "0"),
            ("hold", "USD", "0"),
        ]
        for number, (status, currency, payout) in enumerate(conversions):
            add(conn, number, first, referrer, percent, status=status, currency=currency, payout=payout)
        for number, status in enumerate(("confirmed", "hold"), start=50):  # made before it had a referrer
            add(conn, number, stranger, None, Decimal(0), status=status)
        assert shares(conn) == [
            (first, True, ShareState.FREE, "EUR", 1, "0.2500"),
            (first, False, ShareState.PENDING, "USD", 3, "3.5000"),
            (first, True, ShareState.FREE, "USD", 3, "0.1754"),
        ]
        [row] = list_shares(conn, Scope.everything(), EVERYTHING, page=1, limit=1)[0]
        assert row == ReferralShares(first, referrer, True, ShareState.FREE, "EUR", 1, 104, 77, Decimal("0.25"))
        assert list_shares(conn, Scope.everything(), EVERYTHING, page=3, limit=1)[1] == 3
        assert list_shares(conn, Scope.everything(), EVERYTHING, page=4, limit=1) == ([], 3)


def test_referral_shares_respect_filters_and_scope(database: Database) -> None:
    with database.write() as conn:
        referrer, other, first, second = (add_affiliate(conn) for _ in range(4))
        add(conn, 0, first, referrer, advertiser_id="0" * 24)
        add(conn, 1, second, other, advertiser_id="1" * 24, status="hold")
        one, two = (
            (first, True, ShareState.FREE, "USD", 1, "1.0000"),
            (second, False, ShareState.PENDING, "USD", 1, "1.0000"),
        )
        asked: list[tuple[dict[str, Any], list[Any]]] = [
            ({}, [one, two]),
            ({"affiliates": (first,)}, [one]),
            ({"referrers": (other,)}, [two]),
            ({"referrers": (other, referrer)}, [one, two]),
            ({"states": (ShareState.FREE,)}, [one]),
            ({"states": (ShareState.PENDING,)}, [two]),
            ({"states": (ShareState.PENDING, ShareState.FREE)}, [one, two]),
            ({"states": (ShareState.PAID,)}, []),
            ({"confirmed": (True,)}, [one]),
            ({"confirmed": (False,)}, [two]),
            ({"confirmed": (True, False)}, [one, two]),
            ({"currencies": ("USD",)}, [one, two]),
            ({"currencies": ("EUR", "USD")}, [one, two]),
            ({"currencies": ("",)}, []),
            ({"since": 101}, [two]),
            ({"until": 101}, [one]),
            ({"scope": Scope.of_affiliate(referrer)}, [one]),
            ({"scope": Scope.of_affiliate(first)}, []),
            ({"scope": Scope(affiliate_ids=frozenset({other, first}))}, [two]),
            ({"scope": Scope(advertiser_ids=frozenset({"0" * 24}))}, [one]),
            ({"scope": Scope(affiliate_ids=frozenset())}, []),
        ]
        for chosen, wanted in asked:
            assert (chosen, shares(conn, **chosen)) == (chosen, wanted)


def test_referral_shares_are_paid_when_payment_is_executed(database: Database) -> None:
    with database.write() as conn:
        referrer, first = add_affiliate(conn), add_affiliate(conn)
        for number in range(4):
            add(conn, number, first, referrer, payout=10 * 2**number)
        add_payment(conn, 1, referrer, "paid", 0)
        add_payment(conn, 2, referrer, "created", 1)
        entry = {"kind": "conversion", "source_id": f"{2:024x}", "version": 1, "payment_id": 1}
        conn.execute(insert(payment_entry).values(**entry))  # to the referred affiliate: another matter
        assert shares(conn) == [
            (first, True, ShareState.FREE, "USD", 2, "12.0000"),
            (first, True, ShareState.PAID, "USD", 1, "1.0000"),
            (first, True, ShareState.PENDING, "USD", 1, "2.0000"),
        ]


def test_referral_share_changed_after_payment_is_listed_apart(database: Database) -> None:
    with database.write() as conn:
        referrer, first = add_affiliate(conn), add_affiliate(conn)
        add(conn, 0, first, referrer, status="declined")
        enter(conn, 0, referrer, Decimal(1))
        add_payment(conn, 1, referrer, "paid", 0)
        enter(conn, 0, referrer, Decimal(-1), version=2)
        add(conn, 1, first, referrer, status="declined")
        enter(conn, 1, referrer, Decimal(1))
        enter(conn, 1, referrer, Decimal(-1), version=2)  # never paid: no share is left
        add(conn, 2, first, referrer, currency="EUR", payout=9)
        enter(conn, 2, referrer, Decimal(1), version=0)  # as it was before its currency changed
        enter(conn, 2, referrer, Decimal(-1), kind="referral_relabel")
        assert shares(conn) == [
            (first, True, ShareState.FREE, "EUR", 1, "0.9000"),
            (first, False, ShareState.FREE, "USD", 1, "-1.0000"),
            (first, False, ShareState.PAID, "USD", 1, "1.0000"),
        ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("status", "state"), [("confirmed", ShareState.FREE), ("hold", ShareState.PENDING)])
def test_referral_shares_are_rounded_individually(database: Database, seed: int, status: str, state: int) -> None:
    chance, wanted = random.Random(seed), Decimal(0)
    with database.write() as conn:
        percent = Decimal(chance.randrange(1, 100_0000)).scaleb(-4)
        referrer, first = add_affiliate(conn), add_affiliate(conn)
        for number in range(60):
            payout = Decimal(chance.choice((30_000, 70_000, chance.randrange(10**7, 10**9)))).scaleb(-4)
            wanted += (payout * percent / 100).quantize(Decimal("0.0001"), rounding=ROUND_HALF_EVEN)
            add(conn, number, first, referrer, percent, payout=payout, status=status)
        assert shares(conn) == [(first, status == "confirmed", state, "USD", 60, str(wanted))]
