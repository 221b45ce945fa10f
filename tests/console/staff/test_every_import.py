"""Every import of the product reads the same cells and files alike.

docs/spec/platform.md#tables
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest

import trackyard
from tests.contract.requests.money import add_payment
from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, staff_visitor
from tests.support.spreadsheets import book, sheet_xml

ROOT: Final = Path(trackyard.__file__).parent
Row = tuple[str, str]
"""An id and an amount, as a file has them."""
Found = list[tuple[str, Decimal]] | str
"""What an import made of a file: ids with their amounts, or the sentence of its refusal."""
_SHORT: Final = "is a number that a spreadsheet shortened"
_THOUSAND: Final = "may be a thousand or a fraction"
CELLS: Final[dict[Row, tuple[str, str] | str]] = {
    ("A-1", "12,50"): ("A-1", "12.5"),
    ("A-2", "1.234,50"): ("A-2", "1234.5"),
    ("A-3", "1,234.50"): ("A-3", "1234.5"),
    ("A-4", "$5.00"): ("A-4", "5"),
    ("A-5", "12,50 USD"): ("A-5", "12.5"),
    ("A-6", "1\u00a0234,5"): ("A-6", "1234.5"),
    ('="007"', "7"): ("007", "7"),
    ("я-1", "0.125"): ("я-1", "0.125"),
    ("A-8", "1,234"): _THOUSAND,
    ("A-9", "1.234"): _THOUSAND,
    ("A-10", "much"): "is not an amount",
    ("A-11", "=1+1"): "this is a formula",
    ("1.23457E+14", "5"): _SHORT,
    ("1,23457E+14", "5"): _SHORT,
}
"""Cells of a row, and what each import reads or says."""


def _quoted(rows: Sequence[Sequence[str]], mark: str) -> str:
    return "".join(mark.join('"' + each.replace('"', '""') + '"' for each in row) + "\r\n" for row in rows)


def _sheet(rows: Sequence[Sequence[str]]) -> bytes:
    return book(First=sheet_xml(rows))


FILES: Final[dict[str, Callable[[Sequence[Sequence[str]]], bytes]]] = {
    "commas": lambda rows: _quoted(rows, ",").encode(),
    "semicolons": lambda rows: _quoted(rows, ";").encode(),
    "bars": lambda rows: _quoted(rows, "|").encode(),
    "no quotes": lambda rows: "\n".join(";".join(row) for row in rows).encode(),
    "a byte order mark": lambda rows: _quoted(rows, ",").encode("utf-8-sig"),
    "Unicode text": lambda rows: _quoted(rows, "\t").encode("utf-16"),
    "windows-1251": lambda rows: _quoted(rows, ";").encode("windows-1251"),
    "a named separator": lambda rows: b"sep=;\r\n" + _quoted(rows, ";").encode(),
    "a spreadsheet": _sheet,
}
"""Forms of a file."""


class ImportWorld:
    """An installation with what the imports name."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(
            advertiser=self.advertiser, **{"payments[0][total]": "10", "payments[0][type]": "percent"}
        )
        self.pid, _ = api.add_affiliate()
        self.staff = staff_visitor(api)

    def upload(self, path: str, content: bytes, **fields: str) -> str:
        """Send a file as a form does; return the text of the page."""
        token = PageReader(self.staff.get(path).text).fields["form_token"]
        sent = {"form_token": token, "text": "", "csv": "", **fields}
        return str(_client(self.staff).post(path, data=sent, files={"file": ("f", content, "")}).text)

    def post(self, path: str, content: bytes, **fields: str) -> Any:
        """Send a file to a method; return its answer."""
        return self.api.admin.call("POST", f"/3.1{path}", data=fields, files={"file": ("f", content, "")})


def _client(visitor: Visitor) -> Any:
    return visitor.client


def _read_page(text: str, id_place: int, amount_place: int) -> Found:
    """Return what a page says of the rows that it read."""
    part = text.partition("<h2>As it was read</h2>")[2].partition("</section>")[0]
    rows = [
        re.findall(r"<td[^>]*>(.*?)</td>", each) for each in re.findall(r"<tr>(.*?)</tr>", part.partition("<tbody>")[2])
    ]
    assert rows, text
    if "Not read" in part:
        return unescape(text)
    return [(unescape(row[id_place]), Decimal(row[amount_place])) for row in rows]


def _conversions(world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    head = ("offer", "pid", "action_id", "sum", "status")
    lines = [head, *((f"{world.offer}.0", str(world.pid), *row, "Approved") for row in rows)]
    return _read_page(world.upload("/console/conversions/import", FILES[form](lines)), 3, 4)


def _ad_costs(world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    head = ("offer", "pid", "Day", "Sub 8", "Spend")
    lines = [head, *((f"{world.offer}.0", str(world.pid), "14.11.2023", *row) for row in rows)]
    return _read_page(world.upload("/console/ad-costs/import", FILES[form](lines)), 4, 5)


def _compared(path: str, world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    lines = [("Order ID", "Amount", "Status"), *((*row, "Approved") for row in rows)]
    answer = world.post(path, FILES[form](lines), date_from="2023-11-14", date_to="2023-11-15", currency="USD")
    if answer.status_code == 400:
        return str(answer.json())
    found = answer.json()["differences"]
    assert {each["their_status"] for each in found} == {"confirmed"}
    return [(each["action_id"], Decimal(str(each["their_sum"]))) for each in found]


def _of_advertiser(world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    return _compared(f"/admin/advertiser/{world.advertiser}/comparisons", world, rows, form)


def _of_affiliate(world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    return _compared(f"/admin/partner/{world.pid}/comparisons", world, rows, form)


def _feed(world: ImportWorld, rows: Sequence[Row], form: str) -> Found:
    lines = [("ID", "Title", "g:link", "Price"), *((id, "Boots", "https://a.example", price) for id, price in rows)]
    answer = world.post("/admin/product-feed/check", FILES[form](lines))
    if answer.status_code == 400:
        return str(answer.json())
    return [(each["sku"], Decimal(each["price"])) for each in answer.json()["first"]]


IMPORTS: Final = {
    "conversions by staff": _conversions,
    "ad costs": _ad_costs,
    "comparison of an advertiser": _of_advertiser,
    "comparison of an affiliate": _of_affiliate,
    "product feed": _feed,
}


@pytest.fixture
def world(api: Api) -> ImportWorld:
    return ImportWorld(api)


@pytest.mark.parametrize("name", list(IMPORTS))
def test_every_import_reads_the_same_cells(world: ImportWorld, name: str) -> None:
    assert (len(IMPORTS), len(CELLS)) == (5, 14)
    for row, expected in CELLS.items():
        found = IMPORTS[name](world, [row], "semicolons")
        if isinstance(expected, str):
            assert isinstance(found, str) and expected in found, (row, found)
        else:
            assert found == [(expected[0], Decimal(expected[1]))], (row, found)


@pytest.mark.parametrize("name", list(IMPORTS))
def test_every_import_reads_the_same_files(world: ImportWorld, name: str) -> None:
    assert len(FILES) == 9
    rows = [("я-1", "12,50"), ("A-2", "1.234,50")]
    for form in FILES:
        assert IMPORTS[name](world, rows, form) == [("я-1", Decimal("12.5")), ("A-2", Decimal("1234.5"))], form


def test_results_of_payments_are_read_from_the_same_files(world: ImportWorld) -> None:
    """Their ids are numbers of payments, so that they have a test of their own."""
    number = add_payment(world.api)
    [made] = world.api.admin.get("/3.1/admin/payments", **{"id[]": number})["payments"]
    amount = f"{made['amount']:.2f}".replace(".", ",")
    for form in FILES:
        lines = [("Payment number", "Status", "Amount"), (f"{number}.0", "Completed", f"{amount} USD")]
        text = world.upload("/console/payments/results", FILES[form](lines))
        assert f">{number}<" in text and ">Paid<" in text and "Refused" not in text, (form, text)


def test_no_code_but_the_reader_reads_files_of_rows() -> None:
    forbidden = re.compile(r"\bcsv\.reader\b|DictReader|calamine|openpyxl|utf-8-sig|csv import|\bxlrd\b")
    users = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if forbidden.search(path.read_text())}
    assert users == {"actions/platform/spreadsheet_child.py", "domain/platform/tables/grids.py"}


def test_every_file_of_rows_is_in_the_table_of_imports() -> None:
    """A new import declares its columns, and is read in the tests above."""
    places = [(path, path.read_text()) for path in ROOT.rglob("*.py")]
    declared = {str(path.relative_to(ROOT)) for path, text in places if re.search(r"\bTableForm\($", text, re.M)}
    assert declared == {
        "domain/conversions/tables.py",
        "domain/conversions/comparisons/files.py",
        "domain/money/result_tables.py",
        "domain/offers/feeds/product_feeds.py",
        "console/staff/ad_costs/importing.py",
    }
