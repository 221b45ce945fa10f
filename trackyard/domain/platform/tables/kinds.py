"""What the cells of a column can be: each kind makes the reader of one column."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Final

from trackyard.base.texts.marks import gettext
from trackyard.domain.conversions.statuses import SENT_STATUSES, Status
from trackyard.domain.platform.tables.days import DayReader
from trackyard.domain.platform.tables.grids import Cell
from trackyard.domain.platform.tables.numbers import (
    check_is_value,
    check_is_whole,
    currency_in,
    plain_text,
    read_amount,
    read_whole_number,
    shown,
)

Value = str | int | Decimal | date | Status
CellReader = Callable[[Cell], Value]
"""Returns the value of a cell that is not empty. Raises ValueError with a sentence without its end."""
Kind = Callable[[Sequence[Cell]], CellReader]
"""Makes the reader of a column from all of its cells."""

MOST_CHARACTERS: Final = 500
"""Characters of an id."""
_ESCAPED: Final = re.compile(r"'([=+\-@\t\r\n＝＋－＠].*)", re.S)
"""A text that a file of ours has behind an apostrophe, so that no spreadsheet computes it."""
_CODE: Final = re.compile(r"[A-Za-z]{3}")
_WORDS: Final[Mapping[Status, Sequence[str]]] = {
    Status.CONFIRMED: (
        *("confirmed", "approved", "accepted", "paid", "ok", "success", "sale", "complete", "completed"),
        *("подтвержден", "подтверждена", "подтверждено", "одобрен", "одобрена", "принят", "оплачен", "оплачена"),
    ),
    Status.PENDING: (
        *("pending", "new", "open", "waiting", "processing", "in progress"),
        *("ожидает", "в ожидании", "в обработке", "новый", "новая"),
    ),
    Status.DECLINED: (
        *("declined", "rejected", "canceled", "cancelled", "refused", "trash", "invalid", "void", "refunded"),
        *("отклонен", "отклонена", "отклонено", "отменен", "отменена", "возврат"),
    ),
    Status.HOLD: ("hold", "on hold", "locked", "холд", "на удержании"),
    Status.NOT_FOUND: ("not found",),
    Status.PENDING_CAP: ("pending_cap",),
}
"""Words of statuses in any case, with "_" and "ё" as blank and "е"."""
_STATUS_OF: Final[Mapping[str, Status]] = {
    **{word.replace("_", " "): status for status, words in _WORDS.items() for word in words},
    **{sent: status for sent, status in SENT_STATUSES.items() if sent},
}


def texts(_: Sequence[Cell]) -> CellReader:
    """Read texts: a value as it is written."""
    return as_text


def ids(_: Sequence[Cell]) -> CellReader:
    """Read ids that are texts: a formula, or a number that a spreadsheet shortened, is refused."""
    return _as_id


def whole_numbers(_: Sequence[Cell]) -> CellReader:
    """Read whole numbers; 7.0 is 7."""
    return read_whole_number


def amounts(_: Sequence[Cell]) -> CellReader:
    """Read amounts with all their places; a currency around them does not count."""
    return read_amount


def amounts_in(currency: str) -> Kind:
    """Return the kind of amounts in one currency: amounts with another currency are refused."""

    def read(cell: Cell) -> Decimal:
        amount, named = read_amount(cell), currency_in(cell)
        if named and named != currency:
            raise ValueError(
                gettext("%(value)s is not an amount in %(currency)s", value=shown(cell), currency=currency)
            )
        return amount

    return lambda _: read


def money(_: Sequence[Cell]) -> CellReader:
    """Read amounts with their currency: "12.50 EUR", "12.50" without one."""

    def read(cell: Cell) -> str:
        return f"{read_amount(cell):f} {currency_in(cell)}".rstrip()

    return read


def days(cells: Sequence[Cell]) -> CellReader:
    """Read days; the column decides whether the day or the month is first."""
    return DayReader(cells)


def currencies(_: Sequence[Cell]) -> CellReader:
    """Read codes of currencies."""
    return _currency


def statuses(words: Mapping[Status, Sequence[str]], hint: str = "") -> Kind:
    """Return the kind of statuses: words in any case, and the numbers that postbacks send.

    words: further ones. hint: the end of the sentence about an unknown word.
    """
    known = {**_STATUS_OF, **{_word(each): status for status, given in words.items() for each in given}}

    def read(cell: Cell) -> Status:
        text = plain_text(cell)
        found = known.get(_word(re.sub(r"^([0-9])[.,]0+$", r"\1", text)))
        if found is None:
            raise ValueError(gettext("%(value)s is not a known status", value=shown(text[:60])) + hint)
        return found

    return lambda _: read


def is_status(text: str) -> bool:
    """Return whether a text is a word of a status."""
    return _word(text) in _STATUS_OF and _word(text) not in SENT_STATUSES


def as_text(cell: Cell) -> str:
    """Return a cell as text: without what a spreadsheet adds so that it computes nothing."""
    text = plain_text(cell)
    if text.startswith('="') and text.endswith('"') and text.count('"') == 2:
        return text[2:-1].strip()
    escaped = _ESCAPED.fullmatch(text)
    return escaped[1] if escaped else text


def _as_id(cell: Cell) -> str:
    check_is_whole(cell)
    text = as_text(cell)
    if len(text) > MOST_CHARACTERS:
        raise ValueError(gettext("this value has more than %(most)s characters", most=MOST_CHARACTERS))
    if plain_text(cell) == text:
        check_is_value(text)
    return text


def _currency(cell: Cell) -> str:
    text = plain_text(cell)
    if not _CODE.fullmatch(text):
        raise ValueError(gettext("%(value)s is not a currency code of three letters", value=shown(text[:20])))
    return text.upper()


def _word(text: str) -> str:
    return " ".join(text.strip().lower().replace("_", " ").replace("ё", "е").split())


def sent_text(value: Value) -> str:
    """Return a value as a parameter of the API has it."""
    match value:
        case Decimal():
            return f"{value:f}"
        case Enum():
            return str(value.value)
        case date():
            return value.isoformat()
    return str(value)
