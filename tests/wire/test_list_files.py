"""The file of a list has the rows of its answers, page by page, as its caller may see them."""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, ClassVar

import pyarrow.parquet
import pytest
from msgspec import UNSET, UnsetType
from starlette.testclient import TestClient

from trackyard.api.paging import Paging
from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.permissions import EXPORT_FEATURES, FEATURES
from trackyard.domain.people.roles import Permission, Role
from trackyard.store.engine.audit_actor import AuditActor, current_actor
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http import list_files
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.request.params import Params
from trackyard.wire.request.scalars import Int
from trackyard.wire.response.envelope import Answer, Moment, Money, Pagination, View
from trackyard.wire.response.guards import BALANCES, Guard
from trackyard.wire.response.list_rows import list_rows

ADMIN, AFFILIATE, DENIED = "b" * 40, "c" * 40, "d" * 40
CALLERS: dict[str, Caller] = {
    ADMIN: StaffCaller("0" * 24, frozenset({Role.ADMIN})),
    AFFILIATE: AffiliateCaller(7),
    DENIED: AffiliateCaller(8, denied=frozenset({"general.billing", "stats.stats-export"})),
}


class CellRef(View):
    id: int
    name: str


class CellView(View, rename={"of": "_of"}):
    guarded: ClassVar[dict[str, Guard]] = {"balance": BALANCES}

    id: int
    of: CellRef | UnsetType = UNSET
    balance: Money = Decimal("1.5")
    rate: Money = Decimal("0.12345678901234")
    at: Moment = "2023-11-15 12:00:00"
    note: str | UnsetType = UNSET


class CellForAffiliate(View):
    id: int


class CellsAnswer(Answer):
    cells: list[CellView]
    pagination: Pagination


class CellsForAffiliate(Answer):
    cells: list[CellForAffiliate]
    pagination: Pagination


class ListCells(Paging):
    most: Int = 5


asked: list[tuple[int, int, AuditActor | None]] = []
"""The page, the limit and the actor of each answer."""


def show(request: ApiRequest[str], params: ListCells) -> CellsAnswer | CellsForAffiliate:
    """List cells."""
    place = params.place(request)
    asked.append((place["page"], place["limit"], current_actor.get()))
    first = (place["page"] - 1) * place["limit"]
    numbers = range(first, min(first + place["limit"], params.most))
    pages = params.pagination(request, params.most)
    if request.staff:
        cells = [CellView(id=each, of=CellRef(id=each, name="=x;y") if each % 2 else UNSET) for each in numbers]
        return CellsAnswer(cells=cells, pagination=pages)
    return CellsForAffiliate(cells=[CellForAffiliate(id=each) for each in numbers], pagination=pages)


def cells(**more: Any) -> Endpoint[str]:
    given: dict[str, Any] = {
        "id": "toy.cells.list", "permission": Permission.OFFERS_READ, "params": ListCells, "answer": CellsAnswer,
        "affiliate_answer": CellsForAffiliate, "handle": show,
    }  # fmt: skip
    return Endpoint(method="GET", path="/cells", **given | more)


def client_of(endpoint: Endpoint[str], key: str = ADMIN) -> TestClient:
    return TestClient(Dispatch((endpoint,), "deps", CALLERS.get, {}), headers={"API-Key": key})


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(list_files, "AT_ONCE", 2)
    monkeypatch.setattr(list_files, "MOST_ROWS", 5)
    asked.clear()
    yield


def lines_of(text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def test_list_as_a_file_has_all_pages_in_the_form_of_its_view() -> None:
    answer = client_of(cells()).get("/3.1/cells", params={"format": "csv"})
    [names, *lines] = lines_of(answer.text)
    assert names == ["id", "_of.id", "_of.name", "balance", "rate", "at", "note"]
    assert lines[:2] == [
        ["0", "", "", "1.5", "0.123457", "2023-11-15 12:00:00", ""],
        ["1", "1", "'=x;y", "1.5", "0.123457", "2023-11-15 12:00:00", ""],
    ]
    assert [line[0] for line in lines] == ["0", "1", "2", "3", "4"]
    assert answer.headers["x-total-count"] == "5"
    assert answer.headers["content-disposition"] == 'attachment; filename="toy-cells.csv"'


def test_every_page_of_a_file_has_the_actor_of_its_request() -> None:
    assert client_of(cells()).get("/3.1/cells", params={"format": "csv"}).status_code == 200
    assert [(page, limit) for page, limit, _ in asked] == [(1, 2), (2, 2), (3, 2)]
    actors = [actor for _, _, actor in asked]
    assert actors[0] is not None and actors == [actors[0]] * 3
    assert (actors[0].staff_id, actors[0].method) == ("0" * 24, "toy.cells.list")
    asked.clear()
    assert client_of(cells(), AFFILIATE).get("/3.1/cells", params={"format": "csv"}).status_code == 200
    assert [actor for _, _, actor in asked] == [None] * 3, "a read of an affiliate is not an act of the audit log"


def test_report_is_computed_once_for_its_file() -> None:
    answer = client_of(cells(report=True)).get("/3.1/cells", params={"format": "csv"})
    assert len(lines_of(answer.text)) == 6
    assert [(page, limit) for page, limit, _ in asked] == [(1, 5)]


@pytest.mark.parametrize(("sent", "ids"), [({"limit": "2"}, [0, 1]), ({"page": "2", "limit": "4"}, [4, 5])])
def test_page_of_a_list_as_a_file(sent: dict[str, str], ids: list[int]) -> None:
    answer = client_of(cells()).get("/3.1/cells", params={"format": "parquet", "most": "6", **sent})
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(answer.content))
    assert table["id"].to_pylist() == ids
    assert len(asked) == 1


def test_list_of_more_rows_than_a_file_has_is_refused() -> None:
    client = client_of(cells())
    refused = client.get("/3.1/cells", params={"format": "csv", "most": "6"})
    text = "This list has 6 rows, and a file at most 5: narrow it with filters, or send page and limit."
    assert (refused.status_code, refused.json()["fields"]) == (400, {"format": [text]})
    assert client.get("/3.1/cells", params={"most": "6"}).json()["pagination"]["total_count"] == 6


def test_mark_and_separator_are_by_choice() -> None:
    client = client_of(cells())
    for name in ("mark", "bom"):
        answer = client.get("/3.1/cells", params={"format": "csv", name: "1", "separator": ";"})
        assert answer.content.startswith("\ufeffid;_of.id;".encode())
    assert '"\'=x;y"' in answer.text
    assert lines_of(answer.text, ";")[2][2] == "'=x;y"
    wrong = client.get("/3.1/cells", params={"format": "xls", "separator": "x"})
    assert wrong.json()["fields"] == {
        "format": ["This value must be one of: json, csv, parquet."],
        "separator": ['This value must be one of: ",", ";".'],
    }


def test_file_has_the_view_of_its_caller_without_hidden_figures() -> None:
    of_affiliate = client_of(cells(), AFFILIATE).get("/3.1/cells", params={"format": "csv"})
    assert of_affiliate.text.split() == ["id", "0", "1", "2", "3", "4"]
    guarded = cells(affiliate_answer=None, handle=_show_all)
    assert client_of(guarded).get("/3.1/cells?format=csv").text.split("\r\n")[1].split(",")[3] == "1.5"
    denied = client_of(guarded, DENIED).get("/3.1/cells?format=csv").text.split("\r\n")[1].split(",")
    assert denied[3] == "0"


def _show_all(request: ApiRequest[str], params: ListCells) -> CellsAnswer:
    """List cells."""
    return CellsAnswer(cells=[CellView(id=1)], pagination=params.pagination(request, 1))


def test_file_of_a_report_needs_the_right_to_export() -> None:
    statistics = cells(report=True, permission=Permission.STATS_COMMON)
    client = client_of(statistics, DENIED)
    assert client.get("/3.1/cells").status_code == 200
    refused = client.get("/3.1/cells", params={"format": "csv"})
    assert (refused.status_code, refused.json()["code"]) == (403, "stats.stats-export")
    assert client_of(statistics, AFFILIATE).get("/3.1/cells?format=csv").status_code == 200
    assert cells(permission=Permission.STATS_COMMON).file_features == (), "a list that is not a report"
    assert set(EXPORT_FEATURES.values()) <= FEATURES.keys()


def test_rows_of_maps_have_their_keys_where_they_have_no_id() -> None:
    class WordView(View):
        word: str

    class WordsAnswer(Answer):
        words: dict[str, WordView]

    class NamesAnswer(Answer):
        names: dict[str, str]
        all_items: int

    class TwoListsAnswer(Answer):
        some: list[WordView]
        others: list[WordView]

    words, names = list_rows(WordsAnswer), list_rows(NamesAnswer)
    assert words is not None and names is not None
    assert [each.name for each in words.columns] == ["key", "word"]
    assert words.rows_of(WordsAnswer(words={"a": WordView(word="b")})) == [["a", "b"]]
    assert [each.name for each in names.columns] == ["key", "value"]
    found = NamesAnswer(names={"a": "b"}, all_items=4)
    assert (names.rows_of(found), names.total_of(found)) == ([["a", "b"]], 4)
    assert list_rows(TwoListsAnswer) is None


def test_method_that_is_not_a_list_has_no_file() -> None:
    class OneAnswer(Answer):
        cell: CellRef

    class NoFile(Params):
        most: Int = 1

    one = cells(answer=OneAnswer, affiliate_answer=None, params=NoFile)
    assert (one.file_export, one.params) == (None, NoFile)
