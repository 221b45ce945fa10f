"""Clicks, conversions and custom statistics as files: the pages of JSON, glued together and laid flat."""

import asyncio
import csv
import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import psutil
import pyarrow
import pyarrow.parquet
import pytest

from tests.support.api import Api, installed
from tests.support.client import FORBIDDEN_TO_AFFILIATES, ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.stores.analytics import address
from tests.support.stores.shared_statements import open_database
from trackyard.actions.statistics import exports
from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report
from trackyard.store.engine.database import Database

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-17"}
FILTERED = {f"filter[{name}]": day for name, day in PERIOD.items()}
CONTAINERS = ("slice", "actions")
CONVERTED = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 20, 25, 30, 35)
ZONE = "Asia/Kathmandu"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def filled(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An installation that is looked at only."""
    path = tmp_path_factory.mktemp("exports") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    analytics = Analytics.open(address(), database="exports")
    migrate(analytics)
    yield fill(installed(database, analytics))
    database.close()
    analytics.close()


def fill(api: Api) -> Api:
    """An installation with 40 clicks and 17 conversions in three days.

    They are of two affiliates; some text is a formula to spreadsheets.
    """
    advertiser = api.add_advertiser(title="@Shop")
    offers = [api.add_offer(advertiser=advertiser, title='=Sh"o,es'), api.add_offer(advertiser=advertiser)]
    affiliates = [api.add_affiliate()[0], api.add_affiliate()[0]]
    clicks = []
    for number in range(40):
        of = {"offer": offers[number % 2], "affiliate": affiliates[number % 3 == 0], "advertiser": advertiser}
        text = {"sub1": ["plain", "=1+1", 'a,b\n"c"', "Ж"][number % 4], "ua": "\t=x", "referrer": "https://a.example/"}
        clicks.append(new_click(number, time=NOON + number % 3 * 86_400_000 + number // 4, **of | text))
    load_clicks(api.deps, [*clicks, new_click(99, reason="bot")])
    for number in CONVERTED:
        click = clicks[number]
        of = {"offer_id": click.offer, "affiliate_id": click.affiliate, "advertiser_id": advertiser}
        status = (Status.CONFIRMED, Status.PENDING, Status.NOT_FOUND, Status.HOLD)[number % 4]
        payout = Decimal("7.1234") if number % 2 else Decimal(0)
        add_conversion(
            api.deps, number, **of, status=status, payout=payout, comment="-2+3",
            click={"sub1": click.sub1, "time": click.time},
            hold_until=click.time + 86_400_000 if status is Status.HOLD else None,
        )  # fmt: skip
    return api


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """A record of JSON by the paths of its values."""
    if not isinstance(value, dict):
        return {name: value} if name else {}  # refused clicks have a list without actions
    return {
        inner: found
        for key, each in value.items()
        for inner, found in flat(
            each, ".".join(part for part in (name, key) if part and part not in CONTAINERS)
        ).items()
    }


def pages(client: ApiClient, path: str, key: str, **params: Any) -> Iterator[dict[str, Any]]:
    """The records of all pages."""
    for page in count(1):
        found = client.get(path, page=page, limit=3, **params)[key]
        if not found:
            return
        yield from found


def as_file(client: ApiClient, path: str, form: str, **params: Any) -> Any:
    response = client.call("GET", path, params=params | {"format": form})
    assert response.status_code == 200, response.text
    return response


def csv_rows(client: ApiClient, path: str, **params: Any) -> Rows:
    response = as_file(client, path, "csv", **params)
    assert response.content.decode().count("\r\n") > 0
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline=""), strict=True))


def parquet_table(client: ApiClient, path: str, **params: Any) -> pyarrow.Table:
    return pyarrow.parquet.read_table(pyarrow.BufferReader(as_file(client, path, "parquet", **params).content))


def as_cell(value: Any) -> str:
    """What a value of JSON is in CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t") and value else value
    return "" if value is None else str(value)


def as_value(value: Any, kind: Any, zone: str) -> Any:
    """What a value of JSON is in Parquet, but for milliseconds."""
    if value is None:
        return None
    if pyarrow.types.is_timestamp(kind):
        return datetime.strptime(value, "%Y-%m-%d %H:%M:%S").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return {"int64": int, "string": str, "bool": bool, "decimal128(18, 4)": lambda text: Decimal(str(text))}[str(kind)](
        value
    )


def check(client: ApiClient, path: str, key: str, zone: str = "UTC", **params: Any) -> Rows:
    """Compares both files with the pages, in order; the records by path."""
    wanted = [flat(record) for record in pages(client, path, key, **params)]
    wanted = [{name.replace("cr.", "cr_", 1): value for name, value in record.items()} for record in wanted]
    found = csv_rows(client, path, **params)
    columns = list(found[0])
    for record in wanted:  # what is null has no parts
        for name in [name for name in record if any(column.startswith(f"{name}.") for column in columns)]:
            assert record.pop(name) is None
    for record, row in zip(wanted, found, strict=True):
        if key == "stats":
            assert row.pop("currency") == "USD"
        assert {name: as_cell(value) for name, value in record.items()} == {n: row[n] for n in record}
        assert not any(row[name] for name in row.keys() - record.keys())
    table = parquet_table(client, path, **params)
    assert table.column_names == columns
    kinds = dict(zip(table.column_names, table.schema.types, strict=True))
    for record, row in zip(wanted, table.to_pylist(), strict=True):
        for name, value in record.items():
            exact = row[name].replace(microsecond=0) if isinstance(row[name], datetime) else row[name]
            assert (name, exact) == (name, as_value(value, kinds[name], zone))
    return wanted


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_conversion_export_equals_json_pages(filled: Api, version: str) -> None:
    path = f"/{version}/stats/conversions"
    assert len(check(filled.admin, path, "conversions", **PERIOD)) == 17
    assert len(check(filled.admin, path, "conversions", **PERIOD, raw_export=1)) == 17
    assert check(filled.admin, path, "conversions", ZONE, **PERIOD, timezone=ZONE, **{"status[]": [1, 2]})
    table = parquet_table(filled.admin, path, **PERIOD)
    kinds = {str(kind): name for name, kind in zip(table.column_names, table.schema.types, strict=True)}
    assert kinds.keys() == {"int64", "string", "decimal128(18, 4)", "timestamp[ms, tz=UTC]"}
    for name, kind in (
        ("payouts", "decimal128(18, 4)"), ("revenue", "decimal128(18, 4)"), ("created_at", "timestamp[ms, tz=UTC]"),
        ("hold_date_expire", "timestamp[ms, tz=UTC]"), ("partner.id", "int64"), ("advertiser.title", "string"),
    ):  # fmt: skip
        assert str(table.schema.field(name).type) == kind


def test_exports_are_equal_on_either_sql_engine(
    database: Database, analytics: Analytics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents and amounts come out of both as they are stored; places and pieces are alike."""
    api = fill(installed(database, analytics))
    monkeypatch.setattr(exports, "BATCH_ROWS", 4)
    monkeypatch.setattr(exports, "SCAN_ROWS", 5)
    assert len(check(api.admin, "/3.1/stats/conversions", "conversions", **PERIOD)) == 17
    assert len(check(api.admin, "/3.1/stats/clicks", "clicks", **PERIOD)) == 40


def test_conversion_export_in_pieces_equals_whole(filled: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD)
    some = csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD, status=2)
    for piece, looked_at, known in ((1, 1, 0), (2, 3, 1), (3, 2, 100), (17, 17, 1), (16, 40, 1)):
        monkeypatch.setattr(exports, "BATCH_ROWS", piece)
        monkeypatch.setattr(exports, "SCAN_ROWS", looked_at)
        monkeypatch.setattr(exports, "MAX_CACHED_NAMES", known)
        assert csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD) == wanted
        assert csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD, status=2) == some
    assert 0 < len(some) < len(wanted) == 17


def test_click_export_equals_json_pages(filled: Api) -> None:
    clicks = check(filled.admin, "/3.1/stats/clicks", "clicks", **PERIOD)
    assert len(clicks) == 40
    assert sum(bool(click["conversion_id"]) for click in clicks) == 17
    assert check(filled.admin, "/3.0/stats/clicks", "clicks", ZONE, **PERIOD, timezone=ZONE, hour=None)
    [affiliate] = {click["partner_id"] for click in clicks[:1]}
    some = check(filled.admin, "/3.1/stats/clicks", "clicks", **PERIOD, partner=affiliate)
    assert 0 < len(some) < 40


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_click_export_hour_filter_narrows_a_single_day(filled: Api, version: str) -> None:
    """`hour` narrows a file as it narrows pages: in the asked zone, and of a single day alone."""
    day = {"date_from": "2023-11-15", "date_to": "2023-11-15"}
    for path, key, hours in (
        (f"/{version}/stats/clicks", "clicks", {"UTC": 12, ZONE: 17}),
        (f"/{version}/stats/conversions", "conversions", {"UTC": 12, ZONE: 17}),
    ):
        for zone, hour in hours.items():
            whole = check(filled.admin, path, key, zone, **day, timezone=zone)
            assert whole and check(filled.admin, path, key, zone, **day, timezone=zone, hour=hour) == whole
            asked = day | {"timezone": zone, "hour": hour - 1}
            assert csv_rows_or_none(filled.admin, path, **asked) == []
            assert parquet_table(filled.admin, path, **asked).num_rows == 0
        for form in ("csv", "parquet"):
            assert filled.admin.refusal("GET", path, params=PERIOD | {"hour": 12, "format": form}) == (400, ["hour"])
            assert filled.admin.refusal("GET", path, params=day | {"hour": 24, "format": form}) == (400, ["hour"])


def csv_rows_or_none(client: ApiClient, path: str, **params: Any) -> Rows:
    assert as_file(client, path, "csv", **params).headers["x-total-count"] == "0"
    return csv_rows(client, path, **params)


CUSTOM: list[tuple[str, dict[str, Any]]] = [
    ("3.1", {"slice[]": ["day"]}),
    ("3.0", {"slice[]": ["hour", "offer"]}),
    ("3.1", {"slice[]": ["affiliate", "advertiser", "manager", "offer"], "conversionTypes[]": ["confirmed", "hold"]}),
    ("3.1", {"slice[]": ["sub1"], "order[]": ["confirmed_count", "raw"], "orderType": "desc"}),
    ("3.1", {"slice[]": ["trafficback_reason"]}),
    ("3.1", {"slice[]": ["goal", "month", "quarter", "smart_id"], "timezone": ZONE}),
    ("3.1", {"slice[]": ["sub1", "sub2", "country"], "filter[nonzero]": 1, "filter[currency]": "USD"}),
]


@pytest.mark.parametrize(("version", "asked"), CUSTOM)
def test_custom_report_export_equals_json_pages(filled: Api, version: str, asked: dict[str, Any]) -> None:
    wanted = check(filled.admin, f"/{version}/stats/custom", "stats", **FILTERED, **asked)
    assert wanted
    assert ("not_found.count" in wanted[0]) == (version == "3.0")
    [row, *_] = csv_rows(filled.admin, f"/{version}/stats/custom", **FILTERED, **asked)
    assert row["currency"] == "USD"
    assert "actions" not in str(list(row))
    table = parquet_table(filled.admin, f"/{version}/stats/custom", **FILTERED, **asked)
    kinds = {name: str(kind) for name, kind in zip(table.column_names, table.schema.types, strict=True)}
    assert kinds["traffic.raw"] == "int64" and kinds["epc"] == "decimal128(18, 4)"
    if "confirmed.count" in kinds:
        assert (kinds["confirmed.count"], kinds["confirmed.payouts"]) == ("int64", "decimal128(18, 4)")


def test_export_of_empty_period_has_header_only(filled: Api) -> None:
    none = {"date_from": "2022-01-01", "date_to": "2022-01-02"}
    for path, period in (
        ("/3.1/stats/clicks", none),
        ("/3.1/stats/conversions", none),
        ("/3.1/stats/custom", {f"filter[{name}]": day for name, day in none.items()} | {"slice": "day"}),
    ):
        response = as_file(filled.admin, path, "csv", **period)
        assert response.text.count("\r\n") == 1
        assert response.headers["x-total-count"] == "0"
        assert parquet_table(filled.admin, path, **period).num_rows == 0


def test_export_of_affiliate_has_own_rows_without_charges(api: Api) -> None:
    filled = fill(api)
    affiliate, client = filled.add_affiliate()
    offer = filled.add_offer()
    load_clicks(filled.deps, [new_click(77, offer=offer, affiliate=affiliate)])
    add_conversion(filled.deps, 77, offer_id=offer, affiliate_id=affiliate, created_at=NOON, charge=Decimal(99))
    assert len(check(client, "/3.1/stats/clicks", "clicks", **PERIOD)) == 1
    [conversion] = check(client, "/3.1/stats/conversions", "conversions", **PERIOD)
    assert not FORBIDDEN_TO_AFFILIATES & {name.partition(".")[0] for name, it in conversion.items() if it is not None}
    asked = {"slice[]": ["offer", "day"]}
    for row in check(client, "/3.1/stats/custom", "stats", **FILTERED, **asked):
        assert {value for name, value in row.items() if name.endswith((".charge", ".earning"))} == {0}
        assert row["total.revenue"] == row["total.payouts"] == 7
    for path, params in (("/3.1/stats/conversions", PERIOD), ("/3.1/stats/custom", FILTERED | asked)):
        for row in (*csv_rows(client, path, **params), *parquet_table(client, path, **params).to_pylist()):
            assert not {"99", "92", Decimal(99), Decimal(92)} & set(row.values())
    refused = client.call(
        "GET", "/3.1/stats/custom", params=FILTERED | {"format": "csv", "slice": "trafficback_reason"}
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "stats.slice-trafficback_reason")


def test_export_of_a_page_has_that_page_only(filled: Api) -> None:
    for path, params in (("/3.1/stats/clicks", PERIOD), ("/3.1/stats/conversions", PERIOD)):
        every = csv_rows(filled.admin, path, **params)
        assert csv_rows(filled.admin, path, **params, page=2, limit=5) == every[5:10]
        assert csv_rows(filled.admin, path, **params, limit=4) == every[:4]
    every = csv_rows(filled.admin, "/3.1/stats/custom", **FILTERED, slice="sub1")
    assert len(every) == 4
    assert csv_rows(filled.admin, "/3.1/stats/custom", **FILTERED, slice="sub1", page=2, limit=3) == every[3:]


def test_export_file_name_has_report_and_period(filled: Api) -> None:
    for path, params, name in (
        ("/3.1/stats/clicks", PERIOD, "clicks_2023-11-14_2023-11-17"),
        ("/3.1/stats/conversions", PERIOD | {"timezone": ZONE}, "conversions_2023-11-14_2023-11-17"),
        ("/3.1/stats/conversions", {}, "conversions_2023-11-07_2023-11-14"),
        ("/3.1/stats/custom", FILTERED | {"slice": "day"}, "custom_2023-11-14_2023-11-17"),
    ):
        response = as_file(filled.admin, path, "parquet", **params)
        assert response.headers["content-disposition"] == f'attachment; filename="{name}.parquet"'


@pytest.mark.parametrize("path", ["/3.1/stats/clicks", "/3.0/stats/conversions", "/3.1/stats/custom"])
def test_export_with_unknown_format_is_rejected(filled: Api, path: str) -> None:
    response = filled.admin.call("GET", path, params=PERIOD | FILTERED | {"slice": "day", "format": "xlsx"})
    assert (response.status_code, list(response.json()["fields"])) == (400, ["format"])
    assert filled.admin.call("GET", path, params=PERIOD | FILTERED | {"slice": "day", "format": "json"}).json()[
        "status"
    ]


def test_export_omits_rows_created_meanwhile(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    filled = fill(api)
    monkeypatch.setattr(exports, "BATCH_ROWS", 4)
    wanted = csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD)
    before = exports.rows_before
    numbers = count(500)

    def and_one_more(*asked: Any, **more: Any) -> Any:
        found = before(*asked, **more)
        number = next(numbers)
        add_conversion(
            filled.deps, number, offer_id=1, affiliate_id=1, created_at=NOON + 2 * 86_400_000 + 10_000_000 + number
        )
        return found

    monkeypatch.setattr(exports, "rows_before", and_one_more)
    assert csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD) == wanted
    assert len(csv_rows(filled.admin, "/3.1/stats/conversions", **PERIOD)) > len(wanted)


def test_export_holds_query_slot_per_piece_only(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    deps, admin = fill(api).deps, StaffCaller("0" * 24, frozenset({Role.ADMIN}))
    monkeypatch.setattr(exports, "BATCH_ROWS", 5)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.BATCH_ROWS", 5)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ_BYTES", 700)
    monkeypatch.setattr("trackyard.analytics.exports.exports.CHUNK_ROWS", 1)
    turns, taken = deps.analytics._scheduler, list[bool]()
    file_slot = turns.file_slot

    @contextmanager
    def noted(token: CancellationToken, *, no_timeout: bool) -> Iterator[None]:
        with file_slot(token, no_timeout=no_timeout):
            taken.append(no_timeout)
            assert turns._files.is_held_by(token.name) and turns._heavy.is_held_by(token.name)
            yield

    monkeypatch.setattr(turns, "file_slot", noted)
    week = {"since": NOON - 7 * 86_400_000, "until": NOON + 7 * 86_400_000}
    question = Report(Scope.nothing(), dimensions=("sub1",), **week)
    asked = current_cancellation.set(CancellationToken("a"))
    for export in (
        exports.export_clicks(deps, Access(admin, Permission.STATS_CLICKS), ClickQuery(Scope.everything(), **week)),
        exports.export_conversions(deps, Access(admin, Permission.STATS_CONVERSION), ConversionFilter(**week)),
        exports.export_rows(deps, Access(admin, Permission.STATS_COMMON), question),
    ):
        taken.clear()
        pieces = 0
        for _ in export.pieces:
            pieces += 1
            assert not turns._files.is_held_by("a") and not turns._heavy.is_held_by("a")
        assert pieces > 2 and taken == [False, *[True] * pieces]
    current_cancellation.reset(asked)


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_memory_does_not_grow_with_file(api: Api, form: str) -> None:
    many = 300_000
    api.deps.analytics.run(
        "INSERT INTO click (journal, position, time, id, offer, affiliate, ua, sub1) "
        f"SELECT 'j', number, {NOON} + number, lower(hex(number)), number % 100, number % 50, repeat('ua', 50), "
        f"toString(cityHash64(number)) FROM numbers({many})"
    )
    query = urlencode(PERIOD | {"format": form}).encode()
    process, key = psutil.Process(), str(api.admin._key)
    before, peak, size = process.memory_info().rss, 0, 0

    async def receive() -> dict[str, Any]:
        if asked:
            return {"type": "http.request", "body": asked.pop()}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        nonlocal peak, size
        size += len(message.get("body", b""))
        peak = max(peak, process.memory_info().rss)
        if message["type"] == "http.response.start":
            assert message["status"] == 200
        elif not message.get("more_body"):
            ended.append(True)

    asked, ended = [b""], list[bool]()
    scope = {
        "type": "http", "method": "GET", "path": "/3.1/stats/clicks", "query_string": query, "root_path": "",
        "headers": [(b"api-key", key.encode())], "client": ("127.0.0.1", 1), "server": ("t", 1), "state": {},
    }  # fmt: skip

    async def call() -> None:
        task = asyncio.ensure_future(api.app(scope, receive, send))
        while not ended:
            await asyncio.sleep(0.05)
            assert not task.done() or ended
        await task

    asyncio.run(asyncio.wait_for(call(), 300))
    assert size > many * (200 if form == "csv" else 8)
    assert peak - before < 400_000_000, "as Python's objects they would take more than 900 MB"
