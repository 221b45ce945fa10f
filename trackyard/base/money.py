"""Money: Decimal with four places, rounded half to even. Never float.

docs/spec/conversions.md#payments, docs/spec/money.md#amounts
"""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

SMALLEST_AMOUNT = Decimal("0.0001")
ZERO = Decimal("0.0000")
MAX_AMOUNT = Decimal("100000000000")
"""Amounts are below this limit, so that their sums fit 64 bits of ten-thousandths."""


def rounded(amount: Decimal) -> Decimal:
    """Return an amount with four places, rounded half to even."""
    return amount.quantize(SMALLEST_AMOUNT, rounding=ROUND_HALF_EVEN)


def plain_amount(amount: Decimal) -> str:
    """Return an amount as text without zeros at its end: 5, 0.25."""
    return f"{amount.normalize():f}"


def find_decimal(text: str) -> Decimal | None:
    """Return the number in a text; None unless it is a decimal in ASCII digits.

    docs/spec/api-conventions.md#parameters
    """
    plain = text.strip()
    if not plain.isascii() or "_" in plain:
        return None
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def is_lost(text: str) -> bool:
    """Return whether an amount in a text is not 0 and rounds to 0."""
    amount = find_amount(text.strip().removeprefix("-"))
    return amount == ZERO and Decimal(text.strip()) != ZERO


def find_amount(text: str) -> Decimal | None:
    """Return the amount in a text; None unless it is a plain decimal >= 0 below the limit."""
    if len(text) > 32:
        return None
    amount = find_decimal(text)
    if amount is None or not amount.is_finite() or amount.is_signed() or amount >= MAX_AMOUNT:
        return None
    return rounded(amount)


def find_signed_amount(text: str) -> Decimal | None:
    """Return the amount in a text, which may begin with a minus. None where `find_amount` returns None."""
    plain = text.strip()
    amount = find_amount(plain.removeprefix("-"))
    return -amount if amount is not None and plain.startswith("-") else amount


def percent_of(amount: Decimal, percent: Decimal) -> Decimal:
    """Return `percent` percent of an amount, rounded."""
    return rounded(amount * percent / 100)


def converted(amount: Decimal, rate_from: Decimal, rate_to: Decimal) -> Decimal:
    """Return an amount in another currency, rounded. The rates are as in `converted_exactly`."""
    return rounded(converted_exactly(amount, rate_from, rate_to))


def converted_exactly(amount: Decimal, rate_from: Decimal, rate_to: Decimal) -> Decimal:
    """Return an amount in another currency with all its places, to compute with it.

    rate_from, rate_to: units of the currency for one of the platform's.
    """
    return amount * rate_to / rate_from
