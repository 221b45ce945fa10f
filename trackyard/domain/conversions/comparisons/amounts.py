"""Amounts as people write them in files."""

import re
from decimal import Decimal
from typing import Final

from trackyard.base.money import find_signed_amount

_AROUND: Final = re.compile(r"[\s\u00a0\u202f'$€£¥₽₴₸₹]+|\b[A-Za-z]{3}\b")
"""Blanks, apostrophes, signs and codes of currencies."""
_DIGITS: Final = re.compile(r"[0-9]+([.,][0-9]+)*|[.,][0-9]+")
_LONGEST: Final = 40


def read_amount(text: str) -> Decimal:
    """Return an amount such as 1234.5, 1,234.50, 1.234,50, -5 or (5.00) EUR.

    Raises ValueError with a sentence.
    """
    if len(text) > _LONGEST:
        raise ValueError("this amount is too long")
    plain = _AROUND.sub("", text)
    is_negative = plain.startswith("-") or (plain.startswith("(") and plain.endswith(")"))
    plain = plain.strip("()").lstrip("+-")
    if not _DIGITS.fullmatch(plain):
        raise ValueError(f"{text!r} is no amount; write it as 1234.50")
    amount = find_signed_amount(_with_point(text, plain))
    if amount is None:
        raise ValueError(f"{text!r} is too large")
    return -amount if is_negative else amount


def _with_point(text: str, plain: str) -> str:
    """Return digits with a point before the fraction alone. Raises ValueError where it is unclear."""
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return plain
    mark = plain[last]
    whole, fraction = plain[:last], plain[last + 1 :]
    if mark in whole:  # it separates thousands, and there is no fraction
        if not all(len(part) == 3 for part in plain.split(mark)[1:]) or len(set(whole) & {".", ","}) > 1:
            raise ValueError(f"{text!r} is no amount; write it as 1234.50")
        return plain.replace(mark, "")
    if mark == "," and len(fraction) == 3 and "." not in whole:
        raise ValueError(f"{text!r} may be a thousand or a fraction; write it without a separator of thousands")
    groups = re.split(r"[.,]", whole)
    if len(groups) > 1 and not all(len(part) == 3 for part in groups[1:]):
        raise ValueError(f"{text!r} is no amount; write it as 1234.50")
    return f"{''.join(groups) or '0'}.{fraction}"
