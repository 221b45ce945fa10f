"""The smallest unit of each currency. Payments are rounded down to it (docs/spec/money.md#units)."""

from decimal import ROUND_DOWN, Decimal
from typing import Final

from trackyard.domain.money.currencies import NUMBERS

_OTHER_PLACES: Final = {
    "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
    "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
    "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}  # fmt: skip
"""The currencies of ISO 4217 with a minor unit that is not a hundredth."""

PLACES: Final = {code: _OTHER_PLACES.get(code, 2) for code in NUMBERS}
"""Currency to the places of its minor unit in ISO 4217."""

_LEDGER_PLACES: Final = 4


def places_of(currency: str) -> int:
    """Return the decimal places of the smallest unit; for an unknown code, the places in the ledger."""
    return PLACES.get(currency, _LEDGER_PLACES)


def unit_of(currency: str) -> Decimal:
    """Return the smallest amount of a currency that can be transferred: 1 JPY, 0.01 USD, 0.001 KWD."""
    return Decimal(1).scaleb(-places_of(currency))


def in_units(amount: Decimal, currency: str) -> Decimal:
    """Return the part of an amount that can be transferred: rounded towards 0 to the unit of the currency."""
    return amount.quantize(unit_of(currency), rounding=ROUND_DOWN)


def is_in_units(amount: Decimal, currency: str) -> bool:
    """Return whether an amount can be transferred exactly."""
    return in_units(amount, currency) == amount


def unit_fault(amount: Decimal, currency: str) -> str:
    """Return why an amount cannot be transferred, "" if it can."""
    if is_in_units(amount, currency):
        return ""
    return f"This is finer than {unit_of(currency)} {currency}, the smallest amount that can be transferred."
