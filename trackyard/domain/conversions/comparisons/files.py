"""The file of an advertiser or an affiliate, as rows to compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from trackyard.base.ids import is_number
from trackyard.base.money import rounded
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.conversions.tables import ACTION_ID_NAMES, CLICK_ID_NAMES, GOAL_NAMES, STATUS_NAMES
from trackyard.domain.platform.tables.forms import FileColumn, FileTable, ReadRow, TableForm, find_columns, read_rows
from trackyard.domain.platform.tables.grids import Limits, TableFault
from trackyard.domain.platform.tables.kinds import amounts, currencies, ids, statuses, texts
from trackyard.domain.platform.tables.numbers import currency_in

MOST_BYTES: Final = 5 * 1024 * 1024
MOST_ROWS: Final = 10_000
MOST_CHARACTERS: Final = 500
"""Characters of the name of a column."""
IDENTITIES: Final = ("conversion_id", "click_id", "action_id")
WORD_STATUSES: Final = (Status.CONFIRMED, Status.PENDING, Status.DECLINED, Status.HOLD)
"""Statuses for which a request may name further words."""
_HINT: Final = f"; name the word in one of {', '.join(f'words_{each}' for each in WORD_STATUSES)}"
_SUMS: Final = ("amount", "payout", "revenue", "charge", "price", "total", "commission", "payouts", "income")
_CLICKS: Final = (*CLICK_ID_NAMES, "aff_click_id", "subid", "sub_id", "transaction_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRow:
    """A row of a file. number: its line. status: None = the file has no statuses. sum: in `currency`."""

    number: int
    conversion_id: str = ""
    click_id: str = ""
    action_id: str = ""
    goal: str = ""
    status: Status | None = None
    sum: Decimal
    currency: str


def form_of(words: Mapping[Status, Sequence[str]]) -> TableForm:
    """Return the columns of a file. words: further words of statuses."""
    return TableForm(
        columns=(
            FileColumn("conversion_id", lazy_gettext("Conversion ID"), ids, ("conversionid", "conversion")),
            FileColumn("click_id", lazy_gettext("Click ID"), ids, _CLICKS),
            FileColumn("action_id", lazy_gettext("Action ID"), ids, (*ACTION_ID_NAMES, "lead_id", "external_id")),
            FileColumn("goal", lazy_gettext("Goal"), texts, GOAL_NAMES),
            FileColumn("status", lazy_gettext("Status"), statuses(words, _HINT), STATUS_NAMES),
            FileColumn("sum", lazy_gettext("Sum"), amounts, _SUMS),
            FileColumn("currency", lazy_gettext("Currency"), currencies, ("currency_code",)),
        ),
        needed=("click_id", "sum"),
        limits=LIMITS,
    )


LIMITS: Final = Limits(most_bytes=MOST_BYTES, most_rows=MOST_ROWS)
FORM: Final = form_of({})
COLUMN_FIELDS: Final = tuple(each.name for each in FORM.columns)
"""What columns of a file can hold."""


def choose_columns(table: FileTable, wanted: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field that has one.

    wanted: the columns in the request. known: the columns of the last file; a column that this file lacks is ignored.
    Raises TableFault.
    """
    chosen = {name: column for name, column in wanted.items() if column}
    taken = set(chosen.values())
    for name, column in known.items():
        is_alike = column in table.columns and (not table.has_head or not is_number(column))
        if is_alike and name not in chosen and column not in taken:
            chosen[name] = column
            taken.add(column)
    places = find_columns(table, FORM, chosen)
    if "sum" not in places:
        raise TableFault(f"No column is known as the sum: name it in column_sum.{_number_hint(table)}")
    if not any(name in places for name in IDENTITIES):
        raise TableFault(
            "No column is known as an id: name one in column_click_id, column_action_id or column_conversion_id."
            + _number_hint(table)
        )
    return {name: table.columns[place] for name, place in places.items()}


def _number_hint(table: FileTable) -> str:
    """Return a hint about the numbers of columns without a head; "" for a table with a head."""
    if table.has_head:
        return ""
    return f" The first row is a record, so that the columns have the numbers 1 to {len(table.columns)} as names."


def read_sent_rows(
    table: FileTable, columns: Mapping[str, str], words: Mapping[Status, Sequence[str]], currency: str
) -> list[SentRow]:
    """Return the rows of a file. Raises TableFault.

    words: further words of statuses. currency: of rows without one.
    """
    places = {name: table.columns.index(column) for name, column in columns.items()}
    cells = dict(table.rows)
    found = []
    for row in read_rows(table, form_of(words), places):
        _check(row, columns)
        place, values = places["sum"], cells[row.number]
        found.append(_sent(row, currency_in(values[place]) if place < len(values) else "", columns, currency))
    return found


def _check(row: ReadRow, columns: Mapping[str, str]) -> None:
    """Raise TableFault for the first fault of a row."""
    for name, sentence in row.faults.items():
        raise _fault(row.number, columns[name], sentence)
    if not any(row.values.get(name) for name in IDENTITIES):
        raise TableFault(f"Row {row.number} has no id: each row needs a click id, an action id or a conversion id.")
    for name in ("sum", "status"):
        if name in columns and name not in row.values:
            raise _fault(row.number, columns[name], "this value is required.")


def _sent(row: ReadRow, named: str, columns: Mapping[str, str], currency: str) -> SentRow:
    """Return a row without faults. named: the currency in its sum, "" = none."""
    values: dict[str, Any] = dict(row.values)
    code = values.get("currency") or named or currency
    if named and named != code:
        raise _fault(row.number, columns["sum"], f"its currency is {named}, and the row's currency is {code}.")
    return SentRow(
        number=row.number,
        conversion_id=values.get("conversion_id", "").lower(),
        click_id=values.get("click_id", "").lower(),
        action_id=values.get("action_id", "").strip(),
        goal=values.get("goal", ""),
        status=values.get("status"),
        sum=rounded(values["sum"]),
        currency=code,
    )


def _fault(number: int, column: str, sentence: str) -> TableFault:
    return TableFault(f"Row {number}, column {column[:60]!r}: {sentence}")
