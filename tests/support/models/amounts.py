"""Amounts of the models, as the program stores and pays them."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal


def in_cents(amount: Decimal) -> Decimal:
    """Towards 0 to 2 places."""
    return amount.quantize(Decimal("0.01"), rounding=ROUND_DOWN)


def rounded(amount: Decimal) -> Decimal:
    """Half-even to 4 places."""
    return amount.quantize(Decimal("0.0001"), rounding=ROUND_HALF_EVEN)
