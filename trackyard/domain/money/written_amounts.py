"""Amounts in words, in the language of the moment (docs/spec/console.md#words-and-numbers)."""

from decimal import Decimal
from typing import Final

from trackyard.base.texts.languages import spoken
from trackyard.domain.money.amounts import shown_amount

SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}
"""Currencies with a sign of their own; others are written by their code."""
MINUS: Final = "\N{MINUS SIGN}"
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def grouped(text: str) -> str:
    """Return a number of Python, such as 1,020.50, with the separators of the language."""
    form = spoken().form
    if form.decimal == ".":
        return text
    return text.translate({ord(","): form.group, ord("."): form.decimal})


def digits_words(amount: Decimal, currency: str) -> str:
    """Return an amount with all its digits and its currency: $1,020.50, in Spanish 1.020,50 $."""
    text = grouped(f"{abs(amount):,}")
    sign = SIGNS.get(currency, "")
    shown = f"{sign}{text}" if sign and not spoken().form.sign_last else f"{text}{NO_BREAK}{sign or currency}"
    return f"{MINUS}{shown}" if amount < 0 else shown


def amount_words(amount: Decimal, currency: str) -> str:
    """Return an amount in the places of its currency: $942.53, 1,021 JPY."""
    return digits_words(shown_amount(amount, currency), currency)
