"""Answers that are files: the form of a row, and a body that is read while it is sent."""

import asyncio
import csv
import io
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import field
from starlette.testclient import TestClient

from tests.support.models.events import NOON
from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.base.errors import BadInput, ReportTooHeavy, RequestCancelled
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.openapi.document import document
from trackyard.wire.request.params import Params
from trackyard.wire.request.scalars import Int
from trackyard.wire.response.csv_columns import FORMULA_STARTS, csv_of
from trackyard.wire.response.envelope import Answer, Moment, Money, View, number
from trackyard.wire.response.exports import (
    ColumnBlock,
    ExportColumn,
    ExportParams,
    ExportTable,
    FileExport,
    columns_of,
    nested_columns,
    table_of,
    type_of,
)
from trackyard.wire.response.parquet import parquet_of
from trackyard.wire.response.streaming import ExportResponse, ExportsBusy, ExportSlots, TooManyExports

ADMIN = "b" * 40


class ThingRef(View):
    id: int
    title: str


class RowView(View):
    number: int
    text: str | None = None
    amount: Money = Decimal(0)
    at: Moment | None = None
    new: bool = False
    thing: ThingRef | None = None
    nothing: None = None
    more: list[str] = field(default_factory=list)


COLUMNS = ["number", "text", "amount", "at", "new", "thing.id", "thing.title", "nothing", "more"]
ZONE = ZoneInfo("Asia/Kathmandu")


class RowsAnswer(Answer):
    rows: list[RowView]


class RowCountParams(ExportParams):
    """How many."""

    most: Int = 3


reads: list[int] = []


def show(call: ApiRequest[str], params: RowCountParams) -> RowsAnswer:
    """Show rows."""
    return RowsAnswer(rows=[])


def rows(call: ApiRequest[str], params: RowCountParams) -> ExportTable:
    """The rows."""
    if params.most == 13:
        raise BadInput({"most": ["Not that one."]})
    return table_of(RowView, read(params.most), ZONE, period="2026", count=lambda: params.most)


def read(most: int) -> Iterator[RowView]:
    try:
        for number in range(most):
            reads.append(number)
            if most == 14:
                raise ReportTooHeavy
            if number == 60_000:
                raise RuntimeError("the store is gone")
            yield RowView(number=number)
    finally:
        reads.append(-1)


def endpoint(**more: object) -> Endpoint[str]:
    given = {
        "method": "GET",
        "params": RowCountParams,
        "file_export": FileExport("rows", (RowView,), rows, "Also this."),
    } | more
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
        ("\n=1", "'\n=1"),
        ("＝1", "'＝1"),
        (None, ""),
        ("", ""),
    ],
)
def test_csv_export_escapes_text(text: str | None, cell: str) -> None:
    written = b"".join(as_csv([RowView(number=1, text=text)])).decode()
    assert list(csv.reader(io.StringIO(written, newline=""))) == [
        COLUMNS,
        ["1", cell, "0", "", "false", *[""] * 3, "[]"],
    ]


def as_csv(views: Iterable[RowView]) -> Iterator[bytes]:
    table = table_of(RowView, views, ZONE)
    return csv_of(table, table.pieces)


def as_parquet(views: Iterable[RowView]) -> pyarrow.Table:
    table = table_of(RowView, views, ZONE)
    return pyarrow.parquet.read_table(pyarrow.BufferReader(b"".join(parquet_of(table, table.pieces))))


def test_csv_export_renders_every_value_type() -> None:
    thing = ThingRef(id=5, title='a "b"')
    view = RowView(number=-1, amount=Decimal("-7.5"), at=NOON, new=True, thing=thing, more=["=a"])  # type: ignore[arg-type]
    [names, row] = b"".join(as_csv([view])).decode().splitlines()
    assert names == ",".join(COLUMNS)
    assert row == '-1,,-7.5,2023-11-15 17:45:00,true,5,"a ""b""",,"[""=a""]"'


def test_parquet_export_renders_every_value_type() -> None:
    thing = ThingRef(id=5, title="=a")
    full = RowView(number=-1, text="x", amount=Decimal("-7.5"), at=NOON + 1, new=True, thing=thing, more=["=a"])  # type: ignore[arg-type]
    table = as_parquet([full, RowView(number=2**62)])
    assert table.column_names == COLUMNS
    assert [str(kind) for kind in table.schema.types] == [
        "int64", "string", "decimal128(18, 4)", "timestamp[ms, tz=UTC]", "bool", "int64", "string", "string", "string",
    ]  # fmt: skip
    at = datetime(2023, 11, 15, 12, 0, 0, 1000, UTC)
    assert [list(row.values()) for row in table.to_pylist()] == [
        [-1, "x", Decimal("-7.5"), at, True, 5, "=a", None, '["=a"]'],
        [2**62, None, Decimal(0), None, False, None, None, None, "[]"],
    ]


TEXT = (
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4) | st.text('=+-@\t\r\n＝,"a', max_size=4)
)
AMOUNT = st.integers(-(10**14), 10**14).map(lambda scaled: number(Decimal(scaled).scaleb(-4)))
MOMENT_MS = st.none() | st.integers(0, 4_000_000_000_000) | st.integers(0, 40_000_000).map(lambda at: NOON + at)
THINGS = st.none() | st.builds(ThingRef, id=st.integers(0, 3), title=st.sampled_from(["", "=a", 'b"', "c"]))
VIEWS = st.builds(
    RowView, number=st.integers(-(2**63), 2**63 - 1), text=TEXT, amount=AMOUNT, at=MOMENT_MS, new=st.booleans(),
    thing=THINGS, more=st.lists(st.text("a,\""), max_size=2),
)  # fmt: skip


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/New_York"])
@given(views=st.lists(VIEWS, min_size=1, max_size=30), dictionaries=st.booleans())
def test_columnar_export_equals_row_export(zone: str, views: list[RowView], dictionaries: bool) -> None:
    clock = ZoneInfo(zone)
    table = table_of(RowView, views, clock)
    [block] = table.pieces
    rows = list(zip(*(array.to_pylist() for array in block.arrays), strict=True))
    by_column = ColumnBlock(tuple(arrays_of(columns_of(RowView), rows, dictionaries)))
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\r\n").writerows(cells_of(view, clock) for view in views)
    assert b"".join(csv_of(table, iter([by_column]))).partition(b"\r\n")[2] == expected.getvalue().encode()
    [ours, theirs] = [b"".join(parquet_of(table, iter([piece]))) for piece in (by_column, block)]
    assert pyarrow.parquet.read_table(pyarrow.BufferReader(ours)).equals(
        pyarrow.parquet.read_table(pyarrow.BufferReader(theirs))
    )


def cells_of(view: RowView, zone: ZoneInfo) -> list[Any]:
    """Return the cells of a row, as an own writer of CSV makes them."""
    thing = (None, None) if view.thing is None else (view.thing.id, view.thing.title)
    at = None if view.at is None else datetime.fromtimestamp(view.at // 1000, zone).strftime("%Y-%m-%d %H:%M:%S")
    values = [view.number, view.text, view.amount, at, "true" if view.new else "false", *thing, None]
    shown = [f"'{text}" if isinstance(text, str) and text[:1] in FORMULA_STARTS and text else text for text in values]
    return [*shown, msgspec.json.encode(view.more).decode()]


def arrays_of(columns: tuple[ExportColumn, ...], rows: list[Any], dictionaries: bool) -> Iterator[Any]:
    for column, values in zip(columns, zip(*rows, strict=True), strict=True):
        array = pyarrow.array(values, type=type_of(column.kind))
        yield array.dictionary_encode() if dictionaries else array


def test_columnar_export_looks_up_each_key_once() -> None:
    asked: list[int] = []

    def thing(key: int) -> ThingRef | None:
        asked.append(key)
        return ThingRef(id=key, title=f"t{key}") if key else None

    columns = nested_columns(ThingRef, "thing", pyarrow.array([3, 0, 3, 5, 3]), thing)
    assert {name: array.to_pylist() for name, array in columns.items()} == {
        "thing.id": [3, None, 3, 5, 3], "thing.title": ["t3", None, "t3", "t5", "t3"],
    }  # fmt: skip
    assert sorted(asked) == [0, 3, 5]


def test_export_without_rows_has_header_only() -> None:
    assert b"".join(as_csv([])).decode() == ",".join(COLUMNS) + "\r\n"
    assert (as_parquet([]).num_rows, as_parquet([]).column_names) == (0, COLUMNS)


def test_parquet_export_row_groups_are_bounded() -> None:
    table = table_of(RowView, read(60_000), ZONE)
    pieces = [piece for piece in parquet_of(table, table.pieces) if piece]
    file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(b"".join(pieces)))
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    assert [group.num_rows for group in groups] == [25_000, 25_000, 10_000]
    assert len(pieces) == 4, "a group leaves when it is full, after the four letters that a file begins with"
    assert {group.column(0).compression for group in groups} == {"ZSTD"}
    assert file.read(["number"])["number"].to_pylist() == list(range(60_000))


def test_export_response_has_file_headers(client: TestClient) -> None:
    response = client.get("/3.1/rows", params={"format": "csv", "typo": "1"})
    assert response.text == f"{','.join(COLUMNS)}\r\n0,,0,,false,,,,[]\r\n1,,0,,false,,,,[]\r\n2,,0,,false,,,,[]\r\n"
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="rows_2026.csv"'
    assert response.headers["x-ignored-parameters"] == "typo"
    assert response.headers["x-total-count"] == "3"
    assert "x-ratelimit-limit" in response.headers
    assert "content-length" not in response.headers
    assert client.get("/3.1/rows").json() == {"status": 1, "rows": []}
    response = client.get("/3.1/rows", params={"format": "parquet"})
    assert response.headers["content-type"] == "application/vnd.apache.parquet"
    assert response.headers["content-disposition"] == 'attachment; filename="rows_2026.parquet"'
    assert pyarrow.parquet.read_table(pyarrow.BufferReader(response.content))["number"].to_pylist() == [0, 1, 2]


def test_export_rejected_or_head_request_reads_no_rows(client: TestClient) -> None:
    reads.clear()
    refused = client.get("/3.1/rows", params={"format": "csv", "most": "13"})
    assert (refused.status_code, refused.json()["fields"]) == (400, {"most": ["Not that one."]})
    refused = client.get("/3.1/rows", params={"format": "xml"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["format"])
    head = client.head("/3.1/rows", params={"format": "csv"})
    assert (head.status_code, head.content, head.headers["content-type"]) == (200, b"", "text/csv; charset=utf-8")
    assert reads == []


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_error_in_first_rows_is_an_error_response(client: TestClient, form: str) -> None:
    refused = client.get("/3.1/rows", params={"format": form, "most": "14"})
    assert (refused.status_code, refused.json()["code"]) == (503, "report_too_heavy")


def test_export_rows_are_read_while_sent() -> None:
    reads.clear()
    pieces = as_csv(read(10**9))
    assert next(pieces).startswith(b"number,")
    assert reads == []
    assert next(pieces).startswith(b"0,,0")
    assert len(reads) == 1000


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_that_breaks_closes_connection(client: TestClient, form: str) -> None:
    for _ in range(3):  # its place is given back
        with pytest.raises(RuntimeError, match="the store is gone"):  # the server ends the connection
            client.get("/3.1/rows", params={"format": form, "most": "70000"})
    assert reads[-1] == -1


def sending(most: int, cleanup: ExitStack) -> ExportResponse:
    return ExportResponse("rows", "csv", table_of(RowView, read(most), ZONE), cleanup)


def test_export_stops_reading_when_client_disconnects() -> None:
    reads.clear()
    ended: list[str] = []
    cleanup = ExitStack()
    cleanup.callback(ended.append, "thread")
    file = sending(50_000, cleanup)
    file.loop_cleanup.callback(ended.append, "loop")
    gone = asyncio.Event()
    bodies: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        bodies.append(message)
        if len(bodies) == 4:
            gone.set()
            await asyncio.sleep(60)  # a client that reads nothing

    asyncio.run(file({"type": "http", "method": "GET"}, receive, send))  # type: ignore[arg-type]
    assert ended == ["thread", "loop"]
    assert reads[-1] == -1 and len(reads) < 5000
    assert all(body.get("more_body") for body in bodies[1:]), "it does not end as if it were whole"


def test_export_query_is_cancelled_when_client_disconnects() -> None:
    who, seen = CancellationToken("a"), list[CancellationToken | None]()
    waits, gone = threading.Event(), asyncio.Event()

    def named() -> Iterator[RowView]:
        for place in range(2000):
            seen.append(current_cancellation.get())
            yield RowView(number=place)
        with who.on_cancel(waits.set):  # as one that waits for its turn
            loop.call_soon_threadsafe(gone.set)
            assert waits.wait(10)
        raise RequestCancelled

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        assert message.get("more_body") or message["type"] == "http.response.start"

    async def run() -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        before = current_cancellation.set(who)
        file = ExportResponse("rows", "csv", table_of(RowView, named(), ZONE), ExitStack())
        current_cancellation.reset(before)
        await file({"type": "http", "method": "GET"}, receive, send)  # type: ignore[arg-type]

    loop: asyncio.AbstractEventLoop
    asyncio.run(run())
    assert who.is_cancelled and set(seen) == {who}


def test_exports_running_are_limited_per_caller_and_in_total() -> None:
    exports = ExportSlots()
    mine = [exports.slot("a", affiliate=False) for _ in range(2)]
    with pytest.raises(TooManyExports, match="exports that run are 2") as refused:
        exports.slot("a", affiliate=False)
    assert (refused.value.status, refused.value.code) == (429, "too_many_exports")
    others = [exports.slot(name, affiliate=False) for name in ("b", "c", "d", "e")]
    with pytest.raises(ExportsBusy, match="6 exports are running") as busy:
        exports.slot("f", affiliate=False)
    assert (busy.value.status, busy.value.retry_after) == (503, 5)
    mine[0].close()
    others[0].close()
    exports.slot("a", affiliate=False)
    exports.slot("f", affiliate=False)


@pytest.mark.parametrize(("method", "form"), [("GET", "csv"), ("GET", "parquet"), ("HEAD", "csv")])
def test_place_of_an_export_is_free_when_the_last_byte_is_sent(method: str, form: str) -> None:
    exports, free = ExportSlots(), list[str]()
    response = ExportResponse("f", form, table_of(RowView, read(3), ZONE), exports.slot("a", affiliate=True))
    response.loop_cleanup.callback(free.append, "report")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            exports.slot("a", affiliate=True).close()  # the next file of the client
            free.append("file")

    async def receive() -> dict[str, str]:
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    asyncio.run(response({"method": method}, receive, send))
    assert free == ["report", "file"]


def test_exports_of_affiliates_leave_places_for_staff() -> None:
    exports = ExportSlots()
    first = exports.slot("affiliate:1", affiliate=True)
    with pytest.raises(TooManyExports, match="exports that run are 1"):
        exports.slot("affiliate:1", affiliate=True)
    exports.slot("affiliate:2", affiliate=True)
    with pytest.raises(ExportsBusy, match="2 exports of affiliates are running"):
        exports.slot("affiliate:3", affiliate=True)
    for name in ("staff:a", "staff:a", "staff:b", "staff:b"):
        exports.slot(name, affiliate=False)
    first.close()
    exports.slot("affiliate:3", affiliate=True)
    with pytest.raises(ExportsBusy, match="6 exports are running"):
        exports.slot("staff:c", affiliate=False)


def test_export_endpoint_is_a_get() -> None:
    with pytest.raises(TypeError, match="a file is the answer of a GET"):
        endpoint(method="POST")


def test_export_endpoint_gets_the_parameters_of_a_file_after_its_own() -> None:
    class Plain(Params):
        most: Int = 3

    made = endpoint(params=Plain).params
    assert list(made.model_fields) == ["most", "format", "mark", "separator"]
    assert issubclass(made, Plain) and made.__module__ == Plain.__module__
    assert endpoint().params is RowCountParams, "which has them"


def test_openapi_document_describes_export_formats() -> None:
    described = document((endpoint(),), version="1")["paths"]["/3.1/rows"]["get"]
    content = described["responses"]["200"]["content"]
    said = f"Columns: {', '.join(COLUMNS)}. Also this."
    assert content["text/csv"]["schema"]["description"] == f"A line of names, then a line for each. {said}"
    assert content["application/vnd.apache.parquet"]["schema"]["description"] == said
    [asked] = [each for each in described["parameters"] if each["name"] == "format"]
    assert asked["schema"]["enum"] == ["json", "csv", "parquet"]
