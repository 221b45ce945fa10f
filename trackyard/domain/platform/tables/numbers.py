"""Numbers and amounts as people and their programs write them."""

import re
from decimal import Decimal
from typing import Final

from trackyard.base.money import MAX_AMOUNT
from trackyard.base.texts.marks import gettext
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.platform.tables.grids import Cell

_BLANKS: Final = "\\s\u00a0\u202f'’"
_AROUND: Final = re.compile(rf"[{_BLANKS}$€£¥₽₴₸₹]+|\b[A-Za-z]{{3}}\b|руб\.?|р\.?$", re.I)
"""Blanks, apostrophes, signs and codes of currencies."""
_CODE: Final = re.compile(r"\b[A-Za-z]{3}\b")
_SIGNS: Final = {"€": "EUR", "£": "GBP", "₽": "RUB", "руб": "RUB", "₴": "UAH", "₸": "KZT", "₹": "INR"}
"""Signs that one currency has."""
_BAD_BLANK: Final = re.compile(rf"[0-9][{_BLANKS}](?![0-9]{{3}}(?![0-9]))[0-9]")
"""A blank between digits that separates no thousands."""
_DIGITS: Final = re.compile(r"[0-9]+([.,][0-9]+)*|[.,][0-9]+")
_WHOLE: Final = re.compile(r"[+]?([0-9]+)(?:[.,]0+)?")
_SHORTENED: Final = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+?[0-9]{2,}")
_EXACT: Final = 10**15
"""Spreadsheets keep fifteen digits of a number."""
_LONGEST: Final = 40
_FORMULA_ERROR: Final = re.compile(r"#(?:N/A|REF!|VALUE!|NAME\?|DIV/0!|NULL!|NUM!|#+)")
_FORMULA_STARTS: Final = ("=", "@")


def read_amount(cell: Cell) -> Decimal:
    """Return an amount such as 1234.5, 1,234.50, 1.234,50, -5 or (5.00) EUR, with all its places.

    Raises ValueError with a sentence.
    """
    amount = cell if isinstance(cell, Decimal) else _amount_of(cell)
    if abs(amount) >= MAX_AMOUNT:
        raise ValueError(gettext("%(value)s is too large", value=shown(cell)))
    return amount


def currency_in(cell: Cell) -> str:
    """Return the code of an amount's currency.

    "" = the amount has none, or has a sign that several currencies share.
    """
    if isinstance(cell, Decimal):
        return ""
    if found := _CODE.search(cell):
        return found[0].upper()  # `read_amount` takes codes of currencies alone
    return next((code for sign, code in _SIGNS.items() if sign in cell.lower()), "")


def read_whole_number(cell: Cell) -> int:
    """Return a whole number; 7.0 is 7. Raises ValueError with a sentence."""
    check_is_whole(cell)
    text = plain_text(cell)
    found = _WHOLE.fullmatch(text)
    if found is None or len(found[1]) > _LONGEST:
        raise ValueError(gettext("%(value)s is not a whole number", value=shown(cell)))
    return int(found[1])


def check_is_whole(cell: Cell) -> None:
    """Raise ValueError for a number that a spreadsheet shortened, so that it is another number now."""
    if abs(cell) >= _EXACT if isinstance(cell, Decimal) else _SHORTENED.fullmatch(cell.strip()):
        raise ValueError(
            gettext(
                "%(value)s is a number that a spreadsheet shortened. Make its column a text, fill it again, and save "
                "the file",
                value=shown(cell),
            )
        )


def check_is_value(text: str) -> None:
    """Raise ValueError for a formula, or the error of one: what it gives is not in the file."""
    if text.startswith(_FORMULA_STARTS) or _FORMULA_ERROR.fullmatch(text):
        raise ValueError(gettext("this is a formula; save the file with values"))


def plain_text(cell: Cell) -> str:
    """Return a cell as text without blanks around it, a number with all its digits."""
    return cell.strip() if isinstance(cell, str) else f"{_shortest(cell):f}"


def shown(cell: Cell) -> str:
    """Return a cell for a sentence."""
    return repr(cell[:_LONGEST]) if isinstance(cell, str) else repr(plain_text(cell))


def _shortest(number: Decimal) -> Decimal:
    return number if number == 0 else number.normalize()


def _amount_of(text: str) -> Decimal:
    if len(text) > _LONGEST:
        raise ValueError(gettext("this amount is too long"))
    plain = text.strip().replace("\u2212", "-")
    check_is_value(plain)
    if _BAD_BLANK.search(plain) or any(code.upper() not in NUMBERS for code in _CODE.findall(plain)):
        raise _no_amount(text)
    plain = _AROUND.sub("", plain)
    is_negative = plain.startswith("-") or (plain.startswith("(") and plain.endswith(")"))
    plain = plain.strip("()").removeprefix("-").removeprefix("+")
    if not _DIGITS.fullmatch(plain):
        raise _no_amount(text)
    amount = Decimal(_with_point(text, plain))
    return -amount if is_negative else amount


def _with_point(text: str, plain: str) -> str:
    """Return digits with a point before the fraction alone. Raises ValueError where it is unclear."""
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return plain
    mark = plain[last]
    whole, fraction = plain[:last], plain[last + 1 :]
    groups = re.split(r"[.,]", whole)
    if mark in whole:  # it separates thousands, and there is no fraction
        if len(set(whole) & {".", ","}) > 1 or not _are_thousands([*groups, fraction]):
            raise _no_amount(text)
        return plain.replace(mark, "")
    if len(groups) > 1 and not _are_thousands(groups):
        raise _no_amount(text)
    if len(groups) == 1 and len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0"):
        raise ValueError(
            gettext(
                "%(value)s may be a thousand or a fraction; write it without a separator of thousands",
                value=shown(text),
            )
        )
    return f"{''.join(groups) or '0'}.{fraction}"


def _are_thousands(groups: list[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and all(len(part) == 3 for part in groups[1:])


def _no_amount(text: str) -> ValueError:
    return ValueError(gettext("%(value)s is not an amount; write it as 1234.50", value=shown(text)))
