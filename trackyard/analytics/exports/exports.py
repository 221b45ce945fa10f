"""All rows of a report, or all clicks of a period, in the order of their pages and in bounded memory."""

import gzip
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any, Final

import msgspec
from msgspec.structs import fields

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.exports.column_stream import Reader, packed_line
from trackyard.analytics.reports.clicks import ClickList, chosen
from trackyard.analytics.reports.compiler import compile_report
from trackyard.analytics.reports.query import Report
from trackyard.analytics.reports.reports import StatsRow, row_of
from trackyard.base.arrow import Array, Batch, loaded
from trackyard.journal.records import Click

PIECE: Final = 5000
"""Statistics rows that are handed on at a time."""
SPAN: Final = 500_000
"""Clicks that are sorted at a time, when no day has more."""
HELD_S: Final = 60.0
"""How long a reader may hold a statement open; after it the rest is asked for anew."""

CLICK_COLUMNS: Final = (
    "time", "id", "offer", "affiliate", "landing", "prelanding", "smart_id", "uniq", "ip", "country", "city_id", "city",
    "isp", "connection", "ua", "os", "os_version", "device", "device_model", "browser", "browser_version", "referrer",
    *(f"sub{number}" for number in range(1, 9)), "ref_id", "os_id", "user_id", "ext1", "ext2", "ext3", "ios_idfa",
    "android_id",
)  # fmt: skip
"""What a file of clicks is made of, by the names of Click."""
_WHOLE: Final = frozenset(info.name for info in fields(Click) if info.type is int)
_OFTEN: Final = frozenset((
    "smart_id", "country", "city", "isp", "connection", "ua", "os", "os_version", "device", "device_model", "browser",
    "browser_version", "referrer",
))  # fmt: skip
_FEW: Final = 50
_DAY_MS: Final = 86_400_000

Seconds = Callable[[], float]
Last = tuple[int, str]
"""Where a reader stands: time and id of the last click."""


@dataclass(frozen=True, slots=True)
class Span:
    """Clicks to be read together. since, until: UTC milliseconds, `until` exclusive."""

    since: int
    until: int
    clicks: int


def spans_of(analytics: Analytics, query: ClickList) -> list[Span]:
    """The period in spans of whole days of UTC, by which clicks are stored, newest first; days without are left out."""
    where, parameters = chosen(query)
    sql = f"SELECT intDiv(time, {_DAY_MS}) AS day, count() {where} GROUP BY day ORDER BY day DESC"
    spans: list[Span] = []
    for day, clicks in analytics.rows(sql, parameters, tuple[int, int]):
        since, until = max(query.since, day * _DAY_MS), min(query.until, (day + 1) * _DAY_MS)
        if spans and spans[-1].clicks + clicks <= SPAN:
            spans[-1] = Span(since, spans[-1].until, spans[-1].clicks + clicks)
        else:
            spans.append(Span(since, until, clicks))
    return spans


def each_click(
    analytics: Analytics, query: ClickList, spans: list[Span], seconds: Seconds = time.monotonic
) -> Generator[Batch, None, None]:
    """All clicks of the query by column, newest first, whatever its page: `CLICK_COLUMNS`, and conversion_id, that of
    the first conversion or "". What was loaded behind the reader is left out."""
    reader = Reader(CLICK_COLUMNS, whole=_WHOLE, often=_OFTEN)
    for span in spans:
        rest: Last | None = None
        while True:
            with _held(analytics, replace(query, since=span.since, until=span.until), rest, reader) as batches:
                until = seconds() + HELD_S
                for clicks in batches:
                    rest = clicks["time"][-1].as_py(), clicks["id"][-1].as_py()
                    yield clicks.append_column("conversion_id", _conversions_of(analytics, clicks))
                    if seconds() > until:
                        break
                else:
                    break


@contextmanager
def _held(analytics: Analytics, query: ClickList, last: Last | None, reader: Reader) -> Iterator[Iterator[Batch]]:
    """The clicks of a query that come after one."""
    where, parameters = chosen(query)
    if last is not None:
        where += " AND time <= {last_time:Int64} AND (time < {last_time:Int64} OR id < {last_id:String})"
        parameters |= {"last_time": last[0], "last_id": last[1]}
    rows = f"SELECT time, id, {packed_line(CLICK_COLUMNS)} AS packed_row {where}"
    sql = f"SELECT packed_row FROM ({rows}) ORDER BY time DESC, id DESC"
    with analytics.batches(sql, parameters, reader) as batches:
        yield batches


def _conversions_of(analytics: Analytics, clicks: Batch) -> Array:
    """The ids of the first conversions of clicks that stand together; "" of those without.

    Looked for by the times of the clicks, and by their offers and affiliates when they are few: to look for so many
    ids takes longer than all the rest of a file. No conversion is a day older than its click, as far as clocks may be
    apart.
    """
    arrow, compute, *_ = loaded()
    conditions = [f"time >= {{first:Int64}} - {_DAY_MS}", "click_time >= {first:Int64}", "click_time <= {last:Int64}"]
    parameters: dict[str, Any] = {"first": clicks["time"][-1].as_py(), "last": clicks["time"][0].as_py()}
    for name in ("offer", "affiliate"):
        values = clicks[name].unique().to_pylist()
        if len(values) <= _FEW:
            conditions.append(f"{name} IN {{{name}:Array(Int64)}}")
            parameters[name] = values
    sql = (
        "SELECT click_id, min((made_at, conversion_id)).2 FROM ("
        f"SELECT click_id, conversion_id, any(time) AS made_at FROM fact WHERE {' AND '.join(conditions)} "
        "GROUP BY click_id, conversion_id HAVING sum(sign) > 0"
        ") GROUP BY click_id"
    )
    found = analytics.rows(sql, parameters, tuple[str, str])
    places = compute.index_in(clicks["id"], value_set=arrow.array([click for click, _ in found], type=arrow.string()))
    conversions = arrow.array([conversion for _, conversion in found], type=arrow.string())
    return conversions.take(places).fill_null("")


class KeptRows:
    """The rows of a report as they were at one moment, kept in a file: a slow reader holds no statement open."""

    def __init__(self, report: Report, file: IO[bytes]) -> None:
        self.count = 0
        self._report = report
        self._compiled = compile_report(report)
        self._file = file

    def read(self, analytics: Analytics) -> None:
        """Keeps all rows that answer the report, whatever its page. Raises TooHeavy."""
        if self._compiled is None:
            return
        sql, parameters = self._compiled.packed_sql, self._compiled.parameters
        with (
            gzip.GzipFile(fileobj=self._file, mode="wb", compresslevel=1) as kept,
            analytics.stream(sql, parameters, msgspec.Raw) as pieces,
        ):
            for rows in pieces:
                kept.write(b"".join(bytes(row) + b"\n" for row in rows))
                self.count += len(rows)

    def each(self) -> Iterator[list[StatsRow]]:
        """The rows in their order."""
        if self._compiled is None:
            return
        decode = msgspec.json.Decoder(list[Any]).decode
        self._file.seek(0)
        with gzip.GzipFile(fileobj=self._file, mode="rb") as lines:
            while piece := list(islice(lines, PIECE)):
                yield [row_of(self._report, self._compiled, decode(line)) for line in piece]
