"""Money: Decimal with four places, rounded half to even (docs/spec/conversions.md#payments,
docs/spec/money.md#amounts). Never float."""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

SMALLEST_AMOUNT = Decimal("0.0001")
ZERO = Decimal("0.0000")
MAX_AMOUNT = Decimal("100000000000")
"""Amounts stay below this, so that sums of them fit 64 bits of ten-thousandths."""


def rounded(amount: Decimal) -> Decimal:
    """`amount` with four places, half to even."""
    return amount.quantize(SMALLEST_AMOUNT, rounding=ROUND_HALF_EVEN)


def plain_amount(amount: Decimal) -> str:
    """Return an amount as text without zeros at its end: 5, 0.25."""
    return f"{amount.normalize():f}"


def find_amount(text: str) -> Decimal | None:
    """Return the amount a stranger wrote; None when it is no plain decimal >= 0 below the limit."""
    if len(text) > 32 or "_" in text:
        return None
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        return None
    if not amount.is_finite() or amount.is_signed() or amount >= MAX_AMOUNT:
        return None
    return rounded(amount)


def percent_of(amount: Decimal, percent: Decimal) -> Decimal:
    """`percent` percent of `amount`, rounded."""
    return rounded(amount * percent / 100)


def converted(amount: Decimal, rate_from: Decimal, rate_to: Decimal) -> Decimal:
    """`amount` of a currency worth 1/rate_from of the platform's, in one worth 1/rate_to.

    A rate is units of the currency for one unit of the platform currency.
    """
    return rounded(amount * rate_to / rate_from)
