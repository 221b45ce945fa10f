"""Reads the file of an advertiser or an affiliate. Files are hostile: everything is bounded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.domain.conversions.comparisons.amounts import read_amount
from trackyard.domain.conversions.statuses import SENT_STATUSES, Status
from trackyard.domain.platform.files import InvalidFile, read_csv

MOST_BYTES: Final = 5 * 1024 * 1024
MOST_ROWS: Final = 10_000
MOST_COLUMNS: Final = 100
MOST_CHARACTERS: Final = 500
"""Characters of a value that is used."""
IDENTITIES: Final = ("conversion_id", "click_id", "action_id")
COLUMN_FIELDS: Final = (*IDENTITIES, "goal", "status", "sum", "currency")
"""What columns of a file can hold."""
_FORMULA_STARTS: Final = ("=", "@")
ZIP: Final = b"PK\x03\x04"
"""How an archive starts; a spreadsheet (XLSX) is one."""
_OLE: Final = b"\xd0\xcf\x11\xe0"
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "conversion_id": ("conversion_id", "conversionid", "conversion"),
    "click_id": ("click_id", "clickid", "click", "aff_click_id", "subid", "sub_id", "transaction_id"),
    "action_id": ("action_id", "actionid", "order_id", "orderid", "order", "lead_id", "external_id"),
    "goal": ("goal", "event", "goal_id", "goal_value"),
    "status": ("status", "state", "conversion_status"),
    "sum": ("sum", "amount", "payout", "revenue", "charge", "price", "total", "commission", "payouts", "income"),
    "currency": ("currency", "currency_code"),
}
"""Names by which columns are known, the best first."""
_WORDS: Final[Mapping[Status, Sequence[str]]] = {
    Status.CONFIRMED: ("confirmed", "approved", "accepted", "paid", "ok", "success", "sale", "complete", "completed"),
    Status.PENDING: ("pending", "new", "open", "waiting", "processing", "in progress"),
    Status.DECLINED: (
        "declined",
        "rejected",
        "canceled",
        "cancelled",
        "refused",
        "trash",
        "invalid",
        "void",
        "refunded",
    ),
    Status.HOLD: ("hold", "on hold", "locked"),
}
WORD_STATUSES: Final = tuple(_WORDS)
"""Statuses for which a request may name further words."""
_STATUS_OF: Final[Mapping[str, Status]] = {
    **{word: status for status, words in _WORDS.items() for word in words},
    **{sent: status for sent, status in SENT_STATUSES.items() if sent},
}


class FileFault(ValueError):
    """A file that cannot be compared. Its text names the row and the column where it can.

    field: of the request, which has the fault.
    """

    def __init__(self, sentence: str, field: str = "file") -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class FileTable:
    """A file: the names of its columns, and its rows by their line."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


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


def check_size(content: bytes) -> None:
    """Raise FileFault for a file that is too large."""
    if len(content) > MOST_BYTES:
        raise FileFault(f"The file has more than {MOST_BYTES // 1024 // 1024} MB. Compare it in parts.")


def read_table(content: bytes) -> FileTable:
    """Return the table of a CSV file in UTF-8 or UTF-16. Raises FileFault."""
    if content.startswith((ZIP, _OLE)):
        raise FileFault(
            "This is an old or protected spreadsheet, or an archive. Save it as XLSX or CSV, and send that."
        )
    try:
        lines = read_csv(content, MOST_ROWS, f"The file has more than {MOST_ROWS} rows. Compare it in parts.")
    except InvalidFile as fault:
        raise FileFault(str(fault)) from None
    if len(lines) < 2:
        raise FileFault("The first row names the columns, and each further row is a conversion: this file has none.")
    columns = tuple(name.strip()[:MOST_CHARACTERS] for name in lines[0][1])
    if len(columns) > MOST_COLUMNS:
        raise FileFault(f"The file has {len(columns)} columns; at most {MOST_COLUMNS} are read.")
    return FileTable(columns, tuple(lines[1:]))


def choose_columns(columns: Sequence[str], wanted: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field that has one.

    wanted: as the request names them. known: of the last file; those that this file lacks do not count.
    Raises FileFault.
    """
    chosen = {name: column for name, column in wanted.items() if column}
    for name, column in chosen.items():
        if column not in columns:
            raise FileFault(f"The file has no column {column!r} for {name}. It has: {', '.join(columns)[:400]}.")
    taken = set(chosen.values())
    for name, column in known.items():
        if name not in chosen and column in columns and column not in taken:
            chosen[name] = column
            taken.add(column)
    folded = {each.lower().replace(" ", "_").replace("-", "_"): each for each in reversed(columns)}
    for name, names in _NAMES.items():
        found = next((folded[each] for each in names if each in folded and folded[each] not in taken), None)
        if name not in chosen and found is not None:
            chosen[name] = found
            taken.add(found)
    _check_columns(columns, chosen)
    return {name: chosen[name] for name in COLUMN_FIELDS if name in chosen}


def _check_columns(columns: Sequence[str], chosen: Mapping[str, str]) -> None:
    if "sum" not in chosen:
        raise FileFault("No column is known as the sum: name it in column_sum.")
    if not any(name in chosen for name in IDENTITIES):
        raise FileFault(
            "No column is known as an id: name one in column_click_id, column_action_id or column_conversion_id."
        )
    twice = next((column for column in chosen.values() if columns.count(column) > 1), None)
    if twice is not None:
        raise FileFault(f"The file has the column {twice!r} more than once. Rename all but one.")


def read_rows(
    table: FileTable, columns: Mapping[str, str], words: Mapping[Status, Sequence[str]], currency: str
) -> list[SentRow]:
    """Return the rows of a file. Raises FileFault.

    words: further words of statuses. currency: of rows without one.
    """
    places = {name: table.columns.index(column) for name, column in columns.items()}
    statuses = {**_STATUS_OF, **{word.strip().lower(): status for status, each in words.items() for word in each}}
    return [_row(number, values, places, table.columns, statuses, currency) for number, values in table.rows]


def _row(
    number: int,
    values: Sequence[str],
    places: Mapping[str, int],
    columns: Sequence[str],
    statuses: Mapping[str, Status],
    currency: str,
) -> SentRow:
    read: dict[str, str] = {}
    for name, place in places.items():
        try:
            read[name] = _value(values[place] if place < len(values) else "")
        except ValueError as fault:
            raise _fault(number, columns[place], fault) from None
    if not any(read.get(name) for name in IDENTITIES):
        raise FileFault(f"Row {number} has no id: each row needs a click id, an action id or a conversion id.")
    field = "sum"
    try:
        amount = read_amount(read["sum"])
        field = "status"
        status = _status(read.get("status"), statuses)
        field = "currency"
        code = _currency(read.get("currency") or currency)
    except ValueError as fault:
        raise _fault(number, columns[places[field]], fault) from None
    return SentRow(
        number=number,
        conversion_id=read.get("conversion_id", "").lower(),
        click_id=read.get("click_id", "").lower(),
        action_id=read.get("action_id", ""),
        goal=read.get("goal", ""),
        status=status,
        sum=amount,
        currency=code,
    )


def _value(text: str) -> str:
    """Return a value without blanks around it. Raises ValueError for formulas and long values."""
    value = text.strip()
    if value.startswith('="') and value.endswith('"') and value.count('"') == 2:
        value = value[2:-1].strip()  # a spreadsheet writes a text of digits so
    if len(value) > MOST_CHARACTERS:
        raise ValueError(f"this value has more than {MOST_CHARACTERS} characters")
    if value.startswith(_FORMULA_STARTS):
        raise ValueError("this is a formula; save the file with values")
    return value


def _status(text: str | None, statuses: Mapping[str, Status]) -> Status | None:
    if text is None:
        return None
    found = statuses.get(text.lower())
    if found is None:
        known = ", ".join(f"words_{each}" for each in WORD_STATUSES)
        raise ValueError(f"{text[:60]!r} is no known status; name the word in one of {known}")
    return found


def _currency(text: str) -> str:
    code = text.upper()
    if len(code) != 3 or not (code.isascii() and code.isalpha()):
        raise ValueError(f"{text[:20]!r} is no currency code of three letters")
    return code


def _fault(number: int, column: str, fault: ValueError) -> FileFault:
    return FileFault(f"Row {number}, column {column[:60]!r}: {fault}.")
