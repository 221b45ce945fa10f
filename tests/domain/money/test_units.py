"""The smallest units of currencies (docs/spec/money.md#units)."""

from decimal import Decimal

import pytest

from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.money.units import PLACES, in_units, is_in_units, places_of, unit_of

_NONE = ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"]
_THREE = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]


def test_units_of_all_currencies_are_those_of_iso_4217() -> None:
    assert PLACES.keys() == NUMBERS.keys()
    assert len(PLACES) == 156
    found = {places: sorted(code for code in PLACES if places_of(code) == places) for places in set(PLACES.values())}
    assert found.pop(0) == _NONE
    assert found.pop(3) == _THREE
    assert len(found.pop(2)) == 156 - len(_NONE) - len(_THREE)
    assert not found


def test_units_of_an_unknown_code_are_those_of_the_ledger() -> None:
    assert unit_of("XBT") == Decimal("0.0001")


@pytest.mark.parametrize(
    ("amount", "currency", "left"),
    [
        ("12345.6749", "USD", "12345.67"),
        ("166.6667", "JPY", "166"),
        ("1.2345", "KWD", "1.234"),
        ("0.0099", "EUR", "0"),
        ("-0.0099", "EUR", "0"),
        ("-1.2399", "EUR", "-1.23"),
        ("5", "USD", "5"),
        ("0.9999", "JPY", "0"),
    ],
)
def test_amounts_that_leave_are_rounded_towards_zero(amount: str, currency: str, left: str) -> None:
    assert in_units(Decimal(amount), currency) == Decimal(left)
    assert is_in_units(Decimal(amount), currency) is (Decimal(amount) == Decimal(left))


def test_amounts_that_leave_have_the_places_of_their_currency() -> None:
    assert [str(in_units(Decimal("5.0000"), code)) for code in ("JPY", "USD", "KWD")] == ["5", "5.00", "5.000"]
