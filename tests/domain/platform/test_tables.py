"""The one reader of files and pasted text.

Encodings, separators, heads, and cells as people write them: docs/spec/platform.md#tables
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trackyard.base.encodings import decoded
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.conversions.tables import IMPORT
from trackyard.domain.platform.tables import kinds
from trackyard.domain.platform.tables.forms import ReadRow, find_columns, folded, notes_on, read_head, read_rows
from trackyard.domain.platform.tables.grids import Cell, Limits, TableFault, read_text_grid
from trackyard.domain.platform.tables.kinds import Kind
from trackyard.domain.platform.tables.numbers import currency_in

LIMITS: Final = Limits(most_bytes=100_000, most_rows=100)
AMOUNTS: Final[dict[str, str]] = {
    "10": "10", "1234.5": "1234.5", "1,234.50": "1234.5", "1.234,50": "1234.5", "12,50": "12.5", "$5.00": "5",
    "12,50 €": "12.5", "1 234,5 €": "1234.5", "1\u00a0234,50 руб.": "1234.5", "$-3.10": "-3.1", "-$3.10": "-3.1",
    "(5.00) EUR": "-5", "EUR 5": "5", "1,234,567": "1234567", "1.234.567": "1234567", ".5": "0.5", "1.2345": "1.2345",
    "0.125": "0.125", "0,125": "0.125", "1234.567": "1234.567", "1'234.50": "1234.5", "\u22125,10": "-5.1",
    "12,345,678.9": "12345678.9", "+7": "7", " 7 ": "7",
}  # fmt: skip
NO_AMOUNTS: Final[dict[str, str]] = {
    **dict.fromkeys(("1,234", "1.234", "12,345 €"), "may be a thousand or a fraction"),
    **dict.fromkeys(
        ("abc", "1.2.3", "12,34.5", "1e5", "NaN", "1,2,3", "12 50", "5%", "--5", "1 2", "٥", "5 abc", "-"),
        "is not an amount",
    ),
    "9" * 50: "this amount is too long",
    "9" * 12: "is too large",
    "=A1*2": "this is a formula",
}
DAYS: Final[tuple[tuple[tuple[Cell, ...], tuple[str, ...]], ...]] = (
    (("2026-01-31", "2026/02/03", "2026.2.3", "20260203"), ("2026-01-31", "2026-02-03", "2026-02-03", "2026-02-03")),
    (("2026-01-31 14:05:00", "2026-01-31T14:05:00Z", "2026-01-31T14:05+03:00"), ("2026-01-31",) * 3),
    (("03.02.2026", "3.2.26", "31.01.2026 10:00"), ("2026-02-03", "2026-02-03", "2026-01-31")),
    (("3/2/2026", "31/01/2026"), ("2026-02-03", "2026-01-31")),
    (("3/2/2026", "1/31/26 9:30 PM"), ("2026-03-02", "2026-01-31")),
    (("2/2/2026",), ("2026-02-02",)),
    (("3 Feb 2026", "Feb 3, 2026", "3-Feb-26", "3 February 2026"), ("2026-02-03",) * 4),
    (("46053", "46053.75", Decimal(46053), Decimal("46053.5")), ("2026-01-31",) * 4),
)
"""Cells of one column, and the days that they are."""
NO_DAYS: Final[tuple[tuple[tuple[Cell, ...], str], ...]] = (
    (("02/03/2026",), "may be 2026-02-03 or 2026-03-02"),
    (("2-3-2026", "4-5-2026"), "may be 2026-02-03 or 2026-03-02"),
    (("13/2/2026", "2/13/2026"), "begin with the day and some with the month"),
    (("yesterday",), "is not a day"),
    (("2026-02-30",), "is not a day"),
    (("31.31.2026",), "is not a day"),
    (("7",), "is not a day"),
    (("12:30",), "is not a day"),
    (("3 Foo 2026",), "is not a day"),
)
STATUSES: Final[dict[Cell, Status]] = {
    **dict.fromkeys(("1", "1.0", Decimal(1), "Confirmed", "approved", "PAID", " ok ", "Подтверждён"), Status.CONFIRMED),
    **dict.fromkeys(("2", "pending", "In_Progress", "in progress", "В обработке"), Status.PENDING),
    **dict.fromkeys(("3", "4", "Declined", "rejected", "Cancelled", "Отклонено"), Status.DECLINED),
    **dict.fromkeys(("5", "hold", "ON HOLD"), Status.HOLD),
    "not_found": Status.NOT_FOUND,
    "pending_cap": Status.PENDING_CAP,
    "Ja": Status.CONFIRMED,
}
WHOLE: Final[dict[Cell, int]] = {"7": 7, "7.0": 7, "7,00": 7, "007": 7, Decimal("7.0"): 7, " 12 ": 12}
IDS: Final[dict[Cell, str]] = {
    "A-1": "A-1", "007": "007", '="007"': "007", Decimal("7.0"): "7", Decimal(123456789012345): "123456789012345",
    "'-5": "-5", "7.0": "7.0", "1E5": "1E5", "12e34": "12e34", "ab@c": "ab@c",
}  # fmt: skip
_SHORT: Final = "is a number that a spreadsheet shortened"
NO_IDS: Final[dict[Cell, str]] = {
    **dict.fromkeys(("1.23457E+14", "1,23457E+14", "1E+15", "1.2e+06", Decimal("1.23456789012346E+18")), _SHORT),
    **dict.fromkeys(("=A1", "@cmd", "#N/A", "#REF!", "####"), "this is a formula"),
    "x" * 501: "more than 500 characters",
}


def read(kind: Kind, *cells: Cell) -> list[Any]:
    """The values of a column."""
    reader = kind(cells)
    return [reader(each) for each in cells]


@pytest.mark.parametrize(("text", "amount"), list(AMOUNTS.items()))
def test_amount_is_read_as_people_write_it(text: str, amount: str) -> None:
    assert read(kinds.amounts, text) == [Decimal(amount)]


@pytest.mark.parametrize(
    ("kind", "cell", "fault"),
    [
        *((kinds.amounts, text, fault) for text, fault in NO_AMOUNTS.items()),
        *((kinds.ids, cell, fault) for cell, fault in NO_IDS.items()),
        *(
            (kinds.whole_numbers, cell, "is not a whole number")
            for cell in ("7.5", "-1", "seven", "1 2", "٧", Decimal("7.5"))
        ),
        (kinds.whole_numbers, "1.23457E+14", _SHORT),
        (kinds.statuses({}), "maybe", "is not a known status"),
        (kinds.statuses({}), "6", "is not a known status"),
        (kinds.amounts_in("USD"), "12,50 €", "is not an amount in USD"),
        (kinds.currencies, "dollars", "is not a currency code"),
    ],
)
def test_unclear_cell_is_refused(kind: Kind, cell: Cell, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read(kind, cell)


def test_tables_have_all_their_rows() -> None:
    assert [len(each) for each in (AMOUNTS, NO_AMOUNTS, DAYS, NO_DAYS, STATUSES, WHOLE, IDS, NO_IDS)] == [
        25,
        19,
        8,
        9,
        25,
        6,
        10,
        11,
    ]


def test_cells_of_other_kinds_have_one_meaning() -> None:
    assert read(kinds.statuses({Status.CONFIRMED: ["ja"]}), *STATUSES) == list(STATUSES.values())
    assert read(kinds.whole_numbers, *WHOLE) == list(WHOLE.values())
    assert read(kinds.ids, *IDS) == list(IDS.values())
    assert read(kinds.money, "12.50 eur", "€ 7", "7") == ["12.50 EUR", "7 EUR", "7"]
    assert read(kinds.amounts_in("EUR"), "12,50 €", "7", "EUR 3") == [Decimal("12.5"), 7, 3]
    assert [currency_in(each) for each in ("5 usd", "5 ₽", "5 руб.", "$5", "5", Decimal(5))] == [
        "USD",
        "RUB",
        "RUB",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(("cells", "found"), DAYS)
def test_day_is_read_by_its_column(cells: tuple[Cell, ...], found: tuple[str, ...]) -> None:
    assert read(kinds.days, *cells) == [date.fromisoformat(each) for each in found]


@pytest.mark.parametrize(("cells", "fault"), NO_DAYS)
def test_unclear_day_is_refused(cells: tuple[Cell, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read(kinds.days, *cells)


ENCODINGS: Final = (
    ("Привет".encode(), "Привет", "UTF-8"),
    ("Привет".encode("windows-1251"), "Привет", "windows-1251"),
    ("Привет, Ёж №7 «ў»".encode("windows-1251"), "Привет, Ёж №7 «ў»", "windows-1251"),
    ("5 ± ½ ° ©".encode("latin-1"), "5 ± ½ ° ©", "latin-1"),
    (b"\x98\xef", "˜ï", "latin-1"),
    ("12,50 €; café; Größe".encode("windows-1252"), "12,50 €; café; Größe", "latin-1"),
    ("order 5 paid by card, Оплачено".encode("windows-1251"), "order 5 paid by card, Оплачено", "windows-1251"),
    (b"", "", "UTF-8"),
)


def test_bytes_are_text_by_one_rule() -> None:
    assert len(ENCODINGS) == 8
    for content, text, encoding in ENCODINGS:
        assert decoded(content) == (text, encoding)


_TEXT: Final = "a;b\nя;2\n"
FILES: Final[dict[str, tuple[bytes, list[tuple[str, ...]], str]]] = {
    "UTF-8": (_TEXT.encode(), [("a", "b"), ("я", "2")], ""),
    "a mark": (_TEXT.encode("utf-8-sig"), [("a", "b"), ("я", "2")], ""),
    "UTF-16": (_TEXT.encode("utf-16"), [("a", "b"), ("я", "2")], ""),
    "UTF-16 from the other end": (b"\xfe\xff" + _TEXT.encode("utf-16-be"), [("a", "b"), ("я", "2")], ""),
    "UTF-16 without a mark": (_TEXT.encode("utf-16-le"), [("a", "b"), ("я", "2")], ""),
    "windows-1251": (_TEXT.encode("windows-1251"), [("a", "b"), ("я", "2")], "windows-1251"),
    "old ends of lines": (b"a,b\r1,2\r", [("a", "b"), ("1", "2")], ""),
    "tabs": (b"a\tb\n1,5\t2", [("a", "b"), ("1,5", "2")], ""),
    "bars": (b"a|b\n1,5|2", [("a", "b"), ("1,5", "2")], ""),
    "decimal commas": (b"1,5;2,5;3,5\n4,5;5,5;6,5", [("1,5", "2,5", "3,5"), ("4,5", "5,5", "6,5")], ""),
    "a named separator": (b"sep=;\na,b;c\n1;2", [("a,b", "c"), ("1", "2")], ""),
    "a named separator in quotes": (b'"sep=|"\r\na|b\r\n1|2', [("a", "b"), ("1", "2")], ""),
    "a named separator behind a mark": (b"\xef\xbb\xbfsep=,\na,b\n1,2", [("a", "b"), ("1", "2")], ""),
    "quotes": (b'a,b\n"1;2;3","x\ny ""z"""', [("a", "b"), ("1;2;3", 'x\ny "z"')], ""),
    "rows of other lengths": (b"a,b,c\n1;2\n\n , ,\n3,4,5,,", [("a", "b", "c"), ("1;2",), ("3", "4", "5")], ""),
    "one column": (b"a\n1\n2", [("a",), ("1",), ("2",)], ""),
}


@pytest.mark.parametrize("name", list(FILES))
def test_file_is_rows_of_cells(name: str) -> None:
    content, rows, encoding = FILES[name]
    grid = read_text_grid(content, LIMITS)
    assert ([row for _, row in grid.rows], grid.encoding) == (rows, encoding)
    assert len(FILES) == 16


def test_rows_keep_their_lines() -> None:
    assert [number for number, _ in read_text_grid(b"sep=;\na;b\n\n1;2\n", LIMITS).rows] == [2, 4]


def rows_of(text: str, head: Any = "") -> tuple[Sequence[ReadRow], list[str]]:
    """Read a text as the import of conversions does; return its rows and notes."""
    table = read_head(read_text_grid(text.encode(), LIMITS), IMPORT, head=head)
    places = find_columns(table, IMPORT)
    return read_rows(table, IMPORT, places), notes_on(table, IMPORT, places)


HEADS: Final[dict[str, dict[str, str]]] = {
    "Offer,PID,Order ID,Amount": {"offer": "1", "pid": "2", "action_id": "3", "sum": "4"},
    "offer_id;affiliate-id;Click ID;STATE": {"offer": "1", "pid": "2", "click_id": "3", "status": "hold"},
    "Offer number\tAffiliate number\tCustom field 1\tOrder": {
        "offer": "1", "pid": "2", "custom_field_1": "3", "action_id": "hold",
    },
    "offer.id,partner.id,price,sum": {"offer": "1", "pid": "2", "sum": "4"},
    "offer,pid,Colour,2026": {"offer": "1", "pid": "2"},
}  # fmt: skip
"""First rows with names, and what the row 1, 2, 3, 4 (or hold) is."""


def test_head_is_known_by_its_names() -> None:
    assert len(HEADS) == 5
    for first, values in HEADS.items():
        mark = next(each for each in ",;\t" if each in first)
        last = "hold" if "hold" in values.values() else "4"
        [row], _ = rows_of(f"{first}\n{mark.join(('1', '2', '3', last))}")
        assert (row.sent, row.faults) == (values, {}), first
    assert folded(" g:Image Link ") == "image_link"


def test_first_record_without_names_is_a_record() -> None:
    for first in (
        "7,1,A1,20",
        f"{'a' * 24},confirmed",
        "A1,2026-01-31",
        "x,https://a.example",
        "x,$5.00",
        "A1;12,50 €",
    ):
        mark = ";" if ";" in first else ","
        rows, notes = rows_of(f"{first}\n7{mark}2")
        assert [each.number for each in rows] == [1, 2], first
        assert notes[0] == "The first row was read as a record, not as names of columns."
    rows, _ = rows_of("A,B\nC,D", head="record")
    assert len(rows) == 2
    rows, _ = rows_of("7,1\nC,D", head="names")
    assert len(rows) == 1


def test_unclear_first_row_is_refused() -> None:
    with pytest.raises(
        TableFault, match=r"so it may be either\. Put a row above it that names all columns, such as offer,pid"
    ):
        rows_of("7,1,order,20\n8,1,order,20")
    for text in ("", "\n \n", "offer,pid"):
        with pytest.raises(TableFault, match="each further row is one record: this file has none"):
            rows_of(text)
    with pytest.raises(TableFault, match="the column 'SUM' more than once"):
        rows_of("offer,pid,SUM,sum\n1,2,3,4")


def test_columns_without_use_are_named() -> None:
    _, notes = rows_of("offer,pid,action_id,Created at,Colour\n1,2,A,2023-01-01,red")
    assert notes == [
        "The column 'Created at' is not used: an import makes conversions at the time of the import, not at a time of "
        "the file.",
        "Columns that are not used: 'Colour'.",
    ]


def test_fault_of_a_cell_is_of_its_row_and_column() -> None:
    rows, _ = rows_of("offer;pid;action_id;sum\n7.0;1;1.23457E+14;1.234\n8;;;12,50")
    assert [(each.number, each.sent, list(each.faults)) for each in rows] == [
        (2, {"offer": "7", "pid": "1"}, ["action_id", "sum"]),
        (3, {"offer": "8", "sum": "12.50"}, []),
    ]


_PIECES: Final = st.sampled_from(
    (
        *("offer", "pid", "sum", "status", "1,234", "1e+99", "\u0661", "€", "=", "sep="),
        *('"', ";", ",", "\t", "|", "\n", "\r", "'", "0", "-"),
    )
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.lists(_PIECES, max_size=30).map(lambda pieces: "".join(pieces).encode())))
@example(b"sep= \noffer pid\n1 2")
@example(b"sep=\xff\noffer,pid\n1,2")
@example(b'"' * 50)
def test_any_bytes_are_rows_or_one_fault(content: bytes) -> None:
    try:
        table = read_head(read_text_grid(content, LIMITS), IMPORT)
        rows = read_rows(table, IMPORT, find_columns(table, IMPORT))
    except TableFault as fault:
        assert str(fault).endswith(".")
    else:
        assert rows and all(each.sent is not None for each in rows)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('offer,action_id\n1,"A1\n1,A2\n1,A3\n', 2), ('offer,action_id\n1,A1\n1,"A2', 3),
        ('"offer,action_id\n1,A1\n', 1),
        ('sep=;\noffer;action_id\n1;"A1\n1;A2\n', 3),
    ],
)  # fmt: skip
def test_quote_that_is_never_closed_names_its_row(text: str, row: int) -> None:
    with pytest.raises(TableFault, match=f"opens a cell of row {row} is never closed"):
        read_text_grid(text.encode(), LIMITS)


def test_quotes_within_and_around_cells_are_read() -> None:
    found = read_text_grid(b'a,b\n"x\ny",5" screen\n"he said ""no""",x\xe2\x80\xa8y\n\n', LIMITS)
    assert [row for _, row in found.rows] == [("a", "b"), ("x\ny", '5" screen'), ('he said "no"', "x\u2028y")]
