"""Currencies by their ISO 4217 numbers: the integer ids of the interface (behaviour.md §8)."""

from typing import Final

NUMBERS: Final = {
    "AED": 784, "AMD": 51, "ARS": 32, "AUD": 36, "AZN": 944, "BDT": 50, "BGN": 975, "BRL": 986, "BYN": 933,
    "CAD": 124, "CHF": 756, "CLP": 152, "CNY": 156, "COP": 170, "CZK": 203, "DKK": 208, "EGP": 818, "EUR": 978,
    "GBP": 826, "GEL": 981, "HKD": 344, "HUF": 348, "IDR": 360, "ILS": 376, "INR": 356, "ISK": 352, "JPY": 392,
    "KES": 404, "KGS": 417, "KRW": 410, "KZT": 398, "LKR": 144, "MAD": 504, "MDL": 498, "MXN": 484, "MYR": 458,
    "NGN": 566, "NOK": 578, "NPR": 524, "NZD": 554, "PEN": 604, "PHP": 608, "PKR": 586, "PLN": 985, "QAR": 634,
    "RON": 946, "RSD": 941, "RUB": 643, "SAR": 682, "SEK": 752, "SGD": 702, "THB": 764, "TRY": 949, "TWD": 901,
    "UAH": 980, "USD": 840, "UZS": 860, "VND": 704, "ZAR": 710,
}  # fmt: skip
"""Code → number."""

CODES: Final = {number: code for code, number in NUMBERS.items()}
