"""The payment of a conversion, and its amounts."""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.base.money import MAX_AMOUNT, converted, find_amount
from trackyard.domain.offers.payments import PaymentType, compute_amounts, find_payment, payment_of

CLICK: dict[str, Any] = {
    "country": "DE",
    "city_id": 17,
    "device": "mobile",
    "os": "Android",
    **{f"sub{n}": "" for n in range(1, 9)},
    "sub2": "red",
}


def item(**fields: Any) -> Any:
    return payment_of({"goal": "1", "total": "10", "revenue": "5", "currency": "USD"} | fields)


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({}, True),
        ({"goal": "2"}, False),
        ({"countries": ["DE", "AT"]}, True),
        ({"countries": ["AT"]}, False),
        ({"countries": ["AT"], "country_exclude": True}, True),
        ({"countries": ["DE"], "country_exclude": True}, False),
        ({"country_exclude": True}, True),
        ({"cities": [17]}, True),
        ({"cities": [18]}, False),
        ({"devices": ["MOBILE"]}, True),
        ({"devices": ["desktop"]}, False),
        ({"os": ["android", "iOS"]}, True),
        ({"os": ["Windows"]}, False),
        ({"sub2": "blue, red"}, True),
        ({"sub2": ["blue", "red"]}, True),
        ({"sub2": "blue"}, False),
        ({"sub1": "x"}, False),
        ({"sub1": "x,"}, False),
        ({"sub1": " , "}, True),
        ({"sub2": "red", "sub1": "x"}, False),
        ({"countries": ["DE"], "os": ["Windows"]}, False),
        ({"countries": [], "sub1": None, "devices": None}, True),
    ],
)
def test_payment_matches_by_its_conditions(fields: dict[str, Any], fits: bool) -> None:
    assert (find_payment([item(**fields)], [], 7, "1", CLICK) is not None) is fits


def test_payment_most_specific_wins_then_order() -> None:
    plain, country = item(title="plain"), item(title="country", countries=["DE"])
    both = item(title="both", countries=["DE"], os=["Android"])
    again = item(title="again", countries=["DE"], devices=["mobile"])
    assert find_payment([plain, country, both, again], [], 7, "1", CLICK) == both
    assert find_payment([again, both], [], 7, "1", CLICK) == again
    assert find_payment([plain, item(title="second")], [], 7, "1", CLICK) == plain
    subs = item(title="subs", sub2="red", countries=["DE"], devices=["mobile"])
    assert find_payment([both, item(title="nothing", sub1=" , ", sub3=","), subs], [], 7, "1", CLICK) == subs
    elsewhere = item(title="elsewhere", countries=["FR"], country_exclude=True, cities=[17])
    assert find_payment([country, elsewhere], [], 7, "1", CLICK) == elsewhere


def test_payment_of_affiliate_precedes_general_one() -> None:
    general, own = item(countries=["DE"], os=["Android"]), item(revenue="9", partners=[7])
    assert find_payment([general], [own], 7, "1", CLICK) == own
    assert find_payment([general], [own], 8, "1", CLICK) == general
    assert find_payment([general], [item(revenue="9", partners=[7], goal="2")], 7, "1", CLICK) == general


@pytest.mark.parametrize(
    ("kind", "total", "revenue", "order_sum", "charge", "payout"),
    [
        ("fixed", "10", "5", "99", "10", "5"),
        ("percent", "10", "5", "99", "9.9", "4.95"),
        ("percent", "10", "5", "0", "0", "0"),
        ("mixed", "10", "5", "99", "9.9", "5"),
        ("percent", "12.5", "0.01", "0.1", "0.0125", "0"),
        ("percent", "0.5", "1.5", "0.01", "0", "0.0002"),  # 0.00005 and 0.00015: halves go to the even place
    ],
)
def test_payment_amounts_follow_its_type(
    kind: str, total: str, revenue: str, order_sum: str, charge: str, payout: str
) -> None:
    worth = compute_amounts(item(type=kind, total=total, revenue=revenue), Decimal(order_sum))
    assert (worth.charge, worth.payout) == (Decimal(charge), Decimal(payout))


def test_payment_round_trips_through_storage() -> None:
    payment = item(countries=["DE"], cities=[1], sub3="a,b", type="percent", total="0.1", partners=[7], title="T")
    assert payment_of(msgspec.to_builtins(payment)) == payment
    assert payment_of({"total": 10.1, "revenue": 5, "currency": "USD", "type": "fixed"}).total == Decimal("10.1")


money = st.decimals(min_value=0, max_value=10**6, places=4)


@given(total=money, revenue=money, order_sum=money, kind=st.sampled_from(PaymentType))
def test_payment_amounts_are_rounded_to_four_decimals(
    total: Decimal, revenue: Decimal, order_sum: Decimal, kind: PaymentType
) -> None:
    worth = compute_amounts(item(total=str(total), revenue=str(revenue), type=kind), order_sum)
    for amount in (worth.charge, worth.payout):
        assert amount >= 0
        assert amount == amount.quantize(Decimal("0.0001"), rounding=ROUND_HALF_EVEN)
    if kind is not PaymentType.FIXED:
        assert abs(worth.charge - order_sum * total / 100) <= Decimal("0.00005")


@given(amount=money, rate=st.decimals(min_value="0.0001", max_value=10**4, places=10))
def test_currency_round_trip_loses_at_most_one_last_digit(amount: Decimal, rate: Decimal) -> None:
    there = converted(amount, Decimal(1), rate)
    back = converted(there, rate, Decimal(1))
    assert abs(back - amount) <= Decimal("0.0001") + Decimal("0.00005") / rate


@given(text=st.text(max_size=40))
def test_amount_parser_accepts_valid_amounts_only(text: str) -> None:
    amount = find_amount(text)
    assert amount is None or 0 <= amount < MAX_AMOUNT


NAMES = [
    ({"title": "Sale"}, "Sale", "the title"),
    ({"title": "Sale", "goal_alias": "ftd"}, "Sale", "the title before the alias"),
    ({"goal_alias": "ftd"}, "ftd", "the alias without a title"),
    ({"title": "", "goal_alias": "ftd"}, "ftd", "the alias with an empty title"),
    ({"title": None, "goal_alias": None}, "", "neither"),
]


def test_payment_is_named_by_title_else_by_alias() -> None:
    for fields, name, reason in NAMES:
        assert item(**fields).title == name, reason
    assert len(NAMES) == 5
