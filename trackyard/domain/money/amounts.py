"""Amounts as people read them, in the places of their currency.

docs/spec/money.md#amounts-that-are-shown"""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from trackyard.domain.money.units import places_of

_MOST_PLACES: Final = 8
"""Places of the exact value of a figure that divides, such as EPC."""
_RATE_PLACES: Final = 2
"""Places that a rate below 1 has beyond the places of its currency."""


def shown_amount(value: Decimal, currency: str, places: int | None = None) -> Decimal:
    """Return an amount rounded half up as it is shown. places: None = the decimal places of the currency."""
    digits = places_of(currency) if places is None else places
    return value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def shown_sum(amounts: Iterable[Decimal], currency: str, places: int | None = None) -> Decimal:
    """Return the sum of amounts as they are shown, so that a row adds up."""
    return sum((shown_amount(each, currency, places) for each in amounts), Decimal(0))


def exact_places(value: Decimal, currency: str) -> int:
    """Return the places of an amount with all its digits, at least as many as its currency has."""
    exponent = value.normalize().as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return max(places_of(currency), min(digits, _MOST_PLACES))


def rate_places(value: Decimal, currency: str) -> int:
    """Return the places of an amount of one click: two more below 1."""
    return places_of(currency) + (_RATE_PLACES if 0 < abs(value) < 1 else 0)


def amount_text(value: Decimal, currency: str) -> str:
    """Return an amount without its currency as mails write it, with all digits: 5.50, 942.5348."""
    return f"{value:.{exact_places(value, currency)}f}"
