"""Referral shares on both engines."""

import random
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from sqlalchemy import insert

from tests.support.seeds import add_affiliate, add_conversion
from trackyard.domain.scope import Scope
from trackyard.store.engine import Connection, Database
from trackyard.store.referrals import FREE, PAID, PENDING, ShareFilter, Shares, list_shares
from trackyard.store.tables import payment, payment_entry

EVERYTHING = ShareFilter(since=0, until=10**6)


def shares(conn: Connection, scope: Scope | None = None, **chosen: Any) -> list[tuple[int, bool, int, str, int, str]]:
    """Who, confirmed, state, currency, how many, how much."""
    asked = ShareFilter(**{"since": 0, "until": 10**6} | chosen)
    found, total = list_shares(conn, scope or Scope.everything(), asked, page=1, limit=1000)
    assert total == len(found)
    return [(each.affiliate, each.confirmed, each.state, each.currency, each.count, str(each.amount)) for each in found]


def add_payment(conn: Connection, number: int, affiliate_id: int, status: str, *conversions: int) -> None:
    values = {"affiliate_id": affiliate_id, "currency": "USD", "amount": Decimal(1), "status": status}
    moments = {"created_by": "0" * 24, "created_at": 1, "updated_at": 1}
    conn.execute(insert(payment).values(id=number, **values, **moments))
    for conversion in conversions:
        entry = {"kind": "referral", "source_id": f"{conversion:024x}", "version": 1, "payment_id": number}
        conn.execute(insert(payment_entry).values(**entry))


def test_what_brings_a_share(database: Database) -> None:
    with database.write() as conn:
        referrer = add_affiliate(conn, ref_percent=Decimal("2.5"))
        without, none = add_affiliate(conn), add_affiliate(conn, ref_percent=Decimal(0))
        first = add_affiliate(conn, ref=referrer, created_at=77)
        strangers = [add_affiliate(conn, ref=who) for who in (without, none, None, 999_999)]
        conversions: list[tuple[int, str, str, str]] = [
            (first, "confirmed", "USD", "7"),
            (first, "confirmed", "USD", "0.0002"),  # 0.000005, half to even: 0
            (first, "confirmed", "USD", "0.0060"),  # 0.00015, half to even: 0.0002
            (first, "confirmed", "USD", "0.0060"),
            (first, "confirmed", "EUR", "10"),
            (first, "hold", "USD", "20"),
            (first, "pending", "USD", "40"),
            (first, "pending_cap", "USD", "80"),
            (first, "declined", "USD", "1000"),
            (first, "not_found", "USD", "1000"),
            (first, "confirmed", "USD", "0"),
            (referrer, "confirmed", "USD", "1000"),
            *((stranger, "confirmed", "USD", "1000") for stranger in strangers),
        ]
        for number, (pid, status, currency, payout) in enumerate(conversions):
            columns = {"affiliate_id": pid, "status": status, "currency": currency, "payout": Decimal(payout)}
            add_conversion(conn, number, **columns, created_at=100 + number)
        assert shares(conn) == [
            (first, True, FREE, "EUR", 1, "0.2500"),
            (first, False, PENDING, "USD", 3, "3.5000"),
            (first, True, FREE, "USD", 4, "0.1754"),
        ]
        [row] = list_shares(conn, Scope.everything(), EVERYTHING, page=1, limit=1)[0]
        assert row == Shares(first, referrer, True, FREE, "EUR", 1, 104, 77, Decimal("0.25"))
        assert list_shares(conn, Scope.everything(), EVERYTHING, page=3, limit=1)[1] == 3
        assert list_shares(conn, Scope.everything(), EVERYTHING, page=4, limit=1) == ([], 3)


def test_filters_and_scope(database: Database) -> None:
    with database.write() as conn:
        referrer, other = (add_affiliate(conn, ref_percent=Decimal(10)) for _ in range(2))
        first, second = add_affiliate(conn, ref=referrer), add_affiliate(conn, ref=other)
        for number, pid in enumerate((first, second)):
            own = {"affiliate_id": pid, "payout": Decimal(10), "advertiser_id": f"{number}" * 24}
            add_conversion(conn, number, **own, status=("confirmed", "hold")[number], created_at=100 + number)
        one, two = (first, True, FREE, "USD", 1, "1.0000"), (second, False, PENDING, "USD", 1, "1.0000")
        asked: list[tuple[dict[str, Any], list[Any]]] = [
            ({}, [one, two]),
            ({"affiliate": first}, [one]),
            ({"referrer": other}, [two]),
            ({"state": FREE}, [one]),
            ({"state": PENDING}, [two]),
            ({"state": PAID}, []),
            ({"confirmed": True}, [one]),
            ({"confirmed": False}, [two]),
            ({"currency": "USD"}, [one, two]),
            ({"currency": ""}, []),
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


def test_what_a_payment_pays_is_paid_when_it_is_executed(database: Database) -> None:
    with database.write() as conn:
        referrer = add_affiliate(conn, ref_percent=Decimal(10))
        first = add_affiliate(conn, ref=referrer)
        for number in range(4):
            add_conversion(conn, number, affiliate_id=first, payout=Decimal(10 * 2**number), created_at=1)
        add_payment(conn, 1, referrer, "paid", 0)
        add_payment(conn, 2, referrer, "created", 1)
        entry = {"kind": "conversion", "source_id": f"{2:024x}", "version": 1, "payment_id": 1}
        conn.execute(insert(payment_entry).values(**entry))  # to the referred affiliate: another matter
        assert shares(conn) == [
            (first, True, FREE, "USD", 2, "12.0000"),
            (first, True, PAID, "USD", 1, "1.0000"),
            (first, True, PENDING, "USD", 1, "2.0000"),
        ]


@pytest.mark.parametrize("seed", range(3))
def test_each_share_is_rounded_on_its_own(database: Database, seed: int) -> None:
    chance, wanted = random.Random(seed), Decimal(0)
    with database.write() as conn:
        percent = Decimal(chance.randrange(1, 100_0000)).scaleb(-4)
        first = add_affiliate(conn, ref=add_affiliate(conn, ref_percent=percent))
        for number in range(60):
            payout = Decimal(chance.choice((3, 7, chance.randrange(1, 10**9)))).scaleb(-4)
            wanted += (payout * percent / 100).quantize(Decimal("0.0001"), rounding=ROUND_HALF_EVEN)
            add_conversion(conn, number, affiliate_id=first, payout=payout, created_at=1)
        assert shares(conn) == [(first, True, FREE, "USD", 60, str(wanted))]
