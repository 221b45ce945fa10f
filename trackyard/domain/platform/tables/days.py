"""Days as people and their programs write them.

The column decides whether the day or the month is first.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from trackyard.base.texts.marks import gettext
from trackyard.domain.platform.tables.grids import Cell
from trackyard.domain.platform.tables.numbers import plain_text, shown

_TIME: Final = (
    r"(?:(?:[T,]|\s)\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:\s?[ap]\.?m\.?)?"
    r"(?:\s?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
_YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}", re.I)
_YEAR_LAST: Final = re.compile(rf"([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_TIME}", re.I)
_DIGITS: Final = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DAY_WORD: Final = re.compile(rf"([0-9]{{1,2}})[ -]([a-z]{{3,9}})\.?,?[ -]([0-9]{{4}}|[0-9]{{2}}){_TIME}", re.I)
_WORD_DAY: Final = re.compile(rf"([a-z]{{3,9}})\.? ([0-9]{{1,2}}),? ([0-9]{{4}}){_TIME}", re.I)
_SERIAL: Final = re.compile(r"([2-7][0-9]{4})(?:[.,][0-9]+)?")
_EPOCH: Final = date(1899, 12, 30)
"""The day that spreadsheets number 0."""
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class DayReader:
    """Reads the days of one column."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        pairs = [pair for each in cells if (pair := _unclear_pair(each)) is not None]
        self._day_first = any(first > 12 for first, _ in pairs)
        self._month_first = any(second > 12 for _, second in pairs)

    def __call__(self, cell: Cell) -> date:
        """Return the day of a cell; a time behind it does not count. Raises ValueError with a sentence."""
        text = plain_text(cell)
        found = _clear_day(text)
        if found is None and (pair := _YEAR_LAST.fullmatch(text)) is not None:
            found = self._by_column(text, int(pair[1]), pair[2], int(pair[3]), _year(pair[4]))
        if found is None or not 1970 < found.year < 9999:
            raise ValueError(gettext("%(value)s is not a day; write it as 2026-01-31", value=shown(cell)))
        return found

    def _by_column(self, text: str, first: int, mark: str, second: int, year: int) -> date | None:
        if mark == "." or first == second:
            return _date(year, second, first)
        if self._day_first and self._month_first:
            raise ValueError(
                gettext("some days of this column begin with the day and some with the month; write them as 2026-01-31")
            )
        if self._day_first:
            return _date(year, second, first)
        if self._month_first:
            return _date(year, first, second)
        days = sorted(found for found in (_date(year, first, second), _date(year, second, first)) if found)
        if len(days) < 2:
            return None
        raise ValueError(
            gettext(
                "%(value)s may be %(one)s or %(other)s; write it as one of them",
                value=shown(text),
                one=days[0].isoformat(),
                other=days[1].isoformat(),
            )
        )


def is_day(text: str) -> bool:
    """Return whether a text looks like a day of any form with a mark within."""
    plain = text.strip()
    is_number = _DIGITS.fullmatch(plain) or _SERIAL.fullmatch(plain)
    return not is_number and (_YEAR_LAST.fullmatch(plain) is not None or _clear_day(plain) is not None)


def _unclear_pair(cell: Cell) -> tuple[int, int] | None:
    """Return the two numbers before the year, in the order that the column decides; None for other forms."""
    found = None if isinstance(cell, Decimal) else _YEAR_LAST.fullmatch(cell.strip())
    return None if found is None or found[2] == "." else (int(found[1]), int(found[3]))


def _clear_day(text: str) -> date | None:
    """Return the day of a text that has one meaning; None for others."""
    if found := _YEAR_FIRST.fullmatch(text):
        return _date(int(found[1]), int(found[3]), int(found[4]))
    if found := _DIGITS.fullmatch(text):
        return _date(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_WORD.fullmatch(text):
        return _date(_year(found[3]), _month(found[2]), int(found[1]))
    if found := _WORD_DAY.fullmatch(text):
        return _date(int(found[3]), _month(found[1]), int(found[2]))
    if found := _SERIAL.fullmatch(text):
        return _EPOCH + timedelta(days=int(found[1]))
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def _month(word: str) -> int:
    folded = word.lower()
    return next((number for number, name in enumerate(_MONTHS, 1) if name.startswith(folded)), 0)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
