"""Answers that are files: the form of a row, and a body that is read while it is sent."""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal

import pytest
from msgspec import field
from starlette.testclient import TestClient

from trackyard.base.errors import BadInput
from trackyard.domain.callers import StaffCaller
from trackyard.domain.roles import Permission, Role
from trackyard.wire.dispatch import Dispatch
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer, View
from trackyard.wire.openapi import document
from trackyard.wire.params import Params
from trackyard.wire.scalars import Int
from trackyard.wire.sheets import Exported, Sheet, lines

ADMIN = "b" * 40


class RowView(View):
    number: int
    text: str | None = None
    amount: Decimal = Decimal(0)
    more: list[str] = field(default_factory=list)


class RowsAnswer(Answer):
    rows: list[RowView]


class Chosen(Exported):
    """How many."""

    most: Int = 3


reads: list[int] = []


def show(call: Call[str], params: Chosen) -> RowsAnswer:
    """Show rows."""
    return RowsAnswer(rows=[])


def rows(call: Call[str], params: Chosen) -> Iterator[RowView]:
    """The rows; none are given out of order."""
    if params.most == 13:
        raise BadInput({"most": ["Not that one."]})
    return read(params.most)


def read(most: int) -> Iterator[RowView]:
    for number in range(most):
        reads.append(number)
        if number == 20_000:
            raise RuntimeError("the store is gone")
        yield RowView(number=number)


def endpoint(**more: object) -> Endpoint[str]:
    given = {"method": "GET", "params": Chosen, "sheet": Sheet("rows", RowView, rows)} | more
    return Endpoint(
        id="toy.rows", path="/rows", permission=Permission.OFFERS_READ, answer=RowsAnswer, handle=show,
        **given,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.fixture
def client() -> TestClient:
    callers = {ADMIN: StaffCaller("0" * 24, frozenset({Role.ADMIN}))}
    app = Dispatch((endpoint(),), "deps", callers.get, {})
    return TestClient(app, headers={"API-Key": ADMIN})


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"),
        ("=SUM(A1)", "'=SUM(A1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("a=1", "a=1"),
        ('say "a", b\nc', 'say "a", b\nc'),
        ("ü€", "ü€"),
        (None, ""),
        ("", ""),
    ],
)
def test_text(text: str | None, cell: str) -> None:
    written = b"".join(lines(["number", "text"], [RowView(number=1, text=text)])).decode()
    assert list(csv.reader(io.StringIO(written, newline=""))) == [["number", "text"], ["1", cell]]


def test_numbers_and_lists_are_no_text() -> None:
    view = RowView(number=-1, amount=Decimal("-7.5"), more=["=a"])
    assert b"".join(lines(["number", "amount", "more"], [view])) == b'number,amount,more\r\n-1,-7.5,"[""=a""]"\r\n'


def test_a_file_and_its_headers(client: TestClient) -> None:
    response = client.get("/3.1/rows", params={"format": "csv", "typo": "1"})
    assert response.text == "number,text,amount,more\r\n0,,0,[]\r\n1,,0,[]\r\n2,,0,[]\r\n"
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="rows.csv"'
    assert response.headers["x-ignored-parameters"] == "typo"
    assert "x-ratelimit-limit" in response.headers
    assert "content-length" not in response.headers
    assert client.get("/3.1/rows").json() == {"status": 1, "rows": []}


def test_nothing_is_read_before_a_refusal_or_for_head(client: TestClient) -> None:
    reads.clear()
    refused = client.get("/3.1/rows", params={"format": "csv", "most": "13"})
    assert (refused.status_code, refused.json()["fields"]) == (400, {"most": ["Not that one."]})
    assert client.get("/3.1/rows", params={"format": "xml"}).status_code == 400
    head = client.head("/3.1/rows", params={"format": "csv"})
    assert (head.status_code, head.content, head.headers["content-type"]) == (200, b"", "text/csv; charset=utf-8")
    assert reads == []


def test_rows_are_read_as_they_are_sent() -> None:
    reads.clear()
    pieces = lines(["number"], read(10**9))
    assert next(pieces) == b"number\r\n"
    assert reads == []
    assert next(pieces).startswith(b"0\r\n1\r\n")
    assert len(reads) == 500


def test_a_file_that_breaks_is_not_whole(client: TestClient) -> None:
    with pytest.raises(RuntimeError, match="the store is gone"):  # the server ends the connection
        client.get("/3.1/rows", params={"format": "csv", "most": "30000"})


@pytest.mark.parametrize("wrong", [{"method": "POST"}, {"params": Params}])
def test_a_file_needs_a_get_with_the_parameter(wrong: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="format"):
        endpoint(**wrong)


def test_the_document_tells_of_files() -> None:
    described = document((endpoint(),), version="1")["paths"]["/3.1/rows"]["get"]
    assert described["responses"]["200"]["content"]["text/csv"]["schema"]["description"] == (
        "A line of names, then a line for each: number, text, amount, more."
    )
    [asked] = [each for each in described["parameters"] if each["name"] == "format"]
    assert asked["schema"]["enum"] == ["json", "csv"]
